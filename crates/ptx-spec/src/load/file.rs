//! A file of the specification, to point at in errors.

use crate::yaml::{At, Error, FilePosition};

/// The name and the text of a file.
pub(super) struct File<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
}

impl File<'_> {
    /// An error at a place in it.
    pub(super) fn error(&self, place: FilePosition, message: impl Into<String>) -> Error {
        Error::new(self.name, self.text, place, message)
    }

    /// An error at a value of it.
    pub(super) fn at<T>(&self, what: &At<T>, message: impl Into<String>) -> Error {
        self.error(what.place, message)
    }
}
