//! The choices of a line, as the functions of the table ask for them.

use ptx_spec::role::lanes_of;
use ptx_spec::spec::words::INTEGER;
use ptx_spec::spec::{Form, Isa, Kind, Operand, Role};

use super::computation::{Computation, Dependence};
use super::{Inferences, NumberType, Undefined, Unmodelled};

/// The choices of a line of a form.
#[derive(Clone, Copy)]
pub(super) struct Modes<'a> {
    isa: &'a Isa,
    form: &'a Form,
    values: &'a [u8],
    /// True if floats are taken for the bits that they are.
    floats_as_bits: bool,
}

/// Whether a line reads and writes the carry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CarryUse {
    pub(super) reads: bool,
    pub(super) writes: bool,
}

impl<'a> Modes<'a> {
    pub(super) fn new(isa: &'a Isa, form: &'a Form, values: &'a [u8]) -> Self {
        Self { isa, form, values, floats_as_bits: false }
    }

    /// The same choices, where operands that are floats are only moved: they are taken for unsigned integers of their size.
    /// Otherwise a line of floats has no model here.
    pub(super) fn with_floats_as_bits(self) -> Self {
        Self { floats_as_bits: true, ..self }
    }

    /// The opcode.
    pub(super) fn opcode(&self) -> &'a str {
        self.form.opcode()
    }

    /// The value on an axis; empty if the form has no such axis.
    pub(super) fn value(&self, axis: &str) -> &'a str {
        self.form.axis(axis).map_or("", |axis| self.form.value(self.values, axis))
    }

    /// True if the line has a modifier in this slot.
    pub(super) fn has(&self, slot: &str) -> bool {
        self.value(slot).starts_with('.')
    }

    /// The error for a modifier without a model.
    pub(super) fn unmodelled(&self, modifier: &str) -> Unmodelled {
        Unmodelled(format!("there is no model of `{}` with {modifier}", self.opcode()))
    }

    /// The type of integers in a slot.
    pub(super) fn number(&self, slot: &str) -> Result<NumberType, Unmodelled> {
        NumberType::named(self.isa, self.value(slot))
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
            let count = operand.shape.map_or(1, |shape| lanes_of(self.form.value(self.values, shape)));
            found.extend(std::iter::repeat_n(self.element(operand)?, count));
        }
        Ok(found)
    }

    /// The type of an element of an operand. A number that the line gives no type is read as it is written.
    fn element(&self, operand: &Operand) -> Result<NumberType, Unmodelled> {
        let register = || operand.of_type.map_or("", |axis| self.form.value(self.values, axis));
        match operand.type_by(self.isa, self.form, self.values) {
            Some(of) if self.floats_as_bits && of.kind == Kind::Float => Ok(NumberType::unsigned(of.bits.into())),
            Some(of) => NumberType::named(self.isa, &of.name),
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

impl Computation {
    /// Says how results depend on sources.
    pub(super) fn depending(mut self, dependence: Dependence) -> Self {
        self.dependence = dependence;
        self
    }

    /// Says what the model assumes.
    pub(super) fn inferring(mut self, inferred: Inferences) -> Self {
        self.inferred = inferred;
        self
    }
}
