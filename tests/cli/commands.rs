//! The command line: each `tests/cli/*.txt` is a transcript, replayed in `tests/cli`.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use crate::transcript::{self, arguments};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli")
}

fn command(arguments: &[String]) -> Command {
    transcript::command(&directory(), arguments)
}

/// Runs a command to its end.
fn run(arguments: &[String], input: Vec<u8>) -> Output {
    transcript::run(&directory(), arguments, input)
}

#[test]
fn commands_print_the_expected_output() {
    transcript::replay_all(&directory());
}

fn spawn(line: &str) -> Child {
    command(&arguments(line)).spawn().expect("the binary starts")
}

#[test]
fn a_closed_stdout_is_not_an_error() {
    for line in ["generate suld --strategy all", "spec schema", "spec show ld", "--help"] {
        let mut child = spawn(line);
        let mut stdout = BufReader::with_capacity(64, child.stdout.take().expect("stdout is a pipe"));
        stdout.read_line(&mut String::new()).expect("a line");
        drop(stdout);
        let mut stderr = String::new();
        child.stderr.take().expect("stderr is a pipe").read_to_string(&mut stderr).expect("text");
        let status = child.wait().expect("it ends");
        assert_eq!((status.code(), stderr.as_str()), (Some(0), ""), "{line}");
    }
}

#[test]
fn judge_answers_each_line_before_it_waits_for_the_next() {
    let mut child = spawn("judge --allow-unknown");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
    for _ in 0..3 {
        stdin.write_all(b"{\"line\": \"nop;\", \"ptx\": \"8.0\", \"target\": \"sm_80\"}\n{\"li").expect("it reads");
        let mut answer = String::new();
        stdout.read_line(&mut answer).expect("an answer");
        assert_eq!(answer, "{\"verdict\":\"unknown\",\"rules\":[]}\n");
        stdin.write_all(b"ne\": 1}\n").expect("it reads");
        answer.clear();
        stdout.read_line(&mut answer).expect("an answer");
        assert!(answer.starts_with("{\"error\":"), "{answer}");
    }
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn judge_survives_input_that_is_not_json() {
    let mut input = b"\xff\xfe\x00\n\n  \r\n[[[\n\"\n{\"line\"".to_vec();
    input.extend(std::iter::repeat_n(b'[', 100_000));
    input.extend(b"\n{\"line\": \"");
    input.extend(std::iter::repeat_n(b'x', 17 << 20));
    input.extend(b"\"}\n{\"line\": \"nop;\", \"ptx\": \"8.0\", \"target\": \"sm_80\"}");
    let output = run(&["judge".to_owned()], input);
    assert!(output.status.success());
    let answers = String::from_utf8(output.stdout).expect("text");
    let errors: Vec<bool> = answers.lines().map(|line| line.starts_with("{\"error\":")).collect();
    assert_eq!(errors, [true, true, true, true, true, false], "{answers}");
}

#[test]
fn judge_agrees_with_the_intent_of_generate() {
    let generated = "generate --what all --strategy random --count 2000 --seed 1 --format jsonl";
    let requests = run(&arguments(generated), Vec::new()).stdout;
    let answers = run(&["judge".to_owned()], requests.clone()).stdout;
    let (requests, answers) = (String::from_utf8(requests).expect("text"), String::from_utf8(answers).expect("text"));
    assert_eq!(requests.lines().count(), 2000);
    assert_eq!(answers.lines().count(), 2000);
    let mut same = 0;
    for (request, answer) in requests.lines().zip(answers.lines()) {
        let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
        let (asked, answered) = (parse(request), parse(answer));
        let rules = asked.get("breaks").into_iter().cloned().collect::<Vec<_>>();
        // Of a line with several optional operands, or of several forms, it may be unclear which rule it breaks.
        let names =
            |of: &serde_json::Value| of.as_str().and_then(|id| id.split_once('/').map(|(name, _)| name.to_owned()));
        let opcodes = |rules: &[serde_json::Value]| rules.iter().map(names).collect::<std::collections::BTreeSet<_>>();
        let found = answered["rules"].as_array().expect("a list of rules");
        let of_one = opcodes(found).len() <= 1 && found.is_empty() == rules.is_empty();
        assert!(*found == rules || of_one, "{request}\n{answer}");
        same += usize::from(*found == rules);
        assert_eq!(answered["verdict"], if rules.is_empty() { "valid" } else { "invalid" }, "{request}\n{answer}");
    }
    assert!(same > 1900, "{same} of 2000 lines break exactly the rule that they were made to break");
}

/// Runs a command in a directory; returns its exit code and what it prints.
fn text_of(directory: &Path, line: &str) -> (Option<i32>, String) {
    let mut command = command(&arguments(line));
    let output = command.current_dir(directory).stdin(Stdio::null()).output().expect("the binary ends");
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text"));
    (output.status.code(), text.concat())
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/execute.py")
}

fn temporary() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory can be made")
}

