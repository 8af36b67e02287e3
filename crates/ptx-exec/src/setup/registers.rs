//! The registers of a line, and their inputs.

use ptx_spec::judge::{BoundArgument, arguments};
use ptx_spec::ptx::{Declarations, Line, Symbol};
use ptx_spec::role::setup::PREDICATE;
use ptx_spec::spec::{Form, Isa, Role};

use super::point::Point;
use super::{address, contents, source, surface};
use crate::line_case::Output;
use crate::object::Surface;

/// Where the value of an input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InputOrigin {
    /// The coordinate at this position.
    Coordinate(usize),
    /// This operand, and this lane of it.
    Source(usize, usize),
    /// The handle of an object.
    Object,
    /// An address.
    Address,
    /// True if the guard holds.
    Predicate,
    /// A policy, which is not data.
    Policy,
}

impl InputOrigin {
    /// The value of a register of this size in a row.
    pub(super) fn value(self, point: &Point<'_>, bits: u16, surface: Option<&Surface>) -> u128 {
        let value = match self {
            Self::Object => 0,
            Self::Predicate => u128::from(point.value(PREDICATE.0) == PREDICATE.1[0]),
            Self::Source(operand, lane) => source::input(point, operand, lane, bits),
            Self::Policy => u128::from(contents::mix(point.sample())),
            Self::Address => u128::from(address::input(point)),
            // Without a surface the line has no place that a coordinate could point to, and any will do.
            Self::Coordinate(at) => surface.map_or(0, |surface| u128::from(surface::coordinate(point, at, surface))),
        };
        value & (u128::MAX >> (128 - u32::from(bits)))
    }
}

/// The registers of a line.
pub(super) struct LineRegisters {
    pub(super) inputs: Vec<(String, u16, InputOrigin)>,
    pub(super) outputs: Vec<Output>,
}

impl LineRegisters {
    /// The registers of a line that makes these choices of its form.
    pub(super) fn of(isa: &Isa, form: &Form, values: &[u8], line: &Line<'_>, symbols: &Declarations) -> Self {
        let mut registers = Self { inputs: Vec::new(), outputs: Vec::new() };
        if let Some((_, predicate)) = line.guard {
            registers.inputs.push((predicate.to_owned(), 1, InputOrigin::Predicate));
        }
        for bound in arguments(form, values, line) {
            registers.operand(isa, &form.operands[bound.operand].role, bound, symbols);
        }
        registers
    }

    fn operand(&mut self, isa: &Isa, role: &Role, bound: BoundArgument<'_, '_>, symbols: &Declarations) {
        for (lane, element) in bound.elements(symbols).into_iter().enumerate() {
            let Some(register) = element.name() else { continue };
            let Some(Symbol::Register(Some(of), 1)) = symbols.symbol(&register) else { continue };
            let bits = isa.types[of].bits;
            let origin = match role {
                Role::Destination => {
                    self.outputs.push(Output { register, bits });
                    continue;
                }
                Role::Surface { .. } => InputOrigin::Object,
                Role::Address { .. } => InputOrigin::Address,
                Role::Coordinate { .. } => InputOrigin::Coordinate(lane),
                Role::Source => InputOrigin::Source(bound.operand, lane),
                Role::Policy => InputOrigin::Policy,
                // Lines with these are not executed yet.
                Role::Object(_) | Role::Arguments => continue,
            };
            self.inputs.push((register, bits, origin));
        }
    }
}
