//! Conversions between integers and floats.

use super::convert::IntegerType;
use super::float::NumberFormat;
use super::real::{FloatSource, Rounding};
use super::shape::{DecodedStep, MachineShape, Unfit, effect, register};
use super::source::MachineSource;
use crate::instruction::{MachineOperand, Register, RegisterPart, Sign};
use crate::machine::{Halt, Thread};
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

/// `I2F.U32.RP R6, R9`, `I2F R7, R22`, `I2F.U16 R6, R8.H1`, `I2FP.F32.U32.RZ R3, R0`: an integer, signed and of 32 bits without a type,
/// as a float of 32 bits.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "rounding is wanted")]
pub(super) fn from_integer(shape: &MachineShape) -> DecodedStep {
    let (modifiers, rounding) = Rounding::split(&shape.modifiers);
    let kind = match modifiers {
        [] => IntegerType { width: 32, signed: true },
        [name] | ["F32", name] => IntegerType::named(name).filter(|kind| kind.width >= 8).ok_or(Unfit::MODIFIERS)?,
        _ => return Err(Unfit::MODIFIERS),
    };
    let [to, from] = shape.operands()?;
    if kind.width > 32 && matches!(from, MachineOperand::Integer(_)) {
        // Which half of it the 32 bits of an immediate are is not known.
        return Err(Unfit::because("a number of 64 bits is an immediate"));
    }
    let (to, from) = (register(to)?, IntegerSource::of(from, kind)?);
    let rounded = move |exact: i128| {
        let nearest = exact as f32;
        let order = (nearest as i128).cmp(&exact);
        Bits::from(rounding.corrected(nearest.to_bits().into(), exact < 0, order))
    };
    effect(move |thread| {
        let value = from.get(thread)?.map_or(Bits::UNDEFINED, rounded);
        thread.set(to, 0, value);
        Ok(())
    })
}

/// A float that is converted to an integer.
#[derive(Clone, Copy)]
enum Real {
    Float(FloatSource),
    /// A half of a register, and its lowest bit.
    Half(Register, u32),
}

impl Real {
    fn of(operand: &MachineOperand, format: NumberFormat, flushes: bool) -> Result<Self, Unfit> {
        match operand {
            _ if format != NumberFormat::F16 => FloatSource::of(operand, format, flushes).map(Self::Float),
            MachineOperand::Register(register, Sign::NONE, RegisterPart::Whole | RegisterPart::Low) => {
                Ok(Self::Half(*register, 0))
            }
            MachineOperand::Register(register, Sign::NONE, RegisterPart::High) => Ok(Self::Half(*register, 16)),
            _ => Err(Unfit::because("the source has unknown halves")),
        }
    }

    fn get(self, thread: &Thread) -> Result<Option<f64>, Halt> {
        match self {
            Self::Float(source) => source.get(thread),
            Self::Half(register, at) => {
                let bits = thread.half(register, 0).shifted_right(at).known(16);
                Ok(bits.map(|bits| NumberFormat::F16.value(bits)))
            }
        }
    }
}

/// The conversion of a float to an integer.
#[derive(Clone, Copy)]
struct Truncation {
    kind: IntegerType,
    /// True if a NaN becomes 0; otherwise only the highest bit is 1.
    nan_is_zero: bool,
}

impl Truncation {
    /// The integer part, or the nearest number of the type.
    #[expect(clippy::cast_possible_truncation, reason = "a value out of range is the nearest")]
    fn of(self, value: f64) -> Bits {
        match () {
            () if !value.is_nan() => self.kind.nearest(value as i128).zero_extended(self.kind.width.max(32)),
            () if self.nan_is_zero => Bits::ZERO,
            () => Bits::from(1_u64 << (self.kind.width - 1)),
        }
    }
}

/// `F2I.FTZ.U32.TRUNC.NTZ R3, R2`, `F2I.U32.F64.TRUNC R3, R2`, `F2I.U8.F16.TRUNC.NTZ R7, R9.H1`: the integer part, or the nearest
/// integer of the type, which is signed and of 32 bits if there is none. With `.NTZ` a NaN is 0; otherwise its highest bit is 1,
/// as the manual says of the lines that it is not written for.
pub(super) fn to_integer(shape: &MachineShape) -> DecodedStep {
    let (nan_is_zero, rest) = match &shape.modifiers[..] {
        [before @ .., "TRUNC", "NTZ"] => (true, before),
        [before @ .., "TRUNC"] => (false, before),
        // Without `.TRUNC` it rounds to nearest, or as another modifier says.
        _ => return Err(Unfit::because("it does not truncate")),
    };
    let (flushes, rest) = match rest {
        ["FTZ", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (kind, rest) = match rest {
        [name, rest @ ..] if let Some(kind) = IntegerType::named(name) => (kind, rest),
        rest => (IntegerType { width: 32, signed: true }, rest),
    };
    let format = match rest {
        [] => NumberFormat::F32,
        ["F16"] => NumberFormat::F16,
        ["F64"] => NumberFormat::F64,
        _ => return Err(Unfit::MODIFIERS),
    };
    let [to, from] = shape.operands()?;
    let (to, from, truncation) = (register(to)?, Real::of(from, format, flushes)?, Truncation { kind, nan_is_zero });
    effect(move |thread| {
        let value = from.get(thread)?.map_or(Bits::UNDEFINED, |value| truncation.of(value));
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
    let ["U8", "F32", "TRUNC", "NTZ"] = shape.modifiers[..] else { return Err(Unfit::MODIFIERS) };
    let [to, high, low, above] = shape.operands()?;
    let source = |operand| FloatSource::of(operand, NumberFormat::F32, false);
    let (to, high, low) = (register(to)?, source(high)?, source(low)?);
    if !register(above)?.is_zero() {
        return Err(Unfit::because("the third source is not RZ"));
    }
    let truncation = Truncation { kind: IntegerType { width: 8, signed: false }, nan_is_zero: true };
    effect(move |thread| {
        let of = |value: Option<f64>| value.map_or(Bits::UNDEFINED, |value| truncation.of(value)).zero_extended(8);
        let (high, low) = (of(high.get(thread)?), of(low.get(thread)?));
        thread.set(to, 0, low.joined(8, high));
        Ok(())
    })
}
