//! Planted executors: each is right but for one bug, and a run finds it, within few rows, and says
//! when it shows.

#[path = "planted/executor.rs"]
mod executor;

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use ptx_conform::campaign::{self, EngineResult, Options, Problem, Progress, Results, Subject};
use ptx_conform::causes::{self, Evidence, Finding, Findings};
use ptx_conform::divergences::Divergences;
use ptx_conform::engine::CaseExecutor;
use ptx_conform::program::Answer;
use ptx_conform::report::Report;
use ptx_conform::spec::Spec;

use executor::engine::StandIn;
use executor::{BUGS, Bug, Planted};

static SPEC: LazyLock<Spec> = LazyLock::new(|| ptx_conform::shipped::spec().expect("the specification is sound"));

/// Bugs that show only where the manual leaves open what happens, or not in lines that are generated:
/// an engine that has them is not wrong, or is not asked.
const NOT_JUDGED: &[(&str, &str)] = &[
    ("sust-integer-immediate-short", "immediates are told apart by kind, and all are small"),
    ("ld-generic-shared-as-global", "no second variable stands beside the one that is loaded from"),
    ("suld-negative-immediate", "immediates are told apart by kind, and none is negative"),
    ("suq-height-of-1d-one", "the height of what has none is not described"),
    ("suq-depth-of-layers", "the depth of what has none is not described"),
    ("suq-order-of-two", "the enumerations are those of the source language"),
    ("suq-snorm16-as-unorm", "the enumerations are those of the source language"),
    ("suq-half-as-float", "the enumerations are those of the source language"),
    ("ld-misaligned-masked", "misaligned addresses are undefined"),
    ("ld-outside-zero", "what lies outside of a variable is undefined"),
];

fn executed(engine: &dyn CaseExecutor, instruction: &str) -> (Results, Findings) {
    listed(engine, instruction, &Divergences::default())
}

/// The same with divergences that are listed.
fn listed(engine: &dyn CaseExecutor, instruction: &str, divergences: &Divergences) -> (Results, Findings) {
    let options = Options { instructions: vec![instruction.to_owned()], ..Options::default() };
    let progress = Progress::default();
    let subjects = [Subject::executing(engine, *SPEC.isa.versions.last().expect("versions"))];
    let results = campaign::run(&SPEC, divergences, &subjects, &options, &progress);
    let findings = causes::find(&SPEC, divergences, &subjects, &results, &progress).expect("texts of ours are read");
    (results, findings)
}

#[test]
fn an_executor_that_is_right_agrees() {
    for instruction in ["suld", "sust", "sured", "suq", "ld", "add", "st", "atom"] {
        let (results, findings) = executed(&Planted::right().engine(), instruction);
        let result = only(&results);
        assert!(findings.all.is_empty() && findings.not_reproduced.is_empty(), "{instruction}: {findings:#?}");
        assert!(result.tally.judged_rows() > 1000, "{instruction}: {} rows", result.tally.judged_rows());
    }
}

/// What the only engine of a run did.
fn only(results: &Results) -> &EngineResult {
    assert!(results.absent.is_empty(), "{:?}", results.absent);
    let [result] = results.engines.as_slice() else { panic!("{} engines", results.engines.len()) };
    result
}

/// What a run makes of an executor with one bug.
struct Found {
    name: &'static str,
    /// How many rows are tried up to the first one that is wrong, form after form.
    row: Option<u64>,
    /// Whether few findings say when it happens: most of what each is about fails.
    generalised: bool,
    /// How many findings there are.
    findings: usize,
    /// For a reader.
    text: String,
}

