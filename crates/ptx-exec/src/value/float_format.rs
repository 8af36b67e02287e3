//! Formats of floating-point numbers, stored in the low bits of an integer. PTX ISA `floating-point-instructions`,
//! `alternate-floating-point-data-formats`.

use super::float_value::{ExactNumber, FloatValue};
use super::integer::low;
use super::rounding_mode::RoundingMode;

/// A format: the bits of its exponent and of its mantissa, under a sign if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatFormat {
    exponent: u32,
    mantissa: u32,
    signed: bool,
    specials: SpecialEncodings,
    /// Zeros below the mantissa.
    padding: u32,
}

/// The magnitudes that are no numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SpecialEncodings {
    /// The largest exponent is that of an infinity and of NaNs.
    Infinity,
    /// All ones are a NaN.
    OneNan,
    /// No magnitude is.
    Nothing,
}

use SpecialEncodings::{Infinity, Nothing, OneNan};

/// A row of the table of formats.
const fn format(exponent: u32, mantissa: u32, signed: bool, specials: SpecialEncodings, padding: u32) -> FloatFormat {
    FloatFormat { exponent, mantissa, signed, specials, padding }
}

#[rustfmt::skip]
impl FloatFormat {
    /// `.f16`.
    pub const F16: Self = format(5, 10, true, Infinity, 0);
    /// `.bf16`.
    pub const BF16: Self = format(8, 7, true, Infinity, 0);
    /// `.tf32`: an f32 with fewer digits, in its place.
    pub const TF32: Self = format(8, 10, true, Infinity, 13);
    /// `.f32`.
    pub const F32: Self = format(8, 23, true, Infinity, 0);
    /// `.f64`.
    pub const F64: Self = format(11, 52, true, Infinity, 0);
    /// `.e5m2`.
    pub const E5M2: Self = format(5, 2, true, Infinity, 0);
    /// `.e4m3`: no infinities, and one NaN.
    pub const E4M3: Self = format(4, 3, true, OneNan, 0);
    /// `.e3m2`: only numbers.
    pub const E3M2: Self = format(3, 2, true, Nothing, 0);
    /// `.e2m3`: only numbers.
    pub const E2M3: Self = format(2, 3, true, Nothing, 0);
    /// `.e2m1`: only numbers.
    pub const E2M1: Self = format(2, 1, true, Nothing, 0);
    /// `.ue5m3`: no sign.
    pub const UE5M3: Self = format(5, 3, false, OneNan, 0);
    /// `.ue8m0`: powers of two, of which none is zero or subnormal.
    pub const UE8M0: Self = format(8, 0, false, OneNan, 0);
}

/// Each format under the name of its type.
#[rustfmt::skip]
const NAMES: [(&str, FloatFormat); 12] = [
    (".f16", FloatFormat::F16), (".bf16", FloatFormat::BF16), (".tf32", FloatFormat::TF32), (".f32", FloatFormat::F32),
    (".f64", FloatFormat::F64), (".e5m2", FloatFormat::E5M2), (".e4m3", FloatFormat::E4M3), (".e3m2", FloatFormat::E3M2),
    (".e2m3", FloatFormat::E2M3), (".e2m1", FloatFormat::E2M1), (".ue5m3", FloatFormat::UE5M3), (".ue8m0", FloatFormat::UE8M0),
];

impl FloatFormat {
    /// All formats, with the names of their types.
    pub fn all() -> impl Iterator<Item = (&'static str, Self)> {
        NAMES.into_iter()
    }

    /// The format of a type or of its elements; none if it has no floats.
    #[inline]
    pub fn of(name: &str) -> Option<Self> {
        let element = name.rsplit_once('x').map_or(name, |(element, count)| match count.parse::<u32>() {
            Ok(_) => element,
            Err(_) => name,
        });
        NAMES.iter().find(|(known, _)| *known == element).map(|(_, format)| *format)
    }

    /// The size in bits.
    #[inline]
    pub fn bits(self) -> u32 {
        u32::from(self.signed) + self.exponent + self.mantissa + self.padding
    }

    /// The bits of plus infinity, which are those of the exponent; of a format without one, its largest exponent.
    #[inline]
    pub fn infinity(self) -> u128 {
        ((1 << self.exponent) - 1) << (self.mantissa + self.padding)
    }

