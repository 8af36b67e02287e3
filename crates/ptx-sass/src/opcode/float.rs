//! Floating-point arithmetic: sums, minima and maxima, rounded to nearest even.

use half::{bf16, f16};

use super::Step;
use crate::instruction::{MachineOperand, Register, RegisterPart, Sign};
use crate::machine::{Halt, Thread};
use ptx_exec::value::Bits;

/// A format of numbers in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberFormat {
    F16,
    Bf16,
    F32,
    F64,
}

impl NumberFormat {
    /// The format of an atomic operation; `None` if it is on integers.
    pub(super) fn of(step: &Step) -> Option<Self> {
        let has = |any| step.modifiers.has(any);
        match () {
            () if has(set!["F16x2", "F16x4", "F16x8"]) => Some(Self::F16),
            () if has(set!["BF16x2", "BF16x4", "BF16x8"]) => Some(Self::Bf16),
            () if has(set!["F32", "F32x2", "F32x4"]) => Some(Self::F32),
            () if has(set!["F64"]) => Some(Self::F64),
            () => None,
        }
    }

    fn bits(self) -> u32 {
        match self {
            Self::F16 | Self::Bf16 => 16,
            Self::F32 => 32,
            Self::F64 => 64,
        }
    }

    /// The value of the low bits, which is exact.
    #[expect(clippy::cast_possible_truncation, reason = "a format has as many bits as the type that it is read as")]
    fn value(self, bits: u64) -> f64 {
        match self {
            Self::F16 => f16::from_bits(bits as u16).to_f64(),
            Self::Bf16 => bf16::from_bits(bits as u16).to_f64(),
            Self::F32 => f32::from_bits(bits as u32).into(),
            Self::F64 => f64::from_bits(bits),
        }
    }

    /// The nearest number. A sum of two numbers of a format with fewer than half as many bits is the same whether it
    /// is rounded to 53 bits before or not.
    #[expect(clippy::cast_possible_truncation, reason = "rounding is wanted")]
    fn rounded(self, value: f64) -> u64 {
        match self {
            Self::F16 => f16::from_f64(value).to_bits().into(),
            Self::Bf16 => bf16::from_f64(value).to_bits().into(),
            Self::F32 => (value as f32).to_bits().into(),
            Self::F64 => value.to_bits(),
        }
    }

    /// The number, or a zero of its sign if it is subnormal.
    fn flushed(self, bits: u64) -> u64 {
        let (exponent, sign) = match self {
            Self::F16 => (0x7c00, 0x8000),
            Self::Bf16 => (0x7f80, 0x8000),
            Self::F32 => (0x7f80_0000, 0x8000_0000),
            Self::F64 => (0x7ff0_0000_0000_0000, 1 << 63),
        };
        if bits & exponent == 0 { bits & sign } else { bits }
    }

    /// The result of an atomic operation on two numbers.
    fn apply(self, step: &Step, old: u64, new: u64) -> Result<u64, Halt> {
        let has = |any| step.modifiers.has(any);
        let flush = |bits: u64| if has(set!["FTZ"]) { self.flushed(bits) } else { bits };
        let (old, new) = (flush(old), flush(new));
        let (a, b) = (self.value(old), self.value(new));
        // Minus zero is less than zero.
        let less = b < a || a == b && b.is_sign_negative();
        Ok(match () {
            () if has(set!["ADD"]) => flush(self.rounded(a + b)),
            () if a.is_nan() => new,
            () if b.is_nan() => old,
            () if has(set!["MIN"]) => {
                if less {
                    new
                } else {
                    old
                }
            }
            () if has(set!["MAX"]) => {
                if less {
                    old
                } else {
                    new
                }
            }
            () => return Err(Halt::unknown("it has no operation on floats")),
        })
    }
}

/// An atomic operation on the elements of values of up to 128 bits.
pub(super) fn elementwise(
    step: &Step,
    format: NumberFormat,
    old: &[Bits; 4],
    new: &[Bits; 4],
) -> Result<[Bits; 4], Halt> {
    let apply = |old: Bits, new: Bits| match old.known(format.bits()).zip(new.known(format.bits())) {
        Some((old, new)) => format.apply(step, old, new).map(Bits::from),
        None => Ok(Bits::UNDEFINED),
    };
    let mut result = [Bits::ZERO; 4];
    match format {
        NumberFormat::F64 => {
            let whole = apply(old[0].joined(32, old[1]), new[0].joined(32, new[1]))?;
            (result[0], result[1]) = (whole.zero_extended(32), whole.shifted_right(32));
        }
        NumberFormat::F32 => {
            for (result, (old, new)) in result.iter_mut().zip(old.iter().zip(new)) {
                *result = apply(*old, *new)?.zero_extended(32);
            }
        }
        NumberFormat::F16 | NumberFormat::Bf16 => {
            for (result, (old, new)) in result.iter_mut().zip(old.iter().zip(new)) {
                let high = apply(old.shifted_right(16), new.shifted_right(16))?;
                *result = apply(*old, *new)?.joined(16, high.zero_extended(16));
            }
        }
    }
    Ok(result)
}

