//! `run --exhaustive`: walks over every input of a line, which can be stopped and go on.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use ptx_conform::campaign::{self, DomainWalk, Progress, WalkError, WalkedLine};
use ptx_conform::divergences::Divergences;
use ptx_conform::line_case::{Answer, LineCase};
use ptx_conform::model;

use crate::engine::StandIn;
use crate::shipped::SPEC;

/// Walks lines with this opcode and these modifiers.
fn walk(engine: &StandIn<'_>, opcode: &str, file: &Path, progress: &Progress) -> Result<Vec<WalkedLine>, WalkError> {
    let name = opcode.split('.').next().expect("a name");
    let instructions = [SPEC.instruction(name).expect("a specification")];
    let environment = campaign::executing_environment(&SPEC, engine).expect("an environment");
    let (divergences, only) = (Divergences::default(), Some(opcode));
    DomainWalk { spec: &SPEC, divergences: &divergences, instructions: &instructions, only, most_bits: 32, file }
        .run(&[(engine, environment)], progress)
}

/// The answers of an engine that is right, but for these inputs, whose results have another lowest bit.
fn answers(case: &LineCase, wrong: impl Fn(u128) -> bool) -> Vec<Answer> {
    let mut answers = model::answers(&SPEC, case).expect("a line that has a model");
    for (row, answer) in case.rows.iter().zip(&mut answers) {
        if let (true, Answer::Returned(returned)) = (wrong(row[0]), answer) {
            returned.registers[0] ^= 1;
        }
    }
    answers
}

#[test]
fn each_input_is_executed_and_ranges_of_wrong_ones_are_found() {
    let wrong = |input| (0x1234..=0x1236).contains(&input) || input == 0x8000;
    let engine = StandIn::new("odd@1.0").executing(|case| answers(case, wrong));
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("exhaustive.jsonl");
    let mut texts = BTreeSet::new();
    for again in [false, true] {
        let walked = walk(&engine, "abs.f16", &file, &Progress::default()).expect("a walk");
        let [WalkedLine { domain: 65_536, counts, .. }] = &walked[..] else { panic!("{walked:?}") };
        assert_eq!((counts.inputs, counts.agreed, counts.failed), (65_536, 65_532, 4));
        assert_eq!(counts.ranges, [[0x1234, 0x1236], [0x8000, 0x8000]]);
        let first = counts.first.as_ref().expect("a wrong result");
        assert_eq!((first.input, &first.expected[..], &first.actual[..]), (0x1234, "1234", "1235"));
        assert_eq!(engine.asked(), 65_536, "what is done is not asked about again: {again}");
        texts.insert(std::fs::read_to_string(&file).expect("a file"));
    }
    assert_eq!(texts.len(), 1);

    // Half a line, as a process that is killed leaves it, is cut off.
    let text = texts.pop_first().expect("a text");
    std::fs::write(&file, &text[..text.len() - 9]).expect("a file");
    walk(&engine, "abs.f16", &file, &Progress::default()).expect("a walk");
    assert_eq!(engine.asked(), 2 * 65_536);
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), text);

    std::fs::write(&file, format!("{text}nonsense\n")).expect("a file");
    let refused = walk(&engine, "abs.f16", &file, &Progress::default());
    assert!(matches!(refused, Err(WalkError::Line(3))), "{refused:?}");
    std::fs::write(&file, text.replacen(&SPEC.fingerprint, "another", 1)).expect("a file");
    let refused = walk(&engine, "abs.f16", &file, &Progress::default());
    assert!(matches!(refused, Err(WalkError::Other)), "{refused:?}");
}

#[test]
fn a_walk_that_was_stopped_goes_on_where_it_was() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("exhaustive.jsonl");
    let mut done: BTreeSet<u64> = BTreeSet::new();
    for _ in 0..2 {
        let (progress, asked) = (Progress::default(), Mutex::new(BTreeSet::new()));
        let engine = StandIn::new("odd@1.0").executing(|case| {
            asked.lock().expect("no panic").insert(u64::try_from(case.rows.row(0)[0]).expect("32 bits"));
            if progress.done.load(Ordering::Relaxed) >= 2 {
                progress.stop.store(true, Ordering::Relaxed);
            }
            answers(case, |_| false)
        });
        let walked = walk(&engine, "abs.f32", &file, &progress).expect("a walk");
        drop(engine);
        assert!(done.is_disjoint(&asked.into_inner().expect("no panic")), "what is done is not asked about again");
        let before = done.len();
        done.extend(parts(&file));
        assert!(done.len() >= before + 2, "{before}, then {done:?}");
        assert_eq!(walked[0].counts.inputs, done.len() as u64 * 0x10_0000);
        assert_eq!(walked[0].counts.agreed, walked[0].counts.inputs);
    }
}

/// The first inputs of the parts that a file has.
fn parts(file: &Path) -> Vec<u64> {
    let text = std::fs::read_to_string(file).expect("a file");
    let first = |line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["at"].as_u64().expect("a number");
    text.lines().skip(1).map(first).collect()
}

#[test]
fn inputs_without_an_answer_are_asked_about_again() {
    let engine = StandIn::new("odd@1.0").executing(|case| vec![Answer::Skipped("no".to_owned()); case.rows.len()]);
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("exhaustive.jsonl");
    for times in 1..=2 {
        let walked = walk(&engine, "abs.f16", &file, &Progress::default()).expect("a walk");
        assert_eq!((walked[0].counts.inputs, walked[0].counts.skipped.as_deref()), (0, Some("no")));
        assert_eq!(engine.asked(), 65_536 * times);
    }
}
