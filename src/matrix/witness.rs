//! Witnesses: the simplest lines that have a combination of modifiers, enough of them for everywhere it is valid.

use super::availability::Availability;
use super::pairs::{Grid, ModulePair, PairSet};
use super::regions::{FormClasses, Modifier};
use crate::environment::AddressSize;
use crate::space::{Distance, Slice, Values, distance, environment_values};
use crate::spec::{Cube, Form, Instruction, ValueSet};

/// A line, and where the specification says that it is valid.
#[derive(Clone, Debug)]
pub(super) struct Witness {
    /// The position of the form.
    pub(super) form: usize,
    /// Its choices, in an environment in which it is valid.
    pub(super) values: Values,
    /// Where it is valid, in either address size.
    pub(super) valid: PairSet,
    /// Where it is valid with addresses of 64 bits.
    valid_wide: PairSet,
}

impl Witness {
    /// Its choices in another environment: in an address size in which it is valid there, if there is one, and otherwise
    /// with 64 bits where PTX has them. `None` if the form does not know the environment.
    pub(super) fn at(&self, pair: ModulePair, grid: &Grid, instruction: &Instruction) -> Option<Values> {
        let form = instruction.forms.get(self.form)?;
        let wide = match self.valid.contains(pair) {
            true => self.valid_wide.contains(pair),
            false => grid.version(pair) >= AddressSize::SINCE,
        };
        let size = if wide { AddressSize::Bits64 } else { AddressSize::Bits32 };
        let mut values = self.values.clone();
        values.get_mut(..3)?.copy_from_slice(&choices(form, grid, pair, size)?);
        Some(values)
    }
}

/// The choices of an environment in a form.
fn choices(form: &Form, grid: &Grid, pair: ModulePair, address_size: AddressSize) -> Option<[u8; 3]> {
    let environment =
        crate::environment::Environment { ptx: grid.version(pair), target: grid.target(pair), address_size };
    environment_values(form, &environment)
}

/// The simplest lines with these modifiers: one in each of the smallest environments of their region, one in its newest, and
/// further ones until each environment of the region has one that is valid there.
pub(super) fn witnesses(
    forms: &[FormClasses<'_>],
    modifiers: &[&Modifier],
    region: &PairSet,
    grid: &Grid,
) -> Vec<Witness> {
    let mut witnesses: Vec<Witness> = Vec::new();
    let mut left = region.clone();
    let newest = region.iter().max();
    for pair in Availability::smallest(grid, region).into_iter().chain(newest) {
        add(forms, modifiers, pair, grid, &mut left, &mut witnesses);
    }
    while let Some(pair) = left.iter().min() {
        if !add(forms, modifiers, pair, grid, &mut left, &mut witnesses) {
            break;
        }
    }
    witnesses
}

/// Adds a witness for an environment, unless there is one. Whether the environment has one now.
fn add(
    forms: &[FormClasses<'_>],
    modifiers: &[&Modifier],
    pair: ModulePair,
    grid: &Grid,
    left: &mut PairSet,
    witnesses: &mut Vec<Witness>,
) -> bool {
    if !left.contains(pair) {
        return true;
    }
    let simplest = forms.iter().filter_map(|form| simplest(form, modifiers, pair, grid)).min_by_key(|found| found.0);
    let Some((_, witness)) = simplest else { return false };
    *left = left.without(&witness.valid);
    let found = !left.contains(pair);
    witnesses.push(witness);
    found
}

/// The simplest line of a form with these modifiers in an environment.
fn simplest(
    form: &FormClasses<'_>,
    modifiers: &[&Modifier],
    pair: ModulePair,
    grid: &Grid,
) -> Option<(Distance, Witness)> {
    let mut cube = Cube::default();
    for modifier in modifiers {
        if let Some((axis, value)) = modifier.in_form(form.form)? {
            cube = cube.with(axis, ValueSet::of(usize::from(value) + 1, |other| other == usize::from(value)));
        }
    }
    // The classes of the environment, by address size; that of 64 bits first.
    let found = [AddressSize::Bits64, AddressSize::Bits32].into_iter().find_map(|size| {
        let environment = choices(form.form, grid, pair, size)?;
        let class = form.classes.members().iter().position(|members| members.contains(&environment))?;
        let mut values = Slice::new(&form.classes.region(class)?, &cube).simplest()?;
        values.get_mut(..3)?.copy_from_slice(&environment);
        Some(values)
    })?;
    let (valid, valid_wide) = valid(form, &found, grid);
    Some((distance(&found), Witness { form: form.at, values: found, valid, valid_wide }))
}

/// Where a variant is valid with all its other choices: in any address size, and with 64 bits.
fn valid(form: &FormClasses<'_>, values: &[u8], grid: &Grid) -> (PairSet, PairSet) {
    let (mut any, mut wide) = (grid.none(), grid.none());
    let bits64 = form.form.axes[0].position(&AddressSize::Bits64.to_string());
    for class in form.classes.holding(values) {
        for member in &form.classes.members()[class] {
            let Some(of) = crate::space::environment(form.form, member) else { continue };
            let Some(pair) = grid.pair(of.ptx, of.target) else { continue };
            any.insert(pair);
            if Some(member[0]) == bits64 {
                wide.insert(pair);
            }
        }
    }
    (any, wide)
}