/// `FADD R13, R15, R12`
pub(super) fn add(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let (a, b) = (number(thread, step, 1, NumberFormat::F32)?, number(thread, step, 2, NumberFormat::F32)?);
    let sum = a.zip(b).map_or(Bits::UNDEFINED, |(a, b)| Bits::from(NumberFormat::F32.rounded(a + b)));
    thread.set(step.to(0)?, 0, sum);
    Ok(())
}

/// `FMUL R2, R2, 15.989999771118164062`
pub(super) fn multiply(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let (a, b) = (number(thread, step, 1, NumberFormat::F32)?, number(thread, step, 2, NumberFormat::F32)?);
    // The product of two floats is exact as a double.
    let product = a.zip(b).map_or(Bits::UNDEFINED, |(a, b)| Bits::from(NumberFormat::F32.rounded(a * b)));
    thread.set(step.to(0)?, 0, product);
    Ok(())
}

/// `DADD R14, R14, R4`
pub(super) fn add_double(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let (a, b) = (number(thread, step, 1, NumberFormat::F64)?, number(thread, step, 2, NumberFormat::F64)?);
    let sum = a.zip(b).map_or(Bits::UNDEFINED, |(a, b)| Bits::from(NumberFormat::F64.rounded(a + b)));
    thread.set_wide(step.to(0)?, sum);
    Ok(())
}

/// The number in one or two registers; `None` if it is undefined.
fn number(thread: &Thread, step: &Step, at: usize, format: NumberFormat) -> Result<Option<f64>, Halt> {
    let double = format == NumberFormat::F64;
    let (bits, sign) = match step.operand(at)? {
        MachineOperand::Register(register, sign, RegisterPart::Whole) if !sign.inverted => {
            let wide = Register { wide: true, ..*register };
            (if double { thread.register(wide) } else { thread.half(*register, 0) }, *sign)
        }
        MachineOperand::Constant { bank, base, offset, sign } if !sign.inverted => {
            (thread.constant(*bank, *base, *offset, if double { 8 } else { 4 })?, *sign)
        }
        MachineOperand::Integer(value) if format == NumberFormat::F32 => return Ok(Some(format.value(*value))),
        // The immediate has the upper half.
        MachineOperand::Integer(value) if double => return Ok(Some(format.value(*value << 32))),
        _ => return Err(Halt::unknown("a source is not a number")),
    };
    let value = bits.known(format.bits()).map(|bits| format.value(bits));
    let value = if sign.absolute { value.map(f64::abs) } else { value };
    Ok(if sign.negated { value.map(|value| -value) } else { value })
}

/// `HADD2 R10, R11, R0.H0_H0`: two sums.
pub(super) fn add_halves(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let (a, b) = (halves(thread, step, 1)?, halves(thread, step, 2)?);
    set_sums(thread, step, a, b)
}

/// `HFMA2.MMA R5, R4, 1, 1, R3`: two sums, when one factor is 1. `HFMA2.MMA R5, -RZ, RZ, 0, 5.96e-08` moves a constant:
/// minus zero times zero, plus the immediate, is the immediate.
pub(super) fn multiply_add_halves(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let is_one =
        |value: u64| if step.modifiers.has(set!["BF16_V2"]) { value == 0x3f80_3f80 } else { value == 0x3c00_3c00 };
    match &step.operands[..] {
        [
            _,
            MachineOperand::Register(a, sign, _),
            MachineOperand::Register(b, other, _),
            MachineOperand::Integer(value),
            MachineOperand::Integer(_),
        ] if a.is_zero() && b.is_zero() && sign.negated && !other.negated => {
            thread.set(step.to(0)?, 0, Bits::from(*value));
            Ok(())
        }
        [_, _, MachineOperand::Integer(factor), MachineOperand::Integer(_), _] if is_one(*factor) => {
            let (a, c) = (halves(thread, step, 1)?, halves(thread, step, 4)?);
            set_sums(thread, step, a, c)
        }
        _ => Err(Halt::unknown("it multiplies: only sums and moves are known")),
    }
}

