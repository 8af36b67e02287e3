//! Mutants of the interpreter: the chains of a run notice them. A mutant is the interpreter with a text in which the lines that
//! make a choice of a form, or the branches, loads and stores, are others. The mistakes are derived from the forms of the
//! table of semantics and their choices; no opcode is named.
//!
//! A mutant is equivalent if none of many rows of its lines alone shows it. By default a part of the mutants is tried;
//! `-- --ignored` tries all. If the environment variable `MUTANT` is set, only those whose words contain it are tried.

mod alone;
mod mistake;
mod mutant;
mod of_control;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use ptx_exec::interpret::Interpreter;
use ptx_kernels::{Chain, ChainDraw, ChainRows, Library};
use ptx_spec::environment::{AddressSize, Environment};
use ptx_spec::spec::Spec;
use rayon::prelude::*;

use mutant::{Bench, LineMutant, Outcome};

/// The specification, which takes a while to load.
static SPEC: LazyLock<Spec> = LazyLock::new(|| {
    Spec::load(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs"))).expect("the specification is sound")
});

/// Chains of a run of all instructions, and of a task of it; the lines of a chain, and its rows.
const CHAINS: (u64, u64) = (1024, 512);
const LINES: (u8, u8) = (2, 5);
const ROWS: usize = 24;
/// The factor that keeps the seeds of the rows of one task apart from those of the next.
const ROW_SEED: u64 = 1_000_003;
/// One mutant of so many is tried by default.
const EVERY: usize = 40;

fn environment() -> Environment {
    let (ptx, target) = ("9.0".parse().expect("a version"), "sm_90".parse().expect("a target"));
    Environment { ptx, target, address_size: AddressSize::Bits64 }
}

/// The chains of a run, with their rows.
fn chains(library: &Library<'_>) -> Vec<(Chain, ChainRows)> {
    let (all, of_task) = CHAINS;
    let task = |task: u64| {
        let seed = task << 32;
        let mut draw = ChainDraw::new(library, seed, LINES);
        (0..of_task)
            .map(|number| {
                let chain = draw.next_chain().expect("a chain");
                let rows = ChainRows::drawn(&chain, seed.wrapping_mul(ROW_SEED).wrapping_add(number), ROWS);
                (chain, rows)
            })
            .collect::<Vec<_>>()
    };
    (0..all / of_task).flat_map(task).collect()
}

/// What became of the mutants of an opcode.
#[derive(Default)]
struct Noticed {
    noticed: usize,
    equivalent: usize,
    /// Those whose condition no line of a chain meets, and those that no row shows.
    absent: Vec<String>,
    missed: Vec<String>,
}

impl Noticed {
    fn live(&self) -> usize {
        self.noticed + self.absent.len() + self.missed.len()
    }
}

/// Tries one in so many mutants of lines, and returns how many of those that are not equivalent are noticed, and how many
/// there are.
fn try_lines(every: usize) -> (usize, usize) {
    let interpreter = Interpreter::new(&SPEC);
    let library = Library::new(&SPEC, environment(), &[]).expect("a library");
    let bench = Bench::new(&interpreter, &library, chains(&library));
    let part = std::env::var("MUTANT").unwrap_or_default();
    let all: Vec<LineMutant<'_>> = mutant::of_lines(&SPEC, environment());
    let chosen: Vec<&LineMutant<'_>> =
        all.iter().filter(|mutant| mutant.to_string().contains(&part)).step_by(every).collect();
    let outcomes: Vec<Outcome> = chosen.par_iter().map(|mutant| bench.outcome(mutant)).collect();
    let mut found: BTreeMap<&str, Noticed> = BTreeMap::new();
    for (mutant, outcome) in chosen.iter().zip(outcomes) {
        let of = found.entry(mutant.form.opcode()).or_default();
        match outcome {
            Outcome::Noticed => of.noticed += 1,
            Outcome::Equivalent => of.equivalent += 1,
            Outcome::Absent => of.absent.push(mutant.to_string()),
            Outcome::Missed => of.missed.push(mutant.to_string()),
        }
    }
    for (opcode, of) in &found {
        println!("{opcode}: {} of {}, {} equivalent", of.noticed, of.live(), of.equivalent);
        of.absent.iter().for_each(|mutant| println!("    absent {mutant}"));
        of.missed.iter().for_each(|mutant| println!("    missed {mutant}"));
    }
    let sum = |count: fn(&Noticed) -> usize| found.values().map(count).sum::<usize>();
    let (noticed, live) = (sum(|of| of.noticed), sum(Noticed::live));
    let (absent, equivalent) = (sum(|of| of.absent.len()), sum(|of| of.equivalent));
    println!("{noticed} of {live} mutants of lines are noticed, {absent} are in no chain, {equivalent} are equivalent");
    (noticed, live)
}

#[test]
fn mutants_of_lines_are_noticed() {
    let (noticed, live) = try_lines(EVERY);
    assert!(noticed * 100 >= live * 98, "{noticed} of {live}");
}

#[test]
#[ignore = "it takes minutes"]
fn all_mutants_of_lines_are_noticed() {
    let (noticed, live) = try_lines(1);
    assert!(noticed * 100 >= live * 98, "{noticed} of {live}");
}

#[test]
fn mutants_of_control_and_memory_are_noticed() {
    let interpreter = Interpreter::new(&SPEC);
    let library = Library::new(&SPEC, environment(), &[]).expect("a library");
    let bench = Bench::new(&interpreter, &library, chains(&library));
    let silent: Vec<&str> =
        of_control::TABLE.iter().filter(|(_, change)| !bench.notices(change)).map(|(words, _)| *words).collect();
    assert!(silent.is_empty(), "no chain shows {silent:?}");
}
