//! A failure never counts as agreement, whether an engine fails, something that it needs, the reader of the output, or
//! this program itself.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::specs_of_suq;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ptx-conform");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The engine of `tests/reliability/engine.py` in one of its modes.
fn engine(mode: &str) -> String {
    format!("exec:python3 -ES '{}' {mode}", root().join("tests/reliability/engine.py").display())
}

/// The engine `model` as a command line.
fn model() -> String {
    format!("'{PROGRAM}' --specs '{}' engine serve model", specs_of_suq())
}

/// A command that runs in a directory, and writes its report there.
fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.current_dir(directory).args(arguments).env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A small run with these engines; returns its exit code and what it prints.
fn run(directory: &Path, engines: &[&str], more: &[&str]) -> (Option<i32>, String) {
    let output = command(directory, &small(engines, more)).output().expect("the binary starts");
    code_and_text(&output)
}

fn small<'a>(engines: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments =
        vec!["--specs", specs_of_suq(), "run", "suq", "--random", "0", "--no-boundaries", "--cases", "4"];
    engines.iter().for_each(|engine| arguments.extend(["--engine", engine]));
    arguments.extend(more);
    arguments
}

fn code_and_text(output: &Output) -> (Option<i32>, String) {
    let text = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    (output.status.code(), text.concat())
}

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

/// The exit code does not depend on whether stdout is read.
#[test]
fn a_closed_stdout_changes_no_exit_code() {
    let judge = format!("exec:python3 -ES '{}'", root().join("examples/judge.py").display());
    let skips = engine("skips");
    let lines: [&[&str]; 4] = [
        &["run", "suq", "--random", "1", "--no-boundaries", "--no-execution", "--engine", &judge],
        &["explain", "ld.foo;"],
        &["engine", "check", "exec:echo hello"],
        &["replay", &root().join("corpus/findings").display().to_string(), "--engine", &skips],
    ];
    for line in lines {
        let directory = directory();
        let open = command(directory.path(), line).output().expect("the binary starts");
        let mut closed = command(directory.path(), line).spawn().expect("the binary starts");
        drop(closed.stdout.take());
        let code = closed.wait().expect("it ends").code();
        assert_eq!(code, open.status.code(), "{line:?}\n{}", code_and_text(&open).1);
        assert_ne!(code, Some(0), "{line:?}\n{}", code_and_text(&open).1);
    }
}

#[test]
fn an_engine_that_is_lost_during_a_run_does_not_agree() {
    let directory = directory();
    let flag = directory.path().join("lost");
    let engine = engine(&format!("lost 3 '{}' {}", flag.display(), model()));
    let (code, text) = run(directory.path(), &[&engine], &["--batch", "20"]);
    assert!(flag.exists(), "the engine was not asked often enough\n{text}");
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("could not judge: ") && text.contains("model@"), "{text}");
    assert!(!text.contains("no longer happens"), "{text}");
}

