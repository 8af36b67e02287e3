//! Comparisons, minima and maxima of floats.

use std::cmp::Ordering;

use super::compare::{OrderTest, combination};
use super::operand::{HalfPair, ModifiersLeft, RealSource, set_float};
use super::shape::{DecodedStep, MachineShape, Unfit, effect, predicate, register};
use crate::instruction::{MachineOperand, Predicate};
use crate::machine::{Halt, Thread};
use crate::soft::{FloatLayout, MachineReal};
use ptx_exec::value::Bits;

/// A comparison of floats.
#[derive(Clone, Copy)]
struct RealTest {
    test: OrderTest,
    /// True if it holds when one of them is a NaN.
    with_nan: bool,
}

impl RealTest {
    /// `GE`, and `GEU`, which is also true if one is a NaN; `NUM` if none is, `NAN` if one is.
    fn named(name: &str) -> Option<Self> {
        let (test, with_nan) = match name {
            "NUM" => ("T", false),
            "NAN" => ("F", true),
            "T" => ("T", true),
            name => match name.strip_suffix('U').filter(|name| name.len() == 2) {
                Some(name) => (name, true),
                None => (name, false),
            },
        };
        Some(Self { test: OrderTest::named(test).ok()?, with_nan })
    }

    fn holds(self, a: MachineReal, b: MachineReal) -> bool {
        a.order(b).map_or(self.with_nan, |order| self.test.holds(order))
    }

    fn result(self, sources: [RealSource; 2], thread: &Thread) -> Result<Bits, Halt> {
        let both = sources[0].get(thread)?.zip(sources[1].get(thread)?);
        Ok(both.map_or(Bits::UNDEFINED, |(a, b)| Bits::from(self.holds(a, b))))
    }
}

/// A comparison with what combines its result with another predicate.
struct RealComparison {
    test: RealTest,
    table: u8,
    flushes: bool,
}

impl RealComparison {
    /// `.GE.FTZ.AND`: all modifiers that are left.
    fn of(mut modifiers: ModifiersLeft) -> Result<Self, Unfit> {
        let test = modifiers.first(RealTest::named).ok_or(Unfit::MODIFIERS)?;
        let flushes = modifiers.take("FTZ");
        Ok(Self { test, table: combination(modifiers.last()?)?, flushes })
    }
}

/// Sets two predicates: the second one to the result of the opposite comparison.
fn set_both(thread: &mut Thread, table: u8, results: [Predicate; 2], found: [Bits; 2], other: Predicate) {
    let other = thread.predicate(other);
    for (result, found) in results.into_iter().zip(found) {
        if result.index < 7 {
            thread.set_predicate(result, Bits::table(table, found, other, Bits::ZERO));
        }
    }
}

fn set_predicates(shape: &MachineShape, layout: FloatLayout) -> DecodedStep {
    let RealComparison { test, table, flushes } = RealComparison::of(ModifiersLeft::of(shape))?;
    let [one, two, a, b, other] = shape.operands()?;
    let source = |operand| RealSource::of(operand, layout, flushes);
    let (results, sources, other) = ([predicate(one)?, predicate(two)?], [source(a)?, source(b)?], predicate(other)?);
    effect(move |thread| {
        let found = test.result(sources, thread)?;
        set_both(thread, table, results, [found, found.inverted().zero_extended(1)], other);
        Ok(())
    })
}

/// `FSETP.GEU.FTZ.AND P0, PT, |R0|, 1.175494350822287508e-38, PT`. The second result is that of the opposite comparison.
pub(super) fn set_predicate(shape: &MachineShape) -> DecodedStep {
    set_predicates(shape, FloatLayout::F32)
}

/// `DSETP.NEU.AND P0, PT, R2, RZ, PT`, and `DSETP.MIN.AND P0, P1, R2, R4, PT`: whether the first source is the lesser one, which a
/// number is beside a NaN, and whether both are NaNs.
pub(super) fn set_predicate_of_doubles(shape: &MachineShape) -> DecodedStep {
    let lesser = match shape.modifiers[..] {
        ["MIN", "AND"] => true,
        ["MAX", "AND"] => false,
        _ => return set_predicates(shape, FloatLayout::F64),
    };
    let [one, two, a, b, MachineOperand::Predicate(Predicate::TRUE)] = shape.operands()? else {
        return Err(Unfit::because("a minimum depends on a predicate"));
    };
    let source = |operand| RealSource::of(operand, FloatLayout::F64, false);
    let (results, a, b) = ([predicate(one)?, predicate(two)?], source(a)?, source(b)?);
    effect(move |thread| {
        let found = a.get(thread)?.zip(b.get(thread)?).map(|(a, b)| {
            let first = !a.is_nan() && (b.is_nan() || (total(a, b) == Ordering::Less) == lesser);
            [first, a.is_nan() && b.is_nan()]
        });
        for (at, result) in results.into_iter().enumerate() {
            thread.set_predicate(result, found.map_or(Bits::UNDEFINED, |found| Bits::from(found[at])));
        }
        Ok(())
    })
}

