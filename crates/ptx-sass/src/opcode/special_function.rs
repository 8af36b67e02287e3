//! Approximations of the special-function unit: here they are the nearest values, as far as the host's functions are.
//!
//! Hardware interpolates in tables, which NVIDIA does not publish. What `ptxas` divides, and takes roots, with corrects the
//! difference; only `.approx` lines show it.

use super::operand::{ModifiersLeft, RealSource, layout_named, set_float};
use super::shape::{DecodedStep, MachineShape, Unfit, effect, register};
use crate::soft::{FloatLayout, MachineRounding};

/// A function of the unit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SpecialFunction {
    Reciprocal,
    ReciprocalRoot,
    Root,
    Logarithm,
    Power,
    Sine,
    Cosine,
    Tangent,
}

impl SpecialFunction {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "RCP" => Self::Reciprocal,
            "RSQ" => Self::ReciprocalRoot,
            "SQRT" => Self::Root,
            "LG2" => Self::Logarithm,
            "EX2" => Self::Power,
            "SIN" => Self::Sine,
            "COS" => Self::Cosine,
            "TANH" => Self::Tangent,
            _ => return None,
        })
    }

    /// The value at a place, which is the nearest double or next to it. Angles are counted in turns.
    fn at(self, x: f64) -> f64 {
        let turns = std::f64::consts::TAU * (x % 1.0);
        match self {
            Self::Reciprocal => 1.0 / x,
            Self::ReciprocalRoot => 1.0 / x.sqrt(),
            Self::Root => x.sqrt(),
            Self::Logarithm => x.log2(),
            Self::Power => x.exp2(),
            Self::Sine => turns.sin(),
            Self::Cosine => turns.cos(),
            Self::Tangent => x.tanh(),
        }
    }
}

/// The nearest number of a format to a double.
fn nearest(layout: FloatLayout, value: f64) -> u64 {
    layout.encode(FloatLayout::F64.decode(value.to_bits()), MachineRounding::Even)
}

/// The double that bits of a format are.
fn exact(layout: FloatLayout, bits: u64) -> f64 {
    f64::from_bits(FloatLayout::F64.encode(layout.decode(bits), MachineRounding::Even))
}

/// The result of a function for the bits of a source.
fn approximation(function: SpecialFunction, layout: FloatLayout, bits: u64) -> u64 {
    // Half floats may be subnormal; `.TANH` does not flush either.
    let flushes = layout != FloatLayout::F16 && function != SpecialFunction::Tangent;
    let flushed = |bits: u64| if flushes { layout.flushed(bits) } else { bits };
    flushed(nearest(layout, function.at(exact(layout, flushed(bits)))))
}

/// The upper half of a reciprocal, or of one of a root, for the upper half of a double: as if the lower half were zero.
fn upper(function: SpecialFunction, high: u64) -> u64 {
    let value = function.at(f64::from_bits(FloatLayout::F64.flushed(high << 32)));
    if value.is_nan() {
        return 0x7fff_ffff;
    }
    // To the nearest upper half: a number has no half between infinity and it.
    let rounded = value.to_bits().wrapping_add(0x8000_0000);
    FloatLayout::F64.flushed(rounded) >> 32
}

/// `MUFU.RCP R2, R0`, `MUFU.EX2.F16 R9, R2.H1`, `MUFU.RSQ64H R5, R3`: a function of one float.
pub(super) fn approximate(shape: &MachineShape) -> DecodedStep {
    let mut modifiers = ModifiersLeft::of(shape);
    let [to, from] = shape.operands()?;
    let to = register(to)?;
    let wide = |name: &str| match name {
        "RCP64H" => Some(SpecialFunction::Reciprocal),
        "RSQ64H" => Some(SpecialFunction::ReciprocalRoot),
        _ => None,
    };
    if let Some(function) = modifiers.first(wide) {
        modifiers.end()?;
        let from = RealSource::of(from, FloatLayout::F32, false)?.unchanged()?;
        return effect(move |thread| {
            let value = from.bits(thread)?.map(|high| upper(function, high));
            set_float(thread, to, FloatLayout::F32, value);
            Ok(())
        });
    }
    let function = modifiers.first(SpecialFunction::named).ok_or(Unfit::MODIFIERS)?;
    let layout = modifiers.first(layout_named).unwrap_or(FloatLayout::F32);
    modifiers.end()?;
    if layout == FloatLayout::F64 {
        return Err(Unfit::MODIFIERS);
    }
    let from = RealSource::of(from, layout, false)?;
    effect(move |thread| {
        let value = from.changed(thread)?.map(|bits| approximation(function, layout, bits));
        set_float(thread, to, layout, value);
        Ok(())
    })
}
