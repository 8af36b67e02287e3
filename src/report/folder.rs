//! The folder of a report: one run at a time works in it, and until that has written its report, it says so.

use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::files;

/// The file that a run holds while it works, and that stays if the run is killed.
const MARK: &str = "unfinished";
const INDEX: &str = "index.html";
/// Where the index says what the mark says, for those who look at nothing else.
const UNSIGNED: &str = "<main id=\"main\">\n";
const SIGNED: &str = "<main id=\"main\"><p role=\"status\"><strong>This report is of an earlier run: a later one began here \
                      and has not finished.</strong></p>\n";
const TEXT: &str =
    "A run began here and has not finished. A report beside this file is of an earlier run, or has parts of one.\n";

/// A file of a report: its path in the folder, with `/`, and its text.
pub type ReportFile = (String, String);

/// The folder of a report while a run works in it. No other run can.
#[derive(Debug)]
pub struct ReportFolder {
    path: PathBuf,
    mark: File,
    /// True if the mark stays when this is dropped: what is in the folder is not the result of the last run.
    stays: bool,
}

impl ReportFolder {
    /// Makes the folder, if it is not there, and keeps other runs from it until this is dropped.
    ///
    /// # Errors
    /// If another run works in it, or it cannot be written.
    pub fn lock(path: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(path)?;
        let file = path.join(MARK);
        loop {
            let mark = File::options().append(true).create(true).open(&file)?;
            match mark.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let why = "another run is at work there; wait for it, or choose another name";
                    return Err(io::Error::new(io::ErrorKind::ResourceBusy, why));
                }
                Err(TryLockError::Error(why)) => return Err(why),
            }
            // The run that held the file may have removed it since it was opened.
            if file.metadata().is_ok_and(|of| mark.metadata().is_ok_and(|held| of.ino() == held.ino())) {
                let stays = mark.metadata()?.len() > 0;
                return Ok(Self { path: path.to_owned(), mark, stays });
            }
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Marks the folder: until [`ReportFolder::replace`] has succeeded, what is in it is of an earlier run. If the run
    /// ends without trying that, such as for want of an engine, the mark goes.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(&mut self) -> io::Result<()> {
        if !self.stays {
            self.mark.write_all(TEXT.as_bytes())?;
        }
        self.sign(UNSIGNED, SIGNED)
    }

    /// Replaces the report by that of the run, and removes the files of the earlier one for which `stale` is true.
    ///
    /// # Errors
    /// If a file cannot be written; then the mark stays.
    pub fn replace(&mut self, files: &[ReportFile], stale: impl Fn(&str) -> bool) -> io::Result<()> {
        self.stays = true;
        files::replace_all(&self.path, files)?;
        for folder in ["", "instructions", "findings", "cases", "defects"] {
            self.remove(folder, |name| stale(name) && !files.iter().any(|(written, _)| written == name))?;
        }
        std::fs::remove_file(self.path.join(MARK))
    }

    /// Lets the mark stay: the run that began here goes on later.
    pub fn abandon(&mut self) {
        self.stays = true;
    }

    /// The reason why a folder has no report of the last run that began in it; none if it has one.
    pub fn unfinished(path: &Path) -> Option<String> {
        let mark = path.join(MARK);
        mark.metadata().is_ok_and(|mark| mark.len() > 0).then(|| {
            format!(
                "{}: a run that began here has not finished, so what it holds is of an earlier run; name the report.json in \
                 it to read that all the same",
                path.display()
            )
        })
    }

    /// Removes files from a folder, and the folder if nothing else is in it.
    fn remove(&self, folder: &str, unwanted: impl Fn(&str) -> bool) -> io::Result<()> {
        let path = self.path.join(folder);
        if !path.is_dir() {
            return Ok(());
        }
        for entry in std::fs::read_dir(&path)? {
            let entry = entry?;
            let name = Path::new(folder).join(entry.file_name());
            if name.to_str().is_some_and(&unwanted) {
                std::fs::remove_file(entry.path())?;
            }
        }
        if !folder.is_empty() {
            // It stays if it contains anything else.
            let _ = std::fs::remove_dir(path);
        }
        Ok(())
    }

    /// Replaces a text in the index, if there is one.
    fn sign(&self, from: &str, to: &str) -> io::Result<()> {
        let index = self.path.join(INDEX);
        match std::fs::read_to_string(&index) {
            Ok(text) if text.contains(from) => files::replace(&index, text.replacen(from, to, 1).as_bytes()),
            Ok(_) => Ok(()),
            Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(why) => Err(why),
        }
    }
}

impl Drop for ReportFolder {
    fn drop(&mut self) {
        if !self.stays && !std::thread::panicking() && self.sign(SIGNED, UNSIGNED).is_ok() {
            let _ = std::fs::remove_file(self.path.join(MARK));
        }
    }
}
