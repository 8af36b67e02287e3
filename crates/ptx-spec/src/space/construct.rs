//! Builds diagrams top-down: the state of a node is the set of forbidden cubes that the choices made so
//! far are still inside of. Paths with the same state share all that follows.

use rustc_hash::FxHashMap;

use super::diagram::{DEAD, Diagram, Level};
use crate::spec::Form;

impl Diagram {
    /// The variants of a form that break no rule.
    pub fn valid(form: &Form) -> Self {
        DiagramBuilder::new(form, None, &[], |_| true).build()
    }

    /// The variants of a form that break exactly this rule.
    pub fn breaking(form: &Form, rule: usize) -> Self {
        DiagramBuilder::new(form, Some(rule), &[], |_| true).build()
    }

    /// The variants with these first choices that break no rule, or exactly one. Much smaller than the
    /// whole diagram if the environment is given.
    pub fn within(form: &Form, rule: Option<usize>, choices: &[u8]) -> Self {
        DiagramBuilder::new(form, rule, choices, |_| true).build()
    }

    /// The variants that break this rule, and possibly other constraints and needs.
    pub fn breaking_at_least(form: &Form, rule: usize) -> Self {
        DiagramBuilder::new(form, Some(rule), &[], |other| other == rule || !form.rules[other].kind.breakable()).build()
    }

    /// The variants with these first choices that break this rule, and possibly other constraints and
    /// needs.
    pub fn breaking_within(form: &Form, rule: usize, choices: &[u8]) -> Self {
        DiagramBuilder::new(form, Some(rule), choices, |other| other == rule || !form.rules[other].kind.breakable())
            .build()
    }
}

/// The state of a node under construction: the forbidden cubes that the choices above it do not rule out,
/// and whether the rule to break is broken already.
#[derive(Clone, PartialEq, Eq, Hash)]
struct NodeState {
    alive: Vec<u64>,
    broken: bool,
}

/// The values of an axis, grouped into classes that remove the same cubes.
struct Classes<'a> {
    /// The cubes that each class removes.
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

/// Builds a diagram from the top.
struct DiagramBuilder<'a> {
    form: &'a Form,
    target: Option<usize>,
    /// For each level, the cubes that name this axis or a later one.
    pending: Vec<Vec<u64>>,
    /// The cubes of the rule to break.
    own: Vec<u64>,
    /// For each level, its values grouped by the cubes that they remove; most axes have few such classes.
    classes: Vec<Classes<'a>>,
    memo: Vec<FxHashMap<NodeState, u32>>,
    unique: Vec<FxHashMap<Vec<u32>, u32>>,
    levels: Vec<Level>,
    /// The first choices, if they are given.
    given: &'a [u8],
}

impl<'a> DiagramBuilder<'a> {
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
        let start = NodeState { alive: self.pending[0].clone(), broken: self.target.is_none() };
        let root = self.node(0, start);
        let widths: Vec<usize> = self.form.axes.iter().map(|axis| axis.values.len()).collect();
        Diagram::new(widths, self.levels, root)
    }

    /// The node of this state, or `DEAD` if there is nothing below it.
    fn node(&mut self, level: usize, state: NodeState) -> u32 {
        if level == self.form.axes.len() {
            return u32::from(state.broken);
        }
        if let Some(&node) = self.memo[level].get(&state) {
            return node;
        }
        let mut by_class = Vec::with_capacity(self.classes[level].killed.len());
        // If a choice is given, the classes of other values stay dead.
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

    /// The state below a choice; `None` if the choice breaks another rule, or if the rule to break can no
    /// longer be broken.
    fn next(&self, level: usize, state: &NodeState, mut alive: Vec<u64>) -> Option<NodeState> {
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
        possible.then_some(NodeState { alive, broken })
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
