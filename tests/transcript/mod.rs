//! Transcripts: files with a command and its expected output.
//!
//! A file consists of `$ ` and the arguments (commands joined by ` | ` form a pipeline), lines of stdin that begin with
//! `< `, `exit` and the exit code, then stdout and stderr. `BLESS=1` updates the expected output.

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const STDOUT: &str = "----- stdout\n";
const STDERR: &str = "----- stderr\n";

/// A command that runs in a directory, with pipes.
pub(crate) fn command(directory: &Path, arguments: &[String]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-conform"));
    command.args(arguments).current_dir(directory).env_remove("RUST_BACKTRACE");
    // Answers that an earlier test kept would change what is printed.
    command.env("PTX_CONFORM_ANSWERS", "");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a command in a directory to its end.
pub(crate) fn run(directory: &Path, arguments: &[String], input: Vec<u8>) -> Output {
    let mut child = command(directory, arguments).spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    // A command that reads nothing closes the pipe.
    let feed = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the binary ends");
    feed.join().expect("the input is written");
    output
}

/// Arguments separated by spaces; single quotes keep them together.
pub(crate) fn arguments(line: &str) -> Vec<String> {
    let mut arguments = Vec::new();
    for (at, part) in line.split('\'').enumerate() {
        if at % 2 == 1 {
            arguments.push(part.to_owned());
        } else {
            arguments.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    arguments
}

/// Runs the commands of a file; returns the file with their actual output.
fn replay(directory: &Path, file: &str) -> String {
    let mut text = String::new();
    let mut commands = "";
    let mut input = String::new();
    for line in file.lines() {
        if let Some(line) = line.strip_prefix('$') {
            commands = line;
        } else if let Some(line) = line.strip_prefix("< ") {
            input.push_str(line);
            input.push('\n');
        } else if !line.starts_with('#') {
            break;
        }
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{line}");
    }
    let mut fed = input.into_bytes();
    let mut stderr = String::new();
    let mut code = None;
    for command in commands.split(" | ") {
        let output = run(directory, &arguments(command), fed);
        fed = output.stdout;
        stderr += &String::from_utf8_lossy(&output.stderr);
        code = output.status.code();
    }
    let code = code.map_or("none".to_owned(), |code| code.to_string());
    let _ = write!(text, "exit {code}\n{STDOUT}{}{STDERR}{stderr}", String::from_utf8_lossy(&fed));
    text
}

/// Replays all transcripts of a directory in it, and compares what they print.
pub(crate) fn replay_all(directory: &Path) {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(directory).expect("the directory").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    assert!(!files.is_empty());
    let mut wrong = String::new();
    for path in files {
        let expected = std::fs::read_to_string(&path).expect("a text");
        let found = replay(directory, &expected);
        if found == expected {
            continue;
        }
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, found).expect("the file is written");
        } else {
            let _ = writeln!(wrong, "=== {}, expected:\n{expected}\n=== found:\n{found}", path.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}(BLESS=1 updates the expected output)");
}
