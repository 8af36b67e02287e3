//! Formats of floats: how their bits are a value, and which bits a value is nearest to.

use super::MachineRounding;
use super::dyadic::{Dyadic, MachineReal};

/// The meaning of the highest exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TopExponent {
    /// Infinity and NaNs.
    Special,
    /// Numbers, but for the highest one, which is NaN.
    OneNan,
    /// Numbers.
    Numbers,
}

/// A format of floats: a sign, an exponent, a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FloatLayout {
    exponent: u32,
    fraction: u32,
    bias: i32,
    top: TopExponent,
}

impl FloatLayout {
    pub(crate) const F16: Self = Self::new(5, 10, TopExponent::Special);
    pub(crate) const BF16: Self = Self::new(8, 7, TopExponent::Special);
    /// Without the 13 bits below it in a register.
    pub(crate) const TF32: Self = Self::new(8, 10, TopExponent::Special);
    pub(crate) const F32: Self = Self::new(8, 23, TopExponent::Special);
    pub(crate) const F64: Self = Self::new(11, 52, TopExponent::Special);
    pub(crate) const E5M2: Self = Self::new(5, 2, TopExponent::Special);
    pub(crate) const E4M3: Self = Self::new(4, 3, TopExponent::OneNan);
    pub(crate) const E3M2: Self = Self::new(3, 2, TopExponent::Numbers);
    pub(crate) const E2M3: Self = Self::new(2, 3, TopExponent::Numbers);
    pub(crate) const E2M1: Self = Self::new(2, 1, TopExponent::Numbers);

    const fn new(exponent: u32, fraction: u32, top: TopExponent) -> Self {
        Self { exponent, fraction, bias: (1 << (exponent - 1)) - 1, top }
    }

    /// How many bits it has.
    pub(crate) const fn bits(self) -> u32 {
        1 + self.exponent + self.fraction
    }

