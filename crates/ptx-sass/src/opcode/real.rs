//! Arithmetic of floats of 32 and 64 bits.

use super::operand::{ModifiersLeft, RealResult, RealSource, numbers};
use super::shape::{DecodedStep, MachineShape, Unfit, effect, predicate, register};
use crate::instruction::MachineOperand;
use crate::soft::{FloatLayout, MachineReal, MachineRounding};
use ptx_exec::value::Bits;

/// An operation before rounding.
type RealOperation<const N: usize> = fn([MachineReal; N], MachineRounding) -> MachineReal;

const SUM: RealOperation<2> = |[a, b], rounding| a.plus(b, rounding);
const PRODUCT: RealOperation<2> = |[a, b], _| a.times(b);
const PRODUCT_AND_SUM: RealOperation<3> = |[a, b, c], rounding| a.times_plus(b, c, rounding);

/// An operation on floats of one format: `.FTZ` flushes them and the result, `.SAT` takes the result to between 0 and 1.
fn arithmetic<const N: usize>(shape: &MachineShape, layout: FloatLayout, operation: RealOperation<N>) -> DecodedStep {
    let mut modifiers = ModifiersLeft::of(shape);
    let (rounding, flushes) = (modifiers.rounding(), modifiers.take("FTZ"));
    let saturates = modifiers.take("SAT");
    modifiers.end()?;
    let [to, sources @ ..] = shape.operands else { return Err(Unfit::OPERANDS) };
    let (to, sources) = (register(to)?, sources_of::<N>(sources, layout, flushes)?);
    let result = RealResult { layout, rounding, flushes, saturates, bounded: false };
    effect(move |thread| {
        let value = numbers(&sources, thread)?.map(|values| result.bits(operation(values, rounding)));
        result.set(thread, to, value);
        Ok(())
    })
}

/// As many sources of a format as there are.
fn sources_of<const N: usize>(
    operands: &[MachineOperand],
    layout: FloatLayout,
    flushes: bool,
) -> Result<[RealSource; N], Unfit> {
    let sources: Result<Vec<_>, _> = operands.iter().map(|operand| RealSource::of(operand, layout, flushes)).collect();
    sources?.try_into().map_err(|_| Unfit::OPERANDS)
}

/// `FADD.FTZ.RM.SAT R13, R15, -R12`
pub(super) fn add(shape: &MachineShape) -> DecodedStep {
    arithmetic(shape, FloatLayout::F32, SUM)
}

/// `FMUL.RZ R2, R2, 15.989999771118164062`
pub(super) fn multiply(shape: &MachineShape) -> DecodedStep {
    arithmetic(shape, FloatLayout::F32, PRODUCT)
}

/// `FFMA R2, R2, R3, R4`: a product and a sum that are rounded once.
pub(super) fn multiply_add(shape: &MachineShape) -> DecodedStep {
    arithmetic(shape, FloatLayout::F32, PRODUCT_AND_SUM)
}

/// `FHADD.BF16.RM.SAT R6, R2, -R5`: the sum of a half, which is the lower one of its register, and a float of 32 bits.
pub(super) fn add_half(shape: &MachineShape) -> DecodedStep {
    mixed(shape, SUM, 1)
}

/// `FHFMA R8, R2, R5, R7`: the product of two halves, and a float of 32 bits.
pub(super) fn multiply_halves_add(shape: &MachineShape) -> DecodedStep {
    mixed(shape, PRODUCT_AND_SUM, 2)
}

/// An operation whose first sources are halves: of 16 bits without a modifier.
fn mixed<const N: usize>(shape: &MachineShape, operation: RealOperation<N>, halves: usize) -> DecodedStep {
    let mut modifiers = ModifiersLeft::of(shape);
    let half = if modifiers.take("BF16") { FloatLayout::BF16 } else { FloatLayout::F16 };
    let (rounding, saturates) = (modifiers.rounding(), modifiers.take("SAT"));
    modifiers.end()?;
    let [to, sources @ ..] = shape.operands else { return Err(Unfit::OPERANDS) };
    let (low, rest) = sources.split_at_checked(halves).ok_or(Unfit::OPERANDS)?;
    let low = low.iter().map(|operand| RealSource::of(operand, half, false));
    let rest = rest.iter().map(|operand| RealSource::of(operand, FloatLayout::F32, false));
    let sources: Vec<_> = low.chain(rest).collect::<Result<_, _>>()?;
    let sources: [RealSource; N] = sources.try_into().map_err(|_| Unfit::OPERANDS)?;
    let to = register(to)?;
    let result = RealResult { rounding, saturates, ..RealResult::nearest(FloatLayout::F32) };
    effect(move |thread| {
        let value = numbers(&sources, thread)?.map(|values| result.bits(operation(values, rounding)));
        result.set(thread, to, value);
        Ok(())
    })
}

/// `FADD2.FTZ.RM R2, R2.F32x2.HI_LO, -R4.F32x2.HI_LO`: two sums.
pub(super) fn add_two(shape: &MachineShape) -> DecodedStep {
    twice(shape, SUM)
}

/// `FMUL2 R2, R2.F32x2.HI_LO, R4.F32x2.HI_LO`: two products.
pub(super) fn multiply_two(shape: &MachineShape) -> DecodedStep {
    twice(shape, PRODUCT)
}

/// `FFMA2 R2, R2.F32x2.HI_LO, R4.F32x2.HI_LO, R6.F32x2.HI_LO`: two products and sums.
pub(super) fn multiply_add_two(shape: &MachineShape) -> DecodedStep {
    twice(shape, PRODUCT_AND_SUM)
}

