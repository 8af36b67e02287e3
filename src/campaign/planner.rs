//! Plans the cases of a form in its main environment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::extras::with_modifiers_of_other_forms;
use super::main_environment;
use super::options::{Generate, Options, Strategy, Subject};
use super::plan::{
    FormPlan, FormSpace, Isolated, PlannedVariant, Purpose, ShuffledSpace, Task, TaskVariants, TestedVariants,
};
use super::spaces::Spaces;
use crate::engine::Depth;
use crate::environment::Environment;
use crate::space::{
    Diagram, Draw, EnvironmentValues, Region, Values, covering, covering_more, environment, environment_values,
    neighbours, twin,
};
use crate::spec::{Cube, Form, Instruction, Spec};

/// For each random breach of a rule, this many random valid variants are drawn.
const RANDOM_BREACHES: u64 = 100;
/// Random breaches of a rule whose choices are drawn one by one, so that rare choices are as frequent as others. Further ones
/// are all equally likely: they take no memory.
const RANDOM_CHOICES: u64 = 100;
/// Breaches of each rule where not every choice is tried with it: the first one, and others as far from it and each other
/// as the order of the space has them.
const BREACHES: u128 = 4;
/// Lines per module for code generation, whose time grows faster than the number of lines.
pub(crate) const CODE_BATCH: usize = 200;

/// N variants of a region, evenly spread over it.
pub(super) fn spread(region: &Region<'_>, wanted: u128) -> impl Iterator<Item = Values> {
    let size = region.count();
    let wanted = wanted.min(size);
    (0..wanted).filter_map(move |at| region.unrank(at * (size / wanted)))
}

/// Receives each task as soon as it is planned.
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
    let plan = |(at, form): (usize, &Form)| {
        Planner { spec, instruction, at, form, needs: &needs[at], subject, options, emit }.plan()
    };
    let mut plans: Vec<FormPlan> = instruction.forms.par_iter().enumerate().filter_map(plan).collect();
    // A process costs more than a hundred lines, so those of all forms are asked about together.
    let mut listed: BTreeMap<(Environment, bool), Vec<PlannedVariant>> = BTreeMap::new();
    for (environment, row) in plans.iter_mut().flat_map(|plan| std::mem::take(&mut plan.waiting)) {
        // A syntax error may end an assembler's pass, so such lines get their own tasks.
        let faulty = row.is_faulty(instruction);
        listed.entry((environment, faulty)).or_default().push(row);
    }
    for ((environment, _), mut rows) in listed {
        rows.sort_unstable_by(|a, b| (a.form, &a.values).cmp(&(b.form, &b.values)));
        rows.dedup_by(|a, b| (a.form, &a.values) == (b.form, &b.values));
        for rows in rows.chunks(options.batch.max(1)) {
            let variants = TaskVariants::Listed(rows.to_vec());
            emit(Task { instruction: instruction.name.clone(), environment, purpose: Purpose::Check, variants });
        }
    }
    plans
}

/// The valid twin of a breach.
enum Twin {
    /// This variant, which is asked about too.
    Valid(Values),
    /// The engine can be asked about none.
    Missing,
    /// Random breaches need none.
    NotWanted,
}

/// The breaches of a rule that are asked about.
struct CoveredBreaches {
    /// Breaches chosen one by one.
    chosen: Vec<(PlannedVariant, Twin)>,
    /// Further random ones, some of which may be among the chosen.
    drawn: Arc<ShuffledSpace>,
}

pub(super) struct Planner<'a> {
    pub(super) spec: &'a Spec,
    instruction: &'a Instruction,
    at: usize,
    pub(super) form: &'a Form,
    needs: &'a Spaces,
    subject: &'a Subject<'a>,
    options: &'a Options,
    emit: &'a Emit<'a>,
}

