//! From points to cubes: finds the choices that failing variants have in common and passing ones do not.
//!
//! A cube names few axes; the others are free. For a failing variant, the search finds the fewest axes such
//! that every passing variant differs from it in one of them (a smallest hitting set). Then the sets of
//! values grow as far as failing variants support it and no passing one contradicts it.

use rustc_hash::FxHashSet;

use crate::space::{EnvironmentValues, Values};
use crate::spec::{Cube, ValueSet};

/// The most axes that are found exactly; further ones are found one by one.
const SMALL: u32 = 4;
/// In a cube around all failing variants, each named axis must exclude at least one in this many of the
/// variants.
const KEPT_OUT: usize = 20;
/// The number of equally good cubes that are kept.
pub(crate) const CANDIDATES: usize = 5;

/// The most sets of axes that are grown to cubes around one failing variant.
const GROWN: usize = 64;
/// The most cubes that a cover is made of: where that many are not enough, the failures have no few conditions.
const COVERING: usize = 48;

/// The variants that fail and those that pass.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points {
    /// They fail.
    pub(crate) fails: Vec<Values>,
    /// They pass.
    pub(crate) passes: Vec<Values>,
}

/// The work that may still be spent on proposals, counted in comparisons of a point or a set. It is no clock, so that a
/// search ends at the same question on every machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget(pub(crate) u64);

impl Budget {
    fn spend(&mut self, steps: usize) {
        self.0 = self.0.saturating_sub(steps as u64);
    }

    /// True if nothing of the budget is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

/// The cubes that explain the failing variants.
#[derive(Debug, Default)]
pub(crate) struct CubeCover {
    /// Each entry is one cause, as far as the points tell: the best cube first, then others that fit the points
    /// equally well.
    pub(crate) causes: Vec<Vec<Cube>>,
    /// True if the causes contain every failing variant. If not, the failures have too many conditions, or the budget
    /// is spent.
    pub(crate) complete: bool,
}

/// Cubes that together contain every failing variant and no passing one.
pub(crate) fn cover(points: &Points, budget: &mut Budget) -> CubeCover {
    let mut fails: Vec<&Values> = points.fails.iter().collect();
    fails.sort_by_key(|values| (crate::space::distance(values), (*values).clone()));
    let mut open = fails.clone();
    let mut causes: Vec<Vec<Cube>> = Vec::new();
    while let Some(seed) = open.first().copied() {
        if causes.len() == COVERING || budget.is_spent() {
            break;
        }
        let candidates = expand(seed, points, budget);
        let Some(best) = candidates.first() else { break };
        open.retain(|values| !best.contains(values) && *values != seed);
        causes.push(candidates);
    }
    let best: Vec<Cube> = causes.iter().map(|candidates| candidates[0].clone()).collect();
    let least = least(&best, &fails);
    let kept = causes.into_iter().zip(least).filter_map(|(mut candidates, own)| {
        candidates[0] = own?;
        Some(candidates)
    });
    CubeCover { causes: kept.collect(), complete: open.is_empty() && !budget.is_spent() }
}

/// The part of each cube that is needed to explain the failing variants: `None` if other cubes explain all of its
/// own.
pub(crate) fn least(cubes: &[Cube], fails: &[&Values]) -> Vec<Option<Cube>> {
    let mut kept: Vec<Option<Cube>> = cubes.iter().cloned().map(Some).collect();
    let explained = |cube: &Cube| fails.iter().filter(|values| cube.contains(values)).count();
    // Where there is a choice, the one that explains least goes.
    let mut order: Vec<usize> = (0..cubes.len()).collect();
    order.sort_by_key(|&at| explained(&cubes[at]));
    for at in order {
        if own(&cubes[at], at, &kept, fails).is_empty() {
            kept[at] = None;
        }
    }
    // One after the other: a failing variant that two cubes explain, and the first gives up, is then the second's own.
    for at in 0..kept.len() {
        if let Some(cube) = &kept[at] {
            kept[at] = Some(without_foreign(cube, &own(cube, at, &kept, fails)));
        }
    }
    kept
}

/// The failing variants that the cube at a position explains and no other one does.
fn own<'v>(cube: &Cube, at: usize, kept: &[Option<Cube>], fails: &[&'v Values]) -> Vec<&'v Values> {
    let others = || kept.iter().enumerate().filter(|(other, _)| *other != at).filter_map(|(_, cube)| cube.as_ref());
    let own = |values: &&Values| cube.contains(values) && !others().any(|other| other.contains(values));
    fails.iter().copied().filter(own).collect()
}

/// Leaves out values that none of its own failing variants has.
fn without_foreign(cube: &Cube, own: &[&Values]) -> Cube {
    let spoken =
        |axis: usize| own.iter().fold(ValueSet::default(), |set, values| set.or(&ValueSet::only(values[axis])));
    Cube::new(cube.sets().iter().map(|(axis, set)| (*axis, set.and(&spoken(*axis)))))
}

