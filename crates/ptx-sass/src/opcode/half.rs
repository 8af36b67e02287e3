//! Sums of two halves at once.

use super::float::NumberFormat;
use super::shape::{DecodedStep, MachineShape, Unfit, effect, register};
use crate::instruction::{MachineOperand, Register, RegisterPart, Sign};
use crate::machine::Thread;
use ptx_exec::value::Bits;

/// Two halves of a register.
#[derive(Clone, Copy)]
struct Halves {
    register: Register,
    part: RegisterPart,
}

impl Halves {
    fn of(operand: &MachineOperand) -> Result<Self, Unfit> {
        match operand {
            MachineOperand::Register(
                register,
                Sign::NONE,
                part @ (RegisterPart::Whole | RegisterPart::LowTwice | RegisterPart::HighTwice),
            ) => Ok(Self { register: *register, part: *part }),
            _ => Err(Unfit::because("a source is not two halves of a register")),
        }
    }

    /// The low one first.
    fn get(self, thread: &Thread) -> [Bits; 2] {
        let value = thread.half(self.register, 0);
        let (low, high) = (value.zero_extended(16), value.shifted_right(16).zero_extended(16));
        match self.part {
            RegisterPart::LowTwice => [low, low],
            RegisterPart::HighTwice => [high, high],
            _ => [low, high],
        }
    }
}

/// The format of the halves, without further modifiers.
fn format(modifiers: &[&str]) -> Result<NumberFormat, Unfit> {
    match modifiers {
        [] => Ok(NumberFormat::F16),
        ["BF16_V2"] => Ok(NumberFormat::Bf16),
        _ => Err(Unfit::MODIFIERS),
    }
}

/// `HADD2 R10, R11, R0.H0_H0`: two sums.
pub(super) fn add(shape: &MachineShape) -> DecodedStep {
    let format = format(&shape.modifiers)?;
    let [to, a, b] = shape.operands()?;
    sums(register(to)?, format, Halves::of(a)?, Halves::of(b)?)
}

/// `HFMA2.MMA R5, R4, 1, 1, R3`: two sums, when one factor is 1. `HFMA2.MMA R5, -RZ, RZ, 0, 5.96e-08` moves a constant:
/// minus zero times zero, plus the immediate, is the immediate.
pub(super) fn multiply_add(shape: &MachineShape) -> DecodedStep {
    let format = format(&shape.modifiers)?;
    let one = if format == NumberFormat::Bf16 { 0x3f80_3f80 } else { 0x3c00_3c00 };
    match shape.operands()? {
        [
            to,
            MachineOperand::Register(a, sign, _),
            MachineOperand::Register(b, other, _),
            MachineOperand::Integer(value),
            MachineOperand::Integer(_),
        ] if a.is_zero() && b.is_zero() && sign.negated && !other.negated => {
            let (to, value) = (register(to)?, Bits::from(*value));
            effect(move |thread| {
                thread.set(to, 0, value);
                Ok(())
            })
        }
        [to, a, MachineOperand::Integer(factor), MachineOperand::Integer(_), c] if *factor == one => {
            sums(register(to)?, format, Halves::of(a)?, Halves::of(c)?)
        }
        _ => Err(Unfit::because("it multiplies: only sums and moves are known")),
    }
}

fn sums(to: Register, format: NumberFormat, a: Halves, b: Halves) -> DecodedStep {
    effect(move |thread| {
        let (a, b) = (a.get(thread), b.get(thread));
        let sum = |at: usize| match a[at].known(16).zip(b[at].known(16)) {
            Some((a, b)) => Bits::from(format.rounded(format.value(a) + format.value(b))),
            None => Bits::UNDEFINED,
        };
        thread.set(to, 0, sum(0).joined(16, sum(1)));
        Ok(())
    })
}
