//! Checks that need the space: contradictory rules, rules without effect, and rules that cannot be broken
//! alone.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::breaches::breakable;
use super::{Diagram, EnvironmentValues, Values};
use crate::spec::{Cube, Form, ValueSet};

/// The ways to break a rule: alone, or only with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// This many variants break only this rule.
    Alone(u128),
    /// Nothing breaks it alone: the fewest other rules broken with it. Empty if nothing breaks it at all.
    Subsumed(Vec<String>),
}

/// How many variants are examined to find what subsumes a rule: a diagram has too many to look at, so they are spread
/// evenly over it.
const SAMPLES: u128 = 4096;

/// For each rule that variants can break, whether it can be broken alone.
pub fn isolation(form: &Form) -> Vec<(usize, Isolation)> {
    let rules: Vec<usize> = breakable(form).collect();
    let isolate = |&rule: &usize| {
        let count = Diagram::breaking(form, rule).count();
        (rule, if count > 0 { Isolation::Alone(count) } else { Isolation::Subsumed(always_broken_with(form, rule)) })
    };
    rules.par_iter().map(isolate).collect()
}

/// The fewest other rules that are broken with this one, as far as a search finds; empty if nothing breaks it.
pub fn always_broken_with(form: &Form, rule: usize) -> Vec<String> {
    let within = |environment: EnvironmentValues| fewest(form, rule, &Cube::default().at(&environment));
    let others = descended(form, rule).or_else(|| environments(form, rule).find_map(within));
    others.into_iter().flatten().map(|other| form.rules[other].id.clone()).collect()
}

/// The fewest other rules that are broken with this one, going down from the simplest choices of each of its
/// combinations. A hundred times faster than a diagram of all that breaks the rule. `None` if the search does not end
/// at a variant.
fn descended(form: &Form, rule: usize) -> Option<Vec<usize>> {
    let values_of = |axis: usize, cube: &Cube| {
        let set = cube.sets().iter().find(|(named, _)| *named == axis).map(|(_, set)| *set);
        let all = ValueSet::of(form.axes[axis].values.len(), |_| true);
        set.unwrap_or(all).and(&all).iter().collect::<Vec<u8>>()
    };
    let down = |cube: &Cube| {
        let allowed: Vec<Vec<u8>> = (0..form.axes.len()).map(|axis| values_of(axis, cube)).collect();
        let simplest: Option<Values> = allowed.iter().map(|values| values.first().copied()).collect();
        let descent = Descent { form, rule, allowed };
        let values = descent.by_one(simplest?);
        Some((descent.cost(&values), values, descent))
    };
    let ends = form.rules[rule].forbids.iter().filter_map(down);
    let (_, values, descent) = ends.min_by_key(|(cost, values, _)| (*cost, values.clone()))?;
    let others = descent.others(&descent.by_two(values));
    others.iter().all(|&other| form.rules[other].kind.breakable()).then_some(others)
}

/// A search for choices that break a rule and as few others as possible.
struct Descent<'a> {
    form: &'a Form,
    rule: usize,
    /// For each axis, the values in question.
    allowed: Vec<Vec<u8>>,
}

impl Descent<'_> {
    fn others(&self, values: &[u8]) -> Vec<usize> {
        self.form.broken(values).into_iter().filter(|&other| other != self.rule).collect()
    }

    /// How many other rules these choices break. Rules that no variant may break count most.
    fn cost(&self, values: &[u8]) -> usize {
        let weight = |&other: &usize| if self.form.rules[other].kind.breakable() { 1 } else { 1000 };
        self.others(values).iter().map(weight).sum()
    }

    /// Where no change of one choice is better.
    fn by_one(&self, mut values: Values) -> Values {
        while let Some(better) = self.better(&values, self.cost(&values)) {
            values = better;
        }
        values
    }

    /// Where no change of one or two choices is better; one other rule is good enough.
    fn by_two(&self, mut values: Values) -> Values {
        while let cost @ 2.. = self.cost(&values)
            && let Some(better) = self.better_pair(&values, cost)
        {
            values = self.by_one(better);
        }
        values
    }

    /// These choices with one changed, if they then cost less.
    fn better(&self, values: &[u8], cost: usize) -> Option<Values> {
        self.unbreaking(values).find(|other| self.cost(other) < cost)
    }

    fn better_pair(&self, values: &[u8], cost: usize) -> Option<Values> {
        let all = 0..self.allowed.len();
        let mut pairs = self.unbreaking(values).flat_map(|one| self.changed(one, all.clone()));
        pairs.find(|other| self.cost(other) < cost)
    }

    /// These choices with one changed that another broken rule is about.
    fn unbreaking(&self, values: &[u8]) -> impl Iterator<Item = Values> {
        let breaks = |cube: &&Cube| cube.contains(values);
        let cubes =
            self.others(values).into_iter().flat_map(|other| self.form.rules[other].forbids.iter().filter(breaks));
        let axes: BTreeSet<usize> = cubes.flat_map(|cube| cube.sets().iter().map(|(axis, _)| *axis)).collect();
        self.changed(values.to_vec(), axes)
    }

    /// These choices with that of one of the axes changed.
    fn changed(&self, values: Values, axes: impl IntoIterator<Item = usize>) -> impl Iterator<Item = Values> {
        axes.into_iter().flat_map(|axis| self.allowed[axis].iter().map(move |value| (axis, *value))).filter_map(
            move |(axis, value)| {
                let mut other = values.clone();
                other[axis] = value;
                (values[axis] != value).then_some(other)
            },
        )
    }
}

/// The environments in which a rule may be broken, the simplest first. Most forms are far too large to look for breaches
/// in all environments at once.
fn environments(form: &Form, rule: usize) -> impl Iterator<Item = EnvironmentValues> {
    let own = &form.rules[rule].forbids;
    let values = |axis: usize| (0..=u8::MAX).take(form.axes[axis].values.len());
    let [sizes, targets, versions] = EnvironmentValues::EACH.map(values);
    let all = versions.flat_map(move |ptx| {
        let of_target = |target| sizes.clone().map(move |size| EnvironmentValues::new(size, target, ptx));
        targets.clone().flat_map(of_target).collect::<Vec<_>>()
    });
    let allows = |cube: &Cube, environment: &EnvironmentValues| {
        cube.sets().iter().all(|(axis, set)| environment.get(*axis).is_none_or(|value| set.contains(*value)))
    };
    all.filter(move |environment| own.iter().any(|cube| allows(cube, environment)))
}

/// The fewest other rules that are broken with this one in a combination; `None` if nothing breaks it there.
fn fewest(form: &Form, rule: usize, cube: &Cube) -> Option<Vec<usize>> {
    let diagram = Diagram::breaking_at_least(form, rule, cube);
    let (count, all) = (diagram.count(), diagram.all());
    let ranks = (0..SAMPLES.min(count)).map(|at| at * (count / SAMPLES.min(count).max(1)));
    let others = ranks.filter_map(|rank| all.unrank(rank)).map(|values| {
        let broken = form.broken(&values);
        broken.into_iter().filter(|&other| other != rule).collect::<Vec<_>>()
    });
    others.min_by_key(|others| (others.len(), others.clone()))
}
