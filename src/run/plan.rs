//! What a run asks about: which variants of which form in which environment.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::{Generate, Options, Strategy, Subject};
use crate::engine::Depth;
use crate::environment::{AddressSize, Environment, Suffix, Target, Version};
use crate::space::{Diagram, Draw, Region, Values, breakable, covering, environment_values, twin};
use crate::spec::{Form, Instruction, RuleKind, Spec};

/// Why variants are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// They are claimed valid.
    Valid,
    /// They break exactly one rule.
    Breach,
    /// They are claimed valid, and code is generated.
    Code,
}

/// Variants that are asked about together.
#[derive(Clone, Debug)]
pub struct Task {
    /// Where.
    pub environment: Environment,
    /// Why.
    pub purpose: Purpose,
    /// The variants: listed, or a range of a space that is tested completely.
    pub variants: Variants,
}

/// Variants, listed or by their positions.
#[derive(Clone, Debug)]
pub enum Variants {
    /// These.
    Listed(Vec<(Values, Option<usize>)>),
    /// So many from a position on in the space of a rule's breaches (`None`: the valid space).
    Range(Option<usize>, u128, u128),
}

/// What is asked about one form, and how large its spaces are.
#[derive(Clone, Debug)]
pub struct FormPlan {
    /// The form's id.
    pub form: String,
    /// How many valid variants it has in all environments.
    pub valid_space: u128,
    /// How many variants break exactly one rule, in all environments.
    pub breach_space: u128,
    /// The environment that most is asked in.
    pub home: Environment,
    /// How many valid variants it has there.
    pub home_valid: u128,
    /// How many of them are asked about.
    pub home_tested: u128,
    /// How many variants break exactly one rule there.
    pub home_breach: u128,
    /// How many of those are asked about.
    pub home_breach_tested: u128,
    /// By rule, how many variants break it alone in all environments.
    pub alone: Vec<(usize, u128)>,
    /// In how many environments anything is asked.
    pub environments: usize,
    /// Breaches whose twin differs in the environment or in more than one choice.
    pub without_twin: u64,
    /// What to ask.
    pub tasks: Vec<Task>,
    /// The spaces that ranges refer to.
    pub(crate) spaces: Spaces,
}

impl FormPlan {
    pub(crate) fn without_tasks(mut self) -> Self {
        self.tasks = Vec::new();
        self.spaces = Spaces::default();
        self
    }
}

/// The spaces of a form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spaces {
    valid: Option<Diagram>,
    breaches: Vec<(usize, Diagram)>,
}

impl Spaces {
    fn new(form: &Form) -> Self {
        use rayon::prelude::*;
        let rules: Vec<usize> = breakable(form).collect();
        let breaches = rules.par_iter().map(|&rule| (rule, Diagram::breaking(form, rule))).collect();
        Self { valid: Some(Diagram::valid(form)), breaches }
    }

    /// The space of a rule's breaches, or the valid one.
    pub(crate) fn of(&self, rule: Option<usize>) -> Option<&Diagram> {
        match rule {
            None => self.valid.as_ref(),
            Some(rule) => self.breaches.iter().find(|(known, _)| *known == rule).map(|(_, diagram)| diagram),
        }
    }
}

/// Rows per requirement that are asked about in an environment at its boundary.
const BOUNDARY_ROWS: usize = 24;
/// Variants of a form that are taken through code generation as a sample.
const CODE_SAMPLE: usize = 150;
/// Lines of one module where code is generated: its time grows faster than they do.
pub(crate) const CODE_BATCH: usize = 200;

/// Plans every form of an instruction.
pub(super) fn plan(spec: &Spec, instruction: &Instruction, subject: &Subject<'_>, options: &Options) -> Vec<FormPlan> {
    instruction.forms.iter().filter_map(|form| Planner { spec, form, subject, options }.plan()).collect()
}

struct Planner<'a> {
    spec: &'a Spec,
    form: &'a Form,
    subject: &'a Subject<'a>,
    options: &'a Options,
}

