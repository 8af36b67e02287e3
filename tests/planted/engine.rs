//! The stand-in engine of tests: it judges and executes as closures say.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::sync::atomic::{AtomicU64, Ordering};

use ptx_conform::divergences::Does;
use ptx_conform::engine::{Batch, BatchReader, CaseExecutor, Depth, Engine, EngineId, LineJudge, Outcome};
use ptx_conform::environment::Environment;
use ptx_conform::judge::Reading;
use ptx_conform::line_case::{Answer, LineCase};
use ptx_conform::spec::{Instruction, Spec};

type JudgeLines<'a> = Box<dyn Fn(&Batch<'_>) -> Vec<Outcome> + Sync + 'a>;
type ExecuteCase<'a> = Box<dyn Fn(&LineCase) -> Vec<Answer> + Sync + 'a>;

/// An engine that does what closures say.
pub(crate) struct StandIn<'a> {
    id: EngineId,
    judge: Option<JudgeLines<'a>>,
    execute: Option<ExecuteCase<'a>>,
    words: Vec<String>,
    command: Option<String>,
    traps_cost: bool,
    /// Lines and rows that it was asked about.
    asked: AtomicU64,
}

impl<'a> StandIn<'a> {
    /// An engine that can do nothing yet.
    pub(crate) fn new(id: &str) -> Self {
        let id = id.parse().expect("an id");
        let asked = AtomicU64::new(0);
        Self { id, judge: None, execute: None, words: Vec::new(), command: None, traps_cost: false, asked }
    }

    /// Makes it judge lines with a closure, which gets the line, the specification's reading and the correct outcome.
    pub(crate) fn judging(
        self,
        spec: &'a Spec,
        judge: impl Fn(&str, Option<(&Instruction, &Reading)>, Outcome) -> Outcome + Sync + 'a,
    ) -> Self {
        let judge = move |batch: &Batch<'_>| {
            let reader = BatchReader::new(spec, batch).expect("a batch that can be read");
            let outcome = |text: &&str| {
                let read = reader.read(text).ok();
                let read = read.as_ref().map(|(instruction, reading)| (*instruction, reading));
                let valid = read.is_some_and(|(_, reading)| reading.valid());
                let right = if valid { Outcome::Accepted } else { Outcome::Rejected("invalid".to_owned()) };
                judge(text, read, right)
            };
            batch.lines.iter().map(outcome).collect()
        };
        Self { judge: Some(Box::new(judge)), ..self }
    }

    /// Makes it execute cases with a closure.
    pub(crate) fn executing(self, execute: impl Fn(&LineCase) -> Vec<Answer> + Sync + 'a) -> Self {
        Self { execute: Some(Box::new(execute)), ..self }
    }

    /// Makes each of its traps cost a process.
    pub(crate) fn paying_for_traps(self) -> Self {
        Self { traps_cost: true, ..self }
    }

    /// Gives it these words.
    pub(crate) fn knowing(self, words: &[&str]) -> Self {
        Self { words: words.iter().map(|&word| word.to_owned()).collect(), ..self }
    }

    /// Gives it the command that shows what it does with a module.
    pub(crate) fn shown_by(self, command: &str) -> Self {
        Self { command: Some(command.to_owned()), ..self }
    }

    /// How many lines and rows it was asked about.
    pub(crate) fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }
}

/// The outcome of a line for an engine that does this with it.
pub(crate) fn outcome(does: Does, message: &str) -> Outcome {
    match does {
        // A divergence of execution does not change verdicts.
        Does::Accepts | Does::Computes => Outcome::Accepted,
        Does::Rejects => Outcome::Rejected(message.to_owned()),
        Does::Crashes => Outcome::Crashed("signal 11".to_owned()),
    }
}

impl Engine for StandIn<'_> {
    fn id(&self) -> &EngineId {
        &self.id
    }

    fn as_judge(&self) -> Option<&dyn LineJudge> {
        self.judge.is_some().then_some(self)
    }

    fn as_executor(&self) -> Option<&dyn CaseExecutor> {
        self.execute.is_some().then_some(self)
    }
}

impl LineJudge for StandIn<'_> {
    fn judge(&self, batch: &Batch<'_>, _: Depth) -> Vec<Outcome> {
        self.asked.fetch_add(batch.lines.len() as u64, Ordering::Relaxed);
        self.judge.as_ref().map(|judge| judge(batch)).unwrap_or_default()
    }

    fn command(&self, _: &Environment, _: Depth, _: bool) -> Option<String> {
        self.command.clone()
    }

    fn words(&self) -> Vec<String> {
        self.words.clone()
    }
}

impl CaseExecutor for StandIn<'_> {
    fn execute(&self, cases: &[LineCase]) -> Vec<Vec<Answer>> {
        let rows: usize = cases.iter().map(|case| case.rows.len()).sum();
        self.asked.fetch_add(rows as u64, Ordering::Relaxed);
        let Some(execute) = &self.execute else { return Vec::new() };
        cases.iter().map(execute).collect()
    }

    fn traps_cost(&self) -> bool {
        self.traps_cost
    }
}
