//! Words in slots: each slot of each form is tried with each modifier that PTX has anywhere, and with each
//! modifier-like word that the engine knows.
//!
//! The spaces know the modifiers of the slot's own families; this asks about all others. A word takes the
//! slot's place in the simplest valid variant that has one there, and is put there into the simplest variant
//! of all. The verdict comes from the text, as always: most such lines break `unknown-modifier`, some are
//! valid lines of another form. What an engine does otherwise, and no divergence lists, is a finding that
//! names the word.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::Serialize;

use super::examples::newest;
use super::options::{Options, Subject};
use crate::case::{InternalError, first_message};
use crate::divergences::{Divergences, Does, EngineVersion};
use crate::engine::{Batch, Depth, LineJudge, Outcome};
use crate::environment::Environment;
use crate::judge::{Judge, Reading};
use crate::ptx::{Context, Declarations, Item, Line, Printer, scaffold};
use crate::space::{Diagram, Slice, Values, environment_values};
use crate::spec::{Cube, Form, Instruction, Spec, ValueSet, is_modifier};

/// What came of the words.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Probed {
    /// How many words were tried.
    pub words: usize,
    /// Lines that the engine judged.
    pub lines: u64,
    /// Those of them that it did as the specification says.
    pub agreed: u64,
    /// Those that it did otherwise, as a divergence lists.
    pub listed: u64,
    /// Lines whose behaviour the manual leaves undefined: either outcome is right.
    pub undefined: u64,
    /// Lines that it did not judge.
    pub skipped: u64,
    /// What no divergence lists.
    pub findings: Vec<WordFinding>,
}

/// Words with which an engine does what it should not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct WordFinding {
    /// The instruction.
    pub instruction: String,
    /// The words.
    pub words: Vec<String>,
    /// The slots that each of them was tried in: `ld.weak level::cache_hint`.
    pub slots: BTreeSet<String>,
    /// What the engine did.
    pub does: Does,
    /// What it was expected to do.
    pub claimed: Does,
    /// The first line.
    pub line: String,
    /// What the engine said of it.
    pub message: String,
    /// A module of that line.
    pub module: String,
}

/// A line with a word in a slot.
struct Try {
    form: usize,
    slot: usize,
    word: usize,
    line: String,
}

/// Lines of one instruction that can share a module.
struct Module<'a> {
    instruction: &'a Instruction,
    context: Context,
    items: FxHashSet<Item<'a>>,
    tries: Vec<Try>,
}

/// What an engine did with one line, where that is not what was expected.
struct WordMismatch {
    at: usize,
    does: Does,
    claimed: Does,
    message: String,
}

/// Tries each word in each slot of the instructions, in the newest environment of the engine.
///
/// # Errors
/// Where a text of ours cannot be read.
pub(super) fn probe(
    spec: &Spec,
    divergences: &Divergences,
    subject: &Subject<'_>,
    instructions: &[&Instruction],
    options: &Options,
) -> Result<Probed, InternalError> {
    let words = words(spec, subject);
    let mut probed = Probed { words: words.len(), ..Probed::default() };
    let environment = options.environment.or_else(|| newest(spec, subject));
    let (Some(environment), Some(judge)) = (environment, subject.judge) else { return Ok(probed) };
    let modules: Vec<Module<'_>> =
        instructions.par_iter().flat_map(|instruction| modules(instruction, &environment, &words)).collect();
    let asker = WordAsker { spec, divergences, judge, environment };
    let asked: Result<Vec<(Probed, Vec<WordFinding>)>, InternalError> = modules
        .par_iter()
        .flat_map(|module| module.tries.par_chunks(options.batch).map(move |tries| (module, tries)))
        .map(|(module, tries)| asker.ask(module, tries, &words))
        .collect();
    let mut found = Vec::new();
    for (counts, findings) in asked? {
        probed.lines += counts.lines;
        probed.agreed += counts.agreed;
        probed.listed += counts.listed;
        probed.undefined += counts.undefined;
        probed.skipped += counts.skipped;
        found.extend(findings);
    }
    probed.findings = grouped(found);
    Ok(probed)
}