#[test]
fn a_run_executes_on_the_available_engines() {
    let directory = temporary();
    let run = format!("run suld --depth pairs --engine 'exec:python3 {}' --reports reports", example().display());
    let (code, text) = text_of(directory.path(), &run);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("not asked: recordings: there are none in corpus/recordings\n"), "{text}");
    if ptx_conform::engine::gpu::probe(&ptx_conform::shipped::spec().expect("a sound specification").isa).is_err() {
        assert!(text.contains("\nnot asked: gpu: no CUDA driver"), "{text}");
    }
    assert!(text.contains("\nagreed: 0 new and 0 known mismatch groups; ") && text.contains("\nloads@1.0: "), "{text}");
    let (code, text) = text_of(directory.path(), &format!("{run} --no-execution"));
    assert!(code == Some(2) && text.contains("\ncould not judge: 0 new and 0 known mismatch groups\n"), "{text}");
    assert!(!text.contains("rows tried") && !text.contains("not asked: "), "{text}");
}

/// `run --exhaustive` keeps what is done, and does it once.
#[test]
fn whole_domains_are_walked() {
    let directory = temporary();
    let walk = |opcode: &str| text_of(directory.path(), &format!("run cnot --exhaustive={opcode} --engine model"));
    for _ in 0..2 {
        let (code, text) = walk("cnot.b16");
        assert_eq!(code, Some(0), "{text}");
        assert!(text.ends_with("1 line: 65536 inputs executed, 0 differ\n"), "{text}");
        let kept = std::fs::read_to_string(directory.path().join("reports/latest/exhaustive.jsonl")).expect("a file");
        assert_eq!(kept.lines().count(), 2, "a header and a part");
    }
    let (code, text) = walk("cnot.f16");
    assert!(code == Some(2) && text.contains("up to 32 there are cnot.b16, cnot.b32\n"), "{text}");
}

/// The command of a deeper run names all engines as the run did, and the options that choose what is asked about.
#[test]
fn the_command_of_a_deeper_run_runs() {
    let directory = temporary();
    let judge = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/judge.py");
    let asked = format!(
        "--engine 'exec:python3 {}' --engine 'exec:python3 {}' --random 0 --no-boundaries",
        judge.display(),
        example().display()
    );
    let (code, text) = text_of(directory.path(), &format!("run suq {asked} --reports reports"));
    assert_eq!(code, Some(1), "{text}");
    let deeper = text.lines().find(|line| line.starts_with("a deeper run would add: ")).expect("a deeper run");
    let (_, command) = deeper.split_once(": ptx-conform ").expect("a command");
    assert_eq!(arguments(command), arguments(&format!("run --depth pairs suq {asked}")));
    let (code, again) = text_of(directory.path(), command);
    assert_eq!(code, Some(1), "{again}");
    for name in ["suq-judge@1.0: ", "loads@1.0: "] {
        assert!(again.lines().any(|line| line.starts_with(name)), "{again}");
    }
}

