//! From the file of an instruction to the instruction.

use rustc_hash::{FxHashMap, FxHashSet};

use super::form::FormBuilder;
use super::notation::Syntax;
use super::raw::{RawExample, RawForm, RawNote};
use super::rules::MOST_CUBES;
use super::slots::claims;
use super::sources::{FormSource, ReadForm, Sources};
use super::{accuracy, check, rules, separate, setup};
use crate::spec::{Example, Form, Instruction, Note, SlotClaims, ValueSet};
use crate::yaml::Error;

/// The most modifier slots of a form: sets of them are the bits of a word.
const MOST_SLOTS: usize = 64;

/// Builds an instruction.
///
/// # Errors
/// All that is wrong with its file; what can be found only in a sound file is found once it is.
pub(super) fn build(sources: &Sources<'_>) -> Result<Instruction, Vec<Error>> {
    let read = read_forms(sources)?;
    let mut forms = forms(sources, &read)?;
    rules::add(sources, &mut forms)?;
    setup::add(sources, &mut forms)?;
    accuracy::add(sources, &mut forms)?;
    separate::separate(&mut forms);
    for (form, read) in forms.iter().zip(&read) {
        fits(sources, form, read.raw)?;
    }
    let mut instruction = instruction(sources, forms);
    instruction.index(sources.isa);
    Ok(instruction)
}

/// The forms as the file has them, once nothing is wrong with the names and references of the file.
fn read_forms<'a>(sources: &Sources<'a>) -> Result<Vec<ReadForm<'a>>, Vec<Error>> {
    let mut errors = check::names(sources);
    let mut read: Vec<ReadForm<'_>> = Vec::new();
    for raw in &sources.raw.forms {
        let described =
            |name: &str| raw.operands.0.iter().chain(&sources.raw.operands.0).any(|(of, _)| of.value == name);
        let syntax = Syntax::parse(&raw.syntax.value, &sources.raw.instruction.value, described);
        let with_slots = |syntax| Ok(ReadForm { raw, slots: claims(sources.raw, raw, &syntax)?, syntax });
        match syntax.and_then(with_slots) {
            Ok(form) => read.push(form),
            Err(why) => errors.push(sources.file.at(&raw.syntax, why)),
        }
    }
    errors.extend(read.iter().flat_map(|form| check::form(sources, form)));
    // Unused entries can only be found if all lines could be read.
    if !sources.raw.forms.is_empty() && read.len() == sources.raw.forms.len() {
        errors.extend(check::uses(sources, &read));
    }
    if errors.is_empty() { Ok(read) } else { Err(errors) }
}

/// The forms, without the rules of the YAML.
fn forms(sources: &Sources<'_>, read: &[ReadForm<'_>]) -> Result<Vec<Form>, Vec<Error>> {
    let mut forms: Vec<Form> = Vec::new();
    for (at, ReadForm { raw: form, syntax, slots }) in read.iter().enumerate() {
        let others = || read.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, form)| form);
        let other_lines: Vec<&Syntax> = others().map(|form| &form.syntax).collect();
        let others: Vec<&[SlotClaims]> = others().map(|form| form.slots.as_slice()).collect();
        let Sources { isa, raw_isa, raw: instruction, .. } = *sources;
        let (others, other_lines) = (&others, &other_lines);
        let source = FormSource { raw_isa, instruction, form, syntax, others, other_lines, earlier: at };
        forms.push(FormBuilder::new(isa, source, slots).build());
    }
    for (form, ReadForm { raw, .. }) in forms.iter().zip(read) {
        let mut seen = FxHashSet::default();
        if let Some(axis) = form.axes.iter().find(|axis| !seen.insert(&axis.name)) {
            let message = format!("two axes of this form are called `{}`", axis.name);
            return Err(vec![sources.file.at(&raw.syntax, message)]);
        }
    }
    Ok(forms)
}

/// Checks that a form can be held: its combinations, slots and values are limited.
pub(super) fn fits(sources: &Sources<'_>, form: &Form, raw: &RawForm) -> Result<(), Vec<Error>> {
    let cubes: usize = form.rules.iter().map(|rule| rule.forbids.len()).sum();
    // One value of the 256 stands for what could not be read.
    let wide = form.axes.iter().any(|axis| axis.values.len() > ValueSet::CAPACITY - 1);
    if cubes > MOST_CUBES || wide || form.slots.len() > MOST_SLOTS {
        let help = format!(
            "split it: at most {MOST_CUBES} forbidden combinations, {MOST_SLOTS} slots, and 255 values per axis"
        );
        let error = sources.file.at(&raw.syntax, "this form is too large");
        return Err(vec![error.help(help)]);
    }
    Ok(())
}

/// The instruction of these forms, before it is indexed.
fn instruction(sources: &Sources<'_>, forms: Vec<Form>) -> Instruction {
    let raw = sources.raw;
    let shared = raw.examples.declarations.trim();
    let example = |raw: &RawExample| Example {
        line: raw.line.value.clone(),
        declarations: declarations(raw, shared),
        spec: raw.spec,
        rules: raw.rules.iter().map(|rule| rule.value.clone()).collect(),
        why: raw.why.clone(),
        gap: raw.gap,
        target: raw.target,
    };
    let note =
        |raw: &RawNote| Note { section: raw.section.clone(), says: raw.says.clone(), because: raw.because.clone() };
    let sets = sources.raw_isa.sets.0.iter().chain(&raw.sets.0);
    let sets =
        sets.map(|(name, members)| (name.value.clone(), members.iter().map(|member| member.value.clone()).collect()));
    Instruction {
        sets: sets.collect(),
        name: raw.instruction.value.clone(),
        summary: raw.summary.clone(),
        manual: raw.manual.clone(),
        read: raw.read.value,
        forms,
        elsewhere: raw.elsewhere.iter().map(|word| word.value.clone()).collect(),
        notes: raw.notes.iter().map(note).collect(),
        examples: raw.examples.lines.iter().map(example).collect(),
        prefix: raw.instruction.value.split('.').skip(1).map(|word| format!(".{word}")).collect(),
        modifiers: FxHashMap::default(),
        joined: Vec::new(),
        patterns: Vec::new(),
    }
}

/// The declarations of an example, with those that all share.
fn declarations(raw: &RawExample, shared: &str) -> String {
    let mode = raw.mode.as_ref().map(|mode| format!(".target {mode}")).unwrap_or_default();
    // In a block of their own, so that they can hide shared ones.
    let block = if raw.declares.is_empty() || shared.is_empty() { "" } else { "{" };
    [mode.as_str(), raw.globals.as_str(), shared, block, &raw.declares].join("\n").trim().to_owned()
}
