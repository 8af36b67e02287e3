//! Operands: what each is for, and the axes of its choices.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::NONE;
use super::{AllowedNumbers, Form, Isa, RegisterType, ScaledType};
use crate::must::Must as _;

/// An operand of a form, with the axes of its choices.
#[derive(Clone, Debug)]
pub struct Operand {
    /// Its name in the syntax line.
    pub name: String,
    /// The role of the operand.
    pub role: Role,
    /// True if a line may lack the operand.
    pub optional: bool,
    /// How many elements the syntax line has in its place, if it has them in braces.
    pub(crate) elements: Option<usize>,
    /// The slot of its type, or the type itself; none if a table gives it, or the line is silent.
    pub instruction_type: Option<ScaledType>,
    /// The axis of its shape.
    pub shape: Option<usize>,
    /// The axis of its types.
    pub of_type: Option<usize>,
    /// The axis of its sinks.
    pub sinks: Option<usize>,
    /// The axis of the sign before it.
    pub sign: Option<usize>,
    /// The axis of the number that an integer immediate is.
    pub number: Option<usize>,
    /// The numbers that the values of the number axis stand for.
    pub(crate) numbers: Option<AllowedNumbers>,
    /// How many of the lower bits of an integer immediate count; all if it does not say.
    pub bits: Option<u32>,
    /// The operand that it may not be above, where both are integer immediates, by its position in the form.
    pub at_most: Option<usize>,
    /// The axis of whether its first lane has a type of its own, and that type.
    pub first: Option<(usize, String)>,
    /// The axis of the special register that it is.
    pub special: Option<usize>,
    /// The axis of an address's base.
    pub base: Option<usize>,
    /// The axis of an address's offset.
    pub offset: Option<usize>,
}

impl Operand {
    /// The bits of an integer immediate that count.
    pub(crate) fn counted_bits(&self, number: i128) -> i128 {
        self.bits.map_or(number, |bits| number & ((1 << bits) - 1))
    }

    /// True if these choices leave the operand out.
    pub fn left_out(&self, form: &Form, values: &[u8]) -> bool {
        self.optional && self.first_axis().is_some_and(|axis| form.value(values, axis) == NONE)
    }

    /// The type that these choices give the operand: that of the instruction, not of the register. None if the line does
    /// not say.
    pub fn type_by<'i>(&self, isa: &'i Isa, form: &Form, values: &[u8]) -> Option<&'i RegisterType> {
        let scaled = self.instruction_type.as_ref()?;
        // A type that is no slot is the name of the type itself.
        scaled.type_for(isa, form.axis(&scaled.of).map_or(&scaled.of, |axis| form.value(values, axis)))
    }

    /// The axis that says whether it is there: that of the base of an address, and that of types for others.
    pub(crate) fn first_axis(&self) -> Option<usize> {
        self.base.or(self.of_type)
    }

    /// The axes of its choices, without those of suffixes.
    pub(crate) fn axes(&self) -> impl Iterator<Item = usize> {
        let first = self.first.as_ref().map(|(axis, _)| *axis);
        let of_value = [self.shape, self.of_type, self.sinks, self.sign, first, self.number, self.special];
        of_value.into_iter().chain([self.base, self.offset]).flatten()
    }

    /// An operand without axes.
    pub(crate) fn new(name: String, role: Role, optional: bool) -> Self {
        Self {
            name,
            role,
            optional,
            elements: None,
            instruction_type: None,
            shape: None,
            of_type: None,
            sinks: None,
            sign: None,
            number: None,
            numbers: None,
            bits: None,
            at_most: None,
            first: None,
            special: None,
            base: None,
            offset: None,
        }
    }
}

/// The role of an operand, with its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// A register or vector that is written.
    Destination,
    /// A value that is read.
    Source,
    /// The position of an access in an object.
    Coordinate {
        /// The operand that is the object, by its position in the form.
        of: usize,
        /// The unit that the first dimension counts.
        unit: Unit,
    },
    /// A cache policy, which an instruction makes, and which does not change what a line computes.
    Policy,
    /// A surface.
    Surface {
        /// The axis of the modifier that names its geometry, if the line has one.
        geometry: Option<usize>,
        /// How much of it one access moves, if the line says so.
        size: Option<Size>,
    },
    /// Anything else that has a name: its kind.
    Object(&'static str),
    /// The arguments or results of a call, in parentheses.
    Arguments,
    /// An address in a state space.
    Address {
        /// The axis of the modifier that names the space, if the line has one.
        space: Option<usize>,
        /// How much one access moves, if the line says so.
        size: Option<Size>,
    },
}

impl Role {
    /// True if the operand is a value: a register or a vector of registers, an immediate, or a sink.
    pub fn is_value(&self) -> bool {
        matches!(self, Self::Destination | Self::Source | Self::Coordinate { .. } | Self::Policy)
    }

    /// True if the operand is an address.
    pub fn is_address(&self) -> bool {
        matches!(self, Self::Address { .. })
    }

    /// True if the operand is an object.
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Surface { .. } | Self::Object(_))
    }
}

/// The unit that the first coordinate of an object counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Samples.
    Samples,
}

/// The size of an access: a type, times the lanes of a vector modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The type.
    pub of: SizeOf,
    /// The axis of the vector modifier, if the form has one.
    pub lanes: Option<usize>,
}

impl Size {
    /// The bytes that a line with these choices accesses, at least 1.
    pub fn bytes(self, isa: &Isa, form: &Form, values: &[u8]) -> u32 {
        let bits = match self.of {
            SizeOf::Bits(bits) => u32::from(bits),
            SizeOf::Axis(axis) => Self::bits_of(isa, form.value(values, axis)),
        };
        (bits / 8 * self.lanes.map_or(1, |axis| Self::lanes_of(form.value(values, axis)))).max(1)
    }

    /// The bits of an instruction's type.
    pub fn bits_of(isa: &Isa, of: &str) -> u32 {
        isa.instruction_type(of).map_or(32, |of| u32::from(of.bits))
    }

    /// The number of lanes of a vector modifier: four for `.v4`, one without a modifier.
    pub fn lanes_of(modifier: &str) -> u32 {
        match modifier.trim_start_matches(|c: char| !c.is_ascii_digit()) {
            "" => 1,
            lanes => lanes.parse().must("the modifier of a vector ends with the number of its lanes"),
        }
    }
}

/// The type that determines the size of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeOf {
    /// The type on this axis.
    Axis(usize),
    /// A type of this many bits.
    Bits(u16),
}
