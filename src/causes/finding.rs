//! Findings as data.

mod suspect;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::campaign::GroupKey;
use crate::case::{self, DirectiveLine};
use crate::divergences::{Condition, Does};
use crate::engine::{Depth, Listing};
use crate::line_case::LineCase;
use crate::plural::counted;
use crate::space::Values;
pub use suspect::{Blame, Suspect};

/// Mismatches reduced to one simplest case and the combination of choices that explains them.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Made from the family of engines, the kind of mismatch and the combination, so it is the same in
    /// every run.
    pub fingerprint: String,
    /// One sentence: who does what, and when.
    pub title: String,
    /// The family of engines.
    pub family: String,
    /// The family under which its divergences are listed: engines whose names continue it after a `-` share its file.
    pub listed_family: String,
    /// The engine's behaviour.
    pub does: Does,
    /// The rules of which one is broken. Valid lines are affected if `valid` is set or the list is empty.
    pub rules: Vec<String>,
    /// True if valid lines are affected.
    pub valid: bool,
    /// The broken rules in words, from the specification.
    pub says: Vec<String>,
    /// The manual's page and headings.
    pub manual: Vec<String>,
    /// True if code must be generated to see it.
    pub code_generation: bool,
    /// The divergence that lists otherwise.
    pub contradicts: Option<String>,
    /// The forms in which it happens.
    pub forms: Vec<String>,
    /// When it happens; empty for always.
    pub when: Condition,
    /// True if only some of these lines show it, for reasons that their choices do not say.
    pub sometimes: bool,
    /// Which inputs a row must have for it to happen, in words; empty for any.
    pub inputs: String,
    /// For words that are not choices of the specification: the slots in which they show it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<String>,
    /// The evidence for each form and engine.
    pub evidence: Vec<Evidence>,
    /// The vote of each engine: its behaviour with the simplest case.
    pub engines: BTreeMap<String, Vote>,
    /// The versions of the run's engines that show it.
    pub versions: String,
    /// The number of mismatches of this kind in the run, in these forms.
    pub mismatches: u64,
    /// The names of the inferences that the expected results depend on.
    pub inferred: Vec<String>,
    /// Who is suspected.
    pub blame: Blame,
    /// The simplest case.
    pub case: MinimalCase,
    /// The YAML that would list it; empty if its condition is unknown.
    pub yaml: String,
}

/// The evidence for a finding in one form, engine and environment.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The form.
    pub form: String,
    /// The engine.
    pub engine: String,
    /// PTX version, target and address size.
    pub environment: String,
    /// The number of variants in the combination there; for rows, of points (variants with setups, without
    /// numbers). Text, because JSON numbers are only exact up to 2^53.
    pub variants: String,
    /// The rules that these variants break; none for valid ones and rows.
    pub rules: Vec<String>,
    /// How many of them were asked about.
    pub asked: usize,
    /// How many of those showed it. For lines, something else stopped the engine at the others; for points,
    /// those count that showed it with some numbers.
    pub failed: usize,
}

/// The behaviour of an engine with the simplest case of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Vote {
    /// It shows the finding.
    Shows,
    /// It behaves as expected.
    DoesNot,
    /// It does something else; the engine's words.
    Other(String),
}

impl Vote {
    /// The words of a report.
    pub fn words(&self) -> &str {
        match self {
            Self::Shows => "shows it",
            Self::DoesNot => "does not show it",
            Self::Other(words) => words,
        }
    }
}

/// The simplest case of a finding.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MinimalCase {
    /// A hash of its module, or of the program.
    pub id: String,
    /// The line.
    pub line: String,
    /// The parts of the line that matter: those that break the rule, or that the condition is about.
    pub marks: Vec<Mark>,
    /// PTX version.
    pub ptx: String,
    /// Target.
    pub target: String,
    /// Address size in bits.
    pub address_size: u32,
    /// The engine's message.
    pub message: String,
    /// A module with only this line; empty for a row.
    pub module: String,
    /// Where the module has the directive, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directive: Option<DirectiveLine>,
    /// The command that shows it.
    pub command: String,
    /// The number of variants that differ from it in one choice, were asked about, and pass.
    pub neighbours_without: usize,
    /// The row, if it is executed.
    pub row: Option<MinimalRow>,
    /// Its choices.
    #[serde(skip)]
    pub values: Values,
}

