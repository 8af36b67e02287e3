//! How each part of a report is merged.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::super::chains::ChainReport;
use super::super::coverage::{ExampleReport, FormReport, FormTested, RuleReport};
use super::super::data::{Report, RunVerdict};
use super::super::deaths::DeathReport;
use super::super::engines::{EngineReport, InferenceReport, RowReport, UndefinedReport};
use super::super::groups::GroupReport;
use super::super::listed::DivergenceReport;
use super::super::modifiers::ModifierReport;
use crate::campaign::{Problem, TriedWords};
use crate::causes::{Evidence, Finding, ListedCase, MinimalCase, Vote, versions};
use crate::engine::DeadlyModule;
use crate::must::Must as _;

/// The words for an engine that judged nothing.
pub fn judged_nothing(engine: &str) -> String {
    format!("{engine} judged nothing")
}

/// Adds another report, or with none only sorts.
pub(super) fn add(to: &mut Report, other: Option<Report>) {
    let other = other.unwrap_or_else(|| empty(to));
    let texts = |list: &mut Vec<String>, more: Vec<String>| {
        list.extend(more);
        list.sort();
    };
    texts(&mut to.lost, other.lost);
    texts(&mut to.notes, other.notes);
    texts(&mut to.not_reproduced, other.not_reproduced);
    texts(&mut to.not_analysed, other.not_analysed);
    texts(&mut to.internal_errors, other.internal_errors);
    to.internal_errors.dedup();
    if other.verdict == RunVerdict::Interrupted {
        to.verdict = RunVerdict::Interrupted;
    }
    to.date = to.date.take().max(other.date);
    to.parts.extend(other.parts);
    to.parts.sort();
    to.parts.dedup();
    let all = to.parts.iter().any(|part| part.instructions.is_empty());
    let named: BTreeSet<String> = to.parts.iter().flat_map(|part| part.instructions.clone()).collect();
    to.options.instructions = if all { Vec::new() } else { named.into_iter().collect() };
    join(&mut to.engines, other.engines, |engine| engine.name.clone(), add_engine);
    settle_silent(to);
    to.engines.iter_mut().for_each(|engine| unite(&mut engine.limits, Vec::new()));
    join(&mut to.absent, other.absent, |absent| (absent.engine.clone(), absent.why.clone()), |_, _| ());
    join(&mut to.inferences, other.inferences, |inference| inference.id.clone(), add_inference);
    join(&mut to.forms, other.forms, |form| form.form.clone(), add_form);
    join(&mut to.rules, other.rules, |rule| (rule.form.clone(), rule.id.clone()), add_rule);
    to.rules.iter_mut().for_each(|rule| unite(&mut rule.along_with, Vec::new()));
    join(&mut to.groups, other.groups, group_key, add_group);
    join(&mut to.modifiers, other.modifiers, modifier_key, |to, other| to.engines.extend(other.engines));
    join(&mut to.divergences, other.divergences, |known| known.id.clone(), add_divergence);
    add_examples(&mut to.examples, other.examples);
    join(&mut to.chains, other.chains, |chains| chains.engine.clone(), ChainReport::add);
    join(&mut to.deaths, other.deaths, DeathReport::key, add_death);
    for (fingerprint, borders) in other.borders {
        // Those of the machine with the most builds say the most.
        let known = to.borders.entry(fingerprint).or_default();
        if (known.asked.len(), &known.asked) < (borders.asked.len(), &borders.asked) {
            *known = borders;
        }
    }
    join(&mut to.findings, other.findings, |finding| finding.fingerprint.clone(), add_finding);
    to.findings.sort_by(|a, b| (b.mismatches, &a.fingerprint).cmp(&(a.mismatches, &b.fingerprint)));
}

/// An engine that judged nothing in one shard may have judged something in another.
fn settle_silent(report: &mut Report) {
    let silent = |engine: &EngineReport| engine.cases + engine.row_counts()[1] + engine.row_counts()[2] == 0;
    let of_engines = report.engines.iter().map(|engine| (judged_nothing(&engine.name), silent(engine)));
    let of_engines: BTreeMap<String, bool> = of_engines.collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    report.lost.retain(|line| of_engines.get(line).is_none_or(|silent| *silent && seen.insert(line.clone())));
}

/// A report of nothing.
fn empty(like: &Report) -> Report {
    Report {
        lost: Vec::new(),
        notes: Vec::new(),
        not_reproduced: Vec::new(),
        not_analysed: Vec::new(),
        internal_errors: Vec::new(),
        engines: Vec::new(),
        absent: Vec::new(),
        inferences: Vec::new(),
        forms: Vec::new(),
        rules: Vec::new(),
        findings: Vec::new(),
        borders: BTreeMap::new(),
        deaths: Vec::new(),
        chains: Vec::new(),
        groups: Vec::new(),
        modifiers: Vec::new(),
        divergences: Vec::new(),
        examples: Vec::new(),
        parts: Vec::new(),
        ..like.clone()
    }
}

