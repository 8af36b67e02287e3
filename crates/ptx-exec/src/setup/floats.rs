//! Numbers of float formats that break implementations: limits, ties, cancellation, what integers are near to.

use ptx_spec::must::Must as _;

use super::contents::mix;
use super::ties::RoundedTo;
use crate::value::{FloatFormat, low};

/// The parts of a format.
struct Parts {
    format: FloatFormat,
    /// The bits of the mantissa, and of zeros below it.
    mantissa: u32,
    /// The largest exponent of a finite number, and that of 1.
    most: u64,
    bias: u64,
}

impl Parts {
    fn of(format: FloatFormat) -> Self {
        let last = format.infinity().trailing_zeros();
        let field = |bits: u128| u64::try_from(bits >> last).must("an exponent is small");
        Self { format, mantissa: last, most: field(format.largest()), bias: field(format.one()) }
    }

    /// A number by its exponent, which is limited, and its mantissa.
    fn number(&self, exponent: i64, mantissa: u64) -> u128 {
        let exponent = exponent.clamp(0, self.most.cast_signed()).cast_unsigned();
        (u128::from(exponent) << self.mantissa | low(mantissa.into(), self.mantissa)).min(self.format.largest())
    }

    fn signed(&self, magnitude: u128, negative: bool) -> u128 {
        if negative { magnitude | self.format.sign() } else { magnitude }
    }

    /// A mantissa just above the middle between two numbers of a narrower format, for each number: rounded to a format between
    /// the two first, it is that middle.
    fn above_tie(&self, drawn: u64) -> u64 {
        const NARROWER: [u32; 5] = [2, 3, 7, 10, 23];
        let narrower = NARROWER[drawn as usize % NARROWER.len()];
        1_u64.checked_shl(self.mantissa.saturating_sub(narrower + 1)).unwrap_or(1) | 1
    }

    /// A mantissa for each number: none, the least, all ones, a half and what is next to it, a quarter, what is above a tie of a
    /// narrower format, and random ones.
    fn pattern(&self, drawn: u64) -> u64 {
        let half = 1_u64 << self.mantissa >> 1;
        match drawn >> 8 & 15 {
            0 | 1 => 0,
            2 => 1,
            3 => u64::MAX,
            4 => half,
            5 => half + 1,
            6 => half.wrapping_sub(1),
            7 => half >> 1,
            8 => mix(drawn) >> 32 << (self.mantissa / 2),
            9 | 10 => self.above_tie(mix(drawn)),
            _ => mix(drawn),
        }
    }
}

/// One of the limits of a format and their neighbours, of either sign: zero, subnormal and normal numbers, 1, infinities and
/// NaNs that are quiet, quiet with a payload, and signalling.
pub(super) fn edge(format: FloatFormat, number: u64) -> u128 {
    let parts = Parts::of(format);
    let (one, infinity, largest) = (format.one(), format.infinity(), format.largest());
    let normal = parts.number(1, 0);
    let half = |of: u128| of >> 1;
    let edges = [
        one,
        0,
        1,
        normal,
        normal - 1,
        largest,
        one + 1,
        one - 1,
        one | half(1 << parts.mantissa),
        parts.number(parts.bias.cast_signed() + 1, 0),
        parts.number(parts.bias.cast_signed() - 1, 0),
        half(normal),
        normal + 1,
        largest - 1,
        parts.number(parts.most.cast_signed(), 0),
        if format.has_nans() { infinity } else { largest },
        if format.has_nans() { format.canonical_nan() } else { one },
        if format.has_nans() { infinity | half(1 << parts.mantissa) } else { 0 },
        if format.has_nans() { infinity | 1 } else { 2 },
        if format.has_nans() { infinity | half(1 << parts.mantissa) | 0x55 } else { 3 },
        parts.number(parts.bias.cast_signed() + i64::from(parts.mantissa), 1),
        parts.number(parts.bias.cast_signed() - i64::from(parts.mantissa) - 1, 0),
        parts.number(parts.bias.cast_signed(), parts.above_tie(number / 64)),
    ];
    let at = usize::try_from(number % edges.len() as u64).must("a position of a list is small");
    parts.signed(low(edges[at], format.bits() - 1), number / edges.len() as u64 % 2 == 1)
}

/// A number near those of the other sources of a sample: exponents differ by as many places as decide how a sum or a
/// product is rounded, and now and then two sources cancel each other.
pub(super) fn near(format: FloatFormat, sample: u64, source: u64, lane: u64) -> u128 {
    let parts = Parts::of(format);
    let seed = sample.wrapping_mul(8).wrapping_add(lane);
    let (shared, own) = (mix(seed), mix(seed.wrapping_add(1024 * (source + 1))));
    let (bias, most, places) =
        (parts.bias.cast_signed(), parts.most.cast_signed(), i64::from(format.infinity().trailing_zeros()));
    if sample % 8 == 1 {
        return parts.signed(below_tie(&parts, shared, source), shared >> 40 & 1 == 1);
    }
    let base = match sample % 8 {
        0 | 1 => bias,
        2 => 0,
        3 => most,
        4 => bias / 2,
        5 => bias + (most - bias) / 2,
        6 => return parts.signed(near_integer(&parts, own), own & 1 == 1),
        _ => bias + (shared >> 20 & 15).cast_signed() - 8,
    };
    let apart = [0, 0, 0, 1, -1, -places, -places - 1, -places - 2, places + 1, 2];
    let exponent = if source == 0 { base } else { base + apart[(own >> 24) as usize % apart.len()] };
    if source > 0 && own >> 40 & 3 == 0 {
        // Close to the first source, of either sign.
        let first = near(format, sample, 0, lane);
        let magnitude = (first & !format.sign()) as i128 + i128::from(own >> 44 & 3) - 1;
        return parts.signed(magnitude.max(0).cast_unsigned().min(format.largest()), own & 1 == 1);
    }
    parts.signed(parts.number(exponent, parts.pattern(own)), own & 1 == 1)
}

