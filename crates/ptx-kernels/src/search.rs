//! The search for the causes of chains that fail. Making a chain as simple as possible takes many questions, so chains lose
//! lines first, and of those with the same instructions only a few are made simpler: their causes explain most of the others.

use std::collections::BTreeMap;

use crate::cause::{ChainCause, causes};
use crate::compare::ChainComparison;
use crate::library::Library;
use crate::reduce::{Reduced, shorten, simplify};

/// The result of a search.
#[derive(Debug, Default)]
pub struct ChainSearch {
    /// The causes, those of most chains first.
    pub causes: Vec<ChainCause>,
    /// The chains that were known once they were reduced.
    pub known: Vec<Reduced>,
    /// The chains whose cause was not found.
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
    found.causes.sort_by_key(|cause| std::cmp::Reverse(cause.chains));
    found
}

/// The opcode of each instruction of a chain.
fn opcodes(library: &Library<'_>, of: &Reduced) -> Vec<String> {
    let opcode = |text: String| library.choices(&of.chain, &text).unwrap_or_default().0;
    of.chain.instructions().map(|instruction| opcode(instruction.text())).collect()
}
