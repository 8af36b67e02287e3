//! Reduces chains that differ: as long as the reference defines a simpler chain and the engine still fails in the same way, the
//! simpler one is taken. All candidates of all chains are asked about together, since asking takes long whatever is asked.

mod cut;
mod shorter;
mod simpler;
mod spelling;
mod valid;

use rayon::prelude::*;

use crate::chain::Chain;
use crate::chain_text::ChainText;
use crate::compare::{ChainAnswer, ChainComparison, compare, compare_alone};
use crate::inputs::ChainRows;
use crate::library::Library;
pub use cut::without_instructions;
use shorter::shorter;
use simpler::simpler;
pub(crate) use spelling::with_other_choices;

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

/// The simpler chains to try of a chain, the best first.
type Candidates<'c> = dyn Fn(&Reduced) -> Vec<(Chain, ChainRows)> + Sync + 'c;

/// Removes lines from chains that differ, or on which the engine fails, as long as it still goes wrong. A chain that is `done`
/// stays as it is.
pub(crate) fn shorten(
    of: &ChainComparison<'_>,
    library: &Library<'_>,
    failing: Vec<Reduced>,
    done: impl Fn(&Reduced) -> bool,
) -> Vec<Reduced> {
    rounds(of, failing, &|chain| shorter(of, library, chain), done)
}

/// Makes chains as simple as they can be, as long as the engine still goes wrong. A chain that is `done` stays as it is.
pub(crate) fn simplify(
    of: &ChainComparison<'_>,
    library: &Library<'_>,
    failing: Vec<Reduced>,
    done: impl Fn(&Reduced) -> bool,
) -> Vec<Reduced> {
    let candidates = |chain: &Reduced| [shorter(of, library, chain), simpler(library, chain)].concat();
    rounds(of, failing, &candidates, done)
}

/// Replaces each chain by the first of its candidates on which the engine still goes wrong, again and again. A chain is finished
/// when it has no such candidate.
fn rounds(
    of: &ChainComparison<'_>,
    failing: Vec<Reduced>,
    candidates: &Candidates<'_>,
    done: impl Fn(&Reduced) -> bool,
) -> Vec<Reduced> {
    let mut open: Vec<(Reduced, bool)> = failing
        .into_iter()
        .map(focused)
        .map(|chain| (done(&chain), chain))
        .map(|(done, chain)| (chain, done))
        .collect();
    for _ in 0..ROUNDS {
        let tried: Vec<Vec<(Chain, ChainRows)>> =
            open.par_iter().map(|(chain, done)| if *done { Vec::new() } else { candidates(chain) }).collect();
        if tried.iter().all(Vec::is_empty) {
            break;
        }
        let mut answers = ask(of, &open, &tried).into_iter();
        for ((chain, is_done), tried) in open.iter_mut().zip(tried) {
            // All are taken, so that the next chain gets its own.
            let answers: Vec<ChainAnswer> = answers.by_ref().take(tried.len()).collect();
            let mut same = tried.into_iter().zip(answers).filter(|(_, answer)| is_same(&chain.answer, answer));
            match same.next() {
                Some(((simpler, rows), answer)) => {
                    *chain = focused(Reduced { chain: simpler, rows, answer });
                    *is_done = done(chain);
                }
                None => *is_done = true,
            }
        }
    }
    open.into_iter().map(|(chain, _)| chain).collect()
}

/// The answers to all candidates, in order. Those of a chain on which the engine fails have a module each, as it would fail on
/// all of them.
fn ask(of: &ChainComparison<'_>, open: &[(Reduced, bool)], tried: &[Vec<(Chain, ChainRows)>]) -> Vec<ChainAnswer> {
    let fails = |(chain, _): &(Reduced, bool)| matches!(chain.answer, ChainAnswer::Failed(_));
    let fails: Vec<bool> =
        open.iter().zip(tried).flat_map(|(open, tried)| std::iter::repeat_n(fails(open), tried.len())).collect();
    let texts: Vec<ChainText> = tried.iter().flatten().map(|(chain, _)| ChainText::from(chain)).collect();
    let all: Vec<(&ChainText, &ChainRows)> = texts.iter().zip(tried.iter().flatten().map(|(_, rows)| rows)).collect();
    let of_kind = |kind: bool| -> Vec<(&ChainText, &ChainRows)> {
        all.iter().zip(&fails).filter(|(_, fails)| **fails == kind).map(|(chain, _)| *chain).collect()
    };
    let (mut alone, mut shared) =
        (compare_alone(of, &of_kind(true)).into_iter(), compare(of, &of_kind(false)).into_iter());
    fails.iter().filter_map(|fails| if *fails { alone.next() } else { shared.next() }).collect()
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
