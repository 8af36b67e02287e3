//! The report as text for a terminal.

use std::fmt::Write as _;

use super::Report;
use crate::divergence::Does;
use crate::finding::{ExecutedFinding, Finding, Vote};
use crate::run::Problem;
use crate::vocabulary::WordFinding;

pub(super) fn render(report: &Report) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write(report, &mut text);
    text
}

/// Words that an engine does not treat as it should.
fn write_words(engine: &str, finding: &WordFinding, to: &mut String) -> std::fmt::Result {
    let does = match finding.does {
        Does::Crashes => "crashes on",
        does => does.word(),
    };
    writeln!(to, "\nfinding: {engine} {does} {} in a slot of {}", finding.words.join(" "), finding.instruction)?;
    writeln!(to, "  slots    {}", finding.slots.iter().cloned().collect::<Vec<_>>().join(", "))?;
    writeln!(to, "  case     {}", finding.line)?;
    if !finding.message.is_empty() {
        writeln!(to, "  message  {}", finding.message)?;
    }
    Ok(())
}

fn write(report: &Report, to: &mut String) -> std::fmt::Result {
    let (unlisted, listed): (Vec<_>, Vec<_>) = report.disagreements.iter().partition(|heap| heap.divergence.is_none());
    report.findings.iter().try_for_each(|finding| write_finding(finding, to))?;
    report.executed_findings.iter().try_for_each(|finding| write_executed(finding, to))?;
    for engine in &report.engines {
        let findings = engine.words.iter().flat_map(|words| &words.findings);
        findings.clone().try_for_each(|finding| write_words(&engine.name, finding, to))?;
    }
    for heap in &report.vanished {
        writeln!(to, "\nnot seen again, so not looked into: {heap}")?;
    }
    if report.left > 0 {
        writeln!(to, "\n{} more heaps of disagreements were not looked into", report.left)?;
    }
    for divergence in report.divergences.iter().filter(|divergence| !divergence.stale.is_empty()) {
        for (engine, problem) in &divergence.stale {
            let words = match problem {
                Problem::Fixed => "no longer happens: remove it, or give it `to`",
                Problem::Unmatched => "matches nothing that the engine can be asked about: remove or mend it",
                Problem::Expired => "is past its day: look at it again, and remove it or give it a later `expires`",
            };
            writeln!(to, "\ndivergence {} {words} ({engine})", divergence.id)?;
        }
    }
    for line in &report.confused {
        writeln!(to, "\nbug of this tool: {line}")?;
    }
    writeln!(
        to,
        "\nthe manual's examples: {} of {} agreed",
        report.examples.iter().filter(|e| e.agreed).count(),
        report.examples.len()
    )?;
    for example in report.examples.iter().filter(|example| !example.agreed) {
        let specification = format!("{:?}", example.specification).to_lowercase();
        writeln!(to, "  {} -- specification: {specification}", example.line)?;
        for (engine, words) in example.engines.iter().filter(|(_, words)| *words != "accepted") {
            writeln!(to, "    {engine} {words}")?;
        }
    }
    writeln!(to)?;
    for engine in &report.engines {
        let [valid, accepted] = engine.valid;
        let [breaches, rejected] = engine.breaches;
        let [code, passed] = engine.code;
        writeln!(
            to,
            "{}: {} cases; {accepted} of {valid} valid accepted, {rejected} of {breaches} breaches rejected, {passed} of {code} through code generation; {} listed, {} unlisted disagreements",
            engine.name, engine.cases, engine.listed, engine.unlisted
        )?;
        for (reason, count) in &engine.skipped {
            writeln!(to, "  skipped {count}: {reason}")?;
        }
        if let Some(words) = &engine.words {
            writeln!(
                to,
                "  {} words tried in every slot: {} lines; {} as the specification says, {} listed, {} undefined, {} skipped, {} findings",
                words.words,
                words.lines,
                words.agreed,
                words.listed,
                words.undefined,
                words.skipped,
                words.findings.len()
            )?;
        }
    }
    for engine in &report.executed {
        let [agreed, differed] = engine.judged();
        writeln!(
            to,
            "{}: {} rows tried ({}); {agreed} came out as they must, {differed} did not",
            engine.engine,
            engine.rows(),
            engine.environment
        )?;
        for undefined in &engine.undefined {
            writeln!(to, "  {}", undefined.words())?;
        }
        for (reason, count) in &engine.skipped {
            writeln!(to, "  skipped {count}: {reason}")?;
        }
    }
    for absent in &report.absent {
        writeln!(to, "{}", absent.words())?;
    }
    for lost in &report.lost {
        writeln!(to, "could not judge: {lost}")?;
    }
    let wrong: u64 = report.executed.iter().map(|engine| engine.judged()[1]).sum();
    let rows = if report.executed.is_empty() { String::new() } else { format!("; {wrong} wrong rows") };
    writeln!(
        to,
        "{}: {} unlisted and {} listed heaps of disagreements{rows}",
        report.verdict,
        unlisted.len(),
        listed.len()
    )
}

