//! Findings: mismatches reduced to their causes.
//!
//! A run leaves groups of mismatches. For each group, the search finds the causes: the smallest
//! combinations of choices that explain which variants fail. Then it finds where each cause happens: in
//! which environments, forms and engines. Each cause becomes one finding, with the simplest case that shows
//! it, a fingerprint, and the YAML that would list it as a divergence.
//!
//! The choices alone decide how an engine judges a line, so causes of lines are searched exactly. Whether a
//! row fails depends on its numbers too, so causes of rows are generalised from samples. Everything before
//! and after the search is the same for both.

mod cause;
mod conclude;
mod finding;
mod inquiry;
mod open_group;
mod rows;
mod search;
mod stability;

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::campaign::{EngineResult, Mismatch, Progress, Results, Subject};
use crate::case::{Case, InternalError};
use crate::divergences::{Divergences, Does};
use crate::engine::Depth;
use crate::spec::Spec;

use cause::{Cause, extents, of_lines, of_recorded, of_rows, of_words};
use inquiry::Inquiry;
use open_group::OpenGroup;
use rows::executed::ExecutedInstruction;

pub(crate) use cause::short as short_rule;
pub use finding::{
    Blame, ComparedObject, Evidence, Finding, Findings, ListedCase, Mark, MinimalCase, MinimalRow, Suspect,
    UnstableEngine, Vote,
};
pub(crate) use open_group::{SEVERAL_FAULTS, describe_group};
pub use rows::row_words::{actual, expected};

/// Groups of an engine whose causes are searched for in one run; the others are listed.
const GROUPS: usize = 120;

/// Reduces the unlisted mismatches of a run to findings; the results are of these subjects, in this order.
///
/// # Errors
/// If a generated text cannot be read.
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
        // The failures of an engine that answers nothing have no causes.
        if result.gave_up.is_some() {
            continue;
        }
        let mut groups = open_groups(spec, &executed, result, GROUPS, &mut findings.not_analysed);
        if inquiry.stopped() {
            groups.iter_mut().for_each(|group| group.stopped = true);
            findings.describe(&groups);
            continue;
        }
        let again = stability::check(inquiry, &mut groups, &result.examples)?;
        match again.without_causes(&inquiry.name()) {
            Some(why) => findings.not_reproduced.push(why),
            None => {
                let several: Vec<OpenGroup<'_>> = groups.extract_if(.., |group| group.several).collect();
                causes.extend(search(inquiry, at, &mut groups)?);
                groups.extend(several);
                findings.describe(&groups);
            }
        }
        findings.unstable.extend(again.unstable(&inquiry.name(), &groups));
    }
    conclude::add(causes, &inquiries, &mut findings)?;
    let answering = |(_, result): &(&Inquiry<'_>, &EngineResult)| result.gave_up.is_none() && !progress.stopped();
    for (inquiry, result) in inquiries.iter().zip(&results.engines).filter(answering) {
        conclude::listed::add(inquiry, result, &mut findings.listed)?;
    }
    findings.interrupted = progress.stopped();
    Ok(findings)
}

/// Reduces one case, whether or not it is listed. There is no finding if every engine agrees with the
/// specification.
///
/// # Errors
/// If the case is not one that could be generated, such as one with several faults.
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
        if !inquiry.subject.takes(&case.environment(), depth) {
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
                words: Vec::new(),
                vanished: None,
                stopped: false,
                several: false,
            }];
            causes.extend(search(inquiry, at, &mut groups)?);
            findings.describe(&groups);
        }
    }
    conclude::add(causes, &inquiries, &mut findings)?;
    findings.interrupted = progress.stopped();
    Ok(findings)
}

impl Findings {
    /// Says of which groups there may be no finding, and why.
    fn describe(&mut self, groups: &[OpenGroup<'_>]) {
        self.not_reproduced.extend(groups.iter().filter_map(|group| Some(group.describe(group.vanished?.words()))));
        self.not_analysed.extend(groups.iter().filter_map(OpenGroup::describe_unsearched));
    }
}

/// The unlisted groups of an engine that are analysed, at most this many; `left` describes the others.
fn open_groups<'s>(
    spec: &'s Spec,
    executed: &'s BTreeMap<String, ExecutedInstruction>,
    result: &EngineResult,
    most: usize,
    left: &mut Vec<String>,
) -> Vec<OpenGroup<'s>> {
    let unlisted = result.tally.groups.iter().filter(|(key, _)| !key.mismatch.listed);
    let mut groups: Vec<OpenGroup<'s>> =
        unlisted.filter_map(|(key, group)| OpenGroup::new(spec, executed, key, group)).collect();
    if groups.len() > most {
        // The first of every kind, then the second: what is left out has a like that is analysed.
        let mut known: BTreeMap<(String, Option<usize>, Does), usize> = BTreeMap::new();
        groups.sort_by_cached_key(|group| {
            let kind = (group.instruction.name.clone(), group.rule, group.mismatch.does);
            let number = known.entry(kind).or_default();
            *number += 1;
            *number
        });
    }
    let (mut several, mut groups): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| group.several);
    left.extend(several.drain(most.min(several.len())..).map(|group| group.describe(SEVERAL_FAULTS)));
    let beyond = format!("beyond the first {most} groups of {}", result.name);
    left.extend(groups.drain(most.min(groups.len())..).map(|group| group.describe(&beyond)));
    groups.extend(several);
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
    let mut causes = of_words::causes(engine, &lines);
    causes.extend(of_lines::causes(inquiry, engine, &mut lines)?);
    rows.sort_by(|a, b| a.instruction.name.cmp(&b.instruction.name));
    let alike: Vec<&mut [OpenGroup<'s>]> = rows.chunk_by_mut(|a, b| a.instruction.name == b.instruction.name).collect();
    let found = alike.into_par_iter().map(|groups| rows_of_instruction(inquiry, engine, groups));
    for found in found.collect::<Vec<_>>() {
        causes.extend(found?);
    }
    groups.extend(lines);
    groups.extend(rows);
    Ok(causes)
}

