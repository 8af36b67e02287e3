//! A run: plans cases, asks the engines, and compares what they did with what is expected.

mod ask;
mod boundaries;
mod chain_tally;
mod chains;
mod costly;
mod deaths;
mod deeper;
mod examples;
mod executions;
mod exhaustive;
mod extras;
mod first_answers;
mod first_rows;
mod kept;
mod lasting;
mod line_task;
mod lowering;
mod main_environment;
mod options;
mod plan;
mod planner;
mod preparation;
mod probes;
mod programs;
mod record;
mod results;
mod rows;
mod spaces;
mod stages;
mod stale;
mod stale_chains;
mod stale_rows;
mod tally;
mod tasks;
mod together;
mod vocabulary;

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use crate::divergences::Divergences;
use crate::ledger::{Ledger, TaskCosts};
use crate::spec::{Instruction, Spec};

pub(crate) use chains::KnownOfEngine;
use stages::Stages;

pub use chain_tally::ChainTally;
pub use deeper::Deeper;
pub(crate) use examples::wavering as wavering_examples;
pub use examples::{Agreement, AskedExample};
pub use exhaustive::{DomainWalk, FailedInput, WalkCounts, WalkError, WalkedLine};
pub use kept::{AskingStage, KeptEngine};
pub use lasting::LastingAnswers;
pub use lowering::LoweredModifier;
pub use main_environment::newest;
pub use options::{DepthBudget, Generate, Options, Progress, RunDepth, Shard, Stage, Strategy, Subject};
pub use plan::{FormPlan, Isolated, PlannedVariant, Purpose, Task, TestedVariants};
pub(crate) use planner::CODE_BATCH;
pub use preparation::Preparation;
pub use record::record;
pub use results::{DeathGroup, EngineResult, Problem, Results, RowSource, Stale};
pub use rows::{describe, environment as executing_environment};
pub use tally::{
    Count, GroupKey, Mismatch, MismatchGroup, RecordedRow, RowCount, Sample, Split, Tally, Unanswered, WordLine,
};
pub use tasks::Asks;
pub use tasks::all_notes;
pub use vocabulary::TriedWords;

/// A run: what it asks about, and where the results of its tasks are kept.
#[derive(Clone, Copy)]
pub struct Campaign<'a> {
    /// The specification.
    pub spec: &'a Spec,
    /// The known divergences.
    pub divergences: &'a Divergences,
    /// The options that choose what is asked about.
    pub options: &'a Options,
    /// The progress of the run.
    pub progress: &'a Progress,
    /// Where the results are kept; none if the run cannot be resumed.
    pub ledger: Option<&'a Ledger>,
    /// Which tasks are asked that are not in the ledger.
    pub asks: Asks,
    /// The costs of tasks, by which they are shared among shards.
    pub costs: &'a TaskCosts,
}

/// Runs without a ledger: the tasks, then the conclusion.
pub fn run(
    spec: &Spec,
    divergences: &Divergences,
    subjects: &[Subject<'_>],
    options: &Options,
    progress: &Progress,
) -> Results {
    let costs = TaskCosts::default();
    let run = Campaign { spec, divergences, options, progress, ledger: None, asks: Asks::Everything, costs: &costs };
    let asked = run.ask(subjects, &[]);
    run.conclude(subjects, asked)
}

impl Campaign<'_> {
    /// The results of all tasks: those of the ledger, and those that are asked now. Lines are judged first, rows are
    /// executed then, and last comes what the conclusion will ask.
    pub fn ask(&self, subjects: &[Subject<'_>], preparations: &[Preparation<'_>]) -> Results {
        let stages = Stages::new(self, named(self.spec, self.options));
        let mut results = Results { engines: judged(&stages, subjects), ..Results::default() };
        for (at, executor) in subjects.iter().enumerate().filter_map(|(at, subject)| Some((at, subject.executor?))) {
            if let Err(why) = stages.execute(executor, &mut results.engines[at]) {
                results.absent.push((executor.id().to_string(), why));
            }
        }
        preparation::ask(preparations, &stages.work, &mut results);
        // A conclusion from a part of the tasks would be none.
        if self.progress.is_ending() {
            self.progress.stop.store(true, Ordering::Relaxed);
            results.interrupted = true;
        }
        results.ledger_failure = stages.work.into_failure().map(|why| why.to_string());
        results
    }

    /// Concludes about the listed divergences, and searches for the causes of chains.
    pub fn conclude(&self, subjects: &[Subject<'_>], mut results: Results) -> Results {
        let stages = Stages::new(self, named(self.spec, self.options));
        for (subject, result) in subjects.iter().zip(&mut results.engines) {
            if let Some(judge) = subject.judge.filter(|_| result.gave_up.is_none()) {
                stages.question_lines(subject, judge, result);
            }
        }
        for (subject, result) in subjects.iter().zip(&mut results.engines) {
            if let Some(executor) = subject.executor {
                stages.question_execution(executor, result);
            }
        }
        results.interrupted |= self.progress.stopped();
        results
    }
}

/// The results of the judging tasks of each engine. What they alone need is in memory no longer.
fn judged(stages: &Stages<'_>, subjects: &[Subject<'_>]) -> Vec<EngineResult> {
    let needs = if subjects.iter().any(|of| of.judge.is_some()) { stages.needs() } else { Vec::new() };
    let of_engine = |subject: &Subject<'_>| {
        let name = subject.id().map(ToString::to_string).unwrap_or_default();
        let mut result = EngineResult { name, ..EngineResult::default() };
        if let Some(judge) = subject.judge {
            stages.judge(subject, judge, &needs, &mut result);
        }
        result
    };
    subjects.iter().map(of_engine).collect()
}

/// The judging tasks of a plan, except those that depend on earlier results.
pub fn plan(spec: &Spec, subject: &Subject<'_>, options: &Options) -> Vec<Task> {
    let (divergences, progress, costs) = (Divergences::default(), Progress::default(), TaskCosts::default());
    let divergences = &divergences;
    let (progress, costs, asks) = (&progress, &costs, Asks::Everything);
    let run = Campaign { spec, divergences, options, progress, ledger: None, asks, costs };
    let stages = Stages::new(&run, named(spec, options));
    let needs = stages.needs();
    let tasks = Mutex::new(Vec::new());
    for (instruction, needs) in stages.instructions.iter().zip(&needs) {
        let keep = |task: Task| {
            let described = task.describe(instruction).to_string();
            tasks.lock().unwrap_or_else(PoisonError::into_inner).push((described, task));
        };
        planner::plan(spec, instruction, needs, subject, options, &keep);
    }
    let mut tasks = tasks.into_inner().unwrap_or_else(PoisonError::into_inner);
    tasks.sort_by(|a, b| a.0.cmp(&b.0));
    tasks.into_iter().map(|(_, task)| task).collect()
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
    use crate::engine::{Batch, Depth, Engine, EngineId, LineJudge, Outcome};
    use crate::environment::Environment;

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
