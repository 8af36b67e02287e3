//! The stages of a run: each engine judges lines, tries words, judges examples, executes rows and chains; then what is listed and was
//! not met is asked about.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rayon::prelude::*;

use super::Campaign;
use super::ask::{Asker, LineQuestion};
use super::chains::{ChainAsker, KnownOfEngine};
use super::examples::{self, Agreement};
use super::executions::Executions;
use super::first_answers::FirstAnswers;
use super::line_task::LineTask;
use super::lowering;
use super::options::{Options, Progress, Stage, Subject};
use super::plan::{FormPlan, Purpose, Task};
use super::planner;
use super::results::{EngineResult, ListedLines, Questioned, RowSource};
use super::rows::{self, Executor};
use super::spaces::Spaces;
use super::stale::{ListedTask, StaleSearch};
use super::tally::Tally;
use super::tasks::{PlannedTask, TaskKeeper, WatchedEngine};
use super::together::{self, Together};
use super::vocabulary::WordProbe;
use crate::case::InternalError;
use crate::divergences::{Divergences, EngineVersion};
use crate::engine::{CaseExecutor, LineJudge};
use crate::ledger::TaskKind;
use crate::spec::{Form, Instruction, Spec};

/// How many instructions are planned at once. With more, their plans take more memory; with fewer, threads are idle. It decides which
/// lines are asked about together, and so is the same for any number of threads.
const PLANNED: usize = 4;

/// A task is counted from here on, until this is dropped, even by a panic.
struct UnfinishedTask<'a>(&'a AtomicUsize);

impl<'a> UnfinishedTask<'a> {
    fn new(unfinished: &'a AtomicUsize) -> Self {
        unfinished.fetch_add(1, Ordering::Relaxed);
        Self(unfinished)
    }
}