impl Planner<'_> {
    /// `None` if the engine accepts no environment at all.
    fn plan(&self) -> Option<FormPlan> {
        let main =
            self.options.environment.or_else(|| main_environment::of_form(self.spec, self.subject, self.form))?;
        let environment = environment_values(self.form, &main)?;
        let spaces = Spaces::at(self.form, &environment);
        let of =
            |rule, diagram: &Arc<Diagram>| FormSpace { form: self.at, rule, environment, diagram: diagram.clone() };
        let valid = of(None, spaces.valid.as_ref()?);
        let breaches: Vec<FormSpace> = spaces.breaches.iter().map(|(rule, diagram)| of(Some(*rule), diagram)).collect();
        let mut plan = FormPlan {
            form: self.form.id.clone(),
            main,
            valid: TestedVariants { exist: valid.region().count(), tested: 0 },
            breaches: TestedVariants { exist: breaches.iter().map(|space| space.region().count()).sum(), tested: 0 },
            isolated: spaces.breaches.iter().map(|(rule, diagram)| Isolated::new(*rule, diagram)).collect(),
            environments: 1,
            breaches_without_twin: 0,
            left_out: 0,
            waiting: Vec::new(),
        };
        // Quick plans come first, so that asking begins while the rest is still being planned.
        let drawn = self.drawn(&mut plan, &valid);
        self.code(&plan, &valid.region());
        self.breaches_in_main(&mut plan, &breaches, drawn.as_deref());
        self.valid_in_main(&mut plan, &valid, drawn.as_deref());
        if self.boundaries_wanted() {
            match self.options.depth.budget().environments {
                true => self.boundaries(&mut plan, self.needs),
                false => self.requirements(&mut plan),
            }
        }
        Some(plan)
    }

    fn boundaries_wanted(&self) -> bool {
        self.options.boundaries && self.options.environment.is_none()
    }

    pub(super) fn supports(&self, environment: &Environment) -> bool {
        self.subject.takes(environment, Depth::Check)
    }

    /// How many random variants of the form are drawn.
    fn random(&self) -> u64 {
        self.options.random_of_form(self.instruction.forms.len())
    }

    /// How many choices are combined in the covering array of valid variants.
    fn strength(&self) -> usize {
        match self.options.strategy {
            Strategy::Choices => 1,
            Strategy::Pairs => 2,
            Strategy::Triples | Strategy::Complete => 3,
        }
    }

    fn complete(&self, size: u128) -> bool {
        self.options.strategy == Strategy::Complete && size <= self.options.limit
    }

    /// Random valid variants, unless all are tested.
    fn drawn(&self, plan: &mut FormPlan, space: &FormSpace) -> Option<Arc<ShuffledSpace>> {
        let size = space.region().count();
        if self.complete(size) {
            return None;
        }
        let drawn = ShuffledSpace::new(space, &mut self.draw(""), self.random().into());
        let forms = self.instruction.forms.len();
        plan.left_out = u128::from(self.options.left_out_of_form(forms)).min(size - drawn.wanted);
        plan.valid.tested += drawn.wanted;
        self.ask_drawn(plan, &drawn);
        Some(drawn)
    }

    fn ask_drawn(&self, plan: &FormPlan, drawn: &Arc<ShuffledSpace>) {
        drawn.parts(self.options.batch).for_each(|part| self.ask(plan.main, Purpose::Check, part));
    }

    /// The random series of a form, or of one of its rules. Each is separate, so that changes of others do
    /// not affect it.
    fn draw(&self, rule: &str) -> Draw {
        Draw::named(&format!("{}{rule}", self.form.id), self.options.seed)
    }

    /// All valid variants, or a covering array of them; those already drawn are not repeated.
    fn valid_in_main(&self, plan: &mut FormPlan, space: &FormSpace, drawn: Option<&ShuffledSpace>) {
        let region = space.region();
        let Some(drawn) = drawn else {
            plan.valid.tested = region.count();
            return self.ranges(plan, space);
        };
        let mut rows = covering(&region, self.strength());
        rows.retain(|values| !drawn.has(values));
        plan.valid.tested += count(&rows);
        self.list(plan, rows.into_iter().map(|values| self.row(values, None)));
    }

    fn breaches_in_main(&self, plan: &mut FormPlan, spaces: &[FormSpace], valid: Option<&ShuffledSpace>) {
        if self.complete(plan.breaches.exist) {
            spaces.iter().for_each(|space| self.ranges(plan, space));
            plan.breaches.tested = plan.breaches.exist;
            return;
        }
        let covered: Vec<CoveredBreaches> = spaces.par_iter().map(|space| self.covered_breaches(space)).collect();
        let mut rows = Vec::new();
        let mut twins: BTreeSet<Values> = BTreeSet::new();
        for CoveredBreaches { chosen, drawn } in covered {
            for (row, twin) in chosen {
                match twin {
                    Twin::Valid(twin) if EnvironmentValues::of(&twin) == EnvironmentValues::of(&row.values) => {
                        twins.insert(twin);
                    }
                    Twin::Valid(twin) => self.elsewhere(plan, Some(twin)),
                    Twin::Missing => self.elsewhere(plan, None),
                    Twin::NotWanted => {}
                }
                rows.extend((!drawn.has(&row.values)).then_some(row));
            }
            plan.breaches.tested += drawn.wanted;
            self.ask_drawn(plan, &drawn);
        }
        plan.breaches.tested += count(&rows);
        // The others are asked about among the valid variants.
        twins.retain(|twin| valid.is_some_and(|valid| !valid.has(twin)));
        self.list(plan, rows.into_iter());
        self.list(plan, twins.into_iter().map(|values| self.row(values, None)));
    }

    /// Breaches of a rule: a set with every choice that occurs among them, and with every pair of choices on the axes that
    /// the rule relates, each with its twin; some random ones; some around the simplest, also those with a modifier too
    /// many. And further random ones.
    fn covered_breaches(&self, space: &FormSpace) -> CoveredBreaches {
        let region = space.region();
        let rows = match self.strength() {
            1 => spread(&region, BREACHES).collect(),
            strength => covering_more(&region, strength - 1, &related_axes(self.form, space)),
        };
        let (drawn, further) = self.drawn_breaches(space, &rows);
        let with_twin = |values: Values| {
            let twin = self.twin(&values, space.rule).map_or(Twin::Missing, Twin::Valid);
            (self.row(values, space.rule), twin)
        };
        let mut rows: Vec<(PlannedVariant, Twin)> = rows.into_iter().map(with_twin).collect();
        let mut known: FxHashSet<Values> =
            rows.iter().map(|(row, _)| row.values.clone()).chain(drawn.clone()).collect();
        let near = match self.options.depth.budget().neighbours {
            0 => Vec::new(),
            most => {
                let others = with_modifiers_of_other_forms(self.instruction, self.form, space);
                neighbours(self.form, &space.diagram, most).into_iter().chain(others).collect()
            }
        };
        let near = near.into_iter().filter(|values| known.insert(values.clone()));
        let others = drawn.into_iter().chain(near);
        rows.extend(others.map(|values| (self.row(values, space.rule), Twin::NotWanted)));
        CoveredBreaches { chosen: rows, drawn: further }
    }

    /// Random breaches of a rule that are not among those already chosen, and further ones.
    fn drawn_breaches(&self, space: &FormSpace, chosen: &[Values]) -> (Vec<Values>, Arc<ShuffledSpace>) {
        let region = space.region();
        let size = region.count();
        let rule = space.rule.map_or("", |rule| &self.form.rules[rule].id);
        let mut draw = self.draw(rule);
        let mut taken: FxHashSet<u128> = chosen.iter().filter_map(|values| space.diagram.rank(values)).collect();
        let wanted = self.random() / RANDOM_BREACHES;
        let further = wanted.saturating_sub(RANDOM_CHOICES);
        // Beyond half of a space, many draws repeat others.
        let chosen = u128::from(wanted - further).min(size / 2);
        let drawn = (0..chosen).filter_map(|_| draw.variant(&region));
        let new = |values: &Values| space.diagram.rank(values).is_some_and(|rank| taken.insert(rank));
        (drawn.filter(new).collect(), ShuffledSpace::new(space, &mut draw, further.into()))
    }

    /// The valid twin of a breach, in an environment that the engine accepts.
    pub(super) fn twin(&self, values: &[u8], rule: Option<usize>) -> Option<Values> {
        let asked = |twin: &[u8]| {
            let supported = || self.supports(&environment(self.form, twin));
            EnvironmentValues::of(twin) == EnvironmentValues::of(values) || (self.boundaries_wanted() && supported())
        };
        twin(self.form, values, rule?, asked)
    }

    /// Takes note of a twin that is asked about in its own environment, or of there being none.
    pub(super) fn elsewhere(&self, plan: &mut FormPlan, twin: Option<Values>) {
        match twin {
            Some(twin) => plan.waiting.push((environment(self.form, &twin), self.row(twin, None))),
            None => plan.breaches_without_twin += 1,
        }
    }

    fn code(&self, plan: &FormPlan, region: &Region<'_>) {
        let size = region.count();
        let rows: Vec<Values> = match self.options.generate {
            Generate::Nothing => return,
            Generate::Everything if size <= self.options.limit => region.iter_from(0).collect(),
            Generate::Everything => covering(region, self.strength()),
            Generate::Sample => spread(region, self.options.depth.budget().code_sample).collect(),
        };
        for rows in rows.chunks(CODE_BATCH) {
            let variants = TaskVariants::Listed(rows.iter().map(|values| self.row(values.clone(), None)).collect());
            self.ask(plan.main, Purpose::Code, variants);
        }
    }

    pub(super) fn row(&self, values: Values, meant: Option<usize>) -> PlannedVariant {
        PlannedVariant { form: self.at, values, meant, loose: false }
    }

    fn ask(&self, environment: Environment, purpose: Purpose, variants: TaskVariants) {
        (self.emit)(Task { instruction: self.instruction.name.clone(), environment, purpose, variants });
    }

    /// Notes variants to be listed in the main environment.
    fn list(&self, plan: &mut FormPlan, rows: impl Iterator<Item = PlannedVariant>) {
        let main = plan.main;
        plan.waiting.extend(rows.map(|row| (main, row)));
    }

    fn ranges(&self, plan: &FormPlan, space: &FormSpace) {
        let (size, batch) = (space.region().count(), self.options.batch.max(1));
        let mut at = 0;
        while at < size {
            self.ask(plan.main, Purpose::Check, TaskVariants::Range(space.clone(), at, batch));
            at += batch as u128;
        }
    }
}

/// The axes that a rule names.
fn related_axes(form: &Form, space: &FormSpace) -> Vec<usize> {
    let forbids = space.rule.into_iter().flat_map(|rule| &form.rules[rule].forbids);
    let axes: BTreeSet<usize> = forbids.flat_map(Cube::sets).map(|(axis, _)| *axis).collect();
    axes.into_iter().collect()
}

fn count<T>(of: &[T]) -> u128 {
    of.len() as u128
}
