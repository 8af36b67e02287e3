//! Hashes the sources that ask engines and read their answers, as the name of this build for kept answers. The specification is left
//! out: it decides what is asked, and each answer is kept with its question.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

/// Files and folders, in the order in which they are read.
const PARTS: &[&str] = &["Cargo.lock", "crates", "src/campaign/kept.rs"];

fn main() {
    let mut hasher = DefaultHasher::new();
    for part in PARTS {
        println!("cargo::rerun-if-changed={part}");
        for file in files(Path::new(part)) {
            file.hash(&mut hasher);
            // A file that is not there is no part of this build, as in a package of this crate alone.
            std::fs::read(&file).ok().hash(&mut hasher);
        }
    }
    println!("cargo::rustc-env=PTX_CONFORM_ASKING={:016x}", hasher.finish());
}

/// A file, or all files below a folder, sorted.
fn files(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let mut below: Vec<PathBuf> = std::fs::read_dir(path).into_iter().flatten().flatten().map(|of| of.path()).collect();
    below.sort();
    below.iter().flat_map(|path| files(path)).collect()
}
