//! Arithmetic of integers. PTX ISA `integer-arithmetic-instructions`, `extended-precision-arithmetic-instructions`.

use super::computation::CarryUse;
use super::modes::Modes;
use super::{Computation, Dependence, Inferences, NumberType, Undefined, Unmodelled};
use super::{float_arithmetic, float_choice, floats};
use crate::value::low;

pub(super) fn add(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if m.has_floats() {
        return float_arithmetic::add(m);
    }
    match m.has("cc") {
        true => sum(m, false, |t, a, b, carry| t.unsigned_sum([a, b, carry])),
        false => saturating(m, |a, b| a + b),
    }
}

pub(super) fn addc(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    sum(m, true, |t, a, b, carry| t.unsigned_sum([a, b, carry]))
}

pub(super) fn sub(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if m.has_floats() {
        return float_arithmetic::sub(m);
    }
    match m.has("cc") {
        true => sum(m, false, |t, a, b, borrow| t.unsigned_difference(a, b, borrow)),
        false => saturating(m, |a, b| a - b),
    }
}

pub(super) fn subc(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    sum(m, true, |t, a, b, borrow| t.unsigned_difference(a, b, borrow))
}

/// A sum or difference with a carry or borrow, as a number whose next bit says what it carries or borrows.
fn sum(
    m: &Modes<'_>,
    reads: bool,
    compute: impl Fn(NumberType, i128, i128, i128) -> i128 + Send + Sync + 'static,
) -> Result<Computation, Unmodelled> {
    let t = m.number("type")?;
    let carry = CarryUse { reads, writes: m.has("cc") };
    match reads {
        true => m.carrying(carry, move |[a, b, c]| t.with_carry(compute(t, a, b, c))),
        false => m.carrying(carry, move |[a, b]| t.with_carry(compute(t, a, b, 0))),
    }
}

/// A sum or difference, saturated if the line says so.
fn saturating(
    m: &Modes<'_>,
    compute: impl Fn(i128, i128) -> i128 + Send + Sync + 'static,
) -> Result<Computation, Unmodelled> {
    let t = m.number("type")?;
    match m.has("sat") {
        true => m.map(move |[a, b]| [t.saturated(compute(a, b))]),
        false => Ok(m.map(move |[a, b]| [compute(a, b)])?.depending(Dependence::Lower)),
    }
}

impl NumberType {
    /// The sum of these numbers without their signs.
    fn unsigned_sum(self, numbers: [i128; 3]) -> i128 {
        numbers.into_iter().map(|number| low(number.cast_unsigned(), self.bits).cast_signed()).sum()
    }

    /// The difference of two numbers without their signs, and a borrow; negative if it borrows, so that the next bit is 1.
    fn unsigned_difference(self, a: i128, b: i128, borrow: i128) -> i128 {
        let [a, b] = [a, b].map(|number| low(number.cast_unsigned(), self.bits).cast_signed());
        a - b - borrow
    }

    /// A number, and its bit after those of the type.
    fn with_carry(self, number: i128) -> [i128; 2] {
        [number, number >> self.bits & 1]
    }
}

pub(super) fn mul(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if m.has_floats() {
        return float_arithmetic::mul(m);
    }
    let product = product(m)?;
    m.map(move |[a, b]| [product(a, b)])
}

pub(super) fn mad(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if m.has_floats() {
        return float_arithmetic::fma(m);
    }
    multiply_add(m, false)
}

pub(super) fn madc(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    multiply_add(m, true)
}

fn multiply_add(m: &Modes<'_>, reads: bool) -> Result<Computation, Unmodelled> {
    let (t, product) = (m.number("type")?, product(m)?);
    let carry = CarryUse { reads, writes: m.has("cc") };
    if reads {
        return m.carrying(carry, move |[a, b, c, carry]| t.with_carry(t.unsigned_sum([product(a, b), c, carry])));
    }
    if carry.writes {
        return m.carrying(carry, move |[a, b, c]| t.with_carry(t.unsigned_sum([product(a, b), c, 0])));
    }
    match m.has("sat") {
        true => m.map(move |[a, b, c]| [t.saturated(product(a, b) + c)]),
        false => m.map(move |[a, b, c]| [product(a, b).wrapping_add(c)]),
    }
}

