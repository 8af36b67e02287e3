//! Executes the programs of a form row by row, and compares each row with the model.

use std::sync::Arc;

use rayon::prelude::*;

use super::executions::ExecutedForm;
use super::first_answers::FirstAnswers;
use super::options::{Options, Progress};
use super::programs::{ProgramPlan, ProgramTask, costly};
use super::tally::{GroupKey, Mismatch, RecordedRow, RowCount, Sample, Tally};
use super::tasks::{TaskKeeper, WatchedEngine};
use crate::case::{self, Behavior, Case, CaseResult, CostlyRows, InternalError, RowQuestion};
use crate::divergences::{Divergence, Divergences, Does, EngineVersion};
use crate::engine::{CaseExecutor, Depth};
use crate::environment::{AddressSize, Environment, Suffix};
use crate::ledger::TaskKind;
use crate::line_case::{LineCase, Rows};
use crate::model::{self, RowVerdict};
use crate::must::Must as _;
use crate::setup;
use crate::space::Values;
use crate::spec::{Instruction, Spec};

/// The newest environment in which an engine executes: with 64 bits, and preferring the plain target of a
/// number.
///
/// # Errors
/// Why it takes none.
pub fn environment(spec: &Spec, engine: &dyn CaseExecutor) -> Result<Environment, String> {
    let mut why = format!("{} accepts no PTX version and target of the specification", engine.id());
    let plain = spec.isa.targets.iter().rev().filter(|(target, _)| target.suffix == Suffix::Plain);
    for (target, since) in plain {
        for ptx in spec.isa.versions.iter().rev().filter(|ptx| *ptx >= since) {
            let environment = Environment { ptx: *ptx, target: *target, address_size: AddressSize::Bits64 };
            match engine.executes(&environment) {
                Ok(()) => return Ok(environment),
                Err(reason) => why = reason.to_string(),
            }
        }
    }
    Err(why)
}

/// The divergences that list the line of a row as one that the engine does not take, if it did not execute the row.
pub(super) fn refusals<'d>(
    divergences: &'d Divergences,
    version: Option<&EngineVersion>,
    difference: Option<&model::Difference>,
    form: &str,
    choices: &[u8],
) -> impl Iterator<Item = &'d Divergence> {
    let failed = matches!(difference, Some(model::Difference::Failed(_)));
    failed.then(|| divergences.refuses(version, form, choices)).into_iter().flatten()
}

/// Executes on one engine.
pub(super) struct Executor<'a> {
    pub(super) spec: &'a Spec,
    pub(super) divergences: &'a Divergences,
    pub(super) engine: &'a dyn CaseExecutor,
    pub(super) version: Option<EngineVersion>,
    pub(super) health: &'a FirstAnswers,
    pub(super) options: &'a Options,
    pub(super) progress: &'a Progress,
}

/// Rows to execute together: what an engine starts for a request may take longer than the request.
const ROWS: usize = 1 << 14;

/// Forms that are planned at once: the plans of all would take much memory.
const PLANNED: usize = 64;

/// Rows of a program by which the cause of failures is searched: programs with more would count more than others.
const ROWS_OF_PROGRAM: usize = 16;

/// Rows of a form that are executed.
struct PlannedRows {
    /// The instruction with the axes of its setup.
    executed: Arc<Instruction>,
    /// The position of the form in the instruction.
    form: usize,
    rows: Vec<Values>,
    /// How many of them may end their kernel.
    costly: CostlyRows,
}

/// Rows of a form that are drawn when they are executed.
struct WaitingRows {
    plan: Arc<ProgramPlan>,
    task: ProgramTask,
}

impl WaitingRows {
    /// How many rows they are, or more.
    fn size(&self) -> usize {
        self.plan.size(&self.task)
    }

    fn planned(&self, engine: &dyn CaseExecutor) -> PlannedRows {
        let Self { plan, task } = self;
        let (executed, form) = (Arc::clone(&plan.executed), plan.at);
        PlannedRows { executed, form, rows: plan.rows(task), costly: costly(engine, 0) }
    }
}

impl PlannedRows {
    /// The question about some of the rows.
    fn question<'q>(&'q self, rows: &'q [Values]) -> RowQuestion<'q> {
        RowQuestion { form: &self.executed.forms[self.form], rows, costly: &self.costly }
    }
}

