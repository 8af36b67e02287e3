//! Decision diagrams over the axes of a form.
//!
//! A node of level `i` has one child for each value of axis `i`; a path from the root to the
//! terminal is a variant. Nodes of a level with the same children are one node, so sets of 10^12
//! variants take some thousand nodes.

use crate::must::Must;

/// The node that no variant passes.
pub(super) const DEAD: u32 = 0;

/// A set of variants of one form.
#[derive(Clone, Debug)]
pub struct Diagram {
    /// For each level, the number of values of its axis.
    pub(super) widths: Vec<usize>,
    levels: Vec<Level>,
    /// For each level, the number of variants below each node.
    counts: Vec<Vec<u128>>,
    pub(super) root: u32,
}

/// The nodes of one level. Node 0 is dead; the edges of the last level lead to the terminal.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// For each node, the start of its edges, followed by the end of the last one's.
    pub(super) starts: Vec<usize>,
    /// Values and the nodes of the next level that they lead to, ascending; never a dead one.
    pub(super) edges: Vec<(u8, u32)>,
}

impl Level {
    /// A level with the dead node only.
    pub(super) fn new() -> Self {
        Self { starts: vec![0, 0], edges: Vec::new() }
    }

    fn edges(&self, node: u32) -> &[(u8, u32)] {
        let node = index(node);
        &self.edges[self.starts[node]..self.starts[node + 1]]
    }

    pub(super) fn nodes(&self) -> usize {
        self.starts.len() - 1
    }
}

impl Diagram {
    /// The diagram of these levels, with the variants below each node counted.
    pub(super) fn new(widths: Vec<usize>, levels: Vec<Level>, root: u32) -> Self {
        let mut diagram = Self { widths, levels, counts: Vec::new(), root };
        for level in (0..diagram.widths.len()).rev() {
            let last = level + 1 == diagram.widths.len();
            let below = |child: u32| if last { 1 } else { diagram.counts[0][index(child)] };
            let of = &diagram.levels[level];
            let nodes = (0_u32..).take(of.nodes());
            let counts = nodes.map(|node| of.edges(node).iter().map(|(_, child)| below(*child)).sum()).collect();
            diagram.counts.insert(0, counts);
        }
        diagram
    }

    /// How many variants there are.
    pub fn count(&self) -> u128 {
        self.below(0, self.root)
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.levels.iter().map(|level| level.nodes() - 1).sum()
    }

    /// The number of values of an axis.
    pub fn width(&self, axis: usize) -> usize {
        self.widths[axis]
    }

    pub(super) fn edges(&self, level: usize, node: u32) -> &[(u8, u32)] {
        self.levels.get(level).map_or(&[], |level| level.edges(node))
    }

    pub(super) fn child(&self, level: usize, node: u32, value: u8) -> u32 {
        let edges = self.edges(level, node);
        edges.binary_search_by_key(&value, |edge| edge.0).map_or(DEAD, |at| edges[at].1)
    }

    pub(super) fn below(&self, level: usize, node: u32) -> u128 {
        match (node, self.counts.get(level)) {
            (DEAD, _) => 0,
            (_, None) => 1,
            (_, Some(counts)) => counts[index(node)],
        }
    }

    /// True if some variant has this value of an axis.
    pub fn has(&self, axis: usize, value: u8) -> bool {
        self.levels.get(axis).is_some_and(|level| level.edges.iter().any(|edge| edge.0 == value))
    }

    /// True if a variant is in the set.
    pub fn contains(&self, values: &[u8]) -> bool {
        let walk = |node, (level, &value)| self.child(level, node, value);
        values.len() == self.widths.len() && values.iter().enumerate().fold(self.root, walk) != DEAD
    }

    /// A hash of all choices after the first axes, if the first have one choice each: two diagrams of a form with the same hash
    /// have the same variants but for the first choices.
    pub fn hash_after(&self, axes: usize) -> Option<[u8; 32]> {
        let (fixed, free) = self.levels.split_at(axes);
        if self.root == DEAD || fixed.iter().any(|level| level.edges.len() != 1) {
            return None;
        }
        let mut bytes = Vec::new();
        for level in free {
            bytes.extend((level.starts.len() as u64).to_le_bytes());
            bytes.extend(level.starts.iter().flat_map(|start| (*start as u64).to_le_bytes()));
            for (value, child) in &level.edges {
                bytes.push(*value);
                bytes.extend(child.to_le_bytes());
            }
        }
        Some(*blake3::hash(&bytes).as_bytes())
    }

    /// The position of a variant in the order of the axes, from 0; `None` if it is not in the set.
    pub fn rank(&self, values: &[u8]) -> Option<u128> {
        let mut node = self.root;
        let mut rank = 0;
        for (level, &value) in values.iter().enumerate() {
            let before = self.edges(level, node).iter().take_while(|(other, _)| *other < value);
            rank += before.map(|(_, child)| self.below(level + 1, *child)).sum::<u128>();
            node = self.child(level, node, value);
        }
        (node != DEAD && values.len() == self.widths.len()).then_some(rank)
    }
}

fn index(node: u32) -> usize {
    usize::try_from(node).must("an index has at least 32 bits")
}
