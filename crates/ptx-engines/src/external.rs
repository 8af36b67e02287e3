//! Engines in other processes, which speak the protocol of `docs/protocol.md`.
//!
//! A request that an engine fails on is halved until the fault sits on one line or row. Two things
//! hold whatever the engine does: a line or row is blamed only after it failed alone in a process
//! that had done nothing else, and a batch comes back after a bounded number of failures.

mod ask;
pub mod check;
mod health;
mod process;
mod work;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::engine::LossCount;
use crate::protocol::{Ability, About, ExecuteRequest, Hello, PROTOCOL, Request, Response};
use crate::words::shown;
use crate::{Batch, CaseExecutor, Depth, Engine, EngineId, LineJudge, Outcome};
use ptx_exec::execution::{Answer, Execution};
use ptx_exec::kernel;
use ptx_spec::environment::{AddressSize, Environment, Version};

use health::Health;
use process::{Fault, Process, excerpt};

/// What an engine may use before its process is killed, and how often it may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineLimits {
    /// Wall-clock time from its start to its hello.
    pub start: Duration,
    /// Wall-clock time of any request.
    pub request: Duration,
    /// Wall-clock time on top of that for each line or row.
    pub per_item: Duration,
    /// Bytes in a line that it answers.
    pub response: usize,
    /// Lines or rows in a request at most.
    pub items: usize,
    /// How often it may fail on one batch before the rest of that is given up.
    pub faults: u32,
    /// How often it may fail without an answer in between before it is asked no more.
    pub failures: u32,
    /// How many answers in a row may be invalid before it is asked no more.
    pub invalid: u32,
    /// How much time may be lost with requests that are not answered before it is asked no more.
    pub patience: Duration,
}

impl Default for EngineLimits {
    /// A minute to start, ten seconds and five milliseconds an item, 64 MiB, 2048 items; 100 failures on
    /// one batch; 24 failures, 256 invalid answers or 90 seconds before it is given up.
    fn default() -> Self {
        Self {
            start: Duration::from_secs(60),
            request: Duration::from_secs(10),
            per_item: Duration::from_millis(5),
            response: 64 << 20,
            items: 2048,
            faults: 100,
            failures: 24,
            invalid: 256,
            patience: Duration::from_secs(90),
        }
    }
}

/// Why an engine cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is no command line.
    #[error("`{0}` is not a command line: write a program and its arguments, with quotes around spaces")]
    Command(String),
    /// It did not start.
    #[error("`{command}` cannot be started: {why}")]
    Start {
        /// The command line.
        command: String,
        /// What happened.
        why: String,
    },
    /// It does not speak the protocol.
    #[error("`{command}` is not an engine: {why}\n`ptx-conform engine check {}` says more", quoted(command))]
    Hello {
        /// The command line.
        command: String,
        /// What happened.
        why: String,
    },
}

/// An engine in processes of its own.
#[derive(Debug)]
pub struct External {
    words: Vec<String>,
    about: About,
    id: EngineId,
    limits: EngineLimits,
    idle: Mutex<Vec<Process>>,
    next: AtomicU64,
    notes: Mutex<Vec<String>>,
    losses: LossCount,
    health: Health,
}

/// How many notes are kept.
const NOTES: usize = 20;

impl External {
    /// The engine that a command line starts, with the default limits.
    ///
    /// # Errors
    /// Where it cannot be started or does not introduce itself as the protocol says.
    pub fn open(command: &str) -> Result<Self, Error> {
        Self::with_limits(command, EngineLimits::default())
    }

