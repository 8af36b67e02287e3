//! Whatever file cannot be opened, written, renamed, removed or read, and whenever the program is killed: a command ends
//! with an error that says what is wrong, and no file and no report is half an earlier one and half a new one.
//!
//! `tests/reliability/faults.c` makes the n-th call of a kind fail; here that is done for every n.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::specs_of_suq;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ptx-conform");
/// How long a command may take.
const LONGEST: Duration = Duration::from_secs(60);
/// The file that marks the folder of a report.
const MARK: &str = "reports/a/unfinished";

/// A kind of fault: the kinds of calls, the number of the error, and what is peculiar.
type Fault = (&'static str, i32, Option<&'static str>);

const FULL: Fault = ("write", 28, Some("FAULT_LASTS"));
const KILLED: Fault = ("open,write,sync,rename,mkdir,remove,read,lock", 0, Some("FAULT_KILLS"));
const FAULTS: [Fault; 10] = [
    FULL,
    KILLED,
    ("write", 5, None),
    ("open", 13, None),
    ("rename", 5, None),
    ("mkdir", 28, None),
    ("sync", 5, None),
    ("remove", 13, None),
    ("lock", 37, None),
    ("read", 5, None),
];

/// A folder in memory if possible: each file is written through to the disk, which takes most of the time.
fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.expect("a folder")
}

/// The library that makes calls fail; none without a C compiler.
fn library() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<(TempDir, PathBuf)>> = OnceLock::new();
    let build = || {
        let folder = folder();
        let library = folder.path().join("faults.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reliability/faults.c");
        let mut cc = Command::new("cc");
        cc.args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o"]).arg(&library).arg(source);
        match cc.output() {
            Err(why) => {
                eprintln!("SKIPPED: no faults are injected: `cc` cannot be started: {why}");
                None
            }
            Ok(output) => {
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                Some((folder, library))
            }
        }
    };
    BUILT.get_or_init(build).as_ref().map(|(_, library)| library.as_path())
}

fn command(place: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.current_dir(place).args(["--specs", specs_of_suq()]).args(arguments).env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Waits for a command, which must end.
fn ended(mut command: Command) -> Output {
    let mut child = command.spawn().expect("the program starts");
    let deadline = Instant::now() + LONGEST;
    while child.try_wait().expect("it can be waited for").is_none() {
        if deadline < Instant::now() {
            child.kill().expect("it runs");
            panic!("it did not end\n{}", texts(&child.wait_with_output().expect("it ended")).concat());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.wait_with_output().expect("it ended")
}

fn texts(output: &Output) -> [String; 2] {
    [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned())
}

/// A run of `suq` with these further arguments.
fn run<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let small =
        "run suq --random 0 --no-boundaries --cases 2 --rows 1 --no-borders --write-divergences --today 2027-06-30";
    small.split(' ').chain(more.iter().copied()).collect()
}

/// An engine that rejects every line.
fn rejects() -> String {
    format!("exec:python3 -ES '{}/tests/reliability/engine.py' escapes", env!("CARGO_MANIFEST_DIR"))
}

/// A folder with what the commands start from: an earlier report `a` with findings, shards, and earlier files.
fn base() -> &'static Path {
    static BASE: OnceLock<TempDir> = OnceLock::new();
    let make = || {
        let base = folder();
        let rejects = rejects();
        for (arguments, code) in [
            (run(&["--engine", &rejects, "--no-execution", "--name", "a"]), 1),
            (run(&["--engine", "model", "--shard", "1/2", "--name", "s1", "--no-history"]), 0),
            (run(&["--engine", "model", "--shard", "2/2", "--name", "s2", "--no-history"]), 0),
        ] {
            let output = ended(command(base.path(), &arguments));
            assert_eq!(output.status.code(), Some(code), "{:?}", texts(&output));
        }
        std::fs::remove_file(base.path().join("reports/a/ledger.sqlite")).expect("a ledger");
        for name in ["out.xml", "recording.jsonl", "least.ptx", "reports/a/mine.txt"] {
            std::fs::write(base.path().join(name), "earlier\n").expect("a file");
        }
        let cases = base.path().join("reports/a/cases");
        let case = std::fs::read_dir(cases).expect("cases").flatten().next().expect("a case").path();
        std::fs::copy(case, base.path().join("case.ptx")).expect("a copy");
        base
    };
    BASE.get_or_init(make).path()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).expect("a copy");
        }
    }
}

