//! Recordings of executors: a replay gives the recorded results, wrong ones are found without the engine, and what can
//! no longer be read is reported and costs nothing else.

use std::collections::BTreeSet;

use ptx_conform::campaign::{self, EngineResult, Options, Progress, RowSource, Subject};
use ptx_conform::causes::{self, Finding, MinimalRow};
use ptx_conform::divergences::Divergences;
use ptx_conform::engine::CaseExecutor;
use ptx_conform::engine::recording::{Provenance, Recording};
use ptx_conform::line_case::{Answer, LineCase, Rows};
use ptx_conform::model;
use ptx_conform::semantics;
use ptx_conform::setup;
use ptx_conform::space::Diagram;

use crate::engine::StandIn;
use crate::mutant::{self, Change, Mistake, Mutant, Mutation, Which};
use crate::shipped::SPEC;

/// The model as an engine.
fn right() -> StandIn<'static> {
    mutant::engine(&SPEC, "planted@1", [])
}

/// The model with a mistake in the forms whose names begin like this.
fn wrong(form: &str, when: &[(&str, &str)], mistake: Mistake<'_>) -> StandIn<'static> {
    let opcode = form.split('.').next().expect("an opcode");
    let mutants = Mutant::named(&SPEC, opcode, when, mistake).into_iter();
    mutant::engine(&SPEC, "planted@1", mutants.filter(|mutant| mutant.form.starts_with(form)))
}

fn options(instructions: &[&str]) -> Options {
    let instructions = instructions.iter().map(|&name| name.to_owned()).collect();
    // No lines are judged.
    Options { instructions, rows: 6, boundaries: false, ..Options::default() }
}

/// An empty recording.
fn recording() -> Recording {
    Recording::new(Provenance::new(
        &"planted@1".parse().expect("an id"),
        [("kind", "planted")].map(owned).into(),
        "2027-06-30",
        "none",
    ))
}

fn owned((key, value): (&str, &str)) -> (String, String) {
    (key.to_owned(), value.to_owned())
}

fn record(engine: &dyn CaseExecutor, instructions: &[&str], cases: usize) -> Recording {
    let mut recording = recording();
    let options = Options { cases: Some(cases), ..options(instructions) };
    let recorded = campaign::record(&SPEC, engine, &options, &Progress::default(), &mut |program, answers| {
        assert_eq!(answers.len(), program.rows.len(), "{}", program.line);
        assert_eq!(recording.add(program, answers), Ok(()), "{}", program.line);
    });
    assert_eq!(recorded, Ok(()));
    recording
}

/// Reads a recording that must have no problems.
fn read(text: &str) -> Recording {
    let (recording, problems) = Recording::read(text).expect("a recording");
    assert_eq!(problems, Vec::new());
    recording
}

fn replay(recording: &Recording, instructions: &[&str]) -> (EngineResult, Vec<Finding>) {
    let (options, progress) = (options(instructions), Progress::default());
    let divergences = Divergences::default();
    let subjects = [Subject::executing(recording, *SPEC.isa.versions.last().expect("versions"))];
    let mut results = campaign::run(&SPEC, &divergences, &subjects, &options, &progress);
    let findings =
        causes::find(&SPEC, &divergences, &subjects, &results, &progress).expect("our own texts can be read");
    assert_eq!((results.absent.len(), results.internal_errors.len(), results.engines.len()), (0, 0, 1));
    (results.engines.remove(0), findings.all)
}

fn rows(result: &EngineResult) -> u64 {
    result.tally.rows.values().map(|form| form.rows).sum()
}

/// The row that a finding shows.
fn row(finding: &Finding) -> &MinimalRow {
    finding.case.row.as_ref().unwrap_or_else(|| panic!("{finding:#?}"))
}

/// The instructions that do more than compute, and one in ten of the others with rows: those that read a carry have none.
fn some_opcodes() -> Vec<&'static str> {
    let has_rows = |opcode: &&str| {
        let instruction = SPEC.instruction(opcode).expect("the model has instructions of the specification");
        setup::executed(&SPEC, instruction).forms.iter().any(|form| Diagram::valid(form).all().count() > 0)
    };
    let computes = |opcode: &str| semantics::opcodes().any(|known| known == opcode);
    let (computing, others): (Vec<&str>, Vec<&str>) = model::opcodes().partition(|opcode| computes(opcode));
    let mut some: Vec<&str> = computing.into_iter().filter(has_rows).step_by(10).chain(others).collect();
    some.sort_unstable();
    some
}

