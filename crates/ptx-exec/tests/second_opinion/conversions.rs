//! The manual's page of conversions, where one side is a float.

use rustc_apfloat::Float as _;
use rustc_apfloat::ieee::Quad;

use crate::asked::{Asked, Open};
use crate::float::{FloatType, mode};
use crate::floats::finished;
use crate::number::{Bits, bits, resized, saturated, top, value};

pub(crate) const TABLE: &[(&str, crate::Opinion)] = &[("cvt", cvt)];

/// The types of the source and of the result, as far as they are floats. Some forms have one in their syntax.
pub(crate) fn types(asked: &Asked<'_>) -> (Option<FloatType>, Option<FloatType>) {
    let (before, after) = asked.form().split_once("-from-").unwrap_or((asked.form(), ""));
    let written = |slot: &str, otherwise: &str| match asked.word(slot) {
        "" => FloatType::named(otherwise),
        word => FloatType::named(word),
    };
    let to = if before == "tf32-away" { "tf32" } else { before };
    let from = if after.is_empty() { "f32" } else { after };
    (written("atype", from), written("dtype", to))
}

fn cvt(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    match types(asked) {
        (Some(from), Some(to)) => between_floats(asked, from, to, given),
        (Some(from), None) => to_integer(asked, from, given),
        (None, Some(to)) => from_integer(asked, to, given),
        (None, None) => panic!("{} has no float", asked.form()),
    }
}

/// A source, of which `.ftz` flushes subnormal numbers if it is `.f32`.
fn read(asked: &Asked<'_>, of: FloatType, number: &[bool]) -> Quad {
    let number = value(number);
    of.value(if asked.has("ftz") && of.is_single() { of.flushed(number) } else { number })
}

/// The word of a rounding of floats; without one, nothing is rounded.
fn rounding<'a>(asked: &'a Asked<'_>) -> &'a str {
    if asked.form() == "tf32-away" {
        return "rna";
    }
    match ["frnd", "frnd2", "frnd3", "frnd4"].map(|slot| asked.word(slot)).into_iter().find(|word| !word.is_empty()) {
        Some(word) => word,
        None => "rn",
    }
}

fn between_floats(asked: &Asked<'_>, from: FloatType, to: FloatType, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let mode_of_floats = mode(rounding(asked));
    let convert = |number: &[bool]| {
        let mut number = read(asked, from, number);
        if asked.has("irnd") {
            number = number.round_to_integral(mode(asked.word("irnd"))).value;
        }
        bits(finished(asked, to, number, mode_of_floats, asked.has("ftz") && to.is_single()), to.storage)
    };
    let elements: Vec<&[bool]> = match from.elements {
        // The first source is the upper part of the result.
        1 => given.iter().rev().map(|number| &number[..from.storage]).collect(),
        count => given[0][..count * from.storage].chunks(from.storage).collect(),
    };
    Ok(vec![elements.into_iter().flat_map(convert).collect()])
}

/// What a NaN becomes depends on the types; what does not fit is the nearest number that does.
fn to_integer(asked: &Asked<'_>, from: FloatType, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let to = asked.of_type("dtype");
    let number = read(asked, from, &given[0][..from.storage]);
    if number.is_nan() {
        let mut result = vec![false; to.size];
        result[to.size - 1] = asked.word("atype") == "f64" || to.size == 64;
        return Ok(vec![result]);
    }
    let rounded = number.round_to_integral(mode(asked.word("irnd"))).value;
    // 100 bits are enough for all numbers that fit, and what does not is saturated twice.
    let whole = rounded.to_i128(100).value.cast_unsigned();
    Ok(vec![saturated(&bits(whole, 128), to.signed, to.size)])
}

fn from_integer(asked: &Asked<'_>, to: FloatType, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let from = asked.of_type("atype");
    let number = &given[0][..from.size];
    let wide = value(&resized(number, from.signed, 128)).cast_signed();
    assert_eq!(wide < 0, from.signed && top(number));
    let mode = mode(rounding(asked));
    let value = Quad::from_i128(wide).value;
    Ok(vec![bits(finished(asked, to, value, mode, asked.has("ftz") && to.is_single()), to.storage)])
}