/// Joins two lists by what names their entries, in its order.
fn join<T, K: Ord>(to: &mut Vec<T>, from: Vec<T>, key: impl Fn(&T) -> K, add: impl Fn(&mut T, T)) {
    let mut all: BTreeMap<K, T> = BTreeMap::new();
    for entry in std::mem::take(to).into_iter().chain(from) {
        match all.entry(key(&entry)) {
            Entry::Vacant(place) => {
                place.insert(entry);
            }
            Entry::Occupied(mut place) => add(place.get_mut(), entry),
        }
    }
    to.extend(all.into_values());
}

fn sum<const N: usize>(to: &mut [u64; N], from: [u64; N]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}

fn sum_each(to: &mut BTreeMap<String, u64>, from: BTreeMap<String, u64>) {
    from.into_iter().for_each(|(key, count)| *to.entry(key).or_default() += count);
}

fn sum_pairs(to: &mut BTreeMap<String, [u64; 2]>, from: BTreeMap<String, [u64; 2]>) {
    from.into_iter().for_each(|(key, counts)| sum(to.entry(key).or_default(), counts));
}

/// The larger of two numbers as text.
fn largest(to: &mut String, from: String) {
    if (from.len(), &from) > (to.len(), &*to) {
        *to = from;
    }
}

/// The first of two by what it is compared by, then by its JSON.
fn first<T: Serialize, K: Ord>(to: &mut T, from: T, key: impl Fn(&T) -> K) {
    let json = |of: &T| serde_json::to_string(of).must("the parts of a report can be written as JSON");
    if (key(&from), json(&from)) < (key(to), json(to)) {
        *to = from;
    }
}

fn unite(to: &mut Vec<String>, from: Vec<String>) {
    let all: BTreeSet<String> = to.drain(..).chain(from).collect();
    to.extend(all);
}

fn add_engine(to: &mut EngineReport, from: EngineReport) {
    to.judges |= from.judges;
    to.cases += from.cases;
    sum(&mut to.valid, from.valid);
    sum(&mut to.breaches, from.breaches);
    sum(&mut to.code, from.code);
    to.listed += from.listed;
    to.unlisted += from.unlisted;
    sum_each(&mut to.skipped, from.skipped);
    sum_each(&mut to.skipped_rows, from.skipped_rows);
    for (instruction, count) in from.left_out {
        // Each shard counts those of the whole plan.
        let most = to.left_out.entry(instruction).or_default();
        *most = (*most).max(count);
    }
    for (why, ids) in from.not_asked {
        unite(to.not_asked.entry(why).or_default(), ids);
    }
    for (why, forms) in from.without_semantics {
        unite(to.without_semantics.entry(why).or_default(), forms);
    }
    to.environment = to.environment.take().max(from.environment);
    unite(&mut to.limits, from.limits);
    let add_rows = |to: &mut RowReport, from: RowReport| {
        largest(&mut to.space, from.space);
        to.rows += from.rows;
        to.passed += from.passed;
        to.failed += from.failed;
        to.bound_used = to.bound_used.max(from.bound_used);
    };
    join(&mut to.rows, from.rows, |rows| rows.form.clone(), add_rows);
    let add_undefined = |to: &mut UndefinedReport, from: UndefinedReport| {
        to.run += from.run;
        to.not_run += from.not_run;
    };
    join(&mut to.undefined, from.undefined, |why| why.id.clone(), add_undefined);
    to.words = match (to.words.take(), from.words) {
        (Some(ours), Some(theirs)) => Some(both_words(ours, &theirs)),
        (ours, theirs) => ours.or(theirs),
    };
    to.gave_up = match (to.gave_up.take(), from.gave_up) {
        (Some(ours), Some(theirs)) => Some(ours.min(theirs)),
        (ours, theirs) => ours.or(theirs),
    };
}

/// Words of different instructions: the same words are tried in all.
fn both_words(mut to: TriedWords, from: &TriedWords) -> TriedWords {
    to.words = to.words.max(from.words);
    to.merge(from);
    to
}

fn add_inference(to: &mut InferenceReport, from: InferenceReport) {
    sum_pairs(&mut to.engines, from.engines);
}

fn add_form(to: &mut FormReport, from: FormReport) {
    let add = |to: &mut FormTested, from: FormTested| {
        sum(&mut to.valid_judged, from.valid_judged);
        sum(&mut to.breaches_judged, from.breaches_judged);
        // The plan is that of all shards.
        largest(&mut to.valid, from.valid);
        largest(&mut to.valid_tested, from.valid_tested);
        largest(&mut to.breaches, from.breaches);
        largest(&mut to.breaches_tested, from.breaches_tested);
        to.environments = to.environments.max(from.environments);
        to.breaches_without_twin = to.breaches_without_twin.max(from.breaches_without_twin);
    };
    join(&mut to.tested, from.tested, |tested| tested.engine.clone(), add);
}

