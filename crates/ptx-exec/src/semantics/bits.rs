//! Single bits and fields of them. PTX ISA `integer-arithmetic-instructions`.

use super::modes::Modes;
use super::{Computation, Dependence, Undefined, Unmodelled};
use crate::value::low;

pub(super) fn popc(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    m.map(|[a]| [a.count_ones().into()])
}

pub(super) fn clz(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let bits = m.number("type")?.bits;
    m.map(move |[a]| [(a.leading_zeros() + bits - 128).into()])
}

pub(super) fn brev(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let bits = m.number("type")?.bits;
    Ok(m.map(move |[a]| [a.reverse_bits() >> (128 - bits)])?.depending(Dependence::One(&[])))
}

/// The highest bit that differs from the sign, or its distance from the highest bit of the type.
pub(super) fn bfind(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let bits = i128::from(m.number("type")?.bits);
    let distance = m.has("shiftamt");
    m.map(move |[a]| {
        let different = if a < 0 { !a } else { a };
        let position = 127 - i128::from(different.leading_zeros());
        [if distance && position >= 0 { bits - 1 - position } else { position }]
    })
}

/// The bits after the highest one of the source are those of its sign, which a field of no bits does not have.
pub(super) fn bfe(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let t = m.number("type")?;
    let highest = t.bits - 1;
    let extracted = m.map(move |[a, position, length]| {
        let (position, length) = (byte(position), byte(length));
        if length == 0 {
            return [0];
        }
        let sign = t.signed && a >> (position + length - 1).min(highest) & 1 == 1;
        // The bits from the field's end on, which lies within the source or is the source's own.
        let end = length.min(t.bits.saturating_sub(position));
        let field = low(low(a.cast_unsigned(), t.bits) >> position.min(t.bits), end);
        [(field | if sign { u128::MAX << end } else { 0 }).cast_signed()]
    });
    Ok(extracted?.depending(Dependence::One(&[1, 2])))
}

pub(super) fn bfi(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let bits = m.number("type")?.bits;
    let inserted = m.map(move |[a, b, position, length]| {
        let (position, length) = (byte(position).min(bits), byte(length).min(bits));
        let field = low(u128::MAX, length) << position;
        [b & !field.cast_signed() | a << position & field.cast_signed()]
    });
    Ok(inserted?.depending(Dependence::One(&[2, 3])))
}

/// The low 8 bits of a position or a length, which are all that count.
fn byte(number: i128) -> u32 {
    u32::from(number.to_le_bytes()[0])
}

pub(super) fn bmsk(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let mask = |start: i128, width: i128| (low(u128::MAX, width.min(32) as u32) << start).cast_signed();
    match m.value("mode") {
        ".clamp" => m.map(move |[start, width]| [if start >= 32 { 0 } else { mask(start, width) }]),
        ".wrap" => m.map(move |[start, width]| [mask(start & 31, width & 31)]),
        other => Err(m.unmodelled(other)),
    }
}

pub(super) fn szext(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let (t, width) = (m.number("type")?, m.limited_count()?);
    let extended = m.map(move |[a, count]| match width(count) as u32 {
        0 => [0],
        bits => [super::NumberType { bits, ..t }.read(a.cast_unsigned())],
    });
    Ok(extended?.depending(Dependence::One(&[1])))
}

/// The bit that is the n-th one from a position on, up or down. The smallest offset has no magnitude.
pub(super) fn fns(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    m.partial(|[mask, base, offset]| {
        if !(0..32).contains(&base) || offset == i128::from(i32::MIN) {
            return Err(Undefined::FoundFromNowhere);
        }
        let is_set = |at: &i128| mask >> at & 1 == 1;
        let found = match offset {
            0 => Some(base).filter(is_set),
            1.. => (base..32).filter(is_set).nth(offset as usize - 1),
            _ => (0..=base).rev().filter(is_set).nth(-offset as usize - 1),
        };
        Ok([found.unwrap_or(-1)])
    })
}