#[test]
fn the_case_of_a_finding_reproduces_it() {
    let directory = temporary();
    let text = std::fs::read_to_string(example()).expect("the example");
    let edge = "if 0 <= x <= len(data)";
    assert!(text.contains(edge));
    let engine = directory.path().join("engine.py");
    std::fs::write(&engine, text.replace(edge, "if 0 <= x < len(data)")).expect("it is written");
    let (code, text) =
        text_of(directory.path(), "run suld --depth pairs --engine 'exec:python3 engine.py' --reports reports");
    assert!(code == Some(1) && text.contains("\ndisagreed: "), "{text}");
    let title = text.lines().find(|line| line.starts_with("finding ")).expect("a finding");
    assert!(title.contains(": loads computes wrong results in suld.b when { ") && title.contains("x: "), "{title}");
    let cases = std::fs::read_dir(directory.path().join("reports/latest/cases")).expect("cases");
    let cases: Vec<String> = cases.map(|case| case.expect("a case").path().display().to_string()).collect();
    assert!(!cases.is_empty());
    for case in cases {
        let (code, text) = text_of(directory.path(), &format!("execute {case} --engine 'exec:python3 engine.py'"));
        assert!(code == Some(1) && text.contains("\n  loads@1.0 "), "{text}");
        let right = format!("execute {case} --engine 'exec:python3 {}'", example().display());
        let (code, text) = text_of(directory.path(), &right);
        assert!(code == Some(0) && text.contains(": passed\n"), "{text}");
    }
}

#[test]
fn a_run_replays_recordings() {
    let directory = temporary();
    let recorded = |name: &str| std::fs::read_to_string(directory.path().join(name)).expect("a recording");
    let record = "record suq --engine model --cases 20 --rows 4 --today 2027-06-30 --out";
    let (code, text) = text_of(directory.path(), &format!("{record} corpus/recordings/model.jsonl"));
    assert!(code == Some(2) && text.contains("model.jsonl cannot be written; name another file"), "{text}");
    std::fs::create_dir_all(directory.path().join("corpus/recordings")).expect("a folder");
    let (code, text) = text_of(directory.path(), &format!("{record} corpus/recordings/model.jsonl"));
    assert!(code == Some(0) && text.ends_with("in corpus/recordings/model.jsonl\n"), "{text}");
    let (code, _) = text_of(directory.path(), &format!("{record} again.jsonl"));
    assert_eq!(code, Some(0));
    let text = recorded("again.jsonl");
    assert_eq!(recorded("corpus/recordings/model.jsonl"), text);
    assert!(text.lines().next().is_some_and(|line| line.contains("\"date\":\"2027-06-30\"")), "{text}");

    // A run finds recordings by itself, and continues if one cannot be read.
    std::fs::write(directory.path().join("corpus/recordings/broken.jsonl"), "{}\n").expect("it is written");
    let engine = format!("'exec:python3 {}'", example().display());
    let (code, text) = text_of(directory.path(), &format!("run suq --engine {engine} --reports reports"));
    // The requested engine skips every row of suq. The recording must not hide that.
    assert!(code == Some(2) && text.contains("\ncould not judge: loads@1.0 judged nothing\n"), "{text}");
    assert!(text.contains(" (as recorded); "), "{text}");
    assert!(text.contains("\nnot asked: corpus/recordings/broken.jsonl: "), "{text}");

    // A run finds a result that was changed in the recording.
    let changed = with_changed_result(&recorded("again.jsonl"));
    std::fs::write(directory.path().join("wrong.jsonl"), changed).expect("it is written");
    let run = "run suq --engine recording:wrong.jsonl --reports reports";
    std::fs::remove_dir_all(directory.path().join("corpus")).expect("it is there");
    let (code, text) = text_of(directory.path(), run);
    assert!(code == Some(1) && text.contains("model computes wrong results in suq.query: a register\n"), "{text}");

    // One engine skips every row, another does not execute at all.
    let (code, text) = text_of(directory.path(), &format!("record suq --engine {engine} --out none.jsonl"));
    assert!(code == Some(2) && text.starts_with("recorded 0 rows of loads@1.0"), "{text}");
    let judge = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/judge.py");
    let judge = format!("record suq --engine 'exec:python3 {}' --out none.jsonl", judge.display());
    let (code, text) = text_of(directory.path(), &judge);
    assert!(code == Some(2) && text.contains("nothing can be recorded: "), "{text}");
}

/// The recording with another result for the first row of the first `suq.width` case.
fn with_changed_result(recording: &str) -> String {
    let (mut width, mut done) = (false, false);
    let lines = recording.lines().map(|line| {
        if line.starts_with('{') {
            width = line.contains("suq.width");
        } else if width && !done && line.starts_with("[[") {
            let (row, _) = line.rsplit_once(",[").expect("registers");
            done = true;
            return format!("{row},[\"77\"]]\n");
        }
        format!("{line}\n")
    });
    lines.collect()
}

