//! Which causes are one: of several forms, rules and engines.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::extent::Extent;
use super::search::{Local, Search};
use super::{Heap, Kind};
use crate::case::Case;
use crate::divergence::Does;
use crate::space::{Diagram, Region, Slice, Values};
use crate::spec::{Cube, Form, Instruction, ValueSet};

/// A cause as it shows in one form of one engine.
pub(super) struct Cause<'s> {
    /// The position of the engine.
    pub(super) engine: usize,
    pub(super) kind: Kind,
    pub(super) instruction: &'s Instruction,
    pub(super) form: usize,
    pub(super) rule: Option<usize>,
    /// The environment in which it was looked for.
    pub(super) environment: [u8; 3],
    domain: Arc<Diagram>,
    /// The choices that make it show, but for the environment.
    pub(super) cube: Cube,
    /// The environments in which it shows.
    pub(super) extent: Cube,
    /// For each axis of the environment, the values with which it can show at all.
    possible: [ValueSet; 3],
    /// Variants that fail, the simplest first.
    pub(super) fails: Vec<Values>,
    pub(super) asked: usize,
    pub(super) size: u128,
    pub(super) passing_neighbours: usize,
    /// Mismatches in the heap it was found in.
    pub(super) mismatches: u64,
}

impl<'s> Cause<'s> {
    pub(super) fn new(engine: usize, heap: &Heap<'s>, search: &Search<'s>, local: Local) -> Self {
        Self {
            engine,
            kind: heap.kind.clone(),
            instruction: heap.instruction,
            form: heap.form,
            rule: heap.rule,
            environment: search.environment,
            domain: search.domain(),
            cube: local.cube,
            extent: Cube::default(),
            possible: [ValueSet::default(); 3],
            fails: local.fails,
            asked: local.asked,
            size: local.size,
            passing_neighbours: local.passing_neighbours,
            mismatches: heap.count,
        }
    }

    pub(super) fn form(&self) -> &'s Form {
        &self.instruction.forms[self.form]
    }

    pub(super) fn case<'v>(&self, values: &'v [u8]) -> Case<'v>
    where
        's: 'v,
    {
        Case { instruction: self.instruction, form: self.form, values }
    }

    pub(super) fn region(&self) -> Region<'_> {
        self.domain.all().below(&self.environment)
    }

    pub(super) fn is_of(&self, kind: &Kind, instruction: &Instruction, form: usize) -> bool {
        self.kind == *kind && self.instruction.name == instruction.name && self.form == form
    }

    /// Whether a variant, in whatever environment, is in it.
    pub(super) fn explains(&self, values: &[u8]) -> bool {
        self.cube.contains(values) && self.extent.contains(values)
    }

    /// Takes over what was found out about environments.
    pub(super) fn settle(&mut self, extent: &Extent<'_>) {
        self.extent = extent.cube();
        self.possible = extent.possible();
    }

    /// The values that occur on an axis at all.
    pub(super) fn occurring(&self, axis: usize) -> ValueSet {
        match self.possible.get(axis) {
            Some(possible) => *possible,
            None => self.region().together(usize::MAX, 0)[axis],
        }
    }

    /// Its choices by their names; values that do not occur left out.
    fn named(&self) -> Conditions {
        let name = |(axis, set): &(usize, ValueSet)| {
            let of = &self.form().axes[*axis];
            let occurring = set.and(&self.occurring(*axis));
            let values = occurring.iter().map(|value| of.values[usize::from(value)].clone()).collect();
            (of.name.clone(), values)
        };
        self.cube.sets().iter().map(name).collect()
    }

    /// Named choices as a cube of its form; `None` where they never hold there.
    fn resolve(&self, conditions: &Conditions) -> Option<Cube> {
        let mut sets = Vec::new();
        for (name, values) in conditions {
            match self.form().axis(name) {
                Some(axis) => sets.push((axis, self.form().axes[axis].select(|value| values.contains(value)))),
                // A slot that the form lacks is empty there.
                None if values.contains("none") => {}
                None => return None,
            }
        }
        let cube = Cube::new(sets);
        (!cube.is_empty()).then_some(cube)
    }

    /// Whether named choices hold for the same variants of its form as its own do.
    fn is_same(&self, conditions: &Conditions) -> bool {
        let Some(cube) = self.resolve(conditions) else { return false };
        let region = self.region();
        let both = cube.sets().iter().fold(self.cube.clone(), |both, (axis, set)| both.with(*axis, *set));
        Slice::new(&region, &cube).count() == self.size && Slice::new(&region, &both).count() == self.size
    }

    /// Whether both show in the same environments, as far as both can.
    fn shows_where(&self, other: &Self) -> bool {
        (0..3).all(|axis| {
            let (mine, others) = (self.along(axis), other.along(axis));
            mine.and(&other.possible[axis]) == others.and(&self.possible[axis])
        })
    }

    fn along(&self, axis: usize) -> ValueSet {
        let set = self.extent.sets().iter().find(|(named, _)| *named == axis);
        set.map_or(self.possible[axis], |(_, set)| *set)
    }

    /// Whether the same rules are broken, in whatever instructions.
    fn same_rules(&self, other: &Self) -> bool {
        let rules = |of: &Self| of.kind.rules.iter().map(|rule| short(rule).to_owned()).collect::<Vec<String>>();
        rules(self) == rules(other)
    }

    /// Whether another could be the same cause: rules are told apart only where nothing but the rule
    /// says when it shows, and what is claimed valid from what is not, but for crashes.
    fn is_kind(&self, other: &Self) -> bool {
        let (these, those) = (&self.kind, &other.kind);
        let conditional = !self.cube.sets().is_empty() && !other.cube.sets().is_empty();
        let claims = these.does == Does::Crashes || these.rules.is_empty() == those.rules.is_empty();
        these.does == those.does
            && these.depth == those.depth
            && these.contradicts == those.contradicts
            && (self.same_rules(other) || (conditional && claims))
            && (self.engine != other.engine || these.message == those.message)
    }
}

