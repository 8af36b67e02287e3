//! A run: plans cases, asks the engines, and compares what they did with what is expected.

mod ask;
mod boundaries;
mod chain_tally;
mod chains;
mod costly;
mod deaths;
mod deeper;
mod examples;
mod exhaustive;
mod extras;
mod first_answers;
mod lowering;
mod main_environment;
mod options;
mod plan;
mod planner;
mod probes;
mod programs;
mod record;
mod results;
mod rows;
mod spaces;
mod stale;
mod stale_rows;
mod tally;
mod together;
mod vocabulary;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rayon::prelude::*;

use crate::case::InternalError;
use crate::divergences::{Divergences, EngineVersion};
use crate::engine::{CaseExecutor, LineJudge};
use crate::environment::Environment;
use crate::spec::{Form, Instruction, Spec};

use ask::{Asker, LineQuestion};
pub(crate) use chains::KnownOfEngine;
use first_answers::FirstAnswers;
use rows::Executor;
use spaces::Spaces;
use together::Together;

pub use chain_tally::ChainTally;
pub use deeper::Deeper;
pub use examples::{Agreement, AskedExample};
pub use exhaustive::{DomainWalk, FailedInput, WalkCounts, WalkError, WalkedLine};
pub use lowering::LoweredModifier;
pub use main_environment::newest;
pub use options::{DepthBudget, Generate, Options, Progress, RunDepth, Shard, Stage, Strategy, Subject};
pub use plan::{FormPlan, Isolated, PlannedVariant, Purpose, Task, TestedVariants};
pub(crate) use planner::CODE_BATCH;
pub use record::record;
pub use results::{DeathGroup, EngineResult, Problem, Results, RowSource, Stale};
pub use rows::{describe, environment as executing_environment};
pub use tally::{
    Count, GroupKey, Mismatch, MismatchGroup, RecordedRow, RowCount, Sample, Split, Tally, Unanswered, WordLine,
};
pub use vocabulary::TriedWords;

/// Runs: lines are judged first, rows are executed then.
pub fn run(
    spec: &Spec,
    divergences: &Divergences,
    subjects: &[Subject<'_>],
    options: &Options,
    progress: &Progress,
) -> Results {
    let campaign = Campaign { spec, divergences, options, progress, instructions: named(spec, options) };
    let needs = if subjects.iter().any(|subject| subject.judge.is_some()) { campaign.needs() } else { Vec::new() };
    let mut results = Results::default();
    for subject in subjects {
        let name = subject.id().map(ToString::to_string).unwrap_or_default();
        let mut result = EngineResult { name, ..EngineResult::default() };
        if let Some(judge) = subject.judge {
            campaign.judge(subject, judge, &needs, &mut result);
        }
        results.engines.push(result);
    }
    for (at, executor) in subjects.iter().enumerate().filter_map(|(at, subject)| Some((at, subject.executor?))) {
        if let Err(why) = campaign.execute(executor, &mut results.engines[at]) {
            results.absent.push((executor.id().to_string(), why));
        }
    }
    results.interrupted = progress.stopped();
    results
}

/// The judging tasks of a run, except those that depend on earlier results.
pub fn plan(spec: &Spec, subject: &Subject<'_>, options: &Options) -> Vec<Task> {
    let (divergences, progress) = (Divergences::default(), Progress::default());
    let campaign =
        Campaign { spec, divergences: &divergences, options, progress: &progress, instructions: named(spec, options) };
    let needs = campaign.needs();
    let tasks = Mutex::new(Vec::new());
    for (instruction, needs) in campaign.instructions.iter().zip(&needs) {
        let keep = |task: Task| {
            if task.belongs_to(options.shard, instruction) {
                tasks
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push((task.describe(instruction).to_string(), task));
            }
        };
        planner::plan(spec, instruction, needs, subject, options, &keep);
    }
    let mut tasks = tasks.into_inner().unwrap_or_else(PoisonError::into_inner);
    tasks.sort_by(|a, b| a.0.cmp(&b.0));
    tasks.into_iter().map(|(_, task)| task).collect()
}

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

struct Campaign<'a> {
    spec: &'a Spec,
    divergences: &'a Divergences,
    options: &'a Options,
    progress: &'a Progress,
    instructions: Vec<&'a Instruction>,
}

