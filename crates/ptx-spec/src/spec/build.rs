//! From YAML texts to a checked [`Spec`].

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use super::builder::Builder;
use super::condition::{Entry, resolve};
use super::error::{Error, nearest};
use super::raw::{At, OneOrMany, Place, RawCube, RawForm, RawInstruction, RawIsa, RawRule};
use super::slots::{SlotClaims, claims};
use super::syntax::Syntax;
use super::words::{NONE, PSEUDO};
use super::{
    Axis, Choice, Cube, Example, Form, Instruction, Isa, Note, RegisterType, Role, Rule, RuleKind, SetupRule, Spec,
    ValueSet,
};
use crate::role::{self, BASES, SHAPES};

const ISA: &str = "isa.yaml";
/// The axes that are no slots.
const RESERVED: [&str; 6] = ["address_size", "target", "ptx", "guard", "context", "writing"];
/// The most combinations that the rules of a form may forbid.
const MOST_CUBES: usize = 1024;
/// The most modifier slots of a form.
const MOST_SLOTS: usize = 64;

fn is_instruction(name: &str) -> bool {
    name.ends_with(".yaml") && name != ISA
}

pub(super) fn load(directory: &Path) -> Result<Spec, Vec<Error>> {
    let unreadable = |path: &Path, why: std::io::Error| {
        vec![Error::new(&path.display().to_string(), "", Place::default(), format!("cannot be read: {why}"))]
    };
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|why| unreadable(path, why));
    let isa_path = directory.join(ISA);
    let isa = read(&isa_path)?;
    let mut instructions = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(|why| unreadable(directory, why))? {
        let path = entry.map_err(|why| unreadable(directory, why))?.path();
        if path.file_name().and_then(|name| name.to_str()).is_some_and(is_instruction) {
            instructions.push((path.display().to_string(), read(&path)?));
        }
    }
    instructions.sort();
    from_texts((&isa_path.display().to_string(), &isa), &instructions)
}

pub(super) fn from_texts(isa: (&str, &str), files: &[(String, String)]) -> Result<Spec, Vec<Error>> {
    let raw_isa: RawIsa = parse(isa.0, isa.1).map_err(|error| vec![error])?;
    let isa = File { name: isa.0, text: isa.1 };
    let (checked, mut errors) = check_isa(&isa, &raw_isa);
    // What is shared must be sound before anything is built on it.
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut instructions: Vec<Instruction> = Vec::new();
    let mut vocabulary = Vec::new();
    for (name, text) in files {
        if Path::new(name).file_name().is_some_and(|file| file == super::vocabulary::FILE) {
            match super::vocabulary::read(name, text) {
                Ok(words) => vocabulary = words,
                Err(more) => errors.extend(more),
            }
            continue;
        }
        let file = File { name, text };
        match parse::<RawInstruction>(name, text) {
            Err(error) => errors.push(error),
            Ok(raw) => match (Compiler { isa: &checked, raw_isa: &raw_isa, file: &file, isa_file: &isa }).compile(&raw)
            {
                Ok(instruction) => instructions.push(instruction),
                Err(more) => errors.extend(more),
            },
        }
    }
    instructions.sort_by(|a, b| a.name.cmp(&b.name));
    if !errors.is_empty() {
        return Err(errors);
    }
    let by_name: FxHashMap<String, usize> =
        instructions.iter().enumerate().map(|(at, instruction)| (instruction.name.clone(), at)).collect();
    let mut hasher = blake3::Hasher::new();
    for text in [isa.text].into_iter().chain(files.iter().map(|(_, text)| text.as_str())) {
        hasher.update(text.as_bytes());
    }
    let fingerprint = hasher.finalize().to_hex()[..16].to_owned();
    Ok(Spec { isa: checked, instructions, vocabulary, fingerprint, by_name })
}

struct File<'a> {
    name: &'a str,
    text: &'a str,
}

impl File<'_> {
    fn error(&self, place: Place, message: impl Into<String>) -> Error {
        Error::new(self.name, self.text, place, message)
    }

    fn at<T>(&self, what: &At<T>, message: impl Into<String>) -> Error {
        self.error(what.place, message)
    }
}

