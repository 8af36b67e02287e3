//! Chooses the programs of a form that are executed, and their rows.

use std::sync::atomic::AtomicU64;

use serde_json::{Value, json};

use super::options::{Options, Shard};
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

/// Variants that are drawn for a program if choices are balanced.
const CANDIDATES: usize = 32;
/// The weight of a choice that did not occur yet; each time that it does, it is a sixteenth of what it was.
const RAREST: u32 = 1 << 20;

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
        plan.programs = plan.first_rows(options.cases.unwrap_or_else(|| engine.usual_cases()));
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
        if covering.len() > most {
            return self.balanced(most, &mut draw);
        }
        let both = covering.into_iter().flat_map(|point| {
            let drawn = (0..DRAWN).map(|_| draw.variant(&region)).collect::<Vec<_>>();
            drawn.into_iter().chain([draw.variant(&self.diagram.all().below(&point))]).flatten()
        });
        both.take(most).collect()
    }

    /// First rows for fewer programs than there are pairs of choices: each choice of a program occurs, and about as often as
    /// the others of its axis. Each is the variant, of some that are drawn, whose choices are the rarest so far.
    fn balanced(&self, count: usize, draw: &mut Draw) -> Vec<Values> {
        let region = self.region();
        let axes = setup::first_of_row(self.form);
        let mut used = vec![[0_u8; 256]; axes];
        let mut chosen: Vec<Values> = Vec::new();
        for _ in 0..count {
            let rarity = |row: &Values| -> u32 {
                row.iter().zip(&used).map(|(value, used)| RAREST >> (4 * u32::from(used[usize::from(*value)].min(5)))).sum()
            };
            let drawn: Vec<Values> = (0..CANDIDATES).filter_map(|_| draw.variant(&region)).collect();
            // Of equal ones the first is taken.
            let Some(rarest) = drawn.into_iter().rev().max_by_key(rarity) else { break };
            for (value, used) in rarest.iter().zip(&mut used) {
                let used = &mut used[usize::from(*value)];
                *used = used.saturating_add(1);
            }
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
