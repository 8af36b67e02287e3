//! Text that was taken out of a source file, with the place of each of its bytes there.

use std::ops::Range;

/// A text, and for each of its bytes the bytes of the file that it stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MappedText {
    text: String,
    /// Of each byte of the text, the bytes of the file.
    places: Vec<(usize, usize)>,
}

impl MappedText {
    /// All of a file.
    pub(super) fn whole(file: &str) -> Self {
        let mut whole = Self::default();
        for (at, c) in file.char_indices() {
            whole.places.extend(std::iter::repeat_n((at, at + c.len_utf8()), c.len_utf8()));
        }
        file.clone_into(&mut whole.text);
        whole
    }

    /// Its text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Adds a text that stands for these bytes of the file.
    pub(super) fn push(&mut self, text: &str, file: Range<usize>) {
        self.text.push_str(text);
        self.places.extend(std::iter::repeat_n((file.start, file.end), text.len()));
    }

    /// Adds a part of another text of the same file.
    pub(super) fn push_part(&mut self, of: &Self, part: Range<usize>) {
        self.text.push_str(&of.text[part.clone()]);
        self.places.extend(&of.places[part]);
    }

    /// Adds all of another text of the same file.
    pub(super) fn append(&mut self, of: &Self) {
        self.push_part(of, 0..of.text.len());
    }

    /// The bytes of the file for which a part stands; those of the byte before it, if the part is the empty end.
    pub(super) fn file_range(&self, part: Range<usize>) -> Range<usize> {
        let Some(last) = self.places.last() else { return 0..0 };
        let Some(first) = self.places.get(part.start) else { return last.1..last.1 };
        if part.is_empty() {
            return first.0..first.0;
        }
        let end = self.places[part.start..part.end.min(self.places.len())].last().map_or(first.1, |place| place.1);
        // A macro may stand before the text that uses it.
        if end < first.0 { first.0..first.1 } else { first.0..end }
    }
}
