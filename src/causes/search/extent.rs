//! Where a cause happens: in which PTX versions, for which targets and address sizes.
//!
//! A cause was found in one environment. A few of its variants are asked about in others, along each of the
//! three axes of the environment with the other two unchanged. If the result is the same at both ends and
//! between, it is assumed to be the same everywhere; otherwise the border is searched.

use std::collections::{BTreeMap, BTreeSet};

use super::exact::Seen;
use crate::environment::{Suffix, Target};
use crate::must::Must as _;
use crate::space::{EnvironmentValues, Values};
use crate::spec::{Cube, Form, ValueSet};

/// The number of variants of a cause to try in other environments.
const WITNESSES: usize = 3;
/// The number of values of an axis to try first.
const FIRST: usize = 4;
const TARGET: usize = EnvironmentValues::TARGET;
const PTX: usize = EnvironmentValues::PTX;

/// One cause, and where it is known to happen.
pub(crate) struct Extent<'s> {
    form: &'s Form,
    found_in: EnvironmentValues,
    witnesses: Vec<Values>,
    /// For each axis, the values for which the engine can be asked and the claim is the same, in the order
    /// for finding borders.
    candidates: [Vec<u8>; EnvironmentValues::AXES],
    /// For each axis, the result at a value.
    seen: [BTreeMap<u8, Seen>; EnvironmentValues::AXES],
}

impl<'s> Extent<'s> {
    /// The extent of a cause for which these variants fail; `fits` says whether a variant can be asked
    /// about with the same claim.
    pub(crate) fn new(form: &'s Form, fails: &[Values], fits: impl Fn(&[u8]) -> bool) -> Option<Self> {
        let first = fails.first()?;
        let found_in = EnvironmentValues::of(first);
        // The simplest, and others far from it in the list.
        let picked: BTreeSet<usize> = (0..WITNESSES).map(|at| at * (fails.len() - 1) / (WITNESSES - 1)).collect();
        let witnesses: Vec<Values> = picked.into_iter().map(|at| fails[at].clone()).collect();
        let candidates = EnvironmentValues::EACH.map(|axis| {
            let fits = |value: &u8| witnesses.iter().any(|witness| fits(&at(witness, axis, *value)));
            let mut values: Vec<u8> = (0..=u8::MAX).take(form.axes[axis].values.len()).filter(fits).collect();
            if axis == TARGET {
                // Plain targets in their order, then the others.
                let order = |of: Target| (of.suffix != Suffix::Plain, of.suffix, of.sm);
                values.sort_by_key(|value| order(target(form, *value)));
            }
            values
        });
        let mut seen = [const { BTreeMap::new() }; EnvironmentValues::AXES];
        for (seen, value) in seen.iter_mut().zip(&*found_in) {
            seen.insert(*value, Seen::Fails);
        }
        Some(Self { form, found_in, witnesses, candidates, seen })
    }

    /// The values of each axis to ask about next; none if everything needed is known.
    pub(crate) fn questions(&self) -> Vec<(usize, u8)> {
        let along = |axis: usize| self.along(axis).into_iter().map(move |value| (axis, value));
        EnvironmentValues::EACH.into_iter().flat_map(along).collect()
    }

    fn along(&self, axis: usize) -> Vec<u8> {
        let (values, seen) = (&self.candidates[axis], &self.seen[axis]);
        if values.is_empty() {
            return Vec::new();
        }
        if seen.len() <= 1 {
            let last = values.len().saturating_sub(1);
            let mut first: BTreeSet<usize> = (0..FIRST).map(|at| at * last / (FIRST - 1)).collect();
            if axis == TARGET {
                // The borders between plain targets and others.
                let suffix = |at: usize| target(self.form, values[at]).suffix;
                first.extend((1..values.len()).filter(|&at| suffix(at) != suffix(at - 1)));
            }
            return first.into_iter().map(|at| values[at]).filter(|value| !seen.contains_key(value)).collect();
        }
        if seen.values().all(|seen| *seen != Seen::Passes) {
            return Vec::new();
        }
        // Targets have no order that a cause must follow: if they differ, each is asked about.
        if axis == TARGET {
            return values.iter().copied().filter(|value| !seen.contains_key(value)).collect();
        }
        let known: Vec<usize> = (0..values.len()).filter(|&at| seen.contains_key(&values[at])).collect();
        let between = |pair: &[usize]| {
            let differs = seen[&values[pair[0]]] != seen[&values[pair[1]]];
            (differs && pair[1] - pair[0] > 1).then(|| values[usize::midpoint(pair[0], pair[1])])
        };
        known.windows(2).filter_map(between).collect()
    }

