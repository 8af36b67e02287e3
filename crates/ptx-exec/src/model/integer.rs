//! Integers of N bits, in the low bits of a number.

use super::Unmodelled;

/// The low bits of a number.
#[inline]
pub(super) fn low(bits: u128, count: u32) -> u128 {
    match count {
        0..128 => bits & ((1 << count) - 1),
        _ => bits,
    }
}

/// The value of a signed integer.
#[inline]
pub(super) fn sign_extend(bits: u128, count: u32) -> i128 {
    let shift = 128 - count.clamp(1, 128);
    (bits << shift).cast_signed() >> shift
}

/// The sum of two signed integers of fewer than 128 bits, saturated.
pub(super) fn saturating_sum(a: u128, b: u128, bits: u32) -> u128 {
    let largest = (1_i128 << (bits - 1)) - 1;
    let sum = sign_extend(a, bits) + sign_extend(b, bits);
    low(sum.clamp(-largest - 1, largest).cast_unsigned(), bits)
}

/// An operation on the contents of an object. PTX ISA `surface-instructions-sured` and
/// `parallel-synchronization-and-communication-instructions-atom`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Increment,
    Decrement,
    Exchange,
    CompareAndSwap,
}

impl Operation {
    /// The operation of a modifier.
    pub(super) fn named(modifier: &str) -> Result<Self, Unmodelled> {
        Ok(match modifier {
            ".add" => Self::Add,
            ".min" => Self::Min,
            ".max" => Self::Max,
            ".and" => Self::And,
            ".or" => Self::Or,
            ".xor" => Self::Xor,
            ".inc" => Self::Increment,
            ".dec" => Self::Decrement,
            ".exch" => Self::Exchange,
            ".cas" => Self::CompareAndSwap,
            other => return Err(Unmodelled(format!("`{other}` is not an operation"))),
        })
    }

    /// The new contents of an object that held `old`, as an N-bit integer, signed or unsigned.
    pub(super) fn apply(self, old: u128, [new, other]: [u128; 2], (bits, signed): (u32, bool)) -> u128 {
        let less = if signed { sign_extend(new, bits) < sign_extend(old, bits) } else { new < old };
        let choose = |first: bool| if first { new } else { old };
        match self {
            Self::Add => low(old.wrapping_add(new), bits),
            Self::Min => choose(less),
            Self::Max => choose(!less),
            Self::And => old & new,
            Self::Or => old | new,
            Self::Xor => old ^ new,
            Self::Increment if old >= new => 0,
            Self::Increment => old + 1,
            Self::Decrement if old == 0 || old > new => new,
            Self::Decrement => old - 1,
            Self::Exchange => new,
            Self::CompareAndSwap if old == new => other,
            Self::CompareAndSwap => old,
        }
    }
}
