//! The part of a region in a cube: counting, drawing, and its simplest variant.

use rustc_hash::FxHashMap;

use super::{EnvironmentValues, Region, Values};
use crate::spec::{Cube, ValueSet};

/// The variants of a region that are in a cube.
#[derive(Clone, Debug)]
pub struct Slice<'a> {
    region: Region<'a>,
    /// For each axis that the cube names, the values that it allows.
    allowed: Vec<Option<ValueSet>>,
    /// For each level, the number of variants below a node. After the last axis that the cube names, the
    /// diagram itself has the counts.
    counts: Vec<FxHashMap<u32, u128>>,
    /// The first level after the last axis that the cube names.
    free: usize,
}

/// How far a variant is from the first value of every axis: the number of axes that differ, then the total
/// distance. The environment does not count.
pub type Distance = (u32, u32);

/// The distance of a variant from the first value of every axis.
pub fn distance(values: &[u8]) -> Distance {
    let (_, line) = EnvironmentValues::split(values);
    let differing = line.iter().filter(|&&value| value != 0);
    differing.fold((0, 0), |(axes, sum), &value| (axes + 1, sum + u32::from(value)))
}

impl<'a> Slice<'a> {
    /// The part of a region in a cube.
    pub fn new(region: &Region<'a>, cube: &Cube) -> Self {
        let depth = region.widths().len();
        let mut allowed = vec![None; depth];
        for (axis, set) in cube.sets() {
            if let Some(allowed) = allowed.get_mut(*axis) {
                *allowed = Some(*set);
            }
        }
        let free = allowed.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let mut slice = Self { region: region.clone(), allowed, counts: vec![FxHashMap::default(); depth], free };
        let prefix = region.prefix();
        if prefix.iter().enumerate().all(|(axis, &value)| slice.allows(axis, value)) {
            slice.fill(prefix.len(), region.node());
        }
        slice
    }

    fn allows(&self, axis: usize, value: u8) -> bool {
        self.allowed[axis].is_none_or(|set| set.contains(value))
    }

    /// The edges of a node that the cube allows.
    fn edges(&self, level: usize, node: u32) -> impl Iterator<Item = (u8, u32)> + '_ {
        self.region.edges(level, node).iter().copied().filter(move |(value, _)| self.allows(level, *value))
    }

    fn fill(&mut self, level: usize, node: u32) -> u128 {
        if level >= self.free {
            return self.region.below_node(level, node);
        }
        if let Some(&known) = self.counts[level].get(&node) {
            return known;
        }
        let children: Vec<u32> = self.edges(level, node).map(|(_, child)| child).collect();
        let count = children.into_iter().map(|child| self.fill(level + 1, child)).sum();
        self.counts[level].insert(node, count);
        count
    }

    fn below(&self, level: usize, node: u32) -> u128 {
        if level >= self.free {
            return self.region.below_node(level, node);
        }
        // A node that counting did not come to is outside of the cube.
        self.counts[level].get(&node).copied().unwrap_or(0)
    }

    /// How many variants it has.
    pub fn count(&self) -> u128 {
        let prefix = self.region.prefix();
        let inside = prefix.iter().enumerate().all(|(axis, &value)| self.allows(axis, value));
        if inside { self.below(prefix.len(), self.region.node()) } else { 0 }
    }

    /// The variant at a position in it; `None` beyond the last.
    pub fn unrank(&self, mut rank: u128) -> Option<Values> {
        if rank >= self.count() {
            return None;
        }
        let mut values = self.region.prefix().to_vec();
        let mut node = self.region.node();
        for level in values.len()..self.allowed.len() {
            for (value, child) in self.edges(level, node) {
                let below = self.below(level + 1, child);
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

    /// The first variant with the least [`Distance`]; `None` if it is empty.
    pub fn simplest(&self) -> Option<Values> {
        if self.count() == 0 {
            return None;
        }
        let mut known = vec![FxHashMap::default(); self.allowed.len() + 1];
        let mut values = self.region.prefix().to_vec();
        let mut node = self.region.node();
        for level in values.len()..self.allowed.len() {
            let least = |(value, child): (u8, u32), known: &mut Vec<FxHashMap<u32, Distance>>| {
                Some((add(self.least(level + 1, child, known)?, level, value), value, child))
            };
            let (_, value, child) = self.edges(level, node).filter_map(|edge| least(edge, &mut known)).min()?;
            values.push(value);
            node = child;
        }
        Some(values)
    }

    /// The least distance below a node.
    fn least(&self, level: usize, node: u32, known: &mut Vec<FxHashMap<u32, Distance>>) -> Option<Distance> {
        if self.below(level, node) == 0 {
            return None;
        }
        if level == self.allowed.len() {
            return Some((0, 0));
        }
        if let Some(&distance) = known[level].get(&node) {
            return Some(distance);
        }
        let edges: Vec<(u8, u32)> = self.edges(level, node).collect();
        let below = edges
            .into_iter()
            .filter_map(|(value, child)| Some(add(self.least(level + 1, child, known)?, level, value)));
        let least = below.min()?;
        known[level].insert(node, least);
        Some(least)
    }
}

fn add((axes, sum): Distance, axis: usize, value: u8) -> Distance {
    if value == 0 || axis < EnvironmentValues::AXES { (axes, sum) } else { (axes + 1, sum + u32::from(value)) }
}
