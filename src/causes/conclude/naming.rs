//! Conditions of causes by the names of their choices.

use std::collections::BTreeSet;

use crate::causes::cause::{Cause, Conditions};
use crate::divergences::{AxisValues, Condition};
use crate::space::EnvironmentValues;

/// The condition of merged causes, in the forms of all of them.
pub(crate) fn condition(causes: &[Cause<'_>], conditions: &Conditions) -> Condition {
    let mut named = Vec::new();
    let mut axes: Vec<&String> = conditions.keys().collect();
    let form = causes[0].form();
    axes.sort_by_key(|axis| form.axis(axis));
    for axis in axes {
        let inside = &conditions[axis];
        let mut outside: BTreeSet<String> = BTreeSet::new();
        let mut order: Vec<&String> = Vec::new();
        let mut claimed = true;
        for cause in causes {
            let Some(at) = cause.form().axis(axis) else { continue };
            let of = &cause.form().axes[at];
            order.extend(&of.values);
            for value in cause.occurring(at).iter() {
                let name = &of.values[usize::from(value)];
                if inside.contains(name) {
                    // `not` only covers values that are valid somewhere.
                    claimed &= of.claimed.contains(value);
                } else {
                    outside.insert(name.clone());
                }
            }
        }
        named.push((axis.clone(), AxisValues::shortest(inside, &outside, &order, claimed)));
    }
    if let Some(rows) = &causes[0].rows {
        named.extend(rows.numbers_when.iter().cloned());
    }
    if let Some(words) = &causes[0].words {
        let values = words.words.iter().map(|word| format!("with {word}")).collect();
        named.push((form.axes[form.writing()].name.clone(), AxisValues { not: false, values }));
    }
    named.extend(environments(causes));
    Condition(named)
}

/// The choices of the environment, of all causes together.
fn environments(causes: &[Cause<'_>]) -> Vec<(String, AxisValues)> {
    let mut named = Vec::new();
    let form = causes[0].form();
    for axis in EnvironmentValues::EACH {
        let (mut inside, mut outside) = (BTreeSet::new(), BTreeSet::new());
        for cause in causes {
            let name = |value: u8| form.axes[axis].values[usize::from(value)].clone();
            let extent = cause.extent.sets().iter().find(|(named, _)| *named == axis);
            for value in cause.occurring(axis).iter() {
                let shows = extent.is_none_or(|(_, set)| set.contains(value));
                if shows {
                    inside.insert(name(value))
                } else {
                    outside.insert(name(value))
                };
            }
        }
        outside.retain(|value| !inside.contains(value));
        if !outside.is_empty() {
            let order: Vec<&String> = form.axes[axis].values.iter().collect();
            named.push((form.axes[axis].name.clone(), AxisValues::shortest(&inside, &outside, &order, true)));
        }
    }
    named
}
