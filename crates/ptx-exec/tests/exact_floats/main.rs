//! The exact floats compared with others: LLVM's in their port to Rust, and those of this machine. Small formats are tried
//! with all their numbers, others with numbers that are hard to round and with drawn ones, each in all modes.

mod library;
mod numbers;
mod roots;
mod whole;

use std::thread;

use ptx_exec::value::{FloatFormat, FloatValue, RoundingMode};
use rustc_apfloat::Round;

use library::{Arithmetic, FORMATS, LibraryFormat, MODES};
use numbers::{Fields, Sequence};

/// Rows of numbers of each kind that the larger formats are tried with.
const ROWS: u64 = 8_000;
/// Rows that are compared with the arithmetic of this machine.
const MACHINE_ROWS: u64 = 1_000_000;

/// What the core makes of an operation.
fn core(of: FloatFormat, operation: Arithmetic, numbers: [u128; 3], mode: RoundingMode) -> u128 {
    of.rounded(operation.value(numbers.map(|bits| of.value(bits)), mode), mode)
}

/// Compares an operation in all modes. Returns how many results there were.
#[track_caller]
fn compare(of: &LibraryFormat, operation: Arithmetic, numbers: [u128; 3]) -> u64 {
    for (mode, round) in MODES {
        let computed = core(of.format, operation, numbers, mode);
        let expected = of.operate(operation, numbers, round);
        assert!(
            of.agrees(computed, expected, mode),
            "{} {operation:?} {numbers:x?} {mode:?}: {computed:x}, not {expected:x}",
            of.name
        );
    }
    MODES.len() as u64
}

/// The sums of what several threads count, each of a part of the same work.
fn in_parts(work: impl Fn(u64) -> u64 + Sync) -> u64 {
    thread::scope(|scope| {
        let parts = [0, 1].map(|part| {
            scope.spawn({
                let work = &work;
                move || work(part)
            })
        });
        parts.into_iter().map(|part| part.join().expect("no difference")).sum()
    })
}

#[test]
fn all_pairs_of_bytes() {
    let compared = in_parts(|part| {
        let of = LibraryFormat::named(["e5m2", "e4m3"][part as usize]);
        let two = [Arithmetic::Add, Arithmetic::Sub, Arithmetic::Mul, Arithmetic::Div];
        let pairs = (0..256).flat_map(|a| (0..256).map(move |b| [a, b, 0]));
        pairs.map(|numbers| two.map(|operation| compare(&of, operation, numbers)).iter().sum::<u64>()).sum()
    });
    println!("{compared} results of pairs of bytes");
}

#[test]
fn special_numbers_of_all_formats() {
    let mut compared = 0;
    for of in &FORMATS {
        let specials = Fields::new(*of).specials();
        for a in &specials {
            for b in &specials {
                for operation in [Arithmetic::Add, Arithmetic::Sub, Arithmetic::Mul, Arithmetic::Div] {
                    compared += compare(of, operation, [*a, *b, 0]);
                }
                for c in specials.iter().step_by(3) {
                    compared += compare(of, Arithmetic::MulAdd, [*a, *b, *c]);
                }
            }
        }
    }
    println!("{compared} results of special numbers");
}

/// Operations on drawn numbers, and on some that are hard for each.
fn drawn(of: &LibraryFormat, from: &mut Sequence) -> u64 {
    let fields = Fields::new(*of);
    let near = fields.exponent(from);
    let numbers = [near, near, 2 * near].map(|near| fields.drawn(from, near));
    let mut compared: u64 = Arithmetic::ALL.into_iter().map(|operation| compare(of, operation, numbers)).sum();
    let [a, b] = fields.hard_sum(from);
    compared += compare(of, Arithmetic::Add, [a, b, 0]) + compare(of, Arithmetic::Sub, [a, b, 0]);
    let [a, b] = fields.hard_quotient(from);
    compared += compare(of, Arithmetic::Div, [a, b, 0]);
    let [a, b] = fields.hard_product(from);
    compared += compare(of, Arithmetic::Mul, [a, b, 0]);
    // A hard product with next to nothing added, and with itself, rounded, taken away.
    let product = of.operate(Arithmetic::Mul, [a, b, 0], Round::TowardZero) ^ of.format.sign();
    for c in [numbers[2], product, [1, of.format.sign() | 2][from.below(2) as usize]] {
        compared += compare(of, Arithmetic::MulAdd, [a, b, c]);
    }
    compared
}

