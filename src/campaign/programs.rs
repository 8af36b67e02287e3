//! Chooses the programs of a form that are executed, and their rows.

use std::sync::atomic::AtomicU64;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};

use super::options::{Options, Shard, Strategy};
use crate::case::CostlyRows;
use crate::engine::CaseExecutor;
use crate::environment::Environment;
use crate::must::Must as _;
use crate::setup;
use crate::space::{Diagram, Draw, EnvironmentValues, Region, Values, covering, environment_values};
use crate::spec::Form;

/// Programs of a form per task.
const TOGETHER: usize = 1024;
/// Rows of a form that must trap, for an engine where each costs a process.
const TRAPS: u64 = 24;

/// Random programs for each program of the covering array.
const DRAWN: usize = 3;

/// Programs for each choice of the axis with the most, if choices are balanced.
const OFTEN: usize = 4;
/// Variants that are drawn for each of these programs.
const CANDIDATES: usize = 32;
/// The weight of a choice that did not occur yet, in pairs of choices; each time that it does, it is a sixteenth of what it was.
const RAREST: usize = 256;

/// An axis of a form, and a choice on it.
type AxisChoice = (usize, u8);
/// Two choices of a variant.
type ChoicePair = (AxisChoice, AxisChoice);

/// The programs of a form that are executed.
pub(super) struct ProgramPlan<'a> {
    form: &'a Form,
    diagram: Diagram,
    /// The same without the axes of numbers.
    points: Diagram,
    seed: u64,
    /// Rows of each program.
    rows: usize,
    /// The first row of each program.
    programs: Vec<Values>,
    environment: EnvironmentValues,
}

/// Programs of a form that are executed together.
pub(super) struct ProgramTask {
    /// The number of the first.
    first: usize,
    count: usize,
    /// The task as a line of a plan.
    described: Value,
}

impl ProgramTask {
    /// True if the task belongs to a shard: each task belongs to exactly one.
    pub(super) fn belongs_to(&self, shard: Shard) -> bool {
        shard.has(|| self.described.to_string())
    }
}

impl<'a> ProgramPlan<'a> {
    /// A plan for an executed form; `points` is the form without numbers. None if the specification does
    /// not know the environment.
    pub(super) fn new(
        form: &'a Form,
        points: &Form,
        environment: &Environment,
        options: &Options,
        engine: &dyn CaseExecutor,
    ) -> Option<Self> {
        let environment = environment_values(form, environment)?;
        let diagram = Diagram::within(form, None, &environment);
        let points = Diagram::within(points, None, &environment);
        let (seed, rows) = (options.seed, options.rows);
        let mut plan = Self { form, diagram, points, seed, rows, programs: Vec::new(), environment };
        let most = options.cases.unwrap_or_else(|| engine.usual_cases());
        plan.programs = match options.strategy {
            Strategy::Choices => plan.balanced(most),
            _ => plan.first_rows(most),
        };
        Some(plan)
    }

