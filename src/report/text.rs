//! The report as text for a terminal.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use super::coverage::ExampleReport;
use super::data::Report;
use super::deaths::DeathReport;
use super::engines::EngineReport;
use crate::borders::Borders;
use crate::campaign::Agreement;
use crate::causes::{Evidence, Finding, MinimalCase, MinimalRow, short_rule};
use crate::plural::counted;
use crate::spec::Verdict;

/// Groups that were not analysed which a terminal shows.
const NOT_ANALYSED: usize = 20;

pub(super) fn render(report: &Report) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write(report, &mut text);
    text
}

/// A finding for a terminal.
pub(super) fn finding(finding: &Finding) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_finding(finding, None, &mut text);
    text
}

fn write(report: &Report, to: &mut String) -> fmt::Result {
    report.findings.iter().try_for_each(|finding| write_finding(finding, Some(report), to))?;
    report.deaths.iter().filter(|death| death.divergence.is_none()).try_for_each(|death| write_death(death, to))?;
    report.chain_findings().iter().try_for_each(|finding| finding.write(to))?;
    for group in &report.not_reproduced {
        writeln!(to, "\nnot analysed: {group}")?;
    }
    if !report.not_analysed.is_empty() {
        writeln!(to, "\nnot analysed: {}:", counted(report.not_analysed.len(), "more mismatch group"))?;
        report.not_analysed.iter().take(NOT_ANALYSED).try_for_each(|group| writeln!(to, "  {group}"))?;
        let more = report.not_analysed.len().saturating_sub(NOT_ANALYSED);
        if more > 0 {
            writeln!(to, "  and {}, listed in report.json", counted(more, "other"))?;
        }
    }
    for divergence in &report.divergences {
        for (engine, problem) in &divergence.stale {
            writeln!(to, "\ndivergence {} {} ({engine})", divergence.id, problem.words())?;
        }
    }
    for line in &report.internal_errors {
        writeln!(to, "\ninternal error, a bug of ptx-conform: {line}")?;
    }
    write_examples(&report.examples, to)?;
    if let Some(support) = &report.support {
        writeln!(to, "{}", support.words())?;
        support
            .unlisted
            .iter()
            .try_for_each(|name| writeln!(to, "  not as the manual, and no divergence lists it: {name}"))?;
    }
    writeln!(to)?;
    report.engines.iter().try_for_each(|engine| write_engine(engine, to))?;
    report.chains.iter().try_for_each(|of_engine| of_engine.write(to))?;
    let limits: BTreeSet<&str> = report.engines.iter().flat_map(|engine| &engine.limits).map(String::as_str).collect();
    for limit in limits {
        let limited = report.engines.iter().filter(|engine| engine.limits.iter().any(|known| known == limit));
        let names: Vec<&str> = limited.map(|engine| engine.name.as_str()).collect();
        let more = if names.len() > 1 { format!(" and {} more", names.len() - 1) } else { String::new() };
        writeln!(to, "limit of {}{more}: {limit}", names[0])?;
    }
    for absent in &report.absent {
        writeln!(to, "{}", absent.words())?;
    }
    for note in &report.notes {
        writeln!(to, "note: {note}")?;
    }
    if let Some(deeper) = &report.deeper {
        writeln!(to, "{}", deeper.words())?;
    }
    for lost in &report.lost {
        writeln!(to, "could not judge: {lost}")?;
    }
    write_summary(report, to)
}

/// The last lines: the news and the verdict.
fn write_summary(report: &Report, to: &mut String) -> fmt::Result {
    if let Some(news) = &report.news {
        writeln!(to, "{}", news.words())?;
        for finding in &news.vanished {
            writeln!(to, "  gone: {} {}", finding.fingerprint, finding.title)?;
        }
    }
    let listed = report.groups.iter().filter(|group| group.divergence.is_some()).count();
    let failed: u64 = report.engines.iter().map(|engine| engine.row_counts()[2]).sum();
    let executed = report.engines.iter().any(|engine| engine.environment.is_some());
    let rows = if executed { format!("; {} failed", counted(failed, "row")) } else { String::new() };
    let new = report.groups.len() - listed;
    let answers = report.examples.iter().flat_map(|example| example.engines.values());
    let further = [
        (report.deaths.iter().filter(|death| death.divergence.is_none()).count(), "new death", "of lines together"),
        (report.chain_findings().len(), "new finding", "of chains"),
        (
            answers.filter(|answer| answer.agreement == Agreement::Unexpected).count(),
            "unexpected answer",
            "to examples",
        ),
        (report.divergences.iter().map(|known| known.stale.len()).sum(), "listed divergence", "to look at"),
        (report.support.as_ref().map_or(0, |support| support.unlisted.len()), "difference", "in the support matrix"),
    ];
    let further = further.into_iter().filter(|(count, ..)| *count > 0);
    let further: String = further.map(|(count, what, rest)| format!("; {} {rest}", counted(count, what))).collect();
    writeln!(to, "{}: {new} new and {}{rows}{further}", report.verdict.words(), counted(listed, "known mismatch group"))
}

