//! The data of a report: what a run found, as `report.json` has it. Whatever shows, compares or merges reports reads it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chains::{ChainReport, JoinedChainFinding, joined};
use super::coverage::{ExampleReport, FormReport, RuleReport};
use super::deaths::DeathReport;
use super::engines::{AbsentReport, EngineReport, InferenceReport};
use super::groups::GroupReport;
use super::listed::DivergenceReport;
use super::modifiers::ModifierReport;
use super::support::SupportReport;
use crate::borders::Borders;
use crate::campaign::RunDepth;
use crate::causes::{Finding, SEVERAL_FAULTS};
use crate::plural::counted;

/// The version of the format of `report.json`. It grows when a field changes its meaning or goes away.
pub const FORMAT: u32 = 3;

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
pub(super) struct FormatNumber {
    pub(super) format: u32,
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
    /// Where findings of wrong code and crashes happen among the installed builds of the assembler, by their fingerprints.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub borders: BTreeMap<String, Borders>,
    /// Lines that kill an engine only together.
    #[serde(default)]
    pub deaths: Vec<DeathReport>,
    /// The chains of lines that engines executed.
    #[serde(default)]
    pub chains: Vec<ChainReport>,
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
    /// Chains of lines that each engine executes.
    #[serde(default)]
    pub chains: u64,
    /// The seed of random draws.
    pub seed: u64,
    /// The only environment that is tested in.
    pub environment: Option<String>,
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
    /// As one sentence.
    pub(super) fn words(&self) -> String {
        format!("a deeper run would add: {}: {}", self.adds.join("; "), self.command)
    }
}

/// The depth of the runs that reports without one are of.
fn deepest() -> String {
    RunDepth::DEEPEST.word().to_owned()
}

/// A finding by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct KnownFinding {
    /// Its fingerprint.
    pub fingerprint: String,
    /// Its title.
    pub title: String,
}

/// How the findings of a run compare with those of earlier runs like it: see `HistoryLine::is_like`.
///
/// A run that did not judge everything says nothing of findings that it lacks: they count as known until a complete run
/// lacks them. Neither does one that lacks a release of an engine in which they may have been found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct News {
    /// The last run like it.
    pub since: EarlierRun,
    /// Fingerprints of the findings that were not known.
    pub appeared: Vec<String>,
    /// Fingerprints of the findings that were known.
    pub as_before: Vec<String>,
    /// Findings that were known and are gone.
    pub vanished: Vec<KnownFinding>,
    /// Findings that were known and not seen, where this run did not judge everything: they may still be there.
    pub unseen: Vec<KnownFinding>,
    /// By fingerprint: the first run like this one that had the finding. This run's own are not here.
    pub first_seen: BTreeMap<String, EarlierRun>,
}

/// An earlier run, as a line of the history.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct EarlierRun {
    /// Its day, if it was given.
    pub date: Option<String>,
    /// The number of its line in the history, from 1.
    pub line: usize,
    /// Its result.
    pub verdict: RunVerdict,
}

impl News {
    /// One sentence for a report.
    pub fn words(&self) -> String {
        let appeared = counted(self.appeared.len(), "new finding");
        let (gone, before) = (self.vanished.len(), self.as_before.len());
        let unseen = match self.unseen.len() {
            0 => String::new(),
            unseen => format!("; {unseen} not seen again, but this run did not judge everything"),
        };
        format!("since the last run ({}): {appeared}, {gone} gone, {before} as before{unseen}", self.since.words())
    }

    /// Since when a finding of the run is known, in words: `2026-11-20`, or that it is new.
    pub fn known_since(&self, fingerprint: &str) -> String {
        let Some(first) = self.first_seen.get(fingerprint) else { return "this run".to_owned() };
        let again = self.appeared.iter().any(|new| new == fingerprint);
        format!("{}{}", first.place(), if again { ", gone meanwhile" } else { "" })
    }
}

impl EarlierRun {
    /// Its day; without one, its line in the history.
    pub fn place(&self) -> String {
        self.date.clone().unwrap_or_else(|| format!("line {} of the history", self.line))
    }

    /// The same, and its result if it judged not everything.
    pub fn words(&self) -> String {
        match self.verdict {
            RunVerdict::Agreed | RunVerdict::Disagreed => self.place(),
            verdict => format!("{}, {}", self.place(), verdict.words()),
        }
    }
}

impl Report {
    /// True if everything that was asked was answered, and the causes of all mismatches were searched for.
    pub fn is_complete(&self) -> bool {
        let judged = matches!(self.verdict, RunVerdict::Agreed | RunVerdict::Disagreed);
        // Lines with several faults never have findings of their own; other groups may hide one.
        let hidden = self.not_analysed.iter().any(|group| !group.ends_with(SEVERAL_FAULTS));
        judged && self.lost.is_empty() && self.not_reproduced.is_empty() && !hidden
    }

    /// The findings of chains, each with all engines that have it.
    pub fn chain_findings(&self) -> Vec<JoinedChainFinding<'_>> {
        joined(&self.chains, &self.borders)
    }
}

impl ReportOptions {
    /// How much was tested, in words.
    pub fn words(&self) -> String {
        let random = self.random.map_or_else(|| "usual".to_owned(), |random| random.to_string());
        let cases = self.cases.map_or_else(|| "usual".to_owned(), |cases| cases.to_string());
        let or = |set: bool, word: &'static str| if set { word } else { "none" };
        let (boundaries, words) = (or(self.boundaries, "all"), or(self.vocabulary, "all"));
        let chains = if self.chains > 0 { format!(", chains {}", self.chains) } else { String::new() };
        format!(
            "strategy {}, limit {}, random {random}, boundaries {boundaries}, code {}, words {words}, cases {cases}, rows {}{chains}",
            self.strategy, self.limit, self.generate_code, self.rows
        )
    }
}
