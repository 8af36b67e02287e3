//! A run: plans cases, asks the engines, and compares what they did with the verdicts.

mod ask;
mod execute;
mod plan;
mod probe;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::divergence::{Date, Divergences};
use crate::engine::{CaseExecutor, Depth, LineJudge};
use crate::environment::{Environment, Version};
use crate::spec::{Instruction, Spec};
use crate::vocabulary;

pub use ask::{Count, Group, Key, Sample, Tally};
pub(crate) use ask::{first_message, without_quotes};
pub use execute::{ExecutedForm, ExecutedResult, Wrong, environment as executing_environment, record};
pub use plan::{FormPlan, Purpose, Row};

/// How much of a space is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Every combination of two choices that occurs among the valid variants, in a covering array;
    /// every choice that occurs in the breaches of each rule.
    Pairs,
    /// Every combination of three choices, and of two in the breaches of each rule.
    Triples,
    /// Every variant, where there are fewer than the limit; else as `Triples`.
    Complete,
}

/// Which of the accepted lines are taken through code generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generate {
    /// None.
    Nothing,
    /// Some of what is claimed valid, evenly spread.
    Sample,
    /// All that is claimed valid.
    Everything,
}

/// What a run does.
#[derive(Clone, Debug)]
pub struct Options {
    /// The opcodes; all where empty.
    pub instructions: Vec<String>,
    /// How much of each space is tested in the newest environment.
    pub strategy: Strategy,
    /// The size below which a space is tested completely by [`Strategy::Complete`].
    pub limit: u128,
    /// Random variants of each form's valid space beside that, and for each hundred of them one
    /// random breach of each rule.
    pub random: u64,
    /// Whether every PTX version and target at which a requirement changes is tested as well.
    pub boundaries: bool,
    /// Which lines are taken through code generation.
    pub generate: Generate,
    /// What random draws start from.
    pub seed: u64,
    /// Executed cases of each form at most.
    pub cases: usize,
    /// Rows of each executed case.
    pub rows: usize,
    /// Lines that are asked about together.
    pub batch: usize,
    /// Today: divergences whose day has passed are told; none where that does not matter.
    pub today: Option<Date>,
    /// The one environment to test in; else the newest of each engine, and the boundaries.
    pub environment: Option<Environment>,
    /// Whether each slot is tried with the words of all of PTX and of the engine.
    pub vocabulary: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            instructions: Vec::new(),
            strategy: Strategy::Pairs,
            limit: 1_000_000,
            random: 10_000,
            boundaries: true,
            generate: Generate::Sample,
            seed: 0,
            cases: usize::MAX,
            rows: 16,
            batch: 10_000,
            today: None,
            environment: None,
            vocabulary: true,
        }
    }
}

/// An engine, and the newest PTX version that it takes.
pub struct Subject<'a> {
    /// The engine.
    pub engine: &'a dyn LineJudge,
    /// Its newest PTX version.
    pub newest: Version,
}

impl Subject<'_> {
    /// Whether it can be asked about an environment.
    pub(crate) fn takes(&self, environment: &Environment, depth: Depth) -> bool {
        environment.ptx <= self.newest && self.engine.supports(environment, depth).is_ok()
    }
}

/// How far a run has got: tasks planned and done, cases judged. Read by a progress bar, and told to
/// stop by an interrupt.
#[derive(Debug, Default)]
pub struct Progress {
    /// Tasks planned.
    pub planned: AtomicU64,
    /// Tasks done.
    pub done: AtomicU64,
    /// Cases judged.
    pub cases: AtomicU64,
    /// Set to stop the run: what is done is kept.
    pub stop: AtomicBool,
}

/// What one engine did.
#[derive(Clone, Debug)]
pub struct EngineResult {
    /// The engine's name.
    pub name: String,
    /// The plan of each form.
    pub forms: Vec<FormPlan>,
    /// The comparison.
    pub tally: Tally,
    /// Divergences of the engine that are to be looked at.
    pub stale: Vec<Stale>,
    /// What came of words in slots; none where they were not tried.
    pub words: Option<vocabulary::Probed>,
    /// The manual's own examples: instruction, position, and what the engine did.
    pub examples: Vec<(String, usize, crate::engine::Outcome)>,
}

/// A divergence that no longer says what an engine does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Stale {
    /// Its name.
    pub id: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What can be wrong with a divergence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Problem {
    /// None of its cases does it any longer.
    Fixed,
    /// There is no case that it could be about.
    Unmatched,
    /// Its day has passed.
    Expired,
}

/// What a run found.
#[derive(Clone, Debug)]
pub struct Results {
    /// By engine, in the order given.
    pub engines: Vec<EngineResult>,
    /// By executing engine, in the order given.
    pub executed: Vec<ExecutedResult>,
    /// Engines that were asked for or could have been asked, and were not: their names, and why.
    pub absent: Vec<(String, String)>,
    /// What went without an answer because an engine failed, and engines that judged nothing: in words.
    /// With any of these nothing shows that the engines agree.
    pub lost: Vec<String>,
    /// Texts of ours that cannot be read: bugs of this tool.
    pub confused: Vec<String>,
    /// Whether the run was stopped before its end.
    pub interrupted: bool,
}