/// The order of two numbers, in which minus zero is before zero.
fn total(a: MachineReal, b: MachineReal) -> Ordering {
    a.order(b).unwrap_or(Ordering::Equal).then(b.is_negative().cmp(&a.is_negative()))
}

/// The result of a comparison in a register of this many bits: 1 with `.BF`, otherwise all ones.
fn flag(found: Bits, of_float: bool, layout: FloatLayout) -> Bits {
    let yes = if of_float { layout.one() } else { (1 << layout.bits()) - 1 };
    found.known(1).map_or(Bits::UNDEFINED, |found| Bits::from(if found == 1 { yes } else { 0 }))
}

/// `FSET.BF.GT.AND R6, R2, R5, PT`
pub(super) fn set(shape: &MachineShape) -> DecodedStep {
    let mut modifiers = ModifiersLeft::of(shape);
    let of_float = modifiers.take("BF");
    let RealComparison { test, table, flushes } = RealComparison::of(modifiers)?;
    let [to, a, b, other] = shape.operands()?;
    let source = |operand| RealSource::of(operand, FloatLayout::F32, flushes);
    let (to, sources, other) = (register(to)?, [source(a)?, source(b)?], predicate(other)?);
    effect(move |thread| {
        let found = test.result(sources, thread)?;
        let found = Bits::table(table, found, thread.predicate(other), Bits::ZERO);
        thread.set(to, 0, flag(found, of_float, FloatLayout::F32));
        Ok(())
    })
}

/// The format of halves, and two pairs of them.
fn two_pairs(operands: &[MachineOperand], layout: FloatLayout, flushes: bool) -> Result<[[RealSource; 2]; 2], Unfit> {
    let pairs = HalfPair::all(operands, layout, flushes)?;
    let [HalfPair(a), HalfPair(b)] = pairs[..] else { return Err(Unfit::OPERANDS) };
    Ok([[a[0], b[0]], [a[1], b[1]]])
}

/// `HSET2.BF.GT.AND R0, R2, R5, PT`: a result for each half.
pub(super) fn set_halves(shape: &MachineShape) -> DecodedStep {
    let mut modifiers = ModifiersLeft::of(shape);
    let (layout, of_float) = (super::half::layout(&mut modifiers), modifiers.take("BF"));
    let RealComparison { test, table, flushes } = RealComparison::of(modifiers)?;
    let [to, sources @ .., other] = shape.operands else { return Err(Unfit::OPERANDS) };
    let (to, sources, other) = (register(to)?, two_pairs(sources, layout, flushes)?, predicate(other)?);
    effect(move |thread| {
        let other = thread.predicate(other);
        let half = |of: [RealSource; 2]| -> Result<Bits, Halt> {
            Ok(flag(Bits::table(table, test.result(of, thread)?, other, Bits::ZERO), of_float, layout))
        };
        let value = half(sources[0])?.joined(16, half(sources[1])?);
        thread.set(to, 0, value);
        Ok(())
    })
}

/// `HSETP2.GEU.FTZ.AND P0, P1, R2, R5, PT`: a predicate for each half, the low one first.
pub(super) fn set_predicates_of_halves(shape: &MachineShape) -> DecodedStep {
    let mut modifiers = ModifiersLeft::of(shape);
    let layout = super::half::layout(&mut modifiers);
    let RealComparison { test, table, flushes } = RealComparison::of(modifiers)?;
    let [one, two, sources @ .., other] = shape.operands else { return Err(Unfit::OPERANDS) };
    let (results, other) = ([predicate(one)?, predicate(two)?], predicate(other)?);
    let sources = two_pairs(sources, layout, flushes)?;
    effect(move |thread| {
        let found = [test.result(sources[0], thread)?, test.result(sources[1], thread)?];
        set_both(thread, table, results, found, other);
        Ok(())
    })
}

/// How a minimum or a maximum of floats is chosen.
#[derive(Clone, Copy)]
struct RealChoice {
    layout: FloatLayout,
    flushes: bool,
    /// True if the result is a NaN when a source is one.
    keeps_nan: bool,
    /// True if the sign of the result is that of a product of the sources.
    signed: bool,
}

