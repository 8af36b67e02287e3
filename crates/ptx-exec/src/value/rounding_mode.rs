//! How a number between two that a format has becomes one of them. PTX ISA `floating-point-instructions-add`,
//! `data-movement-and-conversion-instructions-cvt`.

use std::cmp::Ordering;

/// A rounding mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundingMode {
    /// `.rn`: to the nearest, ties to the even one.
    NearestEven,
    /// `.rna`: to the nearest, ties away from zero.
    NearestAway,
    /// `.rz`: toward zero.
    Zero,
    /// `.rm`: toward negative infinity.
    Down,
    /// `.rp`: toward positive infinity.
    Up,
    /// `.rs`: away from zero if random bits, added to the highest of those cut off, carry.
    Stochastic {
        /// The random bits.
        random: u32,
        /// How many there are.
        bits: u32,
    },
}

impl RoundingMode {
    /// True if a magnitude is rounded to the next larger one: `cut` is what is cut off.
    #[inline]
    pub(super) fn is_away(self, negative: bool, is_odd: bool, cut: &CutOff) -> bool {
        match self {
            Self::NearestEven => cut.to_half.is_gt() || cut.to_half.is_eq() && is_odd,
            Self::NearestAway => cut.to_half.is_ge(),
            Self::Zero => false,
            Self::Down => negative && !cut.is_zero,
            Self::Up => !negative && !cut.is_zero,
            Self::Stochastic { random, bits } => cut.highest(bits) + u64::from(random) >= 1 << bits,
        }
    }

    /// True if a number beyond the largest becomes infinite, as far as the format has infinities.
    pub(super) fn overflows(self, negative: bool) -> bool {
        match self {
            Self::NearestEven | Self::NearestAway => true,
            Self::Zero | Self::Stochastic { .. } => false,
            Self::Down => negative,
            Self::Up => !negative,
        }
    }
}

/// The part of a magnitude that rounding cuts off.
pub(super) struct CutOff {
    /// True if it is nothing.
    pub(super) is_zero: bool,
    /// Its order to one half of the last place that is kept.
    pub(super) to_half: Ordering,
    /// The fraction of the last place that it is, in 64 bits, cut.
    pub(super) fraction: u64,
}

impl CutOff {
    /// Its highest bits, as a number.
    fn highest(&self, bits: u32) -> u64 {
        self.fraction.checked_shr(64 - bits).unwrap_or(0)
    }
}
