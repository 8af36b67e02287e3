//! The programs of a form that are executed in an environment, and their rows.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::executions::{ExecutedForm, FirstRows};
use super::first_rows::ProgramChoice;
use super::options::Options;
use crate::case::CostlyRows;
use crate::engine::CaseExecutor;
use crate::environment::Environment;
use crate::setup;
use crate::space::{Diagram, Draw, EnvironmentValues, Region, Values, environment_values};
use crate::spec::{Form, Instruction};

/// Programs of a form per task.
const TOGETHER: usize = 1024;
/// Rows of a form that must trap, for an engine where each costs a process.
const TRAPS: u64 = 24;

/// How many times as many rows a plain program has.
const PLAIN_ROWS: usize = 4;
/// How often a row is drawn again whose numbers another row has.
const REDRAWN: usize = 4;

/// The programs of a form that are executed.
pub(super) struct ProgramPlan {
    /// The instruction with the axes of its setup.
    pub(super) executed: Arc<Instruction>,
    /// The position of the form in it.
    pub(super) at: usize,
    diagram: Diagram,
    seed: u64,
    /// Rows of each program.
    rows: usize,
    /// The first row of each program, in any environment.
    programs: Arc<FirstRows>,
    environment: EnvironmentValues,
}

/// Programs of a form that are executed together.
pub(super) struct ProgramTask {
    /// The number of the first.
    first: usize,
    count: usize,
    /// The task as a line of a plan.
    pub(super) described: Value,
}

impl ProgramPlan {
    /// A plan for a form. None if the specification does not know the environment.
    pub(super) fn new(
        of: &ExecutedForm,
        environment: &Environment,
        options: &Options,
        engine: &dyn CaseExecutor,
    ) -> Option<Self> {
        let environment = environment_values(of.form(), environment)?;
        let diagram = Diagram::within(of.form(), None, &environment);
        let points = Diagram::within(of.points(), None, &environment);
        let (form, seed) = (of.form(), options.seed);
        let choice = ProgramChoice { form, diagram: &diagram, points: &points, environment, seed };
        let most = options.cases.unwrap_or_else(|| engine.usual_cases());
        let choose = || choice.first_rows(most, options.strategy);
        let programs = of.first_rows.get(most, &[&diagram, &points], choose);
        let executed = Arc::clone(&of.executed);
        Some(Self { executed, at: of.at, diagram, seed, rows: options.rows, programs, environment })
    }

    /// The form.
    pub(super) fn form(&self) -> &Form {
        &self.executed.forms[self.at]
    }

    /// The number of variants with setups.
    pub(super) fn space(&self) -> u128 {
        self.diagram.all().below(&self.environment).count()
    }

    /// The tasks that ask about all programs.
    pub(super) fn tasks(&self, instruction: &str, environment: &Environment) -> Vec<ProgramTask> {
        let task = |first: usize| {
            let count = TOGETHER.min(self.programs.rows.len() - first);
            let described = json!({
                "instruction": instruction, "what": "rows", "environment": environment.to_string(),
                "cases": { "form": self.form().id, "from": first, "count": count, "rows": self.rows, "seed": self.seed },
            });
            ProgramTask { first, count, described }
        };
        (0..self.programs.rows.len()).step_by(TOGETHER).map(task).collect()
    }

    /// How many rows the programs of a task have, or more.
    pub(super) fn size(&self, task: &ProgramTask) -> usize {
        let programs = task.first..task.first + task.count;
        programs.map(|at| self.rows_of(at)).sum()
    }

    /// How many rows a program has at most.
    fn rows_of(&self, program: usize) -> usize {
        if program < self.programs.plain_from { self.rows } else { self.rows * PLAIN_ROWS }
    }

