//! The executing part of a run: variants in their states, executed row by row and held against the
//! model.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Options, Problem, Progress, Stale};
use crate::case::{self, Costly, Tried};
use crate::divergence::{Divergences, Does, EngineVersion};
use crate::engine::CaseExecutor;
use crate::environment::{AddressSize, Environment, Suffix};
use crate::execution::{Answer, Execution, Rows};
use crate::model::{self, Undefined, Verdict};
use crate::space::{Diagram, Draw, Region, Values, covering, environment_values};
use crate::spec::{Form, Instruction, Spec};
use crate::state::{self, NoState};

/// What an executing engine did.
#[derive(Clone, Debug)]
pub struct ExecutedResult {
    /// The engine's name.
    pub name: String,
    /// Where its cases were executed; none where they were recorded, in several.
    pub environment: Option<Environment>,
    /// Recorded rows that did not come out as they must, some of them.
    pub recorded: Vec<Wrong>,
    /// By form, in the order of the specification.
    pub forms: Vec<ExecutedForm>,
    /// Rows of which some or all may be anything, by the reason: how many were asked about, and how
    /// many were not.
    pub undefined: BTreeMap<Undefined, [u64; 2]>,
    /// Rows that rest on something inferred, by its name: how many agreed and how many differed.
    pub inferred: BTreeMap<&'static str, [u64; 2]>,
    /// Rows that were not executed, by the reason.
    pub skipped: BTreeMap<String, u64>,
    /// By divergence, rows that came out otherwise as it lists, and rows that did not.
    pub listed: BTreeMap<String, [u64; 2]>,
    /// Divergences that are to be looked at.
    pub stale: Vec<Stale>,
}

/// What became of the rows of one form.
#[derive(Clone, Debug)]
pub struct ExecutedForm {
    /// The form.
    pub id: String,
    /// Its opcode.
    pub instruction: String,
    /// The position of the form in the instruction.
    pub form: usize,
    /// How many variants in how many states there are.
    pub space: u128,
    /// Rows that were tried.
    pub rows: u64,
    /// Those that came out as they must.
    pub agreed: u64,
    /// Those that did not, and that no divergence lists.
    pub differed: u64,
    /// Some of those that did not.
    pub sample: Vec<Values>,
    /// The rows that had been tried when the first one did not.
    pub first: Option<u64>,
}

/// A recorded row that did not come out as it must.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// The form of its line.
    pub form: String,
    /// The case, with that row only.
    pub execution: Execution,
    /// What came of it.
    pub tried: Tried,
}

/// Rows that differ which are kept of a form.
const KEPT: usize = 2000;
/// Cases of a form that are executed before what they say is looked at.
const WAVE: usize = 256;
/// Rows of a form that must trap, for an engine to which each costs a process.
const TRAPS: u64 = 24;

/// The newest environment in which an engine executes: 64 bits, and of one number the plain target.
///
/// # Errors
/// Why it takes none.
pub fn environment(spec: &Spec, engine: &dyn CaseExecutor) -> Result<Environment, String> {
    let mut why = format!("{} takes no PTX version and target of the specification", engine.id());
    let plain = spec.isa.targets.iter().rev().filter(|(target, _)| target.suffix == Suffix::Plain);
    for (target, since) in plain {
        for ptx in spec.isa.versions.iter().rev().filter(|ptx| *ptx >= since) {
            let environment = Environment { ptx: *ptx, target: *target, address_size: AddressSize::Bits64 };
            match engine.executes(&environment) {
                Ok(()) => return Ok(environment),
                Err(reason) => why = reason,
            }
        }
    }
    Err(why)
}

impl ExecutedResult {
    fn new(engine: &dyn CaseExecutor, environment: Option<Environment>) -> Self {
        Self {
            name: engine.id().to_string(),
            environment,
            recorded: Vec::new(),
            forms: Vec::new(),
            undefined: BTreeMap::new(),
            inferred: BTreeMap::new(),
            skipped: BTreeMap::new(),
            listed: BTreeMap::new(),
            stale: Vec::new(),
        }
    }
}

