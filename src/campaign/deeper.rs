//! What a deeper run would add.

use super::options::{DepthBudget, Generate, Options, RunDepth};
use super::plan::FormPlan;
use super::results::Results;
use crate::plural::counted;
use crate::spec::{Instruction, Spec};

/// The additions of a deeper run to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deeper {
    /// How deep it looks.
    pub depth: RunDepth,
    /// Its questions beyond the questions of this run, in words; with numbers where they are known without planning it.
    pub adds: Vec<String>,
}

impl Deeper {
    /// The additions of the next deeper run with the same options, if there are any.
    pub fn new(spec: &Spec, options: &Options, results: &Results) -> Option<Self> {
        let instructions = &super::named(spec, options);
        let depth = options.depth.deeper()?;
        let (now, then) = (options.depth.budget(), depth.budget());
        let mut adds = Vec::new();
        if !now.planned {
            adds.push("lines, rows and chains of its own".to_owned());
            return Some(Self { depth, adds });
        }
        if results.engines.iter().any(|engine| engine.judges) {
            adds.extend(judged(spec, options, instructions, results, (now, then)));
        }
        let executed = results.engines.iter().any(|engine| !engine.tally.rows.is_empty());
        if executed && options.cases == now.cases {
            adds.push(format!("the usual number of cases of each executed form, with {} rows each", then.rows));
        }
        let chained = results.engines.iter().any(|engine| engine.chains.chains > 0);
        if chained && options.chains.is_none() {
            adds.push(format!("{} of lines", counted(then.chains - now.chains, "more chain")));
        }
        (!adds.is_empty()).then_some(Self { depth, adds })
    }
}

/// The additional questions to engines that judge, in words.
fn judged(
    spec: &Spec,
    options: &Options,
    instructions: &[&Instruction],
    results: &Results,
    (now, then): (&DepthBudget, &DepthBudget),
) -> Vec<String> {
    let plans: Vec<(&FormPlan, u128)> =
        results.engines.iter().flat_map(|engine| &engine.forms).map(|plan| (plan, forms(instructions, plan))).collect();
    let sum = |of: &dyn Fn(&FormPlan, u128) -> u128| plans.iter().map(|(plan, forms)| of(plan, *forms)).sum::<u128>();
    let mut adds = Vec::new();
    if options.strategy == now.strategy {
        adds.push("each pair of choices of valid lines, each choice in the breaches of each rule".to_owned());
    }
    if options.random.is_none() {
        let random =
            |plan: &FormPlan, forms: u128| (plan.valid.exist / 2).min(u128::from(then.random_of_instruction) / forms);
        adds.push(format!("up to {}", counted(sum(&random), "random valid line")));
    }
    if options.generate == Generate::Sample {
        let code = |plan: &FormPlan, _| plan.valid.exist.min(then.code_sample) - plan.valid.exist.min(now.code_sample);
        adds.push(format!("{} taken through code generation", counted(sum(&code), "valid line")));
    }
    if options.boundaries && options.environment.is_none() {
        adds.push("each choice in all PTX versions and targets around a requirement".to_owned());
    }
    if then.vocabulary && !options.vocabulary {
        let slots: usize = instructions.iter().flat_map(|of| &of.forms).map(|form| form.slots.len()).sum();
        let words = spec.vocabulary.len();
        adds.push(format!(
            "{} of PTX, and what an engine's binary contains, in {}",
            counted(words, "modifier"),
            counted(slots, "slot")
        ));
    }
    if then.matrix {
        adds.push("the support matrix".to_owned());
    }
    adds
}

/// The number of forms of an instruction, by the plan of one: they share its budget.
fn forms(instructions: &[&Instruction], plan: &FormPlan) -> u128 {
    let of = instructions.iter().find(|of| of.forms.iter().any(|form| form.id == plan.form));
    // The plan is of a form of the run.
    of.map_or(1, |of| of.forms.len() as u128)
}
