//! Sources of integers, found once: reading one is a look into a register.

use super::shape::Unfit;
use crate::instruction::{MachineOperand, Register, RegisterPart, Sign};
use crate::machine::{Halt, Thread};
use ptx_exec::value::Bits;

/// Where a value is.
#[derive(Clone, Copy, Debug)]
enum SourceLocation {
    Register(Register),
    Number(Bits),
    Constant { bank: u8, base: Option<Register>, offset: i64 },
}

/// The change to a value before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SignChange {
    None,
    Negated,
    Inverted,
}

/// A source of 32 or 64 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct MachineSource {
    place: SourceLocation,
    change: SignChange,
    /// 32 or 64.
    width: u32,
}

impl MachineSource {
    /// A source of 32 bits.
    pub(super) fn word(operand: &MachineOperand) -> Result<Self, Unfit> {
        Self::of(operand, 32)
    }

    /// A source of 64 bits: two registers, a number, or a constant.
    pub(super) fn wide(operand: &MachineOperand) -> Result<Self, Unfit> {
        Self::of(operand, 64)
    }

    /// The value of a register.
    pub(super) fn of_register(register: Register) -> Self {
        Self {
            place: SourceLocation::Register(Register { wide: false, ..register }),
            change: SignChange::None,
            width: 32,
        }
    }

    /// A source of 32 or 64 bits that nothing changes before it is used.
    pub(super) fn plain(operand: &MachineOperand, width: u32) -> Result<Self, Unfit> {
        let source = Self::of(operand, width)?;
        if source.change == SignChange::None { Ok(source) } else { Err(Unfit::because("a source has a sign")) }
    }

    fn of(operand: &MachineOperand, width: u32) -> Result<Self, Unfit> {
        let (place, sign) = match operand {
            MachineOperand::Register(register, sign, RegisterPart::Whole) => {
                (SourceLocation::Register(Register { wide: width == 64, ..*register }), *sign)
            }
            MachineOperand::Integer(value) => {
                (SourceLocation::Number(Bits::from(*value).zero_extended(width)), Sign::NONE)
            }
            MachineOperand::Constant { bank, base, offset, sign } => {
                (SourceLocation::Constant { bank: *bank, base: *base, offset: *offset }, *sign)
            }
            _ => return Err(Unfit::because("a source is neither a register, nor a number, nor a constant")),
        };
        let change = match sign {
            Sign::NONE => SignChange::None,
            Sign { negated: true, inverted: false, absolute: false } => SignChange::Negated,
            Sign { negated: false, inverted: true, absolute: false } => SignChange::Inverted,
            _ => return Err(Unfit::because("it takes the absolute value of an integer")),
        };
        Ok(Self { place, change, width })
    }

    /// True if the value is minus what is there.
    pub(super) fn is_negated(self) -> bool {
        self.change == SignChange::Negated
    }

    /// True if it is a register that is always 0, or the number 0, and nothing changes it.
    pub(super) fn is_zero(self) -> bool {
        let zero = match self.place {
            SourceLocation::Register(register) => register.is_zero(),
            SourceLocation::Number(number) => number == Bits::ZERO,
            SourceLocation::Constant { .. } => false,
        };
        zero && self.change == SignChange::None
    }

    /// The value without its change.
    #[inline]
    pub(super) fn unchanged(self, thread: &Thread) -> Result<Bits, Halt> {
        Ok(match self.place {
            SourceLocation::Register(register) => thread.register(register),
            SourceLocation::Number(number) => number,
            SourceLocation::Constant { bank, base, offset } => {
                let bytes = if self.width == 64 { 8 } else { 4 };
                thread.constant(bank, base, offset, bytes)?.zero_extended(self.width)
            }
        })
    }

    /// A word, changed as the value would be.
    #[inline]
    pub(super) fn changed(self, value: Bits) -> Bits {
        match self.change {
            SignChange::None => value,
            SignChange::Negated => value.inverted().zero_extended(32).plus(Bits::from(1_u32)),
            SignChange::Inverted => value.inverted().zero_extended(32),
        }
    }

    /// The value; the bits above its width are 0.
    #[inline]
    pub(super) fn get(self, thread: &Thread) -> Result<Bits, Halt> {
        let value = self.unchanged(thread)?;
        Ok(match self.change {
            SignChange::None => value,
            SignChange::Negated => {
                value.inverted().zero_extended(self.width).plus(Bits::from(1_u32)).zero_extended(self.width)
            }
            SignChange::Inverted => value.inverted().zero_extended(self.width),
        })
    }

    /// The value as a term of a sum of words with a carry: minus x is the inverse of x, plus 1, which has 33 bits if x is 0.
    #[inline]
    pub(super) fn term(self, thread: &Thread) -> Result<Bits, Halt> {
        Ok(self.changed(self.unchanged(thread)?))
    }
}
