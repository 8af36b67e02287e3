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
    /// The floats that must be between bounds, likewise.
    bounded: u16,
    /// The bounds of these floats, in their places: the least and the most that is allowed.
    bounds: [u128; 2],
    /// The format of these floats: elements of a value have one type.
    format: FloatFormat,
}

impl ExpectedValue {
    /// Exactly these bits.
    #[inline]
    pub fn exact(bits: u128) -> Self {
        Self { example: bits, free: 0, nans: 0, bounded: 0, bounds: [0; 2], format: FloatFormat::F32 }
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
        if !format.is_nan(format.canonical_nan() - 1) {
            // All ones are the only NaN of the format.
            return Self::of_any_sign(example, format);
        }
        Self { free: low(!format.infinity(), format.bits()), nans: 1, format, ..Self::exact(example) }
    }

    /// A float between bounds, which may be infinities and are allowed themselves. Of zeros, both signs are.
    pub fn between(least: u128, most: u128, example: u128, format: FloatFormat) -> Self {
        let keys = [least, example, most].map(|bits| key(bits, format));
        assert!(keys.is_sorted(), "{example:x} is not between {least:x} and {most:x}");
        // What is above the highest bit in which the bounds differ is the same in all numbers between them.
        let differing = if keys[0] <= 0 && keys[2] >= 0 { u128::MAX } else { least ^ most };
        let free = low(u128::MAX, (128 - differing.leading_zeros()).min(format.bits()));
        Self { free, bounded: 1, bounds: [least, most], format, ..Self::exact(example) }
    }

    /// This value with an element added, whose lowest bit begins a byte where it has only zeros.
    #[inline]
    #[must_use]
    pub fn joined(self, at: u32, element: &Self) -> Self {
        let asks = |of: &Self| of.nans | of.bounded != 0;
        assert!(!asks(&self) || !asks(element) || self.format == element.format, "elements of several types");
        Self {
            example: self.example | element.example << at,
            free: self.free | element.free << at,
            nans: self.nans | element.nans << (at / 8),
            bounded: self.bounded | element.bounded << (at / 8),
            bounds: [0, 1].map(|end| self.bounds[end] | element.bounds[end] << at),
            format: if asks(element) { element.format } else { self.format },
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

    /// The bits of the example on which what is computed next may rely: those that are fixed, and of a NaN that it is quiet, or else that
    /// it has the payload of one that signals: passed on, made quiet or replaced by ones, it is known to be a NaN by that.
    pub fn known(&self) -> u128 {
        let quiet = self.format.quiet_bit();
        let fraction = low(!self.format.infinity(), self.format.bits()) & !self.format.sign();
        let of_nan = |at: u32| match self.example >> at & fraction {
            bits if bits & quiet != 0 => quiet << at,
            payload => payload << at,
        };
        self.nans().fold(self.fixed(), |known, at| known | of_nan(at))
    }

    /// The format of the only float of the value, if it must be a NaN.
    #[inline]
    pub fn nan_format(&self) -> Option<FloatFormat> {
        (self.nans == 1).then_some(self.format)
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
        let outside = |at: &u32| {
            let [least, actual, most] = [self.bounds[0], actual, self.bounds[1]].map(|bits| key(bits >> at, *format));
            format.is_nan(low(actual.unsigned_abs(), format.bits())) || actual < least || actual > most
        };
        let places = self.nans().filter(infinite).chain(self.bounded().filter(outside));
        let wrong = places.map(|at| low(u128::MAX, format.bits()) << at).fold(0, |all, place| all | place);
        (actual ^ self.example) & !self.free | wrong
    }

    /// How far an allowed value is from the middle between its bounds, in thousandths of what is allowed, in units in the last
    /// place: 1000 is at a bound. Of several floats it is that of the worst; none if no float has different bounds.
    pub fn bound_used(&self, actual: u128) -> Option<u16> {
        let used = |at: u32| {
            let [least, actual, most] =
                [self.bounds[0], actual, self.bounds[1]].map(|bits| key(bits >> at, self.format));
            let thousandths = (2 * actual - least - most).unsigned_abs() * 1000 / (most - least).unsigned_abs().max(1);
            (most > least).then(|| u16::try_from(thousandths).unwrap_or(u16::MAX))
        };
        self.bounded().filter_map(used).max()
    }

    /// The lowest bit of each float that must be between bounds.
    fn bounded(&self) -> impl Iterator<Item = u32> {
        (0..16).filter(|byte| self.bounded >> byte & 1 == 1).map(|byte| byte * 8)
    }

    /// The undefined bits of an allowed value that decide whether it is allowed. A NaN needs one defined bit in its
    /// fraction, and a float between bounds all of its bits.
    pub fn needed(&self, actual: u128, undefined: u128) -> u128 {
        let bounded = self.bounded().map(|at| low(u128::MAX, self.format.bits()) << at);
        undefined & (self.fixed() | self.wrong(actual & !undefined) | bounded.fold(0, |all, place| all | place))
    }
}

/// A number that orders the floats of a format, the low bits of this one: both zeros are 0.
fn key(bits: u128, format: FloatFormat) -> i128 {
    let magnitude = (low(bits, format.bits()) & !format.sign()).cast_signed();
    if bits & format.sign() == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    const F16: FloatFormat = FloatFormat::F16;

    #[test]
    fn a_value_uses_a_part_of_what_its_bounds_allow() {
        let value = ExpectedValue::between(0x3bf8, 0x3c08, 0x3c00, F16);
        let used = [0x3bf8, 0x3bfc, 0x3c00, 0x3c01, 0x3c08].map(|bits| value.bound_used(bits));
        assert_eq!(used, [1000, 500, 0, 125, 1000].map(Some));
        assert_eq!(ExpectedValue::exact(0x3c00).bound_used(0x3c00), None);
    }

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
    fn a_float_between_bounds_allows_what_is_between_them() {
        let of = |least, most, example| ExpectedValue::between(least, most, example, F16);
        let near_one = of(0x3bff, 0x3c01, 0x3c00);
        for (actual, wrong) in
            [(0x3bff, 0), (0x3c00, 0), (0x3c01, 0), (0x3c02, 0xffff), (0x3bfe, 0xffff), (0xbc00, 0xffff)]
        {
            assert_eq!(near_one.wrong(actual) == 0, wrong == 0, "{actual:x}");
        }
        assert_eq!(near_one.wrong(0x7e00) & 0xffff, 0xffff, "a NaN is between no bounds");
        assert_eq!(near_one.needed(0x3c00, 1), 1);
        let negative = of(0xbc01, 0xbbff, 0xbc00);
        assert_eq!((negative.wrong(0xbc00), negative.wrong(0xbc01), negative.wrong(0xbbff)), (0, 0, 0));
        assert_ne!(negative.wrong(0xbc02), 0);
        let around_zero = of(0x8002, 0x0001, 0);
        for (actual, allowed) in [(0x8002, true), (0x8000, true), (0, true), (1, true), (2, false), (0x8003, false)] {
            assert_eq!(around_zero.wrong(actual) == 0, allowed, "{actual:x}");
        }
        let pair = near_one.joined(16, &around_zero);
        assert_eq!((pair.wrong(0x8001_3c01), pair.wrong(0x0003_3c01)), (0, 0xffff_0000));
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
