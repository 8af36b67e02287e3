//! The choices of a line, as the functions of the table ask for them.

use ptx_spec::ptx::Line;
use ptx_spec::role::lanes_of;
use ptx_spec::spec::words::INTEGER;
use ptx_spec::spec::{Accuracy, Choice, Form, Isa, Kind, Operand, RegisterType, Role};

use super::computation::{CarryUse, Computation};
use super::{NumberType, Undefined, Unmodelled};
use crate::value::FloatFormat;

/// The choices of a line of a form.
#[derive(Clone, Copy)]
pub(super) struct Modes<'a> {
    isa: &'a Isa,
    form: &'a Form,
    values: &'a [u8],
    /// The text of the line, which has the word where a choice stands for many; without it, any of them is meant.
    line: Option<&'a Line<'a>>,
    /// True if floats are taken for the bits that they are.
    pub(super) floats_as_bits: bool,
    /// True if the computation knows which sources have a minus sign.
    signs: bool,
}

/// The sign of a source whose value is negated.
const MINUS: &str = "-";

/// A combination of the result of a comparison with a predicate.
pub(super) type PredicateCombination = fn(bool, bool) -> bool;

impl<'a> Modes<'a> {
    pub(super) fn new(isa: &'a Isa, form: &'a Form, values: &'a [u8], line: Option<&'a Line<'a>>) -> Self {
        Self { isa, form, values, line, floats_as_bits: false, signs: false }
    }

    /// The same choices, where operands that are floats are only moved: they are taken for unsigned integers of their size.
    /// Otherwise a line of floats has no model here.
    pub(super) fn with_floats_as_bits(self) -> Self {
        Self { floats_as_bits: true, ..self }
    }

    /// The same choices, for a computation that asks which sources have a minus sign. Otherwise a line with one has no model.
    pub(super) fn with_signs(self) -> Self {
        Self { signs: true, ..self }
    }

    /// True if the operand has a minus sign.
    pub(super) fn is_negated(&self, operand: &str) -> bool {
        self.value(&format!("{operand}.sign")) == MINUS
    }

    /// True if the registers of an operand are wider than its type.
    pub(super) fn is_wider(&self, operand: &str) -> bool {
        let of = self.form.operands.iter().find(|known| known.name == operand);
        let bits = of.and_then(|of| {
            let register = self.isa.instruction_type(self.form.value(self.values, of.of_type?))?;
            Some((register.bits, of.type_by(self.isa, self.form, self.values)?.bits))
        });
        bits.is_some_and(|(register, of_type)| register > of_type)
    }

