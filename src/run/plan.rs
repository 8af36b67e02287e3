//! What a run asks about: which variants of which form in which environment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::{Generate, Options, Strategy, Subject};
use crate::engine::Depth;
use crate::environment::{AddressSize, Environment, Suffix, Target, Version};
use crate::space::{Diagram, Draw, Region, Values, breakable, covering, environment, environment_values, neighbours, twin};
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
pub(super) struct Task {
    /// Where.
    pub(super) environment: Environment,
    /// Why.
    pub(super) purpose: Purpose,
    /// The variants.
    pub(super) variants: Variants,
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
    /// Whether it may break others as well.
    pub loose: bool,
}

/// Variants, listed, or by their positions in a space: those are only made when they are asked
/// about, by whichever thread does that.
#[derive(Clone, Debug)]
pub(super) enum Variants {
    /// These.
    Listed(Vec<Row>),
    /// Those at these positions of a space.
    At(Space, Vec<u128>),
    /// So many from a position on.
    Range(Space, u128, usize),
}

/// The variants of a form in an environment that are valid, or break one rule.
#[derive(Clone, Debug)]
pub(super) struct Space {
    form: usize,
    rule: Option<usize>,
    environment: [u8; 3],
    diagram: Arc<Diagram>,
}

impl Space {
    fn region(&self) -> Region<'_> {
        self.diagram.all().below(&self.environment)
    }
}

impl Task {
    /// Its variants.
    pub(super) fn rows(self) -> Vec<Row> {
        let row = |space: &Space, values| Row { form: space.form, values, meant: space.rule, loose: false };
        match self.variants {
            Variants::Listed(rows) => rows,
            Variants::At(space, ranks) => {
                let region = space.region();
                ranks.iter().filter_map(|&rank| Some(row(&space, region.unrank(rank)?))).collect()
            }
            Variants::Range(space, from, count) => {
                space.region().iter_from(from).take(count).map(|values| row(&space, values)).collect()
            }
        }
    }
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
    /// Breaches without a twin that the engine can be asked about.
    pub without_twin: u64,
    /// What to ask elsewhere than at home, until it is put together with that of the other forms.
    elsewhere: Vec<(Environment, Row)>,
}

/// The spaces of a form.
#[derive(Clone, Debug, Default)]
pub(super) struct Spaces {
    valid: Option<Arc<Diagram>>,
    breaches: Vec<(usize, Arc<Diagram>)>,
}

impl Spaces {
    /// What is valid, and what breaks one rule, with these choices of the environment.
    fn at(form: &Form, environment: &[u8]) -> Self {
        let rules: Vec<usize> = breakable(form).collect();
        let within = |rule: Option<usize>| Arc::new(Diagram::within(form, rule, environment));
        let (valid, breaches) =
            rayon::join(|| within(None), || rules.par_iter().map(|&rule| (rule, within(Some(rule)))).collect());
        Self { valid: Some(valid), breaches }
    }

    /// What is valid, and what breaks one need of a version or target, anywhere.
    pub(super) fn of_needs(form: &Form) -> Self {
        let need = |&rule: &usize| matches!(form.rules[rule].kind, RuleKind::NeedsPtx(_) | RuleKind::NeedsTarget(_));
        let rules: Vec<usize> = breakable(form).filter(need).collect();
        let breaches = rules.par_iter().map(|&rule| (rule, Arc::new(Diagram::breaking(form, rule)))).collect();
        Self { valid: Some(Arc::new(Diagram::valid(form))), breaches }
    }
}

/// Rows per requirement that are asked about in an environment at its boundary.
const BOUNDARY_ROWS: u128 = 24;
/// Variants of a form that are taken through code generation as a sample.
const CODE_SAMPLE: u128 = 150;
/// For each random breach of a rule, so many random valid variants are drawn.
const RANDOM_BREACHES: u64 = 100;
/// Variants two choices away from the simplest breach of a rule.
const NEIGHBOURS: usize = 256;
/// Lines of one module where code is generated: its time grows faster than they do.
pub(crate) const CODE_BATCH: usize = 200;

/// So many variants of a region, evenly spread over it.
fn spread(region: &Region<'_>, wanted: u128) -> impl Iterator<Item = Values> {
    let size = region.count();
    let wanted = wanted.min(size);
    (0..wanted).filter_map(move |at| region.unrank(at * (size / wanted)))
}

/// Takes what is to be asked, as soon as it is known.
pub(super) type Emit<'a> = dyn Fn(Task) + Sync + 'a;

