//! What tasks cost: by a ledger of an earlier run, or by their size.

use std::collections::BTreeMap;

use super::{Ledger, LedgerError, TaskKind, TaskName};
use crate::plural::counted;

/// The microseconds that tasks took in an earlier run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskCosts {
    /// The costs of each task that was done.
    tasks: BTreeMap<TaskName, u64>,
    /// The costs of a unit of the size of a task, by engine and kind: for tasks that the run did not have.
    kinds: BTreeMap<(String, String), u64>,
}

/// The microseconds that each task takes besides those of its size: an assembler is started.
const START: u64 = 100_000;

impl TaskCosts {
    /// The costs that a ledger shows.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of(ledger: &Ledger) -> Result<Self, LedgerError> {
        let mut tasks = BTreeMap::new();
        let mut sums: BTreeMap<(String, String), (u64, u64)> = BTreeMap::new();
        for task in ledger.tasks()? {
            let Some((milliseconds, _)) = task.done else { continue };
            let (took, size) = sums.entry((task.engine, task.kind)).or_default();
            *took += milliseconds * 1000;
            *size += task.size;
            tasks.insert(task.name, milliseconds * 1000);
        }
        Ok(Self { tasks, kinds: sums.into_iter().map(|(key, (took, size))| (key, took / size.max(1))).collect() })
    }

    /// The microseconds that a task probably takes.
    pub fn of_task(&self, name: Option<&TaskName>, engine: &str, kind: TaskKind, size: u64) -> u64 {
        let of_kind = || {
            let known = self.kinds.get(&(engine.to_owned(), kind.word().to_owned()));
            START.saturating_add(known.copied().unwrap_or(kind.usual_cost()).saturating_mul(size))
        };
        name.and_then(|name| self.tasks.get(name)).copied().unwrap_or_else(of_kind)
    }

    /// The costs as text, empty if none are known: shards share the tasks in one way only if these are equal.
    pub fn words(&self) -> String {
        if self.tasks.is_empty() {
            return String::new();
        }
        let mut hasher = blake3::Hasher::new();
        for (name, cost) in &self.tasks {
            hasher.update(name.bytes());
            hasher.update(&cost.to_le_bytes());
        }
        format!("{} of {}", hasher.finalize().to_hex(), counted(self.tasks.len(), "task"))
    }
}
