//! Arithmetic of floats, as far as integers need it: what divides them, and what moves constants.

use super::compare::{OrderTest, combination};
use super::float::NumberFormat;
use super::shape::{DecodedStep, MachineShape, Unfit, effect, predicate, register};
use crate::instruction::{MachineOperand, Register, RegisterPart, Sign};
use crate::machine::{Halt, Thread};
use ptx_exec::value::Bits;

/// Where a float is.
#[derive(Clone, Copy)]
enum FloatPlace {
    Register(Register),
    Constant { bank: u8, base: Option<Register>, offset: i64 },
    Number(u64),
}

/// A source that is a float.
#[derive(Clone, Copy)]
pub(super) struct FloatSource {
    place: FloatPlace,
    format: NumberFormat,
    sign: Sign,
    /// True if a subnormal number is a zero.
    flushes: bool,
}

impl FloatSource {
    pub(super) fn of(operand: &MachineOperand, format: NumberFormat, flushes: bool) -> Result<Self, Unfit> {
        let wide = format == NumberFormat::F64;
        let (place, sign) = match operand {
            MachineOperand::Register(register, sign, RegisterPart::Whole) => {
                (FloatPlace::Register(Register { wide, ..*register }), *sign)
            }
            MachineOperand::Constant { bank, base, offset, sign } => {
                (FloatPlace::Constant { bank: *bank, base: *base, offset: *offset }, *sign)
            }
            // The immediate of a double has its upper half.
            MachineOperand::Integer(value) => (FloatPlace::Number(if wide { value << 32 } else { *value }), Sign::NONE),
            _ => return Err(Unfit::because("a source is not a number")),
        };
        if sign.inverted {
            Err(Unfit::because("a float is inverted"))
        } else {
            Ok(Self { place, format, sign, flushes })
        }
    }

    /// The number; none if it is undefined.
    pub(super) fn get(self, thread: &Thread) -> Result<Option<f64>, Halt> {
        let bits = self.format.bits();
        let value = match self.place {
            FloatPlace::Register(register) => thread.register(register),
            FloatPlace::Constant { bank, base, offset } => {
                thread.constant(bank, base, offset, if bits == 64 { 8 } else { 4 })?
            }
            FloatPlace::Number(number) => Bits::from(number),
        };
        let number = |bits: u64| self.format.value(if self.flushes { self.format.flushed(bits) } else { bits });
        let value = value.known(bits).map(number);
        let value = if self.sign.absolute { value.map(f64::abs) } else { value };
        Ok(if self.sign.negated { value.map(|value| -value) } else { value })
    }
}

/// How a result that is between two floats is rounded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    Nearest,
    Zero,
    Down,
    Up,
}

impl Rounding {
    /// By the last modifier, if it is one.
    pub(super) fn split<'m, 'a>(modifiers: &'m [&'a str]) -> (&'m [&'a str], Self) {
        match modifiers {
            [before @ .., "RZ"] => (before, Self::Zero),
            [before @ .., "RM"] => (before, Self::Down),
            [before @ .., "RP"] => (before, Self::Up),
            all => (all, Self::Nearest),
        }
    }

    /// The bits of the float on the right side of an exact result: `nearest` are those of the nearest one, and `order` is
    /// that of the nearest one and the exact result.
    pub(super) fn corrected(self, nearest: u64, is_negative: bool, order: std::cmp::Ordering) -> u64 {
        let (above, below) = (order.is_gt(), order.is_lt());
        // One step away from zero is one more, whatever the sign.
        match (self, is_negative) {
            (Self::Zero | Self::Down, false) if above => nearest - 1,
            (Self::Zero | Self::Up, true) if below => nearest - 1,
            (Self::Up, false) if below => nearest + 1,
            (Self::Down, true) if above => nearest + 1,
            _ => nearest,
        }
    }
}

/// The bits of a result of 32 bits; all NaNs are the same.
#[expect(clippy::cast_possible_truncation, reason = "rounding is wanted")]
fn single(exact: f64, rounding: Rounding, flushes: bool) -> Bits {
    if exact.is_nan() {
        return Bits::from(0x7fff_ffff_u32);
    }
    let nearest = exact as f32;
    let order = f64::from(nearest).total_cmp(&exact);
    let bits = rounding.corrected(nearest.to_bits().into(), exact.is_sign_negative(), order);
    Bits::from(if flushes { NumberFormat::F32.flushed(bits) } else { bits })
}

/// An operation on two floats of 32 bits whose result is exact as a double, or rounds the same.
fn of_two(shape: &MachineShape, rounding: Rounding, flushes: bool, f: fn(f64, f64) -> f64) -> DecodedStep {
    let [to, a, b] = shape.operands()?;
    let source = |operand| FloatSource::of(operand, NumberFormat::F32, flushes);
    let (to, a, b) = (register(to)?, source(a)?, source(b)?);
    effect(move |thread| {
        let result = a.get(thread)?.zip(b.get(thread)?);
        thread.set(to, 0, result.map_or(Bits::UNDEFINED, |(a, b)| single(f(a, b), rounding, flushes)));
        Ok(())
    })
}

