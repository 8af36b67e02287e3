//! Setups: the contents of surfaces and variables, and rows of inputs, with which variants are executed.
//!
//! Everything about a setup is a choice, as everything about a variant is, so the two together are a
//! space: [`executed`] puts the axes of the setup after those of the variant. A choice names what is
//! interesting (the last place of a row, the first one after it), and [`line_case()`] makes numbers
//! of it. What an operand needs follows from its role: one file for each.

mod address;
mod contents;
mod effect;
mod error;
mod floats;
mod forbidden;
mod line_case;
mod modelled;
mod point;
mod registers;
mod source;
mod surface;
mod ties;

use std::collections::BTreeSet;

use ptx_spec::role::setup::{self, ADDRESS, CONTENTS, EFFECT, LAYER, PREDICATE, SAMPLE, X, Y, Z};
use ptx_spec::space::Values;
use ptx_spec::spec::words::NONE;
use ptx_spec::spec::{Choice, Cube, Form, Instruction, Isa, SetupAxis, Spec};

pub use error::NoSetup;
pub use floats::float_number;
use forbidden::Forbidden;
pub use line_case::line_case;

/// The number of samples for each kind of numbers.
const SAMPLES: u64 = 256;

/// True if an axis chooses numbers and not positions. These axes come last.
fn is_number(axis: &str) -> bool {
    [CONTENTS.0, SAMPLE.0].contains(&axis) || source::is_data(axis)
}

/// True if the rows of one case may differ in an axis; all rows share the choices on the others.
fn is_of_row(axis: &str) -> bool {
    [EFFECT, X, Y, Z, LAYER, ADDRESS, PREDICATE, SAMPLE].iter().any(|(name, _)| *name == axis) || source::is_data(axis)
}

/// An instruction with the setups that its variants can be executed in.
pub fn executed(spec: &Spec, instruction: &Instruction) -> Instruction {
    instruction.with_setup(&spec.isa, axes, |form| never(&spec.isa, form))
}

/// The instruction with the axes of setups alone: enough to resolve conditions on rows.
pub fn with_axes(instruction: &Instruction) -> Instruction {
    instruction.with_setup_axes(axes)
}

/// As [`executed`], without the axes of numbers, which come last.
pub fn without_numbers(spec: &Spec, instruction: &Instruction) -> Instruction {
    let points = |form: &Form| axes(form).into_iter().filter(|(name, _)| !is_number(name)).collect();
    instruction.with_setup(&spec.isa, points, |form| never(&spec.isa, form))
}

/// The number of axes of an executed form that choose numbers.
pub fn numbers(form: &Form) -> usize {
    form.axes.iter().filter(|axis| is_number(&axis.name)).count()
}

/// The choices of an executed form that all rows of a line case have in common.
pub fn common(form: &Form, values: &[u8]) -> Values {
    let of_rows = |axis: usize| is_of_row(&form.axes[axis].name);
    values.iter().enumerate().map(|(axis, &value)| if of_rows(axis) { 0 } else { value }).collect()
}

/// The first axis of an executed form in which rows may differ; the number of axes if they may in none.
pub fn first_of_row(form: &Form) -> usize {
    form.axes.iter().position(|axis| is_of_row(&axis.name)).unwrap_or(form.axes.len())
}

/// Gives a row the contents of another, so that the two can be of one case.
pub fn share_contents(form: &Form, from: &[u8], to: &mut [u8]) {
    if let Some(axis) = form.axis(CONTENTS.0) {
        to[axis] = from[axis];
    }
}

/// Gives all sources of a row numbers of the kind of the first one; where a source is no register, that is no row of the form.
pub fn share_kind(form: &Form, row: &mut [u8]) {
    let data: Vec<usize> = data_axes(form).collect();
    if let [first, others @ ..] = &data[..] {
        others.iter().for_each(|axis| row[*axis] = row[*first]);
    }
}

/// A row that has the same numbers: the sample does not matter where each source has a kind of one number, and nothing else has a
/// sample.
pub fn of_its_numbers(form: &Form, row: &[u8]) -> Values {
    let mut same = row.to_vec();
    let is_one = |axis: usize| source::is_one_number(form.value(row, axis));
    let has_places = address::of(form).is_some() || surface::coordinates(form).is_some();
    if let Some(sample) = form.axis(SAMPLE.0).filter(|_| !has_places && data_axes(form).all(is_one)) {
        same[sample] = 0;
    }
    same
}

/// The axes of what sources hold.
fn data_axes(form: &Form) -> impl Iterator<Item = usize> {
    (0..form.axes.len()).filter(|&axis| source::is_data(&form.axes[axis].name))
}

/// The reasons why some lines of a form are never executed, though its instruction is: those of the table of semantics.
pub fn without_semantics(isa: &Isa, form: &Form) -> BTreeSet<String> {
    modelled::reasons(isa, form)
}

/// The axes of a setup: first those common to all rows, then those of each row, and last the numbers.
fn axes(form: &Form) -> Vec<SetupAxis> {
    let mut axes = surface::axes(form);
    axes.extend(address::axes(form));
    axes.push(effect::axis(form));
    axes.extend(surface::row_axes(form));
    axes.extend(address::row_axes(form));
    axes.push(setup::axis(PREDICATE));
    if address::of(form).is_some() || surface::coordinates(form).is_some() {
        axes.push(setup::axis(CONTENTS));
    }
    axes.extend(source::row_axes(form));
    axes.push((SAMPLE.0.to_owned(), (0..SAMPLES).map(|sample| sample.to_string()).collect()));
    axes
}

/// The combinations of choices that are never executed: what does not apply or exist, and what the YAML
/// excludes.
fn never(isa: &Isa, form: &Form) -> Vec<Cube> {
    let mut forbidden = Forbidden::new(isa, form);
    let unguarded = forbidden.of(form.axis_of(Choice::Guard), |guard| !guard.starts_with('@'));
    forbidden.idle(unguarded, PREDICATE.0);
    // A kernel has no options of `.target`.
    let with_options = forbidden.of(form.axis_of(Choice::Mode), |mode| mode != NONE);
    forbidden.never([with_options]);
    modelled::never(&mut forbidden);
    surface::never(&mut forbidden);
    source::never(&mut forbidden);
    address::never(&mut forbidden);
    effect::never(&mut forbidden);
    forbidden.with_excluded()
}