#[test]
fn an_engine_that_judges_nothing_is_not_hidden_by_another() {
    let directory = directory();
    let (code, text) = run(directory.path(), &["model", &engine("skips")], &["--no-execution"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("failing@1.0 judged nothing"), "{text}");
    let (code, text) = run(directory.path(), &["model"], &["--no-execution"]);
    assert_eq!(code, Some(0), "{text}");
}

/// What a damaged line recorded is compared with nothing, so the rest does not show agreement.
#[test]
fn a_damaged_recording_does_not_agree() {
    let directory = directory();
    let record = [
        "--specs",
        specs_of_suq(),
        "record",
        "suq",
        "--engine",
        "model",
        "--cases",
        "3",
        "--rows",
        "2",
        "--out",
        "recording.jsonl",
    ];
    let (code, text) = code_and_text(&command(directory.path(), &record).output().expect("the binary starts"));
    assert_eq!(code, Some(0), "{text}");
    let file = directory.path().join("recording.jsonl");
    let whole = std::fs::read_to_string(&file).expect("a recording");
    let (code, text) = run(directory.path(), &["recording:recording.jsonl"], &[]);
    assert_eq!(code, Some(0), "{text}");
    let lines: Vec<&str> = whole.lines().collect();
    let row = lines.iter().position(|line| line.starts_with("[[")).expect("a row");
    // A heading is lost with its rows.
    let of_case = lines[row..].iter().take_while(|line| line.starts_with("[[")).count();
    for (at, lost) in [(row, 1), (row - 1, 1 + of_case)] {
        let mut damaged = lines.clone();
        damaged[at] = "{\"";
        std::fs::write(&file, damaged.join("\n")).expect("written");
        let (code, text) = run(directory.path(), &["recording:recording.jsonl"], &[]);
        assert_eq!(code, Some(2), "{text}");
        let report = std::fs::read_to_string(directory.path().join("reports/latest/report.json")).expect("a report");
        for (place, shown) in [("printed", &text), ("report", &report)] {
            let said = format!("{lost} without an answer: lines of the recording of model@");
            assert!(shown.contains(&said) && shown.contains(&format!("line {}: ", at + 1)), "{place}: {shown}");
        }
    }
    // One that a run finds by itself, and of which nothing can be read.
    let found = directory.path().join("corpus/recordings");
    std::fs::create_dir_all(&found).expect("a folder");
    std::fs::write(found.join("broken.jsonl"), "{}\n").expect("written");
    let (code, text) = run(directory.path(), &["model"], &[]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("could not judge: corpus/recordings/broken.jsonl: line 1: "), "{text}");
}

/// A script that says it is this version of `ptxas`, and accepts everything.
fn lenient(version: &str) -> String {
    format!(
        "#!/bin/sh\ncase \"$1\" in\n--version) echo \"ptxas: release 13.5, V{version}\";;\n\
         --help) echo \"'compute_90','sm_90'\";;\n\
         0.ptx) echo \"ptxas fatal : Unsupported .version 99.0; current version is '9.3'\"; exit 255;;\nesac\n"
    )
}

/// Versions that can be asked do not speak for one that cannot.
#[test]
fn an_unusable_ptxas_among_all_does_not_agree() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = directory();
    let install = |version: &str, script: &str| {
        let path = directory.path().join("cache/ptxas").join(version).join("ptxas");
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, script).expect("a script");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a script that may be run");
    };
    let module = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() {\nbar.sync 0;\nret;\n}\n";
    std::fs::write(directory.path().join("valid.ptx"), module).expect("a case");
    let replay = || {
        let mut command = command(directory.path(), &["replay", "valid.ptx", "--engine", "ptxas@all"]);
        command.env("PTX_CONFORM_CACHE", directory.path().join("cache")).env("PATH", "/usr/bin:/bin");
        ["PTXAS", "CUDA_HOME", "CUDA_PATH"].iter().for_each(|name| {
            command.env_remove(name);
        });
        code_and_text(&command.output().expect("the binary starts"))
    };
    install("13.5.99", &lenient("13.5.99"));
    let (code, text) = replay();
    assert_eq!(code, Some(0), "{text}");
    install("12.9.1", "#!/bin/sh\nexit 7\n");
    let (code, text) = replay();
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("could not judge: ptxas 12.9.1 is not used: "), "{text}");
}

/// Whoever answers something, but nothing of one kind, does not agree in that: the run says so, and in which.
#[test]
fn an_engine_that_never_does_what_it_is_asked_to_does_not_agree() {
    for (what, words) in [("valid", "valid lines"), ("breaches", "lines that break a rule"), ("rows", "rows")] {
        let directory = directory();
        let quiet = engine(&format!("quiet {what} {}", model()));
        let (code, text) = run(directory.path(), &["model", &quiet], &[]);
        assert_eq!(code, Some(2), "{what}\n{text}");
        let said = text.lines().find(|line| line.starts_with("could not judge: failing@") && line.contains(words));
        assert!(said.is_some_and(|line| line.contains("skipped all ")), "{what}\n{text}");
    }
}

/// Answers that came only after deaths without a cause are no agreement, and the search for causes ends.
#[test]
fn an_engine_that_dies_now_and_then_does_not_agree() {
    for every in [10, 5] {
        let directory = directory();
        let started = Instant::now();
        let dies = engine(&format!("every {every} {}", model()));
        let (code, text) = run(directory.path(), &[&dies], &["--no-execution", "--batch", "5", "--jobs", "1"]);
        assert_eq!(code, Some(2), "{every}\n{text}");
        let died = "lines together, but on none of them alone";
        assert!(text.contains("could not judge: failing@") && text.contains(died), "{every}\n{text}");
        for file in ["report.json", "report.txt", "index.html"] {
            let report = std::fs::read_to_string(directory.path().join("reports/latest").join(file)).expect("a report");
            assert!(report.contains(died), "{every}: {file}");
        }
        assert!(started.elapsed() < Duration::from_secs(120), "{every}: {:?}", started.elapsed());
    }
}

