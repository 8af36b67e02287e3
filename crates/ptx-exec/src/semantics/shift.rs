//! Shifts. PTX ISA `logic-and-shift-instructions`.

use super::modes::Modes;
use super::{Computation, Dependence, Unmodelled};

/// The count, which is the second source, says from which bit each bit of the result comes.
const BY_COUNT: Dependence = Dependence::One(&[1]);

pub(super) fn shl(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let bits = m.number("type")?.bits;
    Ok(m.map(move |[a, count]| [if count >= bits.into() { 0 } else { a << count }])?.depending(BY_COUNT))
}

/// Counts of all bits and more leave the sign of a signed number, and nothing of others.
pub(super) fn shr(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let bits = m.number("type")?.bits;
    Ok(m.map(move |[a, count]| [a >> count.min(bits.into())])?.depending(BY_COUNT))
}

/// Two registers as one number, the second source above the first: the upper half is kept of a shift to the left, the lower
/// half of one to the right.
pub(super) fn shf(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let count = m.limited_count()?;
    let shifted = match (m.has("l"), m.has("r")) {
        (true, false) => m.map(move |[a, b, c]| [(b << 32 | a) << count(c) >> 32]),
        (false, true) => m.map(move |[a, b, c]| [(b << 32 | a) >> count(c)]),
        _ => return Err(m.unmodelled("two directions or none")),
    };
    Ok(shifted?.depending(Dependence::One(&[2])))
}
