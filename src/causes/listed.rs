//! The simplest row that shows each listed divergence of executing engines: what one would send to whoever maintains
//! the engine.

use std::collections::BTreeMap;

use super::finding::ListedCase;
use super::inquiry::Inquiry;
use super::row_words;
use super::shown_row::ShownRow;
use crate::campaign::{EngineResult, Sample};
use crate::case::InternalError;
use crate::setup;
use crate::space::distance;

/// The simplest row of an engine for each divergence, by id.
///
/// # Errors
/// If a generated text cannot be read.
pub(super) fn cases(
    inquiry: &Inquiry<'_>,
    result: &EngineResult,
) -> Result<BTreeMap<String, ListedCase>, InternalError> {
    let mut simplest: BTreeMap<&str, (&str, &str, &Sample)> = BTreeMap::new();
    for (key, group) in result.tally.groups.iter().filter(|(key, _)| key.mismatch.listed) {
        let sample = group.sample.as_ref().filter(|sample| sample.module.is_empty() && !sample.values.is_empty());
        let (Some(id), Some(sample)) = (&key.mismatch.divergence, sample) else { continue };
        let place = simplest.entry(id).or_insert((&key.instruction, &key.form, sample));
        if distance(&sample.values) < distance(&place.2.values) {
            *place = (&key.instruction, &key.form, sample);
        }
    }
    let mut cases = BTreeMap::new();
    for (id, (instruction, form, sample)) in simplest {
        let Some(instruction) = inquiry.spec.instruction(instruction) else { continue };
        let executed = setup::executed(inquiry.spec, instruction);
        let Some(form) = executed.forms.iter().find(|known| known.id == form) else { continue };
        let rows = std::slice::from_ref(&sample.values);
        // It may not fail each time.
        let found = inquiry.execute(form, rows, &inquiry.costly(1))?.pop().filter(|row| row.difference().is_some());
        let Some(found) = found else { continue };
        let program = setup::program(inquiry.spec, form, &[&sample.values])?;
        let listing = inquiry.listing(&program);
        let shown = ShownRow { values: sample.values.clone(), program, result: found };
        let engine = inquiry.name();
        let case = row_words::minimal(form, &shown, &engine, listing);
        cases.insert(id.to_owned(), ListedCase { engine, case });
    }
    Ok(cases)
}
