//! What an instruction of the model is: a function from a row to an expectation.

use super::{Expectation, Operands};

/// Why the model says nothing about a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unmodelled(pub(super) String);

/// What a line does to a row.
pub(super) trait Semantics: Sync + Send {
    /// What must come of a row whose guard holds.
    fn expect(&self, row: &[u128]) -> Expectation;
}

/// Makes the semantics of a line.
pub(super) type Prepare = for<'a> fn(&Operands<'_, 'a>) -> Result<Box<dyn Semantics + 'a>, Unmodelled>;
