//! The report as text for a terminal.

use std::fmt::Write as _;

use super::Report;

pub(super) fn render(report: &Report) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write(report, &mut text);
    text
}

fn write(report: &Report, to: &mut String) -> std::fmt::Result {
    let (unlisted, listed): (Vec<_>, Vec<_>) = report.disagreements.iter().partition(|heap| heap.divergence.is_none());
    for heap in &unlisted {
        let rules = if heap.rules.is_empty() { "claimed valid".to_owned() } else { heap.rules.join(", ") };
        let depth = if heap.code_generation { " in code generation" } else { "" };
        writeln!(to, "\n{} {}{depth}: {rules}", heap.form, heap.outcome)?;
        let counts: Vec<String> = heap.counts.iter().map(|(engine, count)| format!("{engine} {count}")).collect();
        writeln!(to, "  cases    {}", counts.join(", "))?;
        for says in &heap.says {
            writeln!(to, "  rule     {says}")?;
        }
        if !heap.message.is_empty() {
            writeln!(to, "  message  {}", heap.example.message)?;
        }
        writeln!(to, "  example  {}", heap.example.line)?;
        writeln!(
            to,
            "           PTX {}, {}, {} bit",
            heap.example.ptx, heap.example.target, heap.example.address_size
        )?;
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
    }
    writeln!(to, "{}: {} unlisted and {} listed heaps of disagreements", report.verdict, unlisted.len(), listed.len())
}