/// An operation on two floats of 32 bits each.
fn twice<const N: usize>(shape: &MachineShape, operation: RealOperation<N>) -> DecodedStep {
    let mut modifiers = ModifiersLeft::of(shape);
    let (rounding, flushes) = (modifiers.rounding(), modifiers.take("FTZ"));
    modifiers.end()?;
    let [to, sources @ ..] = shape.operands else { return Err(Unfit::OPERANDS) };
    let pairs: Vec<_> = sources.iter().map(|operand| RealSource::two(operand, flushes)).collect::<Result<_, _>>()?;
    let pairs: [[RealSource; 2]; N] = pairs.try_into().map_err(|_| Unfit::OPERANDS)?;
    let (to, low, high) = (register(to)?, pairs.map(|pair| pair[0]), pairs.map(|pair| pair[1]));
    let result = RealResult { rounding, flushes, ..RealResult::nearest(FloatLayout::F32) };
    effect(move |thread| {
        let value = |values: [MachineReal; N]| result.bits(operation(values, rounding));
        let (low, high) = (numbers(&low, thread)?.map(value), numbers(&high, thread)?.map(value));
        let of = |value: Option<u64>| value.map_or(Bits::UNDEFINED, Bits::from);
        thread.set_wide(to, of(low).joined(32, of(high)));
        Ok(())
    })
}

/// `FSEL R5, R0, 1, !P0`, `FSEL R0, R5, -|R2|, !P0`: one of two floats.
pub(super) fn select(shape: &MachineShape) -> DecodedStep {
    let ([], [to, this, that, which]) = (&shape.modifiers[..], shape.operands()?) else { return Err(Unfit::MODIFIERS) };
    let source = |operand| RealSource::of(operand, FloatLayout::F32, false);
    let (of_this, of_that) = (source(this)?, source(that)?);
    if !of_this.has_sign() && !of_that.has_sign() {
        return super::transfer::select(shape);
    }
    let (to, which) = (register(to)?, predicate(which)?);
    effect(move |thread| {
        let value = match thread.predicate(which).known(1) {
            Some(0) => of_that.selected(thread)?,
            Some(_) => of_this.selected(thread)?,
            None => Bits::UNDEFINED,
        };
        thread.set(to, 0, value);
        Ok(())
    })
}

/// Doubles have neither `.FTZ` nor `.SAT`.
fn of_doubles<const N: usize>(shape: &MachineShape, operation: RealOperation<N>) -> DecodedStep {
    match shape.modifiers[..] {
        [] | ["RZ" | "RM" | "RP"] => arithmetic(shape, FloatLayout::F64, operation),
        _ => Err(Unfit::MODIFIERS),
    }
}

/// `DADD.RM R14, R14, -R4`. A NaN keeps its payload and its sign, which no `-` or `|` changes; of two it is the second one.
pub(super) fn add_double(shape: &MachineShape) -> DecodedStep {
    of_doubles(shape, SUM)
}

/// `DMUL R2, R2, 1.80143985094819840000e+16`
pub(super) fn multiply_double(shape: &MachineShape) -> DecodedStep {
    of_doubles(shape, PRODUCT)
}

/// `DFMA R4, R8, -R6, 1`. Of several NaNs it is that of the second source, or else of the third one.
pub(super) fn multiply_add_double(shape: &MachineShape) -> DecodedStep {
    of_doubles(shape, PRODUCT_AND_SUM)
}

/// `FCHK P0, R0, R7`: whether a quotient needs more than the short way, because a step of it could leave the range of numbers. The
/// bounds of hardware are not known: here they are wider, as the long way is right for all numbers.
pub(super) fn check(shape: &MachineShape) -> DecodedStep {
    ModifiersLeft::of(shape).end()?;
    let [to, a, b] = shape.operands()?;
    let sources = [RealSource::of(a, FloatLayout::F32, false)?, RealSource::of(b, FloatLayout::F32, false)?];
    let to = predicate(to)?;
    effect(move |thread| {
        let [a, b] = [sources[0].bits(thread)?, sources[1].bits(thread)?];
        let exponent = |bits: u64| (bits >> 23 & 0xff).cast_signed();
        let needed = a.zip(b).map(|(a, b)| {
            let (a, b) = (exponent(a), exponent(b));
            !(26..=253).contains(&a) || !(2..=251).contains(&b) || !(-123..=124).contains(&(a - b))
        });
        thread.set_predicate(to, needed.map_or(Bits::UNDEFINED, Bits::from));
        Ok(())
    })
}

/// `FRND.F64.CEIL R4, R2`, `FRND.FTZ.TRUNC R0, R2`: the integer that a float of 32 bits, or of the format that a modifier names, is
/// rounded to.
pub(super) fn integral(shape: &MachineShape) -> DecodedStep {
    let mut modifiers = ModifiersLeft::of(shape);
    let (rounding, flushes) = (modifiers.integral(), modifiers.take("FTZ"));
    let layout = modifiers.first(super::operand::layout_named).unwrap_or(FloatLayout::F32);
    modifiers.end()?;
    let [to, from] = shape.operands()?;
    let (to, from) = (register(to)?, RealSource::of(from, layout, flushes)?);
    effect(move |thread| {
        let value = from.get(thread)?.map(|value| RealResult::nearest(layout).bits(value.integral(rounding)));
        RealResult::nearest(layout).set(thread, to, value);
        Ok(())
    })
}
