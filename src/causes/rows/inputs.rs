//! Finds which inputs a row must have to fail: one kind of numbers, one value of a register, a NaN.

use std::collections::BTreeMap;

use super::effect::ExpectedEffect;
use crate::case::InternalError;
use crate::divergences::AxisValues;
use crate::line_case::Holds;
use crate::setup;
use crate::space::Values;
use crate::spec::{Form, Spec};

/// How many rows with a value must pass before the value is excluded.
const PASSING: usize = 4;

/// A row that was run at a point.
pub(crate) struct TriedRow {
    pub(crate) values: Values,
    pub(crate) failed: bool,
    pub(crate) effect: ExpectedEffect,
}

/// The property that the inputs of failing rows have in common, unlike the inputs of passing rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct InputCondition {
    /// In words; empty if no condition is needed or found.
    pub(crate) words: String,
    /// As a condition of a divergence, if there are axes for it.
    pub(crate) when: Vec<(String, AxisValues)>,
}

/// The most rows that are compared.
const MOST: usize = 400;
/// The fewest failing and passing rows for a conclusion.
const FEWEST: [usize; 2] = [3, 8];

/// Searches for a condition on the numbers of rows that are otherwise alike.
pub(crate) fn of(
    spec: &Spec,
    form: &Form,
    point_axes: usize,
    rows: &[&TriedRow],
) -> Result<InputCondition, InternalError> {
    let step = rows.len().div_ceil(MOST).max(1);
    let rows: Vec<&TriedRow> = rows.iter().copied().step_by(step).collect();
    let (fails, passes): (Vec<&TriedRow>, Vec<&TriedRow>) = rows.into_iter().partition(|row| row.failed);
    // If nearly all fail, no input matters.
    if fails.len() < FEWEST[0] || passes.len() < FEWEST[1] || fails.len() > 9 * passes.len() {
        return Ok(InputCondition::default());
    }
    if let Some(found) = by_axis(form, point_axes, &fails, &passes) {
        return Ok(found);
    }
    let (fails, passes) = (registers(spec, form, &fails)?, registers(spec, form, &passes)?);
    Ok(by_register(&fails, &passes).unwrap_or_default())
}

/// True if a condition separates the failing rows from the passing ones: it holds for every failing row,
/// and for hardly any other.
fn tells<T>(fails: &[T], passes: &[T], holds: impl Fn(&T) -> bool) -> bool {
    fails.iter().all(&holds) && passes.iter().filter(|row| holds(row)).count() * 20 <= passes.len()
}

/// One axis of numbers whose values separate the failing rows from the passing ones.
fn by_axis(form: &Form, point_axes: usize, fails: &[&TriedRow], passes: &[&TriedRow]) -> Option<InputCondition> {
    (point_axes..form.axes.len()).find_map(|axis| {
        let with = |rows: &[&TriedRow], value: u8| rows.iter().filter(|row| row.values[axis] == value).count();
        let of = &form.axes[axis];
        // A value is excluded only if rows with it were tried and passed.
        let belongs = |value: &u8| with(fails, *value) > 0 || with(passes, *value) < PASSING;
        let values: Vec<u8> = (0..=u8::MAX).take(of.values.len()).filter(belongs).collect();
        if values.len() * 2 > of.values.len() || !tells(fails, passes, |row| values.contains(&row.values[axis])) {
            return None;
        }
        let names: Vec<String> =
            values.iter().filter_map(|value| of.values.get(usize::from(*value)).cloned()).collect();
        let words = format!("{} is {}", of.name, names.join(" or "));
        Some(InputCondition { words, when: vec![(of.name.clone(), AxisValues { not: false, values: names })] })
    })
}

/// The contents of registers in a row: by name, their value and size in bits.
type HeldRegisters = BTreeMap<String, (u128, u16)>;

fn registers(spec: &Spec, form: &Form, rows: &[&TriedRow]) -> Result<Vec<HeldRegisters>, InternalError> {
    let of_row = |row: &&TriedRow| {
        let program = setup::line_case(spec, form, &[&row.values])?;
        let inputs = program.inputs.iter().zip(program.rows.row(0));
        let bits = inputs.filter(|(input, _)| input.holds == Holds::Bits);
        // Registers are named after their type and numbered after their operand and lane.
        let number = |name: &str| name.rsplit('_').next().unwrap_or(name).to_owned();
        Ok(bits.map(|(input, value)| (number(&input.register), (*value, input.bits))).collect())
    };
    rows.iter().map(of_row).collect()
}

/// A kind of values: its name, and whether a value belongs to it.
type NumberClass = (&'static str, fn(u128, u16) -> bool);

const CLASSES: &[NumberClass] = &[
    ("a NaN", |value, bits| float(value, bits).is_some_and(f64::is_nan)),
    ("infinite", |value, bits| float(value, bits).is_some_and(f64::is_infinite)),
    ("zero", |value, _| value == 0),
    ("all ones", |value, bits| value == ones(bits)),
    ("the smallest signed integer", |value, bits| value == 1 << (bits - 1)),
    ("the largest signed integer", |value, bits| value == ones(bits) >> 1),
    ("negative", |value, bits| value >> (bits - 1) & 1 == 1),
    ("not negative", |value, bits| value >> (bits - 1) & 1 == 0),
    ("not zero", |value, _| value != 0),
];

fn ones(bits: u16) -> u128 {
    u128::MAX >> (128 - u32::from(bits.clamp(1, 128)))
}

fn float(value: u128, bits: u16) -> Option<f64> {
    match bits {
        32 => Some(f64::from(f32::from_bits(u32::try_from(value).ok()?))),
        64 => Some(f64::from_bits(u64::try_from(value).ok()?)),
        _ => None,
    }
}

/// One register, or any of them, whose value separates the failing rows from the passing ones.
fn by_register(fails: &[HeldRegisters], passes: &[HeldRegisters]) -> Option<InputCondition> {
    let first = fails.first()?;
    let said = |words: String| Some(InputCondition { words, when: Vec::new() });
    for name in first.keys() {
        let (value, _) = first[name];
        if tells(fails, passes, |row| row.get(name).is_some_and(|(held, _)| *held == value)) {
            return said(format!("the input register _{name} holds {value:x}"));
        }
        for (words, is) in CLASSES {
            if tells(fails, passes, |row| row.get(name).is_some_and(|(held, bits)| is(*held, *bits))) {
                return said(format!("the input register _{name} is {words}"));
            }
        }
    }
    let any = |is: fn(u128, u16) -> bool| move |row: &HeldRegisters| row.values().any(|(held, bits)| is(*held, *bits));
    CLASSES
        .iter()
        .find(|(_, is)| tells(fails, passes, any(*is)))
        .and_then(|(words, _)| said(format!("an input register is {words}")))
}
