//! Formats of floats, and atomic operations on them: sums, minima and maxima, rounded to nearest even.

use half::{bf16, f16};

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
}

/// An atomic operation on floats: each element of a value for itself.
#[derive(Clone, Copy)]
pub(super) struct AtomicOnFloats {
    kind: ElementOperation,
    format: NumberFormat,
    /// True if a subnormal number is a zero, before and after.
    flushes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ElementOperation {
    Add,
    Minimum,
    Maximum,
}

impl AtomicOnFloats {
    /// The operation with a name and a type, and how many words it is on; none if it is not on floats.
    pub(super) fn of(name: &str, rest: &[&str]) -> Option<(Self, u8)> {
        let (format, words) = match *rest.first()? {
            "F16x2" => (NumberFormat::F16, 1),
            "F16x4" => (NumberFormat::F16, 2),
            "F16x8" => (NumberFormat::F16, 4),
            "BF16x2" => (NumberFormat::Bf16, 1),
            "BF16x4" => (NumberFormat::Bf16, 2),
            "BF16x8" => (NumberFormat::Bf16, 4),
            "F32" => (NumberFormat::F32, 1),
            "F32x2" => (NumberFormat::F32, 2),
            "F32x4" => (NumberFormat::F32, 4),
            "F64" => (NumberFormat::F64, 2),
            _ => return None,
        };
        let flushes = match rest[1..] {
            [] => false,
            ["FTZ"] => true,
            _ => return None,
        };
        let kind = match name {
            "ADD" => ElementOperation::Add,
            "MIN" => ElementOperation::Minimum,
            "MAX" => ElementOperation::Maximum,
            _ => return None,
        };
        Some((Self { kind, format, flushes }, words))
    }

    /// The result for two numbers.
    fn apply(self, old: u64, new: u64) -> u64 {
        let flush = |bits: u64| if self.flushes { self.format.flushed(bits) } else { bits };
        let (old, new) = (flush(old), flush(new));
        let (a, b) = (self.format.value(old), self.format.value(new));
        // Minus zero is less than zero.
        let less = b < a || a == b && b.is_sign_negative();
        match self.kind {
            ElementOperation::Add => flush(self.format.rounded(a + b)),
            _ if a.is_nan() => new,
            _ if b.is_nan() => old,
            kind => {
                if (kind == ElementOperation::Minimum) == less {
                    new
                } else {
                    old
                }
            }
        }
    }
}

/// An atomic operation on the elements of values of up to 128 bits.
pub(super) fn elementwise(operation: AtomicOnFloats, old: &[Bits; 4], new: &[Bits; 4]) -> [Bits; 4] {
    let bits = operation.format.bits();
    let apply = |old: Bits, new: Bits| match old.known(bits).zip(new.known(bits)) {
        Some((old, new)) => Bits::from(operation.apply(old, new)),
        None => Bits::UNDEFINED,
    };
    let mut result = [Bits::ZERO; 4];
    match operation.format {
        NumberFormat::F64 => {
            let whole = apply(old[0].joined(32, old[1]), new[0].joined(32, new[1]));
            (result[0], result[1]) = (whole.zero_extended(32), whole.shifted_right(32));
        }
        NumberFormat::F32 => {
            for (result, (old, new)) in result.iter_mut().zip(old.iter().zip(new)) {
                *result = apply(*old, *new).zero_extended(32);
            }
        }
        NumberFormat::F16 | NumberFormat::Bf16 => {
            for (result, (old, new)) in result.iter_mut().zip(old.iter().zip(new)) {
                let high = apply(old.shifted_right(16), new.shifted_right(16));
                *result = apply(*old, *new).joined(16, high.zero_extended(16));
            }
        }
    }
    result
}
