//! Integer arithmetic.

use super::Step;
use crate::instruction::{MachineOperand, Predicate, RegisterPart, Sign};
use crate::machine::{Halt, Thread};
use ptx_exec::value::Bits;

/// `IADD3 R4, P0, R14, R4, RZ`, `IADD3.X R5, RZ, R5, RZ, P1, !PT`: a sum of three with a carry to predicates, and with
/// carries from predicates.
pub(super) fn add(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let to = step.to(0)?;
    let (carries, rest) = step.split(1);
    let [a, b, c, ins @ ..] = rest else {
        return Err(Halt::unknown("it has fewer than three terms"));
    };
    let mut carries = carries.filter(|carry| carry.index < 7);
    let mut sum = Bits::ZERO;
    if step.modifiers.has(set!["64"]) {
        if !ins.is_empty() || carries.next().is_some() {
            return Err(Halt::unknown("it has carries of 64 bits"));
        }
        for source in [a, b, c] {
            sum = sum.plus(thread.source_wide(source)?);
        }
        thread.set_wide(to, sum);
        return Ok(());
    }
    for source in [a, b, c] {
        sum = sum.plus(term(thread, source)?);
    }
    for carry in ins {
        let MachineOperand::Predicate(carry) = carry else {
            return Err(Halt::unknown("a carry is not a predicate"));
        };
        sum = sum.plus(thread.predicate(*carry));
    }
    thread.set(to, 0, sum);
    let high = sum.shifted_right(32).zero_extended(2);
    match (carries.next(), carries.next(), carries.next()) {
        (None, ..) => {}
        (Some(_), None, _) if high.value() > 1 => return Err(Halt::unknown("it carries two into one predicate")),
        (Some(carry), None, _) => thread.set_predicate(carry, high),
        // What adds them up again does not depend on which is which.
        (Some(one), Some(two), None) => {
            let count = high.known(2);
            let at_least = |least: u64| count.map_or(Bits::UNDEFINED, |count| Bits::from(count >= least));
            thread.set_predicate(one, at_least(1));
            thread.set_predicate(two, at_least(2));
        }
        _ => return Err(Halt::unknown("it has more than two carries")),
    }
    Ok(())
}

/// `VIADD R0, R0, 0x1`, `IADD R9, R0, UR6`, `IADD.64 R2, R4, UR4`; with `.16x2` each half by itself, and with `.ISAT` the
/// nearest signed number.
pub(super) fn add_two(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let has = |any| step.modifiers.has(any);
    if has(set!["64"]) {
        let sum = thread.source_wide(step.operand(1)?)?.plus(thread.source_wide(step.operand(2)?)?);
        thread.set_wide(step.to(0)?, sum);
        return Ok(());
    }
    if has(set!["ISAT"]) {
        let (a, b) = (exact(thread, step.operand(1)?)?, exact(thread, step.operand(2)?)?);
        let sum = a.zip(b).map_or(Bits::UNDEFINED, |(a, b)| {
            Bits::from((a + b).clamp(i64::from(i32::MIN), i64::from(i32::MAX)).cast_unsigned())
        });
        thread.set(step.to(0)?, 0, sum);
        return Ok(());
    }
    let (a, b) = (thread.source(step.operand(1)?)?, thread.source(step.operand(2)?)?);
    let sum = match () {
        () if has(set!["16x2"]) => a.plus(b).joined(16, a.shifted_right(16).plus(b.shifted_right(16))),
        () => a.plus(b),
    };
    thread.set(step.to(0)?, 0, sum);
    Ok(())
}

/// The signed number in a source; none if it is undefined. Minus the smallest number has no 32 bits, but the sum that it is a
/// term of may have.
fn exact(thread: &Thread, operand: &MachineOperand) -> Result<Option<i64>, Halt> {
    let (value, negated) = match operand {
        MachineOperand::Register(
            register,
            Sign { negated: true, inverted: false, absolute: false },
            RegisterPart::Whole,
        ) => (thread.half(*register, 0), true),
        other => (thread.source(other)?, false),
    };
    let number = value.known(32).map(|_| value.sign_extended(32).value().cast_signed());
    Ok(number.map(|number| if negated { -number } else { number }))
}

