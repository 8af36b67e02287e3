//! The mistakes in the file of an instruction, before any form is built: in names, lines, and references to
//! nothing.

use std::path::Path;

use rustc_hash::FxHashSet;

use super::file::File;
use super::sources::{ReadForm, Sources};
use crate::role::{
    self, OBJECT_KINDS, PARAMETER, RawLanes, RawOperand, RawTypeOf, RoleName, SlotTable, is_lanes, is_shape,
};
use crate::spec::is_modifier;
use crate::spec::words::{IMMEDIATES, NONE, PSEUDO};
use crate::spec::{ModifierPattern, SlotClaims};
use crate::yaml::{At, Error, FilePosition, nearest};

/// The axes that are not slots.
const RESERVED: [&str; 6] = ["address_size", "target", "ptx", "guard", "context", "writing"];

/// The mistakes in the names of the instruction, its forms and its rules.
pub(super) fn names(sources: &Sources<'_>) -> Vec<Error> {
    let raw = sources.raw;
    let mut errors = Vec::new();
    let stem = Path::new(sources.file.name).file_stem().and_then(|stem| stem.to_str()).unwrap_or(sources.file.name);
    // A file of several opcodes is called after the first.
    if stem != raw.instruction.value && raw.also.iter().all(|name| name.value != raw.instruction.value) {
        let message = format!("the file of `{}` must not be called `{stem}.yaml`", raw.instruction.value);
        errors.push(sources.file.at(&raw.instruction, message).help("name the file after the opcode"));
    }
    let modes = raw.modes.iter().chain(raw.forms.iter().flat_map(|form| &form.modes));
    for mode in modes.filter(|mode| !sources.isa.modes.contains(&mode.value)) {
        let message = format!("`{}` is not one of `modes` in {}", mode.value, sources.isa_file.name);
        errors.push(sources.file.at(mode, message));
    }
    if raw.forms.is_empty() {
        errors.push(sources.file.at(&raw.instruction, "an instruction must have at least one form"));
    }
    let forms: Vec<&At<String>> = raw.forms.iter().map(|form| &form.id).collect();
    let rules: Vec<&At<String>> = raw.rules.iter().map(|rule| &rule.id).collect();
    for (what, ids) in [("form", forms), ("rule", rules)] {
        let mut seen = FxHashSet::default();
        for id in ids.into_iter().filter(|id| !seen.insert(&id.value)) {
            errors.push(
                sources.file.at(id, format!("there is another {what} `{}`: ids must be unique in a file", id.value)),
            );
        }
    }
    errors.extend(edition_and_ids(sources));
    errors
}

/// The mistakes in the edition of the manual and in the characters of ids.
pub(super) fn edition_and_ids(sources: &Sources<'_>) -> Vec<Error> {
    let raw = sources.raw;
    let edition = Some(&raw.read).filter(|read| !sources.isa.versions.contains(&read.value));
    let edition = edition.map(|read| {
        let message = format!("the manual has no edition {}", read.value);
        let help = format!("its editions are numbered as PTX is: `versions` in {} has them", sources.isa_file.name);
        sources.file.at(read, message).help(help)
    });
    let ids = raw.forms.iter().map(|form| &form.id).chain(raw.rules.iter().map(|rule| &rule.id));
    edition.into_iter().chain(ids.filter_map(|id| wrong_id(sources.file, id))).collect()
}

/// The error about an id that cannot be a part of an address, of a name of a file, or of a line of a terminal.
pub(super) fn wrong_id(file: &File<'_>, id: &At<String>) -> Option<Error> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_plain = id.value.starts_with(|c: char| c.is_ascii_alphanumeric()) && id.value.chars().all(plain);
    let help = "an id is of letters, digits, `-`, `_` and `.`, and begins with a letter or digit";
    (!is_plain).then(|| file.at(id, format!("`{}` cannot be an id", id.value)).help(help))
}

/// The mistakes in a syntax line: its opcode, its slots, and operands that are not described.
pub(super) fn form(sources: &Sources<'_>, read: &ReadForm<'_>) -> Vec<Error> {
    let raw = sources.raw;
    let ReadForm { raw: form, syntax, slots } = read;
    let mut errors = Vec::new();
    if syntax.opcode != raw.instruction.value {
        errors.push(sources.file.at(&form.syntax, format!("this syntax line is for `{}`", syntax.opcode)));
    }
    let mut seen = FxHashSet::default();
    for slot in slots.iter().filter(|slot| !seen.insert(&slot.name)) {
        errors.push(sources.file.at(&form.syntax, format!("the slot `.{}` appears twice", slot.name)));
    }
    for slot in slots.iter().filter(|slot| RESERVED.contains(&slot.name.as_str())) {
        let message = format!("a slot cannot be called `{}`: every form has an axis of that name", slot.name);
        errors.push(sources.file.at(&form.syntax, message).help("choose another name for the slot"));
    }
    let operands: Vec<&str> = syntax.operands.iter().map(|operand| operand.name.as_str()).collect();
    for operand in &operands {
        let mut described = form.operands.0.iter().chain(&raw.operands.0);
        let Some((_, described)) = described.find(|(name, _)| name.value == *operand) else {
            let message = format!("the operand `{operand}` has no description");
            errors.push(sources.file.at(&form.syntax, message).help(format!("add `{operand}:` under `operands`")));
            continue;
        };
        if let (RoleName::Coordinate, Some(of)) = (described.role, &described.of)
            && !operands.contains(&of.value.as_str())
        {
            let message = format!("`{operand}` is a coordinate of `{0}`, but this line has no operand `{0}`", of.value);
            errors.push(sources.file.at(&form.syntax, message));
        }
    }
    errors
}