impl Planner<'_> {
    /// `None` where the engine takes no environment at all.
    fn plan(&self) -> Option<FormPlan> {
        let home = self.options.environment.or_else(|| self.home())?;
        let spaces = Spaces::new(self.form);
        let valid = spaces.of(None)?;
        let at_home = self.region(valid, &home)?;
        let mut plan = FormPlan {
            form: self.form.id.clone(),
            valid_space: valid.count(),
            breach_space: spaces.breaches.iter().map(|(_, diagram)| diagram.count()).sum(),
            home,
            home_valid: at_home.count(),
            home_tested: 0,
            home_breach: 0,
            home_breach_tested: 0,
            alone: spaces.breaches.iter().map(|(rule, diagram)| (*rule, diagram.count())).collect(),
            environments: 1,
            without_twin: 0,
            tasks: Vec::new(),
            spaces: Spaces::default(),
        };
        self.valid_at_home(&mut plan, &at_home);
        self.breaches_at_home(&mut plan, &spaces);
        self.code(&mut plan, &at_home);
        if self.options.boundaries && self.options.environment.is_none() {
            self.boundaries(&mut plan, &spaces);
        }
        plan.spaces = spaces;
        Some(plan)
    }

    fn supports(&self, environment: &Environment) -> bool {
        environment.ptx <= self.subject.newest && self.subject.engine.supports(environment, Depth::Check).is_ok()
    }

    /// The newest PTX version of the engine with the newest plain target that both know.
    fn home(&self) -> Option<Environment> {
        let ptx = self.spec.isa.versions.iter().rev().find(|version| **version <= self.subject.newest)?;
        let targets = self.spec.isa.targets.iter().rev();
        let plain = targets.filter(|(target, since)| target.suffix == Suffix::Plain && since <= ptx);
        let environment = |&(target, _): &(Target, Version)| Environment { ptx: *ptx, target, address_size: AddressSize::Bits64 };
        plain.map(environment).find(|environment| self.supports(environment))
    }

    fn region<'d>(&self, diagram: &'d Diagram, environment: &Environment) -> Option<Region<'d>> {
        Some(diagram.all().below(&environment_values(self.form, environment)?))
    }

    fn strength(&self) -> usize {
        if self.options.strategy == Strategy::Pairs { 2 } else { 3 }
    }

    fn complete(&self, size: u128) -> bool {
        self.options.strategy == Strategy::Complete && size <= self.options.limit
    }

    fn valid_at_home(&self, plan: &mut FormPlan, region: &Region<'_>) {
        let size = region.count();
        if self.complete(size) {
            plan.home_tested = size;
            return self.ranges(plan, None, region);
        }
        let mut rows: Vec<Values> = covering(region, self.strength());
        let mut seen: FxHashSet<Values> = rows.iter().cloned().collect();
        // Each form draws a series of its own, so that other forms can come and go.
        let hash = blake3::hash(self.form.id.as_bytes());
        let own = hash.as_bytes().iter().take(8).fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        let mut draw = Draw::new(self.options.seed ^ own);
        let wanted = u128::from(self.options.random).min(size / 2);
        for _ in 0..wanted {
            if let Some(values) = draw.below(size).and_then(|rank| region.unrank(rank))
                && seen.insert(values.clone())
            {
                rows.push(values);
            }
        }
        plan.home_tested = u128::try_from(rows.len()).unwrap_or(0);
        self.listed(plan, Purpose::Valid, rows.into_iter().map(|values| (values, None)).collect());
    }

    fn breaches_at_home(&self, plan: &mut FormPlan, spaces: &Spaces) {
        let home = plan.home;
        let regions: Vec<(usize, Region<'_>)> = spaces
            .breaches
            .iter()
            .filter_map(|(rule, diagram)| Some((*rule, self.region(diagram, &home)?)))
            .collect();
        plan.home_breach = regions.iter().map(|(_, region)| region.count()).sum();
        let complete = self.complete(plan.home_breach);
        let mut rows = Vec::new();
        let mut twins: FxHashSet<Values> = FxHashSet::default();
        for (rule, region) in &regions {
            if complete {
                self.ranges(plan, Some(*rule), region);
                continue;
            }
            for values in covering(region, 2) {
                match twin(self.form, &values, *rule) {
                    Some(twin) if twin[..3] == values[..3] => {
                        twins.insert(twin);
                    }
                    _ => plan.without_twin += 1,
                }
                rows.push((values, Some(*rule)));
            }
        }
        plan.home_breach_tested =
            if complete { plan.home_breach } else { u128::try_from(rows.len()).unwrap_or(0) };
        self.listed(plan, Purpose::Breach, rows);
        let mut twins: Vec<Values> = twins.into_iter().collect();
        twins.sort_unstable();
        self.listed(plan, Purpose::Valid, twins.into_iter().map(|values| (values, None)).collect());
    }

    fn code(&self, plan: &mut FormPlan, region: &Region<'_>) {
        let size = region.count();
        let rows: Vec<Values> = match self.options.generate {
            Generate::Nothing => return,
            Generate::Everything if size <= self.options.limit => region.iter_from(0).collect(),
            Generate::Everything => covering(region, self.strength()),
            Generate::Sample => {
                let wanted = u128::try_from(CODE_SAMPLE).unwrap_or(0).min(size);
                (0..wanted).filter_map(|at| region.unrank(at * (size / wanted))).collect()
            }
        };
        let home = plan.home;
        for rows in rows.chunks(CODE_BATCH) {
            let variants = Variants::Listed(rows.iter().map(|values| (values.clone(), None)).collect());
            plan.tasks.push(Task { environment: home, purpose: Purpose::Code, variants });
        }
    }

    fn listed(&self, plan: &mut FormPlan, purpose: Purpose, rows: Vec<(Values, Option<usize>)>) {
        for rows in rows.chunks(self.options.batch) {
            let variants = Variants::Listed(rows.to_vec());
            plan.tasks.push(Task { environment: plan.home, purpose, variants });
        }
    }

    fn ranges(&self, plan: &mut FormPlan, rule: Option<usize>, region: &Region<'_>) {
        let batch = u128::try_from(self.options.batch).unwrap_or(1).max(1);
        let mut at = 0;
        while at < region.count() {
            let length = batch.min(region.count() - at);
            let purpose = if rule.is_some() { Purpose::Breach } else { Purpose::Valid };
            plan.tasks.push(Task { environment: plan.home, purpose, variants: Variants::Range(rule, at, length) });
            at += length;
        }
    }

    /// Every PTX version and target at which a requirement of the form changes, and those just
    /// before, in all combinations that the engine takes, at both address sizes.
    fn environments(&self) -> Vec<Environment> {
        let isa = &self.spec.isa;
        let plain: Vec<Target> = isa.targets.iter().map(|(t, _)| *t).filter(|t| t.suffix == Suffix::Plain).collect();
        let mut versions: BTreeSet<Version> = isa.versions.first().copied().into_iter().collect();
        let mut targets: BTreeSet<Target> = plain.first().copied().into_iter().collect();
        versions.insert(self.subject.newest);
        targets.extend(plain.last());
        let mut version = |since: Version| {
            versions.insert(since);
            versions.extend(isa.versions.iter().rev().find(|v| **v < since));
        };
        let mut target = |needed: Target| {
            targets.insert(needed);
            targets.extend(plain.iter().rev().find(|t| t.sm < needed.sm));
        };
        for rule in &self.form.rules {
            match &rule.kind {
                RuleKind::NeedsPtx(since) => version(*since),
                RuleKind::NeedsTarget(needed) => needed.iter().for_each(|needed| target(*needed)),
                _ => {}
            }
        }
        let mut environments = Vec::new();
        for &ptx in versions.iter().rev().filter(|ptx| isa.versions.contains(ptx)) {
            for &target in targets.iter().rev() {
                let since = isa.targets.iter().find(|(t, _)| *t == target).map(|(_, since)| *since);
                if since.is_none_or(|since| since > ptx) {
                    continue;
                }
                for address_size in [AddressSize::Bits64, AddressSize::Bits32] {
                    let environment = Environment { ptx, target, address_size };
                    let wide = address_size == AddressSize::Bits64;
                    if (!wide || ptx >= AddressSize::SINCE) && self.supports(&environment) {
                        environments.push(environment);
                    }
                }
            }
        }
        environments
    }

    /// In each environment of a boundary: all choices that are valid there, and a breach of every
    /// requirement that is not met there.
    fn boundaries(&self, plan: &mut FormPlan, spaces: &Spaces) {
        for environment in self.environments() {
            let mut rows: Vec<(Values, Option<usize>)> = Vec::new();
            if let Some(region) = spaces.of(None).and_then(|valid| self.region(valid, &environment)) {
                rows.extend(covering(&region, 1).into_iter().map(|values| (values, None)));
            }
            for (rule, diagram) in &spaces.breaches {
                let needs = matches!(self.form.rules[*rule].kind, RuleKind::NeedsPtx(_) | RuleKind::NeedsTarget(_));
                let region = self.region(diagram, &environment).filter(|region| needs && region.count() > 0);
                if let Some(region) = region {
                    let rows_of_rule = covering(&region, 1).into_iter().take(BOUNDARY_ROWS);
                    rows.extend(rows_of_rule.map(|values| (values, Some(*rule))));
                }
            }
            if !rows.is_empty() {
                plan.environments += 1;
                plan.tasks.push(Task { environment, purpose: Purpose::Breach, variants: Variants::Listed(rows) });
            }
        }
    }
}
