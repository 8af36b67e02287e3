//! Conversions: between formats, from and to integers, and what the numbers of the small formats are.

use std::cmp::Ordering;

use ptx_exec::value::{FloatFormat, FloatValue};

use crate::library::{FINITE, FORMATS, LibraryFormat, MODES};
use crate::numbers::{Fields, Sequence};

/// Drawn numbers of each of the larger formats.
const ROWS: usize = 15_000;

/// All numbers of a small format, and many of others.
fn numbers(of: &LibraryFormat, from: &mut Sequence) -> Vec<u128> {
    if of.format.bits() <= 16 {
        return (0..1 << of.format.bits()).collect();
    }
    let fields = Fields::new(*of);
    let drawn = |_| {
        let near = match from.below(2) {
            0 => fields.exponent(from),
            _ => from.below(300) as i64 - 150,
        };
        fields.drawn(from, near)
    };
    (0..ROWS).map(drawn).collect()
}

/// A number in each half of a last place of a smaller format, and next to it: its digits after those are zeros, ones, a half.
fn near_halves(of: &LibraryFormat, to: &LibraryFormat, from: &mut Sequence) -> u128 {
    let Some(cut) = of.mantissa.checked_sub(to.mantissa) else { return 0 };
    let place = cut + of.format.infinity().trailing_zeros() - of.mantissa + from.below(4) as u32;
    let number = Fields::new(*of).drawn(from, 0) & !((1 << place) - 1);
    let half = 1 << (place.max(1) - 1);
    number | [0, half, half | 1, half - 1][from.below(4) as usize]
}

#[test]
fn conversions_between_formats() {
    let (mut from, mut compared) = (Sequence::new(21), 0_u64);
    for of in &FORMATS {
        let tried = numbers(of, &mut from);
        for to in FORMATS.iter().chain(&FINITE) {
            let halves = (0..ROWS / 4).map(|_| near_halves(of, to, &mut from));
            let halves: Vec<u128> = halves.map(|bits| bits >> of_padding(of) << of_padding(of)).collect();
            for number in tried.iter().chain(&halves) {
                compared += converted(of, to, *number);
            }
        }
    }
    println!("{compared} conversions between formats");
}

/// The bits below the mantissa.
fn of_padding(of: &LibraryFormat) -> u32 {
    of.format.infinity().trailing_zeros() - of.mantissa
}

/// Compares a conversion in all modes.
fn converted(of: &LibraryFormat, to: &LibraryFormat, number: u128) -> u64 {
    let (value, wide) = (of.format.value(number), of.widen(number));
    if !to.format.has_nans() && value.is_nan() {
        return 0;
    }
    for (mode, round) in MODES {
        let expected = if to.format.has_nans() { to.narrow(wide, round) } else { to.narrow_finite(wide, round) };
        let computed = to.format.rounded(value, mode);
        assert!(
            to.agrees(computed, expected, mode),
            "{} {number:x} as {} ({mode:?}): {computed:x}, not {expected:x}",
            of.name,
            to.name
        );
    }
    MODES.len() as u64
}

