//! The error of a setup.

use crate::line_case::LineCase;

/// A generated text that cannot be read, or choices that are not a setup: a bug of this tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoSetup(pub(super) String);

impl NoSetup {
    /// A case of our own that the model cannot read.
    pub fn of(program: &LineCase, why: &impl std::fmt::Display) -> Self {
        Self(format!("`{}`: {why}", program.line))
    }
}
