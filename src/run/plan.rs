//! What a run asks about: which variants of which form in which environment.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
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

/// A variant to be asked about.
#[derive(Clone, Debug)]
pub struct Row {
    /// The position of its form in the instruction.
    pub form: usize,
    /// Its choices.
    pub values: Values,
    /// The rule that it is meant to break.
    pub meant: Option<usize>,
}

/// Variants, listed or by their positions.
#[derive(Clone, Debug)]
pub enum Variants {
    /// These.
    Listed(Vec<Row>),
    /// So many of the form at a position of the instruction, from a position on in the space of a
    /// rule's breaches (`None`: the valid space).
    Range(usize, Option<usize>, u128, u128),
}

/// What is asked about one form, and how large its spaces are.
#[derive(Clone, Debug)]
pub struct FormPlan {
    /// The form's id.
    pub form: String,
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
    /// By rule, how many variants break it alone: there, or anywhere for a need of a version or
    /// target.
    pub alone: Vec<(usize, u128)>,
    /// In how many environments anything is asked.
    pub environments: usize,
    /// Breaches whose twin differs in the environment or in more than one choice.
    pub without_twin: u64,
    /// What to ask.
    pub tasks: Vec<Task>,
    /// What to ask at the boundaries, until it is put together with that of the other forms.
    boundaries: Vec<(Environment, Vec<Row>)>,
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
    /// What is valid, and what breaks one rule, with these choices of the environment.
    fn at(form: &Form, environment: &[u8]) -> Self {
        let rules: Vec<usize> = breakable(form).collect();
        let within = |&rule: &usize| (rule, Diagram::within(form, Some(rule), environment));
        Self { valid: Some(Diagram::within(form, None, environment)), breaches: rules.par_iter().map(within).collect() }
    }