    /// The same with other limits.
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
            notes: Mutex::default(),
            losses: LossCount::default(),
            health: Health::default(),
        })
    }

    /// What the engine says of itself.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The newest PTX version that it lists; none where it takes any.
    pub fn newest_ptx(&self) -> Option<Version> {
        self.about.ptx.iter().max().copied()
    }

    fn note(&self, note: String) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.len() < NOTES {
            notes.push(note);
        }
    }

    fn can(&self, ability: Ability) -> bool {
        self.about.abilities.contains(&ability)
    }

    fn id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// A process that waits for a request, and whether it is new.
    fn process(&self) -> Result<(Process, bool), String> {
        // A statement of its own: the lock is not held while a process starts.
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(process) => Ok((process, false)),
            None => self.fresh().map(|process| (process, true)),
        }
    }

    /// A new process.
    fn fresh(&self) -> Result<Process, String> {
        let again = || start(&self.words, &self.limits);
        match again().or_else(|_| again()) {
            Ok((process, about, _)) if about == self.about => Ok(process),
            Ok((.., id)) => Err(format!("{} now answers `hello` differently, as {id}", self.id)),
            Err(Unusable::Start(why) | Unusable::Hello(why)) => Err(format!("{} no longer starts: {why}", self.id)),
        }
    }

    fn release(&self, process: Process) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(process);
    }

    fn takes(&self, environment: &Environment) -> Result<(), String> {
        let (name, Environment { ptx, target, .. }) = (&self.id, environment);
        if !self.about.ptx.is_empty() && !self.about.ptx.contains(ptx) {
            return Err(format!("{name} does not accept PTX {ptx}"));
        }
        if !self.about.targets.is_empty() && !self.about.targets.contains(target) {
            return Err(format!("{name} does not accept {target}"));
        }
        Ok(())
    }
}

impl Drop for External {
    /// Lets the processes end by themselves, and ends those that do not.
    fn drop(&mut self) {
        let mut idle = std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner));
        idle.iter_mut().for_each(Process::hang_up);
        for process in &mut idle {
            process.close(Duration::from_millis(200));
        }
    }
}

/// The words of a command line, as a shell splits them.
fn words(command: &str) -> Result<Vec<String>, Error> {
    let words = shlex::split(command).filter(|words| !words.is_empty());
    words.ok_or_else(|| Error::Command(command.to_owned()))
}

/// A command line as an argument of the shell.
fn quoted(command: &str) -> String {
    let engine = format!("exec:{command}");
    // What cannot be quoted has a zero byte, which no command line has.
    shlex::try_quote(&engine).map(std::borrow::Cow::into_owned).unwrap_or(engine.clone())
}

enum Unusable {
    Start(String),
    Hello(String),
}

fn line(request: &Request) -> Vec<u8> {
    // What is sent has no maps with keys that are no text, so it can be written.
    let mut line = serde_json::to_vec(request).unwrap_or_default();
    line.push(b'\n');
    line
}

fn hello() -> Vec<u8> {
    let tool = format!("ptx-conform {}", env!("CARGO_PKG_VERSION"));
    line(&Request::Hello(Hello { protocol: PROTOCOL, tool }))
}

/// A request for nothing: an engine that answers it is still there, and has nothing else to say.
fn ping(id: u64) -> Vec<u8> {
    line(&Request::Execute(ExecuteRequest { id, module: None, cases: Vec::new() }))
}

fn response(line: &[u8]) -> Result<Response, String> {
    serde_json::from_slice(line).map_err(|error| format!("its answer is not a response: {} ({error})", excerpt(line)))
}

/// Starts an engine and lets it introduce itself.
fn start(words: &[String], limits: &EngineLimits) -> Result<(Process, About, EngineId), Unusable> {
    let mut process = Process::start(words).map_err(|error| Unusable::Start(error.to_string()))?;
    let why = |fault: Fault, of: &str| match fault {
        Fault::Broke(why) => format!("{of}: {why}"),
        Fault::Hung => format!("{of}: it did not answer in time"),
    };
    let said = process.exchange(&hello(), 1, limits.start, limits.response);
    let said = said.map_err(|fault| Unusable::Hello(why(fault, "asked for `hello`")))?;
    let (about, id) = introduced(&said.concat()).map_err(Unusable::Hello)?;
    let said = process.exchange(&ping(0), 1, limits.request, limits.response);
    let said = said.map_err(|fault| Unusable::Hello(why(fault, "asked to execute nothing")))?;
    match response(&said.concat()).map_err(Unusable::Hello)?.id() {
        Some(0) => Ok((process, about, id)),
        _ => Err(Unusable::Hello("asked with id 0 to execute nothing, it did not answer with that id".to_owned())),
    }
}

