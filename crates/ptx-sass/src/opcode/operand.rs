//! Sources and results of floating-point instructions.

use super::shape::{MachineShape, Unfit};
use crate::instruction::{MachineOperand, Register, RegisterPart, Sign};
use crate::machine::{Halt, Thread};
use crate::soft::{FloatLayout, MachineReal, MachineRounding};
use ptx_exec::value::Bits;

/// The modifiers of an instruction that were not understood yet. The disassembler prints each at most once.
pub(super) struct ModifiersLeft<'a>(Vec<&'a str>);

impl<'a> ModifiersLeft<'a> {
    pub(super) fn of(shape: &MachineShape<'a>) -> Self {
        Self(shape.modifiers.clone())
    }

    /// True if it has a modifier, which is understood from now on.
    pub(super) fn take(&mut self, name: &str) -> bool {
        let at = self.0.iter().position(|modifier| *modifier == name);
        at.map(|at| self.0.remove(at)).is_some()
    }

    /// The first modifier, if it means something.
    pub(super) fn first<T>(&mut self, meaning: impl Fn(&str) -> Option<T>) -> Option<T> {
        let found = meaning(self.0.first()?)?;
        self.0.remove(0);
        Some(found)
    }

    /// The rounding of arithmetic; to nearest even without a modifier.
    pub(super) fn rounding(&mut self) -> MachineRounding {
        match () {
            () if self.take("RZ") => MachineRounding::Zero,
            () if self.take("RM") => MachineRounding::Down,
            () if self.take("RP") => MachineRounding::Up,
            () => MachineRounding::Even,
        }
    }

    /// The rounding to an integer; to nearest even without a modifier.
    pub(super) fn integral(&mut self) -> MachineRounding {
        match () {
            () if self.take("TRUNC") => MachineRounding::Zero,
            () if self.take("FLOOR") => MachineRounding::Down,
            () if self.take("CEIL") => MachineRounding::Up,
            () => MachineRounding::Even,
        }
    }

    /// The one modifier that is left.
    pub(super) fn last(&self) -> Result<&'a str, Unfit> {
        match self.0[..] {
            [last] => Ok(last),
            _ => Err(Unfit::MODIFIERS),
        }
    }

    /// All modifiers are understood.
    pub(super) fn end(&self) -> Result<(), Unfit> {
        if self.0.is_empty() { Ok(()) } else { Err(Unfit::MODIFIERS) }
    }
}

/// The format with a name of at least 16 bits: `F16`.
pub(super) fn layout_named(name: &str) -> Option<FloatLayout> {
    Some(match name {
        "F16" => FloatLayout::F16,
        "BF16" => FloatLayout::BF16,
        "F32" => FloatLayout::F32,
        "F64" => FloatLayout::F64,
        _ => return None,
    })
}

/// Where a float is.
#[derive(Clone, Copy)]
enum RealPlace {
    Register(Register),
    Constant { bank: u8, base: Option<Register>, offset: i64 },
    Number(u64),
}

/// A source that is a float.
#[derive(Clone, Copy)]
pub(super) struct RealSource {
    place: RealPlace,
    layout: FloatLayout,
    /// The position of its lowest bit.
    at: u32,
    sign: Sign,
    /// True if a subnormal number is a zero.
    flushes: bool,
}

impl RealSource {
    /// A source that is a whole register, two of them, a constant, or a number. A float of 16 bits is the low half of a register, or
    /// the half that the operand names.
    pub(super) fn of(operand: &MachineOperand, layout: FloatLayout, flushes: bool) -> Result<Self, Unfit> {
        let at = match operand {
            MachineOperand::Register(_, _, RegisterPart::Low | RegisterPart::LowTwice) if layout.bits() == 16 => 0,
            MachineOperand::Register(_, _, RegisterPart::High | RegisterPart::HighTwice) if layout.bits() == 16 => 16,
            MachineOperand::Register(_, _, RegisterPart::Whole) => 0,
            MachineOperand::Register(_, _, RegisterPart::Single) if layout == FloatLayout::F32 => 0,
            MachineOperand::Register(..) => return Err(Unfit::because("a source is an unknown part of a register")),
            // Which half of a constant or a number it would be, no code was seen to say.
            MachineOperand::PartOfConstant { .. } => return Err(Unfit::because("a source is a part of a constant")),
            _ if layout.bits() == 16 => return Err(Unfit::because("a half is not in a register")),
            _ => 0,
        };
        Self::at(operand, layout, flushes, at)
    }

