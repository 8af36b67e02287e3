//! The special function unit of sm_90, bit for bit, in integer arithmetic.
//!
//! The unit cuts a function's domain into 64 or 128 segments. A table holds three integers for each
//! segment: `c0`, `c1`, `c2`. The unit computes `c0 + c1 * x + c2 * x^2` in fixed point, where `x`
//! is the operand's offset in its segment, with a squarer that drops low bits. It adds one constant
//! and drops the low bits of the sum.
//!
//! The tables come from measurement: for each segment they are the only integers that give all the
//! results that an H100 returned. Every function takes and returns the bits of an f32.

use super::special_table::{EX2, LG2, RCP, RSQ, SIN, SQRT, TANH, TANH_RANGES, UnitSegment};

/// The bits of the NaN that the unit returns.
const NAN: u32 = 0x7fff_ffff;
/// The bits of positive infinity.
const INFINITY: u32 = 0x7f80_0000;
/// The sign bit of an f32.
const SIGN: u32 = 0x8000_0000;
/// The lowest bit of the exponent of an f32, and the leading bit of its significand.
const ONE: u32 = 0x0080_0000;
/// The mask of the 23 fraction bits.
const FRACTION: u32 = ONE - 1;

/// `reciprocal` returns 1/x, as MUFU.RCP does. A subnormal operand counts as zero, and a subnormal
/// result becomes zero.
pub(super) fn reciprocal(bits: u32) -> u32 {
    let (sign, magnitude) = split(bits);
    if magnitude > INFINITY {
        return NAN;
    }
    if magnitude == INFINITY {
        return sign;
    }
    if magnitude < ONE {
        return sign | INFINITY;
    }
    let fraction = magnitude & FRACTION;
    let x = fraction & 0xffff;
    let sum = quadratic(RCP[index(fraction, 16)], 13, x, square(2 * x)) + 0x47e7;
    let result = ((252 - i64::from(magnitude >> 23)) << 23) + (sum >> 15);
    if result < i64::from(ONE) { sign } else { sign | low_word(result) }
}

/// `reciprocal_root` returns x^-1/2, as MUFU.RSQ does. A subnormal operand counts as zero.
pub(super) fn reciprocal_root(bits: u32) -> u32 {
    let (sign, magnitude) = split(bits);
    if magnitude > INFINITY {
        return NAN;
    }
    if magnitude < ONE {
        return sign | INFINITY;
    }
    if sign != 0 {
        return NAN;
    }
    if magnitude == INFINITY {
        return 0;
    }
    let (fraction, half) = halve(magnitude);
    if fraction == 0 {
        return (191 - half) << 23;
    }
    let x = fraction & 0x1_ffff;
    let sum = quadratic(RSQ[index(fraction, 17)], 14, x, 4 * square(x)) + 0x7fff;
    ((189 - half) << 23) + low_word(sum >> 16)
}

/// `square_root` returns x^1/2, as MUFU.SQRT does. A subnormal operand counts as zero.
pub(super) fn square_root(bits: u32) -> u32 {
    let (sign, magnitude) = split(bits);
    if magnitude > INFINITY {
        return NAN;
    }
    if magnitude < ONE {
        return sign;
    }
    if sign != 0 {
        return NAN;
    }
    if magnitude == INFINITY {
        return INFINITY;
    }
    let (fraction, half) = halve(magnitude);
    let x = fraction & 0x1_ffff;
    let row = SQRT[index(fraction, 17)];
    let mantissa = if fraction & ONE == 0 {
        (quadratic(row, 15, x, 2 * square(x)) + 0x7fff) >> 17
    } else {
        (quadratic(row, 14, x, square(x)) + 0x7fff) >> 16
    };
    ((half + 62) << 23) + low_word(mantissa)
}

/// `exponential` returns 2^x, as MUFU.EX2 does. It drops the bits of |x| below 2^-23, and inverts
/// the other fraction bits of a negative x. A subnormal result becomes zero.
pub(super) fn exponential(bits: u32) -> u32 {
    let (sign, magnitude) = split(bits);
    if magnitude > INFINITY {
        return NAN;
    }
    if magnitude >= 0x4300_0000 {
        return if sign == 0 { INFINITY } else { 0 };
    }
    let mut fixed = fixed_point(magnitude, 0);
    if sign != 0 {
        fixed = if fixed & i64::from(FRACTION) == 0 { -fixed } else { !fixed };
    }
    let fraction = low_word(fixed) & FRACTION;
    let x = fraction & 0x1_ffff;
    let sum = quadratic(EX2[index(fraction, 17)], 13, x, square(x)) + 0x77e2;
    let result = (((fixed >> 23) + 126) << 23) + (sum >> 15);
    if result < i64::from(ONE) { 0 } else { low_word(result).min(INFINITY) }
}

