//! What tasks cost: by a ledger of an earlier run, or by their size.

use std::collections::BTreeMap;

use super::{Ledger, LedgerError, TaskKind};

/// The microseconds that a unit of the size of a task takes, by engine and kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskCosts(BTreeMap<(String, String), u64>);

/// The microseconds that each task takes besides those of its size: an assembler is started.
const START: u64 = 100_000;

impl TaskCosts {
    /// The costs that a ledger shows.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of(ledger: &Ledger) -> Result<Self, LedgerError> {
        let mut sums: BTreeMap<(String, String), (u64, u64)> = BTreeMap::new();
        for task in ledger.tasks()? {
            let Some((milliseconds, _)) = task.done else { continue };
            let (took, size) = sums.entry((task.engine, task.kind)).or_default();
            *took += milliseconds * 1000;
            *size += task.size;
        }
        Ok(Self(sums.into_iter().map(|(key, (took, size))| (key, took / size.max(1))).collect()))
    }

    /// The microseconds that a task probably takes.
    pub fn of_task(&self, engine: &str, kind: TaskKind, size: u64) -> u64 {
        let known = self.0.get(&(engine.to_owned(), kind.word().to_owned()));
        START.saturating_add(known.copied().unwrap_or(kind.usual_cost()).saturating_mul(size))
    }

    /// The costs as text, empty if none are known: shards share the tasks in one way only if these are equal.
    pub fn words(&self) -> String {
        let one = |((engine, kind), cost): (&(String, String), &u64)| format!("{engine} {kind} {cost}");
        self.0.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}
