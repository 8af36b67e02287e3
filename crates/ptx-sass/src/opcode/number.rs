//! Conversions between integers and floats.

use super::convert::IntegerType;
use super::narrow;
use super::operand::{ModifiersLeft, RealSource, layout_named, set_float};
use super::shape::{DecodedStep, MachineShape, Unfit, effect, register};
use super::source::MachineSource;
use crate::instruction::{MachineOperand, RegisterPart, Sign};
use crate::machine::{Halt, Thread};
use crate::soft::{FloatLayout, MachineReal, MachineRounding};
use ptx_exec::value::Bits;

/// An integer in a register or a part of it.
#[derive(Clone, Copy)]
struct IntegerSource {
    source: MachineSource,
    kind: IntegerType,
    /// The position of its lowest bit.
    at: u32,
}

impl IntegerSource {
    fn of(operand: &MachineOperand, kind: IntegerType) -> Result<Self, Unfit> {
        let at = match operand {
            MachineOperand::Register(_, Sign::NONE, RegisterPart::Low) if kind.width <= 16 => 0,
            MachineOperand::Register(_, Sign::NONE, RegisterPart::High) if kind.width <= 16 => 16,
            MachineOperand::Register(_, Sign::NONE, RegisterPart::Byte(byte)) if kind.width <= 8 => {
                u32::from(*byte) * 8
            }
            whole => {
                let source = MachineSource::plain(whole, if kind.width == 64 { 64 } else { 32 })?;
                return Ok(Self { source, kind, at: 0 });
            }
        };
        match operand {
            MachineOperand::Register(register, ..) => {
                Ok(Self { source: MachineSource::of_register(*register), kind, at })
            }
            _ => Err(Unfit::OPERANDS),
        }
    }

    fn get(self, thread: &Thread) -> Result<Option<i128>, Halt> {
        let bits = self.source.get(thread)?.shifted_right(self.at).known(self.kind.width);
        Ok(bits.map(|bits| self.kind.value(bits)))
    }
}

/// `I2F.U32.RP R6, R9`, `I2F R7, R22`, `I2F.F64.S64.RM R4, R2`, `I2F.U16 R6, R8.H1`, `I2FP.F32.U32.RZ R3, R0`: an integer, signed and of
/// 32 bits without a type, as a float of 32 bits, or of the format that a modifier names.
pub(super) fn from_integer(shape: &MachineShape) -> DecodedStep {
    let mut modifiers = ModifiersLeft::of(shape);
    let rounding = modifiers.rounding();
    let layout = modifiers.first(layout_named).unwrap_or(FloatLayout::F32);
    let kind = modifiers.first(IntegerType::named).unwrap_or(IntegerType { width: 32, signed: true });
    modifiers.end()?;
    let [to, from] = shape.operands()?;
    if kind.width < 8 {
        return Err(Unfit::MODIFIERS);
    }
    if kind.width > 32 && matches!(from, MachineOperand::Integer(_)) {
        // Which half of it the 32 bits of an immediate are is not known.
        return Err(Unfit::because("a number of 64 bits is an immediate"));
    }
    let (to, from) = (register(to)?, IntegerSource::of(from, kind)?);
    effect(move |thread| {
        let value = from.get(thread)?.map(|value| narrow::from_integer(layout, rounding, value));
        set_float(thread, to, layout, value);
        Ok(())
    })
}

/// The conversion of a float to an integer.
#[derive(Clone, Copy)]
struct ToInteger {
    kind: IntegerType,
    rounding: MachineRounding,
    /// True if a NaN becomes 0; otherwise only the highest bit is 1.
    nan_is_zero: bool,
}

impl ToInteger {
    /// The integer, or the nearest number of the type.
    fn of(self, value: MachineReal) -> Bits {
        let nearest = value.integral(self.rounding).clamped(i128::from(i64::MIN), i128::from(u64::MAX));
        match nearest {
            Some(value) => self.kind.nearest(value).zero_extended(self.kind.width.max(32)),
            None if self.nan_is_zero => Bits::ZERO,
            None if self.kind.signed => Bits::from(1_u64 << (self.kind.width - 1))
                .sign_extended(self.kind.width)
                .zero_extended(self.kind.width.max(32)),
            None => Bits::from(1_u64 << (self.kind.width - 1)),
        }
    }
}

/// `F2I.FTZ.U32.TRUNC.NTZ R3, R2`, `F2I.U32.F64.FLOOR R3, R2`, `F2I.U8.F16.NTZ R7, R9.H1`: the integer that a float is rounded to, or the
/// nearest integer of the type, which is signed and of 32 bits if there is none. With `.NTZ` a NaN is 0; otherwise its highest bit is 1.
pub(super) fn to_integer(shape: &MachineShape) -> DecodedStep {
    let mut modifiers = ModifiersLeft::of(shape);
    let (flushes, nan_is_zero, rounding) = (modifiers.take("FTZ"), modifiers.take("NTZ"), modifiers.integral());
    let kind = modifiers.first(IntegerType::named).unwrap_or(IntegerType { width: 32, signed: true });
    let layout = modifiers.first(layout_named).unwrap_or(FloatLayout::F32);
    modifiers.end()?;
    let [to, from] = shape.operands()?;
    let (to, from) = (register(to)?, RealSource::of(from, layout, flushes)?);
    let conversion = ToInteger { kind, rounding, nan_is_zero };
    effect(move |thread| {
        let value = from.get(thread)?.map_or(Bits::UNDEFINED, |value| conversion.of(value));
        if kind.width == 64 {
            thread.set_wide(to, value)
        } else {
            thread.set(to, 0, value)
        }
        Ok(())
    })
}

/// `F2IP.U8.F32.TRUNC.NTZ R3, RZ, R0, RZ`: two integers, the second source as the lower one.
pub(super) fn to_two_integers(shape: &MachineShape) -> DecodedStep {
    let rounding = match shape.modifiers[..] {
        ["U8", "F32", "TRUNC", "NTZ"] => MachineRounding::Zero,
        ["U8", "F32", "NTZ"] => MachineRounding::Even,
        _ => return Err(Unfit::MODIFIERS),
    };
    let [to, high, low, above] = shape.operands()?;
    let source = |operand| RealSource::of(operand, FloatLayout::F32, false);
    let (to, high, low) = (register(to)?, source(high)?, source(low)?);
    if !register(above)?.is_zero() {
        return Err(Unfit::because("the third source is not RZ"));
    }
    let conversion = ToInteger { kind: IntegerType { width: 8, signed: false }, rounding, nan_is_zero: true };
    effect(move |thread| {
        let of =
            |value: Option<MachineReal>| value.map_or(Bits::UNDEFINED, |value| conversion.of(value)).zero_extended(8);
        let (high, low) = (of(high.get(thread)?), of(low.get(thread)?));
        thread.set(to, 0, low.joined(8, high));
        Ok(())
    })
}
