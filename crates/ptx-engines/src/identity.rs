//! Which file was opened as a program: its answers are attributed to the version that it named then.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The marks that tell a file from another one that takes its place, or is written over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileStamp {
    device: u64,
    inode: u64,
    length: u64,
    /// Seconds and nanoseconds. The time of the last change of the inode is left out: a link or another mode changes it.
    modified: (i64, i64),
}

impl FileStamp {
    fn of(path: &Path) -> io::Result<Self> {
        let file = std::fs::metadata(path)?;
        let modified = (file.mtime(), file.mtime_nsec());
        Ok(Self { device: file.dev(), inode: file.ino(), length: file.len(), modified })
    }
}

/// A file of an engine, as it was when it was opened.
#[derive(Clone, Debug)]
pub struct OpenedFile {
    path: PathBuf,
    stamp: FileStamp,
}

impl OpenedFile {
    /// The file at a path, as it is now.
    ///
    /// # Errors
    /// If there is no such file.
    pub fn new(path: PathBuf) -> io::Result<Self> {
        Ok(Self { stamp: FileStamp::of(&path)?, path })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that it is still the one that was opened. Asked before and after each process: a file that is
    /// replaced while it starts may be either.
    ///
    /// # Errors
    /// If the file is gone, or another one is in its place.
    pub fn check(&self) -> io::Result<()> {
        if FileStamp::of(&self.path)? == self.stamp {
            return Ok(());
        }
        let path = self.path.display();
        Err(io::Error::other(format!("`{path}` was replaced after it was opened: run this again with the new one")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_program_is_noticed() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("program");
        let opened = || {
            std::fs::write(&path, "one").expect("written");
            OpenedFile::new(path.clone()).expect("a file")
        };
        let program = opened();
        assert!(program.check().is_ok());
        std::fs::hard_link(&path, directory.path().join("link")).expect("a link");
        assert!(program.check().is_ok(), "a link changes nothing");
        std::fs::write(&path, "").expect("written");
        assert!(program.check().is_err_and(|why| why.to_string().contains("was replaced")), "emptied in place");
        let program = opened();
        std::fs::write(directory.path().join("other"), "two").expect("written");
        std::fs::rename(directory.path().join("other"), &path).expect("moved");
        assert!(program.check().is_err(), "another file of the same length");
        std::fs::remove_file(&path).expect("removed");
        assert!(program.check().is_err_and(|why| why.kind() == io::ErrorKind::NotFound), "removed");
    }
}
