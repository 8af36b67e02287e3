//! What does not round: minima and maxima, signs, tests. PTX ISA `floating-point-instructions`,
//! `half-precision-floating-point-instructions`.

use std::cmp::Ordering;

use ptx_spec::must::Must as _;

use super::float_result::{ExpectedElement, exact};
use super::modes::Modes;
use super::{Computation, Dependence, Undefined, Unmodelled};
use crate::value::{ExpectedValue, FloatFormat};

pub(super) fn min(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    chosen(m, Ordering::Less)
}

pub(super) fn max(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    chosen(m, Ordering::Greater)
}

/// The number that has this order to the others; -0 is less than +0.
fn chosen(m: &Modes<'_>, wanted: Ordering) -> Result<Computation, Unmodelled> {
    let format = m.result_format()?;
    let input = m.float_input(0)?;
    let (keeps_nans, xorsign) = (m.has("NaN"), m.has("xorsign"));
    let absolute = xorsign || m.has("abs");
    let choose = move |a: u128, b: u128| {
        let is_first = match input.value(b).order(input.value(a)) {
            // Of two NaNs, one that signals if either does: which is chosen is left open.
            None if input.is_nan(a) && input.is_nan(b) => return a & b | 1,
            None => input.is_nan(a) == keeps_nans,
            Some(Ordering::Equal) => (a & format.sign() != 0) == (wanted == Ordering::Less),
            Some(order) => order != wanted,
        };
        if is_first { a } else { b }
    };
    // The sign of a NaN is one of those that are combined.
    let m = if xorsign { m.with_floats_as_bits() } else { *m };
    m.float_elements(move |_, given| {
        let numbers =
            given.iter().map(|bits| if absolute { input.bits(bits & !format.sign()) } else { input.bits(*bits) });
        let found = numbers.reduce(choose).must("a line has numbers to choose from");
        if format.is_nan(found) {
            // Of two NaNs that signal, some implementations return one.
            let any = (ExpectedValue::nan(found, format), Some(Undefined::NanPayload));
            return if keeps_nans { exact(format.canonical_nan()) } else { any };
        }
        let sign = given.iter().fold(0, |sign, bits| sign ^ bits & format.sign());
        exact(if xorsign { found & !format.sign() | sign } else { found })
    })
}

pub(super) fn abs(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let sign = m.result_format()?.sign();
    resigned(m, move |bits| bits & !sign)
}

pub(super) fn neg(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let sign = m.result_format()?.sign();
    resigned(m, move |bits| bits ^ sign)
}

/// A number with another sign. Of a NaN, any is one; `abs.f64` keeps it.
fn resigned(m: &Modes<'_>, change: impl Fn(u128) -> u128 + Send + Sync + 'static) -> Result<Computation, Unmodelled> {
    let format = m.result_format()?;
    let input = m.float_input(0)?;
    let keeps_nans = m.opcode() == "abs" && format == FloatFormat::F64;
    let m = if keeps_nans { m.with_floats_as_bits() } else { *m };
    m.float_elements(move |_, given| match format.is_nan(given[0]) {
        true if keeps_nans => exact(given[0]),
        true => (ExpectedValue::nan(change(given[0]), format), Some(Undefined::NanPayload)),
        false => exact(change(input.bits(given[0]))),
    })
}

/// The magnitude of the second source with the sign of the first.
pub(super) fn copysign(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let sign = m.result_format()?.sign();
    let m = m.with_floats_as_bits();
    let bits = u128::MAX >> (128 - m.number("type")?.bits);
    let copied = m.map(move |[a, b]| [(a.cast_unsigned() & sign | b.cast_unsigned() & (bits ^ sign)).cast_signed()])?;
    Ok(copied.depending(Dependence::One(&[])))
}

pub(super) fn testp(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let format = m.source_format(0)?;
    let infinite = move |bits: u128| bits & !format.sign() == format.infinity();
    let test: fn(FloatFormat, u128, bool) -> bool = match m.value("op") {
        ".finite" => |format, bits, infinite| !format.is_nan(bits) && !infinite,
        ".infinite" => |_, _, infinite| infinite,
        ".number" => |format, bits, _| !format.is_nan(bits),
        ".notanumber" => |format, bits, _| format.is_nan(bits),
        ".normal" => |format, bits, infinite| !format.is_nan(bits) && !infinite && !format.is_subnormal(bits),
        ".subnormal" => |format, bits, _| format.is_subnormal(bits),
        other => return Err(m.unmodelled(other)),
    };
    m.float_elements(move |_, given| -> ExpectedElement { exact(test(format, given[0], infinite(given[0])).into()) })
}