fn add_rule(to: &mut RuleReport, from: RuleReport) {
    largest(&mut to.breaches, from.breaches);
    unite(&mut to.along_with, from.along_with);
    if to.breaches != "0" {
        to.along_with.clear();
    }
    sum_pairs(&mut to.tested, from.tested);
}

fn group_key(group: &GroupReport) -> impl Ord + use<> {
    let listed = group.divergence.is_some();
    let what = (group.instruction.clone(), group.form.clone(), group.rules.clone(), group.does);
    (listed, what, group.code_generation, group.message.clone(), group.divergence.clone(), group.contradicts.clone())
}

fn add_group(to: &mut GroupReport, from: GroupReport) {
    sum_each(&mut to.counts, from.counts);
    match (&mut to.example, from.example) {
        (Some(ours), Some(theirs)) => first(ours, theirs, |case| (case.line.len(), case.line.clone())),
        (ours @ None, theirs) => *ours = theirs,
        _ => {}
    }
}

fn modifier_key(modifier: &ModifierReport) -> impl Ord + use<> {
    let line = (modifier.line.clone(), modifier.other.clone());
    (modifier.form.clone(), modifier.slot.clone(), modifier.modifier.clone(), line)
}

fn add_divergence(to: &mut DivergenceReport, from: DivergenceReport) {
    sum_pairs(&mut to.counts, from.counts);
    join(
        &mut to.cases,
        from.cases,
        |case| case.engine.clone(),
        |to: &mut ListedCase, from| {
            first(&mut to.case, from.case, simplicity);
        },
    );
    for (engine, problem) in from.stale {
        let known = to.stale.entry(engine).or_insert(problem);
        *known = (*known).max(problem);
    }
    // What one shard did not see, another one may have.
    let counts = &to.counts;
    to.stale
        .retain(|engine, problem| *problem != Problem::Fixed || counts.get(engine).is_none_or(|[did, _]| *did == 0));
}

fn simplicity(case: &MinimalCase) -> (usize, String, String) {
    (case.line.len(), case.line.clone(), case.id.clone())
}

/// Joins examples; one line can be an example several times.
fn add_examples(to: &mut Vec<ExampleReport>, from: Vec<ExampleReport>) {
    let numbered = |list: Vec<ExampleReport>| {
        let mut known: BTreeMap<(String, String), usize> = BTreeMap::new();
        let number = |example: ExampleReport| {
            let count = known.entry((example.instruction.clone(), example.line.clone())).or_default();
            *count += 1;
            (*count, example)
        };
        list.into_iter().map(number).collect::<Vec<_>>()
    };
    let mut all = numbered(std::mem::take(to));
    let key = |(number, example): &(usize, ExampleReport)| (example.instruction.clone(), example.line.clone(), *number);
    join(&mut all, numbered(from), key, |(_, to), (_, from)| to.engines.extend(from.engines));
    to.extend(all.into_iter().map(|(_, example)| example));
}

fn add_death(to: &mut DeathReport, from: DeathReport) {
    let count = to.count + from.count;
    first(to, from, |death| DeadlyModule::size(&death.modules));
    to.count = count;
}

fn add_finding(to: &mut Finding, from: Finding) {
    to.mismatches += from.mismatches;
    to.valid |= from.valid;
    to.sometimes |= from.sometimes;
    for (list, more) in [
        (&mut to.rules, from.rules),
        (&mut to.says, from.says),
        (&mut to.manual, from.manual),
        (&mut to.forms, from.forms),
        (&mut to.slots, from.slots),
        (&mut to.inferred, from.inferred),
    ] {
        unite(list, more);
    }
    let about = |of: &Evidence| {
        (of.form.clone(), of.engine.clone(), of.environment.clone(), of.rules.clone(), of.variants.clone())
    };
    join(&mut to.evidence, from.evidence, about, |to, from| {
        if (from.asked, from.failed) > (to.asked, to.failed) {
            *to = from;
        }
    });
    for (engine, vote) in from.engines {
        let known = to.engines.entry(engine).or_insert_with(|| vote.clone());
        *known = stronger(known.clone(), vote);
    }
    to.versions = versions(&to.family, &to.engines);
    first(&mut to.blame, from.blame, |_| ());
    first(&mut to.case, from.case, simplicity);
    first(&mut to.yaml, from.yaml, |yaml| (yaml.is_empty(), yaml.len()));
    first(&mut to.title, from.title, |title| title.len());
}

/// One that shows it is enough.
fn stronger(a: Vote, b: Vote) -> Vote {
    match (a, b) {
        (Vote::Shows, _) | (_, Vote::Shows) => Vote::Shows,
        (Vote::Other(a), Vote::Other(b)) => Vote::Other(a.min(b)),
        (other @ Vote::Other(_), _) | (_, other @ Vote::Other(_)) => other,
        (Vote::DoesNot, Vote::DoesNot) => Vote::DoesNot,
    }
}
