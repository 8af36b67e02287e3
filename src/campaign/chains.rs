//! Chains: lines whose results feed the next, executed on an engine and in the reference interpreter. Those that differ are
//! reduced, and their causes searched for.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::sync::atomic::Ordering;

use ptx_exec::interpret::Interpreter;
use ptx_kernels::{
    Chain, ChainAnswer, ChainComparison, ChainDraw, ChainInstruction, ChainRows, ChainText, Library, NoLibrary,
    Reduced, compare, search, without_instructions,
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::chain_tally::ChainTally;
use super::options::{Options, Progress};
use super::tasks::{PlannedTask, TaskKeeper, TaskResult, WatchedEngine};
use crate::case::InternalError;
use crate::divergences::{ChainLine, Divergences, Does, EngineVersion};
use crate::engine::KernelExecutor;
use crate::environment::Environment;
use crate::ledger::{TaskCounts, TaskKind};
use crate::spec::{Form, Spec};

/// Chains of a task: half a module, so that a first run has one for each core.
const TASK: u64 = 512;
/// The least and the most lines of a chain.
const LINES: (u8, u8) = (2, 5);
/// Rows of each chain.
const ROWS: usize = 24;
/// The most chains that are reduced: the causes of more are rarely others.
const REDUCED: usize = 128;
/// The factor that keeps the seeds of the rows of one task apart from those of the next.
const ROW_SEED: u64 = 1_000_003;

/// The divergences of an engine.
pub(crate) struct KnownOfEngine<'a> {
    pub(crate) divergences: &'a Divergences,
    pub(crate) version: Option<EngineVersion>,
}

/// The reason why chains that were asked for are not executed.
const NO_CHAINS: &str = "no chain can be made of these instructions";

/// Asks an engine about chains in an environment.
pub(super) struct ChainAsker<'a> {
    pub(super) spec: &'a Spec,
    pub(super) known: &'a KnownOfEngine<'a>,
    pub(super) environment: Environment,
    pub(super) options: &'a Options,
}

impl ChainAsker<'_> {
    fn library(&self) -> Result<Library<'_>, NoLibrary> {
        self.known.library(self.spec, self.environment, &self.options.instructions)
    }

    /// Executes the chains. Those that fail are left open.
    ///
    /// # Errors
    /// If there is no instruction in this environment that chains can have.
    pub(super) fn run(
        &self,
        engine: &dyn KernelExecutor,
        work: &TaskKeeper<'_>,
        watched: WatchedEngine<'_>,
        progress: &Progress,
    ) -> Result<ChainTally, InternalError> {
        let (options, environment) = (self.options, self.environment);
        let mut tally = ChainTally { environment: Some(environment), rows: ROWS, ..ChainTally::default() };
        if options.chain_count() == 0 {
            return Ok(tally);
        }
        // Not made where another shard has all the tasks.
        let library = LazyLock::new(|| self.library());
        if !options.instructions.is_empty()
            && let Err(why) = &*library
        {
            tally.chains = options.chain_count();
            tally.skipped.insert(why.to_string(), options.chain_count());
            return Ok(tally);
        }
        let interpreter = Interpreter::new(self.spec);
        let comparison = ChainComparison { interpreter: &interpreter, engine, environment };
        let task = |number: u64| {
            let count = TASK.min(options.chain_count() - number * TASK);
            let seed = options.seed.wrapping_add(number << 32);
            let words = || format!("{count} chains from {}", number * TASK);
            let what = || format!("{count} chains of seed {seed} in {environment}, {ROWS} rows");
            (work.plan(engine, TaskKind::Chains, count, words, what), seed, count)
        };
        let tasks: Vec<(PlannedTask, u64, u64)> = (0..options.chain_count().div_ceil(TASK)).map(task).collect();
        let draw = |seed: u64, count: u64| match &*library {
            Ok(library) => Ok(DrawnTask::new(library, self.known, seed, count)),
            Err(why) => Err(InternalError(why.to_string())),
        };
        let run = |(task, seed, count): &(PlannedTask, u64, u64)| {
            let ask = || {
                progress.cases.fetch_add(*count, Ordering::Relaxed);
                let drawn = draw(*seed, *count)?;
                Ok(drawn.ask(&comparison, self.known))
            };
            work.result(task, watched, ask)
        };
        let results: Vec<Option<Result<ChainAnswers, InternalError>>> = tasks.par_iter().map(run).collect();
        for ((_, seed, count), answers) in tasks.iter().zip(results) {
            if let Some(answers) = answers.transpose()? {
                answers.add_to(|| draw(*seed, *count), &mut tally)?;
            }
        }
        tally.failed = tally.open.len() as u64;
        Ok(tally)
    }

    /// Searches for the causes of the chains that are open.
    ///
    /// # Errors
    /// If there is no instruction in this environment that chains can have.
    pub(super) fn conclude(
        &self,
        engine: &dyn KernelExecutor,
        tally: &mut ChainTally,
        progress: &Progress,
    ) -> Result<(), InternalError> {
        let mut failing = std::mem::take(&mut tally.open);
        if failing.is_empty() {
            return Ok(());
        }
        let library = self.library().map_err(|why| InternalError(why.to_string()))?;
        let interpreter = Interpreter::new(self.spec);
        let comparison = ChainComparison { interpreter: &interpreter, engine, environment: self.environment };
        let known = self.known;
        tally.not_reduced = failing.len().saturating_sub(REDUCED) as u64;
        failing.truncate(REDUCED);
        if progress.stopped() {
            tally.not_reduced += failing.len() as u64;
            return Ok(());
        }
        let found = search(&comparison, &library, failing, |chain| known.lists(&library, chain).is_some());
        tally.failed -= found.known.len() as u64;
        for id in found.known.iter().filter_map(|chain| known.lists(&library, chain)) {
            *tally.listed.entry(id).or_default() += 1;
        }
        tally.not_reduced += found.open.len() as u64;
        tally.open = found.open;
        tally.causes = found.causes;
        Ok(())
    }
}

