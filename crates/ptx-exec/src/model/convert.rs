//! Conversions of 32-bit source components into components of samples. The manual does not describe them,
//! so all are inferred. PTX ISA `surface-instructions-sust`, `sust.p`.

use super::{Inferences, Undefined};
use crate::object::Component;
use crate::value::{ExpectedValue, FloatFormat, RoundingMode};

/// The converted component, in the low bits.
pub(super) struct Converted {
    pub(super) value: ExpectedValue,
    pub(super) inferred: Inferences,
    pub(super) undefined: Option<Undefined>,
}

/// Converts 32 bits of a source to a component of a sample.
pub(super) fn convert(source: u32, component: Component) -> Converted {
    let exact = |bits: u32, inferred: Inferences| Converted {
        value: ExpectedValue::exact(bits.into()),
        inferred,
        undefined: None,
    };
    match component {
        Component::Unsigned(32) | Component::Signed(32) => exact(source, Inferences::NONE),
        Component::Unsigned(bits) => exact(source.min(ones(bits)), Inferences::SATURATION.when(source > ones(bits))),
        Component::Signed(bits) => {
            let largest = (ones(bits) >> 1).cast_signed();
            let value = source.cast_signed();
            let fits = value.clamp(-largest - 1, largest);
            exact(fits.cast_unsigned() & ones(bits), Inferences::SATURATION.when(fits != value))
        }
        Component::Float(32) => float(source, FloatFormat::F32, Inferences::NONE),
        Component::Float(_) => float(source, FloatFormat::F16, Inferences::HALF),
        Component::Unorm(bits) => {
            let scaled = normalized(clamp(source, 0.0), ones(bits), u32::from(bits));
            exact(scaled.cast_unsigned(), Inferences::UNORM)
        }
        Component::Snorm(bits) => {
            let scaled = normalized(clamp(source, -1.0), ones(bits) >> 1, u32::from(bits) - 1);
            exact(scaled.cast_unsigned() & ones(bits), Inferences::SNORM)
        }
    }
}

/// The float in a source as a number of a format: a NaN stays one, with any sign and payload.
fn float(source: u32, format: FloatFormat, inferred: Inferences) -> Converted {
    let value = FloatFormat::F32.value(source.into());
    if value.is_nan() {
        // Where nothing is converted, keeping the payload is the simplest example.
        let example = if format == FloatFormat::F32 { source.into() } else { format.quiet_nan() };
        let value = ExpectedValue::nan(example, format);
        return Converted { value, inferred, undefined: Some(Undefined::NanPayload) };
    }
    Converted { value: ExpectedValue::exact(format.rounded(value, RoundingMode::Zero)), inferred, undefined: None }
}

impl Component {
    /// A component of a sample after 32 bits are converted to it; a NaN as some NaN.
    #[expect(clippy::cast_possible_truncation, reason = "components have at most 32 bits")]
    pub fn converted(self, source: u32) -> u32 {
        convert(source, self).value.example() as u32
    }
}

/// The largest number with this many bits, 1 to 32.
fn ones(bits: u8) -> u32 {
    u32::MAX >> (32 - u32::from(bits))
}

/// The float in a source, from `low` to 1; 0 for a NaN.
fn clamp(source: u32, low: f64) -> f64 {
    let value = f32::from_bits(source);
    if value.is_nan() { 0.0 } else { f64::from(value).clamp(low, 1.0) }
}

/// Bits after those of a component that its conversion looks at.
const GUARD: u32 = 4;

/// A number from -1 to 1 as a multiple of the largest component, which has this many bits: its magnitude is cut to
/// [`GUARD`] bits more, scaled, and rounded to nearest, ties toward zero. All steps are exact.
#[expect(clippy::cast_possible_truncation, reason = "a component has at most 16 bits")]
fn normalized(value: f64, largest: u32, bits: u32) -> i32 {
    let places = f64::from(1_u32 << (bits + GUARD));
    let scaled = (value.abs() * places).trunc() / places * f64::from(largest);
    ((scaled - 0.5).ceil()).copysign(value) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: f32, component: Component) -> u128 {
        convert(source.to_bits(), component).value.example()
    }

    #[test]
    fn floats_become_halves() {
        for (float, bits) in [
            (0.0, 0),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65520.0, 0x7bff),
            (-65536.0, 0xfbff),
            (f32::MAX, 0x7bff),
            (f32::INFINITY, 0x7c00),
            // Halfway between 1 and its successor, and between that and the next one.
            (1.000_488_3, 0x3c00),
            (1.001_464_8, 0x3c01),
            (1.999_999_9, 0x3fff),
            // The smallest normal half, the largest and the smallest subnormal half, and half of the smallest.
            (6.103_515_6e-5, 0x0400),
            (6.097_555e-5, 0x03ff),
            (5.960_464_5e-8, 1),
            (2.980_232_2e-8, 0),
            (2.980_232_6e-8, 0),
            (8.940_697e-8, 1),
            (1e-30, 0),
        ] {
            assert_eq!(of(float, Component::Float(16)), bits, "{float}");
        }
    }

    #[test]
    fn a_nan_stays_a_nan_and_an_infinity_an_infinity() {
        for (component, infinity) in [(Component::Float(16), 0x7c00), (Component::Float(32), 0x7f80_0000)] {
            for source in [0x7fc0_0000, 0xffff_ffff, 0x7f80_0001] {
                let Converted { value, undefined, .. } = convert(source, component);
                assert_eq!(undefined, Some(Undefined::NanPayload), "{source:x}");
                assert_eq!((value.wrong(value.example()), value.wrong(infinity | 1)), (0, 0), "{source:x}");
                assert_ne!(value.wrong(infinity), 0, "{source:x}");
            }
            assert_eq!(convert(0x7f80_0000, component).value.only(), Some(infinity));
        }
    }

    #[test]
    fn floats_become_normalized_integers() {
        for (float, component, bits) in [
            // Halfway, and halfway or more after the guard bits are cut off.
            (0.5, Component::Unorm(8), 127),
            (0.56 / 255.0, Component::Unorm(8), 0),
            (0.561 / 255.0, Component::Unorm(8), 1),
            (1.0, Component::Unorm(8), 255),
            (1.5, Component::Unorm(16), 0xffff),
            (-1.0, Component::Unorm(8), 0),
            (f32::NAN, Component::Unorm(8), 0),
            (0.499 / 255.0, Component::Unorm(8), 0),
            (-1.0, Component::Snorm(8), 0x81),
            (1.0, Component::Snorm(8), 0x7f),
            (-7.0, Component::Snorm(16), 0x8001),
            (0.5, Component::Snorm(8), 63),
            (-0.5, Component::Snorm(8), 0xc1),
            (-0.25, Component::Snorm(16), 0xe000),
        ] {
            assert_eq!(of(float, component), bits, "{float} {component:?}");
        }
    }

    #[test]
    fn integers_saturate() {
        let of = |source: i32, component| convert(source.cast_unsigned(), component).value.example();
        assert_eq!(of(256, Component::Unsigned(8)), 255);
        assert_eq!(of(-1, Component::Unsigned(16)), 0xffff);
        assert_eq!(of(-1, Component::Signed(8)), 0xff);
        assert_eq!(of(-129, Component::Signed(8)), 0x80);
        assert_eq!(of(i32::MAX, Component::Signed(16)), 0x7fff);
        assert_eq!(of(-5, Component::Signed(32)), 0xffff_fffb);
    }
}
