//! Approximations of the special-function unit, as an H100 computes them. Other targets are taken to do the same.
//!
//! What `ptxas` divides, and takes roots, with corrects the difference to the exact value; only `.approx` lines show it.

use super::operand::{ModifiersLeft, RealSource, layout_named, set_float};
use super::shape::{DecodedStep, MachineShape, Unfit, effect, register};
use super::special_unit as unit;
use crate::soft::FloatLayout;

/// A function of the unit, on bits.
type UnitFunction = fn(u32) -> u32;

/// The functions, by the name of the modifier and the format: where a source is 16 bits, so is the result.
const FUNCTIONS: [(&str, FloatLayout, UnitFunction); 12] = [
    ("RCP", FloatLayout::F32, unit::reciprocal),
    ("RSQ", FloatLayout::F32, unit::reciprocal_root),
    ("SQRT", FloatLayout::F32, unit::square_root),
    ("LG2", FloatLayout::F32, unit::logarithm),
    ("EX2", FloatLayout::F32, unit::exponential),
    ("SIN", FloatLayout::F32, unit::sine),
    ("COS", FloatLayout::F32, unit::cosine),
    ("TANH", FloatLayout::F32, unit::hyperbolic_tangent),
    ("TANH", FloatLayout::F16, unit::hyperbolic_tangent_half),
    ("TANH", FloatLayout::BF16, unit::hyperbolic_tangent_bfloat),
    ("EX2", FloatLayout::F16, unit::exponential_half),
    ("EX2", FloatLayout::BF16, unit::exponential_bfloat),
];

/// `MUFU.RCP R2, R0`, `MUFU.EX2.F16 R9, R2.H1`, `MUFU.RSQ64H R5, R3`: a function of one float.
pub(super) fn approximate(shape: &MachineShape) -> DecodedStep {
    let mut modifiers = ModifiersLeft::of(shape);
    let [to, from] = shape.operands()?;
    let to = register(to)?;
    let wide = |name: &str| -> Option<UnitFunction> {
        match name {
            "RCP64H" => Some(unit::reciprocal_high),
            "RSQ64H" => Some(unit::reciprocal_root_high),
            _ => None,
        }
    };
    if let Some(function) = modifiers.first(wide) {
        modifiers.end()?;
        let from = RealSource::of(from, FloatLayout::F32, false)?.unchanged()?;
        return effect(move |thread| {
            let value = from.bits(thread)?.map(|high| moved(function(high as u32), 20, thread.moved_seeds));
            set_float(thread, to, FloatLayout::F32, value);
            Ok(())
        });
    }
    let known = |name: &str| FUNCTIONS.iter().map(|(known, ..)| *known).find(|known| *known == name);
    let name = modifiers.first(known).ok_or(Unfit::MODIFIERS)?;
    let layout = modifiers.first(layout_named).unwrap_or(FloatLayout::F32);
    modifiers.end()?;
    let found = FUNCTIONS.iter().find(|(known, of, _)| (*known, *of) == (name, layout));
    let function = found.ok_or(Unfit::MODIFIERS)?.2;
    let from = RealSource::of(from, layout, false)?;
    effect(move |thread| {
        let seeds = if layout == FloatLayout::F32 { thread.moved_seeds } else { 0 };
        let value = from.changed(thread)?.map(|bits| moved(function(bits as u32), 23, seeds));
        set_float(thread, to, layout, value);
        Ok(())
    })
}

/// A normal number with its exponent above these bits, moved by some units in the last place. It stays if it is a power of two, or
/// would become one: `ptxas` relies on those of the unit.
fn moved(bits: u32, mantissa: u32, units: i32) -> u64 {
    let may_move = |bits: u32| {
        let all = u32::MAX >> 1 >> mantissa;
        let exponent = bits >> mantissa & all;
        exponent != 0 && exponent != all && bits << (32 - mantissa) != 0
    };
    let other = bits.wrapping_add_signed(units);
    u64::from(if may_move(bits) && may_move(other) { other } else { bits })
}
