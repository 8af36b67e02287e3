//! Numbers at which a result in another format is rounded: halfway between two of its numbers, one of them, and what is next to
//! these.

use ptx_spec::must::Must as _;
use ptx_spec::spec::{Form, Isa, Kind, Role};

use super::contents::mix;
use crate::value::{ExactNumber, FloatFormat, FloatValue, RoundingMode, low};

/// The numbers that the result of a line is rounded to.
#[derive(Clone, Copy)]
pub(super) enum RoundedTo {
    /// The numbers of a format.
    Float(FloatFormat),
    /// Integers.
    Integers,
}

/// Integers that limit types, and small ones.
const INTEGERS: [u64; 24] = [
    0,
    1,
    2,
    3,
    4,
    5,
    126,
    127,
    128,
    254,
    255,
    256,
    32_766,
    32_767,
    32_768,
    65_535,
    65_536,
    0x7fff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    i64::MAX.cast_unsigned(),
    u64::MAX,
];

impl RoundedTo {
    /// By the type of the first result of a line: a float, or if the line has one source, an integer.
    pub(super) fn of(isa: &Isa, form: &Form, values: &[u8]) -> Option<Self> {
        let of_role = |role: Role| form.operands.iter().filter(move |operand| operand.role == role);
        let result = of_role(Role::Destination).next()?.type_by(isa, form, values)?;
        match (FloatFormat::of(&result.name), result.kind) {
            (Some(format), _) => Some(Self::Float(format)),
            (None, Kind::Unsigned | Kind::Signed) if of_role(Role::Source).count() == 1 => Some(Self::Integers),
            _ => None,
        }
    }

    /// A magnitude: often one at which the format changes.
    fn magnitude(self, drawn: u64) -> ExactNumber {
        let any = mix(drawn);
        match self {
            Self::Integers => {
                let limit = INTEGERS.get((drawn >> 4) as usize % (2 * INTEGERS.len())).copied();
                ExactNumber::new(false, limit.unwrap_or(any >> (any & 63)).into(), 0)
            }
            Self::Float(format) => {
                let normal = (format.one() & format.one().wrapping_neg()).max(1);
                let bits = match drawn >> 4 & 15 {
                    0 | 1 => format.largest(),
                    2 => normal,
                    3 => normal.saturating_sub(1),
                    4 => 0,
                    5 => 1,
                    6 => format.one(),
                    7 => format.one().saturating_sub(1),
                    _ => u128::from(any) % (format.largest() + 1),
                };
                let number = match format.value(bits) {
                    FloatValue::Finite(number) => Some(number),
                    _ => None,
                };
                number.must("what is at most the largest number is a number")
            }
        }
    }

    /// The middle between a magnitude and the next one, or now and then the magnitude.
    fn tie(self, drawn: u64) -> ExactNumber {
        let magnitude = self.magnitude(drawn);
        if drawn & 7 == 0 { magnitude } else { magnitude.tie_above() }
    }

    /// A number of a format, for each number drawn: a tie, or next to one. None if the format does not have the tie.
    pub(super) fn float(self, of: FloatFormat, drawn: u64) -> Option<u128> {
        let tie = FloatValue::Finite(self.tie(drawn));
        let bits = of.rounded(tie, RoundingMode::NearestEven);
        let is_it = !of.is_nan(bits) && of.value(bits).order(tie).is_some_and(std::cmp::Ordering::is_eq);
        let sign = if drawn >> 40 & 1 == 1 { of.sign() } else { 0 };
        is_it.then(|| sign | beside(bits, drawn).min(of.largest()))
    }

    /// An integer for each number drawn, of so many bits, with a sign or without: a tie, or next to one. None if the result's format
    /// has all such integers.
    pub(super) fn integer(self, (bits, signed): (u32, bool), drawn: u64) -> Option<u128> {
        let Self::Float(format) = self else { return None };
        let mantissa = format.one().trailing_zeros().min(63);
        // The number of bits that are rounded away.
        let most = bits.checked_sub(mantissa + 2).filter(|most| *most > 0)?;
        let away = if drawn >> 12 & 1 == 0 { most } else { 1 + (mix(drawn >> 20) % u64::from(most)) as u32 };
        let kept = match drawn >> 4 & 3 {
            0 => low(u128::MAX, mantissa),
            1 => 0,
            _ => low(mix(drawn).into(), mantissa),
        };
        let magnitude = (1 << mantissa | kept) << away | 1 << (away - 1);
        let magnitude = beside(magnitude, drawn);
        Some(low(if signed && drawn >> 40 & 1 == 1 { magnitude.wrapping_neg() } else { magnitude }, bits))
    }
}

/// A magnitude, the one below it, or the one above.
fn beside(bits: u128, drawn: u64) -> u128 {
    match drawn >> 8 & 3 {
        0 => bits.saturating_sub(1),
        1 => bits + 1,
        _ => bits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of the numbers drawn are one thing.
    fn count(number: impl Fn(u64) -> Option<u128>, is: impl Fn(u128) -> bool) -> usize {
        (0..256).filter_map(|drawn| number(mix(drawn))).filter(|bits| is(*bits)).count()
    }

    #[test]
    fn ties_of_narrower_formats_and_what_is_above_them_occur() {
        let doubles = |drawn| RoundedTo::Float(FloatFormat::BF16).float(FloatFormat::F64, drawn);
        let tail = |bits: u128| low(bits, 45);
        assert!(count(doubles, |bits| tail(bits) == 1 << 44) > 50, "ties between numbers of 7 bits");
        assert!(count(doubles, |bits| tail(bits) == (1 << 44) + 1) > 20, "what two roundings take for a tie");
        assert!(count(doubles, |bits| bits == 0x47ef_f000_0000_0000) > 3, "what is rounded to infinity");
        let halves = |drawn| RoundedTo::Float(FloatFormat::F16).float(FloatFormat::F32, drawn);
        assert!(count(halves, |bits| bits == 0x3300_0000) > 3, "half of the least subnormal half");
    }

    #[test]
    fn halves_of_integers_and_long_integers_occur() {
        let singles = |drawn| RoundedTo::Integers.float(FloatFormat::F32, drawn);
        assert!(count(singles, |bits| bits == 0x4020_0000 || bits == 0x3f00_0000) > 3, "2.5 and 0.5");
        let longs = |drawn| RoundedTo::Float(FloatFormat::F32).integer((64, false), drawn);
        assert!(count(longs, |bits| bits & 1 == 1 && bits >> 63 == 0 && bits >> 53 != 0) > 8, "beside a tie, and wide");
        assert!(count(|drawn| RoundedTo::Float(FloatFormat::F64).integer((32, true), drawn), |_| true) == 0);
    }
}
