//! Sums of integers.

use super::shape::{DecodedStep, MachineShape, Unfit, count, effect, predicate, register};
use super::source::MachineSource;
use crate::instruction::{MachineOperand, Predicate, Register};
use crate::machine::{Halt, Thread};
use ptx_exec::value::Bits;

/// `IADD3 R4, P0, R14, R4, RZ`, `IADD3.X R5, RZ, R5, RZ, P1, !PT`: a sum of three with up to two carries to predicates, and with
/// carries from predicates; `UIADD3.64`: of 64 bits, without carries. The first predicate is true if the sum carries at
/// least once, the second if it carries twice.
pub(super) fn three(shape: &MachineShape) -> DecodedStep {
    let [to, ..] = shape.operands else { return Err(Unfit::OPERANDS) };
    let (to, (carries, rest)) = (register(to)?, shape.split(1));
    match (&shape.modifiers[..], rest) {
        ([], [a, b, c]) => sum(to, &carries, &[a, b, c], &[]),
        (["X"], [a, b, c, one, two]) => sum(to, &carries, &[a, b, c], &[predicate(one)?, predicate(two)?]),
        (["64"], [a, b, c]) if carries.iter().all(|carry| carry.index == 7) => wide(to, &[a, b, c]),
        ([] | ["X"] | ["64"], _) => Err(Unfit::OPERANDS),
        _ => Err(Unfit::MODIFIERS),
    }
}

/// `VIADD R0, R0, 0x1`, `IADD R9, R0, UR6`, `IADD R4, P0, R5, -R6`, `IADD.64 R2, R4, UR4`, `IADD.64.X R2, P0, R4, ~R6, P1`; with
/// `.16x2` and `.S8x4` each part by itself, and with `.ISAT` the nearest signed number.
pub(super) fn two(shape: &MachineShape) -> DecodedStep {
    let [to, ..] = shape.operands else { return Err(Unfit::OPERANDS) };
    let (to, (carries, rest)) = (register(to)?, shape.split(1));
    match (&shape.modifiers[..], rest) {
        ([], [a, b]) => sum(to, &carries, &[a, b], &[]),
        (["X"], [a, b, carry]) => sum(to, &carries, &[a, b], &[predicate(carry)?]),
        (["64"], [a, b]) => wide_with_carries(to, &carries, [a, b], None),
        (["64", "X"], [a, b, carry]) => wide_with_carries(to, &carries, [a, b], Some(predicate(carry)?)),
        (["16x2"], [a, b]) if carries.is_empty() => parts(to, a, b, 16),
        (["S8x4"] | ["U8x4"], [a, b]) if carries.is_empty() => parts(to, a, b, 8),
        (["S32", "ISAT"], [a, b]) if carries.is_empty() => saturated(to, a, b),
        ([] | ["X"] | ["64"] | ["64", "X"] | ["16x2"] | ["S8x4"] | ["U8x4"] | ["S32", "ISAT"], _) => {
            Err(Unfit::OPERANDS)
        }
        _ => Err(Unfit::MODIFIERS),
    }
}

/// A sum of words with carries to predicates and from predicates.
fn sum(to: Register, carries: &[Predicate], terms: &[&MachineOperand], ins: &[Predicate]) -> DecodedStep {
    let (once, twice) = match *carries {
        [] => (None, None),
        [once] => (Some(once), None),
        [once, twice] => (Some(once), Some(twice)),
        _ => return Err(Unfit::OPERANDS),
    };
    let terms: Vec<MachineSource> = terms.iter().map(|term| MachineSource::word(term)).collect::<Result<_, _>>()?;
    let ins: Vec<Predicate> = ins.to_vec();
    let (terms, ins) = (terms.into_boxed_slice(), ins.into_boxed_slice());
    effect(move |thread| {
        let mut sum = Bits::ZERO;
        for term in &terms {
            sum = sum.plus(term.term(thread)?);
        }
        for carry in &ins {
            sum = sum.plus(thread.predicate(*carry));
        }
        thread.set(to, 0, sum);
        set_carries(thread, once, twice, sum);
        Ok(())
    })
}

/// The carries of a sum of words; a predicate that nothing reads is not there.
fn set_carries(thread: &mut Thread, once: Option<Predicate>, twice: Option<Predicate>, sum: Bits) {
    let count = sum.shifted_right(32).known(4);
    for (least, carry) in [(1, once), (2, twice)] {
        let Some(carry) = carry else { continue };
        thread.set_predicate(carry, count.map_or(Bits::UNDEFINED, |count| Bits::from(count >= least)));
    }
}

