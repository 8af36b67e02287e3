//! Tasks: what a run asks, in parts that are done whole or not at all.

use std::collections::BTreeMap;
use std::fmt;

use rusqlite::{Row, Statement, params};
use serde_json::json;

use crate::must::Must as _;

/// The name of a task: the hash of what it asks, and of whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskName([u8; 16]);

impl TaskName {
    /// The name of a task that asks an engine this; `what` must say all of it.
    pub fn of(engine: &str, kind: TaskKind, what: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in [engine, kind.word(), what] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Self(hasher.finalize().as_bytes()[..16].try_into().must("a hash has 32 bytes"))
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for TaskName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The kinds of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TaskKind {
    /// Lines are checked.
    Check,
    /// Directives are checked.
    Directives,
    /// Lines are taken through code generation.
    Code,
    /// Words are tried in slots.
    Words,
    /// Examples of the manual are judged.
    Examples,
    /// Lines are judged that are listed to show something in other versions.
    Elsewhere,
    /// Lines are judged that are listed to show something in this version.
    Listed,
    /// Rows are executed.
    Rows,
    /// Rows are executed that are listed to show something, in this version or in others.
    ListedRows,
    /// Chains of lines are executed.
    Chains,
    /// The chains are executed that listed divergences are known by.
    ListedChains,
    /// The machine code of lines with and without a modifier is compared.
    Modifiers,
    /// Lines of the support matrix are checked.
    Matrix,
}

/// The kinds with their words, and the microseconds that a unit of their size takes on one core with a usual `ptxas`. Only their
/// ratios matter: they share tasks among shards. (Measured over an eighth of a night: docs/nightly.md.)
const KINDS: [(TaskKind, &str, u64); 13] = [
    (TaskKind::Check, "check", 190),
    (TaskKind::Directives, "directives", 1800),
    (TaskKind::Code, "code", 7800),
    (TaskKind::Words, "words", 90),
    (TaskKind::Examples, "examples", 2300),
    (TaskKind::Elsewhere, "elsewhere", 1400),
    (TaskKind::Listed, "listed", 1400),
    (TaskKind::Rows, "rows", 170),
    (TaskKind::ListedRows, "listed-rows", 380_000),
    (TaskKind::Chains, "chains", 11_000),
    (TaskKind::ListedChains, "listed-chains", 49_000),
    (TaskKind::Modifiers, "modifiers", 14_000),
    (TaskKind::Matrix, "matrix", 470),
];

impl TaskKind {
    /// The word in tables.
    pub fn word(self) -> &'static str {
        KINDS[self as usize].1
    }

    /// The usual microseconds of a unit of its size.
    pub fn usual_cost(self) -> u64 {
        KINDS[self as usize].2
    }
}

/// A planned task.
#[derive(Clone, Debug)]
pub struct TaskRow {
    /// Its name.
    pub name: TaskName,
    /// Its position in the plan.
    pub number: u64,
    /// The shard that does it, from 1 on.
    pub shard: u64,
    /// The engine.
    pub engine: String,
    /// Its kind.
    pub kind: TaskKind,
    /// The question in a few words.
    pub what: String,
    /// How many cases it has, or more.
    pub size: u64,
}

impl TaskRow {
    pub(super) fn insert(&self, statement: &mut Statement<'_>) -> rusqlite::Result<()> {
        let number = |of: u64| i64::try_from(of).unwrap_or(i64::MAX);
        let Self { name, engine, kind, what, .. } = self;
        let (place, shard, size) = (number(self.number), number(self.shard), number(self.size));
        statement.execute(params![name.bytes(), place, shard, engine, kind.word(), what, size]).map(drop)
    }
}

/// The counts of a task that is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskCounts {
    /// Cases that the engine answered.
    pub cases: u64,
    /// Mismatches that no divergence lists.
    pub mismatches: u64,
    /// Cases without an answer, by reason.
    pub skipped: BTreeMap<String, u64>,
}

impl TaskCounts {
    /// The skipped cases as the table has them: JSON, or nothing.
    pub(super) fn skipped_words(&self) -> Option<String> {
        (!self.skipped.is_empty()).then(|| json!(self.skipped).to_string())
    }
}

/// A task as the ledger has it.
#[derive(Clone, Debug)]
pub struct TaskState {
    /// Its name.
    pub name: TaskName,
    /// Its position in the plan.
    pub number: u64,
    /// The shard that does it.
    pub shard: u64,
    /// The engine.
    pub engine: String,
    /// The word for its kind.
    pub kind: String,
    /// The question in a few words.
    pub what: String,
    /// How many cases it has, or more.
    pub size: u64,
    /// How long it took in milliseconds, and its counts; none if it is not done.
    pub done: Option<(u64, TaskCounts)>,
}

impl TaskState {
    pub(super) fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let number = |at: usize| row.get::<_, i64>(at).map(i64::unsigned_abs);
        let done = match row.get::<_, Option<i64>>(7)? {
            None => None,
            Some(milliseconds) => {
                let skipped: Option<String> = row.get(10)?;
                let skipped = skipped.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
                let counts = TaskCounts { cases: number(8)?, mismatches: number(9)?, skipped };
                Some((milliseconds.unsigned_abs(), counts))
            }
        };
        Ok(Self {
            name: TaskName(row.get(0)?),
            number: number(1)?,
            shard: number(2)?,
            engine: row.get(3)?,
            kind: row.get(4)?,
            what: row.get(5)?,
            size: number(6)?,
            done,
        })
    }
}
