//! A text about a listed divergence, as one would send it to whoever maintains the engine.

use std::fmt::{self, Write as _};

use super::listed::DivergenceReport;
use crate::causes::{ListedCase, MinimalRow};
use crate::engine::ListedLine;
use crate::kernel;

/// The text, as Markdown.
pub(super) fn text(divergence: &DivergenceReport) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write(divergence, &mut text);
    text
}

fn write(divergence: &DivergenceReport, to: &mut String) -> fmt::Result {
    writeln!(
        to,
        "# {}\n\n{}\n\n| engine | rows that show it | rows that do not |\n|---|---|---|",
        divergence.id, divergence.because
    )?;
    for (engine, [did, did_not]) in &divergence.counts {
        writeln!(to, "| {engine} | {did} | {did_not} |")?;
    }
    let Some(ListedCase { engine, case }) = &divergence.case else { return Ok(()) };
    let Some(row) = &case.row else { return Ok(()) };
    writeln!(to, "\n## The simplest case, {engine}\n\n```\n{}\n```\n", case.line)?;
    if !row.setup.is_empty() {
        writeln!(to, "- setup: {}", row.setup)?;
    }
    writeln!(to, "- inputs: `{}`\n- expected: `{}`\n- actual: `{}`", row.inputs, row.expected, row.actual)?;
    let command = row.listing.as_ref().map(|listing| listing.command.as_str());
    command.map_or(Ok(()), |command| writeln!(to, "- to see it: `{command}`"))?;
    write_code(row, to)
}

/// The module and the machine code; `>` marks the line, and what is executed for it.
fn write_code(row: &MinimalRow, to: &mut String) -> fmt::Result {
    let mut block = |heading: &str, lines: &mut dyn Iterator<Item = (bool, &str)>| {
        writeln!(to, "\n## {heading}\n\n```")?;
        for (marked, line) in lines {
            writeln!(to, "{}{line}", if marked { "> " } else { "  " })?;
        }
        writeln!(to, "```")
    };
    let whole = || ListedLine::of_module(&kernel::module(&[&row.execution]).0, &row.execution.line);
    let ptx = row.listing.as_ref().map_or_else(whole, |listing| listing.ptx.clone());
    block("x.ptx", &mut ptx.iter().map(|line| (line.marked, line.text.as_str())))?;
    let Some(listing) = row.listing.as_ref().filter(|listing| !listing.code.is_empty()) else { return Ok(()) };
    block("Machine code", &mut listing.code.iter().map(|line| (line.marked, line.text.as_str())))
}
