//! Conversions from and to floats. PTX ISA `data-movement-and-conversion-instructions-cvt`.

use std::cmp::Ordering;

use super::float_input::FloatInput;
use super::float_result::{ExpectedElement, FloatResult, exact};
use super::modes::Modes;
use super::{Computation, Undefined, Unmodelled};
use crate::value::{ExpectedValue, FloatFormat, FloatValue, RoundingMode, low};

/// A conversion of a single number.
pub(super) fn cvt(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if m.has("pzo") || m.lanes().0 > 1 || m.result_elements()? > 1 {
        return packed(m);
    }
    match (m.source_format(0), m.result_format()) {
        (Ok(_), Ok(to)) => between_floats(m, to),
        (Ok(_), Err(_)) => to_integer(m),
        (Err(_), Ok(to)) => from_integer(m, to),
        (Err(why), Err(_)) => Err(why),
    }
}

/// A float as an integer: what does not fit becomes the nearest one that does. A NaN is 0, or the highest bit if there
/// are 64 bits on either side.
fn to_integer(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let (input, to) = (m.float_input(0)?, m.number("dtype")?);
    let mode = m.rounding_of("irnd")?;
    let wide = to.bits == 64 || m.source_format(0)? == FloatFormat::F64;
    let nan = if wide { 1 << (to.bits - 1) } else { 0 };
    let limits = (to.smallest(), to.largest());
    m.float_elements(move |_, given| {
        let integer = input.value(given[0]).to_integer(mode, limits);
        exact(integer.map_or(nan, |integer| low(integer.cast_unsigned(), to.bits)))
    })
}

/// An integer as a float.
fn from_integer(m: &Modes<'_>, to: FloatFormat) -> Result<Computation, Unmodelled> {
    let (from, result) = (m.number("atype")?, m.float_result(to)?);
    m.float_elements(move |_, given| result.of(FloatValue::integer(from.read(given[0]))))
}

/// A float as another, or rounded to an integer. One that keeps its format and is not rounded keeps its bits.
fn between_floats(m: &Modes<'_>, to: FloatFormat) -> Result<Computation, Unmodelled> {
    let (input, result) = (m.float_input(0)?, m.float_result(to)?);
    let to_integer = if m.has("irnd") { Some(m.rounding_of("irnd")?) } else { None };
    m.float_elements(move |_, given| {
        let value = input.value(given[0]);
        match (to_integer, value) {
            (Some(mode), FloatValue::Finite(number)) => result.of(FloatValue::Finite(number.rounded_to_integer(mode))),
            _ => result.of(value),
        }
    })
}

/// Conversions whose results have several elements: the first source, or the upper part of one, is the highest. Sources are
/// divided by a scale before they become smaller, and multiplied by it after they became larger.
fn packed(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if m.has("pzo") {
        return Err(Unmodelled("the manual does not say what .pzo does".to_owned()));
    }
    let to = m.result_format()?;
    let (mut input, result) = (m.float_input(0)?, m.float_result(to)?);
    let scales = ["scaled::n1::ue8m0", "scaled::n2::ue8m0"].into_iter().find(|slot| m.has(slot));
    input.flushes |= scales == Some("scaled::n1::ue8m0");
    let count = m.result_elements()?;
    if m.has("rs") {
        return stochastic(m, input, result, count);
    }
    let narrows = input.format.bits() > to.bits();
    let scaled =
        move |value: FloatValue, scale: Option<&u128>| match scale.map(|scale| FloatFormat::UE8M0.value(*scale)) {
            None => value,
            Some(scale) if narrows => value.over(scale),
            Some(scale) => value.times(scale),
        };
    m.float_packed(scales.is_some(), move |_, given| {
        let value = scaled(input.value(given[0]), given.get(1));
        match to == FloatFormat::UE8M0 {
            true => power_of_two(value, result),
            false => result.of(value),
        }
    })
}

/// A power of two: an exponent without a sign.
fn power_of_two(value: FloatValue, result: FloatResult) -> ExpectedElement {
    let smallest = result.format.value(0);
    match value.order(smallest) {
        Some(Ordering::Less) => (ExpectedValue::anything(0, 8), Some(Undefined::UnsignedFormat)),
        _ => exact(result.format.power(value, result.mode == RoundingMode::Up)),
    }
}

/// Two numbers, rounded by the random bits of the last source: as many as their formats differ by.
fn stochastic(m: &Modes<'_>, input: FloatInput, result: FloatResult, count: u32) -> Result<Computation, Unmodelled> {
    let bits = match result.format {
        FloatFormat::F16 => 13,
        FloatFormat::BF16 => 16,
        _ => return Err(m.unmodelled("random bits for four numbers")),
    };
    m.float_packed(true, move |at, given| {
        let random = low(given[1] >> (16 * (count as usize - 1 - at)), bits) as u32;
        let result = FloatResult { mode: RoundingMode::Stochastic { random, bits }, ..result };
        let value = input.value(given[0]);
        let is_beyond =
            value.with_sign(false).order(result.format.value(result.format.largest())) == Some(Ordering::Greater);
        match result.format.is_tiny(value, RoundingMode::Zero) || is_beyond && !value.is_nan() {
            true => (ExpectedValue::anything(0, result.format.bits()), Some(Undefined::RandomBits)),
            false => result.of(value),
        }
    })
}
