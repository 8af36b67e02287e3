//! PTX versions and targets: which of them go together in a module, and sets of such pairs.

use std::hash::Hash;

use crate::environment::{Target, Version};
use crate::spec::{Isa, ValueSet};

/// The PTX versions and targets of a specification, in their orders.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    /// Oldest first.
    pub(super) versions: Vec<Version>,
    /// By number; each with the position of the version that brought it.
    pub(super) targets: Vec<(Target, usize)>,
}

/// Pairs of a PTX version and a target. For each target of the grid, the positions of the versions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PairSet(Vec<ValueSet>);

/// The positions of a version and a target in the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ModulePair {
    pub(super) version: usize,
    pub(super) target: usize,
}

impl Grid {
    pub(super) fn new(isa: &Isa) -> Self {
        let mut versions = isa.versions.clone();
        versions.sort_unstable();
        let since = |version: Version| versions.partition_point(|known| *known < version);
        let mut targets: Vec<(Target, usize)> =
            isa.targets.iter().map(|&(target, version)| (target, since(version))).collect();
        targets.sort_unstable();
        Self { versions, targets }
    }

    /// The pair of a version and a target; `None` if the grid lacks one.
    pub(super) fn pair(&self, version: Version, target: Target) -> Option<ModulePair> {
        let version = self.versions.binary_search(&version).ok()?;
        Some(ModulePair { version, target: self.targets.iter().position(|(known, _)| *known == target)? })
    }

    pub(super) fn version(&self, pair: ModulePair) -> Version {
        self.versions[pair.version]
    }

    pub(super) fn target(&self, pair: ModulePair) -> Target {
        self.targets[pair.target].0
    }

    pub(super) fn none(&self) -> PairSet {
        PairSet(vec![ValueSet::default(); self.targets.len()])
    }

    /// The pairs that can be in one module: each target from the version on that brought it.
    pub(super) fn all(&self) -> PairSet {
        let from = |&(_, since): &(Target, usize)| ValueSet::of(self.versions.len(), |version| version >= since);
        PairSet(self.targets.iter().map(from).collect())
    }
}

impl PairSet {
    pub(super) fn insert(&mut self, pair: ModulePair) {
        let one = ValueSet::of(pair.version + 1, |version| version == pair.version);
        self.0[pair.target] = self.0[pair.target].or(&one);
    }

    pub(super) fn remove(&mut self, pair: ModulePair) {
        let one = ValueSet::of(pair.version + 1, |version| version == pair.version);
        self.0[pair.target] = self.0[pair.target].without(&one);
    }

    /// How many targets the grid has.
    pub(super) fn targets(&self) -> usize {
        self.0.len()
    }

    pub(super) fn contains(&self, pair: ModulePair) -> bool {
        u8::try_from(pair.version).is_ok_and(|version| self.0[pair.target].contains(version))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(ValueSet::is_empty)
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(ValueSet::len).sum()
    }

    pub(super) fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(own, other)| own.and(other)).collect())
    }

    pub(super) fn or(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(own, other)| own.or(other)).collect())
    }

    pub(super) fn without(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(own, other)| own.without(other)).collect())
    }

    /// The positions of a target's versions, ascending.
    pub(super) fn versions(&self, target: usize) -> impl Iterator<Item = usize> + '_ {
        self.0[target].iter().map(usize::from)
    }

    /// The pairs, by target.
    pub(super) fn iter(&self) -> impl Iterator<Item = ModulePair> + '_ {
        (0..self.0.len()).flat_map(|target| self.versions(target).map(move |version| ModulePair { version, target }))
    }
}
