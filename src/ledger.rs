//! The ledger of a run: the result of each task, kept whole or not at all.
//!
//! A run is a plan, a ledger and a conclusion. The plan is a list of tasks; each has a name, the hash of what it asks. The result of
//! a task goes to the ledger when it is done. The conclusion reads the ledger, and what it has to ask of engines goes
//! there as well. So a run that was ended goes on where it was, and the ledgers of several machines are united into one.
//!
//! A ledger is one SQLite file, and one process at a time has it open. `docs/ledger.md` describes its tables.

mod costs;
mod header;
mod remark;
mod sealed;
mod task;
mod unite;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OptionalExtension as _, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use costs::TaskCosts;
pub use header::{HeaderDifference, RunHeader};
pub use remark::{EngineRemark, RemarkKind};
pub use task::{TaskCounts, TaskKind, TaskName, TaskRow, TaskState};
pub use unite::{UniteError, unite};

/// The version of the tables.
const VERSION: i32 = 1;
/// Marks the file as a ledger: `PRAGMA application_id`.
const APPLICATION: i32 = 0x5054_584c;

const TABLES: &str = "
    CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE task (
        name BLOB PRIMARY KEY, number INTEGER NOT NULL, shard INTEGER NOT NULL, engine TEXT NOT NULL, kind TEXT NOT NULL,
        what TEXT NOT NULL, size INTEGER NOT NULL, ms INTEGER, cases INTEGER, mismatches INTEGER, skipped TEXT, result BLOB
    );
    CREATE TABLE answer (question BLOB PRIMARY KEY, answer BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE remark (engine TEXT NOT NULL, kind TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (engine, kind, value))
        WITHOUT ROWID;
";

/// A failure to open, read or write a ledger.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// Another process has it open.
    #[error("{} is in use by another run; wait for its end, or choose another name with --name", .0.display())]
    InUse(PathBuf),
    /// The file is not a ledger, or a ledger of another version.
    #[error("{} {why}", .path.display())]
    NotALedger {
        /// The file.
        path: PathBuf,
        /// The reason why it is not a ledger.
        why: String,
    },
    /// SQLite failed.
    #[error("{} cannot be used: {source}", .path.display())]
    Store {
        /// The file.
        path: PathBuf,
        /// The error.
        source: rusqlite::Error,
    },
    /// The file cannot be made or replaced.
    #[error("{} cannot be written: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error.
        source: std::io::Error,
    },
    /// A stored value is damaged, or was written by another build of this program.
    #[error("{} is damaged: {what} cannot be read; start the run anew with `--anew`", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The value.
        what: String,
    },
}

/// The ledger of a run.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    connection: Mutex<Connection>,
    /// Rows of tasks and answers that are written with the next result.
    waiting: Mutex<UnwrittenRows>,
}

/// Rows that are written together.
#[derive(Debug, Default)]
struct UnwrittenRows {
    tasks: Vec<TaskRow>,
    answers: Vec<([u8; 32], Vec<u8>)>,
}

/// The most rows that wait.
const WAITING: usize = 1000;

