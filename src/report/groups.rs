//! The mismatch groups, each with its simplest case.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::campaign::{GroupKey, MismatchGroup, Results, Sample};
use crate::case;
use crate::causes::describe_group;
use crate::divergences::Does;
use crate::engine::Depth;
use crate::space::EnvironmentValues;
use crate::spec::{Spec, Verdict};

/// A mismatch group.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GroupReport {
    /// The instruction.
    pub instruction: String,
    /// The form.
    pub form: String,
    /// The specification's verdict.
    pub claimed: Verdict,
    /// The rules that it says are broken.
    pub rules: Vec<String>,
    /// The broken rules in words, from the specification.
    pub says: Vec<String>,
    /// The engine's behaviour; wrong results of executed rows are `computes`.
    pub does: Does,
    /// True if the mismatches happened in code generation.
    pub code_generation: bool,
    /// The engine's message, without quoted parts.
    pub message: String,
    /// The divergence that lists it.
    pub divergence: Option<String>,
    /// The divergence that contradicts it.
    pub contradicts: Option<String>,
    /// The number of mismatches by engine.
    pub counts: BTreeMap<String, u64>,
    /// The simplest case.
    pub example: Option<GroupCase>,
}

/// A case that shows a mismatch.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GroupCase {
    /// A hash of its module.
    pub id: String,
    /// The line.
    pub line: String,
    /// PTX version.
    pub ptx: String,
    /// Target.
    pub target: String,
    /// Address size in bits.
    pub address_size: u32,
    /// The engine's message.
    pub message: String,
    /// A module with only this line.
    pub module: String,
    /// The command that shows it.
    pub command: String,
}

/// The groups of all engines, those that no divergence lists first.
pub(super) fn groups(spec: &Spec, results: &Results) -> Vec<GroupReport> {
    let mut groups: Vec<GroupReport> =
        results.groups().into_iter().map(|(key, engines)| GroupReport::new(spec, key, &engines)).collect();
    groups.sort_by_key(|group| group.divergence.is_some());
    groups
}

impl GroupReport {
    /// How this many of its mismatches are described where they have no finding, up to the reason.
    pub(super) fn description(&self, count: u64) -> String {
        describe_group(&self.form, self.does, &self.rules, count)
    }

    /// The same for each engine.
    pub(super) fn descriptions(&self) -> impl Iterator<Item = String> {
        self.counts.values().map(|count| self.description(*count))
    }

    fn new(spec: &Spec, key: &GroupKey, engines: &[(&str, &MismatchGroup)]) -> Self {
        let says = |id: &String| {
            let forms = spec.named(&key.instruction).map_or(&[][..], |instruction| &instruction.forms);
            let rule = forms.iter().flat_map(|form| &form.rules).find(|rule| rule.id == *id);
            rule.map_or(String::new(), |rule| rule.says.clone())
        };
        // A recorded row and a line with a word have no choices: their texts decide.
        let choices = |sample: &Sample| sample.values.get(EnvironmentValues::AXES..).unwrap_or_default().to_vec();
        let samples = engines.iter().filter_map(|(_, group)| group.sample.as_ref());
        let sample = samples.min_by(|a, b| choices(a).cmp(&choices(b)).then_with(|| a.cmp(b)));
        let mismatch = &key.mismatch;
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        engines.iter().for_each(|(name, group)| *counts.entry((*name).to_owned()).or_default() += group.count);
        Self {
            instruction: key.instruction.clone(),
            form: key.form.clone(),
            claimed: if mismatch.rules.is_empty() { Verdict::Valid } else { Verdict::Invalid },
            says: mismatch.rules.iter().map(says).collect(),
            rules: mismatch.rules.clone(),
            does: mismatch.does,
            code_generation: mismatch.depth == Depth::Generate,
            message: mismatch.message.clone(),
            divergence: mismatch.divergence.clone().filter(|_| mismatch.listed),
            contradicts: mismatch.contradicts().map(str::to_owned),
            counts,
            example: sample.map(GroupCase::new),
        }
    }
}

impl GroupCase {
    fn new(sample: &Sample) -> Self {
        let environment = &sample.environment;
        let known_by = if sample.module.is_empty() { &sample.line } else { &sample.module };
        Self {
            id: case::id(known_by),
            line: sample.line.clone(),
            ptx: environment.ptx.to_string(),
            target: environment.target.to_string(),
            address_size: environment.address_size.bits(),
            message: sample.message.clone(),
            module: sample.module.clone(),
            command: sample.command.clone(),
        }
    }
}