/// A part of a line, and what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mark {
    /// The position of its first byte.
    pub from: usize,
    /// The position after its last byte. An empty part is where something is missing.
    pub to: usize,
    /// The meaning of the part, in words.
    pub says: String,
}

/// The simplest row of a finding.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MinimalRow {
    /// The setup and the row as names of choices, without those at their first value.
    pub setup: String,
    /// The values of the inputs.
    pub inputs: String,
    /// How the result differs.
    pub difference: String,
    /// The expected result.
    pub expected: String,
    /// The engine's result, in words.
    pub actual: String,
    /// The registers and objects that the line writes or the engine changed, side by side.
    pub compared: Vec<ComparedObject>,
    /// The code that the engine makes of the program, if it can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing: Option<Listing>,
    /// The program, with one row: a request of `docs/protocol.md`.
    #[schemars(with = "serde_json::Value")]
    pub execution: LineCase,
}

/// A register or an object, expected and actual, as hexadecimal digits of whole bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedObject {
    /// The name of the register or variable, or `surface`.
    pub name: String,
    /// True for a number, the highest byte first; otherwise this is memory, the lowest address first.
    pub number: bool,
    /// The expected bytes; undefined bits are 0.
    pub expected: String,
    /// The actual bytes.
    pub actual: String,
    /// The positions of bytes that are wrong.
    pub wrong: Vec<usize>,
    /// The positions of bytes of which some bits may be anything.
    pub undefined: Vec<usize>,
}

/// A row that shows a listed divergence.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListedCase {
    /// The engine.
    pub engine: String,
    /// The row.
    pub case: MinimalCase,
}

/// An engine that answered otherwise when it was asked again about mismatches. Nothing is a finding that does not come out again.
#[derive(Clone, Debug)]
pub struct UnstableEngine {
    /// The engine.
    pub engine: String,
    /// The groups of mismatches in which no case failed again.
    pub groups: BTreeSet<GroupKey>,
    /// The examples of the manual that had an unexpected answer, and then another: each with its instruction and its position there.
    pub examples: BTreeSet<(String, usize)>,
    /// The lines that were asked about again: how many, and how many of them came out otherwise.
    pub lines: [usize; 2],
    /// The first line that came out otherwise, or group of rows of which none failed again.
    pub first: String,
}

impl UnstableEngine {
    /// The engine, the rate, and the first line.
    pub fn words(&self) -> String {
        let Self { engine, lines: [asked, changed], first, .. } = self;
        match changed {
            0 => format!("{engine} is unstable: rows that failed passed when run again; the first: {first}"),
            _ => format!(
                "{engine} is unstable: {changed} of {} came out otherwise when asked about again; the first: {first}",
                counted(*asked, "mismatching line")
            ),
        }
    }
}

/// The findings of a run.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The findings, those with the most mismatches first.
    pub all: Vec<Finding>,
    /// Groups in which no case failed again, and engines that give different answers to the same question.
    pub not_reproduced: Vec<String>,
    /// Groups that were not analysed, and why: of lines with several faults, too many, or after a stop.
    pub not_analysed: Vec<String>,
    /// Engines that answer otherwise when asked again.
    pub unstable: Vec<UnstableEngine>,
    /// True if the run was stopped before all causes were searched to the end.
    pub interrupted: bool,
    /// For each listed divergence of rows that was met, by id, the simplest row of the first engine that shows it.
    pub listed: BTreeMap<String, ListedCase>,
}

impl Finding {
    /// Its simplest line as a file for `corpus/findings/`; none for rows.
    pub fn stored(&self) -> Option<String> {
        if self.case.row.is_some() {
            return None;
        }
        let depth = if self.code_generation { Depth::Generate } else { Depth::Check };
        let known = [
            ("finding", format!("{} {}", self.fingerprint, self.title)),
            ("seen in", self.versions.clone()),
            ("message", self.case.message.clone()),
            ("see it with", self.case.command.clone()),
        ];
        let known: Vec<(&str, String)> = known.into_iter().filter(|(_, words)| !words.is_empty()).collect();
        Some(case::Stored::print(&self.case.module, depth, self.case.directive.as_ref(), &known))
    }
}
