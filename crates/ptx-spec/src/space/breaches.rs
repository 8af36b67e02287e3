//! Which rules can be broken on purpose, and the valid twins of variants that break one.

use super::Values;
use crate::spec::{Cube, Form};

/// The rules of a form that variants are made to break: its constraints and needs.
pub fn breakable(form: &Form) -> impl Iterator<Item = usize> + '_ {
    form.rules.iter().enumerate().filter(|(_, rule)| rule.kind.breakable()).map(|(at, _)| at)
}

/// A valid variant that differs in one choice from a variant that breaks one rule. `None` if no single
/// change makes it valid.
///
/// If there are several, the result changes the last possible axis to its first possible value, so the
/// environment changes only if nothing else helps. Only variants for which `fits` holds are considered.
pub fn twin(form: &Form, values: &[u8], broken: usize, fits: impl Fn(&[u8]) -> bool) -> Option<Values> {
    let mut twin = values.to_vec();
    let named = |axis: &usize| {
        let cubes = form.rules[broken].forbids.iter().filter(|cube| cube.contains(values));
        cubes.flat_map(Cube::sets).any(|(named, _)| named == axis)
    };
    for axis in (0..form.axes.len()).rev().filter(named) {
        for value in (0..=u8::MAX).take(form.axes[axis].values.len()) {
            twin[axis] = value;
            if twin[axis] != values[axis] && form.broken(&twin).is_empty() && fits(&twin) {
                return Some(twin);
            }
        }
        twin[axis] = values[axis];
    }
    None
}
