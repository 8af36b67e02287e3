//! Quotients and roots, which are exact or approximate. PTX ISA `floating-point-instructions`.

use super::modes::Modes;
use super::{Computation, Unmodelled, approximate, float_arithmetic};

/// True if a line asks for an approximation.
fn approximates(m: &Modes<'_>) -> bool {
    [".approx", ".full", "none"].contains(&m.value("rnd"))
}

pub(super) fn div(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if approximates(m) { approximate::div(m) } else { float_arithmetic::div(m) }
}

pub(super) fn rcp(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if approximates(m) { approximate::rcp(m) } else { float_arithmetic::rcp(m) }
}

pub(super) fn sqrt(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if approximates(m) { approximate::sqrt(m) } else { float_arithmetic::sqrt(m) }
}
