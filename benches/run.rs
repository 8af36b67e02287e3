//! The cost of a run compared with the cost of `ptxas` alone: timings of whole processes, as ratios.
//!
//! `cargo bench --bench run` measures three ways to judge the valid variants and single breaches of each instruction
//! in one environment: a run; the same modules given to the same `ptxas`, with as many processes at a time; and one
//! process for each of a sample of lines, scaled up.
//!
//! In the second, a line that stops the assembler is a file of its own, because nothing after it would be read, and a
//! process gets many such files. Processor time (ours and that of the processes) is compared as well as wall-clock
//! time, because other work on the machine affects it less.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use ptx_conform::campaign::{Generate, Options, Progress, Strategy, Subject, run};
use ptx_conform::divergences::Divergences;
use ptx_conform::engine::ptxas::Ptxas;
use ptx_conform::engine::{Batch, CaseExecutor, Depth, Engine, EngineId, LineJudge, Outcome, toolchain};
use ptx_conform::environment::{AddressSize, Environment, Suffix, Target, Version};
use ptx_conform::ptx::Scaffold;
use ptx_conform::spec::Spec;

/// The number of lines that are asked about alone.
const ALONE: usize = 20;
/// The number of files of one process, for lines that stop the assembler.
const FILES: usize = 400;

/// Lines that were asked about together, and whether each stopped the assembler.
struct Module {
    scaffold: Scaffold,
    lines: Vec<(String, bool)>,
}

/// Records what a run asks about.
struct Recorder<'a> {
    ptxas: &'a Ptxas,
    modules: Mutex<Vec<Module>>,
}

impl Engine for Recorder<'_> {
    fn id(&self) -> &EngineId {
        self.ptxas.id()
    }

    fn details(&self) -> BTreeMap<String, String> {
        self.ptxas.details()
    }

    fn notes(&self) -> Vec<String> {
        self.ptxas.notes()
    }

    fn losses(&self) -> BTreeMap<String, u64> {
        self.ptxas.losses()
    }

    fn as_judge(&self) -> Option<&dyn LineJudge> {
        Some(self)
    }

    fn as_executor(&self) -> Option<&dyn CaseExecutor> {
        None
    }
}

impl LineJudge for Recorder<'_> {
    fn supports(&self, environment: &Environment, depth: Depth) -> Result<(), String> {
        self.ptxas.supports(environment, depth)
    }

    fn judge(&self, batch: &Batch<'_>, depth: Depth) -> Vec<Outcome> {
        let outcomes = self.ptxas.judge(batch, depth);
        let fatal = |outcome: &Outcome| match outcome {
            Outcome::Rejected(text) => text.contains("Parsing error") || text.contains("discard mode"),
            _ => false,
        };
        let lines = batch.lines.iter().zip(&outcomes).map(|(line, outcome)| ((*line).to_owned(), fatal(outcome)));
        let module = Module { scaffold: batch.scaffold.clone(), lines: lines.collect() };
        self.modules.lock().expect("no thread panics").push(module);
        outcomes
    }

    fn command(&self, environment: &Environment, depth: Depth, separate: bool) -> Option<String> {
        self.ptxas.command(environment, depth, separate)
    }

    fn words(&self) -> Vec<String> {
        self.ptxas.words()
    }
}

fn main() {
    let Ok(path) = toolchain::discover(None) else {
        println!("no ptxas here: `ptx-conform toolchain install 13.5` fetches one");
        return;
    };
    let spec = ptx_conform::shipped::spec().expect("the shipped specification is sound");
    let divergences = Divergences::load(None, &spec).expect("the shipped divergences are sound");
    let ptxas = Ptxas::open(&path).expect("a ptxas that was found opens");
    let bench = Bench { environment: newest(&spec, &ptxas), spec, divergences, ptxas };
    println!(
        "{}, {}: valid lines and single breaches of each instruction; `ptxas alone` is 2 processes at a time",
        bench.ptxas.id(),
        bench.environment
    );
    println!(
        "{:<10}{:>8}{:>8}{:>14}{:>10}{:>8}{:>12}{:>12}",
        "", "lines", "fatal", "ptxas alone", "run", "ratio", "of cpu time", "alone/case"
    );
    for instruction in &bench.spec.instructions {
        bench.measure(&instruction.name);
    }
}

/// The newest environment of an assembler: 64 bits, and a plain target.
fn newest(spec: &Spec, ptxas: &Ptxas) -> Environment {
    let ptx = ptxas.newest_ptx();
    let plain = |(target, since): &&(Target, Version)| target.suffix == Suffix::Plain && *since <= ptx;
    let (target, _) = *spec.isa.targets.iter().rfind(plain).expect("a target");
    Environment { ptx, target, address_size: AddressSize::Bits64 }
}

struct Bench {
    spec: Spec,
    divergences: Divergences,
    ptxas: Ptxas,
    environment: Environment,
}

impl Bench {
    fn run(&self, judge: &dyn LineJudge, instruction: &str) -> u64 {
        let options = Options {
            instructions: vec![instruction.to_owned()],
            strategy: Strategy::Triples,
            random: 20_000,
            boundaries: false,
            generate: Generate::Nothing,
            environment: Some(self.environment),
            ..Options::default()
        };
        let subject = Subject::judging(judge, self.environment.ptx);
        run(&self.spec, &self.divergences, &[subject], &options, &Progress::default()).cases()
    }

