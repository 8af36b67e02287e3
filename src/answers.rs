//! Answers of engines that are kept from run to run: what was asked once is not asked again.
//!
//! An answer belongs to a question: how this build of the program asks, the file of the engine, its options, and what is asked.
//! Whoever reads one believes it only if its checksum is right. The files may be removed at any time: a run needs none of them.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OptionalExtension as _, params};

/// The most bytes of all files of answers. Those of other builds of this program make room first.
pub const MOST: u64 = 4 << 30;
/// How long another run that writes is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// The length of a checksum.
const CHECKSUM: usize = 8;

/// The hash of a question with everything that its answer depends on.
pub type AnswerKey = [u8; 32];

/// The part of a key that is kept.
fn short(key: &AnswerKey) -> &[u8] {
    &key[..16]
}

/// A name of how this build asks engines and understands them: answers of other builds are not used.
pub fn this_build() -> &'static str {
    env!("PTX_CONFORM_ASKING")
}

/// A file of answers.
#[derive(Clone, Debug)]
pub struct AnswerFile {
    /// Its path.
    pub path: PathBuf,
    /// The build that asked: [`this_build`].
    pub build: String,
    /// Its size in bytes.
    pub bytes: u64,
    changed: SystemTime,
}

/// The files of answers in a folder, those of this build first, then those that were used last.
pub fn answer_files(folder: &Path) -> Vec<AnswerFile> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Some(build) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".sqlite")) else { continue };
        let Ok(about) = entry.metadata() else { continue };
        let changed = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        files.push(AnswerFile { build: build.to_owned(), bytes: about.len(), changed, path });
    }
    files.sort_by_key(|file| (file.build != this_build(), std::cmp::Reverse(file.changed), file.build.clone()));
    files
}

impl AnswerFile {
    /// Removes it, with the files that SQLite puts beside it.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove(&self) -> std::io::Result<()> {
        crate::ledger::remove(&self.path)
    }

    /// How many answers it has; none if it cannot be read.
    pub fn count(&self) -> Option<u64> {
        let connection = Connection::open(&self.path).ok()?;
        let count: i64 = connection.query_row("SELECT count(*) FROM answer", [], |row| row.get(0)).ok()?;
        u64::try_from(count).ok()
    }
}

/// The answers that this build was given. After an error nothing more is read or kept.
#[derive(Debug)]
pub struct KeptAnswers {
    state: Mutex<AnswerState>,
}

#[derive(Debug)]
struct AnswerState {
    connection: Option<Connection>,
    /// False if there is no room for more.
    keeps: bool,
    /// The reason why answers are not read or not kept.
    problem: Option<String>,
}

impl KeptAnswers {
    /// The answers of this build, in a folder that is made if it is not there.
    pub fn open(folder: &Path) -> Self {
        let opened = connect(folder);
        let problem =
            opened.as_ref().err().map(|why| format!("kept answers cannot be used: {}: {why}", folder.display()));
        Self { state: Mutex::new(AnswerState { connection: opened.ok(), keeps: true, problem }) }
    }

    fn state(&self) -> MutexGuard<'_, AnswerState> {
        // A transaction that was not committed is rolled back, so that nothing is half written.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The reason why answers are not read or not kept, if so.
    pub fn problem(&self) -> Option<String> {
        self.state().problem.clone()
    }

    /// The answers to questions; none where none is kept, or it is damaged.
    pub fn read(&self, keys: &[AnswerKey]) -> Vec<Option<String>> {
        let mut state = self.state();
        let read = |connection: &mut Connection| {
            let mut query = connection.prepare_cached("SELECT answer FROM answer WHERE question = ?1")?;
            let mut stored = |key: &AnswerKey| -> rusqlite::Result<Option<String>> {
                let sealed: Option<Vec<u8>> = query.query_row([short(key)], |row| row.get(0)).optional()?;
                Ok(sealed.and_then(|sealed| opened(key, &sealed)))
            };
            keys.iter().map(&mut stored).collect()
        };
        state.with(read).unwrap_or_else(|| vec![None; keys.len()])
    }

    /// Keeps answers to questions.
    pub fn keep(&self, answers: &[(AnswerKey, String)]) {
        let mut state = self.state();
        if answers.is_empty() || !state.keeps {
            return;
        }
        let size = state.with(|connection| {
            let transaction = connection.transaction()?;
            {
                let mut insert = transaction.prepare_cached("INSERT OR REPLACE INTO answer VALUES (?1, ?2)")?;
                for (key, answer) in answers {
                    insert.execute(params![short(key), sealed(key, answer)])?;
                }
            }
            transaction.commit()?;
            let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
            Ok(u64::from(number("page_count")?) * u64::from(number("page_size")?))
        });
        if size.is_some_and(|size| size > MOST) {
            state.keeps = false;
            state.problem = Some(format!(
                "the answers take {} GiB, and no more are kept: `ptx-conform answers prune --all` removes them",
                MOST >> 30
            ));
        }
    }
}