/// The causes of groups of rows of one instruction. What explains one form is tried first in the next ones; then the
/// widest of it in all others, so that one cause has one condition.
fn rows_of_instruction<'s>(
    inquiry: &Inquiry<'_>,
    engine: usize,
    groups: &mut [OpenGroup<'s>],
) -> Result<Vec<Cause<'s>>, InternalError> {
    let mut found: Vec<Vec<Cause<'s>>> = Vec::new();
    for group in groups.iter_mut() {
        let known: Vec<&Cause<'_>> = found.iter().flatten().filter(|cause| cause.mismatch == group.mismatch).collect();
        let causes = of_rows::causes(inquiry, engine, group, &known)?;
        found.push(causes);
    }
    for at in 0..groups.len() {
        let of_others = found.iter().enumerate().filter(|(other, _)| *other != at).flat_map(|(_, causes)| causes);
        let mut known: Vec<&Cause<'_>> = of_others.filter(|cause| cause.mismatch == groups[at].mismatch).collect();
        let Some(own) = found[at].first() else { continue };
        known.sort_by_cached_key(|cause| std::cmp::Reverse(own.size_of(&cause.named())));
        let is_known = |cause: &&Cause<'_>| found[at].iter().any(|own| own.is_same(&cause.named()));
        if known.first().is_none_or(is_known) {
            continue;
        }
        let causes = of_rows::causes(inquiry, engine, &mut groups[at], &known)?;
        // What was found before stays.
        groups[at].vanished = None;
        if (1..=found[at].len()).contains(&causes.len()) {
            found[at] = causes;
        }
    }
    let mut all = Vec::new();
    for (group, mut causes) in groups.iter_mut().zip(found) {
        all.extend(of_recorded::causes(engine, group));
        extents::settle(inquiry, &mut causes)?;
        if inquiry.stopped() {
            group.stopped = true;
            continue;
        }
        all.extend(causes);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::{GroupKey, MismatchGroup, Tally};

    /// Groups beyond the limit are described instead of analysed. The analysed groups include one of each kind first.
    #[test]
    fn groups_beyond_the_limit_are_described() {
        let spec = crate::shipped::spec().expect("the specification is sound");
        let instruction = spec.instruction("suld").expect("a specification");
        let form = &instruction.forms[0];
        let mut tally = Tally::default();
        let mut add = |rules: &[usize], message: &str| {
            let mismatch = Mismatch {
                does: Does::Accepts,
                rules: rules.iter().map(|&rule| form.rules[rule].id.clone()).collect(),
                depth: Depth::Check,
                message: message.to_owned(),
                divergence: None,
                listed: false,
            };
            let key = GroupKey { instruction: instruction.name.clone(), form: form.id.clone(), mismatch };
            tally.groups.insert(key, MismatchGroup { count: 5, ..MismatchGroup::default() });
        };
        ["a", "b", "c"].iter().for_each(|message| add(&[0], message));
        add(&[1], "d");
        add(&[0, 1], "e");
        let result = EngineResult { name: "one@1.0".to_owned(), tally, ..EngineResult::default() };
        let executed = BTreeMap::new();
        let mut left = Vec::new();
        let groups = open_groups(&spec, &executed, &result, 2, &mut left);
        let mut rules: Vec<Option<usize>> = groups.iter().map(|group| group.rule).collect();
        rules.sort();
        assert_eq!((rules, left.len()), (vec![None, Some(0), Some(1)], 2));
        let (rules, name) = (&form.rules, &form.id);
        assert!(left.iter().all(|group| group.ends_with(": beyond the first 2 groups of one@1.0")), "{left:?}");
        // Lines with several faults have no causes; they are asked about again all the same.
        let several = format!("{name}: {}, {}: accepted, 5 mismatches", rules[0].id, rules[1].id);
        let unsearched: Vec<String> = groups.iter().filter_map(OpenGroup::describe_unsearched).collect();
        assert_eq!(unsearched, [format!("{several}: its lines have several faults")]);
    }
}