/// Lines that kill an engine only together, and how to see it.
fn write_death(death: &DeathReport, to: &mut String) -> fmt::Result {
    writeln!(to, "\n{}: {}", death.engine, death.title)?;
    let depth = if death.code_generation { ", in code generation" } else { "" };
    writeln!(to, "  in {}{depth}; {}", death.environment, counted(death.count, "such set"))?;
    for (number, module) in death.modules.iter().enumerate() {
        writeln!(to, "  {number}.ptx:")?;
        module.text.lines().try_for_each(|line| writeln!(to, "    {line}"))?;
    }
    writeln!(to, "  to see it: {}", death.command)
}

fn write_examples(examples: &[ExampleReport], to: &mut String) -> fmt::Result {
    let invalid = examples.iter().filter(|example| example.specification == Verdict::Invalid).count();
    writeln!(to, "\nthe manual's examples: {}, of which {invalid} break its own rules", examples.len())?;
    let engines: BTreeSet<&str> =
        examples.iter().flat_map(|example| example.engines.keys()).map(String::as_str).collect();
    for engine in engines {
        let answers = || examples.iter().filter_map(|example| Some((example, example.engines.get(engine)?)));
        let count = |agreement| answers().filter(|(_, answer)| answer.agreement == agreement).count();
        let [specified, listed, other, unexpected] =
            [Agreement::AsSpecified, Agreement::AsListed, Agreement::NotCompared, Agreement::Unexpected].map(count);
        writeln!(
            to,
            "  {engine}: {specified} as specified, {listed} as listed, {other} not compared; unexpected: {unexpected}"
        )?;
        for (example, answer) in answers().filter(|(_, answer)| answer.agreement == Agreement::Unexpected) {
            let specification = if example.specification == Verdict::Valid { "valid" } else { "invalid" };
            writeln!(to, "    {}\n      specification: {specification}; {engine} {}", example.line.trim(), answer.did)?;
            if !answer.divergences.is_empty() {
                writeln!(to, "      listed otherwise: {}", answer.divergences.join(", "))?;
            }
        }
    }
    Ok(())
}

fn write_engine(engine: &EngineReport, to: &mut String) -> fmt::Result {
    if engine.judges {
        let [valid, accepted] = engine.valid;
        let [breaches, rejected] = engine.breaches;
        let [code, passed] = engine.code;
        writeln!(
            to,
            "{}: {} judged; {accepted} of {valid} valid lines accepted, {rejected} of {breaches} breaches rejected, {passed} of {code} passed code generation; {} known and {}",
            engine.name,
            counted(engine.cases, "line"),
            engine.listed,
            counted(engine.unlisted, "new mismatch")
        )?;
        if let Some(words) = &engine.words {
            writeln!(
                to,
                "  {} tried in every slot, in {}: {} as specified, {} as listed, {} undefined, {} skipped; new mismatches: {}",
                counted(words.words, "word"),
                counted(words.lines, "line"),
                words.agreed,
                words.listed,
                words.undefined,
                words.skipped,
                words.unlisted
            )?;
        }
        for (reason, count) in &engine.skipped {
            writeln!(to, "  skipped {count}: {reason}")?;
        }
        if !engine.left_out.is_empty() {
            let lines: u64 = engine.left_out.values().sum();
            let instructions: Vec<&str> = engine.left_out.keys().map(String::as_str).collect();
            let instructions = instructions.join(", ");
            writeln!(
                to,
                "  left out {}, beyond the budget of an instruction (--random): {instructions}",
                counted(lines, "random line")
            )?;
        }
    }
    write_rows(engine, to)?;
    for (reason, ids) in &engine.not_asked {
        writeln!(to, "  {} not asked about: {reason}: {}", counted(ids.len(), "listed divergence"), ids.join(", "))?;
    }
    if let Some(words) = &engine.gave_up {
        writeln!(to, "{}: could not judge: {words}", engine.name)?;
    }
    Ok(())
}