impl Campaign<'_> {
    /// The spaces of each form in which a version or target is needed.
    fn needs(&self) -> Vec<Vec<Spaces>> {
        let around = self.options.boundaries && self.options.environment.is_none();
        let boundaries = around && self.options.depth.budget().environments;
        let of_form = |form: &Form| if boundaries { Spaces::of_needs(form) } else { Spaces::default() };
        self.instructions.par_iter().map(|instruction| instruction.forms.par_iter().map(of_form).collect()).collect()
    }

    /// Asks an engine to judge lines: those of the plan first, then words, examples, and what is listed.
    fn judge(&self, subject: &Subject<'_>, judge: &dyn LineJudge, needs: &[Vec<Spaces>], result: &mut EngineResult) {
        self.progress.begin(Stage::Judging);
        result.judges = true;
        let health = FirstAnswers::default();
        let asker = Asker::new(self.spec, self.divergences, judge, &health);
        if self.options.plans() {
            result.tally = self.ask_planned(&asker, subject, needs, &mut result.forms);
            result.gave_up = health.gave_up();
            if result.gave_up.is_some() {
                return;
            }
            self.try_words(subject, result);
            self.progress.begin(Stage::Listed);
            self.ask_examples(subject, result);
        }
        self.progress.begin(Stage::Listed);
        // An engine with unanswered cases may not have shown all its divergences.
        let lost = !judge.losses().is_empty();
        if let (false, Some(version)) = (self.progress.stopped() || lost, &asker.version) {
            let search = stale::StaleSearch {
                asker: &asker,
                version,
                subject,
                instructions: &self.instructions,
                forms: &result.forms,
                options: self.options,
            };
            let questioned = InternalError::caught(|| Ok(search.find(&mut result.tally)));
            if let Some(questioned) = result.tally.ok_or_note(questioned) {
                (result.stale, result.not_asked) = (questioned.stale, questioned.not_asked);
            }
        }
    }

    /// Asks about the lines of the plan. Each task runs as soon as it is planned, unless it waits for those of other
    /// instructions.
    fn ask_planned(
        &self,
        asker: &Asker<'_>,
        subject: &Subject<'_>,
        needs: &[Vec<Spaces>],
        forms: &mut Vec<FormPlan>,
    ) -> Tally {
        let tally = Mutex::new(Tally::default());
        let unfinished = AtomicUsize::new(0);
        let together = Together::new(&self.instructions);
        rayon::scope(|scope| {
            let (tally, unfinished) = (&tally, &unfinished);
            let spawn = |question| {
                self.progress.planned.fetch_add(1, Ordering::Relaxed);
                let unfinished_task = UnfinishedTask::new(unfinished);
                scope.spawn(move |_| {
                    let _unfinished_task = unfinished_task;
                    if self.progress.stopped() {
                        return;
                    }
                    let done = InternalError::caught(|| Ok(asker.ask(question, self.options)));
                    let done = done.unwrap_or_else(Tally::of_error);
                    self.progress.done.fetch_add(1, Ordering::Relaxed);
                    self.progress.cases.fetch_add(done.cases(), Ordering::Relaxed);
                    // Sums stay sound even if a thread panicked.
                    tally.lock().unwrap_or_else(PoisonError::into_inner).merge(done);
                });
            };
            for (at, (instruction, needs)) in self.instructions.iter().zip(needs).enumerate() {
                if self.progress.stopped() || asker.health.step().is_none() {
                    break;
                }
                let small = Mutex::new(Vec::new());
                let keep = |question| small.lock().unwrap_or_else(PoisonError::into_inner).push(question);
                let ask = |task: Task| match task.belongs_to(self.options.shard, instruction) {
                    true if self.options.depth.budget().together => together.add(at, task),
                    true if together::is_small(&task) => keep(LineQuestion::new(instruction, task)),
                    true => spawn(LineQuestion::new(instruction, task)),
                    false => {}
                };
                let plan = || Ok(planner::plan(self.spec, instruction, needs, subject, self.options, &ask));
                let planned = InternalError::caught(plan);
                forms.extend(
                    tally.lock().unwrap_or_else(PoisonError::into_inner).ok_or_note(planned).into_iter().flatten(),
                );
                let small = small.into_inner().unwrap_or_else(PoisonError::into_inner);
                together::packed(small).into_iter().for_each(spawn);
                help_until_few(unfinished);
            }
            together.questions().into_iter().for_each(spawn);
        });
        tally.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks about the manual's own examples; only one shard does it.
    fn ask_examples(&self, subject: &Subject<'_>, result: &mut EngineResult) {
        if self.progress.stopped() || self.options.shard.number != 1 {
            return;
        }
        let examples = || examples::examples(self.spec, self.divergences, &self.instructions, subject);
        result.examples = result.tally.ok_or_note(InternalError::caught(examples)).unwrap_or_default();
        for example in &result.examples {
            for id in &example.divergences {
                let as_expected = example.agreement != Agreement::Unexpected;
                result.tally.listed.entry(id.clone()).or_default().note(as_expected);
            }
        }
    }

    /// Tries words in slots; only one shard does it.
    fn try_words(&self, subject: &Subject<'_>, result: &mut EngineResult) {
        if !self.options.vocabulary || self.progress.stopped() || self.options.shard.number != 1 {
            return;
        }
        self.progress.begin(Stage::Words);
        let probe =
            || vocabulary::probe(self.spec, self.divergences, subject, &self.instructions, &result.forms, self.options);
        let tried = InternalError::caught(probe);
        if let Some((words, tally)) = result.tally.ok_or_note(tried) {
            result.words = Some(words);
            result.tally.merge(tally);
        }
    }

    /// Executes rows on an engine, or compares what was recorded of it.
    ///
    /// # Errors
    /// Why it cannot execute.
    fn execute(&self, engine: &dyn CaseExecutor, result: &mut EngineResult) -> Result<(), String> {
        self.progress.begin(Stage::Executing);
        let health = FirstAnswers::default();
        let executor = Executor {
            spec: self.spec,
            divergences: self.divergences,
            engine,
            version: EngineVersion::of(engine.id()),
            health: &health,
            options: self.options,
            progress: self.progress,
        };
        if let Some(recorded) = engine.recorded() {
            result.rows_from = Some(RowSource::Recorded);
            let replay = || executor.replay(&recorded, &self.instructions, &mut result.tally);
            let replayed = InternalError::caught(replay);
            result.tally.ok_or_note(replayed);
            self.question(&executor, None, result);
            return Ok(());
        }
        let newest = executing_environment(self.spec, engine)?;
        let environment = self.options.environment.unwrap_or(newest);
        if self.options.plans() {
            executor.execute(environment, &self.instructions, &mut result.tally);
        }
        if let Some(kernels) = engine.as_kernel_executor().filter(|_| !self.progress.stopped()) {
            self.progress.begin(Stage::Chains);
            let known = KnownOfEngine { divergences: self.divergences, version: EngineVersion::of(engine.id()) };
            let run = || chains::run(self.spec, kernels, &known, environment, self.options, self.progress);
            let done = InternalError::caught(run);
            result.chains = result.tally.ok_or_note(done).unwrap_or_default();
            let ask = || Ok(chains::question(self.spec, kernels, &known, environment, self.options, &mut result.tally));
            let questioned = InternalError::caught(ask);
            if let Some(questioned) = result.tally.ok_or_note(questioned) {
                result.stale.extend(questioned.stale);
                result.not_asked.extend(questioned.not_asked);
            }
        }
        result.rows_from = Some(RowSource::Executed(environment));
        result.limits = engine.limits();
        let wanted = self.options.plans()
            && self.options.modifiers
            && self.options.shard.number == 1
            && !self.progress.stopped();
        if let Some(lister) = engine.as_lister().filter(|_| wanted) {
            let lowered = || lowering::lowered(self.spec, lister, &environment, &self.instructions);
            result.lowered = result.tally.ok_or_note(InternalError::caught(lowered)).unwrap_or_default();
        }
        result.gave_up = result.gave_up.take().or(health.gave_up());
        self.question(&executor, Some(environment), result);
        Ok(())
    }

    /// Questions the listed divergences in executing lines.
    fn question(&self, executor: &Executor<'_>, environment: Option<Environment>, result: &mut EngineResult) {
        let ask = || executor.question(environment, &self.instructions, &mut result.tally);
        let questioned = InternalError::caught(ask);
        if let Some(questioned) = result.tally.ok_or_note(questioned) {
            result.stale.extend(questioned.stale);
            result.not_asked.extend(questioned.not_asked);
        }
    }
}

