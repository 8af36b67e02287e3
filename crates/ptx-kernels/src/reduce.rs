//! Reduces chains that differ: as long as the reference defines a simpler chain and the engine still fails in the same way, the
//! simpler one is taken. All candidates of all chains are asked about together, since asking takes long whatever is asked.

mod candidates;
mod cut;
mod simpler;

use crate::chain::Chain;
use crate::compare::{ChainAnswer, Comparison, compare};
use crate::inputs::ChainRows;
use crate::library::Library;
use candidates::candidates;

/// A chain that cannot be made simpler in one step, and what the engine does with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The chain.
    pub chain: Chain,
    /// Its rows; the first is one that shows the difference.
    pub rows: ChainRows,
    /// What the engine does with it.
    pub answer: ChainAnswer,
}

/// More rounds than a chain of a few lines needs.
const ROUNDS: usize = 80;

/// Reduces chains that differ, or on which the engine fails; others stay as they are.
pub fn reduce(of: &Comparison<'_>, library: &Library<'_>, failing: Vec<Reduced>) -> Vec<Reduced> {
    let mut open: Vec<(Reduced, bool)> = failing.into_iter().map(|chain| (focused(chain), false)).collect();
    for _ in 0..ROUNDS {
        let tried: Vec<Vec<(Chain, ChainRows)>> = open
            .iter()
            .map(|(chain, done)| if *done { Vec::new() } else { candidates(of, library, chain) })
            .collect();
        if tried.iter().all(Vec::is_empty) {
            break;
        }
        let modules: Vec<Vec<(&Chain, &ChainRows)>> =
            tried.iter().map(|of| of.iter().map(|(chain, rows)| (chain, rows)).collect()).collect();
        let asked: Vec<&[(&Chain, &ChainRows)]> = modules.iter().map(Vec::as_slice).collect();
        let answers = compare(of, &asked);
        drop(modules);
        for (((chain, done), tried), answers) in open.iter_mut().zip(tried).zip(answers) {
            let same = |answer: &ChainAnswer| is_same(&chain.answer, answer);
            let Some((at, answer)) = answers.into_iter().enumerate().find(|(_, answer)| same(answer)) else {
                *done = true;
                continue;
            };
            if let Some((simpler, rows)) = tried.into_iter().nth(at) {
                *chain = focused(Reduced { chain: simpler, rows, answer });
            }
        }
    }
    open.into_iter().map(|(chain, _)| chain).collect()
}

/// True if the engine still goes wrong in the same way.
fn is_same(before: &ChainAnswer, now: &ChainAnswer) -> bool {
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
