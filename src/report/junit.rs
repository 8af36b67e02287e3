//! The report as JUnit XML, as surefire writes it and Jenkins, GitLab and others read it.
//!
//! Names of tests are the same in every run of the same specification, and nothing depends on time. Only elements of
//! surefire's schema are used: a known divergence is a test's `system-out`, since its tests have no properties.

use std::collections::{BTreeMap, BTreeSet};

use quick_junit::{FlakyOrRerun, NonSuccessKind, SerializeError, TestCase, TestCaseStatus, TestRerun, TestSuite};

use super::chains::ChainReport;
use super::coverage::{ExampleAnswer, ExampleReport};
use super::data::{Report, RunVerdict};
use super::deaths::DeathReport;
use super::engines::EngineReport;
use super::groups::GroupReport;
use super::support::SupportReport;
use crate::campaign::Agreement;
use crate::causes::Finding;
use crate::divergences::Does;
use crate::engine::words::{cut, visible};
use crate::plural::counted;

/// The bytes of a text that are kept.
const TEXT: usize = 8_000;
/// The bytes of a name or message that are kept.
const NAME: usize = 300;
/// The findings that a test shows.
const FINDINGS: usize = 10;

const VALID: &str = "valid lines";
const ROWS: &str = "executed rows";

/// The document: one suite for each engine, and one for the run as a whole.
pub(super) fn render(report: &Report) -> Result<String, SerializeError> {
    let mut document = quick_junit::Report::new("ptx-conform");
    for engine in &report.engines {
        document.add_test_suite(EngineTests { report, engine }.suite());
    }
    document.add_test_suite(of_run(report));
    let text = document.to_string()?;
    // The schema has no such attribute for the document.
    Ok(text.replacen(&format!(" skipped=\"{}\"", document.skipped), "", 1))
}

fn test(class: &str, name: &str, status: TestCaseStatus) -> TestCase {
    let mut test = TestCase::new(line(name), status);
    test.set_classname(line(class));
    test
}

/// A text in one line.
fn line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    visible(&cut(&words.join(" "), NAME)).into_owned()
}

fn text(text: &str) -> String {
    visible(&cut(text, TEXT)).into_owned()
}

fn failed(kind: NonSuccessKind, what: &str, message: &str, description: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(what).set_message(line(message)).set_description(text(description));
    status
}

fn skipped(why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(line(why));
    status
}

fn flaky(words: &str) -> TestRerun {
    let mut run = TestRerun::new(NonSuccessKind::Failure);
    run.set_type("not reproduced").set_message(line(words));
    run
}

/// The run as a whole: its tests are red whenever its verdict is.
fn of_run(report: &Report) -> TestSuite {
    let mut suite = TestSuite::new("run");
    let words = report.verdict.words();
    let verdict = match report.verdict {
        RunVerdict::Agreed => TestCaseStatus::success(),
        RunVerdict::Disagreed => failed(NonSuccessKind::Failure, "verdict", words, words),
        _ => failed(NonSuccessKind::Error, "verdict", words, words),
    };
    suite.add_test_case(test("run", "verdict", verdict));
    for (name, lines) in [("answers", &report.lost), ("internal errors", &report.internal_errors)] {
        let status = match lines.as_slice() {
            [] => TestCaseStatus::success(),
            [first, ..] => failed(NonSuccessKind::Error, name, first, &lines.join("\n")),
        };
        suite.add_test_case(test("run", name, status));
    }
    let mut reproduced = TestCaseStatus::success();
    let groups: BTreeSet<String> = report.groups.iter().flat_map(GroupReport::descriptions).collect();
    let of_group = |words: &str| groups.iter().any(|group| words.starts_with(group.as_str()));
    reproduced.add_reruns(report.not_reproduced.iter().filter(|words| !of_group(words)).map(|words| flaky(words)));
    suite.add_test_case(test("run", "reproducibility", reproduced));
    suite.add_test_cases(report.deaths.iter().map(|death| test("run", &name_of(death), of_death(death))));
    suite.add_test_cases(
        report
            .chains
            .iter()
            .map(|chains| test("run", &format!("{}: chains of lines", chains.engine), of_chains(chains))),
    );
    suite.add_test_cases(report.support.as_ref().map(|support| test("run", "support matrix", of_matrix(support))));
    for absent in &report.absent {
        suite.add_test_case(test("not asked", &absent.engine, skipped(&absent.why)));
    }
    suite
}

