//! The manual's chapter of video instructions. Their intermediate results are signed numbers of enough bits for all.

use crate::asked::{Asked, Open};
use crate::choice::compared;
use crate::number::{
    Bits, add, count, counted, fits, inverted, less, lowered, magnitude, negated, product, raised, resized, saturated,
    sub, sum, top,
};

pub(crate) const TABLE: &[(&str, crate::Opinion)] = &[
    ("vabsdiff", scalar),
    ("vabsdiff2", simd),
    ("vabsdiff4", simd),
    ("vadd", scalar),
    ("vadd2", simd),
    ("vadd4", simd),
    ("vavrg2", simd),
    ("vavrg4", simd),
    ("vmad", vmad),
    ("vmax", scalar),
    ("vmax2", simd),
    ("vmax4", simd),
    ("vmin", scalar),
    ("vmin2", simd),
    ("vmin4", simd),
    ("vset", scalar),
    ("vset2", simd),
    ("vset4", simd),
    ("vshl", scalar),
    ("vshr", scalar),
    ("vsub", scalar),
    ("vsub2", simd),
    ("vsub4", simd),
];

/// The bits of an intermediate result: a shift to the left makes 65 of them.
const WIDE: usize = 72;
/// The bits of an element of an intermediate result.
const ELEMENT: usize = 34;

/// The part of a register that `b2`, `h1` or nothing names: its first bit and its size.
fn place(name: &str) -> (usize, usize) {
    let number = || usize::from(name.as_bytes()[1] - b'0');
    match name.as_bytes().first() {
        None => (0, 32),
        Some(b'b') => (number() * 8, 8),
        Some(b'h') => (number() * 16, 16),
        Some(_) => panic!("{name} names no part of a register"),
    }
}

/// The part of a source, sign- or zero-extended.
fn chosen(from: &[bool], part: &str, signed: bool) -> Bits {
    let (at, size) = place(part);
    resized(&from[at..at + size], signed, WIDE)
}

/// The operation of an opcode on two numbers.
fn operated(asked: &Asked<'_>, operation: &str, a: &[bool], b: &[bool]) -> Bits {
    match operation {
        "add" => add(a, b),
        "sub" => sub(a, b),
        "absdiff" => magnitude(&sub(a, b)),
        "min" => if less(a, b, true) { a } else { b }.to_vec(),
        "max" => if less(a, b, true) { b } else { a }.to_vec(),
        "avrg" => {
            let twice = add(a, b);
            let rounded = if top(&twice) { twice } else { add(&twice, &counted(1, twice.len())) };
            lowered(&rounded, 1, top(&rounded))
        }
        "set" => resized(&[compared(asked.word("cmp"), a, b, true)], false, a.len()),
        "shl" | "shr" => {
            let amount = if asked.word("mode") == "clamp" { count(&b[..32], 32) } else { count(&b[..5], 31) };
            if operation == "shl" { raised(a, amount) } else { lowered(a, amount, top(a)) }
        }
        other => panic!("{other} is no operation"),
    }
}

fn scalar(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let operation = asked.opcode().trim_start_matches('v').to_owned();
    let signed = asked.word("dtype") == "s32";
    let a = chosen(&given[0], asked.suffix("a", "asel"), asked.of_type("atype").signed);
    let b = chosen(&given[1], asked.suffix("b", "bsel"), asked.word("btype") == "s32");
    let mut result = operated(asked, &operation, &a, &b);
    let (at, size) = place(asked.word("dsel"));
    if asked.has("sat") {
        // The result that is clamped has 34 bits, but the shift to the left makes more of them.
        if !fits(&result, true, 34) {
            return Err(Open);
        }
        result = resized(&saturated(&result, signed, size), signed, WIDE);
    }
    let Some(c) = given.get(2) else { return Ok(vec![result[..32].to_vec()]) };
    if asked.has("dsel") {
        let merged = (0..32).map(|bit| if bit >= at && bit < at + size { result[bit - at] } else { c[bit] });
        return Ok(vec![merged.collect()]);
    }
    let operation = asked.word("op2");
    // Which of the numbers is less depends on the sign that the result has for the second operation.
    if operation != "add" && !fits(&result, signed, 32) {
        return Err(Open);
    }
    Ok(vec![operated(asked, operation, &result, &resized(&c[..32], signed, WIDE))[..32].to_vec()])
}

