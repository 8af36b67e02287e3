//! The engine protocol: a fault of an engine is attributed to exactly the line or row that caused it, and all others
//! are answered. The examples of docs/protocol.md work.
//!
//! The engines are `tests/protocol/*.py` and `examples/*.py`.

use std::fmt::Debug;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use libtest_mimic::{Failed, Trial};
use ptx_conform::engine::external::check::{CheckOutcome, check as checked};
use ptx_conform::engine::external::{EngineLimits, External};
use ptx_conform::engine::protocol::{Request, Response};
use ptx_conform::engine::recording::{Provenance, Recording};
use ptx_conform::engine::{Batch, CaseExecutor, Depth, Engine, LineJudge, Outcome};
use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::line_case::{Answer, LineCase, Returned};
use ptx_conform::ptx::{Context, Scaffold};
use serde_json::Value;

/// What an engine does on one line or row, and how the message that is reported begins.
pub(crate) const FAULTS: [(&str, &str); 18] = [
    ("exits", "it exited with code 3\nsomething broke"),
    ("dies", "signal 11"),
    ("answers-and-dies", "it exited with code 4"),
    ("leaves-a-child", ""),
    ("hangs", "it did not answer in time"),
    ("floods", "it wrote a line of more than 65536 bytes"),
    ("floods-stderr", "it did not answer in time"),
    ("garbage", "its answer is not a response: `Traceback:"),
    ("deep", "its answer is not a response: `[[["),
    ("twice", ""),
    ("other-id", "it answered another request"),
    ("other-kind", "it answered another request"),
    ("too-few", "it answered with a wrong number of "),
    ("too-many", "it answered with a wrong number of "),
    ("half-a-line", "it exited with code 0, in the middle of the line `{\""),
    ("chatters", ""),
    ("refuses", "hostile@1.0: not this"),
    ("noisy", ""),
];

/// Faults that make an engine unusable, and part of the message that is reported.
const UNUSABLE: [(&str, &str); 6] = [
    ("dies-after-hello", "asked to execute nothing: it exited with code 6"),
    ("reads-no-more", "asked to execute nothing: it did not answer in time"),
    ("reads-nothing", "asked for `hello`: it did not answer in time"),
    ("other-protocol", "it speaks version 99 of the protocol"),
    ("odd-name", "its name is `../hostile`"),
    ("odd-version", "its version is `new`"),
];

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (fault, words) in FAULTS {
        trials.push(Trial::test(format!("a_fault_on_a_line::{fault}"), move || a_line(fault, words)));
        trials.push(Trial::test(format!("a_fault_on_a_row::{fault}"), move || a_row(fault, words)));
    }
    for (fault, words) in UNUSABLE {
        trials.push(Trial::test(format!("an_unusable_engine::{fault}"), move || unusable(fault, words)));
    }
    for engine in ["examples/judge.py", "examples/execute.py", "examples/modules.py", "tests/protocol/zeros.py"] {
        trials.push(Trial::test(format!("the_check_passes::{engine}"), move || passes(&python(engine, ""))));
    }
    for (name, test) in [
        ("an_engine_that_dies_now_and_then_is_restarted", dies_now_and_then as fn() -> Result<(), Failed>),
        ("lines_that_fail_only_together_are_noted", together),
        ("a_slow_start_is_not_a_fault", slow_start),
        ("an_engine_that_always_fails_is_abandoned", abandoned),
        ("an_engine_that_always_hangs_is_abandoned", hangs_everywhere),
        ("an_unknown_ability_is_ignored", new_ability),
        ("processes_with_another_version_are_not_asked", other_version),
        ("processes_are_reused_and_ended", ended),
        ("the_check_names_what_is_wrong", the_check_names_what_is_wrong),
        ("the_messages_of_the_page_can_be_read", messages_of_the_page),
        ("the_engine_of_the_page_passes_the_check", engine_of_the_page),
        ("the_example_executes", the_example_executes),
        ("a_run_takes_an_engine_and_a_recording", a_run),
        ("directives_are_judged_in_modules_of_their_own", directives),
        ("a_recording_answers_as_the_engine_did", recording),
        ("unreadable_lines_of_a_recording_are_reported", unreadable),
    ] {
        trials.push(Trial::test(name, test));
    }
    trials
}

