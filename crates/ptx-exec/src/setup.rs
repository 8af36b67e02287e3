//! How variants are set up to be executed: what surfaces and variables hold, and rows of inputs.
//!
//! Everything about a setup is a choice, as everything about a variant is, so the two together are a
//! space: [`executed`] puts the axes of the setup after those of the variant. A choice names what is
//! interesting (the last place of a row, the first one after it), and [`execution`] makes numbers
//! of it. What an operand needs follows from its role: one file for each.

mod address;
mod contents;
mod effect;
mod point;
mod registers;
mod rules;
mod source;
mod surface;

use std::collections::BTreeSet;

use crate::execution::{Execution, Holds, Input, Rows, SURFACE, Space, Variable};
use ptx_spec::ptx::{Declarations, Item, Line, Printer, scaffold};
use ptx_spec::role::setup::{ADDRESS, CONTENTS, EFFECT, LAYER, PREDICATE, SAMPLE, SetupWords, X, Y, Z};
use ptx_spec::space::{Values, environment};
use ptx_spec::spec::{Form, Instruction, Role, SetupAxis, Spec};

use point::Point;
use registers::{Feed, Registers};

/// A text of our own that cannot be read, or choices that are not a setup: a bug of this tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoSetup(String);

impl NoSetup {
    /// An execution of our own that the model cannot read.
    pub fn of(execution: &Execution, why: &impl std::fmt::Display) -> Self {
        Self(format!("`{}`: {why}", execution.line))
    }
}

/// How many samples of the numbers of a kind there are.
const SAMPLES: u64 = 64;
/// The bytes of a variable.
const LENGTH: u32 = 64;

/// Whether an axis says what numbers there are, and not where. These stand last.
fn is_number(axis: &str) -> bool {
    [CONTENTS.0, SAMPLE.0].contains(&axis) || source::is_data(axis)
}

/// Whether the rows of one execution may differ in an axis; the others are of all of them.
fn is_of_row(axis: &str) -> bool {
    [EFFECT, X, Y, Z, LAYER, ADDRESS, PREDICATE, SAMPLE].iter().any(|(name, _)| *name == axis) || source::is_data(axis)
}

/// An axis with these words.
fn words((name, values): SetupWords) -> SetupAxis {
    (name.to_owned(), values.iter().map(|&value| value.to_owned()).collect())
}

/// An instruction with the setups that its variants can be executed in.
pub fn executed(spec: &Spec, instruction: &Instruction) -> Instruction {
    instruction.with_setup(&spec.isa, axes, |form| rules::never(&spec.isa, form))
}

/// As [`executed`], without the axes that say what numbers there are, which stand last.
pub fn without_numbers(spec: &Spec, instruction: &Instruction) -> Instruction {
    let points = |form: &Form| axes(form).into_iter().filter(|(name, _)| !is_number(name)).collect();
    instruction.with_setup(&spec.isa, points, |form| rules::never(&spec.isa, form))
}

/// The number of axes of an executed form that say what numbers there are.
pub fn numbers(form: &Form) -> usize {
    form.axes.iter().filter(|axis| is_number(&axis.name)).count()
}

/// What all rows of an execution have in common: the choices of an executed form that are not of a row.
pub fn common(form: &Form, values: &[u8]) -> Values {
    let of_rows = |axis: usize| is_of_row(&form.axes[axis].name);
    values.iter().enumerate().map(|(axis, &value)| if of_rows(axis) { 0 } else { value }).collect()
}

/// The first axis of an executed form that is of a row.
pub fn first_of_row(form: &Form) -> usize {
    form.axes.iter().position(|axis| is_of_row(&axis.name)).unwrap_or(form.axes.len())
}

/// Gives a row the contents of another, so that the two can be of one execution.
pub fn share_contents(form: &Form, from: &[u8], to: &mut [u8]) {
    if let Some(axis) = form.axis(CONTENTS.0) {
        to[axis] = from[axis];
    }
}

/// The axes of a setup: what is the same in all rows, what each row has, and last the numbers.
fn axes(form: &Form) -> Vec<SetupAxis> {
    let mut axes = surface::axes(form);
    axes.extend(address::axes(form));
    axes.push(effect::axis(form));
    axes.extend(surface::row_axes(form));
    axes.extend(address::row_axes(form));
    axes.push(words(PREDICATE));
    if address::of(form).is_some() || surface::coordinates(form).is_some() {
        axes.push(words(CONTENTS));
    }
    axes.extend(source::row_axes(form));
    axes.push((SAMPLE.0.to_owned(), (0..SAMPLES).map(|sample| sample.to_string()).collect()));
    axes
}

/// The execution of variants that have all but the axes of rows in common: a row for each.
///
/// # Errors
/// Where the choices are of another form.
pub fn execution(spec: &Spec, form: &Form, rows: &[&[u8]]) -> Result<Execution, NoSetup> {
    let error = |words: String| NoSetup(format!("{}: {words}", form.id));
    let first = *rows.first().ok_or_else(|| error("no rows".to_owned()))?;
    let point = Point { isa: &spec.isa, form, values: first };
    let environment = environment(form, first).ok_or_else(|| error(format!("no such choices: {first:?}")))?;
    let printer = Printer::new(form);
    let mut items: BTreeSet<Item<'_>> = BTreeSet::new();
    let mut text = String::with_capacity(80);
    printer.line(first, &mut text, |item| {
        items.insert(item);
    });
    let base = address::variable(&point);
    items.extend(base.map(Item::Variable));
    let declarations = scaffold(items, printer.context(first)).declarations();
    let symbols = Declarations::parse(&declarations, &spec.isa).map_err(|why| error(why.to_string()))?;
    let line = Line::parse(&text).map_err(|why| error(format!("{text}: {why}")))?;
    let registers = Registers::of(&spec.isa, form, &line, &symbols);
    let variable = |base: &str| Variable {
        name: Item::Variable(base).name(),
        space: Space::of_base(base),
        data: contents::bytes(point.value(CONTENTS.0), LENGTH as usize),
    };
    let variables: Vec<Variable> = base.map(variable).into_iter().collect();
    let written = |&at: &usize| match form.operands[at].role {
        Role::Surface { .. } => Some(SURFACE.to_owned()),
        _ => base.map(|base| Item::Variable(base).name()),
    };
    let written = form.writes.iter().filter_map(written).collect();
    let input = |(register, bits, feed): &(String, u16, Feed)| {
        let holds = match feed {
            Feed::Object => Holds::Surface,
            Feed::Policy => Holds::Policy,
            Feed::Address => {
                let of = variables.first().map(|variable| variable.name.clone()).unwrap_or_default();
                Holds::Address { of, generic: address::generic(&point) }
            }
            _ => Holds::Bits,
        };
        Input { register: register.clone(), bits: *bits, holds }
    };
    let mut execution = Execution {
        ptx: environment.ptx,
        target: environment.target,
        declarations,
        line: text,
        surface: surface::surface(&point)?,
        inputs: registers.inputs.iter().map(input).collect(),
        outputs: registers.outputs,
        writes: Some(written),
        rows: Rows::new(registers.inputs.len()),
        alone: Vec::new(),
        variables,
    };
    let mut row = Vec::with_capacity(registers.inputs.len());
    for values in rows {
        let point = Point { values, ..point };
        row.clear();
        row.extend(
            registers.inputs.iter().map(|(_, bits, feed)| feed.value(&point, *bits, execution.surface.as_ref())),
        );
        execution.rows.push(&row);
    }
    Ok(execution)
}
