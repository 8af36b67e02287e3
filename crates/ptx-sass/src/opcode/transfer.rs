//! What moves values without changing them.

use super::Step;
use crate::bits::Bits;
use crate::instruction::MachineOperand;
use crate::machine::{Halt, Thread};

/// `MOV R0, R1`, `UMOV UR4, 0x400`, `MOV.64 R8, R4`
pub(super) fn copy(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    if step.modifiers.has(set!["64"]) {
        let value = thread.source_wide(step.operand(1)?)?;
        thread.set_wide(step.to(0)?, value);
        return Ok(());
    }
    let value = thread.source(step.operand(1)?)?;
    thread.set(step.to(0)?, 0, value);
    Ok(())
}

/// `SEL R6, R4, R6, P0`, `SEL.64 R6, R6, R12, P0`
pub(super) fn select(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let wide = step.modifiers.has(set!["64"]);
    let source = |at| match wide {
        true => thread.source_wide(step.operand(at)?),
        false => thread.source(step.operand(at)?),
    };
    let (this, that) = (source(1)?, source(2)?);
    let value = match thread.predicate(step.predicate(3)?).known(1) {
        Some(0) => that,
        Some(_) => this,
        // A bit that both have is the same whatever is chosen.
        None => {
            let same = this.defined() & that.defined() & !(this.value() ^ that.value());
            Bits::new(this.value(), same)
        }
    };
    match wide {
        true => thread.set_wide(step.to(0)?, value),
        false => thread.set(step.to(0)?, 0, value),
    }
    Ok(())
}

/// `S2R R0, SR_TID.X`, `S2UR UR4, SR_CTAID.X`
pub(super) fn special(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let value = match step.operand(1)? {
        MachineOperand::Special(name) => thread.special(name)?,
        _ => return Err(Halt::unknown("the source is not a special register")),
    };
    thread.set(step.to(0)?, 0, value);
    Ok(())
}

/// `CS2R R6, SRZ`: 64 bits, or 32 with `.32`.
pub(super) fn special_wide(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    match step.operand(1)? {
        MachineOperand::Special(name) if name == "SRZ" && step.modifiers.has(set!["32"]) => {
            thread.set(step.to(0)?, 0, Bits::ZERO)
        }
        MachineOperand::Special(name) if name == "SRZ" => thread.set_wide(step.to(0)?, Bits::ZERO),
        _ => return Err(Halt::unknown("the source is not SRZ")),
    }
    Ok(())
}

/// `LDC.64 R2, c[0x0][0x210]`, `ULDC UR4, c[0x0][R0+0x20]`, `LDCU.128 UR4, c[0x0][0x380]`
pub(super) fn load_constant(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let MachineOperand::Constant { bank, base, offset, .. } = step.operand(1)? else {
        return Err(Halt::unknown("the source is not a constant"));
    };
    let has = |any| step.modifiers.has(any);
    let to = step.to(0)?;
    match () {
        () if has(set!["64", "128"]) => {
            let lower = thread.constant(*bank, *base, *offset, 8)?;
            // The base may be a destination as well.
            let upper = thread.constant(*bank, *base, offset.wrapping_add(8), 8)?;
            thread.set_wide(to, lower);
            if has(set!["128"]) {
                thread.set(to, 2, upper);
                thread.set(to, 3, upper.shifted_right(32));
            }
        }
        () => {
            let bytes = if has(set!["U8"]) || has(set!["S8"]) {
                1
            } else if has(set!["U16"]) || has(set!["S16"]) {
                2
            } else {
                4
            };
            let value = thread.constant(*bank, *base, *offset, bytes)?;
            let signed = has(set!["S8"]) || has(set!["S16"]);
            thread.set(to, 0, if signed { value.sign_extended(if bytes == 1 { 8 } else { 16 }) } else { value });
        }
    }
    Ok(())
}