impl KnownOfEngine<'_> {
    /// The forms that chains are made of, without the lines that the engine is listed not to take.
    fn library<'s>(
        &'s self,
        spec: &'s Spec,
        environment: Environment,
        only: &[String],
    ) -> Result<Library<'s>, NoLibrary> {
        let refused = |form: &Form, choices: &[u8]| {
            self.divergences.refuses(self.version.as_ref(), &form.id, choices).next().is_some()
        };
        Ok(Library::new(spec, environment, only)?.without(refused))
    }

    /// The failing chains that agree once the lines of known chains are cut out of them, by their positions, and the names of the
    /// divergences that list those lines.
    fn explained(
        &self,
        comparison: &ChainComparison<'_>,
        library: &Library<'_>,
        failing: impl Iterator<Item = (usize, Reduced)>,
    ) -> BTreeMap<usize, String> {
        let Some(version) = &self.version else { return BTreeMap::new() };
        let cut = failing.filter_map(|(at, chain)| {
            let (without, rows, id) = self.without_known(comparison, library, version, &chain)?;
            Some((at, (ChainText::from(&without), rows), id))
        });
        let cut: Vec<(usize, (ChainText, ChainRows), String)> = cut.collect();
        let all: Vec<(&ChainText, &ChainRows)> = cut.iter().map(|(_, (text, rows), _)| (text, rows)).collect();
        // If one differs still, nothing shows that the known lines are the cause.
        let answers = compare(comparison, &all).into_iter();
        let agrees = cut.into_iter().zip(answers).filter(|(_, answer)| *answer == ChainAnswer::Agrees);
        agrees.map(|((at, _, id), _)| (at, id)).collect()
    }

    /// The chain without the lines that end known chains or are known by themselves, and the name of the first divergence.
    fn without_known(
        &self,
        comparison: &ChainComparison<'_>,
        library: &Library<'_>,
        version: &EngineVersion,
        of: &Reduced,
    ) -> Option<(Chain, ChainRows, String)> {
        let lines = lines(&of.chain);
        let does = does(&of.answer);
        let mut ends: Vec<usize> = Vec::new();
        let mut first = None;
        for (known, chain) in self.divergences.chains(version).filter(|(known, _)| known.does == does) {
            let found = chain.ends_in(&lines);
            if !found.is_empty() {
                first = first.or(Some(known.id.clone()));
                ends.extend(found);
            }
        }
        for (at, id) in self.known_lines(library, of) {
            first = first.or(Some(id));
            ends.push(at);
        }
        ends.sort_unstable();
        ends.dedup();
        let (without, rows) = without_instructions(comparison, &of.chain, &of.rows, &ends)?;
        Some((without, rows, first?))
    }

    /// True if a divergence lists some of these lines as a chain that the engine answers so.
    pub(super) fn lists_some_of(&self, lines: &[String], answer: &ChainAnswer) -> bool {
        let listed = self.version.iter().flat_map(|version| self.divergences.chains(version));
        let mut listed = listed.filter(|(known, _)| known.does == does(answer));
        listed.any(|(_, chain)| !chain.ends_in(lines).is_empty())
    }

    /// True if a divergence lists that the engine dies of such a chain.
    fn is_deadly(&self, chain: &Chain) -> bool {
        let Some(version) = &self.version else { return false };
        let mut deadly = self.divergences.chains(version).filter(|(known, _)| known.does == Does::Crashes).peekable();
        if deadly.peek().is_none() {
            return false;
        }
        let lines = lines(chain);
        deadly.any(|(_, known)| !known.ends_in(&lines).is_empty())
    }

    /// The instructions of a chain, by their positions, that divergences list by themselves.
    fn known_lines(&self, library: &Library<'_>, of: &Reduced) -> Vec<(usize, String)> {
        let listed = |(at, line): (usize, String)| {
            let (instruction, reading) = library.reading(&of.chain, &line)?;
            let form = &instruction.forms[reading.form].id;
            let id = self.divergences.computes_line(self.version.as_ref(), form, &reading.values).next()?.id.clone();
            Some((at, id))
        };
        lines(&of.chain).into_iter().enumerate().filter_map(listed).collect()
    }

    /// The divergence that lists a chain: as one, or the only line of it that does more than to fill its memory or observe it.
    pub(crate) fn lists(&self, library: &Library<'_>, of: &Reduced) -> Option<String> {
        let texts = lines(&of.chain);
        let last = texts.len().saturating_sub(1);
        let is_frame = |(at, of): (usize, &ChainInstruction)| of.fills_memory() || at == last && of.observes_memory();
        let is_frame = of.chain.instructions().enumerate().map(is_frame);
        let listed: Vec<ChainLine<'_>> =
            texts.iter().zip(is_frame).map(|(text, is_frame)| ChainLine { text, is_frame }).collect();
        if let Some(known) = self.divergences.of_chain(self.version.as_ref()?, does(&of.answer), &listed) {
            return Some(known.id.clone());
        }
        let (line, id) = self.known_lines(library, of).into_iter().next()?;
        let mut others = listed.iter().enumerate().filter(|(at, _)| *at != line);
        others.all(|(_, of)| of.is_frame).then_some(id)
    }
}