/// Reads YAML. The reader's own message is kept, its snippet is replaced by ours.
pub fn parse<T: serde::de::DeserializeOwned>(name: &str, text: &str) -> Result<T, Error> {
    let said = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    if !text.lines().any(said) {
        return Err(Error::new(name, "", Place::default(), "the file is empty"));
    }
    serde_yaml::from_str(text).map_err(|error| {
        let number = |n: u64| usize::try_from(n).unwrap_or(0);
        let place = error
            .location()
            .map_or(Place::default(), |at| Place { line: number(at.line()), column: number(at.column()) });
        let message = error.without_snippet().to_string();
        let message = message.split(" at line ").next().unwrap_or(&message).trim_end_matches([',', ' ']);
        // The reader's advice is for programmers.
        let (message, _) = message.split_once(", set DuplicateKeyPolicy").unwrap_or((message, ""));
        let error = Error::new(name, text, place, message);
        match meant(message) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        }
    })
}

/// The word nearest to the unknown one, where the reader's message lists those it knows.
fn meant(message: &str) -> Option<&str> {
    let (unknown, known) = message.strip_prefix("unknown ")?.split_once("`, expected one of ")?;
    let (_, word) = unknown.split_once('`')?;
    nearest(word, known.split(", "))
}

fn check_isa(file: &File<'_>, raw: &RawIsa) -> (Isa, Vec<Error>) {
    let mut errors = Vec::new();
    if !raw.versions.value.is_sorted_by(|a, b| a < b) {
        errors.push(file.at(&raw.versions, "versions must be in ascending order, without duplicates"));
    }
    if raw.versions.value.is_empty() || raw.versions.value.len() > ValueSet::CAPACITY - 1 {
        errors.push(file.at(&raw.versions, "there must be between 1 and 255 versions"));
    }
    let mut targets = Vec::new();
    for (name, since) in &raw.targets.0 {
        match name.value.parse() {
            Ok(target) => targets.push((target, *since)),
            Err(error) => errors.push(file.at(name, format!("{error}"))),
        }
        if !raw.versions.value.contains(since) {
            errors.push(file.at(name, format!("`{since}` is not one of `versions`")));
        }
    }
    if targets.is_empty() || targets.len() > ValueSet::CAPACITY - 1 {
        errors.push(file.at(&raw.versions, "there must be between 1 and 255 targets"));
    }
    let (held, types): (Vec<RegisterType>, Vec<RegisterType>) = raw
        .types
        .0
        .iter()
        .map(|(name, of)| RegisterType {
            held_in: of.held_in.iter().map(|holder| holder.value.clone()).collect(),
            name: name.value.clone(),
            bits: of.bits,
            kind: of.kind,
            ptx: of.needs.as_ref().and_then(|needs| needs.ptx),
            target: of.needs.as_ref().and_then(|needs| needs.target.0.first().copied()),
        })
        .partition(|of| !of.held_in.is_empty());
    for holder in raw.types.0.iter().flat_map(|(_, of)| &of.held_in) {
        if !types.iter().any(|of| of.name == holder.value) {
            errors.push(file.at(holder, format!("`{}` is not a type of registers", holder.value)));
        }
    }
    for (name, _) in &raw.variables.0 {
        if !BASES.contains(&name.value.as_str()) && !role::OBJECT_KINDS.contains(&name.value.as_str()) {
            let message = format!("`{}` is not a kind of variable", name.value);
            errors.push(file.at(name, message).help(format!("the kinds are {}", BASES.join(", "))));
        }
    }
    for (name, of) in &raw.types.0 {
        if !name.value.starts_with('.') {
            errors.push(file.at(name, format!("the type `{}` must begin with a dot", name.value)));
        }
        if of.bits == 0 || of.bits > 1024 {
            errors.push(
                file.at(name, format!("the type `{}` has {} bits", name.value, of.bits))
                    .help("a type must have between 1 and 1024 bits"),
            );
        }
    }
    for (_, shapes) in &raw.lanes.0 {
        for shape in shapes.iter().filter(|shape| !SHAPES.contains(&shape.value.as_str())) {
            let help = format!("the shapes are {}", SHAPES.join(", "));
            errors.push(file.at(shape, format!("`{}` is not a shape", shape.value)).help(help));
        }
    }
    for special in raw.specials.iter().filter(|special| !types.iter().any(|of| of.name == special.of_type)) {
        let message = format!("`{}`, the type of a special register, is not one of `types`", special.of_type);
        errors.push(file.at(&raw.versions, message));
    }
    let specials = super::special::table(&raw.specials);
    let variable = |(name, needs): &(At<String>, super::raw::RawNeeds)| {
        (name.value.clone(), needs.ptx, needs.target.0.first().copied())
    };
    let variables = raw.variables.0.iter().map(variable).collect();
    let versions = raw.versions.value.clone();
    (Isa { versions, targets, types, held, variables, specials }, errors)
}