/// A term of a sum with a carry: minus x is the inverse of x, plus 1, so that the carry is that of a subtraction.
fn term(thread: &Thread, operand: &MachineOperand) -> Result<Bits, Halt> {
    match operand {
        MachineOperand::Register(register, Sign { negated: true, .. }, RegisterPart::Whole) => {
            Ok(thread.half(*register, 0).inverted().zero_extended(32).plus(Bits::from(1_u32)))
        }
        // The value of an immediate has 32 bits here.
        MachineOperand::Integer(value) => Ok(Bits::from(*value).zero_extended(32)),
        other => thread.source(other),
    }
}

/// `IMAD R0, R0, UR4, R3`, `IMAD.WIDE.U32 R6, R11, 0x4, R6`, `IMAD.HI R7, R7, R0, R4`, `IMAD.X R4, RZ, RZ, R4, P2`, and what ptxas moves and adds
/// with: `IMAD.MOV.U32`, `IMAD.IADD`, `IMAD.SHL.U32`.
pub(super) fn multiply_add(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let to = step.to(0)?;
    let (a, b) = (thread.source(step.operand(1)?)?, thread.source(step.operand(2)?)?);
    if step.modifiers.has(set!["WIDE"]) {
        let c = thread.source_wide(step.operand(3)?)?;
        let extended = |of: Bits| if step.modifiers.has(set!["U32"]) { of } else { of.sign_extended(32) };
        thread.set_wide(to, extended(a).times(extended(b)).plus(c));
        return Ok(());
    }
    if step.modifiers.has(set!["HI"]) {
        // The addend has 64 bits as well.
        let c = thread.source_wide(step.operand(3)?)?;
        let extended = |of: Bits| if step.modifiers.has(set!["U32"]) { of } else { of.sign_extended(32) };
        thread.set(to, 0, extended(a).times(extended(b)).plus(c).shifted_right(32));
        return Ok(());
    }
    let mut sum = a.times(b).plus(thread.source(step.operand(3)?)?);
    match (step.modifiers.has(set!["X"]), step.operands.get(4)) {
        (true, Some(MachineOperand::Predicate(carry))) => sum = sum.plus(thread.predicate(*carry)),
        (false, None) => {}
        _ => return Err(Halt::unknown("it has other operands after the third source")),
    }
    thread.set(to, 0, sum);
    Ok(())
}

/// `LEA R0, R5, R0, 0x18`: the first shifted left, plus the second. `LEA.HI R0, R0, R5, RZ, 0x10`: the first with the third
/// above it, shifted left, of which the upper half is added to the second.
pub(super) fn shift_add(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    if step.modifiers.has(set!["HI"]) {
        let [MachineOperand::Register(to, ..), a, b, c, MachineOperand::Integer(count @ 0..32)] = &step.operands[..]
        else {
            return Err(Halt::unknown("it has other operands than three sources and a count"));
        };
        // A count below 32 keeps 32 bits of both registers in the upper half.
        let count = Bits::from(*count).word().ok_or(Halt::Undefined("a count to shift by"))?;
        let both = thread.source(a)?.joined(32, thread.source(c)?);
        let sum = both.shifted_left(count).shifted_right(32).plus(thread.source(b)?);
        thread.set(*to, 0, sum);
        return Ok(());
    }
    let [MachineOperand::Register(to, ..), a, b, MachineOperand::Integer(count)] = &step.operands[..] else {
        return Err(Halt::unknown("it has other operands than two sources and a count"));
    };
    let count = Bits::from(*count).zero_extended(5).word().ok_or(Halt::Undefined("a count to shift by"))?;
    let sum = thread.source(a)?.shifted_left(count).plus(thread.source(b)?);
    thread.set(*to, 0, sum);
    Ok(())
}

