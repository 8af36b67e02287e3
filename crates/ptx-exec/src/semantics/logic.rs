//! Bitwise operations. PTX ISA `logic-and-shift-instructions`.

use super::modes::Modes;
use super::{Computation, Dependence, Unmodelled};

/// Each bit of the result depends on the bits at its position.
const BITWISE: Dependence = Dependence::One(&[]);

pub(super) fn and(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    Ok(m.map(|[a, b]| [a & b])?.depending(BITWISE))
}

pub(super) fn or(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    Ok(m.map(|[a, b]| [a | b])?.depending(BITWISE))
}

pub(super) fn xor(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    Ok(m.map(|[a, b]| [a ^ b])?.depending(BITWISE))
}

pub(super) fn not(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    Ok(m.map(|[a]| [!a])?.depending(BITWISE))
}

pub(super) fn cnot(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    m.map(|[a]| [i128::from(a == 0)])
}

/// The table is the last operand of numbers: bit `4a + 2b + c` of it is the result for these bits.
pub(super) fn lop3(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let combined = |a: i128, b: i128, c: i128, table: i128| {
        (0..8).filter(|row| table >> row & 1 == 1).fold(0, |all, row| {
            let of = |source: i128, bit: i32| if row >> bit & 1 == 1 { source } else { !source };
            all | of(a, 2) & of(b, 1) & of(c, 0)
        })
    };
    let tested = |value: i128| i128::from(value & 0xffff_ffff != 0);
    match m.value("BoolOp") {
        ".or" => m.map(move |[a, b, c, table, q]| {
            let value = combined(a, b, c, table);
            [value, tested(value) | q]
        }),
        ".and" => m.map(move |[a, b, c, table, q]| {
            let value = combined(a, b, c, table);
            [value, tested(value) & q]
        }),
        "" => Ok(m.map(move |[a, b, c, table]| [combined(a, b, c, table)])?.depending(Dependence::One(&[3]))),
        other => Err(m.unmodelled(other)),
    }
}
