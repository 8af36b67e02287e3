//! The parts of the space that the options choose.

use anyhow::bail;
use rayon::prelude::*;

use super::{GenerateWhat, Opts};
use ptx_conform::environment::Environment;
use ptx_conform::space::{Diagram, EnvironmentValues, Region, breakable, environment_values};
use ptx_conform::spec::{Form, Instruction, Spec};

/// A set of variants: the valid ones of a form, or those that break one rule.
pub(super) struct SpacePart<'s> {
    pub(super) form: &'s Form,
    rule: Option<usize>,
    environment: EnvironmentValues,
    pub(super) diagram: Diagram,
}

impl SpacePart<'_> {
    /// The variants in the environment.
    pub(super) fn region(&self) -> Region<'_> {
        self.diagram.all().below(&self.environment)
    }

    /// The id of the rule that the variants break.
    pub(super) fn breaks(&self) -> Option<&str> {
        self.rule.map(|rule| self.form.rules[rule].id.as_str())
    }
}

impl Opts {
    /// The parts to print, in order.
    pub(super) fn parts<'s>(&self, spec: &'s Spec, environment: &Environment) -> anyhow::Result<Vec<SpacePart<'s>>> {
        let mut instructions = crate::cli::load::instructions(spec, &self.instructions)?;
        if let Some(directive) = instructions.iter().find(|of| !self.instructions.is_empty() && of.is_directive()) {
            bail!("`{}` is a directive, which stands in no body: `run {0}` asks about such", directive.name);
        }
        instructions.retain(|of| !of.is_directive());
        let named = |instruction: &Instruction, form: &Form| {
            let short = |name: &String| {
                *name == form.id || form.id.strip_prefix(&format!("{}.", instruction.name)) == Some(name)
            };
            self.form.as_ref().is_none_or(short)
        };
        let forms: Vec<&Form> = instructions
            .iter()
            .flat_map(|instruction| instruction.forms.iter().filter(|form| named(instruction, form)))
            .collect();
        if forms.is_empty() {
            let known: Vec<&str> = instructions.iter().flat_map(|i| &i.forms).map(|form| form.id.as_str()).collect();
            bail!(
                "there is no form `{}`; the forms are {}",
                self.form.as_deref().unwrap_or_default(),
                known.join(", ")
            );
        }
        let mut chosen: Vec<(&Form, Option<usize>)> = Vec::new();
        for form in &forms {
            if self.rule.is_none() && self.what != GenerateWhat::Breaches {
                chosen.push((form, None));
            }
            if self.rule.is_some() || self.what != GenerateWhat::Valid {
                let wanted = |id: &str| {
                    self.rule.as_deref().is_none_or(|rule| rule == id || id.rsplit('/').next() == Some(rule))
                };
                chosen.extend(
                    breakable(form).filter(|&rule| wanted(&form.rules[rule].id)).map(|rule| (*form, Some(rule))),
                );
            }
        }
        if let (Some(rule), true) = (&self.rule, chosen.is_empty()) {
            bail!("there is no rule `{rule}` that a variant can break; `ptx-conform spec show OPCODE` lists them");
        }
        let part = |(form, rule): (&'s Form, Option<usize>)| {
            let environment = environment_values(form, environment)?;
            let diagram = match rule {
                Some(rule) => Diagram::breaking(form, rule),
                None => Diagram::valid(form),
            };
            Some(SpacePart { form, rule, environment, diagram })
        };
        Ok(chosen.into_par_iter().filter_map(part).collect())
    }
}
