//! From the file of a directive to the directive: an instruction whose forms have templates.

use rustc_hash::{FxHashMap, FxHashSet};

use super::check;
use super::conditions::RuleConditions;
use super::directive_syntax::{self, ReadPattern};
use super::environment_axes::{environment, modes};
use super::file::File;
use super::instruction::fits;
use super::raw::{RawExamples, RawForm, RawInstruction, RawIsa};
use super::raw_directive::{RawDirective, RawDirectiveForm, RawPart};
use super::rules;
use super::sources::Sources;
use crate::spec::words::NONE;
use crate::spec::{
    Choice, Cube, DirectivePart, DirectiveTemplate, Draft, Form, HERE, Instruction, Isa, Note, PartPatterns, PartRead,
    Rule, RuleKind, Slot, Source, Tables, TemplatePiece, ValueSet, Writing, is_modifier,
};
use crate::yaml::{At, Error, Ordered};

/// Builds a directive.
///
/// # Errors
/// All that is wrong with its file.
pub(super) fn build(
    isa: &Isa,
    (isa_file, raw_isa): (&File<'_>, &RawIsa),
    file: &File<'_>,
    raw: &RawDirective,
) -> Result<Instruction, Vec<Error>> {
    let mut errors = Vec::new();
    let mut forms = Vec::new();
    let mut used = FxHashSet::default();
    for form in &raw.forms {
        match (DirectiveSource { isa, file, raw, form }).build(&mut used) {
            Ok(built) => forms.push(built),
            Err(more) => errors.extend(more),
        }
    }
    let unused = raw.parts.0.iter().filter(|(name, _)| !used.contains(name.value.as_str()));
    errors.extend(unused.map(|(name, _)| file.at(name, format!("no form has the part `{}`", name.value))));
    if !errors.is_empty() {
        return Err(errors);
    }
    let as_instruction = as_instruction(raw);
    let sources = Sources { isa, raw_isa, isa_file, file, raw: &as_instruction };
    let mistakes = check::edition_and_ids(&sources);
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    unwritten(&sources, raw, &mut forms)?;
    rules::add(&sources, &mut forms)?;
    forms.iter_mut().for_each(mark_given);
    for (form, raw) in forms.iter().zip(&as_instruction.forms) {
        fits(&sources, form, raw)?;
    }
    let mut instruction = instruction(raw, raw_isa, forms);
    instruction.index(isa);
    Ok(instruction)
}

/// Adds the rule that keeps combinations out of the spaces that cannot be written.
fn unwritten(sources: &Sources<'_>, raw: &RawDirective, forms: &mut [Form]) -> Result<(), Vec<Error>> {
    let Some(listed) = &raw.unwritten else { return Ok(()) };
    let conditions = RuleConditions { sources, file: sources.file, forms };
    let mut used = FxHashSet::default();
    let errors: Vec<Error> = listed.0.iter().flat_map(|cube| conditions.check(cube, &mut used)).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let entries: Vec<_> = listed.0.iter().map(|cube| conditions.entries(cube)).collect();
    for form in forms {
        let forbids: Vec<Cube> = entries.iter().filter_map(|entries| form.combination(entries)).collect();
        if !forbids.is_empty() {
            let (id, kind) = (format!("{}/unwritten", raw.directive.value), RuleKind::Canonical);
            let says = "it cannot be written, or is read as something else".to_owned();
            form.rules.push(Rule { id, kind, source: Source::Manual, section: None, says, forbids });
        }
    }
    Ok(())
}

/// Marks the rules about nothing but combinations that are never generated: no variant can break them.
fn mark_given(form: &mut Form) {
    let canonical = form.rules.iter().filter(|rule| rule.kind == RuleKind::Canonical);
    let unwritten: Vec<Cube> = canonical.flat_map(|rule| rule.forbids.clone()).collect();
    let is_within = |cube: &Cube, outer: &Cube| {
        let narrows =
            |(axis, set): &(usize, ValueSet)| cube.sets().iter().any(|(of, own)| of == axis && own.and(set) == *own);
        outer.sets().iter().all(narrows)
    };
    for rule in form.rules.iter_mut().filter(|rule| rule.kind.breakable() && !rule.forbids.is_empty()) {
        if rule.forbids.iter().all(|cube| unwritten.iter().any(|outer| is_within(cube, outer))) {
            rule.kind = RuleKind::Given;
        }
    }
}

/// A form in the file of a directive.
struct DirectiveSource<'a> {
    isa: &'a Isa,
    file: &'a File<'a>,
    raw: &'a RawDirective,
    form: &'a RawDirectiveForm,
}