impl<'a> Executor<'a> {
    /// Executes the programs of forms in an environment.
    pub(super) fn execute(
        &self,
        environment: Environment,
        forms: &[ExecutedForm],
        work: &TaskKeeper<'_>,
        tally: &mut Tally,
    ) {
        // The plan alone takes a while if there are many engines.
        let plan = |of: &ExecutedForm| {
            let plan = || ProgramPlan::new(of, &environment, self.options, self.engine);
            if self.progress.stopped() { None } else { plan() }
        };
        let planned = forms.chunks(PLANNED).flat_map(|forms| {
            let plans: Vec<Option<ProgramPlan>> = forms.par_iter().map(plan).collect();
            forms.iter().zip(plans)
        });
        let mut waiting: Vec<WaitingRows> = Vec::new();
        for (of, plan) in planned {
            if self.progress.stopped() {
                return;
            }
            let Some(plan) = plan else { continue };
            let instruction = &of.executed.name;
            let count = RowCount {
                instruction: instruction.clone(),
                space: plan.space(),
                without_semantics: of.without_semantics.clone(),
                ..RowCount::default()
            };
            tally.rows.insert(plan.form().id.clone(), count);
            let plan = Arc::new(plan);
            for task in plan.tasks(instruction, &environment) {
                waiting.push(WaitingRows { plan: Arc::clone(&plan), task });
                if waiting.iter().map(WaitingRows::size).sum::<usize>() >= ROWS {
                    self.execute_waiting(std::mem::take(&mut waiting), work, tally);
                }
            }
        }
        self.execute_waiting(waiting, work, tally);
    }

    /// Executes rows of several forms as a task.
    fn execute_waiting(&self, waiting: Vec<WaitingRows>, work: &TaskKeeper<'_>, tally: &mut Tally) {
        let Some(first) = waiting.first() else { return };
        let words = || format!("from {}", first.plan.form().id);
        let described = |of: &WaitingRows| of.task.described.to_string();
        let what = || waiting.iter().map(described).collect::<Vec<_>>().join("\n");
        let size = waiting.iter().map(WaitingRows::size).sum::<usize>() as u64;
        let task = work.plan(self.engine, TaskKind::Rows, size, words, what);
        let watched = WatchedEngine { engine: self.engine, judge: None, health: self.health };
        let ask = || {
            let planned: Vec<PlannedRows> = waiting.iter().map(|of| of.planned(self.engine)).collect();
            let mut tally = Tally::default();
            self.execute_together(&planned, &mut tally);
            tally
        };
        if let Some(done) = work.result(&task, watched, ask) {
            tally.merge(done);
        }
    }