/// Compiles one instruction, collecting every error on the way.
struct Compiler<'a> {
    isa: &'a Isa,
    raw_isa: &'a RawIsa,
    file: &'a File<'a>,
    isa_file: &'a File<'a>,
}

impl Compiler<'_> {
    fn compile(&self, raw: &RawInstruction) -> Result<Instruction, Vec<Error>> {
        let mut errors = self.check_names(raw);
        let mut syntaxes: Vec<(&RawForm, Syntax)> = Vec::new();
        for form in &raw.forms {
            match Syntax::parse(&form.syntax.value) {
                Ok(syntax) => syntaxes.push((form, syntax)),
                Err(why) => errors.push(self.file.at(&form.syntax, why)),
            }
        }
        for (form, syntax) in &syntaxes {
            errors.extend(self.check_form(raw, form, syntax));
        }
        // What stands in no line can only be told where all could be read.
        if !raw.forms.is_empty() && syntaxes.len() == raw.forms.len() {
            errors.extend(self.check_use(raw, &syntaxes));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut slots: Vec<Vec<SlotClaims>> = Vec::new();
        for (form, syntax) in &syntaxes {
            match claims(raw, form, syntax) {
                Ok(claims) => slots.push(claims),
                Err(why) => return Err(vec![self.file.at(&form.syntax, why)]),
            }
        }
        let mut forms: Vec<Form> = Vec::new();
        for (at, (form, syntax)) in syntaxes.iter().enumerate() {
            let others: Vec<&[SlotClaims]> =
                slots.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, slots)| slots.as_slice()).collect();
            let isa = (self.isa, self.raw_isa);
            forms.push(Builder::new(isa, raw, (form, syntax), &slots[at], (&others, at)).build());
        }
        for (form, (raw_form, _)) in forms.iter().zip(&syntaxes) {
            let mut seen = FxHashSet::default();
            if let Some(axis) = form.axes.iter().find(|axis| !seen.insert(&axis.name)) {
                let message = format!("two axes of this form are called `{}`", axis.name);
                return Err(vec![self.file.at(&raw_form.syntax, message)]);
            }
        }
        self.add_rules(raw, &mut forms)?;
        self.add_setup(raw, &mut forms)?;
        self.separate(&mut forms);
        for (form, (raw_form, _)) in forms.iter().zip(&syntaxes) {
            let cubes: usize = form.rules.iter().map(|rule| rule.forbids.len()).sum();
            let wide = form.axes.iter().any(|axis| axis.values.len() > ValueSet::CAPACITY - 1);
            if cubes > MOST_CUBES || wide || form.slots.len() > MOST_SLOTS {
                return Err(vec![self.file.at(&raw_form.syntax, "this form is too large").help(format!(
                    "split it: at most {MOST_CUBES} forbidden combinations, {MOST_SLOTS} slots, and 255 values per axis"
                ))]);
            }
        }
        let shared = raw.examples.declarations.trim();
        let example = |raw: &super::raw::RawExample| Example {
            line: raw.line.value.clone(),
            declarations: [raw.globals.as_str(), shared, &raw.declares].join("\n").trim().to_owned(),
            spec: raw.spec,
            rules: raw.rules.iter().map(|rule| rule.value.clone()).collect(),
            why: raw.why.clone(),
            target: raw.target,
        };
        let note = |raw: &super::raw::RawNote| Note {
            section: raw.section.clone(),
            says: raw.says.clone(),
            because: raw.because.clone(),
        };
        let sets =
            self.raw_isa.sets.0.iter().chain(&raw.sets.0).map(|(name, members)| {
                (name.value.clone(), members.iter().map(|member| member.value.clone()).collect())
            });
        let mut instruction = Instruction {
            sets: sets.collect(),
            name: raw.instruction.value.clone(),
            summary: raw.summary.clone(),
            manual: raw.manual.clone(),
            read: raw.read,
            forms,
            elsewhere: raw.elsewhere.iter().map(|word| word.value.clone()).collect(),
            notes: raw.notes.iter().map(note).collect(),
            examples: raw.examples.lines.iter().map(example).collect(),
            modifiers: FxHashMap::default(),
        };
        instruction.index(self.isa);
        Ok(instruction)
    }

    fn check_names(&self, raw: &RawInstruction) -> Vec<Error> {
        let mut errors = Vec::new();
        let stem = Path::new(self.file.name).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if stem != raw.instruction.value {
            let message = format!("the file of `{}` must not be called `{stem}.yaml`", raw.instruction.value);
            errors.push(self.file.at(&raw.instruction, message).help("name the file after the opcode"));
        }
        if raw.forms.is_empty() {
            errors.push(self.file.at(&raw.instruction, "an instruction must have at least one form"));
        }
        let forms: Vec<&At<String>> = raw.forms.iter().map(|form| &form.id).collect();
        let rules: Vec<&At<String>> = raw.rules.iter().map(|rule| &rule.id).collect();
        for (what, ids) in [("form", forms), ("rule", rules)] {
            let mut seen = FxHashSet::default();
            for id in ids.into_iter().filter(|id| !seen.insert(&id.value)) {
                errors.push(
                    self.file.at(id, format!("there is another {what} `{}`: ids must be unique in a file", id.value)),
                );
            }
        }
        errors
    }

    fn check_form(&self, raw: &RawInstruction, form: &RawForm, syntax: &Syntax) -> Vec<Error> {
        let mut errors = Vec::new();
        if syntax.opcode != raw.instruction.value {
            errors.push(self.file.at(&form.syntax, format!("this syntax line is for `{}`", syntax.opcode)));
        }
        if let Ok(slots) = claims(raw, form, syntax) {
            let mut seen = FxHashSet::default();
            for slot in slots.iter().filter(|slot| !seen.insert(&slot.name)) {
                errors.push(self.file.at(&form.syntax, format!("the slot `.{}` appears twice", slot.name)));
            }
            for slot in slots.iter().filter(|slot| RESERVED.contains(&slot.name.as_str())) {
                let message = format!("a slot cannot be called `{}`: every form has an axis of that name", slot.name);
                errors.push(self.file.at(&form.syntax, message).help("choose another name for the slot"));
            }
        }
        for (operand, _) in &syntax.operands {
            let mut described = form.operands.0.iter().chain(&raw.operands.0);
            if !described.any(|(name, _)| name.value == *operand) {
                let message = format!("the operand `{operand}` has no description");
                errors.push(self.file.at(&form.syntax, message).help(format!("add `{operand}:` under `operands`")));
            }
        }
        errors
    }

    /// What is described but stands in no syntax line, and references to nothing.
    fn check_use(&self, raw: &RawInstruction, syntaxes: &[(&RawForm, Syntax)]) -> Vec<Error> {
        let mut errors = Vec::new();
        let lines: Vec<&str> = syntaxes.iter().map(|(form, _)| form.syntax.value.as_str()).collect();
        let all_slots: Vec<Vec<SlotClaims>> =
            syntaxes.iter().filter_map(|(form, syntax)| claims(raw, form, syntax).ok()).collect();
        for (name, _) in &raw.modifiers.0 {
            if !all_slots.iter().flatten().any(|slot| slot.name == name.value) {
                let message = format!("no syntax line has a slot `.{}`", name.value);
                errors.push(self.file.at(name, message).help(format!("the syntax lines are: {}", lines.join(" "))));
            }
        }
        for (name, operand) in raw.operands.0.iter().chain(syntaxes.iter().flat_map(|(form, _)| &form.operands.0)) {
            if !syntaxes.iter().any(|(_, syntax)| syntax.operands.iter().any(|(known, _)| *known == name.value)) {
                errors.push(self.file.at(name, format!("no syntax line has an operand `{}`", name.value)));
            }
            let known = |of: &At<String>| {
                all_slots.iter().flatten().any(|slot| slot.name == of.value)
                    || self.isa.instruction_type(&of.value).is_some()
            };
            for of in operand.matches.iter().chain(&operand.lanes).chain(operand.size.first()).filter(|of| !known(of)) {
                let slots = all_slots.iter().flatten().map(|slot| slot.name.as_str());
                let mut error = self.file.at(of, format!("`{}` is neither a slot nor a type", of.value));
                if let Some(near) = nearest(&of.value, slots) {
                    error = error.help(format!("did you mean `{near}`?"));
                }
                errors.push(error);
            }
            let slots: Vec<&str> = all_slots.iter().flatten().map(|slot| slot.name.as_str()).collect();
            let roles: Vec<(&str, role::RoleName)> =
                raw.operands.0.iter().map(|(name, operand)| (name.value.as_str(), operand.role)).collect();
            for (at, message, help) in role::check(operand, &roles, &slots) {
                let error = self.file.at(at.unwrap_or(name), message);
                errors.push(match help {
                    Some(help) => error.help(help),
                    None => error,
                });
            }
            let types = || self.isa.types.iter().map(|of| of.name.as_str());
            for value in operand.accepts.iter().flatten() {
                let known = types().chain(PSEUDO).chain(role::OBJECT_KINDS);
                errors.extend(self.unknown(value, "not something that an operand can be", known));
            }
            for shape in operand.shapes.iter().flatten() {
                errors.extend(self.unknown(shape, "not a shape", SHAPES));
            }
        }
        for list in
            raw.uses.iter().filter(|list| !self.raw_isa.rules.0.iter().any(|(name, _)| name.value == list.value))
        {
            let known = self.raw_isa.rules.0.iter().map(|(name, _)| name.value.as_str()).collect::<Vec<_>>().join(", ");
            let message = format!("`{}` is not a list of rules in {}", list.value, self.isa_file.name);
            errors.push(self.file.at(list, message).help(format!("the lists are: {known}")));
        }
        errors
    }

    /// The error that a word is none of these.
    fn unknown<'k>(
        &self,
        word: &At<String>,
        is: &str,
        known: impl IntoIterator<Item = &'k str> + Clone,
    ) -> Option<Error> {
        if known.clone().into_iter().any(|k| k == word.value) {
            return None;
        }
        let help = match nearest(&word.value, known.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the choices are {}", known.into_iter().collect::<Vec<_>>().join(" ")),
        };
        Some(self.file.at(word, format!("`{}` is {is}", word.value)).help(help))
    }

    /// Compiles the rules of the YAML into every form they are about.
    fn add_rules(&self, raw: &RawInstruction, forms: &mut [Form]) -> Result<(), Vec<Error>> {
        let mut errors = Vec::new();
        let shared = raw.uses.iter().flat_map(|list| {
            let found = self.raw_isa.rules.0.iter().find(|(name, _)| name.value == list.value);
            found.into_iter().flat_map(|(_, rules)| rules).map(|rule| (rule, self.isa_file))
        });
        let own = raw.rules.iter().map(|rule| (rule, self.file));
        let ids: Vec<String> = raw.forms.iter().map(|form| form.id.value.clone()).collect();
        let mut used = FxHashSet::default();
        for (rule, file) in shared.chain(own) {
            let resolver = Resolver { compiler: self, raw, file, forms };
            match resolver.compile(rule, &ids, &mut used) {
                Ok(compiled) => {
                    for (form, rules) in forms.iter_mut().zip(compiled) {
                        form.rules.extend(rules);
                    }
                }
                Err(more) => errors.extend(more),
            }
        }
        let unused = raw.sets.0.iter().filter(|(name, _)| !used.contains(&name.value));
        errors.extend(unused.map(|(name, _)| self.file.at(name, format!("no rule uses the set `${}`", name.value))));
        for form in forms.iter() {
            let mut seen = FxHashSet::default();
            for rule in form.rules.iter().filter(|rule| !seen.insert(&rule.id)) {
                let message = format!("there are two rules `{}` in `{}`", rule.id, form.id);
                errors.push(
                    self.file
                        .at(&raw.instruction, message)
                        .help("slots and operands imply rules of their own: choose another id"),
                );
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// What the lines of each form may write, and what of them is never executed.
    fn add_setup(&self, raw: &RawInstruction, forms: &mut [Form]) -> Result<(), Vec<Error>> {
        let mut errors = Vec::new();
        for operand in &raw.writes {
            let of = raw.operands.0.iter().find(|(name, _)| name.value == operand.value).map(|(_, of)| of.role);
            if !of.is_some_and(|role| matches!(role, role::RoleName::Object | role::RoleName::Address)) {
                let message = format!("`{}` is not an operand with the role `object` or `address`", operand.value);
                errors.push(self.file.at(operand, message));
            }
        }
        for (role, what) in [(Role::is_address as fn(&Role) -> bool, "address"), (Role::is_object, "object")] {
            if forms.iter().any(|form| form.operands.iter().filter(|operand| role(&operand.role)).count() > 1) {
                errors.push(self.file.at(&raw.instruction, format!("a form can have at most one {what}")));
            }
        }
        let ids: Vec<String> = raw.forms.iter().map(|form| form.id.value.clone()).collect();
        let mut compiled: Vec<Vec<SetupRule>> = vec![Vec::new(); forms.len()];
        for rule in &raw.setup {
            let resolver = Resolver { compiler: self, raw, file: self.file, forms };
            errors.extend(resolver.check_forms(&rule.forms, &ids));
            rule.never.0.iter().for_each(|cube| errors.extend(resolver.check_setup(cube)));
            let never: Vec<Vec<Entry>> = rule.never.0.iter().map(|cube| resolver.entries(cube)).collect();
            for (id, rules) in ids.iter().zip(&mut compiled) {
                if rule.forms.as_ref().is_none_or(|forms| forms.iter().any(|form| form.value == *id)) {
                    rules.push(SetupRule { never: never.clone(), because: rule.because.clone() });
                }
            }
        }
        for (form, rules) in forms.iter_mut().zip(compiled) {
            let written = |name: &str| raw.writes.iter().any(|operand| operand.value == name);
            form.writes = (0..form.operands.len()).filter(|&at| written(&form.operands[at].name)).collect();
            form.setup = rules;
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Keeps variants apart that two forms could both have: they belong to the earlier form.
    fn separate(&self, forms: &mut [Form]) {
        for later in 1..forms.len() {
            let mut cubes = Vec::new();
            for earlier in 0..later {
                cubes.extend(covered(&forms[earlier], &forms[later]));
            }
            if !cubes.is_empty() {
                let id = format!("{}/belongs-to-an-earlier-form", forms[later].id);
                let says = "an earlier form has it".to_owned();
                let source = super::Source::Manual;
                let rule = Rule { id, kind: RuleKind::Canonical, source, section: None, says, forbids: cubes };
                forms[later].rules.push(rule);
            }
        }
    }
}

/// The combinations of modifiers of `later` that `earlier` has as well.
fn covered(earlier: &Form, later: &Form) -> Option<Cube> {
    let claims = |form: &Form, axis: usize| -> Vec<String> {
        let axis = &form.axes[axis];
        axis.claimed.iter().map(|v| axis.values[usize::from(v)].clone()).collect()
    };
    let possible = earlier.slots.iter().all(|slot| {
        slot.optional
            || claims(earlier, slot.axis).iter().any(|v| later.slots.iter().any(|s| claims(later, s.axis).contains(v)))
    });
    // A slot that both have alike does not tell them apart, whatever stands in it.
    let apart = |slot: &&super::Slot| {
        let name = &later.axes[slot.axis].name;
        let twin = earlier.slots.iter().find(|other| earlier.axes[other.axis].name == *name);
        twin.is_none_or(|twin| claims(earlier, twin.axis) != claims(later, slot.axis))
    };
    let sets = later.slots.iter().filter(apart).map(|slot| {
        let axis: &Axis = &later.axes[slot.axis];
        let keep = |value: &str| {
            (value == NONE && slot.optional)
                || (value != NONE && earlier.slots.iter().any(|s| claims(earlier, s.axis).iter().any(|v| v == value)))
        };
        (slot.axis, axis.select(keep).and(&axis.claimed))
    });
    let cube = Cube::new(sets);
    (possible && !cube.is_empty()).then_some(cube)
}

/// Turns the conditions of one rule into cubes of each form.
struct Resolver<'a> {
    compiler: &'a Compiler<'a>,
    raw: &'a RawInstruction,
    file: &'a File<'a>,
    forms: &'a [Form],
}

impl Resolver<'_> {
    fn compile(
        &self,
        rule: &RawRule,
        ids: &[String],
        used: &mut FxHashSet<String>,
    ) -> Result<Vec<Vec<Rule>>, Vec<Error>> {
        let mut errors = Vec::new();
        let ways = [rule.never.is_some(), rule.require.is_some(), rule.undefined.is_some(), rule.needs.is_some()];
        if ways.iter().filter(|&&way| way).count() != 1 {
            let message = "a rule must have exactly one of `never`, `require`, `undefined` and `needs`";
            errors.push(self.file.at(&rule.id, message));
        }
        errors.extend(self.check_forms(&rule.forms, ids));
        let requires = rule.require.as_ref().map_or(&[][..], |require| &require.0);
        let nevers = rule.never.as_ref().map_or(&[][..], |never| &never.0);
        let undefined = rule.undefined.as_ref().map_or(&[][..], |undefined| &undefined.0);
        for cube in [&rule.when].into_iter().chain(nevers).chain(requires).chain(undefined) {
            errors.extend(self.check(cube, used));
        }
        if let Some(needs) = &rule.needs {
            let unknown = needs.ptx.iter().filter(|v| !self.compiler.isa.versions.contains(v)).map(ToString::to_string);
            let known =
                |target: &&crate::environment::Target| !self.compiler.isa.targets.iter().any(|(t, _)| t == *target);
            let unknown = unknown.chain(needs.target.0.iter().filter(known).map(ToString::to_string));
            errors.extend(
                unknown
                    .map(|what| self.file.at(&rule.id, format!("`{what}` is not in {}", self.compiler.isa_file.name))),
            );
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let applies =
            |at: usize| rule.forms.as_ref().is_none_or(|forms| forms.iter().any(|form| form.value == ids[at]));
        let compiled: Vec<Vec<Rule>> = self
            .forms
            .iter()
            .enumerate()
            .map(|(at, form)| if applies(at) { self.in_form(rule, form) } else { Vec::new() })
            .collect();
        // A shared list may have rules about axes that this instruction lacks.
        let shared = self.file.name == self.compiler.isa_file.name;
        if compiled.iter().all(Vec::is_empty) && !shared {
            let message = format!("the rule `{}` can never be broken", rule.id.value);
            return Err(vec![
                self.file
                    .at(&rule.id, message)
                    .help("its combinations do not occur in any form, or it requires something that always holds"),
            ]);
        }
        Ok(compiled)
    }

    /// Forms that a rule names and that there are not.
    fn check_forms(&self, forms: &Option<Vec<At<String>>>, ids: &[String]) -> Vec<Error> {
        let unknown = forms.iter().flatten().filter(|form| !ids.contains(&form.value));
        unknown
            .map(|form| {
                let error = self.file.at(form, format!("there is no form `{}`", form.value));
                match nearest(&form.value, ids.iter().map(String::as_str)) {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error,
                }
            })
            .collect()
    }

    /// Dangling names of a condition that may name choices of the setup as well.
    fn check_setup(&self, cube: &RawCube) -> Vec<Error> {
        let mut used = FxHashSet::default();
        let mut errors = Vec::new();
        for (name, values) in &cube.0 {
            let words = role::setup::SETUP.iter().find(|(known, _)| *known == name.value);
            let Some((_, words)) = words else {
                errors.extend(self.check(&super::raw::Ordered(vec![(name.clone(), values.clone())]), &mut used));
                continue;
            };
            match self.expand(values, &mut used) {
                Err(why) => errors.push(self.file.at(name, why)),
                Ok((_, plain)) => {
                    let unknown = plain.iter().filter(|value| !words.is_empty() && !words.contains(&value.as_str()));
                    for value in unknown.filter(|value| *value != "any") {
                        let error = self.file.at(name, format!("`{value}` is not a value of `{}`", name.value));
                        errors.push(error.help(format!("its values are {}", words.join(" "))));
                    }
                }
            }
        }
        errors
    }

    /// Dangling names of a condition.
    fn check(&self, cube: &RawCube, used: &mut FxHashSet<String>) -> Vec<Error> {
        let mut errors = Vec::new();
        for (name, values) in &cube.0 {
            let axes: Vec<&Axis> =
                self.forms.iter().flat_map(|form| &form.axes).filter(|a| a.name == name.value).collect();
            let shared = self.file.name == self.compiler.isa_file.name;
            if axes.is_empty() && !shared {
                let known = self.forms.iter().flat_map(|form| &form.axes).map(|axis| axis.name.as_str());
                let mut error = self.file.at(name, format!("there is no axis `{}`", name.value));
                if let Some(near) = nearest(&name.value, known) {
                    error = error.help(format!("did you mean `{near}`?"));
                }
                errors.push(error);
            }
            if axes.is_empty() {
                continue;
            }
            match self.expand(values, used) {
                Err(why) => errors.push(self.file.at(name, why)),
                Ok((_, plain)) => {
                    for value in plain.iter().filter(|v| !axes.iter().any(|axis| axis.values.contains(v))) {
                        if shared || value == "any" {
                            continue;
                        }
                        let known = axes.iter().flat_map(|axis| &axis.values).map(String::as_str);
                        let mut error = self.file.at(name, format!("`{value}` is not a value of `{}`", name.value));
                        if let Some(near) = nearest(value, known.clone()) {
                            error = error.help(format!("did you mean `{near}`?"));
                        } else {
                            let mut listed: Vec<&str> = known.collect();
                            listed.dedup();
                            error = error.help(format!("its values are {}", listed.join(" ")));
                        }
                        errors.push(error);
                    }
                }
            }
        }
        errors
    }

    /// The values of a condition with its sets expanded, and whether they are to be excluded.
    fn expand(&self, values: &OneOrMany<String>, used: &mut FxHashSet<String>) -> Result<(bool, Vec<String>), String> {
        let mut values = values.0.as_slice();
        let negated = values.first().is_some_and(|value| value == "not");
        if negated {
            values = &values[1..];
        }
        let mut plain = Vec::new();
        for value in values {
            let Some(set) = value.strip_prefix('$') else {
                plain.push(value.clone());
                continue;
            };
            let sets = self.raw.sets.0.iter().chain(&self.compiler.raw_isa.sets.0);
            let Some((_, members)) = sets.clone().find(|(name, _)| name.value == set) else {
                let known: Vec<&str> = sets.map(|(name, _)| name.value.as_str()).collect();
                return Err(match nearest(set, known.iter().copied()) {
                    Some(near) => format!("there is no set `${set}`; did you mean `${near}`?"),
                    None => format!("there is no set `${set}`; the sets are {}", known.join(", ")),
                });
            };
            used.insert(set.to_owned());
            plain.extend(members.iter().map(|member| member.value.clone()));
        }
        if plain.is_empty() { Err("a condition must list at least one value".to_owned()) } else { Ok((negated, plain)) }
    }

    /// The entries of a condition that [`Resolver::check`] found sound.
    fn entries(&self, cube: &RawCube) -> Vec<Entry> {
        let entry = |(name, values): &(At<String>, OneOrMany<String>)| {
            let (negated, values) = self.expand(values, &mut FxHashSet::default()).unwrap_or_default();
            Entry { axis: name.value.clone(), negated, values }
        };
        cube.0.iter().map(entry).collect()
    }

    fn resolve(&self, cube: &RawCube, form: &Form) -> Option<Cube> {
        resolve(&self.entries(cube), form)
    }

    fn in_form(&self, rule: &RawRule, form: &Form) -> Vec<Rule> {
        let Some(when) = self.resolve(&rule.when, form) else { return Vec::new() };
        let make = |suffix: &str, kind: RuleKind, forbids: Vec<Cube>| {
            let forbids: Vec<Cube> = forbids.into_iter().filter(|cube| !cube.is_empty()).collect();
            (!forbids.is_empty()).then(|| Rule {
                id: format!("{}/{}{suffix}", self.raw.instruction.value, rule.id.value),
                kind,
                source: rule.source,
                section: rule.section.clone(),
                says: rule.says.clone(),
                forbids,
            })
        };
        let join = |cube: &Cube| Cube::new(when.sets().iter().chain(cube.sets()).copied());
        let never = rule.never.as_ref().map(|never| (RuleKind::Constraint, never));
        let undefined = rule.undefined.as_ref().map(|undefined| (RuleKind::Undefined, undefined));
        if let Some((kind, listed)) = never.or(undefined) {
            let cubes = listed.0.iter().filter_map(|listed| self.resolve(listed, form)).map(|cube| join(&cube));
            return make("", kind, cubes.collect()).into_iter().collect();
        }
        if let Some(require) = &rule.require {
            let forbidden = self.outside(&when, &require.0, form);
            return make("", RuleKind::Constraint, forbidden).into_iter().collect();
        }
        let Some(needs) = &rule.needs else { return Vec::new() };
        let mut rules = Vec::new();
        if let (Some(since), Some(ptx)) = (needs.ptx, form.axis_of(Choice::Ptx)) {
            let before = form.axes[ptx].select(|v| v.parse().is_ok_and(|v: crate::environment::Version| v < since));
            rules.extend(make("-ptx", RuleKind::NeedsPtx(since), vec![when.clone().with(ptx, before)]));
        }
        if let (false, Some(target)) = (needs.target.0.is_empty(), form.axis_of(Choice::Target)) {
            let unmet = form.axes[target]
                .select(|v| v.parse().is_ok_and(|given| !needs.target.0.iter().any(|needed| needed.met_by(given))));
            let kind = RuleKind::NeedsTarget(needs.target.0.clone());
            rules.extend(make("-target", kind, vec![when.clone().with(target, unmet)]));
        }
        rules
    }

    /// What of `when` lies outside all of the required combinations.
    fn outside(&self, when: &Cube, required: &[RawCube], form: &Form) -> Vec<Cube> {
        let mut cubes = vec![when.clone()];
        for required in required {
            let mut next = Vec::new();
            for entry in &self.entries(required) {
                match form.axis(&entry.axis) {
                    // An axis that the form lacks is `none`: the requirement holds or fails for all.
                    None if entry.holds(NONE) => {}
                    None => next.extend(cubes.iter().cloned()),
                    Some(axis) => {
                        let of = &form.axes[axis];
                        let outside = entry.select(of).complement(of.values.len()).and(&of.claimed);
                        next.extend(cubes.iter().map(|cube| cube.clone().with(axis, outside)));
                    }
                }
            }
            cubes = next.into_iter().filter(|cube| !cube.is_empty()).collect();
            if cubes.len() > MOST_CUBES {
                // More than a form can hold already, which is reported where all are counted.
                break;
            }
        }
        cubes
    }
}
