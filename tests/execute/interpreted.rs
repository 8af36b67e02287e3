//! Mutants of the interpreter: the chains and rows of a run notice them. A mutant is the interpreter with a text in which the lines that
//! make a choice of a form, or the branches, loads and stores, are others. The mistakes are derived from the forms of the
//! table of semantics and their choices; no opcode is named.
//!
//! A mutant is equivalent if none of many rows of its lines alone shows it. By default a part of the mutants is tried;
//! `-- --ignored` tries all. If the environment variable `MUTANT` is set, only those whose words contain it are tried.

mod alone;
mod bench;
mod mistake;
mod of_control;
mod of_lines;
mod of_rows;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ptx_conform::campaign::{self, RunDepth};
use ptx_conform::interpret::Interpreter;
use ptx_kernels::{Chain, ChainDraw, ChainRows, Library};
use rayon::prelude::*;

use crate::mutant;
use crate::shipped::SPEC;
use bench::{Bench, LineOutcome};
use of_lines::LineMutant;

/// Chains of a task of a run; the lines of a chain, and its rows.
const OF_TASK: u64 = 512;
const LINES: (u8, u8) = (2, 5);
const ROWS: usize = 24;
/// The factor that keeps the seeds of the rows of one task apart from those of the next.
const ROW_SEED: u64 = 1_000_003;
/// One mutant of so many is tried by default.
const EVERY: usize = 30;

/// The library of the newest environment.
static LIBRARY: LazyLock<Library<'static>> = LazyLock::new(|| {
    let engine = mutant::engine(&SPEC, "mutant@1", []);
    let newest = campaign::executing_environment(&SPEC, &engine).expect("an environment");
    Library::new(&SPEC, newest, &[]).expect("a library")
});

/// The chains of a run, with their rows.
fn chains(library: &Library<'_>) -> Vec<(Chain, ChainRows)> {
    let task = |task: u64| {
        let seed = task << 32;
        let mut draw = ChainDraw::new(library, seed, LINES);
        (0..OF_TASK)
            .map(|number| {
                let chain = draw.next_chain().expect("a chain");
                let rows = ChainRows::drawn(&chain, seed.wrapping_mul(ROW_SEED).wrapping_add(number), ROWS);
                (chain, rows)
            })
            .collect::<Vec<_>>()
    };
    (0..RunDepth::Choices.budget().chains / OF_TASK).flat_map(task).collect()
}

/// What became of the mutants of an opcode.
#[derive(Default)]
struct NoticedLines {
    noticed: usize,
    impossible: usize,
    equivalent: Vec<String>,
    /// Those whose condition no line meets, and those that no row shows.
    absent: Vec<String>,
    missed: Vec<String>,
}

impl NoticedLines {
    fn live(&self) -> usize {
        self.noticed + self.absent.len() + self.missed.len()
    }
}

/// Tries one in so many mutants of lines, and returns how many of those that are not equivalent are noticed, and how many
/// there are.
fn try_lines(every: usize) -> (usize, usize) {
    let interpreter = Interpreter::new(&SPEC);
    let mut asked = chains(&LIBRARY);
    asked.extend(of_rows::lines(&LIBRARY));
    let bench = Bench::new(&interpreter, &LIBRARY, asked);
    let part = std::env::var("MUTANT").unwrap_or_default();
    let all: Vec<LineMutant<'_>> = of_lines::all(&LIBRARY);
    let chosen: Vec<&LineMutant<'_>> =
        all.iter().filter(|mutant| mutant.to_string().contains(&part)).step_by(every).collect();
    let outcomes: Vec<LineOutcome> = chosen.par_iter().map(|mutant| bench.outcome(mutant)).collect();
    let mut found: BTreeMap<&str, NoticedLines> = BTreeMap::new();
    for (mutant, outcome) in chosen.iter().zip(outcomes) {
        let of = found.entry(mutant.form.opcode()).or_default();
        match outcome {
            LineOutcome::Noticed => of.noticed += 1,
            LineOutcome::Impossible => of.impossible += 1,
            LineOutcome::Equivalent => of.equivalent.push(mutant.to_string()),
            LineOutcome::Absent => of.absent.push(mutant.to_string()),
            LineOutcome::Missed => of.missed.push(mutant.to_string()),
        }
    }
    for (opcode, of) in &found {
        println!("{opcode}: {} of {}, {} equivalent", of.noticed, of.live(), of.equivalent.len());
        of.equivalent.iter().for_each(|mutant| println!("    equivalent {mutant}"));
        of.absent.iter().for_each(|mutant| println!("    absent {mutant}"));
        of.missed.iter().for_each(|mutant| println!("    missed {mutant}"));
    }
    let sum = |count: fn(&NoticedLines) -> usize| found.values().map(count).sum::<usize>();
    let (noticed, live) = (sum(|of| of.noticed), sum(NoticedLines::live));
    let (equivalent, impossible) = (sum(|of| of.equivalent.len()), sum(|of| of.impossible));
    println!("{noticed} of {live} mutants are noticed, {equivalent} are equivalent, {impossible} make no line");
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
    let bench = Bench::new(&interpreter, &LIBRARY, chains(&LIBRARY));
    let silent: Vec<&str> =
        of_control::TABLE.iter().filter(|(_, change)| !bench.notices(change)).map(|(words, _)| *words).collect();
    assert!(silent.is_empty(), "no chain shows {silent:?}");
}
