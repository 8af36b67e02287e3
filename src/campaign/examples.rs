//! The manual's own examples, asked of an engine.

use rayon::prelude::*;

use super::main_environment::newest;
use super::options::Subject;
use super::tasks::{PlannedTask, TaskKeeper, TaskResult, WatchedEngine};
use crate::case::{self, InternalError};
use crate::divergences::{Divergences, Does, EngineVersion};
use crate::engine::{Batch, Depth, LineJudge, Outcome};
use crate::environment::Environment;
use crate::judge::{Judge, Reading, needs, needs_in_words};
use crate::ledger::{TaskCounts, TaskKind};
use crate::must::Must as _;
use crate::ptx::{Declarations, Line, Scaffold, uncommented};
use crate::spec::{Example, Instruction, Spec, Verdict};

/// The answer of an engine to an example of the manual, asked about it alone.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct AskedExample {
    /// The instruction of whose page it is.
    pub instruction: String,
    /// Its position among the examples of that instruction.
    pub at: usize,
    /// The engine's answer.
    pub outcome: Outcome,
    /// How that compares with the specification.
    pub agreement: Agreement,
    /// The divergences that list it, or that it contradicts.
    pub divergences: Vec<String>,
}

impl AskedExample {
    /// Its instruction, and its position there.
    pub(crate) fn key(&self) -> (String, usize) {
        (self.instruction.clone(), self.at)
    }

    /// It, if the specification has it.
    fn of<'s>(&self, spec: &'s Spec) -> Option<(&'s Instruction, &'s Example)> {
        let page = spec.instructions.iter().find(|of| of.name == self.instruction)?;
        Some((page, page.examples.get(self.at)?))
    }

    /// Its line.
    pub(crate) fn line<'s>(&self, spec: &'s Spec) -> &'s str {
        self.of(spec).map_or("", |(_, example)| example.line.trim())
    }

    /// Takes the answer back: the engine gave another one when it was asked again.
    pub(super) fn set_aside(&mut self) {
        self.outcome = Outcome::Skipped("gave another answer when it was asked again".to_owned());
        self.agreement = Agreement::NotCompared;
        self.divergences.clear();
    }
}

impl TaskResult for Vec<AskedExample> {
    fn counts(&self) -> TaskCounts {
        TaskCounts { cases: self.len() as u64, ..TaskCounts::default() }
    }
}

/// How an answer compares with what the specification says of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// The engine did what the specification says.
    AsSpecified,
    /// It did otherwise, as a divergence lists.
    AsListed,
    /// It did otherwise, and nothing lists that.
    Unexpected,
    /// The line has an instruction without a specification, or something that the specification cannot say yet; or it is
    /// undefined, or was not asked about.
    NotCompared,
}

/// The answer of an engine to each example, in the newest environment that it accepts.
///
/// # Errors
/// If the engine gives no outcome for an example.
pub(super) fn examples(
    spec: &Spec,
    divergences: &Divergences,
    instructions: &[&Instruction],
    subject: &Subject<'_>,
    (work, watched): (&TaskKeeper<'_>, WatchedEngine<'_>),
) -> Result<Vec<AskedExample>, InternalError> {
    let (Some(newest), Some(judge)) = (newest(spec, subject), subject.judge) else { return Ok(Vec::new()) };
    let asker = ExampleAsker { spec, divergences, newest, judge, version: EngineVersion::of(judge.id()) };
    let all: Vec<(&Instruction, usize, &Example)> = instructions
        .iter()
        .flat_map(|instruction| {
            instruction.examples.iter().enumerate().map(move |(at, example)| (*instruction, at, example))
        })
        .collect();
    let task = |some: &[(&Instruction, usize, &Example)]| {
        let words = || some.first().map_or_else(String::new, |(page, ..)| format!("from {}", page.name));
        let what = || {
            let line = |(page, at, _): &(&Instruction, usize, &Example)| format!("{} {at}", page.name);
            format!("{newest}\n{}", some.iter().map(line).collect::<Vec<_>>().join("\n"))
        };
        work.plan(watched.engine, TaskKind::Examples, some.len() as u64, words, what)
    };
    let tasks: Vec<PlannedTask> = all.chunks(TOGETHER).map(task).collect();
    let asked = all.par_chunks(TOGETHER).zip(&tasks);
    let asked: Vec<Option<Result<Vec<AskedExample>, InternalError>>> =
        asked.map(|(some, task)| work.result(task, watched, || asker.ask(some))).collect();
    let asked: Vec<Vec<AskedExample>> = asked.into_iter().flatten().collect::<Result<_, InternalError>>()?;
    Ok(asked.into_iter().flatten().collect())
}

