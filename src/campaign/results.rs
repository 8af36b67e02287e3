//! The results of a run.

use std::collections::{BTreeMap, BTreeSet};

use ptx_kernels::ChainAnswer;
use serde::{Deserialize, Serialize};

use super::chain_tally::ChainTally;
use super::examples::{Agreement, AskedExample};
use super::lowering::LoweredModifier;
use super::options::Subject;
use super::plan::FormPlan;
use super::tally::{Count, GroupKey, MismatchGroup, Tally};
use super::vocabulary::TriedWords;
use crate::divergences::Divergence;
use crate::engine::{Depth, JointDeath};
use crate::environment::Environment;
use crate::plural::counted;

/// The counts and outcomes of one engine.
#[derive(Clone, Debug, Default)]
pub struct EngineResult {
    /// The engine's name.
    pub name: String,
    /// True if the engine was asked to judge lines.
    pub judges: bool,
    /// The source of its rows; none if it was not asked to execute.
    pub rows_from: Option<RowSource>,
    /// The faults that its answers to rows cannot show.
    pub limits: &'static [&'static str],
    /// The plan of each form.
    pub forms: Vec<FormPlan>,
    /// The comparison.
    pub tally: Tally,
    /// Its answers about lines of divergences that are listed for other versions.
    pub(crate) elsewhere: ListedLines,
    /// Its answers about lines of divergences that are listed for it.
    pub(crate) listed: ListedLines,
    /// Its answers to rows of listed divergences.
    pub(crate) listed_rows: ListedRows,
    /// Its answers to the chains that listed divergences are known by, by their names.
    pub(crate) listed_chains: BTreeMap<String, ChainAnswer>,
    /// Its answers to chains.
    pub chains: ChainTally,
    /// The results of trying words in slots; none if they were not tried.
    pub words: Option<TriedWords>,
    /// The machine instructions that each modifier becomes; empty if the engine lists none.
    pub lowered: Vec<LoweredModifier>,
    /// Divergences of the engine that need attention.
    pub stale: Vec<Stale>,
    /// Listed divergences about which the run says nothing, by their names, and why.
    pub not_asked: BTreeMap<String, String>,
    /// The manual's own examples.
    pub examples: Vec<AskedExample>,
    /// Its message, if it was abandoned because every answer was a failure.
    pub gave_up: Option<String>,
}

/// The source of an engine's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowSource {
    /// They were executed in this environment.
    Executed(Environment),
    /// They were recorded earlier, in several environments.
    Recorded,
}

/// A divergence that needs attention.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Stale {
    /// Its name.
    pub id: String,
    /// The problem that needs attention.
    pub problem: Problem,
}

/// The problems of a listed divergence.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Problem {
    /// It no longer happens in any of its cases.
    Fixed,
    /// No case matches it.
    Unmatched,
    /// It has expired.
    Expired,
    /// It happens although it is listed only for other versions or engines.
    Wider,
}

impl Problem {
    /// The problem and its remedy, as the predicate of a sentence about the divergence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Fixed => "no longer happens: remove it, or end it with `to`",
            Self::Unmatched => "matches no line that the engine can be asked about: remove or fix it",
            Self::Wider => "happens here too: widen its `from`, `to` or `engines`",
            Self::Expired => "has expired: check it again, then remove it or set a later `expires`",
        }
    }
}

/// The answers of an engine to lines of listed divergences.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ListedLines {
    /// The comparison.
    pub(super) tally: Tally,
    /// The divergences that have lines at all where the engine can be asked.
    pub(super) exist: BTreeSet<String>,
    /// How many lines were judged of a divergence that happens only sometimes.
    pub(super) judged: BTreeMap<String, u64>,
    /// The divergences whose task is not done.
    pub(super) missing: BTreeSet<String>,
}

/// The answers of an engine to rows of listed divergences.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ListedRows {
    /// The comparison.
    pub(super) tally: Tally,
    /// The divergences of which all rows that exist were executed, and each came out right.
    pub(super) gone: BTreeSet<String>,
    /// The divergences listed only for other versions that show here.
    pub(super) wider: BTreeSet<String>,
}

/// The results of asking about the listed divergences of an engine.
#[derive(Debug, Default)]
pub(super) struct Questioned {
    /// Divergences that need attention.
    pub(super) stale: Vec<Stale>,
    /// Divergences about which nothing can be said, and why.
    pub(super) not_asked: BTreeMap<String, String>,
}

impl Questioned {
    pub(super) fn needs_attention(&mut self, divergence: &Divergence, problem: Problem) {
        self.stale.push(Stale { id: divergence.id.clone(), problem });
    }

    pub(super) fn not_asked(&mut self, divergence: &Divergence, why: &str) {
        self.not_asked.insert(divergence.id.clone(), why.to_owned());
    }
}

/// Deaths of one engine by lines of the same opcodes.
#[derive(Clone, Debug)]
pub struct DeathGroup {
    /// The engine.
    pub engine: String,
    /// The opcodes of the lines.
    pub opcodes: BTreeSet<String>,
    /// The depth at which it was asked.
    pub depth: Depth,
    /// How it died: `signal 11`.
    pub how: String,
    /// How many sets of lines do it.
    pub count: u64,
    /// The one with the fewest and shortest lines.
    pub example: JointDeath,
    /// The divergence that lists it.
    pub divergence: Option<String>,
}