    /// Prints one line of the table: the cost of a run of an instruction compared with `ptxas` alone on its lines.
    fn measure(&self, instruction: &str) {
        let recorder = Recorder { ptxas: &self.ptxas, modules: Mutex::default() };
        self.run(&recorder, instruction);
        let modules = recorder.modules.into_inner().expect("no thread panics");
        let lines: usize = modules.iter().map(|module| module.lines.len()).sum();
        let fatal = modules.iter().flat_map(|module| &module.lines).filter(|(_, fatal)| *fatal).count();
        if lines == 0 {
            println!("{instruction:<10}{lines:>8}");
            return;
        }
        let directory = tempfile::tempdir().expect("a temporary directory");
        let raw = raw(self.ptxas.path(), directory.path(), &self.environment, &modules);
        let started = Clock::now();
        let cases = self.run(&self.ptxas, instruction);
        let whole = started.elapsed();
        println!(
            "{instruction:<10}{lines:>8}{fatal:>8}{:>12.2} s{:>8.2} s{:>8.2}{:>12.2}{:>11.0}x",
            raw.wall(),
            whole.wall(),
            whole.wall() / raw.wall(),
            whole.cpu() / raw.cpu(),
            self.alone(directory.path(), &modules) / (whole.wall() / cases as f64),
        );
    }

    /// Seconds per line, in a process of its own.
    fn alone(&self, directory: &Path, modules: &[Module]) -> f64 {
        let all: Vec<(&Scaffold, &str)> = modules
            .iter()
            .flat_map(|module| module.lines.iter().map(|(line, _)| (&module.scaffold, line.as_str())))
            .collect();
        let some: Vec<_> = all.iter().step_by((all.len() / ALONE).max(1)).take(ALONE).collect();
        let started = Instant::now();
        for (scaffold, line) in &some {
            raw_one(self.ptxas.path(), directory, &self.environment, scaffold, line);
        }
        started.elapsed().as_secs_f64() / some.len() as f64
    }
}

/// Asks `ptxas` about each module as a file, and about each line that stops the assembler as a file of its own.
fn raw(ptxas: &Path, directory: &Path, environment: &Environment, modules: &[Module]) -> Clock {
    let mut processes: Vec<Vec<PathBuf>> = Vec::new();
    let mut alone: Vec<PathBuf> = Vec::new();
    let mut number = 0..;
    let mut write = |scaffold: &Scaffold, lines: &[&str]| {
        let file = directory.join(format!("{}.ptx", number.next().unwrap_or(0)));
        std::fs::write(&file, scaffold.module(environment, "k", lines).0).expect("a temporary file is written");
        file
    };
    for Module { scaffold, lines } in modules {
        let of = |fatal: bool| lines.iter().filter(move |line| line.1 == fatal).map(|line| line.0.as_str());
        processes.push(vec![write(scaffold, &of(false).collect::<Vec<_>>())]);
        alone.extend(of(true).map(|line| write(scaffold, &[line])));
    }
    processes.extend(alone.chunks(FILES).map(<[PathBuf]>::to_vec));
    let started = Clock::now();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(files) = processes.get(next.fetch_add(1, Ordering::Relaxed)) {
                    assemble(ptxas, environment, files);
                }
            });
        }
    });
    started.elapsed()
}

fn raw_one(ptxas: &Path, directory: &Path, environment: &Environment, scaffold: &Scaffold, line: &str) {
    let file = directory.join("one.ptx");
    std::fs::write(&file, scaffold.module(environment, "k", &[line]).0).expect("a temporary file is written");
    assemble(ptxas, environment, &[file]);
}

fn assemble(ptxas: &Path, environment: &Environment, files: &[PathBuf]) {
    let arch = format!("compute_{}", environment.target.number());
    let mut command = Command::new(ptxas);
    command.args(["-arch", &arch]).args(files);
    if files.len() == 1 {
        command.args(["-o", "/dev/null"]);
    }
    // Like a user, read the messages; there are many.
    let output = command.stdin(Stdio::null()).output().expect("ptxas starts");
    std::hint::black_box(output.stderr.len());
}

/// Seconds of wall-clock time and of processor time, ours and our children's (0 without `/proc`): since the start, or
/// spent.
#[derive(Clone, Copy)]
struct Clock(Instant, f64, f64);

impl Clock {
    fn now() -> Self {
        // Fields 14 to 17, counted with the name in brackets; in hundredths of a second.
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let ticks: f64 = fields.skip(11).take(4).filter_map(|field| field.parse::<f64>().ok()).sum();
        Self(Instant::now(), 0.0, ticks / 100.0)
    }

    fn elapsed(&self) -> Self {
        let now = Self::now();
        Self(self.0, (now.0 - self.0).as_secs_f64(), now.2 - self.2)
    }

    fn wall(&self) -> f64 {
        self.1
    }

    fn cpu(&self) -> f64 {
        self.2
    }
}

impl std::fmt::Display for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} s ({:.2} s of processor time)", self.1, self.2)
    }
}