impl Ledger {
    /// Makes an empty ledger for a run. If this program is killed meanwhile, no file has its name.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create(path: &Path, header: &RunHeader) -> Result<Self, LedgerError> {
        let new = with_suffix(path, ".new");
        let failed = |source| LedgerError::File { path: path.to_owned(), source };
        remove(&new).map_err(failed)?;
        let mut connection = connect(&new)?;
        let made = (|| {
            let transaction = connection.transaction()?;
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
            transaction.execute_batch(TABLES)?;
            for (key, value) in header.rows() {
                transaction.execute("INSERT INTO run VALUES (?1, ?2)", params![key, value])?;
            }
            transaction.commit()
        })();
        made.map_err(|source| error(path, source))?;
        close(connection).map_err(|source| error(path, source))?;
        std::fs::rename(&new, path).map_err(failed)?;
        Self::open(path)
    }

    /// Opens a ledger.
    ///
    /// # Errors
    /// If it is in use, is no ledger, or cannot be read.
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        let not = |why: String| LedgerError::NotALedger { path: path.to_owned(), why };
        if !path.is_file() {
            return Err(not("does not exist: no run has this name".to_owned()));
        }
        let connection = connect(path)?;
        let pragma = |name: &str| {
            connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0)).map_err(|source| error(path, source))
        };
        if pragma("application_id")? != APPLICATION {
            return Err(not("is not the ledger of a run".to_owned()));
        }
        match pragma("user_version")? {
            VERSION => Ok(Self::of(path, connection)),
            other => Err(not(format!("has version {other} of the format, and this program reads {VERSION}"))),
        }
    }

    /// Writes everything into the one file, and closes it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn close(self) -> Result<(), LedgerError> {
        self.flush()?;
        let connection = self.connection.into_inner().unwrap_or_else(PoisonError::into_inner);
        close(connection).map_err(|source| error(&self.path, source))
    }

    fn of(path: &Path, connection: Connection) -> Self {
        Self { path: path.to_owned(), connection: Mutex::new(connection), waiting: Mutex::default() }
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // A transaction that was not committed is rolled back, so that nothing is half written.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, UnwrittenRows> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, act: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, LedgerError> {
        act(&mut self.connection()).map_err(|source| error(&self.path, source))
    }

    fn damaged(&self, what: &str) -> LedgerError {
        LedgerError::Damaged { path: self.path.clone(), what: what.to_owned() }
    }

    /// The header of the run.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn header(&self) -> Result<RunHeader, LedgerError> {
        let rows = self.with(|connection| {
            let mut rows = connection.prepare("SELECT key, value FROM run")?;
            let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<rusqlite::Result<BTreeMap<String, String>>>()
        })?;
        RunHeader::from_rows(&rows).ok_or_else(|| self.damaged("the header"))
    }

    /// Notes a planned task. It is written with the next result.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn plan(&self, task: TaskRow) -> Result<(), LedgerError> {
        let full = {
            let mut waiting = self.waiting();
            waiting.tasks.push(task);
            waiting.tasks.len() >= WAITING
        };
        if full { self.flush() } else { Ok(()) }
    }

    /// The result of a task; none if it is not done.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn result<T: DeserializeOwned>(&self, task: &TaskName) -> Result<Option<T>, LedgerError> {
        let stored: Option<Option<Vec<u8>>> = self.with(|connection| {
            let mut query = connection.prepare_cached("SELECT result FROM task WHERE name = ?1")?;
            query.query_row([task.bytes()], |row| row.get(0)).optional()
        })?;
        let Some(stored) = stored.flatten() else { return Ok(None) };
        sealed::open(&stored).map(Some).ok_or_else(|| self.damaged(&format!("the result of task {task}")))
    }

    /// Keeps the result of a planned task, with everything that waits and the remarks of its engine.
    ///
    /// # Errors
    /// If the file cannot be written; then nothing of it is.
    pub fn keep<T: Serialize>(
        &self,
        task: &TaskName,
        result: &T,
        counts: &TaskCounts,
        took: Duration,
        remarks: &[EngineRemark],
    ) -> Result<(), LedgerError> {
        let blob = sealed::seal(result);
        let milliseconds = i64::try_from(took.as_millis()).unwrap_or(i64::MAX);
        let skipped = counts.skipped_words();
        self.write(|transaction| {
            let mut update = transaction.prepare_cached(
                "UPDATE task SET result = ?2, ms = ?3, cases = ?4, mismatches = ?5, skipped = ?6 WHERE name = ?1",
            )?;
            let number = |of: u64| i64::try_from(of).unwrap_or(i64::MAX);
            let (cases, mismatches) = (number(counts.cases), number(counts.mismatches));
            update.execute(params![task.bytes(), blob, milliseconds, cases, mismatches, skipped])?;
            write_remarks(transaction, remarks)
        })
    }

    /// Keeps remarks that an engine made while the run was concluded.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn keep_remarks(&self, remarks: &[EngineRemark]) -> Result<(), LedgerError> {
        self.write(|transaction| write_remarks(transaction, remarks))
    }

    /// The remarks of a kind that an engine made in tasks that are done.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn remarks<T: DeserializeOwned>(&self, engine: &str, kind: RemarkKind) -> Result<Vec<T>, LedgerError> {
        let stored: Vec<Vec<u8>> = self.with(|connection| {
            let mut query =
                connection.prepare_cached("SELECT value FROM remark WHERE engine = ?1 AND kind = ?2 ORDER BY value")?;
            query.query_map([engine, kind.word()], |row| row.get(0))?.collect()
        })?;
        let read = |value: &Vec<u8>| sealed::open(value).ok_or_else(|| self.damaged("a remark of an engine"));
        stored.iter().map(read).collect()
    }

    /// The answer to a question of the conclusion; none if it was never asked.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn answer<T: DeserializeOwned>(&self, question: &[u8; 32]) -> Result<Option<T>, LedgerError> {
        let stored: Option<Vec<u8>> = self.with(|connection| {
            let mut query = connection.prepare_cached("SELECT answer FROM answer WHERE question = ?1")?;
            query.query_row([question], |row| row.get(0)).optional()
        })?;
        let Some(stored) = stored else { return Ok(None) };
        sealed::open(&stored).map(Some).ok_or_else(|| self.damaged("an answer"))
    }

    /// Keeps the answer to a question of the conclusion. It is written with others.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn keep_answer<T: Serialize>(&self, question: [u8; 32], answer: &T) -> Result<(), LedgerError> {
        let full = {
            let mut waiting = self.waiting();
            waiting.answers.push((question, sealed::seal(answer)));
            waiting.answers.len() >= WAITING
        };
        if full { self.flush() } else { Ok(()) }
    }

    /// Writes everything that waits.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn flush(&self) -> Result<(), LedgerError> {
        self.write(|_| Ok(()))
    }

    /// Writes what waits and something else, all or nothing.
    fn write(&self, act: impl FnOnce(&Connection) -> rusqlite::Result<()>) -> Result<(), LedgerError> {
        // The lock is held all the time: what waits is written before what refers to it.
        let mut connection = self.connection();
        let rows = std::mem::take(&mut *self.waiting());
        let written = (|| {
            let transaction = connection.transaction()?;
            rows.write(&transaction)?;
            act(&transaction)?;
            transaction.commit()
        })();
        written.map_err(|source| {
            let mut waiting = self.waiting();
            waiting.tasks.extend(rows.tasks);
            waiting.answers.extend(rows.answers);
            error(&self.path, source)
        })
    }

    /// Every task, in the order of the plan.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn tasks(&self) -> Result<Vec<TaskState>, LedgerError> {
        self.flush()?;
        self.with(|connection| {
            let mut query = connection.prepare(
                "SELECT name, number, shard, engine, kind, what, size, ms, cases, mismatches, skipped FROM task
                 ORDER BY number, name",
            )?;
            query.query_map([], TaskState::from_row)?.collect()
        })
    }

    /// Marks the run as concluded: its report was written.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn conclude(&self) -> Result<(), LedgerError> {
        self.write(|transaction| {
            transaction.execute("INSERT OR REPLACE INTO run VALUES ('concluded', 'yes')", []).map(drop)
        })
    }

    /// How many tasks are done and how many there are, if the report of the run was not written.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn unfinished(&self) -> Result<Option<[usize; 2]>, LedgerError> {
        if self.is_concluded()? {
            return Ok(None);
        }
        let tasks = self.tasks()?;
        Ok(Some([tasks.iter().filter(|task| task.done.is_some()).count(), tasks.len()]))
    }

    /// True if the report of the run was written.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn is_concluded(&self) -> Result<bool, LedgerError> {
        self.with(|connection| {
            let found = connection.query_row("SELECT 1 FROM run WHERE key = 'concluded'", [], |_| Ok(()));
            found.optional().map(|found| found.is_some())
        })
    }
}

