//! The environments in which the requirements of a form begin to be met, and the cases there.

use std::collections::BTreeSet;

use super::plan::{FormPlan, Row};
use super::planner::{Planner, spread};
use super::spaces::Spaces;
use crate::environment::{AddressSize, Environment, Suffix, Target, Version};
use crate::space::{Diagram, Region, covering, environment_values};
use crate::spec::RuleKind;

/// Rows per requirement in an environment at its boundary.
const BOUNDARY_ROWS: u128 = 24;

impl Planner<'_> {
    fn region<'d>(&self, diagram: &'d Diagram, environment: &Environment) -> Option<Region<'d>> {
        Some(diagram.all().below(&environment_values(self.form, environment)?))
    }

    /// For every PTX version that the form's rules need: that version and the one before it, each with the
    /// newest target it knows; and the oldest version. Every target in the newest PTX version. Also the
    /// newest of both with 32-bit addresses.
    fn environments(&self, home: &Environment) -> Vec<Environment> {
        let isa = &self.spec.isa;
        let plain = || isa.targets.iter().filter(|(target, _)| target.suffix == Suffix::Plain);
        let mut pairs: BTreeSet<(Version, Target)> = BTreeSet::new();
        let mut version = |ptx: Version| {
            let mut known = plain().rev().filter(|(_, since)| *since <= ptx).map(|(target, _)| *target);
            let address_size = AddressSize::Bits32;
            let newest = known.find(|&target| self.supports(&Environment { ptx, target, address_size }));
            pairs.extend(newest.map(|target| (ptx, target)));
        };
        version(*isa.versions.first().unwrap_or(&home.ptx));
        for rule in &self.form.rules {
            if let RuleKind::NeedsPtx(since) = rule.kind {
                version(since);
                isa.versions.iter().rev().find(|v| **v < since).into_iter().for_each(|v| version(*v));
            }
        }
        pairs.extend(isa.targets.iter().map(|(target, _)| (home.ptx, *target)));
        let mut environments = vec![Environment { address_size: AddressSize::Bits32, ..*home }];
        environments.extend(pairs.into_iter().rev().map(|(ptx, target)| {
            let address_size = if ptx >= AddressSize::SINCE { AddressSize::Bits64 } else { AddressSize::Bits32 };
            Environment { ptx, target, address_size }
        }));
        environments.retain(|environment| self.supports(environment));
        environments
    }

    /// In each environment of a boundary: all choices that are valid there, and a breach of every
    /// requirement that is not met there.
    pub(super) fn boundaries(&self, plan: &mut FormPlan, spaces: &Spaces) {
        for environment in self.environments(&plan.home) {
            let mut rows: Vec<Row> = Vec::new();
            if let Some(region) = spaces.valid.as_ref().and_then(|valid| self.region(valid, &environment)) {
                rows.extend(covering(&region, 1).into_iter().map(|values| self.row(values, None)));
            }
            for (rule, diagram) in &spaces.breaches {
                if let Some(region) = self.region(diagram, &environment) {
                    rows.extend(spread(&region, BOUNDARY_ROWS).map(|values| self.row(values, Some(*rule))));
                }
            }
            if !rows.is_empty() && environment != plan.home {
                plan.environments += 1;
                for row in rows {
                    if row.meant.is_some() {
                        self.elsewhere(plan, self.twin(&row.values, row.meant));
                    }
                    plan.listed.push((environment, row));
                }
            }
        }
    }
}