    fn region(&self) -> Region<'_> {
        self.diagram.all().below(&self.environment)
    }

    /// The number of variants with setups.
    pub(super) fn space(&self) -> u128 {
        self.region().count()
    }

    /// At most `most` first rows: a covering array of all pairs of choices with random numbers, and random
    /// rows between them, because the tail of a covering array is monotonous.
    fn first_rows(&self, most: usize) -> Vec<Values> {
        let region = self.region();
        let mut draw = Draw::named(&format!("executed {}", self.form.id), self.seed);
        let covering = shuffled(covering(&self.points.all().below(&self.environment), 2), &mut draw);
        let both = covering.into_iter().flat_map(|point| {
            let drawn = (0..DRAWN).map(|_| draw.variant(&region)).collect::<Vec<_>>();
            drawn.into_iter().chain([draw.variant(&self.diagram.all().below(&point))]).flatten()
        });
        both.take(most).collect()
    }

    /// At most `most` first rows, in which each choice of a program is about as often as the others of its axis, as a rule
    /// [`OFTEN`] or more, and with different others: each is the variant, of some that are drawn, that has the rarest choices
    /// and the most new pairs.
    fn balanced(&self, most: usize) -> Vec<Values> {
        let region = self.region();
        let mut draw = Draw::named(&format!("balanced {}", self.form.id), self.seed);
        let axes: Vec<usize> =
            (0..setup::first_of_row(self.form)).filter(|axis| self.diagram.width(*axis) > 1).collect();
        let widest = axes.iter().map(|axis| self.diagram.width(*axis)).max().unwrap_or(1);
        let choices = |row: &Values| axes.iter().map(|axis| (*axis, row[*axis])).collect::<Vec<_>>();
        let pairs = |row: &Values| -> Vec<ChoicePair> {
            let choices = choices(row);
            (0..choices.len())
                .flat_map(|a| (0..a).map(move |b| (b, a)))
                .map(|(b, a)| (choices[b], choices[a]))
                .collect()
        };
        let mut used: FxHashMap<AxisChoice, u32> = FxHashMap::default();
        let mut paired: FxHashSet<ChoicePair> = FxHashSet::default();
        let mut chosen: Vec<Values> = Vec::new();
        for _ in 0..most.min(OFTEN * widest) {
            let rarity = |row: &Values| -> usize {
                let weight = |choice| RAREST >> (4 * used.get(&choice).map_or(0, |used| (*used).min(3)));
                let rare: usize = choices(row).into_iter().map(weight).sum();
                rare + pairs(row).iter().filter(|pair| !paired.contains(pair)).count()
            };
            let drawn: Vec<Values> = (0..CANDIDATES).filter_map(|_| draw.variant(&region)).collect();
            let Some(rarest) = drawn.into_iter().max_by_key(rarity) else { break };
            choices(&rarest).into_iter().for_each(|choice| *used.entry(choice).or_default() += 1);
            paired.extend(pairs(&rarest));
            chosen.push(rarest);
        }
        chosen
    }

    /// The tasks that ask about all programs.
    pub(super) fn tasks(&self, instruction: &str, environment: &Environment) -> Vec<ProgramTask> {
        let task = |first: usize| {
            let count = TOGETHER.min(self.programs.len() - first);
            let described = json!({
                "instruction": instruction, "what": "rows", "environment": environment.to_string(),
                "cases": { "form": self.form.id, "from": first, "count": count, "rows": self.rows },
            });
            ProgramTask { first, count, described }
        };
        (0..self.programs.len()).step_by(TOGETHER).map(task).collect()
    }

    /// The rows of the programs of a task. The rows of a program come one after another, and differ only
    /// in the choices of a row. They depend only on its number and the seed.
    pub(super) fn rows(&self, task: &ProgramTask) -> Vec<Values> {
        let (first, count) = (task.first, task.count);
        let first_of_row = setup::first_of_row(self.form);
        let mut all = Vec::with_capacity(count * self.rows);
        for (at, program) in self.programs.iter().enumerate().skip(first).take(count) {
            all.push(program.clone());
            let region = self.diagram.all().below(&program[..first_of_row]);
            let mut draw = Draw::named(&format!("rows {} {at}", self.form.id), self.seed);
            for _ in 1..self.rows {
                let Some(mut row) = draw.variant(&region) else { break };
                setup::share_contents(self.form, program, &mut row);
                all.push(row);
            }
        }
        all
    }
}

/// How many rows may end their kernel on an engine; at most `undefined` of those that may do anything.
pub(super) fn costly(engine: &dyn CaseExecutor, undefined: u64) -> CostlyRows {
    let traps = engine.traps_cost().then(|| AtomicU64::new(TRAPS));
    CostlyRows { traps, undefined: AtomicU64::new(undefined) }
}

/// Shuffles the cases, so that they do not begin with everything at its first value.
fn shuffled(mut cases: Vec<Values>, draw: &mut Draw) -> Vec<Values> {
    for at in (1..cases.len()).rev() {
        let other = draw.below(at as u128 + 1).and_then(|other| usize::try_from(other).ok());
        cases.swap(at, other.must("a position of a list is below its length"));
    }
    cases
}
