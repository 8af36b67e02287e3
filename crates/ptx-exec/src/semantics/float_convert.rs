//! Conversions from and to floats. PTX ISA `data-movement-and-conversion-instructions-cvt`.

use super::float_arithmetic::FloatInput;
use super::float_result::{FloatResult, exact};
use super::modes::Modes;
use super::{Computation, Unmodelled};
use crate::value::{FloatFormat, FloatValue, low};

/// A conversion of a single number.
pub(super) fn cvt(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if m.lanes().0 > 1 || m.result_elements()? > 1 {
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
    let (input, to) = (FloatInput::new(m, 0)?, m.number("dtype")?);
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
    let (from, result) = (m.number("atype")?, FloatResult::new(m, to)?);
    m.float_elements(move |_, given| result.of(FloatValue::integer(from.read(given[0]))))
}

/// A float as another, or rounded to an integer. One that keeps its format and is not rounded keeps its bits.
fn between_floats(m: &Modes<'_>, to: FloatFormat) -> Result<Computation, Unmodelled> {
    let (input, result) = (FloatInput::new(m, 0)?, FloatResult::new(m, to)?);
    let to_integer = if m.has("irnd") { Some(m.rounding_of("irnd")?) } else { None };
    m.float_elements(move |_, given| {
        let value = input.value(given[0]);
        match (to_integer, value) {
            (Some(mode), FloatValue::Finite(number)) => {
                result.of(FloatValue::Finite(number.rounded_to_integer(mode)))
            }
            _ => result.of(value),
        }
    })
}

/// Conversions whose results have several elements: the first source, or the upper part of one, is the highest.
fn packed(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let to = m.result_format()?;
    if m.has("rs") || m.value("frnd3") != "" || m.value("frnd4") != "" {
        return Err(m.unmodelled("these roundings"));
    }
    if m.has("scaled::n1::ue8m0") || m.has("scaled::n2::ue8m0") {
        return Err(m.unmodelled("a scale"));
    }
    let (input, result) = (FloatInput::new(m, 0)?, FloatResult::new(m, to)?);
    if m.lanes().0 > 1 {
        return m.float_packed(move |_, given| result.of(input.value(given[0])));
    }
    m.float_elements(move |_, given| result.of(input.value(given[0])))
}
