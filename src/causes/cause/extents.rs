//! Finds the environments in which causes happen, for all causes together.

use super::Cause;
use super::of_rows;
use crate::case::{Case, InternalError};
use crate::causes::inquiry::Inquiry;
use crate::causes::search::exact::Seen;
use crate::causes::search::extent::Extent;
use crate::engine::Depth;
use crate::space::Values;

/// Asks, and sets the environments of each cause.
pub(crate) fn settle(inquiry: &Inquiry<'_>, causes: &mut [Cause<'_>]) -> Result<(), InternalError> {
    let mut extents: Vec<(usize, Extent<'_>)> = Vec::new();
    for (at, cause) in causes.iter().enumerate() {
        extents.extend(Extent::new(cause.form(), &cause.fails, fits(inquiry, cause)).map(|extent| (at, extent)));
    }
    look_around(inquiry, causes, &mut extents)?;
    // In an old version, the claim for the newest target may differ.
    let oldest = extents.iter().filter_map(|(at, extent)| Some((*at, extent.oldest(fits(inquiry, &causes[*at]))?)));
    let mut oldest: Vec<(usize, Extent<'_>)> = oldest.collect();
    look_around(inquiry, causes, &mut oldest)?;
    for (at, older) in &oldest {
        extents.iter_mut().filter(|(of, _)| of == at).for_each(|(_, extent)| extent.take(older));
    }
    for (at, extent) in extents {
        causes[at].settle(&extent);
    }
    Ok(())
}

/// Tells of a variant if it can be asked about with the claim of a cause.
fn fits<'c>(inquiry: &'c Inquiry<'_>, cause: &'c Cause<'_>) -> impl Fn(&[u8]) -> bool + 'c {
    let form = cause.form();
    move |values| form.broken(values).iter().copied().eq(cause.rule) && inquiry.supports(form, values, &cause.mismatch)
}

/// A question about the witnesses of a cause with a value on an axis of the environment.
struct ExtentQuestion {
    /// The position of the extent.
    extent: usize,
    axis: usize,
    value: u8,
    witnesses: Vec<Values>,
}

/// Asks the questions of all causes about environments in common rounds.
fn look_around(
    inquiry: &Inquiry<'_>,
    causes: &[Cause<'_>],
    extents: &mut [(usize, Extent<'_>)],
) -> Result<(), InternalError> {
    loop {
        let mut questions: Vec<ExtentQuestion> = Vec::new();
        for (at, (of, extent)) in extents.iter().enumerate() {
            let fits = fits(inquiry, &causes[*of]);
            for (axis, value) in extent.questions() {
                let witnesses = extent.elsewhere(axis, value).filter(|values| fits(values)).collect();
                questions.push(ExtentQuestion { extent: at, axis, value, witnesses });
            }
        }
        if questions.is_empty() || inquiry.stopped() {
            return Ok(());
        }
        let asked: Vec<(usize, &Values)> = questions
            .iter()
            .flat_map(|question| question.witnesses.iter().map(|values| (extents[question.extent].0, values)))
            .collect();
        let mut seen = see(inquiry, causes, &asked)?.into_iter();
        for question in &questions {
            let all: Vec<Seen> = seen.by_ref().take(question.witnesses.len()).collect();
            extents[question.extent].1.tell(question.axis, question.value, &all);
        }
    }
}

/// The results for variants of causes.
fn see(inquiry: &Inquiry<'_>, causes: &[Cause<'_>], asked: &[(usize, &Values)]) -> Result<Vec<Seen>, InternalError> {
    let mut seen = vec![Seen::Masked; asked.len()];
    for depth in [Depth::Check, Depth::Generate] {
        let of_depth = |(_, (cause, _)): &(usize, &(usize, &Values))| {
            causes[*cause].rows.is_none() && causes[*cause].mismatch.depth == depth
        };
        let lines: Vec<(usize, &(usize, &Values))> = asked.iter().enumerate().filter(of_depth).collect();
        let cases: Vec<Case<'_>> = lines.iter().map(|(_, (cause, values))| causes[*cause].case(values)).collect();
        for ((at, (cause, _)), result) in lines.iter().zip(&inquiry.ask(depth, &cases)?) {
            seen[*at] = inquiry.seen(&causes[*cause].mismatch, causes[*cause].instruction, result);
        }
    }
    for (at, (cause, values)) in asked.iter().enumerate() {
        if let Some(rows) = &causes[*cause].rows {
            seen[at] = of_rows::see(inquiry, rows, &causes[*cause].mismatch, values)?;
        }
    }
    Ok(seen)
}