/// Factors whose product is just below the half of a last place of the third number, which is odd: a product that is rounded
/// first, or a sum that is rounded to a wider format first, is rounded up instead of down.
fn below_tie(parts: &Parts, shared: u64, source: u64) -> u128 {
    let exponent = parts.bias.cast_signed() + (shared >> 20 & 7).cast_signed() - 4;
    match source {
        0 => parts.number(parts.bias.cast_signed(), 1),
        1 => parts.number(exponent - i64::from(parts.mantissa) - 2, u64::MAX - 1),
        _ => parts.number(exponent, 1),
    }
}

/// A number near an integer, near a half of one, or near a power of two that limits integers.
fn near_integer(parts: &Parts, drawn: u64) -> u128 {
    let limits = [7, 8, 15, 16, 31, 32, 63, 64];
    let exponent = parts.bias.cast_signed();
    if drawn >> 4 & 1 == 0 {
        let power = parts.number(exponent + limits[(drawn >> 8) as usize % limits.len()], 0);
        return (power + u128::from(drawn >> 16 & 3)).saturating_sub(1).min(parts.format.largest());
    }
    // An integer of a few bits, and a half.
    let whole = (drawn >> 8 & 3).cast_signed();
    let fraction = 1_u64.checked_shl(parts.mantissa.saturating_sub(whole.cast_unsigned() as u32 + 1)).unwrap_or(1);
    parts.number(exponent + whole, fraction | mix(drawn) << parts.mantissa.saturating_sub(whole.cast_unsigned() as u32))
}

/// A float at which implementations fail, for each number: a limit of its format, a tie of a narrower one, or a number between.
pub fn float_number(format: FloatFormat, number: u64) -> u128 {
    let near = || near(format, number / 4, number / 16 % 2, 0);
    match number % 4 {
        0 | 1 => edge(format, number / 4),
        2 => {
            let narrower = FloatFormat::all().nth((number >> 32) as usize % FloatFormat::all().count());
            let tie = |(_, narrower)| RoundedTo::Float(narrower).float(format, mix(number));
            narrower.and_then(tie).unwrap_or_else(near)
        }
        _ => near(),
    }
}

/// Bits for an element of a source, of a kind.
pub(super) fn element(format: FloatFormat, kind: &str, sample: u64, source: u64, lane: u64) -> Option<u128> {
    let turn = if source == 0 { sample } else { mix(sample * 4 + source) };
    Some(match kind {
        "edge" => edge(format, turn.wrapping_add(5 * lane)),
        "float" => near(format, sample, source, lane),
        "zero" => {
            if mix(sample * 8 + lane + 1024 * source) >> 40 & 1 == 1 {
                format.sign()
            } else {
                0
            }
        }
        "one" => format.one(),
        "smallest" => 1,
        "largest" => format.largest(),
        "random" if format.bits() < 8 => low(mix(sample * 8 + lane + 1024 * source).into(), format.bits()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_belong_to_their_format() {
        for (name, format) in FloatFormat::all() {
            for number in 0..4096 {
                for bits in [edge(format, number), near(format, number, 0, 0), near(format, number, 1, 1)] {
                    assert_eq!(bits, low(bits, format.bits()), "{name} {number}");
                }
            }
        }
    }

    #[test]
    fn edges_are_of_every_class() {
        for format in [FloatFormat::F16, FloatFormat::BF16, FloatFormat::F32, FloatFormat::F64] {
            let edges: Vec<u128> = (0..44).map(|number| edge(format, number)).collect();
            let has = |is: &dyn Fn(u128) -> bool| edges.iter().any(|bits| is(*bits));
            assert!(has(&|bits| format.is_nan(bits) && bits & format.sign() != 0));
            assert!(has(&|bits| bits == format.infinity()) && has(&|bits| bits == format.sign()));
            assert!(has(&|bits| format.is_subnormal(bits)) && has(&|bits| bits == format.one() + 1));
        }
    }

    #[test]
    fn sources_cancel_and_are_as_far_apart_as_rounding_needs() {
        let format = FloatFormat::F32;
        let pairs = (0..4096).map(|sample| (near(format, sample, 0, 0), near(format, sample, 1, 0)));
        let (mut cancel, mut ties) = (0, 0);
        for (a, b) in pairs {
            cancel += usize::from(a ^ b == format.sign());
            ties += usize::from((a >> 23 & 0xff).abs_diff(b >> 23 & 0xff) == 24);
        }
        assert!(cancel > 10 && ties > 100, "{cancel} pairs cancel, {ties} are 24 places apart");
    }
}
