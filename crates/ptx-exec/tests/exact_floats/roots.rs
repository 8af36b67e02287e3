//! Square roots, which the library does not have: a root is the number whose square, or whose neighbours' squares, are on the
//! right sides of the number that it is of. The squares of up to 55 bits are exact in 113.

use ptx_exec::value::RoundingMode;
use rustc_apfloat::Float as _;
use rustc_apfloat::ieee::Quad;

use crate::library::{FORMATS, LibraryFormat, MODES};
use crate::numbers::{Fields, Sequence};

/// Roots of each of the larger formats.
const ROWS: u64 = 15_000;

fn core(of: &LibraryFormat, number: u128, mode: RoundingMode) -> u128 {
    of.format.rounded(of.format.value(number).square_root(), mode)
}

/// Panics if a root is wrong in some mode.
fn check(of: &LibraryFormat, number: u128) {
    let x = of.widen(number);
    let step = 1 << (of.format.infinity().trailing_zeros() - of.mantissa);
    let half = Quad::from_u128(1).value.scalbn(-1);
    for (mode, _) in MODES {
        let root = core(of, number, mode);
        let failed = || panic!("the root of {} {number:x} is not {root:x} ({mode:?})", of.name);
        if x.is_nan() || x.is_negative() && !x.is_zero() {
            assert!(of.format.is_nan(root), "{} {number:x}", of.name);
            continue;
        }
        if x.is_zero() || x.is_infinite() {
            assert_eq!(root, number, "{}", of.name);
            continue;
        }
        let [below, exact, above] = [root - step, root, root + step].map(|bits| of.widen(bits));
        let square = |number: Quad| (number * number).value;
        let between = |a: Quad, b: Quad| ((a + b).value * half).value;
        let is_right = match mode {
            RoundingMode::Up => square(below) < x && x <= square(exact),
            RoundingMode::Zero | RoundingMode::Down => square(exact) <= x && x < square(above),
            // A root is never in the middle of two numbers: its square would have too many bits.
            _ => square(between(below, exact)) < x && x < square(between(exact, above)),
        };
        if !is_right {
            failed();
        }
    }
}

#[test]
fn roots_of_all_numbers_of_16_bits() {
    let mut roots = 0;
    for of in FORMATS.iter().filter(|of| of.format.bits() <= 16 && of.name != "e4m3") {
        for number in 0..1 << of.format.bits() {
            check(of, number);
            roots += MODES.len();
        }
    }
    println!("{roots} roots of small formats");
}

#[test]
fn roots_of_drawn_numbers_and_next_to_halves() {
    let mut roots = 0;
    for of in FORMATS.iter().filter(|of| of.format.bits() > 16) {
        let (fields, mut from) = (Fields::new(*of), Sequence::new(5));
        for _ in 0..ROWS {
            let near = fields.exponent(&mut from);
            check(of, fields.drawn(&mut from, near));
            check(of, fields.hard_square(&mut from));
            roots += 2 * MODES.len();
        }
    }
    println!("{roots} roots of large formats");
}

#[test]
fn roots_on_this_machine() {
    for single in [true, false] {
        let of = LibraryFormat::named(if single { "f32" } else { "f64" });
        let (fields, mut from) = (Fields::new(of), Sequence::new(9));
        for _ in 0..16 * ROWS {
            let near = fields.exponent(&mut from);
            let number = fields.drawn(&mut from, near);
            let expected: u128 = match single {
                true => f32::from_bits(number as u32).sqrt().to_bits().into(),
                false => f64::from_bits(number as u64).sqrt().to_bits().into(),
            };
            let computed = core(&of, number, RoundingMode::NearestEven);
            assert!(
                of.agrees(computed, expected, RoundingMode::NearestEven),
                "{} {number:x}: {computed:x}, not {expected:x}",
                of.name
            );
        }
    }
}