type Files = BTreeMap<String, Vec<u8>>;

/// Every file below a folder by its path, but those that the program left when it was killed and that no reader looks at.
fn files(root: &Path) -> Files {
    fn add(root: &Path, folder: &Path, to: &mut Files) {
        for path in std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()) {
            // A ledger has times in it.
            let is_hidden = |name: &str| [".", "ledger"].iter().any(|of| name.starts_with(of));
            let hidden = path.file_name().is_some_and(|name| is_hidden(&name.to_string_lossy()));
            if path.is_dir() && !hidden {
                add(root, &path, to);
            } else if !hidden {
                let name = path.strip_prefix(root).expect("it is below").display().to_string();
                to.insert(name, std::fs::read(path).expect("a file"));
            }
        }
    }
    let mut found = Files::new();
    add(root, root, &mut found);
    found
}

fn report(files: &Files) -> BTreeMap<&String, &Vec<u8>> {
    files.iter().filter(|(name, _)| name.starts_with("reports/a/") && *name != MARK).collect()
}

/// What a command left of the files, against those before it and those after it without a fault.
fn check(place: &Files, before: &Files, after: &Files, success: bool, what: &str) {
    let is_marked = place.get(MARK).is_some_and(|text| !text.is_empty());
    let unmarked = [before, after].iter().any(|files| report(files) == report(place));
    assert!(is_marked || unmarked, "half a report without a mark: {what}");
    assert!(!success || !is_marked && report(place) == report(after), "not the whole report: {what}");
    for (name, text) in place {
        let is_of_either = [before, after].iter().any(|files| files.get(name) == Some(text));
        // The index of a folder with a mark says that it has one.
        let says_so = name == "reports/a/index.html" && String::from_utf8_lossy(text).contains("has not finished");
        assert!(is_of_either || name == MARK || says_so, "half of {name}: {what}");
    }
    let lost: Vec<&String> =
        before.keys().filter(|name| after.contains_key(*name) && !place.contains_key(*name)).collect();
    assert!(lost.is_empty(), "{lost:?} are gone: {what}");
}

/// Lets the n-th call of a kind fail in a command, for each n.
fn every_call_fails(arguments: &[&str], faults: &[Fault], code: i32) {
    let Some(library) = library() else { return };
    let whole = folder();
    copy(base(), whole.path());
    let output = ended(command(whole.path(), arguments));
    assert_eq!(output.status.code(), Some(code), "{:?}", texts(&output));
    let (before, after) = (files(base()), files(whole.path()));
    for (kinds, error, peculiar) in faults {
        for at in 1.. {
            assert!(at < 1_000, "{kinds}: there is no end of calls");
            let folder = folder();
            let (place, log) = (folder.path().join("place"), folder.path().join("log"));
            copy(base(), &place);
            let mut faulty = command(&place, arguments);
            faulty
                .env("LD_PRELOAD", library)
                .env("FAULT_UNDER", &place)
                .env("FAULT_LOG", &log)
                .env("FAULT_KINDS", kinds);
            faulty
                .env("FAULT_AT", at.to_string())
                .env("FAULT_ERRNO", error.to_string())
                .envs(peculiar.map(|of| (of, "1")));
            let output = ended(faulty);
            let Ok(failed) = std::fs::read_to_string(&log) else {
                assert!(at > 1 || *kinds != "write", "{arguments:?}: no call could be made to fail");
                break;
            };
            let [stdout, stderr] = texts(&output);
            let what =
                format!("{arguments:?}\n{kinds} {error} {peculiar:?}\n{failed}{:?}\n{stdout}{stderr}", output.status);
            assert!(!stderr.contains("panicked"), "{what}");
            let warned = *kinds == "read" && stderr.contains("warning: ");
            match output.status.code() {
                Some(ended) if ended == code => {}
                Some(2) => {
                    let says = stderr.contains(&format!("os error {error}")) || stderr.contains("ledger");
                    assert!(stderr.contains("error: ") && says, "{what}")
                }
                ended => assert!(ended.is_none() && *peculiar == KILLED.2, "{what}"),
            }
            let lost = stderr.contains("report cannot be written to");
            assert!(!lost || stdout.contains("agreed: "), "what the run found is lost: {what}");
            if !warned {
                check(&files(&place), &before, &after, output.status.code() == Some(code), &what);
            }
            if output.status.code().is_none() && at % 4 == 0 {
                let mut again = ended(command(&place, arguments));
                if texts(&again)[1].contains("--resume a") {
                    again = ended(command(&place, &["run", "--resume", "a"]));
                }
                let left = [MARK, "reports/a/.new"].iter().any(|left| place.join(left).exists());
                assert!(again.status.code() == Some(code) && !left, "again: {:?}\n{what}", texts(&again));
            }
        }
    }
}

