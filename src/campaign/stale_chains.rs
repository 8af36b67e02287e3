//! Questions the listed divergences in chains of lines, by the chains that they are known by: those that agree now are gone.

use std::collections::BTreeMap;

use ptx_exec::interpret::Interpreter;
use ptx_kernels::{ChainAnswer, ChainComparison, ChainRows, ChainText, compare_alone, compare_apart};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::chains::{ChainAsker, does};
use super::results::{Problem, Questioned};
use super::stale::NOT_DONE;
use super::tally::Tally;
use super::tasks::{PlannedTask, TaskKeeper, TaskResult, WatchedEngine};
use crate::divergences::{Divergence, Does};
use crate::engine::KernelExecutor;
use crate::ledger::{TaskCounts, TaskKind};

/// Chains of a task.
const TASK: usize = 16;
/// The reason why a run says nothing of chains.
const NOT_CHAINED: &str = "chains are executed with --chains";

/// A chain that shows a listed divergence.
struct ListedChain<'d> {
    divergence: &'d Divergence,
    chain: &'d ChainText,
    rows: ChainRows,
}

impl<'d> ListedChain<'d> {
    /// The chain of a divergence; none if it is about single lines.
    fn new(divergence: &'d Divergence) -> Option<Self> {
        let shows = &divergence.chain.as_ref()?.shows;
        Some(Self { divergence, chain: shows.chain(), rows: shows.rows().ok()? })
    }

    /// True if it may kill the engine, which would cost others their answers.
    fn is_deadly(&self) -> bool {
        self.divergence.does == Does::Crashes
    }
}

/// The answers to the chains of a task.
#[derive(Debug, Serialize, Deserialize)]
struct ListedAnswers(Vec<ChainAnswer>);

impl TaskResult for ListedAnswers {
    fn counts(&self) -> TaskCounts {
        TaskCounts { cases: self.0.len() as u64, ..TaskCounts::default() }
    }
}

impl ChainAsker<'_> {
    /// The chains of the divergences that are listed for this engine, and at some depths of those for other versions.
    fn listed(&self) -> impl Iterator<Item = ListedChain<'_>> {
        let elsewhere = self.options.depth.budget().elsewhere;
        let wanted = move |of: &&Divergence| match &self.known.version {
            Some(version) => of.applies(version) || elsewhere && of.applies_elsewhere(version),
            None => false,
        };
        self.known.divergences.all.iter().filter(wanted).filter_map(ListedChain::new)
    }

    /// Executes the chains of listed divergences. The answers are by the names of the divergences.
    pub(super) fn ask_listed(
        &self,
        engine: &dyn KernelExecutor,
        work: &TaskKeeper<'_>,
        watched: WatchedEngine<'_>,
    ) -> BTreeMap<String, ChainAnswer> {
        if !self.options.instructions.is_empty() || !self.options.asks_listed_chains() {
            return BTreeMap::new();
        }
        let environment = self.environment;
        let interpreter = Interpreter::new(self.spec);
        let comparison = ChainComparison { interpreter: &interpreter, engine, environment };
        let (deadly, others): (Vec<_>, Vec<_>) = self.listed().partition(ListedChain::is_deadly);
        let plan = |some: &&[ListedChain<'_>]| {
            let names: Vec<&str> = some.iter().map(|of| of.divergence.id.as_str()).collect();
            let words = || format!("from {}", names[0]);
            let what = || format!("{environment}\n{}", names.join("\n"));
            work.plan(engine, TaskKind::ListedChains, names.len() as u64, words, what)
        };
        let packs: Vec<&[ListedChain<'_>]> = deadly.chunks(TASK).chain(others.chunks(TASK)).collect();
        let tasks: Vec<PlannedTask> = packs.iter().map(plan).collect();
        let ask = |(some, task): (&&[ListedChain<'_>], &PlannedTask)| {
            let texts: Vec<(&ChainText, &ChainRows)> = some.iter().map(|of| (of.chain, &of.rows)).collect();
            let compare = if some.iter().any(ListedChain::is_deadly) { compare_alone } else { compare_apart };
            work.result(task, watched, || ListedAnswers(compare(&comparison, &texts)))
        };
        let answers: Vec<Option<ListedAnswers>> = packs.par_iter().zip(&tasks).map(ask).collect();
        let mut by_name = BTreeMap::new();
        for (some, ListedAnswers(answers)) in packs.iter().zip(answers).filter_map(|(some, of)| Some((some, of?))) {
            by_name.extend(some.iter().map(|of| of.divergence.id.clone()).zip(answers));
        }
        by_name
    }

    /// The divergences that need attention, and those about which the answers say nothing.
    pub(super) fn question(&self, answers: &BTreeMap<String, ChainAnswer>, tally: &mut Tally) -> Questioned {
        let mut questioned = Questioned::default();
        let (known, options) = (self.known, self.options);
        let Some(version) = known.version.as_ref().filter(|_| options.instructions.is_empty()) else {
            return questioned;
        };
        if !options.asks_listed_chains() {
            known.divergences.chains(version).for_each(|(divergence, _)| questioned.not_asked(divergence, NOT_CHAINED));
            return questioned;
        }
        for ListedChain { divergence, chain, .. } in self.listed() {
            let Some(answer) = answers.get(&divergence.id) else {
                questioned.not_asked(divergence, NOT_DONE);
                continue;
            };
            if !divergence.applies(version) {
                match answer {
                    ChainAnswer::Differs(_) | ChainAnswer::Failed(_) if !known.lists_some_of(&chain.lines, answer) => {
                        questioned.needs_attention(divergence, Problem::Wider);
                    }
                    ChainAnswer::Differs(_) | ChainAnswer::Failed(_) | ChainAnswer::Agrees => {}
                    ChainAnswer::Skipped(why) | ChainAnswer::Undefined(why) => questioned.not_asked(divergence, why),
                }
                continue;
            }
            if options.has_expired(divergence) {
                questioned.needs_attention(divergence, Problem::Expired);
            }
            match answer {
                ChainAnswer::Differs(_) | ChainAnswer::Failed(_) if does(answer) == divergence.does => {
                    tally.listed.entry(divergence.id.clone()).or_default().note(true);
                }
                ChainAnswer::Agrees | ChainAnswer::Differs(_) | ChainAnswer::Failed(_) => {
                    tally.listed.entry(divergence.id.clone()).or_default().note(false);
                    questioned.needs_attention(divergence, Problem::Fixed);
                }
                ChainAnswer::Skipped(why) | ChainAnswer::Undefined(why) => questioned.not_asked(divergence, why),
            }
        }
        questioned
    }
}
