//! Where the parts of a text are in it.

use std::ops::Range;

/// The position of a part that borrows from a text. For a part of another text it is wrong, but in the text.
pub(crate) fn offset(text: &str, part: &str) -> usize {
    part.as_ptr().addr().saturating_sub(text.as_ptr().addr()).min(text.len())
}

/// The bytes of a part that borrows from a text. For a part of another text they are wrong, but in the text.
pub(crate) fn range(text: &str, part: &str) -> Range<usize> {
    let start = offset(text, part);
    start..(start + part.len()).min(text.len())
}