pub(crate) fn check(condition: bool, message: impl Into<String>) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(message.into().into()) }
}

pub(crate) fn same<T: PartialEq + Debug>(found: &T, expected: &T) -> Result<(), Failed> {
    check(found == expected, format!("expected {expected:?}, found {found:?}"))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn python(file: &str, argument: &str) -> String {
    format!("python3 -ES '{}' {argument}", root().join(file).display())
}

pub(crate) fn limits() -> EngineLimits {
    let (start, request) = (Duration::from_secs(20), Duration::from_secs(1));
    EngineLimits { start, request, response: 1 << 16, faults: 40, ..EngineLimits::default() }
}

pub(crate) fn open(fault: &str) -> Result<External, Failed> {
    let hangs = matches!(fault, "hangs" | "floods-stderr");
    let request = if hangs { Duration::from_millis(500) } else { limits().request };
    let limits = EngineLimits { request, ..limits() };
    Ok(External::with_limits(&python("tests/protocol/hostile.py", fault), limits)?)
}

const LINES: [&str; 8] = ["a;", "b;", "c;", "d;", "e;", "guilty;", "f;", "g;"];

pub(crate) fn batch<'a>(lines: &[&'a str]) -> Batch<'a> {
    let environment = Environment {
        ptx: "7.0".parse().expect("a version"),
        target: "sm_80".parse().expect("a target"),
        address_size: AddressSize::Bits64,
    };
    Batch { environment, scaffold: Scaffold::default(), lines: lines.to_vec(), mostly_invalid: false }
}

fn judge(engine: &External) -> Vec<Outcome> {
    engine.judge(&batch(&LINES), Depth::Check)
}