/// All that is known of rows with one cause.
fn write_executed(finding: &ExecutedFinding, to: &mut String) -> std::fmt::Result {
    writeln!(to, "\nfinding {}: {}", finding.fingerprint, finding.title)?;
    writeln!(to, "  where    {} rows in {}", finding.mismatches, finding.engine)?;
    for evidence in &finding.evidence {
        writeln!(
            to,
            "  evidence {}: {} of {} places asked about show it, of {}",
            evidence.form, evidence.failed, evidence.asked, evidence.places
        )?;
    }
    for page in &finding.manual {
        writeln!(to, "  manual   {page}")?;
    }
    writeln!(to, "  suspect  {}", finding.suspect)?;
    let case = &finding.case;
    writeln!(to, "  case     {} ({})", case.execution.line, case.id)?;
    if !case.state.is_empty() {
        writeln!(to, "  state    {}", case.state)?;
    }
    let row: Vec<String> = case
        .execution
        .inputs
        .iter()
        .zip(case.execution.rows.row(0))
        .map(|(input, bits)| format!("{} = {bits:x}", input.register))
        .collect();
    writeln!(to, "  row      {}", row.join(", "))?;
    writeln!(to, "  expected {}", case.expected)?;
    writeln!(to, "  got      {}", case.got)?;
    writeln!(to, "  so       {}", case.difference)?;
    if finding.yaml.is_empty() {
        return Ok(());
    }
    writeln!(to, "  list it in specs/divergences/{}.yaml", finding.family())?;
    finding.yaml.lines().try_for_each(|line| writeln!(to, "  {line}"))
}

/// A finding for a terminal.
pub(super) fn finding(finding: &Finding) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_finding(finding, &mut text);
    text
}

/// All that is known of a finding.
fn write_finding(finding: &Finding, to: &mut String) -> std::fmt::Result {
    writeln!(to, "\nfinding {}: {}", finding.fingerprint, finding.title)?;
    writeln!(to, "  where    {} mismatches in {}", finding.mismatches, finding.versions)?;
    for (engine, vote) in &finding.engines {
        let words = match vote {
            Vote::Shows => "shows it",
            Vote::DoesNot => "does not",
            Vote::Other(words) => words,
        };
        writeln!(to, "           {engine} {words}")?;
    }
    for evidence in &finding.evidence {
        writeln!(
            to,
            "  evidence {}: {} of {} asked show it, of {} variants; {}, {}",
            evidence.form, evidence.failed, evidence.asked, evidence.variants, evidence.engine, evidence.environment
        )?;
    }
    for says in &finding.says {
        writeln!(to, "  rule     {says}")?;
    }
    for page in &finding.manual {
        writeln!(to, "  manual   {page}")?;
    }
    let suspect = format!("{:?}", finding.blame.suspect).to_lowercase();
    writeln!(to, "  suspect  {suspect}: {}", finding.blame.because)?;
    let case = &finding.case;
    writeln!(to, "  case     {} ({}; {} neighbours without it)", case.line, case.id, case.neighbours_without)?;
    if !case.message.is_empty() {
        writeln!(to, "  message  {}", case.message)?;
    }
    writeln!(to, "  module")?;
    case.module.lines().try_for_each(|line| writeln!(to, "    {line}"))?;
    if !case.command.is_empty() {
        writeln!(to, "  see it   {}", case.command)?;
    }
    writeln!(to, "  list it in specs/divergences/{}.yaml", finding.family)?;
    finding.yaml.lines().try_for_each(|line| writeln!(to, "  {line}"))
}
