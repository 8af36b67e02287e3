//! The tasks of a run: which of them are ours, and where their results are kept.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::first_answers::FirstAnswers;
use super::options::{Progress, Shard};
use super::tally::Tally;
use crate::case::InternalError;
use crate::engine::{Engine, JointDeath, LineJudge};
use crate::ledger::{
    EngineRemark, Ledger, LedgerError, RemarkKind, TaskCosts, TaskCounts, TaskKind, TaskName, TaskRow,
};

/// The result of a task.
pub(super) trait TaskResult: Serialize + DeserializeOwned {
    /// The counts that a ledger shows of it.
    fn counts(&self) -> TaskCounts;
}

impl TaskResult for Tally {
    fn counts(&self) -> TaskCounts {
        let mut skipped = self.skipped.clone();
        self.skipped_rows.iter().for_each(|(why, count)| *skipped.entry(why.clone()).or_default() += count);
        TaskCounts { cases: self.cases() + self.judged_rows(), mismatches: self.unlisted(), skipped }
    }
}

impl<T: TaskResult> TaskResult for Result<T, InternalError> {
    fn counts(&self) -> TaskCounts {
        self.as_ref().map(TaskResult::counts).unwrap_or_default()
    }
}

/// Which tasks are asked that are not in the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// All tasks.
    Everything,
    /// The tasks of a shard.
    Shard(Shard),
    /// No task: the ledgers of this many parts are united.
    Nothing {
        /// The number of parts.
        parts: u64,
    },
}

/// A task of the plan.
pub(super) struct PlannedTask {
    /// Its name, if there is a ledger.
    name: Option<TaskName>,
    is_ours: bool,
}

/// An engine whose answers are the results of tasks.
#[derive(Clone, Copy)]
pub(super) struct WatchedEngine<'a> {
    pub(super) engine: &'a dyn Engine,
    pub(super) judge: Option<&'a dyn LineJudge>,
    pub(super) health: &'a FirstAnswers,
}

impl WatchedEngine<'_> {
    /// The losses and other faults of the engine so far. A task during which they grow is not done.
    fn faults(&self) -> (u64, usize, bool) {
        let lost = self.engine.losses().values().sum();
        (lost, self.engine.unexplained().len(), self.health.gave_up().is_some())
    }
}

/// The remarks of an engine so far.
pub(super) fn remarks(engine: &dyn Engine, judge: Option<&dyn LineJudge>) -> Vec<EngineRemark> {
    let name = engine.id().as_str();
    let notes = engine.notes();
    let deaths = judge.map(|judge| judge.joint_deaths()).unwrap_or_default();
    let notes = notes.iter().map(|note| EngineRemark::new(name, RemarkKind::Note, note));
    notes.chain(deaths.iter().map(|death| EngineRemark::new(name, RemarkKind::Death, death))).collect()
}

/// The tasks of a run, and where their results are kept.
pub(super) struct TaskKeeper<'a> {
    ledger: Option<&'a Ledger>,
    asks: Asks,
    costs: &'a TaskCosts,
    progress: &'a Progress,
    plan: Mutex<PlanState>,
}

#[derive(Default)]
struct PlanState {
    /// How many tasks were planned.
    tasks: u64,
    /// The cost of the tasks of each shard.
    shards: Vec<u64>,
    /// The first failure of the ledger.
    failed: Option<LedgerError>,
}

impl<'a> TaskKeeper<'a> {
    pub(super) fn new(ledger: Option<&'a Ledger>, asks: Asks, costs: &'a TaskCosts, progress: &'a Progress) -> Self {
        Self { ledger, asks, costs, progress, plan: Mutex::default() }
    }

    /// True if the run was stopped: the rest of the plan is not needed.
    pub(super) fn is_stopped(&self) -> bool {
        self.progress.stopped()
    }