/// Two cases, the second with a bad row.
fn cases() -> Vec<LineCase> {
    let case = |rows: &str| {
        let text = r#"{"ptx": "7.0", "target": "sm_80", "declarations": "", "line": "not.b32 %r1, %r2;",
            "inputs": [{"register": "%r2", "bits": 32, "holds": "bits"}],
            "outputs": [{"register": "%r1", "bits": 32}], "rows": "#;
        serde_json::from_str(&format!("{text}{rows}}}")).expect("a case")
    };
    vec![case(r#"[["1"], ["2"], ["3"]]"#), case(r#"[["1"], ["2"], ["3"], ["bad"], ["4"]]"#)]
}

fn returned(registers: &[u128]) -> Answer {
    Answer::Returned(Returned { registers: registers.to_vec(), ..Returned::default() })
}

fn a_line(fault: &str, words: &str) -> Result<(), Failed> {
    let engine = open(fault)?;
    for (line, outcome) in LINES.iter().zip(judge(&engine)) {
        let found = match (&outcome, fault) {
            (Outcome::Accepted, "noisy") => continue,
            (Outcome::TimedOut, "hangs" | "floods-stderr") if *line == "guilty;" => continue,
            (Outcome::Skipped(why), "refuses") if *line == "guilty;" => why,
            (Outcome::Crashed(why), _) if *line == "guilty;" => why,
            (Outcome::Accepted, _) if *line != "guilty;" => continue,
            _ => return Err(format!("{line} {outcome:?}").into()),
        };
        check(found.starts_with(words), format!("{line} {found}"))?;
    }
    same(&engine.notes(), &Vec::new())?;
    // A line that the engine refuses to answer is lost; any other fault is an outcome.
    same(&lost(&engine), &u64::from(fault == "refuses"))
}

fn a_row(fault: &str, words: &str) -> Result<(), Failed> {
    let engine = open(fault)?;
    let (cases, fine) = (cases(), returned(&[7]));
    for (case, answers) in cases.iter().zip(engine.execute(&cases)) {
        same(&answers.len(), &case.rows.len())?;
        for (row, answer) in case.rows.iter().zip(answers) {
            let bad = row == [0xbad];
            let found = match &answer {
                answer if *answer == fine && (!bad || fault == "noisy") => continue,
                Answer::Skipped(why) if bad && fault == "refuses" => why,
                Answer::Failed(why) if bad => why,
                _ => return Err(format!("{row:x?} {answer:?}").into()),
            };
            check(found.starts_with(words), format!("{row:x?} {found}"))?;
        }
    }
    Ok(())
}

fn unusable(fault: &str, words: &str) -> Result<(), Failed> {
    let quick = EngineLimits { start: Duration::from_millis(1500), ..limits() };
    let limits = if fault.starts_with("reads") { quick } else { limits() };
    match External::with_limits(&python("tests/protocol/hostile.py", fault), limits) {
        Ok(_) => Err("it was opened".into()),
        Err(error) => check(error.to_string().contains(words), error.to_string()),
    }
}

fn dies_now_and_then() -> Result<(), Failed> {
    let engine = open("dies-now-and-then")?;
    for _ in 0..6 {
        same(&engine.judge(&batch(&["a;", "b;", "c;"]), Depth::Check), &vec![Outcome::Accepted; 3])?;
        same(&engine.judge(&batch(&["a;"]), Depth::Check), &vec![Outcome::Accepted])?;
    }
    Ok(())
}

fn together() -> Result<(), Failed> {
    let engine = open("dies-of-many")?;
    same(&judge(&engine), &vec![Outcome::Accepted; 8])?;
    let notes = engine.unexplained();
    check(notes.len() == 1 && notes[0].contains("8 lines together, but on none of them alone"), format!("{notes:?}"))
}

fn slow_start() -> Result<(), Failed> {
    let engine = open("starts-slowly")?;
    same(&engine.id().to_string(), &"hostile@1.0".to_owned())?;
    let lines = ["a;", "b;"];
    same(&engine.judge(&batch(&lines), Depth::Check), &vec![Outcome::Accepted; 2])
}

fn abandoned() -> Result<(), Failed> {
    let few = EngineLimits { faults: 12, ..limits() };
    let engine = External::with_limits(&python("tests/protocol/hostile.py", "exits"), few)?;
    let outcomes = engine.judge(&batch(&["guilty;"; 64]), Depth::Check);
    let crashed = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Crashed(_))).count();
    let why = |outcome: &Outcome| match outcome {
        Outcome::Skipped(why) => why.contains("was abandoned on one batch after 12 failures"),
        outcome => matches!(outcome, Outcome::Crashed(_)),
    };
    check((1..12).contains(&crashed) && outcomes.iter().all(why), format!("{outcomes:?}"))
}

/// How many lines and rows an engine lost.
pub(crate) fn lost(engine: &External) -> u64 {
    engine.losses().values().sum()
}

/// An engine that always hangs costs a few time-outs, not one for each line.
fn hangs_everywhere() -> Result<(), Failed> {
    let (request, patience) = (Duration::from_millis(300), Duration::from_secs(2));
    let limits = EngineLimits { request, patience, ..limits() };
    let engine = External::with_limits(&python("tests/protocol/hostile.py", "hangs"), limits)?;
    let started = std::time::Instant::now();
    for _ in 0..3 {
        let outcomes = engine.judge(&batch(&["guilty;"; 64]), Depth::Check);
        let skipped = outcomes
            .iter()
            .any(|outcome| matches!(outcome, Outcome::Skipped(why) if why.contains("it did not answer for ")));
        check(skipped, format!("{outcomes:?}"))?;
    }
    check(lost(&engine) > 100, format!("{:?}", engine.losses()))?;
    check(started.elapsed() < Duration::from_secs(15), format!("{:?}", started.elapsed()))
}

fn new_ability() -> Result<(), Failed> {
    let engine = open("new-ability")?;
    same(&judge(&engine), &vec![Outcome::Accepted; 8])?;
    check(engine.as_executor().is_some(), "it executes")
}

/// An answer of another version never counts as one of the first.
fn other_version() -> Result<(), Failed> {
    let engine = open("other-version")?;
    let outcomes = judge(&engine);
    let refused = |outcome: &Outcome| matches!(outcome, Outcome::Skipped(why) if why.contains("now answers `hello` differently, as hostile@1."));
    check(outcomes.iter().all(refused), format!("{outcomes:?}"))?;
    same(&lost(&engine), &8)
}

