//! The server: it speaks the engine protocol, never calls the driver, and survives the death of its
//! workers.

use std::io::{BufRead, Write};
use std::path::Path;

use crate::no_code::NoCode;
use crate::protocol::{
    About, ExecuteRequest, JudgeRequest, Judged, LaunchRequest, LineOutcome, SentCase, SentLaunches,
};
use crate::ptxas::Ptxas;
use crate::serve::{self, ServeError, Served};
use ptx_exec::kernel_case::KernelAnswer;
use ptx_exec::line_case::Answer;
use ptx_spec::environment::Target;

use ptx_spec::spec::Isa;

use super::LaunchLimits;
use super::about::DeviceFacts;
use super::assemble::{self, AssembledModule};
use super::crew::{Crew, WorkerEnd};
use super::error::GpuError;
use super::messages::{WorkerOrder, WorkerReport};

/// Rows with a surface of their own in one launch.
const PRIVATE: usize = 1024;
/// How often rows may end a kernel unexpectedly before the rest of a case is skipped. A row that hangs
/// counts as several.
const STRIKES: u32 = 32;
/// How many strikes a hanging row counts as.
const HANG: u32 = 8;
/// The mark of a thread before it executes the line.
const BEGUN: u32 = 1;

/// Speaks the engine protocol until `input` ends: as `gpu`, or with an assembler as `sass-gpu`, which executes the
/// machine code of that assembler and judges nothing. The program that runs must be `ptx-conform`: the workers are
/// processes of it.
///
/// # Errors
/// The reason why there is no device, or why the conversation cannot go on.
pub fn serve(
    isa: &Isa,
    input: impl BufRead,
    output: impl Write,
    limits: LaunchLimits,
    assembler: Option<&Ptxas>,
) -> Result<(), ServeError> {
    serve::serve(Starting { isa, limits, assembler, server: None }, input, output)
}

/// The server before `hello`, when it finds its device.
struct Starting<'a> {
    isa: &'a Isa,
    limits: LaunchLimits,
    assembler: Option<&'a Ptxas>,
    server: Option<Server<'a>>,
}

impl<'a> Starting<'a> {
    fn server(&mut self) -> Result<&mut Server<'a>, GpuError> {
        self.server.as_mut().ok_or(GpuError::NoDevice)
    }
}

impl Served for Starting<'_> {
    type Error = GpuError;

    fn hello(&mut self) -> Result<About, Self::Error> {
        let server = Server::start(self.limits, self.assembler)?;
        let about = server.facts.about(self.isa, self.assembler);
        self.server = Some(server);
        Ok(about)
    }

    fn judge(&mut self, asked: JudgeRequest) -> Result<Judged, Self::Error> {
        self.server()?.judge(asked)
    }

    fn execute(&mut self, asked: &ExecuteRequest) -> Result<Vec<Vec<Answer>>, Self::Error> {
        self.server()?.execute(asked)
    }

    fn launch(&mut self, asked: LaunchRequest) -> Result<Vec<KernelAnswer>, Self::Error> {
        self.server()?.launch(&asked)
    }
}

struct Server<'a> {
    crew: Crew,
    facts: DeviceFacts,
    /// The assembler that makes the binaries; without one, the driver compiles.
    assembler: Option<&'a Ptxas>,
}

/// The result of a launch.
enum Launched {
    Answers(Vec<Answer>),
    /// No row of the case was executed, with the reason.
    Failed(String),
    /// The worker died. Has the answer to the row if it was alone, the strikes that it counts as, and the
    /// marks of the rows.
    Died(Answer, u32, Vec<u32>),
}

impl<'a> Server<'a> {
    fn start(limits: LaunchLimits, assembler: Option<&'a Ptxas>) -> Result<Self, GpuError> {
        let mut crew = Crew::new(limits).map_err(GpuError::Start)?;
        let facts = crew.start()?;
        Ok(Self { crew, facts, assembler })
    }

    /// If the driver's compiler dies or hangs, so does the server, and the other side finds out on which
    /// line.
    fn judge(&mut self, asked: JudgeRequest) -> Result<Judged, GpuError> {
        let (id, lines) = (asked.id, asked.lines.len());
        let limit = self.crew.limits.other;
        let worker = self.crew.worker()?;
        let mut outcomes: Vec<LineOutcome> = Vec::with_capacity(lines);
        let order = WorkerOrder::Judge(asked);
        while outcomes.len() < lines {
            let end = if outcomes.is_empty() { worker.ask(&order, limit) } else { worker.listen(limit) };
            match end {
                WorkerEnd::WorkerReport(WorkerReport::Said(said)) => outcomes.push(said),
                WorkerEnd::WorkerReport(other) => return Err(GpuError::LineAnswer(format!("{other:?}"))),
                WorkerEnd::Lost(how) => {
                    return Err(GpuError::LineDeath { line: outcomes.len(), how });
                }
                WorkerEnd::OutOfTime => {
                    return Err(GpuError::LineHung(outcomes.len()));
                }
            }
        }
        Ok(Judged { id, outcomes })
    }