fn name_of(death: &DeathReport) -> String {
    let depth = if death.code_generation { ", code generated" } else { "" };
    format!("{}: lines of {} together{depth}: {}", death.engine, death.opcodes.join(", "), death.how)
}

fn of_death(death: &DeathReport) -> TestCaseStatus {
    match death.divergence {
        Some(_) => TestCaseStatus::success(),
        None => {
            let modules: Vec<&str> = death.modules.iter().map(|module| module.text.as_str()).collect();
            failed(NonSuccessKind::Failure, "death", &death.title, &modules.join("\n"))
        }
    }
}

fn of_chains(chains: &ChainReport) -> TestCaseStatus {
    let titles: Vec<&str> = chains.findings.iter().map(|finding| finding.title.as_str()).collect();
    match titles.as_slice() {
        [] if chains.agreed() => TestCaseStatus::success(),
        [] => failed(NonSuccessKind::Failure, "chains", "chains failed whose causes are unknown", &chains.words()),
        [first, ..] => failed(NonSuccessKind::Failure, "chains", first, &titles.join("\n")),
    }
}

fn of_matrix(support: &SupportReport) -> TestCaseStatus {
    match (support.unlisted.as_slice(), support.missing()) {
        ([first, ..], _) => {
            let first = format!("{first}: not as the manual, and no divergence lists it");
            failed(NonSuccessKind::Failure, "support matrix", &first, &support.unlisted.join("\n"))
        }
        ([], Some(words)) => failed(NonSuccessKind::Error, "support matrix", &words, &words),
        ([], None) => TestCaseStatus::success(),
    }
}

/// The tests of one engine.
struct EngineTests<'r> {
    report: &'r Report,
    engine: &'r EngineReport,
}