/// The integers that a signed or unsigned type of this size has.
fn limits(bits: u32, signed: bool) -> (i128, i128) {
    if signed { (-1 << (bits - 1), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

#[test]
fn floats_as_integers() {
    let (mut from, mut compared) = (Sequence::new(22), 0_u64);
    for of in FORMATS.iter().filter(|of| of.format.bits() >= 16) {
        let fields = Fields::new(*of);
        let mut tried = numbers(of, &mut from);
        tried.extend((0..ROWS / 2).map(|row| fields.drawn(&mut from, [0, 8, 16, 31, 32, 53, 63, 64][row % 8])));
        for (at, number) in tried.into_iter().enumerate() {
            let (bits, signed) = (8 << (at % 4), at / 4 % 2 == 0);
            for (mode, round) in MODES {
                let computed = of.format.value(number).to_integer(mode, limits(bits, signed));
                let expected = of.as_integer(number, bits, signed, round);
                assert_eq!(computed.is_none(), of.format.is_nan(number));
                assert_eq!(computed.unwrap_or(0), expected, "{} {number:x} {mode:?} {bits} {signed}", of.name);
                compared += 1;
            }
        }
    }
    println!("{compared} floats as integers");
}

#[test]
fn floats_rounded_to_integers() {
    let mut from = Sequence::new(24);
    for of in FORMATS.iter().filter(|of| of.format.bits() >= 16) {
        for number in numbers(of, &mut from) {
            let FloatValue::Finite(value) = of.format.value(number) else { continue };
            for (mode, round) in MODES {
                let computed = of.format.rounded(FloatValue::Finite(value.rounded_to_integer(mode)), mode);
                let expected = of.round_to_integral(number, round);
                assert_eq!(computed, expected, "{} {number:x} {mode:?}", of.name);
            }
        }
    }
}

#[test]
fn integers_as_floats() {
    let (mut from, mut compared) = (Sequence::new(23), 0_u64);
    for of in &FORMATS {
        for row in 0..ROWS {
            let near = (1 << from.below(64)) + i128::from(from.next() % 5) - 2;
            let number = match row % 4 {
                0 => i128::from(from.next()) >> from.below(64),
                1 => i128::from(from.next().cast_signed()) >> from.below(64),
                2 => near,
                _ => near + (1 << from.below(62)),
            };
            for (mode, round) in MODES {
                let computed = of.format.rounded(FloatValue::integer(number), mode);
                let expected = of.of_integer(number, round);
                assert!(
                    of.agrees(computed, expected, mode),
                    "{number} as {} {mode:?}: {computed:x} {expected:x}",
                    of.name
                );
                compared += 1;
            }
        }
    }
    println!("{compared} integers as floats");
}

/// A number of a small format by its definition: signs, exponent bits, mantissa bits.
fn defined(bits: u32, (exponent, mantissa): (u32, u32)) -> f64 {
    let (field, fraction) = (bits >> mantissa & ((1 << exponent) - 1), f64::from(bits & ((1 << mantissa) - 1)));
    let bias = (1 << (exponent - 1)) - 1;
    let scale = 2_f64.powi(field.max(1) as i32 - bias);
    let magnitude = (f64::from(u8::from(field != 0)) + fraction / f64::from(1 << mantissa)) * scale;
    if bits >> (exponent + mantissa) & 1 == 1 { -magnitude } else { magnitude }
}

/// The Open Compute Project's formats, and the unsigned ones.
#[test]
fn numbers_of_small_formats_are_those_of_their_definitions() {
    let small = [
        (FloatFormat::E5M2, 8, (5, 2)),
        (FloatFormat::E4M3, 8, (4, 3)),
        (FloatFormat::E3M2, 6, (3, 2)),
        (FloatFormat::E2M3, 6, (2, 3)),
        (FloatFormat::E2M1, 4, (2, 1)),
        (FloatFormat::UE5M3, 8, (5, 3)),
    ];
    for (format, size, fields) in small {
        assert_eq!(format.bits(), size);
        for bits in 0..1_u32 << size {
            let value = format.value(bits.into());
            let magnitude = bits & ((1 << (fields.0 + fields.1)) - 1);
            let is_nan = match format {
                FloatFormat::E5M2 => magnitude > 0x7c,
                FloatFormat::E4M3 => magnitude == 0x7f,
                FloatFormat::UE5M3 => magnitude == 0xff,
                _ => false,
            };
            let is_infinite = format == FloatFormat::E5M2 && magnitude == 0x7c;
            assert_eq!((value.is_nan(), matches!(value, FloatValue::Infinite { .. })), (is_nan, is_infinite));
            if is_nan || is_infinite {
                continue;
            }
            let number = defined(bits, fields);
            let same = FloatFormat::F64.value(number.to_bits().into());
            assert_eq!(value.order(same), Some(Ordering::Equal), "{format:?} {bits:x}");
            assert_eq!(value.is_negative(), number.is_sign_negative(), "{format:?} {bits:x}");
        }
    }
    for bits in 0..255_u32 {
        let power = FloatFormat::F64.value(2_f64.powi(bits as i32 - 127).to_bits().into());
        assert_eq!(FloatFormat::UE8M0.value(bits.into()).order(power), Some(Ordering::Equal));
    }
    assert!(FloatFormat::UE8M0.value(255).is_nan());
}