    fn execute(&mut self, asked: &ExecuteRequest) -> Result<Vec<Vec<Answer>>, GpuError> {
        let Some(first) = asked.cases.iter().find(|case| case.kernel.is_some()) else {
            return Ok(asked.cases.iter().map(|case| all(case, &no_kernel())).collect());
        };
        let module = asked.module.as_deref().ok_or(GpuError::NoModule)?;
        let binary = match (self.binary(module, first.case.target, asked.cases.len() == 1), &asked.cases[..]) {
            (Ok(binary), _) => binary,
            (Err(none), [alone]) => return Ok(vec![all(alone, &none.into())]),
            (Err(NoCode::Failed(why) | NoCode::Skipped(why)), _) => return Err(GpuError::Assembler(why)),
        };
        self.crew.forget();
        let mut run = Run {
            crew: &mut self.crew,
            module,
            binary: binary.as_ref().map(AssembledModule::path),
            cases: &asked.cases,
        };
        match (run.run(), &asked.cases[..]) {
            (Err(GpuError::Unsupported(why)), [alone]) => Ok(vec![all(alone, &Answer::Skipped(why))]),
            // The driver died of the case.
            (Err(why @ GpuError::Load(_)), [alone]) => Ok(vec![all(alone, &Answer::Failed(why.to_string()))]),
            (answers, _) => answers,
        }
    }

    /// Each case has a fresh module: its variables have their initial values.
    fn launch(&mut self, asked: &LaunchRequest) -> Result<Vec<KernelAnswer>, GpuError> {
        let target = asked.module.lines().find_map(|line| line.trim().strip_prefix(".target ")?.trim().parse().ok());
        let binary = match target.map(|target| self.binary(&asked.module, target, asked.cases.len() == 1)) {
            None => return Err(GpuError::NoTarget),
            Some(Ok(binary)) => binary,
            Some(Err(none)) => return Ok(vec![none.into(); asked.cases.len()]),
        };
        let mut answers = Vec::with_capacity(asked.cases.len());
        for case in &asked.cases {
            self.crew.forget();
            let (module, binary) = (asked.module.as_str(), binary.as_ref().map(AssembledModule::path));
            let answer = Run { crew: &mut self.crew, module, binary, cases: &[] }.launches(case);
            answers.push(match answer {
                Err(GpuError::Unsupported(why)) => KernelAnswer::Skipped(why),
                // The driver died of the module.
                Err(why @ GpuError::Load(_)) if asked.cases.len() == 1 => KernelAnswer::Failed(why.to_string()),
                answer => answer?,
            });
        }
        Ok(answers)
    }

    /// The module as a binary, if there is an assembler.
    ///
    /// # Errors
    /// If the assembler makes none: the driver's compiler is another one, and does not speak for it.
    fn binary(&self, module: &str, target: Target, one_entry: bool) -> Result<Option<AssembledModule>, NoCode> {
        let target = self.facts.binary(target);
        self.assembler.map(|ptxas| assemble::assemble(ptxas, module, target, one_entry)).transpose()
    }
}

fn no_kernel() -> Answer {
    Answer::Skipped("gpu only executes kernels, and the case has none".to_owned())
}

/// The same answer for all rows of a case.
fn all(case: &SentCase, answer: &Answer) -> Vec<Answer> {
    vec![answer.clone(); case.case.rows.len()]
}

/// A request that is being carried out.
struct Run<'a> {
    crew: &'a mut Crew,
    module: &'a str,
    binary: Option<&'a Path>,
    cases: &'a [SentCase],
}

/// The rows of a case that are launched alone.
#[derive(Default)]
struct Alone {
    /// Rows that may trap.
    expected: Vec<usize>,
    /// Rows of launches that faulted, the suspects first.
    suspects: Vec<usize>,
}