    /// The opcode.
    pub(super) fn opcode(&self) -> &'a str {
        self.form.opcode()
    }

    /// The value on an axis; empty if the form has no such axis.
    pub(super) fn value(&self, axis: &str) -> &'a str {
        let Some(axis) = self.form.axis(axis) else { return "" };
        let value = self.form.value(self.values, axis);
        match (self.form.axes[axis].choice, self.line) {
            (Choice::Suffix(_), None) if value.contains('{') => "",
            (Choice::Suffix(operand), Some(line)) if value.contains('{') => {
                let before = &self.form.operands[..operand];
                let place = before.iter().filter(|operand| !operand.left_out(self.form, self.values)).count();
                let suffix = |text: &'a str| text.rfind('.').map(|at| &text[at..]);
                line.operands.get(place).and_then(|operand| suffix(operand.text.trim())).unwrap_or(value)
            }
            _ => value,
        }
    }

    /// True if the line has a modifier in this slot.
    pub(super) fn has(&self, slot: &str) -> bool {
        self.value(slot).starts_with('.')
    }

    /// The error for a modifier without a model.
    pub(super) fn unmodelled(&self, modifier: &str) -> Unmodelled {
        let opcode = self.opcode();
        Unmodelled(match modifier {
            "" => format!("there is no model of this form of `{opcode}`"),
            modifier => format!("there is no model of `{opcode}` with {modifier}"),
        })
    }

    /// The type of integers in a slot.
    pub(super) fn number(&self, slot: &str) -> Result<NumberType, Unmodelled> {
        let name = self.value(slot);
        let of = self.isa.instruction_type(name).ok_or_else(|| self.unmodelled(name))?;
        self.named(of)
    }

    /// A type as integers.
    fn named(&self, of: &RegisterType) -> Result<NumberType, Unmodelled> {
        match of.kind {
            Kind::Float if self.floats_as_bits => Ok(NumberType::unsigned(of.bits.into())),
            Kind::Packed if self.floats_as_bits && FloatFormat::of(&of.name).is_some() => {
                let count = of.name.rsplit_once('x').and_then(|(_, count)| count.parse().ok());
                let elements = count.ok_or_else(|| self.unmodelled(&of.name))?;
                Ok(NumberType { elements, ..NumberType::unsigned(u32::from(of.bits) / elements) })
            }
            _ => NumberType::named(self.isa, &of.name),
        }
    }

    /// The function that limits a count of bits to those of a word: at most all of them, or what is left of whole words.
    pub(super) fn limited_count(&self) -> Result<fn(i128) -> i128, Unmodelled> {
        match self.value("mode") {
            ".clamp" => Ok(|count| count.min(32)),
            ".wrap" => Ok(|count| count & 31),
            other => Err(self.unmodelled(other)),
        }
    }

    /// The comparison of a modifier. Numbers are read with the sign of their type, so that lower and less are the same.
    pub(super) fn comparison(&self, slot: &str) -> Result<fn(i128, i128) -> bool, Unmodelled> {
        Ok(match self.value(slot) {
            ".eq" => |a, b| a == b,
            ".ne" => |a, b| a != b,
            ".lt" | ".lo" => |a, b| a < b,
            ".le" | ".ls" => |a, b| a <= b,
            ".gt" | ".hi" => |a, b| a > b,
            ".ge" | ".hs" => |a, b| a >= b,
            other => return Err(self.unmodelled(other)),
        })
    }

    /// The combination of a modifier; none if the line has no predicate to combine with.
    pub(super) fn combination(&self) -> Result<Option<PredicateCombination>, Unmodelled> {
        Ok(Some(match self.value("BoolOp") {
            "" => return Ok(None),
            ".and" => |found, with| found & with,
            ".or" => |found, with| found | with,
            ".xor" => |found, with| found ^ with,
            other => return Err(self.unmodelled(other)),
        }))
    }

    /// The numbers of elements of all sources and of all destinations.
    pub(super) fn lanes(&self) -> (usize, usize) {
        let of = |role: &'a Role| self.operands(role).map(|operand| self.elements_of(operand)).sum();
        (of(&Role::Source), of(&Role::Destination))
    }

    /// The operands of a role that the line has.
    pub(super) fn operands_of(&self, role: &'a Role) -> Vec<&'a Operand> {
        self.operands(role).collect()
    }

    /// The name of the type of an operand; empty if the instruction gives it none.
    pub(super) fn type_name(&self, operand: &'a Operand) -> &'a str {
        operand.type_by(self.isa, self.form, self.values).map_or("", |of| of.name.as_str())
    }

    /// The positions in the form of the operands of a role that the line has.
    pub(super) fn places_of(&self, role: &Role) -> Vec<usize> {
        let is_there = |operand: &Operand| operand.role == *role && !operand.left_out(self.form, self.values);
        (0..self.form.operands.len()).filter(|at| is_there(&self.form.operands[*at])).collect()
    }

    /// The manual's promise of an approximate result.
    pub(super) fn accuracy(&self) -> Option<&'a Accuracy> {
        self.form.accuracy(self.values)
    }

    /// The number of elements of an operand.
    fn elements_of(&self, operand: &Operand) -> usize {
        operand.shape.map_or(1, |shape| lanes_of(self.form.value(self.values, shape)))
    }

    /// The operands of a role that the line has.
    fn operands(&self, role: &'a Role) -> impl Iterator<Item = &'a Operand> {
        let (form, values) = (self.form, self.values);
        form.operands.iter().filter(move |operand| operand.role == *role && !operand.left_out(form, values))
    }

    /// The types of the elements of all operands of a role, in the order of the line.
    fn elements(&self, role: &'a Role) -> Result<Vec<NumberType>, Unmodelled> {
        let mut found = Vec::new();
        for operand in self.operands(role) {
            if !self.signs && self.is_negated(&operand.name) {
                return Err(self.unmodelled(MINUS));
            }
            found.extend(std::iter::repeat_n(self.element(operand)?, self.elements_of(operand)));
        }
        Ok(found)
    }

    /// The type of an element of an operand. A number that the line gives no type is read as it is written.
    fn element(&self, operand: &Operand) -> Result<NumberType, Unmodelled> {
        let register = || operand.of_type.map_or("", |axis| self.form.value(self.values, axis));
        match operand.type_by(self.isa, self.form, self.values) {
            Some(of) => self.named(of),
            None if register() == INTEGER => Ok(NumberType::signed(64)),
            None => NumberType::named(self.isa, register()),
        }
    }

    /// The types of all sources, in the order of the line.
    pub(super) fn sources(&self) -> Result<Vec<NumberType>, Unmodelled> {
        self.elements(&Role::Source)
    }

    /// The types of all destinations, in the order of the line.
    pub(super) fn results(&self) -> Result<Vec<NumberType>, Unmodelled> {
        self.elements(&Role::Destination)
    }

    /// The computation of the results of each element from the sources, as numbers of their types. What is too large for a
    /// result loses its upper bits.
    pub(super) fn map<const N: usize, const M: usize>(
        &self,
        compute: impl Fn([i128; N]) -> [i128; M] + Send + Sync + 'static,
    ) -> Result<Computation, Unmodelled> {
        self.partial(move |numbers| Ok(compute(numbers)))
    }

    /// As [`Self::map`], where some sources leave the results undefined.
    pub(super) fn partial<const N: usize, const M: usize>(
        &self,
        compute: impl Fn([i128; N]) -> Result<[i128; M], Undefined> + Send + Sync + 'static,
    ) -> Result<Computation, Unmodelled> {
        Computation::elementwise(self.sources()?, self.results()?, CarryUse::default(), compute)
    }

    /// As [`Self::map`], where the carry is the last source if the line reads it, and the last result. A line that does not
    /// read it gets 0.
    pub(super) fn carrying<const N: usize>(
        &self,
        carry: CarryUse,
        compute: impl Fn([i128; N]) -> [i128; 2] + Send + Sync + 'static,
    ) -> Result<Computation, Unmodelled> {
        Computation::elementwise(self.sources()?, self.results()?, carry, move |numbers| Ok(compute(numbers)))
    }
}
