//! Why machine code is wrong: lines of the kernel that are compiled wrong with the values that they had, or else the smallest kernel
//! that is still wrong.

use std::ops::Range;

use ptx_kernels::{
    ChainAnswer, ChainComparison, ChainKernels, ChainRows, ChainText, Library, ModuleSlice, Reduced, compare, search,
    slices,
};

use super::shrink::{shrunk, statements, without_blanks};
use super::verdict::{BlameVerdict, ExplainedVerdict};
use crate::campaign::KnownOfEngine;
use crate::case::InternalError;
use crate::divergences::{Divergences, EngineVersion};
use crate::engine::sass::Sass;
use crate::engine::{Engine as _, KernelExecutor as _};
use crate::environment::Environment;
use crate::interpret::{Interpreter, Limits, TracedStep};
use crate::judge::Judge;
use crate::kernel_case::{KernelAnswer, KernelCase};
use crate::spec::Spec;

/// A cause why machine code is wrong.
#[derive(Clone, Debug)]
pub struct BlamedCause {
    /// The lines of the kernel, by their bytes; those that are left of it if it is not known which are compiled wrong.
    pub at: Vec<Range<usize>>,
    /// The divergence that lists it.
    pub listed: Option<String>,
    /// The reduced lines.
    pub lines: Vec<String>,
    /// The values of their inputs, the expected and the actual result, in words.
    pub values: String,
    /// A whole module with its launch that shows it.
    pub case: KernelCase,
}

/// The parts of the search for causes.
pub(super) struct CauseSearch<'a> {
    pub(super) spec: &'a Spec,
    pub(super) divergences: &'a Divergences,
    pub(super) interpreter: &'a Interpreter<'a>,
    pub(super) environment: Environment,
    pub(super) case: &'a KernelCase,
    /// The first steps that the reference executed.
    pub(super) steps: &'a [TracedStep],
}

/// The most causes of one engine.
const CAUSES: usize = 4;
/// The most instructions of a thread of a smaller kernel: what takes longer never ends.
const STEPS: u64 = 1_000_000;

impl CauseSearch<'_> {
    /// The slices of the kernel.
    pub(super) fn slices(&self) -> Result<Vec<ModuleSlice>, InternalError> {
        let judge = Judge::new(self.spec, &self.environment).map_err(|why| InternalError(why.to_string()))?;
        Ok(slices(self.spec, &self.case.module, &judge, self.steps))
    }

    /// The lines of the kernel that an engine compiles wrong, by slices.
    pub(super) fn of_slices(
        &self,
        engine: &Sass,
        library: &Library<'_>,
        slices: &[ModuleSlice],
    ) -> Result<Vec<BlamedCause>, InternalError> {
        let comparison = ChainComparison { interpreter: self.interpreter, engine, environment: self.environment };
        let texts: Vec<ChainText> = slices.iter().map(|slice| ChainText::from(&slice.chain)).collect();
        let chains: Vec<(&ChainText, &ChainRows)> = texts.iter().zip(slices.iter().map(|slice| &slice.rows)).collect();
        let answers = compare(&comparison, &chains);
        let mut failing: Vec<(&ModuleSlice, ChainAnswer)> =
            slices.iter().zip(answers).filter(|(_, answer)| matches!(answer, ChainAnswer::Differs(_))).collect();
        let mut found: Vec<BlamedCause> = Vec::new();
        while let Some((slice, answer)) = failing.first().cloned() {
            let end = slice.lines.last().cloned();
            failing.retain(|(other, _)| !other.lines.iter().any(|line| Some(line) == end.as_ref()));
            let reduced = Reduced { chain: slice.chain.clone(), rows: slice.rows.clone(), answer };
            let result = search(&comparison, library, vec![reduced], |_| false);
            let alone = result.causes.into_iter().map(|cause| cause.reduced).next();
            let Some(reduced) = alone.or_else(|| result.open.into_iter().next()) else { continue };
            let cause = self.cause(engine, library, slice, &reduced);
            // Another place of the kernel with the same lines adds nothing.
            if !found.iter().any(|known| known.lines == cause.lines) {
                found.push(cause);
            }
            if found.len() == CAUSES {
                break;
            }
        }
        Ok(found)
    }

    fn cause(&self, engine: &Sass, library: &Library<'_>, slice: &ModuleSlice, reduced: &Reduced) -> BlamedCause {
        let text = ChainText::from(&reduced.chain);
        let rows = ChainRows { rows: reduced.rows.rows.first().cloned().into_iter().collect() };
        let kernels = ChainKernels::new(&self.environment, &[&[(&text, &rows)]]);
        let known = KnownOfEngine { divergences: self.divergences, version: EngineVersion::of(engine.id()) };
        BlamedCause {
            at: slice.lines.clone(),
            listed: known.lists(library, reduced),
            values: values(&text, reduced),
            lines: text.lines,
            case: kernels.cases[0].clone(),
        }
    }

    /// The smallest kernel that an engine still compiles wrong, or on which it still dies.
    pub(super) fn of_kernel(&self, engine: &Sass, before: &ExplainedVerdict) -> BlamedCause {
        let interpreter = Interpreter::new(self.spec).with_limits(Limits { steps: STEPS, ..Limits::default() });
        let still = |cases: &[KernelCase]| -> Vec<bool> {
            let dies = before.verdict == BlameVerdict::Crashes;
            let expected: Vec<KernelAnswer> =
                if dies { Vec::new() } else { cases.iter().map(|case| interpreter.execute(case)).collect() };
            let asked = |at: usize| dies || matches!(expected[at], KernelAnswer::Returned(_));
            let wanted: Vec<KernelCase> =
                (0..cases.len()).filter(|at| asked(*at)).map(|at| cases[at].clone()).collect();
            let mut answers = engine.execute_kernels(&wanted).into_iter();
            let of_case = |at: usize| {
                let answer = if asked(at) { answers.next() } else { None };
                match (answer, expected.get(at)) {
                    (Some(KernelAnswer::Failed(how)), _) => dies && how == before.why,
                    (Some(answer), Some(KernelAnswer::Returned(result))) => {
                        ExplainedVerdict::new(&cases[at], result, &answer).verdict == before.verdict
                    }
                    _ => false,
                }
            };
            (0..cases.len()).map(of_case).collect()
        };
        let small = shrunk(self.spec, self.case, &still);
        let at = statements(self.spec, &small.module);
        let lines = at.iter().map(|at| small.module[at.clone()].to_owned() + ";").collect();
        let case = KernelCase { module: without_blanks(&small.module).into(), ..small };
        BlamedCause { at, listed: None, lines, values: String::new(), case }
    }
}

/// The values of a reduced chain, in words.
fn values(text: &ChainText, reduced: &Reduced) -> String {
    let row = reduced.rows.rows.first().map(Vec::as_slice).unwrap_or_default();
    let inputs: Vec<String> =
        text.inputs.iter().zip(row).map(|(input, value)| format!("%x{input} = 0x{value:x}")).collect();
    let inputs = if inputs.is_empty() { String::new() } else { format!("with {}: ", inputs.join(", ")) };
    match &reduced.answer {
        ChainAnswer::Differs(of) => {
            let output = text.outputs.get(of.output).copied().unwrap_or_default();
            format!("{inputs}%x{output} becomes 0x{:x}, and must be 0x{:x}", of.actual, of.expected)
        }
        ChainAnswer::Failed(how) => format!("{inputs}{how}"),
        _ => inputs,
    }
}