    /// The low and the high one of two floats of 32 bits in two registers.
    pub(super) fn two(operand: &MachineOperand, flushes: bool) -> Result<[Self; 2], Unfit> {
        let MachineOperand::Register(register, sign, RegisterPart::Singles) = operand else {
            return Err(Unfit::because("a source is not two floats"));
        };
        let of = |register| {
            let operand = MachineOperand::Register(register, *sign, RegisterPart::Whole);
            Self::at(&operand, FloatLayout::F32, flushes, 0)
        };
        Ok([of(*register)?, of(register.after(1))?])
    }

    /// A source from this bit on.
    fn at(operand: &MachineOperand, layout: FloatLayout, flushes: bool, at: u32) -> Result<Self, Unfit> {
        let wide = layout == FloatLayout::F64;
        let (place, sign) = match operand {
            MachineOperand::Register(register, sign, _) => (RealPlace::Register(Register { wide, ..*register }), *sign),
            MachineOperand::Constant { bank, base, offset, sign } => {
                (RealPlace::Constant { bank: *bank, base: *base, offset: *offset }, *sign)
            }
            MachineOperand::PartOfConstant { bank, offset, sign, .. } => {
                (RealPlace::Constant { bank: *bank, base: None, offset: *offset }, *sign)
            }
            // The immediate of a double has its upper half.
            MachineOperand::Integer(value) => (RealPlace::Number(if wide { value << 32 } else { *value }), Sign::NONE),
            _ => return Err(Unfit::because("a source is not a number")),
        };
        if sign.inverted {
            Err(Unfit::because("a float is inverted"))
        } else {
            Ok(Self { place, layout, at, sign, flushes })
        }
    }

    /// The bits without the sign's change and without flushing; none if they are undefined.
    pub(super) fn bits(self, thread: &Thread) -> Result<Option<u64>, Halt> {
        let width = self.layout.bits();
        let value = match self.place {
            RealPlace::Register(register) => thread.register(register),
            RealPlace::Constant { bank, base, offset } => {
                thread.constant(bank, base, offset, if width == 64 { 8 } else { 4 })?
            }
            RealPlace::Number(number) => Bits::from(number),
        };
        Ok(value.shifted_right(self.at).known(width))
    }

    /// The number that bits are here.
    pub(super) fn value(self, bits: u64) -> MachineReal {
        let value = self.layout.decode(if self.flushes { self.layout.flushed(bits) } else { bits });
        let negative = value.is_negative() && !self.sign.absolute;
        value.with_sign(negative != self.sign.negated)
    }

    /// The number; none if it is undefined.
    #[inline]
    pub(super) fn get(self, thread: &Thread) -> Result<Option<MachineReal>, Halt> {
        Ok(self.bits(thread)?.map(|bits| self.value(bits)))
    }

    /// The bits with the change of the sign: of a NaN, too, which is inferred.
    pub(super) fn selected(self, thread: &Thread) -> Result<Bits, Halt> {
        let sign = 1 << (self.layout.bits() - 1);
        let changed = |bits: u64| {
            (if self.sign.absolute { bits & !sign } else { bits }) ^ if self.sign.negated { sign } else { 0 }
        };
        Ok(self.bits(thread)?.map_or(Bits::UNDEFINED, |bits| Bits::from(changed(bits))))
    }

    /// True if something changes its sign.
    pub(super) fn has_sign(self) -> bool {
        self.sign != Sign::NONE
    }

    /// The bits after the change of the sign.
    pub(super) fn changed(self, thread: &Thread) -> Result<Option<u64>, Halt> {
        let value = self.get(thread)?;
        Ok(value.map(|value| self.layout.encode(value, MachineRounding::Even)))
    }

    /// A source whose sign nothing changes.
    pub(super) fn unchanged(self) -> Result<Self, Unfit> {
        if self.sign == Sign::NONE { Ok(self) } else { Err(Unfit::because("a source has a sign")) }
    }

    /// The number, if it does not depend on a thread.
    pub(super) fn constant(self) -> Option<MachineReal> {
        match self.place {
            RealPlace::Register(register) if register.is_zero() => Some(self.value(0)),
            RealPlace::Number(number) => Some(self.value(number >> self.at & 0xffff)).filter(|_| self.at_most_half()),
            _ => None,
        }
    }

