//! Operations of several lanes together. There is one lane, number 0.

use super::Step;
use crate::instruction::MachineOperand;
use crate::machine::{Halt, Thread};
use ptx_exec::value::Bits;

/// `VOTEU.ANY UR4, UPT, PT`: the lanes whose source is true, and whether there is any; `VOTEU.ALL UP0, P0`.
pub(super) fn vote(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let lanes = usize::from(step.to(0).is_ok());
    let source = thread.predicate(step.predicate(lanes + 1)?);
    thread.set_predicate(step.predicate(lanes)?, source);
    if lanes == 1 {
        thread.set(step.to(0)?, 0, source);
    }
    Ok(())
}

/// `REDUX.OR UR8, R10`: the value of the only lane.
pub(super) fn of_one_lane(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let value = thread.source(step.operand(1)?)?;
    thread.set(step.to(0)?, 0, value);
    Ok(())
}

/// `R2UR UR9, R15`, `R2UR P1, UR6, R0`, `R2UR.OR P1, UR7, R9`: the value of the first lane, and whether another lane has
/// another value.
pub(super) fn to_uniform(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let (mut predicates, rest) = step.split(0);
    let [MachineOperand::Register(to, ..), from] = rest else {
        return Err(Halt::unknown("it has other operands than a register and a source"));
    };
    let value = thread.source(from)?;
    if let Some(differs) = predicates.next().filter(|_| !step.modifiers.has(set!["OR"])) {
        thread.set_predicate(differs, Bits::from(false));
    }
    thread.set(*to, 0, value);
    Ok(())
}

/// `SHFL.IDX PT, R8, R7, 0x1f, 0x1f`: the value of another lane, and whether that is in range; otherwise its own.
pub(super) fn shuffle(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let (value, lane) = (thread.source(step.operand(2)?)?, thread.source(step.operand(3)?)?);
    let lane = lane.known(32).ok_or(Halt::Undefined("the number of a lane"))?;
    if step.modifiers.has(set!["IDX"]) && lane & 31 != 0 {
        return Err(Halt::unknown("it reads a lane that is not there"));
    }
    thread.set_predicate(step.predicate(0)?, Bits::from(lane & 31 == 0));
    thread.set(step.to(1)?, 0, value);
    Ok(())
}
