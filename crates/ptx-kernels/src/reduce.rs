//! Reduces chains that differ: as long as the reference defines a simpler chain and the engine still fails in the same way, the
//! simpler one is taken. All candidates of all chains are asked about together, since asking takes long whatever is asked.

mod candidates;
mod cut;
mod simpler;

use crate::chain::Chain;
use crate::chain_text::ChainText;
use crate::compare::{ChainAnswer, ChainComparison, compare};
use crate::inputs::ChainRows;
use crate::kernel::ChainModule;
use crate::library::Library;
use candidates::candidates;
pub use cut::without_instructions;
pub(crate) use simpler::with_other_choices;

/// A chain that cannot be made simpler in one step, and what the engine does with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The chain.
    pub chain: Chain,
    /// Its rows; the first is one that shows the difference.
    pub rows: ChainRows,
    /// The engine's answer to it.
    pub answer: ChainAnswer,
}

/// More rounds than a chain of a few lines needs.
const ROUNDS: usize = 80;

/// Reduces chains that differ, or on which the engine fails; others stay as they are. A chain that is `known` is not reduced
/// further.
pub fn reduce(
    of: &ChainComparison<'_>,
    library: &Library<'_>,
    failing: Vec<Reduced>,
    known: impl Fn(&Reduced) -> bool,
) -> Vec<Reduced> {
    let mut open: Vec<(Reduced, bool)> = failing
        .into_iter()
        .map(|chain| {
            let done = known(&chain);
            (focused(chain), done)
        })
        .collect();
    for _ in 0..ROUNDS {
        let tried: Vec<Vec<(Chain, ChainRows)>> =
            open.iter().map(|(chain, done)| if *done { Vec::new() } else { candidates(of, library, chain) }).collect();
        if tried.iter().all(Vec::is_empty) {
            break;
        }
        let mut answers = ask(of, &open, &tried).into_iter();
        for ((chain, done), tried) in open.iter_mut().zip(tried) {
            let answers = answers.by_ref().take(tried.len()).enumerate();
            // All are taken, so that the next chain gets its own.
            let same: Vec<(usize, ChainAnswer)> =
                answers.filter(|(_, answer)| is_same(&chain.answer, answer)).collect();
            let Some((at, answer)) = same.into_iter().next() else {
                *done = true;
                continue;
            };
            if let Some((simpler, rows)) = tried.into_iter().nth(at) {
                *chain = focused(Reduced { chain: simpler, rows, answer });
                *done = known(chain);
            }
        }
    }
    open.into_iter().map(|(chain, _)| chain).collect()
}

/// The answers to all candidates, in order. Those of a chain share a module, unless the engine fails on them: then each has its
/// own, as it would fail on all of them.
fn ask(of: &ChainComparison<'_>, open: &[(Reduced, bool)], tried: &[Vec<(Chain, ChainRows)>]) -> Vec<ChainAnswer> {
    let text = |of: &Vec<(Chain, ChainRows)>| of.iter().map(|(chain, _)| ChainText::from(chain)).collect();
    let texts: Vec<Vec<ChainText>> = tried.iter().map(text).collect();
    let mut modules: Vec<Vec<(&ChainText, &ChainRows)>> = Vec::new();
    for (((chain, _), tried), texts) in open.iter().zip(tried).zip(&texts) {
        let candidates: Vec<(&ChainText, &ChainRows)> = texts.iter().zip(tried.iter().map(|(_, rows)| rows)).collect();
        match chain.answer {
            ChainAnswer::Failed(_) => modules.extend(candidates.chunks(1).map(<[_]>::to_vec)),
            _ => modules.push(candidates),
        }
    }
    let modules: Vec<&ChainModule<'_>> = modules.iter().map(Vec::as_slice).collect();
    compare(of, &modules).into_iter().flatten().collect()
}

/// True if the engine still goes wrong in the same way.
pub(crate) fn is_same(before: &ChainAnswer, now: &ChainAnswer) -> bool {
    match (before, now) {
        (ChainAnswer::Differs(_), ChainAnswer::Differs(_)) => true,
        (ChainAnswer::Failed(before), ChainAnswer::Failed(now)) => before == now,
        _ => false,
    }
}

/// The chain with the row that differs first.
fn focused(mut chain: Reduced) -> Reduced {
    if let ChainAnswer::Differs(difference) = &mut chain.answer {
        let row = std::mem::take(&mut difference.row);
        chain.rows.rows.swap(0, row);
    }
    chain
}