impl EngineTests<'_> {
    fn suite(&self) -> TestSuite {
        let mut suite = TestSuite::new(line(&self.engine.name));
        let listed = self.report.divergences.iter().filter(|known| self.did(&known.counts) > 0);
        suite.add_properties(listed.map(|known| ("known divergence", known.id.as_str())));
        let answers = match &self.engine.gave_up {
            None => TestCaseStatus::success(),
            Some(words) => failed(NonSuccessKind::Error, "abandoned", words, words),
        };
        suite.add_test_case(test("engine", "answers", answers));
        let mut placed: BTreeSet<(&str, String)> = BTreeSet::new();
        for (form, name, asked) in self.parts() {
            suite.add_test_case(self.of_part(form, &name, asked));
            placed.insert((form, name));
        }
        // Lines that break several rules, or rules that no case was planned for.
        let own = |group: &&GroupReport| group.counts.contains_key(&self.engine.name);
        for group in self.report.groups.iter().filter(own) {
            if placed.insert((&group.form, part_of(group))) {
                suite.add_test_case(self.of_part(&group.form, &part_of(group), Ok(())));
            }
        }
        suite.add_test_cases(self.examples());
        for known in &self.report.divergences {
            let status = match known.stale.get(&self.engine.name) {
                Some(problem) => {
                    let words = format!("{} {}", known.id, problem.words());
                    failed(NonSuccessKind::Failure, "stale divergence", &words, &words)
                }
                None if known.counts.contains_key(&self.engine.name) => TestCaseStatus::success(),
                None => continue,
            };
            suite.add_test_case(test("divergences", &known.id, status));
        }
        suite
    }

    fn did(&self, counts: &BTreeMap<String, [u64; 2]>) -> u64 {
        counts.get(&self.engine.name).map_or(0, |[did, _]| *did)
    }

    /// The parts of each form that are tested, by name; where nothing of a part was asked, the reason.
    fn parts(&self) -> Vec<(&str, String, Result<(), String>)> {
        let mut parts = Vec::new();
        let asked = |cases: u64, why: &dyn Fn() -> String| if cases > 0 { Ok(()) } else { Err(why()) };
        for form in &self.report.forms {
            let Some(tested) = form.tested.iter().find(|tested| tested.engine == self.engine.name) else { continue };
            let why = || "no valid line was judged".to_owned();
            parts.push((form.form.as_str(), VALID.to_owned(), asked(tested.valid_judged[0], &why)));
            for rule in self.report.rules.iter().filter(|rule| rule.form == form.form) {
                let cases = rule.tested.get(&self.engine.name).map_or(0, |[cases, _]| *cases);
                let why = || match (rule.breaches.as_str(), rule.along_with.as_slice()) {
                    ("0", []) => "nothing breaks it alone".to_owned(),
                    ("0", others) => format!("nothing breaks it alone; broken with it: {}", others.join(", ")),
                    _ => "no line that breaks it alone was judged".to_owned(),
                };
                parts.push((form.form.as_str(), rule.id.clone(), asked(cases, &why)));
            }
        }
        for rows in &self.engine.rows {
            let why = || "no row was executed and compared".to_owned();
            parts.push((rows.form.as_str(), ROWS.to_owned(), asked(rows.passed + rows.failed, &why)));
        }
        parts
    }

    fn of_part(&self, form: &str, name: &str, asked: Result<(), String>) -> TestCase {
        let own = |group: &&GroupReport| {
            group.form == form && part_of(group) == name && group.counts.contains_key(&self.engine.name)
        };
        let (known, new): (Vec<&GroupReport>, Vec<&GroupReport>) =
            self.report.groups.iter().filter(own).partition(|group| group.divergence.is_some());
        let (vanished, new): (Vec<_>, Vec<_>) = new.into_iter().partition(|group| self.vanished(group).is_some());
        let flaky_runs = vanished.iter().filter_map(|group| self.vanished(group)).map(flaky);
        let status = match (new.is_empty(), asked) {
            (false, _) => {
                let mut status = self.failure(&new);
                status.add_reruns(flaky_runs).set_rerun_kind(FlakyOrRerun::Flaky);
                status
            }
            (true, Err(why)) if known.is_empty() && vanished.is_empty() => match &self.engine.gave_up {
                Some(words) => failed(NonSuccessKind::Error, "abandoned", &why, words),
                None => skipped(&why),
            },
            (true, _) => {
                let mut status = TestCaseStatus::success();
                status.add_reruns(flaky_runs);
                status
            }
        };
        let mut test = test(form, name, status);
        if !known.is_empty() {
            let count = |group: &&GroupReport| group.counts[&self.engine.name];
            let mut by_id: BTreeMap<&str, u64> = BTreeMap::new();
            for group in &known {
                *by_id.entry(group.divergence.as_deref().unwrap_or_default()).or_default() += count(group);
            }
            let words: Vec<String> = by_id
                .into_iter()
                .map(|(id, count)| format!("known divergence {id}: {}", counted(count, "mismatch")))
                .collect();
            test.set_system_out(text(&words.join("\n")));
        }
        test
    }

    /// The reason why a group has no finding although it was asked about again: no case of it failed again.
    fn vanished(&self, group: &GroupReport) -> Option<&str> {
        let words = group.description(*group.counts.get(&self.engine.name)?);
        let mut of_group = self.report.not_reproduced.iter().filter(|known| known.starts_with(&words));
        of_group.next().map(String::as_str).filter(|_| group.divergence.is_none() && self.findings_of(group).is_empty())
    }

    fn findings_of(&self, group: &GroupReport) -> Vec<&Finding> {
        let of_group = |finding: &&Finding| {
            let shows = finding.evidence.iter().any(|evidence| {
                evidence.engine == self.engine.name && evidence.form == group.form && evidence.rules == group.rules
            });
            shows && finding.does == group.does && finding.code_generation == group.code_generation
        };
        self.report.findings.iter().filter(of_group).collect()
    }

    /// New mismatches: their findings, or where there are none the groups themselves.
    fn failure(&self, groups: &[&GroupReport]) -> TestCaseStatus {
        let mut findings: Vec<&Finding> = Vec::new();
        let mut details: Vec<String> = Vec::new();
        for group in groups {
            let own = self.findings_of(group);
            if own.is_empty() {
                details.push(without_finding(group, &self.engine.name));
            }
            findings.extend(own);
        }
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        findings.retain(|finding| seen.insert(&finding.fingerprint));
        let message = match findings.first() {
            Some(first) => format!("{} {}", first.fingerprint, first.title),
            None => details.first().and_then(|words| words.lines().next()).unwrap_or_default().to_owned(),
        };
        let more = findings.len().saturating_sub(FINDINGS);
        let mut all: Vec<String> = findings.into_iter().take(FINDINGS).map(of_finding).collect();
        all.extend((more > 0).then(|| format!("{}, listed in report.json\n", counted(more, "more finding"))));
        all.extend(details);
        failed(NonSuccessKind::Failure, "new mismatch", &message, &all.join("\n"))
    }

    fn examples(&self) -> Vec<TestCase> {
        let mut known: BTreeMap<(&str, String), usize> = BTreeMap::new();
        let mut tests = Vec::new();
        for example in &self.report.examples {
            let name = line(&example.line);
            let count = known.entry((&example.instruction, name.clone())).or_default();
            *count += 1;
            let Some(answer) = example.engines.get(&self.engine.name) else { continue };
            let name = if *count > 1 { format!("{name} ({count})") } else { name };
            tests.push(of_example(example, answer, &name));
        }
        tests
    }
}

