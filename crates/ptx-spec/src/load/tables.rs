//! Sets of values in the tables of operands.

use super::raw::{RawInstruction, RawIsa};
use crate::role::{RawLanes, RawOperand, RawTypeOf, SlotTable};
use crate::yaml::{At, OneOrMany};

/// Replaces `$name` in the tables of all operands by the values of the set.
pub(super) fn expand(raw: &mut RawInstruction, isa: &RawIsa) {
    let sets: Vec<(String, Vec<String>)> =
        raw.sets.0.iter().chain(&isa.sets.0).map(|(name, values)| (name.value.clone(), plain(values))).collect();
    let of_forms = raw.forms.iter_mut().flat_map(|form| &mut form.operands.0);
    for (_, operand) in raw.operands.0.iter_mut().chain(of_forms) {
        for cell in tables(operand).flat_map(|table| &mut table.rows).flatten() {
            let named = cell.0.iter().filter_map(|value| Some(value.strip_prefix('$')?.to_owned()));
            raw.sets_of_tables.extend(named);
            replace(cell, &sets);
        }
    }
}

fn plain(values: &[At<String>]) -> Vec<String> {
    values.iter().map(|value| value.value.clone()).collect()
}

/// The tables of an operand.
fn tables(operand: &mut RawOperand) -> impl Iterator<Item = &mut SlotTable> {
    let of_type = operand.matches.as_mut().and_then(|of| match &mut of.value {
        RawTypeOf::Table(table) => Some(table),
        RawTypeOf::Of(_) => None,
    });
    let lanes = operand.lanes.as_mut().and_then(|lanes| match &mut lanes.value {
        RawLanes::Table(table) => Some(table),
        RawLanes::Slot(_) => None,
    });
    of_type.into_iter().chain(lanes)
}

/// Replaces the sets of a cell that are known; others are found as values that no slot has.
fn replace(cell: &mut OneOrMany<String>, sets: &[(String, Vec<String>)]) {
    let members = |value: &String| {
        let set = value.strip_prefix('$').and_then(|name| sets.iter().find(|(known, _)| known == name));
        set.map_or_else(|| vec![value.clone()], |(_, members)| members.clone())
    };
    cell.0 = cell.0.iter().flat_map(members).collect();
}
