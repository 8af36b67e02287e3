//! Witnesses: the simplest lines that have a combination of modifiers, enough of them for everywhere it is valid.

use super::availability::Availability;
use super::pairs::{Grid, ModulePair, PairSet};
use super::regions::{FormClasses, Modifier};
use crate::environment::AddressSize;
use crate::must::Must as _;
use crate::space::{Distance, EnvironmentValues, Region, Slice, Values, distance, environment, environment_values};
use crate::spec::{Cube, Form, Instruction, Isa, ValueSet};

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
    /// with 64 bits where PTX has them.
    pub(super) fn at(&self, pair: ModulePair, grid: &Grid, instruction: &Instruction) -> Values {
        let form = &instruction.forms[self.form];
        let wide = match self.valid.contains(pair) {
            true => self.valid_wide.contains(pair),
            false => grid.version(pair) >= AddressSize::SINCE,
        };
        let size = if wide { AddressSize::Bits64 } else { AddressSize::Bits32 };
        let mut values = self.values.clone();
        choices(form, grid, pair, size).give_to(&mut values);
        values
    }
}

/// The choices of an environment in a form.
fn choices(form: &Form, grid: &Grid, pair: ModulePair, address_size: AddressSize) -> EnvironmentValues {
    let environment =
        crate::environment::Environment { ptx: grid.version(pair), target: grid.target(pair), address_size };
    environment_values(form, &environment).must("the grid has versions and targets of the specification")
}

/// Looks for the lines that have a combination of modifiers.
pub(super) struct WitnessSearch<'a> {
    pub(super) isa: &'a Isa,
    pub(super) grid: &'a Grid,
    pub(super) forms: &'a [FormClasses<'a>],
    pub(super) modifiers: &'a [&'a Modifier],
}

impl WitnessSearch<'_> {
    /// The simplest lines: one in each of the smallest environments of the region, one in its newest, and further ones until
    /// each environment of the region has one that is valid there.
    pub(super) fn witnesses(&self, region: &PairSet) -> Vec<Witness> {
        let mut witnesses: Vec<Witness> = Vec::new();
        let mut left = region.clone();
        let newest = region.iter().max();
        for pair in Availability::smallest(self.grid, region).into_iter().chain(newest) {
            self.add(pair, &mut left, &mut witnesses);
        }
        while let Some(pair) = left.iter().min() {
            // The environment would stay without a line, and nobody would be asked about it.
            self.add(pair, &mut left, &mut witnesses).then_some(()).must("a feature has a line wherever it is valid");
        }
        witnesses
    }

    /// Adds a witness for an environment, unless there is one. Whether the environment has one now.
    fn add(&self, pair: ModulePair, left: &mut PairSet, witnesses: &mut Vec<Witness>) -> bool {
        if !left.contains(pair) {
            return true;
        }
        let simplest = self.forms.iter().filter_map(|form| self.simplest(form, pair)).min_by_key(|found| found.0);
        let Some((_, witness)) = simplest else { return false };
        *left = left.without(&witness.valid);
        let found = !left.contains(pair);
        witnesses.push(witness);
        found
    }

    /// The simplest line of a form in an environment.
    fn simplest(&self, form: &FormClasses<'_>, pair: ModulePair) -> Option<(Distance, Witness)> {
        let mut cube = Cube::default();
        for modifier in self.modifiers {
            if let Some((axis, value)) = modifier.in_form(form.form)? {
                cube = cube.with(axis, ValueSet::only(value));
            }
        }
        // The classes of the environment, by address size; that of 64 bits first.
        let (simplest, found) = [AddressSize::Bits64, AddressSize::Bits32].into_iter().find_map(|size| {
            let environment = choices(form.form, self.grid, pair, size);
            let class = form.classes.members().iter().position(|members| members.contains(&environment))?;
            let region = form.classes.region(class)?;
            let simplest = Slice::new(&region, &cube).simplest()?;
            let mut found = self.with_plain_operands(form.form, &region, &simplest);
            environment.give_to(&mut found);
            Some((distance(&simplest), found))
        })?;
        let (valid, valid_wide) = valid(form, &found, self.grid);
        Some((simplest, Witness { form: form.at, values: found, valid, valid_wide }))
    }

    /// The line with these modifiers whose operands are, as far as they may be, registers of the size of the instruction's
    /// type. A feature is about modifiers, and engines may treat numbers, sinks and wider registers specially.
    fn with_plain_operands(&self, form: &Form, region: &Region<'_>, values: &[u8]) -> Values {
        let slots = form.slots.iter().map(|slot| (slot.axis, ValueSet::only(values[slot.axis])));
        let mut cube = slots.fold(Cube::default(), |cube, (axis, value)| cube.with(axis, value));
        let mut plain = values.to_vec();
        for operand in &form.operands {
            let Some(axis) = operand.of_type else { continue };
            let bits = operand.type_by(self.isa, form, values).map(|of| of.bits);
            let register = |value: usize| self.isa.register_type(&form.axes[axis].values[value]);
            let of_size =
                |value: usize| register(value).is_some_and(|register| bits.is_none_or(|of| of == register.bits));
            let any = |value: usize| register(value).is_some();
            let sets =
                [ValueSet::of(form.axes[axis].values.len(), of_size), ValueSet::of(form.axes[axis].values.len(), any)];
            let narrowed = sets.into_iter().find_map(|set| {
                let narrower = cube.clone().with(axis, set);
                let found = Slice::new(region, &narrower).simplest()?;
                Some((narrower, found))
            });
            (cube, plain) = narrowed.unwrap_or((cube, plain));
        }
        plain
    }
}

/// Where a variant is valid with all its other choices: in any address size, and with 64 bits.
fn valid(form: &FormClasses<'_>, values: &[u8], grid: &Grid) -> (PairSet, PairSet) {
    let (mut any, mut wide) = (grid.none(), grid.none());
    let bits64 = form.form.axes[EnvironmentValues::ADDRESS_SIZE].position(&AddressSize::Bits64.to_string());
    for class in form.classes.holding(values) {
        for member in &form.classes.members()[class] {
            let of = environment(form.form, member);
            let Some(pair) = grid.pair(of.ptx, of.target) else { continue };
            any.insert(pair);
            if Some(member[EnvironmentValues::ADDRESS_SIZE]) == bits64 {
                wide.insert(pair);
            }
        }
    }
    (any, wide)
}
