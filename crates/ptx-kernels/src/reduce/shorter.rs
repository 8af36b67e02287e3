//! The chains that have fewer lines or results than a chain, those that gain most first.

use super::Reduced;
use super::cut::{cut, depth, first_line, observe, without_unused};
use super::valid::valid;
use crate::chain::{Chain, ChainStatement};
use crate::compare::{ChainAnswer, ChainComparison};
use crate::inputs::ChainRows;
use crate::library::Library;

/// The shorter chains, each valid.
pub(super) fn shorter(of: &ChainComparison<'_>, library: &Library<'_>, reduced: &Reduced) -> Vec<(Chain, ChainRows)> {
    let Reduced { chain, rows, answer } = reduced;
    let mut found: Vec<(Chain, ChainRows)> = windows(of, chain, rows);
    let mut same_rows = |shorter: Chain| found.push((shorter, rows.clone()));
    if let ChainAnswer::Differs(difference) = answer
        && chain.outputs.len() > 1
    {
        same_rows(Chain { outputs: vec![chain.outputs[difference.output]], ..chain.clone() });
    }
    same_rows(without_unused(chain));
    without_blocks(chain).into_iter().for_each(&mut same_rows);
    for at in 0..chain.statements.len() {
        if matches!(chain.statements[at], ChainStatement::Instruction(_)) {
            let mut without = chain.clone();
            without.statements.remove(at);
            // What it wrote has another value then, or none.
            found.extend(cut(of, chain, rows, at).or(Some((without, rows.clone()))));
        }
    }
    found.into_iter().filter_map(|(chain, rows)| valid(library, reduced, &chain, &rows)).collect()
}

/// The parts of the chain from one of its instructions outside of blocks to another, the shortest first: what those before it
/// computed are inputs, and what the last one writes is observed.
fn windows(of: &ChainComparison<'_>, chain: &Chain, rows: &ChainRows) -> Vec<(Chain, ChainRows)> {
    let mut found: Vec<(Chain, ChainRows)> = Vec::new();
    let mut rest = Some((chain.clone(), rows.clone()));
    while let Some((chain, rows)) = rest.filter(|(chain, _)| !chain.statements.is_empty()) {
        found.extend(prefixes(&chain).into_iter().map(|prefix| (prefix, rows.clone())));
        rest = first_line(&chain).and_then(|at| cut(of, &chain, &rows, at));
    }
    found.retain(|(window, _)| window.statements.len() < chain.statements.len());
    found.sort_by_key(|(window, _)| window.statements.len());
    found
}

/// The chain up to each of its instructions outside of blocks, whose results are observed instead.
fn prefixes(chain: &Chain) -> Vec<Chain> {
    let prefix = |at: usize| {
        let ChainStatement::Instruction(instruction) = &chain.statements[at] else { return None };
        if depth(chain, at) > 0 || instruction.fills_memory() {
            return None;
        }
        let outputs: Vec<usize> = instruction.writes().collect();
        let mut prefix = Chain { statements: chain.statements[..=at].to_vec(), outputs, ..chain.clone() };
        if let (Some(memory), []) = (instruction.memory(), &prefix.outputs[..]) {
            prefix.outputs = observe(&mut prefix, memory).into();
        }
        Some(prefix)
    };
    (0..chain.statements.len()).filter_map(prefix).collect()
}

/// The chain without one of its blocks: without its borders, or with fewer rounds of a loop.
fn without_blocks(chain: &Chain) -> Vec<Chain> {
    let mut found = Vec::new();
    for (at, statement) in chain.statements.iter().enumerate() {
        let inside = depth(chain, at);
        let end = (at + 1..chain.statements.len())
            .find(|&end| matches!(chain.statements[end], ChainStatement::End) && depth(chain, end) == inside + 1);
        if let (ChainStatement::If { .. } | ChainStatement::Loop { .. }, Some(end)) = (statement, end) {
            let border = |of: usize| {
                of == at
                    || of == end
                    || matches!(chain.statements[of], ChainStatement::Else)
                        && (at..end).contains(&of)
                        && depth(chain, of) == inside + 1
            };
            let mut without = chain.clone();
            without.statements.drain(at..=end);
            found.push(without);
            let mut without = chain.clone();
            let mut position = 0..;
            without.statements.retain(|_| !position.next().is_some_and(border));
            found.push(without);
        }
        if let ChainStatement::Loop { times: 2.. } = statement {
            let mut once = chain.clone();
            once.statements[at] = ChainStatement::Loop { times: 1 };
            found.push(once);
        }
    }
    found
}
