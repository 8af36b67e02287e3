//! The simplest row that shows each listed divergence of executing engines: what one would send to whoever maintains
//! the engine. One engine is enough: the rows of others, such as other versions of `ptxas`, are alike, and each takes long.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::campaign::{EngineResult, Sample};
use crate::case::InternalError;
use crate::causes::finding::ListedCase;
use crate::causes::inquiry::Inquiry;
use crate::causes::rows::row_words;
use crate::causes::rows::shown_row::ShownRow;
use crate::setup;
use crate::space::distance;

/// Adds the simplest row of an engine for each divergence, by id, that has none yet.
///
/// # Errors
/// If a generated text cannot be read.
pub(crate) fn add(
    inquiry: &Inquiry<'_>,
    result: &EngineResult,
    cases: &mut BTreeMap<String, ListedCase>,
) -> Result<(), InternalError> {
    let mut simplest: BTreeMap<&str, (&str, &str, &Sample)> = BTreeMap::new();
    for (key, group) in result.tally.groups.iter().filter(|(key, _)| key.mismatch.listed) {
        let sample = group.sample.as_ref().filter(|sample| sample.module.is_empty() && !sample.values.is_empty());
        let (Some(id), Some(sample)) = (&key.mismatch.divergence, sample) else { continue };
        if cases.contains_key(id) {
            continue;
        }
        let place = simplest.entry(id).or_insert((&key.instruction, &key.form, sample));
        if distance(&sample.values) < distance(&place.2.values) {
            *place = (&key.instruction, &key.form, sample);
        }
    }
    // An engine that compiles takes long for each.
    let listed = simplest.into_par_iter().map(|(id, (instruction, form, sample))| {
        Ok(listed(inquiry, instruction, form, sample)?.map(|listed| (id.to_owned(), listed)))
    });
    let listed = listed.collect::<Result<Vec<_>, InternalError>>()?;
    cases.extend(listed.into_iter().flatten());
    Ok(())
}

/// The sample's row, if it fails again.
fn listed(
    inquiry: &Inquiry<'_>,
    instruction: &str,
    form: &str,
    sample: &Sample,
) -> Result<Option<ListedCase>, InternalError> {
    let Some(instruction) = inquiry.spec.named(instruction) else { return Ok(None) };
    let executed = setup::executed(inquiry.spec, instruction);
    let Some(form) = executed.forms.iter().find(|known| known.id == form) else { return Ok(None) };
    let rows = std::slice::from_ref(&sample.values);
    let found = inquiry.execute(form, rows, &inquiry.costly(1))?.pop().filter(|row| row.difference().is_some());
    let Some(found) = found else { return Ok(None) };
    let program = setup::line_case(inquiry.spec, form, &[&sample.values])?;
    let listing = inquiry.listing(&program);
    let shown = ShownRow { values: sample.values.clone(), program, result: found };
    let engine = inquiry.name();
    let case = row_words::minimal(form, &shown, &engine, listing);
    Ok(Some(ListedCase { engine, case }))
}
