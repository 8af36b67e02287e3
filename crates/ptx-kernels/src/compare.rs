//! Compares what an engine computes with the reference, chain by chain.

use ptx_engines::KernelExecutor;
use ptx_exec::interpret::Interpreter;
use ptx_exec::kernel_case::{KernelAnswer, KernelResult};
use ptx_spec::environment::Environment;
use ptx_spec::must::Must as _;
use rayon::prelude::*;

use crate::chain_text::ChainText;
use crate::inputs::ChainRows;
use crate::kernel::{ChainKernels, ChainModule};

/// The answer of an engine to a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChainAnswer {
    /// The engine computed what the reference computes, in all rows.
    Agrees,
    /// The engine computed something else.
    Differs(ChainDifference),
    /// The engine failed on the chain alone: it crashed, hung, trapped, or refused it.
    Failed(String),
    /// The engine did not execute the chain; says why.
    Skipped(String),
    /// The reference does not say what the chain does; says why.
    Undefined(String),
}

/// The first difference between an engine and the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainDifference {
    /// The row, by its position.
    pub row: usize,
    /// The output, by its position.
    pub output: usize,
    /// The value that the reference computes.
    pub expected: u64,
    /// The value that the engine computed.
    pub actual: u64,
    /// The bits that the reference defines and the engine does not.
    pub undefined: u64,
}

/// Executes chains on an engine and in the reference.
pub struct ChainComparison<'c> {
    /// The reference.
    pub interpreter: &'c Interpreter<'c>,
    /// The engine.
    pub engine: &'c dyn KernelExecutor,
    /// PTX version and target of the modules.
    pub environment: Environment,
}

/// Chains of a question that failed as a whole, by their positions, and what to do next.
type Positions = Vec<usize>;

/// Modules whose machine code is disassembled together, if there are many: starting the disassembler takes as long as compiling
/// hundreds of chains.
const TOGETHER: usize = 2;

/// The answers to chains, in order. Chains that share a module are asked about again in parts where the module fails.
pub fn compare(of: &ChainComparison<'_>, modules: &[&ChainModule<'_>]) -> Vec<Vec<ChainAnswer>> {
    let together = modules.len().div_ceil(rayon::current_num_threads()).max(TOGETHER);
    modules.par_chunks(together).flat_map_iter(|modules| compare_some(of, modules)).collect()
}

fn compare_some(of: &ChainComparison<'_>, modules: &[&ChainModule<'_>]) -> Vec<Vec<ChainAnswer>> {
    let mut answers: Vec<Vec<Option<ChainAnswer>>> = modules.iter().map(|chains| vec![None; chains.len()]).collect();
    // Chains of a module that share a case, by their positions.
    let mut open: Vec<(usize, Positions)> =
        modules.iter().enumerate().map(|(module, chains)| (module, (0..chains.len()).collect())).collect();
    // The reference first: what it does not define is not asked.
    let mut expected: Vec<(usize, Positions, ChainKernels, KernelResult)> = Vec::new();
    while let Some((module, chains)) = open.pop() {
        let asked: Vec<(&ChainText, &ChainRows)> = chains.iter().map(|at| modules[module][*at]).collect();
        let kernels = ChainKernels::new(&of.environment, &asked);
        let why = match of.interpreter.execute(&kernels.case) {
            KernelAnswer::Returned(result) => {
                expected.push((module, chains, kernels, result));
                continue;
            }
            KernelAnswer::Undefined(why) => ChainAnswer::Undefined(why),
            KernelAnswer::Skipped(why) | KernelAnswer::Failed(why) | KernelAnswer::Trapped(why) => {
                ChainAnswer::Undefined(format!("the reference does not execute it: {why}"))
            }
        };
        split(module, &chains, why, &mut open, &mut answers);
    }
    while !expected.is_empty() {
        let cases: Vec<_> = expected.iter().map(|(_, _, kernels, _)| kernels.case.clone()).collect();
        let given = of.engine.execute_kernels(&cases);
        let mut again: Vec<(usize, Positions)> = Vec::new();
        for ((module, chains, kernels, reference), answer) in expected.drain(..).zip(given) {
            let why = match answer {
                KernelAnswer::Returned(result) => {
                    for (number, at) in chains.iter().enumerate() {
                        let (chain, rows) = modules[module][*at];
                        let difference = difference(&kernels, number, chain, rows, &reference, &result);
                        answers[module][*at] = Some(difference.map_or(ChainAnswer::Agrees, ChainAnswer::Differs));
                    }
                    continue;
                }
                KernelAnswer::Undefined(what) => ChainAnswer::Failed(what),
                KernelAnswer::Trapped(how) => ChainAnswer::Failed(format!("it trapped: {how}")),
                KernelAnswer::Failed(how) => ChainAnswer::Failed(how),
                KernelAnswer::Skipped(why) => ChainAnswer::Skipped(why),
            };
            split(module, &chains, why, &mut again, &mut answers);
        }
        for (module, chains) in again {
            let asked: Vec<(&ChainText, &ChainRows)> = chains.iter().map(|at| modules[module][*at]).collect();
            let kernels = ChainKernels::new(&of.environment, &asked);
            let result = match of.interpreter.execute(&kernels.case) {
                KernelAnswer::Returned(result) => Some(result),
                _ => None,
            };
            let result = result.must("the reference executed these chains among others, so it executes them alone");
            expected.push((module, chains, kernels, result));
        }
    }
    // An engine may give fewer answers than it owes.
    let unasked = || ChainAnswer::Skipped("the engine gave no answer".to_owned());
    answers.into_iter().map(|of| of.into_iter().map(|answer| answer.unwrap_or_else(unasked)).collect()).collect()
}

/// Chains of a case that is asked about again because a larger one has no result: an entry, a few, one.
const PARTS: [usize; 3] = [64, 8, 1];

/// Chains whose case has no result: they are asked about in parts, and one alone gets its answer.
fn split(
    module: usize,
    chains: &[usize],
    why: ChainAnswer,
    open: &mut Vec<(usize, Positions)>,
    answers: &mut [Vec<Option<ChainAnswer>>],
) {
    match chains {
        [] => {}
        [alone] => answers[module][*alone] = Some(why),
        _ => {
            let part = PARTS.into_iter().find(|part| *part < chains.len()).unwrap_or(1);
            open.extend(chains.chunks(part).map(|part| (module, part.to_vec())));
        }
    }
}

/// The first difference of a chain.
fn difference(
    kernels: &ChainKernels,
    number: usize,
    chain: &ChainText,
    rows: &ChainRows,
    reference: &KernelResult,
    result: &KernelResult,
) -> Option<ChainDifference> {
    let name = kernels.results();
    let bits = |masks: Option<&Vec<u8>>, place: usize| {
        masks.and_then(|masks| masks.get(place..)?.first_chunk()).map_or(0, |bytes| u64::from_le_bytes(*bytes))
    };
    let each = (0..rows.rows.len()).flat_map(|row| (0..chain.outputs.len()).map(move |output| (row, output)));
    each.map(|(row, output)| {
        let place = kernels.place(number, row, output);
        let (expected, actual) =
            (kernels.value(reference.buffers.get(name), place), kernels.value(result.buffers.get(name), place));
        let open = bits(reference.undefined.get(name), place);
        let undefined = bits(result.undefined.get(name), place) & !open;
        (ChainDifference { row, output, expected, actual, undefined }, open)
    })
    .find(|(of, open)| (of.expected ^ of.actual) & !open != 0 || of.undefined != 0)
    .map(|(of, _)| of)
}
