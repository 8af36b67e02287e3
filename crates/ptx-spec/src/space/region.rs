//! The part of a diagram below some first choices: counted, ranked, enumerated, completed.

use rustc_hash::FxHashSet;

use super::Values;
use super::diagram::{DEAD, Diagram};
use crate::must::Must;
use crate::spec::ValueSet;

/// The part of a diagram with given first choices.
#[derive(Clone, Debug)]
pub struct Region<'a> {
    diagram: &'a Diagram,
    prefix: Values,
    node: u32,
}

impl Diagram {
    /// All of it.
    pub fn all(&self) -> Region<'_> {
        Region { diagram: self, prefix: Vec::new(), node: self.root }
    }

    /// The variant at a position; `None` beyond the last.
    pub fn unrank(&self, rank: u128) -> Option<Values> {
        self.all().unrank(rank)
    }
}

impl<'a> Region<'a> {
    /// Its variants with these next choices.
    pub fn below(&self, choices: &[u8]) -> Self {
        let mut region = self.clone();
        for &value in choices {
            region.node = self.diagram.child(region.prefix.len(), region.node, value);
            region.prefix.push(value);
        }
        region
    }

    /// How many variants it has.
    pub fn count(&self) -> u128 {
        self.diagram.below(self.prefix.len(), self.node)
    }

    /// The node that the choices already made lead to.
    pub(super) fn node(&self) -> u32 {
        self.node
    }

    /// The values that the axis of a level can take at a node, and the nodes they lead to.
    pub(super) fn edges(&self, level: usize, node: u32) -> &'a [(u8, u32)] {
        self.diagram.edges(level, node)
    }

    /// The number of variants below a node.
    pub(super) fn below_node(&self, level: usize, node: u32) -> u128 {
        self.diagram.below(level, node)
    }

    /// The choices already made.
    pub fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// For each axis after `axis`, the values that occur together with its `value`; for `axis` itself,
    /// whether the value occurs at all. (Entries before it have no meaning.)
    pub fn together(&self, axis: usize, value: u8) -> Vec<ValueSet> {
        let diagram = self.diagram;
        let mut found = vec![ValueSet::default(); diagram.widths.len()];
        let mut nodes = vec![self.node];
        for (level, found) in found.iter_mut().enumerate().skip(self.prefix.len()) {
            let width = diagram.widths[level];
            let mut below = Vec::new();
            let mut seen = vec![false; width];
            for &node in nodes.iter().filter(|node| **node != DEAD) {
                for &(choice, child) in diagram.edges(level, node) {
                    if level != axis || choice == value {
                        seen[usize::from(choice)] = true;
                        below.push(child);
                    }
                }
            }
            below.sort_unstable();
            below.dedup();
            nodes = below;
            *found = ValueSet::of(width, |choice| seen[choice]);
        }
        found
    }

    /// A variant of the set with some given choices, found by walking down and asking `prefer` for the
    /// order in which to try the values of each axis. `None` if the set has no such variant.
    ///
    /// `dead` remembers the nodes below which nothing was found, for these choices: give an empty
    /// one.
    pub(crate) fn complete(
        &self,
        given: &[Option<u8>],
        dead: &mut FxHashSet<(usize, u32)>,
        mut prefer: impl FnMut(usize, &[u8], &mut Vec<u8>),
    ) -> Option<Values> {
        let diagram = self.diagram;
        let mut values = self.prefix.clone();
        let depth = diagram.widths.len();
        // One entry for each level entered: its node and the values still to try, last first.
        let mut stack: Vec<(u32, Vec<u8>)> = Vec::new();
        let mut node = self.node;
        loop {
            let level = values.len();
            if level == depth {
                return Some(values);
            }
            let mut choices = Vec::new();
            if !dead.contains(&(level, node)) {
                match given[level] {
                    Some(value) => choices.push(value),
                    None => {
                        choices.extend(diagram.edges(level, node).iter().map(|(value, _)| *value));
                        prefer(level, &values, &mut choices);
                        choices.reverse();
                    }
                }
            }
            stack.push((node, choices));
            loop {
                let (top, choices) = stack.last_mut()?;
                let level = values.len();
                match choices.pop() {
                    Some(value) => {
                        let child = diagram.child(level, *top, value);
                        if child != DEAD && !dead.contains(&(level + 1, child)) {
                            values.push(value);
                            node = child;
                            break;
                        }
                    }
                    None => {
                        dead.insert((level, *top));
                        stack.pop();
                        if stack.is_empty() {
                            return None;
                        }
                        values.pop();
                    }
                }
            }
        }
    }

    /// The number of values of each axis.
    pub(crate) fn widths(&self) -> &[usize] {
        &self.diagram.widths
    }

    /// The variant at a position in it; `None` beyond the last.
    pub fn unrank(&self, mut rank: u128) -> Option<Values> {
        if rank >= self.count() {
            return None;
        }
        let mut values = self.prefix.clone();
        let mut node = self.node;
        for level in self.prefix.len()..self.diagram.widths.len() {
            for &(value, child) in self.diagram.edges(level, node) {
                let below = self.diagram.below(level + 1, child);
                if rank < below {
                    values.push(value);
                    node = child;
                    break;
                }
                rank -= below;
            }
        }
        Some(values)
    }

    /// Its variants from a position on, in order.
    pub fn iter_from(&self, rank: u128) -> RegionVariants<'a> {
        RegionVariants { region: self.clone(), next: self.unrank(rank) }
    }

    /// The values that the next axis can take, in order; none if every axis is chosen.
    pub fn choices(&self) -> Vec<u8> {
        self.diagram.edges(self.prefix.len(), self.node).iter().map(|(value, _)| *value).collect()
    }
}

/// The variants of a region in order.
#[derive(Clone, Debug)]
pub struct RegionVariants<'a> {
    region: Region<'a>,
    next: Option<Values>,
}

impl Iterator for RegionVariants<'_> {
    type Item = Values;

    fn next(&mut self) -> Option<Values> {
        let current = self.next.take()?;
        self.next = successor(&self.region, &current);
        Some(current)
    }
}

/// The variant after this one: the deepest choice that can be increased is increased.
fn successor(region: &Region<'_>, current: &[u8]) -> Option<Values> {
    let diagram = region.diagram;
    let start = region.prefix.len();
    let mut nodes = vec![region.node];
    for (level, &value) in current.iter().enumerate().skip(start) {
        nodes.push(diagram.child(level, nodes[level - start], value));
    }
    for level in (start..current.len()).rev() {
        let edges = diagram.edges(level, nodes[level - start]);
        let Some(&(value, mut node)) = edges.iter().find(|(value, _)| *value > current[level]) else { continue };
        let mut values = current[..level].to_vec();
        values.push(value);
        for below in level + 1..current.len() {
            let &(first, child) = diagram.edges(below, node).first().must("some variant passes each node");
            values.push(first);
            node = child;
        }
        return Some(values);
    }
    None
}
