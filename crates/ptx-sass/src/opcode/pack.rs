//! Predicates packed into registers, a bit each.

use super::shape::{DecodedStep, MachineShape, Unfit, effect, number, register};
use super::source::MachineSource;
use crate::instruction::{MachineOperand, Predicate, Register, RegisterPart, Sign};
use crate::machine::Thread;
use ptx_exec::value::Bits;

/// How many predicates there are, beside the one that is always true.
const PREDICATES: u8 = 7;

/// All predicates, which the disassembler may print before the opcode instead.
fn without_all(operands: &[MachineOperand]) -> Vec<&MachineOperand> {
    let is_all =
        |operand: &&MachineOperand| matches!(operand, MachineOperand::Other(name) if name == "PR" || name == "UPR");
    operands.iter().filter(|operand| !is_all(operand)).collect()
}

/// The predicates, a bit each; what the bit above them is is unknown.
fn all(thread: &Thread, uniform: bool) -> Bits {
    let predicate = |index| thread.predicate(Predicate { index, uniform, negated: false });
    (0..PREDICATES).rev().fold(Bits::UNDEFINED, |above, index| predicate(index).joined(1, above))
}

/// `P2R R18, PR, RZ, 0x1`, `UP2UR.B3 UR79, UPR, UR79, 0xff`: a register whose lowest byte, or that of the modifier, has predicates where the
/// mask has a bit.
pub(super) fn pack(shape: &MachineShape) -> DecodedStep {
    let at = match shape.modifiers[..] {
        [] | ["B0"] => 0,
        ["B1"] => 8,
        ["B2"] => 16,
        ["B3"] => 24,
        _ => return Err(Unfit::MODIFIERS),
    };
    let [to, from, mask] = without_all(shape.operands)[..] else { return Err(Unfit::OPERANDS) };
    let (to, from, mask) = (register(to)?, MachineSource::plain(from, 32)?, number(mask)?);
    if mask > 0xff {
        return Err(Unfit::because("its mask has more bits than there are predicates"));
    }
    effect(move |thread| {
        let predicates = all(thread, to.uniform).shifted_left(at);
        let value = Bits::table(0xca, Bits::from(mask << at), predicates, from.get(thread)?);
        thread.set(to, 0, value);
        Ok(())
    })
}

/// `R2P PR, R18, 0x1`, `UR2UP UPR, UR79.B3`: the predicates for which the mask has a bit, or all of them without one, from the bits of the
/// lowest byte of a register, or of another byte.
pub(super) fn unpack(shape: &MachineShape) -> DecodedStep {
    let [] = shape.modifiers[..] else { return Err(Unfit::MODIFIERS) };
    let (from, mask) = match without_all(shape.operands)[..] {
        [from] => (from, 0x7f),
        [from, mask] => (from, number(mask)?),
        _ => return Err(Unfit::OPERANDS),
    };
    let (from, at): (Register, u32) = match from {
        MachineOperand::Register(from, Sign::NONE, RegisterPart::Byte(byte)) => (*from, u32::from(*byte) * 8),
        whole => (register(whole)?, 0),
    };
    if mask >> PREDICATES != 0 {
        return Err(Unfit::because("its mask has more bits than there are predicates"));
    }
    effect(move |thread| {
        let value = thread.half(from, 0).shifted_right(at);
        for index in (0..PREDICATES).filter(|index| mask >> index & 1 == 1) {
            let predicate = Predicate { index, uniform: from.uniform, negated: false };
            thread.set_predicate(predicate, value.shifted_right(index.into()));
        }
        Ok(())
    })
}
