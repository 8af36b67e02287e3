//! Launches of whole modules as requests: kernel cases, and rows of line cases for engines that execute only modules.

use std::ops::Range;

use ptx_exec::kernel::{self, Kernel};
use ptx_exec::kernel_case::{KernelAnswer, KernelBuffer, KernelCase};
use ptx_exec::line_case::{Answer, LineCase};

use super::External;
use super::ask::ask;
use super::batch::{Work, middle};
use super::message::line;
use super::process::EngineFault;
use crate::CaseExecutor as _;
use crate::protocol::{LaunchRequest, Request, Response, SentLaunches};
use crate::words::shown;

/// The answer to each case. Those with the same module, one after the other, share requests.
pub(super) fn kernels(engine: &External, cases: &[KernelCase]) -> Vec<KernelAnswer> {
    let modules = cases.chunk_by(|case, next| case.module == next.module);
    let of_module = |cases: &[KernelCase]| {
        let sent = |case: &KernelCase| SentLaunches { buffers: case.buffers.clone(), launches: case.launches.clone() };
        ask(engine, LaunchWork::new(engine, &cases[0].module, cases.iter().map(sent).collect(), KERNEL))
    };
    modules.flat_map(of_module).collect()
}

/// A row that is launched, or has its answer already.
struct PlannedRow<'k> {
    /// The position of its case.
    case: usize,
    /// Its place among the launches, and its kernel.
    launched: Result<(usize, &'k Kernel), Answer>,
}

/// The answers to the rows of line cases, each of which is a launch of one thread.
pub(super) fn rows(engine: &External, cases: &[LineCase]) -> Vec<Vec<Answer>> {
    let mut answers: Vec<Vec<Answer>> = cases.iter().map(|case| Vec::with_capacity(case.rows.len())).collect();
    for batch in kernel::batches(cases) {
        let (module, kernels) = kernel::module(&batch.iter().map(|at| &cases[*at]).collect::<Vec<_>>());
        let (mut sent, mut planned) = (Vec::new(), Vec::new());
        for (&case, kernel) in batch.iter().zip(&kernels) {
            let taken = engine.executes(&cases[case].environment()).map_err(|why| why.to_string());
            let kernel = taken.and(kernel.as_ref().map_err(Clone::clone));
            for row in 0..cases[case].rows.len() {
                let launched = kernel.clone().and_then(|kernel| {
                    let (buffers, launch) = kernel::row_launch(kernel, row)?;
                    sent.push(SentLaunches { buffers, launches: vec![launch] });
                    Ok((sent.len() - 1, kernel))
                });
                planned.push(PlannedRow { case, launched: launched.map_err(Answer::Skipped) });
            }
        }
        let launched = ask(engine, LaunchWork::new(engine, &module, sent, 1));
        for row in planned {
            let of_launch = |(at, kernel): (usize, &Kernel)| of_row(engine, kernel, &cases[row.case], &launched[at]);
            answers[row.case].push(row.launched.map_or_else(|answer| answer, of_launch));
        }
    }
    answers
}

/// The answer to a row, from that to its launch.
fn of_row(engine: &External, kernel: &Kernel, case: &LineCase, launched: &KernelAnswer) -> Answer {
    match launched {
        KernelAnswer::Returned(result) => {
            let returned = kernel::row_result(kernel, case, result);
            match returned.and_then(|returned| case.check(&returned).map(|()| returned)) {
                Ok(returned) => Answer::Returned(returned),
                Err(why) => {
                    engine.health.invalid(&why, engine.limits.invalid);
                    Answer::Failed(why)
                }
            }
        }
        KernelAnswer::Trapped(how) => Answer::Trapped(how.clone()),
        // The rows that are asked about do not depend on anything undefined.
        KernelAnswer::Undefined(what) | KernelAnswer::Failed(what) => Answer::Failed(what.clone()),
        KernelAnswer::Skipped(why) => Answer::Skipped(why.clone()),
    }
}

