//! Several ledgers of one plan as one.

use std::path::{Path, PathBuf};

use rusqlite::{OptionalExtension as _, params};

use super::{Ledger, LedgerError, RunHeader};

/// The reason why ledgers cannot be united.
#[derive(Debug, thiserror::Error)]
pub enum UniteError {
    /// One cannot be read or written.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// No ledger is named.
    #[error("there is no ledger to unite")]
    Nothing,
    /// They are of different runs.
    #[error("{} and {} cannot be united: {difference}", .one.display(), .other.display())]
    Differ {
        /// The first.
        one: PathBuf,
        /// The other.
        other: PathBuf,
        /// The difference.
        difference: String,
    },
    /// They have different results of one task.
    #[error(
        "{} has another result of task {task} ({what}) than the ledgers before it: an engine gave different answers, \
         or a file was changed; ask again on one machine",
        .other.display()
    )]
    Contradiction {
        /// The ledger with the other result.
        other: PathBuf,
        /// The name of the task.
        task: String,
        /// The question in a few words.
        what: String,
    },
}

/// The columns of a planned task.
type PlannedTaskRow = (Vec<u8>, i64, i64, String, String, String, i64);
/// The columns of a task that is done.
type DoneTask = (Vec<u8>, String, i64, i64, i64, Option<String>, Vec<u8>);

/// Makes a ledger with everything that is in others. What several have is taken once if it is equal.
///
/// # Errors
/// If they are of different runs, or have different results of one task. What was made of the new ledger is then of no use.
pub fn unite(into: &Path, ledgers: &[PathBuf]) -> Result<(), UniteError> {
    let (first, _) = ledgers.split_first().ok_or(UniteError::Nothing)?;
    let header = Ledger::open(first)?.header()?;
    let united = Ledger::create(into, &RunHeader { shard: 0, ..header.clone() })?;
    for path in ledgers {
        let other = Ledger::open(path)?;
        if let Some(difference) = header.differences(&other.header()?).into_iter().next() {
            let (one, other) = (first.clone(), path.clone());
            return Err(UniteError::Differ { one, other, difference: difference.to_string() });
        }
        united.add(&other)?;
        // Nothing stays beside its file, so that another one may take its place.
        other.close()?;
    }
    Ok(united.close()?)
}

impl Ledger {
    /// Adds everything of another ledger of the same run.
    fn add(&self, other: &Self) -> Result<(), UniteError> {
        self.add_plan(other)?;
        self.add_results(other)?;
        self.add_remarks(other)?;
        Ok(self.add_answers(other)?)
    }

    /// Adds the remarks of another ledger.
    fn add_remarks(&self, other: &Self) -> Result<(), LedgerError> {
        let theirs = other.connection();
        let failed = |source| super::error(&other.path, source);
        let mut remarks = theirs.prepare("SELECT engine, kind, value FROM remark").map_err(failed)?;
        let remarks = remarks.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).map_err(failed)?;
        let remarks = remarks.collect::<rusqlite::Result<Vec<(String, String, Vec<u8>)>>>().map_err(failed)?;
        self.write(|transaction| {
            let mut insert = transaction.prepare("INSERT OR IGNORE INTO remark VALUES (?1, ?2, ?3)")?;
            remarks.iter().try_for_each(|(engine, kind, value)| insert.execute(params![engine, kind, value]).map(drop))
        })
    }

    /// Adds the answers of another ledger. The first answer to a question is taken.
    fn add_answers(&self, other: &Self) -> Result<(), LedgerError> {
        let theirs = other.connection();
        let failed = |source| super::error(&other.path, source);
        let mut answers = theirs.prepare("SELECT question, answer FROM answer").map_err(failed)?;
        let mut rows = answers.query([]).map_err(failed)?;
        loop {
            let mut batch: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
            while batch.len() < ANSWERS_TOGETHER
                && let Some(row) = rows.next().map_err(failed)?
            {
                batch.push((row.get(0).map_err(failed)?, row.get(1).map_err(failed)?));
            }
            if batch.is_empty() {
                return Ok(());
            }
            self.write(|transaction| {
                let mut insert = transaction.prepare("INSERT OR IGNORE INTO answer VALUES (?1, ?2)")?;
                batch.iter().try_for_each(|(question, answer)| insert.execute(params![question, answer]).map(drop))
            })?;
        }
    }

    /// Adds the planned tasks of another ledger.
    fn add_plan(&self, other: &Self) -> Result<(), LedgerError> {
        let theirs = other.connection();
        let failed = |source| super::error(&other.path, source);
        let mut planned = theirs
            .prepare("SELECT name, number, shard, engine, kind, what, size FROM task ORDER BY number")
            .map_err(failed)?;
        let mut rows = planned.query([]).map_err(failed)?;
        let mut all: Vec<PlannedTaskRow> = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            let read =
                || Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?));
            all.push(read().map_err(failed)?);
        }
        self.write(|transaction| {
            let mut insert = transaction.prepare(
                "INSERT OR IGNORE INTO task (name, number, shard, engine, kind, what, size) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?;
            all.iter().try_for_each(|(name, number, shard, engine, kind, what, size)| {
                insert.execute(params![name, number, shard, engine, kind, what, size]).map(drop)
            })
        })
    }

    /// Adds the results of another ledger, one by one: each may be large.
    fn add_results(&self, other: &Self) -> Result<(), UniteError> {
        let theirs = other.connection();
        let failed = |source| UniteError::from(super::error(&other.path, source));
        let mut done = theirs
            .prepare("SELECT name, what, ms, cases, mismatches, skipped, result FROM task WHERE result IS NOT NULL")
            .map_err(failed)?;
        let mut rows = done.query([]).map_err(failed)?;
        let mut batch: Vec<DoneTask> = Vec::new();
        let mut bytes = 0;
        loop {
            let row = rows.next().map_err(failed)?;
            let ended = row.is_none();
            if let Some(row) = row {
                let read =
                    || Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?));
                let task: DoneTask = read().map_err(failed)?;
                bytes += task.6.len();
                batch.push(task);
            }
            if ended || bytes > TOGETHER {
                self.add_batch(&batch, other)?;
                batch.clear();
                bytes = 0;
            }
            if ended {
                return Ok(());
            }
        }
    }

    fn add_batch(&self, tasks: &[DoneTask], other: &Self) -> Result<(), UniteError> {
        let mut contradicted = None;
        self.write(|transaction| {
            let mut known = transaction.prepare("SELECT result FROM task WHERE name = ?1")?;
            let mut update = transaction.prepare(
                "UPDATE task SET ms = ?2, cases = ?3, mismatches = ?4, skipped = ?5, result = ?6 WHERE name = ?1",
            )?;
            for (name, what, ms, cases, mismatches, skipped, result) in tasks {
                let known: Option<Option<Vec<u8>>> = known.query_row([name], |row| row.get(0)).optional()?;
                match known.flatten() {
                    Some(known) if known == *result => {}
                    Some(_) => {
                        let task = name.iter().map(|byte| format!("{byte:02x}")).collect();
                        contradicted = Some((task, what.clone()));
                        return Ok(());
                    }
                    None => drop(update.execute(params![name, ms, cases, mismatches, skipped, result])?),
                }
            }
            Ok(())
        })?;
        match contradicted {
            None => Ok(()),
            Some((task, what)) => Err(UniteError::Contradiction { other: other.path.clone(), task, what }),
        }
    }
}

/// The answers that are added together.
const ANSWERS_TOGETHER: usize = 10_000;
/// The bytes of results that are added together.
const TOGETHER: usize = 1 << 22;