/// The engine `model` uses the specification of the run.
#[test]
fn the_model_uses_the_specification_of_the_run() {
    let directory = directory();
    let specs = directory.path().join("specs");
    std::fs::create_dir(&specs).expect("a directory");
    for entry in std::fs::read_dir(root().join("specs")).expect("specs").flatten() {
        if entry.path().is_file() {
            std::fs::copy(entry.path(), specs.join(entry.file_name())).expect("a copy");
        }
    }
    let suq = specs.join("suq.yaml");
    let text = std::fs::read_to_string(&suq).expect("suq.yaml");
    let edited = text.replace("ptx: \"1.5\"", "ptx: \"4.0\"");
    assert_ne!(text, edited, "the text to edit was not found");
    std::fs::write(&suq, edited).expect("an edited specification");
    let mut arguments = vec!["--specs", specs.to_str().expect("text")];
    let boundaries = ["run", "suq", "--random", "0", "--no-execution", "--engine", "model"];
    arguments.extend(boundaries);
    let (code, text) = code_and_text(&command(directory.path(), &arguments).output().expect("the binary starts"));
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn a_report_deletes_only_its_own_files() {
    let directory = directory();
    for name in ["../../escape", "/tmp/escape", "..", ".", "", "a/b"] {
        let (code, text) = run(directory.path(), &["model"], &["--no-execution", "--name", name]);
        assert!(code == Some(2) && text.contains("is not a report name"), "{name}: {text}");
    }
    let cases = directory.path().join("reports/own/cases");
    std::fs::create_dir_all(&cases).expect("a directory");
    std::fs::write(cases.join("notes.txt"), "mine").expect("a file");
    std::fs::write(cases.join("0123456789abcdef.ptx"), "an earlier case").expect("a file");
    let (code, text) = run(directory.path(), &["model"], &["--no-execution", "--name", "own"]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(std::fs::read_to_string(cases.join("notes.txt")).expect("it is still there"), "mine");
    assert!(!cases.join("0123456789abcdef.ptx").exists());
}

/// Escape sequences in messages of engines are shown as text.
#[test]
fn escape_sequences_of_engines_are_shown_as_text() {
    let directory = directory();
    let (code, text) = run(directory.path(), &[&engine("escapes")], &["--no-execution"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("\\u{1b}[31mred\\u{7} \\u{202e}back"), "{text}");
    let mut texts = vec![text];
    let report = directory.path().join("reports/latest");
    let folders = [report.clone(), report.join("cases")];
    for entry in folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("a folder").flatten()) {
        texts.extend(std::fs::read_to_string(entry.path()));
    }
    assert!(texts.len() > 4);
    for text in texts {
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text}");
    }
}

/// Other users can read a report, if they can read a new file.
#[test]
#[cfg(unix)]
fn reports_have_the_usual_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = directory();
    run(directory.path(), &["model"], &["--no-execution"]);
    let plain = directory.path().join("plain");
    std::fs::write(&plain, "").expect("a file");
    let mode = |path: PathBuf| path.metadata().expect("a file").permissions().mode();
    assert_eq!(mode(directory.path().join("reports/latest/report.json")), mode(plain));
}

