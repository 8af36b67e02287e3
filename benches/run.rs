//! The cost of a run compared with the cost of `ptxas` alone: timings of whole processes, as ratios.
//!
//! `cargo bench --bench run` measures three ways to judge the lines that a default run asks about, without code
//! generation: a run; the same modules given to the same `ptxas`, with as many processes at a time; and one process for
//! each of a sample of lines, scaled up.
//!
//! `cargo bench --bench run -- cvt dp2a` measures only these instructions.
//!
//! In the second, a line that stops the assembler is a file of its own, because nothing after it would be read, and a
//! process gets many such files. So is a line whose error is missing in the file of all: after the first error, the
//! assembler expands no macros. A line that kills it is a process of its own. Processor time (ours and that of the
//! processes) is compared as well as wall-clock time, because other work on the machine affects it less.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use ptx_conform::campaign::{Generate, Options, Progress, Subject, run};
use ptx_conform::divergences::Divergences;
use ptx_conform::engine::ptxas::Ptxas;
use ptx_conform::engine::{Batch, Depth, Engine, EngineId, LineJudge, Outcome, Unable, toolchain};
use ptx_conform::environment::Environment;
use ptx_conform::ptx::Scaffold;
use ptx_conform::spec::Spec;

/// The number of lines that are asked about alone.
const ALONE: usize = 20;
/// The number of files of one process, for lines that stop the assembler.
const FILES: usize = 400;

/// What a line does to the lines after it in its file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stops {
    /// Nothing.
    Nothing,
    /// Nothing, but it is refused.
    Refused,
    /// They are not read.
    File,
    /// The process dies.
    Process,
}

impl Stops {
    fn stops(self) -> bool {
        matches!(self, Self::File | Self::Process)
    }

    fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Rejected(text) if text.contains("Parsing error") || text.contains("discard mode") => Self::File,
            Outcome::Rejected(_) => Self::Refused,
            Outcome::Crashed(_) | Outcome::TimedOut => Self::Process,
            _ => Self::Nothing,
        }
    }
}

/// Lines that were asked about together, and what each stopped.
struct Module {
    /// The arguments of the assembler without its files.
    arguments: Vec<String>,
    environment: Environment,
    scaffold: Scaffold,
    lines: Vec<(String, Stops)>,
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
}

impl LineJudge for Recorder<'_> {
    fn supports(&self, environment: &Environment, depth: Depth) -> Result<(), Unable> {
        self.ptxas.supports(environment, depth)
    }

    fn judge(&self, batch: &Batch<'_>, depth: Depth) -> Vec<Outcome> {
        let outcomes = self.ptxas.judge(batch, depth);
        let lines = batch.lines.iter().zip(&outcomes).map(|(line, outcome)| ((*line).to_owned(), Stops::of(outcome)));
        if let Some(command) = self.command(&batch.environment, depth, batch.scaffold.separate) {
            let arguments = command.split(' ').skip(1).filter(|argument| !argument.ends_with(".ptx"));
            let arguments = arguments.map(str::to_owned).collect();
            let (environment, scaffold) = (batch.environment, batch.scaffold.clone());
            let module = Module { arguments, environment, scaffold, lines: lines.collect() };
            self.modules.lock().expect("no thread panics").push(module);
        }
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
    let bench = Bench { spec, divergences, ptxas };
    println!("{}: the lines of a default run; `ptxas alone` is 2 processes at a time", bench.ptxas.id());
    println!(
        "{:<10}{:>8}{:>8}{:>14}{:>10}{:>8}{:>12}{:>12}",
        "", "lines", "fatal", "ptxas alone", "run", "ratio", "of cpu time", "alone/case"
    );
    let named: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for instruction in &bench.spec.instructions {
        if named.is_empty() || named.contains(&instruction.name) {
            bench.measure(&instruction.name);
        }
    }
}

struct Bench {
    spec: Spec,
    divergences: Divergences,
    ptxas: Ptxas,
}

impl Bench {
    fn run(&self, judge: &dyn LineJudge, instruction: &str) -> u64 {
        let options =
            Options { instructions: vec![instruction.to_owned()], generate: Generate::Nothing, ..Options::default() };
        let subject = Subject::judging(judge, self.ptxas.newest_ptx());
        run(&self.spec, &self.divergences, &[subject], &options, &Progress::default()).cases()
    }

