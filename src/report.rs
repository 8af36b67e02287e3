//! The report of a run: plain data, as JSON, as text, and as one HTML page that opens offline.
//!
//! Nothing in it depends on the clock, the machine's speed or the order in which threads ended.

mod chains;
mod coverage;
mod data;
mod deaths;
mod defect;
mod diff;
mod engines;
mod files;
mod folder;
mod groups;
mod history;
mod junit;
mod listed;
mod markdown;
mod modifiers;
mod news;
mod pages;
mod support;
mod text;

use crate::campaign::{Generate, Options, Results, Strategy};
use crate::causes::{Finding, Findings};
use crate::divergences::Divergences;
use crate::engine::words::visible_in_json;
use crate::spec::Spec;

pub use chains::{ChainFinding, ChainFindingLine, ChainReport, JoinedChainFinding};
pub use coverage::{ExampleAnswer, ExampleReport, FormReport, FormTested, RuleExample, RuleReport};
pub use data::{DeeperReport, EarlierRun, FORMAT, KnownFinding, News, Report, ReportOptions, RunVerdict};
pub use deaths::DeathReport;
pub use diff::{Changed, DiffSection, ReportDiff};
pub use engines::{AbsentReport, EngineReport, InferenceReport, RowReport, UndefinedReport};
pub use folder::{ReportFile, ReportFolder};
pub use groups::{GroupCase, GroupReport};
pub use history::{HISTORY_FORMAT, HistoryEngine, HistoryLine, open as open_history};
pub use listed::DivergenceReport;
pub use modifiers::{CodeChanges, ModifierReport};
pub use pages::PageSources;
pub use support::SupportReport;

impl ReportOptions {
    fn new(options: &Options) -> Self {
        let instructions: std::collections::BTreeSet<&String> = options.instructions.iter().collect();
        Self {
            instructions: instructions.into_iter().cloned().collect(),
            depth: options.depth.word().to_owned(),
            strategy: match options.strategy {
                Strategy::Choices => "choices",
                Strategy::Pairs => "pairs",
                Strategy::Triples => "triples",
                Strategy::Complete => "complete",
            }
            .to_owned(),
            limit: options.limit.to_string(),
            random: options.random,
            boundaries: options.boundaries && options.environment.is_none(),
            generate_code: match options.generate {
                Generate::Nothing => "none",
                Generate::Sample => "sample",
                Generate::Everything => "all",
            }
            .to_owned(),
            vocabulary: options.vocabulary,
            cases: options.cases,
            rows: options.rows,
            chains: options.chain_count(),
            seed: options.seed,
            environment: options.environment.map(|environment| environment.to_string()),
        }
    }
}

/// The schema of a line of `history.jsonl`.
pub fn history_schema() -> serde_json::Value {
    schemars::schema_for!(HistoryLine).to_value()
}

/// The schema of `report.json`.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Report).to_value()
}

