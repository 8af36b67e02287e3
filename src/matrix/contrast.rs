//! What one target has and another lacks, in one PTX version.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::csv::row;
use super::pairs::PairSet;
use super::{Availability, Feature, Matrix, Observation, Standing, Survey};
use crate::environment::{Target, Version};

/// Two targets and the PTX version in which they are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetPair {
    /// The PTX version.
    pub ptx: Version,
    /// The target whose features are asked for.
    pub target: Target,
    /// The target that it is compared with.
    pub against: Target,
}

/// The features that each of two targets has and the other lacks: by the manual, or in an engine that was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contrast {
    /// The version of this format: 1.
    pub version: u32,
    /// The program and its version.
    pub tool: String,
    /// A hash of the specification.
    pub specification: String,
    /// The targets that are compared.
    pub targets: TargetPair,
    /// The engines that were asked, in order: `ptxas@13.5.37`.
    pub engines: Vec<String>,
    /// The features that the target has and the other lacks. A combination of modifiers is left out where some of them are
    /// such a feature already.
    pub gained: Vec<ContrastedFeature>,
    /// The features that the other has and the target lacks.
    pub lost: Vec<ContrastedFeature>,
}

/// A feature of one of two targets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContrastedFeature {
    /// How one writes it.
    pub name: String,
    /// The instruction.
    pub instruction: String,
    /// Which of the two have it by the manual.
    pub manual: TargetsWith,
    /// Where it is available by the manual at all.
    pub available: Availability,
    /// Its page in the manual.
    pub page: String,
    /// A line that has it.
    pub line: String,
    /// Which of the two have it in each engine, in the order of `engines`; null if it gave no answer.
    pub observed: Vec<Option<TargetsWith>>,
    /// The listed divergences that explain what engines do otherwise than the manual says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub divergences: Vec<String>,
}

/// Which of two targets have a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TargetsWith {
    /// Both.
    Both,
    /// The target that is asked about.
    Target,
    /// The one that it is compared with.
    Against,
    /// Neither.
    Neither,
}

impl TargetPair {
    fn with(&self, available: &Availability) -> TargetsWith {
        let has = |target| available.has(self.ptx, target);
        match (has(self.target), has(self.against)) {
            (true, true) => TargetsWith::Both,
            (true, false) => TargetsWith::Target,
            (false, true) => TargetsWith::Against,
            (false, false) => TargetsWith::Neither,
        }
    }

    /// Which of the two have something, in words.
    pub fn says(&self, with: TargetsWith) -> String {
        match with {
            TargetsWith::Both => "both have it".to_owned(),
            TargetsWith::Target => format!("only {} has it", self.target),
            TargetsWith::Against => format!("only {} has it", self.against),
            TargetsWith::Neither => "neither has it".to_owned(),
        }
    }
}

impl Survey<'_> {
    /// Limits what engines are asked to two targets in one PTX version.
    pub fn limit(&mut self, to: &TargetPair) {
        let mut pairs: PairSet = self.grid.none();
        let both = [to.target, to.against].map(|target| self.grid.pair(to.ptx, target));
        both.into_iter().flatten().for_each(|pair| pairs.insert(pair));
        self.among = pairs;
    }
}

impl Matrix {
    /// The features that each of two targets has and the other lacks.
    pub fn contrast(&self, targets: TargetPair) -> Contrast {
        let compared: Vec<(&Feature, ContrastedFeature)> =
            self.features.iter().map(|feature| (feature, contrasted(feature, &targets))).collect();
        let list = |which: TargetsWith| {
            let has = |of: &ContrastedFeature| of.manual == which || of.observed.contains(&Some(which));
            let listed: Vec<&(&Feature, ContrastedFeature)> = compared.iter().filter(|(_, of)| has(of)).collect();
            let is_told = |(feature, of): &&&(&Feature, ContrastedFeature)| {
                let told = |(part, known): &&&(&Feature, ContrastedFeature)| {
                    is_part(part, feature) && known.manual == of.manual && known.observed == of.observed
                };
                !listed.iter().any(|part| told(&part))
            };
            listed.iter().filter(is_told).map(|(_, of)| of.clone()).collect()
        };
        Contrast {
            version: 1,
            tool: self.tool.clone(),
            specification: self.specification.clone(),
            targets,
            engines: self.engines.iter().map(|engine| engine.id.clone()).collect(),
            gained: list(TargetsWith::Target),
            lost: list(TargetsWith::Against),
        }
    }
}

