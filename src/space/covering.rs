//! Covering arrays: few variants in which every possible combination of `t` choices occurs.

use rustc_hash::FxHashSet;

use super::{Diagram, Region, Values};

/// Variants of the region such that every combination of values of any `strength` axes that occurs
/// in the region at all occurs in one of them. Deterministic; in the order they were found.
///
/// Greedy, one row at a time: a combination not yet covered is completed to a variant, choosing for
/// each axis the value that covers most.
pub fn covering(region: &Region<'_>, strength: usize) -> Vec<Values> {
    let free: Vec<usize> = (region.prefix().len()..region.widths().len()).collect();
    let mut cover = Cover::new(region, free, strength);
    if region.count() == 0 {
        return Vec::new();
    }
    let mut rows = Vec::new();
    for group in 0..cover.groups.len() {
        for slot in 0..cover.groups[group].open.len() {
            if !cover.groups[group].open[slot] {
                continue;
            }
            let given = cover.given(group, slot);
            let mut dead = FxHashSet::default();
            let found = Diagram::complete(region, &given, &mut dead, |level, values, choices| {
                cover.order(level, values, &given, choices);
            });
            match found {
                Some(values) => {
                    cover.mark(&values);
                    rows.push(values);
                }
                None => cover.groups[group].open[slot] = false,
            }
        }
    }
    if rows.is_empty() {
        rows.extend(region.unrank(0));
    }
    rows
}

/// The combinations of some axes, and which of them are not covered yet.
struct Group {
    axes: Vec<usize>,
    open: Vec<bool>,
}

struct Cover {
    widths: Vec<usize>,
    groups: Vec<Group>,
    /// For each axis, the pairs it is the later one of: (earlier axis, group), to look ahead.
    pairs: Vec<Vec<(usize, usize)>>,
    /// For each axis and value, how many open combinations of its pair groups name it.
    strength: usize,
}

impl Cover {
    fn new(region: &Region<'_>, free: Vec<usize>, strength: usize) -> Self {
        let widths = region.widths().to_vec();
        let possible = possible_values(region);
        let free: Vec<usize> = free.into_iter().filter(|&axis| possible[axis].len() > 1).collect();
        let mut groups = Vec::new();
        let mut pairs = vec![Vec::new(); widths.len()];
        for axes in combinations(&free, strength.min(free.len())) {
            let mut open = vec![true; axes.iter().map(|&axis| widths[axis]).product()];
            // Values that no variant has are covered from the start.
            for (slot, open) in open.iter_mut().enumerate() {
                let values = split(slot, &axes, &widths);
                *open = axes.iter().zip(&values).all(|(&axis, value)| possible[axis].contains(value));
            }
            if let Some((&last, earlier)) = axes.split_last() {
                pairs[last].push((earlier.first().copied().unwrap_or(last), groups.len()));
            }
            groups.push(Group { axes, open });
        }
        Self { widths, groups, pairs, strength }
    }

    fn given(&self, group: usize, slot: usize) -> Vec<Option<u8>> {
        let mut given = vec![None; self.widths.len()];
        let axes = &self.groups[group].axes;
        for (&axis, value) in axes.iter().zip(split(slot, axes, &self.widths)) {
            given[axis] = Some(value);
        }
        given
    }

    /// Puts the values of an axis that cover most first.
    fn order(&self, level: usize, values: &[u8], given: &[Option<u8>], choices: &mut [u8]) {
        if choices.len() < 2 {
            return;
        }
        let known = |axis: usize| values.get(axis).copied().or(given[axis]);
        let gain = |value: u8| {
            let covers = |&&(_, group): &&(usize, usize)| {
                let group = &self.groups[group];
                let slot = join(group.axes.iter().map(|&axis| if axis == level { Some(value) } else { known(axis) }), &group.axes, &self.widths);
                slot.is_some_and(|slot| group.open[slot])
            };
            self.pairs[level].iter().filter(covers).count()
        };
        choices.sort_by_cached_key(|&value| std::cmp::Reverse(gain(value)));
    }

    fn mark(&mut self, values: &[u8]) {
        debug_assert!(self.strength > 0);
        for group in &mut self.groups {
            let slot = join(group.axes.iter().map(|&axis| Some(values[axis])), &group.axes, &self.widths);
            if let Some(slot) = slot {
                group.open[slot] = false;
            }
        }
    }
}

/// The values that each axis takes anywhere in the region.
fn possible_values(region: &Region<'_>) -> Vec<Vec<u8>> {
    let mut possible: Vec<Vec<u8>> = region.prefix().iter().map(|&value| vec![value]).collect();
    for axis in region.prefix().len()..region.widths().len() {
        let mut values = Vec::new();
        for value in 0..region.widths()[axis] {
            let Ok(value) = u8::try_from(value) else { continue };
            let mut given = vec![None; region.widths().len()];
            given[axis] = Some(value);
            if Diagram::complete(region, &given, &mut FxHashSet::default(), |_, _, _| {}).is_some() {
                values.push(value);
            }
        }
        possible.push(values);
    }
    possible
}

/// Every choice of `count` of the axes, ascending.
fn combinations(axes: &[usize], count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, &axis) in axes.iter().enumerate() {
        for mut rest in combinations(&axes[at + 1..], count - 1) {
            rest.insert(0, axis);
            all.push(rest);
        }
    }
    all
}

fn split(mut slot: usize, axes: &[usize], widths: &[usize]) -> Vec<u8> {
    let mut values = vec![0; axes.len()];
    for (value, &axis) in values.iter_mut().zip(axes).rev() {
        *value = u8::try_from(slot % widths[axis]).unwrap_or(u8::MAX);
        slot /= widths[axis];
    }
    values
}

fn join(values: impl Iterator<Item = Option<u8>>, axes: &[usize], widths: &[usize]) -> Option<usize> {
    let mut slot = 0;
    for (value, &axis) in values.zip(axes) {
        slot = slot * widths[axis] + usize::from(value?);
    }
    Some(slot)
}
