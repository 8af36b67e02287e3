//! Chooses the programs of a form that are executed, and their rows.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};

use super::options::{Options, Strategy};
use crate::case::CostlyRows;
use crate::engine::CaseExecutor;
use crate::environment::Environment;
use crate::must::Must as _;
use crate::setup;
use crate::space::{Diagram, Draw, EnvironmentValues, Region, Slice, Values, covering, environment_values};
use crate::spec::{Choice, Cube, Form, Instruction, ValueSet};

/// Programs of a form per task.
const TOGETHER: usize = 1024;
/// Rows of a form that must trap, for an engine where each costs a process.
const TRAPS: u64 = 24;

/// Random programs for each program of the covering array.
const DRAWN: usize = 3;

/// Programs for each choice of the axis with the most, if choices are balanced.
const OFTEN: usize = 4;
/// For this many other programs, one plain one as a rule.
const PLAIN: usize = 2;
/// How many times as many rows a plain program has.
const PLAIN_ROWS: usize = 4;
/// How often a row is drawn again whose numbers another row has.
const REDRAWN: usize = 4;
/// Variants that are drawn for each of these programs.
const CANDIDATES: usize = 32;
/// The weight of a choice that did not occur yet, in pairs of choices; each time that it does, it is a sixteenth of what it was.
const RAREST: usize = 256;

/// An axis of a form, and a choice on it.
type AxisChoice = (usize, u8);
/// Two choices of a variant.
type ChoicePair = (AxisChoice, AxisChoice);

/// The programs of a form that are executed.
pub(super) struct ProgramPlan {
    /// The instruction with the axes of its setup.
    pub(super) executed: Arc<Instruction>,
    /// The position of the form in it.
    pub(super) at: usize,
    diagram: Diagram,
    /// The same without the axes of numbers.
    points: Diagram,
    seed: u64,
    /// Rows of each program.
    rows: usize,
    /// The first row of each program.
    programs: Vec<Values>,
    /// The position of the first plain one.
    plain_from: usize,
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
    /// A plan for the form at a position of an executed instruction; `points` is the form without numbers. None if the
    /// specification does not know the environment.
    pub(super) fn new(
        executed: &Arc<Instruction>,
        at: usize,
        points: &Form,
        environment: &Environment,
        options: &Options,
        engine: &dyn CaseExecutor,
    ) -> Option<Self> {
        let form = &executed.forms[at];
        let environment = environment_values(form, environment)?;
        let diagram = Diagram::within(form, None, &environment);
        let points = Diagram::within(points, None, &environment);
        let (seed, rows) = (options.seed, options.rows);
        let (executed, programs) = (Arc::clone(executed), Vec::new());
        let mut plan = Self { executed, at, diagram, points, seed, rows, programs, plain_from: 0, environment };
        let most = options.cases.unwrap_or_else(|| engine.usual_cases());
        let balanced = options.strategy == Strategy::Choices;
        plan.programs = if balanced { plan.balanced(most) } else { plan.first_rows(most) };
        plan.plain_from = plan.programs.len();
        if most > 0 {
            plan.programs.extend(plan.plain(most / PLAIN, !balanced));
        }
        Some(plan)
    }

    /// The form.
    pub(super) fn form(&self) -> &Form {
        &self.executed.forms[self.at]
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
        let mut draw = Draw::named(&format!("executed {}", self.form().id), self.seed);
        let covering = shuffled(covering(&self.points.all().below(&self.environment), 2), &mut draw);
        let both = covering.into_iter().flat_map(|point| {
            let drawn = (0..DRAWN).map(|_| draw.variant(&region)).collect::<Vec<_>>();
            drawn.into_iter().chain([draw.variant(&self.diagram.all().below(&point))]).flatten()
        });
        both.take(most).collect()
    }

    /// At most `most` first rows, in which each choice of a program is about as often as the others of its axis, as a rule
    /// [`OFTEN`] or more, and with different others.
    fn balanced(&self, most: usize) -> Vec<Values> {
        let mut draw = Draw::named(&format!("balanced {}", self.form().id), self.seed);
        let axes = self.axes_of_programs();
        self.rarest(most.min(self.often(&axes)), &axes, &mut draw)
    }

    /// The axes of programs that have several choices.
    fn axes_of_programs(&self) -> Vec<usize> {
        (0..setup::first_of_row(self.form())).filter(|axis| self.diagram.width(*axis) > 1).collect()
    }

    /// How many programs have each choice of these axes [`OFTEN`].
    fn often(&self, axes: &[usize]) -> usize {
        OFTEN * axes.iter().map(|axis| self.diagram.width(*axis)).max().unwrap_or(1)
    }

