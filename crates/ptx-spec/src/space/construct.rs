//! Builds diagrams top-down: the state of a node is the set of forbidden cubes that the choices made so
//! far are still inside of. Paths with the same state share all that follows.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::diagram::{DEAD, Diagram, Level};
use crate::must::Must;
use crate::spec::{Cube, Form};

impl Diagram {
    /// The variants of a form that break no rule.
    pub fn valid(form: &Form) -> Self {
        Self::inside(form, None, &Cube::default())
    }

    /// The variants of a form that break exactly this rule.
    pub fn breaking(form: &Form, rule: usize) -> Self {
        Self::inside(form, Some(rule), &Cube::default())
    }

    /// The variants of a combination that break no rule, or exactly one. Much smaller than the whole diagram if the
    /// environment is given.
    pub fn inside(form: &Form, rule: Option<usize>, cube: &Cube) -> Self {
        DiagramBuilder::new(form, rule, cube, |_| true).build()
    }

    /// The variants with these first choices that break no rule, or exactly one.
    pub fn within(form: &Form, rule: Option<usize>, choices: &[u8]) -> Self {
        Self::inside(form, rule, &Cube::default().at(choices))
    }

    /// The variants of a combination that break this rule, and possibly other constraints and needs.
    pub fn breaking_at_least(form: &Form, rule: usize, cube: &Cube) -> Self {
        DiagramBuilder::new(form, Some(rule), cube, |other| other == rule || !form.rules[other].kind.breakable())
            .build()
    }
}

/// The state of a node under construction: the forbidden cubes that the choices above it do not rule out,
/// and whether the rule to break is broken already.
#[derive(Clone, PartialEq, Eq, Hash)]
struct NodeState {
    /// Rarely more than four words; a vector for each of the many states would take a third of the time.
    alive: SmallVec<[u64; 4]>,
    broken: bool,
}

/// The child of a node for each class of values.
type Children = SmallVec<[u32; 8]>;

/// The values of an axis, grouped into classes that remove the same cubes; most axes have few such classes.
struct Classes {
    /// The cubes that each class removes.
    killed: Vec<Vec<u64>>,
    /// The class of each value.
    of: Vec<usize>,
    /// For each class, true if its values are allowed.
    allowed: Vec<bool>,
}

impl Classes {
    fn new(form: &Form, level: usize, allowed: &[bool], cubes: &[usize]) -> Self {
        let words = cubes.len().div_ceil(64);
        let mut deciding = vec![0_u64; form.cubes().div_ceil(64)];
        cubes.iter().for_each(|&cube| deciding[cube / 64] |= 1 << (cube % 64));
        let mut classes = Self { killed: Vec::new(), of: Vec::new(), allowed: Vec::new() };
        // The sets of each class among all cubes: few, so that most values need no set of their own.
        let mut known: Vec<Vec<u64>> = Vec::new();
        for (value, allowed) in allowed.iter().enumerate() {
            let killed = || form.killed(level, value).iter().zip(&deciding).map(|(killed, deciding)| killed & deciding);
            let class = known.iter().position(|known| killed().eq(known.iter().copied())).unwrap_or(known.len());
            if class == known.len() {
                let all: Vec<u64> = killed().collect();
                let mut own = vec![0; words];
                for (at, &cube) in cubes.iter().enumerate() {
                    own[at / 64] |= (all[cube / 64] >> (cube % 64) & 1) << (at % 64);
                }
                known.push(all);
                classes.killed.push(own);
                classes.allowed.push(false);
            }
            classes.allowed[class] |= allowed;
            classes.of.push(class);
        }
        classes
    }
}

/// The cubes that can decide whether a variant is in the diagram, ascending: those that contain an allowed variant,
/// and, if a rule is to be broken, one that breaks it. Most cubes of a form have nothing in common with those of
/// one rule.
fn deciding(form: &Form, target: Option<usize>, allowed: &[Vec<bool>], keep: impl Fn(usize) -> bool) -> Vec<usize> {
    let words = form.cubes().div_ceil(64);
    let has = |cubes: &[u64], cube: usize| cubes[cube / 64] >> (cube % 64) & 1 == 1;
    // The cubes that have an allowed variant in common with one, or with the whole space.
    let meeting = |one: Option<usize>| {
        let mut met = vec![u64::MAX; words];
        for (level, allowed) in allowed.iter().enumerate() {
            let mut meets = vec![0; words];
            for value in (0..allowed.len()).filter(|&value| allowed[value]) {
                let killed = form.killed(level, value);
                if one.is_none_or(|one| !has(killed, one)) {
                    meets.iter_mut().zip(killed).for_each(|(meets, killed)| *meets |= !killed);
                }
            }
            met.iter_mut().zip(meets).for_each(|(met, meets)| *met &= meets);
        }
        met
    };
    let mut cubes = vec![0; words];
    match target {
        None => cubes = meeting(None),
        Some(rule) => {
            for own in (0..form.cubes()).filter(|&cube| form.rule_of_cube(cube) == rule) {
                cubes.iter_mut().zip(meeting(Some(own))).for_each(|(cubes, met)| *cubes |= met);
            }
        }
    }
    (0..form.cubes()).filter(|&cube| has(&cubes, cube) && keep(form.rule_of_cube(cube))).collect()
}

