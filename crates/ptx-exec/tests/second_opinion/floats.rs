//! The manual's chapters of floating-point, half precision and mixed precision, and comparisons of floats.

use rustc_apfloat::ieee::Quad;
use rustc_apfloat::{Float as _, Round};

use crate::asked::{Asked, Open};
use crate::float::{FloatType, mode, product, quotient, square_root, sum};
use crate::number::{Bits, bits, value};

pub(crate) const TABLE: &[(&str, crate::Opinion)] = &[
    ("abs", abs),
    ("add", add),
    ("copysign", copysign),
    ("div", div),
    ("fma", fma),
    ("mad", fma),
    ("max", max),
    ("min", min),
    ("mul", mul),
    ("neg", neg),
    ("rcp", rcp),
    ("set", set),
    ("setp", setp),
    ("slct", slct),
    ("sqrt", sqrt),
    ("sub", sub),
    ("testp", testp),
];

/// The types of the sources: those of their own slots, or the type of the result.
pub(crate) fn sources(asked: &Asked<'_>) -> Vec<Option<FloatType>> {
    let first = |slots: &[&str]| slots.iter().find_map(|slot| FloatType::named(asked.word(slot)));
    let (a, b, c) = (["atype", "abtype", "type"], ["btype", "abtype", "type"], ["ctype", "type"]);
    match asked.opcode() {
        "add" | "sub" | "mul" => vec![first(&a), first(&c)],
        "fma" | "mad" => vec![first(&a), first(&b), first(&c)],
        "set" => vec![first(&["stype"]); 2],
        "slct" => vec![None, None, first(&["ctype"])],
        "cvt" => vec![crate::conversions::types(asked).0; 2],
        _ => vec![first(&["type"]); 3],
    }
}

/// True if what a line computes depends on floats, or is one: of a selection by an integer, it does not.
pub(crate) fn are_computed(asked: &Asked<'_>) -> bool {
    match asked.opcode() {
        "cvt" => {
            let (from, to) = crate::conversions::types(asked);
            from.is_some() || to.is_some()
        }
        opcode if !TABLE.iter().any(|(name, _)| *name == opcode) => false,
        _ => sources(asked).iter().any(Option::is_some),
    }
}

/// Number by number: the elements of the sources, with subnormal ones flushed if the line says so.
fn each(asked: &Asked<'_>, given: &[Bits], compute: impl Fn(&[(FloatType, u128)]) -> u128) -> Result<Vec<Bits>, Open> {
    let of = asked.float("type");
    let types = sources(asked);
    let mut result = Bits::new();
    for element in 0..of.elements {
        let number = |(bits, of): (&Bits, &Option<FloatType>)| {
            let of = of.expect("a source is a float");
            let number = value(&bits[element * of.storage..(element + 1) * of.storage]);
            (of, if asked.has("ftz") && of.is_flushed() { of.flushed(number) } else { number })
        };
        let numbers: Vec<(FloatType, u128)> = given.iter().zip(&types).map(number).collect();
        result.extend(bits(compute(&numbers), of.storage));
    }
    Ok(vec![result])
}

/// What a line makes of a value: rounded, flushed, saturated.
pub(crate) fn finished(asked: &Asked<'_>, of: FloatType, value: Quad, mode: Round, flushes: bool) -> u128 {
    if value.is_nan() {
        return match () {
            () if asked.has("sat") => 0,
            () if !of.has_nans() => of.most(),
            // How a tf32 is laid out is left to the implementation.
            () if asked.has("relu") && !asked.has("tf32") => of.canonical_nan(),
            () => asked.any_nan(of),
        };
    }
    if value.is_negative() && (asked.has("relu") || asked.has("sat")) {
        return 0;
    }
    if flushes && of.is_tiny(value, mode) {
        return if value.is_negative() { of.sign() } else { 0 };
    }
    let rounded = of.rounded(value, mode);
    let (sign, magnitude) = (rounded & of.sign(), rounded & !of.sign());
    match () {
        () if asked.has("sat") && of.value(rounded) > Quad::from_u128(1).value => {
            of.rounded(Quad::from_u128(1).value, Round::TowardZero)
        }
        () if asked.has("satfinite") => sign | magnitude.min(of.most()),
        () => rounded,
    }
}

