//! Formats of floating-point numbers, stored in the low bits of an integer. PTX ISA `floating-point-instructions`.

use super::integer::low;

/// A format: the bits of its exponent and of its mantissa, under a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatFormat {
    exponent: u32,
    mantissa: u32,
}

impl FloatFormat {
    pub const F16: Self = Self { exponent: 5, mantissa: 10 };
    pub const BF16: Self = Self { exponent: 8, mantissa: 7 };
    pub const F32: Self = Self { exponent: 8, mantissa: 23 };
    pub const F64: Self = Self { exponent: 11, mantissa: 52 };

    /// The format of a type or of its elements; none if it has no floats.
    #[inline]
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            ".f16" | ".f16x2" => Self::F16,
            ".bf16" | ".bf16x2" => Self::BF16,
            ".f32" => Self::F32,
            ".f64" => Self::F64,
            _ => return None,
        })
    }

    /// The size in bits.
    #[inline]
    pub fn bits(self) -> u32 {
        1 + self.exponent + self.mantissa
    }

    /// The bits of plus infinity, which are those of the exponent.
    #[inline]
    pub fn infinity(self) -> u128 {
        ((1 << self.exponent) - 1) << self.mantissa
    }

    /// The bit of the sign.
    #[inline]
    pub fn sign(self) -> u128 {
        1 << (self.exponent + self.mantissa)
    }

    /// A NaN that does not signal: the highest bit of its fraction says so.
    pub fn quiet_nan(self) -> u128 {
        self.infinity() | 1 << (self.mantissa - 1)
    }

    /// True if the low bits of a number are a NaN: an infinity has the same exponent, but no fraction.
    #[inline]
    pub fn is_nan(self, bits: u128) -> bool {
        bits & (self.sign() - 1) > self.infinity()
    }

    /// True if a number is subnormal, and not zero.
    #[inline]
    fn is_subnormal(self, bits: u128) -> bool {
        bits & self.infinity() == 0 && bits & !self.sign() != 0
    }

    /// The number, flushed to a zero with its sign if it is subnormal.
    #[inline]
    pub fn flushed(self, bits: u128) -> u128 {
        if self.is_subnormal(bits) { bits & self.sign() } else { bits }
    }

    /// The value, which is exact.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "mantissas have at most 53 bits, exponents at most 11, and numbers of 52 + 12 bits are doubles"
    )]
    #[inline]
    pub fn value(self, bits: u128) -> f64 {
        if self == Self::F64 {
            return f64::from_bits(bits as u64);
        }
        let magnitude = bits & (self.sign() - 1);
        let signed = |value: f64| if bits & self.sign() == 0 { value } else { -value };
        if self.is_nan(bits) {
            return f64::NAN;
        }
        if magnitude == self.infinity() {
            return signed(f64::INFINITY);
        }
        let exponent = (magnitude >> self.mantissa) as i32;
        let fraction = low(magnitude, self.mantissa);
        let whole = if exponent == 0 { fraction } else { fraction | 1 << self.mantissa };
        signed(whole as f64 * 2.0_f64.powi(exponent.max(1) - self.bias() - self.mantissa.cast_signed()))
    }

    /// The nearest number of the format, ties to even; the value is not a NaN. A sum that was rounded to 53 bits before
    /// gives the same result as an exact one, because other formats have fewer than half as many bits.
    #[inline]
    pub fn rounded(self, value: f64) -> u128 {
        // A number that is too large becomes infinite.
        self.number(value, f64::round_ties_even, self.infinity())
    }

    /// The next number of the format toward zero, so that a finite one stays finite; the value is not a NaN.
    #[inline]
    pub fn truncated(self, value: f64) -> u128 {
        self.number(value, f64::trunc, self.infinity() - 1)
    }

    /// The number of the format whose mantissa this function rounds; the magnitude of a finite one is at most `most`.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "scaled mantissas fit")]
    #[inline]
    fn number(self, value: f64, round: impl Fn(f64) -> f64, most: u128) -> u128 {
        if self == Self::F64 {
            return value.to_bits().into();
        }
        let sign = if value.is_sign_negative() { self.sign() } else { 0 };
        let magnitude = value.abs();
        if magnitude.is_infinite() {
            return sign | self.infinity();
        }
        let exponent = (magnitude.to_bits() >> 52) as i32 - 1023;
        // Numbers below the smallest normal one share its exponent, so none of the shifts below is negative.
        let exponent = exponent.max(1 - self.bias());
        let scaled = magnitude * 2.0_f64.powi(self.mantissa.cast_signed() - exponent);
        let above = ((exponent + self.bias() - 1) as u128) << self.mantissa;
        // A carry out of the mantissa moves into the exponent.
        sign | (round(scaled) as u128 + above).min(most)
    }

    #[inline]
    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [FloatFormat; 4] = [FloatFormat::F16, FloatFormat::BF16, FloatFormat::F32, FloatFormat::F64];

    #[test]
    fn a_rounded_value_is_the_number_that_had_it() {
        for format in ALL {
            for step in 0..4096_u128 {
                let bits = low(step * 0x9e37_79b9_7f4a_7c15, format.bits());
                if !format.is_nan(bits) {
                    assert_eq!(format.rounded(format.value(bits)), bits, "{format:?} {bits:x}");
                }
            }
        }
    }

    #[test]
    fn an_infinity_is_not_a_nan() {
        for format in ALL {
            assert!(format.is_nan(format.quiet_nan()) && format.value(format.quiet_nan()).is_nan());
            assert!(format.is_nan(format.infinity() | format.sign() | 1));
            assert!(!format.is_nan(format.infinity()) && !format.is_nan(format.infinity() | format.sign()));
            assert!(!format.is_nan(format.infinity() - 1));
        }
    }
}
