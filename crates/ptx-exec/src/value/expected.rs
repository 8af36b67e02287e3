//! The expected value of a register, or of bytes in memory.

use super::float_format::FloatFormat;
use super::integer::low;

/// A value of up to 128 bits that a row is expected to leave in a register or in memory.
///
/// Whatever is not exact is made by one of the constructors below. None of them takes a mask: "the exponent of a NaN, and
/// any fraction" as a mask would let an infinity pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectedValue {
    /// An allowed value.
    example: u128,
    /// The bits that may be anything, but for what a NaN asks of them.
    free: u128,
    /// The floats that must be NaNs, with any sign and payload: a bit for the lowest byte of each.
    nans: u16,
    /// The format of these floats: elements of a value have one type.
    format: FloatFormat,
}

impl ExpectedValue {
    /// Exactly these bits.
    #[inline]
    pub fn exact(bits: u128) -> Self {
        Self { example: bits, free: 0, nans: 0, format: FloatFormat::F32 }
    }

    /// A number of this many bits that may be anything; the example is one of them.
    pub fn anything(example: u128, bits: u32) -> Self {
        Self { free: low(u128::MAX, bits), ..Self::exact(low(example, bits)) }
    }

    /// A number that may have either sign.
    pub fn of_any_sign(example: u128, format: FloatFormat) -> Self {
        Self { free: format.sign(), ..Self::exact(example) }
    }

    /// A NaN of any sign and payload; the example is one.
    pub fn nan(example: u128, format: FloatFormat) -> Self {
        assert!(format.is_nan(example), "{example:x} is not a NaN");
        Self { example, free: low(!format.infinity(), format.bits()), nans: 1, format }
    }

    /// This value with an element added, whose lowest bit begins a byte where it has only zeros.
    #[inline]
    #[must_use]
    pub fn joined(self, at: u32, element: &Self) -> Self {
        assert!(self.nans == 0 || element.nans == 0 || self.format == element.format, "elements of several types");
        Self {
            example: self.example | element.example << at,
            free: self.free | element.free << at,
            nans: self.nans | element.nans << (at / 8),
            format: if element.nans == 0 { self.format } else { element.format },
        }
    }

    /// An allowed value.
    #[inline]
    pub fn example(&self) -> u128 {
        self.example
    }

    /// The only allowed value; none if there are several.
    #[inline]
    pub fn only(&self) -> Option<u128> {
        (self.free == 0).then_some(self.example)
    }

    /// The bits that are the same in all allowed values.
    #[inline]
    pub fn fixed(&self) -> u128 {
        !self.free
    }

    /// The lowest bit of each float that must be a NaN.
    pub fn nans(&self) -> impl Iterator<Item = u32> {
        (0..16).filter(|byte| self.nans >> byte & 1 == 1).map(|byte| byte * 8)
    }

    /// The bits in which a value differs from all allowed ones, 0 if it is allowed: of an infinity in the place of a NaN,
    /// all.
    pub fn wrong(&self, actual: u128) -> u128 {
        let Self { format, .. } = self;
        let infinite = |at: &u32| low(actual >> at, format.bits() - 1) == format.infinity();
        let places = self.nans().filter(infinite).map(|at| low(u128::MAX, format.bits()) << at);
        (actual ^ self.example) & !self.free | places.fold(0, |all, place| all | place)
    }

    /// The undefined bits of an allowed value that decide whether it is allowed. A NaN needs one defined bit in its
    /// fraction.
    pub fn needed(&self, actual: u128, undefined: u128) -> u128 {
        undefined & (self.fixed() | self.wrong(actual & !undefined))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const F16: FloatFormat = FloatFormat::F16;

    #[test]
    fn an_exact_value_allows_nothing_else() {
        let value = ExpectedValue::exact(0x12);
        assert_eq!((value.wrong(0x12), value.wrong(0x10), value.only()), (0, 2, Some(0x12)));
        assert_eq!(value.needed(0x12, 0x30), 0x30);
    }

    #[test]
    fn each_format_has_nans_that_are_no_infinities() {
        for format in [F16, FloatFormat::BF16, FloatFormat::F32, FloatFormat::F64] {
            let nan = ExpectedValue::nan(format.quiet_nan(), format);
            let all = low(u128::MAX, format.bits());
            for allowed in [nan.example(), format.infinity() | 1, all, all ^ format.sign()] {
                assert_eq!(nan.wrong(allowed), 0, "{format:?} {allowed:x}");
            }
            assert_eq!(nan.wrong(format.infinity()), all, "{format:?}");
            assert_eq!(nan.wrong(format.infinity() | format.sign()), all, "{format:?}");
            assert_eq!(nan.wrong(0), format.infinity(), "{format:?}");
            assert_eq!(nan.wrong(nan.example() | 1 << 127), 1 << 127, "{format:?}: it has no more bits");
        }
    }

    #[test]
    fn elements_are_checked_each_for_itself() {
        let pair = ExpectedValue::exact(0x3c00).joined(16, &ExpectedValue::nan(0x7e00, F16));
        assert_eq!((pair.example(), pair.only()), (0x7e00_3c00, None));
        assert_eq!(pair.nans().collect::<Vec<_>>(), [16]);
        assert_eq!(pair.wrong(0xfc01_3c00), 0);
        assert_eq!(pair.wrong(0x7e00_3c01), 1);
        assert_eq!(pair.wrong(0x7c00_3c00), 0xffff_0000);
        let either = ExpectedValue::anything(5, 8).joined(8, &ExpectedValue::of_any_sign(0, F16));
        assert_eq!((either.wrong(0x80_00ff), either.wrong(0x40_00ff), either.fixed()), (0, 0x40_0000, !0x80_00ff));
    }

    /// Undefined bits are 0 in answers that say which they are, and anything in others.
    #[test]
    fn a_nan_needs_a_defined_bit_in_its_fraction() {
        let nan = ExpectedValue::nan(0x7e00, F16);
        assert_eq!(nan.needed(0x7e00, 0x01ff), 0, "the payload");
        assert_eq!(nan.needed(0x7e00, 0x0200), 0x0200, "all of the fraction that is not 0");
        assert_eq!(nan.needed(0x7e00, 0x4000), 0x4000, "the exponent");
        assert_eq!(nan.needed(0x7e00, 0x8000), 0, "the sign");
    }
}
