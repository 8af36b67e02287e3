//! How the text of an operand becomes values of its axes: what roles share.

use super::{Role, object};
use crate::ptx::{Argument, Declarations, Symbol};
use crate::spec::words::{DOUBLE, FLOAT, INTEGER, OTHER, SINK, VARIABLE};
use crate::spec::{Form, Isa, Operand};

/// Values of an axis beside the one that was set: the types of elements that differ from the first.
pub(crate) type More = Vec<(usize, u8)>;

/// Reads an operand into its axes.
pub(crate) fn read(
    (isa, form): (&Isa, &Form),
    declarations: &Declarations,
    operand: &Operand,
    argument: &Argument<'_>,
    values: &mut [u8],
    more: &mut More,
) {
    let reader = Reader { isa, form, declarations, operand };
    match operand.role {
        Role::Address { .. } => reader.address(argument, values),
        Role::Surface { .. } => reader.object(argument, values),
        _ => reader.value(argument, values, more),
    }
}

/// What stands in an operand: a value of an axis, as it is called there or as a type of the ISA,
/// by its position.
#[derive(Clone, Copy)]
pub(super) enum What<'a> {
    Word(&'a str),
    Type(usize),
}
pub(super) use What::{Type, Word};

pub(super) struct Reader<'a> {
    pub(super) isa: &'a Isa,
    pub(super) form: &'a Form,
    pub(super) declarations: &'a Declarations,
    pub(super) operand: &'a Operand,
}

impl Reader<'_> {
    /// What a scalar is on the axis of types, and how many lanes its register has.
    pub(super) fn element(&self, argument: &Argument<'_>) -> (What<'_>, u8) {
        match argument {
            Argument::Integer(..) => (Word(INTEGER), 1),
            Argument::Float(..) => (Word(FLOAT), 1),
            Argument::Double(..) => (Word(DOUBLE), 1),
            Argument::Sink => (Word(SINK), 1),
            Argument::Name(name) => match self.declarations.symbol(name) {
                Some(Symbol::Register(Some(of), lanes)) => (Type(of), lanes),
                Some(Symbol::Variable(_)) => (Word(VARIABLE), 1),
                Some(symbol) if object::word(symbol).is_some() => (Word(object::word(symbol).unwrap_or(OTHER)), 1),
                _ => match self.isa.special(name) {
                    Some(of) => (Word(of), 1),
                    None => (Word(OTHER), 1),
                },
            },
            _ => (Word(OTHER), 1),
        }
    }

    pub(super) fn position(&self, axis: usize, what: What<'_>) -> u8 {
        match what {
            Word(word) => self.form.axes[axis].position_or_other(word),
            Type(of) => self.form.type_value(axis, of),
        }
    }
}
