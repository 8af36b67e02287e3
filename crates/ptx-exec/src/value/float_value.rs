//! Numbers of any format and what is computed of them, without rounding. PTX ISA `floating-point-instructions`.
//!
//! A sum, a product and a fused multiply-add of up to 53 bits each, a quotient and a square root are held in 128 bits, with
//! a mark if there is more. Whoever wants a number of a format rounds once: [`FloatFormat::rounded`](super::FloatFormat).

use std::cmp::Ordering;

use super::rounding_mode::{CutOff, RoundingMode};

/// A number, an infinity, or a NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatValue {
    /// Any NaN. What bits it has does not matter to arithmetic.
    Nan,
    /// An infinity.
    Infinite {
        /// True if it is the negative one.
        negative: bool,
    },
    /// A number, zeros with their signs among them.
    Finite(ExactNumber),
}

/// A finite number: a sign and a magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactNumber {
    /// True if it is less than zero, or minus zero.
    pub negative: bool,
    /// The magnitude is this number times two to the power of `exponent`.
    significand: u128,
    exponent: i32,
    /// True if the magnitude is more than that, by less than one in the last place.
    inexact: bool,
}

/// The position of the highest bit of numbers that are added: their sum has one more.
const TOP: u32 = 125;

impl ExactNumber {
    /// A number with this magnitude: `significand * 2^exponent`.
    #[inline]
    pub fn new(negative: bool, significand: u128, exponent: i32) -> Self {
        Self { negative, significand, exponent, inexact: false }
    }

    /// The middle between it and the number whose significand is one more.
    pub fn tie_above(&self) -> Self {
        Self::new(self.negative, 2 * self.significand + 1, self.exponent - 1)
    }

    /// True if it is zero, of either sign.
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.significand == 0
    }

    /// It, rounded to an integer.
    #[must_use]
    pub fn rounded_to_integer(&self, mode: RoundingMode) -> Self {
        match self.exponent >= 0 || self.is_zero() {
            true => *self,
            false => Self::new(self.negative, self.multiple_of(0, mode), 0),
        }
    }

    /// The exponent of its highest bit; it is not zero.
    #[inline]
    pub(super) fn magnitude(&self) -> i32 {
        self.exponent + 127 - self.significand.leading_zeros().cast_signed()
    }

    /// The same number with the highest bit at a position, at which or below which it is.
    #[inline]
    fn with_top_at(mut self, top: u32) -> Self {
        let shift = self.significand.leading_zeros() - (127 - top);
        self.significand <<= shift;
        self.exponent -= shift.cast_signed();
        self
    }

    /// The magnitude as a multiple of `2^last`, rounded.
    ///
    /// # Panics
    /// If the multiple has more than 128 bits.
    #[inline]
    pub(super) fn multiple_of(&self, last: i32, mode: RoundingMode) -> u128 {
        let shift = last - self.exponent;
        if shift <= 0 {
            assert!(!self.inexact && self.significand.leading_zeros() >= shift.unsigned_abs(), "too few bits");
            return self.significand << shift.unsigned_abs();
        }
        let shift = shift.unsigned_abs();
        let kept = self.significand.checked_shr(shift).unwrap_or(0);
        // What is cut off, with its highest bit at the top.
        let cut = match shift {
            0..=128 => self.significand << (128 - shift),
            _ => self.significand.checked_shr(shift - 128).unwrap_or(0),
        };
        let more = self.inexact || shift > 128 && self.significand != 0;
        let to_half = match cut.cmp(&(1 << 127)) {
            Ordering::Equal if more => Ordering::Greater,
            order => order,
        };
        let fraction = (cut >> 64) as u64;
        let cut = CutOff { is_zero: cut == 0 && !more, to_half, fraction };
        kept + u128::from(mode.is_away(self.negative, kept & 1 == 1, &cut))
    }

    /// The sum of two numbers of at most 126 bits, one of them not zero. `None` if it is zero: its sign depends on how it is
    /// rounded.
    #[inline]
    fn plus(self, other: Self) -> Option<Self> {
        debug_assert!(!self.inexact && !other.inexact, "a rounded number is added");
        if other.is_zero() || self.is_zero() {
            return Some(if self.is_zero() { other } else { self });
        }
        let (mut large, mut small) = (self.with_top_at(TOP), other.with_top_at(TOP));
        if (small.exponent, small.significand) > (large.exponent, large.significand) {
            (large, small) = (small, large);
        }
        let shift = large.exponent.abs_diff(small.exponent);
        let shifted = small.significand.checked_shr(shift).unwrap_or(0);
        let inexact = shifted.checked_shl(shift) != Some(small.significand);
        let significand = if large.negative == small.negative {
            large.significand + shifted
        } else {
            // Below the difference with a number that was cut is one with a part more.
            large.significand - shifted - u128::from(inexact)
        };
        (significand != 0).then_some(Self { significand, inexact, ..large })
    }
}

impl FloatValue {
    /// Plus or minus zero.
    pub fn zero(negative: bool) -> Self {
        Self::Finite(ExactNumber::new(negative, 0, 0))
    }

    /// An integer.
    pub fn integer(value: i128) -> Self {
        Self::Finite(ExactNumber::new(value < 0, value.unsigned_abs(), 0))
    }

    /// True if it is a NaN.
    #[inline]
    pub fn is_nan(&self) -> bool {
        matches!(self, Self::Nan)
    }