/// The name of the test that a group belongs to.
fn part_of(group: &GroupReport) -> String {
    match group.rules.as_slice() {
        _ if group.does == Does::Computes => ROWS.to_owned(),
        [] => VALID.to_owned(),
        rules => rules.join(", "),
    }
}

fn of_finding(finding: &Finding) -> String {
    let short = |words: &str| visible(&cut(words, NAME)).into_owned();
    let mut lines = vec![
        format!("finding {}: {}", finding.fingerprint, short(&finding.title)),
        format!("case {}: {}", finding.case.id, short(&finding.case.line)),
    ];
    if let Some(row) = &finding.case.row {
        lines.push(format!("row {}", short(&row.inputs)));
        lines.push(format!("failed {}", short(&row.difference)));
    }
    if !finding.case.message.is_empty() {
        lines.push(format!("message {}", short(&finding.case.message)));
    }
    lines.push(format!("see it: {}", short(&finding.case.command)));
    lines.join("\n") + "\n"
}

fn without_finding(group: &GroupReport, engine: &str) -> String {
    let count = group.counts[engine];
    let mut lines = vec![format!("{}: not analysed", group.description(count))];
    if let Some(example) = &group.example {
        lines.push(format!("case {}: {}", example.id, cut(&example.line, NAME)));
        lines.push(format!("message {}", cut(&example.message, NAME)));
        lines.push(format!("see it: {}", cut(&example.command, NAME)));
    }
    lines.join("\n") + "\n"
}

fn of_example(example: &ExampleReport, answer: &ExampleAnswer, name: &str) -> TestCase {
    let listed = answer.divergences.join(", ");
    let status = match answer.agreement {
        Agreement::AsSpecified | Agreement::AsListed => TestCaseStatus::success(),
        Agreement::NotCompared => skipped(&format!("not compared: {}", answer.did)),
        Agreement::Unexpected => {
            let words = format!("unexpected: {}", answer.did);
            let otherwise = if listed.is_empty() { String::new() } else { format!("\nlisted otherwise: {listed}") };
            failed(NonSuccessKind::Failure, "unexpected answer", &words, &format!("{words}{otherwise}"))
        }
    };
    let mut test = test(&format!("examples of {}", example.instruction), name, status);
    if answer.agreement == Agreement::AsListed {
        test.set_system_out(text(&format!("known divergence {listed}")));
    }
    test
}
