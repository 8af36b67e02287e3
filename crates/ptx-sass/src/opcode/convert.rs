//! Conversions between integers of different sizes.

use super::shape::{DecodedStep, MachineShape, Unfit, effect, register};
use super::source::MachineSource;
use crate::instruction::{MachineOperand, Register, RegisterPart, Sign};
use ptx_exec::value::Bits;

/// A type of integers of at most 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IntegerType {
    pub(super) width: u32,
    pub(super) signed: bool,
}

impl IntegerType {
    /// The type with a name: `S8`.
    pub(super) fn named(name: &str) -> Option<Self> {
        let signed = name.starts_with('S');
        let width = name.strip_prefix(['S', 'U'])?.parse().ok()?;
        [2, 4, 8, 16, 32, 64].contains(&width).then_some(Self { width, signed })
    }

    /// The number that the low bits are.
    pub(super) fn value(self, bits: u64) -> i128 {
        let bits = Bits::from(bits);
        match self.signed {
            true => bits.sign_extended(self.width).value().cast_signed().into(),
            false => bits.zero_extended(self.width).value().into(),
        }
    }

    /// The nearest number of the type, as two's complement.
    pub(super) fn nearest(self, value: i128) -> Bits {
        let (least, greatest) = match self.signed {
            true => (-(1 << (self.width - 1)), (1 << (self.width - 1)) - 1),
            false => (0, (1 << self.width) - 1),
        };
        low_half(value.clamp(least, greatest))
    }
}

/// The low 64 bits as two's complement.
#[expect(clippy::cast_possible_truncation, reason = "the upper half repeats the sign")]
fn low_half(value: i128) -> Bits {
    Bits::from((value as i64).cast_unsigned())
}

/// `I2I.U8.S32.SAT R6, R6`: the nearest number of a smaller type, extended to 32 bits.
pub(super) fn saturate(shape: &MachineShape) -> DecodedStep {
    let (to_type, from_type) = types(shape)?;
    let [to, from] = shape.operands()?;
    let (to, from) = (register(to)?, MachineSource::word(from)?);
    effect(move |thread| {
        let value = from.get(thread)?.known(32);
        thread.set(to, 0, value.map_or(Bits::UNDEFINED, |value| to_type.nearest(from_type.value(value))));
        Ok(())
    })
}

/// The types of a conversion between integers that saturates: `.S16.S32.SAT`.
fn types(shape: &MachineShape) -> Result<(IntegerType, IntegerType), Unfit> {
    let [to, from @ ("S32" | "U32"), "SAT"] = shape.modifiers[..] else { return Err(Unfit::MODIFIERS) };
    IntegerType::named(to).zip(IntegerType::named(from)).filter(|(to, _)| to.width < 32).ok_or(Unfit::MODIFIERS)
}

/// `I2IP.S4.S32.SAT R11, R0, R11, R8.24`: two numbers as the nearest ones of a smaller type, the second source lowest, below the
/// low bits of the third source: as many bits as are left. Types of at most 8 bits shift the third source; two halves leave
/// nothing of it.
pub(super) fn pack(shape: &MachineShape) -> DecodedStep {
    let (to_type, from_type) = types(shape)?;
    let [to, high, low, above] = shape.operands()?;
    let width = to_type.width;
    let (to, high, low) = (register(to)?, MachineSource::word(high)?, MachineSource::word(low)?);
    let above = match above {
        // How many bits are kept is printed for types of fewer than 8 bits.
        MachineOperand::Register(register, Sign::NONE, RegisterPart::Bits(kept))
            if u32::from(*kept) + 2 * width == 32 =>
        {
            MachineSource::of_register(*register)
        }
        // Two halves leave no bits of it.
        _ if width == 16 => MachineSource::of_register(Register::ZERO),
        operand if width == 8 => MachineSource::plain(operand, 32)?,
        _ => return Err(Unfit::because("it does not say what is above the results")),
    };
    effect(move |thread| {
        let nearest =
            |value: Option<u64>| value.map_or(Bits::UNDEFINED, |value| to_type.nearest(from_type.value(value)));
        let (high, low) = (nearest(high.get(thread)?.known(32)), nearest(low.get(thread)?.known(32)));
        let both = low.joined(width, high.zero_extended(width));
        let value = both.joined(2 * width, above.get(thread)?);
        thread.set(to, 0, value);
        Ok(())
    })
}
