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
    let allowed = step.guard == Predicate::TRUE || thread.allows(step.guard)?;
    let done = match step.arrival {
        // An instruction whose guard is false passes through its unit as well: `ptxas` waits for it instead of one before it.
        Some(arrival) if !thread.at_once => {
            thread.late(arrival, |thread| if allowed { step.execute(thread) } else { Ok(()) })
        }
        _ if allowed => step.execute(thread),
        _ => Ok(()),
    };
    done.map_err(|stop| match stop {
        Halt::Unknown(why) => Halt::Unknown(format!("{}: {why}", step.name)),
        stop => stop,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::{MachineInstruction, Register};
    use crate::machine::SHARED_WINDOW;
    use ptx_exec::value::{Bits, MemoryRegion};

    #[test]
    fn what_waits_for_a_skipped_load_of_a_unit_in_order_waits_for_the_one_before()
    -> Result<(), Box<dyn std::error::Error>> {
        let step = |guard: &str, opcode: &str, operands: &str, word: u128| {
            Ok(Step::new(&MachineInstruction::parse(guard, opcode, operands)?, 0, word, 0)?)
        };
        let steps: Result<Vec<Step>, Box<dyn std::error::Error>> = [
            step("", "LDS", "R0,[UR4]", 7 << 110 | 7 << 113),
            step("@P0", "LDS", "R0,[UR4+0x4]", 2 << 110 | 7 << 113),
            step("", "NOP", "", 7 << 110 | 7 << 113 | 0b100 << 116),
        ]
        .into_iter()
        .collect();
        let code: Vec<Result<Step, Unknown>> = steps?.into_iter().map(Ok).collect();
        let mut thread = Thread::default();
        thread.memory.add(MemoryRegion::new(SHARED_WINDOW, vec![5, 0, 0, 0, 6, 0, 0, 0], true));
        let register = |index, uniform| Register { index, uniform, wide: false };
        thread.set(register(4, true), 0, Bits::ZERO);
        thread.set_predicate(Predicate { index: 0, ..Predicate::TRUE }, Bits::ZERO);
        for seen in [None, None, Some(5)] {
            super::step(&mut thread, &code)?;
            assert_eq!(thread.half(register(0, false), 0).word(), seen);
        }
        Ok(())
    }
}
