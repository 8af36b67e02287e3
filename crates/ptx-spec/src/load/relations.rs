//! Rules that relate several axes: all have the same value, or only some combinations are allowed.

use rustc_hash::FxHashSet;

use super::conditions::RuleConditions;
use super::raw::{RawCube, RawRule};
use crate::role::lanes_of;
use crate::spec::words::NONE;
use crate::spec::{Choice, Cube, Entry, Form, ValueSet};
use crate::yaml::{At, Error, OneOrMany, Ordered};

/// A cell of a table that stands for every value.
const ANY: &str = "any";

/// The mistakes in the axes and the rows of such a rule.
pub(super) fn check(conditions: &RuleConditions<'_>, rule: &RawRule, used: &mut FxHashSet<String>) -> Vec<Error> {
    let mut errors = Vec::new();
    if rule.same.len() == 1 || rule.table.len() == 1 {
        errors.push(conditions.file.at(&rule.id, "a relation must name at least two axes"));
    }
    if rule.table.is_empty() != rule.rows.is_empty() {
        errors.push(
            conditions.file.at(&rule.id, "`table` names the axes, and `rows` lists what is allowed: both are needed"),
        );
    }
    let any = |axis: &At<String>| (axis.clone(), OneOrMany(vec![ANY.to_owned()]));
    errors.extend(conditions.check(&Ordered(rule.same.iter().map(any).collect()), used));
    for row in &rule.rows {
        if row.len() == rule.table.len() {
            errors.extend(conditions.check(&cube(conditions, rule, row), used));
        } else {
            let message = format!("a row must have {} cells, one for each axis of the table", rule.table.len());
            errors.push(conditions.file.at(&rule.id, message));
        }
    }
    errors
}

/// A row of a table as a condition. For an axis of shapes a number stands for all shapes with so many lanes.
fn cube(conditions: &RuleConditions<'_>, rule: &RawRule, row: &[OneOrMany<String>]) -> RawCube {
    let cell = |(axis, cell): (&At<String>, &OneOrMany<String>)| {
        let axes = || conditions.forms.iter().filter_map(|form| Some(&form.axes[form.axis(&axis.value)?]));
        let of_shapes = axes().any(|axis| matches!(axis.choice, Choice::Shape(_)));
        let mut values = Vec::new();
        for value in &cell.0 {
            match value.parse::<usize>() {
                Ok(lanes) if of_shapes => {
                    let claimed = axes().flat_map(|axis| axis.claimed.iter().map(|at| &axis.values[usize::from(at)]));
                    values.extend(claimed.filter(|shape| lanes_of(shape) == lanes).cloned());
                }
                _ => values.push(value.clone()),
            }
        }
        values.dedup();
        (axis.clone(), OneOrMany(values))
    };
    Ordered(rule.table.iter().zip(row).map(cell).collect())
}

/// The combinations in which one of the axes has another value than the first.
pub(super) fn differing(rule: &RawRule, form: &Form) -> Vec<Cube> {
    let axes: Vec<usize> = rule.same.iter().filter_map(|axis| form.axis(&axis.value)).collect();
    let Some((&first, others)) = axes.split_first() else { return Vec::new() };
    let mut cubes = Vec::new();
    let of = &form.axes[first];
    for value in of.claimed.iter().map(|value| &of.values[usize::from(value)]).filter(|value| *value != NONE) {
        for &other in others {
            let differs = form.axes[other].select(|of| of != value && of != NONE).and(&form.axes[other].claimed);
            cubes.push(Cube::new([(first, of.select(|of| of == value)), (other, differs)]));
        }
    }
    cubes
}

/// The combinations that are in no row of a table.
pub(super) fn unlisted(conditions: &RuleConditions<'_>, rule: &RawRule, form: &Form) -> Vec<Cube> {
    let mut rows = Vec::new();
    for row in &rule.rows {
        let cube = cube(conditions, rule, row);
        // A row about what this form lacks does not apply to it.
        let sets: Option<Vec<Option<ValueSet>>> =
            conditions.entries(&cube).iter().map(|entry| cell(form, entry)).collect();
        rows.extend(sets);
    }
    let axes: Vec<Option<usize>> = rule.table.iter().map(|axis| form.axis(&axis.value)).collect();
    let mut cubes = Vec::new();
    Unlisted { form, axes: &axes, rows: &rows }.below(
        0,
        &Cube::default(),
        &(0..rows.len()).collect::<Vec<_>>(),
        &mut cubes,
    );
    cubes
}

/// The values of a cell; none within if the form lacks the axis and the cell allows that, and none at all if not.
fn cell(form: &Form, entry: &Entry) -> Option<Option<ValueSet>> {
    let any = entry.values.iter().any(|value| value == ANY);
    match form.axis(&entry.axis) {
        None => (any || entry.holds(NONE)).then_some(None),
        Some(axis) => {
            let axis = &form.axes[axis];
            Some(Some(if any { axis.claimed } else { entry.select(axis) }))
        }
    }
}

/// Takes a table apart, axis by axis.
struct Unlisted<'a> {
    form: &'a Form,
    axes: &'a [Option<usize>],
    rows: &'a [Vec<Option<ValueSet>>],
}

impl Unlisted<'_> {
    /// Adds the combinations that begin with these choices, which these rows have, and that no row has.
    fn below(&self, column: usize, chosen: &Cube, rows: &[usize], cubes: &mut Vec<Cube>) {
        if rows.is_empty() {
            cubes.push(chosen.clone());
            return;
        }
        let Some(axis) = self.axes.get(column) else { return };
        let Some(axis) = *axis else { return self.below(column + 1, chosen, rows, cubes) };
        // Values that the same rows have are treated alike.
        let mut classes: Vec<(Vec<usize>, Vec<u8>)> = Vec::new();
        for value in self.form.axes[axis].claimed.iter() {
            let has = |row: &&usize| self.rows[**row][column].is_none_or(|set| set.contains(value));
            let having: Vec<usize> = rows.iter().filter(has).copied().collect();
            match classes.iter_mut().find(|(known, _)| *known == having) {
                Some((_, values)) => values.push(value),
                None => classes.push((having, vec![value])),
            }
        }
        for (having, values) in classes {
            let set = ValueSet::of(ValueSet::CAPACITY, |value| values.iter().any(|of| usize::from(*of) == value));
            self.below(column + 1, &chosen.clone().with(axis, set), &having, cubes);
        }
    }
}
