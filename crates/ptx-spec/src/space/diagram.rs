//! Decision diagrams over the axes of a form.
//!
//! A node of level `i` has one child for each value of axis `i`; a path from the root to the
//! terminal is a variant. Nodes of a level with the same children are one node, so sets of 10^12
//! variants take some thousand nodes. Construction goes top-down: the state of a node is the set
//! of forbidden cubes that the choices made so far are still inside of.

use rustc_hash::FxHashMap;

use super::Values;
use crate::spec::{Form, ValueSet};

/// The node that no variant passes.
const DEAD: u32 = 0;

/// A set of variants of one form.
#[derive(Clone, Debug)]
pub struct Diagram {
    /// For each level, the number of values of its axis.
    widths: Vec<usize>,
    levels: Vec<Level>,
    /// For each level, how many variants lie below each node.
    counts: Vec<Vec<u128>>,
    root: u32,
}

/// The nodes of one level. Node 0 is dead; what the edges of the last level lead to is the terminal.
#[derive(Clone, Debug)]
struct Level {
    /// For each node, where its edges begin; and where the last one's end.
    starts: Vec<usize>,
    /// Values and the nodes of the next level that they lead to, ascending; never a dead one.
    edges: Vec<(u8, u32)>,
}

impl Level {
    /// A level with the dead node only.
    fn new() -> Self {
        Self { starts: vec![0, 0], edges: Vec::new() }
    }

    fn edges(&self, node: u32) -> &[(u8, u32)] {
        let node = index(node);
        &self.edges[self.starts[node]..self.starts[node + 1]]
    }

    fn nodes(&self) -> usize {
        self.starts.len() - 1
    }
}

/// The part of a diagram below some first choices.
#[derive(Clone, Debug)]
pub struct Region<'a> {
    diagram: &'a Diagram,
    prefix: Values,
    node: u32,
}

impl Diagram {
    /// The variants of a form that keep every rule.
    pub fn valid(form: &Form) -> Self {
        Builder::new(form, None, &[], |_| true).build()
    }

    /// The variants of a form that break exactly this rule.
    pub fn breaking(form: &Form, rule: usize) -> Self {
        Builder::new(form, Some(rule), &[], |_| true).build()
    }

    /// The variants that make these first choices and keep every rule, or break exactly one. Much
    /// smaller than the whole where the environment is given.
    pub fn within(form: &Form, rule: Option<usize>, choices: &[u8]) -> Self {
        Builder::new(form, rule, choices, |_| true).build()
    }

    /// The variants that break this rule, whatever other constraints and needs they break.
    pub fn breaking_at_least(form: &Form, rule: usize) -> Self {
        Builder::new(form, Some(rule), &[], |other| other == rule || !form.rules[other].kind.breakable()).build()
    }

    /// The variants that make these first choices and break this rule, whatever other constraints
    /// and needs they break.
    pub fn breaking_within(form: &Form, rule: usize, choices: &[u8]) -> Self {
        Builder::new(form, Some(rule), choices, |other| other == rule || !form.rules[other].kind.breakable()).build()
    }

    /// How many variants there are.
    pub fn count(&self) -> u128 {
        self.all().count()
    }

    /// How many nodes it takes to hold them.
    pub fn nodes(&self) -> usize {
        self.levels.iter().map(|level| level.nodes() - 1).sum()
    }

    /// The number of values of an axis.
    pub fn width(&self, axis: usize) -> usize {
        self.widths.get(axis).copied().unwrap_or(0)
    }