/// `FLO.U32 R0, UR6`: the position of the highest bit that is 1, or -1; without `.U32`, of the highest bit that differs
/// from the sign. With `.SH`, how far it is from bit 31.
pub(super) fn highest_bit(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let value = thread.source(step.operand(1)?)?;
    let is_unsigned = step.modifiers.has(set!["U32"]);
    let highest = |value: u32| {
        let value = if is_unsigned || value.cast_signed() >= 0 { value } else { !value };
        match value.checked_ilog2() {
            // No bit is the one that is looked for.
            None => Bits::from(u32::MAX),
            Some(position) if step.modifiers.has(set!["SH"]) => Bits::from(31 - position),
            Some(position) => Bits::from(position),
        }
    };
    thread.set(step.to(0)?, 0, value.word().map_or(Bits::UNDEFINED, highest));
    Ok(())
}

/// `BREV R0, R1`: the bits in reverse order.
pub(super) fn reverse(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let [MachineOperand::Register(to, ..), from] = &step.operands[..] else {
        return Err(Halt::unknown("it has other operands than a register and a source"));
    };
    let value = thread.source(from)?.zero_extended(32);
    // The upper half of all 64 bits in reverse order.
    let reversed = Bits::new(value.value().reverse_bits(), value.defined().reverse_bits());
    thread.set(*to, 0, reversed.shifted_right(32));
    Ok(())
}

/// `BMSK R0, R1, R2`: ones from a position on, as many as the second source says; both are at most 32, or with `.W` modulo
/// 32.
pub(super) fn mask(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let [MachineOperand::Register(to, ..), position, count] = &step.operands[..] else {
        return Err(Halt::unknown("it has other operands than a position and a count"));
    };
    let wraps = step.modifiers.has(set!["W"]);
    let bounded = |number: u32| if wraps { number & 31 } else { number.min(32) };
    let (position, count) = (thread.source(position)?.word(), thread.source(count)?.word());
    let mask = position
        .zip(count)
        .map_or(Bits::UNDEFINED, |(position, count)| Bits::from(((1_u64 << bounded(count)) - 1) << bounded(position)));
    thread.set(*to, 0, mask);
    Ok(())
}

/// `IABS R0, R1`: the absolute value of a signed number; that of the least one is itself.
pub(super) fn absolute(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let [MachineOperand::Register(to, ..), from] = &step.operands[..] else {
        return Err(Halt::unknown("it has other operands than a register and a source"));
    };
    let value = thread.source(from)?.word();
    thread.set(*to, 0, value.map_or(Bits::UNDEFINED, |value| Bits::from(value.cast_signed().unsigned_abs())));
    Ok(())
}

/// `IMNMX.U32 R0, R1, R2, PT`, `VIMNMX R0, R1, R2, !PT`: the lesser one if the predicate is true, otherwise the greater
/// one; of signed numbers without `.U32`.
pub(super) fn choose(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let (mut results, rest) = step.split(1);
    let [a, b, MachineOperand::Predicate(lesser)] = rest else {
        return Err(Halt::unknown("it has other operands than two sources and a predicate"));
    };
    // sm_100 prints two results in predicates, which nothing was ever seen to use.
    if results.any(|result| result != Predicate::TRUE) {
        return Err(Halt::unknown("it has a result in a predicate"));
    }
    let to = step.to(0)?;
    let (a, b, lesser) = (thread.source(a)?.word(), thread.source(b)?.word(), thread.predicate(*lesser).known(1));
    let is_unsigned = step.modifiers.has(set!["U32"]);
    let value = a.zip(b).zip(lesser).map_or(Bits::UNDEFINED, |((a, b), lesser)| {
        let a_is_less = if is_unsigned { a < b } else { a.cast_signed() < b.cast_signed() };
        Bits::from(if a_is_less == (lesser == 1) { a } else { b })
    });
    thread.set(to, 0, value);
    Ok(())
}

