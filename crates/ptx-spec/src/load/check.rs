//! What is wrong with the file of an instruction, before any form is built: names, lines, and references to
//! nothing.

use std::path::Path;

use rustc_hash::FxHashSet;

use super::notation::Syntax;
use super::raw::RawForm;
use super::slots::claims;
use super::sources::Sources;
use crate::role::{self, OBJECT_KINDS, RawOperand, RoleName, SHAPES};
use crate::spec::SlotClaims;
use crate::spec::words::PSEUDO;
use crate::yaml::{At, Error, nearest};

/// The axes that are not slots.
const RESERVED: [&str; 6] = ["address_size", "target", "ptx", "guard", "context", "writing"];

/// What is wrong with the names of the instruction, its forms and its rules.
pub(super) fn names(sources: &Sources<'_>) -> Vec<Error> {
    let raw = sources.raw;
    let mut errors = Vec::new();
    let stem = Path::new(sources.file.name).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    if stem != raw.instruction.value {
        let message = format!("the file of `{}` must not be called `{stem}.yaml`", raw.instruction.value);
        errors.push(sources.file.at(&raw.instruction, message).help("name the file after the opcode"));
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
    errors
}

/// What is wrong with a syntax line: its opcode, its slots, and operands that are not described.
pub(super) fn form(sources: &Sources<'_>, form: &RawForm, syntax: &Syntax) -> Vec<Error> {
    let raw = sources.raw;
    let mut errors = Vec::new();
    if syntax.opcode != raw.instruction.value {
        errors.push(sources.file.at(&form.syntax, format!("this syntax line is for `{}`", syntax.opcode)));
    }
    if let Ok(slots) = claims(raw, form, syntax) {
        let mut seen = FxHashSet::default();
        for slot in slots.iter().filter(|slot| !seen.insert(&slot.name)) {
            errors.push(sources.file.at(&form.syntax, format!("the slot `.{}` appears twice", slot.name)));
        }
        for slot in slots.iter().filter(|slot| RESERVED.contains(&slot.name.as_str())) {
            let message = format!("a slot cannot be called `{}`: every form has an axis of that name", slot.name);
            errors.push(sources.file.at(&form.syntax, message).help("choose another name for the slot"));
        }
    }
    for (operand, _) in &syntax.operands {
        let mut described = form.operands.0.iter().chain(&raw.operands.0);
        if !described.any(|(name, _)| name.value == *operand) {
            let message = format!("the operand `{operand}` has no description");
            errors.push(sources.file.at(&form.syntax, message).help(format!("add `{operand}:` under `operands`")));
        }
    }
    errors
}

/// Errors for entries that no syntax line uses, and for dangling references.
pub(super) fn uses(sources: &Sources<'_>, syntaxes: &[(&RawForm, Syntax)]) -> Vec<Error> {
    let raw = sources.raw;
    let mut errors = Vec::new();
    let lines: Vec<&str> = syntaxes.iter().map(|(form, _)| form.syntax.value.as_str()).collect();
    let claimed = syntaxes.iter().filter_map(|(form, syntax)| claims(raw, form, syntax).ok());
    let slots: Vec<SlotClaims> = claimed.flatten().collect();
    for (name, _) in &raw.modifiers.0 {
        if !slots.iter().any(|slot| slot.name == name.value) {
            let message = format!("no syntax line has a slot `.{}`", name.value);
            errors.push(sources.file.at(name, message).help(format!("the syntax lines are: {}", lines.join(" "))));
        }
    }
    for (name, described) in raw.operands.0.iter().chain(syntaxes.iter().flat_map(|(form, _)| &form.operands.0)) {
        if !syntaxes.iter().any(|(_, syntax)| syntax.operands.iter().any(|(known, _)| *known == name.value)) {
            errors.push(sources.file.at(name, format!("no syntax line has an operand `{}`", name.value)));
        }
        errors.extend(operand(sources, name, described, &slots));
    }
    for list in raw.uses.iter().filter(|list| !sources.raw_isa.rules.0.iter().any(|(name, _)| name.value == list.value))
    {
        let known = sources.raw_isa.rules.0.iter().map(|(name, _)| name.value.as_str()).collect::<Vec<_>>().join(", ");
        let message = format!("`{}` is not a list of rules in {}", list.value, sources.isa_file.name);
        errors.push(sources.file.at(list, message).help(format!("the lists are: {known}")));
    }
    errors
}

/// What is wrong with the description of an operand.
fn operand(sources: &Sources<'_>, name: &At<String>, operand: &RawOperand, slots: &[SlotClaims]) -> Vec<Error> {
    let mut errors = Vec::new();
    let slots: Vec<&str> = slots.iter().map(|slot| slot.name.as_str()).collect();
    let known =
        |of: &At<String>| slots.contains(&of.value.as_str()) || sources.isa.instruction_type(&of.value).is_some();
    for of in operand.matches.iter().chain(&operand.lanes).chain(operand.size.first()).filter(|of| !known(of)) {
        let mut error = sources.file.at(of, format!("`{}` is neither a slot nor a type", of.value));
        if let Some(near) = nearest(&of.value, slots.iter().copied()) {
            error = error.help(format!("did you mean `{near}`?"));
        }
        errors.push(error);
    }
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
        let known = types().chain(PSEUDO).chain(OBJECT_KINDS);
        errors.extend(unknown(sources, value, "not something that an operand can be", known));
    }
    for shape in operand.shapes.iter().flatten() {
        errors.extend(unknown(sources, shape, "not a shape", SHAPES));
    }
    errors
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