/// Launches of a module, and their answers.
struct LaunchWork<'a> {
    engine: &'a External,
    module: &'a str,
    cases: Vec<SentLaunches>,
    /// How many rows take as long as a case.
    weight: u32,
    asked: Range<usize>,
    answers: Vec<Option<KernelAnswer>>,
}

/// How many rows take as long as a kernel case: it may have hundreds of lines, and tens of threads.
const KERNEL: u32 = 400;
/// Bytes of buffers in a request, which has at least one case.
const BYTES: usize = 8 << 20;

impl<'a> LaunchWork<'a> {
    fn new(engine: &'a External, module: &'a str, cases: Vec<SentLaunches>, weight: u32) -> Self {
        let answers = vec![None; cases.len()];
        Self { engine, module, cases, weight, asked: 0..0, answers }
    }

    /// The answer of the engine, if it is one to this case.
    fn valid(&self, answer: KernelAnswer, buffers: &[KernelBuffer]) -> KernelAnswer {
        let (health, limits) = (&self.engine.health, &self.engine.limits);
        match answer {
            KernelAnswer::Returned(result) => match result.check(buffers) {
                Ok(()) => {
                    health.valid();
                    KernelAnswer::Returned(result)
                }
                Err(why) => {
                    let why = shown(why);
                    health.invalid(&why, limits.invalid);
                    KernelAnswer::Failed(why)
                }
            },
            KernelAnswer::Trapped(how) => KernelAnswer::Trapped(shown(how)),
            KernelAnswer::Undefined(what) => KernelAnswer::Undefined(shown(what)),
            KernelAnswer::Skipped(why) => KernelAnswer::Skipped(shown(why)),
            KernelAnswer::Failed(how) => KernelAnswer::Failed(shown(how)),
        }
    }
}

impl Work for LaunchWork<'_> {
    type Answers = Vec<KernelAnswer>;
    const ITEM: &'static str = "case";

    fn weight(&self) -> u32 {
        self.weight
    }

    fn requests(&self, most: usize) -> Vec<Range<usize>> {
        let mut requests: Vec<Range<usize>> = Vec::new();
        let mut bytes = 0;
        for (at, case) in self.cases.iter().enumerate() {
            let size: usize = case.buffers.iter().map(|buffer| buffer.data.len()).sum();
            match requests.last_mut() {
                Some(last) if last.len() < most && bytes + size <= BYTES => last.end = at + 1,
                _ => {
                    requests.push(at..at + 1);
                    bytes = 0;
                }
            }
            bytes += size;
        }
        requests
    }

    fn send(&mut self, id: u64, items: &Range<usize>) -> Option<Vec<u8>> {
        self.asked = items.clone();
        let (module, cases) = (self.module.to_owned(), self.cases[items.clone()].to_vec());
        Some(line(&Request::Launch(LaunchRequest { id, module, cases })))
    }

    fn part(&self, items: &Range<usize>) -> Option<usize> {
        (items.len() > 1).then(|| middle(items))
    }

    fn take(&mut self, response: Response) -> Result<(), String> {
        let Response::Launched(launched) = response else {
            return Err("it answered a request to launch with something else".to_owned());
        };
        let (given, asked) = (launched.answers.len(), self.asked.len());
        if given != asked {
            return Err(format!("it answered with a wrong number of answers\n{given} for {asked} cases"));
        }
        for (at, answer) in self.asked.clone().zip(launched.answers) {
            self.answers[at] = Some(self.valid(answer, &self.cases[at].buffers));
        }
        Ok(())
    }

    fn blame(&mut self, item: usize, fault: &EngineFault) {
        self.answers[item] = Some(KernelAnswer::Failed(fault.words()));
    }

    fn skip(&mut self, items: Range<usize>, why: &str) -> usize {
        let count = items.len();
        self.answers[items].fill(Some(KernelAnswer::Skipped(why.to_owned())));
        count
    }

    fn answers(self) -> Vec<KernelAnswer> {
        let missing = || KernelAnswer::Skipped("it was not asked about".to_owned());
        self.answers.into_iter().map(|answer| answer.unwrap_or_else(missing)).collect()
    }
}
