//! Operations on single bits: shifts, fields, counts and positions.

use super::shape::{DecodedStep, MachineShape, Unfit, effect, register};
use super::source::MachineSource;
use crate::machine::Halt;
use ptx_exec::value::Bits;

/// An operation on one word that must be completely defined.
fn of_known(shape: &MachineShape, f: impl Fn(u32) -> u32 + Send + Sync + 'static) -> DecodedStep {
    let [to, from] = shape.operands()?;
    let (to, from) = (register(to)?, MachineSource::word(from)?);
    effect(move |thread| {
        let value = from.get(thread)?.word();
        thread.set(to, 0, value.map_or(Bits::UNDEFINED, |value| Bits::from(f(value))));
        Ok(())
    })
}

/// `POPC R9, UR6`: how many bits are 1.
pub(super) fn count(shape: &MachineShape) -> DecodedStep {
    if shape.modifiers.is_empty() { of_known(shape, u32::count_ones) } else { Err(Unfit::MODIFIERS) }
}

/// `IABS R0, R1`: the absolute value of a signed number; that of the least one is itself.
pub(super) fn absolute(shape: &MachineShape) -> DecodedStep {
    match shape.modifiers[..] {
        [] => of_known(shape, |value| value.cast_signed().unsigned_abs()),
        _ => Err(Unfit::MODIFIERS),
    }
}

/// `FLO.U32 R0, UR6`: the position of the highest bit that is 1, or -1; without `.U32`, of the highest bit that differs
/// from the sign. With `.SH`, how far it is from bit 31.
pub(super) fn highest(shape: &MachineShape) -> DecodedStep {
    let (signed, from_above) = match shape.modifiers[..] {
        [] => (true, false),
        ["SH"] => (true, true),
        ["U32"] => (false, false),
        ["U32", "SH"] => (false, true),
        _ => return Err(Unfit::MODIFIERS),
    };
    of_known(shape, move |value| {
        let value = if signed && value.cast_signed() < 0 { !value } else { value };
        match value.checked_ilog2() {
            // No bit is the one that is looked for.
            None => u32::MAX,
            Some(position) if from_above => 31 - position,
            Some(position) => position,
        }
    })
}

/// `BREV R0, R1`: the bits in reverse order.
pub(super) fn reverse(shape: &MachineShape) -> DecodedStep {
    let ([], [to, from]) = (&shape.modifiers[..], shape.operands()?) else { return Err(Unfit::MODIFIERS) };
    let (to, from) = (register(to)?, MachineSource::word(from)?);
    effect(move |thread| {
        let value = from.get(thread)?;
        // The upper half of all 64 bits in reverse order.
        let reversed = Bits::new(value.value().reverse_bits(), value.defined().reverse_bits());
        thread.set(to, 0, reversed.shifted_right(32));
        Ok(())
    })
}

/// The modifier `.W`, and no other.
fn wraps(modifiers: &[&str]) -> Result<bool, Unfit> {
    match modifiers {
        [] => Ok(false),
        ["W"] => Ok(true),
        _ => Err(Unfit::MODIFIERS),
    }
}

/// `BMSK R0, R1, R2`: ones from a position on, as many as the second source says; both are at most 32, or with `.W` modulo
/// 32.
pub(super) fn mask(shape: &MachineShape) -> DecodedStep {
    let wraps = wraps(&shape.modifiers)?;
    let [to, position, count] = shape.operands()?;
    let (to, position, count) = (register(to)?, MachineSource::word(position)?, MachineSource::word(count)?);
    let bounded = move |number: u32| if wraps { number & 31 } else { number.min(32) };
    effect(move |thread| {
        let mask = |(position, count)| Bits::from(((1_u64 << bounded(count)) - 1) << bounded(position));
        let (position, count) = (position.get(thread)?.word(), count.get(thread)?.word());
        thread.set(to, 0, position.zip(count).map_or(Bits::UNDEFINED, mask));
        Ok(())
    })
}

/// `SGXT R7, R6, 0x8`: the low bits, sign-extended, or zero-extended with `.U32`; as many as the second source says, modulo 32
/// with `.W`.
pub(super) fn extend(shape: &MachineShape) -> DecodedStep {
    let (modifiers, signed) = match &shape.modifiers[..] {
        [before @ .., "U32"] => (before, false),
        all => (all, true),
    };
    let wraps = wraps(modifiers)?;
    let [to, from, count] = shape.operands()?;
    let (to, from, count) = (register(to)?, MachineSource::word(from)?, MachineSource::word(count)?);
    effect(move |thread| {
        let count = count.get(thread)?.word().ok_or(Halt::Undefined("a count of bits"))?;
        let value = from.get(thread)?;
        let value = match if wraps { count & 31 } else { count } {
            0 => Bits::ZERO,
            count @ 1..32 if signed => value.sign_extended(count),
            count @ 1..32 => value.zero_extended(count),
            _ => value,
        };
        thread.set(to, 0, value);
        Ok(())
    })
}

/// `SHF.L.U32 R7, R6, 0x3, RZ`, `SHF.R.S32.HI R6, RZ, 0x1f, R0`: two registers, the low one first, shifted as one; the
/// result is the low half, or the high one with `.HI`. Counts beyond the size of the type shift everything out, or wrap with `.W`.
pub(super) fn shift(shape: &MachineShape) -> DecodedStep {
    let (left, rest) = match &shape.modifiers[..] {
        ["L", rest @ ..] => (true, rest),
        ["R", rest @ ..] => (false, rest),
        _ => return Err(Unfit::MODIFIERS),
    };
    let (wraps, rest) = match rest {
        ["W", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (signed, most, high) = match rest {
        ["U32"] => (false, 32, false),
        ["U32", "HI"] => (false, 32, true),
        ["S32", "HI"] => (true, 32, true),
        ["U64"] => (false, 64, false),
        ["U64", "HI"] => (false, 64, true),
        ["S64"] => (true, 64, false),
        ["S64", "HI"] => (true, 64, true),
        _ => return Err(Unfit::MODIFIERS),
    };
    let [to, low, count, above] = shape.operands()?;
    let (to, low, count, above) =
        (register(to)?, MachineSource::word(low)?, MachineSource::word(count)?, MachineSource::word(above)?);
    effect(move |thread| {
        let count = count.get(thread)?.word().ok_or(Halt::Undefined("a count to shift by"))?;
        let count = if wraps { count & (most - 1) } else { count.min(most) };
        let both = low.get(thread)?.joined(32, above.get(thread)?);
        let shifted = match (left, signed) {
            (true, _) => both.shifted_left(count),
            (false, false) => both.shifted_right(count),
            (false, true) if count == 0 => both,
            (false, true) => both.shifted_right(count.min(63)).sign_extended(64 - count.min(63)),
        };
        thread.set(to, 0, if high { shifted.shifted_right(32) } else { shifted });
        Ok(())
    })
}
