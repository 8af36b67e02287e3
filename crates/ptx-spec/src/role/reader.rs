//! Reading operands: what roles share.

use super::item::{self, LABEL, LOCAL_PARAMETER, object_word};
use super::shape::of_register;
use crate::component::split_component;
use crate::spec::words::{DOUBLE, FLOAT, INTEGER, OTHER, SINK, VARIABLE};
use crate::spec::{Axis, Form, Isa, Kind, Operand, Role, Special, SpecialNeeds, TextFault};
use crate::text::{Argument, Declarations, Symbol};

/// The contents of operands besides the values of their axes.
#[derive(Default)]
pub(crate) struct Found {
    /// Further values of an axis: the types of elements that differ from the first.
    pub(crate) more: Vec<(usize, u8)>,
    /// Further values of an axis in one vector, each with the fault that it is if it breaks a rule that the others do not.
    pub(crate) lanes: Vec<(usize, u8, TextFault)>,
    /// Faults that no axis expresses.
    pub(crate) faults: Vec<TextFault>,
    /// The requirements of special registers.
    pub(crate) specials: SpecialNeeds,
}

impl Found {
    pub(crate) fn fault(&mut self, fault: TextFault) {
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// Records the requirements of a special register, and whether the PTX version and target meet them.
    pub(crate) fn special(&mut self, isa: &Isa, special: &Special, values: &[u8]) {
        self.specials.ptx = self.specials.ptx.max(special.ptx);
        self.specials.target = self.specials.target.max(special.target);
        // The axes of the environment have the newest first.
        let nth = |value: u8, count: usize| count.checked_sub(1 + usize::from(value));
        let ptx = nth(values[2], isa.versions.len()).map(|at| isa.versions[at]);
        let target = nth(values[1], isa.targets.len()).map(|at| isa.targets[at].0);
        let too_old = special.ptx.is_some_and(|since| ptx.is_none_or(|ptx| ptx < since));
        let lacking = special.target.is_some_and(|needed| !target.is_some_and(|target| needed.met_by(target)));
        if too_old || lacking {
            self.fault(TextFault::SpecialSince);
        }
    }
}

/// The position of a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// It is an operand.
    Operand,
    /// It is one of the operands in square brackets.
    Bracket,
    /// It is an element in braces.
    Element,
}

/// The meaning of an operand: a value of an axis, by name or by the position of its type in the ISA.
#[derive(Clone, Copy)]
pub(super) enum ReadValue<'a> {
    Word(&'a str),
    Type(usize),
}
pub(super) use ReadValue::{Type, Word};

pub(super) struct OperandReader<'a> {
    pub(super) isa: &'a Isa,
    pub(super) form: &'a Form,
    pub(super) declarations: &'a Declarations,
    pub(super) operand: &'a Operand,
}