/// `logarithm` returns log2 x, as MUFU.LG2 does. A subnormal operand counts as zero.
pub(super) fn logarithm(bits: u32) -> u32 {
    let (sign, magnitude) = split(bits);
    if magnitude > INFINITY {
        return NAN;
    }
    if magnitude < ONE {
        return SIGN | INFINITY;
    }
    if sign != 0 {
        return NAN;
    }
    if magnitude == INFINITY {
        return INFINITY;
    }
    if magnitude == 127 << 23 {
        return 0;
    }
    let fraction = magnitude & FRACTION;
    let x = fraction & 0x1_ffff;
    let sum = quadratic(LG2[index(fraction, 17)], 12, x, 2 * square(x)) + 0x3345;
    let result = (sum >> 2) + ((i64::from(magnitude >> 23) - 127) << 36);
    if result < 0 { SIGN | normalize(!result, 36) } else { normalize(result, 36) }
}

/// `sine` returns the sine of x turns, as MUFU.SIN does. It drops the bits of |x| below 2^-25.
pub(super) fn sine(bits: u32) -> u32 {
    let (sign, magnitude) = split(bits);
    wave(sign, magnitude, 0)
}

/// `cosine` returns the cosine of x turns, as MUFU.COS does. It drops the bits of |x| below 2^-25.
pub(super) fn cosine(bits: u32) -> u32 {
    let (_, magnitude) = split(bits);
    wave(0, magnitude, 1)
}

/// `reciprocal_high` returns the upper half of 1/x, as MUFU.RCP64H does: both are the upper 32 bits
/// of an f64. A subnormal operand counts as zero, and a subnormal result becomes zero.
pub(super) fn reciprocal_high(bits: u32) -> u32 {
    let (sign, magnitude) = split(bits);
    if magnitude > 0x7ff0_0000 {
        return NAN;
    }
    if magnitude == 0x7ff0_0000 {
        return sign;
    }
    if magnitude < 0x10_0000 {
        return sign | 0x7ff0_0000;
    }
    let single = reciprocal(127 << 23 | (magnitude & 0xf_ffff) << 3) >> 3;
    // `single` is 1 or has the exponent 126; an f64 in its place would have the exponent 1022.
    let result = i64::from(single) - (127 << 20) + ((2046 - i64::from(magnitude >> 20)) << 20);
    if result < 0x10_0000 { sign } else { sign | low_word(result) }
}

/// `reciprocal_root_high` returns the upper half of x^-1/2, as MUFU.RSQ64H does: both are the upper
/// 32 bits of an f64. A subnormal operand counts as zero.
pub(super) fn reciprocal_root_high(bits: u32) -> u32 {
    let (sign, magnitude) = split(bits);
    if magnitude > 0x7ff0_0000 {
        return NAN;
    }
    if magnitude < 0x10_0000 {
        return sign | 0x7ff0_0000;
    }
    if sign != 0 {
        return NAN;
    }
    if magnitude == 0x7ff0_0000 {
        return 0;
    }
    let exponent = magnitude >> 20;
    let odd = (exponent + 1) & 1;
    let single = reciprocal_root((127 + odd) << 23 | (magnitude & 0xf_ffff) << 3) >> 3;
    single + ((1023 - 127 + 511 - (exponent - odd - 1) / 2) << 20)
}

/// `hyperbolic_tangent` returns tanh x, as MUFU.TANH does. It returns an operand below 2^-8 itself,
/// and 1 from 8 on. It keeps 17 to 21 fraction bits of the others, by their exponent.
pub(super) fn hyperbolic_tangent(bits: u32) -> u32 {
    let (sign, magnitude) = split(bits);
    if magnitude > INFINITY {
        return NAN;
    }
    if magnitude < 119 << 23 {
        return bits;
    }
    if magnitude >= 130 << 23 {
        return sign | 127 << 23;
    }
    let (width, slope_shift, square_shift, first) = TANH_RANGES[index(magnitude, 23) - 119];
    let fraction = (magnitude & FRACTION) >> (6 - width);
    let x = fraction & 0x1_ffff;
    let (c0, c1, c2) = TANH[first + index(fraction, 17)];
    let row = (c0, c1 << slope_shift, c2);
    sign | normalize(quadratic(row, 16, x, square(x) << square_shift), 40)
}

/// `hyperbolic_tangent_half` returns tanh x of an f16, as tanh.approx.f16 does.
pub(super) fn hyperbolic_tangent_half(bits: u32) -> u32 {
    narrow_half(hyperbolic_tangent(widen_half(bits)))
}

/// `hyperbolic_tangent_bfloat` returns tanh x of a bf16, as tanh.approx.bf16 does.
pub(super) fn hyperbolic_tangent_bfloat(bits: u32) -> u32 {
    hyperbolic_tangent(bits << 16) >> 16
}

