//! Products that are not those of two integers. PTX ISA `integer-arithmetic-instructions`.

use super::modes::Modes;
use super::{Computation, NumberType, Unmodelled};

/// The sum of the products of four bytes.
pub(super) fn dp4a(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let [a, b] = parts(m, [8, 8])?;
    m.map(move |[x, y, c]| [c + (0..4).map(|at| a(x, at) * b(y, at)).sum::<i128>()])
}

/// The sum of the products of two halves and two bytes, the lower or the upper ones.
pub(super) fn dp2a(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let [a, b] = parts(m, [16, 8])?;
    let first = match m.value("mode") {
        ".lo" => 0,
        ".hi" => 2,
        other => return Err(m.unmodelled(other)),
    };
    m.map(move |[x, y, c]| [c + (0..2).map(|at| a(x, at) * b(y, first + at)).sum::<i128>()])
}

/// Functions that take a part of these sizes from each of the two factors, with the sign of its type.
fn parts(
    m: &Modes<'_>,
    sizes: [u32; 2],
) -> Result<[impl Fn(i128, u32) -> i128 + Copy + Send + Sync + 'static; 2], Unmodelled> {
    let types = [m.number("atype")?, m.number("btype")?];
    Ok([0, 1].map(|source: usize| {
        let part = NumberType { bits: sizes[source], ..types[source] };
        move |number: i128, at: u32| part.read(number.cast_unsigned() >> (at * part.bits))
    }))
}

/// A half of the product of two polynomials over two elements, plus a third.
pub(super) fn clmad(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let shift = match m.value("mode") {
        ".lo" => 0,
        ".hi" => 64,
        other => return Err(m.unmodelled(other)),
    };
    m.map(move |[a, b, c]| {
        let product = (0..64).filter(|at| b >> at & 1 == 1).fold(0, |sum, at| sum ^ a.cast_unsigned() << at);
        [(product >> shift).cast_signed() ^ c]
    })
}
