//! Instructions of the model: functions from a row to an expectation.

use super::{Expectation, Operands};

/// The reason why the model cannot evaluate a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unmodelled(pub(super) String);

/// The semantics of a line.
pub(super) trait Semantics: Sync + Send {
    /// The expectation of a row whose guard is true.
    fn expect(&self, row: &[u128]) -> Expectation;
}

/// Makes the semantics of a line.
pub(super) type Prepare = for<'a> fn(&Operands<'_, 'a>) -> Result<Box<dyn Semantics + 'a>, Unmodelled>;
