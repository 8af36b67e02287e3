//! Words in slots: each slot of each form is tried with each modifier that PTX has anywhere, and with each
//! modifier-like word that the engine knows.
//!
//! The spaces know the modifiers of the slot's own families; this asks about all others. A word takes the
//! slot's place in the simplest valid variant that has one there, and is put there into the simplest
//! variant of all. The verdict comes from the text, as always: most such lines break `unknown-modifier`,
//! some are valid lines of another form. What an engine does otherwise, and no divergence lists, is a
//! mismatch like others: of a variant if the specification knows the word, and otherwise of a line with its
//! word.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::costly::CostlyLines;
use super::options::Subject;
use super::plan::FormPlan;
use super::tally::{GroupKey, Mismatch, Sample, Tally, WordLine};
use super::tasks::{PlannedTask, TaskKeeper, TaskResult, WatchedEngine};
use crate::case::{self, Behavior, Case, CaseResult, Expected, InternalError, first_message};
use crate::divergences::{Divergences, Does, EngineVersion};
use crate::engine::{Batch, Depth, LineJudge, Outcome};
use crate::environment::Environment;
use crate::judge::{Judge, Reading};
use crate::ledger::{TaskCounts, TaskKind};
use crate::must::Must as _;
use crate::ptx::{Declarations, Item, Line, Printer, Scaffold, Setting, scaffold};
use crate::space::{Diagram, Slice, Values, environment_values};
use crate::spec::{Cube, Form, Instruction, Spec, UNREAD, ValueSet, is_modifier};

/// The results of trying words.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TriedWords {
    /// How many words were tried.
    pub words: usize,
    /// Lines that the engine judged.
    pub lines: u64,
    /// Lines on which it agreed with the specification.
    pub agreed: u64,
    /// Lines on which it differed as a divergence lists.
    pub listed: u64,
    /// Lines that the engine judged otherwise, and no divergence lists: they are among the mismatches.
    pub unlisted: u64,
    /// Lines whose behaviour the manual leaves undefined: either outcome is right.
    pub undefined: u64,
    /// Lines that it did not judge.
    pub skipped: u64,
}

impl TriedWords {
    /// Adds what other lines with the same words showed.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.lines += other.lines;
        self.agreed += other.agreed;
        self.listed += other.listed;
        self.unlisted += other.unlisted;
        self.undefined += other.undefined;
        self.skipped += other.skipped;
    }
}

/// Instructions whose lines are made at once: those of all take half a gigabyte.
const PLANNED: usize = 24;

/// A line with a word in a slot.
struct Try {
    form: usize,
    slot: usize,
    word: usize,
    line: String,
}

/// Lines of one instruction that can share a module.
struct WordModule<'a> {
    instruction: &'a Instruction,
    environment: Environment,
    setting: Setting<'a>,
    items: FxHashSet<Item<'a>>,
    tries: Vec<Try>,
}

/// Words that are tried in slots.
pub(super) struct WordProbe<'a> {
    pub(super) spec: &'a Spec,
    pub(super) divergences: &'a Divergences,
    pub(super) instructions: &'a [&'a Instruction],
    pub(super) forms: &'a [FormPlan],
    /// Lines per batch.
    pub(super) batch: usize,
}

/// The results of lines with words.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct TriedLines {
    pub(super) words: TriedWords,
    pub(super) tally: Tally,
}

impl TaskResult for TriedLines {
    fn counts(&self) -> TaskCounts {
        TaskCounts { cases: self.words.lines, ..self.tally.counts() }
    }
}

impl WordProbe<'_> {
    /// Tries each word in each slot of the instructions, in the main environment of each form.
    ///
    /// # Errors
    /// If a generated text cannot be read.
    pub(super) fn ask(
        &self,
        subject: &Subject<'_>,
        work: &TaskKeeper<'_>,
        watched: WatchedEngine<'_>,
    ) -> Result<TriedLines, InternalError> {
        let words = words(self.spec, subject);
        let mut tried = TriedLines::default();
        tried.words.words = words.len();
        let Some(judge) = subject.judge else { return Ok(tried) };
        let asker = WordAsker { spec: self.spec, divergences: self.divergences, judge };
        for instructions in self.instructions.chunks(PLANNED).take_while(|_| !work.is_stopped()) {
            for found in self.ask_about(instructions, &asker, &words, work, watched) {
                let TriedLines { words, tally } = found?;
                tried.words.merge(&words);
                tried.tally.merge(tally);
            }
        }
        Ok(tried)
    }

    /// The results of some instructions, in the order of their tasks.
    fn ask_about(
        &self,
        instructions: &[&Instruction],
        asker: &WordAsker<'_>,
        words: &[String],
        work: &TaskKeeper<'_>,
        watched: WatchedEngine<'_>,
    ) -> Vec<Result<TriedLines, InternalError>> {
        let main = |form: &Form| self.forms.iter().find(|plan| plan.form == form.id).map(|plan| plan.main);
        let modules: Vec<WordModule<'_>> =
            instructions.par_iter().flat_map(|instruction| modules(instruction, main, words)).collect();
        let parts = modules.iter().flat_map(|of| of.tries.chunks(self.batch).map(move |tries| (of, tries)));
        let task = |(module, tries): (&'_ WordModule<'_>, &'_ [Try])| {
            let WordModule { instruction, environment, .. } = module;
            let words = || format!("{} in {environment}", instruction.name);
            let lines = || tries.iter().map(|tried| tried.line.as_str()).collect::<Vec<_>>().join("\n");
            let what = || format!("{} {environment}\n{}", instruction.name, lines());
            work.plan(asker.judge, TaskKind::Words, tries.len() as u64, words, what)
        };
        let tasks: Vec<(PlannedTask, &WordModule<'_>, &[Try])> =
            parts.map(|(module, tries)| (task((module, tries)), module, tries)).collect();
        let ask = |(task, module, tries): &(PlannedTask, &WordModule<'_>, &[Try])| {
            work.result(task, watched, || asker.ask(module, tries, words))
        };
        let asked: Vec<Option<Result<TriedLines, InternalError>>> = tasks.par_iter().map(ask).collect();
        asked.into_iter().flatten().collect()
    }
}

