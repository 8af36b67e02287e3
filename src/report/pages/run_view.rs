//! The page of the run: what each engine did, with engines together that did the same.

use std::collections::BTreeMap;

use serde::Serialize;

use super::engine_names::{EngineCount, EngineNames};
use crate::report::data::Report;
use crate::report::engines::{EngineReport, InferenceReport};

/// The options and totals of the run, besides the facts of each engine.
#[derive(Debug, Serialize)]
pub(super) struct RunView<'r> {
    /// Engines, and how many random lines of which instructions the budget left out.
    left_out: Vec<(String, &'r BTreeMap<String, u64>)>,
    /// The listed divergences that were not asked about, by reason, with the engines.
    not_asked: Vec<(String, &'r BTreeMap<String, Vec<String>>)>,
    /// The forms of which the model lacks lines, by reason, with the engines.
    without_semantics: Vec<(String, &'r BTreeMap<String, Vec<String>>)>,
    /// How far the approximations of each engine are within their bounds.
    approximations: Vec<String>,
    executors: Vec<ExecutorView<'r>>,
    /// The counts of each engine's chains, in words.
    chains: Vec<String>,
    /// Engines, and what their answers to rows cannot tell.
    limits: Vec<(String, &'r Vec<String>)>,
    undefined: Vec<UndefinedView<'r>>,
    inferences: Vec<(&'r InferenceReport, Vec<EngineCount>)>,
}

/// An engine that executed rows, and the sums of all forms.
#[derive(Debug, Serialize)]
struct ExecutorView<'r> {
    engine: &'r EngineReport,
    forms: usize,
    rows: u64,
    passed: u64,
    failed: u64,
}

/// A reason for undefined results, and the rows of all engines.
#[derive(Debug, Serialize)]
struct UndefinedView<'r> {
    id: &'r str,
    says: &'r str,
    run: u64,
    not_run: u64,
}

impl<'r> RunView<'r> {
    pub(super) fn new(report: &'r Report, names: &EngineNames) -> Self {
        let engines = || report.engines.iter();
        let executors = || engines().filter(|engine| engine.environment.is_some());
        let left_out = engines().map(|engine| (engine.name.as_str(), &engine.left_out));
        let not_asked = engines().map(|engine| (engine.name.as_str(), &engine.not_asked));
        let without_semantics = executors().map(|engine| (engine.name.as_str(), &engine.without_semantics));
        let limits = executors().map(|engine| (engine.name.as_str(), &engine.limits));
        let executor = |engine: &'r EngineReport| {
            let [rows, passed, failed] = engine.row_counts();
            let forms = engine.rows.iter().filter(|form| form.rows > 0).count();
            ExecutorView { engine, forms, rows, passed, failed }
        };
        let mut undefined: Vec<UndefinedView<'_>> = Vec::new();
        for of in executors().flat_map(|engine| &engine.undefined) {
            match undefined.iter_mut().find(|known| known.id == of.id) {
                Some(known) => {
                    known.run += of.run;
                    known.not_run += of.not_run;
                }
                None => undefined.push(UndefinedView { id: &of.id, says: &of.says, run: of.run, not_run: of.not_run }),
            }
        }
        let inferences = report.inferences.iter().map(|of| {
            let counts = of.engines.iter().map(|(engine, [passed, failed])| (engine, [passed + failed, *passed]));
            (of, names.together(counts))
        });
        Self {
            left_out: names.alike(left_out.filter(|(_, of)| !of.is_empty()), PartialEq::eq),
            not_asked: names.alike(not_asked.filter(|(_, of)| !of.is_empty()), PartialEq::eq),
            without_semantics: names.alike(without_semantics.filter(|(_, of)| !of.is_empty()), PartialEq::eq),
            executors: executors().map(executor).collect(),
            chains: report.chains.iter().map(|of| format!("{}: {}", of.engine, of.words())).collect(),
            approximations: executors()
                .filter_map(|engine| Some(format!("{}: {}", engine.name, engine.approximation_words()?)))
                .collect(),
            limits: names.alike(limits.filter(|(_, of)| !of.is_empty()), PartialEq::eq),
            undefined,
            inferences: inferences.collect(),
        }
    }
}