impl<'a> DirectiveSource<'a> {
    fn build(&self, used: &mut FxHashSet<&'a str>) -> Result<Form, Vec<Error>> {
        let name = &self.raw.directive.value;
        let mut draft =
            Draft { isa: self.isa, opcode: name, claims: &[], slots: Vec::new(), axes: Vec::new(), rules: Vec::new() };
        environment(&mut draft);
        modes(&mut draft, &self.form.modes);
        let writing = draft.axis("writing", Choice::Writing, vec!["as in the manual".to_owned()], |_| true);
        let mut parts: Vec<DirectivePart> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        let mut errors = Vec::new();
        let mut find = |name: &str| {
            if let Some(at) = names.iter().position(|known| known == name) {
                return Ok(at);
            }
            let named = |(known, _): &&(At<String>, RawPart)| known.value == name;
            let described = self.form.parts.0.iter().find(named).or_else(|| self.raw.parts.0.iter().find(named));
            let Some((key, described)) = described else { return Err(format!("the part `{name}` is not described")) };
            used.insert(key.value.as_str());
            names.push(name.to_owned());
            match self.part(&mut draft, key, described) {
                Ok(part) => parts.push(part),
                Err(more) => errors.extend(more),
            }
            Ok(names.len() - 1)
        };
        let pieces = directive_syntax::pieces(&self.form.syntax.value, &mut find);
        let pieces = pieces.map_err(|why| vec![self.file.at(&self.form.syntax, why)])?;
        if !self.form.around.value.contains(HERE) {
            errors.push(self.file.at(&self.form.around, format!("`{HERE}` is missing")));
        }
        let mut seen = FxHashSet::default();
        if let Some(axis) = draft.axes.iter().find(|axis| !seen.insert(&axis.name)) {
            let message = format!("two axes of this form are called `{}`: choose another name for the part", axis.name);
            errors.push(self.file.at(&self.form.syntax, message));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let is_word = |part: &&DirectivePart| draft.axes[part.axis].values.iter().any(|value| is_modifier(value));
        let slots = parts.iter().filter(is_word).map(|part| Slot { axis: part.axis, optional: true, telling: false });
        draft.slots = slots.collect();
        Ok(self.form(draft, writing, pieces, parts))
    }

    /// The form of these parts.
    fn form(&self, draft: Draft<'_>, writing: usize, pieces: Vec<TemplatePiece>, parts: Vec<DirectivePart>) -> Form {
        let begins = self.form.begins.iter().map(|word| word.value.clone()).collect();
        let around = one_line(&self.form.around.value);
        let objects = self.raw.objects.0.iter().map(|(name, text)| (name.value.clone(), text.clone())).collect();
        let template = DirectiveTemplate { place: self.form.place, begins, pieces, parts, around, objects };
        Form {
            id: format!("{}.{}", self.raw.directive.value, self.form.id.value),
            syntax: one_line(&self.form.syntax.value),
            manual: self.form.manual.as_ref().unwrap_or(&self.raw.manual).clone(),
            axes: draft.axes,
            slots: draft.slots,
            operands: Vec::new(),
            pattern: Vec::new(),
            suffixes: Vec::new(),
            writing,
            writings: vec![Writing::Plain],
            ends: false,
            rules: draft.rules,
            writes: Vec::new(),
            setup: Vec::new(),
            accuracies: Vec::new(),
            setup_axes: 0,
            template: Some(template),
            tables: Tables::default(),
        }
    }

    /// A part with its axis, and the rule that its probes are never valid.
    fn part(&self, draft: &mut Draft<'_>, name: &At<String>, raw: &RawPart) -> Result<DirectivePart, Vec<Error>> {
        let wrong = |why: String| vec![self.file.at(name, why)];
        let own = |value: &At<String>| {
            let text = if value.value == NONE { String::new() } else { value.value.clone() };
            (value.value.clone(), text)
        };
        let texts = raw.texts.0.iter().map(|(value, text)| (value.value.clone(), text.clone()));
        let all: Vec<(String, String)> = raw.values.iter().map(own).chain(texts).collect();
        let values: Vec<String> = all.iter().map(|(value, _)| value.clone()).collect();
        let mut seen = FxHashSet::default();
        if let Some(twice) = values.iter().find(|value| !seen.insert(*value)) {
            return Err(wrong(format!("`{twice}` appears twice")));
        }
        if let Some(unknown) = raw.probes.iter().find(|probe| !values.contains(&probe.value)) {
            return Err(vec![self.file.at(unknown, format!("`{}` is not a value of this part", unknown.value))]);
        }
        if let Some(measure) = raw.measure {
            let missing = measure.words().iter().find(|word| !seen.contains(&(**word).to_owned()));
            let unknown = values.iter().find(|value| !measure.words().contains(&value.as_str()));
            if let Some(word) = missing.map(|word| (*word).to_owned()).or(unknown.cloned()) {
                let why = format!("the values of a measured part are its words: {}", measure.words().join(" "));
                return Err(vec![self.file.at(name, format!("`{word}`")).help(why)]);
            }
        }
        let patterns: Result<Vec<ReadPattern>, String> = all
            .iter()
            .map(|(_, text)| directive_syntax::quoted(text).unwrap_or_else(|| directive_syntax::pattern(text)))
            .collect();
        let patterns = patterns.map_err(wrong)?;
        let is_probe = |value: &str| raw.probes.iter().any(|probe| probe.value == value);
        let axis = draft.axis(&name.value, Choice::Part, values.clone(), |value| !is_probe(value));
        let of = &draft.axes[axis];
        let probes = Cube::new([(axis, of.select(is_probe))]);
        let says =
            raw.says.clone().or_else(|| allowed_words(values.iter().map(String::as_str).filter(|v| !is_probe(v))));
        // Where every value is allowed, no line breaks the rule.
        let says = match says {
            None if raw.probes.is_empty() => "it is one of the values that are listed".to_owned(),
            None => return Err(vec![self.file.at(name, "it does not say what is allowed").help(SAYS)]),
            Some(says) => says,
        };
        draft.constraint(&format!("{}-value", name.value), says, vec![probes]);
        let texts = patterns.iter().map(|pattern| pattern.sample.clone()).collect();
        let read = match raw.measure {
            Some(measure) => PartRead::Measured(measure),
            None => {
                let tokens = patterns.into_iter().map(|pattern| pattern.tokens);
                PartRead::Patterns(PartPatterns::new(tokens.collect()))
            }
        };
        Ok(DirectivePart { axis, is: raw.is.clone(), read, texts })
    }
}

/// The directive as an instruction, whose rules are compiled in the same way.
fn as_instruction(raw: &RawDirective) -> RawInstruction {
    let form = |form: &RawDirectiveForm| RawForm {
        id: form.id.clone(),
        syntax: form.syntax.clone(),
        manual: form.manual.clone(),
        modifiers: Ordered::default(),
        operands: Ordered::default(),
        order: Default::default(),
        modes: Vec::new(),
        ends: false,
        accuracy: Vec::new(),
    };
    RawInstruction {
        instruction: raw.directive.clone(),
        also: Vec::new(),
        summary: raw.summary.clone(),
        manual: raw.manual.clone(),
        read: raw.read.clone(),
        forms: raw.forms.iter().map(form).collect(),
        modifiers: Ordered::default(),
        operands: Ordered::default(),
        sets: raw.sets.clone(),
        uses: Vec::new(),
        rules: raw.rules.clone(),
        elsewhere: Vec::new(),
        surplus: Vec::new(),
        modes: Vec::new(),
        writes: Vec::new(),
        setup: Vec::new(),
        notes: raw.notes.clone(),
        examples: RawExamples::default(),
        sets_of_tables: Vec::new(),
    }
}

fn instruction(raw: &RawDirective, raw_isa: &RawIsa, forms: Vec<Form>) -> Instruction {
    let sets = raw_isa.sets.0.iter().chain(&raw.sets.0);
    let sets =
        sets.map(|(name, members)| (name.value.clone(), members.iter().map(|member| member.value.clone()).collect()));
    let notes = raw.notes.iter().map(|note| Note {
        section: note.section.clone(),
        says: note.says.clone(),
        because: note.because.clone(),
    });
    Instruction {
        name: raw.directive.value.clone(),
        prefix: Vec::new(),
        summary: raw.summary.clone(),
        manual: raw.manual.clone(),
        read: raw.read.value,
        forms,
        elsewhere: Vec::new(),
        notes: notes.collect(),
        examples: Vec::new(),
        sets: sets.collect(),
        modifiers: FxHashMap::default(),
        joined: Vec::new(),
        patterns: Vec::new(),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The help for a part that does not say what is allowed.
const SAYS: &str = "add `says`, the sentence of the message: the values of this part are no words of PTX";

/// A sentence on the values that are allowed, if all are words of PTX.
fn allowed_words<'v>(allowed: impl Iterator<Item = &'v str>) -> Option<String> {
    let (none, words): (Vec<&str>, Vec<&str>) = allowed.partition(|value| *value == NONE);
    let listed = words.join(" ");
    match (words.is_empty(), none.is_empty()) {
        _ if !words.iter().all(|word| word.starts_with('.')) => None,
        (true, _) => Some("nothing is allowed here".to_owned()),
        (false, true) => Some(format!("only {listed} is allowed here")),
        (false, false) => Some(format!("only {listed} is allowed here, or nothing")),
    }
}