#[test]
fn a_run_survives_every_fault() {
    every_call_fails(&run(&["--engine", "model", "--no-execution", "--seed", "2", "--name", "a"]), &FAULTS, 0);
}

#[test]
fn a_merge_survives_every_fault() {
    let merge = ["report", "merge", "reports/s1", "reports/s2", "--into", "reports/a"];
    every_call_fails(&merge, &FAULTS, 0);
}

#[test]
fn files_are_replaced_whole() {
    let rejects = rejects();
    let export = ["report", "export", "reports/a", "--format", "junit", "--output", "out.xml"];
    let record = "record suq --engine model --cases 1 --rows 1 --today 2027-06-30 --out recording.jsonl";
    let minimize = ["minimize", "case.ptx", "--engine", &rejects, "--output", "least.ptx"];
    every_call_fails(&export, &FAULTS, 0);
    every_call_fails(&record.split(' ').collect::<Vec<_>>(), &FAULTS, 0);
    every_call_fails(&minimize, &[FULL, ("rename", 5, None)], 1);
}

/// A program that cannot be started is no agreement.
#[test]
fn a_run_without_processes_does_not_agree() {
    let Some(library) = library() else { return };
    let folder = folder();
    copy(base(), folder.path());
    let mut faulty = command(folder.path(), &run(&["--engine", "model", "--name", "a"]));
    faulty.env("LD_PRELOAD", library).env("FAULT_UNDER", folder.path()).env("FAULT_LOG", folder.path().join("log"));
    faulty.envs([("FAULT_KINDS", "spawn"), ("FAULT_AT", "1"), ("FAULT_LASTS", "1"), ("FAULT_ERRNO", "11")]);
    let output = ended(faulty);
    assert_eq!(output.status.code(), Some(2), "{:?}", texts(&output));
    assert!(texts(&output)[1].contains("cannot be started"), "{:?}", texts(&output));
    std::fs::remove_file(folder.path().join("log")).expect("a call failed");
    assert_eq!(files(folder.path()), files(base()));
}

/// While a run works in a folder, and after it was killed there, the earlier report does not pass for its result.
#[test]
fn one_run_works_in_a_folder_and_an_earlier_report_says_so() {
    let folder = folder();
    copy(base(), folder.path());
    let mark = folder.path().join(MARK);
    let held = std::fs::File::create(&mark).expect("a file");
    held.lock().expect("a lock");
    let other = run(&["--engine", "model", "--name", "a"]);
    let output = ended(command(folder.path(), &other));
    assert!(texts(&output)[1].contains("another run is at work there"), "{:?}", texts(&output));
    assert_eq!(output.status.code(), Some(2));
    drop(held);
    // That run was killed.
    std::fs::write(&mark, "It has not finished.\n").expect("a file");
    let export = |of: &str| ended(command(folder.path(), &["report", "export", of, "--format", "markdown"]));
    let refused = export("reports/a");
    assert!(
        refused.status.code() == Some(2) && texts(&refused)[1].contains("has not finished"),
        "{:?}",
        texts(&refused)
    );
    assert_eq!(export("reports/a/report.json").status.code(), Some(0));
    // A run that never asks anything leaves the earlier report and its mark as they are; so does one without a mark.
    for marked in [true, false] {
        let before = files(folder.path());
        let output = ended(command(folder.path(), &run(&["--engine", "exec:false", "--name", "a"])));
        assert_eq!(output.status.code(), Some(2), "{:?}", texts(&output));
        let index = String::from_utf8_lossy(&files(folder.path())["reports/a/index.html"]).into_owned();
        assert_eq!(index.contains("has not finished"), marked);
        assert!(marked || files(folder.path()) == before);
        if marked {
            let output = ended(command(folder.path(), &other));
            assert!(output.status.code() == Some(0) && !mark.exists(), "{:?}", texts(&output));
        }
    }
}