#[test]
fn a_recording_without_a_bug_agrees() {
    let all = some_opcodes();
    let recorded = record(&right(), &all, 6);
    let text = recorded.write();
    let again = read(&text);
    assert!(again == recorded);
    assert_eq!(again.write(), text);
    assert_eq!(record(&right(), &all, 6).write(), text, "recorded twice");

    let (result, findings) = replay(&again, &[]);
    assert!(findings.is_empty(), "{findings:#?}");
    assert_eq!((result.name.as_str(), result.rows_from), ("planted@1", Some(RowSource::Recorded)));
    assert_eq!((rows(&result), result.tally.failed_rows()), (recorded.len() as u64, 0));
    let form = |program: &LineCase| model::prepare(&SPEC, program).expect("a case of the model").form().to_owned();
    let forms: BTreeSet<String> = again.recorded().expect("cases").iter().map(form).collect();
    assert!(result.tally.rows.keys().eq(&forms), "{forms:?}");
    let instructions: BTreeSet<&str> = result.tally.rows.values().map(|form| form.instruction.as_str()).collect();
    assert!(instructions.into_iter().eq(all.iter().copied()), "{all:?}");
    assert!(
        result.judged() > 500 && result.tally.skipped_rows.is_empty(),
        "{} judged, {:?}",
        result.judged(),
        result.tally.skipped_rows
    );
    // A replay of one instruction reports only its rows.
    let (of_suq, _) = replay(&again, &["suq"]);
    let suq: u64 = result.tally.rows.values().filter(|form| form.instruction == "suq").map(|form| form.rows).sum();
    assert_eq!((rows(&of_suq), of_suq.tally.rows.len()), (suq, 1));
}

#[test]
fn recorded_bugs_are_found() {
    let of = Mistake::Of;
    for (form, when, mistake, difference) in [
        ("suld.b", &[("geom", ".1d"), ("clamp", ".clamp")][..], Mistake::As("clamp", ".zero"), " is wrong"),
        ("suld.b", &[("geom", ".2d"), ("clamp", ".trap")], of(Mutation::Returns), "it returned, but must trap"),
        ("suld.b", &[("geom", ".a1d"), ("clamp", ".trap")], of(Mutation::Traps), "it trapped, but must not"),
        ("sust.b", &[("vec", ".v2"), ("ctype", ".b32")], of(Mutation::Elements), "the surface is wrong"),
        ("suq", &[("query", ".width")], of(Mutation::Register(Which::First, Change::Next)), " is wrong"),
        ("ld", &[("type", ".s8")], Mistake::As("type", ".u8"), " is wrong"),
    ] {
        let bug = format!("{form} {when:?} {mistake:?}");
        let instruction = form.split('.').next().expect("an opcode");
        let recorded = read(&record(&wrong(form, when, mistake), &[instruction], 600).write());
        let (result, findings) = replay(&recorded, &[]);
        assert!(result.tally.failed_rows() > 0, "{bug}");
        let finding = findings.iter().find(|finding| row(finding).difference.contains(difference));
        let finding = finding.unwrap_or_else(|| panic!("{bug}: {findings:#?}"));
        assert!(finding.forms.iter().all(|name| name.starts_with(form)), "{bug}: {finding:#?}");
        assert!(finding.title.contains(&finding.forms[0]), "{bug}: {}", finding.title);
        assert_eq!(findings.iter().map(|finding| finding.mismatches).sum::<u64>(), result.tally.failed_rows(), "{bug}");
        // Each finding has a fingerprint of its own.
        let mut names: Vec<&str> = findings.iter().map(|finding| finding.fingerprint.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), findings.len(), "{bug}: {findings:#?}");
        // The row shown is a wrong one: the right executor answers something else.
        let shown = std::slice::from_ref(&row(finding).execution);
        assert_eq!((shown[0].rows.len(), shown[0].own_launches.len()), (1, 0), "{bug}");
        assert_ne!(recorded.execute(shown), right().execute(shown), "{bug}: {:?}", shown[0]);
    }
}

#[test]
fn a_case_that_is_no_longer_valid_costs_only_its_rows() {
    let text = record(&right(), &["suq", "suld"], 12).write();
    let line = text.lines().find(|line| line.contains("\"line\":\"suq")).expect("a case of suq");
    let of_case = read(&text).cases().iter().map(heading).position(|case| case == line).expect("it is a case");
    let lost = read(&text).cases()[of_case].rows.len() as u64;
    let whole = replay(&read(&text), &[]).0;
    for (edited, why) in [
        (line.replace("suq.", "suq.nonsense."), ": "),
        (line.replace("\"line\":\"suq", "\"line\":\"nop"), "`nop` has no specification"),
        (line.replace("\"line\":\"suq", "\"line\":\"?!"), ": "),
        (line.replace("\"ptx\":\"", "\"ptx\":\"9"), ": "),
    ] {
        assert_ne!(edited, line);
        let (result, findings) = replay(&read(&text.replace(line, &edited)), &[]);
        assert!(findings.is_empty(), "{findings:#?}");
        let skipped: Vec<(&String, &u64)> = result.tally.skipped_rows.iter().collect();
        let [(reason, count)] = skipped[..] else { panic!("{skipped:?}") };
        assert!(reason.starts_with("the recorded case is no longer valid: ") && reason.contains(why), "{reason}");
        assert_eq!((*count, rows(&result)), (lost, rows(&whole) - lost), "{reason}");
        assert_eq!(result.tally.failed_rows(), 0, "{reason}");
    }
}

