//! Checks that need the space: contradictory rules, rules without effect, and rules that cannot be broken
//! alone.

use rayon::prelude::*;

use super::Diagram;
use super::breaches::breakable;
use crate::spec::{Cube, Form};

/// Whether a rule can be broken alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// This many variants break only this rule.
    Alone(u128),
    /// Nothing breaks it alone: the fewest other rules broken with it. Empty if nothing breaks it at all.
    Subsumed(Vec<String>),
}

/// How many variants are examined to find what subsumes a rule.
const SAMPLES: u128 = 4096;

/// For each rule that variants can break, whether it can be broken alone.
pub fn isolation(form: &Form) -> Vec<(usize, Isolation)> {
    let rules: Vec<usize> = breakable(form).collect();
    let isolate = |&rule: &usize| {
        let count = Diagram::breaking(form, rule).count();
        (rule, if count > 0 { Isolation::Alone(count) } else { Isolation::Subsumed(company(form, rule)) })
    };
    rules.par_iter().map(isolate).collect()
}

/// The fewest other rules that are broken with this one, in any examined variant of the simplest environment that has
/// some; these are evenly spread over all that break it.
pub fn company(form: &Form, rule: usize) -> Vec<String> {
    let fewest = environments(form, rule).find_map(|environment| fewest(form, rule, &Cube::default().at(&environment)));
    fewest.into_iter().flatten().map(|other| form.rules[other].id.clone()).collect()
}

/// The environments in which a rule may be broken, the simplest first. Most forms are far too large to look for breaches
/// in all environments at once.
fn environments(form: &Form, rule: usize) -> impl Iterator<Item = [u8; 3]> {
    let own = &form.rules[rule].forbids;
    let values = |axis: usize| (0..=u8::MAX).take(form.axes[axis].values.len());
    let all =
        values(2).flat_map(move |ptx| values(1).flat_map(move |target| values(0).map(move |size| [size, target, ptx])));
    let allows = |cube: &Cube, environment: &[u8; 3]| {
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