/// The cube around all failing variants, for failures that no combination distinguishes from passes. It
/// names only axes that keep out many that pass, beside those that it has in it.
pub(crate) fn around(points: &Points) -> Cube {
    // Cubes are searched within one environment.
    let axes = EnvironmentValues::AXES..points.fails.first().map_or(EnvironmentValues::AXES, Vec::len);
    let spoken = |axis: usize| {
        points.fails.iter().fold(ValueSet::default(), |set, values| set.or(&ValueSet::only(values[axis])))
    };
    let mut cube = Cube::new(axes.map(|axis| (axis, spoken(axis))));
    loop {
        let inside = points.passes.iter().filter(|values| cube.contains(values)).count();
        let without = |axis: usize| Cube::new(cube.sets().iter().copied().filter(|(named, _)| *named != axis));
        let more = |cube: &Cube| points.passes.iter().filter(|values| cube.contains(values)).count() - inside;
        let wider = cube.sets().iter().map(|(axis, _)| without(*axis));
        let Some((more, wider)) = wider.map(|wider| (more(&wider), wider)).min_by_key(|(more, _)| *more) else {
            return cube;
        };
        if more * KEPT_OUT > inside + points.fails.len() {
            return cube;
        }
        cube = wider;
    }
}

/// The cubes with the fewest axes that contain this failing variant and no passing one; among those, the
/// ones with the most failing variants.
fn expand(seed: &Values, points: &Points, budget: &mut Budget) -> Vec<Cube> {
    let axes: Vec<usize> = (EnvironmentValues::AXES..seed.len().min(64)).collect();
    // A set of axes keeps out a passing variant if it has an axis in which that differs from the seed: a hit of this mask.
    let differs =
        |values: &Values| axes.iter().fold(0_u64, |mask, &axis| mask | u64::from(values[axis] != seed[axis]) << axis);
    let mut masks: Vec<u64> = points.passes.iter().map(differs).collect();
    masks.sort_unstable_by_key(|mask| (mask.count_ones(), *mask));
    masks.dedup();
    budget.spend(points.passes.len());
    // A set that hits a mask hits every mask that contains it.
    let mut least: Vec<u64> = Vec::new();
    for mask in masks {
        budget.spend(least.len());
        if !least.iter().any(|known| known & mask == *known) {
            least.push(mask);
        }
    }
    let mut sets = hitting(&axes, &least, budget);
    if sets.len() > GROWN {
        // A few points fit thousands of sets, of which those with the most failing variants matter.
        let failing: Vec<u64> = points.fails.iter().map(differs).collect();
        budget.spend(failing.len() * sets.len());
        sets.sort_by_cached_key(|set| failing.iter().filter(|differs| *differs & set != 0).count());
        sets.truncate(GROWN);
    }
    let of = |set: u64| axes.iter().copied().filter(|axis| set >> axis & 1 == 1).collect::<Vec<usize>>();
    let mut cubes: Vec<Cube> = sets.into_iter().map(|set| grow(seed, &of(set), points, budget)).collect();
    cubes.dedup();
    let explained = |cube: &Cube| points.fails.iter().filter(|values| cube.contains(values)).count();
    budget.spend(points.fails.len() * cubes.len());
    cubes.sort_by_cached_key(|cube| std::cmp::Reverse(explained(cube)));
    cubes.truncate(CANDIDATES);
    cubes
}

/// The smallest sets of axes that intersect every mask, as masks.
fn hitting(axes: &[usize], masks: &[u64], budget: &mut Budget) -> Vec<u64> {
    for size in 0..=SMALL {
        let mut sets = HittingSets { masks, size, tried: FxHashSet::default(), found: Vec::new(), budget };
        sets.choose(0);
        if !sets.found.is_empty() {
            return sets.found;
        }
    }
    // With many axes: greedily take the one that hits most of the rest.
    let mut chosen = 0;
    let mut left: Vec<u64> = masks.to_vec();
    while !left.is_empty() {
        budget.spend(left.len() * axes.len());
        let hits = |axis: usize| left.iter().filter(|mask| *mask >> axis & 1 == 1).count();
        // Reversed, since the last of equal ones is taken: the first axis that hits as many.
        let Some(&best) = axes.iter().rev().max_by_key(|axis| hits(**axis)) else { break };
        if hits(best) == 0 {
            break;
        }
        left.retain(|mask| mask >> best & 1 == 0);
        chosen |= 1 << best;
    }
    vec![chosen]
}

