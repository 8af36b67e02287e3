//! Instructions of the model: functions from a row to an expectation.

use super::{Expectation, Operands, Unmodelled};

/// The semantics of a line.
pub(super) trait Semantics: Sync + Send {
    /// The expectation of a row whose guard is true.
    fn expect(&self, row: &[u128]) -> Expectation;
}

/// Makes the semantics of a line.
pub(super) type Prepare = for<'a> fn(&Operands<'_, 'a>) -> Result<Box<dyn Semantics + 'a>, Unmodelled>;
