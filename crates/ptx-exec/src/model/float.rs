//! Floating-point numbers, stored in the low bits of an integer. PTX ISA `floating-point-instructions`.

use super::integer::Operation;
use super::{ExpectedBits, Undefined, Unmodelled};

/// A format: the bits of its exponent and of its mantissa.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FloatFormat {
    exponent: u32,
    mantissa: u32,
}

impl FloatFormat {
    /// The format of a type or of its elements; none if it has no floats.
    pub(super) fn of(name: &str) -> Option<Self> {
        let (exponent, mantissa) = match name {
            ".f16" | ".f16x2" => (5, 10),
            ".bf16" | ".bf16x2" => (8, 7),
            ".f32" => (8, 23),
            ".f64" => (11, 52),
            _ => return None,
        };
        Some(Self { exponent, mantissa })
    }

    /// The size in bits.
    pub(super) fn bits(self) -> u32 {
        1 + self.exponent + self.mantissa
    }

    fn infinity(self) -> u128 {
        ((1 << self.exponent) - 1) << self.mantissa
    }

    fn sign(self) -> u128 {
        1 << (self.exponent + self.mantissa)
    }

    /// Whether a number is subnormal, and not zero.
    pub(super) fn is_subnormal(self, bits: u128) -> bool {
        bits & self.infinity() == 0 && bits & !self.sign() != 0
    }

    /// The number, flushed to a zero with its sign if it is subnormal.
    pub(super) fn flushed(self, bits: u128) -> u128 {
        if self.is_subnormal(bits) { bits & self.sign() } else { bits }
    }

    /// The value, which is exact.
    #[expect(clippy::cast_precision_loss, reason = "mantissas have at most 53 bits")]
    fn value(self, bits: u128) -> f64 {
        let magnitude = bits & !self.sign();
        let signed = |value: f64| if bits & self.sign() == 0 { value } else { -value };
        if magnitude > self.infinity() {
            return f64::NAN;
        }
        if magnitude == self.infinity() {
            return signed(f64::INFINITY);
        }
        if self.mantissa == 52 {
            return f64::from_bits(u64::try_from(bits).unwrap_or_default());
        }
        let exponent = i32::try_from(magnitude >> self.mantissa).unwrap_or_default();
        let fraction = magnitude & ((1 << self.mantissa) - 1);
        let whole = if exponent == 0 { fraction } else { fraction | 1 << self.mantissa };
        let bias = (1 << (self.exponent - 1)) - 1;
        signed(whole as f64 * f64::from(2.0_f32).powi(exponent.max(1) - bias - self.mantissa.cast_signed()))
    }

    /// The nearest number of the format, ties to even. A sum that was rounded to 53 bits before gives the
    /// same result as an exact one, because the format has fewer than half as many bits.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "scaled mantissas fit")]
    fn rounded(self, value: f64) -> u128 {
        if self.mantissa == 52 {
            return value.to_bits().into();
        }
        let sign = if value.is_sign_negative() { self.sign() } else { 0 };
        let magnitude = value.abs();
        if magnitude.is_infinite() {
            return sign | self.infinity();
        }
        let bias = (1 << (self.exponent - 1)) - 1;
        let exponent = i32::try_from(magnitude.to_bits() >> 52).unwrap_or_default() - 1023;
        let exponent = exponent.max(1 - bias);
        let scaled = magnitude * 2.0_f64.powi(self.mantissa.cast_signed() - exponent);
        let whole = scaled.round_ties_even() as u128;
        let above = u128::try_from(exponent + bias - 1).unwrap_or_default() << self.mantissa;
        sign | (whole + above).min(self.infinity())
    }

