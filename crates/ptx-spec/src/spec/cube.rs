//! Sets of values of an axis, and combinations of them.

use crate::must::Must;

/// A set of values of one axis, by position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueSet([u64; 4]);

impl ValueSet {
    /// How many values an axis can have.
    pub const CAPACITY: usize = 256;

    /// The values for which `keep` holds, of an axis of `len` values; those beyond the capacity, which the
    /// loader rejects, are left out.
    pub fn of(len: usize, mut keep: impl FnMut(usize) -> bool) -> Self {
        let mut set = Self::default();
        for value in 0..len.min(Self::CAPACITY) {
            if keep(value) {
                set.0[value / 64] |= 1 << (value % 64);
            }
        }
        set
    }

    /// The set of one value.
    pub fn only(value: u8) -> Self {
        let value = usize::from(value);
        let mut set = Self::default();
        set.0[value / 64] = 1 << (value % 64);
        set
    }

    /// True if the value is in the set.
    pub fn contains(&self, value: u8) -> bool {
        let value = usize::from(value);
        self.0[value / 64] >> (value % 64) & 1 == 1
    }

    /// True if the set has no value.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// How many values the set has.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones()).sum::<u32>().try_into().must("a set has at most 256 values")
    }

    /// The values that are in both.
    pub fn and(&self, other: &Self) -> Self {
        let mut set = *self;
        set.0.iter_mut().zip(other.0).for_each(|(word, other)| *word &= other);
        set
    }

    /// The values that are in either.
    pub fn or(&self, other: &Self) -> Self {
        let mut set = *self;
        set.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
        set
    }

    /// The values of this set that are not in the other.
    pub fn without(&self, other: &Self) -> Self {
        let mut set = *self;
        set.0.iter_mut().zip(other.0).for_each(|(word, other)| *word &= !other);
        set
    }

    /// The other values of an axis of `len` values.
    pub fn complement(&self, len: usize) -> Self {
        Self::of(len, |value| self.0[value / 64] >> (value % 64) & 1 == 0)
    }

    /// The values in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=u8::MAX).filter(|&value| self.contains(value))
    }
}

/// A combination of choices: for each axis named, the set of values it takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cube(Vec<(usize, ValueSet)>);

impl Cube {
    /// The cube of these sets; for an axis named twice, the intersection.
    pub fn new(sets: impl IntoIterator<Item = (usize, ValueSet)>) -> Self {
        let mut cube = Self::default();
        for (axis, set) in sets {
            cube.narrow(axis, set);
        }
        cube
    }

    /// The cube with one axis further narrowed.
    pub fn with(mut self, axis: usize, set: ValueSet) -> Self {
        self.narrow(axis, set);
        self
    }

    /// The cube with these first choices.
    pub fn at(self, choices: &[u8]) -> Self {
        choices.iter().enumerate().fold(self, |cube, (axis, value)| cube.with(axis, ValueSet::only(*value)))
    }

    fn narrow(&mut self, axis: usize, set: ValueSet) {
        match self.0.binary_search_by_key(&axis, |entry| entry.0) {
            Ok(at) => self.0[at].1 = self.0[at].1.and(&set),
            Err(at) => self.0.insert(at, (axis, set)),
        }
    }

    /// The axes it names, ascending, with their sets.
    pub fn sets(&self) -> &[(usize, ValueSet)] {
        &self.0
    }

    /// True if no choices can be in the cube.
    pub fn is_empty(&self) -> bool {
        self.0.iter().any(|(_, set)| set.is_empty())
    }

    /// True if these choices, one value for each axis, are in the cube.
    pub fn contains(&self, values: &[u8]) -> bool {
        self.0.iter().all(|(axis, set)| set.contains(values[*axis]))
    }
}
