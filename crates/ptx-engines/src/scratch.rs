//! Folders for short-lived files, which no run leaves behind for long.
//!
//! A folder belongs to the process that holds a lock on it. The system frees the lock when that process ends, however it
//! ends, and no later process that gets its number is taken for it. So whoever can lock a folder may remove it: at its
//! start, each run does so with those of dead ones.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tempfile::TempDir;

use crate::guard;

/// The prefix of the folder of a run; the guard removes no other.
const RUN: &str = "ptx-conform-";
/// How often to try to get a folder that is not removed by another run before it is locked.
const TRIES: u32 = 100;

/// A folder that is removed with this value, or later by another run if this process is killed.
#[derive(Debug)]
pub(crate) struct OwnedFolder {
    folder: TempDir,
    /// Its lock; none on a file system that has no locks. Freed after the folder was removed.
    _lock: Option<File>,
}

impl OwnedFolder {
    /// A new folder in `place`, called by this prefix, the name of this machine, the number of this process and something
    /// random. Those of dead owners with the same prefix are removed first.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn new(place: &Path, prefix: &str) -> io::Result<Self> {
        // Locks of some network file systems hold on one machine only.
        let prefix = format!("{prefix}{}-", machine());
        reclaim(place, &prefix);
        // No other living process has this number, so a name that was used is not used again by another run.
        let prefix = format!("{prefix}{:010}-", std::process::id());
        let mut tries = 0;
        loop {
            let folder = tempfile::Builder::new().prefix(&prefix).tempdir_in(place)?;
            let locked = File::open(folder.path()).map(|opened| (opened.try_lock(), opened));
            match locked {
                // Another run may have removed it before it was locked.
                Ok((Ok(()), lock)) if is_at(&lock, folder.path()) => return Ok(Self { folder, _lock: Some(lock) }),
                Ok((Err(TryLockError::Error(_)), _)) => return Ok(Self { folder, _lock: None }),
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ if tries == TRIES => return Err(io::Error::other("each new folder was removed by another program")),
                _ => tries += 1,
            }
        }
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// True if a folder that was opened is still at this path.
fn is_at(opened: &File, path: &Path) -> bool {
    match (opened.metadata(), path.symlink_metadata()) {
        (Ok(opened), Ok(there)) => (opened.dev(), opened.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// The name of this machine, as far as it can be part of a file's name.
fn machine() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let plain: String = name.trim().chars().filter(char::is_ascii_alphanumeric).take(32).collect();
    if plain.is_empty() { "here".to_owned() } else { plain }
}

/// Removes the folders of this user with this prefix whose owner is dead.
fn reclaim(place: &Path, prefix: &str) {
    let user = rustix::process::geteuid().as_raw();
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        let named = entry.file_name().to_str().is_some_and(|name| name.starts_with(prefix));
        let own = entry.metadata().is_ok_and(|data| data.is_dir() && data.uid() == user);
        let Some(folder) = (named && own).then(|| File::open(entry.path()).ok()).flatten() else { continue };
        if folder.try_lock().is_ok() && is_at(&folder, &entry.path()) {
            // What cannot be removed does no harm.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

static SHARED: Mutex<Vec<(PathBuf, Weak<OwnedFolder>)>> = Mutex::new(Vec::new());

/// A place for the short-lived files of this run: one folder, which all that use it share.
#[derive(Clone, Debug)]
pub(crate) struct Scratch(Arc<OwnedFolder>);

impl Scratch {
    /// The folder of this run in memory if possible, and else on the disk.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn open() -> io::Result<Self> {
        let memory = Path::new("/dev/shm");
        // Only writing shows whether it is writable.
        Self::open_in(memory).or_else(|_| Self::open_in(&std::env::temp_dir()))
    }

    /// The folder of this run on the disk.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn open_on_disk() -> io::Result<Self> {
        Self::open_in(&std::env::temp_dir())
    }

    fn open_in(place: &Path) -> io::Result<Self> {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.retain(|(_, folder)| folder.strong_count() > 0);
        let there = shared.iter().find(|(of, _)| of == place).and_then(|(_, folder)| folder.upgrade());
        if let Some(folder) = there {
            return Ok(Self(folder));
        }
        let folder = Arc::new(OwnedFolder::new(place, RUN)?);
        guard::clears(folder.path());
        shared.push((place.to_owned(), Arc::downgrade(&folder)));
        Ok(Self(folder))
    }

    /// A new folder in it.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn folder(&self) -> io::Result<ScratchFolder> {
        Ok(ScratchFolder { folder: tempfile::tempdir_in(self.0.path())?, _of: self.clone() })
    }
}

/// A folder in that of the run, removed with this value.
#[derive(Debug)]
pub(crate) struct ScratchFolder {
    folder: TempDir,
    _of: Scratch,
}

impl ScratchFolder {
    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The folders at a place.
    fn folders(place: &Path) -> Vec<PathBuf> {
        std::fs::read_dir(place).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
    }

    #[test]
    fn folders_of_the_dead_are_removed_and_no_others() {
        let place = tempfile::tempdir().expect("a folder");
        let living = OwnedFolder::new(place.path(), RUN).expect("a folder");
        // A dead owner holds no lock; its number says nothing, so it is not part of the name.
        let dead = place.path().join(format!("{RUN}{}-dead", machine()));
        std::fs::create_dir_all(dead.join("in/it")).expect("folders");
        let kept = [format!("{RUN}{}x-other-machine", machine()), format!("other-{}-", machine()), "mine".to_owned()];
        kept.iter().for_each(|name| std::fs::create_dir(place.path().join(name)).expect("a folder"));
        let new = OwnedFolder::new(place.path(), RUN).expect("a folder");
        assert!(living.path().is_dir() && new.path().is_dir() && living.path() != new.path());
        assert!(!dead.exists());
        assert!(kept.iter().all(|name| place.path().join(name).is_dir()));
        drop((living, new));
        assert_eq!(folders(place.path()).len(), kept.len());
    }

    #[test]
    fn many_that_start_at_once_keep_their_folders() {
        let place = tempfile::tempdir().expect("a folder");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let own = OwnedFolder::new(place.path(), RUN).expect("a folder");
                        std::fs::write(own.path().join("file"), "x").expect("it is still there");
                    }
                });
            }
        });
        assert_eq!(folders(place.path()), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_run_has_one_folder_and_none_afterwards() {
        let place = tempfile::tempdir().expect("a folder");
        let (first, second) = (Scratch::open_in(place.path()), Scratch::open_in(place.path()));
        let (first, second) = (first.expect("a folder"), second.expect("the same"));
        let inner = second.folder().expect("a folder in it");
        assert!(inner.path().starts_with(first.0.path()) && folders(place.path()).len() == 1);
        drop((inner, first, second));
        assert_eq!(folders(place.path()).len(), 0);
    }
}