impl Drop for UnfinishedTask<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Takes part in the work until no task waits for a thread: the next instruction is then planned before threads are
/// idle, and few plans are in memory at once.
fn help_until_few(unfinished: &AtomicUsize) {
    while unfinished.load(Ordering::Relaxed) >= rayon::current_num_threads() {
        if rayon::yield_now() != Some(rayon::Yield::Executed) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// The stages of a run.
pub(super) struct Stages<'a> {
    spec: &'a Spec,
    divergences: &'a Divergences,
    options: &'a Options,
    progress: &'a Progress,
    pub(super) instructions: Vec<&'a Instruction>,
    executions: Executions<'a>,
    pub(super) work: TaskKeeper<'a>,
}

impl<'a> Stages<'a> {
    pub(super) fn new(run: &Campaign<'a>, instructions: Vec<&'a Instruction>) -> Self {
        let Campaign { spec, divergences, options, progress, ledger, asks, costs } = *run;
        let work = TaskKeeper::new(ledger, asks, costs, progress);
        let executions = Executions::new(spec, &instructions);
        Self { spec, divergences, options, progress, instructions, executions, work }
    }

    /// The spaces of each form in which a version or target is needed.
    pub(super) fn needs(&self) -> Vec<Vec<Spaces>> {
        let around = self.options.boundaries && self.options.environment.is_none();
        let boundaries = around && self.options.depth.budget().environments;
        let of_form = |form: &Form| if boundaries { Spaces::of_needs(form) } else { Spaces::default() };
        self.instructions.par_iter().map(|instruction| instruction.forms.par_iter().map(of_form).collect()).collect()
    }

    /// Asks an engine to judge lines: those of the plan first, then words and examples.
    pub(super) fn judge(
        &self,
        subject: &Subject<'_>,
        judge: &dyn LineJudge,
        needs: &[Vec<Spaces>],
        result: &mut EngineResult,
    ) {
        self.progress.begin(Stage::Judging);
        result.judges = true;
        let health = FirstAnswers::default();
        let asker = Asker::new(self.spec, self.divergences, judge, &health);
        let watched = WatchedEngine { engine: judge, judge: Some(judge), health: &health };
        if self.options.plans() {
            result.tally = self.ask_planned(&asker, subject, needs, &mut result.forms);
            result.gave_up = health.gave_up();
            if result.gave_up.is_some() {
                return;
            }
            if self.options.vocabulary {
                self.try_words(subject, watched, result);
            }
            self.progress.begin(Stage::Listed);
            self.ask_examples(subject, watched, result);
        }
        self.progress.begin(Stage::Listed);
        self.ask_listed(&asker, subject, watched, result);
        result.gave_up = health.gave_up();
    }

    /// Concludes about the listed divergences of lines.
    pub(super) fn question_lines(&self, subject: &Subject<'_>, judge: &dyn LineJudge, result: &mut EngineResult) {
        self.progress.begin(Stage::Listed);
        let health = FirstAnswers::default();
        let asker = Asker::new(self.spec, self.divergences, judge, &health);
        // An engine with unanswered cases may not have shown all its divergences.
        let lost = !judge.losses().is_empty();
        if let (false, Some(version)) = (self.progress.stopped() || lost, &asker.version) {
            let search = self.stale_search((&asker, version), subject, &result.forms);
            let find = || {
                let mut questioned = search.find(&result.tally, &result.listed);
                search.find_wider(&result.elsewhere.tally, &mut questioned);
                Ok(questioned)
            };
            let questioned = InternalError::caught(find);
            if let Some(questioned) = result.tally.ok_or_note(questioned) {
                (result.stale, result.not_asked) = (questioned.stale, questioned.not_asked);
            }
        }
        // These are answers of tasks, whatever else was lost.
        result.tally.merge(std::mem::take(&mut result.elsewhere.tally));
    }

    /// Asks about the lines of the plan. Each task runs as soon as it is planned, unless it waits for those of other
    /// instructions.
    fn ask_planned<'c>(
        &'c self,
        asker: &Asker<'_>,
        subject: &Subject<'_>,
        needs: &[Vec<Spaces>],
        forms: &mut Vec<FormPlan>,
    ) -> Tally {
        let tally = Mutex::new(Tally::default());
        let unfinished = AtomicUsize::new(0);
        let together = Together::new(&self.instructions);
        let watched = WatchedEngine { engine: asker.engine, judge: Some(asker.engine), health: asker.health };
        rayon::scope(|scope| {
            let (tally, unfinished) = (&tally, &unfinished);
            let spawn = |task: LineTask<'c>| {
                let (kind, size) = (task.kind(), task.size());
                let planned = self.work.plan(asker.engine, kind, size, || task.words(), || task.what());
                let unfinished_task = UnfinishedTask::new(unfinished);
                scope.spawn(move |_| {
                    let _unfinished_task = unfinished_task;
                    if let Some(done) = self.work.result(&planned, watched, || self.asked(asker, task)) {
                        // Sums stay sound even if a thread panicked.
                        tally.lock().unwrap_or_else(PoisonError::into_inner).merge(done);
                    }
                });
            };
            let all: Vec<(usize, &'c Instruction)> = self.instructions.iter().copied().enumerate().collect();
            for some in all.chunks(PLANNED) {
                if self.progress.stopped() || asker.health.step().is_none() {
                    break;
                }
                let plan = |&(at, of): &(usize, &'c Instruction)| self.planned(at, of, &needs[at], subject, &together);
                let planned: Vec<_> = some.par_iter().map(plan).collect();
                for planned in planned {
                    let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
                    let (plans, tasks) = tally.ok_or_note(planned).unwrap_or_default();
                    drop(tally);
                    forms.extend(plans);
                    tasks.into_iter().for_each(spawn);
                }
                together.full_questions(self.options.batch).into_iter().map(LineTask::Packed).for_each(spawn);
                help_until_few(unfinished);
            }
            // Questions made of a part of the plan would be others than those of the whole.
            if asker.health.step().is_none() {
                return;
            }
            together.questions(self.options.batch).into_iter().map(LineTask::Packed).for_each(spawn);
        });
        tally.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answers to a task, compared.
    fn asked(&self, asker: &Asker<'_>, task: LineTask<'_>) -> Tally {
        let asked = InternalError::caught(|| Ok(asker.ask(task.into_question(), self.options)));
        let asked = asked.unwrap_or_else(Tally::of_error);
        self.progress.cases.fetch_add(asked.cases(), Ordering::Relaxed);
        asked
    }

    fn stale_search<'s>(
        &'s self,
        (asker, version): (&'s Asker<'s>, &'s EngineVersion),
        subject: &'s Subject<'s>,
        forms: &'s [FormPlan],
    ) -> StaleSearch<'s> {
        StaleSearch { asker, version, subject, instructions: &self.instructions, forms, options: self.options }
    }

    /// Asks about lines of divergences: those listed for this version must show, those listed for others must not.
    fn ask_listed(
        &self,
        asker: &Asker<'_>,
        subject: &Subject<'_>,
        watched: WatchedEngine<'_>,
        result: &mut EngineResult,
    ) {
        let Some(version) = asker.version.as_ref().filter(|_| !self.progress.stopped()) else { return };
        let search = self.stale_search((asker, version), subject, &result.forms);
        if self.options.depth.budget().elsewhere {
            result.elsewhere = self.lines(&search, TaskKind::Elsewhere, watched);
        }
        result.listed = self.lines(&search, TaskKind::Listed, watched);
        result.tally.merge(std::mem::take(&mut result.listed.tally));
    }

    /// The answers to the lines of divergences, in tasks of this kind.
    fn lines(&self, search: &StaleSearch<'_>, kind: TaskKind, watched: WatchedEngine<'_>) -> ListedLines {
        let plan =
            |task: &ListedTask<'_>| self.work.plan(watched.engine, kind, task.size, || task.words(), || task.what());
        let tasks = search.tasks(kind == TaskKind::Elsewhere);
        let planned: Vec<PlannedTask> = tasks.iter().map(plan).collect();
        let ask = |task: &ListedTask<'_>| {
            let answers = InternalError::caught(|| Ok(search.answers(task)));
            let answers =
                answers.unwrap_or_else(|error| ListedLines { tally: Tally::of_error(error), ..ListedLines::default() });
            self.progress.cases.fetch_add(answers.tally.cases(), Ordering::Relaxed);
            answers
        };
        let answers = tasks.par_iter().zip(&planned).map(|(task, planned)| {
            let ask = || ask(task);
            self.work.result(planned, watched, ask)
        });
        let answers: Vec<Option<ListedLines>> = answers.collect();
        let mut all = ListedLines::default();
        for (task, answers) in tasks.iter().zip(answers) {
            all.add(answers.unwrap_or_else(|| ListedLines::of_missing(task)));
        }
        all
    }

    /// The plan of the instruction at a position, and its tasks. Those that wait for other instructions go to `together`.
    fn planned<'c>(
        &'c self,
        at: usize,
        instruction: &'c Instruction,
        needs: &[Spaces],
        subject: &Subject<'_>,
        together: &Together<'_>,
    ) -> Result<(Vec<FormPlan>, Vec<LineTask<'c>>), InternalError> {
        let (small, large) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        let ask = |task: Task| {
            let small_task = together::is_small(&task);
            if self.options.depth.budget().together && (small_task || task.purpose == Purpose::Code) {
                together.add(at, task);
            } else if small_task {
                let question = LineQuestion::new(instruction, task);
                small.lock().unwrap_or_else(PoisonError::into_inner).push(question);
            } else {
                // A hash, since the texts of a large plan are larger than the plan.
                let hash = task.hash(instruction);
                large.lock().unwrap_or_else(PoisonError::into_inner).push((hash, task));
            }
        };
        let plan = || Ok(planner::plan(self.spec, instruction, needs, subject, self.options, &ask));
        let plans = InternalError::caught(plan)?;
        // In an order of their own, since threads plan in any order.
        let mut large = large.into_inner().unwrap_or_else(PoisonError::into_inner);
        large.sort_by_key(|(hash, _)| *hash.as_bytes());
        let large = large.into_iter().map(|(hash, task)| LineTask::Alone(instruction, task, hash));
        let small = small.into_inner().unwrap_or_else(PoisonError::into_inner);
        let small = together::packed(small, self.options.batch).into_iter().map(LineTask::Packed);
        Ok((plans, large.chain(small).collect()))
    }

    /// Asks about the manual's own examples.
    fn ask_examples(&self, subject: &Subject<'_>, watched: WatchedEngine<'_>, result: &mut EngineResult) {
        let ask =
            || examples::examples(self.spec, self.divergences, &self.instructions, subject, (&self.work, watched));
        result.examples = result.tally.ok_or_note(InternalError::caught(ask)).unwrap_or_default();
        for example in &result.examples {
            for id in &example.divergences {
                let as_expected = example.agreement != Agreement::Unexpected;
                result.tally.listed.entry(id.clone()).or_default().note(as_expected);
            }
        }
    }

    /// Tries words in slots.
    fn try_words(&self, subject: &Subject<'_>, watched: WatchedEngine<'_>, result: &mut EngineResult) {
        self.progress.begin(Stage::Words);
        let probe = WordProbe {
            spec: self.spec,
            divergences: self.divergences,
            instructions: &self.instructions,
            forms: &result.forms,
            batch: self.options.batch,
        };
        let tried = InternalError::caught(|| probe.ask(subject, &self.work, watched));
        if let Some(tried) = result.tally.ok_or_note(tried) {
            result.words = Some(tried.words);
            result.tally.merge(tried.tally);
        }
    }

    fn executor<'e>(&'e self, engine: &'e dyn CaseExecutor, health: &'e FirstAnswers) -> Executor<'e> {
        Executor {
            spec: self.spec,
            divergences: self.divergences,
            engine,
            version: EngineVersion::of(engine.id()),
            health,
            options: self.options,
            progress: self.progress,
        }
    }

    /// Executes rows and chains on an engine, or compares what was recorded of it.
    ///
    /// # Errors
    /// Why it cannot execute.
    pub(super) fn execute(&self, engine: &dyn CaseExecutor, result: &mut EngineResult) -> Result<(), String> {
        self.progress.begin(Stage::Executing);
        let health = FirstAnswers::default();
        let executor = self.executor(engine, &health);
        if let Some(recorded) = engine.recorded() {
            result.rows_from = Some(RowSource::Recorded);
            let replay = || executor.replay(&recorded, &self.instructions, &mut result.tally);
            let replayed = InternalError::caught(replay);
            result.tally.ok_or_note(replayed);
            return Ok(());
        }
        let newest = rows::environment(self.spec, engine)?;
        let environment = self.options.environment.unwrap_or(newest);
        result.rows_from = Some(RowSource::Executed(environment));
        result.limits = engine.limits();
        let watched = WatchedEngine { engine, judge: None, health: &health };
        let known = KnownOfEngine { divergences: self.divergences, version: EngineVersion::of(engine.id()) };
        let chains = ChainAsker { spec: self.spec, known: &known, environment, options: self.options };
        let kernels = engine.as_kernel_executor();
        if self.options.plans() {
            executor.execute(environment, self.executions.forms(), &self.work, &mut result.tally);
            if let Some(kernels) = kernels.filter(|_| !self.progress.stopped()) {
                self.progress.begin(Stage::Chains);
                let done = InternalError::caught(|| chains.run(kernels, &self.work, watched, self.progress));
                result.chains = result.tally.ok_or_note(done).unwrap_or_default();
            }
            if let Some(lister) = engine.as_lister().filter(|_| self.options.modifiers && !self.progress.stopped()) {
                let work = (&self.work, watched);
                let lowered = || lowering::lowered(self.spec, lister, &environment, self.executions.forms(), work);
                result.lowered = result.tally.ok_or_note(InternalError::caught(lowered)).unwrap_or_default();
            }
        }
        self.progress.begin(Stage::Listed);
        if let Some(kernels) = kernels.filter(|_| !self.progress.stopped()) {
            let ask = || Ok(chains.ask_listed(kernels, &self.work, watched));
            result.listed_chains = result.tally.ok_or_note(InternalError::caught(ask)).unwrap_or_default();
        }
        if !self.progress.stopped() {
            let ask = || executor.ask_listed(&environment, &self.instructions, &self.work);
            result.listed_rows = result.tally.ok_or_note(InternalError::caught(ask)).unwrap_or_default();
        }
        result.gave_up = result.gave_up.take().or(health.gave_up());
        Ok(())
    }

    /// Searches for the causes of chains that failed, and concludes about the listed divergences in executing lines.
    pub(super) fn question_execution(&self, engine: &dyn CaseExecutor, result: &mut EngineResult) {
        let Some(rows) = result.rows_from else { return };
        let known = KnownOfEngine { divergences: self.divergences, version: EngineVersion::of(engine.id()) };
        let mut questioned = Vec::new();
        if let (Some(kernels), RowSource::Executed(environment)) = (engine.as_kernel_executor(), rows) {
            self.progress.begin(Stage::Chains);
            let chains = ChainAsker { spec: self.spec, known: &known, environment, options: self.options };
            if !self.progress.stopped() {
                let concluded = || chains.conclude(kernels, &mut result.chains, self.progress);
                result.tally.ok_or_note(InternalError::caught(concluded));
            }
            questioned.push(chains.question(&result.listed_chains, &mut result.tally));
        }
        let answers = std::mem::take(&mut result.listed_rows);
        let health = FirstAnswers::default();
        let executor = self.executor(engine, &health);
        questioned.push(executor.question(&self.instructions, answers, &mut result.tally));
        for Questioned { stale, not_asked } in questioned {
            result.stale.extend(stale);
            result.not_asked.extend(not_asked);
        }
    }
}