    /// First rows of plain programs, which are the simplest ones with their modifiers: registers without a guard, what compilers write
    /// most. There is one with each pair of types and no modifier more than it needs; with `pairs`, with each pair of modifiers, and
    /// each modifier with each pair of types. If these are fewer than `most`, there are others with drawn modifiers.
    fn plain(&self, most: usize, pairs: bool) -> Vec<Values> {
        let mut draw = Draw::named(&format!("plain {}", self.form().id), self.seed);
        let axes = self.axes_of_programs();
        let is_modifier = |axis: &usize| self.form().axes[*axis].choice == Choice::Modifier;
        let modifiers: Vec<usize> = axes.into_iter().filter(is_modifier).collect();
        let gives_type = |axis: &&usize| {
            let types = self.form().operands.iter().filter_map(|operand| operand.instruction_type.as_ref());
            types.into_iter().any(|of| self.form().axis(&of.of) == Some(**axis))
        };
        let types: Vec<usize> = modifiers.iter().filter(gives_type).copied().collect();
        let mut together = pairs_of(&types);
        if pairs {
            let with =
                |pair: &Vec<usize>| modifiers.iter().map(|other| [&pair[..], &[*other]].concat()).collect::<Vec<_>>();
            together = together.iter().flat_map(with).chain(pairs_of(&modifiers)).collect();
        }
        let mut programs: Vec<Values> = Vec::new();
        for axes in together {
            let choices = |axis: usize| {
                (0..=u8::MAX).take(self.diagram.width(axis)).map(move |value| (axis, ValueSet::only(value)))
            };
            let cubes = axes.iter().fold(vec![Cube::default()], |cubes, axis| {
                let each =
                    |cube: &Cube| choices(*axis).map(|(axis, set)| cube.clone().with(axis, set)).collect::<Vec<_>>();
                cubes.iter().flat_map(each).collect()
            });
            for cube in cubes {
                if programs.iter().any(|program| cube.contains(program)) {
                    continue;
                }
                let program = Slice::new(&self.region(), &cube).simplest();
                programs.extend(program.and_then(|program| self.first_row(&program, &mut draw)));
            }
        }
        let more = most.min(self.often(&modifiers)).saturating_sub(programs.len());
        let others = self.rarest(more, &modifiers, &mut draw);
        programs.extend(others.iter().filter_map(|row| {
            let own = modifiers.iter().map(|axis| (*axis, ValueSet::only(row[*axis])));
            let program = Slice::new(&self.region(), &Cube::new(own)).simplest()?;
            self.first_row(&program, &mut draw)
        }));
        programs
    }

    /// A row of a program.
    fn first_row(&self, program: &Values, draw: &mut Draw) -> Option<Values> {
        draw.variant(&self.diagram.all().below(&program[..setup::first_of_row(self.form())]))
    }

    /// First rows that are different in these axes: each is the variant, of some that are drawn, that has the rarest choices and the
    /// most new pairs.
    fn rarest(&self, count: usize, axes: &[usize], draw: &mut Draw) -> Vec<Values> {
        let region = self.region();
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
        for _ in 0..count {
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
                "cases": { "form": self.form().id, "from": first, "count": count, "rows": self.rows, "seed": self.seed },
            });
            ProgramTask { first, count, described }
        };
        (0..self.programs.len()).step_by(TOGETHER).map(task).collect()
    }

    /// How many rows the programs of a task have, or more.
    pub(super) fn size(&self, task: &ProgramTask) -> usize {
        let programs = task.first..task.first + task.count;
        programs.map(|at| self.rows_of(at)).sum()
    }

    /// How many rows a program has at most.
    fn rows_of(&self, program: usize) -> usize {
        if program < self.plain_from { self.rows } else { self.rows * PLAIN_ROWS }
    }

    /// The rows of the programs of a task. The rows of a program come one after another, and differ only
    /// in the choices of a row. They depend only on its number and the seed.
    pub(super) fn rows(&self, task: &ProgramTask) -> Vec<Values> {
        let (first, count) = (task.first, task.count);
        let first_of_row = setup::first_of_row(self.form());
        let mut all = Vec::with_capacity(count * self.rows);
        for (at, program) in self.programs.iter().enumerate().skip(first).take(count) {
            let region = self.diagram.all().below(&program[..first_of_row]);
            let mut draw = Draw::named(&format!("rows {} {at}", self.form().id), self.seed);
            let mut seen = FxHashSet::from_iter([setup::of_its_numbers(self.form(), program)]);
            all.push(program.clone());
            for number in 1..self.rows_of(at) {
                let another = || self.another_row(&region, program, number % 2 == 1, &mut draw);
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

/// All pairs of some axes.
fn pairs_of(axes: &[usize]) -> Vec<Vec<usize>> {
    axes.iter().enumerate().flat_map(|(at, a)| axes[at + 1..].iter().map(|b| vec![*a, *b])).collect()
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
