//! The report of a run: plain data, as JSON, as text, and as one HTML page that opens offline.
//!
//! Nothing in it depends on the clock, the machine's speed or the order in which threads ended.

mod coverage;
mod deaths;
mod defect;
mod diff;
mod engines;
mod files;
mod groups;
mod history;
mod junit;
mod listed;
mod markdown;
mod merge;
mod modifiers;
mod news;
mod pages;
mod support;
mod text;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::campaign::{Deeper, Generate, Options, Results, RunDepth, Shard, Strategy};
use crate::causes::{Finding, Findings};
use crate::divergences::Divergences;
use crate::engine::words::acts;
use crate::spec::Spec;

pub use coverage::{ExampleAnswer, ExampleReport, FormReport, FormTested, RuleExample, RuleReport};
pub use deaths::DeathReport;
pub use diff::{Changed, DiffSection, ReportDiff};
pub use engines::{AbsentReport, EngineReport, InferenceReport, RowReport, UndefinedReport};
pub use groups::{GroupCase, GroupReport};
pub use history::{HISTORY_FORMAT, HistoryEngine, HistoryLine, KnownFinding, open as open_history};
pub use listed::DivergenceReport;
pub use merge::{ReportPart, judged_nothing};
pub use modifiers::{CodeChanges, ModifierReport};
pub use news::{EarlierRun, News};
pub use pages::PageSources;
pub use support::SupportReport;

/// The version of the format of `report.json`. It grows when a field changes its meaning or goes away.
pub const FORMAT: u32 = 1;

/// The result of a run as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RunVerdict {
    /// Every engine did what is expected.
    Agreed,
    /// There is a new mismatch, or a listed one that no longer happens.
    Disagreed,
    /// Something was asked and not answered, or nothing was judged.
    CouldNotJudge,
    /// The run was stopped before its end.
    Interrupted,
    /// This tool contradicted itself.
    InternalError,
}

impl RunVerdict {
    /// The words of a report.
    pub fn words(self) -> &'static str {
        match self {
            Self::Agreed => "agreed",
            Self::Disagreed => "disagreed",
            Self::CouldNotJudge => "could not judge",
            Self::Interrupted => "interrupted",
            Self::InternalError => "internal error",
        }
    }
}

/// The one field that every version of a format has.
#[derive(Deserialize)]
struct FormatNumber {
    format: u32,
}

/// Everything a run found.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// The version of this format: [`FORMAT`].
    pub format: u32,
    /// The result as a whole.
    pub verdict: RunVerdict,
    /// The day of the run, if it was given: `--today`.
    pub date: Option<String>,
    /// The changes since the last run of the same kind; none if the history has no such run. Besides the run itself it
    /// depends only on the history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub news: Option<News>,
    /// The runs of a merged report, by engine; none for the report of a run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<ReportPart>,
    /// Version of this tool.
    pub tool: String,
    /// A hash of the specification's files.
    pub specification: String,
    /// A hash of the files of divergences; empty if there are none.
    pub divergence_files: String,
    /// The options of the run.
    pub options: ReportOptions,
    /// The additions of a deeper run; none for the deepest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deeper: Option<DeeperReport>,
    /// The counts and outcomes of each engine.
    pub engines: Vec<EngineReport>,
    /// Engines that were not asked.
    pub absent: Vec<AbsentReport>,
    /// Cases without an answer because an engine failed, and engines that judged nothing.
    pub lost: Vec<String>,
    /// Notes of engines that are not the answer to a question.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Everything that the reference model infers.
    pub inferences: Vec<InferenceReport>,
    /// The forms, and how much of their spaces was tested.
    pub forms: Vec<FormReport>,
    /// The rules, and how often each was broken alone.
    pub rules: Vec<RuleReport>,
    /// The causes of the mismatches that no divergence lists.
    pub findings: Vec<Finding>,
    /// Lines that kill an engine only together.
    #[serde(default)]
    pub deaths: Vec<DeathReport>,
    /// Mismatch groups in which no case failed again, and engines that give different answers to the same
    /// question.
    pub not_reproduced: Vec<String>,
    /// Mismatch groups that were not analysed, and why: of lines with several faults, or too many.
    pub not_analysed: Vec<String>,
    /// The mismatch groups, those that no divergence lists first.
    pub groups: Vec<GroupReport>,
    /// How engines compare with the manual in the support matrix; none if it was not made.
    #[serde(default)]
    pub support: Option<SupportReport>,
    /// The machine instructions that each modifier adds and removes.
    pub modifiers: Vec<ModifierReport>,
    /// The divergences that the run exercised.
    pub divergences: Vec<DivergenceReport>,
    /// The manual's own examples.
    pub examples: Vec<ExampleReport>,
    /// Variants that the judge reads differently from what was generated: bugs of this tool.
    pub internal_errors: Vec<String>,
}