/// The name of a rule without the instruction.
pub(super) fn short(rule: &str) -> &str {
    if rule.starts_with("isa/") { rule } else { rule.rsplit('/').next().unwrap_or(rule) }
}

/// For each axis its values, by their names.
pub(super) type Conditions = BTreeMap<String, BTreeSet<String>>;

/// Causes that are one.
pub(super) struct Group<'s> {
    pub(super) conditions: Conditions,
    pub(super) causes: Vec<Cause<'s>>,
}

/// Puts together what is one cause in several forms, rules and engines.
pub(super) fn merge(causes: Vec<Cause<'_>>) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for cause in causes {
        let found = groups.iter_mut().find_map(|group| group.with(&cause).map(|conditions| (group, conditions)));
        match found {
            Some((group, conditions)) => {
                group.conditions = conditions;
                group.causes.push(cause);
            }
            None => groups.push(Group { conditions: cause.named(), causes: vec![cause] }),
        }
    }
    groups
}

impl Group<'_> {
    /// The conditions that hold for all its causes and this one; `None` where it is another cause.
    fn with(&self, cause: &Cause<'_>) -> Option<Conditions> {
        let alike = |known: &Cause<'_>| known.is_kind(cause) && known.shows_where(cause);
        if !self.causes.iter().all(alike) {
            return None;
        }
        let own = cause.named();
        let mut joint = self.conditions.clone();
        // Values that only one of the rules can meet make no common condition of several rules.
        let joinable = joint.keys().eq(own.keys()) && self.causes.iter().all(|known| known.same_rules(cause));
        own.iter().for_each(|(axis, values)| joint.entry(axis.clone()).or_default().extend(values.iter().cloned()));
        let mut candidates = vec![self.conditions.clone(), own];
        candidates.extend(joinable.then_some(joint));
        let holds = |conditions: &Conditions| self.causes.iter().chain([cause]).all(|cause| cause.is_same(conditions));
        candidates.into_iter().find(holds)
    }
}