    /// True if the sign is minus; of a NaN, it is not known.
    #[inline]
    pub fn is_negative(&self) -> bool {
        match self {
            Self::Nan => false,
            Self::Infinite { negative } => *negative,
            Self::Finite(number) => number.negative,
        }
    }

    /// True if it is a zero of either sign.
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self, Self::Finite(number) if number.is_zero())
    }

    /// The same with this sign.
    #[inline]
    #[must_use]
    pub fn with_sign(self, negative: bool) -> Self {
        match self {
            Self::Nan => Self::Nan,
            Self::Infinite { .. } => Self::Infinite { negative },
            Self::Finite(number) => Self::Finite(ExactNumber { negative, ..number }),
        }
    }

    /// The same with the other sign.
    #[inline]
    #[must_use]
    pub fn negated(self) -> Self {
        self.with_sign(!self.is_negative())
    }

    /// The sum. How it is rounded decides the sign of a zero that two numbers of different signs make.
    #[inline]
    #[must_use]
    pub fn plus(self, other: Self, mode: RoundingMode) -> Self {
        match (self, other) {
            (Self::Nan, _) | (_, Self::Nan) => Self::Nan,
            (Self::Infinite { negative: a }, Self::Infinite { negative: b }) if a != b => Self::Nan,
            (Self::Infinite { negative }, _) | (_, Self::Infinite { negative }) => Self::Infinite { negative },
            (Self::Finite(a), Self::Finite(b)) if a.is_zero() && b.is_zero() && a.negative == b.negative => self,
            (Self::Finite(a), Self::Finite(b)) => match a.plus(b) {
                Some(sum) if !sum.is_zero() => Self::Finite(sum),
                _ => Self::zero(mode == RoundingMode::Down),
            },
        }
    }

    /// The product of two numbers of at most 64 bits.
    #[inline]
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        let negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Self::Nan, _) | (_, Self::Nan) => Self::Nan,
            (Self::Infinite { .. }, other) | (other, Self::Infinite { .. }) => {
                if other.is_zero() {
                    Self::Nan
                } else {
                    Self::Infinite { negative }
                }
            }
            (Self::Finite(a), Self::Finite(b)) => {
                Self::Finite(ExactNumber::new(negative, a.significand * b.significand, a.exponent + b.exponent))
            }
        }
    }

    /// The quotient of two numbers of at most 64 bits.
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        let negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Self::Nan, _) | (_, Self::Nan) | (Self::Infinite { .. }, Self::Infinite { .. }) => Self::Nan,
            (Self::Infinite { .. }, _) => Self::Infinite { negative },
            (_, Self::Infinite { .. }) => Self::zero(negative),
            (Self::Finite(a), Self::Finite(b)) => match (a.is_zero(), b.is_zero()) {
                (true, true) => Self::Nan,
                (true, false) => Self::zero(negative),
                (false, true) => Self::Infinite { negative },
                // The quotient has at least 63 bits.
                (false, false) => {
                    let a = a.with_top_at(127);
                    let significand = a.significand / b.significand;
                    let inexact = a.significand % b.significand != 0;
                    Self::Finite(ExactNumber { negative, significand, exponent: a.exponent - b.exponent, inexact })
                }
            },
        }
    }

    /// The square root; that of minus zero is minus zero.
    #[must_use]
    pub fn square_root(self) -> Self {
        match self {
            Self::Finite(number) if number.is_zero() => self,
            _ if self.is_nan() || self.is_negative() => Self::Nan,
            Self::Finite(number) => {
                let number = number.with_top_at(126);
                // An exponent that is even has a half.
                let number = if number.exponent % 2 == 0 { number } else { number.with_top_at(127) };
                let significand = number.significand.isqrt();
                let inexact = significand * significand != number.significand;
                Self::Finite(ExactNumber { negative: false, significand, exponent: number.exponent / 2, inexact })
            }
            infinite => infinite,
        }
    }

    /// The order of two values; none if one is a NaN. Both zeros are equal.
    #[must_use]
    pub fn order(self, other: Self) -> Option<Ordering> {
        if self.is_nan() || other.is_nan() {
            return None;
        }
        let rank = |of: &Self| match of {
            _ if of.is_zero() => 0,
            Self::Infinite { .. } if of.is_negative() => -2,
            Self::Infinite { .. } => 2,
            _ if of.is_negative() => -1,
            _ => 1,
        };
        let ranks = rank(&self).cmp(&rank(&other));
        let (Self::Finite(a), Self::Finite(b)) = (self, other) else { return Some(ranks) };
        if ranks.is_ne() || a.is_zero() {
            return Some(ranks);
        }
        let (a, b) = (a.with_top_at(127), b.with_top_at(127));
        let magnitudes = (a.exponent, a.significand, a.inexact).cmp(&(b.exponent, b.significand, b.inexact));
        Some(if a.negative { magnitudes.reverse() } else { magnitudes })
    }

    /// The value rounded to an integer; none of a NaN, and beyond the limits the nearest limit.
    #[must_use]
    pub fn to_integer(self, mode: RoundingMode, (least, most): (i128, i128)) -> Option<i128> {
        match self {
            Self::Nan => None,
            Self::Infinite { negative } => Some(if negative { least } else { most }),
            Self::Finite(number) if number.is_zero() => Some(0),
            Self::Finite(number) if number.magnitude() >= 100 => Some(if number.negative { least } else { most }),
            Self::Finite(number) => {
                let magnitude = number.multiple_of(0, mode).cast_signed();
                Some((if number.negative { -magnitude } else { magnitude }).clamp(least, most))
            }
        }
    }
}
