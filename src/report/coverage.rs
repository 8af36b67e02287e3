//! How much of the spaces and rules was tested, and the manual's own examples.

use std::collections::BTreeMap;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::campaign::{Agreement, EngineResult, Isolated, Results};
use crate::engine::Outcome;
use crate::ptx::print_variant;
use crate::space::environment;
use crate::space::lint::always_broken_with;
use crate::spec::{Form, Instruction, Source, Verdict};

/// A form and how much of it was tested. Sizes are text, because JSON numbers are only exact up to 2^53.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FormReport {
    /// The id of the form.
    pub form: String,
    /// Its line in the manual.
    pub syntax: String,
    /// By engine.
    pub tested: Vec<FormTested>,
}

/// How much of a form was tested on one engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FormTested {
    /// The engine.
    pub engine: String,
    /// The main environment.
    #[serde(rename = "home")]
    pub main: String,
    /// The number of valid variants there.
    pub valid: String,
    /// How many of them were asked about.
    pub valid_tested: String,
    /// The number of variants there that break exactly one rule.
    pub breaches: String,
    /// How many of them were asked about.
    pub breaches_tested: String,
    /// Lines claimed valid that were judged, in all environments, and how many were accepted.
    #[serde(default)]
    pub valid_judged: [u64; 2],
    /// Lines that break one rule that were judged, in all environments, and how many were rejected.
    #[serde(default)]
    pub breaches_judged: [u64; 2],
    /// The number of environments with cases.
    pub environments: usize,
    /// Breaches without a valid neighbour that the engine can be asked about.
    pub breaches_without_twin: u64,
}

impl FormTested {
    /// Compares the effort only: true if another engine was asked as much of the form.
    pub(crate) fn is_as_much_as(&self, other: &Self) -> bool {
        let of_another = Self { engine: self.engine.clone(), ..other.clone() };
        *self == of_another
    }
}

/// A rule of a form.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RuleReport {
    /// The form.
    pub form: String,
    /// The id of the rule.
    pub id: String,
    /// Who states it.
    pub source: Source,
    /// The heading on the manual's page.
    pub section: Option<String>,
    /// The rule in words, from the specification.
    pub says: String,
    /// How many variants break only this rule: in the main environment of the run, or in all environments
    /// if the rule demands a PTX version or target.
    #[serde(rename = "alone")]
    pub breaches: String,
    /// The first of these variants, and where; none if nothing breaks it alone.
    pub example: Option<RuleExample>,
    /// The rules that are always broken with it, if nothing breaks it alone.
    pub along_with: Vec<String>,
    /// By engine: cases that break it alone, and how many were rejected.
    pub tested: BTreeMap<String, [u64; 2]>,
}

/// A line that breaks a rule and no other.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RuleExample {
    /// The line.
    pub line: String,
    /// PTX version.
    pub ptx: String,
    /// Target.
    pub target: String,
    /// Address size in bits.
    pub address_size: u32,
}

/// An example of the manual.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExampleReport {
    /// The instruction.
    pub instruction: String,
    /// The line.
    pub line: String,
    /// The specification's verdict.
    pub specification: Verdict,
    /// The rules that it breaks.
    pub rules: Vec<String>,
    /// The reason why the manual has an invalid line, or why the specification cannot judge it.
    pub why: Option<String>,
    /// By engine.
    pub engines: BTreeMap<String, ExampleAnswer>,
}

/// An engine's answer to an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExampleAnswer {
    /// `accepted`, or what it did instead and its message.
    pub did: String,
    /// How that compares with the specification.
    pub agreement: Agreement,
    /// The divergences that list it, or that it contradicts.
    pub divergences: Vec<String>,
}

impl ExampleReport {
    /// True if an engine did what neither the specification nor a divergence says.
    pub fn is_unexpected(&self) -> bool {
        self.engines.values().any(|answer| answer.agreement == Agreement::Unexpected)
    }
}

impl RuleExample {
    fn new(form: &Form, values: &[u8]) -> Self {
        let environment = environment(form, values);
        Self {
            line: print_variant(form, values).0,
            ptx: environment.ptx.to_string(),
            target: environment.target.to_string(),
            address_size: environment.address_size.bits(),
        }
    }
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
                    main: plan.main.to_string(),
                    valid: plan.valid.exist.to_string(),
                    valid_tested: plan.valid.tested.to_string(),
                    breaches: plan.breaches.exist.to_string(),
                    breaches_tested: plan.breaches.tested.to_string(),
                    valid_judged: engine.tally.valid.get(&form.id).map_or([0; 2], |count| [count.cases, count.agreed]),
                    breaches_judged: breaches(engine, &form.id),
                    environments: plan.environments,
                    breaches_without_twin: plan.breaches_without_twin,
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
        let mut most: BTreeMap<usize, &Isolated> = BTreeMap::new();
        for isolated in plans.flat_map(|plan| &plan.isolated) {
            let known = most.entry(isolated.rule).or_insert(isolated);
            if isolated.count > known.count {
                *known = isolated;
            }
        }
        let most: Vec<&Isolated> = most.into_values().collect();
        let along_with = |of: &&Isolated| if of.count == 0 { always_broken_with(form, of.rule) } else { Vec::new() };
        let along_with: Vec<Vec<String>> = most.par_iter().map(along_with).collect();
        for (isolated, along_with) in most.into_iter().zip(along_with) {
            let rule = &form.rules[isolated.rule];
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
                breaches: isolated.count.to_string(),
                example: isolated.first.as_ref().map(|values| RuleExample::new(form, values)),
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
