//! Child processes: each is started in its own process group, watched, and killed with everything that it
//! started.
//!
//! Everything that this crate starts is started here: `ptxas`, engines, the workers of a GPU, and pip.

use std::fs::File;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use wait_timeout::ChildExt as _;

use crate::addresses::FixedAddresses;
use crate::guard::{self, Guarded};
use crate::kin::{self, KinMark};
use crate::memory;

/// How long to wait for a killed process to end: one that is inside a driver call cannot be killed.
const GRACE: Duration = Duration::from_millis(500);
/// How often to check the output size of a running process, and for an interrupt.
const POLL: Duration = Duration::from_millis(50);
/// How long a process may still run after an interrupt.
const FAREWELL: Duration = Duration::from_secs(2);

static INTERRUPTED: OnceLock<Instant> = OnceLock::new();

/// Ends all processes, those running now and those started later: each gets two more seconds.
pub fn interrupt() {
    // The first interrupt counts.
    let _ = INTERRUPTED.set(Instant::now());
}

/// True after an interrupt: a missing answer then says nothing about an engine.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.get().is_some_and(|at| at.elapsed() >= FAREWELL)
}

/// The time left until a deadline, or until an interrupt ends the processes.
pub(crate) fn left(deadline: Instant) -> Duration {
    let last = INTERRUPTED.get().map_or(deadline, |at| deadline.min(*at + FAREWELL));
    last.saturating_duration_since(Instant::now())
}

/// A running process and its group.
#[derive(Debug)]
pub(crate) struct Child {
    /// For its streams.
    pub(crate) process: std::process::Child,
    /// The process group; none once it was ended.
    group: Option<Guarded>,
    /// The mark of what it started, wherever that went.
    mark: KinMark,
}

impl Child {
    /// Starts the command in its own process group. So it can be killed together with everything that it
    /// starts, and an interrupt from the terminal reaches only this program: in the child it would look
    /// like a crash.
    ///
    /// A file that another thread's child still has open for writing is busy for a moment.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        guard::begin();
        let _fixed = FixedAddresses::new();
        let mark = KinMark::put(command);
        let mut started = command.spawn();
        for _ in 0..20 {
            match &started {
                Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                    std::thread::sleep(Duration::from_millis(5));
                    started = command.spawn();
                }
                _ => break,
            }
        }
        let process = started?;
        let pid = Pid::from_child(&process);
        kin::adopt(pid);
        Ok(Self { process, group: Some(Guarded::new(pid)), mark })
    }

    /// Limits its address space, and that of what it starts from now on. It runs already, but needs longer to get near a
    /// limit than this takes; to set one before it runs would need unsafe code, or a shell between, which costs half a
    /// millisecond.
    fn limit(&self, address_space: Option<u64>) -> io::Result<()> {
        let Some(bytes) = address_space else { return Ok(()) };
        let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
        match prlimit(Some(Pid::from_child(&self.process)), Resource::As, limit) {
            // It ended already.
            Err(Errno::SRCH) => Ok(()),
            set => Ok(set.map(drop)?),
        }
    }

    /// How it ended, if it does within this time. Everything that it started is killed.
    pub(crate) fn wait(&mut self, time: Duration) -> io::Result<Option<ExitStatus>> {
        let status = self.process.wait_timeout(time)?;
        if status.is_some() {
            self.kill();
            self.bury();
        }
        Ok(status)
    }

    /// The bytes of memory that it and what it started hold.
    pub(crate) fn memory(&self) -> u64 {
        memory::held_by(self.process.id())
    }

    /// Kills its group.
    fn kill(&self) {
        if let Some(guarded) = &self.group {
            // The group has the number of its first process, and nothing else has while one of it is left.
            let _ = rustix::process::kill_process_group(guarded.group(), rustix::process::Signal::KILL);
        }
    }

    /// Kills what it started that left the group, once it was waited for itself.
    fn bury(&mut self) {
        if let Some(guarded) = self.group.take() {
            self.mark.end(guarded.group());
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.group.is_some() {
            self.kill();
            let _ = self.process.wait_timeout(GRACE);
            self.bury();
        }
    }
}

/// The most that a process may use before it is killed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    /// Wall-clock time.
    pub(crate) time: Duration,
    /// Bytes of standard output and error together.
    pub(crate) output: u64,
    /// Bytes of address space; none is no limit.
    pub(crate) address_space: Option<u64>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By itself, with this exit status.
    Exited(i32),
    /// By this signal.
    Signal(i32),
    /// It was killed because it ran out of time.
    OutOfTime,
    /// It was killed because it printed too much.
    Flooded,
    /// It exited by itself, saying that it ran out of memory.
    OutOfMemory,
    /// It was killed because the user interrupted the run.
    Interrupted,
}

/// Runs a command to its end, or to a limit, with what it prints collected in the file `output`.
///
/// Both streams go to one file. So nothing can block on a full pipe, a grandchild that keeps a stream open
/// cannot block us, and messages stay in the order in which they were printed.
///
/// # Errors
/// If it cannot be started or watched.
pub(crate) fn run(mut command: Command, output: &Path, allowance: &Allowance) -> io::Result<(End, Vec<u8>)> {
    let sink = File::create(output)?;
    command.stdin(Stdio::null()).stdout(sink.try_clone()?).stderr(sink);
    let mut child = Child::start(&mut command)?;
    child.limit(allowance.address_space)?;
    // The command also holds the file, and is no longer needed.
    drop(command);
    let end = watch(&mut child, output, allowance);
    drop(child);
    let end = end?;
    let printed = match end {
        // A flood is not worth reading.
        End::Flooded => Vec::new(),
        _ => std::fs::read(output)?,
    };
    Ok((end, printed))
}

/// Waits until the child ends or reaches a limit. In the latter case it is still running.
fn watch(child: &mut Child, output: &Path, allowance: &Allowance) -> io::Result<End> {
    let deadline = Instant::now() + allowance.time;
    loop {
        if let Some(status) = child.wait(left(deadline).min(POLL))? {
            return Ok(end(status));
        }
        if std::fs::metadata(output)?.len() > allowance.output {
            return Ok(End::Flooded);
        }
        if left(deadline).is_zero() {
            return Ok(if deadline <= Instant::now() { End::OutOfTime } else { End::Interrupted });
        }
    }
}

fn end(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, Some(signal)) => End::Signal(signal),
        // Impossible: a process that was waited for has either exited or was killed.
        (None, None) => End::Exited(-1),
    }
}
