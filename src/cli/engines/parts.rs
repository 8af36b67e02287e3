//! The files that an engine is made of: with others, its answers may be others.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::super::hash::hash_of;
use ptx_conform::engine::OpenedFile;

/// The parts of an engine. They are noted before it is opened, so that a hash is never that of a file which took the place of
/// the one that was opened.
#[derive(Debug, Default)]
pub(crate) struct EngineParts(Vec<EnginePart>);

/// A part of an engine.
#[derive(Debug)]
enum EnginePart {
    File(OpenedFile),
    /// A word of its command that names no file.
    Word(String),
}

impl EngineParts {
    /// The files as they are now, and words that name none.
    pub(super) fn new(parts: impl IntoIterator<Item = PathBuf>) -> Self {
        let part = |path: PathBuf| {
            let word = path.display().to_string();
            let file = path.is_file().then(|| OpenedFile::new(path).ok()).flatten();
            file.map_or(EnginePart::Word(word), EnginePart::File)
        };
        Self(parts.into_iter().map(part).collect())
    }

    /// A hash of all parts.
    ///
    /// # Errors
    /// If a file cannot be read, or is not the one that was opened.
    pub(super) fn hash(&self) -> anyhow::Result<String> {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                EnginePart::File(file) => {
                    text.push_str(&hash_of(file.path())?);
                    file.check()?;
                }
                EnginePart::Word(word) => text.push_str(word),
            }
            text.push(' ');
        }
        Ok(blake3::hash(text.as_bytes()).to_hex()[..16].to_owned())
    }

    /// True if all parts are programs in machine code.
    pub(super) fn are_binary(&self) -> bool {
        self.0.iter().all(|part| matches!(part, EnginePart::File(file) if is_binary(file.path())))
    }
}

/// True if a file is a program in machine code.
fn is_binary(path: &Path) -> bool {
    let mut magic = [0; 4];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && magic == *b"\x7fELF"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_never_that_of_a_file_that_took_the_place() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("program");
        std::fs::write(&path, "one").expect("written");
        let parts = EngineParts::new([path.clone(), PathBuf::from("--option")]);
        let hash = parts.hash().expect("a file");
        assert_eq!(hash, parts.hash().expect("the same file"));
        std::fs::write(directory.path().join("other"), "two").expect("written");
        std::fs::rename(directory.path().join("other"), &path).expect("moved");
        assert!(parts.hash().is_err_and(|why| why.to_string().contains("was replaced")));
        let other = EngineParts::new([path, PathBuf::from("--option")]);
        assert_ne!(other.hash().expect("the other file"), hash);
    }
}