fn wide(to: Register, terms: &[&MachineOperand]) -> DecodedStep {
    let terms: Box<[MachineSource]> = terms.iter().map(|term| MachineSource::wide(term)).collect::<Result<_, _>>()?;
    effect(move |thread| {
        let mut sum = Bits::ZERO;
        for term in &terms {
            sum = sum.plus(term.get(thread)?);
        }
        thread.set_wide(to, sum);
        Ok(())
    })
}

/// A sum of two numbers of 64 bits with a carry to a predicate and from a predicate.
fn wide_with_carries(
    to: Register,
    carries: &[Predicate],
    [a, b]: [&MachineOperand; 2],
    from: Option<Predicate>,
) -> DecodedStep {
    let out = match *carries {
        [] => None,
        [out] => Some(out),
        _ => return Err(Unfit::OPERANDS),
    };
    let terms = [MachineSource::wide(a)?, MachineSource::wide(b)?];
    effect(move |thread| {
        let carry = from.map_or(Bits::ZERO, |from| thread.predicate(from));
        let [a, b] = [terms[0].get(thread)?, terms[1].get(thread)?];
        // Minus x is the inverse of x, plus 1, which has 65 bits if x is 0.
        let of_zero = |term: MachineSource, value: Bits| term.is_negated() && value == Bits::ZERO;
        let of_a_zero = of_zero(terms[0], a) || of_zero(terms[1], b);
        thread.set_wide(to, a.plus(b).plus(carry));
        if let Some(out) = out {
            let known = a.known(64).zip(b.known(64)).zip(carry.known(1));
            let carries = |((a, b), carry): ((u64, u64), u64)| {
                let sum = u128::from(a) + u128::from(b) + u128::from(carry);
                Bits::from(of_a_zero || sum > u64::MAX.into())
            };
            thread.set_predicate(out, known.map_or(Bits::UNDEFINED, carries));
        }
        Ok(())
    })
}

/// Each part of two words by itself, which wraps. A minus before a source is that of each part.
fn parts(to: Register, a: &MachineOperand, b: &MachineOperand, width: u32) -> DecodedStep {
    let (a, b) = (MachineSource::word(a)?, MachineSource::word(b)?);
    let part = move |source: MachineSource, of: Bits, at: u32| {
        let of = of.shifted_right(at).zero_extended(width);
        if source.is_negated() { of.inverted().plus(Bits::from(1_u32)) } else { of }
    };
    effect(move |thread| {
        let (of_a, of_b) = (a.unchanged(thread)?, b.unchanged(thread)?);
        let sum = (0..32 / width)
            .rev()
            .map(|at| at * width)
            .fold(Bits::ZERO, |above, at| part(a, of_a, at).plus(part(b, of_b, at)).joined(width, above));
        thread.set(to, 0, sum);
        Ok(())
    })
}

/// The sum of two signed numbers, or the nearest signed number. Minus the smallest number has no 32 bits, but the sum that
/// it is a term of may have.
fn saturated(to: Register, a: &MachineOperand, b: &MachineOperand) -> DecodedStep {
    let exact = |source: MachineSource, thread: &Thread| -> Result<Option<i64>, Halt> {
        let value = if source.is_negated() { source.unchanged(thread)? } else { source.get(thread)? };
        let number = value.word().map(|value| i64::from(value.cast_signed()));
        Ok(number.map(|number| if source.is_negated() { -number } else { number }))
    };
    let (a, b) = (MachineSource::word(a)?, MachineSource::word(b)?);
    effect(move |thread| {
        let sum = exact(a, thread)?.zip(exact(b, thread)?).map_or(Bits::UNDEFINED, |(a, b)| {
            Bits::from((a + b).clamp(i64::from(i32::MIN), i64::from(i32::MAX)).cast_unsigned())
        });
        thread.set(to, 0, sum);
        Ok(())
    })
}