/// What comes out otherwise when asked again is no finding, no new mismatch, and no agreement.
#[test]
fn an_engine_that_wavers_neither_agrees_nor_disagrees() {
    let directory = directory();
    // Each line for the first time, so also the manual's example.
    let wavers = engine(&format!("wavers 1 {}", model()));
    let (code, text) = run(directory.path(), &[&wavers], &["--no-execution", "--jobs", "1", "--no-matrix"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("unexpected: 0"), "{text}");
    let wavers = engine(&format!("wavers 5 {}", model()));
    let (code, text) = run(directory.path(), &[&wavers], &["--no-execution", "--jobs", "1", "--no-matrix"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("could not judge: failing@") && text.contains(" is unstable: "), "{text}");
    assert!(text.contains("mismatching lines came out otherwise when asked about again; the first: suq."), "{text}");
    assert!(!text.contains("\nfinding ") && text.contains(": 0 new and 0 known mismatch groups"), "{text}");
    let report = std::fs::read_to_string(directory.path().join("reports/latest/index.html")).expect("a page");
    assert!(report.contains(" is unstable: "), "the page says it");
}

/// An engine that fails at every question is abandoned soon, and never counts as agreeing.
#[test]
fn an_engine_that_always_fails_is_abandoned_soon() {
    for mode in ["bits", "null", "count", "outcome", "dies"] {
        let directory = directory();
        let started = Instant::now();
        let engine = engine(mode);
        let arguments =
            ["--specs", specs_of_suq(), "run", "suq", "--random", "0", "--no-boundaries", "--engine", &engine];
        let (code, text) = code_and_text(&command(directory.path(), &arguments).output().expect("the binary starts"));
        let seconds = started.elapsed().as_secs();
        assert!(matches!(code, Some(1 | 2)), "{mode}: {code:?}\n{text}");
        assert!(text.contains("was abandoned"), "{mode}\n{text}");
        assert!(seconds < 60, "{mode}: {seconds} s");
    }
}

/// Starts a run with an engine that hangs, and waits until it hangs; returns the run and the engine's process ids.
#[expect(clippy::zombie_processes, reason = "the callers wait for it; a test that fails earlier ends the process")]
fn hanging(directory: &Path) -> (Child, Vec<String>) {
    let file = directory.join("processes");
    let engine = engine(&format!("hangs '{}'", file.display()));
    let child = command(directory, &small(&[&engine], &["--no-execution", "--jobs", "1"])).spawn();
    let child = child.expect("the binary starts");
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let numbers = std::fs::read_to_string(&file).unwrap_or_default();
        if numbers.lines().count() >= 3 && numbers.ends_with('\n') {
            return (child, numbers.lines().map(str::to_owned).collect());
        }
        assert!(Instant::now() < deadline, "the engine was not asked");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(what: &str, process: &str) -> bool {
    let status = Command::new("kill").args([what, process]).stderr(Stdio::null()).status();
    status.expect("kill").success()
}

/// Whether these processes end within some seconds.
fn end(processes: &[String]) -> bool {
    let deadline = Instant::now() + Duration::from_secs(10);
    // `kill -0` also finds a zombie.
    let runs = |process: &String| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        signal("-0", process) && !stat.rsplit(") ").next().unwrap_or_default().starts_with('Z')
    };
    while processes.iter().any(runs) {
        if deadline < Instant::now() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}

#[test]
fn no_process_outlives_a_killed_run() {
    let directory = directory();
    let (mut child, processes) = hanging(directory.path());
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert!(end(&processes), "{processes:?} still run");
}

#[test]
fn a_terminated_run_ends_and_reports() {
    let directory = directory();
    let (child, processes) = hanging(directory.path());
    let started = Instant::now();
    assert!(signal("-TERM", &child.id().to_string()));
    let (code, text) = code_and_text(&child.wait_with_output().expect("it ends"));
    assert_eq!(code, Some(2), "{text}");
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    // What was being asked was not judged, and the engine is not blamed for that.
    assert!(text.contains("was interrupted") && !text.contains("timed out"), "{text}");
    assert!(directory.path().join("reports/latest/report.json").exists(), "{text}");
    assert!(end(&processes), "{processes:?} still run");
}

/// If rules leave nothing valid, the message names them and where they are.
#[test]
fn rules_that_contradict_each_other_are_named() {
    let directory = directory();
    let specs = directory.path().join("specs");
    std::fs::create_dir(&specs).expect("a directory");
    for entry in std::fs::read_dir(root().join("specs")).expect("specs").flatten() {
        let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
        if entry.file_name() == "suq.yaml" || !text.is_empty() && !text.contains("\ninstruction: ") {
            std::fs::write(specs.join(entry.file_name()), text).expect("a copy");
        }
    }
    let suq = specs.join("suq.yaml");
    let text = std::fs::read_to_string(&suq).expect("suq.yaml");
    let edited = text
        .replace("needs: { ptx: \"1.5\" }", "require: { query: .width }")
        .replace("when: { query: .memory_layout }\n    needs: { ptx: \"4.2\" }", "require: { query: .height }");
    std::fs::write(&suq, edited).expect("an edited specification");
    let arguments = ["--specs", specs.to_str().expect("text"), "spec", "lint"];
    let (code, text) = code_and_text(&command(directory.path(), &arguments).output().expect("the binary starts"));
    assert!(matches!(code, Some(1 | 2)), "{text}");
    for part in ["suq.yaml", "contradict each other", "/introduced`: ", "/memory-layout-query`: "] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}
