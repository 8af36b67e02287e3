//! Lines and columns.

use std::ops::Range;

/// The lines of a text.
pub(super) struct Lines<'a> {
    text: &'a str,
    /// The first byte of each line.
    starts: Vec<usize>,
}

/// A place in a text, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub(super) struct SourcePlace {
    pub(super) line: usize,
    /// In characters.
    pub(super) column: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(ends).collect() }
    }

    /// The position of the line of a byte, from 0.
    fn line(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at) - 1
    }

    /// The place of a byte.
    pub(super) fn place(&self, at: usize) -> SourcePlace {
        let line = self.line(at);
        let before = self.text.get(self.starts[line]..at).unwrap_or_default();
        SourcePlace { line: line + 1, column: before.chars().count() + 1 }
    }

    /// True if a line begins at a byte.
    pub(super) fn starts_line(&self, at: usize) -> bool {
        self.starts.binary_search(&at).is_ok()
    }

    /// The bytes of the lines of a part, without the end of the last line.
    pub(super) fn whole(&self, part: &Range<usize>) -> Range<usize> {
        let start = self.starts[self.line(part.start)];
        let last = self.line(part.end.saturating_sub(1).max(part.start));
        let end = self.starts.get(last + 1).map_or(self.text.len(), |next| next - 1);
        let line = &self.text[start..end.max(start)];
        start..start + line.trim_end_matches('\r').len()
    }
}
