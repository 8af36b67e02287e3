//! Conversions between formats of floats.

use super::operand::{ModifiersLeft, RealResult, RealSource, layout_named, set_float};
use super::shape::{DecodedStep, MachineShape, Unfit, effect, register};
use crate::instruction::{MachineOperand, Register, RegisterPart, Sign};
use crate::machine::{Halt, Thread};
use crate::soft::{FloatLayout, MachineReal, MachineRounding};
use ptx_exec::value::Bits;

/// `F2F.F32.F64.RM R0, R2`: a float of another format. To or from a double, a NaN keeps its sign and the upper bits of its payload.
pub(super) fn convert(shape: &MachineShape) -> DecodedStep {
    let mut modifiers = ModifiersLeft::of(shape);
    let flushes = modifiers.take("FTZ");
    let (to_layout, from_layout) =
        modifiers.first(layout_named).zip(modifiers.first(layout_named)).ok_or(Unfit::MODIFIERS)?;
    let rounding = modifiers.rounding();
    modifiers.end()?;
    let [to, from] = shape.operands()?;
    let (to, from) = (register(to)?, RealSource::of(from, from_layout, flushes)?);
    effect(move |thread| {
        let value = from.get(thread)?.map(|value| {
            let bits = match [to_layout, from_layout].contains(&FloatLayout::F64) {
                true => to_layout.encode_with_payload(value, rounding),
                false => to_layout.encode(value, rounding),
            };
            if flushes { to_layout.flushed(bits) } else { bits }
        });
        set_float(thread, to, to_layout, value);
        Ok(())
    })
}

/// A format of numbers of fewer than 16 bits, several of which are in a register.
fn small_named(name: &str) -> Option<FloatLayout> {
    Some(match name {
        "E4M3" => FloatLayout::E4M3,
        "E5M2" => FloatLayout::E5M2,
        "E3M2" => FloatLayout::E3M2,
        "E2M3" => FloatLayout::E2M3,
        "E2M1" => FloatLayout::E2M1,
        _ => return None,
    })
}

/// The bits that a number of a format takes in a register: those of 6 bits take a byte.
fn room(layout: FloatLayout) -> u32 {
    match layout.bits() {
        6 => 8,
        19 => 32,
        bits => bits,
    }
}

/// The conversion of `F2FP`.
#[derive(Clone, Copy)]
struct Packing {
    to: FloatLayout,
    from: FloatLayout,
    rounding: MachineRounding,
    /// True if a negative result is 0.
    bounded: bool,
    /// True if what is too large is the greatest number.
    finite: bool,
}

impl Packing {
    fn bits(self, value: MachineReal) -> u64 {
        if self.bounded && value.is_negative() && !value.is_nan() {
            return 0;
        }
        let bits = match self.finite {
            true => self.to.encode_finite(value, self.rounding),
            false => self.to.encode(value, self.rounding),
        };
        if self.to == FloatLayout::TF32 { bits << 13 } else { bits }
    }
}

/// How the sources and results of `F2FP` are laid out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PackedForm {
    /// `PACK_AB`: two floats, the second source as the lower result; `PACK_AB_MERGE_C` puts them below those of a third source.
    Pack,
    /// `PACK_B`, `MERGE_C`: one float.
    One,
    /// `UNPACK_B`: two numbers at the bottom of a register.
    Unpack,
}