/// `.FTZ` or nothing.
fn flushes(modifiers: &[&str]) -> Result<bool, Unfit> {
    match modifiers {
        [] => Ok(false),
        ["FTZ"] => Ok(true),
        _ => Err(Unfit::MODIFIERS),
    }
}

/// `FADD R13, R15, -R12`. A double has more than twice as many digits, so rounding the sum to that first changes nothing
/// when it is rounded to nearest.
pub(super) fn add(shape: &MachineShape) -> DecodedStep {
    of_two(shape, Rounding::Nearest, flushes(&shape.modifiers)?, |a, b| a + b)
}

/// `FMUL.RZ R2, R2, 15.989999771118164062`. The product of two floats is exact as a double.
pub(super) fn multiply(shape: &MachineShape) -> DecodedStep {
    let (modifiers, rounding) = Rounding::split(&shape.modifiers);
    of_two(shape, rounding, flushes(modifiers)?, |a, b| a * b)
}

/// `FFMA R2, R2, R3, R4`: a product and a sum that are rounded once, to nearest.
#[expect(clippy::cast_possible_truncation, reason = "the sources are floats of 32 bits")]
pub(super) fn multiply_add(shape: &MachineShape) -> DecodedStep {
    let flushes = flushes(&shape.modifiers)?;
    let [to, a, b, c] = shape.operands()?;
    let source = |operand| FloatSource::of(operand, NumberFormat::F32, flushes);
    let (to, a, b, c) = (register(to)?, source(a)?, source(b)?, source(c)?);
    effect(move |thread| {
        let sources = a.get(thread)?.zip(b.get(thread)?).zip(c.get(thread)?);
        let sum = sources.map(|((a, b), c)| (a as f32).mul_add(b as f32, c as f32));
        thread.set(to, 0, sum.map_or(Bits::UNDEFINED, |sum| single(sum.into(), Rounding::Nearest, flushes)));
        Ok(())
    })
}

/// `DADD R14, R14, R4`
pub(super) fn add_double(shape: &MachineShape) -> DecodedStep {
    let ([], [to, a, b]) = (&shape.modifiers[..], shape.operands()?) else { return Err(Unfit::MODIFIERS) };
    let source = |operand| FloatSource::of(operand, NumberFormat::F64, false);
    let (to, a, b) = (register(to)?, source(a)?, source(b)?);
    effect(move |thread| {
        let sum = a.get(thread)?.zip(b.get(thread)?).map(|(a, b)| a + b);
        // All NaNs are the same.
        let bits = |sum: f64| if sum.is_nan() { 0x7fff_ffff_ffff_ffff } else { sum.to_bits() };
        thread.set_wide(to, sum.map_or(Bits::UNDEFINED, |sum| Bits::from(bits(sum))));
        Ok(())
    })
}

/// `MUFU.RCP R2, R0`: 1 / x, of which hardware computes an approximation that may be one unit in the last place off. This is
/// the nearest float: what `ptxas` divides integers with corrects the difference. Subnormal numbers are zeros here: where a
/// line asks for them, `ptxas` scales them before and after.
#[expect(clippy::cast_possible_truncation, reason = "the source is a float of 32 bits")]
pub(super) fn reciprocal(shape: &MachineShape) -> DecodedStep {
    let ["RCP"] = shape.modifiers[..] else { return Err(Unfit::MODIFIERS) };
    let [to, from] = shape.operands()?;
    let (to, from) = (register(to)?, FloatSource::of(from, NumberFormat::F32, true)?);
    effect(move |thread| {
        let inverse = from.get(thread)?.map(|value| f64::from(1.0 / value as f32));
        thread.set(to, 0, inverse.map_or(Bits::UNDEFINED, |value| single(value, Rounding::Nearest, true)));
        Ok(())
    })
}

/// `FSETP.GEU.AND P0, PT, |R0|, 1.175494350822287508e-38, PT`: a comparison of floats; with `U` at its end it is also true if
/// one is a NaN. The second result is that of the opposite comparison.
pub(super) fn compare(shape: &MachineShape) -> DecodedStep {
    let (name, flushes, table) = match shape.modifiers[..] {
        [name, table] => (name, false, table),
        [name, "FTZ", table] => (name, true, table),
        _ => return Err(Unfit::MODIFIERS),
    };
    let (comparison, with_nan) = match name.strip_suffix('U').filter(|name| name.len() == 2) {
        Some(name) => (OrderTest::named(name)?, true),
        None => (OrderTest::named(name)?, false),
    };
    let table = combination(table)?;
    let [one, two, a, b, other] = shape.operands()?;
    let source = |operand| FloatSource::of(operand, NumberFormat::F32, flushes);
    let (one, two, a, b, other) = (predicate(one)?, predicate(two)?, source(a)?, source(b)?, predicate(other)?);
    effect(move |thread| {
        let holds =
            |(a, b): (f64, f64)| Bits::from(a.partial_cmp(&b).map_or(with_nan, |order| comparison.holds(order)));
        let found = a.get(thread)?.zip(b.get(thread)?).map_or(Bits::UNDEFINED, holds);
        let other = thread.predicate(other);
        thread.set_predicate(one, Bits::table(table, found, other, Bits::ZERO));
        if two.index < 7 {
            thread.set_predicate(two, Bits::table(table, found.inverted(), other, Bits::ZERO));
        }
        Ok(())
    })
}
