//! Integers of N bits, in the low bits of a number.

/// The low bits of a number.
#[inline]
pub fn low(bits: u128, count: u32) -> u128 {
    match count {
        0..128 => bits & ((1 << count) - 1),
        _ => bits,
    }
}

/// The value of a signed integer.
#[inline]
pub fn sign_extend(bits: u128, count: u32) -> i128 {
    let shift = 128 - count.clamp(1, 128);
    (bits << shift).cast_signed() >> shift
}
