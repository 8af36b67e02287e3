//! Values of floats, and their sums and products before rounding.

use std::cmp::Ordering;

use super::MachineRounding;

/// A number: a significand times a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dyadic {
    pub(crate) negative: bool,
    /// Below 2^126; 0 for zero, which has a sign as well. In a sum, the lowest bit stands for everything that is cut off below it.
    pub(crate) significand: u128,
    pub(crate) exponent: i32,
}

/// A value of a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MachineReal {
    Nan {
        negative: bool,
        /// The fraction from the highest bit on: the highest one says that it is quiet.
        payload: u64,
    },
    Infinite {
        negative: bool,
    },
    Finite(Dyadic),
}

impl Dyadic {
    /// The bit that the significands of terms begin with, so that their sum has room.
    const TOP: u32 = 125;

    fn is_zero(self) -> bool {
        self.significand == 0
    }

    /// The same number, with its highest bit at [`Self::TOP`]. It is not zero.
    fn normalized(self) -> Self {
        let shift = (127 - Self::TOP).abs_diff(self.significand.leading_zeros());
        Self { significand: self.significand << shift, exponent: self.exponent - shift.cast_signed(), ..self }
    }

    /// The magnitude as a multiple of two to the power of `lowest`, rounded.
    pub(crate) fn multiple_of(self, lowest: i32, rounding: MachineRounding) -> u128 {
        let shift = lowest - self.exponent;
        if shift <= 0 {
            return self.significand << shift.unsigned_abs();
        }
        // All of a significand below 2^126 is less than half of 2^127.
        let (significand, shift) = match shift {
            ..127 => (self.significand, shift.unsigned_abs()),
            _ => (u128::from(self.significand != 0), 2),
        };
        let (kept, rest) = (significand >> shift, significand & ((1 << shift) - 1));
        let half = 1 << (shift - 1);
        let increments = rounding.increments(self.negative, kept & 1 == 1, rest.cmp(&half), rest == 0);
        kept + u128::from(increments)
    }

    fn sum(self, other: Self, rounding: MachineRounding) -> Self {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => {
                let negative = match self.negative == other.negative {
                    true => self.negative,
                    false => rounding == MachineRounding::Down,
                };
                Self { negative, ..self }
            }
            (true, false) => other,
            (false, true) => self,
            (false, false) => {
                let (a, b) = (self.normalized(), other.normalized());
                if a.exponent >= b.exponent { a.plus_smaller(b, rounding) } else { b.plus_smaller(a, rounding) }
            }
        }
    }

    /// The sum with a number whose exponent is not greater; both are normalized. A term has at most 106 bits, so bits are cut
    /// off only far below the highest one, where one bit says of them that they were there.
    fn plus_smaller(self, other: Self, rounding: MachineRounding) -> Self {
        let shift = self.exponent.abs_diff(other.exponent);
        let small = match shift {
            ..127 => {
                let kept = other.significand >> shift;
                kept | u128::from(kept << shift != other.significand)
            }
            _ => 1,
        };
        if self.negative == other.negative {
            // One bit more: the lowest one is kept.
            let sum = self.significand + small;
            return Self { significand: sum >> 1 | sum & 1, exponent: self.exponent + 1, ..self };
        }
        let significand = self.significand.abs_diff(small);
        let negative = match self.significand.cmp(&small) {
            Ordering::Less => other.negative,
            Ordering::Greater => self.negative,
            Ordering::Equal => rounding == MachineRounding::Down,
        };
        Self { negative, significand, exponent: self.exponent }
    }

    fn order(self, other: Self) -> Ordering {
        let side = |of: Self| match (of.is_zero(), of.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let by_side = side(self).cmp(&side(other));
        if by_side != Ordering::Equal || self.is_zero() {
            return by_side;
        }
        let (a, b) = (self.normalized(), other.normalized());
        let magnitudes = a.exponent.cmp(&b.exponent).then(a.significand.cmp(&b.significand));
        if self.negative { magnitudes.reverse() } else { magnitudes }
    }
}

impl MachineReal {
    /// The NaN of operations that have no result.
    const INVALID: Self = Self::Nan { negative: true, payload: 1 << 63 };

    /// An integer.
    pub(crate) fn integer(negative: bool, magnitude: u64) -> Self {
        Self::Finite(Dyadic { negative, significand: magnitude.into(), exponent: 0 })
    }

    pub(crate) fn is_nan(self) -> bool {
        matches!(self, Self::Nan { .. })
    }

    pub(crate) fn is_negative(self) -> bool {
        match self {
            Self::Nan { negative, .. } | Self::Infinite { negative } | Self::Finite(Dyadic { negative, .. }) => {
                negative
            }
        }
    }

    /// The value with this sign; a NaN keeps its own.
    pub(crate) fn with_sign(self, negative: bool) -> Self {
        match self {
            Self::Nan { .. } => self,
            Self::Infinite { .. } => Self::Infinite { negative },
            Self::Finite(value) => Self::Finite(Dyadic { negative, ..value }),
        }
    }

    /// The first NaN of these, if there is one.
    fn first_nan<const N: usize>(of: [Self; N]) -> Option<Self> {
        of.into_iter().find(|one| one.is_nan())
    }

    /// The sum before rounding. Of two NaNs it is the second one.
    pub(crate) fn plus(self, other: Self, rounding: MachineRounding) -> Self {
        if let Some(nan) = Self::first_nan([other, self]) {
            return nan;
        }
        match (self, other) {
            (Self::Infinite { negative: a }, Self::Infinite { negative: b }) if a != b => Self::INVALID,
            (Self::Finite(a), Self::Finite(b)) => Self::Finite(a.sum(b, rounding)),
            (Self::Infinite { .. }, _) => self,
            _ => other,
        }
    }