/// Each thread that asks has one process, which ends with the engine.
fn ended() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let counting =
        format!("echo $$ >> '{}/pids'; exec {}", directory.path().display(), python("tests/protocol/zeros.py", ""));
    let engine = External::with_limits(&format!("sh -c \"{counting}\""), limits())?;
    for _ in 0..5 {
        same(&engine.execute(&cases()).concat().len(), &8)?;
    }
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| engine.execute(&cases()));
        }
    });
    drop(engine);
    let pids = std::fs::read_to_string(directory.path().join("pids"))?;
    check((1..=4).contains(&pids.lines().count()), format!("{pids:?}"))?;
    for pid in pids.lines() {
        let alive = Command::new("sh").args(["-c", &format!("kill -0 {pid} 2>&1")]).output()?.status.success();
        check(!alive, format!("{pid} is alive"))?;
    }
    Ok(())
}

fn passes(command: &str) -> Result<(), Failed> {
    let checks = checked(command, EngineLimits::default())?;
    let wrong: Vec<_> = checks.iter().filter(|check| matches!(check.found, CheckOutcome::Wrong(_))).collect();
    check(wrong.is_empty() && checks.len() > 10, format!("{wrong:#?}"))
}

fn the_check_names_what_is_wrong() -> Result<(), Failed> {
    let wrong = |command: &str| -> Result<Vec<&str>, Failed> {
        let checks = checked(command, limits())?;
        let wrong = checks.iter().filter(|check| matches!(check.found, CheckOutcome::Wrong(_)));
        Ok(wrong.map(|check| check.name).collect())
    };
    same(&wrong("echo hello")?, &vec!["writes nothing before it is asked"])?;
    same(&wrong("cat")?, &vec!["answers `hello` with `hello`"])?;
    let found = wrong(&python("tests/protocol/hostile.py", "dies-of-many"))?;
    check(found.contains(&"judges a large batch"), format!("{found:?}"))?;
    check(checked("./no-such-program", limits()).is_err(), "it was started")
}

/// The fenced blocks of the page in this language.
fn blocks(language: &str) -> Vec<&'static str> {
    let page = include_str!("../../docs/protocol.md");
    let parts = page.split("```").skip(1).step_by(2);
    parts.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n')).collect()
}

/// Whether every field of a message was read: unknown fields are ignored.
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, part)| whole.get(key).is_some_and(|whole| contains(whole, part)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(whole, part)| contains(whole, part))
        }
        _ => whole == part,
    }
}

fn messages_of_the_page() -> Result<(), Failed> {
    let mut messages = 0;
    for block in blocks("json") {
        for value in serde_json::Deserializer::from_str(block).into_iter::<Value>() {
            let value = value.map_err(|error| format!("{error}: {block}"))?;
            let request = serde_json::from_value::<Request>(value.clone()).map(serde_json::to_value);
            let response = serde_json::from_value::<Response>(value.clone()).map(serde_json::to_value);
            let why = format!("{value}: {:?}, {:?}", request.as_ref().err(), response.as_ref().err());
            let understood = [request, response].into_iter().flatten().flatten().any(|read| contains(&read, &value));
            check(understood, why)?;
            messages += 1;
        }
    }
    check(messages >= 8, format!("the page has {messages} messages"))
}

fn engine_of_the_page() -> Result<(), Failed> {
    let [engine] = blocks("python")[..] else { return Err("the page has one engine".into()) };
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("engine.py");
    std::fs::write(&file, engine)?;
    passes(&format!("python3 '{}'", file.display()))
}

