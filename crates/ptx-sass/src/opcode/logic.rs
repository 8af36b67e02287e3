//! Bitwise operations.

use super::shape::{DecodedStep, MachineShape, Unfit, effect, number, predicate, register};
use super::source::MachineSource;
use crate::instruction::{MachineOperand, Predicate, Register, RegisterPart, Sign};
use crate::machine::{Halt, Thread};
use ptx_exec::value::Bits;

/// `LOP3.LUT R6, R0, 0xffff, RZ, 0xc0, !PT`: a truth table of three inputs. With a predicate in front, it says whether
/// the result has a bit that is 1, or the last predicate is true; with `.PAND`, and it is.
pub(super) fn table(shape: &MachineShape) -> DecodedStep {
    let both = match shape.modifiers[..] {
        ["LUT"] => 0xfc,
        ["LUT", "PAND"] => 0xc0,
        _ => return Err(Unfit::MODIFIERS),
    };
    let (results, rest) = shape.split(0);
    let ([] | [_], [to, a, b, c, table, also]) = (&results[..], rest) else { return Err(Unfit::OPERANDS) };
    let (to, any) = (register(to)?, results.first().copied());
    let (a, b, c) = (MachineSource::word(a)?, MachineSource::word(b)?, MachineSource::word(c)?);
    let (table, also) = (truth(table)?, predicate(also)?);
    effect(move |thread| {
        let value = Bits::table(table, a.get(thread)?, b.get(thread)?, c.get(thread)?).zero_extended(32);
        thread.set(to, 0, value);
        if let Some(any) = any {
            let found = match (value.value(), value.known(32)) {
                (1.., _) => Bits::from(true),
                (0, Some(_)) => Bits::from(false),
                _ => Bits::UNDEFINED.zero_extended(1),
            };
            let also = thread.predicate(also);
            thread.set_predicate(any, Bits::table(both, found, also, Bits::ZERO));
        }
        Ok(())
    })
}

/// The truth table in an immediate.
fn truth(table: &MachineOperand) -> Result<u8, Unfit> {
    u8::try_from(number(table)?).map_err(|_| Unfit::because("a table has more than 8 rows"))
}

/// An input of a truth table of single bits.
#[derive(Clone, Copy)]
enum Bit {
    Predicate(Predicate),
    /// The highest bit of a register.
    OfRegister(Register),
    /// The highest bit of a word of a constant bank.
    OfConstant(u8, i64),
}

impl Bit {
    fn of(operand: &MachineOperand) -> Result<Self, Unfit> {
        match operand {
            MachineOperand::Register(register, Sign::NONE, RegisterPart::Sign) => Ok(Self::OfRegister(*register)),
            MachineOperand::PartOfConstant { bank, offset, sign: Sign::NONE, part: RegisterPart::Sign } => {
                Ok(Self::OfConstant(*bank, *offset))
            }
            other => predicate(other).map(Self::Predicate),
        }
    }

    fn get(self, thread: &Thread) -> Result<Bits, Halt> {
        let highest = |word: Bits| word.shifted_right(31).zero_extended(1);
        Ok(match self {
            Self::Predicate(predicate) => thread.predicate(predicate),
            Self::OfRegister(register) => highest(thread.half(register, 0)),
            Self::OfConstant(bank, offset) => highest(thread.constant(bank, None, offset, 4)?),
        })
    }
}

/// `PLOP3.LUT P0, PT, P1, PT, R0.SIGN, 0x80, 0x0`: two truth tables of three predicates, or highest bits of words.
pub(super) fn predicates(shape: &MachineShape) -> DecodedStep {
    let ["LUT"] = shape.modifiers[..] else { return Err(Unfit::MODIFIERS) };
    let [one, two, a, b, c, first, second] = shape.operands()?;
    let (one, two) = (predicate(one)?, predicate(two)?);
    let (a, b, c) = (Bit::of(a)?, Bit::of(b)?, Bit::of(c)?);
    let (first, second) = (truth(first)?, truth(second)?);
    effect(move |thread| {
        let (a, b, c) = (a.get(thread)?, b.get(thread)?, c.get(thread)?);
        thread.set_predicate(one, Bits::table(first, a, b, c));
        if two.index < 7 {
            thread.set_predicate(two, Bits::table(second, a, b, c));
        }
        Ok(())
    })
}

/// A mode of `PRMT`: the bytes that it takes for each byte of the result, by the low bits of the selector.
type Mode = fn(u32) -> [u32; 4];

/// `PRMT R0, R10, 0x7610, R0`: bytes of two registers by a selector; its bit 3 takes the sign of the byte. `.F4E` and the like
/// take them in a fixed order, from the byte on that the selector says.
pub(super) fn permute(shape: &MachineShape) -> DecodedStep {
    let mode: Option<Mode> = match shape.modifiers[..] {
        [] => None,
        ["F4E"] => Some(|at| [0, 1, 2, 3].map(|byte| at + byte)),
        ["B4E"] => Some(|at| [0, 1, 2, 3].map(|byte| (at + 8 - byte) & 7)),
        ["RC8"] => Some(|at| [at; 4]),
        ["ECL"] => Some(|at| [0, 1, 2, 3].map(|byte: u32| byte.max(at))),
        ["ECR"] => Some(|at| [0, 1, 2, 3].map(|byte: u32| byte.min(at))),
        ["RC16"] => Some(|at| [0, 1, 0, 1].map(|byte| (at & 1) << 1 | byte)),
        _ => return Err(Unfit::MODIFIERS),
    };
    let [to, low, selector, high] = shape.operands()?;
    let (to, low, selector, high) =
        (register(to)?, MachineSource::word(low)?, MachineSource::word(selector)?, MachineSource::word(high)?);
    effect(move |thread| {
        let selector = selector.get(thread)?.zero_extended(16).word();
        let selector = selector.ok_or(Halt::Undefined("a selector of bytes"))?;
        let both = low.get(thread)?.joined(32, high.get(thread)?);
        let of = |at: u32| both.shifted_right(at * 8).zero_extended(8);
        let value = match mode {
            Some(mode) => mode(selector & 3).into_iter().rev().fold(Bits::ZERO, |above, at| of(at).joined(8, above)),
            None => (0..4).rev().fold(Bits::ZERO, |above, at| chosen(selector >> (at * 4), of).joined(8, above)),
        };
        thread.set(to, 0, value);
        Ok(())
    })
}

/// The byte that the low four bits of a selector take.
fn chosen(selector: u32, of: impl Fn(u32) -> Bits) -> Bits {
    let byte = of(selector & 7);
    if selector & 8 == 0 { byte } else { byte.shifted_right(7).sign_extended(1).zero_extended(8) }
}