/// Executes on an engine that takes any case.
///
/// # Errors
/// Where a text of ours cannot be read.
pub(super) fn execute(
    spec: &Spec,
    divergences: &Divergences,
    engine: &dyn CaseExecutor,
    environment: Environment,
    instructions: &[&Instruction],
    options: &Options,
    progress: &Progress,
) -> Result<ExecutedResult, NoState> {
    let mut result = ExecutedResult::new(engine, Some(environment));
    let version = EngineVersion::of(engine.id());
    for instruction in instructions.iter().filter(|instruction| model::models(&instruction.name)) {
        let executed = state::executed(spec, instruction);
        for (at, form) in executed.forms.iter().enumerate() {
            let Some(plan) = Plan::new(form, &environment, options.seed) else { continue };
            let mut of_form = ExecutedForm::new(&instruction.name, at, form, plan.space());
            let costly =
                Costly { traps: engine.traps_cost().then(|| AtomicU64::new(TRAPS)), undefined: AtomicU64::new(0) };
            let mut draw = plan.draw();
            for wave in plan.cases(&mut draw, options.cases).chunks(WAVE) {
                if progress.stop.load(Ordering::Relaxed) {
                    break;
                }
                progress.planned.fetch_add(1, Ordering::Relaxed);
                let rows = plan.with_more_rows(wave, options.rows, &mut draw);
                let tried = case::execute(spec, engine, form, &rows, &costly)?;
                for (values, tried) in rows.iter().zip(&tried) {
                    let listed = divergences.computes(version.as_ref(), &form.id, values);
                    let listed: Vec<&str> = listed.map(|divergence| divergence.id.as_str()).collect();
                    result.tell(&mut of_form, Some(values), tried, &listed);
                }
                progress.done.fetch_add(1, Ordering::Relaxed);
                progress.cases.fetch_add(rows.len() as u64, Ordering::Relaxed);
            }
            result.forms.push(of_form);
        }
    }
    result.look_at(divergences, version.as_ref(), options);
    Ok(result)
}

/// Rows of a form that are recorded though anything may come of them.
const UNDEFINED: u64 = 12;

/// Executes cases of each form, and hands out each with what came of its rows. What is
/// undefined is executed as well, some of it.
///
/// # Errors
/// Where the engine takes no environment of the specification, or a text of ours cannot be read.
pub fn record(
    spec: &Spec,
    engine: &dyn CaseExecutor,
    options: &Options,
    progress: &Progress,
    each: &mut dyn FnMut(&Execution, &[Answer]),
) -> Result<(), String> {
    let environment = match options.environment {
        Some(environment) => environment,
        None => self::environment(spec, engine)?,
    };
    for instruction in super::named(spec, options).into_iter().filter(|known| model::models(&known.name)) {
        let executed = state::executed(spec, instruction);
        for form in &executed.forms {
            let Some(plan) = Plan::new(form, &environment, options.seed) else { continue };
            let costly = Costly {
                traps: engine.traps_cost().then(|| AtomicU64::new(TRAPS)),
                undefined: AtomicU64::new(UNDEFINED),
            };
            let mut draw = plan.draw();
            for wave in plan.cases(&mut draw, options.cases).chunks(WAVE) {
                if progress.stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                progress.planned.fetch_add(1, Ordering::Relaxed);
                let rows = plan.with_more_rows(wave, options.rows, &mut draw);
                let asking = case::executions(spec, form, &rows, &costly).map_err(|why| why.to_string())?;
                let executions: Vec<Execution> = asking.into_iter().map(|asking| asking.execution).collect();
                for (execution, answers) in executions.iter().zip(engine.execute(&executions)) {
                    each(execution, &answers);
                }
                progress.done.fetch_add(1, Ordering::Relaxed);
                progress.cases.fetch_add(rows.len() as u64, Ordering::Relaxed);
            }
        }
    }
    Ok(())
}

/// Holds what was recorded against the model.
pub(super) fn replay(
    spec: &Spec,
    engine: &dyn CaseExecutor,
    recorded: &[Execution],
    instructions: &[&Instruction],
) -> ExecutedResult {
    let mut result = ExecutedResult::new(engine, None);
    let mut forms: BTreeMap<String, ExecutedForm> = BTreeMap::new();
    for (execution, answers) in recorded.iter().zip(engine.execute(recorded)) {
        let prepared = match model::prepare(spec, execution) {
            Ok(prepared) => prepared,
            Err(why) => {
                let rows = result.skipped.entry(format!("the recorded case is none any more: {why}")).or_default();
                *rows += execution.rows.len() as u64;
                continue;
            }
        };
        let form = prepared.form();
        let Some(instruction) = instructions.iter().find(|known| known.forms.iter().any(|of| of.id == form)) else {
            continue;
        };
        let at = instruction.forms.iter().position(|of| of.id == form).unwrap_or_default();
        let new = || ExecutedForm::new(&instruction.name, at, &instruction.forms[at], 0);
        let of_form = forms.entry(form.to_owned()).or_insert_with(new);
        let rows = execution.rows.iter().zip(prepared.all(&execution.rows)).zip(answers);
        for ((row, expectation), answer) in rows {
            let verdict = expectation.check(execution, &answer);
            let tried = Tried { expectation, answer: Some(answer), verdict };
            result.tell(of_form, None, &tried, &[]);
            if matches!(tried.verdict, Verdict::Differs(_)) && result.recorded.len() < KEPT {
                let mut rows = Rows::new(row.len());
                rows.push(row);
                let execution = Execution { rows, alone: Vec::new(), ..execution.clone() };
                result.recorded.push(Wrong { form: form.to_owned(), execution, tried });
            }
        }
    }
    result.forms = forms.into_values().collect();
    result
}

/// What is executed of a form.
struct Plan<'a> {
    form: &'a Form,
    diagram: Diagram,
    environment: [u8; 3],
    seed: u64,
}