impl DeathGroup {
    /// The death in a few words.
    pub fn words(&self) -> String {
        let lines = self.example.modules.iter().map(|module| module.lines.len()).sum::<usize>();
        let opcodes = self.opcodes.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let modules = match self.example.modules.len() {
            1 => String::new(),
            modules => format!(" in {modules} modules"),
        };
        format!("{} of {opcodes}{modules} kill it only together ({})", counted(lines, "line"), self.how)
    }
}

/// The results of a run.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// By engine, in the order given.
    pub engines: Vec<EngineResult>,
    /// Deaths of engines that several lines cause only together.
    pub deaths: Vec<DeathGroup>,
    /// Engines that could not execute although they were asked to: their names, and the reasons.
    pub absent: Vec<(String, String)>,
    /// Cases without an answer because an engine failed, and engines that judged nothing, in words. If
    /// there are any, the run does not show that the engines agree.
    pub lost: Vec<String>,
    /// Notes of engines that are not the answer to a question.
    pub notes: Vec<String>,
    /// Generated texts that cannot be read: bugs of this tool.
    pub internal_errors: Vec<String>,
    /// The failure of the run's ledger, if it cannot be used any more.
    pub ledger_failure: Option<String>,
    /// True if the run was stopped before its end.
    pub interrupted: bool,
}

impl EngineResult {
    /// How many cases and rows were judged.
    pub fn judged(&self) -> u64 {
        self.tally.cases() + self.tally.judged_rows()
    }

    /// The tasks that the engine never did, in words: an engine that answers something else does not agree in them.
    pub fn silent(&self) -> Vec<String> {
        let sum = |counts: &mut dyn Iterator<Item = &Count>| counts.map(|count| count.cases).sum::<u64>();
        let tally = &self.tally;
        let abilities = [
            (tally.unanswered.valid, sum(&mut tally.valid.values().chain(tally.code.values())), "valid lines"),
            (tally.unanswered.breaches, sum(&mut tally.breaches.values()), "lines that break a rule"),
            (tally.unanswered.rows, tally.judged_rows(), "rows"),
            (self.chains.skipped.values().sum(), self.chains.compared(), "chains of lines"),
        ];
        let never = abilities.into_iter().filter(|(unanswered, answered, _)| *unanswered > 0 && *answered == 0);
        never
            .map(|(unanswered, _, what)| format!("{} skipped all {unanswered} {what} that it was asked", self.name))
            .collect()
    }

    /// True if the engine did everything that the specification and its divergences expect.
    pub fn agreed(&self) -> bool {
        let expected = |example: &AskedExample| example.agreement != Agreement::Unexpected;
        self.tally.unlisted() == 0
            && self.chains.agreed()
            && self.stale.is_empty()
            && self.examples.iter().all(expected)
    }
}

impl Results {
    /// True if a subject is an engine that judged lines and was not abandoned.
    pub fn judges(&self, subject: &Subject<'_>) -> bool {
        let Some(id) = subject.judge.map(|judge| judge.id().as_str()) else { return false };
        !self.interrupted && self.engines.iter().any(|of| of.name == id && of.judges && of.gave_up.is_none())
    }

    /// How many lines were judged.
    pub fn cases(&self) -> u64 {
        self.engines.iter().map(|engine| engine.tally.cases()).sum()
    }

    /// How many lines and rows were judged.
    pub fn judged(&self) -> u64 {
        self.engines.iter().map(EngineResult::judged).sum()
    }

    /// The number of new mismatches.
    pub fn unlisted(&self) -> u64 {
        self.engines.iter().map(|engine| engine.tally.unlisted()).sum()
    }

    /// Takes groups of mismatches and answers to examples out of the result of an engine: they did not come out again, so they show
    /// nothing.
    pub fn set_aside(&mut self, engine: &str, groups: &BTreeSet<GroupKey>, examples: &BTreeSet<(String, usize)>) {
        for result in self.engines.iter_mut().filter(|of| of.name == engine) {
            result.tally.groups.retain(|key, _| !groups.contains(key));
            let wavering = result.examples.iter_mut().filter(|example| examples.contains(&example.key()));
            wavering.for_each(AskedExample::set_aside);
        }
    }

    /// True if every engine did everything that the specification and the divergences expect.
    pub fn agreed(&self) -> bool {
        self.engines.iter().all(EngineResult::agreed) && self.deaths.iter().all(|death| death.divergence.is_some())
    }

    /// True if an engine was abandoned, or judged nothing.
    pub fn without_verdict(&self) -> bool {
        self.judged() == 0 || self.engines.iter().any(|engine| engine.gave_up.is_some())
    }

    /// True if this tool has contradicted itself.
    pub fn contradicts_itself(&self) -> bool {
        !self.internal_errors.is_empty() || self.engines.iter().any(|engine| !engine.tally.internal_errors.is_empty())
    }

    /// The groups of all engines side by side.
    pub fn groups(&self) -> BTreeMap<&GroupKey, Vec<(&str, &MismatchGroup)>> {
        let mut groups: BTreeMap<&GroupKey, Vec<(&str, &MismatchGroup)>> = BTreeMap::new();
        for engine in &self.engines {
            for (key, group) in &engine.tally.groups {
                groups.entry(key).or_default().push((&engine.name, group));
            }
        }
        groups
    }
}