/// `POPC R9, UR6`: how many bits are 1.
pub(super) fn count_bits(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let value = thread.source(step.operand(1)?)?;
    thread.set(step.to(0)?, 0, value.known(32).map_or(Bits::UNDEFINED, |value| Bits::from(value.count_ones())));
    Ok(())
}

/// `SGXT R7, R6, 0x8`: the low bits, sign-extended, or zero-extended with `.U32`.
pub(super) fn extend(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let count = thread.source(step.operand(2)?)?.word().ok_or(Halt::Undefined("a count of bits"))?;
    let count = if step.modifiers.has(set!["W"]) { count & 31 } else { count };
    let value = thread.source(step.operand(1)?)?;
    let value = match count {
        0 => Bits::ZERO,
        count @ 1..32 if step.modifiers.has(set!["U32"]) => value.zero_extended(count),
        count @ 1..32 => value.sign_extended(count),
        _ => value,
    };
    thread.set(step.to(0)?, 0, value);
    Ok(())
}

/// `SHF.L.U32 R7, R6, 0x3, RZ`, `SHF.R.S32.HI R6, RZ, 0x1f, R0`: two registers, the low one first, shifted as one; the
/// result is the low half, or the high one with `.HI`. Counts beyond the size of the type shift everything out, or wrap with `.W`.
pub(super) fn shift(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let has = |any| step.modifiers.has(any);
    let (low, high) = (thread.source(step.operand(1)?)?, thread.source(step.operand(3)?)?);
    let count = thread.source(step.operand(2)?)?.word().ok_or(Halt::Undefined("a count to shift by"))?;
    let most = if has(set!["U64"]) || has(set!["S64"]) { 64 } else { 32 };
    let count = if has(set!["W"]) { count & (most - 1) } else { count.min(most) };
    let both = low.joined(32, high);
    let shifted = match (has(set!["L"]), has(set!["S32"]) || has(set!["S64"])) {
        (true, _) => both.shifted_left(count),
        (false, false) => both.shifted_right(count),
        (false, true) if count == 0 => both,
        (false, true) => both.shifted_right(count.min(63)).sign_extended(64 - count.min(63)),
    };
    let value = if has(set!["HI"]) { shifted.shifted_right(32) } else { shifted };
    thread.set(step.to(0)?, 0, value);
    Ok(())
}

/// `ISETP.GE.U32.AND P0, PT, R0, UR4, PT`, and with `.EX` the high halves, where the last predicate has the result for
/// the low ones.
pub(super) fn compare(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let has = |any| step.modifiers.has(any);
    let (a, b) = match has(set!["U64", "S64"]) {
        true => (thread.source_wide(step.operand(2)?)?, thread.source_wide(step.operand(3)?)?),
        false => (thread.source(step.operand(2)?)?, thread.source(step.operand(3)?)?),
    };
    let lower = match has(set!["EX"]) {
        true => Some(thread.predicate(step.predicate(5)?)),
        false => None,
    };
    let found = comparison(step, a, b, lower)?;
    let other = thread.predicate(step.predicate(4)?);
    for (to, value) in [(0, found), (1, found.inverted().zero_extended(1))] {
        let value = match () {
            () if has(set!["AND"]) => Bits::table(0xc0, value, other, Bits::ZERO),
            () if has(set!["OR"]) => Bits::table(0xfc, value, other, Bits::ZERO),
            () if has(set!["XOR"]) => Bits::table(0x3c, value, other, Bits::ZERO),
            () => return Err(Halt::unknown("it does not say how to combine predicates")),
        };
        thread.set_predicate(step.predicate(to)?, value);
    }
    Ok(())
}

