//! Choices of a line for which a row has no semantics: the model lacks them, or they need the carry of another line.

use std::collections::BTreeSet;

use ptx_spec::must::Must as _;
use ptx_spec::spec::{Choice, Form, Isa, Role};
use rustc_hash::FxHashSet;

use super::forbidden::{ChosenValues, Forbidden};
use crate::semantics::{self, READS_CARRY, computation};

/// One value on each of some axes.
type ChosenModifiers = Vec<(usize, u8)>;

/// All combinations of values of some axes, by whether there are semantics for them.
struct TriedChoices {
    modelled: Vec<ChosenModifiers>,
    lacking: Vec<ChosenModifiers>,
}

/// The choices of a form that only computes, tried on the table of semantics.
struct TriedForm {
    /// The choices of modifiers and shapes.
    modifiers: TriedChoices,
    /// The modifiers that have semantics, with each type that a destination may have: for each destination.
    destinations: Vec<TriedChoices>,
    /// The reasons why some have no semantics.
    reasons: BTreeSet<String>,
}

impl TriedForm {
    /// Tries all choices of a form; none if the instruction does more than compute.
    fn of(isa: &Isa, form: &Form) -> Option<Self> {
        if !semantics::opcodes().any(|opcode| opcode == form.opcode()) {
            return None;
        }
        let mut reasons = BTreeSet::new();
        let (modifiers, types): (Vec<usize>, Vec<usize>) = (0..form.axes.len())
            .filter(|&axis| form.axes[axis].claimed.iter().count() > 1)
            .filter(|&axis| match form.axes[axis].choice {
                Choice::Modifier | Choice::Shape(_) => true,
                Choice::Type(operand) => form.operands[operand].role == Role::Destination,
                _ => false,
            })
            .partition(|&axis| !matches!(form.axes[axis].choice, Choice::Type(_)));
        let mut combinations: Vec<ChosenModifiers> = vec![Vec::new()];
        for axis in modifiers {
            combinations = with_each(form, &combinations, axis);
        }
        let modifiers = TriedChoices::of(isa, form, combinations, &mut reasons);
        let of_type = |axis| TriedChoices::of(isa, form, with_each(form, &modifiers.modelled, axis), &mut reasons);
        let destinations = types.into_iter().map(of_type).collect();
        Some(Self { modifiers, destinations, reasons })
    }
}

/// Combinations with each value of one more axis.
fn with_each(form: &Form, combinations: &[ChosenModifiers], axis: usize) -> Vec<ChosenModifiers> {
    let values: Vec<u8> = form.axes[axis].claimed.iter().collect();
    let with = |of: &ChosenModifiers, value: &u8| [of.as_slice(), &[(axis, *value)]].concat();
    combinations.iter().flat_map(|of| values.iter().map(move |value| with(of, value))).collect()
}

impl TriedChoices {
    fn of(isa: &Isa, form: &Form, combinations: Vec<ChosenModifiers>, reasons: &mut BTreeSet<String>) -> Self {
        let first = |axis: usize| form.axes[axis].claimed.iter().next().must("each axis has a value that is claimed");
        let mut values: Vec<u8> = (0..form.axes.len()).map(first).collect();
        let (lacking, modelled) = combinations.into_iter().partition(|combination| {
            combination.iter().for_each(|&(axis, value)| values[axis] = value);
            let why = match computation(isa, form, &values, None) {
                Some(Ok(computation)) => computation.reads_carry().then(|| READS_CARRY.to_owned()),
                Some(Err(why)) => Some(why.to_string()),
                None => None,
            };
            let lacks = why.is_some();
            reasons.extend(why);
            lacks
        });
        Self { modelled, lacking }
    }

    /// Forbids what is lacking: single values, pairs of them, and what is left.
    fn forbid(self, forbidden: &mut Forbidden<'_>) {
        let form = forbidden.form;
        let mut lacking = self.lacking;
        let all = lacking.first().map_or(0, Vec::len);
        for size in [1, 2, all] {
            let known: FxHashSet<ChosenModifiers> = self.modelled.iter().flat_map(|of| parts(of, size)).collect();
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
            if lacking.is_empty() {
                return;
            }
        }
    }
}

/// The reasons why some lines of a form that only computes are never executed: there are no semantics for them.
pub(super) fn reasons(isa: &Isa, form: &Form) -> BTreeSet<String> {
    TriedForm::of(isa, form).map(|tried| tried.reasons).unwrap_or_default()
}

/// Forbids the choices without semantics in an instruction that only computes.
pub(super) fn never(forbidden: &mut Forbidden<'_>) {
    let Some(tried) = TriedForm::of(forbidden.isa, forbidden.form) else { return };
    if tried.modifiers.modelled.is_empty() {
        // All values of an axis that every form has.
        let all = forbidden.of(forbidden.form.axis_of(Choice::Guard), |_| true);
        forbidden.never([all]);
        return;
    }
    tried.modifiers.forbid(forbidden);
    tried.destinations.into_iter().for_each(|of| of.forbid(forbidden));
}

/// The parts of a combination with this many choices: one, two, or all.
fn parts(combination: &ChosenModifiers, size: usize) -> Vec<ChosenModifiers> {
    match size {
        1 => combination.iter().map(|&choice| vec![choice]).collect(),
        2 => (1..combination.len()).flat_map(|b| (0..b).map(move |a| vec![combination[a], combination[b]])).collect(),
        _ => vec![combination.clone()],
    }
}