    /// All of it.
    pub fn all(&self) -> Region<'_> {
        Region { diagram: self, prefix: Vec::new(), node: self.root }
    }

    fn edges(&self, level: usize, node: u32) -> &[(u8, u32)] {
        self.levels.get(level).map_or(&[], |level| level.edges(node))
    }

    fn child(&self, level: usize, node: u32, value: u8) -> u32 {
        let edges = self.edges(level, node);
        edges.binary_search_by_key(&value, |edge| edge.0).map_or(DEAD, |at| edges[at].1)
    }

    fn below(&self, level: usize, node: u32) -> u128 {
        match (node, self.counts.get(level)) {
            (DEAD, _) => 0,
            (_, None) => 1,
            (_, Some(counts)) => counts[index(node)],
        }
    }

    /// Whether a variant is in the set.
    pub fn contains(&self, values: &[u8]) -> bool {
        self.rank(values).is_some()
    }

    /// The position of a variant in the order of the axes, from 0; `None` where it is not in the set.
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

    /// The variant at a position; `None` beyond the last.
    pub fn unrank(&self, rank: u128) -> Option<Values> {
        self.all().unrank(rank)
    }

    /// A variant of the set in which some choices are given, found by walking down and asking
    /// `prefer` for the order in which to try the values of each axis. `None` where there is none.
    ///
    /// `dead` remembers the nodes below which nothing was found, for these choices: give an empty
    /// one.
    pub(crate) fn complete(
        region: &Region<'_>,
        given: &[Option<u8>],
        dead: &mut rustc_hash::FxHashSet<(usize, u32)>,
        mut prefer: impl FnMut(usize, &[u8], &mut Vec<u8>),
    ) -> Option<Values> {
        let diagram = region.diagram;
        let mut values = region.prefix.clone();
        let depth = diagram.widths.len();
        // One entry for each level entered: its node and the values still to be tried, last first.
        let mut stack: Vec<(u32, Vec<u8>)> = Vec::new();
        let mut node = region.node;
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
}

fn index(node: u32) -> usize {
    usize::try_from(node).unwrap_or(usize::MAX)
}

impl<'a> Region<'a> {
    /// The variants in it whose next choices are these.
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

    /// How many variants lie below a node.
    pub(super) fn below_node(&self, level: usize, node: u32) -> u128 {
        self.diagram.below(level, node)
    }

    /// The choices already made.
    pub fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// For each axis behind `axis`, the values that occur together with its `value`; for `axis`
    /// itself whether the value occurs at all. (What lies before it is of no meaning.)
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
    pub fn iter_from(&self, rank: u128) -> Variants<'a> {
        Variants { region: self.clone(), next: self.unrank(rank) }
    }

    /// The values that the next axis can take, in order: none where every axis is chosen.
    pub fn choices(&self) -> Vec<u8> {
        self.diagram.edges(self.prefix.len(), self.node).iter().map(|(value, _)| *value).collect()
    }
}

/// The variants of a region in order.
#[derive(Clone, Debug)]
pub struct Variants<'a> {
    region: Region<'a>,
    next: Option<Values>,
}

impl Iterator for Variants<'_> {
    type Item = Values;

    fn next(&mut self) -> Option<Values> {
        let current = self.next.take()?;
        self.next = successor(&self.region, &current);
        Some(current)
    }
}

/// The variant behind this one: the deepest choice that can be raised is raised.
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
            let &(first, child) = diagram.edges(below, node).first()?;
            values.push(first);
            node = child;
        }
        return Some(values);
    }
    None
}

/// What a node under construction knows of the choices above it: the forbidden cubes they are
/// inside of, and whether the rule to be broken is broken already.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    alive: Vec<u64>,
    broken: bool,
}

/// The values of an axis, those together that take out the same cubes.
struct Classes<'a> {
    /// What each class takes out.
    killed: Vec<&'a [u64]>,
    /// The class of each value.
    of: Vec<usize>,
}

impl<'a> Classes<'a> {
    fn new(form: &'a Form, level: usize) -> Self {
        let mut classes = Self { killed: Vec::new(), of: Vec::new() };
        for value in 0..form.axes[level].values.len() {
            let killed = form.killed(level, value);
            let class = classes.killed.iter().position(|known| *known == killed).unwrap_or(classes.killed.len());
            if class == classes.killed.len() {
                classes.killed.push(killed);
            }
            classes.of.push(class);
        }
        classes
    }
}

struct Builder<'a> {
    form: &'a Form,
    target: Option<usize>,
    /// For each level, the cubes that name this axis or a later one.
    pending: Vec<Vec<u64>>,
    /// The cubes of the rule to be broken.
    own: Vec<u64>,
    /// For each level, its values by the cubes they take out: most axes have few such classes.
    classes: Vec<Classes<'a>>,
    memo: Vec<FxHashMap<State, u32>>,
    unique: Vec<FxHashMap<Vec<u32>, u32>>,
    levels: Vec<Level>,
    /// The first choices, where they are given.
    given: &'a [u8],
}

