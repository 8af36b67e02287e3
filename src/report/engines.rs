//! What each engine did.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::campaign::{Count, EngineResult, Results, RowSource, Tally, TriedWords};
use crate::model::{INFERENCES, Inference};
use crate::plural::counted;

/// The counts and outcomes of one engine.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EngineReport {
    /// Its name.
    pub name: String,
    /// True if the engine was asked to judge lines.
    pub judges: bool,
    /// Lines judged.
    pub cases: u64,
    /// Claimed valid: cases, and how many were accepted.
    pub valid: [u64; 2],
    /// Breaking one rule: cases, and how many were rejected.
    pub breaches: [u64; 2],
    /// Taken through code generation: cases, and how many passed.
    pub code: [u64; 2],
    /// Mismatches that a divergence lists.
    pub listed: u64,
    /// Mismatches that no divergence lists.
    pub unlisted: u64,
    /// Lines not judged, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Random lines that the budget of an instruction left out, by instruction.
    pub left_out: BTreeMap<String, u64>,
    /// Listed divergences about which the run says nothing, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub not_asked: BTreeMap<String, Vec<String>>,
    /// The environment in which its rows were executed; none if it was not asked to execute.
    pub environment: Option<String>,
    /// The faults that its answers to rows cannot show.
    pub limits: Vec<String>,
    /// The results of its rows, by form.
    pub rows: Vec<RowReport>,
    /// Rows for which some or all of the result is undefined, by reason.
    pub undefined: Vec<UndefinedReport>,
    /// Rows that were not executed, by reason.
    pub skipped_rows: BTreeMap<String, u64>,
    /// Forms of which some or all lines are never executed because the model lacks them, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub without_semantics: BTreeMap<String, Vec<String>>,
    /// The results of trying words in slots.
    pub words: Option<TriedWords>,
    /// The reason why the engine was abandoned, in its own words.
    pub gave_up: Option<String>,
}

/// The results of the rows of one form.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RowReport {
    /// The form.
    pub form: String,
    /// The number of variants with setups. Text, because JSON numbers are only exact up to 2^53.
    pub space: String,
    /// Rows that were tried.
    pub rows: u64,
    /// Rows with an allowed result.
    pub passed: u64,
    /// Rows with a wrong result that no divergence lists.
    pub failed: u64,
    /// How far the worst approximation among those that passed is from the middle between its bounds, in thousandths of what they
    /// allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound_used: Option<u16>,
}

/// Rows whose result is partly or completely undefined.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UndefinedReport {
    /// Its name.
    pub id: String,
    /// The undefined behaviour in words.
    pub says: String,
    /// The forms of these rows.
    pub forms: Vec<String>,
    /// Rows that were executed, with the defined part of their results compared.
    pub run: u64,
    /// Rows that were not executed, because they might trap.
    pub not_run: u64,
}

/// Something that the model infers.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct InferenceReport {
    /// Its name.
    pub id: String,
    /// The inference in words.
    pub says: String,
    /// The reason for the inference.
    pub because: String,
    /// The forms of which rows depend on it.
    pub forms: Vec<String>,
    /// By engine: rows that depend on it and passed, and those that failed.
    pub engines: BTreeMap<String, [u64; 2]>,
}

/// An engine that was not asked.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AbsentReport {
    /// The engine.
    pub engine: String,
    /// The reason why the engine was not asked.
    pub why: String,
}

pub(super) fn engines(results: &Results) -> Vec<EngineReport> {
    let asked = |engine: &&EngineResult| engine.judges || engine.rows_from.is_some();
    results.engines.iter().filter(asked).map(EngineReport::new).collect()
}

/// The forms of an engine's rows that depend on an inference, and how many of these passed and failed.
fn of(engine: &EngineResult, inference: &Inference) -> (Vec<String>, [u64; 2]) {
    let depending = engine.tally.inferred.iter().filter(|((id, _), _)| *id == inference.id);
    depending.fold((Vec::new(), [0, 0]), |(mut forms, [passed, failed]), ((_, form), split)| {
        forms.push(form.clone());
        (forms, [passed + split.did, failed + split.did_not])
    })
}

/// All inferences, whether or not rows depend on them.
pub(super) fn inferences(results: &Results) -> Vec<InferenceReport> {
    let report = |inference: &Inference| InferenceReport {
        id: inference.id.to_owned(),
        says: inference.says.to_owned(),
        because: inference.because.to_owned(),
        forms: results
            .engines
            .iter()
            .flat_map(|engine| of(engine, inference).0)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect(),
        engines: results
            .engines
            .iter()
            .map(|engine| (engine.name.clone(), of(engine, inference).1))
            .filter(|(_, counts)| *counts != [0, 0])
            .collect(),
    };
    INFERENCES.iter().map(report).collect()
}

pub(super) fn absent(results: &Results) -> Vec<AbsentReport> {
    let report = |(engine, why): &(String, String)| AbsentReport { engine: engine.clone(), why: why.clone() };
    results.absent.iter().map(report).collect()
}