/// The result of a comparison of 32 or 64 bits; `lower` is that of the halves below.
fn comparison(step: &Step, a: Bits, b: Bits, lower: Option<Bits>) -> Result<Bits, Halt> {
    let has = |any| step.modifiers.has(any);
    let differ = a.defined() & b.defined() & (a.value() ^ b.value()) != 0;
    let width = if has(set!["U64", "S64"]) { 64 } else { 32 };
    let known = a.known(width).zip(b.known(width));
    let undefined = Bits::UNDEFINED.zero_extended(1);
    if has(set!["EQ"]) || has(set!["NE"]) {
        return Ok(match (differ, known) {
            (true, _) => Bits::from(has(set!["NE"])),
            // Equal halves leave it to those below, if there are any.
            (false, Some(_)) => lower.unwrap_or(Bits::from(has(set!["EQ"]))),
            (false, None) => undefined,
        });
    }
    let Some((a, b)) = known else { return Ok(undefined) };
    let order = match has(set!["U32", "U64"]) {
        true => a.cmp(&b),
        false => {
            let signed = |of: u64| Bits::from(of).sign_extended(width).value().cast_signed();
            signed(a).cmp(&signed(b))
        }
    };
    if let (true, Some(lower)) = (order.is_eq(), lower) {
        return Ok(lower);
    }
    Ok(Bits::from(match () {
        () if has(set!["LT"]) => order.is_lt(),
        () if has(set!["LE"]) => order.is_le(),
        () if has(set!["GT"]) => order.is_gt(),
        () if has(set!["GE"]) => order.is_ge(),
        () => return Err(Halt::unknown("it has no comparison")),
    }))
}

/// `VABSDIFF R5, R0, R5, R4`: the distance of two numbers, plus a third.
pub(super) fn distance(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let [MachineOperand::Register(to, ..), a, b, c] = &step.operands[..] else {
        return Err(Halt::unknown("it has other operands than three sources"));
    };
    let (a, b) = (thread.source(a)?, thread.source(b)?);
    let is_unsigned = step.modifiers.has(set!["U32"]);
    let distance = match a.word().zip(b.word()) {
        None => Bits::UNDEFINED,
        Some((a, b)) if is_unsigned => Bits::from(a.abs_diff(b)),
        Some((a, b)) => Bits::from(a.cast_signed().abs_diff(b.cast_signed())),
    };
    let sum = distance.plus(thread.source(c)?);
    thread.set(*to, 0, sum);
    Ok(())
}

/// `IDP.4A.S8.U8 R5, R0, R5, R4`: the sum of the products of four bytes, plus a third source. `IDP.2A.HI.U16.S8`: of two
/// halves with the upper two bytes, or the lower two with `.LO`.
pub(super) fn dot_product(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let [MachineOperand::Register(to, ..), a, b, c] = &step.operands[..] else {
        return Err(Halt::unknown("it has other operands than three sources"));
    };
    // The types of the factors are the last two words, in order.
    let mut types = step.name.rsplit('.');
    let (Some(of_b), Some(of_a)) = (types.next(), types.next()) else {
        return Err(Halt::unknown("it has no types"));
    };
    let (parts, size_of_a, first) = match (step.modifiers.has(set!["4A"]), step.modifiers.has(set!["HI"])) {
        (true, false) => (4, 8, 0),
        (false, false) if step.modifiers.has(set!["LO"]) => (2, 16, 0),
        (false, true) => (2, 16, 2),
        _ => return Err(Halt::unknown("it does not say which parts are multiplied")),
    };
    let (signed_a, signed_b) = match (of_a, of_b) {
        ("S8" | "S16", "S8") => (true, true),
        ("S8" | "S16", "U8") => (true, false),
        ("U8" | "U16", "S8") => (false, true),
        ("U8" | "U16", "U8") => (false, false),
        _ => return Err(Halt::unknown("its types are unknown")),
    };
    let (a, b, c) = (thread.source(a)?, thread.source(b)?, thread.source(c)?);
    let part = |of: Bits, at: u32, size: u32, signed: bool| {
        let of = of.shifted_right(at * size);
        if signed { of.sign_extended(size) } else { of.zero_extended(size) }
    };
    let products = (0..parts).map(|at| part(a, at, size_of_a, signed_a).times(part(b, first + at, 8, signed_b)));
    let sum = products.fold(c, Bits::plus);
    thread.set(*to, 0, sum);
    Ok(())
}
