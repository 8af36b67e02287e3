//! Numbers at which optimizers fail: limits of types, counts of bits, and their neighbours.

use ptx_exec::setup::float_number;
use ptx_exec::value::FloatFormat;
use ptx_spec::space::Draw;

use crate::library::pick;

/// Numbers of any size: small ones, counts of bits and their neighbours, masks, `1.0` as bits.
pub(crate) const COMMON: [i64; 20] =
    [0, 1, -1, 2, 3, 4, 7, 8, 15, 16, 24, 31, 32, 33, 63, 64, 0xff, 0xffff, 0x0001_0001, 0x3f80_0000];

/// The limits of numbers of this many bits, with their neighbours.
fn limits(bits: u16) -> [i64; 6] {
    let least = i64::MIN >> (64 - u32::from(bits.clamp(2, 64)));
    let most = !least;
    let half = 1_i64 << (bits / 2).min(62);
    [least, least + 1, most, most - 1, half, -half]
}

/// A number for an operand of this many bits.
pub(crate) fn constant(draw: &mut Draw, bits: u16) -> i64 {
    match draw.below(10) {
        Some(0..6) => pick(draw, &COMMON).copied().unwrap_or_default(),
        Some(6..9) => pick(draw, &limits(bits)).copied().unwrap_or_default(),
        _ => low(draw.below(1 << 64).unwrap_or_default(), bits),
    }
}

/// The low bits of a drawn number, as a signed one.
fn low(drawn: u128, bits: u16) -> i64 {
    let bits = u32::from(bits.clamp(1, 64));
    let drawn = u64::try_from(drawn & u128::from(u64::MAX)).unwrap_or_default();
    (drawn << (64 - bits)).cast_signed() >> (64 - bits)
}

/// The bits of a value for a register of this many bits.
pub(crate) fn value(draw: &mut Draw, bits: u16) -> u64 {
    let mask = if bits < 64 { (1 << bits) - 1 } else { u64::MAX };
    if bits == 1 {
        return u64::from(draw.below(2) == Some(1));
    }
    match draw.below(3) {
        Some(0) => float(draw, bits).unwrap_or_else(|| constant(draw, bits).cast_unsigned()) & mask,
        _ => constant(draw, bits).cast_unsigned() & mask,
    }
}

/// The bits of a float, or of two, that fill a register of this many bits.
fn float(draw: &mut Draw, bits: u16) -> Option<u64> {
    let formats: &[FloatFormat] = match bits {
        16 => &[FloatFormat::F16, FloatFormat::BF16],
        32 => &[FloatFormat::F32, FloatFormat::F32, FloatFormat::F16],
        64 => &[FloatFormat::F64, FloatFormat::F64, FloatFormat::F32],
        _ => return None,
    };
    let format = *pick(draw, formats)?;
    let mut filled = 0;
    for at in 0..u32::from(bits) / format.bits() {
        let number = u64::try_from(draw.below(1 << 64)?).ok()?;
        filled |= float_number(format, number) << (at * format.bits());
    }
    u64::try_from(filled).ok()
}