fn write_remarks(connection: &Connection, remarks: &[EngineRemark]) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached("INSERT OR IGNORE INTO remark VALUES (?1, ?2, ?3)")?;
    remarks.iter().try_for_each(|of| insert.execute(params![of.engine, of.kind.word(), of.value]).map(drop))
}

impl UnwrittenRows {
    fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let mut plan = connection.prepare_cached(
            "INSERT OR IGNORE INTO task (name, number, shard, engine, kind, what, size) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        for task in &self.tasks {
            task.insert(&mut plan)?;
        }
        let mut answer = connection.prepare_cached("INSERT OR IGNORE INTO answer VALUES (?1, ?2)")?;
        for (question, value) in &self.answers {
            answer.execute(params![question, value])?;
        }
        Ok(())
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Removes a ledger with the files beside it, if it is there.
///
/// # Errors
/// If it cannot be removed.
pub fn remove(path: &Path) -> std::io::Result<()> {
    for suffix in ["-wal", "-shm", "-journal", ""] {
        match std::fs::remove_file(with_suffix(path, suffix)) {
            Err(why) if why.kind() != std::io::ErrorKind::NotFound => return Err(why),
            _ => {}
        }
    }
    Ok(())
}

/// Opens a file so that no other process can, and each transaction survives a loss of power.
fn connect(path: &Path) -> Result<Connection, LedgerError> {
    let connect = || {
        let connection = Connection::open(path)?;
        connection.busy_timeout(Duration::ZERO)?;
        // Without shared memory, which network file systems lack.
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        // Takes the lock.
        connection.execute_batch("BEGIN IMMEDIATE; COMMIT;")?;
        Ok(connection)
    };
    connect().map_err(|source| error(path, source))
}

/// Writes the log into the file, which may then be moved, and closes it. Closing alone would not say that it failed.
fn close(connection: Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))?;
    connection.close().map_err(|(_, source)| source)
}

fn error(path: &Path, source: rusqlite::Error) -> LedgerError {
    let path = path.to_owned();
    match source.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => LedgerError::InUse(path),
        Some(ErrorCode::NotADatabase) => LedgerError::NotALedger { path, why: "is not the ledger of a run".to_owned() },
        Some(ErrorCode::DatabaseCorrupt) => LedgerError::Damaged { path, what: "a page".to_owned() },
        _ => LedgerError::Store { path, source },
    }
}
