//! One report of several: of the shards of a plan, of different engines, or of different instructions.
//!
//! Merging is associative and commutative, to the byte: everything is added, united, or the smallest is taken, and every list
//! is sorted by what names its entries. So a merged report lists forms and rules by name and not as the specification does.

mod fields;

use std::collections::{BTreeMap, BTreeSet};

use super::data::{Report, ReportPart, RunVerdict};
use super::engines::EngineReport;
use super::listed::DivergenceReport;
use crate::campaign::{Agreement, Problem, Shard};
use crate::must::Must as _;
use crate::plural::counted;

pub use fields::judged_nothing;

/// Merges reports, each with the words that name it in errors.
///
/// # Errors
/// If there are none, if their options, seeds, specifications or versions of this tool differ, or if two asked one engine the
/// same.
pub(super) fn merge(reports: Vec<(String, Report)>) -> Result<Report, String> {
    for (name, report) in &reports {
        let parts = report.parts.iter().map(|part| &part.shard);
        for shard in parts.chain([&report.options.shard]).flatten() {
            // Otherwise nobody could tell which other shards are missing.
            shard.parse::<Shard>().map_err(|why| format!("{name} cannot be merged: {why}"))?;
        }
    }
    let mut reports = reports.into_iter().map(|(name, report)| (name, without_derived(report)));
    let (first, mut merged) = reports.next().ok_or("there is no report to merge")?;
    let mut sources: Vec<(String, Vec<ReportPart>)> = vec![(first.clone(), merged.parts.clone())];
    fields::add(&mut merged, None);
    for (name, report) in reports {
        same_setting((&first, &merged), (&name, &report))?;
        for (other, parts) in &sources {
            apart((other, parts), (&name, &report.parts))?;
        }
        sources.push((name, report.parts.clone()));
        fields::add(&mut merged, Some(report));
    }
    derive(&mut merged);
    Ok(merged)
}

/// The report without what [`derive`] adds, and with its parts.
fn without_derived(mut report: Report) -> Report {
    if report.parts.is_empty() {
        let part = |engine: &EngineReport| ReportPart {
            engine: engine.name.clone(),
            instructions: report.options.instructions.clone(),
            shard: report.options.shard.clone(),
        };
        report.parts = report.engines.iter().map(part).collect();
    }
    let missing: BTreeSet<String> = missing(&report.parts).into_iter().collect();
    report.lost.retain(|line| !missing.contains(line));
    let sharded = sharded(&report.parts);
    for known in &mut report.divergences {
        let fixed: Vec<String> = known.seem_fixed(&sharded);
        known.stale.retain(|engine, problem| *problem != Problem::Fixed || !fixed.contains(engine));
    }
    report.options.shard = None;
    report.deeper = None;
    report.news = None;
    // Who merges makes it again from the matrices themselves.
    report.support = None;
    report
}

fn same_setting((first, merged): (&str, &Report), (name, report): (&str, &Report)) -> Result<(), String> {
    let options = |report: &Report| {
        let mut options = report.options.clone();
        options.instructions.clear();
        options
    };
    let (ours, theirs) = (options(merged), options(report));
    let pairs = [
        ("the version of ptx-conform", &merged.tool, &report.tool),
        ("the specification", &merged.specification, &report.specification),
        ("the list of divergences", &merged.divergence_files, &report.divergence_files),
        ("the seed", &ours.seed.to_string(), &theirs.seed.to_string()),
        ("the options", &ours.words(), &theirs.words()),
        (
            "the environment",
            &ours.environment.clone().unwrap_or_default(),
            &theirs.environment.clone().unwrap_or_default(),
        ),
    ];
    match pairs.iter().find(|(_, ours, theirs)| ours != theirs) {
        None => Ok(()),
        Some((what, ours, theirs)) => Err(format!(
            "{first} and {name} cannot be merged: {what} differs: `{ours}` and `{theirs}`; repeat one with the other's"
        )),
    }
}

/// An error if two reports asked one engine the same.
fn apart((one, ours): (&str, &[ReportPart]), (other, theirs): (&str, &[ReportPart])) -> Result<(), String> {
    for a in ours {
        for b in theirs.iter().filter(|b| b.engine == a.engine && b.shares_instructions(a)) {
            let of_one_plan = match (a.part_of_plan(), b.part_of_plan()) {
                (Some(x), Some(y)) => a.instructions == b.instructions && x.of == y.of && x.number != y.number,
                _ => false,
            };
            if !of_one_plan {
                return Err(format!(
                    "{one} and {other} cannot be merged: both asked {} about the same lines: {} and {}",
                    a.engine,
                    a.words(),
                    b.words()
                ));
            }
        }
    }
    Ok(())
}

impl ReportPart {
    /// The part of the plan that it is, once [`merge`] has checked that it is one.
    fn part_of_plan(&self) -> Option<Shard> {
        self.shard.as_ref().map(|shard| shard.parse().must("merging refuses a report whose shard cannot be read"))
    }

    fn shares_instructions(&self, other: &Self) -> bool {
        let all = self.instructions.is_empty() || other.instructions.is_empty();
        all || self.instructions.iter().any(|name| other.instructions.contains(name))
    }

    fn words(&self) -> String {
        let what = if self.instructions.is_empty() { "all".to_owned() } else { self.instructions.join(" ") };
        self.shard.as_ref().map_or_else(|| what.clone(), |shard| format!("{what}, shard {shard}"))
    }
}

