//! The index: what the run says at a glance.

use std::collections::BTreeMap;

use serde::Serialize;

use super::engine_names::EngineNames;
use super::instruction_view::{InstructionCounts, InstructionView, RuleView, TestedStatus};
use crate::campaign::Agreement;
use crate::report::chains::JoinedChainFinding;
use crate::report::coverage::ExampleReport;
use crate::report::data::Report;
use crate::report::groups::{GroupCase, GroupReport};
use crate::report::listed::DivergenceReport;

/// Rules that the index names as the least tested.
const LEAST_TESTED: usize = 10;

/// The index.
#[derive(Debug, Serialize)]
pub(super) struct IndexView<'r> {
    words: &'static str,
    /// Sums of all engines.
    lines: u64,
    rows: u64,
    known: usize,
    new: usize,
    /// The findings of chains, each with its engines.
    chain_findings: Vec<JoinedChainFinding<'r>>,
    /// Divergences that need attention, and examples with unexpected answers: each with the engines together.
    stale: Vec<StaleView<'r>>,
    unexpected: Vec<UnexpectedView<'r>>,
    /// The engines that judged, and those that executed, in words.
    judges: String,
    executors: String,
    instructions: Vec<InstructionRow<'r>>,
    /// New mismatches by the engine's message.
    messages: Vec<MessageView<'r>>,
    /// The rules with the fewest lines, and how many rules no line broke alone.
    least_tested: Vec<LeastTested<'r>>,
    untested_rules: Vec<UntestedRule<'r>>,
    untested: usize,
    /// Everything that was skipped: the reason, the engines, how many.
    skipped: Vec<SkippedView<'r>>,
    left_out: u64,
    /// Listed divergences that were not asked about, of all engines.
    not_asked: usize,
}

/// An instruction in the table of the index.
#[derive(Debug, Serialize)]
struct InstructionRow<'r> {
    name: &'r str,
    summary: &'r str,
    status: TestedStatus,
    counts: InstructionCounts,
}

/// A divergence that needs attention.
#[derive(Debug, Serialize)]
struct StaleView<'r> {
    id: &'r str,
    problem: &'static str,
    engines: String,
}

/// An example of the manual that engines answered as neither the specification nor a divergence says.
#[derive(Debug, Serialize)]
struct UnexpectedView<'r> {
    example: &'r ExampleReport,
    did: &'r str,
    divergences: &'r [String],
    engines: String,
}

/// New mismatches with one message.
#[derive(Debug, Serialize)]
struct MessageView<'r> {
    message: &'r str,
    count: u64,
    groups: usize,
    forms: Vec<&'r str>,
    example: Option<&'r GroupCase>,
}

/// A rule that few lines broke.
#[derive(Debug, Serialize)]
struct LeastTested<'r> {
    instruction: &'r str,
    id: &'r str,
    anchor: &'r str,
    says: &'r str,
    lines: u64,
}

/// A rule that no line broke alone.
#[derive(Debug, Serialize)]
struct UntestedRule<'r> {
    instruction: &'r str,
    id: &'r str,
    anchor: &'r str,
    says: &'r str,
    why: String,
}

/// Lines or rows that were not asked about.
#[derive(Debug, Serialize)]
struct SkippedView<'r> {
    reason: &'r str,
    what: &'static str,
    engines: String,
    count: u64,
}

impl<'r> IndexView<'r> {
    pub(super) fn new(report: &'r Report, instructions: &'r [InstructionView<'r>], names: &EngineNames) -> Self {
        let of = |wanted: &dyn Fn(&crate::report::EngineReport) -> bool| -> String {
            let engines = report.engines.iter().filter(|engine| wanted(engine));
            names.words(&engines.map(|engine| engine.name.as_str()).collect::<Vec<_>>())
        };
        let known = report.groups.iter().filter(|group| group.divergence.is_some()).count();
        let row = |of: &InstructionView<'r>| InstructionRow {
            name: of.name,
            summary: of.summary,
            status: of.status,
            counts: of.counts,
        };
        let tested = report.engines.iter().any(|engine| engine.judges);
        let mut rules: Vec<(&str, &RuleView<'_>)> = if tested {
            instructions.iter().flat_map(|of| of.rules.iter().map(move |rule| (of.name, rule))).collect()
        } else {
            Vec::new()
        };
        let untested = rules.iter().filter(|(_, rule)| rule.lines == 0);
        let untested: Vec<UntestedRule<'_>> =
            untested.map(|(instruction, rule)| UntestedRule::new(instruction, rule)).collect();
        rules.retain(|(_, rule)| rule.lines > 0);
        rules.sort_by_key(|(_, rule)| (rule.lines, rule.id));
        let least = rules.iter().take(LEAST_TESTED).map(|(instruction, rule)| LeastTested {
            instruction,
            id: rule.id,
            anchor: &rule.anchor,
            says: rule.says,
            lines: rule.lines,
        });
        Self {
            words: report.verdict.words(),
            lines: report.engines.iter().map(|engine| engine.cases).sum(),
            rows: report.engines.iter().map(|engine| engine.row_counts()[0]).sum(),
            known,
            new: report.groups.len() - known,
            chain_findings: report.chain_findings(),
            stale: report.divergences.iter().flat_map(|of| StaleView::all(of, names)).collect(),
            unexpected: report.examples.iter().flat_map(|of| UnexpectedView::all(of, names)).collect(),
            judges: of(&|engine| engine.judges),
            executors: of(&|engine| engine.environment.is_some()),
            instructions: instructions.iter().map(row).collect(),
            messages: messages(report),
            least_tested: least.collect(),
            untested: untested.len(),
            untested_rules: untested,
            skipped: skipped(report, names),
            left_out: report.engines.iter().flat_map(|engine| engine.left_out.values()).sum(),
            not_asked: report.engines.iter().flat_map(|engine| engine.not_asked.values()).map(Vec::len).sum(),
        }
    }
}