/// `F2FP.SATFINITE.RELU.BF16.F32.PACK_AB.RZ R0, R2, R5`, `F2FP.F16.E4M3.UNPACK_B R0, R2`,
/// `F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R6, R2, R5, RZ`, `F2FP.TF32.F32.PACK_B R0, R2`: two or one floats of another format.
pub(super) fn pack(shape: &MachineShape) -> DecodedStep {
    let mut modifiers = ModifiersLeft::of(shape);
    let (finite, bounded) = (modifiers.take("SATFINITE"), modifiers.take("RELU"));
    let rounding = modifiers.rounding();
    let named = |name: &str| match name {
        "TF32" => Some(FloatLayout::TF32),
        _ => layout_named(name).filter(|layout| *layout != FloatLayout::F64).or_else(|| small_named(name)),
    };
    if modifiers.take("E8") {
        return unpack_exponents(shape, modifiers, finite || bounded || rounding != MachineRounding::Even);
    }
    // Older targets print neither halves nor floats of 32 bits.
    let to_layout = modifiers.first(named).unwrap_or(FloatLayout::F16);
    let from = modifiers.first(named).unwrap_or(FloatLayout::F32);
    let packing = Packing { to: to_layout, from, rounding, bounded, finite };
    let [to, sources @ ..] = shape.operands else { return Err(Unfit::OPERANDS) };
    let to = register(to)?;
    let mut merges = false;
    let (form, sources) = match (modifiers.last()?, sources) {
        ("PACK_AB", [a, b]) if from == FloatLayout::F32 && to_layout.bits() == 16 => (PackedForm::Pack, vec![a, b]),
        ("PACK_AB_MERGE_C", [a, b, above]) if from == FloatLayout::F32 && to_layout.bits() <= 8 => {
            merges = matches!(above, MachineOperand::Register(_, Sign::NONE, RegisterPart::High));
            if !merges {
                nothing(above)?;
            }
            (PackedForm::Pack, vec![a, b])
        }
        ("MERGE_C", [a, above]) if from == FloatLayout::F32 && to_layout.bits() == 16 => {
            nothing(above)?;
            (PackedForm::One, vec![a])
        }
        ("PACK_B", [b]) if from == FloatLayout::F32 && to_layout == FloatLayout::TF32 => (PackedForm::One, vec![b]),
        ("UNPACK_B", [b]) if from.bits() <= 8 && to_layout.bits() == 16 => (PackedForm::Unpack, vec![b]),
        ("UNPACK_B_MERGE_C", [b, above]) if from.bits() == 16 && to_layout.bits() <= 8 => {
            nothing(above)?;
            (PackedForm::Unpack, vec![b])
        }
        _ => return Err(Unfit::because("its sources are laid out in an unknown way")),
    };
    if form == PackedForm::Unpack {
        return unpack(packing, to, sources[0]);
    }
    let sources: Result<Vec<_>, _> =
        sources.into_iter().map(|source| RealSource::of(source, FloatLayout::F32, false)).collect();
    let (sources, width) = (sources?, room(to_layout));
    effect(move |thread| {
        let mut value = Bits::ZERO;
        for source in &sources {
            let bits = source.get(thread)?.map(|number| packing.bits(number));
            value = bits.map_or(Bits::UNDEFINED, Bits::from).joined(width, value);
        }
        // What is merged above the results, no code was seen to use.
        let value = if merges { value.joined(2 * width, Bits::UNDEFINED) } else { value };
        thread.set(to, 0, value);
        Ok(())
    })
}

/// `F2FP.BF16.E8.UNPACK_B R0, R2`: the powers of two that two bytes are the exponents of, or NaN.
fn unpack_exponents(shape: &MachineShape, mut modifiers: ModifiersLeft, changes: bool) -> DecodedStep {
    if !modifiers.take("BF16") || modifiers.last()? != "UNPACK_B" || changes || shape.modifiers[0] != "BF16" {
        return Err(Unfit::MODIFIERS);
    }
    let [to, from] = shape.operands()?;
    let (to, from) = (register(to)?, register(from)?);
    let power = |byte: u64| match byte {
        0xff => FloatLayout::BF16.nan(),
        // 2^-127 is subnormal.
        0 => 0x40,
        byte => byte << 7,
    };
    effect(move |thread| {
        let byte = |at: u32| thread.half(from, 0).shifted_right(at).known(8);
        let of = |byte: Option<u64>| byte.map_or(Bits::UNDEFINED, |byte| Bits::from(power(byte)));
        let value = of(byte(0)).joined(16, of(byte(8)));
        thread.set(to, 0, value);
        Ok(())
    })
}

/// The third source is `RZ`: what becomes of another one is not known.
fn nothing(above: &MachineOperand) -> Result<(), Unfit> {
    if register(above)?.is_zero() { Ok(()) } else { Err(Unfit::because("it merges a third source")) }
}

/// Two numbers from the lowest ones of a register, or of its upper half.
fn unpack(packing: Packing, to: Register, from: &MachineOperand) -> DecodedStep {
    let MachineOperand::Register(from, Sign::NONE, part) = from else { return Err(Unfit::OPERANDS) };
    let start = match part {
        RegisterPart::Whole => 0,
        RegisterPart::High if packing.from.bits() < 16 => 16,
        _ => return Err(Unfit::because("a source is an unknown part of a register")),
    };
    let (from, width) = (*from, room(packing.from));
    let one = move |thread: &Thread, at: u32| -> Result<Bits, Halt> {
        let bits = thread.half(from, 0).shifted_right(start + at * width).known(packing.from.bits());
        Ok(bits.map_or(Bits::UNDEFINED, |bits| Bits::from(packing.bits(packing.from.decode(bits)))))
    };
    effect(move |thread| {
        let value = one(thread, 0)?.joined(room(packing.to), one(thread, 1)?.zero_extended(room(packing.to)));
        thread.set(to, 0, value);
        Ok(())
    })
}

/// The result of a conversion from an integer, to a format of at least 16 bits.
pub(super) fn from_integer(layout: FloatLayout, rounding: MachineRounding, value: i128) -> u64 {
    let magnitude = u64::try_from(value.unsigned_abs()).unwrap_or(u64::MAX);
    RealResult { rounding, ..RealResult::nearest(layout) }.bits(MachineReal::integer(value < 0, magnitude))
}