/// Reads a hello.
fn introduced(line: &[u8]) -> Result<(About, EngineId), String> {
    let about = match response(line)? {
        Response::Hello(about) => about,
        _ => return Err(format!("it answered `hello` with {}", excerpt(line))),
    };
    if about.protocol != PROTOCOL {
        return Err(format!("it speaks version {} of the protocol; this is version {PROTOCOL}", about.protocol));
    }
    let mut about = about;
    let texts = std::mem::take(&mut about.details).into_iter();
    about.details = texts.map(|(key, value)| (shown(key), shown(value))).collect();
    let id = EngineId::new(&about.name, &about.version)?;
    if !about.version.contains('.') {
        return Err(format!(
            "its version is `{}`; write two or more numbers with dots between them, such as 1.0",
            about.version
        ));
    }
    Ok((about, id))
}

impl Engine for External {
    fn id(&self) -> &EngineId {
        &self.id
    }

    fn details(&self) -> BTreeMap<String, String> {
        self.about.details.clone()
    }

    /// Faults that could not be attributed to a line or row: what failed together did not fail alone.
    fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn losses(&self) -> BTreeMap<String, u64> {
        self.losses.get()
    }

    fn as_judge(&self) -> Option<&dyn LineJudge> {
        self.can(Ability::Judge).then_some(self)
    }

    fn as_executor(&self) -> Option<&dyn CaseExecutor> {
        (self.can(Ability::Cases) || self.can(Ability::Kernels)).then_some(self)
    }
}

impl LineJudge for External {
    fn supports(&self, environment: &Environment, depth: Depth) -> Result<(), String> {
        if depth == Depth::Generate && !self.can(Ability::Generate) {
            return Err(format!("{} does not generate code", self.id));
        }
        self.takes(environment)
    }

    fn judge(&self, batch: &Batch<'_>, depth: Depth) -> Vec<Outcome> {
        match self.supports(&batch.environment, depth) {
            Ok(()) => ask::ask(self, work::Lines::new(batch, depth)),
            Err(reason) => vec![Outcome::Skipped(reason); batch.lines.len()],
        }
    }

    fn command(&self, _: &Environment, _: Depth, _: bool) -> Option<String> {
        None
    }

    fn words(&self) -> Vec<String> {
        Vec::new()
    }
}

impl CaseExecutor for External {
    fn executes(&self, environment: &Environment) -> Result<(), String> {
        if environment.address_size != AddressSize::Bits64 {
            return Err("only 64-bit addresses are executed".to_owned());
        }
        self.takes(environment)
    }

    fn execute(&self, cases: &[Execution]) -> Vec<Vec<Answer>> {
        if !self.can(Ability::Kernels) {
            return ask::ask(self, work::Rows::new(self, cases));
        }
        // Cases that share a module stand together.
        let mut answers: Vec<Vec<Answer>> = vec![Vec::new(); cases.len()];
        for batch in kernel::batches(cases) {
            let together: Vec<Execution> = batch.iter().map(|&at| cases[at].clone()).collect();
            for (at, answered) in batch.into_iter().zip(ask::ask(self, work::Rows::new(self, &together))) {
                answers[at] = answered;
            }
        }
        answers
    }

    fn recorded(&self) -> Option<Vec<Execution>> {
        None
    }

    fn traps_cost(&self) -> bool {
        self.can(Ability::Kernels)
    }
}