/// The shards that are not there, in words.
fn missing(parts: &[ReportPart]) -> Vec<String> {
    let mut plans: BTreeMap<(&str, &[String], u64), BTreeSet<u64>> = BTreeMap::new();
    for part in parts {
        let Some(shard) = part.part_of_plan() else { continue };
        plans.entry((&part.engine, &part.instructions, shard.of)).or_default().insert(shard.number);
    }
    let mut missing = Vec::new();
    for ((engine, instructions, of), numbers) in plans {
        let what = if instructions.is_empty() { String::new() } else { format!(" ({})", instructions.join(" ")) };
        let absent: Vec<u64> = (1..=of).filter(|number| !numbers.contains(number)).take(MISSING + 1).collect();
        let lines = absent.iter().take(MISSING).map(|number| format!("{engine}{what}: shard {number}/{of} is missing"));
        missing.extend(lines);
        if absent.len() > MISSING {
            let more = of - (numbers.len() + MISSING) as u64;
            missing.push(format!("{engine}{what}: {more} more of {} missing", counted(of, "shard")));
        }
    }
    missing
}

/// Missing shards of a plan that are named; the others are counted.
const MISSING: usize = 64;

/// Adds what depends on all parts: missing shards, what is known only of whole plans, and the verdict.
fn derive(report: &mut Report) {
    let missing = missing(&report.parts);
    if missing.is_empty() && report.lost.is_empty() {
        // No shard could tell that a divergence no longer happens.
        let sharded = sharded(&report.parts);
        for known in &mut report.divergences {
            for engine in known.seem_fixed(&sharded) {
                known.stale.entry(engine).or_insert(Problem::Fixed);
            }
        }
    }
    for engine in &mut report.engines {
        let told = |id: &String| {
            let known = report.divergences.iter().find(|known| known.id == *id);
            known.is_some_and(|known| known.counts.get(&engine.name).is_some_and(|[did, _]| *did > 0))
        };
        engine.not_asked.values_mut().for_each(|ids| ids.retain(|id| !told(id)));
        engine.not_asked.retain(|_, ids| !ids.is_empty());
    }
    report.lost.extend(missing);
    report.lost.sort();
    report.verdict = verdict(report);
}

/// The engines of which there are shards.
fn sharded(parts: &[ReportPart]) -> BTreeSet<String> {
    parts.iter().filter(|part| part.shard.is_some()).map(|part| part.engine.clone()).collect()
}

impl DivergenceReport {
    /// The engines of these in which no case shows it any more.
    fn seem_fixed(&self, engines: &BTreeSet<String>) -> Vec<String> {
        let fixed = |(engine, [did, did_not]): &(&String, &[u64; 2])| {
            !self.sometimes && *did == 0 && *did_not > 0 && engines.contains(*engine)
        };
        self.counts.iter().filter(fixed).map(|(engine, _)| engine.clone()).collect()
    }
}

/// As for a run, of what the report says.
fn verdict(report: &Report) -> RunVerdict {
    let judged = report.engines.iter().map(|engine| engine.cases + engine.row_counts()[1] + engine.row_counts()[2]);
    let listed = report.groups.iter().any(|group| group.divergence.is_some());
    let nothing = judged.sum::<u64>() == 0 && !listed;
    let unexpected = report.examples.iter().flat_map(|example| example.engines.values());
    let unexpected = unexpected.into_iter().any(|answer| answer.agreement == Agreement::Unexpected);
    let stale = report.divergences.iter().any(|known| !known.stale.is_empty());
    let new = report.engines.iter().any(|engine| engine.unlisted > 0);
    let chain = report.chains.iter().any(|chains| !chains.agreed());
    let death = report.deaths.iter().any(|death| death.divergence.is_none());
    match () {
        () if report.verdict == RunVerdict::Interrupted => RunVerdict::Interrupted,
        () if !report.internal_errors.is_empty() => RunVerdict::InternalError,
        () if nothing || report.engines.iter().any(|engine| engine.gave_up.is_some()) => RunVerdict::CouldNotJudge,
        () if new || stale || unexpected || death || chain => RunVerdict::Disagreed,
        () if !report.lost.is_empty() => RunVerdict::CouldNotJudge,
        () => RunVerdict::Agreed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::{Options, Results};
    use crate::causes::Findings;
    use crate::divergences::Divergences;

    /// A part of a plan that nobody can name would hide that the others are missing.
    #[test]
    fn a_shard_that_is_none_is_not_merged() {
        let spec = crate::shipped::spec().expect("the specification is sound");
        let options = Options { instructions: vec!["brev".to_owned()], ..Options::default() };
        let of = |shard: &str| {
            let mut report =
                Report::new(&spec, &Divergences::default(), &options, &Results::default(), Findings::default());
            report.parts = vec![ReportPart {
                engine: "x@1".to_owned(),
                instructions: vec!["brev".to_owned()],
                shard: Some(shard.to_owned()),
            }];
            merge(vec![("a.json".to_owned(), report)])
        };
        assert!(of("1/2").is_ok_and(|merged| merged.lost == ["x@1 (brev): shard 2/2 is missing"]));
        assert!(of("1/x").is_err_and(|why| why.starts_with("a.json cannot be merged: `1/x` is not a shard")));
    }
}