    /// The bit of the sign, 0 if there is none.
    #[inline]
    pub fn sign(self) -> u128 {
        u128::from(self.signed) << (self.exponent + self.mantissa + self.padding)
    }

    /// The bits of a magnitude.
    #[inline]
    fn magnitudes(self) -> u128 {
        low(u128::MAX, self.exponent + self.mantissa + self.padding)
    }

    /// The largest finite number.
    #[inline]
    pub fn largest(self) -> u128 {
        match self.specials {
            Infinity => self.infinity() - (1 << self.padding),
            OneNan => self.magnitudes() - 1,
            Nothing => self.magnitudes(),
        }
    }

    /// The number 1.
    pub fn one(self) -> u128 {
        self.bias().cast_unsigned() as u128 * (1 << (self.mantissa + self.padding))
    }

    /// A NaN that does not signal: the highest bit of its fraction says so. Only formats with infinities have several.
    pub fn quiet_nan(self) -> u128 {
        self.infinity() | 1 << (self.mantissa + self.padding - 1)
    }

    /// The bit of a NaN that says that it does not signal.
    pub fn quiet_bit(self) -> u128 {
        self.quiet_nan() & !self.infinity()
    }

    /// True if the low bits of a number are a NaN that signals.
    pub fn is_signalling(self, bits: u128) -> bool {
        self.specials == Infinity && self.is_nan(bits) && bits & self.quiet_bit() == 0
    }

    /// The canonical NaN, whose magnitude is all ones. The format has NaNs.
    pub fn canonical_nan(self) -> u128 {
        self.magnitudes()
    }

    /// True if the format has NaNs.
    pub fn has_nans(self) -> bool {
        self.specials != Nothing
    }

    /// True if the low bits of a number are a NaN: an infinity has the same exponent, but no fraction.
    #[inline]
    pub fn is_nan(self, bits: u128) -> bool {
        let magnitude = bits & self.magnitudes();
        match self.specials {
            Infinity => magnitude > self.infinity(),
            OneNan => magnitude == self.magnitudes(),
            Nothing => false,
        }
    }

    /// True if a number is subnormal, and not zero.
    #[inline]
    pub fn is_subnormal(self, bits: u128) -> bool {
        bits & self.infinity() == 0 && bits & self.magnitudes() != 0
    }

    /// The number, flushed to a zero with its sign if it is subnormal.
    #[inline]
    pub fn flushed(self, bits: u128) -> u128 {
        if self.is_subnormal(bits) { bits & self.sign() } else { bits }
    }

    /// True if a value, rounded as if exponents had no limits, is less than the smallest normal number, and not zero.
    #[inline]
    pub fn is_tiny(self, value: FloatValue, mode: RoundingMode) -> bool {
        let FloatValue::Finite(number) = value else { return false };
        if number.is_zero() || number.magnitude() >= 1 - self.bias() {
            return false;
        }
        let rounded = number.multiple_of(number.magnitude() - self.mantissa.cast_signed(), mode);
        number.magnitude() + i32::from(rounded >> self.mantissa > 1) < 1 - self.bias()
    }

    /// The value of the low bits.
    #[inline]
    pub fn value(self, bits: u128) -> FloatValue {
        let negative = bits & self.sign() != 0;
        let magnitude = (bits & self.magnitudes()) >> self.padding;
        if self.is_nan(bits) {
            return FloatValue::Nan;
        }
        let exponent = (magnitude >> self.mantissa) as i32;
        if self.mantissa == 0 {
            return FloatValue::Finite(ExactNumber::new(false, 1, exponent - self.bias()));
        }
        if self.specials == Infinity && exponent == (1 << self.exponent) - 1 {
            return FloatValue::Infinite { negative };
        }
        let fraction = low(magnitude, self.mantissa);
        let whole = if exponent == 0 { fraction } else { fraction | 1 << self.mantissa };
        FloatValue::Finite(ExactNumber::new(
            negative,
            whole,
            exponent.max(1) - self.bias() - self.mantissa.cast_signed(),
        ))
    }

