//! A diagnostic as text, in the way of rustc.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};

use ptx_conform::check::{Details, Diagnostic, DiagnosticSeverity};
use ptx_conform::engine::words::acts;

use super::super::place::Lines;
use crate::cli::output::printable;

/// How much of the lines of a file is shown, in bytes.
const SHOWN: usize = 4_096;
/// How much is shown around a part of a longer line.
const AROUND: usize = 60;

/// A diagnostic with its lines.
pub(in crate::cli) fn diagnostic(
    name: &str,
    text: &str,
    lines: &Lines<'_>,
    diagnostic: &Diagnostic<'_>,
    details: &Details,
    styled: bool,
) -> String {
    let first = details.parts.iter().map(|part| part.at.start).min().unwrap_or(diagnostic.at.start);
    let shown = shown(text, lines, first, details);
    let place = lines.place(first);
    let moved = |at: &Range<usize>| {
        let inside = |byte: usize| byte.clamp(shown.start, shown.end) - shown.start;
        inside(at.start)..inside(at.end)
    };
    let visible = details.parts.iter().filter(|part| shown.start <= part.at.start && part.at.start <= shown.end);
    let annotations = visible.map(|part| {
        let kind = if diagnostic.has(part) { AnnotationKind::Primary } else { AnnotationKind::Context };
        let annotation = kind.span(moved(&part.at));
        if part.label.is_empty() { annotation } else { annotation.label(part.label.clone()) }
    });
    let source = same_length(&text[shown.clone()]);
    let snippet = Snippet::source(source).line_start(lines.place(shown.start).line).annotations(annotations);
    let name = printable(name);
    let level = match diagnostic.severity {
        DiagnosticSeverity::Error => Level::ERROR,
        DiagnosticSeverity::Warning => Level::WARNING,
    };
    let title = level.primary_title(printable(&diagnostic.message)).id(printable(&diagnostic.rule));
    let mut group = match lines.starts_line(shown.start) {
        true => title.element(snippet.path(name)),
        // In a piece of a line, columns are not those of the file.
        false => {
            let origin = Origin::path(name).line(place.line).char_column(place.column);
            title.element(origin).element(snippet)
        }
    };
    for note in &details.notes {
        group = group.element(Level::NOTE.message(printable(note)));
    }
    // The source of a rule of an instruction names the page already.
    if let Some(page) = details.page.as_ref().filter(|page| !details.notes.iter().any(|note| note.contains(*page))) {
        group = group.element(Level::NOTE.message(format!("the manual: {page}")));
    }
    if let Some(help) = &details.help {
        group = group.element(Level::HELP.message(printable(help)));
    }
    let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
    format!("{}\n\n", renderer.render(&[group]))
}

/// The bytes of the file that are shown: whole lines, or a piece of one that is too long.
fn shown(text: &str, lines: &Lines<'_>, first: usize, details: &Details) -> Range<usize> {
    let last = details.parts.iter().map(|part| part.at.end).max().unwrap_or(first);
    let whole = lines.whole(&(first..last.max(first)));
    if whole.len() <= SHOWN {
        return whole;
    }
    let end = details.parts.iter().find(|part| part.at.start == first).map_or(first, |part| part.at.end);
    let start = text.floor_char_boundary(first.saturating_sub(AROUND)).max(whole.start);
    let end = text.ceil_char_boundary(end.min(first + SHOWN) + AROUND).min(whole.end);
    start..end.max(start)
}

/// A text with other characters of the same length for those that would act on a terminal and that the renderer does
/// not replace, so that what is marked stays above its marks.
fn same_length(text: &str) -> String {
    let shown = |c: char| match (acts(c), c.len_utf8()) {
        (true, 2) => '\u{b7}',
        (true, 3) => char::REPLACEMENT_CHARACTER,
        _ => c,
    };
    text.chars().map(shown).collect()
}