    fn at_most_half(self) -> bool {
        self.layout.bits() == 16
    }
}

/// The numbers of some sources; none if one of them is undefined.
pub(super) fn numbers<const N: usize>(
    sources: &[RealSource; N],
    thread: &Thread,
) -> Result<Option<[MachineReal; N]>, Halt> {
    let mut values = [MachineReal::integer(false, 0); N];
    for (value, source) in values.iter_mut().zip(sources) {
        match source.get(thread)? {
            Some(found) => *value = found,
            None => return Ok(None),
        }
    }
    Ok(Some(values))
}

/// Two halves of a source, the low one first.
#[derive(Clone, Copy)]
pub(super) struct HalfPair(pub(super) [RealSource; 2]);

impl HalfPair {
    /// The pairs that operands are. A pair of immediates is printed as two operands, and both have the same word.
    pub(super) fn all(operands: &[MachineOperand], layout: FloatLayout, flushes: bool) -> Result<Vec<Self>, Unfit> {
        let mut pairs = Vec::new();
        let mut rest = operands;
        while let [operand, after @ ..] = rest {
            rest = after;
            let [low, high] = match operand {
                MachineOperand::Register(_, _, RegisterPart::Whole) | MachineOperand::Constant { .. } => [0, 16],
                MachineOperand::Register(_, _, RegisterPart::LowTwice)
                | MachineOperand::PartOfConstant { part: RegisterPart::LowTwice, .. } => [0, 0],
                MachineOperand::Register(_, _, RegisterPart::HighTwice)
                | MachineOperand::PartOfConstant { part: RegisterPart::HighTwice, .. } => [16, 16],
                MachineOperand::Integer(value) => match after {
                    [MachineOperand::Integer(other), after @ ..] if other == value => {
                        rest = after;
                        [0, 16]
                    }
                    _ => return Err(Unfit::because("an immediate is not two halves")),
                },
                _ => return Err(Unfit::because("a source is not two halves")),
            };
            let half = |at| RealSource::at(operand, layout, flushes, at);
            pairs.push(Self([half(low)?, half(high)?]));
        }
        Ok(pairs)
    }
}

/// The treatment of an exact result.
#[derive(Clone, Copy)]
pub(super) struct RealResult {
    pub(super) layout: FloatLayout,
    pub(super) rounding: MachineRounding,
    /// True if a subnormal result is a zero.
    pub(super) flushes: bool,
    /// True if the result is between 0 and 1; a NaN is 0.
    pub(super) saturates: bool,
    /// True if a negative result is 0.
    pub(super) bounded: bool,
}

impl RealResult {
    /// A result to nearest even, of which nothing else becomes anything.
    pub(super) fn nearest(layout: FloatLayout) -> Self {
        Self { layout, rounding: MachineRounding::Even, flushes: false, saturates: false, bounded: false }
    }

    /// The bits of a value.
    pub(super) fn bits(self, value: MachineReal) -> u64 {
        let zero = self.saturates && (value.is_nan() || value.is_negative())
            || self.bounded && value.is_negative() && !value.is_nan();
        if zero {
            return 0;
        }
        // What is rounded up to the least normal number with all its digits is one; the digits of subnormal numbers do not count.
        if self.flushes && self.layout.is_tiny(value, self.rounding) {
            return self.layout.encode(MachineReal::integer(value.is_negative(), 0), self.rounding);
        }
        let bits = match self.layout {
            FloatLayout::F64 => self.layout.encode_with_payload(value, self.rounding),
            layout => layout.encode(value, self.rounding),
        };
        if self.saturates { bits.min(self.layout.one()) } else { bits }
    }

    /// Writes the bits to a register, or two.
    pub(super) fn set(self, thread: &mut Thread, to: Register, value: Option<u64>) {
        set_float(thread, to, self.layout, value);
    }
}

/// Writes a float to a register, or two; what is above a half is 0.
pub(super) fn set_float(thread: &mut Thread, to: Register, layout: FloatLayout, value: Option<u64>) {
    let value = value.map_or(Bits::UNDEFINED, Bits::from);
    match layout.bits() {
        64 => thread.set_wide(to, value),
        16 => thread.set(to, 0, value.zero_extended(16)),
        _ => thread.set(to, 0, value),
    }
}
