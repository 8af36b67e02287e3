//! Checks that need the space: contradictory rules, rules without effect, and rules that cannot be broken
//! alone.

use rayon::prelude::*;

use super::Diagram;
use super::breaches::breakable;
use crate::spec::Form;

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

/// The fewest other rules that are broken with this one in any examined variant; these are evenly spread
/// over all that break it.
pub fn company(form: &Form, rule: usize) -> Vec<String> {
    let diagram = Diagram::breaking_at_least(form, rule);
    let (count, all) = (diagram.count(), diagram.all());
    let ranks = (0..SAMPLES.min(count)).map(|at| at * (count / SAMPLES.min(count).max(1)));
    let others = ranks.filter_map(|rank| all.unrank(rank)).map(|values| {
        let broken = form.broken(&values);
        broken.into_iter().filter(|&other| other != rule).collect::<Vec<_>>()
    });
    let fewest = others.min_by_key(|others| (others.len(), others.clone())).unwrap_or_default();
    fewest.into_iter().map(|other| form.rules[other].id.clone()).collect()
}
