//! Objects: surfaces, by their variable or by a register that holds a handle.
//! PTX ISA `texture-sampler-and-surface-types`.

use super::described::RawOperand;
use super::item::{SURFREF, SURFREF_PARAMETER};
use super::reader::{Found, OperandReader, Position, Word};
use super::value;
use crate::spec::words::{INTEGER, OTHER, VARIABLE};
use crate::spec::{Choice, Cube, Draft, Operand};
use crate::text::Argument;

/// The axis of an object operand: what it is.
pub(super) fn axes(draft: &mut Draft<'_>, operand: &mut Operand, at: usize, raw: &RawOperand) {
    let accepts = raw.accepted();
    let pseudo = [SURFREF, SURFREF_PARAMETER, VARIABLE, INTEGER, OTHER].map(str::to_owned);
    let types = draft.isa.types.iter().map(|t| t.name.clone());
    let values = raw.accepted_first(types.chain(pseudo).collect());
    let name = operand.name.clone();
    let of_type = draft.axis(&format!("{name}.type"), Choice::Type(at), values, |v| accepts.iter().any(|a| a == v));
    operand.of_type = Some(of_type);
    let axis = &draft.axes[of_type];
    let unlisted = Cube::new([(of_type, axis.claimed.complement(axis.values.len()))]);
    draft.constraint(&format!("{name}-type"), format!("`{name}` must be {}", accepts.join(" or ")), vec![unlisted]);
    draft.declarable(of_type);
    value::generated(draft, &name, of_type, None, raw.role);
}

impl OperandReader<'_> {
    /// Reads an object into its axis: a scalar, whatever it is.
    pub(super) fn object(&self, argument: &Argument<'_>, position: Position, values: &mut [u8], found: &mut Found) {
        let (what, lanes) = match argument {
            Argument::Tuple(_) | Argument::Bracket(_) => (Word(OTHER), 1),
            scalar => self.element(scalar, position, values, found),
        };
        self.operand.of_type.into_iter().for_each(|axis| {
            values[axis] = self.on_axis(axis, if lanes == 1 { what } else { Word(OTHER) });
        });
    }
}