/// The instructions and directives of a run.
pub(crate) fn named<'s>(spec: &'s Spec, options: &Options) -> Vec<&'s Instruction> {
    let named = |instruction: &&Instruction| {
        options.instructions.is_empty() || options.instructions.contains(&instruction.name)
    };
    spec.all().filter(named).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::engine::{Batch, Depth, Engine, EngineId, Outcome};

    /// Accepts everything, and loses the first line where examples are asked about, or words.
    struct Lossy(EngineId);

    impl Engine for Lossy {
        fn id(&self) -> &EngineId {
            &self.0
        }
    }

    impl LineJudge for Lossy {
        fn judge(&self, batch: &Batch<'_>, _: Depth) -> Vec<Outcome> {
            let loses = batch.lines.iter().any(|line| line.contains("brev.b32  ") || line.contains(".word"));
            batch.lines.iter().skip(usize::from(loses)).map(|_| Outcome::Accepted).collect()
        }

        fn words(&self) -> Vec<String> {
            vec![".word".to_owned()]
        }
    }

    #[test]
    fn the_outcome_of_a_lost_line_is_made_up_for_no_example_and_no_word() {
        let spec = crate::shipped::spec().expect("the specification is sound");
        let engine = Lossy("lossy@1.0".parse().expect("an id"));
        let newest = *spec.isa.versions.last().expect("versions");
        let options = Options {
            instructions: vec!["brev".to_owned()],
            random: Some(0),
            boundaries: false,
            generate: options::Generate::Nothing,
            ..Options::default()
        };
        let subject = Subject::judging(&engine, newest);
        let results = run(&spec, &Divergences::default(), &[subject], &options, &Progress::default());
        let [result] = &results.engines[..] else { panic!("one engine") };
        let errors: Vec<&String> = result.tally.internal_errors.iter().collect();
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert_eq!(errors[0], "lossy@1.0 gave 0 outcomes for 1 lines");
        assert!(errors[1].starts_with("lossy@1.0 gave "), "{errors:?}");
        assert!(result.examples.is_empty() && result.words.is_none(), "{:?}", result.words);
    }
    /// Accepts everything, and notes of how many environments the lines are that it is asked about at once.
    struct Noting(EngineId, Mutex<Vec<usize>>);

    impl Engine for Noting {
        fn id(&self) -> &EngineId {
            &self.0
        }
    }

    impl LineJudge for Noting {
        fn judge(&self, batch: &Batch<'_>, _: Depth) -> Vec<Outcome> {
            vec![Outcome::Accepted; batch.lines.len()]
        }

        fn judge_all(&self, batches: &[Batch<'_>], depth: Depth) -> Vec<Vec<Outcome>> {
            let environments: BTreeSet<Environment> = batches.iter().map(|batch| batch.environment).collect();
            self.1.lock().expect("no thread panics").push(environments.len());
            batches.iter().map(|batch| self.judge(batch, depth)).collect()
        }
    }

    #[test]
    fn lines_of_several_environments_are_asked_about_at_once() {
        let spec = crate::shipped::spec().expect("the specification is sound");
        let engine = Noting("noting@1.0".parse().expect("an id"), Mutex::default());
        let newest = *spec.isa.versions.last().expect("versions");
        let options = Options { instructions: vec!["brev".to_owned()], vocabulary: false, ..Options::default() };
        let subject = Subject::judging(&engine, newest);
        run(&spec, &Divergences::default(), &[subject], &options, &Progress::default());
        let asked = engine.1.into_inner().expect("no thread panics");
        assert!(asked.iter().any(|environments| *environments > 10), "{asked:?}");
    }
}
