//! Questions of the conclusion that are asked as tasks, so that they are shared among shards: the answers are in the ledger when
//! the conclusion asks.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::first_answers::FirstAnswers;
use super::results::Results;
use super::tasks::{PlannedTask, TaskKeeper, TaskResult, WatchedEngine};
use crate::case::InternalError;
use crate::engine::LineJudge;
use crate::ledger::{TaskCounts, TaskKind};

/// A part of what the conclusion asks.
pub struct Preparation<'a> {
    /// The engine that is asked.
    pub judge: &'a dyn LineJudge,
    /// The kind of the task.
    pub kind: TaskKind,
    /// The question in a few words that no other part of this kind has.
    pub words: String,
    /// How many cases it has, or more.
    pub size: u64,
    /// Asks, and keeps the answers in the ledger. Returns how many cases were asked about.
    pub ask: Box<dyn Fn() -> Result<u64, InternalError> + Send + Sync + 'a>,
}

/// The result of a task whose answers are in the ledger.
#[derive(Serialize, Deserialize)]
struct AskedCases(u64);

impl TaskResult for AskedCases {
    fn counts(&self) -> TaskCounts {
        // The conclusion compares.
        TaskCounts { cases: self.0, ..TaskCounts::default() }
    }
}

/// Asks beforehand what the conclusion asks. An engine that was given up is not asked.
pub(super) fn ask(preparations: &[Preparation<'_>], work: &TaskKeeper<'_>, results: &mut Results) {
    let given_up = |id: &str| results.engines.iter().any(|of| of.name == id && of.gave_up.is_some());
    let asked = preparations.iter().filter(|of| !given_up(of.judge.id().as_str()));
    let planned: Vec<(&Preparation<'_>, PlannedTask)> =
        asked.map(|of| (of, work.plan(of.judge, of.kind, of.size, || of.words.clone(), || of.words.clone()))).collect();
    let health = FirstAnswers::default();
    let ask = |(of, task): (&Preparation<'_>, PlannedTask)| {
        let watched = WatchedEngine { engine: of.judge, judge: Some(of.judge), health: &health };
        let ask = || InternalError::caught(|| (of.ask)()).map(AskedCases);
        work.result(&task, watched, ask).and_then(Result::err)
    };
    let errors: Vec<InternalError> = planned.into_par_iter().filter_map(ask).collect();
    results.internal_errors.extend(errors.into_iter().map(|error| error.to_string()));
}
