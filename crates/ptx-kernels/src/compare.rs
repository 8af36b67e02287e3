//! Compares what an engine computes with the reference, chain by chain.

use ptx_engines::KernelExecutor;
use ptx_exec::interpret::Interpreter;
use ptx_exec::kernel_case::{KernelAnswer, KernelCase, KernelResult};
use ptx_spec::environment::Environment;
use rayon::prelude::*;

use crate::chain_text::ChainText;
use crate::inputs::ChainRows;
use crate::kernel::{ChainEntry, ChainKernels};

/// The answer of an engine to a chain.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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

/// Chains of an entry: of more, each costs the assembler more.
const OF_ENTRY: usize = 64;
/// Chains of an entry that are asked about again because a larger one has no answer; after that, each has an entry.
const OF_SMALL_ENTRY: usize = 8;
/// Entries of a module.
const OF_MODULE: usize = 16;
/// Modules whose machine code is disassembled together, if there are many: starting the disassembler takes as long as compiling
/// hundreds of chains.
const TOGETHER: usize = 2;

/// The answers to chains, in order. Hundreds share a module. Where it, or one of its entries, has no answer, they are asked
/// about again in smaller ones, up to one alone.
pub fn compare(of: &ChainComparison<'_>, chains: &ChainEntry<'_>) -> Vec<ChainAnswer> {
    let entries = parts((0..chains.len()).collect(), OF_ENTRY);
    compare_modules(of, chains, parts(entries, OF_MODULE))
}

/// The answers to chains, in order, of which each has a module: the engine may fail on any of them.
pub fn compare_alone(of: &ChainComparison<'_>, chains: &ChainEntry<'_>) -> Vec<ChainAnswer> {
    compare_modules(of, chains, (0..chains.len()).map(|chain| vec![vec![chain]]).collect())
}

/// Chains of an entry, by their positions.
type Positions = Vec<usize>;
/// The entries of a module.
type Entries = Vec<Positions>;

/// Cuts a list into parts of this many.
fn parts<T: Clone>(all: Vec<T>, of: usize) -> Vec<Vec<T>> {
    all.chunks(of).map(<[T]>::to_vec).collect()
}

/// The answers to chains, in order, each of which has an entry of its own in the modules that they share.
pub fn compare_apart(of: &ChainComparison<'_>, chains: &ChainEntry<'_>) -> Vec<ChainAnswer> {
    compare_modules(of, chains, parts((0..chains.len()).map(|chain| vec![chain]).collect(), OF_MODULE))
}

fn compare_modules(of: &ChainComparison<'_>, chains: &ChainEntry<'_>, modules: Vec<Entries>) -> Vec<ChainAnswer> {
    let together = modules.len().div_ceil(rayon::current_num_threads()).max(TOGETHER);
    let found: Vec<(usize, ChainAnswer)> = modules
        .par_chunks(together)
        .flat_map_iter(|modules| {
            let mut questions = ChainQuestions { of, chains, modules: modules.to_vec(), answers: Vec::new() };
            while !questions.modules.is_empty() {
                questions.ask();
            }
            questions.answers
        })
        .collect();
    let mut answers = vec![no_answer(); chains.len()];
    found.into_iter().for_each(|(chain, answer)| answers[chain] = answer);
    answers
}

/// Chains that are still to be asked about, and the answers to the others.
struct ChainQuestions<'q> {
    of: &'q ChainComparison<'q>,
    chains: &'q ChainEntry<'q>,
    modules: Vec<Entries>,
    answers: Vec<(usize, ChainAnswer)>,
}

/// A module that the reference executed.
struct ExpectedModule {
    entries: Entries,
    kernels: ChainKernels,
    /// The answer of the reference to each entry.
    expected: Vec<KernelAnswer>,
}

impl ExpectedModule {
    fn new(of: &ChainComparison<'_>, chains: &ChainEntry<'_>, entries: Entries) -> Self {
        let texts: Vec<Vec<(&ChainText, &ChainRows)>> =
            entries.iter().map(|entry| entry.iter().map(|chain| chains[*chain]).collect()).collect();
        let texts: Vec<&ChainEntry<'_>> = texts.iter().map(Vec::as_slice).collect();
        let kernels = ChainKernels::new(&of.environment, &texts);
        let expected = of.interpreter.execute_all(&kernels.cases);
        Self { entries, kernels, expected }
    }

