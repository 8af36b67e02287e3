//! One run of the assembler: start it, wait with limits, and say how it ended.

use std::fs::File;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use wait_timeout::ChildExt as _;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// By itself, with this exit status.
    Exited(i32),
    /// By this signal.
    Signal(i32),
    /// We killed it: it was out of time.
    OutOfTime,
    /// We killed it: it printed more than it may.
    Flooded,
    /// By itself, saying that it has no memory left.
    OutOfMemory,
}

/// What a process may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// Wall-clock time.
    pub(super) time: Duration,
    /// Bytes of standard output and error together.
    pub(super) output: u64,
    /// Bytes of address space; none is no limit.
    pub(super) address_space: Option<u64>,
}

/// How often a running process's output is measured.
const POLL: Duration = Duration::from_millis(50);

/// Runs `program arguments...` in `directory`, with its output collected in the file `output`.
///
/// Both streams go to one file, so that nothing can block on a full pipe, a grandchild that keeps
/// a stream open cannot hold us, and messages stay in the order in which they were printed.
pub(super) fn run<'a>(
    program: &Path,
    arguments: impl IntoIterator<Item = &'a str>,
    directory: &Path,
    output: &Path,
    allowance: &Allowance,
) -> io::Result<(End, Vec<u8>)> {
    let sink = File::create(output)?;
    let mut command = limited(program, allowance.address_space);
    command.args(arguments).current_dir(directory).env("TMPDIR", directory);
    command.stdin(Stdio::null()).stdout(sink.try_clone()?).stderr(sink);
    let mut child = start(&mut command)?;
    // The command holds the file as well; it is not needed any more.
    drop(command);
    let end = wait(&mut child, output, allowance);
    if !matches!(end, Ok(End::Exited(_) | End::Signal(_))) {
        // It may have ended by itself meanwhile; waiting is needed in any case.
        let _ = child.kill();
        let _ = child.wait();
    }
    let end = end?;
    let printed = match end {
        // A flood is not worth reading.
        End::Flooded => Vec::new(),
        _ => std::fs::read(output)?,
    };
    // What a shell says of a program that it cannot start. The assembler never ends like this.
    if allowance.address_space.is_some() && matches!(end, End::Exited(126 | 127)) {
        return Err(io::Error::other(String::from_utf8_lossy(&printed).trim().to_owned()));
    }
    Ok((end, printed))
}

/// The program, with its address space limited by a shell that then becomes the program (this
/// costs less than a millisecond; setting the limit ourselves would need unsafe code).
fn limited(program: &Path, address_space: Option<u64>) -> Command {
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

/// Starts the command; a file that another thread's child still has open for writing is busy for
/// a moment.
///
/// It gets a process group of its own: an interrupt from the terminal is for us, and would look
/// like a crash of the line under way.
fn start(command: &mut Command) -> io::Result<Child> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    for _ in 0..20 {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(5));
            }
            result => return result,
        }
    }
    command.spawn()
}

/// Waits for the end, or for a limit to be reached: then the child is still running.
fn wait(child: &mut Child, output: &Path, allowance: &Allowance) -> io::Result<End> {
    let deadline = Instant::now() + allowance.time;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if let Some(status) = child.wait_timeout(left.min(POLL))? {
            return Ok(end(status));
        }
        if std::fs::metadata(output)?.len() > allowance.output {
            return Ok(End::Flooded);
        }
        if left <= POLL && deadline <= Instant::now() {
            return Ok(End::OutOfTime);
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