/// The lines that the budgets left out, by instruction.
fn left_out(result: &EngineResult) -> BTreeMap<String, u64> {
    let mut left_out: BTreeMap<String, u64> = BTreeMap::new();
    for plan in result.forms.iter().filter(|plan| plan.left_out > 0) {
        let instruction = plan.form.rsplit_once('.').map_or(plan.form.as_str(), |(instruction, _)| instruction);
        *left_out.entry(instruction.to_owned()).or_default() += u64::try_from(plan.left_out).unwrap_or(u64::MAX);
    }
    left_out
}

/// The listed divergences that were not asked about, by reason.
fn not_asked(result: &EngineResult) -> BTreeMap<String, Vec<String>> {
    let mut by_reason: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (id, why) in &result.not_asked {
        by_reason.entry(why.clone()).or_default().push(id.clone());
    }
    by_reason
}

/// The forms of executed rows that the model lacks in whole or in part, by reason.
fn without_semantics(tally: &Tally) -> BTreeMap<String, Vec<String>> {
    let mut by_reason: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (form, count) in &tally.rows {
        for why in &count.without_semantics {
            by_reason.entry(why.clone()).or_default().push(form.clone());
        }
    }
    by_reason
}

/// By reason: the forms are those in which it occurs.
fn undefined(tally: &Tally) -> Vec<UndefinedReport> {
    let mut reports: Vec<UndefinedReport> = Vec::new();
    for ((why, form), split) in &tally.undefined {
        if reports.last().is_none_or(|last| last.id != why.id()) {
            let (id, says) = (why.id().to_owned(), why.says().to_owned());
            reports.push(UndefinedReport { id, says, forms: Vec::new(), run: 0, not_run: 0 });
        }
        let Some(last) = reports.last_mut() else { continue };
        last.forms.push(form.clone());
        last.run += split.did;
        last.not_run += split.did_not;
    }
    reports
}

impl EngineReport {
    fn new(result: &EngineResult) -> Self {
        let sum = |counts: &mut dyn Iterator<Item = &Count>| {
            counts.fold([0, 0], |sum, count| [sum[0] + count.cases, sum[1] + count.agreed])
        };
        let tally = &result.tally;
        let listed = tally.groups.iter().filter(|(key, _)| key.mismatch.listed);
        Self {
            name: result.name.clone(),
            judges: result.judges,
            cases: tally.cases(),
            valid: sum(&mut tally.valid.values()),
            breaches: sum(&mut tally.breaches.values()),
            code: sum(&mut tally.code.values()),
            listed: listed.map(|(_, group)| group.count).sum(),
            unlisted: tally.unlisted(),
            skipped: tally.skipped.clone(),
            left_out: left_out(result),
            not_asked: not_asked(result),
            limits: result.limits.iter().map(|&limit| limit.to_owned()).collect(),
            environment: result.rows_from.map(|source| match source {
                RowSource::Executed(environment) => environment.to_string(),
                RowSource::Recorded => "as recorded".to_owned(),
            }),
            rows: tally
                .rows
                .iter()
                .map(|(form, count)| RowReport {
                    form: form.clone(),
                    space: count.space.to_string(),
                    rows: count.rows,
                    passed: count.passed,
                    failed: count.failed,
                    bound_used: count.bound_used,
                })
                .collect(),
            undefined: undefined(tally),
            skipped_rows: tally.skipped_rows.clone(),
            without_semantics: without_semantics(tally),
            words: result.words.clone(),
            gave_up: result.gave_up.clone(),
        }
    }

    /// How many forms the model lacks lines of, in words; the pages have them by reason.
    pub(super) fn without_semantics_words(&self) -> Option<String> {
        let forms: BTreeSet<&String> = self.without_semantics.values().flatten().collect();
        let says = "never executed, as a whole or in part, because the model lacks them; the report says why";
        (!forms.is_empty()).then(|| format!("{} {says}", counted(forms.len(), "form")))
    }

    /// How far the worst approximation of each form is from the middle between its bounds, in words.
    pub(super) fn approximation_words(&self) -> Option<String> {
        let used = |row: &RowReport| Some(format!("{} {} %", row.form, row.bound_used?.div_ceil(10)));
        let words: Vec<String> = self.rows.iter().filter_map(used).collect();
        let says = "the worst approximation, as a part of what its bounds allow";
        (!words.is_empty()).then(|| format!("{says}: {}", words.join(", ")))
    }

    /// Rows that were tried, those that passed, and those that failed.
    pub(super) fn row_counts(&self) -> [u64; 3] {
        let add = |sum: [u64; 3], row: &RowReport| [sum[0] + row.rows, sum[1] + row.passed, sum[2] + row.failed];
        self.rows.iter().fold([0; 3], add)
    }
}

impl UndefinedReport {
    pub(super) fn words(&self) -> String {
        format!("{}: {} run, {} not run: {}", self.id, self.run, self.not_run, self.says)
    }
}

impl AbsentReport {
    pub(super) fn words(&self) -> String {
        format!("not asked: {}: {}", self.engine, self.why)
    }
}
