//! What a run makes of rows that fail: a divergence that a finding proposes, and failures that are not reproduced.

use std::sync::atomic::{AtomicBool, Ordering};

use ptx_conform::campaign::{self, EngineResult, Options, Problem, Progress, Results, Subject};
use ptx_conform::causes::{self, Findings};
use ptx_conform::divergences::Divergences;
use ptx_conform::engine::CaseExecutor;
use ptx_conform::line_case::Answer;
use ptx_conform::report::{Report, RunVerdict};

use crate::engine::StandIn;
use crate::mutant::{self, Mistake, Mutant};
use crate::shipped::SPEC;

fn executed(engine: &dyn CaseExecutor, instruction: &str) -> (Results, Findings) {
    listed(engine, instruction, &Divergences::default())
}

/// The same with known divergences.
fn listed(engine: &dyn CaseExecutor, instruction: &str, divergences: &Divergences) -> (Results, Findings) {
    let options = Options { instructions: vec![instruction.to_owned()], ..Options::default() };
    let progress = Progress::default();
    let subjects = [Subject::executing(engine, *SPEC.isa.versions.last().expect("versions"))];
    let results = campaign::run(&SPEC, divergences, &subjects, &options, &progress);
    let findings = causes::find(&SPEC, divergences, &subjects, &results, &progress).expect("our own texts can be read");
    (results, findings)
}

/// The result of the only engine of a run.
fn only(results: &Results) -> &EngineResult {
    assert!(results.absent.is_empty(), "{:?}", results.absent);
    let [result] = results.engines.as_slice() else { panic!("{} engines", results.engines.len()) };
    result
}

/// The divergence that a finding proposes can be loaded, makes the run agree, and is stale once the bug is fixed.
#[test]
fn a_listed_divergence_is_not_a_finding() {
    let clamps = Mutant::named(&SPEC, "suld", &[("geom", ".1d"), ("clamp", ".clamp")], Mistake::As("clamp", ".zero"));
    let wrong = mutant::engine(&SPEC, "planted@1", clamps);
    let (_, found) = executed(&wrong, "suld");
    let [finding] = found.all.as_slice() else { panic!("{found:#?}") };
    let yaml = format!("engine: planted\ndivergences:\n{}", finding.yaml);
    let divergences = Divergences::from_texts(&[("planted.yaml".to_owned(), yaml)], &SPEC)
        .unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
    let (results, findings) = listed(&wrong, "suld", &divergences);
    assert!(findings.all.is_empty() && results.agreed(), "{findings:#?}");
    let met = &only(&results).tally.listed;
    assert!(met.values().all(|split| split.did > 0), "{met:?}");
    let right = mutant::engine(&SPEC, "planted@1", []);
    let (results, _) = listed(&right, "suld", &divergences);
    let stale: Vec<Problem> = only(&results).stale.iter().map(|stale| stale.problem).collect();
    assert_eq!((stale, results.agreed()), (vec![Problem::Fixed], false));
    // Listed for another version only, it must not show.
    let yaml =
        format!("engine: planted\ndivergences:\n{}", finding.yaml.replace("    does:", "    to: \"0.9\"\n    does:"));
    let elsewhere = Divergences::from_texts(&[("planted.yaml".to_owned(), yaml)], &SPEC)
        .unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
    for (engine, expected) in [(&wrong, vec![Problem::Wider]), (&right, Vec::new())] {
        let (results, _) = listed(engine, "suld", &elsewhere);
        let stale: Vec<Problem> = only(&results).stale.iter().map(|stale| stale.problem).collect();
        assert_eq!(stale, expected);
    }
}

/// Rows that failed once and never again are reported, but not as a finding.
#[test]
fn failures_that_are_not_reproduced_are_reported() {
    let asked = AtomicBool::new(false);
    let right = mutant::engine(&SPEC, "planted@1", []);
    // The first answers are failures, all later ones are right.
    let engine = StandIn::new("planted@1").executing(|case| match asked.swap(true, Ordering::Relaxed) {
        true => right.execute(std::slice::from_ref(case)).remove(0),
        false => vec![Answer::Failed("a transient failure".to_owned()); case.rows.len()],
    });
    let (mut results, findings) = executed(&engine, "suq");
    assert!(findings.all.is_empty() && !results.agreed(), "{findings:#?}");
    let report = Report::new(&SPEC, &Divergences::default(), &Options::default(), &mut results, findings);
    assert_eq!(report.verdict, RunVerdict::CouldNotJudge);
    let [lost] = report.lost.as_slice() else { panic!("{:?}", report.lost) };
    assert!(lost.starts_with("planted@1 is unstable: rows that failed passed when run again"), "{lost}");
    let [reported] = report.not_reproduced.as_slice() else { panic!("{:?}", report.not_reproduced) };
    assert!(
        reported.starts_with("suq.query: ") && reported.contains(" failed: the rows that failed passed"),
        "{reported}"
    );
}

/// Rows that are asked about again after a mistake of an engine use up the number of traps once.
#[test]
fn costly_rows_are_counted_once_after_an_error() {
    let counts = |stumbles: bool| {
        let stumbled = AtomicBool::new(!stumbles);
        let right = mutant::engine(&SPEC, "planted@1", []);
        let engine = StandIn::new("planted@1").paying_for_traps().executing(|case| {
            match stumbled.swap(true, Ordering::Relaxed) {
                true => right.execute(std::slice::from_ref(case)).remove(0),
                false => Vec::new(),
            }
        });
        let options = Options {
            instructions: vec!["suld".to_owned()],
            cases: Some(100),
            rows: 4,
            modifiers: false,
            ..Options::default()
        };
        let subjects = [Subject::executing(&engine, *SPEC.isa.versions.last().expect("versions"))];
        let results = campaign::run(&SPEC, &Divergences::default(), &subjects, &options, &Progress::default());
        let tally = &only(&results).tally;
        assert_eq!(tally.internal_errors.len(), usize::from(stumbles), "{:?}", tally.internal_errors);
        let passed: u64 = tally.rows.values().map(|of| of.passed).sum();
        (passed, tally.skipped_rows.clone())
    };
    let without = counts(false);
    assert!(without.1.keys().any(|why| why.starts_with("it must trap")), "{:?}", without.1);
    assert_eq!(counts(true), without);
}
