//! How a value becomes a float of a result: rounding, flushing and limits. PTX ISA `floating-point-instructions`,
//! `data-movement-and-conversion-instructions-cvt`.

use super::Undefined;
use crate::value::{ExpectedValue, FloatFormat, FloatValue, RoundingMode};

/// The expectation of an element of a result, and the reason why parts of it are left open, if they are.
pub(super) type ExpectedElement = (ExpectedValue, Option<Undefined>);

/// The limits of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FloatLimit {
    /// The limits of its format.
    None,
    /// `.sat`: 0 and 1; a NaN becomes 0.
    Unit,
    /// `.satfinite`: the largest finite numbers.
    Finite,
}

/// A format, and how values become numbers of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloatResult {
    pub(super) format: FloatFormat,
    pub(super) mode: RoundingMode,
    /// True if a subnormal result becomes a zero with its sign. What rounding makes normal is not subnormal.
    pub(super) flushes: bool,
    pub(super) limit: FloatLimit,
    /// `.relu`: a negative result becomes 0.
    pub(super) relu: bool,
}

impl FloatResult {
    /// The expectation of a result with this value.
    #[inline]
    pub(super) fn of(&self, value: FloatValue) -> ExpectedElement {
        let Self { format, .. } = *self;
        if value.is_nan() {
            return self.nan();
        }
        if format.sign() == 0 && value.is_negative() && !value.is_zero() {
            return (ExpectedValue::anything(0, format.bits()), Some(Undefined::UnsignedFormat));
        }
        if value.is_negative() && (self.relu || self.limit == FloatLimit::Unit) {
            return exact(0);
        }
        if self.flushes && format.is_tiny(value, self.mode) {
            return exact(if value.is_negative() { format.sign() } else { 0 });
        }
        let mut bits = format.rounded(value, self.mode);
        match self.limit {
            FloatLimit::Unit => bits = bits.min(format.one()),
            FloatLimit::Finite => bits = bits & format.sign() | (bits & !format.sign()).min(format.largest()),
            FloatLimit::None => {}
        }
        exact(bits)
    }

    /// The expectation of a NaN.
    fn nan(&self) -> ExpectedElement {
        let Self { format, .. } = *self;
        if self.limit == FloatLimit::Unit {
            return exact(0);
        }
        match format.has_nans() {
            false => exact(format.largest()),
            // How a tf32 is laid out is left to the implementation.
            true if self.relu && format != FloatFormat::TF32 => exact(format.canonical_nan()),
            true => any_nan(format),
        }
    }
}

/// Exactly these bits.
pub(super) fn exact(bits: u128) -> ExpectedElement {
    (ExpectedValue::exact(bits), None)
}

/// Any NaN of a format.
pub(super) fn any_nan(format: FloatFormat) -> ExpectedElement {
    (ExpectedValue::nan(format.canonical_nan(), format), Some(Undefined::NanPayload))
}
