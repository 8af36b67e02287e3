//! Numbers of which some bits are undefined.
//!
//! A bit is defined if every execution has the same value there. What nothing wrote is undefined, and so is what
//! depends on it. Bitwise operations are exact; a sum is defined below its lowest undefined bit.

use std::fmt;

/// Up to 64 bits, each with a value or undefined. An undefined bit has the value 0, so that equal contents are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Bits {
    value: u64,
    defined: u64,
}

/// A number is completely defined.
impl From<u64> for Bits {
    fn from(value: u64) -> Self {
        Self { value, defined: u64::MAX }
    }
}

impl From<u32> for Bits {
    fn from(value: u32) -> Self {
        u64::from(value).into()
    }
}

impl From<bool> for Bits {
    fn from(value: bool) -> Self {
        u64::from(value).into()
    }
}

/// Hexadecimal digits, `?` where a digit has an undefined bit.
impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = (64 - (self.value | !self.defined).leading_zeros()).div_ceil(4).max(1);
        for digit in (0..digits).rev() {
            let (value, defined) = (self.value >> (digit * 4) & 15, self.defined >> (digit * 4) & 15);
            if defined == 15 { write!(f, "{value:x}")? } else { f.write_str("?")? }
        }
        Ok(())
    }
}

/// The low `width` bits.
fn low(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

impl Bits {
    /// No bit is defined.
    pub const UNDEFINED: Self = Self { value: 0, defined: 0 };
    /// Zero.
    pub const ZERO: Self = Self { value: 0, defined: u64::MAX };

    /// The bits of a value that `defined` has.
    #[inline]
    pub fn new(value: u64, defined: u64) -> Self {
        Self { value: value & defined, defined }
    }

    /// The value; undefined bits are 0.
    pub fn value(self) -> u64 {
        self.value
    }

    /// Which bits are defined.
    pub fn defined(self) -> u64 {
        self.defined
    }

    /// The value of the low `width` bits, if all of them are defined.
    #[inline]
    pub fn known(self, width: u32) -> Option<u64> {
        (self.defined & low(width) == low(width)).then_some(self.value & low(width))
    }

    /// The value of the low 32 bits, if all of them are defined.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the others are masked")]
    pub fn word(self) -> Option<u32> {
        self.known(32).map(|value| value as u32)
    }

    /// The low bits; the others are 0.
    #[inline]
    #[must_use]
    pub fn zero_extended(self, width: u32) -> Self {
        Self { value: self.value & low(width), defined: self.defined | !low(width) }
    }

    /// The low bits; the others are copies of the highest of them.
    #[inline]
    #[must_use]
    pub fn sign_extended(self, width: u32) -> Self {
        if !(1..64).contains(&width) {
            return self;
        }
        let extend = |bits: u64| (bits << (64 - width)).cast_signed() >> (64 - width);
        Self { value: extend(self.value).cast_unsigned(), defined: extend(self.defined).cast_unsigned() }
    }

    /// These bits at the bottom, and others from `width` on.
    #[inline]
    #[must_use]
    pub fn joined(self, width: u32, high: Self) -> Self {
        let (below, above) = (self.zero_extended(width), high.shifted_left(width));
        Self { value: below.value | above.value, defined: below.defined & above.defined }
    }

    /// Shifted left by a known count; zeros move in.
    #[inline]
    #[must_use]
    pub fn shifted_left(self, count: u32) -> Self {
        match count {
            0..64 => Self { value: self.value << count, defined: self.defined << count | low(count) },
            _ => Self::ZERO,
        }
    }

    /// Shifted right by a known count; zeros move in.
    #[inline]
    #[must_use]
    pub fn shifted_right(self, count: u32) -> Self {
        match count {
            0..64 => Self { value: self.value >> count, defined: self.defined >> count | !(u64::MAX >> count) },
            _ => Self::ZERO,
        }
    }

    /// A bitwise function of three inputs, by its truth table: bit `4a + 2b + c` of `table` is its result. A result is
    /// defined if it is the same whatever the undefined inputs are.
    #[must_use]
    pub fn table(table: u8, a: Self, b: Self, c: Self) -> Self {
        let (mut ones, mut zeros) = (0, 0);
        for row in 0..8_u8 {
            let can = |of: Self, bit: u8| if bit == 1 { of.value | !of.defined } else { !of.value | !of.defined };
            let possible = can(a, row >> 2 & 1) & can(b, row >> 1 & 1) & can(c, row & 1);
            *(if table >> row & 1 == 1 { &mut ones } else { &mut zeros }) |= possible;
        }
        Self { value: ones & !zeros, defined: ones ^ zeros }
    }

    /// The sum, defined below the lowest undefined bit.
    #[inline]
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let below = low((self.defined & other.defined).trailing_ones());
        Self::new(self.value.wrapping_add(other.value), below)
    }

    /// All bits inverted.
    #[inline]
    #[must_use]
    pub fn inverted(self) -> Self {
        Self::new(!self.value, self.defined)
    }

    /// The product, defined below the lowest undefined bit of either; zero times anything is zero.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        if self == Self::ZERO || other == Self::ZERO {
            return Self::ZERO;
        }
        // An undefined bit of one factor is moved up by the zeros at the bottom of the other.
        let zeros = |of: Self| (of.value | !of.defined).trailing_zeros();
        let first = |of: Self, by: Self| of.defined.trailing_ones() + zeros(by);
        let below = first(self, other).min(first(other, self));
        Self::new(self.value.wrapping_mul(other.value), low(below))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(value: u64, defined: u64) -> Bits {
        Bits::new(value, defined)
    }

    #[test]
    fn a_table_is_exact() {
        let (a, b, half) = (Bits::from(0b1100_u64), Bits::from(0b1010_u64), bits(0b1100, 0b1110 | !15));
        assert_eq!(Bits::table(0xc0, a, b, Bits::UNDEFINED), Bits::from(0b1000_u64), "a & b needs no c");
        assert_eq!(Bits::table(0xfc, a, b, Bits::UNDEFINED), Bits::from(0b1110_u64), "a | b needs no c");
        assert_eq!(Bits::table(0x3c, a, half, Bits::ZERO), bits(0, 0b1110 | !15));
        assert_eq!(Bits::table(0xc0, Bits::ZERO, Bits::UNDEFINED, Bits::ZERO), Bits::ZERO, "0 & anything");
        assert_eq!(Bits::table(0xfc, Bits::from(u64::MAX), Bits::UNDEFINED, Bits::ZERO), Bits::from(u64::MAX));
        assert_eq!(Bits::table(0x96, a, b, Bits::UNDEFINED), Bits::UNDEFINED, "a ^ b ^ c");
    }

    /// All values of five bits with all masks, by trying every completion.
    #[test]
    fn sums_and_products_claim_nothing_that_depends_on_an_undefined_bit() {
        let width = 3;
        let all = || (0..8_u64).flat_map(|defined| (0..8_u64).map(move |value| bits(value, defined | !7)));
        let completions =
            |of: Bits| (0..8_u64).filter(move |fill| fill & of.defined() == 0).map(move |f| of.value() | f);
        for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
            for (name, result, compute) in [
                ("plus", a.plus(b), u64::wrapping_add as fn(u64, u64) -> u64),
                ("times", a.times(b), u64::wrapping_mul),
            ] {
                for (x, y) in completions(a).flat_map(|x| completions(b).map(move |y| (x, y))) {
                    let known = result.defined() & low(width);
                    assert_eq!(compute(x, y) & known, result.value() & known, "{a} {name} {b}");
                }
            }
        }
    }

    #[test]
    fn extensions_and_shifts_move_what_is_defined() {
        let byte = bits(0x85, 0xff);
        assert_eq!(byte.sign_extended(8), Bits::from(0x85_u64 | !0xff));
        assert_eq!(bits(0x05, 0x7f).sign_extended(8), bits(5, 0x7f), "the sign is undefined");
        assert_eq!(byte.zero_extended(8), Bits::from(0x85_u64));
        assert_eq!(byte.shifted_left(4).known(12), Some(0x850));
        assert_eq!(byte.shifted_left(4).known(13), None);
        assert_eq!(Bits::UNDEFINED.shifted_right(60), bits(0, !15));
        assert_eq!(Bits::from(1_u32).joined(32, Bits::from(2_u32)), Bits::from(0x2_0000_0001_u64));
    }

    #[test]
    fn an_undefined_digit_is_shown() {
        assert_eq!(bits(0x10f0, !0xf0).to_string(), "10?0");
        assert_eq!(Bits::ZERO.to_string(), "0");
    }
}
