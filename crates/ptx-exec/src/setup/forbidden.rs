//! The combinations of choices of an executed form that are never executed, in the making. An axis that does not
//! apply is fixed at its first value, and positions that do not exist are excluded.

use ptx_spec::spec::{Cube, Form, Isa, Size, SizeOf, ValueSet};

/// An axis, and some of its values.
pub(super) type ChosenValues = (usize, ValueSet);

/// Combinations that are never executed, and the form that they are of.
pub(super) struct Forbidden<'a> {
    pub(super) isa: &'a Isa,
    pub(super) form: &'a Form,
    cubes: Vec<Cube>,
}

impl<'a> Forbidden<'a> {
    /// No combinations yet.
    pub(super) fn new(isa: &'a Isa, form: &'a Form) -> Self {
        Self { isa, form, cubes: Vec::new() }
    }

    /// The combinations, and those that the YAML excludes.
    pub(super) fn with_excluded(mut self) -> Vec<Cube> {
        let excluded = self.form.setup.iter().flat_map(|rule| &rule.never);
        self.cubes.extend(excluded.filter_map(|condition| self.form.combination(condition)));
        self.cubes
    }

    /// The values of an axis for which `keep` holds; none if the form has no such axis.
    pub(super) fn set(&self, axis: &str, keep: impl FnMut(&str) -> bool) -> Option<ChosenValues> {
        self.of(self.form.axis(axis), keep)
    }

    /// The values of an axis for which `keep` holds, if there is such an axis.
    pub(super) fn of(&self, axis: Option<usize>, keep: impl FnMut(&str) -> bool) -> Option<ChosenValues> {
        axis.map(|axis| (axis, self.form.axes[axis].select(keep)))
    }

    /// Forbids a combination, if the form has all of its axes.
    pub(super) fn never(&mut self, sets: impl IntoIterator<Item = Option<ChosenValues>>) {
        let sets: Option<Vec<ChosenValues>> = sets.into_iter().collect();
        self.cubes.extend(sets.map(Cube::new));
    }

    /// Fixes an axis at its first value if a condition holds.
    pub(super) fn idle(&mut self, when: Option<ChosenValues>, axis: &str) {
        let Some(first) = self.form.axis(axis).map(|axis| self.form.axes[axis].values[0].clone()) else { return };
        self.never([when, self.set(axis, |value| value != first)]);
    }

    /// Each possible size of an access in bytes, with the choices that make it.
    pub(super) fn accesses(&self, size: Size) -> Vec<(u32, Vec<Option<ChosenValues>>)> {
        let one = |axis: usize, value: usize| Some((axis, ValueSet::of(ValueSet::CAPACITY - 1, |at| at == value)));
        let types: Vec<(u32, Option<ChosenValues>)> = match size.of {
            SizeOf::Bits(bits) => vec![(u32::from(bits), None)],
            SizeOf::Axis(axis) => {
                let values = self.form.axes[axis].values.iter().enumerate();
                values.map(|(at, value)| (Size::bits_of(self.isa, value), one(axis, at))).collect()
            }
        };
        let vectors: Vec<(u32, Option<ChosenValues>)> = match size.lanes {
            None => vec![(1, None)],
            Some(axis) => {
                let values = self.form.axes[axis].values.iter().enumerate();
                values.map(|(at, value)| (Size::lanes_of(value), one(axis, at))).collect()
            }
        };
        let mut accesses = Vec::with_capacity(types.len() * vectors.len());
        for (bits, of) in types {
            for (lanes, vector) in &vectors {
                let sets = [of, *vector].into_iter().filter(Option::is_some).collect();
                accesses.push((bits / 8 * lanes, sets));
            }
        }
        accesses
    }

    /// Forbids some combinations for each size of an access.
    pub(super) fn with_access(
        &mut self,
        size: Size,
        mut sets: impl FnMut(&Self, u32) -> Vec<Vec<Option<ChosenValues>>>,
    ) {
        for (bytes, access) in self.accesses(size) {
            for more in sets(self, bytes) {
                self.never(access.iter().copied().chain(more));
            }
        }
    }
}
