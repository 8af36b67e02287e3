//! Child processes: started in a group of their own, watched, and ended with all that they started.
//!
//! Everything that this crate starts is started here: `ptxas`, engines, the workers of a GPU, and pip.

use std::fs::File;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use wait_timeout::ChildExt as _;

use crate::guard::Guarded;

/// How long a process that was killed may take to end before it is left behind: one in the middle of a
/// driver cannot be killed.
const GRACE: Duration = Duration::from_millis(500);
/// How often the output of a running process is measured, and an interrupt looked for.
const POLL: Duration = Duration::from_millis(50);
/// How long a process may still run after an interrupt.
const FAREWELL: Duration = Duration::from_secs(2);

static INTERRUPTED: OnceLock<Instant> = OnceLock::new();

/// Ends the processes that run now and later: each gets two more seconds.
pub fn interrupt() {
    // The first interrupt counts.
    let _ = INTERRUPTED.set(Instant::now());
}

/// Whether an interrupt has ended what ran: what was under way was not answered, and says nothing of an
/// engine.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.get().is_some_and(|at| at.elapsed() >= FAREWELL)
}

/// How much is left until a deadline, or until an interrupt ends what runs.
pub(crate) fn left(deadline: Instant) -> Duration {
    let last = INTERRUPTED.get().map_or(deadline, |at| deadline.min(*at + FAREWELL));
    last.saturating_duration_since(Instant::now())
}

/// A running process and its group.
#[derive(Debug)]
pub(crate) struct Child {
    /// For its streams.
    pub(crate) process: std::process::Child,
    /// None once the group was ended.
    group: Option<Guarded>,
}

impl Child {
    /// Starts the command in a process group of its own, so that it and whatever it starts can be ended
    /// together, and an interrupt from the terminal is for this program: it would look like a crash.
    ///
    /// A file that another thread's child still has open for writing is busy for a moment.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        command.process_group(0);
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
        let group = Some(Guarded::new(rustix::process::Pid::from_child(&process)));
        Ok(Self { process, group })
    }

    /// How it ended, where it does so within a time. What it started is ended with it.
    pub(crate) fn wait(&mut self, time: Duration) -> io::Result<Option<ExitStatus>> {
        let status = self.process.wait_timeout(time)?;
        if status.is_some() {
            self.end();
        }
        Ok(status)
    }

    /// Kills it and whatever it started.
    fn end(&mut self) {
        if let Some(guarded) = self.group.take() {
            // The group has the number of its first process, and nothing else has while one of it is left.
            let _ = rustix::process::kill_process_group(guarded.group(), rustix::process::Signal::KILL);
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.group.is_some() {
            self.end();
            let _ = self.process.wait_timeout(GRACE);
        }
    }
}

/// What a process may use before it is killed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    /// Wall-clock time.
    pub(crate) time: Duration,
    /// Bytes of standard output and error together.
    pub(crate) output: u64,
    /// Bytes of address space; none is no limit. Only for a [`limited`] command.
    pub(crate) address_space: Option<u64>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By itself, with this exit status.
    Exited(i32),
    /// By this signal.
    Signal(i32),
    /// It was killed: it was out of time.
    OutOfTime,
    /// It was killed: it printed more than it may.
    Flooded,
    /// By itself, saying that it has no memory left.
    OutOfMemory,
    /// It was killed: the user wants no more.
    Interrupted,
}

/// A program with its address space limited by a shell that then becomes the program (this costs less
/// than a millisecond; setting the limit ourselves would need unsafe code).
pub(crate) fn limited(program: &Path, address_space: Option<u64>) -> Command {
    let shell = Path::new("/bin/sh");
    match address_space {
        Some(bytes) if shell.exists() => {
            let mut command = Command::new(shell);
            let limit = format!("ulimit -v {}; exec \"$0\" \"$@\"", bytes.div_ceil(1024));
            command.args(["-c", &limit]).arg(program);
            command
        }
        _ => Command::new(program),
    }
}

/// Runs a command to its end, or to a limit, with what it prints collected in the file `output`.
///
/// Both streams go to one file, so that nothing can block on a full pipe, a grandchild that keeps a
/// stream open cannot hold us, and messages stay in the order in which they were printed.
///
/// # Errors
/// Where it cannot be started or watched.
pub(crate) fn run(mut command: Command, output: &Path, allowance: &Allowance) -> io::Result<(End, Vec<u8>)> {
    let sink = File::create(output)?;
    command.stdin(Stdio::null()).stdout(sink.try_clone()?).stderr(sink);
    let mut child = Child::start(&mut command)?;
    // The command holds the file as well; it is not needed any more.
    drop(command);
    let end = watch(&mut child, output, allowance);
    drop(child);
    let end = end?;
    let printed = match end {
        // A flood is not worth reading.
        End::Flooded => Vec::new(),
        _ => std::fs::read(output)?,
    };
    // What a shell says of a program that it cannot start.
    if allowance.address_space.is_some() && matches!(end, End::Exited(126 | 127)) {
        return Err(io::Error::other(String::from_utf8_lossy(&printed).trim().to_owned()));
    }
    Ok((end, printed))
}

/// Waits for the end, or for a limit to be reached: then the child is still running.
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
        // Neither cannot be: a process that was waited for has exited or was killed.
        (None, None) => End::Exited(-1),
    }
}