    fn sign(self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    fn fraction_mask(self) -> u64 {
        (1 << self.fraction) - 1
    }

    /// The exponent of the lowest bit of the least normal number.
    fn lowest(self) -> i32 {
        1 - self.bias - self.fraction.cast_signed()
    }

    /// The bits of the least magnitude that is no number: infinity, or one more than the greatest number.
    fn limit(self) -> u64 {
        match self.top {
            TopExponent::Special => self.sign() - (1 << self.fraction),
            TopExponent::OneNan => self.sign() - 1,
            TopExponent::Numbers => self.sign(),
        }
    }

    /// The bits of the NaN that results of operations are: all ones but for the sign; doubles have another one. Without a NaN, the
    /// greatest number.
    pub(crate) fn nan(self) -> u64 {
        if self == Self::F64 { 0xfff8_0000_0000_0000 } else { self.sign() - 1 }
    }

    /// The bits of 1.
    pub(crate) fn one(self) -> u64 {
        u64::from(self.bias.unsigned_abs()) << self.fraction
    }

    /// The bits, or a zero of their sign if they are subnormal.
    pub(crate) fn flushed(self, bits: u64) -> u64 {
        let exponent = self.sign() - (1 << self.fraction);
        if bits & exponent == 0 { bits & self.sign() } else { bits }
    }

    /// True if a value, not zero, is less than the least normal number once it is rounded to as many digits as a normal one.
    pub(crate) fn is_tiny(self, value: MachineReal, rounding: MachineRounding) -> bool {
        let MachineReal::Finite(value) = value else { return false };
        let Some(top) = value.significand.checked_ilog2() else { return false };
        let lowest = value.exponent + top.cast_signed() - self.fraction.cast_signed();
        let carries = value.multiple_of(lowest, rounding) >> (self.fraction + 1) != 0;
        lowest + i32::from(carries) < self.lowest()
    }

    /// The value of the low bits.
    pub(crate) fn decode(self, bits: u64) -> MachineReal {
        let negative = bits & self.sign() != 0;
        let magnitude = bits & (self.sign() - 1);
        let fraction = magnitude & self.fraction_mask();
        if magnitude >= self.limit() {
            return match (self.top, fraction) {
                (TopExponent::Special, 0) => MachineReal::Infinite { negative },
                _ => MachineReal::Nan { negative, payload: fraction << (64 - self.fraction) },
            };
        }
        let (significand, exponent) = match magnitude >> self.fraction {
            0 => (fraction, 0),
            exponent => (fraction | 1 << self.fraction, i32::try_from(exponent).unwrap_or(i32::MAX) - 1),
        };
        let exponent = exponent + self.lowest();
        MachineReal::Finite(Dyadic { negative, significand: significand.into(), exponent })
    }

    /// The bits of a value, rounded once; all NaNs are [`Self::nan`].
    pub(crate) fn encode(self, value: MachineReal, rounding: MachineRounding) -> u64 {
        match value {
            MachineReal::Nan { .. } => self.nan(),
            MachineReal::Infinite { negative } => self.signed(negative, self.beyond(true)),
            MachineReal::Finite(value) => self.signed(value.negative, self.magnitude(value, rounding)),
        }
    }

    /// As [`Self::encode`], but a NaN keeps its sign and the upper bits of its payload, and is a quiet one.
    pub(crate) fn encode_with_payload(self, value: MachineReal, rounding: MachineRounding) -> u64 {
        match value {
            MachineReal::Nan { negative, payload } => {
                let quiet = payload | 1 << 63;
                self.signed(negative, self.limit() | quiet >> (64 - self.fraction))
            }
            value => self.encode(value, rounding),
        }
    }

    /// As [`Self::encode`], but what is too large is the greatest number.
    pub(crate) fn encode_finite(self, value: MachineReal, rounding: MachineRounding) -> u64 {
        match value {
            MachineReal::Nan { .. } => self.nan(),
            MachineReal::Infinite { negative } => self.signed(negative, self.limit() - 1),
            MachineReal::Finite(value) => {
                self.signed(value.negative, self.magnitude(value, rounding).min(self.limit() - 1))
            }
        }
    }

    fn signed(self, negative: bool, magnitude: u64) -> u64 {
        magnitude | if negative { self.sign() } else { 0 }
    }

    /// The bits of a magnitude that is too large.
    fn beyond(self, overflows: bool) -> u64 {
        match (self.top, overflows) {
            (TopExponent::Special | TopExponent::OneNan, true) => self.limit(),
            _ => self.limit() - 1,
        }
    }

    fn magnitude(self, value: Dyadic, rounding: MachineRounding) -> u64 {
        let Some(top) = value.significand.checked_ilog2() else { return 0 };
        let exponent = value.exponent + top.cast_signed();
        let lowest = (exponent - self.fraction.cast_signed()).max(self.lowest());
        let rounded = value.multiple_of(lowest, rounding);
        // The implicit bit adds one to the exponent.
        let steps = u128::from((lowest - self.lowest()).unsigned_abs());
        let bits = (steps << self.fraction) + rounded;
        match u64::try_from(bits) {
            Ok(bits) if bits < self.limit() => bits,
            _ => self.beyond(rounding.overflows(value.negative)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [FloatLayout; 8] = [
        FloatLayout::F16,
        FloatLayout::BF16,
        FloatLayout::TF32,
        FloatLayout::E5M2,
        FloatLayout::E4M3,
        FloatLayout::E3M2,
        FloatLayout::E2M3,
        FloatLayout::E2M1,
    ];

    #[test]
    fn numbers_are_what_they_were_decoded_from() {
        use MachineRounding::{Down, Even, Up, Zero};
        for layout in ALL {
            for bits in 0..1 << layout.bits() {
                let value = layout.decode(bits);
                if !matches!(value, MachineReal::Nan { .. }) {
                    for rounding in [Even, Zero, Down, Up] {
                        assert_eq!(layout.encode(value, rounding), bits, "{layout:?}");
                    }
                }
            }
        }
    }

    /// The host's conversion of f64 to f32 is another implementation of one rounding.
    #[test]
    fn doubles_round_to_singles_as_on_the_host() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..200_000 {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let near = (state >> 2 & !(0x7ff << 52)) | (0x380 - 30 + (state >> 58)) << 52;
            for bits in [state, near] {
                let value = f64::from_bits(bits);
                if !value.is_nan() {
                    #[expect(clippy::cast_possible_truncation, reason = "rounding is wanted")]
                    let expected = u64::from((value as f32).to_bits());
                    assert_eq!(FloatLayout::F32.encode(FloatLayout::F64.decode(bits), MachineRounding::Even), expected);
                }
            }
        }
    }

    #[test]
    fn roundings_differ_where_they_should() {
        use MachineRounding::{Down, Even, Up, Zero};
        let f16 = FloatLayout::F16;
        // 2049 is between 2048 (0x6800) and 2050 (0x6801).
        let of = |negative, rounding| f16.encode(MachineReal::integer(negative, 2049), rounding);
        assert_eq!([Even, Zero, Down, Up].map(|to| of(false, to)), [0x6800, 0x6800, 0x6800, 0x6801]);
        assert_eq!([Even, Zero, Down, Up].map(|to| of(true, to)), [0xe800, 0xe800, 0xe801, 0xe800]);
        let huge = |negative, rounding| f16.encode(MachineReal::integer(negative, 70000), rounding);
        assert_eq!([Even, Zero, Down, Up].map(|to| huge(false, to)), [0x7c00, 0x7bff, 0x7bff, 0x7c00]);
        assert_eq!([Even, Zero, Down, Up].map(|to| huge(true, to)), [0xfc00, 0xfbff, 0xfc00, 0xfbff]);
        assert_eq!(FloatLayout::E4M3.encode_finite(MachineReal::integer(true, 500), Even), 0xfe);
        assert_eq!(FloatLayout::E2M1.encode_finite(MachineReal::Infinite { negative: false }, Even), 7);
    }
}