/// The rows of an engine that executes.
fn write_rows(engine: &EngineReport, to: &mut String) -> fmt::Result {
    let Some(environment) = &engine.environment else { return Ok(()) };
    let [rows, passed, failed] = engine.row_counts();
    let tried = counted(rows, "row");
    writeln!(to, "{}: {tried} tried ({environment}); {passed} passed, {failed} failed", engine.name)?;
    for undefined in &engine.undefined {
        writeln!(to, "  {}", undefined.words())?;
    }
    for (reason, count) in &engine.skipped_rows {
        writeln!(to, "  skipped {count}: {reason}")?;
    }
    engine.approximation_words().map_or(Ok(()), |words| writeln!(to, "  {words}"))?;
    engine.without_semantics_words().map_or(Ok(()), |words| writeln!(to, "  {words}"))
}

/// All that is known of a finding.
fn write_finding(finding: &Finding, report: Option<&Report>, to: &mut String) -> fmt::Result {
    writeln!(to, "\nfinding {}: {}", finding.fingerprint, finding.title)?;
    writeln!(to, "  where    {} in {}", counted(finding.mismatches, "mismatch"), finding.versions)?;
    for (engine, vote) in &finding.engines {
        writeln!(to, "           {engine} {}", vote.words())?;
    }
    let borders = report.and_then(|report| report.borders.get(&finding.fingerprint));
    let builds = borders.map(Borders::words).unwrap_or_default();
    builds.iter().try_for_each(|words| writeln!(to, "  builds   {words}"))?;
    if let Some(news) = report.and_then(|report| report.news.as_ref()) {
        writeln!(to, "  known    since {}", news.known_since(&finding.fingerprint))?;
    }
    let what = if finding.case.row.is_some() { "points" } else { "variants" };
    for evidence in finding.evidence.iter().filter(|evidence| evidence.asked > 0) {
        writeln!(
            to,
            "  evidence {}{}: {} of {} tested {what} show it, {} exist; {}, {}",
            evidence.form,
            about(finding, evidence),
            evidence.failed,
            evidence.asked,
            evidence.variants,
            evidence.engine,
            evidence.environment
        )?;
    }
    if !finding.slots.is_empty() {
        writeln!(to, "  slots    {}", finding.slots.join(", "))?;
    }
    for says in &finding.says {
        writeln!(to, "  rule     {says}")?;
    }
    for page in &finding.manual {
        writeln!(to, "  manual   {page}")?;
    }
    writeln!(to, "  suspect  {}: {}", finding.blame.suspect.word(), finding.blame.because)?;
    match &finding.case.row {
        Some(row) => write_row(&finding.case, row, to)?,
        None => write_line(&finding.case, to)?,
    }
    if finding.yaml.is_empty() {
        return Ok(());
    }
    writeln!(to, "  list it in specs/divergences/{}.yaml", finding.listed_family)?;
    finding.yaml.lines().try_for_each(|line| writeln!(to, "  {line}"))
}

/// The rules that evidence is about, if the finding is about several.
fn about(finding: &Finding, evidence: &Evidence) -> String {
    let rules: Vec<&str> = evidence.rules.iter().map(|rule| short_rule(rule)).collect();
    match (finding.rules.len() + usize::from(finding.valid), rules.as_slice()) {
        (0 | 1, _) => String::new(),
        (_, []) => ", valid".to_owned(),
        (_, rules) => format!(", {}", rules.join(", ")),
    }
}

fn write_line(case: &MinimalCase, to: &mut String) -> fmt::Result {
    writeln!(to, "  case     {} ({}; neighbours that pass: {})", case.line, case.id, case.neighbours_without)?;
    if !case.message.is_empty() {
        writeln!(to, "  message  {}", case.message)?;
    }
    writeln!(to, "  module")?;
    case.module.lines().try_for_each(|line| writeln!(to, "    {line}"))?;
    if !case.command.is_empty() {
        writeln!(to, "  see it   {}", case.command)?;
    }
    Ok(())
}

fn write_row(case: &MinimalCase, row: &MinimalRow, to: &mut String) -> fmt::Result {
    writeln!(to, "  case     {} ({})", case.line, case.id)?;
    if !row.setup.is_empty() {
        writeln!(to, "  setup    {}", row.setup)?;
    }
    writeln!(to, "  row      {}", row.inputs)?;
    writeln!(to, "  expected {}", row.expected)?;
    writeln!(to, "  actual   {}", row.actual)?;
    writeln!(to, "  failed   {}", row.difference)?;
    if let Some(listing) = &row.listing {
        writeln!(to, "  code     {}", listing.command)?;
        listing.code.iter().filter(|line| line.marked).try_for_each(|line| writeln!(to, "    {}", line.text))?;
    }
    writeln!(to, "  see it   {}", case.command)
}
