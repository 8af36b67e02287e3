//! The manual's chapters of integer arithmetic and of extended precision: sums, products, quotients.

use crate::asked::{Asked, Open, Type};
use crate::number::{
    Bits, add, difference, division, is_zero, less, magnitude, negated, product, resized, saturated, sub, sum, top,
};

pub(crate) const TABLE: &[(&str, crate::Opinion)] = &[
    ("abs", abs),
    ("add", add_),
    ("addc", add_),
    ("div", div),
    ("mad", mad),
    ("mad24", mad24),
    ("madc", mad),
    ("max", max),
    ("min", min),
    ("mul", mul),
    ("mul24", mul24),
    ("neg", neg),
    ("rem", rem),
    ("sad", sad),
    ("sub", sub_),
    ("subc", sub_),
];

/// The same for each element.
fn each(of: Type, given: &[Bits], compute: impl Fn(&[&[bool]]) -> Bits) -> Result<Vec<Bits>, Open> {
    let mut result = Bits::new();
    for element in 0..of.elements {
        let at = element * of.size;
        let numbers: Vec<&[bool]> = given.iter().map(|bits| &bits[at..at + of.size]).collect();
        result.extend(compute(&numbers));
    }
    Ok(vec![result])
}

fn abs(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    each(asked.of_type("type"), given, |of| magnitude(of[0]))
}

fn neg(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    each(asked.of_type("type"), given, |of| negated(of[0]))
}

/// The carry that the line reads, if it does: all opcodes with a `c` at their end read it.
fn carry(given: &[Bits], sources: usize) -> bool {
    given.get(sources).is_some_and(|carry| carry[0])
}

fn with_carry(asked: &Asked<'_>, (result, carry): (Bits, bool)) -> Result<Vec<Bits>, Open> {
    Ok(if asked.has("cc") { vec![result, vec![carry]] } else { vec![result] })
}

fn add_(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let of = asked.of_type("type");
    if asked.has("sat") {
        let wide = |number: &[bool]| resized(number, of.signed, of.size + 2);
        return each(of, given, |n| saturated(&add(&wide(n[0]), &wide(n[1])), of.signed, of.size));
    }
    if of.elements == 1 {
        return with_carry(asked, sum(&given[0][..of.size], &given[1][..of.size], carry(given, 2)));
    }
    each(of, given, |n| add(n[0], n[1]))
}

fn sub_(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let of = asked.of_type("type");
    if asked.has("sat") {
        let wide = |number: &[bool]| resized(number, of.signed, of.size + 2);
        return each(of, given, |n| saturated(&sub(&wide(n[0]), &wide(n[1])), of.signed, of.size));
    }
    if of.elements == 1 {
        return with_carry(asked, difference(&given[0][..of.size], &given[1][..of.size], carry(given, 2)));
    }
    each(of, given, |n| sub(n[0], n[1]))
}

/// The part of a product that the line asks for.
fn part(asked: &Asked<'_>, slot: &str, of: Type, given: &[Bits]) -> Bits {
    let all = product(&given[0][..of.size], &given[1][..of.size], of.signed);
    match asked.word(slot) {
        "wide" => all,
        "hi" => all[of.size..].to_vec(),
        "lo" => all[..of.size].to_vec(),
        other => panic!("{other} is no part of a product"),
    }
}

fn mul(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    Ok(vec![part(asked, "part", asked.of_type("type"), given)])
}

fn plus(asked: &Asked<'_>, of: Type, term: &[bool], given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let size = term.len();
    if asked.has("sat") {
        let wide = |number: &[bool]| resized(number, of.signed, size + 2);
        return Ok(vec![saturated(&add(&wide(term), &wide(&given[2][..size])), of.signed, size)]);
    }
    with_carry(asked, sum(term, &given[2][..size], carry(given, 3)))
}

fn mad(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let of = asked.of_type("type");
    plus(asked, of, &part(asked, "part", of, given), given)
}

/// The upper or the lower 32 of the 48 bits of a product of 24-bit numbers.
fn part24(asked: &Asked<'_>, given: &[Bits]) -> Bits {
    let all = product(&given[0][..24], &given[1][..24], asked.of_type("type").signed);
    if asked.word("mode") == "hi" { all[16..].to_vec() } else { all[..32].to_vec() }
}

fn mul24(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    Ok(vec![part24(asked, given)])
}

fn mad24(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    plus(asked, asked.of_type("type"), &part24(asked, given), given)
}

fn sad(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let of = asked.of_type("type");
    each(of, given, |n| {
        let apart = if less(n[0], n[1], of.signed) { sub(n[1], n[0]) } else { sub(n[0], n[1]) };
        add(n[2], &apart)
    })
}

/// The lesser of the two numbers, or the greater one; not below zero with `.relu`.
fn extreme(asked: &Asked<'_>, given: &[Bits], least: bool) -> Result<Vec<Bits>, Open> {
    let of = asked.of_type("type");
    let relu = asked.has("relu");
    each(of, given, |n| {
        let first = if least { less(n[0], n[1], of.signed) } else { less(n[1], n[0], of.signed) };
        let chosen = if first { n[0] } else { n[1] };
        if relu && top(chosen) { vec![false; of.size] } else { chosen.to_vec() }
    })
}

fn min(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    extreme(asked, given, true)
}

fn max(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    extreme(asked, given, false)
}

/// The quotient, which has the sign of both numbers, and the remainder, which has the first one's.
fn divided(of: Type, given: &[Bits]) -> Result<(Bits, Bits), Open> {
    let (a, b) = (&given[0][..of.size], &given[1][..of.size]);
    if is_zero(b) {
        return Err(Open);
    }
    if !of.signed {
        return Ok(division(a, b));
    }
    let (quotient, rest) = division(&magnitude(a), &magnitude(b));
    Ok((if top(a) == top(b) { quotient } else { negated(&quotient) }, if top(a) { negated(&rest) } else { rest }))
}

fn div(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let of = asked.of_type("type");
    let quotient = divided(of, given)?.0;
    // The quotient of the least number and -1 has no place in the type, whereas their remainder is zero.
    let same_sign = top(&given[0][..of.size]) == top(&given[1][..of.size]);
    if of.signed && same_sign && top(&quotient) { Err(Open) } else { Ok(vec![quotient]) }
}

fn rem(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    Ok(vec![divided(asked.of_type("type"), given)?.1])
}
