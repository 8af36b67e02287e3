//! `ptxas@VERSION`: NVIDIA's assembler as a child process.
//!
//! Many lines share a module, and many modules share a process. Messages are attributed by line. Two things always
//! hold: a line is accepted only if its process had no complaint at all, and a crash or time-out is attributed to a
//! line only if the line causes it alone.

mod answer;
mod binary;
mod compile;
mod diagnostics;
mod group;
mod mode;
mod open;
mod registers;
mod rounds;
mod several;
mod sharing;
mod together;
mod words;
mod writer;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustc_hash::FxHashMap;

use crate::health::Health;
use crate::protocol::{Ability, About, ExecuteRequest, JudgeRequest, Judged, LaunchRequest, PROTOCOL};
use crate::serve::{self, ServeError, Served};
use crate::{Batch, Depth, Engine, EngineId, JointDeath, LineJudge, Outcome, Unable};
use ptx_exec::kernel_case::KernelAnswer;
use ptx_exec::line_case::Answer;
use ptx_spec::environment::{Environment, Suffix, Target, Version};

use binary::Binary;

pub use open::{Error, version_of};

/// The limits of one process of the assembler, beyond which it is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Wall-clock time of any process.
    pub time: Duration,
    /// Wall-clock time on top of that for each line it is asked about.
    pub time_per_line: Duration,
    /// Wall-clock time that processes which do not end may cost, beyond what its answers took, before the engine is
    /// abandoned.
    pub patience: Duration,
    /// Bytes that it may print.
    pub output: u64,
    /// Bytes of address space; `None` means no limit.
    pub address_space: Option<u64>,
}

impl Default for ProcessLimits {
    /// Half a minute plus a millisecond per line, five minutes of patience, 256 MiB of messages, and 8 GiB of address
    /// space.
    fn default() -> Self {
        Self {
            time: Duration::from_secs(30),
            time_per_line: Duration::from_millis(1),
            patience: Duration::from_secs(300),
            output: 256 << 20,
            address_space: Some(8 << 30),
        }
    }
}

/// The family of the engine in names and in files of divergences.
pub const FAMILY: &str = "ptxas";

/// The cost of all processes so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Processes started.
    pub processes: u64,
    /// Modules given to them.
    pub modules: u64,
    /// Lines in those modules. More than the lines judged, because some are asked about again.
    pub lines: u64,
    /// Total wall-clock time of the processes.
    pub time: Duration,
}

/// The `-arch` option for an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Arch {
    /// `compute_90` or `sm_90`.
    value: String,
    /// True if a file with an error must stop code generation, because only a check is wanted.
    stopped: bool,
}

impl Arch {
    /// True if code is generated.
    fn generates(&self) -> bool {
        !self.stopped && self.value.starts_with("sm_")
    }
}

/// The `-arch` for a target once it is known. Locked while the assembler is asked about it, so that targets are asked
/// about at the same time and each once.
type KnownArch = Arc<Mutex<Option<Result<Arch, Unable>>>>;

/// A `ptxas` binary.
#[derive(Debug)]
pub struct Ptxas {
    binary: Binary,
    id: EngineId,
    newest: Version,
    /// Every `-arch` that `--help` lists.
    listed: Vec<String>,
    archs: Mutex<FxHashMap<(Target, Depth), KnownArch>>,
    health: Health,
    /// The health of code generation alone, which may hang on lines that pass the check at once.
    code_health: Health,
    /// The deaths that several lines cause only together.
    joint_deaths: Mutex<BTreeSet<JointDeath>>,
}

