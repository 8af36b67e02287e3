//! Scalar video instructions: a byte, a half or all of two words, an operation, and a third word. PTX ISA
//! `scalar-video-instructions`.

use super::modes::Modes;
use super::{Computation, NumberType, Undefined, Unmodelled};

/// An operation on two numbers.
pub(super) type VideoOperation = Box<dyn Fn(i128, i128) -> i128 + Send + Sync>;

pub(super) fn vadd(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    video(m, Box::new(|a, b| a + b))
}

pub(super) fn vsub(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    video(m, Box::new(|a, b| a - b))
}

pub(super) fn vabsdiff(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    video(m, Box::new(|a, b| (a - b).abs()))
}

pub(super) fn vmin(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    video(m, Box::new(i128::min))
}

pub(super) fn vmax(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    video(m, Box::new(i128::max))
}

pub(super) fn vset(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let compare = m.comparison("cmp")?;
    video(m, Box::new(move |a, b| compare(a, b).into()))
}

/// An intermediate result has 34 bits, with a sign; how more of them saturate, the page does not say.
pub(super) fn vshl(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let count = m.limited_count()?;
    video(m, Box::new(move |a, b| a << count(b)))
}

pub(super) fn vshr(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let count = m.limited_count()?;
    video(m, Box::new(move |a, b| a >> count(b)))
}

/// A part of a word: its lowest bit, and its size in bits.
#[derive(Clone, Copy)]
struct WordPart {
    start: u32,
    bits: u32,
}

impl WordPart {
    /// The part that a modifier names; all of the word without one.
    fn named(m: &Modes<'_>, slot: &str) -> Result<Self, Unmodelled> {
        Ok(match m.value(slot) {
            ".b0" => Self { start: 0, bits: 8 },
            ".b1" => Self { start: 8, bits: 8 },
            ".b2" => Self { start: 16, bits: 8 },
            ".b3" => Self { start: 24, bits: 8 },
            ".h0" => Self { start: 0, bits: 16 },
            ".h1" => Self { start: 16, bits: 16 },
            other if other.starts_with('.') => return Err(m.unmodelled(other)),
            _ => Self { start: 0, bits: 32 },
        })
    }

    /// The number in this part of a word.
    fn read(self, word: i128, signed: bool) -> i128 {
        NumberType { bits: self.bits, signed, elements: 1 }.read(word.cast_unsigned() >> self.start)
    }

    /// A word with the low bits of a number in this part.
    fn merged(self, word: i128, number: i128) -> i128 {
        let mask = ((1 << self.bits) - 1) << self.start;
        word & !mask | number << self.start & mask
    }
}

/// The type of a slot; the words that have none are unsigned.
fn word(m: &Modes<'_>, slot: &str) -> Result<NumberType, Unmodelled> {
    if m.value(slot).is_empty() { Ok(NumberType::unsigned(32)) } else { m.number(slot) }
}

fn video(m: &Modes<'_>, operation: VideoOperation) -> Result<Computation, Unmodelled> {
    let (a, b, to) = (WordPart::named(m, "asel")?, WordPart::named(m, "bsel")?, WordPart::named(m, "dsel")?);
    let (a_signed, b_signed, d) = (word(m, "atype")?.signed, word(m, "btype")?.signed, word(m, "dtype")?);
    let (saturates, of) = (m.has("sat"), NumberType { bits: to.bits, ..d });
    let intermediate = NumberType::signed(34);
    let first = move |x: i128, y: i128| match operation(a.read(x, a_signed), b.read(y, b_signed)) {
        found if saturates && intermediate.saturated(found) != found => Err(Undefined::IntermediateSign),
        found => Ok(if saturates { of.saturated(found) } else { found }),
    };
    let second: fn(i128, i128) -> i128 = match m.value("op2") {
        ".add" => |found, c| found + c,
        ".min" => i128::min,
        ".max" => i128::max,
        other if other.starts_with('.') => return Err(m.unmodelled(other)),
        _ if m.has("dsel") => return m.partial(move |[x, y, c]| Ok([to.merged(c, first(x, y)?)])),
        _ => return m.partial(move |[x, y]| Ok([first(x, y)?])),
    };
    let is_sum = m.value("op2") == ".add";
    m.partial(move |[x, y, c]| match first(x, y)? {
        found if !is_sum && of.saturated(found) != found => Err(Undefined::IntermediateSign),
        found => Ok([second(found, c)]),
    })
}

/// The product of parts of two words, negated or not, plus a third word, scaled and saturated.
pub(super) fn vmad(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let (a, b) = (WordPart::named(m, "asel")?, WordPart::named(m, "bsel")?);
    let (a_signed, b_signed) = (word(m, "atype")?.signed, word(m, "btype")?.signed);
    let (minus_product, minus_c) = (m.is_negated("a") != m.is_negated("b"), m.is_negated("c"));
    let signed = a_signed || b_signed || minus_product || minus_c;
    let addend = NumberType { bits: 32, signed, elements: 1 };
    let shift = match m.value("scale") {
        ".shr7" => 7,
        ".shr15" => 15,
        other if other.starts_with('.') => return Err(m.unmodelled(other)),
        _ => 0,
    };
    let (one_more, saturates) = (i128::from(m.has("po")), m.has("sat"));
    // The page describes a difference, and computes it from the inverse of c with its sign.
    let unclear = minus_c && !a_signed && !b_signed && (saturates || shift > 0);
    m.with_signs().partial(move |[x, y, c]| {
        if unclear && c & 1 << 31 != 0 {
            return Err(Undefined::IntermediateSign);
        }
        let product = a.read(x, a_signed) * b.read(y, b_signed);
        let product = if minus_product { -product } else { product };
        let c = if minus_c { addend.read((!c).cast_unsigned()) + 1 } else { addend.read(c.cast_unsigned()) };
        let sum = (product + c + one_more) >> shift;
        Ok([if saturates { addend.saturated(sum) } else { sum }])
    })
}
