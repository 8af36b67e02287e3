//! `run --exhaustive`: every input of lines that have one.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};

use super::Opts;
use super::progress;
use ptx_conform::campaign::{self, DomainWalk, Progress, Subject, WalkCounts, WalkedLine};
use ptx_conform::divergences::Divergences;
use ptx_conform::plural::counted;
use ptx_conform::spec::{Instruction, Spec};

impl Opts {
    /// Walks the lines of the instructions, and prints what came of each.
    pub(super) fn walk(
        &self,
        (spec, divergences): (&Spec, &Divergences),
        subjects: &[Subject<'_>],
        directory: &Path,
        progress: &Progress,
    ) -> anyhow::Result<ExitCode> {
        let mut engines = Vec::new();
        for executor in subjects.iter().filter_map(|subject| subject.executor) {
            match campaign::executing_environment(spec, executor) {
                Ok(environment) => engines.push((executor, environment)),
                Err(why) => super::super::output::say(&format!("warning: {why}")),
            }
        }
        if engines.is_empty() {
            bail!("no engine executes: name one with --engine, such as `sass@13.5`");
        }
        let named = |of: &&Instruction| self.instructions.is_empty() || self.instructions.contains(&of.name);
        let instructions: Vec<&Instruction> = spec.instructions.iter().filter(named).collect();
        let file = directory.join("exhaustive.jsonl");
        let only = self.exhaustive.as_deref().filter(|only| !only.is_empty());
        let most_bits = self.exhaustive_bits;
        let walk = DomainWalk { spec, divergences, instructions: &instructions, only, most_bits, file: &file };
        let walked = progress::shown(progress, || walk.run(&engines, progress))?;
        let stopped = progress.stopped();
        let walked = walked.with_context(|| format!("{} cannot be used", file.display()))?;
        if walked.is_empty() {
            let possible: BTreeSet<String> = engines.iter().flat_map(|(_, of)| walk.possible(of)).collect();
            match (only, possible.is_empty()) {
                (Some(only), false) => {
                    let possible: Vec<String> = possible.into_iter().collect();
                    bail!(
                        "there is no line of `{only}` whose only input is a register of up to {most_bits} bits; of up to 32 there are {}",
                        possible.join(", ")
                    );
                }
                _ => bail!(
                    "none of these instructions has a line whose only input is a register of up to {most_bits} bits"
                ),
            }
        }
        super::super::output::print(&text(&walked, stopped))?;
        let all = |is: fn(&WalkedLine) -> bool| walked.iter().all(is);
        Ok(match () {
            () if walked.iter().any(|line| line.counts.failed > 0 && line.counts.listed.is_none()) => ExitCode::from(1),
            () if all(|line| line.counts.inputs == line.domain) => ExitCode::SUCCESS,
            () => ExitCode::from(2),
        })
    }
}

/// The results of each line in words.
fn text(walked: &[WalkedLine], stopped: bool) -> String {
    let mut text = String::new();
    for WalkedLine { engine, line, domain, counts } in walked {
        let mut to = |line: String| {
            let _ = writeln!(text, "{line}");
        };
        to(format!("{engine}: {line}"));
        let undecided =
            if counts.undecided > 0 { format!(", {} may have any result", counts.undecided) } else { String::new() };
        to(format!(
            "  {} of {domain} inputs: {} agree{undecided}, {} differ",
            counts.inputs, counts.agreed, counts.failed
        ));
        if let Some(why) = &counts.skipped {
            to(format!("  some have no result: {why}"));
        }
        let Some(first) = &counts.first else { continue };
        if let Some(id) = &counts.listed {
            to(format!("  listed: {id}"));
        }
        to(format!("  input {:x}: expected {}, actual {}", first.input, first.expected, first.actual));
        let range = |[first, last]: &[u64; 2]| match first == last {
            true => format!("{first:x}"),
            false => format!("{first:x} to {last:x}"),
        };
        let shown: u64 = counts.ranges.iter().map(|[first, last]| last - first + 1).sum();
        let more = if shown < counts.failed { ", and others" } else { "" };
        let ranges = counts.ranges.iter().map(range).collect::<Vec<_>>().join(", ");
        to(format!("  inputs that differ: {ranges}{more}"));
    }
    let sum = |of: fn(&WalkCounts) -> u64| walked.iter().map(|line| of(&line.counts)).sum::<u64>();
    let (inputs, failed) = (sum(|counts| counts.inputs), sum(|counts| counts.failed));
    let _ = writeln!(text, "{}: {inputs} inputs executed, {failed} differ", counted(walked.len() as u64, "line"));
    if stopped {
        text.push_str("interrupted: the same command goes on from here\n");
    }
    text
}
