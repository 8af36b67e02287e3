//! Diagnostics as JSON Lines.

use serde::Serialize;

use ptx_conform::check::{CheckedFile, Counts, Details, Diagnostic, DiagnosticSeverity};
use ptx_conform::inline::CheckedSource;
use ptx_conform::judge::Needs;

use super::super::place::{Lines, SourcePlace};
use super::inline::InlineCounts;

#[derive(Serialize)]
struct DiagnosticObject<'d> {
    file: &'d str,
    #[serde(flatten)]
    start: SourcePlace,
    end: SourcePlace,
    severity: DiagnosticSeverity,
    rule: &'d str,
    message: &'d str,
    /// The text that it is about.
    text: &'d str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<LabelObject<'d>>,
    #[serde(skip_serializing_if = "slice_is_empty")]
    notes: &'d [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    manual: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs: Option<Needs>,
}

fn slice_is_empty(slice: &&[String]) -> bool {
    slice.is_empty()
}

/// A part of a line, and what it is.
#[derive(Serialize)]
struct LabelObject<'d> {
    #[serde(flatten)]
    start: SourcePlace,
    end: SourcePlace,
    text: &'d str,
}

#[derive(Serialize)]
struct FileObject<'d> {
    file: &'d str,
    summary: &'d Counts,
    /// How many diagnostics are not printed.
    not_shown: u64,
    incomplete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    inline: Option<&'d InlineCounts>,
    #[serde(skip_serializing_if = "slice_is_empty")]
    notes: &'d [String],
}

#[derive(Serialize)]
struct UnreadableObject<'d> {
    file: &'d str,
    error: &'d str,
}

#[derive(Serialize)]
struct TotalObject<'d> {
    files: usize,
    unreadable: usize,
    summary: &'d Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    inline: Option<&'d InlineCounts>,
}

/// An object on a line of its own.
fn line(object: &impl Serialize) -> String {
    // Texts and numbers can always be written.
    serde_json::to_string(object).map_or_else(|_| String::new(), |text| text + "\n")
}

/// A diagnostic.
pub(super) fn diagnostic(
    file: &str,
    text: &str,
    lines: &Lines<'_>,
    diagnostic: &Diagnostic<'_>,
    details: &Details,
) -> String {
    let labels = details.parts.iter().filter(|part| !part.label.is_empty()).map(|part| LabelObject {
        start: lines.place(part.at.start),
        end: lines.place(part.at.end),
        text: &part.label,
    });
    line(&DiagnosticObject {
        file,
        start: lines.place(diagnostic.at.start),
        end: lines.place(diagnostic.at.end),
        severity: diagnostic.severity,
        rule: &diagnostic.rule,
        message: &diagnostic.message,
        text: text.get(diagnostic.at.clone()).unwrap_or_default(),
        labels: labels.collect(),
        notes: &details.notes,
        help: details.help.as_deref(),
        section: details.section.as_deref(),
        manual: details.page.as_deref(),
        needs: details.needs,
    })
}

/// The summary of a file, with what else is said of it.
pub(super) fn of_file(file: &str, checked: &CheckedFile<'_>, notes: &[String]) -> String {
    let (summary, incomplete) = (&checked.counts, checked.incomplete);
    line(&FileObject { file, summary, not_shown: checked.unkept(), incomplete, inline: None, notes })
}

/// The summary of a source with inline assembly.
pub(super) fn of_source(file: &str, checked: &CheckedSource, inline: &InlineCounts, notes: &[String]) -> String {
    let (summary, incomplete) = (&checked.counts, checked.incomplete);
    line(&FileObject { file, summary, not_shown: checked.unkept(), incomplete, inline: Some(inline), notes })
}

/// A file that cannot be read.
pub(super) fn unreadable(file: &str, error: &str) -> String {
    line(&UnreadableObject { file, error })
}

/// The summary of all files.
pub(super) fn total(files: usize, unreadable: usize, summary: &Counts, inline: Option<&InlineCounts>) -> String {
    line(&TotalObject { files, unreadable, summary, inline })
}
