//! `spec show`: an instruction in words, and an overview of all.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use ptx_conform::space::breakable;
use ptx_conform::spec::{Axis, Choice, Instruction, RuleKind, Source};

/// Prints one line for each instruction.
pub(super) fn overview(specs: Option<&Path>) -> anyhow::Result<ExitCode> {
    let spec = crate::cli::load::load_spec(specs)?;
    let mut text = format!("{:<8} {:<5} {:>5} {:>5}  summary\n", "opcode", "read", "forms", "rules");
    for instruction in &spec.instructions {
        let mut rules: Vec<&str> = instruction
            .forms
            .iter()
            .flat_map(|form| breakable(form).map(|rule| form.rules[rule].id.as_str()))
            .collect();
        rules.sort_unstable();
        rules.dedup();
        let (name, read, forms) = (&instruction.name, instruction.read.to_string(), instruction.forms.len());
        let _ = writeln!(text, "{name:<8} {read:<5} {forms:>5} {:>5}  {}", rules.len(), instruction.summary);
    }
    if let (Some(first), Some(last), Some((oldest, _)), Some((newest, _))) =
        (spec.isa.versions.first(), spec.isa.versions.last(), spec.isa.targets.first(), spec.isa.targets.last())
    {
        let (versions, targets) = (spec.isa.versions.len(), spec.isa.targets.len());
        let _ =
            writeln!(text, "\n{versions} PTX versions ({first} to {last}), {targets} targets ({oldest} to {newest})");
    }
    crate::cli::output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The forms, axes, rules and notes of an instruction.
pub(super) fn shown(instruction: &Instruction) -> String {
    let mut text = format!(
        "{}: {}\n{} (read in edition {})\n",
        instruction.name,
        instruction.summary,
        instruction.page(),
        instruction.read
    );
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for form in &instruction.forms {
        let _ = writeln!(text, "\n{}\n  {}", form.id, form.syntax);
        if form.manual != instruction.manual {
            let _ = writeln!(text, "  {}", form.page());
        }
        for axis in form.axes.iter().filter(|axis| told(axis)) {
            let _ = writeln!(text, "  {:<28} {}", axis.name, values(axis, true));
            let probes = values(axis, false);
            if !probes.is_empty() {
                let _ = writeln!(text, "  {:<28} {probes}", "  probed with");
            }
        }
    }
    text.push_str("\nrules\n");
    for form in &instruction.forms {
        for rule in form.rules.iter().filter(|rule| rule.kind != RuleKind::Canonical) {
            // Rules implied by a slot can differ from form to form.
            if seen.contains(&(&rule.id, &rule.says)) {
                continue;
            }
            seen.push((&rule.id, &rule.says));
            let in_forms: Vec<&str> = instruction
                .forms
                .iter()
                .filter(|form| form.rules.iter().any(|other| other.id == rule.id && other.says == rule.says))
                .map(|form| form.id.as_str())
                .collect();
            let _ = writeln!(text, "  {}: {}", rule.id, rule.says);
            let mut about = vec![match rule.source {
                Source::Manual => "manual".to_owned(),
                Source::Observed => "observed".to_owned(),
            }];
            about.extend(rule.section.clone());
            if !matches!(rule.kind, RuleKind::Constraint) {
                about.push(rule.kind.to_string());
            }
            if in_forms.len() < instruction.forms.len() {
                about.push(format!("in {}", in_forms.join(", ")));
            }
            let _ = writeln!(text, "      {}", about.join("; "));
        }
    }
    if !instruction.notes.is_empty() {
        text.push_str("\nnotes\n");
    }
    for note in &instruction.notes {
        let _ = writeln!(text, "  {}: {}\n      {}", note.section, note.says, note.because);
    }
    text
}

/// True if an axis belongs to the instruction; those of the environment are the same for all.
fn told(axis: &Axis) -> bool {
    !matches!(axis.choice, Choice::AddressSize | Choice::Target | Choice::Ptx)
}

fn values(axis: &Axis, claimed: bool) -> String {
    let names: Vec<&str> = (0..=u8::MAX)
        .zip(&axis.values)
        .filter(|(at, _)| axis.claimed.contains(*at) == claimed)
        .map(|(_, name)| name.as_str())
        .collect();
    names.join(if axis.choice == Choice::Writing { ", " } else { " " })
}
