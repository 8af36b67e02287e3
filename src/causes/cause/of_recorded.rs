//! Causes of recorded rows, which cannot be asked about again: rows of one form that differ in the same way
//! have one cause.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Cause, CauseRows};
use crate::campaign::RecordedRow;
use crate::case::CaseResult;
use crate::causes::open_group::OpenGroup;
use crate::causes::rows::row_words::kind;
use crate::causes::rows::shown_row::ShownRow;

/// The causes of a group of the engine at a position.
pub(crate) fn causes<'s>(engine: usize, group: &OpenGroup<'s>) -> Vec<Cause<'s>> {
    let Some(executed) = group.executed else { return Vec::new() };
    let mut kinds: BTreeMap<&str, Vec<&RecordedRow>> = BTreeMap::new();
    for row in &group.recorded {
        kinds.entry(kind(&row.result)).or_default().push(row);
    }
    let cause = |rows: Vec<&RecordedRow>| {
        let shown = rows.iter().min_by_key(|row| (row.program.line.len(), &row.program.line))?;
        let shown_row = ShownRow { values: Vec::new(), program: shown.program.clone(), result: shown.result.clone() };
        let inferred = |result: &CaseResult| result.expectation().is_some_and(|of| !of.inferred.is_empty());
        let rests = rows.iter().all(|row| inferred(&row.result));
        let names = shown.result.expectation().into_iter().flat_map(|of| of.inferred.iter());
        let names: Vec<String> = names.filter(|_| rests).map(|inference| inference.id.to_owned()).collect();
        let cause_rows = CauseRows {
            executed,
            form: group.form,
            numbers: Arc::new(Vec::new()),
            shown: shown_row,
            inferred: names,
            inputs: String::new(),
            numbers_when: Vec::new(),
        };
        Some(Cause::of_recorded(engine, group, rows.len() as u64, cause_rows))
    };
    kinds.into_values().filter_map(cause).collect()
}