impl OperandReader<'_> {
    /// The value of a scalar on the axis of types, and the number of lanes of its register.
    pub(super) fn element(
        &self,
        argument: &Argument<'_>,
        position: Position,
        values: &[u8],
        found: &mut Found,
    ) -> (ReadValue<'_>, u8) {
        match argument {
            Argument::Integer(..) => (Word(INTEGER), 1),
            Argument::Float(..) => (Word(FLOAT), 1),
            Argument::Double(..) => (Word(DOUBLE), 1),
            Argument::Sink => (Word(SINK), 1),
            // In square brackets a register is named as a whole.
            Argument::Name(name) if position == Position::Bracket && name.contains('.') => (Word(OTHER), 1),
            Argument::Name(name) => match self.declarations.symbol(name) {
                Some(Symbol::Register(Some(of), lanes)) => (Type(of), lanes),
                Some(Symbol::Variable(base)) => {
                    self.parameter_of_call(base, found);
                    (Word(VARIABLE), 1)
                }
                // A name that is not declared may be a label further down.
                None if self.isa.special(name).is_none() && self.names_a(LABEL) && !name.contains('.') => {
                    (Word(LABEL), 1)
                }
                Some(symbol) => (Word(object_word(symbol).unwrap_or(OTHER)), 1),
                None => match self.isa.special(name) {
                    Some(special) => self.special(special, position, values, found),
                    None => (self.component(name, found), 1),
                },
            },
            Argument::Sum(name, _) | Argument::Element(name, None, _) => match self.declarations.symbol(name) {
                Some(Symbol::Variable(base)) => {
                    self.parameter_of_call(base, found);
                    (self.variable(found), 1)
                }
                Some(Symbol::Register(Some(of), 1)) if self.is_sum(argument, position) => {
                    found.fault(TextFault::RegisterSum);
                    (Type(of), 1)
                }
                _ => (Word(OTHER), 1),
            },
            Argument::Signed('!', name) if self.operand.role == Role::Source => match self.declarations.symbol(name) {
                Some(Symbol::Register(Some(of), 1)) if self.isa.types[of].kind == Kind::Predicate => {
                    found.fault(TextFault::NegatedPredicate);
                    (Type(of), 1)
                }
                _ => (Word(OTHER), 1),
            },
            _ => (Word(OTHER), 1),
        }
    }

    /// A special register on the axis of types.
    fn special<'r>(
        &self,
        special: &'r Special,
        position: Position,
        values: &[u8],
        found: &mut Found,
    ) -> (ReadValue<'r>, u8) {
        found.special(self.isa, special, values);
        // The axis of special registers has a rule about that.
        if self.operand.special.is_some() && position == Position::Operand {
            found.faults.retain(|fault| *fault != TextFault::SpecialSince);
        }
        let source = matches!(self.operand.role, Role::Source | Role::Coordinate { .. });
        let element = position == Position::Element && source;
        if !element && self.operand.special.is_none() && !self.takes_vector(special.lanes) {
            found.fault(TextFault::Special);
        }
        (Word(&special.of_type), special.lanes)
    }

    /// True if a sum is a register and a number where a source is a value.
    fn is_sum(&self, argument: &Argument<'_>, position: Position) -> bool {
        let is_value = matches!(self.operand.role, Role::Source | Role::Policy);
        matches!(argument, Argument::Sum(..)) && position == Position::Operand && is_value
    }

    /// The address of a variable with an offset: as a source that takes none, it is a number with a fault.
    fn variable(&self, found: &mut Found) -> ReadValue<'_> {
        if self.operand.role == Role::Source && !self.takes(VARIABLE) && self.takes(INTEGER) {
            found.fault(TextFault::VariableSource);
            return Word(INTEGER);
        }
        Word(VARIABLE)
    }

    /// The address of a parameter of a call as a source that takes those of variables is a fault.
    fn parameter_of_call(&self, base: &str, found: &mut Found) {
        if self.operand.role == Role::Source && base == LOCAL_PARAMETER && self.takes(VARIABLE) {
            found.fault(TextFault::ParameterAddress);
        }
    }

    /// True if the operand may be of a kind.
    fn takes(&self, kind: &str) -> bool {
        let axis = self.operand.of_type.map(|axis| &self.form.axes[axis]);
        axis.is_some_and(|axis| axis.position(kind).is_some_and(|at| axis.claimed.contains(at)))
    }

    /// A component that a vector of two does not have is of the vector's type, and a fault.
    fn component(&self, name: &str, found: &mut Found) -> ReadValue<'_> {
        let declared = split_component(name).and_then(|(vector, part)| Some((self.declarations.symbol(vector)?, part)));
        match declared {
            Some((Symbol::Register(Some(of), 2), "z" | "w" | "b" | "a")) => {
                found.fault(TextFault::Component);
                Type(of)
            }
            _ => Word(OTHER),
        }
    }

    /// True if the operand is a source that may be a vector with these lanes, as `%tid` is one.
    fn takes_vector(&self, lanes: u8) -> bool {
        let shape = self.operand.shape.map(|axis| &self.form.axes[axis]);
        let claims = |shapes: &Axis| shapes.position(of_register(lanes)).is_some_and(|at| shapes.claimed.contains(at));
        lanes > 1 && self.operand.role == Role::Source && shape.is_some_and(claims)
    }

    /// True if the operand is an object of this kind.
    fn names_a(&self, kind: &str) -> bool {
        self.operand.role == Role::Object(item::kind(kind))
    }

    pub(super) fn on_axis(&self, axis: usize, what: ReadValue<'_>) -> u8 {
        match what {
            Word(word) => self.form.axes[axis].position_or_other(word),
            Type(of) => self.form.type_value(axis, of),
        }
    }
}
