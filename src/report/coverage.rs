//! How much of the spaces and rules was tested, and the manual's own examples.

use std::collections::BTreeMap;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::campaign::{Agreement, EngineResult, Results};
use crate::engine::Outcome;
use crate::space::lint::company;
use crate::spec::{Instruction, Source, Verdict};

/// A form and how much of it was tested. Sizes are text, because JSON numbers are only exact up to 2^53.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FormReport {
    /// Its id.
    pub form: String,
    /// Its syntax line in the manual.
    pub syntax: String,
    /// By engine.
    pub tested: Vec<FormTested>,
}

/// How much of a form was tested on one engine.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FormTested {
    /// The engine.
    pub engine: String,
    /// The main environment of the run.
    pub home: String,
    /// Valid variants there.
    pub valid: String,
    /// How many of them were planned.
    pub valid_tested: String,
    /// Variants that break exactly one rule there.
    pub breaches: String,
    /// How many of them were planned.
    pub breaches_tested: String,
    /// Lines claimed valid that were judged, in all environments, and how many were accepted.
    #[serde(default)]
    pub valid_judged: [u64; 2],
    /// Lines that break one rule that were judged, in all environments, and how many were rejected.
    #[serde(default)]
    pub breaches_judged: [u64; 2],
    /// The number of environments.
    pub environments: usize,
    /// Breaches without a valid variant that differs in one choice.
    pub breaches_without_twin: u64,
}

/// A rule of a form.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RuleReport {
    /// The form.
    pub form: String,
    /// Its id.
    pub id: String,
    /// Where it comes from.
    pub source: Source,
    /// The manual's heading.
    pub section: Option<String>,
    /// What it says.
    pub says: String,
    /// How many variants break only this rule: in the main environment of the run, or in all environments
    /// if the rule demands a PTX version or target.
    pub alone: String,
    /// The rules that are always broken with it, if nothing breaks it alone.
    pub along_with: Vec<String>,
    /// By engine: cases that break it alone, and how many were rejected.
    pub tested: BTreeMap<String, [u64; 2]>,
}

/// An example of the manual.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExampleReport {
    /// The instruction of whose page it is.
    pub instruction: String,
    /// The line.
    pub line: String,
    /// What the specification says of it.
    pub specification: Verdict,
    /// The rules that it breaks.
    pub rules: Vec<String>,
    /// Why the specification says so.
    pub why: Option<String>,
    /// By engine.
    pub engines: BTreeMap<String, ExampleAnswer>,
}

/// An engine's answer to an example.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExampleAnswer {
    /// `accepted`, or what it did instead and its message.
    pub did: String,
    /// How that compares with what is expected.
    pub agreement: Agreement,
    /// The divergences that list it, or that it contradicts.
    pub divergences: Vec<String>,
}

pub(super) fn forms(instructions: &[&Instruction], results: &Results) -> Vec<FormReport> {
    let mut forms = Vec::new();
    for form in instructions.iter().flat_map(|instruction| &instruction.forms) {
        let plans: Vec<_> = results
            .engines
            .iter()
            .filter_map(|engine| Some((engine, engine.forms.iter().find(|plan| plan.form == form.id)?)))
            .collect();
        if plans.is_empty() {
            continue;
        }
        forms.push(FormReport {
            form: form.id.clone(),
            syntax: form.syntax.clone(),
            tested: plans
                .iter()
                .map(|(engine, plan)| FormTested {
                    engine: engine.name.clone(),
                    home: plan.home.to_string(),
                    valid: plan.home_valid.to_string(),
                    valid_tested: plan.home_tested.to_string(),
                    breaches: plan.home_breach.to_string(),
                    breaches_tested: plan.home_breach_tested.to_string(),
                    valid_judged: engine.tally.valid.get(&form.id).map_or([0; 2], |count| [count.cases, count.agreed]),
                    breaches_judged: breaches(engine, &form.id),
                    environments: plan.environments,
                    breaches_without_twin: plan.without_twin,
                })
                .collect(),
        });
    }
    forms
}

/// Lines of a form that break one rule, and those that were rejected.
fn breaches(engine: &EngineResult, form: &str) -> [u64; 2] {
    let of_form = engine.tally.breaches.iter().filter(|((of, _), _)| of == form);
    of_form.fold([0; 2], |sum, (_, count)| [sum[0] + count.cases, sum[1] + count.agreed])
}

pub(super) fn rules(instructions: &[&Instruction], results: &Results) -> Vec<RuleReport> {
    let mut rules = Vec::new();
    for form in instructions.iter().flat_map(|instruction| &instruction.forms) {
        let plans = results.engines.iter().flat_map(|engine| &engine.forms).filter(|plan| plan.form == form.id);
        let mut most: BTreeMap<usize, u128> = BTreeMap::new();
        for (rule, count) in plans.flat_map(|plan| &plan.alone) {
            let known = most.entry(*rule).or_default();
            *known = (*known).max(*count);
        }
        let most: Vec<(usize, u128)> = most.into_iter().collect();
        let along_with = |&(rule, alone): &(usize, u128)| if alone == 0 { company(form, rule) } else { Vec::new() };
        let along_with: Vec<Vec<String>> = most.par_iter().map(along_with).collect();
        for ((at, alone), along_with) in most.into_iter().zip(along_with) {
            let rule = &form.rules[at];
            let key = (form.id.clone(), rule.id.clone());
            let tested = results.engines.iter().filter_map(|engine| {
                let count = engine.tally.breaches.get(&key)?;
                Some((engine.name.clone(), [count.cases, count.agreed]))
            });
            rules.push(RuleReport {
                form: form.id.clone(),
                id: rule.id.clone(),
                source: rule.source,
                section: rule.section.clone(),
                says: rule.says.clone(),
                alone: alone.to_string(),
                along_with,
                tested: tested.collect(),
            });
        }
    }
    rules
}

pub(super) fn examples(instructions: &[&Instruction], results: &Results) -> Vec<ExampleReport> {
    let mut reports = Vec::new();
    for instruction in instructions {
        for (at, example) in instruction.examples.iter().enumerate() {
            let mut engines = BTreeMap::new();
            for engine in &results.engines {
                let asked =
                    engine.examples.iter().find(|asked| asked.instruction == instruction.name && asked.at == at);
                let Some(asked) = asked else { continue };
                let did = match &asked.outcome {
                    Outcome::Rejected(message) | Outcome::Skipped(message) | Outcome::Crashed(message) => {
                        format!("{}: {}", asked.outcome.word(), message.lines().next().unwrap_or_default())
                    }
                    other => other.word().to_owned(),
                };
                let answer = ExampleAnswer { did, agreement: asked.agreement, divergences: asked.divergences.clone() };
                engines.insert(engine.name.clone(), answer);
            }
            reports.push(ExampleReport {
                instruction: instruction.name.clone(),
                line: example.line.clone(),
                specification: example.spec,
                rules: example.rules.clone(),
                why: example.why.clone(),
                engines,
            });
        }
    }
    reports
}
