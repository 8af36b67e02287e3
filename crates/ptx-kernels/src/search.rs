//! The search for the causes of chains that fail. Making a chain as simple as possible takes many questions, so chains lose
//! lines first, and of those with the same instructions only a few are made simpler: their causes explain most of the others.

use std::collections::BTreeMap;

use crate::cause::{ChainCause, cause_lines, causes};
use crate::chain_text::ChainText;
use crate::compare::{ChainComparison, compare_alone};
use crate::inputs::ChainRows;
use crate::library::Library;
use crate::reduce::{Reduced, is_same, shorten, simplify};

/// The result of a search.
#[derive(Debug, Default)]
pub struct ChainSearch {
    /// The causes, those of most chains first.
    pub causes: Vec<ChainCause>,
    /// The chains that were known once they were reduced.
    pub known: Vec<Reduced>,
    /// The chains whose cause was not found, or that fail only among other chains.
    pub open: Vec<Reduced>,
}

/// Chains with the same instructions that are made simpler at once.
const OF_OPCODES: usize = 2;
/// How often what is not explained is searched.
const PASSES: usize = 8;

/// Searches for the causes of chains that differ, or on which the engine fails. A chain that is `known`, as it is or reduced, is
/// not searched further.
pub fn search(
    of: &ChainComparison<'_>,
    library: &Library<'_>,
    failing: Vec<Reduced>,
    known: impl Fn(&Reduced) -> bool,
) -> ChainSearch {
    let mut found = ChainSearch::default();
    (found.known, found.open) = shorten(of, library, failing, &known).into_iter().partition(&known);
    for _ in 0..PASSES {
        let mut of_opcodes: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        let mut is_first = |chain: &Reduced| {
            let count = of_opcodes.entry(opcodes(library, chain)).or_default();
            *count += 1;
            *count <= OF_OPCODES
        };
        let (first, others): (Vec<_>, Vec<_>) = found.open.drain(..).partition(|chain| is_first(chain));
        if first.is_empty() {
            break;
        }
        let (now_known, new): (Vec<_>, Vec<_>) =
            simplify(of, library, first, &known).into_iter().partition(|chain| known(chain));
        found.known.extend(now_known);
        for cause in causes(of, library, new) {
            match found.causes.iter_mut().find(|earlier| earlier.covers(&cause.lines)) {
                Some(earlier) => earlier.chains += cause.chains,
                None => found.causes.push(cause),
            }
        }
        for chain in others {
            match found.causes.iter_mut().find(|cause| cause.explains(library, &chain)) {
                Some(cause) => cause.chains += 1,
                None => found.open.push(chain),
            }
        }
    }
    found.confirm(of);
    found.causes.sort_by_key(|cause| std::cmp::Reverse(cause.chains));
    found
}

impl ChainSearch {
    /// Keeps the causes whose chain fails alone as well: the others have no module that shows them.
    fn confirm(&mut self, of: &ChainComparison<'_>) {
        let texts: Vec<ChainText> = self.causes.iter().map(|cause| ChainText::from(&cause.reduced.chain)).collect();
        let rows = self.causes.iter().map(|cause| &cause.reduced.rows);
        let chains: Vec<(&ChainText, &ChainRows)> = texts.iter().zip(rows).collect();
        let answers = compare_alone(of, &chains);
        for (cause, answer) in std::mem::take(&mut self.causes).into_iter().zip(answers) {
            match is_same(&cause.reduced.answer, &answer) {
                true => self.causes.push(cause),
                false => self.open.push(cause.reduced),
            }
        }
    }
}

/// The opcode of each instruction of a chain.
fn opcodes(library: &Library<'_>, of: &Reduced) -> Vec<String> {
    cause_lines(library, &of.chain).into_iter().map(|line| line.opcode).collect()
}