    /// The number of the format that a value is rounded to: the canonical NaN of a NaN, and an infinity of what is too
    /// large, if the mode says so. A format without infinities has a NaN in their place, or its largest number.
    #[inline]
    pub fn rounded(self, value: FloatValue, mode: RoundingMode) -> u128 {
        let sign = if value.is_negative() { self.sign() } else { 0 };
        let number = match value {
            FloatValue::Nan => return self.canonical_nan(),
            FloatValue::Infinite { .. } => return sign | self.beyond(),
            FloatValue::Finite(number) => number,
        };
        if number.is_zero() {
            return sign;
        }
        let smallest = 1 - self.bias();
        let exponent = number.magnitude().max(smallest);
        let most = self.largest() >> self.padding;
        if exponent > self.bias() + 1 {
            return sign | if mode.overflows(number.negative) { self.beyond() } else { self.largest() };
        }
        let multiple = number.multiple_of(exponent - self.mantissa.cast_signed(), mode);
        // A carry out of the mantissa moves into the exponent.
        let magnitude = multiple + (((exponent - smallest) as u128) << self.mantissa);
        sign | match magnitude > most {
            true if mode.overflows(number.negative) => self.beyond(),
            true => self.largest(),
            false => magnitude << self.padding,
        }
    }

    /// The magnitude in the place of an infinity.
    fn beyond(self) -> u128 {
        match self.specials {
            Infinity => self.infinity(),
            OneNan => self.canonical_nan(),
            Nothing => self.largest(),
        }
    }

    /// The power of two at or below a magnitude, or at or above it, as the exponent that is a number of this format: at least
    /// the smallest, at most the largest.
    pub fn power(self, value: FloatValue, above: bool) -> u128 {
        match value {
            FloatValue::Nan => self.canonical_nan(),
            FloatValue::Infinite { .. } => self.largest(),
            FloatValue::Finite(number) if number.is_zero() => 0,
            FloatValue::Finite(number) => {
                let exponent = number.magnitude();
                let away = if number.negative { RoundingMode::Down } else { RoundingMode::Up };
                let more = above && number.multiple_of(exponent, away) > 1;
                let field = exponent + i32::from(more) + self.bias();
                (field.max(0) as u128).min(self.largest())
            }
        }
    }

    #[inline]
    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rounded_value_is_the_number_that_had_it() {
        for (name, format) in FloatFormat::all().filter(|(_, format)| *format != FloatFormat::UE8M0) {
            for step in 0..4096_u128 {
                let bits = low(step * 0x9e37_79b9_7f4a_7c15, format.bits()) >> format.padding << format.padding;
                if !format.is_nan(bits) {
                    assert_eq!(format.rounded(format.value(bits), RoundingMode::NearestEven), bits, "{name} {bits:x}");
                }
            }
        }
    }

    #[test]
    fn an_infinity_is_not_a_nan() {
        for (name, format) in FloatFormat::all().filter(|(_, format)| format.specials == Infinity) {
            assert!(format.is_nan(format.quiet_nan()) && format.value(format.quiet_nan()).is_nan(), "{name}");
            assert!(format.is_nan(format.infinity() | format.sign() | 1));
            assert!(!format.is_nan(format.infinity()) && !format.is_nan(format.infinity() | format.sign()));
            assert!(!format.is_nan(format.infinity() - 1));
        }
    }

    #[test]
    fn the_largest_numbers_are_those_of_their_definitions() {
        for (format, significand, exponent) in [
            (FloatFormat::F16, 0x7ff, 5),
            (FloatFormat::BF16, 0xff, 120),
            (FloatFormat::E5M2, 7, 13),
            (FloatFormat::E4M3, 7, 6),
            (FloatFormat::E3M2, 7, 2),
            (FloatFormat::E2M3, 15, -1),
            (FloatFormat::E2M1, 3, 1),
        ] {
            let largest = FloatValue::Finite(ExactNumber::new(false, significand, exponent));
            assert_eq!(format.value(format.largest()).order(largest), Some(std::cmp::Ordering::Equal), "{format:?}");
            assert_eq!(format.value(format.one()).order(FloatValue::integer(1)), Some(std::cmp::Ordering::Equal));
        }
    }
}
