//! What only the space shows of a specification: contradictory rules, rules without effect, and
//! rules that cannot be broken alone.

use rayon::prelude::*;

use super::Diagram;
use super::breaches::breakable;
use crate::spec::Form;

/// What the space of a form says of one of its rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// So many variants break it and nothing else.
    Alone(u128),
    /// Nothing breaks it alone: these are broken along with it where it is least. Empty where
    /// nothing breaks it at all.
    Subsumed(Vec<String>),
}

/// How many variants are looked at to find what subsumes a rule.
const SAMPLES: u128 = 4096;

/// For each rule that a variant can be made to break, how far it can be broken alone.
pub fn isolation(form: &Form) -> Vec<(usize, Isolation)> {
    let rules: Vec<usize> = breakable(form).collect();
    let isolate = |&rule: &usize| {
        let count = Diagram::breaking(form, rule).count();
        (rule, if count > 0 { Isolation::Alone(count) } else { Isolation::Subsumed(company(form, rule)) })
    };
    rules.par_iter().map(isolate).collect()
}

/// The fewest other rules that are broken along with this one in any variant looked at: those are
/// spread evenly over all that break it.
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