    /// The cases that the reference defines: the others are not asked.
    fn cases(&self) -> impl Iterator<Item = &KernelCase> {
        let defined = |(case, expected)| matches!(expected, &KernelAnswer::Returned(_)).then_some(case);
        self.kernels.cases.iter().zip(&self.expected).filter_map(defined)
    }
}

impl ChainQuestions<'_> {
    /// Asks about all modules once. Those that are left have fewer chains.
    fn ask(&mut self) {
        let modules: Vec<ExpectedModule> =
            self.modules.drain(..).map(|entries| ExpectedModule::new(self.of, self.chains, entries)).collect();
        let cases: Vec<KernelCase> = modules.iter().flat_map(ExpectedModule::cases).cloned().collect();
        let mut given = self.of.engine.execute_kernels(&cases).into_iter();
        let mut smaller: Entries = Vec::new();
        for ExpectedModule { entries, kernels, expected } in modules {
            let results: Vec<Result<(KernelResult, KernelResult), ChainAnswer>> =
                expected.into_iter().map(|expected| both(expected, || given.next())).collect();
            // If no entry has a result, one of them may have cost the others theirs.
            if entries.len() > 1 && results.iter().all(Result::is_err) {
                self.modules.extend(entries.into_iter().map(|entry| vec![entry]));
                continue;
            }
            for (number, (entry, results)) in entries.into_iter().zip(results).enumerate() {
                match (results, &entry[..]) {
                    (Ok(results), _) => self.compare(&kernels, number, &entry, &results),
                    (Err(why), [alone]) => self.answers.push((*alone, why)),
                    (Err(_), all) if all.len() > OF_SMALL_ENTRY => smaller.extend(parts(entry, OF_SMALL_ENTRY)),
                    (Err(_), _) => smaller.extend(parts(entry, 1)),
                }
            }
        }
        self.modules.extend(parts(smaller, OF_ENTRY));
    }

    /// The answers to the chains of an entry, of which the reference and the engine have results.
    fn compare(
        &mut self,
        kernels: &ChainKernels,
        number: usize,
        entry: &[usize],
        (expected, actual): &(KernelResult, KernelResult),
    ) {
        for (place, chain) in entry.iter().enumerate() {
            let (text, rows) = self.chains[*chain];
            let each = (0..rows.rows.len()).flat_map(|row| (0..text.outputs.len()).map(move |output| (row, output)));
            let difference = each.map(|(row, output)| {
                let (expected, open) = kernels.value([number, place], row, output, expected);
                let (actual, undefined) = kernels.value([number, place], row, output, actual);
                (ChainDifference { row, output, expected, actual, undefined: undefined & !open }, open)
            });
            let mut differs =
                difference.filter(|(of, open)| (of.expected ^ of.actual) & !open != 0 || of.undefined != 0);
            let answer = differs.next().map_or(ChainAnswer::Agrees, |(of, _)| ChainAnswer::Differs(of));
            self.answers.push((*chain, answer));
        }
    }
}

/// The results of the reference and of the engine, which is asked only if the reference has one.
fn both(
    expected: KernelAnswer,
    given: impl FnOnce() -> Option<KernelAnswer>,
) -> Result<(KernelResult, KernelResult), ChainAnswer> {
    let expected = match expected {
        KernelAnswer::Returned(expected) => expected,
        KernelAnswer::Undefined(why) => return Err(ChainAnswer::Undefined(why)),
        KernelAnswer::Skipped(why) | KernelAnswer::Failed(why) | KernelAnswer::Trapped(why) => {
            return Err(ChainAnswer::Undefined(format!("the reference does not execute it: {why}")));
        }
    };
    match given() {
        Some(KernelAnswer::Returned(actual)) => Ok((expected, actual)),
        Some(KernelAnswer::Undefined(how) | KernelAnswer::Failed(how)) => Err(ChainAnswer::Failed(how)),
        Some(KernelAnswer::Trapped(how)) => Err(ChainAnswer::Failed(format!("it trapped: {how}"))),
        Some(KernelAnswer::Skipped(why)) => Err(ChainAnswer::Skipped(why)),
        None => Err(no_answer()),
    }
}

/// The answer to a chain that the engine owes: it may give fewer.
fn no_answer() -> ChainAnswer {
    ChainAnswer::Skipped("the engine gave no answer".to_owned())
}