    /// The rows of the programs of a task. The rows of a program come one after another, and differ only
    /// in the choices of a row. They depend only on its number and the seed.
    pub(super) fn rows(&self, task: &ProgramTask) -> Vec<Values> {
        let (first, count) = (task.first, task.count);
        let first_of_row = setup::first_of_row(self.form());
        let mut all = Vec::with_capacity(count * self.rows);
        for (at, program) in self.programs.rows.iter().enumerate().skip(first).take(count) {
            let mut program = program.clone();
            self.environment.give_to(&mut program);
            let region = self.diagram.all().below(&program[..first_of_row]);
            let mut draw = Draw::named(&format!("rows {} {at}", self.form().id), self.seed);
            let mut seen = FxHashSet::from_iter([setup::of_its_numbers(self.form(), &program)]);
            all.push(program.clone());
            for number in 1..self.rows_of(at) {
                let another = || self.another_row(&region, &program, number % 2 == 1, &mut draw);
                let mut drawn = std::iter::from_fn(another).take(REDRAWN);
                if let Some(row) = drawn.find(|row| seen.insert(setup::of_its_numbers(self.form(), row))) {
                    all.push(row);
                }
            }
        }
        all
    }

    /// Another row of a program; `alike`: its sources have numbers of one kind, so that those which depend on each other occur.
    fn another_row(&self, region: &Region<'_>, program: &Values, alike: bool, draw: &mut Draw) -> Option<Values> {
        let mut row = draw.variant(region)?;
        setup::share_contents(self.form(), program, &mut row);
        let mut same = row.clone();
        setup::share_kind(self.form(), &mut same);
        Some(if alike && self.diagram.contains(&same) { same } else { row })
    }
}

/// How many rows may end their kernel on an engine; at most `undefined` of those that may do anything.
pub(super) fn costly(engine: &dyn CaseExecutor, undefined: u64) -> CostlyRows {
    let traps = engine.traps_cost().then(|| AtomicU64::new(TRAPS));
    CostlyRows { traps, undefined: AtomicU64::new(undefined) }
}

#[cfg(test)]
mod tests {
    use super::super::executions::Executions;
    use super::super::options::Strategy;
    use super::*;
    use crate::engine::{Engine, EngineId};
    use crate::environment::AddressSize;
    use crate::line_case::{Answer, LineCase};

    struct Idle(EngineId);

    impl Engine for Idle {
        fn id(&self) -> &EngineId {
            &self.0
        }
    }

    impl CaseExecutor for Idle {
        fn execute(&self, _: &[LineCase]) -> Vec<Vec<Answer>> {
            Vec::new()
        }
    }

    #[test]
    fn programs_that_environments_share_are_those_of_each() {
        let spec = crate::shipped::spec().expect("the specification is sound");
        let options = Options { cases: Some(30), strategy: Strategy::Pairs, ..Options::default() };
        let engine = Idle("idle@1.0".parse().expect("an id"));
        let instructions = ["add", "cvt", "ld"].map(|name| spec.instruction(name).expect("an instruction"));
        let newest = *spec.isa.versions.last().expect("versions");
        let shared = Executions::new(&spec, &instructions);
        for target in ["sm_75", "sm_90", "sm_100", "sm_120"] {
            let target = target.parse().expect("a target");
            let environment = Environment { ptx: newest, target, address_size: AddressSize::Bits64 };
            let rows = |executions: &Executions<'_>| {
                let plan = |of: &ExecutedForm| ProgramPlan::new(of, &environment, &options, &engine);
                let plans = executions.forms().iter().filter_map(plan);
                let rows = |plan: ProgramPlan| {
                    plan.tasks("any", &environment).iter().map(|task| plan.rows(task)).collect::<Vec<_>>()
                };
                plans.map(rows).collect::<Vec<_>>()
            };
            let of_its_own = rows(&Executions::new(&spec, &instructions));
            assert!(of_its_own.iter().flatten().flatten().count() > 1000);
            assert!(rows(&shared) == of_its_own, "{environment}");
        }
        let shapes = shared.forms().iter().map(|form| form.first_rows.len()).sum::<usize>();
        assert!(shapes < 3 * shared.forms().len(), "most forms have the same variants for several targets");
    }
}
