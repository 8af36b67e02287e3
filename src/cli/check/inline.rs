//! How much of the inline assembly of sources was judged, in words.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ptx_conform::inline::CheckedSource;
use ptx_conform::plural::counted;
use serde::Serialize;

use super::super::place::{Lines, SourcePlace};
use crate::cli::output::printable;

/// The statements of inline assembly of one source, or of all.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct InlineCounts {
    /// Statements that were read and judged.
    judged: usize,
    /// Statements that are not for PTX.
    foreign: usize,
    /// Statements that were not read, by reason.
    skipped: BTreeMap<&'static str, SkippedCount>,
}

/// The statements that were not read for one reason.
#[derive(Clone, Debug, Serialize)]
struct SkippedCount {
    count: usize,
    /// Where the first is; none for those of all sources.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    first: Option<SourcePlace>,
    /// The part of the first that is to blame.
    #[serde(skip_serializing_if = "String::is_empty")]
    text: String,
}

impl InlineCounts {
    pub(super) fn of(checked: &CheckedSource, lines: &Lines<'_>) -> Self {
        let skipped = checked.skipped.iter().map(|(because, of)| {
            let text = of.what.split_whitespace().collect::<Vec<_>>().join(" ");
            (*because, SkippedCount { count: of.count, first: Some(lines.place(of.first.start)), text })
        });
        Self { judged: checked.judged, foreign: checked.foreign, skipped: skipped.collect() }
    }

    /// Adds those of another source.
    pub(super) fn add(&mut self, other: &Self) {
        self.judged += other.judged;
        self.foreign += other.foreign;
        for (because, of) in &other.skipped {
            let all = SkippedCount { count: 0, first: None, text: String::new() };
            self.skipped.entry(because).or_insert(all).count += of.count;
        }
    }

    /// True if there are none.
    pub(super) fn none(&self) -> bool {
        self.judged + self.foreign == 0 && self.skipped.is_empty()
    }

    /// The lines on one source.
    pub(super) fn of_file(&self, name: &str) -> String {
        let mut text = format!("{}: {}\n", printable(name), self.counts());
        self.notes().iter().for_each(|note| text.push_str(&format!("  {}\n", printable(note))));
        text
    }

    /// The lines on all sources.
    pub(super) fn total(&self) -> String {
        let mut text = format!("in all {}\n", self.counts());
        self.notes().iter().for_each(|note| text.push_str(&format!("  {note}\n")));
        text
    }

    fn counts(&self) -> String {
        let skipped: usize = self.skipped.values().map(|of| of.count).sum();
        let all = counted(self.judged + self.foreign + skipped, "statement");
        let mut text = format!("{all} of inline assembly: {} judged", self.judged);
        // Writing to a String cannot fail.
        let _ = write!(text, ", {skipped} skipped");
        if self.foreign > 0 {
            let _ = write!(text, ", {} not of PTX", self.foreign);
        }
        text
    }

    /// The reasons why statements were not read.
    pub(super) fn notes(&self) -> Vec<String> {
        let words = |(because, of): (&&str, &SkippedCount)| {
            let mut text = format!("skipped {}: {because}", of.count);
            if !of.text.is_empty() {
                let _ = write!(text, ": `{}`", of.text);
            }
            if let Some(SourcePlace { line, column }) = of.first {
                let _ = write!(text, " ({}{line}:{column})", if of.count > 1 { "first at " } else { "" });
            }
            text
        };
        self.skipped.iter().map(words).collect()
    }
}

/// The line on an engine, of which only known divergences are looked up.
pub(super) fn predicted(engine: &str, remarked: u64) -> String {
    format!(
        "prediction: {engine} differs from the manual on {remarked} of them; wrong code is not searched for in inline assembly"
    )
}
