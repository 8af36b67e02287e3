//! The surroundings of a text that is measured.

use crate::spec::Isa;
use crate::text::{Declaration, Declarations};

/// The things that measures look at, beside the text.
pub(super) struct MeasureContext<'c, 'a> {
    pub(super) isa: &'c Isa,
    pub(super) scope: &'c Declarations,
    /// The declaration that the text is a part of.
    pub(super) declaration: Option<&'c Declaration<'a>>,
    /// The dimensions of the variable: none for one that is left open.
    pub(super) dimensions: &'c mut Vec<Option<u64>>,
}