/// `exponential_half` returns 2^x of an f16, as ex2.approx.f16 does.
pub(super) fn exponential_half(bits: u32) -> u32 {
    narrow_half(exponential(widen_half(bits)))
}

/// `exponential_bfloat` returns 2^x of a bf16, as ex2.approx.ftz.bf16 does.
pub(super) fn exponential_bfloat(bits: u32) -> u32 {
    exponential(bits << 16) >> 16
}

/// `widen_half` returns the f32 that equals an f16.
fn widen_half(bits: u32) -> u32 {
    let sign = (bits & 0x8000) << 16;
    let magnitude = bits & 0x7fff;
    sign | match magnitude {
        0x7c00.. => INFINITY | (magnitude & 0x3ff) << 13,
        0x400.. => (magnitude << 13) + (112 << 23),
        _ => normalize(i64::from(magnitude), 24),
    }
}

/// `narrow_half` returns the f16 of an f32, cut off. A value from 65536 on becomes infinity.
fn narrow_half(bits: u32) -> u32 {
    let (sign, magnitude) = split(bits);
    let exponent = magnitude >> 23;
    let significand = magnitude & FRACTION | ONE;
    let half = match exponent {
        143.. if magnitude > INFINITY => 0x7fff,
        143.. => 0x7c00,
        113.. => (magnitude - (112 << 23)) >> 13,
        95.. => significand >> (126 - exponent),
        _ => 0,
    };
    sign >> 16 | half
}

/// `wave` returns the sine of `magnitude` turns and `quarter` quarter turns, negated if `sign` is set.
fn wave(sign: u32, magnitude: u32, quarter: i64) -> u32 {
    if magnitude >= INFINITY {
        return NAN;
    }
    let fixed = fixed_point(magnitude, 2) + (quarter << 23);
    let mut fraction = low_word(fixed) & FRACTION;
    if fixed >> 23 & 1 != 0 {
        fraction ^= FRACTION;
    }
    let sign = if fixed >> 24 & 1 != 0 { sign ^ SIGN } else { sign };
    let x = fraction & 0x1_ffff;
    sign | normalize(quadratic(SIN[index(fraction, 17)], 11, x, square(x)), 37)
}

/// `split` returns the sign bit of an operand and the other bits.
fn split(bits: u32) -> (u32, u32) {
    (bits & SIGN, bits & !SIGN)
}

/// `halve` makes the exponent even: it returns the significand less 1 (24 bits; the upper one is set
/// if the exponent was odd) and half of the exponent, with 64 added.
fn halve(magnitude: u32) -> (u32, u32) {
    let exponent = (magnitude >> 23) + 1;
    ((exponent & 1) << 23 | magnitude & FRACTION, exponent >> 1)
}

/// `index` returns the number of the segment: the bits of `fraction` from `width` up.
fn index(fraction: u32, width: u32) -> usize {
    (fraction >> width) as usize
}

/// `low_word` returns the lower 32 bits of a sum.
fn low_word(sum: i64) -> u32 {
    (sum & 0xffff_ffff) as u32
}

/// `quadratic` returns c0 * 2^`shift` + c1 * x + c2 * x^2.
fn quadratic(row: UnitSegment, shift: u32, x: u32, square: i64) -> i64 {
    (i64::from(row.0) << shift) + i64::from(row.1) * i64::from(x) + i64::from(row.2) * square
}

/// `square` returns about x^2 / 2^19 for a 17-bit x: each partial product loses its low bits before
/// the sum, as in a squarer that leaves out its lower columns.
fn square(x: u32) -> i64 {
    let partial = |bit: u32| if x >> bit & 1 != 0 { x >> (18 - bit) } else { 0 };
    i64::from((0..17).map(partial).sum::<u32>() >> 1)
}

/// `fixed_point` returns |x| * 2^`scale` with 23 fraction bits, cut off below them. A value whose
/// fraction bits are all zero may come back as any integer with the same lower 25 bits.
fn fixed_point(magnitude: u32, scale: i32) -> i64 {
    if magnitude < ONE {
        return 0;
    }
    let significand = i64::from(magnitude & FRACTION | ONE);
    let shift = (magnitude >> 23) as i32 - 127 + scale;
    if shift > 32 {
        0
    } else if shift >= 0 {
        significand << shift
    } else {
        significand >> (-shift).min(63)
    }
}

/// `normalize` returns the f32 of a number with `scale` fraction bits, cut off to 24 bits.
fn normalize(number: i64, scale: u32) -> u32 {
    if number == 0 {
        return 0;
    }
    let top = 63 - number.leading_zeros();
    let aligned = if top >= 23 { number >> (top - 23) } else { number << (23 - top) };
    ((top + 126 - scale) << 23) + low_word(aligned)
}