fn the_example_executes() -> Result<(), Failed> {
    let engine = External::open(&python("examples/execute.py", ""))?;
    let cases: Vec<LineCase> = serde_json::from_str(
        r#"[{"ptx": "7.0", "target": "sm_80", "declarations": "", "line": "suld.b.1d.v2.b16.trap {%h1, %h2}, [s, {%r1}];",
             "surface": {"geometry": "1d", "format": "u32", "width": 2, "data": "0001020304050607"},
             "inputs": [{"register": "%r1", "bits": 32, "holds": "bits"}],
             "outputs": [{"register": "%h1", "bits": 16}, {"register": "%h2", "bits": 16}],
             "rows": [["4"], ["8"], ["1"]]},
            {"ptx": "7.0", "target": "sm_80", "declarations": "", "line": "ld.global.u64 %rd2, [%rd1+8];",
             "variables": [{"name": "g", "space": "global", "data": "00000000000000000102030405060708"}],
             "inputs": [{"register": "%rd1", "bits": 64, "holds": "address", "of": "g", "generic": false}],
             "outputs": [{"register": "%rd2", "bits": 64}], "rows": [["0"], ["fffffffffffffff8"]]}]"#,
    )?;
    let answers = engine.execute(&cases);
    same(&answers[0][0], &returned(&[0x0504, 0x0706]))?;
    check(matches!(answers[0][1], Answer::Trapped(_)), format!("{answers:?}"))?;
    check(matches!(answers[0][2], Answer::Skipped(_)), format!("{answers:?}"))?;
    same(&answers[1], &vec![returned(&[0x0807_0605_0403_0201]), returned(&[0])])
}

/// The reference, served as a program, and an engine without that ability.
fn directives() -> Result<(), Failed> {
    let outside = |context, line| Batch { scaffold: Scaffold { context, ..Scaffold::default() }, ..batch(&[line]) };
    let judged = |engine: &External, context, line| engine.judge(&outside(context, line), Depth::Check).remove(0);
    let served = External::open(&format!("'{}' engine serve model", env!("CARGO_BIN_EXE_ptx-conform")))?;
    for (context, line, accepted) in [
        (Context::Module, ".global .align 8 .b32 v[2];", true),
        (Context::Module, ".global .align 3 .b32 v;", false),
        (Context::Module, ".func f(.param .b32 a) { ret; }", true),
        (Context::Header, ".target sm_80, sm_90", false),
        (Context::Header, ".address_size 64", true),
    ] {
        let outcome = judged(&served, context, line);
        check((outcome == Outcome::Accepted) == accepted, format!("{line}: {outcome:?}"))?;
        check(!matches!(outcome, Outcome::Skipped(_)), format!("{line}: {outcome:?}"))?;
    }
    let other = External::open(&python("examples/judge.py", ""))?;
    let outcome = judged(&other, Context::Module, ".global .b32 v;");
    check(matches!(&outcome, Outcome::Skipped(why) if why.contains("outside of bodies")), format!("{outcome:?}"))
}

fn a_run() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let run = |engine: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-conform"));
        command.current_dir(directory.path()).args([
            "run",
            "suq",
            "--random",
            "0",
            "--no-boundaries",
            "--engine",
            engine,
        ]);
        command.output().map(|output| (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned()))
    };
    let (code, report) = run(&format!("exec:{}", python("examples/judge.py", "")))?;
    check(
        code == Some(1) && report.contains("suq-judge@1.0") && report.contains("these operands are not known"),
        report,
    )?;
    let mut recorded =
        Recording::new(Provenance::new(&"kept@1.0".parse().expect("an id"), Default::default(), "2027-06-30", "none"));
    let lines = ["suq.width.b32 %r1, [s];"];
    let added = recorded.add_judged(&batch(&lines), Depth::Check, &[Outcome::Accepted]);
    check(added.is_ok(), format!("{added:?}"))?;
    std::fs::write(directory.path().join("kept.jsonl"), recorded.write())?;
    let (code, report) = run("recording:kept.jsonl")?;
    check(code == Some(2) && report.contains("not in the recording"), report)
}