/// The enumeration of sets of axes that intersect every mask.
struct HittingSets<'a> {
    masks: &'a [u64],
    /// The most axes of a set.
    size: u32,
    /// The parts of sets that were tried: the order in which axes are chosen does not matter.
    tried: FxHashSet<u64>,
    found: Vec<u64>,
    budget: &'a mut Budget,
}

impl HittingSets<'_> {
    fn choose(&mut self, chosen: u64) {
        if self.budget.is_spent() || !self.tried.insert(chosen) {
            return;
        }
        let missed = self.masks.iter().position(|mask| mask & chosen == 0);
        self.budget.spend(missed.unwrap_or(self.masks.len()) + 1);
        let Some(missed) = missed else { return self.found.push(chosen) };
        if chosen.count_ones() < self.size {
            let mask = self.masks[missed];
            (0..u64::BITS).filter(|axis| mask >> axis & 1 == 1).for_each(|axis| self.choose(chosen | 1 << axis));
        }
    }
}

/// The cube around a failing variant that names these axes, each with as many values as failing variants
/// support and no passing one contradicts.
fn grow(seed: &Values, axes: &[usize], points: &Points, budget: &mut Budget) -> Cube {
    let mut sets: Vec<(usize, ValueSet)> = axes.iter().map(|&axis| (axis, ValueSet::only(seed[axis]))).collect();
    // After one axis has grown, another may be able to.
    loop {
        let before = sets.clone();
        for at in 0..sets.len() {
            let axis = sets[at].0;
            let elsewhere =
                |values: &Values| sets.iter().all(|(other, set)| *other == axis || set.contains(values[*other]));
            let of = |points: &[Values]| {
                points
                    .iter()
                    .filter(|v| elsewhere(v))
                    .fold(ValueSet::default(), |set, v| set.or(&ValueSet::only(v[axis])))
            };
            budget.spend(points.fails.len() + points.passes.len());
            let (fails, passes) = (of(&points.fails), of(&points.passes));
            sets[at].1 = sets[at].1.or(&fails.without(&passes));
        }
        if sets == before {
            return Cube::new(sets);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of four axes with three values each, after an environment; `fails` says which fail.
    fn points(mut fails: impl FnMut(&[u8]) -> bool) -> Points {
        let mut points = Points::default();
        for number in 0..81_u8 {
            let line = [number / 27, number / 9 % 3, number / 3 % 3, number % 3];
            let values: Values = [&*EnvironmentValues::new(0, 0, 0), &line].concat();
            if fails(&line) { points.fails.push(values) } else { points.passes.push(values) }
        }
        points
    }

    fn found(points: &Points) -> Vec<Vec<Cube>> {
        let cover = cover(points, &mut Budget(u64::MAX));
        assert!(cover.complete);
        cover.causes
    }

    fn named(cube: &Cube) -> Vec<(usize, Vec<u8>)> {
        cube.sets().iter().map(|(axis, set)| (axis - EnvironmentValues::AXES, set.iter().collect())).collect()
    }

    #[test]
    fn one_condition_is_found_exactly() {
        let all = found(&points(|v| v[1] == 2 && v[3] != 0));
        assert_eq!(all.len(), 1);
        assert_eq!(named(&all[0][0]), [(1, vec![2]), (3, vec![1, 2])]);
    }

    #[test]
    fn two_causes_are_found_separately() {
        let all = found(&points(|v| v[0] == 1 || (v[1] == 2 && v[2] == 2)));
        let mut cubes: Vec<_> = all.iter().map(|cubes| named(&cubes[0])).collect();
        cubes.sort();
        assert_eq!(cubes, [vec![(0, vec![1])], vec![(1, vec![2]), (2, vec![2])]]);
    }

    #[test]
    fn a_cube_that_explains_nothing_of_its_own_is_left_out() {
        let all = points(|v| v[0] == 1 || v[1] == 2);
        let cube = |axis: usize, value: u8| (axis + EnvironmentValues::AXES, ValueSet::only(value));
        let overlapping = [Cube::new([cube(0, 1)]), Cube::new([cube(1, 2)]), Cube::new([cube(0, 1), cube(2, 0)])];
        let fails: Vec<&Values> = all.fails.iter().collect();
        let least = least(&overlapping, &fails);
        assert_eq!(least, [Some(overlapping[0].clone()), Some(overlapping[1].clone()), None]);
    }

    #[test]
    fn random_failures_have_a_cube_around_them() {
        let mut number = 0_u64;
        let all = points(|v| {
            number = number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            v[0] == 1 && v[1] != 2 && number >> 63 == 1
        });
        assert_eq!(named(&around(&all)), [(0, vec![1]), (1, vec![0, 1])]);
    }

    #[test]
    fn constant_failures_have_no_condition() {
        let all = found(&points(|_| true));
        assert_eq!(all.len(), 1);
        assert_eq!(all[0][0], Cube::default());
    }
}