impl Report {
    /// The report of a run. Mismatches that did not come out again are taken out of the results: they are no agreement, and no
    /// disagreement either.
    ///
    /// # Example
    ///
    /// A run of one instruction on the specification itself, which agrees with itself:
    ///
    /// ```
    /// use ptx_conform::campaign::{self, Options, Progress, RunDepth, Subject};
    /// use ptx_conform::causes;
    /// use ptx_conform::divergences::Divergences;
    /// use ptx_conform::engine::reference::Reference;
    /// use ptx_conform::report::{Report, RunVerdict};
    ///
    /// let spec = ptx_conform::shipped::spec().map_err(|errors| errors[0].render(false))?;
    /// let model = Reference::new(&spec)?;
    /// let newest = *spec.isa.versions.last().ok_or("there is no version")?;
    /// let subjects = [Subject::judging(&model, newest)];
    /// let options = Options { instructions: vec!["brev".to_owned()], ..Options::at(RunDepth::Choices) };
    /// let (divergences, progress) = (Divergences::default(), Progress::default());
    /// let mut results = campaign::run(&spec, &divergences, &subjects, &options, &progress);
    /// let findings = causes::find(&spec, &divergences, &subjects, &results, &progress)?;
    /// let report = Report::new(&spec, &divergences, &options, &mut results, findings);
    /// assert_eq!(report.verdict, RunVerdict::Agreed);
    /// assert!(report.engines[0].cases > 0 && report.findings.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        spec: &Spec,
        divergences: &Divergences,
        options: &Options,
        results: &mut Results,
        findings: Findings,
    ) -> Self {
        for unstable in &findings.unstable {
            results.set_aside(&unstable.engine, &unstable.groups, &unstable.examples);
            results.lost.push(unstable.words());
        }
        let results = &*results;
        let of_engines = results.engines.iter().flat_map(|engine| &engine.tally.internal_errors);
        let internal_errors: Vec<String> = of_engines.chain(&results.internal_errors).cloned().collect();
        let verdict = match () {
            () if results.interrupted || findings.interrupted => RunVerdict::Interrupted,
            () if !internal_errors.is_empty() => RunVerdict::InternalError,
            () if results.without_verdict() => RunVerdict::CouldNotJudge,
            () if !results.agreed() => RunVerdict::Disagreed,
            () if !results.lost.is_empty() => RunVerdict::CouldNotJudge,
            () => RunVerdict::Agreed,
        };
        let instructions = crate::campaign::named(spec, options);
        Self {
            format: FORMAT,
            verdict,
            date: None,
            news: None,
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            specification: spec.fingerprint.clone(),
            divergence_files: divergences.fingerprint.clone(),
            options: ReportOptions::new(options),
            deeper: None,
            engines: engines::engines(results),
            absent: engines::absent(results),
            lost: results.lost.clone(),
            notes: results.notes.clone(),
            inferences: engines::inferences(results),
            forms: coverage::forms(&instructions, results),
            rules: coverage::rules(&instructions, results),
            findings: findings.all,
            borders: std::collections::BTreeMap::new(),
            deaths: deaths::deaths(results),
            chains: chains::chains(results),
            not_reproduced: findings.not_reproduced,
            not_analysed: findings.not_analysed,
            groups: groups::groups(spec, results),
            support: None,
            modifiers: modifiers::modifiers(results),
            divergences: listed::met(divergences, &instructions, results, findings.listed),
            examples: coverage::examples(&instructions, results),
            internal_errors,
        }
    }

    /// Takes the support matrix into the verdict: a difference that no divergence lists is a disagreement, and a missing
    /// answer alone is no agreement. As for lines, a disagreement counts more than a missing answer.
    pub fn settle(&mut self) {
        let Some(support) = self.support.as_ref().filter(|_| self.verdict == RunVerdict::Agreed) else { return };
        self.verdict = match (support.unlisted.as_slice(), support.undecided) {
            ([_, ..], _) => RunVerdict::Disagreed,
            ([], 1..) => RunVerdict::CouldNotJudge,
            ([], 0) => RunVerdict::Agreed,
        };
    }

    /// As JSON, indented; characters that would act on a terminal or in a viewer are escaped.
    ///
    /// # Errors
    /// None in practice: the data has no maps with keys other than text.
    pub fn json(&self) -> serde_json::Result<String> {
        let json = serde_json::to_string_pretty(self)?;
        Ok(visible_in_json(&json).into_owned() + "\n")
    }

    /// As text for a terminal.
    pub fn text(&self) -> String {
        text::render(self)
    }

    /// As JUnit XML: one suite for each engine, and one for the run as a whole.
    ///
    /// # Errors
    /// None in practice: the names are text.
    pub fn junit(&self) -> Result<String, quick_junit::SerializeError> {
        junit::render(self)
    }

    /// As Markdown for a pull request or the summary of a job: at most 60 kB. Texts of engines cannot be markup.
    pub fn markdown(&self) -> String {
        markdown::render(self)
    }

    /// As HTML pages: the path of each in the report's folder, and its text.
    ///
    /// # Errors
    /// If one of our own templates is broken.
    pub fn pages(&self, sources: &PageSources<'_>) -> Result<Vec<(String, String)>, minijinja::Error> {
        pages::pages(self, sources)
    }
}

/// The words for an engine that judged nothing.
pub fn judged_nothing(engine: &str) -> String {
    format!("{engine} judged nothing")
}

/// A finding as text for a terminal.
pub fn finding_text(finding: &Finding) -> String {
    text::finding(finding)
}