/// Errors for entries that no syntax line uses, and for dangling references.
pub(super) fn uses(sources: &Sources<'_>, read: &[ReadForm<'_>]) -> Vec<Error> {
    let raw = sources.raw;
    let mut errors = Vec::new();
    let lines: Vec<&str> = read.iter().map(|form| form.raw.syntax.value.as_str()).collect();
    let slots: Vec<SlotClaims> = read.iter().flat_map(|form| form.slots.clone()).collect();
    let of_forms = read.iter().flat_map(|form| &form.raw.modifiers.0);
    errors.extend(raw.modifiers.0.iter().chain(of_forms).flat_map(|(_, values)| modifiers(sources, values)));
    for (name, _) in &raw.modifiers.0 {
        let mut suffixes = read.iter().flat_map(|form| &form.syntax.suffixes);
        if !slots.iter().any(|slot| slot.name == name.value) && !suffixes.any(|suffix| suffix.name == name.value) {
            let message = format!("no syntax line has a slot `.{}`", name.value);
            errors.push(sources.file.at(name, message).help(format!("the syntax lines are: {}", lines.join(" "))));
        }
    }
    for (name, described) in raw.operands.0.iter().chain(read.iter().flat_map(|form| &form.raw.operands.0)) {
        if !read.iter().flat_map(|form| &form.syntax.operands).any(|known| known.name == name.value) {
            errors.push(sources.file.at(name, format!("no syntax line has an operand `{}`", name.value)));
        }
        errors.extend(operand(sources, name, described, &slots));
    }
    let known =
        |list: &At<String>| sources.raw_isa.rules.0.iter().any(|(name, _)| name.value == used_list(&list.value).0);
    for list in raw.uses.iter().filter(|list| !known(list)) {
        let known = sources.raw_isa.rules.0.iter().map(|(name, _)| name.value.as_str()).collect::<Vec<_>>().join(", ");
        let message = format!("`{}` is not a list of rules in {}", list.value, sources.isa_file.name);
        errors.push(sources.file.at(list, message).help(format!("the lists are: {known}")));
    }
    errors
}

/// The name of a list of rules, and the operand that it is used for: `immediates(b)`.
pub(super) fn used_list(text: &str) -> (&str, Option<&str>) {
    match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        Some((list, operand)) => (list, Some(operand)),
        None => (text, None),
    }
}

/// The mistakes in the values of a slot.
fn modifiers(sources: &Sources<'_>, values: &[At<String>]) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut seen = FxHashSet::default();
    for value in values.iter().filter(|value| value.value != NONE) {
        match ModifierPattern::parse(&value.value) {
            Err(why) => errors.push(sources.file.at(value, why)),
            Ok(_) if !is_modifier(&ModifierPattern::first(&value.value)) => {
                let message = format!("`{}` is not a modifier", value.value);
                errors.push(sources.file.at(value, message).help("write it with its dot"));
            }
            Ok(_) => {}
        }
        if !seen.insert(&value.value) {
            errors.push(sources.file.at(value, format!("`{}` appears twice", value.value)));
        }
    }
    errors
}

/// The mistakes in the description of an operand.
fn operand(sources: &Sources<'_>, name: &At<String>, operand: &RawOperand, slots: &[SlotClaims]) -> Vec<Error> {
    let mut errors = Vec::new();
    errors.extend(types(sources, operand, slots));
    errors.extend(lanes(sources, operand, slots));
    let slots: Vec<&str> = slots.iter().map(|slot| slot.name.as_str()).collect();
    let roles: Vec<(&str, RoleName)> =
        sources.raw.operands.0.iter().map(|(name, operand)| (name.value.as_str(), operand.role)).collect();
    for (at, message, help) in role::check(operand, &roles, &slots) {
        let error = sources.file.at(at.unwrap_or(name), message);
        errors.push(match help {
            Some(help) => error.help(help),
            None => error,
        });
    }
    let types = || sources.isa.types.iter().map(|of| of.name.as_str());
    for value in operand.accepts.iter().flatten() {
        let known = types().chain(PSEUDO).chain([IMMEDIATES, PARAMETER]).chain(OBJECT_KINDS);
        errors.extend(unknown(sources, value, "not something that an operand can be", known));
    }
    for shape in operand.shapes.iter().flatten().filter(|shape| !is_shape(&shape.value)) {
        let message = format!("`{}` is not a shape", shape.value);
        errors
            .push(sources.file.at(shape, message).help("the shapes are scalar, tuple1 to tuple128, vector2, vector4"));
    }
    errors
}

