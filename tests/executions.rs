//! Planted executors: each is right but for one bug, and a run finds it, within few rows, and says
//! when it shows.

#[path = "planted/executor.rs"]
mod executor;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ptx_conform::divergence::Divergences;
use ptx_conform::engine::Engine;
use ptx_conform::finding::{self, ExecutedFinding};
use ptx_conform::run::{self, Options, Progress, Results};
use ptx_conform::spec::Spec;

use executor::{BUGS, Planted};

static SPEC: LazyLock<Spec> = LazyLock::new(|| Spec::shipped().expect("the specification is sound"));

/// Bugs that show only where the manual leaves open what happens, or not in lines that are generated:
/// an engine that has them is not wrong, or is not asked.
const NOT_JUDGED: &[(&str, &str)] = &[
    ("suld-negative-immediate", "immediates are told apart by kind, and none is negative"),
    ("suq-height-of-1d-one", "the height of what has none is not described"),
    ("suq-depth-of-layers", "the depth of what has none is not described"),
    ("suq-order-of-two", "the enumerations are those of the source language"),
    ("suq-snorm16-as-unorm", "the enumerations are those of the source language"),
    ("suq-half-as-float", "the enumerations are those of the source language"),
    ("ld-misaligned-masked", "misaligned addresses are undefined"),
    ("ld-outside-zero", "what lies outside of a variable is undefined"),
];

fn executed(engine: &dyn Engine, instruction: &str) -> (Results, Vec<ExecutedFinding>) {
    let options = Options { instructions: vec![instruction.to_owned()], ..Options::default() };
    let progress = Progress::default();
    let mut results = run::run(&SPEC, &Divergences::default(), &[], &options, &progress);
    run::execute(&SPEC, &[engine], &options, &progress, &mut results);
    let findings = finding::find_executed(&SPEC, &[engine], &results, &progress).expect("texts of ours are read");
    (results, findings)
}

#[test]
fn an_executor_that_is_right_agrees() {
    for instruction in ["suld", "sust", "sured", "suq", "ld"] {
        let (results, findings) = executed(&Planted::right(), instruction);
        let [result] = results.executed.as_slice() else { panic!("{:?}", results.absent) };
        assert!(findings.is_empty(), "{instruction}: {findings:#?}");
        assert!(result.judged() > 1000, "{instruction}: {} rows", result.judged());
    }
}

#[test]
fn every_planted_bug_is_found_and_generalised() {
    let mut rows: BTreeMap<&str, u64> = BTreeMap::new();
    let mut missed = Vec::new();
    let mut scattered = Vec::new();
    for bug in BUGS {
        if NOT_JUDGED.iter().any(|(name, _)| *name == bug.name) {
            continue;
        }
        let (results, findings) = executed(&Planted::with(bug.name), bug.instruction());
        let result = &results.executed[0];
        // Rows in the order in which they are tried, those of forms before the first wrong one as well.
        let mut before = 0;
        let first = result.forms.iter().find_map(|form| {
            let found = form.first.map(|first| before + first);
            before += form.rows;
            found
        });
        let Some(first) = first else {
            missed.push(bug.name);
            continue;
        };
        rows.insert(bug.name, first);
        println!("{} ({}): row {first}, {} rows of {} wrong", bug.name, bug.when, result.differed(), result.judged());
        for finding in &findings {
            println!("    {} {} [{}]", finding.forms.join(" "), finding.when, finding.case.difference);
        }
        if findings.is_empty() || findings.len() > 3 {
            scattered.push((bug.name, findings.len()));
        }
    }
    let mut counts: Vec<u64> = rows.values().copied().collect();
    counts.sort_unstable();
    let median = counts.get(counts.len() / 2).copied().unwrap_or_default();
    println!("{} bugs, median row {median}, last {:?}", counts.len(), counts.last());
    assert!(missed.is_empty(), "not found: {missed:?}");
    assert!(scattered.is_empty(), "not one cause: {scattered:?}");
    assert!(median < 1000, "the median bug is found in row {median}");
}