#[test]
fn the_schemas_in_the_repository_match_the_code() {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/schema");
    for name in [
        "instruction",
        "directive",
        "isa",
        "divergences",
        "vocabulary",
        "export",
        "report",
        "history",
        "matrix",
        "toolchains",
        "releases",
        "contrast",
        "defects",
        "blame",
        "launch",
    ] {
        let path = schemas.join(format!("{name}.json"));
        let schema = run(&arguments(&format!("spec schema {name}")), Vec::new()).stdout;
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, schema).expect("the file is written");
        } else {
            let kept = std::fs::read(&path).expect("a schema");
            assert!(kept == schema, "{} is not what `spec schema {name}` prints; BLESS=1 rewrites it", path.display());
        }
    }
}

/// What `examples/modifiers.py` says of the modifiers of lines: whether some operands make a valid line with them.
fn modifiers_by_the_export(specification: &Path, requests: &[u8]) -> Vec<bool> {
    let reader = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/modifiers.py");
    let mut python = Command::new("python3");
    let python = python.arg(reader).arg(specification).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = python.spawn().expect("Python starts");
    let (mut stdin, requests) = (child.stdin.take().expect("stdin is a pipe"), requests.to_vec());
    let writing = std::thread::spawn(move || stdin.write_all(&requests));
    let output = child.wait_with_output().expect("it ends");
    writing.join().expect("no panic").expect("it reads");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| line == "{\"verdict\": \"valid\"}").collect()
}

/// Of the rules of an exported specification, those that only modifiers and the environment can break.
fn rules_of_modifiers(exported: &serde_json::Value) -> std::collections::BTreeSet<String> {
    let list = |of: &serde_json::Value| of.as_array().cloned().unwrap_or_default();
    let (mut only, mut others) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
    for form in list(&exported["instructions"]).iter().flat_map(|of| list(&of["forms"])) {
        let slots: Vec<_> = list(&form["slots"]).iter().map(|slot| slot["axis"].clone()).collect();
        let is_plain =
            |axis: &str| ["ptx", "target", "address_size"].contains(&axis) || slots.iter().any(|of| of == axis);
        for rule in list(&form["rules"]) {
            let forbids = list(&rule["forbids"]);
            let axes = || forbids.iter().flat_map(|of| of.as_object().into_iter().flat_map(|of| of.keys()));
            let of_modifiers = !forbids.is_empty() && axes().all(|axis| is_plain(axis));
            let id = rule["id"].as_str().expect("an id").to_owned();
            if of_modifiers {
                only.insert(id)
            } else {
                others.insert(id)
            };
        }
    }
    only.difference(&others).cloned().collect()
}

#[test]
fn a_program_that_reads_the_export_agrees_with_judge() {
    let directory = temporary();
    let specification = directory.path().join("ptx.json");
    let exported = run(&arguments("spec export"), Vec::new()).stdout;
    std::fs::write(&specification, &exported).expect("it is written");
    let of_modifiers = rules_of_modifiers(&serde_json::from_slice(&exported).expect("JSON"));
    let (mut valid, mut invalid) = (0, 0);
    for (ptx, target) in [("8.8", "sm_100a"), ("6.5", "sm_75")] {
        for what in ["valid", "all"] {
            let generated = format!(
                "generate --what {what} --strategy random --count 400 --seed 4 --ptx {ptx} --target {target} --format jsonl"
            );
            let requests = run(&arguments(&generated), Vec::new()).stdout;
            let judged = run(&["judge".to_owned()], requests.clone()).stdout;
            let judged = String::from_utf8(judged).expect("text");
            let said = modifiers_by_the_export(&specification, &requests);
            assert_eq!(said.len(), 400);
            for (judged, said) in judged.lines().zip(said) {
                let answer: serde_json::Value = serde_json::from_str(judged).expect("JSON");
                let rules = answer["rules"].as_array().expect("a list of rules");
                if answer["verdict"] == "valid" {
                    assert!(said, "{judged}");
                    valid += 1;
                } else if rules.iter().any(|rule| rule.as_str().is_some_and(|rule| of_modifiers.contains(rule))) {
                    assert!(!said, "{judged}");
                    invalid += 1;
                }
            }
        }
    }
    assert!(valid > 750 && invalid > 150, "{valid} valid lines, {invalid} with modifiers that are not");
}
