//! Branches and exits, and barriers and fences, which one thread does not notice.

use super::Step;
use crate::cubin::WORD_BYTES;
use crate::instruction::MachineOperand;
use crate::machine::{Halt, Thread};
use ptx_exec::value::Bits;

/// The opcodes with a target, which is printed as an address.
pub(super) const TARGETED: [&str; 4] = ["BRA", "BSSY", "CALL", "RET"];

/// Nothing that one thread notices.
#[expect(clippy::unnecessary_wraps, reason = "all opcodes have one type")]
pub(super) fn nothing(_: &mut Thread, _: &Step) -> Result<(), Halt> {
    Ok(())
}

/// `DEPBAR.LE SB5,0x1`: waits until at most one of the instructions that raised the barrier is not done.
pub(super) fn wait(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    match (step.operand(0)?, step.operand(1)?, step.operands.len()) {
        (MachineOperand::Other(name), MachineOperand::Integer(left), 2) => {
            let barrier =
                name.strip_prefix("SB").and_then(|number| number.parse::<u8>().ok()).filter(|number| *number < 6);
            let barrier = barrier.ok_or_else(|| Halt::unknown("it waits for something else than a barrier"))?;
            let left = usize::try_from(*left).map_err(|_| Halt::unknown("it leaves more than there can be"))?;
            thread.wait_but(1 << barrier, left);
            Ok(())
        }
        _ => Err(Halt::unknown("it waits for several barriers")),
    }
}

/// `BMOV.32.CLEAR R2, B0`, `BMOV.32 B0, R2`: saves which threads wait at a barrier, which no program may compute with.
pub(super) fn move_barrier(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    if let MachineOperand::Register(to, ..) = step.operand(0)? {
        thread.set(*to, 0, Bits::UNDEFINED);
    }
    Ok(())
}

/// `BPT.TRAP 0x1`, where code that is not optimized finds its stack too small.
pub(super) fn breakpoint(_: &mut Thread, _: &Step) -> Result<(), Halt> {
    Err(Halt::unknown("the stack is too small"))
}

/// `EXIT`
pub(super) fn exit(_: &mut Thread, _: &Step) -> Result<(), Halt> {
    Err(Halt::Exit)
}

/// `BRA 0x240`, `BRA P0, 0x240`, `CALL.REL.NOINC 0x240`
pub(super) fn branch(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let (conditions, rest) = step.split(0);
    for condition in conditions {
        if !thread.allows(condition)? {
            return Ok(());
        }
    }
    match rest {
        [MachineOperand::Integer(target)] => to(thread, *target),
        _ => Err(Halt::unknown("the target is not a number")),
    }
}

/// `RET.REL.NODEC R20 0x0`: to the address in two registers, from the start of the section.
pub(super) fn leave(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let from = thread.source_wide(step.operand(0)?)?.known(64).ok_or(Halt::Undefined("a return address"))?;
    match step.operand(1)? {
        MachineOperand::Integer(start) => to(thread, from.wrapping_add(*start)),
        _ => Err(Halt::unknown("the target is not a number")),
    }
}

fn to(thread: &mut Thread, address: u64) -> Result<(), Halt> {
    let address = usize::try_from(address).ok().filter(|address| address.is_multiple_of(WORD_BYTES));
    thread.next = address.ok_or_else(|| Halt::unknown("the target is not an instruction"))? / WORD_BYTES;
    Ok(())
}
