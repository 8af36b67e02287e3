//! Comparisons of integers, minima and maxima.

use std::cmp::Ordering;

use super::shape::{DecodedStep, MachineShape, Unfit, effect, never, predicate, register, split, unused};
use super::source::MachineSource;
use crate::instruction::{MachineOperand, Register};
use ptx_exec::value::Bits;

/// A comparison: whether it is true of an order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OrderTest {
    Never,
    Always,
    Less,
    Equal,
    LessOrEqual,
    Greater,
    Unequal,
    GreaterOrEqual,
}

impl OrderTest {
    pub(super) fn named(name: &str) -> Result<Self, Unfit> {
        Ok(match name {
            "F" => Self::Never,
            "T" => Self::Always,
            "LT" => Self::Less,
            "EQ" => Self::Equal,
            "LE" => Self::LessOrEqual,
            "GT" => Self::Greater,
            "NE" => Self::Unequal,
            "GE" => Self::GreaterOrEqual,
            _ => return Err(Unfit::MODIFIERS),
        })
    }

    pub(super) fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Never => false,
            Self::Always => true,
            Self::Less => order.is_lt(),
            Self::Equal => order.is_eq(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::Unequal => order.is_ne(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }

    /// True if two values of which some bits differ decide it.
    fn asks_for_equality(self) -> bool {
        matches!(self, Self::Equal | Self::Unequal)
    }
}

/// The truth table of what combines the result of a comparison with another predicate.
pub(super) fn combination(name: &str) -> Result<u8, Unfit> {
    Ok(match name {
        "AND" => 0xc0,
        "OR" => 0xfc,
        "XOR" => 0x3c,
        _ => return Err(Unfit::MODIFIERS),
    })
}

/// Integers that are compared: their size, and whether they have a sign.
#[derive(Clone, Copy)]
struct Number {
    width: u32,
    signed: bool,
}

impl Number {
    fn order(self, a: u64, b: u64) -> Ordering {
        let signed = |of: u64| Bits::from(of).sign_extended(self.width).value().cast_signed();
        if self.signed { signed(a).cmp(&signed(b)) } else { a.cmp(&b) }
    }

    /// The result of a comparison; `lower` is that of the halves below.
    fn compared(self, comparison: OrderTest, a: Bits, b: Bits, lower: Option<Bits>) -> Bits {
        let order = match a.known(self.width).zip(b.known(self.width)) {
            Some((a, b)) => self.order(a, b),
            None if comparison.asks_for_equality() => {
                let differ = a.defined() & b.defined() & (a.value() ^ b.value());
                // Any order but equal: both comparisons treat the two alike.
                if Bits::from(differ).zero_extended(self.width) == Bits::ZERO {
                    return Bits::UNDEFINED;
                } else {
                    Ordering::Less
                }
            }
            None => return Bits::UNDEFINED,
        };
        match lower {
            // Equal halves leave it to those below.
            Some(lower) if order.is_eq() => lower,
            _ => Bits::from(comparison.holds(order)),
        }
    }
}

/// `ISETP.GE.U32.AND P0, PT, R0, UR4, PT`, and with `.EX` the high halves, where the last predicate has the result for
/// the low ones. The second result is that of the opposite comparison.
pub(super) fn set(shape: &MachineShape) -> DecodedStep {
    let [comparison, rest @ ..] = &shape.modifiers[..] else { return Err(Unfit::MODIFIERS) };
    let comparison = OrderTest::named(comparison)?;
    let (number, rest) = match rest {
        ["U32", rest @ ..] => (Number { width: 32, signed: false }, rest),
        ["U64", rest @ ..] => (Number { width: 64, signed: false }, rest),
        ["S64", rest @ ..] => (Number { width: 64, signed: true }, rest),
        rest => (Number { width: 32, signed: true }, rest),
    };
    let (table, has_lower) = match rest {
        [name] => (combination(name)?, false),
        [name, "EX"] if number.width == 32 => (combination(name)?, true),
        _ => return Err(Unfit::MODIFIERS),
    };
    let (results, a, b, other, lower) = match shape.operands {
        [one, two, a, b, other] if !has_lower => ([one, two], a, b, other, None),
        [one, two, a, b, other, lower] if has_lower => ([one, two], a, b, other, Some(predicate(lower)?)),
        _ => return Err(Unfit::OPERANDS),
    };
    let (one, two, other) = (predicate(results[0])?, predicate(results[1])?, predicate(other)?);
    let source = |operand: &MachineOperand| match number.width {
        64 => MachineSource::plain(operand, 64),
        _ => MachineSource::word(operand),
    };
    let (a, b) = (source(a)?, source(b)?);
    effect(move |thread| {
        let lower = lower.map(|lower| thread.predicate(lower));
        let found = number.compared(comparison, a.get(thread)?, b.get(thread)?, lower);
        let other = thread.predicate(other);
        thread.set_predicate(one, Bits::table(table, found, other, Bits::ZERO));
        if two.index < 7 {
            thread.set_predicate(two, Bits::table(table, found.inverted(), other, Bits::ZERO));
        }
        Ok(())
    })
}

/// The parts that a minimum or a maximum is chosen for, each by itself.
#[derive(Clone, Copy)]
struct Extremum {
    number: Number,
    /// Words, or pairs of words.
    whole: u32,
    /// True if the result is at least 0.
    bounded: bool,
}

impl Extremum {
    fn of(modifiers: &[&str]) -> Result<Self, Unfit> {
        let (modifiers, bounded) = match modifiers {
            [before @ .., "RELU"] => (before, true),
            all => (all, false),
        };
        let (whole, width, signed) = match modifiers {
            [] | ["S32"] => (32, 32, true),
            ["U32"] => (32, 32, false),
            ["S64"] => (64, 64, true),
            ["U64"] => (64, 64, false),
            ["S16x2"] => (32, 16, true),
            ["U16x2"] => (32, 16, false),
            ["S8x4"] => (32, 8, true),
            ["U8x4"] => (32, 8, false),
            _ => return Err(Unfit::MODIFIERS),
        };
        if bounded && !signed {
            return Err(Unfit::MODIFIERS);
        }
        Ok(Self { number: Number { width, signed }, whole, bounded })
    }

