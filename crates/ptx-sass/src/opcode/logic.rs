//! Bitwise operations.

use super::Step;
use crate::instruction::{MachineOperand, RegisterPart, Sign};
use crate::machine::{Halt, Thread};
use ptx_exec::value::Bits;

/// `LOP3.LUT R6, R0, 0xffff, RZ, 0xc0, !PT`: a truth table of three inputs. With a predicate in front, it says whether
/// the result has a bit that is 1, or the last predicate is true; with `.PAND`, and it is.
pub(super) fn table(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let (mut predicates, rest) = step.split(0);
    let [MachineOperand::Register(to, ..), a, b, c, MachineOperand::Integer(table), MachineOperand::Predicate(also)] =
        rest
    else {
        return Err(Halt::unknown("it has other operands than three sources, a table and a predicate"));
    };
    let (a, b, c) = (thread.source(a)?, thread.source(b)?, thread.source(c)?);
    let value = Bits::table(truth(*table)?, a, b, c).zero_extended(32);
    thread.set(*to, 0, value);
    if let Some(to) = predicates.next() {
        let also = thread.predicate(*also);
        let any = match (value.value(), value.known(32)) {
            (1.., _) => Bits::from(true),
            (0, Some(_)) => Bits::from(false),
            _ => Bits::UNDEFINED.zero_extended(1),
        };
        let both = if step.modifiers.has(set!["PAND"]) { 0xc0 } else { 0xfc };
        thread.set_predicate(to, Bits::table(both, any, also, Bits::ZERO));
    }
    Ok(())
}

/// The truth table in an immediate.
fn truth(table: u64) -> Result<u8, Halt> {
    u8::try_from(table).map_err(|_| Halt::unknown("a table has more than 8 rows"))
}

/// `PLOP3.LUT P0, PT, P1, PT, R0.SIGN, 0x80, 0x0`: two truth tables of three predicates, or highest bits of registers.
pub(super) fn predicates(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let input = |at| match step.operand(at)? {
        MachineOperand::Register(register, sign, RegisterPart::Sign) if *sign == Sign::NONE => {
            Ok(thread.half(*register, 0).shifted_right(31).zero_extended(1))
        }
        MachineOperand::SignOfConstant { bank, offset } => {
            Ok(thread.constant(*bank, None, *offset, 4)?.shifted_right(31).zero_extended(1))
        }
        _ => step.predicate(at).map(|predicate| thread.predicate(predicate)),
    };
    let (a, b, c) = (input(2)?, input(3)?, input(4)?);
    for (to, table) in [(0, 5), (1, 6)] {
        let MachineOperand::Integer(table) = step.operand(table)? else {
            return Err(Halt::unknown("it has no table"));
        };
        let value = Bits::table(truth(*table)?, a, b, c);
        thread.set_predicate(step.predicate(to)?, value);
    }
    Ok(())
}

/// `PRMT R0, R10, 0x7610, R0`: bytes of two registers by a selector; its bit 3 takes the sign of the byte.
pub(super) fn permute(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let (low, selector, high) =
        (thread.source(step.operand(1)?)?, thread.source(step.operand(2)?)?, thread.source(step.operand(3)?)?);
    let selector = selector.zero_extended(16).word().ok_or(Halt::Undefined("a selector of bytes"))?;
    let both = low.joined(32, high);
    if let Some(bytes) = mode(step, selector & 3) {
        let of = |at: u32| both.shifted_right(at * 8).zero_extended(8);
        let value = bytes.into_iter().rev().fold(Bits::ZERO, |value, at| of(at).joined(8, value));
        thread.set(step.to(0)?, 0, value);
        return Ok(());
    }
    let byte = |at: u32| {
        let choice = selector >> (at * 4) & 15;
        let byte = both.shifted_right((choice & 7) * 8).zero_extended(8);
        if choice & 8 == 0 { byte } else { byte.shifted_right(7).sign_extended(1).zero_extended(8) }
    };
    let value = (0..4).rev().fold(Bits::ZERO, |value, at| byte(at).joined(8, value));
    thread.set(step.to(0)?, 0, value);
    Ok(())
}

/// The bytes that `PRMT.F4E` and the like take for each byte of the result, the lowest first; none without a mode.
fn mode(step: &Step, at: u32) -> Option<[u32; 4]> {
    let has = |any| step.modifiers.has(any);
    Some(match () {
        () if has(set!["F4E"]) => [0, 1, 2, 3].map(|byte| at + byte),
        () if has(set!["B4E"]) => [0, 1, 2, 3].map(|byte| (at + 8 - byte) & 7),
        () if has(set!["RC8"]) => [at; 4],
        () if has(set!["ECL"]) => [0, 1, 2, 3].map(|byte: u32| if byte < at { at } else { byte }),
        () if has(set!["ECR"]) => [0, 1, 2, 3].map(|byte: u32| if byte > at { at } else { byte }),
        () if has(set!["RC16"]) => [0, 1, 0, 1].map(|byte| (at & 1) << 1 | byte),
        () => return None,
    })
}
