//! The contents of a register.

use crate::value::{Bits, low, sign_extend};

/// Up to 128 bits, each with a value or undefined. An undefined bit has the value 0; the bits that the register does not have
/// are zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RegisterBits {
    /// The values.
    pub(super) value: u128,
    /// The bits that are defined.
    pub(super) defined: u128,
}

impl From<u128> for RegisterBits {
    fn from(value: u128) -> Self {
        Self { value, defined: u128::MAX }
    }
}

impl From<u64> for RegisterBits {
    fn from(value: u64) -> Self {
        u128::from(value).into()
    }
}

impl RegisterBits {
    /// No bit is defined.
    pub(super) const UNDEFINED: Self = Self { value: 0, defined: 0 };

    /// A number of which no bit is defined.
    pub(super) fn undefined(bits: u32) -> Self {
        Self { value: 0, defined: !low(u128::MAX, bits) }
    }

    /// The bits of a value that `defined` has.
    #[inline]
    pub(super) fn new(value: u128, defined: u128) -> Self {
        Self { value: value & defined, defined }
    }

    /// The value of the low bits, if all of them are defined.
    #[inline]
    pub(super) fn known(self, bits: u32) -> Option<u128> {
        (low(!self.defined, bits) == 0).then_some(low(self.value, bits))
    }

    /// The low 64 bits, if all of them are defined.
    #[inline]
    pub(super) fn address(self) -> Option<u64> {
        self.known(64).and_then(|address| u64::try_from(address).ok())
    }

    /// The low bits; the others are 0.
    #[inline]
    pub(super) fn zero_extended(self, bits: u32) -> Self {
        Self { value: low(self.value, bits), defined: self.defined | !low(u128::MAX, bits) }
    }

    /// The low `from` bits, the sign repeated up to `to` bits.
    #[inline]
    pub(super) fn sign_extended(self, from: u32, to: u32) -> Self {
        let extend = |bits: u128| sign_extend(bits, from).cast_unsigned();
        Self { value: low(extend(self.value), to), defined: extend(self.defined) | !low(u128::MAX, to) }
    }

    /// A number of this many bits with all of them inverted.
    #[inline]
    pub(super) fn inverted(self, bits: u32) -> Self {
        Self::new(low(!self.value, bits), self.defined)
    }

    /// The bits on which two values agree.
    pub(super) fn agreed(self, other: Self) -> Self {
        Self::new(self.value, self.defined & other.defined & !(self.value ^ other.value))
    }

    /// A number of 128 bits from its halves.
    #[inline]
    pub(super) fn joined(below: Bits, above: Bits) -> Self {
        let join = |below: u64, above: u64| u128::from(above) << 64 | u128::from(below);
        Self { value: join(below.value(), above.value()), defined: join(below.defined(), above.defined()) }
    }

    /// The low and the high 64 bits.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the halves are wanted")]
    pub(super) fn halves(self) -> [Bits; 2] {
        [0, 64].map(|shift| Bits::new((self.value >> shift) as u64, (self.defined >> shift) as u64))
    }
}
