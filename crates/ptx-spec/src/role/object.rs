//! Objects: surfaces, by their variable or by a register that holds a handle.
//! PTX ISA `texture-sampler-and-surface-types`.

use super::read::{Found, Position, Reader, Word};
use super::{Item, accepted, ordered};
use crate::ptx::{Argument, Symbol};
use crate::spec::raw::RawOperand;
use crate::spec::words::{INTEGER, OTHER, VARIABLE};
use crate::spec::{Choice, Cube, Draft, Operand};

/// What an object can be.
pub const OBJECTS: [&str; 1] = ["surface"];
/// A `.surfref` at module scope.
pub const SURFREF: &str = "surfref";
/// A `.surfref` among the parameters of the entry.
pub const SURFREF_PARAMETER: &str = "surfref-parameter";
/// What an operand can be that is an object, beside a register.
pub const OBJECT_KINDS: [&str; 2] = [SURFREF, SURFREF_PARAMETER];

/// One axis: what stands in the operand.
pub(super) fn axes(draft: &mut Draft<'_>, operand: &mut Operand, at: usize, raw: &RawOperand) {
    let accepts = accepted(raw);
    let pseudo = [SURFREF, SURFREF_PARAMETER, VARIABLE, INTEGER, OTHER].map(str::to_owned);
    let types = draft.isa.types.iter().map(|t| t.name.clone());
    let values = ordered(&accepts, types.chain(pseudo).collect());
    let name = operand.name.clone();
    let of_type = draft.axis(&format!("{name}.type"), Choice::Type(at), values, |v| accepts.iter().any(|a| a == v));
    operand.of_type = Some(of_type);
    let axis = &draft.axes[of_type];
    let unlisted = Cube::new([(of_type, axis.claimed.complement(axis.values.len()))]);
    draft.constraint(&format!("{name}-type"), format!("`{name}` must be {}", accepts.join(" or ")), vec![unlisted]);
    draft.declarable(of_type);
    super::value::generated(draft, &name, of_type, None, raw.role);
}

/// The object that stands for a value of the axis, where it is one.
pub(super) fn item(of_type: &str) -> Option<Item<'static>> {
    match of_type {
        SURFREF => Some(Item::Object(OBJECTS[0], false)),
        SURFREF_PARAMETER => Some(Item::Object(OBJECTS[0], true)),
        _ => None,
    }
}

/// What a declared object is called on the axis.
pub(super) fn word(symbol: Symbol) -> Option<&'static str> {
    match symbol {
        Symbol::Surface(false) => Some(SURFREF),
        Symbol::Surface(true) => Some(SURFREF_PARAMETER),
        _ => None,
    }
}

impl Reader<'_> {
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
