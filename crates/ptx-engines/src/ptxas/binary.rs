//! Runs the program: starts processes within limits, and counts what they cost.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::{ProcessLimits, Stats};
use crate::child::{self, Allowance, End};
use crate::identity::OpenedFile;
use crate::scratch::{Scratch, ScratchFolder};

/// A program that may be `ptxas`.
#[derive(Debug)]
pub(super) struct Binary {
    program: OpenedFile,
    pub(super) limits: ProcessLimits,
    /// Where the temporary directories of processes are created; none if that failed.
    scratch: Option<Scratch>,
    counters: Counters,
}

#[derive(Debug, Default)]
struct Counters {
    processes: AtomicU64,
    modules: AtomicU64,
    lines: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Binary {
    /// The program at a path, as it is now.
    ///
    /// # Errors
    /// If there is no such file, or it is a directory.
    pub(super) fn new(path: PathBuf, limits: ProcessLimits) -> std::io::Result<Self> {
        if path.is_dir() {
            return Err(std::io::Error::new(std::io::ErrorKind::IsADirectory, "it is a directory"));
        }
        let program = OpenedFile::new(path)?;
        Ok(Self { program, limits, scratch: Scratch::open().ok(), counters: Counters::default() })
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        self.program.path()
    }

    /// Runs one process in `directory`; returns how it ended and what it printed.
    pub(super) fn run(&self, directory: &Path, arguments: &[&str], lines: usize) -> std::io::Result<(End, Vec<u8>)> {
        self.run_within(self.limits.time, directory, arguments, lines)
    }

    /// The same, with another time than usual beside that for each line.
    pub(super) fn run_within(
        &self,
        time: Duration,
        directory: &Path,
        arguments: &[&str],
        lines: usize,
    ) -> std::io::Result<(End, Vec<u8>)> {
        let extra = u32::try_from(lines).unwrap_or(u32::MAX);
        let time = time.saturating_add(self.limits.time_per_line.saturating_mul(extra));
        let allowance = Allowance { time, ..self.allowance() };
        let started = Instant::now();
        let result = self.start(directory, arguments, &allowance);
        let spent = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.counters.processes.fetch_add(1, Ordering::Relaxed);
        self.counters.nanoseconds.fetch_add(spent, Ordering::Relaxed);
        result
    }

    fn start(&self, directory: &Path, arguments: &[&str], allowance: &Allowance) -> std::io::Result<(End, Vec<u8>)> {
        self.program.check()?;
        let mut command = Command::new(self.path());
        command.args(arguments).current_dir(directory).env("TMPDIR", directory);
        let ended = child::run(command, &directory.join("output"), allowance)?;
        self.program.check()?;
        match ended {
            (End::Interrupted, _) => Err(std::io::Error::other("it was interrupted")),
            ended => Ok(ended),
        }
    }

    fn allowance(&self) -> Allowance {
        let ProcessLimits { time, output, address_space, .. } = self.limits;
        Allowance { time, output, address_space }
    }

    /// A new private directory, in memory if possible.
    pub(super) fn directory(&self) -> std::io::Result<ScratchFolder> {
        match &self.scratch {
            Some(scratch) => scratch.folder(),
            None => Scratch::open()?.folder(),
        }
    }

    /// Counts modules and lines that a process is given.
    pub(super) fn count(&self, modules: usize, lines: usize) {
        // A usize always fits.
        self.counters.modules.fetch_add(modules as u64, Ordering::Relaxed);
        self.counters.lines.fetch_add(lines as u64, Ordering::Relaxed);
    }

    /// The cost of all processes so far.
    pub(super) fn stats(&self) -> Stats {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Stats {
            processes: get(&self.counters.processes),
            modules: get(&self.counters.modules),
            lines: get(&self.counters.lines),
            time: Duration::from_nanos(get(&self.counters.nanoseconds)),
        }
    }
}