/// Each number of the result from the values of the sources.
fn computed(asked: &Asked<'_>, given: &[Bits], compute: impl Fn(&[Quad], Round) -> Quad) -> Result<Vec<Bits>, Open> {
    let (of, mode) = (asked.float("type"), mode(asked.word("rnd")));
    each(asked, given, |numbers| {
        let values: Vec<Quad> = numbers.iter().map(|(of, bits)| of.value(*bits)).collect();
        finished(asked, of, compute(&values, mode), mode, asked.has("ftz") && of.is_flushed())
    })
}

fn add(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    computed(asked, given, |n, mode| sum(n[0], n[1], mode))
}

fn sub(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    computed(asked, given, |n, mode| sum(n[0], -n[1], mode))
}

fn mul(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    computed(asked, given, |n, _| product(n[0], n[1]))
}

/// The NaN that stands for what is out of bounds, without its sign: written nowhere, but measured on an H100.
const OUT_OF_BOUNDS: u128 = 0x7ff7;

/// "Clamps the result to 0 if either of the operands is OOB NaN".
fn fma(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    if !asked.has("oob") {
        return computed(asked, given, |n, mode| sum(product(n[0], n[1]), n[2], mode));
    }
    let (of, mode) = (asked.float("type"), mode(asked.word("rnd")));
    each(asked, given, |numbers| {
        let n: Vec<Quad> = numbers.iter().map(|(of, bits)| of.value(*bits)).collect();
        match numbers[..2].iter().any(|(of, bits)| bits & !of.sign() == OUT_OF_BOUNDS) {
            true => 0,
            false => finished(asked, of, sum(product(n[0], n[1]), n[2], mode), mode, false),
        }
    })
}

fn div(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    computed(asked, given, |n, _| quotient(n[0], n[1]))
}

fn rcp(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    computed(asked, given, |n, _| quotient(Quad::from_u128(1).value, n[0]))
}

fn sqrt(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    computed(asked, given, |n, _| square_root(n[0]))
}

/// A number with its sign changed; "NaN inputs yield an unspecified NaN".
fn resigned(asked: &Asked<'_>, given: &[Bits], sign: impl Fn(bool) -> bool) -> Result<Vec<Bits>, Open> {
    each(asked, given, |numbers| {
        let (of, number) = numbers[0];
        let magnitude = number & !of.sign();
        match () {
            () if of.is_nan(number) => asked.any_nan(of),
            () if sign(number != magnitude) => magnitude | of.sign(),
            () => magnitude,
        }
    })
}

/// A NaN of 64 bits stays as it is.
fn abs(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    match asked.word("type") == "f64" {
        true => each(asked, given, |numbers| {
            let (of, number) = numbers[0];
            if of.is_nan(number) { number } else { number & !of.sign() }
        }),
        false => resigned(asked, given, |_| false),
    }
}

fn neg(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    resigned(asked, given, |negative| !negative)
}

fn copysign(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    each(asked, given, |numbers| {
        let ((of, a), (_, b)) = (numbers[0], numbers[1]);
        a & of.sign() | b & !of.sign()
    })
}

