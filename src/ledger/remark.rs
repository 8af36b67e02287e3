//! Remarks of engines that are not the answer to a question.

use serde::Serialize;

use super::sealed;

/// The kinds of remarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkKind {
    /// A note in words.
    Note,
    /// A death that several lines cause only together.
    Death,
    /// An answer, in words, that is not the one of an earlier run.
    Change,
}

impl RemarkKind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Death => "death",
            Self::Change => "change",
        }
    }
}

/// A remark of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineRemark {
    pub(super) engine: String,
    pub(super) kind: RemarkKind,
    pub(super) value: Vec<u8>,
}

impl EngineRemark {
    /// A remark that an engine made.
    pub fn new<T: Serialize>(engine: &str, kind: RemarkKind, value: &T) -> Self {
        Self { engine: engine.to_owned(), kind, value: sealed::seal(value) }
    }
}
