//! Moves of bits that do not change them. PTX ISA `data-movement-and-conversion-instructions`.

use super::modes::Modes;
use super::{Computation, Dependence, NumberType, Unmodelled};
use crate::value::low;

/// Each bit of the results is a bit of a source.
const COPY: Dependence = Dependence::One(&[]);

/// Elements are copied one by one, joined to one number, or parts of one: which, follows from how many there are. What a
/// single element in braces is, the manual does not say.
pub(super) fn mov(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let bits = m.with_floats_as_bits().number("type")?.bits;
    if let Some(shape) = ["a.shape", "d.shape"].into_iter().map(|axis| m.value(axis)).find(|shape| *shape == "tuple1") {
        return Err(m.unmodelled(shape));
    }
    let (from, to) = m.lanes();
    let of = |count: usize, part: usize| vec![NumberType::unsigned(bits / part as u32); count];
    Ok(match (from, to) {
        (1, parts @ 2..) => Computation::of_bits(of(1, 1), of(parts, parts), move |given, written| {
            for (at, part) in written.iter_mut().enumerate() {
                *part = given[0] >> (at as u32 * (bits / parts as u32));
            }
        }),
        (parts @ 2.., 1) => Computation::of_bits(of(parts, parts), of(1, 1), move |given, written| {
            let size = bits / parts as u32;
            written[0] = given.iter().rev().fold(0, |joined, part| joined << size | low(*part, size));
        }),
        (from, to) if from == to => {
            Computation::of_bits(of(from, 1), of(to, 1), |given, written| written.copy_from_slice(given))
        }
        _ => return Err(m.unmodelled("other numbers of elements")),
    }?
    .depending(COPY))
}

/// The bytes of two registers, the second above the first, by a selector: four digits, or two bits that a mode expands.
pub(super) fn prmt(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    // For each byte of the result, the lowest first: the byte that it is.
    let chosen: fn(i128) -> [i128; 4] = match m.value("mode") {
        ".f4e" => |at| [at, at + 1, at + 2, at + 3],
        ".b4e" => |at| [at, (at + 7) % 8, (at + 6) % 8, (at + 5) % 8],
        ".rc8" => |at| [at; 4],
        ".ecl" => |at| [0, 1, 2, 3].map(|byte: i128| byte.max(at)),
        ".ecr" => |at| [0, 1, 2, 3].map(|byte: i128| byte.min(at)),
        ".rc16" => |at| [0, 1, 0, 1].map(|byte| at % 2 * 2 + byte),
        none if !none.starts_with('.') => return generic_prmt(m),
        other => return Err(m.unmodelled(other)),
    };
    let permuted = m.map(move |[a, b, selector]| {
        let both = b << 32 | a;
        let bytes = chosen(selector & 3).map(|byte| both >> (byte * 8) & 0xff);
        [bytes.into_iter().rev().fold(0, |joined, byte| joined << 8 | byte)]
    });
    Ok(permuted?.depending(Dependence::One(&[2])))
}

/// The highest bit of a digit takes the sign of the byte, eight times, instead of the byte.
fn generic_prmt(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let permuted = m.map(|[a, b, selector]| {
        let both = b << 32 | a;
        let byte = |at: i32| {
            let digit = selector >> (at * 4) & 15;
            let byte = both >> ((digit & 7) * 8) & 0xff;
            if digit & 8 == 0 { byte } else { (byte >> 7) * 0xff }
        };
        [(0..4).rev().fold(0, |joined, at| joined << 8 | byte(at))]
    });
    Ok(permuted?.depending(Dependence::One(&[2])))
}