/// The words of the manual and of the engine, each once.
fn words(spec: &Spec, subject: &Subject<'_>) -> Vec<String> {
    let own = subject.judge.map(|judge| judge.words()).unwrap_or_default().into_iter().filter(|word| is_modifier(word));
    let all: BTreeSet<String> = spec.vocabulary.iter().cloned().chain(own).collect();
    all.into_iter().collect()
}

/// The lines of an instruction, each once.
fn modules<'a>(instruction: &'a Instruction, environment: &Environment, words: &[String]) -> Vec<Module<'a>> {
    let mut seen = FxHashSet::default();
    let mut modules: BTreeMap<Context, Module<'a>> = BTreeMap::new();
    for (at, form) in instruction.forms.iter().enumerate() {
        let Some(choices) = environment_values(form, environment) else { continue };
        let space = Diagram::within(form, None, &choices);
        let printer = Printer::new(form);
        for slot in 0..form.slots.len() {
            for values in bases(form, &space, slot) {
                let context = printer.context(&values);
                let empty = || Module { instruction, context, items: FxHashSet::default(), tries: Vec::new() };
                let module = modules.entry(context).or_insert_with(empty);
                let mut line = String::new();
                printer.line(&values, &mut line, |item| {
                    module.items.insert(item);
                });
                let known = &form.axes[form.slots[slot].axis].values;
                for (word, text) in words
                    .iter()
                    .enumerate()
                    .filter(|(_, word)| !known.contains(word) && !instruction.elsewhere.contains(word))
                {
                    let Some(line) = with_word(form, &values, slot, &line, text) else { continue };
                    if seen.insert((context, line.clone())) {
                        module.tries.push(Try { form: at, slot, word, line });
                    }
                }
            }
        }
    }
    modules.into_values().collect()
}

/// The simplest valid variant, and the simplest one with something in the slot.
fn bases(form: &Form, space: &Diagram, slot: usize) -> Vec<Values> {
    let axis = form.slots[slot].axis;
    let of = &form.axes[axis];
    let filled = ValueSet::of(of.values.len(), |value| of.values[value] != "none").and(&of.claimed);
    let cubes = [Cube::default(), Cube::new([(axis, filled)])];
    let mut bases: Vec<Values> = cubes.iter().filter_map(|cube| Slice::new(&space.all(), cube).simplest()).collect();
    bases.dedup();
    bases
}

/// The line of a variant with a word in a slot, in place of what stands there.
fn with_word(form: &Form, values: &[u8], slot: usize, line: &str, word: &str) -> Option<String> {
    let (head, operands) = line.split_once(' ')?;
    let opcode = head.split('.').next()?;
    let mut text = String::with_capacity(line.len() + word.len());
    text.push_str(opcode);
    for (at, of) in form.slots.iter().enumerate() {
        let value = form.value(values, of.axis);
        match (at == slot, value) {
            (true, _) => text.push_str(word),
            (false, "none") => {}
            (false, value) => text.push_str(value),
        }
    }
    text.push(' ');
    text.push_str(operands);
    Some(text)
}

/// Asks an engine about lines.
struct WordAsker<'a> {
    spec: &'a Spec,
    divergences: &'a Divergences,
    judge: &'a dyn LineJudge,
    environment: Environment,
}

