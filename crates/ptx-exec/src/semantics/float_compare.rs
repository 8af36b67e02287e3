//! Comparison of floats, and selection by the sign of one. PTX ISA `comparison-and-selection-instructions`,
//! `half-precision-comparison-instructions`.

use std::cmp::Ordering;

use super::float_result::exact;
use super::modes::Modes;
use super::{Computation, Unmodelled};

/// A comparison of two floats, by their order, if they have one.
type FloatTest = fn(Option<Ordering>) -> bool;

/// The comparison of a modifier. With `u` at its end, it is also true of a NaN.
fn float_test(m: &Modes<'_>) -> Result<FloatTest, Unmodelled> {
    Ok(match m.value("CmpOp") {
        ".eq" => |order| order.is_some_and(Ordering::is_eq),
        ".ne" => |order| order.is_some_and(Ordering::is_ne),
        ".lt" => |order| order.is_some_and(Ordering::is_lt),
        ".le" => |order| order.is_some_and(Ordering::is_le),
        ".gt" => |order| order.is_some_and(Ordering::is_gt),
        ".ge" => |order| order.is_some_and(Ordering::is_ge),
        ".equ" => |order| order.is_none_or(Ordering::is_eq),
        ".neu" => |order| order.is_none_or(Ordering::is_ne),
        ".ltu" => |order| order.is_none_or(Ordering::is_lt),
        ".leu" => |order| order.is_none_or(Ordering::is_le),
        ".gtu" => |order| order.is_none_or(Ordering::is_gt),
        ".geu" => |order| order.is_none_or(Ordering::is_ge),
        ".num" => |order| order.is_some(),
        ".nan" => |order| order.is_none(),
        other => return Err(m.unmodelled(other)),
    })
}

/// Of two numbers, the second predicate gets the opposite; of two pairs, it gets the comparison of the upper halves.
pub(super) fn setp(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let (test, combine) = (float_test(m)?, m.combination()?);
    let input = m.float_input(0)?;
    let pairs = m.source_elements(0)? == 2;
    if pairs && m.results()?.len() == 1 {
        return Err(Unmodelled("the manual does not say what one predicate of two comparisons is".to_owned()));
    }
    m.float_predicates(pairs, move |at, given| {
        let found = test(input.value(given[0]).order(input.value(given[1])));
        let found = if at == 1 && !pairs { !found } else { found };
        exact(combine.map_or(found, |combine| combine(found, given[2] == 1)).into())
    })
}

/// Integers get all bits, floats 1.0.
pub(super) fn set(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let (test, combine) = (float_test(m)?, m.combination()?);
    let input = m.float_input(0)?;
    let yes = match m.result_format() {
        Ok(format) => format.one(),
        Err(_) => {
            u128::from(u32::MAX) >> (if m.source_elements(0)? == 2 { 16 } else { 32 - m.results()?[0].bits.min(32) })
        }
    };
    m.float_elements(move |_, given| {
        let found = test(input.value(given[0]).order(input.value(given[1])));
        let found = combine.map_or(found, |combine| combine(found, given[2] == 1));
        exact(if found { yes } else { 0 })
    })
}

/// The first source if the third is at least zero, of either sign; of a NaN, the second.
pub(super) fn slct(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let input = m.float_input(2)?;
    m.with_floats_as_bits().float_elements(move |_, given| {
        let value = input.value(given[2]);
        exact(if value.is_nan() || value.is_negative() && !value.is_zero() { given[1] } else { given[0] })
    })
}