    fn source(self, operand: &MachineOperand) -> Result<MachineSource, Unfit> {
        if self.whole == 32 && self.number.width == 32 {
            MachineSource::word(operand)
        } else {
            MachineSource::plain(operand, self.whole)
        }
    }

    /// The lesser or the greater one of each part.
    fn choose(self, lesser: Bits, a: Bits, b: Bits) -> Bits {
        let width = self.number.width;
        let part = |at: u32| {
            let part = |of: Bits| of.shifted_right(at).known(width);
            let (Some(lesser), Some(a), Some(b)) = (lesser.known(1), part(a), part(b)) else { return Bits::UNDEFINED };
            let chosen = if self.number.order(a, b).is_lt() == (lesser == 1) { a } else { b };
            let is_negative = self.number.order(chosen, 0).is_lt();
            Bits::from(if self.bounded && is_negative { 0 } else { chosen })
        };
        (0..self.whole / width).rev().fold(Bits::ZERO, |above, at| part(at * width).joined(width, above))
    }
}

/// `IMNMX.U32 R0, R1, R2, PT`, `VIMNMX R0, R1, R2, !PT`, `UVIMNMX.U32 UR4, UR4, 0x5, !UPT`, `IMNMX.S64 PT, PT, R6, R4, R6, PT, !PT`: the lesser one if the predicate is
/// true, otherwise the greater one; of signed numbers without a type. With `.S16x2` and the like, of each part; with `.RELU`, at
/// least 0.
pub(super) fn choose(shape: &MachineShape) -> DecodedStep {
    let choice = Extremum::of(&shape.modifiers)?;
    let (before, rest) = split(shape.operands);
    let [to, rest @ ..] = rest else { return Err(Unfit::OPERANDS) };
    let (between, rest) = split(rest);
    // Some targets print results in predicates, before or after the register, which nothing was ever seen to use.
    unused(&before)?;
    unused(&between)?;
    let (a, b, lesser) = match rest {
        [a, b, lesser] => (a, b, lesser),
        [a, b, lesser, last] => {
            never(predicate(last)?)?;
            (a, b, lesser)
        }
        _ => return Err(Unfit::OPERANDS),
    };
    let (to, a, b, lesser) = (register(to)?, choice.source(a)?, choice.source(b)?, predicate(lesser)?);
    effect(move |thread| {
        let chosen = choice.choose(thread.predicate(lesser), a.get(thread)?, b.get(thread)?);
        set_whole(thread, to, choice.whole, chosen);
        Ok(())
    })
}

fn set_whole(thread: &mut crate::machine::Thread, to: Register, width: u32, value: Bits) {
    if width == 64 { thread.set_wide(to, value) } else { thread.set(to, 0, value) }
}

/// `VIMNMX3.S16x2 R16, R4, R5, R6, PT`: the least or the greatest of three.
pub(super) fn choose_of_three(shape: &MachineShape) -> DecodedStep {
    from_three(shape, |choice, lesser, [a, b, c]| choice.choose(lesser, choice.choose(lesser, a, b), c))
}

/// `VIADDMNMX.U32 R8, R4, R5, R6, PT`: the lesser or the greater one of a sum, which wraps, and a third number.
pub(super) fn add_and_choose(shape: &MachineShape) -> DecodedStep {
    from_three(shape, |choice, lesser, [a, b, c]| {
        let part = |of: Bits, at: u32| of.shifted_right(at).zero_extended(choice.number.width);
        let sum = (0..choice.whole / choice.number.width).rev().fold(Bits::ZERO, |above, at| {
            let at = at * choice.number.width;
            part(a, at).plus(part(b, at)).joined(choice.number.width, above)
        });
        choice.choose(lesser, sum, c)
    })
}

fn from_three(
    shape: &MachineShape,
    f: impl Fn(Extremum, Bits, [Bits; 3]) -> Bits + Send + Sync + 'static,
) -> DecodedStep {
    let choice = Extremum::of(&shape.modifiers)?;
    let [to, a, b, c, lesser] = shape.operands()?;
    let (to, a, b, c) = (register(to)?, choice.source(a)?, choice.source(b)?, choice.source(c)?);
    let lesser = predicate(lesser)?;
    if choice.whole != 32 {
        return Err(Unfit::MODIFIERS);
    }
    effect(move |thread| {
        let chosen = f(choice, thread.predicate(lesser), [a.get(thread)?, b.get(thread)?, c.get(thread)?]);
        thread.set(to, 0, chosen);
        Ok(())
    })
}