#[test]
fn numbers_that_are_hard_to_round() {
    let compared = in_parts(|part| {
        let mut from = Sequence::new(part);
        let large = FORMATS.iter().filter(|of| of.format.bits() > 8);
        large.map(|of| (0..ROWS).map(|_| drawn(of, &mut from)).sum::<u64>()).sum()
    });
    println!("{compared} results of numbers that are hard to round");
    assert!(compared > 10 * ROWS);
}

/// The arithmetic of this machine rounds to the nearest, and is another library.
fn on_machine(single: bool, operation: Arithmetic, numbers: [u128; 3]) -> u128 {
    macro_rules! operated {
        ($of:ident, $bits:ident) => {{
            let [a, b, c] = numbers.map(|bits| $of::from_bits(bits as $bits));
            let result = match operation {
                Arithmetic::Add => a + b,
                Arithmetic::Sub => a - b,
                Arithmetic::Mul => a * b,
                Arithmetic::Div => a / b,
                Arithmetic::MulAdd => a.mul_add(b, c),
            };
            result.to_bits().into()
        }};
    }
    if single { operated!(f32, u32) } else { operated!(f64, u64) }
}

#[test]
fn drawn_numbers_on_this_machine() {
    let compared = in_parts(|part| {
        let of = LibraryFormat::named(["f32", "f64"][part as usize]);
        let (fields, mut from, mut compared) = (Fields::new(of), Sequence::new(part + 7), 0);
        for row in 0..MACHINE_ROWS {
            let near = fields.exponent(&mut from);
            let [mut a, mut b] = [near, near].map(|near| fields.drawn(&mut from, near));
            if row % 8 == 0 {
                [a, b] = fields.hard_product(&mut from);
            }
            let numbers = [a, b, fields.drawn(&mut from, 2 * near)];
            let operation = Arithmetic::ALL[row as usize % 5];
            let computed = core(of.format, operation, numbers, RoundingMode::NearestEven);
            let expected = on_machine(part == 0, operation, numbers);
            assert!(
                of.agrees(computed, expected, RoundingMode::NearestEven),
                "{operation:?} {numbers:x?}: {computed:x}, not {expected:x}"
            );
            compared += 1;
        }
        compared
    });
    println!("{compared} results of this machine");
}

#[test]
fn orders_of_numbers() {
    let mut compared = 0;
    for of in &FORMATS {
        let (fields, mut from) = (Fields::new(*of), Sequence::new(3));
        let order = |a, b| of.format.value(a).order(of.format.value(b));
        let specials = fields.specials();
        let pairs = specials.iter().flat_map(|a| specials.iter().map(move |b| [*a, *b]));
        let drawn: Vec<_> = (0..20_000).map(|_| [0, 0].map(|near| fields.drawn(&mut from, near))).collect();
        for [a, b] in pairs.chain(drawn) {
            assert_eq!(order(a, b), of.order(a, b), "{} {a:x} {b:x}", of.name);
            assert_eq!(order(a, a), of.order(a, a), "{} {a:x}", of.name);
            compared += 2;
        }
    }
    println!("{compared} orders");
}

#[test]
fn small_numbers_flush_as_if_exponents_had_no_limits() {
    let (of, mut from, mut tiny) = (LibraryFormat::named("f32"), Sequence::new(11), 0_u64);
    let fields = Fields::new(of);
    for row in 0..60_000 {
        let [a, mut b] = fields.hard_product(&mut from);
        if row % 2 == 0 {
            // The product is next to the smallest normal number.
            b = u128::from((f32::MIN_POSITIVE / f32::from_bits(a as u32)).to_bits());
        }
        let value = of.format.value(a).times(of.format.value(b));
        let FloatValue::Finite(_) = value else { continue };
        for (mode, round) in MODES {
            let expected = library::is_tiny((of.widen(a) * of.widen(b)).value, round);
            assert_eq!(of.format.is_tiny(value, mode), expected, "{a:x} {b:x} {mode:?}");
            tiny += u64::from(expected);
        }
    }
    println!("{tiny} products were tiny");
    assert!(tiny > 10_000);
}