impl Run<'_> {
    /// First all rows that are not expected to trap, then the others one by one.
    fn run(&mut self) -> Result<Vec<Vec<Answer>>, GpuError> {
        let unanswered = || Answer::Failed("was not launched".to_owned());
        let mut answers: Vec<Vec<Answer>> = self.cases.iter().map(|case| all(case, &unanswered())).collect();
        let mut alone = Vec::with_capacity(self.cases.len());
        for (at, case) in self.cases.iter().enumerate() {
            let mut rows = Alone::default();
            if case.kernel.is_none() {
                answers[at] = all(case, &no_kernel());
            } else {
                rows.expected.extend(case.case.own_launches.iter().copied().filter(|&row| row < case.case.rows.len()));
                for (first, count) in together(case) {
                    self.together(at, first, count, &mut answers[at], &mut rows.suspects)?;
                }
            }
            alone.push(rows);
        }
        for (at, rows) in alone.iter().enumerate() {
            for &row in &rows.expected {
                answers[at][row] = self.alone(at, row)?.0;
            }
            let mut strikes = 0;
            for &row in &rows.suspects {
                answers[at][row] = if strikes < STRIKES {
                    let (answer, strike) = self.alone(at, row)?;
                    strikes += strike;
                    answer
                } else {
                    Answer::Skipped("too many rows of its case ended the kernel".to_owned())
                };
            }
        }
        Ok(answers)
    }

    /// Launches rows together. If that ends the kernel, each of them will be launched alone.
    fn together(
        &mut self,
        at: usize,
        first: usize,
        count: usize,
        answers: &mut [Answer],
        suspects: &mut Vec<usize>,
    ) -> Result<(), GpuError> {
        let marks = match self.launch(at, first, count)? {
            Launched::Answers(new) => {
                answers[first..first + count].clone_from_slice(&new);
                return Ok(());
            }
            Launched::Failed(why) => {
                answers[first..first + count].fill(Answer::Failed(why));
                return Ok(());
            }
            Launched::Died(answer, _, _) if count == 1 => {
                answers[first] = answer;
                return Ok(());
            }
            Launched::Died(_, _, marks) => marks,
        };
        // A thread that ended may have stored wrong results after the fault, so all rows are launched
        // again.
        let begun = |row: &usize| marks.get(row - first) == Some(&BEGUN);
        let (now, later): (Vec<usize>, Vec<usize>) = (first..first + count).partition(begun);
        suspects.extend(now.into_iter().chain(later));
        Ok(())
    }

    /// Launches a row alone; returns its answer, and the strikes that it counts as.
    fn alone(&mut self, at: usize, row: usize) -> Result<(Answer, u32), GpuError> {
        Ok(match self.launch(at, row, 1)? {
            Launched::Answers(mut answers) => match answers.pop() {
                Some(answer) => (answer, 0),
                None => (Answer::Failed("no answer".to_owned()), 0),
            },
            Launched::Failed(why) => (Answer::Failed(why), 0),
            Launched::Died(answer, strike, _) => (answer, strike),
        })
    }

    fn launch(&mut self, at: usize, first: usize, count: usize) -> Result<Launched, GpuError> {
        if let Some(failed) = self.ready(at)? {
            return Ok(failed);
        }
        let limit = self.crew.limits.launch;
        let launched = match self.crew.worker()?.ask(&WorkerOrder::Launch { first, count }, limit) {
            WorkerEnd::WorkerReport(WorkerReport::Answers(answers)) if answers.len() == count => {
                return Ok(Launched::Answers(answers));
            }
            WorkerEnd::WorkerReport(WorkerReport::Failed(why)) => return Ok(Launched::Failed(why)),
            // The fault is not in the line but before it.
            WorkerEnd::WorkerReport(WorkerReport::Died { words, marks, .. }) if marks == [0] => {
                Launched::Died(Answer::Failed(format!("{words} before the line")), 1, marks)
            }
            WorkerEnd::WorkerReport(WorkerReport::Died { words, trap: true, marks }) => {
                Launched::Died(Answer::Trapped(words), 1, marks)
            }
            WorkerEnd::WorkerReport(WorkerReport::Died { words, trap: false, marks }) => {
                Launched::Died(Answer::Failed(words), 1, marks)
            }
            WorkerEnd::WorkerReport(other) => {
                Launched::Died(Answer::Failed(format!("the worker answered {other:?} to a launch")), 1, Vec::new())
            }
            WorkerEnd::Lost(how) => Launched::Died(Answer::Failed(format!("the worker died: {how}")), 1, Vec::new()),
            WorkerEnd::OutOfTime => Launched::Died(Answer::Failed("timed out".to_owned()), HANG, Vec::new()),
        };
        self.crew.dismiss();
        Ok(launched)
    }

    /// Executes the launches of a kernel case.
    ///
    /// # Errors
    /// If there is no worker, or the module cannot be loaded.
    fn launches(&mut self, case: &SentLaunches) -> Result<KernelAnswer, GpuError> {
        self.load()?;
        let limit = self.crew.limits.launch;
        let answer = match self.crew.worker()?.ask(&WorkerOrder::Execute(case.clone()), limit) {
            WorkerEnd::WorkerReport(WorkerReport::Executed(answer)) => return Ok(answer),
            WorkerEnd::WorkerReport(WorkerReport::Died { words, .. }) => KernelAnswer::Trapped(words),
            WorkerEnd::WorkerReport(other) => {
                KernelAnswer::Failed(format!("the worker answered {other:?} to launches"))
            }
            WorkerEnd::Lost(how) => KernelAnswer::Failed(format!("the worker died: {how}")),
            WorkerEnd::OutOfTime => KernelAnswer::Failed("timed out".to_owned()),
        };
        self.crew.dismiss();
        Ok(answer)
    }

    /// Makes sure that the worker has the module.
    ///
    /// # Errors
    /// If there is no worker, or the module cannot be loaded.
    fn load(&mut self) -> Result<(), GpuError> {
        let limit = self.crew.limits.other;
        let worker = self.crew.worker()?;
        if !worker.loaded {
            let order = WorkerOrder::Load { ptx: self.module.to_owned(), binary: self.binary.map(Path::to_owned) };
            match worker.ask(&order, limit) {
                WorkerEnd::WorkerReport(WorkerReport::Done) => worker.loaded = true,
                WorkerEnd::WorkerReport(WorkerReport::Failed(why)) => return Err(GpuError::Worker(why)),
                WorkerEnd::WorkerReport(WorkerReport::Unsupported(why)) => return Err(GpuError::Unsupported(why)),
                other => {
                    let how = self.gone(other);
                    return Err(GpuError::Load(how));
                }
            }
        }
        Ok(())
    }

    /// Makes sure that the worker has the module and the case; returns the reason if its rows cannot be
    /// launched.
    ///
    /// # Errors
    /// If there is no worker, or the module cannot be loaded.
    fn ready(&mut self, at: usize) -> Result<Option<Launched>, GpuError> {
        self.load()?;
        let limit = self.crew.limits.other;
        let worker = self.crew.worker()?;
        if worker.case != Some(at) {
            worker.case = None;
            let Some(case) = self.cases.get(at) else { return Err(GpuError::NoCase) };
            match worker.ask(&WorkerOrder::Prepare(Box::new(case.clone())), limit) {
                WorkerEnd::WorkerReport(WorkerReport::Done) => worker.case = Some(at),
                WorkerEnd::WorkerReport(WorkerReport::Failed(why)) => return Ok(Some(Launched::Failed(why))),
                other => {
                    let how = self.gone(other);
                    return Ok(Some(Launched::Failed(format!("the case cannot be prepared: {how}"))));
                }
            }
        }
        Ok(None)
    }

    /// Describes how a worker failed, and dismisses it.
    fn gone(&mut self, end: WorkerEnd) -> String {
        self.crew.dismiss();
        match end {
            WorkerEnd::WorkerReport(report) => format!("the worker answered {report:?}"),
            WorkerEnd::Lost(how) => format!("the worker died: {how}"),
            WorkerEnd::OutOfTime => "timed out".to_owned(),
        }
    }
}

/// The launches of rows that need not be alone: for each the first row and the number of rows.
fn together(case: &SentCase) -> Vec<(usize, usize)> {
    let single = case.kernel.as_ref().is_some_and(|kernel| kernel.single);
    let most = match case.kernel.as_ref().and_then(|kernel| kernel.surface.as_ref()) {
        _ if single => 1,
        Some(bound) if bound.private && bound.variable.is_some() => 1,
        Some(bound) if bound.private => PRIVATE,
        _ => usize::MAX,
    };
    let mut launches: Vec<(usize, usize)> = Vec::new();
    let mut alone = case.case.own_launches.clone();
    alone.sort_unstable();
    for row in 0..case.case.rows.len() {
        if alone.binary_search(&row).is_ok() {
            continue;
        }
        match launches.last_mut() {
            Some((first, count)) if *first + *count == row && *count < most => *count += 1,
            _ => launches.push((row, 1)),
        }
    }
    launches
}
