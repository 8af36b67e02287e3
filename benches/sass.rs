//! Rows per second of the interpreter of machine code on one core, and what the whole costs: `cargo bench --bench sass`.
//!
//! The rows are those that `run --engine sass@13.5 --random 0 --cases 60` executes. They are compiled once, and
//! interpreted several times; of each program the fastest time counts, because other work on the machine affects it
//! least.

use std::hint::black_box;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use ptx_conform::campaign::{Options, Progress, Subject, run};
use ptx_conform::divergences::Divergences;
use ptx_conform::engine::sass::{CompiledCases, Configuration, LoadedCases, Sass};
use ptx_conform::engine::{CaseExecutor, Engine, EngineId, Unable, toolchain};
use ptx_conform::environment::Environment;
use ptx_conform::line_case::{Answer, LineCase};
use ptx_conform::spec::Spec;

/// The newest release whose machine code is interpreted.
const VERSION: &str = "13.5";
/// Programs of each form.
const CASES: usize = 60;
/// How often all rows are interpreted.
const PASSES: usize = 50;
/// The programs that are compiled together, as many as in a run.
const TOGETHER: usize = 64;

/// Records what a run executes.
struct Recorder<'a> {
    sass: &'a Sass,
    programs: Mutex<Vec<LineCase>>,
}

impl Engine for Recorder<'_> {
    fn id(&self) -> &EngineId {
        self.sass.id()
    }

    fn as_executor(&self) -> Option<&dyn CaseExecutor> {
        Some(self)
    }
}

impl CaseExecutor for Recorder<'_> {
    fn executes(&self, environment: &Environment) -> Result<(), Unable> {
        self.sass.executes(environment)
    }

    /// Any answer that is not a failure: an engine that only fails is not asked further.
    fn execute(&self, cases: &[LineCase]) -> Vec<Vec<Answer>> {
        self.programs.lock().expect("no thread panics").extend_from_slice(cases);
        cases.iter().map(|case| vec![Answer::Trapped(String::new()); case.rows.len()]).collect()
    }

    fn traps_cost(&self) -> bool {
        self.sass.traps_cost()
    }
}

/// The programs of an instruction that a run executes.
fn programs(spec: &Spec, sass: &Sass, instruction: &str) -> Vec<LineCase> {
    let options = Options {
        instructions: vec![instruction.to_owned()],
        random: Some(0),
        cases: Some(CASES),
        ..Options::default()
    };
    let recorder = Recorder { sass, programs: Mutex::default() };
    let subject = Subject::executing(&recorder, sass.newest_ptx());
    run(spec, &Divergences::default(), &[subject], &options, &Progress::default());
    recorder.programs.into_inner().expect("no thread panics")
}

/// What parts of the work take.
#[derive(Default)]
struct Parts {
    rows: u64,
    steps: u64,
    compile: Duration,
    cold: Duration,
    warm: Duration,
    interpret: Duration,
}

impl Parts {
    /// Prints a line of the table.
    fn print(&self, name: &str) {
        let seconds = self.interpret.as_secs_f64();
        println!(
            "{name:<10}{:>8}{:>12.1}{:>12.0}{:>14.1}{:>12.2}{:>10.2}{:>10.2}{:>12.3}",
            self.rows,
            self.steps as f64 / self.rows as f64,
            self.rows as f64 / seconds,
            self.steps as f64 / seconds / 1e6,
            self.compile.as_secs_f64(),
            self.cold.as_secs_f64(),
            self.warm.as_secs_f64(),
            seconds,
        );
    }

    fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.steps += other.steps;
        self.compile += other.compile;
        self.cold += other.cold;
        self.warm += other.warm;
        self.interpret += other.interpret;
    }
}

fn timed<T>(total: &mut Duration, work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let result = work();
    *total += started.elapsed();
    result
}

/// Measures all programs of an instruction.
fn measure(sass: &Sass, programs: &[LineCase]) -> Parts {
    let rows = programs.iter().map(|program| program.rows.len() as u64).sum();
    let mut parts = Parts { rows, ..Parts::default() };
    let compiled: Vec<CompiledCases<'_>> =
        timed(&mut parts.compile, || programs.chunks(TOGETHER).map(|programs| sass.compile(programs)).collect());
    let disassemble = || compiled.iter().map(|compiled| sass.disassemble(compiled).expect("instructions")).collect();
    let _: Vec<LoadedCases<'_>> = timed(&mut parts.cold, disassemble);
    timed(&mut parts.warm, || black_box::<Vec<LoadedCases<'_>>>(disassemble()));
    let mut fastest = vec![Duration::MAX; programs.len()];
    for _ in 0..PASSES {
        parts.steps = 0;
        let mut fastest = fastest.iter_mut();
        for compiled in &compiled {
            // As in a run: what is about to be interpreted has just been read.
            let loaded = sass.disassemble(compiled).expect("instructions");
            let mut cases = loaded.execute();
            for fastest in fastest.by_ref().take(TOGETHER) {
                let mut time = Duration::ZERO;
                parts.steps += timed(&mut time, || cases.next().map_or(0, |case| black_box(case).steps));
                *fastest = time.min(*fastest);
            }
        }
    }
    parts.interpret = fastest.iter().sum();
    parts
}

fn main() {
    let found =
        toolchain::find(VERSION).ok().and_then(|found| Some((toolchain::disassembler(&found.path)?, found.path)));
    let Some((disassembler, assembler)) = found else {
        println!("no ptxas or nvdisasm here: `ptx-conform toolchain install {VERSION}` fetches them");
        return;
    };
    let spec = ptx_conform::shipped::spec().expect("the shipped specification is sound");
    let cache = tempfile::tempdir().expect("a temporary directory");
    let sass = Sass::open(&assembler, &disassembler, Some(cache.path().to_owned()), Configuration::default())
        .expect("a ptxas that opens");
    println!("{}: seconds of one core; `disassemble` with nothing known yet, and with everything", sass.id());
    println!(
        "{:<10}{:>8}{:>12}{:>12}{:>14}{:>12}{:>20}{:>12}",
        "", "rows", "steps/row", "rows/s", "M steps/s", "compile", "disassemble", "interpret"
    );
    let mut all = Parts::default();
    for instruction in &spec.instructions {
        let programs = programs(&spec, &sass, &instruction.name);
        if !programs.is_empty() {
            let parts = measure(&sass, &programs);
            parts.print(&instruction.name);
            all.add(&parts);
        }
    }
    all.print("all");
}