    /// Executes rows of several forms together. An error of ours is noted, and then the rows of each form are executed
    /// alone, so that only one form is lost.
    fn execute_together(&self, planned: &[PlannedRows], tally: &mut Tally) {
        let relaxed = std::sync::atomic::Ordering::Relaxed;
        let mut open: Vec<&[Values]> = planned.iter().map(|planned| planned.rows.as_slice()).collect();
        while open.iter().any(|rows| !rows.is_empty()) && !self.progress.stopped() {
            let Some(mut step) = self.health.step() else {
                let unasked: usize = open.iter().map(|rows| rows.len()).sum();
                *tally.skipped_rows.entry(self.health.not_asked()).or_default() += unasked as u64;
                return;
            };
            let next: Vec<&[Values]> = open
                .iter_mut()
                .map(|rows| {
                    let (next, rest) = rows.split_at(step.min(rows.len()));
                    step -= next.len();
                    *rows = rest;
                    next
                })
                .collect();
            let asked: Vec<RowQuestion<'_>> = planned.iter().zip(&next).map(|(of, rows)| of.question(rows)).collect();
            let all =
                |asked: &[RowQuestion<'_>]| InternalError::caught(|| case::execute_all(self.spec, self.engine, asked));
            let admitted: Vec<CostlyRows> = asked.iter().map(|of| of.costly.as_now()).collect();
            let results = all(&asked).unwrap_or_else(|error| {
                // Nothing has come of the costly rows among them, and they are asked about again.
                asked.iter().zip(&admitted).for_each(|(of, before)| of.costly.set_back(before));
                let alone: Vec<_> = asked.iter().map(|of| all(&[*of])).collect();
                if alone.iter().all(Result::is_ok) {
                    tally.note_internal_error(error.0);
                }
                let or_noted = |result| tally.ok_or_note(result).unwrap_or_default();
                alone.into_iter().map(or_noted).map(|results| results.into_iter().flatten().collect()).collect()
            });
            for ((of, rows), results) in planned.iter().zip(next).zip(results) {
                let noted = InternalError::caught(|| {
                    self.note_all(of, rows, &results, tally);
                    Ok(())
                });
                tally.ok_or_note(noted);
                self.progress.cases.fetch_add(rows.len() as u64, relaxed);
            }
        }
    }

    /// Counts generated rows of a form. Those of one program come one after another.
    fn note_all(&self, of: &PlannedRows, rows: &[Values], results: &[CaseResult], tally: &mut Tally) {
        let first_of_row = setup::first_of_row(&of.executed.forms[of.form]);
        let mut results = results.iter();
        for program in rows.chunk_by(|one, next| one[..first_of_row] == next[..first_of_row]) {
            for ((at, values), result) in program.iter().enumerate().zip(results.by_ref()) {
                self.health.note(result);
                let case = Case { instruction: &of.executed, form: of.form, values };
                self.note(&case, result, at < ROWS_OF_PROGRAM, tally);
            }
        }
    }

    /// Counts a generated row. `is_evidence`: if it fails, its cause is searched.
    pub(super) fn note(&self, case: &Case<'_>, result: &CaseResult, is_evidence: bool, tally: &mut Tally) {
        let form = &case.form().id;
        let computes = self.divergences.computes(self.version.as_ref(), form, case.values);
        let listed = self.listed(computes, result, form, case.values);
        let Some((key, failed)) = tally.note_row(&case.instruction.name, form, result, &listed) else { return };
        if !failed {
            return;
        }
        let group = tally.groups.entry(key).or_default();
        group.count += 1;
        if is_evidence || group.kept.is_empty() {
            group.keep(case.values.to_vec(), Does::Computes);
        }
        if group.is_simpler(case.values) {
            let environment = case.environment();
            let program = setup::line_case(self.spec, case.form(), &[case.values]).must("the row was executed");
            let message = result.difference().map(|difference| describe(difference, &program)).unwrap_or_default();
            let (module, command) = (String::new(), String::new());
            let (values, line) = (case.values.to_vec(), program.line);
            group.sample = Some(Sample { values, line, module, environment, message, command });
        }
    }

    /// The divergences that list what happened to a row: those that list its line as computed wrong, and those of `refusals`.
    fn listed<'s>(
        &'s self,
        computes: impl Iterator<Item = &'s Divergence>,
        result: &CaseResult,
        form: &str,
        choices: &[u8],
    ) -> Vec<&'s str> {
        let refused = refusals(self.divergences, self.version.as_ref(), result.difference(), form, choices);
        computes.chain(refused).map(|divergence| divergence.id.as_str()).collect()
    }

    /// Compares recorded rows with the model.
    ///
    /// # Errors
    /// If the recording does not answer each of its own rows.
    pub(super) fn replay(
        &self,
        recorded: &[LineCase],
        instructions: &[&Instruction],
        tally: &mut Tally,
    ) -> Result<(), InternalError> {
        for (program, answers) in recorded.iter().zip(case::answers(self.engine, recorded)?) {
            let prepared = match model::prepare(self.spec, program) {
                Ok(prepared) => prepared,
                Err(why) => {
                    let reason = format!("the recorded case is no longer valid: {why}");
                    *tally.skipped_rows.entry(reason).or_default() += program.rows.len() as u64;
                    continue;
                }
            };
            let form = prepared.form();
            let of_form = |known: &&&Instruction| known.forms.iter().any(|known| known.id == form);
            let Some(instruction) = instructions.iter().find(of_form) else { continue };
            // A recording has the values of a row, and not the setup that they came from.
            let rows = program.rows.iter().zip(prepared.all(&program.rows)).zip(answers);
            for ((row, expectation), answer) in rows {
                let result = CaseResult::of_row(program, expectation, answer);
                let computes = self.divergences.computes_line(self.version.as_ref(), form, prepared.choices());
                let listed = self.listed(computes, &result, form, prepared.choices());
                let noted = tally.note_row(&instruction.name, form, &result, &listed);
                let Some((key, true)) = noted else { continue };
                let group = tally.groups.entry(key).or_default();
                group.count += 1;
                let mut rows = Rows::new(row.len());
                rows.push(row);
                let program = LineCase { rows, own_launches: Vec::new(), ..program.clone() };
                let simpler = |line: &str| (line.len(), line.to_owned());
                if group.sample.as_ref().is_none_or(|known| simpler(&program.line) < simpler(&known.line)) {
                    let message = result.difference().map(|difference| describe(difference, &program));
                    group.sample = Some(Sample {
                        values: Values::new(),
                        line: program.line.clone(),
                        module: String::new(),
                        environment: program.environment(),
                        message: message.unwrap_or_default(),
                        command: String::new(),
                    });
                }
                group.keep_recorded(RecordedRow { program, result });
            }
        }
        Ok(())
    }
}