/// The pseudo code of both pages; a zero with a minus is less than one without.
fn extreme(asked: &Asked<'_>, given: &[Bits], least: bool) -> Result<Vec<Bits>, Open> {
    each(asked, given, |numbers| {
        let of = numbers[0].0;
        let absolute = asked.has("abs") || asked.has("xorsign");
        let inputs: Vec<u128> =
            numbers.iter().map(|(_, bits)| if absolute { bits & !of.sign() } else { *bits }).collect();
        let nans = inputs.iter().filter(|bits| of.is_nan(**bits)).count();
        if asked.has("NaN") && nans > 0 {
            return of.canonical_nan();
        }
        if nans == inputs.len() {
            return asked.any_nan(of);
        }
        let rank = |bits: u128| (of.value(bits), bits & of.sign() == 0);
        let mut left: Vec<u128> = inputs.into_iter().filter(|bits| !of.is_nan(*bits)).collect();
        left.sort_by(|a, b| rank(*a).partial_cmp(&rank(*b)).expect("no NaN"));
        let found = if least { left[0] } else { left[left.len() - 1] };
        let sign = numbers.iter().filter(|(_, bits)| bits & of.sign() != 0).count() % 2 == 1;
        if !asked.has("xorsign") {
            found
        } else if sign {
            found | of.sign()
        } else {
            found & !of.sign()
        }
    })
}

fn min(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    extreme(asked, given, true)
}

fn max(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    extreme(asked, given, false)
}

fn testp(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let of = asked.float("type");
    let number = value(&given[0][..of.storage]);
    let a = of.value(number);
    Ok(vec![vec![match asked.word("op") {
        "finite" => a.is_finite(),
        "infinite" => a.is_infinite(),
        "number" => !a.is_nan(),
        "notanumber" => a.is_nan(),
        "normal" => a.is_finite() && !of.is_subnormal(number),
        "subnormal" => of.is_subnormal(number),
        other => panic!("{other} is no test"),
    }]])
}

/// What a comparison says of two elements.
fn compared(asked: &Asked<'_>, of: FloatType, given: &[Bits], element: usize) -> bool {
    let number = |bits: &Bits| {
        let number = value(&bits[element * of.storage..(element + 1) * of.storage]);
        of.value(if asked.has("ftz") && of.is_flushed() { of.flushed(number) } else { number })
    };
    let (a, b) = (number(&given[0]), number(&given[1]));
    let unordered = a.is_nan() || b.is_nan();
    let ordered = |name: &str| match name {
        "eq" => a == b,
        "ne" => a != b,
        "lt" => a < b,
        "le" => a <= b,
        "gt" => a > b,
        "ge" => a >= b,
        other => panic!("{other} is no comparison of floats"),
    };
    match asked.word("CmpOp") {
        "num" => !unordered,
        "nan" => unordered,
        name => match name.strip_suffix('u') {
            Some(name) => unordered || ordered(name),
            None => !unordered && ordered(name),
        },
    }
}

/// The result of a comparison, combined with the predicate if there is one.
fn combined(asked: &Asked<'_>, test: bool, given: &[Bits]) -> bool {
    match asked.word("BoolOp") {
        "" => test,
        "and" => test && given[2][0],
        "or" => test || given[2][0],
        "xor" => test != given[2][0],
        word => panic!("{word} is no Boolean operation"),
    }
}

fn set(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let of = asked.float("stype");
    let dtype = asked.word("dtype");
    let mut result = Bits::new();
    for element in 0..of.elements {
        let test = combined(asked, compared(asked, of, given, element), given);
        result.extend(match FloatType::named(dtype) {
            Some(to) if test => bits(to.rounded(Quad::from_u128(1).value, Round::TowardZero), to.storage),
            Some(to) => vec![false; to.storage],
            None => vec![test; asked.of_type("dtype").size / of.elements],
        });
    }
    Ok(vec![result])
}

fn setp(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let of = asked.float("type");
    let test = compared(asked, of, given, 0);
    let second = if of.elements == 2 { compared(asked, of, given, 1) } else { !test };
    let (p, q) = (vec![combined(asked, test, given)], vec![combined(asked, second, given)]);
    Ok(if asked.has("q.type") { vec![p, q] } else { vec![p] })
}

/// "If operand c is NaN, the comparison is ordered and operand b is selected."
fn slct(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let of = asked.float("ctype");
    let size = asked.of_type("dtype").size;
    let number = value(&given[2][..of.storage]);
    let c = of.value(if asked.has("ftz") { of.flushed(number) } else { number });
    Ok(vec![given[if c >= Quad::ZERO { 0 } else { 1 }][..size].to_vec()])
}