impl Ptxas {
    /// Opens the assembler at `path`, with the default limits.
    ///
    /// # Errors
    /// If the file does not exist, cannot be started, or does not behave like `ptxas`.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::with_limits(path, ProcessLimits::default())
    }

    /// The binary.
    pub fn path(&self) -> &Path {
        self.binary.path()
    }

    /// Its full version: `13.5.37`.
    pub fn version(&self) -> &str {
        self.id.version()
    }

    /// The newest PTX version that it supports.
    pub fn newest_ptx(&self) -> Version {
        self.newest
    }

    /// The targets that it generates code for: of those that it lists, the ones for which it compiles an empty entry.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn code_targets(&self) -> std::io::Result<Vec<Target>> {
        let mut targets = Vec::new();
        for value in self.listed.iter().filter(|value| value.starts_with("sm_")) {
            let Ok(target) = value.parse() else { continue };
            let arch = Arch { value: value.clone(), stopped: false };
            if !targets.contains(&target) && self.try_arch(target, &arch)?.is_ok() {
                targets.push(target);
            }
        }
        Ok(targets)
    }

    /// The cost of all processes so far.
    pub fn stats(&self) -> Stats {
        self.binary.stats()
    }

    /// The health of what is asked with an `-arch`: code generation, or the check.
    fn health_of(&self, arch: &Arch) -> &Health {
        if arch.generates() { &self.code_health } else { &self.health }
    }

    /// Keeps a death that several lines cause only together.
    fn keep_joint_death(&self, death: JointDeath) {
        self.joint_deaths.lock().unwrap_or_else(PoisonError::into_inner).insert(death);
    }

    /// The `-arch` for a target, found by asking the assembler and remembered. If it cannot be asked, that counts as a
    /// loss and is not remembered.
    fn arch(&self, target: Target, depth: Depth) -> Result<Arch, Unable> {
        // Entries are inserted whole, so they are valid even if a thread panicked.
        let all = || self.archs.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = Arc::clone(all().entry((target, depth)).or_default());
        let mut known = entry.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(arch) = &*known {
            return arch.clone();
        }
        let found = self.find_arch(target, depth).map_err(|error| {
            let why = format!("{} could not be asked about {target}: {error}", self.id);
            self.health.lost(&why, 1);
            Unable::Broken(why)
        })?;
        known.insert(found.map_err(Unable::Unsupported)).clone()
    }

    /// Tries each candidate, because listed values may still be refused.
    fn find_arch(&self, target: Target, depth: Depth) -> std::io::Result<Result<Arch, String>> {
        let id = &self.id;
        let mut reason = format!("{id} lists no `-arch` for {target}");
        for arch in self.candidates(target, depth) {
            match self.try_arch(target, &arch)? {
                Ok(()) => return Ok(Ok(arch)),
                Err(refusal) => reason = format!("{id} cannot be asked about {target}: {refusal}"),
            }
        }
        Ok(Err(reason))
    }

    /// Values of `-arch` for a target, best first. A plain target is assembled for itself or for a later plain target,
    /// a target with a suffix only for itself.
    fn candidates(&self, target: Target, depth: Depth) -> Vec<Arch> {
        let fits = |other: &Target| match target.suffix {
            Suffix::Plain => other.suffix == Suffix::Plain && other.sm >= target.sm,
            Suffix::Family | Suffix::Exact => *other == target,
        };
        let kind = |prefix: &str, stopped| {
            let numbers = self.listed.iter().filter_map(|value| value.strip_prefix(prefix));
            let mut targets: Vec<Target> =
                numbers.filter_map(|number| format!("sm_{number}").parse().ok()).filter(fits).collect();
            targets.sort_unstable();
            let arch = move |target: Target| Arch { value: format!("{prefix}{}", target.number()), stopped };
            targets.into_iter().map(arch).collect::<Vec<Arch>>()
        };
        match depth {
            Depth::Generate => kind("sm_", false),
            // Some versions refuse `compute_90a` and take `sm_90a`.
            Depth::Check => [kind("compute_", false), kind("sm_", true)].concat(),
        }
    }
}

impl Engine for Ptxas {
    fn id(&self) -> &EngineId {
        &self.id
    }

    /// Deaths of processes with several lines that no line causes alone, if they cannot be reduced.
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
        Some(self)
    }
}

impl LineJudge for Ptxas {
    fn supports(&self, environment: &Environment, depth: Depth) -> Result<(), Unable> {
        if environment.ptx > self.newest {
            return Err(Unable::Unsupported(format!("{} knows PTX up to {}", self.id, self.newest)));
        }
        self.arch(environment.target, depth).map(drop)
    }

    fn command(&self, environment: &Environment, depth: Depth, separate: bool) -> Option<String> {
        let arch = self.arch(environment.target, depth).ok()?;
        let separate = if separate { " --compile-only" } else { "" };
        Some(format!("ptxas -arch {}{separate} x.ptx -o /dev/null", arch.value))
    }

    fn judge(&self, batch: &Batch<'_>, depth: Depth) -> Vec<Outcome> {
        match self.supports(&batch.environment, depth) {
            Ok(()) => rounds::judge(self, &[batch], depth).concat(),
            Err(reason) => vec![Outcome::Skipped(reason.to_string()); batch.lines.len()],
        }
    }

    fn judge_all(&self, batches: &[Batch<'_>], depth: Depth) -> Vec<Vec<Outcome>> {
        several::judge_all(self, batches, depth)
    }

    fn joint_deaths(&self) -> Vec<JointDeath> {
        self.joint_deaths.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn words(&self) -> Vec<String> {
        match std::fs::read(self.path()) {
            Ok(binary) => words::words(&binary),
            // A program may be run by those who may not read it.
            Err(error) => {
                self.health.lost(&format!("the words of {} cannot be read from its binary: {error}", self.id), 1);
                Vec::new()
            }
        }
    }
}

/// Speaks the engine protocol for a `ptxas`.
///
/// # Errors
/// If the other side does not.
pub fn serve(ptxas: &Ptxas, input: impl BufRead, output: impl Write) -> Result<(), ServeError> {
    serve::serve(ptxas, input, output)
}

/// A `ptxas` was asked to execute.
#[derive(Debug, thiserror::Error)]
#[error("ptxas executes nothing: ask it to judge")]
pub(crate) struct ExecutesNothing;

impl Served for &Ptxas {
    type Error = ExecutesNothing;

    fn hello(&mut self) -> Result<About, Self::Error> {
        Ok(About {
            protocol: PROTOCOL,
            name: self.id.family().to_owned(),
            version: self.id.version().to_owned(),
            abilities: vec![Ability::Judge, Ability::Generate, Ability::Directives],
            // What it does not know, it skips with a reason.
            ptx: Vec::new(),
            targets: Vec::new(),
            details: self.details(),
            build: None,
        })
    }

    fn judge(&mut self, asked: JudgeRequest) -> Result<Judged, Self::Error> {
        Ok(serve::judged(*self, asked))
    }

    fn execute(&mut self, _: &ExecuteRequest) -> Result<Vec<Vec<Answer>>, Self::Error> {
        Err(ExecutesNothing)
    }

    fn launch(&mut self, _: LaunchRequest) -> Result<Vec<KernelAnswer>, Self::Error> {
        Err(ExecutesNothing)
    }
}