impl AnswerState {
    /// The result of using the file; none after the first error.
    fn with<T>(&mut self, act: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Option<T> {
        match act(self.connection.as_mut()?) {
            Ok(done) => Some(done),
            Err(why) => {
                self.connection = None;
                self.problem = Some(format!("kept answers cannot be used: {why}"));
                None
            }
        }
    }
}

/// Opens the file of this build. Files of other builds are removed until all have room.
fn connect(folder: &Path) -> Result<Connection, Box<dyn std::error::Error>> {
    std::fs::create_dir_all(folder)?;
    let mut files = answer_files(folder);
    while files.iter().map(|file| file.bytes).sum::<u64>() > MOST
        && let Some(file) = files.pop_if(|file| file.build != this_build())
    {
        file.remove()?;
    }
    let connection = Connection::open(folder.join(format!("{}.sqlite", this_build())))?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    // After a power cut the last answers are lost, and asked for again.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS answer (question BLOB PRIMARY KEY, answer BLOB NOT NULL) WITHOUT ROWID",
    )?;
    Ok(connection)
}

fn checksum(key: &AnswerKey, answer: &[u8]) -> [u8; CHECKSUM] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(key).update(answer);
    let mut checksum = [0; CHECKSUM];
    hasher.finalize_xof().fill(&mut checksum);
    checksum
}

/// The bytes of an answer, with a checksum of it and of its question.
fn sealed(key: &AnswerKey, answer: &str) -> Vec<u8> {
    [answer.as_bytes(), &checksum(key, answer.as_bytes())].concat()
}

/// The answer of sealed bytes; none if they are damaged, or of another question.
fn opened(key: &AnswerKey, sealed: &[u8]) -> Option<String> {
    let (answer, sum) = sealed.split_at_checked(sealed.len().checked_sub(CHECKSUM)?)?;
    if checksum(key, answer) != sum {
        return None;
    }
    String::from_utf8(answer.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: AnswerKey = [7; 32];

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder")
    }

    fn file(folder: &Path) -> PathBuf {
        folder.join(format!("{}.sqlite", this_build()))
    }

    #[test]
    fn what_is_kept_is_read_by_the_next_run() {
        let folder = folder();
        let first = KeptAnswers::open(folder.path());
        assert_eq!(first.read(&[KEY]), [None]);
        first.keep(&[(KEY, "accepted".to_owned())]);
        drop(first);
        let second = KeptAnswers::open(folder.path());
        assert_eq!(second.read(&[[8; 32], KEY]), [None, Some("accepted".to_owned())]);
        assert_eq!(second.problem(), None);
    }

    #[test]
    fn an_answer_that_does_not_verify_is_not_read() {
        let folder = folder();
        let answers = KeptAnswers::open(folder.path());
        answers.keep(&[(KEY, "accepted".to_owned())]);
        let connection = Connection::open(file(folder.path())).expect("the file");
        for damage in ["substr(answer, 2)", "X'00' || answer", "X''", "question"] {
            connection.execute(&format!("UPDATE answer SET answer = {damage}"), []).expect("damage");
            assert_eq!(answers.read(&[KEY]), [None], "{damage}");
        }
        // An intact answer to another question.
        let other = sealed(&[8; 32], "accepted");
        connection.execute("UPDATE answer SET answer = ?1", [other]).expect("damage");
        assert_eq!(answers.read(&[KEY]), [None]);
    }

    #[test]
    fn a_damaged_file_is_a_problem_and_no_answer() {
        for bytes in [&b"SQLite format 3\0 and no more"[..], &[0xff; 9000]] {
            let folder = folder();
            std::fs::write(file(folder.path()), bytes).expect("a file");
            let answers = KeptAnswers::open(folder.path());
            answers.keep(&[(KEY, "accepted".to_owned())]);
            assert_eq!(answers.read(&[KEY]), [None]);
            assert!(answers.problem().is_some());
        }
        // A file where the folder should be.
        let folder = folder();
        let path = folder.path().join("file");
        std::fs::write(&path, "").expect("a file");
        let answers = KeptAnswers::open(&path);
        assert_eq!(answers.read(&[KEY]), [None]);
        assert!(answers.problem().is_some_and(|why| why.contains("file")), "{:?}", answers.problem());
    }

    #[test]
    fn files_of_other_builds_make_room() {
        let folder = folder();
        drop(KeptAnswers::open(folder.path()));
        let large = folder.path().join("0000000000000000.sqlite");
        let other = std::fs::File::create(&large).expect("a file");
        other.set_len(MOST).expect("a sparse file");
        assert_eq!(answer_files(folder.path()).len(), 2);
        drop(KeptAnswers::open(folder.path()));
        let files = answer_files(folder.path());
        assert_eq!(files.iter().map(|file| file.build.as_str()).collect::<Vec<_>>(), [this_build()]);
        assert_eq!(files[0].count(), Some(0));
    }
}