/// The answered examples to which the engine gives another answer when it is asked again.
///
/// # Errors
/// If the engine gives no outcome for an example.
pub(crate) fn wavering<'e>(
    spec: &Spec,
    divergences: &Divergences,
    subject: &Subject<'_>,
    answered: &[&'e AskedExample],
) -> Result<Vec<&'e AskedExample>, InternalError> {
    let (Some(newest), Some(judge)) = (newest(spec, subject), subject.judge) else { return Ok(Vec::new()) };
    let asker = ExampleAsker { spec, divergences, newest, judge, version: EngineVersion::of(judge.id()) };
    let mut wavering = Vec::new();
    for before in answered {
        let Some((page, example)) = before.of(spec) else { continue };
        let after = asker.ask(&[(page, before.at, example)])?;
        wavering.extend(after.iter().any(|after| after.agreement != before.agreement).then_some(*before));
    }
    Ok(wavering)
}

/// Examples that an engine is asked about together.
const TOGETHER: usize = 64;

/// An example, and what the specification says of it.
struct PlannedExample<'a> {
    example: &'a Example,
    /// Its line without comments.
    line: String,
    environment: Environment,
    /// Its instruction and its reading; none if it has an instruction without a specification.
    read: Option<(&'a Instruction, Reading)>,
    /// Its need that the environment does not meet: then it is not asked about.
    needs: Option<String>,
}

impl PlannedExample<'_> {
    /// The question about it.
    fn batch(&self) -> Option<Batch<'_>> {
        let scaffold = Scaffold::from_declarations(&self.example.declarations);
        let mostly_invalid = self.example.spec != Verdict::Valid;
        let lines = vec![self.line.trim()];
        self.needs.is_none().then_some(Batch { environment: self.environment, scaffold, lines, mostly_invalid })
    }
}

struct ExampleAsker<'a> {
    spec: &'a Spec,
    divergences: &'a Divergences,
    /// The newest environment of the engine.
    newest: Environment,
    judge: &'a dyn LineJudge,
    version: Option<EngineVersion>,
}

impl<'a> ExampleAsker<'a> {
    /// Asks about examples, each with its page and its position there.
    fn ask(&self, examples: &[(&Instruction, usize, &Example)]) -> Result<Vec<AskedExample>, InternalError> {
        let planned: Vec<PlannedExample<'_>> = examples.iter().map(|(.., example)| self.plan(example)).collect();
        let batches: Vec<Batch<'_>> = planned.iter().filter_map(PlannedExample::batch).collect();
        let mut outcomes = case::outcomes_of_all(self.judge, &batches, Depth::Check)?.into_iter().flatten();
        let asked = examples.iter().zip(&planned).map(|((page, at, example), planned)| {
            let outcome = match &planned.needs {
                Some(needs) => Outcome::Skipped(needs.clone()),
                None => outcomes.next().must("each batch has one line"),
            };
            let read = planned.read.as_ref().filter(|_| !example.gap);
            let (agreement, divergences) = match (read, Does::of(&outcome)) {
                (Some((instruction, reading)), Some(did)) => self.compare(instruction, reading, did),
                _ => (Agreement::NotCompared, Vec::new()),
            };
            AskedExample { instruction: page.name.clone(), at: *at, outcome, agreement, divergences }
        });
        Ok(asked.collect())
    }

    fn plan<'e>(&self, example: &'e Example) -> PlannedExample<'e>
    where
        'a: 'e,
    {
        let environment = Environment { target: example.target.unwrap_or(self.newest.target), ..self.newest };
        let read = self.read(example, &environment);
        let valid = read.as_ref().filter(|_| example.spec == Verdict::Valid);
        let needs = valid.and_then(|(instruction, reading)| self.needed(instruction, reading));
        PlannedExample { example, line: uncommented(&example.line), environment, read, needs }
    }

    /// How an example reads; none if it has an instruction without a specification.
    fn read(&self, example: &Example, environment: &Environment) -> Option<(&'a Instruction, Reading)> {
        let declarations = Declarations::parse(&example.declarations, &self.spec.isa).ok()?;
        let line = Line::parse(&example.line).ok()?;
        Judge::new(self.spec, environment).ok()?.read(&line, &declarations)
    }

    /// The requirement of a line, valid somewhere, that the environment does not meet.
    fn needed(&self, instruction: &Instruction, reading: &Reading) -> Option<String> {
        if reading.valid() {
            return None;
        }
        match needs(&self.spec.isa, &instruction.forms[reading.form], reading).as_slice() {
            [] => Some("is valid in no environment".to_owned()),
            needs => Some(format!("needs {}", needs_in_words(needs))),
        }
    }

    fn compare(&self, instruction: &Instruction, reading: &Reading, did: Does) -> (Agreement, Vec<String>) {
        if reading.valid() && reading.undefined(instruction).next().is_some() && did != Does::Crashes {
            return (Agreement::NotCompared, Vec::new());
        }
        let version = self.version.as_ref();
        let compared = self.divergences.compare(version, instruction, reading, Depth::Check, did);
        let deciding = self.divergences.deciding(version, instruction, reading, Depth::Check, &compared);
        let agreement = match (compared.as_expected, did == compared.claimed) {
            (true, true) => Agreement::AsSpecified,
            (true, false) => Agreement::AsListed,
            (false, _) => Agreement::Unexpected,
        };
        (agreement, deciding.into_iter().map(str::to_owned).collect())
    }
}
