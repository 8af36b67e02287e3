//! What a run costs beside what `ptxas` itself needs: whole-process timings, as ratios.
//!
//! `cargo bench --bench run` prints three figures for the valid variants and the single breaches of
//! `suld` in one environment: the run; the same lines given to the same `ptxas` as one module file
//! for each batch, with as many processes at a time; and one process for each of a sample of lines,
//! scaled up. Lines that stop the assembler are left out of the second, as it could not go on.
//! Processor time, ours and that of the processes, is compared beside wall-clock time: other work on
//! the machine does not show in it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use ptx_conform::divergence::Divergences;
use ptx_conform::engine::ptxas::Ptxas;
use ptx_conform::engine::{Batch, Depth, Engine, Outcome, toolchain};
use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::ptx::{Context, Item, Printer, Scaffold, scaffold};
use ptx_conform::run::{Generate, Options, Progress, Strategy, Subject, run};
use ptx_conform::space::{Diagram, breakable, environment_values};
use ptx_conform::spec::Spec;

const LIMIT: usize = 200_000;
const ALONE: usize = 100;

fn main() {
    let Ok(path) = toolchain::discover(None) else {
        println!("no ptxas here: `ptx-conform toolchain install 13.5` fetches one");
        return;
    };
    let spec = Spec::shipped().expect("the shipped specification is sound");
    let ptxas = Ptxas::open(&path).expect("a ptxas that was found opens");
    let environment = Environment {
        ptx: "7.0".parse().expect("a version"),
        target: "sm_75".parse().expect("a target"),
        address_size: AddressSize::Bits64,
    };
    let (lines, surroundings) = lines(&spec, &environment);
    println!("{}: {} lines of suld, valid and single breaches, {environment}", ptxas.name(), lines.len());

    // What the assembler needs for the text: each line that it survives, in files of 10,000.
    let refs: Vec<&str> = lines.iter().map(String::as_str).collect();
    let started = Clock::now();
    let batch = Batch { environment, scaffold: surroundings.clone(), lines: refs.clone() };
    let outcomes = ptxas.judge(&batch, Depth::Check);
    let engine = started.elapsed();
    let fatal = |outcome: &Outcome| match outcome {
        Outcome::Rejected(text) => text.contains("Parsing error") || text.contains("discard mode"),
        _ => false,
    };
    let survivors: Vec<&str> = refs.iter().zip(&outcomes).filter(|(_, o)| !fatal(o)).map(|(line, _)| *line).collect();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let raw = raw(&path, directory.path(), &environment, &surroundings, &survivors);
    println!("ptxas alone, 2 processes at a time: {raw} for {} lines without fatal errors", survivors.len());
    println!("our engine on one thread:           {engine} for all {} lines", refs.len());

    // The run: plan, print, judge, ask, compare.
    let options = Options {
        instructions: vec!["suld".to_owned()],
        strategy: Strategy::Triples,
        random: 100_000,
        boundaries: false,
        generate: Generate::Nothing,
        environment: Some(environment),
        ..Options::default()
    };
    let subjects = [Subject { engine: &ptxas, newest: ptxas.newest_ptx() }];
    let divergences = Divergences::load(None, &spec).expect("the shipped divergences are sound");
    let before = ptxas.stats();
    let started = Clock::now();
    let results = run(&spec, &divergences, &subjects, &options, &Progress::default());
    let whole = started.elapsed();
    let spent = ptxas.stats();
    let inside = spent.time - before.time;
    println!(
        "a run, all cores:                   {whole} for {} cases; {:.2} s of it, summed over {} processes, in ptxas",
        results.cases(),
        inside.as_secs_f64(),
        spent.processes - before.processes
    );
    let ratio = |of: fn(&Clock) -> f64| of(&whole) / results.cases() as f64 / (of(&raw) / survivors.len() as f64);
    println!(
        "run / ptxas alone, per line:        {:.2}; of processor time {:.2}",
        ratio(Clock::wall),
        ratio(Clock::cpu)
    );
    let per_case = whole.wall() / results.cases() as f64;

    let started = Instant::now();
    for line in refs.iter().step_by(refs.len() / ALONE).take(ALONE) {
        raw_one(&path, directory.path(), &environment, &surroundings, line);
    }
    let alone = started.elapsed() / u32::try_from(ALONE).unwrap_or(1);
    println!(
        "one process per case:               {:.2} ms each; run is {:.0} times less",
        alone.as_secs_f64() * 1e3,
        alone.as_secs_f64() / per_case
    );
}

/// Lines of the valid space and of each breach, evenly spread, and what they all need.
fn lines(spec: &Spec, environment: &Environment) -> (Vec<String>, Scaffold) {
    let form = &spec.instruction("suld").expect("suld").forms[0];
    let choices = environment_values(form, environment).expect("a known environment");
    let printer = Printer::new(form);
    let mut items: Vec<Item<'_>> = Vec::new();
    let mut lines = Vec::new();
    let rules: Vec<usize> = breakable(form).collect();
    let spaces = rules.into_iter().map(Some).chain([None]).map(|rule| (rule, Diagram::within(form, rule, &choices)));
    for (rule, space) in spaces {
        let wanted = if rule.is_some() { LIMIT / 40 } else { LIMIT / 2 } as u128;
        let wanted = wanted.min(space.count());
        for at in 0..wanted {
            let Some(values) = space.unrank(at * (space.count() / wanted)) else { continue };
            let mut line = String::new();
            printer.line(&values, &mut line, |item| items.push(item));
            lines.push(line);
        }
        items.sort_unstable();
        items.dedup();
    }
    (lines, scaffold(items, Context::Entry))
}

fn raw(ptxas: &Path, directory: &Path, environment: &Environment, scaffold: &Scaffold, lines: &[&str]) -> Clock {
    let mut files = Vec::new();
    for (at, lines) in lines.chunks(10_000).enumerate() {
        let file = directory.join(format!("{at}.ptx"));
        std::fs::write(&file, scaffold.module(environment, "k", lines).0).expect("a temporary file is written");
        files.push(file);
    }
    let started = Clock::now();
    std::thread::scope(|scope| {
        for half in 0..2 {
            let files = &files;
            scope.spawn(move || {
                for file in files.iter().skip(half).step_by(2) {
                    assemble(ptxas, environment, file);
                }
            });
        }
    });
    started.elapsed()
}

fn raw_one(ptxas: &Path, directory: &Path, environment: &Environment, scaffold: &Scaffold, line: &str) {
    let file = directory.join("one.ptx");
    std::fs::write(&file, scaffold.module(environment, "k", &[line]).0).expect("a temporary file is written");
    assemble(ptxas, environment, &file);
}

fn assemble(ptxas: &Path, environment: &Environment, file: &Path) {
    let arch = format!("compute_{}", environment.target.number());
    let mut command = Command::new(ptxas);
    command.args(["-arch", &arch]).arg(file).args(["-o", "/dev/null"]);
    // As a user would have it: the messages are read, and there are many.
    let output = command.stdin(Stdio::null()).output().expect("ptxas starts");
    std::hint::black_box(output.stderr.len());
}

/// Seconds of wall-clock time and of processor time, ours and our children's (0 where there is no
/// `/proc`): since the start, or spent.
#[derive(Clone, Copy)]
struct Clock(Instant, f64, f64);

impl Clock {
    fn now() -> Self {
        // Fields 14 to 17 behind the name in brackets, in hundredths of a second.
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