    /// Prints one line of the table: the cost of a run of an instruction compared with `ptxas` alone on its lines.
    fn measure(&self, instruction: &str) {
        let recorder = Recorder { ptxas: &self.ptxas, modules: Mutex::default() };
        self.run(&recorder, instruction);
        let mut modules = recorder.modules.into_inner().expect("no thread panics");
        let lines: usize = modules.iter().map(|module| module.lines.len()).sum();
        let fatal = modules.iter().flat_map(|module| &module.lines).filter(|(_, stops)| stops.stops()).count();
        if lines == 0 {
            println!("{instruction:<10}{lines:>8}");
            return;
        }
        let directory = tempfile::tempdir().expect("a temporary directory");
        modules.iter_mut().for_each(|module| module.hidden(self.ptxas.path(), directory.path()));
        let raw = raw(self.ptxas.path(), directory.path(), &modules);
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
        let all: Vec<(&Module, &str)> = modules
            .iter()
            .flat_map(|module| module.lines.iter().map(move |(line, _)| (module, line.as_str())))
            .collect();
        let some: Vec<_> = all.iter().step_by((all.len() / ALONE).max(1)).take(ALONE).collect();
        let started = Instant::now();
        for (number, (module, line)) in some.iter().enumerate() {
            let file = module.write(directory, &format!("one{number}"), &[*line]);
            assemble(self.ptxas.path(), directory, &module.arguments, &[file]);
        }
        started.elapsed().as_secs_f64() / some.len() as f64
    }
}

impl Module {
    /// The refused lines, with those as stopping their file whose error is missing in a file with all others.
    fn hidden(&mut self, ptxas: &Path, directory: &Path) {
        let read: Vec<usize> = (0..self.lines.len()).filter(|&at| !self.lines[at].1.stops()).collect();
        let texts: Vec<&str> = read.iter().map(|&at| self.lines[at].0.as_str()).collect();
        let (text, first) = self.scaffold.module(&self.environment, "k", &texts);
        std::fs::write(directory.join("all.ptx"), text).expect("a temporary file is written");
        let printed = assemble(ptxas, directory, &self.arguments, &["all.ptx".to_owned()]);
        let line =
            |message: &str| message.strip_prefix("ptxas all.ptx, line ")?.split(';').next()?.parse::<usize>().ok();
        let named: BTreeSet<usize> = printed.lines().filter_map(line).collect();
        for (place, at) in read.into_iter().enumerate() {
            if self.lines[at].1 == Stops::Refused && !named.contains(&(first + place)) {
                self.lines[at].1 = Stops::File;
            }
        }
    }

    /// Writes a file with some of the lines; returns its name.
    fn write(&self, directory: &Path, name: &str, lines: &[&str]) -> String {
        let name = format!("{name}.ptx");
        let text = self.scaffold.module(&self.environment, "k", lines).0;
        std::fs::write(directory.join(&name), text).expect("a temporary file is written");
        name
    }
}

/// Asks `ptxas` about each module as a file, and about each line that stops the assembler as a file of its own.
fn raw(ptxas: &Path, directory: &Path, modules: &[Module]) -> Clock {
    let mut processes: Vec<(&[String], Vec<String>)> = Vec::new();
    let mut alone: BTreeMap<&[String], Vec<String>> = BTreeMap::new();
    let mut number = 0..;
    let mut name = || number.next().unwrap_or(0).to_string();
    for module in modules {
        let of = |stops: Stops| module.lines.iter().filter(move |line| line.1 == stops).map(|line| line.0.as_str());
        let plain = module.lines.iter().filter(|line| !line.1.stops()).map(|line| line.0.as_str());
        let file = module.write(directory, &name(), &plain.collect::<Vec<_>>());
        processes.push((&module.arguments, vec![file]));
        let fatal = of(Stops::File).map(|line| module.write(directory, &name(), &[line]));
        alone.entry(&module.arguments).or_default().extend(fatal);
        let deadly = of(Stops::Process).map(|line| module.write(directory, &name(), &[line]));
        processes.extend(deadly.map(|file| (module.arguments.as_slice(), vec![file])));
    }
    for (arguments, files) in &alone {
        processes.extend(files.chunks(FILES).map(|files| (*arguments, files.to_vec())));
    }
    let started = Clock::now();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((arguments, files)) = processes.get(next.fetch_add(1, Ordering::Relaxed)) {
                    assemble(ptxas, directory, arguments, files);
                }
            });
        }
    });
    started.elapsed()
}

/// Runs the assembler; returns the text that it prints.
fn assemble(ptxas: &Path, directory: &Path, arguments: &[String], files: &[String]) -> String {
    let mut command = Command::new(ptxas);
    command.args(arguments).args(files).current_dir(directory);
    if arguments.iter().any(|argument| argument.starts_with("sm_")) {
        // As the engine does, keep it from generating code by a file that is wrong.
        std::fs::write(directory.join("stop.ptx"), "stop\n").expect("a temporary file is written");
        command.arg("stop.ptx");
    }
    // Like a user, read the messages; there are many.
    let output = command.stdin(Stdio::null()).output().expect("ptxas starts");
    String::from_utf8_lossy(&output.stderr).into_owned()
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