/// Builds a diagram from the top. Sets of cubes have a bit for each deciding cube.
struct DiagramBuilder<'a> {
    form: &'a Form,
    target: Option<usize>,
    /// For each level, the cubes that name this axis or a later one.
    pending: Vec<Vec<u64>>,
    /// The cubes of the rule to break.
    own: Vec<u64>,
    classes: Vec<Classes>,
    memo: Vec<FxHashMap<NodeState, u32>>,
    unique: Vec<FxHashMap<Children, u32>>,
    levels: Vec<Level>,
    /// For each value of each level, true if it is allowed.
    allowed: Vec<Vec<bool>>,
}

impl<'a> DiagramBuilder<'a> {
    fn new(form: &'a Form, target: Option<usize>, cube: &Cube, keep: impl Fn(usize) -> bool) -> Self {
        let depth = form.axes.len();
        let mut allowed: Vec<Vec<bool>> = form.axes.iter().map(|axis| vec![true; axis.values.len()]).collect();
        for (axis, set) in cube.sets() {
            (0..=u8::MAX).zip(&mut allowed[*axis]).for_each(|(value, allowed)| *allowed = set.contains(value));
        }
        let cubes = deciding(form, target, &allowed, keep);
        let words = cubes.len().div_ceil(64);
        let classes: Vec<Classes> =
            (0..depth).map(|level| Classes::new(form, level, &allowed[level], &cubes)).collect();
        let mut pending = vec![vec![0_u64; words]; depth + 1];
        let mut own = vec![0_u64; words];
        for (at, &cube) in cubes.iter().enumerate() {
            let (word, bit) = (at / 64, 1 << (at % 64));
            if Some(form.rule_of_cube(cube)) == target {
                own[word] |= bit;
            }
            let names = |level: &usize| classes[*level].killed.iter().any(|killed| killed[word] & bit != 0);
            // A cube that rules out no value forbids everything: it is decided before the first axis.
            let last = (0..depth).rev().find(names).unwrap_or(0);
            for level in &mut pending[..=last] {
                level[word] |= bit;
            }
        }
        Self {
            form,
            target,
            pending,
            own,
            classes,
            memo: vec![FxHashMap::default(); depth],
            unique: vec![FxHashMap::default(); depth],
            levels: vec![Level::new(); depth],
            allowed,
        }
    }

    fn build(mut self) -> Diagram {
        let start = NodeState { alive: SmallVec::from_slice(&self.pending[0]), broken: self.target.is_none() };
        let root = self.node(0, start);
        let widths: Vec<usize> = self.form.axes.iter().map(|axis| axis.values.len()).collect();
        Diagram::new(widths, self.levels, root)
    }

    /// The node of this state, or `DEAD` if there is nothing below it.
    fn node(&mut self, level: usize, state: NodeState) -> u32 {
        if level == self.form.axes.len() {
            // Below the last axis there is one node, which is not `DEAD`.
            return u32::from(state.broken);
        }
        if let Some(&node) = self.memo[level].get(&state) {
            return node;
        }
        let mut by_class = Children::new();
        for class in 0..self.classes[level].killed.len() {
            if !self.classes[level].allowed[class] {
                by_class.push(DEAD);
                continue;
            }
            by_class.push(match self.next(level, &state, &self.classes[level].killed[class]) {
                Some(next) => self.node(level + 1, next),
                None => DEAD,
            });
        }
        let node = self.intern(level, by_class);
        self.memo[level].insert(state, node);
        node
    }

    /// The state below a choice that removes these cubes; `None` if the choice breaks another rule, or if the rule to
    /// break can no longer be broken.
    fn next(&self, level: usize, state: &NodeState, killed: &[u64]) -> Option<NodeState> {
        let pending = &self.pending[level + 1];
        let mut broken = state.broken;
        let mut possible = false;
        // Most choices end here, before there is anything to allocate.
        for (word, (alive, killed)) in state.alive.iter().zip(killed).enumerate() {
            let (alive, own) = (alive & !killed, self.own[word]);
            let done = alive & !pending[word];
            if done & !own != 0 {
                return None;
            }
            broken |= done & own != 0;
            possible |= alive & pending[word] & own != 0;
        }
        if !broken && !possible {
            return None;
        }
        let kept = |(word, (alive, killed)): (usize, (&u64, &u64))| {
            // Once the rule is broken, its other cubes change nothing; without them more states are the same.
            let own = if broken { self.own[word] } else { 0 };
            alive & !killed & pending[word] & !own
        };
        let alive = state.alive.iter().zip(killed).enumerate().map(kept).collect();
        Some(NodeState { alive, broken })
    }

    fn intern(&mut self, level: usize, by_class: Children) -> u32 {
        if by_class.iter().all(|&child| child == DEAD) {
            return DEAD;
        }
        if let Some(&node) = self.unique[level].get(&by_class) {
            return node;
        }
        let of = &mut self.levels[level];
        let node = u32::try_from(of.nodes()).must("a level of more than 2^32 nodes does not fit into memory");
        for ((value, &class), allowed) in (0..=u8::MAX).zip(&self.classes[level].of).zip(&self.allowed[level]) {
            if by_class[class] != DEAD && *allowed {
                of.edges.push((value, by_class[class]));
            }
        }
        of.starts.push(of.edges.len());
        self.unique[level].insert(by_class, node);
        node
    }
}
