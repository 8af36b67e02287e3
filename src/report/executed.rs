//! What was executed, and what came of it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::finding::ExecutedFinding;
use crate::model::INFERENCES;
use crate::run::Results;

/// What one executing engine did.
#[derive(Clone, Debug, Serialize)]
pub struct ExecutedReport {
    /// Its name.
    pub engine: String,
    /// PTX version, target and address size.
    pub environment: String,
    /// By form.
    pub forms: Vec<ExecutedFormReport>,
    /// Rows of which some or all may be anything, by the reason.
    pub undefined: Vec<UndefinedReport>,
    /// Rows that were not executed, by the reason.
    pub skipped: BTreeMap<String, u64>,
}

/// What became of the rows of one form.
#[derive(Clone, Debug, Serialize)]
pub struct ExecutedFormReport {
    form: String,
    /// Variants in their states. Text, as JSON numbers end at 2^53.
    space: String,
    rows: u64,
    agreed: u64,
    differed: u64,
}

/// Rows of which something may be anything.
#[derive(Clone, Debug, Serialize)]
pub struct UndefinedReport {
    id: &'static str,
    says: &'static str,
    /// Rows that were executed, and what is defined of them compared.
    asked: u64,
    /// Rows that were not, as they might have ended their kernel.
    left: u64,
}

/// Something that the model infers.
#[derive(Clone, Debug, Serialize)]
pub struct InferenceReport {
    id: &'static str,
    says: &'static str,
    because: &'static str,
    /// By engine: rows that rest on it and agreed, and rows that did not.
    engines: BTreeMap<String, [u64; 2]>,
}

/// An engine that was not asked.
#[derive(Clone, Debug, Serialize)]
pub struct AbsentReport {
    engine: String,
    why: String,
}

pub(super) fn executed(results: &Results) -> Vec<ExecutedReport> {
    let report = |result: &crate::run::ExecutedResult| ExecutedReport {
        engine: result.name.clone(),
        environment: result.environment.map_or_else(|| "what was recorded".to_owned(), |known| known.to_string()),
        forms: result
            .forms
            .iter()
            .map(|form| ExecutedFormReport {
                form: form.id.clone(),
                space: form.space.to_string(),
                rows: form.rows,
                agreed: form.agreed,
                differed: form.differed,
            })
            .collect(),
        undefined: result
            .undefined
            .iter()
            .map(|(why, [asked, left])| UndefinedReport { id: why.id(), says: why.says(), asked: *asked, left: *left })
            .collect(),
        skipped: result.skipped.clone(),
    };
    results.executed.iter().map(report).collect()
}

/// All that is inferred, whether or not rows rest on it.
pub(super) fn inferences(results: &Results) -> Vec<InferenceReport> {
    let report = |inference: &crate::model::Inference| InferenceReport {
        id: inference.id,
        says: inference.says,
        because: inference.because,
        engines: results
            .executed
            .iter()
            .filter_map(|engine| Some((engine.name.clone(), *engine.inferred.get(inference.id)?)))
            .collect(),
    };
    INFERENCES.iter().map(report).collect()
}

/// Forms of which rows came out wrong, and no finding says when: they did not again.
pub(super) fn unexplained(results: &Results, findings: &[ExecutedFinding]) -> Vec<String> {
    let mut forms = Vec::new();
    for engine in &results.executed {
        for form in engine.forms.iter().filter(|form| form.differed > 0) {
            let names = |finding: &&ExecutedFinding| finding.engine == engine.name && finding.forms.contains(&form.id);
            if !findings.iter().any(|finding| names(&finding)) {
                forms.push(format!("{}: {} rows came out wrong in {}", form.id, form.differed, engine.name));
            }
        }
    }
    forms
}

pub(super) fn absent(results: &Results) -> Vec<AbsentReport> {
    let report = |(engine, why): &(String, String)| AbsentReport { engine: engine.clone(), why: why.clone() };
    results.absent.iter().map(report).collect()
}

impl ExecutedReport {
    /// Rows that agreed, and rows that differed.
    pub(super) fn judged(&self) -> [u64; 2] {
        self.forms.iter().fold([0, 0], |sum, form| [sum[0] + form.agreed, sum[1] + form.differed])
    }

    /// Rows that were tried.
    pub(super) fn rows(&self) -> u64 {
        self.forms.iter().map(|form| form.rows).sum()
    }
}

impl UndefinedReport {
    pub(super) fn words(&self) -> String {
        format!("{}: {} executed, {} left alone: {}", self.id, self.asked, self.left, self.says)
    }
}

impl AbsentReport {
    pub(super) fn words(&self) -> String {
        format!("not asked: {}: {}", self.engine, self.why)
    }
}