/// The text of each instruction of a chain.
fn lines(chain: &Chain) -> Vec<String> {
    chain.instructions().map(|instruction| instruction.text()).collect()
}

/// The behaviour of an engine with a chain, as divergences say it.
pub(super) fn does(answer: &ChainAnswer) -> Does {
    match answer {
        ChainAnswer::Failed(_) => Does::Crashes,
        _ => Does::Computes,
    }
}

/// The reason why a chain is not executed of which the engine dies.
const DEADLY: &str = "listed as killing the assembler; only the listed chain itself is tried";

/// The answers to the chains of a task.
#[derive(Debug, Serialize, Deserialize)]
struct ChainAnswers {
    /// In the order of the chains.
    answers: Vec<ChainAnswer>,
    /// The chains that failed because of lines that a divergence lists, by their positions, and its name.
    listed: BTreeMap<usize, String>,
    /// How many of those that were drawn are listed as killing the engine, and are not executed.
    deadly: u64,
    /// How many could not be drawn.
    missing: u64,
}

impl ChainAnswers {
    fn left_out(&self) -> impl Iterator<Item = (&'static str, u64)> {
        [(DEADLY, self.deadly), (NO_CHAINS, self.missing)].into_iter().filter(|(_, count)| *count > 0)
    }

    /// Adds the answers to those of other tasks; the chains that failed are left open. They are drawn again.
    fn add_to<'l>(
        self,
        draw: impl FnOnce() -> Result<DrawnTask<'l>, InternalError>,
        tally: &mut ChainTally,
    ) -> Result<(), InternalError> {
        for (why, count) in self.left_out() {
            tally.chains += count;
            *tally.skipped.entry(why.to_owned()).or_default() += count;
        }
        let mut failed = Vec::new();
        for (at, answer) in self.answers.into_iter().enumerate() {
            tally.chains += 1;
            if let Some(id) = self.listed.get(&at) {
                *tally.listed.entry(id.clone()).or_default() += 1;
                continue;
            }
            match answer {
                ChainAnswer::Agrees => tally.agreed += 1,
                ChainAnswer::Undefined(why) => *tally.undefined.entry(why).or_default() += 1,
                ChainAnswer::Skipped(why) => *tally.skipped.entry(why).or_default() += 1,
                ChainAnswer::Differs(_) | ChainAnswer::Failed(_) => failed.push((at, answer)),
            }
        }
        if failed.is_empty() {
            return Ok(());
        }
        let mut chains: Vec<Option<(Chain, ChainRows)>> = draw()?.chains.into_iter().map(Some).collect();
        for (at, answer) in failed {
            let drawn = chains.get_mut(at).and_then(Option::take);
            let (chain, rows) =
                drawn.ok_or_else(|| InternalError("a chain that failed is not drawn again".to_owned()))?;
            tally.open.push(Reduced { chain, rows, answer });
        }
        Ok(())
    }
}