impl RealChoice {
    fn of(mut modifiers: ModifiersLeft, layout: FloatLayout) -> Result<Self, Unfit> {
        let (flushes, keeps_nan) = (modifiers.take("FTZ"), modifiers.take("NAN"));
        let signed = modifiers.take("XORSIGN");
        modifiers.end()?;
        Ok(Self { layout, flushes, keeps_nan, signed })
    }

    /// The lesser or the greater number: minus zero is less than zero, and a NaN is nothing.
    fn choose(self, lesser: bool, a: MachineReal, b: MachineReal) -> MachineReal {
        match (a.is_nan(), b.is_nan()) {
            (true, true) => a,
            (true, false) if self.keeps_nan => a,
            (false, true) if self.keeps_nan => b,
            (true, false) => b,
            (false, true) => a,
            (false, false) if (total(a, b) == Ordering::Less) == lesser => a,
            (false, false) => b,
        }
    }

    /// The result for some sources, of which the first two say the sign.
    fn result(self, lesser: Bits, sources: &[RealSource], thread: &Thread) -> Result<Bits, Halt> {
        let Some(lesser) = lesser.known(1) else { return Ok(Bits::UNDEFINED) };
        let (mut chosen, mut negative) = (None, false);
        for source in sources {
            let Some(bits) = source.bits(thread)? else { return Ok(Bits::UNDEFINED) };
            let value = source.value(bits);
            negative ^= self.layout.decode(bits).is_negative();
            chosen = Some(chosen.map_or(value, |before| self.choose(lesser == 1, before, value)));
        }
        let chosen = chosen.unwrap_or(MachineReal::integer(false, 0));
        let chosen = if self.signed { chosen.with_sign(negative) } else { chosen };
        Ok(Bits::from(self.layout.encode(chosen, crate::soft::MachineRounding::Even)))
    }
}

/// `FMNMX.FTZ.NAN.XORSIGN R6, |R2|, |R5|, !PT`: the lesser one if the predicate is true, otherwise the greater one. With `.XORSIGN`
/// the sign is that of a product of the registers, before their signs are changed.
pub(super) fn choose(shape: &MachineShape) -> DecodedStep {
    let choice = RealChoice::of(ModifiersLeft::of(shape), FloatLayout::F32)?;
    let [to, a, b, lesser] = shape.operands()?;
    choose_of(choice, to, &[a, b], lesser)
}

/// `FMNMX3.NAN R4, R4, R5, R6, PT`: the least or the greatest one of three.
pub(super) fn choose_of_three(shape: &MachineShape) -> DecodedStep {
    let choice = RealChoice::of(ModifiersLeft::of(shape), FloatLayout::F32)?;
    let [to, a, b, c, lesser] = shape.operands()?;
    choose_of(choice, to, &[a, b, c], lesser)
}

fn choose_of(
    choice: RealChoice,
    to: &MachineOperand,
    sources: &[&MachineOperand],
    lesser: &MachineOperand,
) -> DecodedStep {
    let sources: Result<Vec<_>, _> =
        sources.iter().map(|source| RealSource::of(source, choice.layout, choice.flushes)).collect();
    let (to, sources, lesser) = (register(to)?, sources?, predicate(lesser)?);
    effect(move |thread| {
        let value = choice.result(thread.predicate(lesser), &sources, thread)?;
        set_float(thread, to, choice.layout, value.known(choice.layout.bits()));
        Ok(())
    })
}

/// `HMNMX2.BF16_V2.NAN R0, R2, R5, PT`: of each half for itself.
pub(super) fn choose_halves(shape: &MachineShape) -> DecodedStep {
    let mut modifiers = ModifiersLeft::of(shape);
    let layout = super::half::layout(&mut modifiers);
    let choice = RealChoice::of(modifiers, layout)?;
    let [to, sources @ .., lesser] = shape.operands else { return Err(Unfit::OPERANDS) };
    let pairs = HalfPair::all(sources, layout, choice.flushes)?;
    if !(2..=3).contains(&pairs.len()) {
        return Err(Unfit::OPERANDS);
    }
    let half = |at: usize| pairs.iter().map(|pair| pair.0[at]).collect::<Vec<_>>();
    let (to, low, high, lesser) = (register(to)?, half(0), half(1), predicate(lesser)?);
    effect(move |thread| {
        let lesser = thread.predicate(lesser);
        let value = choice.result(lesser, &low, thread)?.joined(16, choice.result(lesser, &high, thread)?);
        thread.set(to, 0, value);
        Ok(())
    })
}