/// `LEA R0, R5, R0, 0x18`: the first shifted left, plus the second. `LEA.HI R0, R0, R5, RZ, 0x10`: the first with the third
/// above it, shifted left, of which the upper half is added to the second; with `.SX32` the sign of the first is above it.
/// `.X` adds the predicate at the end. A minus before the first is that of what is added.
pub(super) fn shifted(shape: &MachineShape) -> DecodedStep {
    let [to, ..] = shape.operands else { return Err(Unfit::OPERANDS) };
    let (to, (carries, rest)) = (register(to)?, shape.split(1));
    let (a, b, above, by, carry) = match (&shape.modifiers[..], rest) {
        ([], [a, b, by]) => (a, b, Above::Nothing, by, None),
        (["X"], [a, b, by, carry]) => (a, b, Above::Nothing, by, Some(predicate(carry)?)),
        (["HI"], [a, b, c, by]) => (a, b, Above::Word(MachineSource::plain(c, 32)?), by, None),
        (["HI", "X"], [a, b, c, by, carry]) => {
            (a, b, Above::Word(MachineSource::plain(c, 32)?), by, Some(predicate(carry)?))
        }
        (["HI", "SX32"], [a, b, by]) => (a, b, Above::Sign, by, None),
        (["HI", "X", "SX32"], [a, b, by, carry]) => (a, b, Above::Sign, by, Some(predicate(carry)?)),
        ([] | ["X"] | ["HI"] | ["HI", "X"] | ["HI", "SX32"] | ["HI", "X", "SX32"], _) => return Err(Unfit::OPERANDS),
        _ => return Err(Unfit::MODIFIERS),
    };
    let (once, twice) = match *carries {
        [] => (None, None),
        [once] => (Some(once), None),
        _ => return Err(Unfit::OPERANDS),
    };
    let (a, b, by) = (MachineSource::word(a)?, MachineSource::word(b)?, count(by)?);
    effect(move |thread| {
        let of_a = a.unchanged(thread)?;
        let shifted = match above {
            Above::Nothing => of_a.shifted_left(by),
            Above::Sign => of_a.sign_extended(32).shifted_left(by).shifted_right(32),
            Above::Word(high) => of_a.joined(32, high.get(thread)?).shifted_left(by).shifted_right(32),
        };
        let mut sum = a.changed(shifted.zero_extended(32)).plus(b.term(thread)?);
        if let Some(carry) = carry {
            sum = sum.plus(thread.predicate(carry));
        }
        thread.set(to, 0, sum);
        set_carries(thread, once, twice, sum);
        Ok(())
    })
}

/// The word above the one that is shifted.
#[derive(Clone, Copy)]
enum Above {
    /// The lower half of what is shifted is added.
    Nothing,
    Sign,
    Word(MachineSource),
}

/// `VABSDIFF R5, R0, R5, R4`: the distance of two numbers, plus a third.
pub(super) fn distance(shape: &MachineShape) -> DecodedStep {
    let signed = match shape.modifiers[..] {
        [] => true,
        ["U32"] => false,
        _ => return Err(Unfit::MODIFIERS),
    };
    let [to, a, b, c] = shape.operands()?;
    let (to, a, b, c) = (register(to)?, MachineSource::word(a)?, MachineSource::word(b)?, MachineSource::word(c)?);
    effect(move |thread| {
        let distance = match a.get(thread)?.word().zip(b.get(thread)?.word()) {
            None => Bits::UNDEFINED,
            Some((a, b)) if signed => Bits::from(a.cast_signed().abs_diff(b.cast_signed())),
            Some((a, b)) => Bits::from(a.abs_diff(b)),
        };
        let sum = distance.plus(c.get(thread)?);
        thread.set(to, 0, sum);
        Ok(())
    })
}

/// `VABSDIFF4.U8.ACC R5, R0, R5, R4`: the distances of four bytes, which are signed without `.U8`; with `.ACC` the third source
/// plus all of them, otherwise each for itself.
pub(super) fn distances(shape: &MachineShape) -> DecodedStep {
    let (signed, accumulates) = match shape.modifiers[..] {
        [] => (true, false),
        ["ACC"] => (true, true),
        ["U8"] => (false, false),
        ["U8", "ACC"] => (false, true),
        _ => return Err(Unfit::MODIFIERS),
    };
    let [to, a, b, c] = shape.operands()?;
    let (to, a, b, c) =
        (register(to)?, MachineSource::plain(a, 32)?, MachineSource::plain(b, 32)?, MachineSource::plain(c, 32)?);
    let value = move |of: Bits, at: u32| {
        let byte = of.shifted_right(at * 8);
        let number = byte.known(8)?;
        Some(if signed { byte.sign_extended(8).value().cast_signed() } else { number.cast_signed() })
    };
    effect(move |thread| {
        let (of_a, of_b, of_c) = (a.get(thread)?, b.get(thread)?, c.get(thread)?);
        let distance =
            |at: u32| value(of_a, at).zip(value(of_b, at)).map_or(Bits::UNDEFINED, |(a, b)| Bits::from(a.abs_diff(b)));
        let result = match accumulates {
            true => (0..4).map(distance).fold(of_c, Bits::plus),
            false => (0..4).rev().fold(Bits::ZERO, |above, at| distance(at).joined(8, above)),
        };
        thread.set(to, 0, result);
        Ok(())
    })
}
