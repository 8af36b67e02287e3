//! Moves of values, which do not change them.

use super::shape::{DecodedStep, MachineShape, Unfit, effect, predicate, register};
use super::source::MachineSource;
use crate::instruction::{MachineAddress, MachineOperand, Predicate, Register};
use crate::machine::{Halt, Thread, constant_special};
use crate::position::MachineSpecial;
use ptx_exec::value::Bits;

/// 32 bits, or 64 with `.64`.
fn width(modifiers: &[&str]) -> Result<u32, Unfit> {
    match modifiers {
        [] => Ok(32),
        ["64"] => Ok(64),
        _ => Err(Unfit::MODIFIERS),
    }
}

fn set(thread: &mut Thread, to: Register, width: u32, value: Bits) {
    if width == 64 { thread.set_wide(to, value) } else { thread.set(to, 0, value) }
}

/// `MOV R0, R1`, `UMOV UR4, 0x400`, `MOV.64 R8, R4`
pub(super) fn copy(shape: &MachineShape) -> DecodedStep {
    let width = width(&shape.modifiers)?;
    let [to, from] = shape.operands()?;
    let (to, from) = (register(to)?, MachineSource::plain(from, width)?);
    effect(move |thread| {
        let value = from.get(thread)?;
        set(thread, to, width, value);
        Ok(())
    })
}

/// `SEL R6, R4, R6, P0`, `SEL.64 R6, R6, R12, P0`; `FSEL R5, R0, 1, !P0`: one of two values, as the bits that they are.
pub(super) fn select(shape: &MachineShape) -> DecodedStep {
    let width = width(&shape.modifiers)?;
    let [to, this, that, which] = shape.operands()?;
    let (to, this, that) = (register(to)?, MachineSource::plain(this, width)?, MachineSource::plain(that, width)?);
    let which = predicate(which)?;
    effect(move |thread| {
        let (this, that) = (this.get(thread)?, that.get(thread)?);
        let value = match thread.predicate(which).known(1) {
            Some(0) => that,
            Some(_) => this,
            // A bit that both have is the same whatever is chosen.
            None => Bits::new(this.value(), this.defined() & that.defined() & !(this.value() ^ that.value())),
        };
        set(thread, to, width, value);
        Ok(())
    })
}

/// `S2R R0, SR_TID.X`, `S2UR UR4, SR_CTAID.X`
pub(super) fn special(shape: &MachineShape) -> DecodedStep {
    let ([], [to, from]) = (&shape.modifiers[..], shape.operands()?) else { return Err(Unfit::MODIFIERS) };
    let to = register(to)?;
    match from {
        MachineOperand::Special(name) => {
            let unknown = || Unfit(format!("the special register {name} is unknown").into());
            let from = MachineSpecial::named(name, constant_special).ok_or_else(unknown)?;
            effect(move |thread| {
                let value = thread.position.special(from);
                thread.set(to, 0, Bits::from(value));
                Ok(())
            })
        }
        _ => Err(Unfit::because("the source is not a special register")),
    }
}

/// `CS2R R6, SRZ`: 64 bits, or 32 with `.32`.
pub(super) fn special_wide(shape: &MachineShape) -> DecodedStep {
    let width = match shape.modifiers[..] {
        [] => 64,
        ["32"] => 32,
        _ => return Err(Unfit::MODIFIERS),
    };
    match shape.operands()? {
        [to, MachineOperand::Special(name)] if name == "SRZ" => {
            let to = register(to)?;
            effect(move |thread| {
                set(thread, to, width, Bits::ZERO);
                Ok(())
            })
        }
        _ => Err(Unfit::because("the source is not SRZ")),
    }
}

/// The place that a constant is loaded from.
enum ConstantPlace {
    Bank {
        bank: u8,
        base: Option<Register>,
        offset: i64,
    },
    /// A generic address of 64 bits, which is how uniform addresses are loaded through the read-only proxy.
    Generic(MachineAddress),
}

impl ConstantPlace {
    /// Up to 8 bytes of a load of this many, from a position in it on.
    fn load(&self, thread: &mut Thread, at: u64, bytes: u8) -> Result<Bits, Halt> {
        let part = usize::from(bytes.min(8));
        match self {
            Self::Bank { bank, base, offset } => thread.constant(*bank, *base, offset.wrapping_add_unsigned(at), part),
            Self::Generic(address) => {
                let start = thread.address(address, true)?;
                let aligned = if at == 0 { u64::from(bytes) } else { 8 };
                Ok(thread.memory.load(start.wrapping_add(at), part, aligned)?)
            }
        }
    }
}

/// `LDC.64 R2, c[0x0][0x210]`, `ULDC UR4, c[0x0][R0+0x20]`, `LDCU.128 UR4, c[0x0][0x380]`: from a constant bank.
/// `ULDC.S16 UR4, [UR4+0x20], !UPT`, `LDCU UR4, [UR4+0x20], !UPT`: from a generic address.
pub(super) fn load_constant(shape: &MachineShape) -> DecodedStep {
    let (bytes, signed) = match shape.modifiers[..] {
        [] => (4_u8, false),
        ["U8"] => (1, false),
        ["S8"] => (1, true),
        ["U16"] => (2, false),
        ["S16"] => (2, true),
        ["64"] => (8, false),
        ["128"] => (16, false),
        _ => return Err(Unfit::MODIFIERS),
    };
    /// No other predicate was ever seen here, so what one does is unknown.
    const NEVER: Predicate = Predicate { index: 7, uniform: true, negated: true };
    let (to, from) = match shape.operands {
        [to, MachineOperand::Constant { bank, base, offset, .. }] => {
            (to, ConstantPlace::Bank { bank: *bank, base: *base, offset: *offset })
        }
        [to, MachineOperand::Address(address), MachineOperand::Predicate(NEVER)] => {
            (to, ConstantPlace::Generic(address.clone()))
        }
        [_, MachineOperand::Address(_), ..] => return Err(Unfit::because("its predicate is not !UPT")),
        _ => return Err(Unfit::because("the source is neither a constant nor an address")),
    };
    let to = register(to)?;
    effect(move |thread| {
        // The base may be a destination as well, so everything is loaded before anything is set.
        let lower = from.load(thread, 0, bytes)?;
        let upper = if bytes == 16 { from.load(thread, 8, bytes)? } else { Bits::ZERO };
        match bytes {
            16 => {
                thread.set_wide(to, lower);
                thread.set(to, 2, upper);
                thread.set(to, 3, upper.shifted_right(32));
            }
            8 => thread.set_wide(to, lower),
            _ => thread.set(to, 0, if signed { lower.sign_extended(u32::from(bytes) * 8) } else { lower }),
        }
        Ok(())
    })
}