/// Runs.
pub fn run(
    spec: &Spec,
    divergences: &Divergences,
    subjects: &[Subject<'_>],
    options: &Options,
    progress: &Progress,
) -> Results {
    let instructions = named(spec, options);
    let boundaries = options.boundaries && options.environment.is_none();
    let of_form = |form| if boundaries { plan::Spaces::of_needs(form) } else { plan::Spaces::default() };
    let needs: Vec<Vec<plan::Spaces>> =
        instructions.par_iter().map(|instruction| instruction.forms.par_iter().map(of_form).collect()).collect();
    let mut engines = Vec::new();
    for subject in subjects {
        let asker = ask::Asker::new(spec, divergences, subject.engine);
        let tally = Mutex::new(Tally::default());
        let mut forms = Vec::new();
        for (instruction, needs) in instructions.iter().zip(&needs) {
            if progress.stop.load(Ordering::Relaxed) {
                break;
            }
            // Asking goes on while planning does: a task is spawned as soon as it is known.
            rayon::scope(|scope| {
                let ask = |task: plan::Task| {
                    progress.planned.fetch_add(1, Ordering::Relaxed);
                    let (asker, tally) = (&asker, &tally);
                    scope.spawn(move |_| {
                        if progress.stop.load(Ordering::Relaxed) {
                            return;
                        }
                        let done = asker.ask(instruction, task, options);
                        progress.done.fetch_add(1, Ordering::Relaxed);
                        progress.cases.fetch_add(done.cases(), Ordering::Relaxed);
                        lock(tally).merge(done);
                    });
                };
                forms.extend(plan::plan(spec, instruction, needs, subject, options, &ask));
            });
        }
        let mut tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
        // An engine that was lost did not answer all that would show a divergence.
        let stale = if progress.stop.load(Ordering::Relaxed) || !subject.engine.losses().is_empty() {
            Vec::new()
        } else {
            asker.stale(&instructions, subject, &forms, options, &mut tally)
        };
        let examples = asker.examples(&instructions, subject);
        let wanted = options.vocabulary && !progress.stop.load(Ordering::Relaxed);
        let words = wanted.then(|| vocabulary::probe(spec, divergences, subject, &instructions, options)).transpose();
        let words = words.unwrap_or_else(|confused| {
            tally.confuse(confused.to_string());
            None
        });
        engines.push(EngineResult { name: subject.engine.id().to_string(), forms, tally, stale, words, examples });
    }
    Results {
        engines,
        executed: Vec::new(),
        absent: Vec::new(),
        lost: Vec::new(),
        confused: Vec::new(),
        interrupted: progress.stop.load(Ordering::Relaxed),
    }
}

/// Executes the instructions of a run on engines that can, and adds what came of it to its results.
pub fn execute(
    spec: &Spec,
    divergences: &Divergences,
    engines: &[&dyn CaseExecutor],
    options: &Options,
    progress: &Progress,
    results: &mut Results,
) {
    let instructions = named(spec, options);
    for engine in engines {
        if let Some(recorded) = engine.recorded() {
            results.executed.push(execute::replay(spec, *engine, &recorded, &instructions));
            continue;
        }
        let executed = execute::environment(spec, *engine).map(|newest| {
            let environment = options.environment.unwrap_or(newest);
            execute::execute(spec, divergences, *engine, environment, &instructions, options, progress)
        });
        match executed {
            Ok(Ok(executed)) => results.executed.push(executed),
            Ok(Err(confused)) => results.confused.push(confused.to_string()),
            Err(why) => results.absent.push((engine.id().to_string(), why)),
        }
    }
    results.interrupted = progress.stop.load(Ordering::Relaxed);
}

/// The instructions of a run.
pub(crate) fn named<'s>(spec: &'s Spec, options: &Options) -> Vec<&'s Instruction> {
    let named = |instruction: &&Instruction| {
        options.instructions.is_empty() || options.instructions.contains(&instruction.name)
    };
    spec.instructions.iter().filter(named).collect()
}

/// Sums are sound whatever a thread that panicked did.
fn lock(tally: &Mutex<Tally>) -> MutexGuard<'_, Tally> {
    tally.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Results {
    /// How many cases were judged.
    pub fn cases(&self) -> u64 {
        self.engines.iter().map(|engine| engine.tally.cases()).sum()
    }

    /// How many cases and rows were judged.
    pub fn judged(&self) -> u64 {
        self.cases() + self.executed.iter().map(ExecutedResult::judged).sum::<u64>()
    }

    /// How many of them the engines did not do as expected, their known divergences applied.
    pub fn unlisted(&self) -> u64 {
        let counts = self.engines.iter().flat_map(|engine| &engine.tally.groups);
        counts.filter(|(key, _)| !key.listed).map(|(_, group)| group.count).sum()
    }

    /// Whether every engine did as the specification says and the divergences list.
    pub fn agreed(&self) -> bool {
        let executed = self.executed.iter().all(|engine| engine.differed() == 0 && engine.stale.is_empty());
        let words = self.engines.iter().filter_map(|engine| engine.words.as_ref());
        let words = words.map(|words| words.findings.len()).sum::<usize>() == 0;
        executed && words && self.unlisted() == 0 && self.engines.iter().all(|engine| engine.stale.is_empty())
    }

    /// The groups of all engines side by side.
    pub fn groups(&self) -> BTreeMap<&Key, Vec<(&str, &Group)>> {
        let mut groups: BTreeMap<&Key, Vec<(&str, &Group)>> = BTreeMap::new();
        for engine in &self.engines {
            for (key, group) in &engine.tally.groups {
                groups.entry(key).or_default().push((&engine.name, group));
            }
        }
        groups
    }
}

/// How deep a purpose takes an engine.
pub(crate) fn depth(purpose: Purpose) -> Depth {
    if purpose == Purpose::Code { Depth::Generate } else { Depth::Check }
}
