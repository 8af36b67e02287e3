//! Writing files so that each is whole: whatever ends the program, or fills the disk, a file is the earlier one or the new
//! one. Every file that a user asks for is written here.

use std::fs::{File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// The mode of a new file, of which the user's mask takes something away.
const NEW_FILE: u32 = 0o666;
/// The folder that new files are in until all are written.
const STAGED: &str = ".new";

/// Replaces a file, or makes it. What is no file but a device or a pipe, such as `/dev/stdout`, is written to.
///
/// # Errors
/// If it cannot be written; the earlier file is as it was.
pub fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let earlier = std::fs::metadata(path).ok();
    if earlier.as_ref().is_some_and(|earlier| !earlier.is_file()) {
        return std::fs::write(path, contents);
    }
    // A link to a file stays one.
    let path = if earlier.is_some() { &path.canonicalize()? } else { path };
    let mode = Permissions::from_mode(NEW_FILE);
    let mut file = tempfile::Builder::new().prefix(".ptx-conform-").permissions(mode).tempfile_in(folder_of(path))?;
    file.write_all(contents)?;
    if let Some(earlier) = earlier {
        file.as_file().set_permissions(earlier.permissions())?;
    }
    file.as_file().sync_all()?;
    // Not `persist`: the tests make the functions of the standard library fail, and that one does not use them.
    let written = file.into_temp_path();
    std::fs::rename(&written, path)?;
    // It has another name now, so there is nothing to remove.
    let _ = written.keep();
    Ok(())
}

/// Looks whether [`replace`] can write a file, before hours are spent on what goes into it.
///
/// # Errors
/// If its folder is not there or cannot be written to.
pub fn probe(path: &Path) -> io::Result<()> {
    match std::fs::metadata(path) {
        Ok(earlier) if !earlier.is_file() => Ok(()),
        _ => tempfile::tempfile_in(folder_of(path)).map(drop),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Replaces files in a folder, or makes them: all of them are written first, to a folder in it, and then moved to their
/// places in this order. Each has a path in the folder, with `/`.
///
/// # Errors
/// If one cannot be written. Before the first is moved nothing has changed; an error after that is improbable, but leaves
/// files of both kinds, so the caller must mark the folder until this has succeeded.
pub fn replace_all(folder: &Path, files: &[(String, String)]) -> io::Result<()> {
    let staged = folder.join(STAGED);
    // Of a program that was killed.
    remove_folder(&staged)?;
    let moved = stage(&staged, files).and_then(|()| {
        files.iter().try_for_each(|(name, _)| make_folder_of(&folder.join(name)))?;
        files.iter().try_for_each(|(name, _)| std::fs::rename(staged.join(name), folder.join(name)))
    });
    // On a full disk it makes room. If it fails, no reader minds, and the next caller tries again.
    let _ = remove_folder(&staged);
    moved
}

fn stage(staged: &Path, files: &[(String, String)]) -> io::Result<()> {
    for (name, text) in files {
        let path = staged.join(name);
        make_folder_of(&path)?;
        let mut file = File::create(path)?;
        file.write_all(text.as_bytes())?;
        // Some file systems notice only now that they are full.
        file.sync_all()?;
    }
    Ok(())
}

fn make_folder_of(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)
}

fn remove_folder(path: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_with_its_mode_and_through_links() {
        let folder = tempfile::tempdir().expect("a folder");
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        replace(&file, b"one").expect("a new file");
        std::fs::set_permissions(&file, Permissions::from_mode(0o640)).expect("a mode");
        std::os::unix::fs::symlink("file", &link).expect("a link");
        replace(&link, b"two").expect("the file");
        assert_eq!(std::fs::read(&file).expect("a file"), b"two");
        assert!(link.symlink_metadata().expect("a link").is_symlink());
        assert_eq!(file.metadata().expect("a file").permissions().mode() & 0o777, 0o640);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2);
        replace(Path::new("/dev/null"), b"three").expect("a device");
        assert!(!Path::new("/dev/null").is_file());
    }

    #[test]
    fn files_are_replaced_together_and_others_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("mine"), "mine").expect("a file");
        let files = ["a", "b/c"].map(|name| (name.to_owned(), name.to_owned()));
        for _ in 0..2 {
            replace_all(folder.path(), &files).expect("files");
        }
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
        assert_eq!(["a", "b/c", "mine"].map(read), ["a", "b/c", "mine"]);
        // A folder where a file must be: none is replaced.
        std::fs::create_dir_all(folder.path().join("d/e")).expect("a folder");
        let files = ["d/e/f", "d"].map(|name| (name.to_owned(), String::new()));
        assert!(replace_all(folder.path(), &files).is_err());
        assert!(!folder.path().join("d/e/f").exists() && !folder.path().join(STAGED).exists());
    }
}
