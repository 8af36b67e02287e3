//! Atomic operations on memory. One thread sees an ordinary load and store.

use super::access::{Window, address};
use super::{ListedStep, float};
use crate::instruction::{MachineOperand, Register};
use crate::machine::{Halt, LOCAL_WINDOW, SHARED_WINDOW, Thread};
use ptx_exec::value::Bits;

/// `ATOMG.E.ADD.STRONG.GPU PT, R2, desc[UR4][R2.64], R15`, `ATOM.E.ADD.F32.FTZ.RN.STRONG.GPU P0, R0, [R4], R7`. A
/// predicate says whether it was done: in shared and local memory it is not, unless there is `PT`.
pub(super) fn generic(thread: &mut Thread, step: &ListedStep) -> Result<(), Halt> {
    let done = step.predicate(0)?;
    let at = address(thread, step, 2, Window::Generic)?;
    if done.index < 7 {
        let elsewhere = [SHARED_WINDOW, LOCAL_WINDOW].iter().any(|window| at >> 24 == window >> 24);
        thread.set_predicate(done, Bits::from(!elsewhere));
        if elsewhere {
            return undefined(thread, step, 1);
        }
    }
    atomic(thread, step, at, Some(1))
}

/// `RED.E.ADD.STRONG.GPU [R8], R11`: without a result.
pub(super) fn reduce(thread: &mut Thread, step: &ListedStep) -> Result<(), Halt> {
    let at = address(thread, step, 0, Window::Generic)?;
    atomic(thread, step, at, None)
}

/// `ATOMS.ADD R15, [R12+UR4], R13`, `ATOMS.POPC.INC.32 RZ, [UR4]`
pub(super) fn shared(thread: &mut Thread, step: &ListedStep) -> Result<(), Halt> {
    let at = address(thread, step, 1, Window::At(SHARED_WINDOW))?;
    atomic(thread, step, at, Some(0))
}

/// Leaves the destination undefined.
fn undefined(thread: &mut Thread, step: &ListedStep, to: usize) -> Result<(), Halt> {
    let to = step.to(to)?;
    for part in 0..registers(step) {
        thread.set(to, part, Bits::UNDEFINED);
    }
    Ok(())
}

/// The registers of the value in memory.
fn registers(step: &ListedStep) -> u8 {
    let has = |any| step.modifiers.has(any);
    match () {
        () if has(set!["128", "F32x4", "F16x8", "BF16x8"]) => 4,
        () if has(set!["64", "S64", "F64", "F32x2", "F16x4", "BF16x4"]) => 2,
        () => 1,
    }
}

/// The operation at an address; the operand `to` is the destination, if there is one. The address follows, then the
/// sources.
fn atomic(thread: &mut Thread, step: &ListedStep, at: u64, to: Option<usize>) -> Result<(), Halt> {
    let (count, has) = (registers(step), |any| step.modifiers.has(any));
    let source = |from: usize| match step.operand(from)? {
        MachineOperand::Register(register, ..) => Ok(*register),
        _ => Err(Halt::unknown("a source is not a register")),
    };
    // The address is before the sources, and the destination before the address.
    let address = step.operands.iter().position(|operand| matches!(operand, MachineOperand::Address(_)));
    let first = address.ok_or_else(|| Halt::unknown("it has no address"))? + 1;
    let mut old = [Bits::ZERO; 4];
    for part in 0..count {
        let aligned = if part == 0 { u64::from(count) * 4 } else { 4 };
        old[usize::from(part)] = thread.memory.load(at.wrapping_add(u64::from(part) * 4), 4, aligned)?;
    }
    let given = |thread: &Thread, from: Register| [0, 1, 2, 3].map(|part| thread.half(from, part));
    let mut result = old;
    let new = if has(set!["CAS"]) || has(set!["CAST"]) {
        let (compared, swapped) = (given(thread, source(first)?), given(thread, source(first + 1)?));
        let equal = equal(&old, &compared, count).ok_or(Halt::Undefined("a comparison"))?;
        if has(set!["CAST"]) {
            // It returns whether it swapped: a number, or for newer targets a predicate.
            result = [Bits::from(equal), Bits::ZERO, Bits::ZERO, Bits::ZERO];
        }
        if equal { swapped } else { old }
    } else if has(set!["POPC"]) {
        // It counts the active lanes.
        [old[0].plus(Bits::from(1_u32)).zero_extended(32), Bits::ZERO, Bits::ZERO, Bits::ZERO]
    } else {
        combined(step, &old, &given(thread, source(first)?), count)?
    };
    for part in 0..count {
        let at = at.wrapping_add(u64::from(part) * 4);
        thread.memory.store(at, 4, 4, new[usize::from(part)])?;
        let Some(to) = to else { continue };
        match step.operand(to)? {
            MachineOperand::Predicate(to) if part == 0 => thread.set_predicate(*to, result[0]),
            MachineOperand::Predicate(_) => {}
            _ => thread.set(step.to(to)?, part, result[usize::from(part)]),
        }
    }
    Ok(())
}

