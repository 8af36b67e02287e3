//! The environments in which the requirements of a form begin to be met, and the cases there.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::plan::{FormPlan, Isolated, PlannedVariant};
use super::planner::{Planner, spread};
use super::spaces::Spaces;
use crate::environment::{AddressSize, Environment, Suffix, Target, Version};
use crate::space::{Diagram, Region, breakable, covering, environment_values};
use crate::spec::{Rule, RuleKind};

/// Breaches of each requirement in an environment at its boundary.
const BOUNDARY_BREACHES: u128 = 24;
/// Breaches of each requirement where only the requirement is asked about.
const REQUIREMENT_BREACHES: u128 = 2;

impl Planner<'_> {
    fn region<'d>(&self, diagram: &'d Diagram, environment: &Environment) -> Option<Region<'d>> {
        Some(diagram.all().below(&environment_values(self.form, environment)?))
    }

    /// For every PTX version that the form's rules need: that version and the one before it, each with the
    /// newest target it knows; and the oldest version. Every target in the newest PTX version. Also the
    /// newest of both with 32-bit addresses.
    fn environments(&self, main: &Environment) -> Vec<Environment> {
        let isa = &self.spec.isa;
        let plain = || isa.targets.iter().filter(|(target, _)| target.suffix == Suffix::Plain);
        let mut pairs: BTreeSet<(Version, Target)> = BTreeSet::new();
        let mut version = |ptx: Version| {
            let mut known = plain().rev().filter(|(_, since)| *since <= ptx).map(|(target, _)| *target);
            // Every PTX version has addresses of 32 bits, and the older ones no others.
            let address_size = AddressSize::Bits32;
            let newest = known.find(|&target| self.supports(&Environment { ptx, target, address_size }));
            pairs.extend(newest.map(|target| (ptx, target)));
        };
        version(*isa.versions.first().unwrap_or(&main.ptx));
        for rule in &self.form.rules {
            if let RuleKind::NeedsPtx(since) = rule.kind {
                version(since);
                isa.versions.iter().rev().find(|v| **v < since).into_iter().for_each(|v| version(*v));
            }
        }
        pairs.extend(isa.targets.iter().map(|(target, _)| (main.ptx, *target)));
        let mut environments = vec![Environment { address_size: AddressSize::Bits32, ..*main }];
        environments.extend(pairs.into_iter().rev().map(|(ptx, target)| {
            let address_size = if ptx >= AddressSize::SINCE { AddressSize::Bits64 } else { AddressSize::Bits32 };
            Environment { ptx, target, address_size }
        }));
        // Each target that an engine is asked about for the first time costs a process.
        environments.into_par_iter().filter(|environment| self.supports(environment)).collect()
    }

    /// In each environment of a boundary: all choices that are valid there, and a breach of every
    /// requirement that is not met there.
    pub(super) fn boundaries(&self, plan: &mut FormPlan, spaces: &Spaces) {
        for (rule, diagram) in &spaces.breaches {
            note_isolated(plan, *rule, diagram);
        }
        for environment in self.environments(&plan.main) {
            let mut rows: Vec<PlannedVariant> = Vec::new();
            if let Some(region) = spaces.valid.as_ref().and_then(|valid| self.region(valid, &environment)) {
                rows.extend(covering(&region, 1).into_iter().map(|values| self.row(values, None)));
            }
            for (rule, diagram) in &spaces.breaches {
                if let Some(region) = self.region(diagram, &environment) {
                    rows.extend(spread(&region, BOUNDARY_BREACHES).map(|values| self.row(values, Some(*rule))));
                }
            }
            if !rows.is_empty() && environment != plan.main {
                plan.environments += 1;
                for row in rows {
                    if row.meant.is_some() {
                        self.elsewhere(plan, self.twin(&row.values, row.meant));
                    }
                    plan.waiting.push((environment, row));
                }
            }
        }
    }

    /// For each requirement of the form, a few lines in the newest environment that lacks only it, and the valid lines that
    /// differ from them in one choice.
    pub(super) fn requirements(&self, plan: &mut FormPlan) {
        let mut environments: BTreeSet<Environment> = BTreeSet::new();
        for at in breakable(self.form).filter(|&at| is_requirement(&self.form.rules[at])) {
            let diagram = Diagram::breaking(self.form, at);
            note_isolated(plan, at, &diagram);
            let candidates = self.lacking(&self.form.rules[at], &plan.main);
            let regions = candidates.into_iter().filter_map(|of| Some((of, self.region(&diagram, &of)?)));
            // An engine is only asked about the targets that are needed: each costs a process.
            let mut breaking = regions.into_iter().filter(|(_, region)| region.count() > 0);
            let Some((environment, region)) = breaking.find(|(environment, _)| self.supports(environment)) else {
                continue;
            };
            for values in spread(&region, REQUIREMENT_BREACHES) {
                self.elsewhere(plan, self.twin(&values, Some(at)));
                plan.waiting.push((environment, self.row(values, Some(at))));
            }
            environments.insert(environment);
        }
        environments.remove(&plan.main);
        plan.environments += environments.len();
    }

    /// Environments that may lack what a rule needs, the nearest first: older PTX versions, each with the targets that
    /// it knows, the newest first, or other targets in the main PTX version.
    fn lacking(&self, rule: &Rule, main: &Environment) -> Vec<Environment> {
        let isa = &self.spec.isa;
        let targets = |ptx: Version| isa.targets.iter().rev().filter(move |(_, since)| *since <= ptx);
        let with = |ptx: Version, target: Target| {
            let address_size = if ptx >= AddressSize::SINCE { main.address_size } else { AddressSize::Bits32 };
            Environment { ptx, target, address_size }
        };
        match rule.kind {
            RuleKind::NeedsPtx(since) => {
                let older = isa.versions.iter().rev().filter(|ptx| **ptx < since);
                older.flat_map(|ptx| targets(*ptx).map(|(target, _)| with(*ptx, *target))).collect()
            }
            _ => targets(main.ptx).map(|(target, _)| with(main.ptx, *target)).collect(),
        }
    }
}

/// True if a rule is about a PTX version or a target.
fn is_requirement(rule: &Rule) -> bool {
    matches!(rule.kind, RuleKind::NeedsPtx(_) | RuleKind::NeedsTarget(_))
}

/// A requirement is broken in other environments than the main one: its variants are counted over all.
fn note_isolated(plan: &mut FormPlan, rule: usize, diagram: &Diagram) {
    for known in plan.isolated.iter_mut().filter(|known| known.rule == rule) {
        *known = Isolated::new(rule, diagram);
    }
}