/// Plans every form of an instruction; `needs` are the spaces of its forms.
pub(super) fn plan(
    spec: &Spec,
    instruction: &Instruction,
    needs: &[Spaces],
    subject: &Subject<'_>,
    options: &Options,
    emit: &Emit<'_>,
) -> Vec<FormPlan> {
    let plan =
        |(at, form): (usize, &Form)| Planner { spec, at, form, needs: &needs[at], subject, options, emit }.plan();
    let mut plans: Vec<FormPlan> = instruction.forms.par_iter().enumerate().filter_map(plan).collect();
    // A process costs more than the few lines of a boundary: those of all forms go together.
    let mut elsewhere: BTreeMap<Environment, BTreeMap<(usize, Values), Row>> = BTreeMap::new();
    for (environment, row) in plans.iter_mut().flat_map(|plan| plan.elsewhere.drain(..)) {
        elsewhere.entry(environment).or_default().insert((row.form, row.values.clone()), row);
    }
    for (environment, rows) in elsewhere {
        let variants = Variants::Listed(rows.into_values().collect());
        emit(Task { environment, purpose: Purpose::Breach, variants });
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
    emit: &'a Emit<'a>,
}

impl Planner<'_> {
    /// `None` where the engine takes no environment at all.
    fn plan(&self) -> Option<FormPlan> {
        let home = self.options.environment.or_else(|| self.home())?;
        let environment = environment_values(self.form, &home)?;
        let spaces = Spaces::at(self.form, &environment);
        let of = |rule, diagram: &Arc<Diagram>| Space { form: self.at, rule, environment, diagram: diagram.clone() };
        let valid = of(None, spaces.valid.as_ref()?);
        let breaches: Vec<Space> = spaces.breaches.iter().map(|(rule, diagram)| of(Some(*rule), diagram)).collect();
        let mut plan = FormPlan {
            form: self.form.id.clone(),
            home,
            home_valid: valid.region().count(),
            home_tested: 0,
            home_breach: breaches.iter().map(|space| space.region().count()).sum(),
            home_breach_tested: 0,
            alone: spaces.breaches.iter().map(|(rule, diagram)| (*rule, diagram.count())).collect(),
            environments: 1,
            without_twin: 0,
            elsewhere: Vec::new(),
        };
        // What is quickly planned first: asking begins while the rest is still being planned.
        let taken = self.drawn(&mut plan, &valid);
        self.code(&plan, &valid.region());
        self.breaches_at_home(&mut plan, &breaches);
        self.valid_at_home(&mut plan, &valid, &taken);
        if self.boundaries_wanted() {
            self.boundaries(&mut plan, self.needs);
            for (rule, diagram) in &self.needs.breaches {
                plan.alone.iter_mut().filter(|(known, _)| known == rule).for_each(|known| known.1 = diagram.count());
            }
        }
        Some(plan)
    }

    fn boundaries_wanted(&self) -> bool {
        self.options.boundaries && self.options.environment.is_none()
    }

    fn supports(&self, environment: &Environment) -> bool {
        self.subject.takes(environment, Depth::Check)
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

    /// Random valid variants, unless all are tested: their positions, which are asked about already.
    fn drawn(&self, plan: &mut FormPlan, space: &Space) -> FxHashSet<u128> {
        let size = space.region().count();
        let mut taken = FxHashSet::default();
        if self.complete(size) {
            return taken;
        }
        let mut draw = self.draw("");
        let wanted = u128::from(self.options.random).min(size / 2);
        let ranks: Vec<u128> =
            (0..wanted).filter_map(|_| draw.below(size)).filter(|&rank| taken.insert(rank)).collect();
        for ranks in ranks.chunks(self.options.batch) {
            self.ask(plan.home, Purpose::Valid, Variants::At(space.clone(), ranks.to_vec()));
        }
        plan.home_tested += count(&ranks);
        taken
    }

    /// The series of a form, or of one of its rules: each its own, so that others can come and go.
    fn draw(&self, rule: &str) -> Draw {
        Draw::named(&format!("{}{rule}", self.form.id), self.options.seed)
    }

    /// All valid variants, or a covering array of them; what has been drawn is not asked again.
    fn valid_at_home(&self, plan: &mut FormPlan, space: &Space, drawn: &FxHashSet<u128>) {
        let region = space.region();
        if self.complete(region.count()) {
            plan.home_tested = region.count();
            return self.ranges(plan, space);
        }
        let mut rows = covering(&region, self.strength());
        rows.retain(|values| space.diagram.rank(values).is_none_or(|rank| !drawn.contains(&rank)));
        plan.home_tested += count(&rows);
        self.listed(plan, Purpose::Valid, rows.into_iter().map(|values| self.row(values, None)).collect());
    }

    fn breaches_at_home(&self, plan: &mut FormPlan, spaces: &[Space]) {
        if self.complete(plan.home_breach) {
            spaces.iter().for_each(|space| self.ranges(plan, space));
            plan.home_breach_tested = plan.home_breach;
            return;
        }
        let covered = |space: &Space| -> Vec<(Row, Option<Option<Values>>)> {
            let rows = covering(&space.region(), self.strength() - 1);
            let with_twin = |values: Values| {
                let twin = self.twin(&values, space.rule);
                (self.row(values, space.rule), Some(twin))
            };
            let drawn = self.drawn_breaches(space, &rows);
            let mut rows: Vec<(Row, Option<Option<Values>>)> = rows.into_iter().map(with_twin).collect();
            rows.extend(drawn.into_iter().map(|values| (self.row(values, space.rule), None)));
            let known: FxHashSet<Values> = rows.iter().map(|(row, _)| row.values.clone()).collect();
            let near = neighbours(self.form, &space.diagram, NEIGHBOURS).into_iter();
            let near = near.filter(|values| !known.contains(values));
            rows.extend(near.map(|values| (self.row(values, space.rule), None)));
            rows
        };
        let covered: Vec<Vec<(Row, Option<Option<Values>>)>> = spaces.par_iter().map(covered).collect();
        let mut rows = Vec::new();
        let mut twins: BTreeSet<Values> = BTreeSet::new();
        for (row, twin) in covered.into_iter().flatten() {
            match twin {
                Some(Some(twin)) if twin[..3] == row.values[..3] => drop(twins.insert(twin)),
                Some(twin) => self.elsewhere(plan, twin),
                // Those drawn come without.
                None => {}
            }
            rows.push(row);
        }
        plan.home_breach_tested = count(&rows);
        // A fault of syntax may end an assembler's pass: such lines are asked about apart from others.
        let plain = |row: &Row| row.values[self.form.writing()] == 0;
        let (plain, faulty): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(plain);
        self.listed(plan, Purpose::Breach, plain);
        self.listed(plan, Purpose::Breach, faulty);
        self.listed(plan, Purpose::Valid, twins.into_iter().map(|values| self.row(values, None)).collect());
    }

    /// Random breaches of a rule that are not among those already chosen.
    fn drawn_breaches(&self, space: &Space, chosen: &[Values]) -> Vec<Values> {
        let region = space.region();
        let size = region.count();
        let rule = space.rule.map_or("", |rule| &self.form.rules[rule].id);
        let mut draw = self.draw(rule);
        let mut taken: FxHashSet<u128> = chosen.iter().filter_map(|values| space.diagram.rank(values)).collect();
        let wanted = u128::from(self.options.random / RANDOM_BREACHES).min(size / 2);
        let drawn = (0..wanted).filter_map(|_| draw.variant(&region));
        drawn.filter(|values| space.diagram.rank(values).is_some_and(|rank| taken.insert(rank))).collect()
    }

    /// The valid twin of a breach, in an environment that the engine takes.
    fn twin(&self, values: &[u8], rule: Option<usize>) -> Option<Values> {
        let asked = |twin: &[u8]| {
            let supported = || environment(self.form, twin).is_some_and(|environment| self.supports(&environment));
            twin[..3] == values[..3] || (self.boundaries_wanted() && supported())
        };
        twin(self.form, values, rule?, asked)
    }

    /// Takes note of a twin that is asked about in its own environment, or of there being none.
    fn elsewhere(&self, plan: &mut FormPlan, twin: Option<Values>) {
        let environment = twin.as_ref().and_then(|twin| environment(self.form, twin));
        match (environment, twin) {
            (Some(environment), Some(twin)) => plan.elsewhere.push((environment, self.row(twin, None))),
            _ => plan.without_twin += 1,
        }
    }

    fn code(&self, plan: &FormPlan, region: &Region<'_>) {
        let size = region.count();
        let rows: Vec<Values> = match self.options.generate {
            Generate::Nothing => return,
            Generate::Everything if size <= self.options.limit => region.iter_from(0).collect(),
            Generate::Everything => covering(region, self.strength()),
            Generate::Sample => spread(region, CODE_SAMPLE).collect(),
        };
        for rows in rows.chunks(CODE_BATCH) {
            let variants = Variants::Listed(rows.iter().map(|values| self.row(values.clone(), None)).collect());
            self.ask(plan.home, Purpose::Code, variants);
        }
    }

    fn row(&self, values: Values, meant: Option<usize>) -> Row {
        Row { form: self.at, values, meant, loose: false }
    }

    fn ask(&self, environment: Environment, purpose: Purpose, variants: Variants) {
        (self.emit)(Task { environment, purpose, variants });
    }

    fn listed(&self, plan: &FormPlan, purpose: Purpose, rows: Vec<Row>) {
        for rows in rows.chunks(self.options.batch) {
            self.ask(plan.home, purpose, Variants::Listed(rows.to_vec()));
        }
    }

    fn ranges(&self, plan: &FormPlan, space: &Space) {
        let purpose = if space.rule.is_some() { Purpose::Breach } else { Purpose::Valid };
        let (size, batch) = (space.region().count(), self.options.batch.max(1));
        let mut at = 0;
        while at < size {
            self.ask(plan.home, purpose, Variants::Range(space.clone(), at, batch));
            at += u128::try_from(batch).unwrap_or(1);
        }
    }

    /// For every PTX version that the form's rules need: that version and the one before it, each
    /// with the newest target it knows; and the oldest version. Every target in the newest PTX
    /// version. Beside those, the newest of both with 32-bit addresses.
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
    fn boundaries(&self, plan: &mut FormPlan, spaces: &Spaces) {
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
                    plan.elsewhere.push((environment, row));
                }
            }
        }
    }
}

fn count<T>(of: &[T]) -> u128 {
    u128::try_from(of.len()).unwrap_or(u128::MAX)
}
