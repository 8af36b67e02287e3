//! Engines that run as child processes and speak the protocol of `docs/protocol.md`.
//!
//! A request on which an engine fails is halved until the fault is narrowed down to one line or row.
//! Whatever the engine does, a line or row is blamed only after it failed alone in a fresh process, and a
//! batch ends after a bounded number of failures.

mod ask;
mod batch;
pub mod check;
mod guilty;
mod launch;
mod message;
mod process;
mod start;
mod work;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::child::interrupted;
use crate::health::Health;
use crate::protocol::{Ability, About};
use crate::{Batch, CaseExecutor, Depth, Engine, EngineId, KernelExecutor, LineJudge, Outcome, Unable};
use ptx_exec::kernel;
use ptx_exec::kernel_case::{KernelAnswer, KernelCase};
use ptx_exec::line_case::{Answer, LineCase};
use ptx_spec::environment::{AddressSize, Environment, Version};

use guilty::Guilt;
use process::Process;
use start::{Unusable, quoted, start, words};

/// The limits of an engine: what its process may use before it is killed, and how often it may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineLimits {
    /// Wall-clock time from its start to its hello.
    pub start: Duration,
    /// Wall-clock time of any request.
    pub request: Duration,
    /// Wall-clock time on top of that for each line or row.
    pub per_item: Duration,
    /// Bytes in one line of a response.
    pub response: usize,
    /// Most lines or rows in a request.
    pub items: usize,
    /// How often it may fail on one batch before the rest of the batch is abandoned.
    pub faults: u32,
    /// How often it may fail without an answer in between. It is abandoned if it then fails on what it answered before.
    pub failures: u32,
    /// How often it may fail in all before it is abandoned.
    pub failures_in_all: u32,
    /// How many lines or rows it may hang on, each by itself, before it is abandoned.
    pub hangs: u32,
    /// How many consecutive answers may be invalid before it is abandoned.
    pub invalid: u32,
    /// How much more time may be lost on unanswered requests than it took for its answers before it is abandoned. Once a
    /// line or row is found on which it hangs, the time that was lost is counted anew.
    pub patience: Duration,
    /// Bytes of memory that a process and what it started may hold.
    pub memory: u64,
}

impl Default for EngineLimits {
    /// One minute to start; ten seconds plus five milliseconds per item; 64 MiB of answers and 8 GiB of memory; 2048
    /// items; 400 failures on one batch. It is abandoned after 24 failures in a row or 2048 in all, 16 items that hang, 256
    /// invalid answers in a row, or 90 seconds more than it took for its answers.
    fn default() -> Self {
        Self {
            start: Duration::from_secs(60),
            request: Duration::from_secs(10),
            per_item: Duration::from_millis(5),
            response: 64 << 20,
            items: 2048,
            faults: 400,
            failures: 24,
            failures_in_all: 2048,
            hangs: 16,
            invalid: 256,
            patience: Duration::from_secs(90),
            memory: 8 << 30,
        }
    }
}

/// The reason why an engine cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The text is not a command line.
    #[error("`{0}` is not a command line: write a program and its arguments, with quotes around spaces")]
    Command(String),
    /// It did not start.
    #[error("`{command}` cannot be started: {why}")]
    Start {
        /// The command line.
        command: String,
        /// The error, in words.
        why: String,
    },
    /// It does not speak the protocol.
    #[error("`{command}` is not an engine: {why}\n`ptx-conform engine check {}` says more", quoted(command))]
    Hello {
        /// The command line.
        command: String,
        /// The fault, in words.
        why: String,
    },
}

/// An engine that runs as child processes.
#[derive(Debug)]
pub struct External {
    words: Vec<String>,
    about: About,
    id: EngineId,
    limits: EngineLimits,
    idle: Mutex<Vec<Process>>,
    next: AtomicU64,
    health: Health,
    guilt: Guilt,
}

impl External {
    /// The engine that a command line starts, with the default limits.
    ///
    /// # Errors
    /// If it cannot be started, or does not answer `hello` as the protocol demands.
    pub fn open(command: &str) -> Result<Self, Error> {
        Self::with_limits(command, EngineLimits::default())
    }

    /// As [`External::open`], with other limits.
    ///
    /// # Errors
    /// As [`External::open`].
    pub fn with_limits(command: &str, limits: EngineLimits) -> Result<Self, Error> {
        let words = words(command)?;
        let (process, about, id) = start(&words, &limits).map_err(|error| match error {
            Unusable::Start(why) => Error::Start { command: command.to_owned(), why },
            Unusable::Hello(why) => Error::Hello { command: command.to_owned(), why },
        })?;
        Ok(Self {
            words,
            id,
            about,
            limits,
            idle: Mutex::new(vec![process]),
            next: AtomicU64::new(1),
            health: Health::default(),
            guilt: Guilt::default(),
        })
    }

    /// The engine's answer to `hello`.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The newest PTX version that it lists; none if it accepts any.
    pub fn newest_ptx(&self) -> Option<Version> {
        self.about.ptx.iter().max().copied()
    }

    fn can(&self, ability: Ability) -> bool {
        self.about.abilities.contains(&ability)
    }

