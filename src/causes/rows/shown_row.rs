//! A row that shows a cause, with all that it takes to run it again.

use crate::case::CaseResult;
use crate::line_case::LineCase;
use crate::space::Values;

/// A row that shows a cause.
#[derive(Clone)]
pub(crate) struct ShownRow {
    /// Its choices; none if it was recorded.
    pub(crate) values: Values,
    /// The program, with this row only.
    pub(crate) program: LineCase,
    pub(crate) result: CaseResult,
}