impl<'r> StaleView<'r> {
    fn all(divergence: &'r DivergenceReport, names: &EngineNames) -> Vec<Self> {
        let mut problems: BTreeMap<&'static str, Vec<&str>> = BTreeMap::new();
        for (engine, problem) in &divergence.stale {
            problems.entry(problem.words()).or_default().push(engine);
        }
        let view =
            |(problem, engines): (_, Vec<&str>)| Self { id: &divergence.id, problem, engines: names.words(&engines) };
        problems.into_iter().map(view).collect()
    }
}

impl<'r> UnexpectedView<'r> {
    fn all(example: &'r ExampleReport, names: &EngineNames) -> Vec<Self> {
        let mut answers: BTreeMap<(&str, &[String]), Vec<&str>> = BTreeMap::new();
        for (engine, answer) in example.engines.iter().filter(|(_, of)| of.agreement == Agreement::Unexpected) {
            answers.entry((&answer.did, &answer.divergences)).or_default().push(engine);
        }
        let view = |((did, divergences), engines): ((&'r str, &'r [String]), Vec<&str>)| Self {
            example,
            did,
            divergences,
            engines: names.words(&engines),
        };
        answers.into_iter().map(view).collect()
    }
}

impl<'r> UntestedRule<'r> {
    fn new(instruction: &'r str, rule: &'r RuleView<'r>) -> Self {
        let why = match rule.along_with.as_slice() {
            [] => "this run asked about no such line".to_owned(),
            others => format!("always broken together with {}", others.join(", ")),
        };
        Self { instruction, id: rule.id, anchor: &rule.anchor, says: rule.says, why }
    }
}

/// New mismatches that are in no finding's forms, by the engine's message, those with the most cases first.
fn messages(report: &Report) -> Vec<MessageView<'_>> {
    let mut messages: BTreeMap<&str, MessageView<'_>> = BTreeMap::new();
    let explained =
        |group: &GroupReport| report.findings.iter().any(|of| of.does == group.does && of.forms.contains(&group.form));
    for group in report.groups.iter().filter(|group| group.divergence.is_none() && !explained(group)) {
        let view = messages.entry(&group.message).or_insert_with(|| MessageView {
            message: &group.message,
            count: 0,
            groups: 0,
            forms: Vec::new(),
            example: group.example.as_ref(),
        });
        view.count += group.counts.values().sum::<u64>();
        view.groups += 1;
        if !view.forms.contains(&group.form.as_str()) {
            view.forms.push(&group.form);
        }
    }
    let mut messages: Vec<MessageView<'_>> = messages.into_values().collect();
    messages.sort_by(|a, b| (b.count, a.message).cmp(&(a.count, b.message)));
    messages
}

fn skipped<'r>(report: &'r Report, names: &EngineNames) -> Vec<SkippedView<'r>> {
    let mut reasons: BTreeMap<(&'static str, &str), (Vec<&str>, u64)> = BTreeMap::new();
    for engine in &report.engines {
        let lines = engine.skipped.iter().map(|(reason, count)| ("lines", reason, count));
        let rows = engine.skipped_rows.iter().map(|(reason, count)| ("rows", reason, count));
        for (what, reason, count) in lines.chain(rows) {
            let sum = reasons.entry((what, reason)).or_default();
            sum.0.push(&engine.name);
            sum.1 += count;
        }
    }
    let view = |((what, reason), (engines, count)): ((&'static str, &'r str), (Vec<&str>, u64))| SkippedView {
        reason,
        what,
        engines: names.words(&engines),
        count,
    };
    let mut all: Vec<SkippedView<'_>> = reasons.into_iter().map(view).collect();
    all.sort_by(|a, b| (b.count, a.reason).cmp(&(a.count, b.reason)));
    all
}