fn find(bug: &'static Bug) -> Found {
    let (results, findings) = executed(&Planted::with(bug.name).engine(), bug.instruction());
    let result = only(&results);
    let mut before = 0;
    let row = result.tally.rows.values().find_map(|form| {
        let found = form.first_failure.map(|first| before + first);
        before += form.rows;
        found
    });
    let weak = |finding: &Finding| {
        finding.evidence.iter().any(|evidence| evidence.failed * 5 < evidence.asked)
            || finding.case.row.as_ref().is_none_or(|row| row.execution.rows.len() != 1)
    };
    let mut text = format!("{} ({}): row {row:?}, {} failed\n", bug.name, bug.when, result.tally.failed_rows());
    for finding in &findings.all {
        let forms = finding.forms.join(" ");
        let difference = finding.case.row.as_ref().map_or("", |row| row.difference.as_str());
        let [asked, failed] = [|of: &Evidence| of.asked, |of: &Evidence| of.failed]
            .map(|of| finding.evidence.iter().map(of).sum::<usize>());
        text.push_str(&format!("    {forms} {} {} ({failed}/{asked}) [{difference}]\n", finding.when, finding.inputs));
    }
    findings.not_reproduced.iter().for_each(|group| text.push_str(&format!("    {group}\n")));
    let generalised = (1..=4).contains(&findings.all.len()) && !findings.all.iter().any(weak);
    Found { name: bug.name, row, generalised, findings: findings.all.len(), text }
}

#[test]
fn every_planted_bug_is_found_and_generalised() {
    let judged = |bug: &&Bug| !NOT_JUDGED.iter().any(|(name, _)| *name == bug.name);
    let bugs: Vec<&'static Bug> = BUGS.iter().filter(judged).collect();
    let found: Vec<Found> = bugs.into_par_iter().map(find).collect();
    found.iter().for_each(|found| print!("{}", found.text));
    let mut rows: Vec<u64> = found.iter().filter_map(|found| found.row).collect();
    rows.sort_unstable();
    let median = rows.get(rows.len() / 2).copied().unwrap_or_default();
    println!(
        "{} of {} bugs found, at the median in row {median}, at last in {:?}",
        rows.len(),
        found.len(),
        rows.last()
    );
    let findings: usize = found.iter().map(|found| found.findings).sum();
    println!("{findings} findings of {} bugs", found.len());
    let missed: Vec<&str> = found.iter().filter(|found| found.row.is_none()).map(|found| found.name).collect();
    let scattered: Vec<&str> = found.iter().filter(|found| !found.generalised).map(|found| found.name).collect();
    assert!(missed.is_empty(), "not found: {missed:?}");
    assert!(scattered.is_empty(), "not generalised: {scattered:?}");
    assert!(median < 1000, "the median bug is found in row {median}");
}

/// What a finding proposes is read, makes the run agree, and is stale once the bug is gone.
#[test]
fn a_finding_that_is_listed_is_none() {
    let name = "suld-x-clamps-to-left";
    let (_, findings) = executed(&Planted::with(name).engine(), "suld");
    let [finding] = findings.all.as_slice() else { panic!("{findings:#?}") };
    let yaml = format!("engine: planted\ndivergences:\n{}", finding.yaml);
    let divergences = Divergences::from_texts(&[("planted.yaml".to_owned(), yaml)], &SPEC)
        .unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
    let (results, findings) = listed(&Planted::with(name).engine(), "suld", &divergences);
    assert!(findings.all.is_empty() && results.agreed(), "{findings:#?}");
    let met = &only(&results).tally.listed;
    assert!(met.values().all(|split| split.did > 0), "{met:?}");
    let (results, _) = listed(&Planted::right().engine(), "suld", &divergences);
    let stale: Vec<Problem> = only(&results).stale.iter().map(|stale| stale.problem).collect();
    assert_eq!((stale, results.agreed()), (vec![Problem::Fixed], false));
}

/// What failed once and never again is reported, though no finding says when it happens.
#[test]
fn what_is_not_reproduced_is_reported() {
    let asked = AtomicBool::new(false);
    // Wrong at first, and right from then on.
    let engine = StandIn::new("planted@1").executing(|case| match asked.swap(true, Ordering::Relaxed) {
        true => Planted::right().answers(case),
        false => vec![Answer::Failed("out of sorts".to_owned()); case.rows.len()],
    });
    let (results, findings) = executed(&engine, "suq");
    assert!(findings.all.is_empty() && !results.agreed(), "{findings:#?}");
    let report = Report::new(&SPEC, &Divergences::default(), &Options::default(), &results, findings);
    assert_eq!(report.verdict, "disagreed");
    let [reported] = report.not_reproduced.as_slice() else { panic!("{:?}", report.not_reproduced) };
    assert!(reported.starts_with("suq.query: ") && reported.contains(" rows failed"), "{reported}");
}