    /// The witnesses with this value on an axis.
    pub(crate) fn elsewhere(&self, axis: usize, value: u8) -> impl Iterator<Item = Values> + '_ {
        self.witnesses.iter().map(move |witness| at(witness, axis, value))
    }

    /// Records the results of all witnesses at a value of an axis: one that fails shows the cause.
    pub(crate) fn tell(&mut self, axis: usize, value: u8, all: &[Seen]) {
        let seen = [Seen::Fails, Seen::Passes].into_iter().find(|seen| all.contains(seen)).unwrap_or(Seen::Masked);
        self.seen[axis].insert(value, seen);
    }

    /// For each axis, the values for which it can happen.
    pub(crate) fn possible(&self) -> [ValueSet; EnvironmentValues::AXES] {
        EnvironmentValues::EACH.map(|axis| {
            let values = &self.candidates[axis];
            let possible =
                |at: usize| u8::try_from(at).is_ok_and(|at| at == self.found_in[axis] || values.contains(&at));
            ValueSet::of(self.form.axes[axis].values.len(), possible)
        })
    }

    /// The environments in which it happens, as a cube of the axes that matter.
    pub(crate) fn cube(&self) -> Cube {
        let matters = |axis: &&usize| self.seen[**axis].values().any(|seen| *seen == Seen::Passes);
        Cube::new(EnvironmentValues::EACH.iter().filter(matters).map(|&axis| (axis, self.failing(axis))))
    }

    /// The same cause for the oldest plain target that shows it, to try PTX versions there: with the
    /// original target the claim may differ in old versions. `None` if that is the original target.
    pub(crate) fn oldest(&self, fits: impl Fn(&[u8]) -> bool) -> Option<Self> {
        let plain = |value: u8| target(self.form, value).suffix == Suffix::Plain;
        let shows = |value: &&u8| plain(**value) && self.failing(TARGET).contains(**value);
        let oldest = *self.candidates[TARGET].iter().find(shows)?;
        let moved: Vec<Values> = self.witnesses.iter().map(|values| at(values, TARGET, oldest)).collect();
        let mut there = Self::new(self.form, &moved, fits).filter(|_| oldest != self.found_in[TARGET])?;
        there.candidates[EnvironmentValues::ADDRESS_SIZE].clear();
        there.candidates[TARGET].clear();
        Some(there)
    }

    /// Adopts the results along PTX versions for an older target.
    pub(crate) fn take(&mut self, older: &Self) {
        for (value, seen) in &older.seen[PTX] {
            self.seen[PTX].entry(*value).or_insert(*seen);
        }
        self.candidates[PTX].extend(&older.candidates[PTX]);
        self.candidates[PTX].sort_unstable();
        self.candidates[PTX].dedup();
    }

    /// The values for which it happens; a value that was not asked about counts like the nearest one before
    /// it.
    fn failing(&self, axis: usize) -> ValueSet {
        let mut last = Seen::Passes;
        let mut failing = BTreeSet::from([self.found_in[axis]]);
        let known = |value: &u8| self.seen[axis].get(value).copied().filter(|seen| *seen != Seen::Masked);
        for value in &self.candidates[axis] {
            last = known(value).unwrap_or(last);
            if last == Seen::Fails {
                failing.insert(*value);
            }
        }
        ValueSet::of(self.form.axes[axis].values.len(), |at| u8::try_from(at).is_ok_and(|at| failing.contains(&at)))
    }
}

/// A target, by its choice.
fn target(form: &Form, value: u8) -> Target {
    form.axes[TARGET].values[usize::from(value)].parse().must("the values of the axis were made from targets")
}

fn at(values: &[u8], axis: usize, value: u8) -> Values {
    let mut values = values.to_vec();
    values[axis] = value;
    values
}