    /// The product before rounding, of numbers of at most 53 bits. Of two NaNs it is the second one.
    pub(crate) fn times(self, other: Self) -> Self {
        if let Some(nan) = Self::first_nan([other, self]) {
            return nan;
        }
        let negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Self::Finite(a), Self::Finite(b)) => Self::Finite(Dyadic {
                negative,
                significand: a.significand * b.significand,
                exponent: a.exponent + b.exponent,
            }),
            (Self::Finite(zero), _) | (_, Self::Finite(zero)) if zero.is_zero() => Self::INVALID,
            _ => Self::Infinite { negative },
        }
    }

    /// The product of two numbers plus a third, before rounding. Of several NaNs it is the second one, or else the third one.
    pub(crate) fn times_plus(self, factor: Self, addend: Self, rounding: MachineRounding) -> Self {
        match Self::first_nan([factor, addend, self]) {
            Some(nan) => nan,
            None => self.times(factor).plus(addend, rounding),
        }
    }

    /// The order of two values; none if one is a NaN.
    pub(crate) fn order(self, other: Self) -> Option<Ordering> {
        let side = |of: Self| match of {
            Self::Infinite { negative: true } => -1,
            Self::Infinite { negative: false } => 1,
            _ => 0,
        };
        match (self, other) {
            (Self::Nan { .. }, _) | (_, Self::Nan { .. }) => None,
            (Self::Finite(a), Self::Finite(b)) => Some(a.order(b)),
            _ => Some(side(self).cmp(&side(other))),
        }
    }

    /// The integer that it is rounded to; its sign stays, that of zero as well.
    pub(crate) fn integral(self, rounding: MachineRounding) -> Self {
        match self {
            Self::Finite(value) if value.exponent < 0 => {
                let significand = value.multiple_of(0, rounding);
                Self::Finite(Dyadic { significand, exponent: 0, ..value })
            }
            integral => integral,
        }
    }

    /// The nearest number in a range to an integer; none for a NaN.
    pub(crate) fn clamped(self, least: i128, greatest: i128) -> Option<i128> {
        let magnitude = match self {
            Self::Nan { .. } => return None,
            Self::Infinite { .. } => i128::MAX,
            Self::Finite(value) => match value.significand.checked_ilog2() {
                None => 0,
                Some(top) if value.exponent + top.cast_signed() > 100 => i128::MAX,
                Some(_) => i128::try_from(value.multiple_of(0, MachineRounding::Zero)).unwrap_or(i128::MAX),
            },
        };
        let number = if self.is_negative() { -magnitude } else { magnitude };
        Some(number.clamp(least, greatest))
    }
}

#[cfg(test)]
mod tests {
    use super::super::FloatLayout;
    use super::*;

    /// The host adds and multiplies, and computes fused products in hardware or exactly in software.
    #[test]
    fn doubles_are_computed_as_on_the_host() {
        let layout = FloatLayout::F64;
        let mut state = 0x1234_5678_9abc_def1_u64;
        let mut next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let mixed = state ^ state >> 29;
            // Most exponents are near each other, so that sums have digits in common; some are those of the least numbers.
            let base = if mixed & 0x300 == 0 { 0 } else { 1023 - 60 };
            let exponent = base + (mixed & 127);
            mixed & !(0x7ff << 52) & if mixed & 0xc00 == 0 { 0xffff_f000_0000_0000 | 1 << 63 } else { u64::MAX }
                | exponent << 52
        };
        for _ in 0..300_000 {
            let [a, b, c] = [next(), next(), next()];
            let host =
                |f: fn(f64, f64, f64) -> f64| f(f64::from_bits(a), f64::from_bits(b), f64::from_bits(c)).to_bits();
            let [x, y, z] = [a, b, c].map(|bits| layout.decode(bits));
            let even = MachineRounding::Even;
            let own = |value: MachineReal| layout.encode(value, even);
            assert_eq!(own(x.plus(y, even)), host(|a, b, _| a + b), "{a:x} + {b:x}");
            assert_eq!(own(x.times(y)), host(|a, b, _| a * b), "{a:x} * {b:x}");
            assert_eq!(own(x.times_plus(y, z, even)), host(f64::mul_add), "{a:x} * {b:x} + {c:x}");
            assert_eq!(x.order(y), f64::from_bits(a).partial_cmp(&f64::from_bits(b)));
        }
    }

    #[test]
    fn an_exact_zero_is_negative_only_downwards() {
        let one = MachineReal::integer(false, 1);
        let zero = |rounding| one.plus(one.with_sign(true), rounding).is_negative();
        use MachineRounding::{Down, Even, Up, Zero};
        assert_eq!([Even, Zero, Up, Down].map(zero), [false, false, false, true]);
        let minus = MachineReal::integer(true, 0);
        assert!(minus.plus(minus, Even).is_negative());
    }

    #[test]
    fn integers_are_rounded_and_clamped() {
        let half = |count| MachineReal::Finite(Dyadic { negative: true, significand: count, exponent: -1 });
        use MachineRounding::{Down, Even, Up, Zero};
        let of = |count: u128| [Even, Zero, Down, Up].map(|to| half(count).integral(to).clamped(-100, 100));
        assert_eq!(of(5), [Some(-2), Some(-2), Some(-3), Some(-2)]);
        assert_eq!(of(3), [Some(-2), Some(-1), Some(-2), Some(-1)]);
        assert_eq!(of(1000), [Some(-100); 4]);
        assert_eq!(MachineReal::Infinite { negative: false }.clamped(0, 7), Some(7));
        assert_eq!(MachineReal::INVALID.clamped(0, 7), None);
    }
}