    /// The result of an operation on two numbers, and why some of its bits are undefined, if any are.
    pub(super) fn apply(
        self,
        operation: Operation,
        old: u128,
        new: u128,
    ) -> Result<(ExpectedBits, Option<Undefined>), Unmodelled> {
        let (a, b) = (self.value(old), self.value(new));
        let exact = |bits: u128| (ExpectedBits { bits, known: u128::MAX }, None);
        let nan = || {
            // Its exponent is that of a NaN; sign and payload may be any.
            let bits = ExpectedBits { bits: self.infinity() | 1 << (self.mantissa - 1), known: self.infinity() };
            (bits, Some(Undefined::NanPayload))
        };
        Ok(match operation {
            Operation::Add if (a + b).is_nan() => nan(),
            Operation::Add => exact(self.rounded(a + b)),
            Operation::Min | Operation::Max if a.is_nan() || b.is_nan() => {
                (ExpectedBits { bits: new, known: 0 }, Some(Undefined::NanOperand))
            }
            Operation::Min | Operation::Max => {
                // The order of two zeros with different signs is undefined.
                let less = b < a || (a == b && new & self.sign() != 0);
                let chosen = if less == (operation == Operation::Min) { new } else { old };
                let zeros = a == b && old != new;
                let known = if zeros { !self.sign() } else { u128::MAX };
                (ExpectedBits { bits: chosen, known }, zeros.then_some(Undefined::SignOfZero))
            }
            other => return Err(Unmodelled(format!("{other:?} is not an operation on floats"))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(of: &str, a: u128, b: u128) -> u128 {
        FloatFormat::of(of).expect("a format").apply(Operation::Add, a, b).expect("a sum").0.bits
    }

    #[test]
    fn only_the_order_of_different_zeros_is_undefined() {
        let format = FloatFormat::of(".bf16").expect("a format");
        let known = |old, new| format.apply(Operation::Max, old, new).expect("a maximum");
        assert_eq!(known(0x3f80, 0x3f80), (ExpectedBits { bits: 0x3f80, known: u128::MAX }, None));
        assert_eq!(known(0x8000, 0x8000), (ExpectedBits { bits: 0x8000, known: u128::MAX }, None));
        assert_eq!(known(0, 0x8000).1, Some(Undefined::SignOfZero));
        assert_eq!(known(0, 0x8000).0.known & 0x8000, 0);
    }

    #[test]
    fn sums_round_to_nearest_even() {
        for (of, a, b, expected) in [
            (".f16", 0x3c00, 0x3c00, 0x4000),
            // 1 + 2^-11 is halfway between 1 and its successor, and 1 is even. For the next pair, 1 + 2^-9 is even.
            (".f16", 0x3c00, 0x1000, 0x3c00),
            (".f16", 0x3c01, 0x1000, 0x3c02),
            // The largest number plus half of its last place is infinite; a bit less is not.
            (".f16", 0x7bff, 0x4c00, 0x7c00),
            (".f16", 0x7bff, 0x4bff, 0x7bff),
            // Subnormal results are kept.
            (".f16", 0x0001, 0x0001, 0x0002),
            (".f16", 0x03ff, 0x0001, 0x0400),
            (".f16", 0x8000, 0x8000, 0x8000),
            (".f16", 0x8000, 0x0000, 0x0000),
            (".bf16", 0x3f80, 0x3f80, 0x4000),
            (".bf16", 0x3f80, 0x3b80, 0x3f80),
            (".bf16", 0x3f81, 0x3b80, 0x3f82),
            (".bf16", 0x0001, 0x0001, 0x0002),
            (".f32", 0x3f80_0000, 0x3380_0000, 0x3f80_0000),
            (".f32", 0x3f80_0001, 0x3380_0000, 0x3f80_0002),
            (".f32", 0x0000_0001, 0x0000_0001, 0x0000_0002),
            (".f64", 0x3ff0_0000_0000_0000, 0x3ff0_0000_0000_0000, 0x4000_0000_0000_0000),
        ] {
            assert_eq!(sum(of, a, b), expected, "{of} {a:x} {b:x}");
        }
    }

    #[test]
    fn sums_of_32_bits_are_those_of_the_host() {
        let mut seed = 1_u64;
        for _ in 0..20_000 {
            let mut next = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                u32::try_from(seed >> 32).unwrap_or_default()
            };
            let (a, b) = (next(), next());
            let host = f32::from_bits(a) + f32::from_bits(b);
            if !host.is_nan() {
                assert_eq!(sum(".f32", a.into(), b.into()), u128::from(host.to_bits()), "{a:x} {b:x}");
            }
        }
    }
}
