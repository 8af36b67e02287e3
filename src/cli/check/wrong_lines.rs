//! Lines that the engine compiles wrong, as diagnostics.

use std::ops::Range;

use ptx_conform::check::{Diagnostic, SourcePart};
use ptx_conform::plural::counted;
use ptx_conform::wrong_code::{SearchedFile, WrongLines};

use super::super::place::Lines;

/// The rule of such diagnostics.
const RULE: &str = "engine/wrong-code";
/// How far other lines may be, in bytes, to be shown with the last one.
const NEAR: usize = 3_000;

/// A warning at the last of some wrong lines.
pub(super) fn warning<'a>(text: &str, lines: &Lines<'_>, of: &WrongLines) -> Option<Diagnostic<'a>> {
    let (last, others) = of.at.split_last()?;
    let number = |at: &Range<usize>| lines.place(at.start).line;
    let numbers: Vec<String> = others.iter().map(|at| number(at).to_string()).collect();
    let with = match numbers.split_last() {
        None => String::new(),
        Some((one, [])) => format!(" with line {one}"),
        Some((end, before)) => format!(" with lines {} and {end}", before.join(", ")),
    };
    let message = match of.dies {
        true => format!("ptxas {} dies on this{with}", of.version),
        false => format!("ptxas {} compiles this{with} wrong", of.version),
    };
    let (near, far): (Vec<_>, Vec<_>) = others.iter().partition(|at| last.end.saturating_sub(at.start) <= NEAR);
    let part = |at: &Range<usize>, label: &str| SourcePart { at: at.clone(), label: label.to_owned() };
    let parts = near.iter().map(|at| part(at, "with this")).chain([part(last, "")]).collect();
    let mut warning = Diagnostic::warning(RULE, last.clone(), message).with_parts(parts);
    for at in far {
        warning = warning.with_note(format!("line {}: `{}`", number(at), text.get(at.clone()).unwrap_or_default()));
    }
    let among = if others.is_empty() { "this line" } else { "these lines" };
    warning = warning.with_note(format!("{among} alone, by `{}`: {}", of.command, of.values));
    Some(warning.with_note(match &of.listed {
        Some(known) => {
            let page = known.page.as_ref().map_or(String::new(), |page| format!(" ({page})"));
            format!("known as `{}`{page}: {}", known.id, known.because)
        }
        None => "it is not listed yet".to_owned(),
    }))
}

/// The lines on all suspects of a file, in words.
pub(super) fn said(engine: &str, of: &SearchedFile) -> Vec<String> {
    let mut said = Vec::new();
    if of.tried > 0 {
        let (suspects, wrong) = (counted(of.tried, "suspect"), of.found.len());
        said.push(format!("wrong code: {suspects} compiled by {engine} and executed: {wrong} wrong"));
    }
    said.extend(untried(of));
    said
}

/// The lines on suspects that were not executed.
pub(super) fn untried(of: &SearchedFile) -> Vec<String> {
    let words =
        |(why, count): (&String, &usize)| format!("wrong code: {} not tried: {why}", counted(*count, "suspect"));
    of.untried.iter().map(words).collect()
}