/// The part of a product that a line keeps.
fn product(m: &Modes<'_>) -> Result<impl Fn(i128, i128) -> i128 + Copy + Send + Sync + 'static, Unmodelled> {
    let t = m.number("type")?;
    let shift = match m.value("part") {
        ".lo" | ".wide" => 0,
        ".hi" => t.bits,
        other => return Err(m.unmodelled(other)),
    };
    // A product of unsigned numbers of 64 bits may have the bit of the sign of 128 bits, and has no other above it.
    Ok(move |a: i128, b: i128| match t.signed {
        true => a.wrapping_mul(b) >> shift,
        false => (a.wrapping_mul(b).cast_unsigned() >> shift).cast_signed(),
    })
}

pub(super) fn mul24(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let product = product_of_24_bits(m)?;
    Ok(m.map(move |[a, b]| [product(a, b)])?.inferring(Inferences::LOW_24_BITS))
}

pub(super) fn mad24(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let (t, product) = (m.number("type")?, product_of_24_bits(m)?);
    let computation = match m.has("sat") {
        true => m.map(move |[a, b, c]| [t.saturated(product(a, b) + c)]),
        false => m.map(move |[a, b, c]| [product(a, b) + c]),
    };
    Ok(computation?.inferring(Inferences::LOW_24_BITS))
}

/// The lower or the upper 32 bits of a product of 48 bits, as a number of the type.
fn product_of_24_bits(m: &Modes<'_>) -> Result<impl Fn(i128, i128) -> i128 + Copy + Send + Sync + 'static, Unmodelled> {
    let t = m.number("type")?;
    let factor = NumberType { bits: 24, ..t };
    let shift = match m.value("mode") {
        ".lo" => 0,
        ".hi" => 16,
        other => return Err(m.unmodelled(other)),
    };
    Ok(move |a: i128, b: i128| {
        let [a, b] = [a, b].map(|number| factor.read(number.cast_unsigned()));
        t.read(((a * b) >> shift).cast_unsigned())
    })
}

pub(super) fn div(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if m.has_floats() {
        return floats::div(m);
    }
    let t = m.number("type")?;
    m.partial(move |[a, b]| match b {
        0 => Err(Undefined::DivisionByZero),
        b if a / b > t.largest() => Err(Undefined::QuotientTooLarge),
        b => Ok([a / b]),
    })
}

/// As of a division that truncates, which the page leaves to the machine where a number is negative.
pub(super) fn rem(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let t = m.number("type")?;
    let remainder = m.partial(|[a, b]| if b == 0 { Err(Undefined::DivisionByZero) } else { Ok([a % b]) })?;
    Ok(if t.signed { remainder.inferring(Inferences::TRUNCATED_REMAINDER) } else { remainder })
}

pub(super) fn abs(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if m.has_floats() {
        return float_choice::abs(m);
    }
    m.map(|[a]| [a.abs()])
}

pub(super) fn neg(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if m.has_floats() {
        return float_choice::neg(m);
    }
    Ok(m.map(|[a]| [-a])?.depending(Dependence::Lower))
}

pub(super) fn min(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if m.has_floats() {
        return float_choice::min(m);
    }
    chosen(m, i128::min)
}

pub(super) fn max(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    if m.has_floats() {
        return float_choice::max(m);
    }
    chosen(m, i128::max)
}

/// One of two numbers; with `.relu`, at least 0.
fn chosen(m: &Modes<'_>, choose: fn(i128, i128) -> i128) -> Result<Computation, Unmodelled> {
    match m.has("relu") {
        true => m.map(move |[a, b]| [choose(a, b).max(0)]),
        false => m.map(move |[a, b]| [choose(a, b)]),
    }
}

pub(super) fn sad(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    m.map(|[a, b, c]| [(a - b).abs() + c])
}