fn recorded() -> Result<Recording, Failed> {
    let details = [("device", "a device"), ("driver", "580.65")].map(|(key, value)| (key.to_owned(), value.to_owned()));
    let mut recording = Recording::new(Provenance::new(
        &"gpu@580.65".parse().expect("an id"),
        details.into(),
        "2027-06-30",
        "0123456789abcdef",
    ));
    for (at, mut case) in cases().into_iter().enumerate() {
        let mut answers = vec![returned(&[u128::from(u32::MAX)]); case.rows.len()];
        answers[2] = Answer::Trapped("out of bounds".to_owned());
        if at == 1 {
            answers[0] = Answer::Skipped("not now".to_owned());
            answers[3] = Answer::Failed("signal 11".to_owned());
            let surface = r#"{"geometry": "1d", "format": "u8", "width": 4, "data": "00010203"}"#;
            case.surface = Some(serde_json::from_str(surface)?);
            answers[4] = Answer::Returned(Returned {
                registers: vec![1],
                surface: Some(vec![0, 9, 2, 8]),
                ..Returned::default()
            });
        }
        check(recording.add(&case, &answers).is_ok(), "it is new")?;
        check(recording.add(&case, &answers).is_ok(), "it is the same")?;
        answers[1] = returned(&[0]);
        same(&recording.add(&case, &answers), &Err(vec![1]))?;
    }
    let outcomes = [
        Outcome::Accepted,
        Outcome::Rejected("no\nno".to_owned()),
        Outcome::Crashed("signal 11".to_owned()),
        Outcome::TimedOut,
    ];
    let added = recording.add_judged(&batch(&LINES[..4]), Depth::Check, &outcomes);
    check(added.is_ok(), format!("{added:?}"))?;
    Ok(recording)
}

fn recording() -> Result<(), Failed> {
    let recording = recorded()?;
    let text = recording.write();
    let (read, problems) = Recording::read(&text).map_err(|problem| problem.to_string())?;
    same(&problems, &Vec::new())?;
    check(read == recording, &text)?;
    same(&read.write(), &text)?;
    same(&read.len(), &11)?;
    check(
        text.contains("[[\"4\"],{\"changed\":{\"registers\":[\"1\"],\"surface\":[[1,\"09\"],[3,\"08\"]]}}]\n"),
        &text,
    )?;
    check(text.contains("[[\"2\"],[\"ffffffff\"]]\n"), &text)?;
    // The recording answers with what it contains, and with nothing else.
    let kept = read.cases();
    let answers = read.execute(&kept);
    check(answers.concat().iter().all(|answer| *answer != Answer::Skipped("not in the recording".to_owned())), &text)?;
    let traps = |case: &LineCase| case.own_launches.len();
    same(&kept.iter().map(traps).sum::<usize>(), &3)?;
    let mut other = kept[0].clone();
    other.rows.push(&[0x77]);
    let absent = Answer::Skipped("not in the recording".to_owned());
    same(&read.execute(&[other])[0].last(), &Some(&absent))?;
    check(read.executes(&kept[0].environment()).is_ok(), "its environment")?;
    let newer = Environment { ptx: "8.0".parse()?, ..kept[0].environment() };
    check(read.executes(&newer).is_err() && read.supports(&newer, Depth::Check).is_err(), "no other environment")?;
    let outcomes = read.judge(&batch(&LINES[..5]), Depth::Check);
    same(&outcomes[1], &Outcome::Rejected("no\nno".to_owned()))?;
    same(&outcomes[4], &Outcome::Skipped("not in the recording".to_owned()))
}

fn unreadable() -> Result<(), Failed> {
    check(Recording::read("").is_err(), "no header")?;
    let text = recorded()?.write();
    let broken: String = text
        .lines()
        .map(|line| match line {
            line if line.contains("\"surface\":{") => line.replace("\"width\":4", "\"width\":5"),
            line if line.contains("\"a;\"") => line.replace("accepted", "admired"),
            line => line.to_owned(),
        } + "\n")
        .collect();
    let (read, problems) = Recording::read(&broken).map_err(|problem| problem.to_string())?;
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let count = |words: &str| problems.iter().filter(|problem| problem.contains(words)).count();
    check(problems.len() == 3, format!("{problems:#?}"))?;
    check(count("the surface has 5 bytes") == 1, format!("{problems:#?}"))?;
    check(count("lost with the lines above them: 4 rows") == 1, format!("{problems:#?}"))?;
    check(count("admired") == 1, format!("{problems:#?}"))?;
    same(&read.len(), &6)
}
