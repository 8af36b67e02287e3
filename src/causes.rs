//! Findings: mismatches reduced to their causes.
//!
//! A run leaves groups of mismatches. For each group the causes are searched for: the smallest combinations
//! of choices that explain which variants fail; then where each cause shows: in which environments,
//! in which forms, in which engines. What is one cause becomes one finding, with the simplest case
//! that shows it, a fingerprint, and the YAML that would list it as a divergence.
//!
//! Whether an engine judges a line otherwise follows from the choices, so such causes are searched for
//! exactly; whether a row fails depends on its numbers too, so those causes are generalised from samples.
//! All that comes before and after the search is the same for both.

mod blame;
mod cause;
mod conclude;
mod cubes;
mod effect;
mod exact;
mod executed;
mod extent;
mod extents;
mod finding;
mod generalise;
mod inputs;
mod inquiry;
mod merge;
mod naming;
mod open_group;
mod points;
mod recorded;
mod row_words;
mod search;
mod shown_row;
mod stability;
mod suspect;
mod votes;

use std::collections::BTreeMap;

use crate::campaign::{EngineResult, Mismatch, Progress, Results, Subject};
use crate::case::{Case, InternalError};
use crate::divergences::{Divergences, Does};
use crate::engine::Depth;
use crate::spec::Spec;

use cause::Cause;
use executed::ExecutedInstruction;
use inquiry::Inquiry;
use open_group::OpenGroup;

pub use finding::{Evidence, Finding, Findings, MinimalCase, MinimalRow, Vote};
pub use row_words::{actual, expected};
pub use suspect::{Blame, Suspect};

/// Groups of an engine that are analysed.
const GROUPS: usize = 400;

/// Reduces the unlisted mismatches of a run to findings; the results are of these subjects, in this order.
///
/// # Errors
/// Where a text of ours cannot be read.
pub fn find(
    spec: &Spec,
    divergences: &Divergences,
    subjects: &[Subject<'_>],
    results: &Results,
    progress: &Progress,
) -> Result<Findings, InternalError> {
    let mut findings = Findings::default();
    let executed = ExecutedInstruction::of_results(spec, &results.engines);
    let inquiries = Inquiry::of_all(spec, divergences, subjects, progress);
    let mut causes: Vec<Cause<'_>> = Vec::new();
    for (at, (inquiry, result)) in inquiries.iter().zip(&results.engines).enumerate() {
        // Failures of an engine that answers nothing say nothing.
        if result.gave_up.is_some() {
            continue;
        }
        let mut groups = open_groups(spec, &executed, result, &mut findings.not_analysed);
        if let Some(unstable) = stability::check(inquiry, &mut groups)? {
            findings.not_reproduced.push(unstable);
            continue;
        }
        causes.extend(search(inquiry, at, &mut groups)?);
        let vanished = groups.iter().filter_map(|group| Some(group.describe(group.vanished?)));
        findings.not_reproduced.extend(vanished);
    }
    conclude(causes, &inquiries, &mut findings)?;
    Ok(findings)
}

/// Reduces one case: what is listed is reduced as well. No finding where every engine does as the
/// specification claims.
///
/// # Errors
/// Where the case is not one that could be generated, such as one with several faults.
pub fn minimize(
    spec: &Spec,
    subjects: &[Subject<'_>],
    case: &Case<'_>,
    depth: Depth,
    progress: &Progress,
) -> Result<Findings, InternalError> {
    let none = Divergences::default();
    let mut findings = Findings::default();
    let mut causes: Vec<Cause<'_>> = Vec::new();
    let inquiries = Inquiry::of_all(spec, &none, subjects, progress);
    for (at, inquiry) in inquiries.iter().enumerate() {
        let Ok(environment) = case.environment() else { continue };
        if !inquiry.subject.takes(&environment, depth) {
            continue;
        }
        for result in inquiry.ask(depth, std::slice::from_ref(case))? {
            let (Some(reading), Some(did)) = (result.reading(), result.outcome().and_then(Does::of)) else { continue };
            if did == none.compare(None, case.instruction, reading, depth, did).claimed {
                continue;
            }
            let mismatch = Mismatch {
                does: did,
                rules: reading.rules(case.instruction).map(|rule| rule.id.clone()).collect(),
                depth,
                message: result.message(),
                divergence: None,
                listed: false,
            };
            let mut groups = vec![OpenGroup {
                mismatch,
                instruction: case.instruction,
                executed: None,
                form: case.form,
                rule: reading.broken.first().copied(),
                count: 1,
                open: vec![case.values.to_vec()],
                recorded: Vec::new(),
                vanished: None,
            }];
            causes.extend(search(inquiry, at, &mut groups)?);
            let vanished = groups.iter().filter_map(|group| Some(group.describe(group.vanished?)));
            findings.not_reproduced.extend(vanished);
        }
    }
    conclude(causes, &inquiries, &mut findings)?;
    Ok(findings)
}

/// The unlisted groups of an engine that can be analysed; `left` counts the others.
fn open_groups<'s>(
    spec: &'s Spec,
    executed: &'s BTreeMap<String, ExecutedInstruction>,
    result: &EngineResult,
    left: &mut usize,
) -> Vec<OpenGroup<'s>> {
    let mut groups: Vec<OpenGroup<'s>> = Vec::new();
    for (key, group) in result.tally.groups.iter().filter(|(key, _)| !key.mismatch.listed) {
        match OpenGroup::new(spec, executed, key, group) {
            Some(group) => groups.push(group),
            None => *left += 1,
        }
    }
    *left += groups.len().saturating_sub(GROUPS);
    groups.truncate(GROUPS);
    groups
}

/// The causes of groups of the engine at a position, by the search that suits each.
fn search<'s>(
    inquiry: &Inquiry<'_>,
    engine: usize,
    groups: &mut Vec<OpenGroup<'s>>,
) -> Result<Vec<Cause<'s>>, InternalError> {
    let (mut rows, mut lines): (Vec<OpenGroup<'s>>, Vec<OpenGroup<'s>>) =
        groups.drain(..).partition(OpenGroup::is_of_rows);
    let mut causes = exact::causes(inquiry, engine, &mut lines)?;
    for group in &mut rows {
        causes.extend(recorded::causes(engine, group));
        let mut found = points::causes(inquiry, engine, group)?;
        extents::settle(inquiry, &mut found)?;
        causes.extend(found);
    }
    groups.extend(lines);
    groups.extend(rows);
    Ok(causes)
}

/// Makes findings of causes.
fn conclude(causes: Vec<Cause<'_>>, inquiries: &[Inquiry<'_>], findings: &mut Findings) -> Result<(), InternalError> {
    let merged = merge::merge(causes);
    for poll in votes::poll(&merged, inquiries)? {
        findings.all.push(poll.finding(inquiries)?);
    }
    findings.all.sort_by(|a, b| (b.mismatches, &a.fingerprint).cmp(&(a.mismatches, &b.fingerprint)));
    Ok(())
}
