//! Arithmetic of floats: what is exact but for one rounding. PTX ISA `floating-point-instructions`,
//! `half-precision-floating-point-instructions`, `mixed-precision-floating-point-instructions`.

use super::float_computation::ExpectedElement;
use super::float_result::FloatResult;
use super::modes::Modes;
use super::{Computation, Undefined, Unmodelled};
use crate::value::{ExpectedValue, FloatFormat, FloatValue, RoundingMode};

/// A source: its format, and whether a subnormal number is a zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloatInput {
    format: FloatFormat,
    flushes: bool,
}

impl FloatInput {
    /// The source at a position of the line.
    pub(super) fn new(m: &Modes<'_>, at: usize) -> Result<Self, Unmodelled> {
        let format = m.source_format(at)?;
        Ok(Self { format, flushes: m.flushes(format) })
    }

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

/// The computation of a value, which is then rounded, from those of N sources.
fn rounded<const N: usize>(
    m: &Modes<'_>,
    compute: impl Fn([FloatValue; N], RoundingMode) -> FloatValue + Send + Sync + 'static,
) -> Result<Computation, Unmodelled> {
    let result = FloatResult::new(m, m.result_format()?)?;
    let mut inputs = [FloatInput::new(m, 0)?; N];
    for (at, input) in inputs.iter_mut().enumerate() {
        *input = FloatInput::new(m, at)?;
    }
    m.float_elements(move |_, bits| {
        let mut at = 0;
        let values = inputs.map(|input| {
            at += 1;
            input.value(bits[at - 1])
        });
        result.of(compute(values, result.mode))
    })
}

pub(super) fn add(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    rounded(m, |[a, b], mode| a.plus(b, mode))
}

pub(super) fn sub(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    rounded(m, |[a, b], mode| a.plus(b.negated(), mode))
}

pub(super) fn mul(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    rounded(m, |[a, b], _| a.times(b))
}

/// `mad` of floats is the same.
pub(super) fn fma(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    match m.has("oob") {
        true => fma_in_bounds(m),
        false => rounded(m, |[a, b, c], mode| a.times(b).plus(c, mode)),
    }
}

/// The result is 0 if a factor is the NaN that stands for what is out of bounds. The manual does not say which NaN that is.
fn fma_in_bounds(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let result = FloatResult::new(m, m.result_format()?)?;
    let [a, b, c] = [FloatInput::new(m, 0)?, FloatInput::new(m, 1)?, FloatInput::new(m, 2)?];
    let format = result.format;
    m.float_elements(move |_, bits| -> ExpectedElement {
        if a.is_nan(bits[0]) || b.is_nan(bits[1]) {
            return (ExpectedValue::anything(0, format.bits()), Some(Undefined::OutOfBoundsNan));
        }
        result.of(a.value(bits[0]).times(b.value(bits[1])).plus(c.value(bits[2]), result.mode))
    })
}

pub(super) fn div(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    rounded(m, |[a, b], _| a.over(b))
}

pub(super) fn rcp(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    rounded(m, |[a], _| FloatValue::integer(1).over(a))
}

pub(super) fn sqrt(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    rounded(m, |[a], _| a.square_root())
}