    fn id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// A process that waits for a request, and whether it is new.
    fn process(&self) -> Result<(Process, bool), String> {
        // A separate statement, so that the lock is not held while a process starts.
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(process) => Ok((process, false)),
            None => self.fresh().map(|process| (process, true)),
        }
    }

    /// A new process. One that cannot be had counts as a failure: otherwise each batch would try again, for ever.
    fn fresh(&self) -> Result<Process, String> {
        let started = Instant::now();
        let again = || start(&self.words, &self.limits);
        let why = match again().or_else(|_| again()) {
            Ok((process, about, _)) if about == self.about => return Ok(process),
            Ok((.., id)) => format!("{} now answers `hello` differently, as {id}", self.id),
            Err(Unusable::Start(why) | Unusable::Hello(why)) => format!("{} no longer starts: {why}", self.id),
        };
        if interrupted() {
            return Err(format!("{} was interrupted", self.id));
        }
        self.health.hung(started.elapsed(), self.limits.patience);
        if self.health.failed_again(&why, self.limits.failures_in_all) >= self.limits.failures {
            self.health.give_up(&why);
        }
        Err(why)
    }

    fn release(&self, process: Process) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(process);
    }

    fn takes(&self, environment: &Environment) -> Result<(), Unable> {
        let (name, Environment { ptx, target, .. }) = (&self.id, environment);
        if !self.about.ptx.is_empty() && !self.about.ptx.contains(ptx) {
            return Err(Unable::Unsupported(format!("{name} does not accept PTX {ptx}")));
        }
        if !self.about.targets.is_empty() && !self.about.targets.contains(target) {
            return Err(Unable::Unsupported(format!("{name} does not accept {target}")));
        }
        Ok(())
    }
}

impl Drop for External {
    /// Lets the processes exit by themselves, and kills those that do not.
    fn drop(&mut self) {
        let mut idle = std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner));
        idle.iter_mut().for_each(Process::hang_up);
        for process in &mut idle {
            process.close(Duration::from_millis(200));
        }
    }
}

impl Engine for External {
    fn id(&self) -> &EngineId {
        &self.id
    }

    fn details(&self) -> BTreeMap<String, String> {
        self.about.details.clone()
    }

    fn notes(&self) -> Vec<String> {
        self.health.notes()
    }

    fn losses(&self) -> BTreeMap<String, u64> {
        self.health.losses()
    }

    fn unexplained(&self) -> Vec<String> {
        self.health.all_unexplained()
    }

    fn as_judge(&self) -> Option<&dyn LineJudge> {
        self.can(Ability::Judge).then_some(self)
    }

    fn as_executor(&self) -> Option<&dyn CaseExecutor> {
        let executes = [Ability::Cases, Ability::Kernels, Ability::Modules];
        executes.into_iter().any(|ability| self.can(ability)).then_some(self)
    }

    fn as_kernel_executor(&self) -> Option<&dyn KernelExecutor> {
        self.can(Ability::Modules).then_some(self)
    }
}

impl LineJudge for External {
    fn supports(&self, environment: &Environment, depth: Depth) -> Result<(), Unable> {
        if depth == Depth::Generate && !self.can(Ability::Generate) {
            return Err(Unable::Unsupported(format!("{} does not generate code", self.id)));
        }
        self.takes(environment)
    }

    fn judge(&self, batch: &Batch<'_>, depth: Depth) -> Vec<Outcome> {
        if batch.scaffold.context.outside() && !self.can(Ability::Directives) {
            let why = format!("{} does not judge what is outside of bodies", self.id);
            return vec![Outcome::Skipped(why); batch.lines.len()];
        }
        match self.supports(&batch.environment, depth) {
            Ok(()) => ask::ask(self, work::LineWork::new(batch, depth)),
            Err(reason) => vec![Outcome::Skipped(reason.to_string()); batch.lines.len()],
        }
    }
}

impl CaseExecutor for External {
    fn executes(&self, environment: &Environment) -> Result<(), Unable> {
        if environment.address_size != AddressSize::Bits64 {
            return Err(Unable::Unsupported("only 64-bit addresses are executed".to_owned()));
        }
        self.takes(environment)
    }

    fn execute(&self, cases: &[LineCase]) -> Vec<Vec<Answer>> {
        if !self.can(Ability::Kernels) {
            return match self.can(Ability::Cases) {
                true => ask::ask(self, work::RowWork::new(self, cases)),
                false => launch::rows(self, cases),
            };
        }
        // Cases that share a module come one after another.
        let mut answers: Vec<Vec<Answer>> = vec![Vec::new(); cases.len()];
        for batch in kernel::batches(cases) {
            let together: Vec<LineCase> = batch.iter().map(|&at| cases[at].clone()).collect();
            for (at, answered) in batch.into_iter().zip(ask::ask(self, work::RowWork::new(self, &together))) {
                answers[at] = answered;
            }
        }
        answers
    }

    fn traps_cost(&self) -> bool {
        self.can(Ability::Kernels)
    }
}

impl KernelExecutor for External {
    fn execute_kernels(&self, cases: &[KernelCase]) -> Vec<KernelAnswer> {
        launch::kernels(self, cases)
    }
}
