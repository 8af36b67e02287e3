//! Conversions between integers. PTX ISA `data-movement-and-conversion-instructions-cvt`.

use super::float_convert;
use super::modes::Modes;
use super::{Computation, Dependence, NumberType, Unmodelled};
use crate::value::low;

/// A number that does not fit loses its upper bits, or is the nearest one that does.
pub(super) fn cvt(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if m.has_floats() {
        return float_convert::cvt(m);
    }
    let to = m.number("dtype")?;
    match m.has("sat") {
        true => m.map(move |[a]| [to.saturated(a)]),
        false => Ok(m.map(|[a]| [a])?.depending(Dependence::One(&[]))),
    }
}

/// Two integers, saturated, the first above the second; what is left of the result is filled from the third source.
pub(super) fn cvt_pack(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    // Its page says nothing of the upper half, and no ptxas writes it.
    if m.is_wider("d") {
        return Err(Unmodelled("the manual does not say what is above the 32 bits of a wider destination".to_owned()));
    }
    let name = m.value("convertType");
    let of = match (name.get(..2), name.get(2..).and_then(|bits| bits.parse().ok())) {
        (Some(".u"), Some(bits)) => NumberType::unsigned(bits),
        (Some(".s"), Some(bits)) => NumberType::signed(bits),
        _ => return Err(m.unmodelled(name)),
    };
    let packed = move |a: i128, b: i128| {
        let [a, b] = [a, b].map(|number| low(of.saturated(number).cast_unsigned(), of.bits).cast_signed());
        a << of.bits | b
    };
    match 2 * of.bits {
        32 => m.map(move |[a, b]| [packed(a, b)]),
        size => m.map(move |[a, b, c]| [packed(a, b) | c << size]),
    }
}
