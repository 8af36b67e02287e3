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
        let all = |row: u32| -(table >> row & 1);
        let choose = |source: i128, one: i128, zero: i128| source & one | !source & zero;
        let of_c = |row: u32| choose(c, all(row + 1), all(row));
        choose(a, choose(b, of_c(6), of_c(4)), choose(b, of_c(2), of_c(0)))
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
