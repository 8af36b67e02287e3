//! Branches and exits, and barriers and fences, which one thread does not notice.

use super::shape::{DecodedStep, MachineShape, Unfit, effect, number, register};
use super::source::MachineSource;
use crate::cubin::WORD_BYTES;
use crate::instruction::{MachineOperand, Predicate};
use crate::machine::{Halt, Thread};
use ptx_exec::value::Bits;

/// The opcodes with a target, which is printed as an address.
pub(super) const TARGETED: [&str; 4] = ["BRA", "BSSY", "CALL", "RET"];

/// Nothing that one thread notices.
pub(super) fn nothing(shape: &MachineShape) -> DecodedStep {
    if shape.modifiers.is_empty() { effect(|_| Ok(())) } else { Err(Unfit::MODIFIERS) }
}

/// `CCTL.IVALL`, `CCTL.E.PF1 [R6]`: caches forget, or fetch ahead.
pub(super) fn cache(shape: &MachineShape) -> DecodedStep {
    match shape.modifiers[..] {
        ["IVALL"] | ["E", "PF1" | "PF2"] => effect(|_| Ok(())),
        _ => Err(Unfit::MODIFIERS),
    }
}

/// `DEPBAR.LE SB5, 0x1`: waits until at most one of the instructions that raised the barrier is not done. `DEPBAR.LE SB1, 0x0,
/// {5}` waits for other barriers as well, until no instruction that raised them is left; `DEPBAR {5,4}` only for such.
pub(super) fn wait(shape: &MachineShape) -> DecodedStep {
    let [] = shape.modifiers[..] else { return Err(Unfit::MODIFIERS) };
    let barriers = |list: &str| {
        let list = list.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).ok_or(Unfit::OPERANDS)?;
        list.split(',').map(barrier).try_fold(0, |all, one| Ok(all | one?))
    };
    let (one, left, others) = match shape.operands {
        [MachineOperand::Other(name), left] => {
            (barrier(name.strip_prefix("SB").unwrap_or_default())?, number(left)?, 0)
        }
        [MachineOperand::Other(name), left, MachineOperand::Other(others)] => {
            (barrier(name.strip_prefix("SB").unwrap_or_default())?, number(left)?, barriers(others)?)
        }
        [MachineOperand::Other(all)] => (0, 0, barriers(all)?),
        _ => return Err(Unfit::OPERANDS),
    };
    let left = usize::try_from(left).map_err(|_| Unfit::because("it leaves more than there can be"))?;
    effect(move |thread| {
        thread.wait_but(one, left);
        thread.wait(others);
        Ok(())
    })
}

/// The bit of a barrier by its number.
fn barrier(number: &str) -> Result<u8, Unfit> {
    match number.trim().parse::<u8>() {
        Ok(number) if number < 6 => Ok(1 << number),
        _ => Err(Unfit::because("it waits for something else than a barrier")),
    }
}

/// `BMOV.32.CLEAR R2, B0`, `BMOV.32 B0, R2`: saves which threads wait at a barrier, which no program may compute with.
pub(super) fn move_barrier(shape: &MachineShape) -> DecodedStep {
    let (["32"], [to, _]) = (&shape.modifiers[..], shape.operands()?) else { return Err(Unfit::MODIFIERS) };
    match to {
        MachineOperand::Barrier(_) => effect(|_| Ok(())),
        to => {
            let to = register(to)?;
            effect(move |thread| {
                thread.set(to, 0, Bits::UNDEFINED);
                Ok(())
            })
        }
    }
}

/// `BPT.TRAP 0x1`, where code that is not optimized finds its stack too small.
pub(super) fn breakpoint(_: &MachineShape) -> DecodedStep {
    effect(|_| Err(Halt::unknown("the stack is too small")))
}

/// `EXIT`, `EXIT P0`
pub(super) fn exit(shape: &MachineShape) -> DecodedStep {
    if !shape.modifiers.is_empty() {
        return Err(Unfit::MODIFIERS);
    }
    let (conditions, []) = shape.split(0) else { return Err(Unfit::OPERANDS) };
    effect(move |thread| if all_allow(thread, &conditions)? { Err(Halt::Exit) } else { Ok(()) })
}

/// `BRA 0x240`, `BRA P0, 0x240`, `CALL.REL.NOINC 0x240`, and to the sum of a register and an address, `CALL.REL.NOINC R22, 0x0`, `RET.REL.NODEC
/// R20 0x0`: two registers hold the distance from there.
pub(super) fn branch(shape: &MachineShape) -> DecodedStep {
    if !shape.modifiers.is_empty() {
        return Err(Unfit::MODIFIERS);
    }
    let (conditions, rest) = shape.split(0);
    let (from, target) = match rest {
        [target] => (None, number(target)?),
        [from, target] if conditions.is_empty() => (Some(MachineSource::plain(from, 64)?), number(target)?),
        _ => return Err(Unfit::OPERANDS),
    };
    effect(move |thread| match from {
        _ if !all_allow(thread, &conditions)? => Ok(()),
        None => go(thread, target),
        Some(from) => indirect(thread, from, target),
    })
}

/// `BRX R4, -0xc0`, `BRXU UR6, -0xd0`: to the sum of two registers, the number, and the address of the next instruction.
pub(super) fn branch_table(shape: &MachineShape) -> DecodedStep {
    let ([], [from, distance]) = (&shape.modifiers[..], shape.operands()?) else { return Err(Unfit::MODIFIERS) };
    let (from, distance) = (MachineSource::plain(from, 64)?, number(distance)?);
    effect(move |thread| {
        let next = (thread.next * WORD_BYTES) as u64;
        indirect(thread, from, next.wrapping_add(distance))
    })
}

/// True if all conditions of a branch or an exit hold.
fn all_allow(thread: &Thread, conditions: &[Predicate]) -> Result<bool, Halt> {
    for condition in conditions {
        if !thread.allows(*condition)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn indirect(thread: &mut Thread, from: MachineSource, start: u64) -> Result<(), Halt> {
    let from = from.get(thread)?.known(64).ok_or(Halt::Undefined("the address of a branch"))?;
    go(thread, from.wrapping_add(start))
}

fn go(thread: &mut Thread, address: u64) -> Result<(), Halt> {
    let address = usize::try_from(address).ok().filter(|address| address.is_multiple_of(WORD_BYTES));
    thread.next = address.ok_or_else(|| Halt::unknown("the target is not an instruction"))? / WORD_BYTES;
    Ok(())
}
