//! Comparison and selection. PTX ISA `comparison-and-selection-instructions`.

use super::float_compare;
use super::modes::Modes;
use super::{Computation, Dependence, Unmodelled};

/// The second predicate gets the opposite of the comparison, combined in the same way.
pub(super) fn setp(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if m.has_floats() {
        return float_compare::setp(m);
    }
    let compare = m.comparison("CmpOp")?;
    match m.combination()? {
        None => m.map(move |[a, b]| [compare(a, b), !compare(a, b)].map(i128::from)),
        Some(combine) => m.map(move |[a, b, c]| {
            let found = compare(a, b);
            [found, !found].map(|found| combine(found, c == 1).into())
        }),
    }
}

/// Integers get all bits, a float gets 1.0.
pub(super) fn set(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if m.source_format(0).is_ok() {
        return float_compare::set(m);
    }
    let compare = m.comparison("CmpOp")?;
    if m.value("stype").is_empty() {
        return m.map(move |[a, b]| [-i128::from(compare(a, b))]);
    }
    m.number("stype")?;
    let yes: i128 = match m.value("dtype") {
        ".f32" => 0x3f80_0000,
        _ if m.number("dtype").is_ok() => -1,
        other => return Err(m.unmodelled(other)),
    };
    match m.combination()? {
        None => m.with_floats_as_bits().map(move |[a, b]| [if compare(a, b) { yes } else { 0 }]),
        Some(combine) => {
            m.with_floats_as_bits().map(move |[a, b, c]| [if combine(compare(a, b), c == 1) { yes } else { 0 }])
        }
    }
}

pub(super) fn selp(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let selected = m.with_floats_as_bits().map(|[a, b, c]| [if c == 1 { a } else { b }]);
    Ok(selected?.depending(Dependence::One(&[2])))
}

pub(super) fn slct(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if m.number("ctype").is_err() {
        return float_compare::slct(m);
    }
    let selected = m.with_floats_as_bits().map(|[a, b, c]| [if c >= 0 { a } else { b }]);
    Ok(selected?.depending(Dependence::One(&[2])))
}
