//! Formats of floats, and atomic operations on them: sums, minima and maxima, rounded to nearest even.

use half::{bf16, f16};

use super::ListedStep;
use crate::machine::Halt;
use ptx_exec::value::Bits;

/// A format of numbers in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberFormat {
    F16,
    Bf16,
    F32,
    F64,
}

impl NumberFormat {
    /// The format of an atomic operation; `None` if it is on integers.
    pub(super) fn of(step: &ListedStep) -> Option<Self> {
        let has = |any| step.modifiers.has(any);
        match () {
            () if has(set!["F16x2", "F16x4", "F16x8"]) => Some(Self::F16),
            () if has(set!["BF16x2", "BF16x4", "BF16x8"]) => Some(Self::Bf16),
            () if has(set!["F32", "F32x2", "F32x4"]) => Some(Self::F32),
            () if has(set!["F64"]) => Some(Self::F64),
            () => None,
        }
    }

    pub(super) fn bits(self) -> u32 {
        match self {
            Self::F16 | Self::Bf16 => 16,
            Self::F32 => 32,
            Self::F64 => 64,
        }
    }

    /// The value of the low bits, which is exact.
    #[expect(clippy::cast_possible_truncation, reason = "a format has as many bits as the type that it is read as")]
    pub(super) fn value(self, bits: u64) -> f64 {
        match self {
            Self::F16 => f16::from_bits(bits as u16).to_f64(),
            Self::Bf16 => bf16::from_bits(bits as u16).to_f64(),
            Self::F32 => f32::from_bits(bits as u32).into(),
            Self::F64 => f64::from_bits(bits),
        }
    }

    /// The nearest number. A sum of two numbers of a format with fewer than half as many bits is the same whether it
    /// is rounded to 53 bits before or not.
    #[expect(clippy::cast_possible_truncation, reason = "rounding is wanted")]
    pub(super) fn rounded(self, value: f64) -> u64 {
        match self {
            Self::F16 => f16::from_f64(value).to_bits().into(),
            Self::Bf16 => bf16::from_f64(value).to_bits().into(),
            Self::F32 => (value as f32).to_bits().into(),
            Self::F64 => value.to_bits(),
        }
    }

    /// The number, or a zero of its sign if it is subnormal.
    pub(super) fn flushed(self, bits: u64) -> u64 {
        let (exponent, sign) = match self {
            Self::F16 => (0x7c00, 0x8000),
            Self::Bf16 => (0x7f80, 0x8000),
            Self::F32 => (0x7f80_0000, 0x8000_0000),
            Self::F64 => (0x7ff0_0000_0000_0000, 1 << 63),
        };
        if bits & exponent == 0 { bits & sign } else { bits }
    }

    /// The result of an atomic operation on two numbers.
    fn apply(self, step: &ListedStep, old: u64, new: u64) -> Result<u64, Halt> {
        let has = |any| step.modifiers.has(any);
        let flush = |bits: u64| if has(set!["FTZ"]) { self.flushed(bits) } else { bits };
        let (old, new) = (flush(old), flush(new));
        let (a, b) = (self.value(old), self.value(new));
        // Minus zero is less than zero.
        let less = b < a || a == b && b.is_sign_negative();
        Ok(match () {
            () if has(set!["ADD"]) => flush(self.rounded(a + b)),
            () if a.is_nan() => new,
            () if b.is_nan() => old,
            () if has(set!["MIN"]) => {
                if less {
                    new
                } else {
                    old
                }
            }
            () if has(set!["MAX"]) => {
                if less {
                    old
                } else {
                    new
                }
            }
            () => return Err(Halt::unknown("it has no operation on floats")),
        })
    }
}

/// An atomic operation on the elements of values of up to 128 bits.
pub(super) fn elementwise(
    step: &ListedStep,
    format: NumberFormat,
    old: &[Bits; 4],
    new: &[Bits; 4],
) -> Result<[Bits; 4], Halt> {
    let apply = |old: Bits, new: Bits| match old.known(format.bits()).zip(new.known(format.bits())) {
        Some((old, new)) => format.apply(step, old, new).map(Bits::from),
        None => Ok(Bits::UNDEFINED),
    };
    let mut result = [Bits::ZERO; 4];
    match format {
        NumberFormat::F64 => {
            let whole = apply(old[0].joined(32, old[1]), new[0].joined(32, new[1]))?;
            (result[0], result[1]) = (whole.zero_extended(32), whole.shifted_right(32));
        }
        NumberFormat::F32 => {
            for (result, (old, new)) in result.iter_mut().zip(old.iter().zip(new)) {
                *result = apply(*old, *new)?.zero_extended(32);
            }
        }
        NumberFormat::F16 | NumberFormat::Bf16 => {
            for (result, (old, new)) in result.iter_mut().zip(old.iter().zip(new)) {
                let high = apply(old.shifted_right(16), new.shifted_right(16))?;
                *result = apply(*old, *new)?.joined(16, high.zero_extended(16));
            }
        }
    }
    Ok(result)
}
