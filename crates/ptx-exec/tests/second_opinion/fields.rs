//! The manual's chapter of integer arithmetic: searches for bits, bit fields, dot products.

use std::ops::Range;

use crate::asked::{Asked, Open};
use crate::number::{Bits, add, count, counted, inverted, is_zero, magnitude, product, resized, top};

pub(crate) const TABLE: &[(&str, crate::Opinion)] = &[
    ("bfe", bfe),
    ("bfi", bfi),
    ("bfind", bfind),
    ("bmsk", bmsk),
    ("brev", brev),
    ("clmad", clmad),
    ("clz", clz),
    ("dp2a", dp2a),
    ("dp4a", dp4a),
    ("fns", fns),
    ("popc", popc),
    ("szext", szext),
];

fn popc(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let size = asked.of_type("type").size;
    let mut ones = 0;
    for bit in &given[0][..size] {
        if *bit {
            ones += 1;
        }
    }
    Ok(vec![counted(ones, 32)])
}

fn clz(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let size = asked.of_type("type").size;
    let mut zeros = 0;
    while zeros < size && !given[0][size - 1 - zeros] {
        zeros += 1;
    }
    Ok(vec![counted(zeros, 32)])
}

fn bfind(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let of = asked.of_type("type");
    let mut a = given[0][..of.size].to_vec();
    if of.signed && top(&a) {
        a = inverted(&a);
    }
    for at in (0..of.size).rev() {
        if a[at] {
            let found = if asked.has("shiftamt") { of.size - 1 - at } else { at };
            return Ok(vec![counted(found, 32)]);
        }
    }
    Ok(vec![vec![true; 32]])
}

fn fns(_: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let (mask, offset) = (&given[0], &given[2][..32]);
    let base = count(&given[1][..32], 32);
    // The magnitude of the smallest offset has no 32 bits with a sign.
    if base == 32 || top(&magnitude(offset)) {
        return Err(Open);
    }
    if is_zero(offset) {
        return Ok(vec![if mask[base] { counted(base, 32) } else { vec![true; 32] }]);
    }
    let mut left = count(&magnitude(offset), 64) - 1;
    let mut at = Some(base);
    while let Some(here) = at.filter(|at| *at < 32) {
        if mask[here] {
            if left == 0 {
                return Ok(vec![counted(here, 32)]);
            }
            left -= 1;
        }
        at = if top(offset) { here.checked_sub(1) } else { Some(here + 1) };
    }
    Ok(vec![vec![true; 32]])
}

fn brev(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    Ok(vec![given[0][..asked.of_type("type").size].iter().rev().copied().collect()])
}

fn bfe(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let of = asked.of_type("type");
    let (a, msb) = (&given[0], of.size - 1);
    let (position, length) = (count(&given[1][..8], 255), count(&given[2][..8], 255));
    let sign = of.signed && length != 0 && a[(position + length - 1).min(msb)];
    Ok(vec![(0..=msb).map(|i| if i < length && position + i <= msb { a[position + i] } else { sign }).collect()])
}

fn bfi(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let size = asked.of_type("type").size;
    let (position, length) = (count(&given[2][..8], 255), count(&given[3][..8], 255));
    let mut result = given[1][..size].to_vec();
    let mut i = 0;
    while i < length && position + i < size {
        result[position + i] = given[0][i];
        i += 1;
    }
    Ok(vec![result])
}

fn szext(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let (a, signed) = (&given[0][..32], asked.of_type("type").signed);
    let wanted = match asked.word("mode") {
        "clamp" => count(&given[1][..32], 32),
        "wrap" => count(&given[1][..5], 31),
        other => panic!("{other} is no mode"),
    };
    Ok(vec![resized(&a[..wanted], signed, 32)])
}

fn bmsk(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let (from, width) = match asked.word("mode") {
        "clamp" => (count(&given[0][..32], 32), count(&given[1][..32], 32)),
        "wrap" => (count(&given[0][..5], 31), count(&given[1][..5], 31)),
        other => panic!("{other} is no mode"),
    };
    Ok(vec![(0..32).map(|at| at >= from && at < from + width).collect()])
}

/// The sum of a number and products of pairs of elements, whose bits these are.
fn dot(asked: &Asked<'_>, given: &[Bits], pairs: &[(Range<usize>, Range<usize>)]) -> Result<Vec<Bits>, Open> {
    let (signed_a, signed_b) = (asked.of_type("atype").signed, asked.of_type("btype").signed);
    let mut result = given[2][..32].to_vec();
    for (a, b) in pairs {
        let (a, b) = (resized(&given[0][a.clone()], signed_a, 32), resized(&given[1][b.clone()], signed_b, 32));
        result = add(&result, &product(&a, &b, true)[..32]);
    }
    Ok(vec![result])
}

fn dp4a(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    dot(asked, given, &[(0..8, 0..8), (8..16, 8..16), (16..24, 16..24), (24..32, 24..32)])
}

fn dp2a(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    match asked.word("mode") {
        "lo" => dot(asked, given, &[(0..16, 0..8), (16..32, 8..16)]),
        "hi" => dot(asked, given, &[(0..16, 16..24), (16..32, 24..32)]),
        other => panic!("{other} is no mode"),
    }
}

/// The product without carries, of which the line asks for a half, and the sum without carries.
fn clmad(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let mut all = [false; 128];
    for i in 0..64 {
        for j in 0..64 {
            all[i + j] ^= given[0][i] && given[1][j];
        }
    }
    let from = if asked.word("mode") == "hi" { 64 } else { 0 };
    Ok(vec![(0..64).map(|at| all[from + at] ^ given[2][at]).collect()])
}
