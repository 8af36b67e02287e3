//! Sources that are floats. PTX ISA `floating-point-instructions`.

use crate::value::{FloatFormat, FloatValue};

/// A source: its format, and whether a subnormal number is a zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloatInput {
    pub(super) format: FloatFormat,
    pub(super) flushes: bool,
}

impl FloatInput {
    /// The bits, flushed.
    #[inline]
    pub(super) fn bits(self, bits: u128) -> u128 {
        if self.flushes { self.format.flushed(bits) } else { bits }
    }

    /// The value.
    #[inline]
    pub(super) fn value(self, bits: u128) -> FloatValue {
        self.format.value(self.bits(bits))
    }

    /// True if the bits are a NaN.
    pub(super) fn is_nan(self, bits: u128) -> bool {
        self.format.is_nan(bits)
    }
}
