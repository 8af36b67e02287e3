//! What several lanes do together. There is one lane, number 0.

use super::Step;
use crate::bits::Bits;
use crate::machine::{Halt, Thread};

/// `VOTEU.ANY UR4, UPT, PT`: the lanes whose source is true, and whether there is any.
pub(super) fn vote(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let source = thread.predicate(step.predicate(2)?);
    thread.set_predicate(step.predicate(1)?, source);
    thread.set(step.to(0)?, 0, source);
    Ok(())
}

/// `REDUX.OR UR8, R10`, `R2UR UR9, R15`: the value of the only lane.
pub(super) fn of_one_lane(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let value = thread.source(step.operand(1)?)?;
    thread.set(step.to(0)?, 0, value);
    Ok(())
}

/// `SHFL.IDX PT, R8, R7, 0x1f, 0x1f`: the value of another lane, and whether that is in range; otherwise its own.
pub(super) fn shuffle(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let (value, lane) = (thread.source(step.operand(2)?)?, thread.source(step.operand(3)?)?);
    let lane = lane.known(32).ok_or(Halt::Undefined("the number of a lane"))?;
    if step.modifiers.has("IDX") && lane & 31 != 0 {
        return Err(Halt::unknown("it reads a lane that is not there"));
    }
    thread.set_predicate(step.predicate(0)?, Bits::from(lane & 31 == 0));
    thread.set(step.to(1)?, 0, value);
    Ok(())
}
