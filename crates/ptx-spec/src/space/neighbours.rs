//! Variants two choices away from the simplest one: they find faults that need two particular other
//! choices, which a covering array of pairs need not have in one variant.

use super::{Diagram, Slice, Values};
use crate::spec::{Choice, Cube, Form};

/// Axes with more values are not varied: the patterns of sinks, and the writing.
const MOST_VALUES: usize = 32;

/// Up to `limit` variants of a space that differ from its simplest one in one or two choices of the line:
/// first those that differ only in modifiers, then the others, evenly spread.
pub fn neighbours(form: &Form, space: &Diagram, limit: usize) -> Vec<Values> {
    let Some(base) = Slice::new(&space.all(), &Cube::default()).simplest() else { return Vec::new() };
    let varied = |axis: &usize| {
        let of = &form.axes[*axis];
        !of.choice.is_of_environment() && of.claimed.len() <= MOST_VALUES
    };
    let axes: Vec<usize> = (0..base.len()).filter(varied).collect();
    let (mut modifiers, mut others) = (Vec::new(), Vec::new());
    let mut keep = |values: Values, of: &[usize]| {
        if space.contains(&values) {
            let plain = of.iter().all(|&axis| form.axes[axis].choice == Choice::Modifier);
            if plain { &mut modifiers } else { &mut others }.push(values);
        }
    };
    for (at, &first) in axes.iter().enumerate() {
        for one in changed(form, &base, first) {
            for &second in &axes[at + 1..] {
                changed(form, &one, second).for_each(|two| keep(two, &[first, second]));
            }
            keep(one, &[first]);
        }
    }
    modifiers.truncate(limit);
    let rest = limit - modifiers.len();
    // A step of one would take them all from the first axes.
    let step = others.len().div_ceil(rest.max(1)).max(1);
    modifiers.extend(others.into_iter().step_by(step).take(rest));
    modifiers
}

/// A variant with each other claimed value of an axis.
fn changed(form: &Form, values: &[u8], axis: usize) -> impl Iterator<Item = Values> {
    form.axes[axis].claimed.iter().filter(move |value| *value != values[axis]).map(move |value| {
        let mut other = values.to_vec();
        other[axis] = value;
        other
    })
}