    fn state(&self) -> MutexGuard<'_, PlanState> {
        // Sums stay sound even if a thread panicked.
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a task to the plan. All shards must add the same tasks in the same order: each goes to the shard that has the
    /// least to do. `words` names the task for readers, and `what` says all that it asks.
    pub(super) fn plan(
        &self,
        engine: &dyn Engine,
        kind: TaskKind,
        size: u64,
        words: impl FnOnce() -> String,
        what: impl FnOnce() -> String,
    ) -> PlannedTask {
        // A plan that is cut short has tasks that no other run has.
        if self.is_stopped() {
            return PlannedTask { name: None, is_ours: false };
        }
        self.progress.planned.fetch_add(1, Ordering::Relaxed);
        let engine = engine.id().as_str();
        let name = self.ledger.map(|_| TaskName::of(engine, kind, &what()));
        let (number, shard) = {
            let mut state = self.state();
            state.tasks += 1;
            (state.tasks, self.shard(&mut state, self.costs.of_task(name.as_ref(), engine, kind, size)))
        };
        let is_ours = match self.asks {
            Asks::Everything => true,
            Asks::Shard(ours) => ours.number == shard,
            Asks::Nothing { .. } => false,
        };
        let (Some(ledger), Some(name)) = (self.ledger, name) else { return PlannedTask { name: None, is_ours } };
        // Of a thousand parts, each has the tasks of a thousandth: they are united in no time.
        if is_ours || !matches!(self.asks, Asks::Shard(_)) {
            let row = TaskRow { name, number, shard, engine: engine.to_owned(), kind, what: words(), size };
            self.noted(ledger.plan(row));
        }
        PlannedTask { name: Some(name), is_ours }
    }

    /// The shard of the next task, which costs this much.
    fn shard(&self, state: &mut PlanState, cost: u64) -> u64 {
        let of = match self.asks {
            Asks::Everything => 1,
            Asks::Shard(Shard { of, .. }) | Asks::Nothing { parts: of } => of,
        };
        state.shards.resize(usize::try_from(of).unwrap_or(usize::MAX), 0);
        let least = state.shards.iter_mut().enumerate().min_by_key(|(at, cost)| (**cost, *at));
        match least {
            Some((at, sum)) => {
                *sum = sum.saturating_add(cost);
                at as u64 + 1
            }
            None => 1,
        }
    }

    /// The result of a task: from the ledger, or by asking, if it is ours. It is kept if the engine lost nothing while it was asked,
    /// and the run was not stopped.
    pub(super) fn result<T: TaskResult>(
        &self,
        task: &PlannedTask,
        watched: WatchedEngine<'_>,
        ask: impl FnOnce() -> T,
    ) -> Option<T> {
        let result = self.known(task).or_else(|| {
            if !task.is_ours || self.progress.is_ending() {
                return None;
            }
            let (faults, began) = (watched.faults(), Instant::now());
            let result = ask();
            if let (Some(ledger), Some(name)) = (self.ledger, &task.name)
                && watched.faults() == faults
                && !self.is_stopped()
            {
                let remarks = remarks(watched.engine, watched.judge);
                self.noted(ledger.keep(name, &result, &result.counts(), began.elapsed(), &remarks));
            }
            Some(result)
        })?;
        self.progress.done.fetch_add(1, Ordering::Relaxed);
        Some(result)
    }

    fn known<T: TaskResult>(&self, task: &PlannedTask) -> Option<T> {
        let known: Result<Option<T>, LedgerError> = self.ledger?.result(task.name.as_ref()?);
        let known = self.noted(known).flatten()?;
        self.progress.cases.fetch_add(known.counts().cases, Ordering::Relaxed);
        Some(known)
    }

    /// A result of the ledger. After its first failure nothing more is asked: it would be lost.
    fn noted<T>(&self, result: Result<T, LedgerError>) -> Option<T> {
        result
            .map_err(|why| {
                self.progress.stop.store(true, Ordering::Relaxed);
                self.state().failed.get_or_insert(why);
            })
            .ok()
    }

    /// The first failure of the ledger.
    pub(super) fn into_failure(self) -> Option<LedgerError> {
        self.plan.into_inner().unwrap_or_else(PoisonError::into_inner).failed
    }
}

/// The notes of an engine in this process and in those before it, each once.
///
/// # Errors
/// If the ledger cannot be read.
pub fn all_notes(engine: &dyn Engine, ledger: Option<&Ledger>) -> Result<BTreeSet<String>, LedgerError> {
    let mut notes: BTreeSet<String> = engine.notes().into_iter().collect();
    if let Some(ledger) = ledger {
        notes.extend(ledger.remarks::<String>(engine.id().as_str(), RemarkKind::Note)?);
    }
    Ok(notes)
}

/// The deaths that several lines cause only together, in this process and in those before it, each once.
pub(super) fn all_deaths(judge: &dyn LineJudge, ledger: Option<&Ledger>) -> Result<Vec<JointDeath>, LedgerError> {
    let mut deaths: BTreeSet<JointDeath> = judge.joint_deaths().into_iter().collect();
    if let Some(ledger) = ledger {
        deaths.extend(ledger.remarks::<JointDeath>(judge.id().as_str(), RemarkKind::Death)?);
    }
    Ok(deaths.into_iter().collect())
}