/// The mistakes in the type of an operand, and in the types of the size of an access.
fn types(sources: &Sources<'_>, operand: &RawOperand, slots: &[SlotClaims]) -> Vec<Error> {
    let mut errors = Vec::new();
    let of_operand = operand.matches.iter().filter_map(|of| match &of.value {
        RawTypeOf::Of(scaled) => Some((scaled.of.as_str(), of.place)),
        RawTypeOf::Table(_) => None,
    });
    let of_size = operand.size.first().map(|of| (of.value.as_str(), of.place));
    for (of, place) in of_operand.chain(of_size) {
        let file = sources.file;
        let named: Vec<&SlotClaims> = slots.iter().filter(|slot| slot.name == of).collect();
        if named.is_empty() && sources.isa.instruction_type(of).is_none() {
            let error = Error::new(file.name, file.text, place, format!("`{of}` is neither a slot nor a type"));
            errors.push(match nearest(of, slots.iter().map(|slot| slot.name.as_str())) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            });
        }
        let mut unknown: Vec<&String> = named.iter().flat_map(|slot| &slot.values).collect();
        unknown.retain(|value| sources.isa.instruction_type(value).is_none());
        unknown.dedup();
        if let Some(value) = unknown.first() {
            let message = format!("the slot `.{of}` has the value `{value}`, which is not a type");
            let help = format!("add it to `types` in {}, or take the slot from the operand", sources.isa_file.name);
            errors.push(Error::new(file.name, file.text, place, message).help(help));
        }
    }
    errors
}

/// The mistakes in the lanes of an operand, and in a table of its types.
fn lanes(sources: &Sources<'_>, operand: &RawOperand, slots: &[SlotClaims]) -> Vec<Error> {
    let mut wrong: Vec<(FilePosition, String)> = Vec::new();
    let is_slot = |of: &str| slots.iter().any(|slot| slot.name == of);
    if let Some(lanes) = &operand.lanes {
        match &lanes.value {
            RawLanes::Slot(of) if !is_slot(of) => {
                let near = nearest(of, slots.iter().map(|slot| slot.name.as_str()));
                let meant = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                wrong.push((lanes.place, format!("`{of}` is not a slot{meant}")));
            }
            RawLanes::Slot(_) => {}
            RawLanes::Table(table) => {
                let says = |last: &str| {
                    (!is_lanes(last)).then(|| format!("`{last}` is neither a number of lanes nor a shape"))
                };
                wrong.extend(wrong_rows(table, slots, says).into_iter().map(|why| (lanes.place, why)));
            }
        }
    }
    if let Some(of) = &operand.matches
        && let RawTypeOf::Table(table) = &of.value
    {
        let known = |last: &str| sources.isa.instruction_type(last).is_some();
        let says = |last: &str| (!known(last)).then(|| format!("`{last}` is not a type"));
        wrong.extend(wrong_rows(table, slots, says).into_iter().map(|why| (of.place, why)));
    }
    let error = |(place, why)| Error::new(sources.file.name, sources.file.text, place, why);
    wrong.into_iter().map(error).collect()
}

/// The mistakes in the rows of a table; `last` finds those of their last cells.
fn wrong_rows(table: &SlotTable, slots: &[SlotClaims], last: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let unknown = table.by.iter().filter(|of| !slots.iter().any(|slot| slot.name == **of));
    let mut wrong: Vec<String> = unknown.map(|of| format!("`{of}` is not a slot")).collect();
    for row in &table.rows {
        if row.len() != table.by.len() + 1 {
            wrong.push(format!("a row must have {} cells and then what follows from them", table.by.len()));
            continue;
        }
        wrong.extend(row.last().and_then(|cell| cell.0.iter().find_map(|value| last(value))));
        for (of, cell) in table.by.iter().zip(row) {
            let known = |value: &&String| {
                ["any", NONE].contains(&value.as_str())
                    || slots.iter().any(|slot| slot.name == *of && slot.values.contains(value))
            };
            if let Some(value) = cell.0.iter().find(|value| !known(value)) {
                wrong.push(format!("`{value}` is not a value of the slot `.{of}`"));
            }
        }
    }
    wrong
}

/// The error that a word is not one of these.
fn unknown<'k>(
    sources: &Sources<'_>,
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
    Some(sources.file.at(word, format!("`{}` is {is}", word.value)).help(help))
}
