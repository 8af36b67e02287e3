//! Arithmetic of two halves at once.

use super::operand::{HalfPair, ModifiersLeft, RealResult, RealSource};
use super::shape::{DecodedStep, MachineShape, Unfit, effect, register};
use crate::instruction::{MachineOperand, RegisterPart};
use crate::machine::{Halt, Thread};
use crate::soft::{FloatLayout, MachineReal, MachineRounding};
use ptx_exec::value::Bits;

/// The format of halves: `.BF16_V2` or nothing.
pub(super) fn layout(modifiers: &mut ModifiersLeft) -> FloatLayout {
    if modifiers.take("BF16_V2") { FloatLayout::BF16 } else { FloatLayout::F16 }
}

/// The NaN that stands for what is out of bounds, without its sign, in both formats: a result with it as a factor is 0.
const OUT_OF_BOUNDS: u64 = 0x7ff7;

/// An operation before rounding; those with two sources ignore the third one.
type HalfOperation = fn([MachineReal; 3]) -> MachineReal;

/// An operation on halves.
#[derive(Clone, Copy)]
struct Halves {
    operation: HalfOperation,
    result: RealResult,
    /// True if the NaN that stands for what is out of bounds makes the result 0.
    bounds: bool,
}

impl Halves {
    fn of(mut modifiers: ModifiersLeft, operation: HalfOperation) -> Result<Self, Unfit> {
        let layout = layout(&mut modifiers);
        let (flushes, saturates) = (modifiers.take("FTZ"), modifiers.take("SAT"));
        let (bounded, bounds) = (modifiers.take("RELU"), modifiers.take("OOB"));
        modifiers.end()?;
        let result = RealResult { layout, rounding: MachineRounding::Even, flushes, saturates, bounded };
        Ok(Self { operation, result, bounds })
    }

    /// The bits for one half of each source.
    fn bits(self, sources: &[RealSource], thread: &Thread) -> Result<Bits, Halt> {
        if self.bounds {
            for factor in sources.iter().take(2) {
                if factor.bits(thread)?.is_some_and(|bits| bits & 0x7fff == OUT_OF_BOUNDS) {
                    return Ok(Bits::ZERO);
                }
            }
        }
        let mut values = [MachineReal::integer(false, 0); 3];
        for (value, source) in values.iter_mut().zip(sources) {
            match source.get(thread)? {
                Some(found) => *value = found,
                None => return Ok(Bits::UNDEFINED),
            }
        }
        Ok(Bits::from(self.result.bits((self.operation)(values))))
    }

    /// The bits, if no source depends on a thread: constants are moved with a product of zeros.
    fn constant(self, sources: &[RealSource]) -> Option<Bits> {
        if self.bounds {
            return None;
        }
        let mut values = [MachineReal::integer(false, 0); 3];
        for (value, source) in values.iter_mut().zip(sources) {
            *value = source.constant()?;
        }
        Some(Bits::from(self.result.bits((self.operation)(values))))
    }
}

fn of_sources(shape: &MachineShape, halves: Halves, count: usize) -> DecodedStep {
    let [to, sources @ ..] = shape.operands else { return Err(Unfit::OPERANDS) };
    let pairs = HalfPair::all(sources, halves.result.layout, halves.result.flushes)?;
    if pairs.len() != count {
        return Err(Unfit::OPERANDS);
    }
    let half = |at: usize| pairs.iter().map(|pair| pair.0[at]).collect::<Vec<_>>();
    let (to, low, high) = (register(to)?, half(0), half(1));
    if let Some((low, high)) = halves.constant(&low).zip(halves.constant(&high)) {
        let value = low.joined(16, high);
        return effect(move |thread| {
            thread.set(to, 0, value);
            Ok(())
        });
    }
    effect(move |thread| {
        let value = halves.bits(&low, thread)?.joined(16, halves.bits(&high, thread)?);
        thread.set(to, 0, value);
        Ok(())
    })
}

const EVEN: MachineRounding = MachineRounding::Even;

/// `HADD2.FTZ.SAT R10, R11, R0.H0_H0`: two sums. `HADD2.F32 R4, -RZ, R2.H0_H0`: the sum of the low halves as a float of 32 bits.
pub(super) fn add(shape: &MachineShape) -> DecodedStep {
    let mut modifiers = ModifiersLeft::of(shape);
    if modifiers.take("F32") {
        return add_single(shape, modifiers);
    }
    if let [_, MachineOperand::Register(_, _, RegisterPart::Single), _] = shape.operands {
        return round_single(shape, modifiers);
    }
    of_sources(shape, Halves::of(modifiers, |[a, b, _]| a.plus(b, EVEN))?, 2)
}

fn add_single(shape: &MachineShape, mut modifiers: ModifiersLeft) -> DecodedStep {
    let (layout, saturates) = (layout(&mut modifiers), modifiers.take("SAT"));
    modifiers.end()?;
    let [to, sources @ ..] = shape.operands else { return Err(Unfit::OPERANDS) };
    let pairs = HalfPair::all(sources, layout, false)?;
    let [HalfPair([a, _]), HalfPair([b, _])] = pairs[..] else { return Err(Unfit::OPERANDS) };
    let (to, result) = (register(to)?, RealResult { saturates, ..RealResult::nearest(FloatLayout::F32) });
    effect(move |thread| {
        let sum = a.get(thread)?.zip(b.get(thread)?).map(|(a, b)| result.bits(a.plus(b, EVEN)));
        result.set(thread, to, sum);
        Ok(())
    })
}

/// `HADD2.SAT R4, R2.F32, -RZ.H0_H0`: the sum of a float of 32 bits and a half as a half, below one that no code was seen to use.
/// The float becomes a half toward zero: `cvt.rz.f16.f32` is this at -O3, and `F2F.F16.F32.RZ` at -O0; those with other roundings,
/// which `F2F` has as well, never are.
fn round_single(shape: &MachineShape, mut modifiers: ModifiersLeft) -> DecodedStep {
    let saturates = modifiers.take("SAT");
    modifiers.end()?;
    let [to, a, MachineOperand::Register(b, sign, _)] = shape.operands()? else { return Err(Unfit::OPERANDS) };
    if !b.is_zero() {
        return Err(Unfit::because("a half is added to a float of 32 bits"));
    }
    let zero = MachineReal::integer(sign.negated, 0);
    let (to, a) = (register(to)?, RealSource::of(a, FloatLayout::F32, false)?);
    let result = RealResult { saturates, rounding: MachineRounding::Zero, ..RealResult::nearest(FloatLayout::F16) };
    effect(move |thread| {
        let value = a.get(thread)?.map(|a| Bits::from(result.bits(a.plus(zero, EVEN))));
        thread.set(to, 0, value.unwrap_or(Bits::UNDEFINED).joined(16, Bits::UNDEFINED));
        Ok(())
    })
}

/// `HMUL2.BF16_V2 R5, R2.H0_H0, R5.H0_H0`: two products.
pub(super) fn multiply(shape: &MachineShape) -> DecodedStep {
    of_sources(shape, Halves::of(ModifiersLeft::of(shape), |[a, b, _]| a.times(b))?, 2)
}

/// `HFMA2.MMA.FTZ.RELU R5, R4, 1, 1, R3`: two products and sums. `HFMA2.MMA R5, -RZ, RZ, 0, 5.96e-08` moves a constant: minus
/// zero times zero, plus the immediate, is the immediate.
pub(super) fn multiply_add(shape: &MachineShape) -> DecodedStep {
    of_sources(shape, Halves::of(ModifiersLeft::of(shape), |[a, b, c]| a.times_plus(b, c, EVEN))?, 3)
}