/// The two halves of a source, the low one first.
fn halves(thread: &Thread, step: &Step, at: usize) -> Result<[Bits; 2], Halt> {
    let (value, part) = match step.operand(at)? {
        MachineOperand::Register(register, sign, part) if *sign == Sign::NONE => (thread.half(*register, 0), part),
        MachineOperand::Register(register, ..) if register.is_zero() => {
            return Err(Halt::unknown("a source is minus zero"));
        }
        _ => return Err(Halt::unknown("a source is not a register")),
    };
    let (low, high) = (value.zero_extended(16), value.shifted_right(16).zero_extended(16));
    match part {
        RegisterPart::Whole => Ok([low, high]),
        RegisterPart::LowTwice => Ok([low, low]),
        RegisterPart::HighTwice => Ok([high, high]),
        _ => Err(Halt::unknown("a source has unknown halves")),
    }
}

fn set_sums(thread: &mut Thread, step: &Step, a: [Bits; 2], b: [Bits; 2]) -> Result<(), Halt> {
    let format = if step.modifiers.has(set!["BF16_V2"]) { NumberFormat::Bf16 } else { NumberFormat::F16 };
    let sum = |at: usize| match a[at].known(16).zip(b[at].known(16)) {
        Some((a, b)) => Bits::from(format.rounded(format.value(a) + format.value(b))),
        None => Bits::UNDEFINED,
    };
    thread.set(step.to(0)?, 0, sum(0).joined(16, sum(1)));
    Ok(())
}

/// `I2F.U64 R7, R22`, `I2F R7, R22`: an integer of 64 bits without a sign, or of 32 with one, as the nearest float of 32 bits.
#[expect(clippy::cast_precision_loss, reason = "rounding is wanted")]
pub(super) fn from_integer(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let float = match step.modifiers.has(set!["U64"]) {
        true => thread.source_wide(step.operand(1)?)?.known(64).map(|value| value as f32),
        false => thread.source(step.operand(1)?)?.word().map(|value| value.cast_signed() as f32),
    };
    let value = float.map_or(Bits::UNDEFINED, |float| Bits::from(float.to_bits()));
    thread.set(step.to(0)?, 0, value);
    Ok(())
}

/// `F2I.U32.F64.TRUNC R3, R2`, `F2I.U8.F16.TRUNC.NTZ R7, R9.H1`: the integer part, or the nearest integer of the type; 0
/// for a NaN.
pub(super) fn to_integer(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let has = |any| step.modifiers.has(any);
    let value = match step.operand(1)? {
        MachineOperand::Register(register, sign, part) if has(set!["F16"]) && *sign == Sign::NONE => {
            let value = thread.half(*register, 0);
            let value = match part {
                RegisterPart::Whole | RegisterPart::Low => value,
                RegisterPart::High => value.shifted_right(16),
                _ => return Err(Halt::unknown("the source has unknown halves")),
            };
            value.known(16).map(|bits| NumberFormat::F16.value(bits))
        }
        _ => number(thread, step, 1, if has(set!["F64"]) { NumberFormat::F64 } else { NumberFormat::F32 })?,
    };
    let value = value.map_or(Ok(Bits::UNDEFINED), |value| integer(step, value))?;
    thread.set(step.to(0)?, 0, value);
    Ok(())
}

/// `F2IP.U8.F32.TRUNC.NTZ R3, RZ, R0, RZ`: two integers, the second source as the lower one.
pub(super) fn to_two_integers(thread: &mut Thread, step: &Step) -> Result<(), Halt> {
    let (high, low) = (number(thread, step, 1, NumberFormat::F32)?, number(thread, step, 2, NumberFormat::F32)?);
    let of = |value: Option<f64>| value.map_or(Ok(Bits::UNDEFINED), |value| integer(step, value));
    let (high, low) = (of(high)?, of(low)?);
    if !matches!(step.operand(3)?, MachineOperand::Register(register, ..) if register.is_zero()) {
        return Err(Halt::unknown("the third source is not RZ"));
    }
    thread.set(step.to(0)?, 0, low.joined(8, high.zero_extended(8)));
    Ok(())
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a value out of range is the nearest")]
fn integer(step: &Step, value: f64) -> Result<Bits, Halt> {
    if !step.modifiers.has(set!["TRUNC"]) {
        return Err(Halt::unknown("it does not truncate"));
    }
    Ok(match () {
        () if step.modifiers.has(set!["U8"]) => Bits::from(u32::from(value as u8)),
        () if step.modifiers.has(set!["U16"]) => Bits::from(u32::from(value as u16)),
        () if step.modifiers.has(set!["U32"]) => Bits::from(value as u32),
        () => return Err(Halt::unknown("it converts to a signed integer")),
    })
}
