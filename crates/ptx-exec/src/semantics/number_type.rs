//! Types of integers, as modifiers name them. PTX ISA `fundamental-types`, `packed-data-types`.

use ptx_spec::spec::{Isa, Kind};

use super::Unmodelled;
use crate::value::{low, sign_extend};

/// A type of integers: the size and the sign of an element, and how many of them a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberType {
    /// The size of an element in bits; a predicate has one.
    pub bits: u32,
    /// True if an element is a signed integer.
    pub signed: bool,
    /// The number of elements.
    pub elements: u32,
}

impl NumberType {
    /// An unsigned integer of this size.
    pub(super) const fn unsigned(bits: u32) -> Self {
        Self { bits, signed: false, elements: 1 }
    }

    /// A signed integer of this size.
    pub(super) const fn signed(bits: u32) -> Self {
        Self { bits, signed: true, elements: 1 }
    }

    /// The type that a modifier names. Untyped bits are unsigned.
    pub(super) fn named(isa: &Isa, name: &str) -> Result<Self, Unmodelled> {
        let unknown = || Unmodelled(format!("there is no model of {name}"));
        let of = isa.instruction_type(name).ok_or_else(unknown)?;
        match of.kind {
            Kind::Signed => Ok(Self::signed(of.bits.into())),
            Kind::Bits | Kind::Unsigned | Kind::Predicate => Ok(Self::unsigned(of.bits.into())),
            Kind::Float => Err(unknown()),
            Kind::Packed => {
                let (element, count) = name.rsplit_once('x').ok_or_else(unknown)?;
                let elements = count.parse().map_err(|_| unknown())?;
                Ok(Self { elements, ..Self::named(isa, element)? })
            }
        }
    }

    /// The size of all elements in bits.
    pub fn size(self) -> u32 {
        self.bits * self.elements
    }

    /// The number that the low bits are.
    #[inline]
    pub(super) fn read(self, bits: u128) -> i128 {
        if self.signed { sign_extend(bits, self.bits) } else { low(bits, self.bits).cast_signed() }
    }

    /// The smallest number.
    #[inline]
    pub(super) fn smallest(self) -> i128 {
        if self.signed { -1 << (self.bits - 1) } else { 0 }
    }

    /// The largest number. There are at most 64 bits where this is asked.
    #[inline]
    pub(super) fn largest(self) -> i128 {
        (1 << (self.bits - u32::from(self.signed))) - 1
    }

    /// The nearest number of the type.
    #[inline]
    pub(super) fn saturated(self, number: i128) -> i128 {
        number.clamp(self.smallest(), self.largest())
    }
}
