//! Conversions of 32-bit source components into components of samples. The manual does not describe them,
//! so all are inferred. PTX ISA `surface-instructions-sust`, `sust.p`.

use super::{ExpectedBits, Inferences, Undefined};
use crate::object::Component;

/// The converted component, in the low bits.
pub(super) struct Converted {
    pub(super) bits: ExpectedBits,
    pub(super) inferred: Inferences,
    pub(super) undefined: Option<Undefined>,
}

/// Converts 32 bits of a source to a component of a sample.
pub(super) fn convert(source: u32, component: Component) -> Converted {
    let exact = |bits: u32, inferred: Inferences| {
        let bits = ExpectedBits { bits: u128::from(bits), known: u128::MAX };
        Converted { bits, inferred, undefined: None }
    };
    let float = f32::from_bits(source);
    match component {
        // Its exponent is that of a NaN; sign and payload may be any.
        Component::Float(32) if float.is_nan() => {
            let bits = ExpectedBits { bits: u128::from(source), known: 0x7f80_0000 };
            Converted { bits, inferred: Inferences::NONE, undefined: Some(Undefined::NanPayload) }
        }
        Component::Unsigned(32) | Component::Signed(32) | Component::Float(32) => exact(source, Inferences::NONE),
        Component::Unsigned(bits) => exact(source.min(ones(bits)), Inferences::SATURATION.when(source > ones(bits))),
        Component::Signed(bits) => {
            let largest = i32::try_from(ones(bits) >> 1).unwrap_or(i32::MAX);
            let value = source.cast_signed();
            let fits = value.clamp(-largest - 1, largest);
            exact(fits.cast_unsigned() & ones(bits), Inferences::SATURATION.when(fits != value))
        }
        Component::Float(_) if float.is_nan() => {
            let bits = ExpectedBits { bits: 0x7e00, known: 0x7c00 };
            Converted { bits, inferred: Inferences::HALF, undefined: Some(Undefined::NanPayload) }
        }
        Component::Float(_) => exact(half(source), Inferences::HALF),
        Component::Unorm(bits) => {
            let scaled = clamp(float, 0.0) * f64::from(ones(bits));
            exact(integer(scaled).cast_unsigned(), Inferences::UNORM)
        }
        Component::Snorm(bits) => {
            let scaled = clamp(float, -1.0) * f64::from(ones(bits) >> 1);
            exact(integer(scaled).cast_unsigned() & ones(bits), Inferences::SNORM)
        }
    }
}

impl Component {
    /// What a component of a sample becomes when 32 bits are converted to it; a NaN as some NaN.
    pub fn converted(self, source: u32) -> u32 {
        u32::try_from(convert(source, self).bits.bits).unwrap_or(0)
    }
}

/// The largest number with this many bits.
fn ones(bits: u8) -> u32 {
    u32::MAX.checked_shr(32 - u32::from(bits)).unwrap_or_default()
}

/// A float from `low` to 1; 0 for a NaN.
fn clamp(value: f32, low: f64) -> f64 {
    if value.is_nan() { 0.0 } else { f64::from(value).clamp(low, 1.0) }
}

/// The nearest integer, ties to even. Products of a float and 16 bits are exact.
#[expect(clippy::cast_possible_truncation, reason = "clamped values are of at most 16 bits")]
fn integer(value: f64) -> i32 {
    value.round_ties_even() as i32
}

/// A float other than a NaN as a half, rounded to nearest, ties to even.
fn half(bits: u32) -> u32 {
    let sign = bits >> 16 & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    // Halves below 2^-14 are multiples of 2^-24; adding 0.5 leaves just those bits.
    if magnitude < 0x3880_0000 {
        let multiple = f32::from_bits(magnitude) + 0.5;
        return sign | (multiple.to_bits() - 0x3f00_0000);
    }
    if magnitude >= 0x4780_0000 {
        return sign | 0x7c00;
    }
    // The exponent's bias is smaller by 112. To round, half of the last place is added, minus one if the
    // last place is even.
    let odd = magnitude >> 13 & 1;
    sign | ((magnitude - 0x3800_0000 + 0xfff + odd) >> 13)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: f32, component: Component) -> u128 {
        convert(source.to_bits(), component).bits.bits
    }

    #[test]
    fn floats_become_halves() {
        for (float, bits) in [
            (0.0, 0),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            // Half a place above the largest half is a tie, and the even neighbour is infinite.
            (65519.996, 0x7bff),
            (65520.0, 0x7c00),
            (f32::INFINITY, 0x7c00),
            // 1 + 2^-11 is halfway between 1 and its successor; 1 is even.
            (1.000_488_3, 0x3c00),
            (1.001_464_8, 0x3c02),
            // The smallest normal half, the largest and the smallest subnormal half, and half of the smallest.
            (6.103_515_6e-5, 0x0400),
            (6.097_555e-5, 0x03ff),
            (5.960_464_5e-8, 1),
            (2.980_232_2e-8, 0),
            (2.980_232_6e-8, 1),
            (1e-30, 0),
        ] {
            assert_eq!(of(float, Component::Float(16)), bits, "{float}");
        }
    }

    #[test]
    fn floats_become_normalized_integers() {
        for (float, component, bits) in [
            (0.5, Component::Unorm(8), 128),
            (1.0, Component::Unorm(8), 255),
            (1.5, Component::Unorm(16), 0xffff),
            (-1.0, Component::Unorm(8), 0),
            (f32::NAN, Component::Unorm(8), 0),
            (0.499 / 255.0, Component::Unorm(8), 0),
            (-1.0, Component::Snorm(8), 0x81),
            (1.0, Component::Snorm(8), 0x7f),
            (-7.0, Component::Snorm(16), 0x8001),
            (0.5, Component::Snorm(8), 64),
        ] {
            assert_eq!(of(float, component), bits, "{float} {component:?}");
        }
    }

    #[test]
    fn integers_saturate() {
        let of = |source: i32, component| convert(source.cast_unsigned(), component).bits.bits;
        assert_eq!(of(256, Component::Unsigned(8)), 255);
        assert_eq!(of(-1, Component::Unsigned(16)), 0xffff);
        assert_eq!(of(-1, Component::Signed(8)), 0xff);
        assert_eq!(of(-129, Component::Signed(8)), 0x80);
        assert_eq!(of(i32::MAX, Component::Signed(16)), 0x7fff);
        assert_eq!(of(-5, Component::Signed(32)), 0xffff_fffb);
    }
}
