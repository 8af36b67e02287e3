//! Moves of values, which do not change them.

use super::{Step, access};
use crate::instruction::{MachineOperand, Predicate, Sign};
use crate::machine::{Halt, Thread};
use ptx_exec::value::Bits;

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

/// `FSEL R5, R0, 1, !P0`: one of two floats, as the bits that they are. A sign before one would be that of a float.
pub(super) fn select_float(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let signed = |operand: &MachineOperand| matches!(operand, MachineOperand::Register(_, sign, _) | MachineOperand::Constant { sign, .. } if *sign != Sign::NONE);
    if step.operands.iter().any(signed) {
        return Err(Halt::unknown("a source has a sign"));
    }
    select(thread, step)
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

/// `LDC.64 R2, c[0x0][0x210]`, `ULDC UR4, c[0x0][R0+0x20]`, `LDCU.128 UR4, c[0x0][0x380]`: from a constant bank.
/// `ULDC.S16 UR4, [UR4+0x20], !UPT`, `LDCU UR4, [UR4+0x20], !UPT`: from a generic address of 64 bits, which is how uniform
/// addresses are loaded through the read-only proxy.
pub(super) fn load_constant(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let to = step.to(0)?;
    let (bytes, signed) = access::size(step);
    // The base may be a destination as well, so everything is loaded before anything is set.
    let mut loaded = [Bits::ZERO; 2];
    for (value, at) in loaded.iter_mut().zip((0..u64::from(bytes)).step_by(8)) {
        *value = constant(thread, step, at, bytes)?;
    }
    let [lower, upper] = loaded;
    if bytes < 8 {
        thread.set(to, 0, if signed { lower.sign_extended(u32::from(bytes) * 8) } else { lower });
        return Ok(());
    }
    thread.set_wide(to, lower);
    if bytes == 16 {
        thread.set(to, 2, upper);
        thread.set(to, 3, upper.shifted_right(32));
    }
    Ok(())
}

/// Up to 8 bytes of the source of a load of this many, from a position in it on.
fn constant(thread: &mut Thread, step: &Step, at: u64, bytes: u8) -> Result<Bits, Halt> {
    let part = usize::from(bytes.min(8));
    match step.operand(1)? {
        MachineOperand::Constant { bank, base, offset, .. } => {
            thread.constant(*bank, *base, offset.wrapping_add_unsigned(at), part)
        }
        MachineOperand::Address(address) => {
            // No other predicate was ever seen here, so what one does is unknown.
            if step.predicate(2)? != (Predicate { index: 7, uniform: true, negated: true }) {
                return Err(Halt::unknown("its predicate is not !UPT"));
            }
            let start = thread.address(address, true)?;
            let aligned = if at == 0 { u64::from(bytes) } else { 8 };
            Ok(thread.memory.load(start.wrapping_add(at), part, aligned)?)
        }
        _ => Err(Halt::unknown("the source is neither a constant nor an address")),
    }
}
