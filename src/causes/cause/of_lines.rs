//! Causes of lines that an engine judges unexpectedly, which follow from the choices alone.
//!
//! The searches of all groups share processes, with thousands of lines in each. Mismatches that no cause
//! explains, in the environments where it happens, are searched again.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::Cause;
use super::extents;
use crate::case::{Case, InternalError};
use crate::causes::inquiry::Inquiry;
use crate::causes::open_group::{OpenGroup, Vanished};
use crate::causes::search::exact::Search;
use crate::engine::{Depth, Outcome};
use crate::space::{EnvironmentValues, Values};

/// How often unexplained mismatches are searched again.
const WAVES: usize = 6;

/// The causes of groups of the engine at a position.
pub(crate) fn causes<'s>(
    inquiry: &Inquiry<'_>,
    engine: usize,
    groups: &mut [OpenGroup<'s>],
) -> Result<Vec<Cause<'s>>, InternalError> {
    let mut causes: Vec<Cause<'s>> = Vec::new();
    for wave in 0..WAVES {
        let opened = groups.iter().enumerate().filter(|(_, group)| !group.open.is_empty());
        let mut searches: Vec<(usize, Search<'s>)> =
            opened.filter_map(|(at, group)| Some((at, group.search()?))).collect();
        if searches.is_empty() {
            break;
        }
        let unfinished = search(inquiry, groups, &mut searches)?;
        if inquiry.stopped() {
            // What a search that was cut off proposes is not what it would have found.
            searches.iter().for_each(|(at, _)| groups[*at].stopped = true);
            break;
        }
        for at in searches.extract_if(.., |(at, _)| unfinished.contains(at)).map(|(at, _)| at) {
            groups[at].open.clear();
            groups[at].vanished = Some(Vanished::Unanswered);
        }
        let mut found: Vec<Cause<'s>> = Vec::new();
        for (at, search) in &searches {
            let group = &mut groups[*at];
            if !search.failed() {
                if wave == 0 {
                    group.vanished = Some(Vanished::Passes);
                }
                // Nothing fails any more, so there is nothing to learn.
                group.open.retain(|values| EnvironmentValues::of(values) != search.environment);
            }
            found.extend(search.causes().into_iter().map(|local| Cause::of_lines(engine, group, search, local)));
        }
        extents::settle(inquiry, &mut found)?;
        if inquiry.stopped() {
            searches.iter().for_each(|(at, _)| groups[*at].stopped = true);
            break;
        }
        for group in groups.iter_mut() {
            let of_group = |cause: &&Cause<'_>| cause.is_of(group);
            let explaining: Vec<&Cause<'_>> = found.iter().filter(of_group).collect();
            group.open.retain(|values| !explaining.iter().any(|cause| cause.explains(values)));
        }
        causes.extend(found);
    }
    Ok(causes)
}

/// Asks the questions of all searches in common rounds, until none has any left or the run is stopped. Returns the
/// positions of the groups that were still being searched when the engine answered no more.
fn search(
    inquiry: &Inquiry<'_>,
    groups: &[OpenGroup<'_>],
    searches: &mut [(usize, Search<'_>)],
) -> Result<BTreeSet<usize>, InternalError> {
    let mut unfinished = BTreeSet::new();
    loop {
        // A proposal may take a second, so a stop is noticed before each.
        let questions = searches.par_iter_mut().map(|(group, search)| match unfinished.contains(group) {
            false if !inquiry.stopped() => search.questions(),
            _ => Vec::new(),
        });
        let questions: Vec<Vec<Values>> = questions.collect();
        if questions.iter().all(Vec::is_empty) || inquiry.stopped() {
            return Ok(unfinished);
        }
        for depth in [Depth::Check, Depth::Generate] {
            let of_depth = |search: usize| groups[searches[search].0].mismatch.depth == depth;
            let rows: Vec<(usize, &Values)> = questions
                .iter()
                .enumerate()
                .filter(|(at, _)| of_depth(*at))
                .flat_map(|(at, values)| values.iter().map(move |values| (at, values)))
                .collect();
            let cases: Vec<Case<'_>> = rows.iter().map(|(at, values)| searches[*at].1.case(values)).collect();
            let results = inquiry.ask(depth, &cases)?;
            if results.iter().all(|result| matches!(result.outcome(), None | Some(Outcome::Skipped(_)))) {
                unfinished.extend(rows.iter().map(|(at, _)| searches[*at].0));
                continue;
            }
            for ((at, values), result) in rows.into_iter().zip(&results) {
                let (group, search) = &mut searches[at];
                let seen = inquiry.seen(&groups[*group].mismatch, search.instruction, result);
                search.tell(values.clone(), seen);
            }
        }
    }
}
