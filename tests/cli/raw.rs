//! Nothing that the program prints or writes acts on a terminal, a page or a viewer, wherever it comes from: the command
//! line, names of files, what is in them.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::specs_of_suq;

/// It colours, rings, turns the direction of text, and begins a sequence in one character.
const HOSTILE: &str = "\u{1b}[31mX\u{7}\u{202e}Y\u{9b}Z";

fn program(place: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-conform"));
    command.current_dir(place).args(["--specs", specs_of_suq()]).args(arguments).stdin(Stdio::null());
    command.output().expect("the program starts")
}

/// What is raw in a text.
fn raw(text: &[u8]) -> Vec<char> {
    let acts = |c: &char| c.is_control() && !matches!(c, '\n' | '\t') || *c == '\u{202e}';
    String::from_utf8_lossy(text).chars().filter(acts).collect()
}

fn assert_shown(output: &Output, what: &[&str]) {
    for text in [&output.stdout, &output.stderr] {
        assert_eq!(raw(text), [], "{what:?}\n{}", String::from_utf8_lossy(text).escape_debug());
    }
    assert!(matches!(output.status.code(), Some(0..=2)), "{what:?}: {:?}", output.status);
}

#[test]
fn arguments_are_shown_as_text() {
    let place = tempfile::tempdir().expect("a folder");
    // `@` stands for the hostile text.
    for line in [
        "@",
        "--@",
        "explain @",
        "run @",
        "run suq --name @ --engine model",
        "run suq --engine @",
        "run suq --engine exec:@",
        "run suq --engine recording:@",
        "run suq --ptxas @",
        "run suq --seed @",
        "run suq --today @",
        "run suq --shard @",
        "run suq --depth @",
        "run suq --history @/x --engine model",
        "run suq --random 0 --no-boundaries --no-execution --cases 1 --engine model --reports @",
        "record suq --engine model --cases 1 --rows 1 --out @",
        "spec show @",
        "judge --ptx @",
        "report export @ --format markdown",
        "report diff @ @",
        "check @",
        "check @ --format json",
        "check @ --format sarif",
        "check --inline @",
        "replay @",
        "minimize @",
        "execute @",
        "blame @",
        "engine check @",
        "engine check exec:@",
        "generate suq --rule @",
        "matrix @",
        "matrix --against @",
        "defects @",
        "toolchain install @",
    ] {
        let line = line.replace('@', HOSTILE);
        let arguments: Vec<&str> = line.split(' ').collect();
        assert_shown(&program(place.path(), &arguments), &arguments);
    }
    // Two lines are not a name.
    let output = program(place.path(), &["run", "suq", "--engine", "model", "--name", "a\nb"]);
    assert!(output.status.code() == Some(2) && !place.path().join("reports/a\nb").exists(), "{output:?}");
}

#[test]
fn files_are_shown_as_text() {
    let place = tempfile::tempdir().expect("a folder");
    let name = format!("a{HOSTILE}.ptx");
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry a() {{ foo{HOSTILE}.bar %r1; // {HOSTILE}\nld.{HOSTILE}.u32 %r1, [%r2]; }}\n"
    );
    std::fs::write(place.path().join(&name), text).expect("a file");
    for format in ["text", "json", "sarif"] {
        let arguments = ["check", &name, "--format", format];
        let output = program(place.path(), &arguments);
        assert_shown(&output, &arguments);
        if format == "json" {
            let objects = String::from_utf8(output.stdout).expect("text");
            let object: serde_json::Value =
                serde_json::from_str(objects.lines().next().expect("a line")).expect("JSON");
            assert_eq!(object["file"], name, "it stays the name of the file");
        }
    }
    // A case whose id and whose line are hostile.
    let finding = "06aa9b249c4a6b1b";
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/findings").join(finding).with_extension("ptx");
    let case = std::fs::read_to_string(case).expect("a case");
    for (at, from) in [finding, "ptxas", "ld.acquire"].into_iter().enumerate() {
        let name = format!("case{at}.ptx");
        std::fs::write(place.path().join(&name), case.replace(from, &format!("{from}{HOSTILE}"))).expect("a file");
        for command in ["replay", "minimize"] {
            let arguments = [command, &name, "--engine", "model"];
            assert_shown(&program(place.path(), &arguments), &arguments);
        }
    }
}

/// Adds the hostile text to all texts of a report that are no names of something.
fn spoil(data: &mut serde_json::Value, key: &str) {
    match data {
        serde_json::Value::String(text) if ["title", "line", "message", "says", "because", "yaml"].contains(&key) => {
            text.push_str(HOSTILE);
        }
        serde_json::Value::Array(all) => all.iter_mut().for_each(|of| spoil(of, key)),
        serde_json::Value::Object(all) => all.iter_mut().for_each(|(key, of)| spoil(of, key)),
        _ => {}
    }
}

#[test]
fn reports_are_shown_as_text() {
    let place = tempfile::tempdir().expect("a folder");
    let engine = format!("exec:python3 -ES '{}/tests/reliability/engine.py' escapes", env!("CARGO_MANIFEST_DIR"));
    let run = "run suq --random 0 --no-boundaries --cases 1 --no-execution --name a --engine";
    let run: Vec<&str> = run.split(' ').chain([engine.as_str()]).collect();
    assert_eq!(program(place.path(), &run).status.code(), Some(1));
    let file = place.path().join("reports/a/report.json");
    let text = std::fs::read_to_string(&file).expect("a report");
    let mut data: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    spoil(&mut data, "");
    std::fs::write(place.path().join("spoilt.json"), data.to_string()).expect("a file");
    std::fs::write(place.path().join("unknown.json"), text.replace("\"disagreed\"", "\"\\u001b[31m\""))
        .expect("a file");
    for line in [
        "report export spoilt.json --format junit",
        "report export spoilt.json --format markdown",
        "report export spoilt.json --format sarif",
        "report diff spoilt.json reports/a",
        "report diff unknown.json reports/a",
    ] {
        let arguments: Vec<&str> = line.split(' ').collect();
        assert_shown(&program(place.path(), &arguments), &arguments);
    }
}

/// What cannot be printed was not said; and what is no file is written to, not replaced.
#[test]
fn devices_are_written_to() {
    let place = tempfile::tempdir().expect("a folder");
    for line in ["--help", "run --help", "--version", "spec count", "run suq --engine model --no-execution --random 0"]
    {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("/dev/full");
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-conform"));
        command.current_dir(place.path()).args(["--specs", specs_of_suq()]).args(line.split(' ')).stdout(full);
        let output = command.output().expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains("stdout cannot be written to"), "{line}: {said}");
    }
    let record = "record suq --engine model --cases 1 --rows 1 --out";
    for (out, code, says) in
        [("/dev/stdout", 0, "{\"recording\":"), ("/dev/full", 2, ""), ("no/such/folder/x.jsonl", 2, "")]
    {
        let arguments: Vec<&str> = record.split(' ').chain([out]).collect();
        let output = program(place.path(), &arguments);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).starts_with(says), "{output:?}");
        let replaced = std::fs::symlink_metadata(out).is_ok_and(|of| of.is_file());
        assert!(!replaced && !place.path().join("no").exists(), "{out}");
    }
}
