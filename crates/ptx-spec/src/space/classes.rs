//! Environments with the same variants, and the choices that occur in each: one walk answers for all of them.

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::diagram::{DEAD, Diagram};
use super::{EnvironmentValues, Region};

/// The environments of a diagram, in classes with the same variants.
#[derive(Clone, Debug)]
pub struct EnvironmentClasses<'a> {
    diagram: &'a Diagram,
    /// The node below the environments of each class.
    nodes: Vec<u32>,
    /// The environments of each class.
    members: Vec<Vec<EnvironmentValues>>,
}

/// A set of classes of environments, one bit for each.
pub type ClassSet = SmallVec<[u64; 2]>;

impl Diagram {
    /// Its environments in classes with the same variants; none where there is no variant.
    pub fn environment_classes(&self) -> EnvironmentClasses<'_> {
        let mut classes = EnvironmentClasses { diagram: self, nodes: Vec::new(), members: Vec::new() };
        let mut known: FxHashMap<u32, usize> = FxHashMap::default();
        for &(size, of_size) in self.edges(EnvironmentValues::ADDRESS_SIZE, self.root) {
            for &(target, of_target) in self.edges(EnvironmentValues::TARGET, of_size) {
                for &(ptx, node) in self.edges(EnvironmentValues::PTX, of_target) {
                    // Diagrams share nodes, so the same variants below are the same node.
                    let class = *known.entry(node).or_insert(classes.nodes.len());
                    if class == classes.nodes.len() {
                        classes.nodes.push(node);
                        classes.members.push(Vec::new());
                    }
                    classes.members[class].push(EnvironmentValues::new(size, target, ptx));
                }
            }
        }
        classes
    }
}

impl EnvironmentClasses<'_> {
    /// The environments of each class.
    pub fn members(&self) -> &[Vec<EnvironmentValues>] {
        &self.members
    }

    /// The variants in the environments of a class, below one of them.
    pub fn region(&self, class: usize) -> Option<Region<'_>> {
        Some(self.diagram.all().below(self.members.get(class)?.first()?))
    }

    /// The classes in which a variant with these choices is, whatever its environment.
    pub fn holding(&self, values: &[u8]) -> impl Iterator<Item = usize> {
        let later = values.iter().enumerate().skip(EnvironmentValues::AXES);
        let holds = move |node: u32| {
            later.clone().fold(node, |node, (level, &value)| self.diagram.child(level, node, value)) != DEAD
        };
        self.nodes.iter().enumerate().filter(move |(_, node)| holds(**node)).map(|(class, _)| class)
    }

    /// For each value of the axes from the last given one on, up to `last`, the classes in which some variant has that
    /// value and the given choices. `given` is ascending by axis, and names none of the environment; entries of the axes
    /// before its last one are empty.
    pub fn occurring(&self, given: &[(usize, u8)], last: usize) -> Vec<Vec<ClassSet>> {
        let words = self.nodes.len().div_ceil(64);
        let none: ClassSet = smallvec![0; words];
        let from = given.last().map_or(EnvironmentValues::AXES, |(axis, _)| *axis);
        // The nodes of a level that a variant with these choices can pass, each with the classes that lead there.
        let mut nodes: Vec<(u32, ClassSet)> = Vec::with_capacity(self.nodes.len());
        for (class, &node) in self.nodes.iter().enumerate() {
            let mut own = none.clone();
            own[class / 64] |= 1 << (class % 64);
            nodes.push((node, own));
        }
        let mut found = vec![Vec::new(); last + 1];
        for (level, found) in found.iter_mut().enumerate().skip(EnvironmentValues::AXES) {
            let only = given.iter().find(|(axis, _)| *axis == level).map(|(_, value)| *value);
            if level >= from {
                *found = vec![none.clone(); self.diagram.width(level)];
            }
            let mut position: FxHashMap<u32, usize> = FxHashMap::default();
            let mut below: Vec<(u32, ClassSet)> = Vec::new();
            for (node, classes) in &nodes {
                for &(value, child) in self.diagram.edges(level, *node) {
                    if only.is_some_and(|only| only != value) {
                        continue;
                    }
                    if let Some(found) = found.get_mut(usize::from(value)) {
                        add(found, classes);
                    }
                    let at = *position.entry(child).or_insert(below.len());
                    match below.get_mut(at) {
                        Some((_, known)) => add(known, classes),
                        None => below.push((child, classes.clone())),
                    }
                }
            }
            nodes = below;
        }
        found
    }
}

fn add(to: &mut ClassSet, classes: &ClassSet) {
    to.iter_mut().zip(classes).for_each(|(to, word)| *to |= word);
}
