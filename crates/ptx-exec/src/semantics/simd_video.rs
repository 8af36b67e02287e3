//! Video instructions on two halves or four bytes. PTX ISA `simd-video-instructions`.

use super::modes::Modes;
use super::video::VideoOperation;
use super::{Computation, NumberType, Undefined, Unmodelled};

pub(super) fn add(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    simd(m, Box::new(|a, b| a + b))
}

pub(super) fn sub(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    simd(m, Box::new(|a, b| a - b))
}

/// The mean, rounded away from zero.
pub(super) fn avrg(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    simd(m, Box::new(|a, b| (a + b + i128::from(a + b >= 0)) >> 1))
}

pub(super) fn absdiff(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    simd(m, Box::new(|a, b| (a - b).abs()))
}

pub(super) fn min(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    simd(m, Box::new(i128::min))
}

pub(super) fn max(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    simd(m, Box::new(i128::max))
}

pub(super) fn set(m: &Modes<'_>) -> Result<Computation, Unmodelled> {
    let compare = m.comparison("cmp")?;
    simd(m, Box::new(move |a, b| compare(a, b).into()))
}

/// The digits of a modifier, the last first: which elements it means.
fn digits(modifier: &str) -> Option<Vec<u32>> {
    modifier.get(2..)?.chars().rev().map(|digit| digit.to_digit(8)).collect()
}

fn simd(m: &Modes<'_>, operation: VideoOperation) -> Result<Computation, Unmodelled> {
    let bits = if m.opcode().ends_with('2') { 16 } else { 8 };
    let count = 32 / bits;
    let selected = |slot: &str, first: u32| match m.value(slot) {
        modifier if modifier.starts_with('.') => digits(modifier).ok_or_else(|| m.unmodelled(modifier)),
        _ => Ok((first..first + count).collect()),
    };
    let (from_a, from_b, mask) = (selected("asel", 0)?, selected("bsel", count)?, selected("mask", 0)?);
    if [&from_a, &from_b].iter().any(|from| from.len() != count as usize) {
        return Err(m.unmodelled("a selector of other elements"));
    }
    let element = |slot: &str| {
        let of = if m.value(slot).is_empty() { NumberType::unsigned(32) } else { m.number(slot)? };
        Ok(NumberType { bits, ..of })
    };
    let (a, b, d) = (element("atype")?, element("btype")?, element("dtype")?);
    let saturates = m.has("sat");
    let computed = move |x: i128, y: i128, at: u32| {
        // The second word is above the first.
        let both = (y.cast_unsigned() & 0xffff_ffff) << 32 | x.cast_unsigned() & 0xffff_ffff;
        let [x, y] = [(a, &from_a), (b, &from_b)].map(|(of, from)| of.read(both >> (from[at as usize] * bits)));
        let found = operation(x, y);
        if saturates { d.saturated(found) } else { found }
    };
    if m.has("add") {
        return m.partial(move |[x, y, c]| {
            let found = || mask.iter().map(|&at| computed(x, y, at));
            if !d.signed && found().any(|found| found < 0) {
                return Err(Undefined::IntermediateSign);
            }
            Ok([c + found().sum::<i128>()])
        });
    }
    m.map(move |[x, y, c]| {
        let one = (1 << bits) - 1;
        [mask.iter().fold(c, |merged, &at| merged & !(one << (at * bits)) | (computed(x, y, at) & one) << (at * bits))]
    })
}