    /// What is valid, and what breaks one need of a version or target, anywhere.
    pub(super) fn of_needs(form: &Form) -> Self {
        let need = |&rule: &usize| matches!(form.rules[rule].kind, RuleKind::NeedsPtx(_) | RuleKind::NeedsTarget(_));
        let rules: Vec<usize> = breakable(form).filter(need).collect();
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
const BOUNDARY_ROWS: u128 = 24;
/// Variants of a form that are taken through code generation as a sample.
const CODE_SAMPLE: u128 = 150;
/// Lines of one module where code is generated: its time grows faster than they do.
pub(crate) const CODE_BATCH: usize = 200;

/// A rule, and breaches of it with their twins.
type Covered = (usize, Vec<(Values, Option<Values>)>);

/// So many variants of a region, evenly spread over it.
fn spread(region: &Region<'_>, wanted: u128) -> impl Iterator<Item = Values> {
    let size = region.count();
    let wanted = wanted.min(size);
    (0..wanted).filter_map(move |at| region.unrank(at * (size / wanted)))
}

/// Plans every form of an instruction; `needs` are the spaces of its forms.
pub(super) fn plan(
    spec: &Spec,
    instruction: &Instruction,
    needs: &[Spaces],
    subject: &Subject<'_>,
    options: &Options,
) -> Vec<FormPlan> {
    let plan = |(at, form): (usize, &Form)| Planner { spec, at, form, needs: &needs[at], subject, options }.plan();
    let mut plans: Vec<FormPlan> = instruction.forms.par_iter().enumerate().filter_map(plan).collect();
    // A process costs more than the few lines of a boundary: those of all forms go together.
    let mut boundaries: BTreeMap<Environment, Vec<Row>> = BTreeMap::new();
    for (environment, rows) in plans.iter_mut().flat_map(|plan| plan.boundaries.drain(..)) {
        boundaries.entry(environment).or_default().extend(rows);
    }
    if let Some(first) = plans.first_mut() {
        first.tasks.extend(boundaries.into_iter().map(|(environment, rows)| Task {
            environment,
            purpose: Purpose::Breach,
            variants: Variants::Listed(rows),
        }));
    }
    plans
}

struct Planner<'a> {
    spec: &'a Spec,
    at: usize,
    form: &'a Form,
    needs: &'a Spaces,
    subject: &'a Subject<'a>,
    options: &'a Options,
}

impl Planner<'_> {
    /// `None` where the engine takes no environment at all.
    fn plan(&self) -> Option<FormPlan> {
        let home = self.options.environment.or_else(|| self.home())?;
        let spaces = Spaces::at(self.form, &environment_values(self.form, &home)?);
        let valid = spaces.of(None)?;
        let at_home = self.region(valid, &home)?;
        let mut plan = FormPlan {
            form: self.form.id.clone(),
            home,
            home_valid: at_home.count(),
            home_tested: 0,
            home_breach: 0,
            home_breach_tested: 0,
            alone: spaces.breaches.iter().map(|(rule, diagram)| (*rule, diagram.count())).collect(),
            environments: 1,
            without_twin: 0,
            tasks: Vec::new(),
            boundaries: Vec::new(),
            spaces: Spaces::default(),
        };
        self.valid_at_home(&mut plan, &at_home);
        self.breaches_at_home(&mut plan, &spaces);
        self.code(&mut plan, &at_home);
        if self.options.boundaries && self.options.environment.is_none() {
            self.boundaries(&mut plan, self.needs);
            for (rule, diagram) in &self.needs.breaches {
                plan.alone.iter_mut().filter(|(known, _)| known == rule).for_each(|known| known.1 = diagram.count());
            }
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
        let environment =
            |&(target, _): &(Target, Version)| Environment { ptx: *ptx, target, address_size: AddressSize::Bits64 };
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
        self.listed(plan, Purpose::Valid, rows.into_iter().map(|values| self.row(values, None)).collect());
    }

    fn breaches_at_home(&self, plan: &mut FormPlan, spaces: &Spaces) {
        let home = plan.home;
        let regions: Vec<(usize, Region<'_>)> =
            spaces.breaches.iter().filter_map(|(rule, diagram)| Some((*rule, self.region(diagram, &home)?))).collect();
        plan.home_breach = regions.iter().map(|(_, region)| region.count()).sum();
        let complete = self.complete(plan.home_breach);
        if complete {
            regions.iter().for_each(|(rule, region)| self.ranges(plan, Some(*rule), region));
            plan.home_breach_tested = plan.home_breach;
            return;
        }
        let covered: Vec<Covered> = regions
            .par_iter()
            .map(|(rule, region)| {
                let with_twin = |values: Values| {
                    let twin = twin(self.form, &values, *rule).filter(|twin| twin[..3] == values[..3]);
                    (values, twin)
                };
                (*rule, covering(region, self.strength() - 1).into_iter().map(with_twin).collect())
            })
            .collect();
        let mut rows = Vec::new();
        let mut twins: BTreeSet<Values> = BTreeSet::new();
        for (rule, covered) in covered {
            for (values, twin) in covered {
                plan.without_twin += u64::from(twin.is_none());
                twins.extend(twin);
                rows.push(self.row(values, Some(rule)));
            }
        }
        plan.home_breach_tested = u128::try_from(rows.len()).unwrap_or(0);
        self.listed(plan, Purpose::Breach, rows);
        self.listed(plan, Purpose::Valid, twins.into_iter().map(|values| self.row(values, None)).collect());
    }

    fn code(&self, plan: &mut FormPlan, region: &Region<'_>) {
        let size = region.count();
        let rows: Vec<Values> = match self.options.generate {
            Generate::Nothing => return,
            Generate::Everything if size <= self.options.limit => region.iter_from(0).collect(),
            Generate::Everything => covering(region, self.strength()),
            Generate::Sample => spread(region, CODE_SAMPLE).collect(),
        };
        let home = plan.home;
        for rows in rows.chunks(CODE_BATCH) {
            let variants = Variants::Listed(rows.iter().map(|values| self.row(values.clone(), None)).collect());
            plan.tasks.push(Task { environment: home, purpose: Purpose::Code, variants });
        }
    }

    fn row(&self, values: Values, meant: Option<usize>) -> Row {
        Row { form: self.at, values, meant }
    }

    fn listed(&self, plan: &mut FormPlan, purpose: Purpose, rows: Vec<Row>) {
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
            plan.tasks.push(Task {
                environment: plan.home,
                purpose,
                variants: Variants::Range(self.at, rule, at, length),
            });
            at += length;
        }
    }

    /// For every PTX version that the form's rules need: that version and the one before it, each
    /// with the newest target it knows. For every target: that target and the one before it, in the
    /// newest PTX version. Beside those, the oldest of both, and the newest with 32-bit addresses.
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
        let mut target = |target: Target| {
            pairs.insert((home.ptx, target));
        };
        plain().next().into_iter().for_each(|(oldest, _)| target(*oldest));
        for rule in &self.form.rules {
            if let RuleKind::NeedsTarget(needed) = &rule.kind {
                for needed in needed {
                    target(*needed);
                    plain().rev().find(|(t, _)| t.sm < needed.sm).into_iter().for_each(|(t, _)| target(*t));
                }
            }
        }
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
    fn boundaries(&self, plan: &mut FormPlan, spaces: &Spaces) {
        for environment in self.environments(&plan.home) {
            let mut rows: Vec<Row> = Vec::new();
            if let Some(region) = spaces.of(None).and_then(|valid| self.region(valid, &environment)) {
                rows.extend(covering(&region, 1).into_iter().map(|values| self.row(values, None)));
            }
            for (rule, diagram) in &spaces.breaches {
                if let Some(region) = self.region(diagram, &environment) {
                    rows.extend(spread(&region, BOUNDARY_ROWS).map(|values| self.row(values, Some(*rule))));
                }
            }
            if !rows.is_empty() && environment != plan.home {
                plan.environments += 1;
                plan.boundaries.push((environment, rows));
            }
        }
    }
}