impl WordAsker<'_> {
    fn ask(
        &self,
        module: &Module<'_>,
        tries: &[Try],
        words: &[String],
    ) -> Result<(Probed, Vec<WordFinding>), InternalError> {
        let scaffold = scaffold(module.items.iter().copied(), module.context);
        let declarations = Declarations::parse(&scaffold.declarations(), &self.spec.isa)
            .map_err(|error| InternalError(format!("generated declarations cannot be read: {error}")))?;
        let judge = Judge::new(self.spec, &self.environment).map_err(|error| InternalError(error.to_string()))?;
        let read = |line: &Try| -> Result<Reading, InternalError> {
            let parsed = Line::parse(&line.line).map_err(|error| InternalError(format!("{}: {error}", line.line)))?;
            Ok(judge.read_as(module.instruction, &parsed, &declarations))
        };
        let readings: Vec<Reading> = tries.iter().map(read).collect::<Result<_, _>>()?;
        let lines = tries.iter().map(|one| one.line.as_str()).collect();
        let batch = Batch { environment: self.environment, scaffold: scaffold.clone(), lines };
        let outcomes = self.judge.judge(&batch, Depth::Check);
        let mut counts = Probed::default();
        let mut mismatches = Vec::new();
        for (at, (reading, outcome)) in readings.iter().zip(&outcomes).enumerate() {
            mismatches.extend(self.compare(module.instruction, reading, outcome, &mut counts, at));
        }
        let finding = |mismatch: WordMismatch| {
            let Try { form, slot, word, line } = &tries[mismatch.at];
            let form = &module.instruction.forms[*form];
            let slot = &form.axes[form.slots[*slot].axis].name;
            WordFinding {
                instruction: module.instruction.name.clone(),
                words: vec![words[*word].clone()],
                slots: BTreeSet::from([format!("{} {slot}", form.id)]),
                does: mismatch.does,
                claimed: mismatch.claimed,
                line: line.clone(),
                message: mismatch.message,
                module: scaffold.module(&self.environment, "k", &[line]).0,
            }
        };
        Ok((counts, mismatches.into_iter().map(finding).collect()))
    }

    /// Counts an outcome, and returns it where it is not as expected.
    fn compare(
        &self,
        instruction: &Instruction,
        reading: &Reading,
        outcome: &Outcome,
        counts: &mut Probed,
        at: usize,
    ) -> Option<WordMismatch> {
        let Some(did) = Does::of(outcome) else {
            counts.skipped += 1;
            return None;
        };
        counts.lines += 1;
        if reading.valid() && reading.undefined(instruction).next().is_some() && did != Does::Crashes {
            counts.undefined += 1;
            return None;
        }
        let version = EngineVersion::of(self.judge.id());
        let compared = self.divergences.compare(version.as_ref(), instruction, reading, Depth::Check, did);
        match (compared.as_expected, did == compared.claimed) {
            (true, true) => counts.agreed += 1,
            (true, false) => counts.listed += 1,
            (false, _) => {
                return Some(WordMismatch {
                    at,
                    does: did,
                    claimed: compared.claimed,
                    message: first_message(outcome),
                });
            }
        }
        None
    }
}

/// One finding for each set of words that an engine treats alike in the same slots.
fn grouped(found: Vec<WordFinding>) -> Vec<WordFinding> {
    let mut by_word: BTreeMap<(String, String, Does, Does), WordFinding> = BTreeMap::new();
    for finding in found {
        let key = (finding.instruction.clone(), finding.words.concat(), finding.does, finding.claimed);
        let known = by_word.entry(key).or_insert_with(|| finding.clone());
        known.slots.extend(finding.slots);
        if (finding.line.len(), &finding.line) < (known.line.len(), &known.line) {
            (known.line, known.message, known.module) = (finding.line, finding.message, finding.module);
        }
    }
    let mut by_slots: BTreeMap<(String, Does, Does, BTreeSet<String>), WordFinding> = BTreeMap::new();
    for finding in by_word.into_values() {
        let key = (finding.instruction.clone(), finding.does, finding.claimed, finding.slots.clone());
        match by_slots.entry(key) {
            std::collections::btree_map::Entry::Occupied(mut known) => known.get_mut().words.extend(finding.words),
            std::collections::btree_map::Entry::Vacant(free) => drop(free.insert(finding)),
        }
    }
    by_slots.into_values().collect()
}