impl Tally {
    /// Counts a row of a form that these divergences list. Returns its group, and whether it failed; none
    /// if neither can be told.
    fn note_row(
        &mut self,
        instruction: &str,
        form: &str,
        result: &CaseResult,
        listed: &[&str],
    ) -> Option<(GroupKey, bool)> {
        let count = self.rows.entry(form.to_owned()).or_default();
        instruction.clone_into(&mut count.instruction);
        count.rows += 1;
        if let Some(why) = result.undefined() {
            self.undefined
                .entry((why, form.to_owned()))
                .or_default()
                .note(!matches!(result.behavior, Behavior::NotRun(_)));
        }
        let failed = match result.row.as_ref()? {
            RowVerdict::Agrees(_) => false,
            RowVerdict::Differs(_) => true,
            RowVerdict::Undecided(_) => return None,
            RowVerdict::Skipped(why) => {
                self.unanswered.rows += u64::from(!matches!(result.behavior, Behavior::NotRun(_)));
                *self.skipped_rows.entry(why.clone()).or_default() += 1;
                return None;
            }
        };
        for inference in result.expectation().into_iter().flat_map(|expectation| expectation.inferred.iter()) {
            self.inferred.entry((inference.id.into(), form.to_owned())).or_default().note(!failed);
        }
        for id in listed {
            self.listed.entry((*id).to_owned()).or_default().note(failed);
        }
        let is_listed = failed && !listed.is_empty();
        if !failed {
            count.passed += 1;
            count.bound_used = count.bound_used.max(result.bound_used());
        } else if !is_listed {
            count.failed += 1;
            count.first_failure = count.first_failure.or(Some(count.rows));
        }
        let mismatch = Mismatch {
            does: Does::Computes,
            rules: Vec::new(),
            depth: Depth::Check,
            message: result.message(),
            divergence: listed.first().filter(|_| is_listed).map(|id| (*id).to_owned()),
            listed: is_listed,
        };
        Some((GroupKey { instruction: instruction.to_owned(), form: form.to_owned(), mismatch }, failed))
    }
}

/// The difference of a row, in words.
pub fn describe(difference: &model::Difference, program: &LineCase) -> String {
    use model::{Difference, ResultPart};
    let register = |at: &usize| program.outputs.get(*at).map_or("a register", |output| output.register.as_str());
    match difference {
        Difference::Returned => "it returned, but must trap".to_owned(),
        Difference::Trapped => "it trapped, but must not".to_owned(),
        Difference::Wrong(part) => match part {
            ResultPart::Register(at) => format!("{} is wrong", register(at)),
            ResultPart::Surface(at) => format!("the surface is wrong, first at byte {at}"),
            ResultPart::Variable(_, at) => format!("a variable is wrong, first at byte {at}"),
        },
        Difference::Undefined(part) => match part {
            ResultPart::Register(at) => format!("{} depends on what nothing wrote", register(at)),
            ResultPart::Surface(at) => format!("byte {at} of the surface depends on what nothing wrote"),
            ResultPart::Variable(_, at) => format!("byte {at} of a variable depends on what nothing wrote"),
        },
        Difference::Failed(how) => how.clone(),
    }
}