/// True if a feature is another one with fewer modifiers.
fn is_part(part: &Feature, of: &Feature) -> bool {
    part.instruction == of.instruction
        && part.modifiers.len() < of.modifiers.len()
        && part.modifiers.iter().all(|modifier| of.modifiers.contains(modifier))
}

fn contrasted(feature: &Feature, targets: &TargetPair) -> ContrastedFeature {
    let observed = |observed: &Observation| {
        let answered = observed.undecided.is_empty() && observed.verdict != Standing::NotAsked;
        answered.then(|| targets.with(&observed.accepts))
    };
    let mut divergences: Vec<String> = feature.observed.iter().flat_map(|of| of.divergences.clone()).collect();
    divergences.sort_unstable();
    divergences.dedup();
    ContrastedFeature {
        name: feature.name.clone(),
        instruction: feature.instruction.clone(),
        manual: targets.with(&feature.manual),
        available: feature.manual.clone(),
        page: feature.page.clone(),
        line: feature.lines.first().map(|of| of.line.clone()).unwrap_or_default(),
        observed: feature.observed.iter().map(observed).collect(),
        divergences,
    }
}

impl Contrast {
    /// The two lists, each with the target that has its features and the one that lacks them.
    pub fn lists(&self) -> [(Target, Target, &[ContrastedFeature]); 2] {
        let TargetPair { target, against, .. } = self.targets;
        [(target, against, &self.gained), (against, target, &self.lost)]
    }

    /// Since when a target has a feature by the manual, and which target's need it meets; `nowhere` if it has it only in an
    /// engine.
    pub fn since(&self, feature: &ContrastedFeature, has: Target) -> String {
        let met = feature.available.from.iter().filter(|need| need.target.met_by(has)).copied().collect();
        match feature.available.ranges.as_slice() {
            [] => Availability { from: met, ..Availability::default() }.to_string(),
            _ => feature.available.to_string(),
        }
    }

    /// Which of the two have a feature in an engine, in words; none if that is as the manual says.
    pub fn deviation(&self, feature: &ContrastedFeature, engine: usize) -> Option<String> {
        match feature.observed[engine] {
            Some(with) if with == feature.manual => None,
            Some(with) => {
                let listed = match feature.divergences.as_slice() {
                    [] => "no divergence lists it".to_owned(),
                    ids => format!("listed as {}", ids.join(", ")),
                };
                Some(format!("{} ({listed})", self.targets.says(with)))
            }
            None => Some("no answer".to_owned()),
        }
    }

    fn header(&self) -> Vec<String> {
        let columns = ["has it", "lacks it", "feature", "since"].map(str::to_owned);
        columns.into_iter().chain(self.engines.iter().cloned()).collect()
    }

    fn rows(&self) -> impl Iterator<Item = Vec<String>> + '_ {
        self.lists().into_iter().flat_map(move |(has, lacks, features)| {
            features.iter().map(move |feature| {
                let cells = [has.to_string(), lacks.to_string(), feature.name.clone(), self.since(feature, has)];
                let said = |engine| self.deviation(feature, engine).unwrap_or_else(|| "as the manual".to_owned());
                cells.into_iter().chain((0..self.engines.len()).map(said)).collect()
            })
        })
    }

    /// A table in Markdown with a row for each feature.
    pub fn markdown(&self) -> String {
        let header = self.header();
        let ruler = vec!["---".to_owned(); header.len()];
        let mut table = String::new();
        for row in [header, ruler].into_iter().chain(self.rows()) {
            // Writing to a String cannot fail.
            let _ = writeln!(table, "| {} |", row.join(" | "));
        }
        table
    }

    /// A table for spreadsheets: RFC 4180, with a row for each feature.
    pub fn csv(&self) -> String {
        std::iter::once(self.header()).chain(self.rows()).map(|cells| row(cells.into_iter())).collect()
    }
}

/// The JSON Schema of a comparison of two targets.
pub fn contrast_schema() -> serde_json::Value {
    serde_json::Value::from(schemars::schema_for!(Contrast))
}
