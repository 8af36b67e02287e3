//! The registers of a line, and their inputs.

use ptx_spec::ptx::{Argument, Declarations, Line, Symbol};
use ptx_spec::role::setup::PREDICATE;
use ptx_spec::spec::{Form, Isa, Pattern, Role};

use super::point::Point;
use super::{address, contents, source, surface};
use crate::line_case::Output;
use crate::object::Surface;

/// The source of an input of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feed {
    /// The coordinate at this position.
    Coordinate(usize),
    /// This operand, and this lane of it.
    Source(usize, usize),
    /// The handle of an object.
    Object,
    /// An address.
    Address,
    /// Whether the guard holds.
    Predicate,
    /// A policy, which is not data.
    Policy,
}

impl Feed {
    /// The value of a register of this size in a row.
    pub(super) fn value(self, point: &Point<'_>, bits: u16, surface: Option<&Surface>) -> u128 {
        let value = match self {
            Self::Object => 0,
            Self::Predicate => u128::from(point.value(PREDICATE.0) == PREDICATE.1[0]),
            Self::Source(operand, lane) => source::input(point, operand, lane, bits),
            Self::Policy => u128::from(contents::mix(point.sample())),
            Self::Address => u128::from(address::input(point)),
            Self::Coordinate(at) => surface.map_or(0, |surface| u128::from(surface::coordinate(point, at, surface))),
        };
        value & u128::MAX.checked_shr(128 - u32::from(bits)).unwrap_or_default()
    }
}

/// The registers of a line.
pub(super) struct LineRegisters {
    pub(super) inputs: Vec<(String, u16, Feed)>,
    pub(super) outputs: Vec<Output>,
}

impl LineRegisters {
    pub(super) fn of(isa: &Isa, form: &Form, line: &Line<'_>, symbols: &Declarations) -> Self {
        let mut registers = Self { inputs: Vec::new(), outputs: Vec::new() };
        if let Some((_, predicate)) = line.guard {
            registers.inputs.push((predicate.to_owned(), 1, Feed::Predicate));
        }
        for (part, text) in form.pattern.iter().zip(&line.operands) {
            let (operands, arguments) = match (part, &text.argument) {
                (Pattern::Bracket(operands), Argument::Bracket(arguments)) => (&operands[..], &arguments[..]),
                (Pattern::Operand(operand), argument) => {
                    (std::slice::from_ref(operand), std::slice::from_ref(argument))
                }
                _ => continue,
            };
            for (&operand, argument) in operands.iter().zip(arguments) {
                registers.operand(isa, (&form.operands[operand].role, operand), argument, symbols);
            }
        }
        registers
    }

    fn operand(&mut self, isa: &Isa, (role, operand): (&Role, usize), argument: &Argument<'_>, symbols: &Declarations) {
        let names: Vec<&str> = match argument {
            Argument::Tuple(elements) => elements.iter().map(name).collect(),
            lone => vec![name(lone)],
        };
        let mut lane = 0;
        for name in names {
            let components: &[&str] = match symbols.symbol(name) {
                Some(Symbol::Register(_, lanes)) if lanes > 1 => &[".x", ".y", ".z", ".w"][..usize::from(lanes.min(4))],
                _ => &[""],
            };
            for component in components {
                let register = format!("{name}{component}");
                let at = lane;
                lane += 1;
                let Some(Symbol::Register(Some(of), 1)) = symbols.symbol(&register) else { continue };
                let bits = isa.types[of].bits;
                let feed = match role {
                    Role::Destination => {
                        self.outputs.push(Output { register, bits });
                        continue;
                    }
                    Role::Surface { .. } => Feed::Object,
                    Role::Address { .. } => Feed::Address,
                    Role::Coordinate { .. } => Feed::Coordinate(at),
                    Role::Source => Feed::Source(operand, at),
                    Role::Policy => Feed::Policy,
                    // Lines with these are not executed yet.
                    Role::Object(_) | Role::Arguments => continue,
                };
                self.inputs.push((register, bits, feed));
            }
        }
    }
}

fn name<'t>(argument: &Argument<'t>) -> &'t str {
    match argument {
        Argument::Name(name) | Argument::Sum(name, ..) => name,
        _ => "",
    }
}
