//! The manual's chapters of comparison and selection, and of logic and shift.

use crate::asked::{Asked, Open};
use crate::number::{Bits, bits, count, inverted, is_zero, less, lowered, raised, top};

pub(crate) const TABLE: &[(&str, crate::Opinion)] = &[
    ("and", and),
    ("cnot", cnot),
    ("lop3", lop3),
    ("not", not),
    ("or", or),
    ("selp", selp),
    ("set", set),
    ("setp", setp),
    ("shf", shf),
    ("shl", shl),
    ("shr", shr),
    ("slct", slct),
    ("xor", xor),
];

/// What a comparison says of two numbers of the same type.
pub(crate) fn compared(comparison: &str, a: &[bool], b: &[bool], signed: bool) -> bool {
    match comparison {
        "eq" => a == b,
        "ne" => a != b,
        "lt" | "lo" => less(a, b, signed),
        "le" | "ls" => !less(b, a, signed),
        "gt" | "hi" => less(b, a, signed),
        "ge" | "hs" => !less(a, b, signed),
        other => panic!("{other} is no comparison of integers"),
    }
}

/// The result of a comparison and the predicate that the line combines it with, if any: the value of the operand, so that its
/// `!` is done.
fn combined(asked: &Asked<'_>, test: bool, given: &[Bits]) -> bool {
    let other = || given[2][0];
    match asked.word("BoolOp") {
        "" => test,
        "and" => test && other(),
        "or" => test || other(),
        "xor" => test != other(),
        word => panic!("{word} is no Boolean operation"),
    }
}

fn set(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    if asked.form() == "packed" {
        let of = asked.of_type("type");
        let elements = (0..of.elements).flat_map(|element| {
            let at = element * of.size;
            let (a, b) = (&given[0][at..at + of.size], &given[1][at..at + of.size]);
            vec![compared(asked.word("CmpOp"), a, b, of.signed); of.size]
        });
        return Ok(vec![elements.collect()]);
    }
    let of = asked.of_type("stype");
    let test = compared(asked.word("CmpOp"), &given[0][..of.size], &given[1][..of.size], of.signed);
    let all = combined(asked, test, given);
    Ok(vec![match (asked.word("dtype"), all) {
        (_, false) => vec![false; 32],
        ("f32", true) => bits(0x3f80_0000, 32),
        (_, true) => vec![true; 32],
    }])
}

fn setp(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let of = asked.of_type("type");
    let test = compared(asked.word("CmpOp"), &given[0][..of.size], &given[1][..of.size], of.signed);
    let (p, q) = (vec![combined(asked, test, given)], vec![combined(asked, !test, given)]);
    Ok(if asked.has("q.type") { vec![p, q] } else { vec![p] })
}

fn selp(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let size = asked.of_type("type").size;
    Ok(vec![given[if given[2][0] { 0 } else { 1 }][..size].to_vec()])
}

fn slct(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let size = asked.of_type("dtype").size;
    Ok(vec![given[if top(&given[2][..32]) { 1 } else { 0 }][..size].to_vec()])
}

fn pairwise(asked: &Asked<'_>, given: &[Bits], of: impl Fn(bool, bool) -> bool) -> Result<Vec<Bits>, Open> {
    Ok(vec![(0..asked.of_type("type").size).map(|at| of(given[0][at], given[1][at])).collect()])
}

fn and(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    pairwise(asked, given, |a, b| a && b)
}

fn or(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    pairwise(asked, given, |a, b| a || b)
}

fn xor(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    pairwise(asked, given, |a, b| a != b)
}

fn not(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    Ok(vec![inverted(&given[0][..asked.of_type("type").size])])
}

fn cnot(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let size = asked.of_type("type").size;
    let mut result = vec![false; size];
    result[0] = is_zero(&given[0][..size]);
    Ok(vec![result])
}

/// The table has 0xf0, 0xcc and 0xaa for the sources: its place for three bits is four, two and one of them.
fn lop3(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let place = |at: usize| count(&[given[2][at], given[1][at], given[0][at]], 7);
    let result: Bits = (0..32).map(|at| given[3][place(at)]).collect();
    let some = !is_zero(&result);
    Ok(match asked.word("BoolOp") {
        "" => vec![result],
        "and" => vec![result, vec![some && given[4][0]]],
        "or" => vec![result, vec![some || given[4][0]]],
        other => panic!("{other} is no Boolean operation"),
    })
}

fn shf(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let amount = match asked.word("mode") {
        "clamp" => count(&given[2][..32], 32),
        "wrap" => count(&given[2][..5], 31),
        other => panic!("{other} is no mode"),
    };
    let all = [&given[0][..32], &given[1][..32]].concat();
    Ok(vec![if asked.has("l") {
        raised(&all, amount)[32..].to_vec()
    } else {
        lowered(&all, amount, false)[..32].to_vec()
    }])
}

fn shl(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let size = asked.of_type("type").size;
    Ok(vec![raised(&given[0][..size], count(&given[1][..32], size))])
}

fn shr(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let of = asked.of_type("type");
    let a = &given[0][..of.size];
    Ok(vec![lowered(a, count(&given[1][..32], of.size), of.signed && top(a))])
}
