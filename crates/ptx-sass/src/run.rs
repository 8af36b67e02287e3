//! Runs a thread from its first instruction to its end.

use crate::instruction::Predicate;
use crate::machine::{Halt, Thread};
use crate::opcode::{Step, Unknown};

/// The instructions of a section of code, in order; those that are unknown stop whoever reaches them.
pub type Code = [Result<Step, Unknown>];

/// Runs a thread until it stops: at the latest after `most` instructions.
pub fn run(thread: &mut Thread, code: &Code, most: u64) -> Halt {
    for _ in 0..most {
        if let Err(stop) = step(thread, code) {
            return stop;
        }
    }
    Halt::Unknown(format!("it does not end within {most} instructions"))
}

/// Runs the next instruction of a thread.
///
/// # Errors
/// Why it stops.
#[inline]
pub fn step(thread: &mut Thread, code: &Code) -> Result<(), Halt> {
    let step = code.get(thread.next).ok_or_else(|| Halt::unknown("a branch leaves its section"))?;
    let step = step.as_ref().map_err(|unknown| match unknown {
        Unknown::Zeros => Halt::Defect(unknown.to_string()),
        _ => Halt::Unknown(unknown.to_string()),
    })?;
    thread.next += 1;
    thread.steps += 1;
    thread.wait(step.waits);
    if step.guard != Predicate::TRUE && !thread.allows(step.guard)? {
        return Ok(());
    }
    let done = match step.arrival {
        Some(arrival) if !thread.at_once => thread.late(arrival, |thread| step.execute(thread)),
        _ => step.execute(thread),
    };
    done.map_err(|stop| match stop {
        Halt::Unknown(why) => Halt::Unknown(format!("{}: {why}", step.name)),
        stop => stop,
    })
}
