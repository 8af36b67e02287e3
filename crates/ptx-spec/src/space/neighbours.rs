//! Variants two choices away from the simplest one: they find faults that need two particular other
//! choices, which a covering array of pairs need not have in one variant.

use rustc_hash::FxHashMap;

use super::diagram::{DEAD, Diagram};
use super::{Slice, Values};
use crate::spec::{Choice, Cube, Form};

/// Axes with more values are not varied: the patterns of sinks, and the writing.
const MOST_VALUES: usize = 32;

/// Up to `limit` variants of a space that differ from its simplest one in one or two choices of the line:
/// first those that differ only in modifiers, then the others, evenly spread.
pub fn neighbours(form: &Form, space: &Diagram, limit: usize) -> Vec<Values> {
    let Some(base) = Slice::new(&space.all(), &Cube::default()).simplest() else { return Vec::new() };
    let varied = |axis: usize| {
        let of = &form.axes[axis];
        !of.choice.is_of_environment() && of.claimed.len() <= MOST_VALUES
    };
    let is_new = |axis: usize, value: u8| value != base[axis] && form.axes[axis].claimed.contains(value);
    let (mut modifiers, mut others) = (Vec::new(), Vec::new());
    let mut keep = |changes: [(usize, u8); 2]| {
        let plain = changes.iter().all(|(axis, _)| form.axes[*axis].choice == Choice::Modifier);
        if plain { &mut modifiers } else { &mut others }.push(changes);
    };
    let mut tail = Tail { space, base: &base, known: FxHashMap::default() };
    let mut on_base = space.root;
    for first in 0..base.len() {
        for &(one, below) in space.edges(first, on_base).iter().filter(|(one, _)| varied(first) && is_new(first, *one))
        {
            let mut node = below;
            for (second, &kept) in base.iter().enumerate().skip(first + 1) {
                let edges = space.edges(second, node).iter().filter(|(two, _)| varied(second) && is_new(second, *two));
                for &(two, _) in edges.filter(|(_, below)| tail.follows(second + 1, *below)) {
                    keep([(first, one), (second, two)]);
                }
                node = space.child(second, node, kept);
                if node == DEAD {
                    break;
                }
            }
            if node != DEAD {
                keep([(first, one); 2]);
            }
        }
        on_base = space.child(first, on_base, base[first]);
    }
    modifiers.truncate(limit);
    let rest = limit - modifiers.len();
    // A step of one would take them all from the first axes.
    let step = others.len().div_ceil(rest.max(1)).max(1);
    modifiers.extend(others.into_iter().step_by(step).take(rest));
    let changed = |changes: [(usize, u8); 2]| {
        let mut values = base.clone();
        changes.into_iter().for_each(|(axis, value)| values[axis] = value);
        values
    };
    modifiers.into_iter().map(changed).collect()
}

/// The last choices of a variant.
struct Tail<'a> {
    space: &'a Diagram,
    base: &'a [u8],
    known: FxHashMap<(usize, u32), bool>,
}

impl Tail<'_> {
    /// True if the choices of these axes may follow at a node.
    fn follows(&mut self, level: usize, node: u32) -> bool {
        let Some(&value) = self.base.get(level) else { return node != DEAD };
        if node == DEAD {
            return false;
        }
        if let Some(&known) = self.known.get(&(level, node)) {
            return known;
        }
        let follows = self.follows(level + 1, self.space.child(level, node, value));
        self.known.insert((level, node), follows);
        follows
    }
}