impl<'a> Builder<'a> {
    fn new(form: &'a Form, target: Option<usize>, given: &'a [u8], keep: impl Fn(usize) -> bool) -> Self {
        let depth = form.axes.len();
        let words = form.cubes().div_ceil(64);
        let mut pending = vec![vec![0_u64; words]; depth + 1];
        let mut own = vec![0_u64; words];
        for cube in 0..form.cubes() {
            let rule = form.rule_of_cube(cube);
            if !keep(rule) {
                continue;
            }
            if Some(rule) == target {
                own[cube / 64] |= 1 << (cube % 64);
            }
            let names = |axis: usize| {
                (0..form.axes[axis].values.len())
                    .any(|value| form.killed(axis, value)[cube / 64] >> (cube % 64) & 1 == 1)
            };
            let last = (0..depth).rev().find(|&axis| names(axis)).unwrap_or(0);
            for level in &mut pending[..=last] {
                level[cube / 64] |= 1 << (cube % 64);
            }
        }
        Self {
            form,
            target,
            pending,
            own,
            classes: (0..depth).map(|level| Classes::new(form, level)).collect(),
            memo: vec![FxHashMap::default(); depth],
            unique: vec![FxHashMap::default(); depth],
            levels: vec![Level::new(); depth],
            given,
        }
    }

    fn build(mut self) -> Diagram {
        let start = State { alive: self.pending[0].clone(), broken: self.target.is_none() };
        let root = self.node(0, start);
        let widths: Vec<usize> = self.form.axes.iter().map(|axis| axis.values.len()).collect();
        let mut diagram = Diagram { widths, levels: self.levels, counts: Vec::new(), root };
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

    /// The node of this state, `DEAD` where nothing lies below.
    fn node(&mut self, level: usize, state: State) -> u32 {
        if level == self.form.axes.len() {
            return u32::from(state.broken);
        }
        if let Some(&node) = self.memo[level].get(&state) {
            return node;
        }
        let mut by_class = Vec::with_capacity(self.classes[level].killed.len());
        // Where a choice is given, the classes of other values are left dead.
        let given = self.given.get(level).map(|&value| self.classes[level].of[usize::from(value)]);
        for class in 0..self.classes[level].killed.len() {
            if given.is_some_and(|given| given != class) {
                by_class.push(DEAD);
                continue;
            }
            let killed = self.classes[level].killed[class];
            let alive: Vec<u64> = state.alive.iter().zip(killed).map(|(alive, killed)| alive & !killed).collect();
            by_class.push(match self.next(level, &state, alive) {
                Some(next) => self.node(level + 1, next),
                None => DEAD,
            });
        }
        let node = self.intern(level, by_class);
        self.memo[level].insert(state, node);
        node
    }

    /// The state below a choice: `None` where the choice breaks what must be kept, or where the
    /// rule to be broken no longer can be.
    fn next(&self, level: usize, state: &State, mut alive: Vec<u64>) -> Option<State> {
        let pending = &self.pending[level + 1];
        let mut broken = state.broken;
        for (word, alive) in alive.iter().enumerate() {
            let done = alive & !pending[word];
            if done & !self.own[word] != 0 {
                return None;
            }
            broken |= done & self.own[word] != 0;
        }
        for (word, alive) in alive.iter_mut().enumerate() {
            *alive &= pending[word];
            if broken {
                *alive &= !self.own[word];
            }
        }
        let possible = broken || alive.iter().zip(&self.own).any(|(alive, own)| alive & own != 0);
        possible.then_some(State { alive, broken })
    }

    fn intern(&mut self, level: usize, by_class: Vec<u32>) -> u32 {
        if by_class.iter().all(|&child| child == DEAD) {
            return DEAD;
        }
        if let Some(&node) = self.unique[level].get(&by_class) {
            return node;
        }
        let of = &mut self.levels[level];
        let node = u32::try_from(of.nodes()).unwrap_or(u32::MAX);
        let given = self.given.get(level);
        for (value, &class) in (0..=u8::MAX).zip(&self.classes[level].of) {
            if by_class[class] != DEAD && given.is_none_or(|given| *given == value) {
                of.edges.push((value, by_class[class]));
            }
        }
        of.starts.push(of.edges.len());
        self.unique[level].insert(by_class, node);
        node
    }
}
