//! Arithmetic of floats: what is exact but for one rounding. PTX ISA `floating-point-instructions`,
//! `half-precision-floating-point-instructions`, `mixed-precision-floating-point-instructions`.

use super::approximate;
use super::contraction::Contraction;
use super::float_result::{FloatResult, exact};
use super::modes::Modes;
use super::{Computation, Inferences, Unmodelled};
use crate::value::{FloatFormat, FloatValue, RoundingMode};

/// A source: its format, and whether a subnormal number is a zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloatInput {
    pub(super) format: FloatFormat,
    pub(super) flushes: bool,
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
    let sum = rounded(m, |[a, b], mode| a.plus(b, mode))?;
    contracting(m, sum, |inputs, result| Contraction::Sum(inputs, false, result))
}

pub(super) fn sub(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let difference = rounded(m, |[a, b], mode| a.plus(b.negated(), mode))?;
    contracting(m, difference, |inputs, result| Contraction::Sum(inputs, true, result))
}

pub(super) fn mul(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    contracting(m, rounded(m, |[a, b], _| a.times(b))?, |inputs, _| Contraction::Product(inputs))
}

/// A line without a rounding modifier may be contracted with another.
fn contracting(
    m: &Modes<'_>,
    computation: Computation,
    make: fn([FloatInput; 2], FloatResult) -> Contraction,
) -> Result<Computation, Unmodelled> {
    if m.has("rnd") {
        return Ok(computation);
    }
    let inputs = [FloatInput::new(m, 0)?, FloatInput::new(m, 1)?];
    Ok(computation.contracting(make(inputs, FloatResult::new(m, m.result_format()?)?)))
}

/// `mad` of floats is the same.
pub(super) fn fma(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    match m.has("oob") {
        true => fma_in_bounds(m),
        false => rounded(m, |[a, b, c], mode| a.times(b).plus(c, mode)),
    }
}

/// The NaN that stands for what is out of bounds, whatever its sign: an H100 has it in both formats.
const OUT_OF_BOUNDS: u128 = 0x7ff7;

/// The result is 0 if a factor is the NaN that stands for what is out of bounds.
fn fma_in_bounds(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let result = FloatResult::new(m, m.result_format()?)?;
    let [a, b, c] = [FloatInput::new(m, 0)?, FloatInput::new(m, 1)?, FloatInput::new(m, 2)?];
    let outside = move |bits: u128| bits & !result.format.sign() == OUT_OF_BOUNDS;
    let computed = m.float_elements(move |_, bits| match outside(bits[0]) || outside(bits[1]) {
        true => exact(0),
        false => result.of(a.value(bits[0]).times(b.value(bits[1])).plus(c.value(bits[2]), result.mode)),
    })?;
    Ok(computed.inferring(Inferences::OUT_OF_BOUNDS_NAN))
}

pub(super) fn div(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if approximate::is_asked(m) {
        return approximate::div(m);
    }
    rounded(m, |[a, b], _| a.over(b))
}

pub(super) fn rcp(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if approximate::is_asked(m) {
        return approximate::rcp(m);
    }
    rounded(m, |[a], _| FloatValue::integer(1).over(a))
}

pub(super) fn sqrt(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if approximate::is_asked(m) {
        return approximate::sqrt(m);
    }
    rounded(m, |[a], _| a.square_root())
}