/// True if all bits are equal, as far as that is defined.
fn equal(a: &[Bits; 4], b: &[Bits; 4], count: u8) -> Option<bool> {
    let pairs = || a.iter().zip(b).take(count.into());
    if pairs().any(|(a, b)| a.defined() & b.defined() & (a.value() ^ b.value()) != 0) {
        return Some(false);
    }
    pairs().all(|(a, b)| a.known(32).is_some() && b.known(32).is_some()).then_some(true)
}

/// The new value in memory.
fn combined(step: &ListedStep, old: &[Bits; 4], new: &[Bits; 4], count: u8) -> Result<[Bits; 4], Halt> {
    let has = |any| step.modifiers.has(any);
    if has(set!["EXCH"]) {
        return Ok(*new);
    }
    if let Some(format) = float::NumberFormat::of(step) {
        return float::elementwise(step, format, old, new);
    }
    on_integers(step, count.into(), has(set!["S32"]) || has(set!["S64"]), old, new)
}

/// The new value of an operation on integers of one or two registers.
pub(super) fn on_integers(
    step: &ListedStep,
    count: u32,
    signed: bool,
    old: &[Bits; 4],
    new: &[Bits; 4],
) -> Result<[Bits; 4], Halt> {
    let has = |any| step.modifiers.has(any);
    let tables = [(set!["AND"], 0xc0), (set!["OR"], 0xfc), (set!["XOR"], 0x3c)];
    if let Some((_, table)) = tables.iter().find(|(operation, _)| has(*operation)) {
        let mut result = *old;
        result.iter_mut().zip(new).for_each(|(old, new)| *old = Bits::table(*table, *old, *new, Bits::ZERO));
        return Ok(result);
    }
    let (width, whole) = (count * 32, |of: &[Bits; 4]| of[0].joined(32, of[1]));
    let (old, new) = if count == 1 { (old[0], new[0]) } else { (whole(old), whole(new)) };
    let value = match () {
        _ if count > 2 => return Err(Halt::unknown("arithmetic on 128 bits")),
        () if has(set!["ADD"]) => old.plus(new),
        () => match old.known(width).zip(new.known(width)) {
            None => Bits::UNDEFINED,
            Some((old, new)) => Bits::from(integer(step, width, signed, old, new)?),
        },
    };
    Ok([value.zero_extended(32), value.shifted_right(32).zero_extended(32), Bits::ZERO, Bits::ZERO])
}

/// A minimum, a maximum, or a counter that wraps.
fn integer(step: &ListedStep, width: u32, is_signed: bool, old: u64, new: u64) -> Result<u64, Halt> {
    let has = |any| step.modifiers.has(any);
    let signed = |of: u64| Bits::from(of).sign_extended(width).value().cast_signed();
    let less = if is_signed { signed(new) < signed(old) } else { new < old };
    Ok(match () {
        () if has(set!["MIN"]) => {
            if less {
                new
            } else {
                old
            }
        }
        () if has(set!["MAX"]) => {
            if less {
                old
            } else {
                new
            }
        }
        () if has(set!["INC"]) => {
            if old >= new {
                0
            } else {
                old + 1
            }
        }
        () if has(set!["DEC"]) => {
            if old == 0 || old > new {
                new
            } else {
                old - 1
            }
        }
        () => return Err(Halt::unknown("it has no operation")),
    })
}

/// `QSPC.E.S P0, RZ, [R4]`: whether an address is in shared memory; `.D`: in that of another block.
pub(super) fn query_space(thread: &mut Thread, step: &ListedStep) -> Result<(), Halt> {
    let at = address(thread, step, 2, Window::Generic)?;
    let shared = at >> 24 == SHARED_WINDOW >> 24;
    thread.set_predicate(step.predicate(0)?, Bits::from(shared && step.modifiers.has(set!["S"])));
    Ok(())
}