impl<'a> Plan<'a> {
    /// None where the specification does not know the environment.
    fn new(form: &'a Form, environment: &Environment, seed: u64) -> Option<Self> {
        let environment = environment_values(form, environment)?;
        Some(Self { form, diagram: Diagram::within(form, None, &environment), environment, seed })
    }

    fn region(&self) -> Region<'_> {
        self.diagram.all().below(&self.environment)
    }

    fn space(&self) -> u128 {
        self.region().count()
    }

    fn draw(&self) -> Draw {
        Draw::named(&format!("executed {}", self.form.id), self.seed)
    }

    /// So many cases at most. Covering arrays have every pair, and are uniform once they do: as many
    /// drawn cases are not.
    fn cases(&self, draw: &mut Draw, most: usize) -> Vec<Values> {
        let region = self.region();
        let covering = shuffled(covering(&region, 2), draw);
        let both = covering.into_iter().flat_map(|case| draw.variant(&region).into_iter().chain([case]));
        both.take(most).collect()
    }

    /// Each case with rows that have the rest of it in common; the rows of a case stand together.
    fn with_more_rows(&self, cases: &[Values], rows: usize, draw: &mut Draw) -> Vec<Values> {
        let first_of_row = state::first_of_row(self.form);
        let mut all = Vec::with_capacity(cases.len() * rows);
        for case in cases {
            all.push(case.clone());
            let region = self.diagram.all().below(&case[..first_of_row]);
            for _ in 1..rows {
                let Some(mut row) = draw.variant(&region) else { break };
                state::share_contents(self.form, case, &mut row);
                all.push(row);
            }
        }
        all
    }
}

impl ExecutedForm {
    fn new(instruction: &str, at: usize, form: &Form, space: u128) -> Self {
        Self {
            id: form.id.clone(),
            instruction: instruction.to_owned(),
            form: at,
            space,
            rows: 0,
            agreed: 0,
            differed: 0,
            sample: Vec::new(),
            first: None,
        }
    }
}

/// In an order that does not begin with everything at its first value.
fn shuffled(mut cases: Vec<Values>, draw: &mut Draw) -> Vec<Values> {
    for at in (1..cases.len()).rev() {
        let other = draw.below(at as u128 + 1).and_then(|other| usize::try_from(other).ok());
        cases.swap(at, other.unwrap_or(at));
    }
    cases
}

impl ExecutedResult {
    /// Takes note of a row, which these divergences list.
    fn tell(&mut self, form: &mut ExecutedForm, values: Option<&Values>, tried: &Tried, listed: &[&str]) {
        form.rows += 1;
        if let Some(why) = tried.undefined() {
            self.undefined.entry(why).or_default()[usize::from(tried.answer.is_none())] += 1;
        }
        let differs = match &tried.verdict {
            Verdict::Agrees(_) => false,
            Verdict::Differs(_) => true,
            Verdict::Undecided(_) => return,
            Verdict::Skipped(why) => {
                *self.skipped.entry(why.clone()).or_default() += 1;
                return;
            }
        };
        for inference in tried.expectation.inferred.iter() {
            self.inferred.entry(inference.id).or_default()[usize::from(differs)] += 1;
        }
        for id in listed {
            self.listed.entry((*id).to_owned()).or_default()[usize::from(!differs)] += 1;
        }
        if differs && !listed.is_empty() {
            return;
        }
        if differs {
            form.differed += 1;
            form.first = form.first.or(Some(form.rows));
            if form.sample.len() < KEPT {
                form.sample.extend(values.cloned());
            }
        } else {
            form.agreed += 1;
        }
    }

    /// Which divergences no longer say what the engine does: none of the rows that they are about came
    /// out otherwise, or their day has passed.
    fn look_at(&mut self, divergences: &Divergences, version: Option<&EngineVersion>, options: &Options) {
        let Some(version) = version else { return };
        let ours = divergences.all.iter().filter(|known| known.does == Does::Computes && known.applies(version));
        for divergence in ours {
            let stale = |problem| Stale { id: divergence.id.clone(), problem };
            match self.listed.get(&divergence.id) {
                Some([0, _]) => self.stale.push(stale(Problem::Fixed)),
                Some(_)
                    if options
                        .today
                        .as_ref()
                        .zip(divergence.expires.as_ref())
                        .is_some_and(|(day, last)| day > last) =>
                {
                    self.stale.push(stale(Problem::Expired));
                }
                _ => {}
            }
        }
    }

    /// Rows that came out as they must, or did not.
    pub fn judged(&self) -> u64 {
        let listed: u64 = self.listed.values().map(|[did, _]| did).sum();
        listed + self.forms.iter().map(|form| form.agreed + form.differed).sum::<u64>()
    }

    /// Rows that did not come out as they must.
    pub fn differed(&self) -> u64 {
        self.forms.iter().map(|form| form.differed).sum()
    }
}