impl TaskResult for ChainAnswers {
    fn counts(&self) -> TaskCounts {
        let mut counts = TaskCounts::default();
        for (why, count) in self.left_out() {
            *counts.skipped.entry(why.to_owned()).or_default() += count;
        }
        for (at, answer) in self.answers.iter().enumerate() {
            match answer {
                ChainAnswer::Agrees => counts.cases += 1,
                ChainAnswer::Differs(_) | ChainAnswer::Failed(_) => {
                    counts.cases += 1;
                    counts.mismatches += u64::from(!self.listed.contains_key(&at));
                }
                ChainAnswer::Undefined(why) | ChainAnswer::Skipped(why) => {
                    *counts.skipped.entry(why.clone()).or_default() += 1;
                }
            }
        }
        counts
    }
}

/// The chains of a task, drawn.
struct DrawnTask<'l> {
    library: &'l Library<'l>,
    chains: Vec<(Chain, ChainRows)>,
    deadly: u64,
    missing: u64,
}

impl<'l> DrawnTask<'l> {
    fn new(library: &'l Library<'l>, known: &KnownOfEngine<'_>, seed: u64, count: u64) -> Self {
        let mut draw = ChainDraw::new(library, seed, LINES);
        let drawn = |number: u64| {
            let chain = draw.next_chain()?;
            let rows = ChainRows::drawn(&chain, seed.wrapping_mul(ROW_SEED).wrapping_add(number), ROWS);
            Some((chain, rows))
        };
        let drawn: Vec<(Chain, ChainRows)> = (0..count).map_while(drawn).collect();
        let missing = count - drawn.len() as u64;
        let (deadly, chains): (Vec<_>, Vec<_>) = drawn.into_iter().partition(|(chain, _)| known.is_deadly(chain));
        Self { library, chains, deadly: deadly.len() as u64, missing }
    }

    fn ask(&self, comparison: &ChainComparison<'_>, known: &KnownOfEngine<'_>) -> ChainAnswers {
        let texts: Vec<ChainText> = self.chains.iter().map(|(chain, _)| ChainText::from(chain)).collect();
        let all: Vec<(&ChainText, &ChainRows)> = texts.iter().zip(self.chains.iter().map(|(_, rows)| rows)).collect();
        let answers = compare(comparison, &all);
        let failing = answers.iter().zip(&self.chains).enumerate().filter_map(|(at, (answer, (chain, rows)))| {
            let failed = matches!(answer, ChainAnswer::Differs(_) | ChainAnswer::Failed(_));
            let of = || Reduced { chain: chain.clone(), rows: rows.clone(), answer: answer.clone() };
            failed.then(|| (at, of()))
        });
        let listed = known.explained(comparison, self.library, failing);
        ChainAnswers { answers, listed, deadly: self.deadly, missing: self.missing }
    }
}
