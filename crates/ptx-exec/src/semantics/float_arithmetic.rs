//! Arithmetic of floats: what is exact but for one rounding. PTX ISA `floating-point-instructions`,
//! `half-precision-floating-point-instructions`, `mixed-precision-floating-point-instructions`.

use super::contraction::Contraction;
use super::float_input::FloatInput;
use super::float_result::{FloatResult, exact};
use super::modes::Modes;
use super::{Computation, Inferences, Unmodelled};
use crate::value::{FloatValue, RoundingMode};

/// The computation of a value, which is then rounded, from those of N sources.
fn rounded<const N: usize>(
    m: &Modes<'_>,
    compute: impl Fn([FloatValue; N], RoundingMode) -> FloatValue + Send + Sync + 'static,
) -> Result<Computation, Unmodelled> {
    let result = m.float_result(m.result_format()?)?;
    let mut inputs = [m.float_input(0)?; N];
    for (at, input) in inputs.iter_mut().enumerate() {
        *input = m.float_input(at)?;
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
    let inputs = [m.float_input(0)?, m.float_input(1)?];
    Ok(computation.contracting(make(inputs, m.float_result(m.result_format()?)?)))
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
    let result = m.float_result(m.result_format()?)?;
    let [a, b, c] = [m.float_input(0)?, m.float_input(1)?, m.float_input(2)?];
    let outside = move |bits: u128| bits & !result.format.sign() == OUT_OF_BOUNDS;
    let computed = m.float_elements(move |_, bits| match outside(bits[0]) || outside(bits[1]) {
        true => exact(0),
        false => result.of(a.value(bits[0]).times(b.value(bits[1])).plus(c.value(bits[2]), result.mode)),
    })?;
    Ok(computed.inferring(Inferences::OUT_OF_BOUNDS_NAN))
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
