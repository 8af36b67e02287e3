//! The matrix as data.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::availability::{Availability, Requirement};
use crate::environment::Version;

/// From which PTX version and target on each instruction and modifier is available: by the manual, and in engines that
/// were asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// The version of this format: 1.
    pub version: u32,
    /// The program and its version.
    pub tool: String,
    /// A hash of the specification.
    pub specification: String,
    /// The engines that were asked, in order.
    pub engines: Vec<AskedEngine>,
    /// By instruction; of each, first the instruction itself, then its modifiers, then combinations of two and three of
    /// them that need more than their parts.
    pub features: Vec<Feature>,
    /// Queries that nothing answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never: Vec<NeverValid>,
}

/// A combination that no valid line has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NeverValid {
    /// As it was asked.
    pub query: String,
    /// The rules that forbid it, or why else.
    pub because: Vec<String>,
}

/// An engine that was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskedEngine {
    /// Its family and version: `ptxas@13.5.37`.
    pub id: String,
    /// The newest PTX version that it takes.
    pub newest_ptx: Version,
    /// How many pairs of a PTX version and a target it takes.
    pub environments: usize,
    /// In how many of them it was asked.
    pub asked_environments: usize,
    /// How many lines it was asked about, once for each environment.
    pub lines: usize,
    /// How many of them have no answer, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unanswered: BTreeMap<String, usize>,
}

/// An instruction, or some lines of it: those with these modifiers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// How one writes it, with its modifiers in the order of the syntax: `add.rn.f32x2`. If one modifier can be meant in
    /// several slots, the slots follow: `cvt.f32 (dtype)`.
    pub name: String,
    /// The instruction.
    pub instruction: String,
    /// The modifiers in the order of the syntax; none for the instruction itself.
    pub modifiers: Vec<FeatureModifier>,
    /// Where it is available by the manual, in either address size.
    pub manual: Availability,
    /// The rules behind `manual.from`: why not earlier, and not on a smaller target.
    pub because: Vec<FeatureRule>,
    /// Its page in the manual.
    pub page: String,
    /// The simplest lines that have it, with what each declares: these the engines were asked about.
    pub lines: Vec<FeatureLine>,
    /// The observations, by engine, in the order of `engines`.
    pub observed: Vec<Observation>,
}

/// A modifier in a slot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeatureModifier {
    /// The slot, by the name that the first form with it gives it.
    pub slot: String,
    /// The modifier with its dot; `none` for lines that leave the slot out.
    pub modifier: String,
}

/// A rule of the specification that a feature needs a version or a target by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeatureRule {
    /// Its id.
    pub rule: String,
    /// The rule in words.
    pub says: String,
    /// The heading on the manual's page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The page.
    pub page: String,
}

/// A line that has a feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeatureLine {
    /// The line.
    pub line: String,
    /// The declarations that the line needs.
    pub declarations: String,
    /// Where it is valid by the manual.
    pub manual: Availability,
}

/// The behaviour of an engine with the lines of a feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// The engine.
    pub engine: String,
    /// How that compares with the manual.
    pub verdict: Standing,
    /// Where it accepts one of the lines.
    pub accepts: Availability,
    /// Where it accepts one although the manual does not have it there.
    #[serde(default, skip_serializing_if = "Deviation::is_none")]
    pub also: Deviation,
    /// Where it accepts none although the manual has it there.
    #[serde(default, skip_serializing_if = "Deviation::is_none")]
    pub not: Deviation,
    /// Where it crashes on one and accepts none, whether the manual has it there or not.
    #[serde(default, skip_serializing_if = "Deviation::is_none")]
    pub crashes: Deviation,
    /// Environments without an answer, by reason: time-outs, lines that were not asked about.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub undecided: BTreeMap<String, usize>,
    /// The listed divergences that were seen where it deviates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub divergences: Vec<String>,
    /// In how many of the environments of `also`, `not` and `crashes` no divergence lists what was seen.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unlisted: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// How an engine compares with the manual, within the environments that it can be asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It accepts it exactly where the manual has it.
    Same,
    /// The manual has it only in environments that the engine does not take, and it accepts it in none.
    Beyond,
    /// It accepts it elsewhere, too, or not everywhere, or crashes on it somewhere.
    Differs,
    /// It accepts it in none of the environments in which the manual has it, and in no other.
    Never,
    /// No answer differs from the manual, but some are missing.
    Undecided,
    /// It was not asked.
    NotAsked,
}

/// Environments in which an engine does something else than the manual says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// How many pairs of a PTX version and a target.
    pub environments: usize,
    /// The smallest of them.
    pub smallest: Vec<Requirement>,
}

impl Deviation {
    /// True if there are no environments.
    pub fn is_none(&self) -> bool {
        self.environments == 0
    }
}
