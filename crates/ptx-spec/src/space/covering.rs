//! Covering arrays: few variants in which every possible combination of `t` choices occurs.

use rustc_hash::FxHashSet;

use super::{Region, Values};
use crate::must::Must;
use crate::spec::ValueSet;

/// Variants of the region that contain every combination of values of any `strength` axes that occurs in
/// the region. Deterministic; in the order in which they were found.
///
/// Greedy, one row at a time: a combination not yet covered is completed to a variant, choosing for
/// each axis the value that covers most.
pub fn covering(region: &Region<'_>, strength: usize) -> Vec<Values> {
    covering_more(region, strength, &[])
}

/// Variants as [`covering`] has them, which also contain every combination of values of any two of the axes `related`.
pub fn covering_more(region: &Region<'_>, strength: usize, related: &[usize]) -> Vec<Values> {
    let free: Vec<usize> = (region.prefix().len()..region.widths().len()).collect();
    let mut cover = Cover::new(region, free, strength, related);
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
            let found = region.complete(&given, &mut dead, |level, values, choices| {
                cover.order(level, values, &given, choices);
            });
            match found {
                Some(values) => {
                    cover.mark(&values);
                    rows.push(values);
                }
                // Each pair of it occurs in some variant, but no variant has all of it.
                None => cover.groups[group].close(slot),
            }
        }
    }
    rows
}

/// The combinations of some axes, and which of them are not covered yet.
struct AxisGroup {
    axes: Vec<usize>,
    open: Vec<bool>,
    /// How many of them are not covered yet.
    left: usize,
}

impl AxisGroup {
    /// A combination is covered.
    fn close(&mut self, slot: usize) {
        self.left -= usize::from(std::mem::replace(&mut self.open[slot], false));
    }
}

struct Cover {
    widths: Vec<usize>,
    groups: Vec<AxisGroup>,
    /// For each axis, the groups it is the last axis of.
    ending: Vec<Vec<usize>>,
}

impl Cover {
    fn new(region: &Region<'_>, free: Vec<usize>, strength: usize, related: &[usize]) -> Self {
        let widths = region.widths().to_vec();
        // There is no axis after all others, so this asks which values occur at all.
        let occurring = region.together(usize::MAX, 0);
        let free: Vec<usize> = free.into_iter().filter(|&axis| occurring[axis].len() > 1).collect();
        let occurs = |axis: usize, value: u8| occurring[axis].contains(value);
        // For each axis and value, the values of later axes that occur together with it.
        let together: Vec<Vec<Vec<ValueSet>>> = (0..widths.len())
            .map(|axis| {
                let needed = free.contains(&axis) && (strength > 1 || related.contains(&axis));
                let of = |value: u8| if occurs(axis, value) { region.together(axis, value) } else { Vec::new() };
                if needed { (0..=u8::MAX).take(widths[axis]).map(of).collect() } else { Vec::new() }
            })
            .collect();
        let occur = |a: usize, x: u8, b: usize, y: u8| together[a][usize::from(x)][b].contains(y);
        let mut groups = Vec::new();
        let mut ending = vec![Vec::new(); widths.len()];
        let related: Vec<usize> = free.iter().copied().filter(|axis| related.contains(axis)).collect();
        let closer = if strength < 2 && related.len() > 1 { combinations(&related, 2) } else { Vec::new() };
        for axes in closer.into_iter().chain(combinations(&free, strength.min(free.len()))) {
            let slots: usize = axes.iter().map(|&axis| widths[axis]).product();
            let mut values = vec![0; axes.len()];
            let mut open = Vec::with_capacity(slots);
            // Combinations with pairs that do not occur count as covered from the start.
            for _ in 0..slots {
                open.push((0..axes.len()).all(|i| {
                    occurs(axes[i], values[i])
                        && (i + 1..axes.len()).all(|j| occur(axes[i], values[i], axes[j], values[j]))
                }));
                advance(&mut values, &axes, &widths);
            }
            if let Some(&last) = axes.last() {
                ending[last].push(groups.len());
            }
            let left = open.iter().filter(|open| **open).count();
            groups.push(AxisGroup { axes, open, left });
        }
        Self { widths, groups, ending }
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
        let mut gains = [0_u32; 256];
        for group in self.ending[level].iter().map(|&group| &self.groups[group]).filter(|group| group.left > 0) {
            // The level is the last axis, so that the others say where its values begin.
            let before = &group.axes[..group.axes.len() - 1];
            if let Some(start) = join(before.iter().map(|&axis| known(axis)), before, &self.widths) {
                let open = &group.open[start * self.widths[level]..];
                choices.iter().for_each(|&value| gains[usize::from(value)] += u32::from(open[usize::from(value)]));
            }
        }
        // The sort is stable: of values that cover as much, the first one, which is the simplest, stays first.
        choices.sort_by_key(|&value| std::cmp::Reverse(gains[usize::from(value)]));
    }

    fn mark(&mut self, values: &[u8]) {
        for group in &mut self.groups {
            let slot = join(group.axes.iter().map(|&axis| Some(values[axis])), &group.axes, &self.widths);
            if let Some(slot) = slot {
                group.close(slot);
            }
        }
    }
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

/// Makes values those of the next slot; those of the last become those of the first.
fn advance(values: &mut [u8], axes: &[usize], widths: &[usize]) {
    for (value, &axis) in values.iter_mut().zip(axes).rev() {
        if usize::from(*value) + 1 < widths[axis] {
            *value += 1;
            return;
        }
        *value = 0;
    }
}

/// The values of a slot.
fn split(mut slot: usize, axes: &[usize], widths: &[usize]) -> Vec<u8> {
    let mut values = vec![0; axes.len()];
    for (value, &axis) in values.iter_mut().zip(axes).rev() {
        *value = u8::try_from(slot % widths[axis]).must("an axis has at most 255 values");
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
