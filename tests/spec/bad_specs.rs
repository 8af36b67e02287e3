//! Faulty specifications: `spec lint` must reject each `tests/specs/bad/*.yaml` with the messages in the `.txt` file
//! next to it.
//!
//! A file replaces `fetch.yaml` of `tests/specs/small`; one whose name begins with `isa` or `vocabulary` replaces that
//! file instead. `BLESS=1` updates the expected messages.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/specs").join(name)
}

/// Runs `spec lint` on the small specification, with one file replaced; returns its exit code and messages.
fn lint_output(bad: Option<&Path>) -> (Option<i32>, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let specs = directory.path().join("specs");
    std::fs::create_dir(&specs).expect("a directory");
    for name in ["isa.yaml", "fetch.yaml"] {
        std::fs::copy(folder("small").join(name), specs.join(name)).expect("a copy");
    }
    if let Some(bad) = bad {
        let name = bad.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let replaced = match name.split('-').next() {
            Some("isa") => "isa.yaml",
            Some("vocabulary") => "vocabulary.yaml",
            _ => "fetch.yaml",
        };
        std::fs::copy(bad, specs.join(replaced)).expect("a copy");
    }
    let mut lint = Command::new(env!("CARGO_BIN_EXE_ptx-conform"));
    let output = lint.args(["spec", "lint"]).current_dir(directory.path()).output().expect("the binary runs");
    (output.status.code(), String::from_utf8(output.stderr).expect("text"))
}

#[test]
fn the_small_specification_is_sound() {
    assert_eq!(lint_output(None), (Some(0), String::new()));
}

#[test]
fn mistakes_are_rejected_with_their_messages() {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder("bad"))
        .expect("tests/specs/bad")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    assert!(!files.is_empty());
    let mut wrong = String::new();
    for path in files {
        let (code, found) = lint_output(Some(&path));
        if code != Some(2) {
            // Writing to a String cannot fail.
            let _ = writeln!(wrong, "=== {}: exit {code:?}\n{found}", path.display());
        }
        let expected_file = path.with_extension("txt");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(expected_file, found).expect("the file is written");
            continue;
        }
        let expected = std::fs::read_to_string(expected_file).unwrap_or_default();
        if found != expected {
            let _ = writeln!(wrong, "=== {}, expected:\n{expected}\n=== found:\n{found}", path.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}(BLESS=1 updates the expected messages)");
}

/// A file that is not read must not leave out an instruction in silence, and a pipe does not stop the program for ever.
#[test]
fn files_that_are_not_read_are_errors() {
    for (name, is_pipe, says) in [
        ("other.yml", false, "end in `.yaml`"),
        ("other.YAML", false, "end in `.yaml`"),
        ("other.yaml", true, "not a file"),
    ] {
        let directory = tempfile::tempdir().expect("a directory");
        let specs = directory.path().join("specs");
        std::fs::create_dir(&specs).expect("a directory");
        for name in ["isa.yaml", "fetch.yaml"] {
            std::fs::copy(folder("small").join(name), specs.join(name)).expect("a copy");
        }
        if is_pipe {
            assert!(Command::new("mkfifo").arg(specs.join(name)).status().expect("mkfifo").success());
        } else {
            std::fs::write(specs.join(name), "").expect("a file");
        }
        let mut lint = Command::new(env!("CARGO_BIN_EXE_ptx-conform"));
        let output = lint.args(["spec", "lint"]).current_dir(directory.path()).output().expect("the binary runs");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && text.contains(says) && text.contains(name), "{name}: {text}");
    }
}