/// The line of a case in the text of a recording.
fn heading(case: &LineCase) -> String {
    let bare = case.with_rows(Rows::new(case.inputs.len()), Vec::new());
    format!("{{\"case\":{}}}", serde_json::to_string(&bare).expect("a case can be written"))
}

#[test]
fn unreadable_lines_are_reported_by_number() {
    let text = record(&right(), &["suq", "suld"], 12).write();
    let whole = read(&text);
    let lines: Vec<&str> = text.lines().collect();
    let row = lines.iter().rposition(|line| line.starts_with("[[")).expect("a row");
    let case = lines.iter().rposition(|line| line.starts_with('{')).expect("a case");
    let below = row - case;
    assert_eq!(row + 1, lines.len());
    let with = |at: usize, line: &str| {
        let mut lines = lines.clone();
        lines[at] = line;
        Recording::read(&(lines.join("\n") + "\n")).expect("the header is as it was")
    };
    let half = |at: usize| &lines[at][..lines[at].len() / 2];
    for broken in [half(row), "[[\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\"],[]]", "[[],[\"x\"]]", "rubbish", "\u{0}"] {
        let (read, problems) = with(row, broken);
        let reported: Vec<Option<usize>> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!((reported, read.len()), (vec![Some(row + 1)], whole.len() - 1), "{broken} {problems:?}");
        let (result, findings) = replay(&read, &[]);
        assert_eq!((rows(&result), findings.len()), (whole.len() as u64 - 1, 0), "{broken}");
    }
    for broken in [half(case), "{}", "{\"case\":{}}"] {
        let (read, problems) = with(case, broken);
        assert!(problems.iter().all(|problem| problem.line == Some(case + 1)), "{problems:?}");
        assert!(problems.iter().any(|problem| problem.message.contains("lost")), "{problems:?}");
        let (result, findings) = replay(&read, &[]);
        assert_eq!((rows(&result), findings.len()), ((whole.len() - below) as u64, 0), "{broken}");
    }
    let problem = Recording::read(&text.replacen("\"recording\":1", "\"recording\":9", 1)).expect_err("a later format");
    assert_eq!(problem.to_string(), "line 1: this is a recording of format 9; only format 1 can be read");
}

#[test]
fn every_way_to_end_is_recorded() {
    // Undefined rows are recorded too. Rows that trap or fail are alone in their launches.
    let recorded = record(
        &wrong("suld", &[("geom", ".a2d"), ("clamp", ".trap")], Mistake::Of(Mutation::Dies)),
        &["suld", "ld"],
        60,
    );
    let read = read(&recorded.write());
    let cases = read.cases();
    let (mut trapped, mut failed) = (0, 0);
    for (case, answers) in cases.iter().zip(read.execute(&cases)) {
        for (row, answer) in answers.iter().enumerate() {
            match answer {
                Answer::Trapped(how) => trapped += usize::from(!how.is_empty()),
                Answer::Failed(_) => failed += 1,
                Answer::Returned(_) => continue,
                Answer::Skipped(why) => panic!("{why}"),
            }
            assert!(case.own_launches.contains(&row), "{} row {row}", case.line);
        }
    }
    assert!(trapped > 10 && failed > 0, "{trapped} trapped, {failed} failed");
    let (result, findings) = replay(&read, &[]);
    let undefined: u64 = result.tally.undefined.values().map(|split| split.did).sum();
    assert!(undefined > 10, "{:?}", result.tally.undefined);
    assert!(result.tally.undefined.values().all(|split| split.did_not == 0), "{:?}", result.tally.undefined);
    assert_eq!(rows(&result), recorded.len() as u64);
    assert_eq!(result.tally.failed_rows(), failed, "a failure is not allowed");
    assert!(findings.iter().all(|finding| row(finding).actual.starts_with("failed: ")), "{findings:#?}");
    // Skipped rows are not recorded.
    let mut recording = recording();
    let skipped: Vec<Answer> = cases[0].rows.iter().map(|_| Answer::Skipped("not now".to_owned())).collect();
    assert_eq!((recording.add(&cases[0], &skipped), recording.is_empty()), (Ok(()), true));
}