/// The options of the run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct ReportOptions {
    /// The opcodes; all if empty.
    #[serde(default)]
    pub instructions: Vec<String>,
    /// How deep the run looks where the other options do not say it: `choices` or `pairs`.
    #[serde(default = "deepest")]
    pub depth: String,
    /// How much of each space is tested.
    pub strategy: String,
    /// The size below which a space is tested completely by the strategy `complete`.
    pub limit: String,
    /// Additional random valid variants of each form; none for the usual number.
    pub random: Option<u64>,
    /// True if every PTX version and target at which a requirement changes is tested as well.
    pub boundaries: bool,
    /// Which valid lines are taken through code generation.
    pub generate_code: String,
    /// True if words are tried in slots.
    #[serde(default)]
    pub vocabulary: bool,
    /// The maximum number of programs of each form; none for what is usual for each engine.
    #[serde(default)]
    pub cases: Option<usize>,
    /// Rows of each program.
    #[serde(default)]
    pub rows: usize,
    /// The seed of random draws.
    pub seed: u64,
    /// The only environment that is tested in.
    pub environment: Option<String>,
    /// The part of the plan: `2/8`; none for the whole.
    pub shard: Option<String>,
}

/// The additions of a deeper run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeeperReport {
    /// The questions of the deeper run beyond the questions of this one, in words.
    pub adds: Vec<String>,
    /// The command that runs it.
    pub command: String,
}

impl DeeperReport {
    fn new(deeper: Deeper, options: &Options, results: &Results) -> Self {
        let opcodes = options.instructions.iter().map(|name| format!(" {name}"));
        let judging = results.engines.iter().filter(|engine| engine.judges);
        let engines = judging.map(|engine| format!(" --engine {}", engine.name));
        let arguments: String = opcodes.chain(engines).collect();
        let command = format!("ptx-conform run --depth {}{arguments}", deeper.depth.word());
        Self { adds: deeper.adds, command }
    }

    /// As one sentence.
    fn words(&self) -> String {
        format!("a deeper run would add: {}: {}", self.adds.join("; "), self.command)
    }
}

/// The depth of the runs that reports without one are of.
fn deepest() -> String {
    RunDepth::DEEPEST.word().to_owned()
}

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
            seed: options.seed,
            environment: options.environment.map(|environment| environment.to_string()),
            shard: (options.shard != Shard::WHOLE).then(|| options.shard.to_string()),
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
    /// The report of a run.
    pub fn new(
        spec: &Spec,
        divergences: &Divergences,
        options: &Options,
        results: &Results,
        findings: Findings,
    ) -> Self {
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
            parts: Vec::new(),
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            specification: spec.fingerprint.clone(),
            divergence_files: divergences.fingerprint.clone(),
            options: ReportOptions::new(options),
            deeper: Deeper::new(spec, options, &instructions, results)
                .map(|of| DeeperReport::new(of, options, results)),
            engines: engines::engines(results),
            absent: engines::absent(results),
            lost: results.lost.clone(),
            notes: results.notes.clone(),
            inferences: engines::inferences(results),
            forms: coverage::forms(&instructions, results),
            rules: coverage::rules(&instructions, results),
            findings: findings.all,
            deaths: deaths::deaths(results),
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

    /// One report of several, each with words that name it in errors: of shards of a plan, of different engines, or of
    /// different instructions. In any order and grouping it is the same.
    ///
    /// # Errors
    /// A text that says which two cannot be merged, and why.
    pub fn merged(reports: Vec<(String, Self)>) -> Result<Self, String> {
        merge::merge(reports)
    }

    /// As JSON, indented; characters that would act on a terminal or in a viewer are escaped.
    ///
    /// # Errors
    /// None in practice: the data has no maps with keys other than text.
    pub fn json(&self) -> serde_json::Result<String> {
        let json = serde_json::to_string_pretty(self)?;
        // Indentation and line ends aside, everything that acts is within strings.
        let escaped = |c: char| c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect();
        let shown = |c: char| if acts(c) { escaped(c) } else { c.to_string() };
        Ok(if json.chars().any(acts) { json.chars().map(shown).collect::<String>() } else { json } + "\n")
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

/// A finding as text for a terminal.
pub fn finding_text(finding: &Finding) -> String {
    text::finding(finding)
}
