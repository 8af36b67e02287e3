//! What is known of one cause of mismatches.

use std::collections::BTreeMap;

use serde::Serialize;

use super::suspect::Blame;
use crate::case;
use crate::divergences::{Condition, Does};
use crate::engine::Depth;
use crate::program::Program;
use crate::space::Values;

/// Mismatches reduced to one simplest case and the combination of choices that explains them.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// From the family of engines, the kind of mismatch and the combination: the same in every run.
    pub fingerprint: String,
    /// In one sentence: who does what, where.
    pub title: String,
    /// The family of engines.
    pub family: String,
    /// What the engine does.
    pub does: Does,
    /// The rules of which one is broken; with `valid`, or without any, lines that are claimed valid.
    pub rules: Vec<String>,
    /// Whether lines that are claimed valid are concerned.
    pub valid: bool,
    /// What the rules say.
    pub says: Vec<String>,
    /// The manual's page and headings.
    pub manual: Vec<String>,
    /// Whether it takes code generation to see it.
    pub code_generation: bool,
    /// The divergence that lists otherwise.
    pub contradicts: Option<String>,
    /// The forms in which it shows.
    pub forms: Vec<String>,
    /// When it shows; always where this is empty.
    pub when: Condition,
    /// Whether only some of these lines show it, for reasons that their choices do not say.
    pub sometimes: bool,
    /// Which inputs a row must have for it to show, in words; any where this is empty.
    pub inputs: String,
    /// Of words that no choice of the specification stands for: the slots in which they show it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<String>,
    /// In each form and engine, what was asked.
    pub evidence: Vec<Evidence>,
    /// What each engine does with the simplest case.
    pub engines: BTreeMap<String, Vote>,
    /// Since when and until when, as far as the engines at hand show it.
    pub versions: String,
    /// Mismatches of the run that are of this kind, in these forms.
    pub mismatches: u64,
    /// What of the expected results is inferred and not promised: names of inferences.
    pub inferred: Vec<String>,
    /// Who is suspected.
    pub blame: Blame,
    /// The simplest case.
    pub case: MinimalCase,
    /// The YAML that would list it; empty where what is known does not say when it happens.
    pub yaml: String,
}

/// What was asked about a finding in one form, of one engine, in one environment.
#[derive(Clone, Debug, Serialize)]
pub struct Evidence {
    /// The form.
    pub form: String,
    /// The engine.
    pub engine: String,
    /// PTX version, target and address size.
    pub environment: String,
    /// Variants in the combination there; of what is executed, points: variants in their setups, whatever
    /// numbers there are. Text, as JSON numbers end at 2^53.
    pub variants: String,
    /// How many of them were asked about.
    pub asked: usize,
    /// How many of those showed it. Of lines the others showed nothing, as something else stopped the
    /// engine; of points those count that showed it with some numbers.
    pub failed: usize,
}

/// What an engine did with the simplest case of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Vote {
    /// It shows the finding.
    Shows,
    /// It does as it should.
    DoesNot,
    /// It does something else, in its words.
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
#[derive(Clone, Debug, Serialize)]
pub struct MinimalCase {
    /// A hash of its module, or of the program.
    pub id: String,
    /// The line.
    pub line: String,
    /// PTX version.
    pub ptx: String,
    /// Target.
    pub target: String,
    /// Address size in bits.
    pub address_size: u32,
    /// What the engine said.
    pub message: String,
    /// A module of it alone; empty of what is executed.
    pub module: String,
    /// How to see it with nothing but the engine.
    pub command: String,
    /// Variants that differ from it in one choice, were asked about, and are free of it.
    pub neighbours_without: usize,
    /// The row, of what is executed.
    pub row: Option<MinimalRow>,
    /// Its choices.
    #[serde(skip)]
    pub values: Values,
}

/// The simplest row of a finding.
#[derive(Clone, Debug, Serialize)]
pub struct MinimalRow {
    /// The setup and the row by the names of their choices, those at their first value left out.
    pub setup: String,
    /// What the inputs hold.
    pub inputs: String,
    /// In what the result differs.
    pub difference: String,
    /// What is expected.
    pub expected: String,
    /// What the engine did.
    pub actual: String,
    /// The program, with one row.
    pub execution: Program,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The findings: those of most mismatches first.
    pub all: Vec<Finding>,
    /// Groups of which no case failed again, and engines that do not answer the same twice.
    pub not_reproduced: Vec<String>,
    /// Groups that were not analysed, and why: of lines with several faults, or too many.
    pub not_analysed: Vec<String>,
}

impl Finding {
    /// Its simplest line as a file for `corpus/findings/`; none of what is executed.
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
        Some(case::Stored::print(&self.case.module, depth, &known))
    }
}