fn vmad(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let (signed_a, signed_b) = (asked.of_type("atype").signed, asked.of_type("btype").signed);
    let minus = asked.has("a.sign") != asked.has("b.sign");
    let signed = signed_a || signed_b || minus || asked.has("c.sign");
    let a = chosen(&given[0], asked.suffix("a", "asel"), signed_a);
    let b = chosen(&given[1], asked.suffix("b", "bsel"), signed_b);
    let all = product(&a, &b, true)[..128].to_vec();
    let all = if minus { negated(&all) } else { all };
    let c = &given[2][..32];
    let wide = resized(c, signed, 128);
    let whole = |c: &[bool]| final_result(asked, signed, sum(&all, c, asked.has("po")).0);
    if !asked.has("c.sign") {
        return Ok(vec![whole(&wide)]);
    }
    // The text has an unsigned c beside an unsigned product, the pseudo code the sign of its bits.
    let unsigned = negated(&resized(c, signed_a || signed_b || minus, 128));
    let result = whole(&sum(&resized(&inverted(c), true, 128), &[false; 128], true).0);
    if result == whole(&unsigned) { Ok(vec![result]) } else { Err(Open) }
}

/// The result of a multiplication and addition in its register, after its scaling and its clamp.
fn final_result(asked: &Asked<'_>, signed: bool, result: Bits) -> Bits {
    let scale = match asked.word("scale") {
        "" => 0,
        "shr7" => 7,
        "shr15" => 15,
        other => panic!("{other} is no scale"),
    };
    // An unsigned result of 64 bits has a zero above.
    let result = resized(&lowered(&result, scale, top(&result))[..64], signed, 65);
    if asked.has("sat") { saturated(&result, signed, 32) } else { result[..32].to_vec() }
}

/// The elements of both sources that a selector names, the first one of the line for the highest element of the result.
fn selected(given: &[Bits], selector: &str, default: &str, size: usize, signed: bool) -> Vec<Bits> {
    let all = [&given[0][..32], &given[1][..32]].concat();
    let selector = if selector.is_empty() { default } else { selector };
    let element = |digit: u8| {
        let at = usize::from(digit - b'0') * size;
        resized(&all[at..at + size], signed, ELEMENT)
    };
    selector.bytes().skip(1).map(element).rev().collect()
}

fn simd(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let (operation, elements) = asked.opcode()[1..].split_at(asked.opcode().len() - 2);
    let (size, defaults) = match elements {
        "2" => (16, ["h10", "h10", "h32"]),
        "4" => (8, ["b3210", "b3210", "b7654"]),
        other => panic!("{other} is no number of elements"),
    };
    let (signed_a, signed_b) = (asked.of_type("atype").signed, asked.of_type("btype").signed);
    let a = selected(given, asked.suffix("a", "asel"), defaults[1], size, signed_a);
    let b = selected(given, asked.suffix("b", "bsel"), defaults[2], size, signed_b);
    let mask = if asked.has("mask") { asked.word("mask") } else { defaults[0] };
    let c = &given[2][..32];
    let mut result = c.to_vec();
    for (element, (a, b)) in a.iter().zip(&b).enumerate() {
        if !mask.bytes().skip(1).any(|digit| usize::from(digit - b'0') == element) {
            continue;
        }
        let mut number = operated(asked, operation, a, b);
        if asked.has("sat") {
            number = saturated(&number, asked.word("dtype") == "s32", size);
        }
        if asked.has("add") {
            // "The sign of the intermediate result depends on dtype": a negative one that has none is not described.
            if asked.word("dtype") == "u32" && top(&number) {
                return Err(Open);
            }
            result = add(&result, &number[..32]);
        } else {
            result[element * size..(element + 1) * size].copy_from_slice(&number[..size]);
        }
    }
    Ok(vec![result])
}
