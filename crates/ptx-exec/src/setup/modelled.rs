//! Choices of modifiers for which a row has no semantics: the model lacks them, or they need the carry of another line.

use std::collections::BTreeSet;

use ptx_spec::must::Must as _;
use ptx_spec::spec::Choice;
use rustc_hash::FxHashSet;

use super::forbidden::{ChosenValues, Forbidden};
use crate::semantics::{self, computation};

/// One value on each of some axes.
type ChosenModifiers = Vec<(usize, u8)>;

/// Forbids these choices in an instruction that only computes: single values, pairs of them, and what is left.
pub(super) fn never(forbidden: &mut Forbidden<'_>) {
    let form = forbidden.form;
    if !semantics::opcodes().any(|opcode| opcode == form.opcode()) {
        return;
    }
    let lacks = |values: &[u8]| match computation(forbidden.isa, form, values, None) {
        Some(Ok(computation)) => computation.reads_carry(),
        Some(Err(_)) => true,
        None => false,
    };
    let first = |axis: usize| form.axes[axis].claimed.iter().next().must("each axis has a value that is claimed");
    let mut values: Vec<u8> = (0..form.axes.len()).map(first).collect();
    let axes = (0..form.axes.len()).filter(|&axis| {
        matches!(form.axes[axis].choice, Choice::Modifier | Choice::Shape(_))
            && form.axes[axis].claimed.iter().count() > 1
    });
    let axes: Vec<usize> = axes.collect();
    let mut combinations: Vec<ChosenModifiers> = vec![Vec::new()];
    for &axis in &axes {
        let with = |combination: ChosenModifiers| {
            form.axes[axis].claimed.iter().map(move |value| [combination.as_slice(), &[(axis, value)]].concat())
        };
        combinations = combinations.into_iter().flat_map(with).collect();
    }
    let (mut lacking, modelled): (Vec<ChosenModifiers>, Vec<ChosenModifiers>) =
        combinations.into_iter().partition(|combination| {
            combination.iter().for_each(|&(axis, value)| values[axis] = value);
            lacks(&values)
        });
    if modelled.is_empty() {
        // All values of an axis that every form has.
        let all = forbidden.of(form.axis_of(Choice::Guard), |_| true);
        forbidden.never([all]);
        return;
    }
    for size in [1, 2, axes.len()] {
        let known: FxHashSet<ChosenModifiers> = modelled.iter().flat_map(|of| parts(of, size)).collect();
        let lacks_alone = |of: &ChosenModifiers| parts(of, size).into_iter().find(|part| !known.contains(part));
        let (alone, rest): (Vec<ChosenModifiers>, Vec<ChosenModifiers>) =
            lacking.into_iter().partition(|of| lacks_alone(of).is_some());
        let found: BTreeSet<ChosenModifiers> = alone.iter().filter_map(lacks_alone).collect();
        for part in &found {
            let one = |&(axis, value): &(usize, u8)| {
                forbidden.of(Some(axis), |word| form.axes[axis].position(word) == Some(value))
            };
            let sets: Vec<Option<ChosenValues>> = part.iter().map(one).collect();
            forbidden.never(sets);
        }
        lacking = rest;
    }
}

/// The parts of a combination with this many choices: one, two, or all.
fn parts(combination: &ChosenModifiers, size: usize) -> Vec<ChosenModifiers> {
    match size {
        1 => combination.iter().map(|&choice| vec![choice]).collect(),
        2 => (1..combination.len()).flat_map(|b| (0..b).map(move |a| vec![combination[a], combination[b]])).collect(),
        _ => vec![combination.clone()],
    }
}