/// The words of the manual and of the engine, each once.
fn words(spec: &Spec, subject: &Subject<'_>) -> Vec<String> {
    let own = subject.judge.map(|judge| judge.words()).unwrap_or_default().into_iter().filter(|word| is_modifier(word));
    let all: BTreeSet<String> = spec.vocabulary.iter().cloned().chain(own).collect();
    all.into_iter().collect()
}

/// The lines of an instruction, each once.
fn modules<'a>(
    instruction: &'a Instruction,
    main: impl Fn(&Form) -> Option<Environment>,
    words: &[String],
) -> Vec<WordModule<'a>> {
    let mut seen = FxHashSet::default();
    let mut modules: BTreeMap<(Environment, Setting<'a>), WordModule<'a>> = BTreeMap::new();
    // The words of a directive are not modifiers.
    let forms = instruction.forms.iter().enumerate().filter(|(_, form)| form.template.is_none());
    for (at, form) in forms {
        let Some(environment) = main(form) else { continue };
        let Some(choices) = environment_values(form, &environment) else { continue };
        let space = Diagram::within(form, None, &choices);
        let printer = Printer::new(form);
        for slot in 0..form.slots.len() {
            for values in bases(form, &space, slot) {
                let setting = printer.setting(&values);
                let (items, tries) = (FxHashSet::default(), Vec::new());
                let empty = || WordModule { instruction, environment, setting, items, tries };
                let module = modules.entry((environment, setting)).or_insert_with(empty);
                let mut line = String::new();
                printer.line(&values, &mut line, |item| {
                    module.items.insert(item);
                });
                let known = &form.axes[form.slots[slot].axis].values;
                let unknown = |word: &String| !known.contains(word) && !instruction.is_elsewhere(word);
                for (word, text) in words.iter().enumerate().filter(|(_, word)| unknown(word)) {
                    let Some(line) = with_word(form, &values, slot, &line, text) else { continue };
                    if seen.insert((environment, setting, line.clone())) {
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

/// The line of a variant with a word in a slot, replacing its value.
fn with_word(form: &Form, values: &[u8], slot: usize, line: &str, word: &str) -> Option<String> {
    let (_, operands) = line.split_once(' ')?;
    let mut text = String::with_capacity(line.len() + word.len());
    text.push_str(form.opcode());
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
}

impl WordAsker<'_> {
    fn ask(&self, module: &WordModule<'_>, tries: &[Try], words: &[String]) -> Result<TriedLines, InternalError> {
        let scaffold = Arc::new(scaffold(module.items.iter().copied(), module.setting));
        let declarations = Declarations::parse(&scaffold.declarations(), &self.spec.isa)
            .map_err(|error| InternalError(format!("generated declarations cannot be read: {error}")))?;
        let judge = Judge::new(self.spec, &module.environment).map_err(|error| InternalError(error.to_string()))?;
        let read = |line: &Try| -> Result<Reading, InternalError> {
            let parsed = Line::parse(&line.line).map_err(|error| InternalError(format!("{}: {error}", line.line)))?;
            Ok(judge.read_as(module.instruction, &parsed, &declarations))
        };
        let readings: Vec<Reading> = tries.iter().map(read).collect::<Result<_, _>>()?;
        let mut counts = TriedWords::default();
        let mut tally = Tally::default();
        let outcomes = self.outcomes(module, &scaffold, tries, &readings, &mut tally)?;
        for ((tried, reading), outcome) in tries.iter().zip(readings).zip(outcomes) {
            let message = first_message(&outcome);
            let result =
                CaseResult { expected: Expected::Verdict(reading), behavior: Behavior::Judged(outcome), row: None };
            let mismatch = self.compare(module.instruction, &result, &mut counts, &mut tally);
            let Some(mismatch) = mismatch else { continue };
            let Expected::Verdict(reading) = result.expected else { continue };
            let form = &module.instruction.forms[tried.form];
            let line = WordLine {
                word: words[tried.word].clone(),
                slot: format!("{} {}", form.id, form.axes[form.slots[tried.slot].axis].name),
                line: tried.line.clone(),
                scaffold: Arc::clone(&scaffold),
                environment: module.environment,
                reading,
                message,
            };
            self.note(module.instruction, mismatch, line, &mut tally);
        }
        Ok(TriedLines { words: counts, tally })
    }

    /// The answers to the lines. Lines that a divergence lists as killing the engine are asked about alone, and only a few.
    fn outcomes(
        &self,
        module: &WordModule<'_>,
        scaffold: &Scaffold,
        tries: &[Try],
        readings: &[Reading],
        tally: &mut Tally,
    ) -> Result<Vec<Outcome>, InternalError> {
        let judge = |lines: Vec<&str>| {
            let (environment, scaffold) = (module.environment, scaffold.clone());
            let batch = Batch { environment, scaffold, lines, mostly_invalid: true };
            case::outcomes(self.judge, &batch, Depth::Check)
        };
        let version = EngineVersion::of(self.judge.id());
        let killed_by = |reading: &Reading| {
            let (engine, instruction) = (version.as_ref()?, module.instruction);
            let expected = self.divergences.expect(engine, instruction, reading);
            let always = expected.divergence.filter(|_| expected.outcome == Does::Crashes);
            always.or_else(|| self.divergences.sometimes(engine, instruction, reading, Depth::Check, Does::Crashes))
        };
        let killed: Vec<Option<&str>> = readings.iter().map(killed_by).collect();
        let together =
            tries.iter().zip(&killed).filter(|(_, killed)| killed.is_none()).map(|(one, _)| one.line.as_str());
        let mut together = judge(together.collect())?.into_iter();
        let mut costly = CostlyLines::default();
        let mut outcomes = Vec::with_capacity(tries.len());
        for (tried, killed) in tries.iter().zip(killed) {
            let outcome = match killed.map(|id| costly.admit(id, tally)) {
                None => together.next(),
                Some(Ok(())) => judge(vec![&tried.line])?.pop(),
                Some(Err(reason)) => Some(Outcome::Skipped(reason)),
            };
            outcomes.push(outcome.must("each line was asked about, together or alone"));
        }
        Ok(outcomes)
    }

    /// Counts an outcome, and returns it if it is unexpected.
    fn compare(
        &self,
        instruction: &Instruction,
        result: &CaseResult,
        counts: &mut TriedWords,
        tally: &mut Tally,
    ) -> Option<Mismatch> {
        let (reading, outcome) = (result.reading()?, result.outcome()?);
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
        for id in self.divergences.deciding(version.as_ref(), instruction, reading, Depth::Check, &compared) {
            tally.listed.entry(id.to_owned()).or_default().note(compared.as_expected);
        }
        match (compared.as_expected, did == compared.claimed) {
            (true, true) => counts.agreed += 1,
            (true, false) => counts.listed += 1,
            (false, _) => {
                counts.unlisted += 1;
                return Some(Mismatch {
                    does: did,
                    rules: reading.rules(instruction).map(|rule| rule.id.clone()).collect(),
                    depth: Depth::Check,
                    message: result.message(),
                    divergence: compared.divergence.map(str::to_owned),
                    listed: false,
                });
            }
        }
        None
    }

    /// Records a mismatch: of a variant if the specification knows the word, and otherwise of the line.
    fn note(&self, instruction: &Instruction, mismatch: Mismatch, line: WordLine, tally: &mut Tally) {
        let (does, form) = (mismatch.does, line.reading.form);
        let case = Case { instruction, form, values: &line.reading.values };
        let values = if is_variant(&case, &line.line) { line.reading.values.clone() } else { Values::new() };
        let module = line.scaffold.module(&line.environment, "k", &[&line.line]).0;
        let sample = Sample {
            line: line.line.clone(),
            environment: line.environment,
            message: line.message.clone(),
            command: case::command(self.judge, &module, &line.environment, Depth::Check),
            module,
            values,
        };
        let form = instruction.forms[form].id.clone();
        let group = tally.groups.entry(GroupKey { instruction: instruction.name.clone(), form, mismatch }).or_default();
        group.count += 1;
        match sample.values.is_empty() {
            true => group.keep_word(line),
            false => group.keep(sample.values.clone(), does),
        }
        group.offer(sample);
    }
}

/// True if a line is a variant of the specification: printed, its choices have the same modifiers.
fn is_variant(case: &Case<'_>, line: &str) -> bool {
    if case.values.contains(&UNREAD) {
        return false;
    }
    let modifiers = |line: &str| {
        let head = line.split(' ').find(|part| !part.starts_with('@')).unwrap_or_default().to_owned();
        let mut words: Vec<String> = head.split('.').map(str::to_owned).collect();
        words.sort();
        words
    };
    modifiers(&case.line()) == modifiers(line)
}
