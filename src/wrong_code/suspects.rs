//! Suspects: lines of a file that flow into each other like those of listed wrong code.

use std::ops::Range;

use ptx_kernels::{BodyFlow, Chain, ChainRows, FlowSlice};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{SearchPlace, WrongCodeSearch};
use crate::divergences::{Divergence, EngineVersion, KnownChain};
use crate::environment::Environment;
use crate::judge::Judge;
use crate::ptx::{FunctionBody, Module, Walk, WalkStep};

/// The suspects of a file.
#[derive(Default)]
pub(super) struct SuspectFile {
    /// The machine code in which they are executed; none if there is none.
    pub(super) place: Option<SearchPlace>,
    /// The reason why there is none.
    pub(super) why_not: String,
    pub(super) bodies: Vec<SuspectBody>,
}

/// The suspects of a body.
pub(super) struct SuspectBody {
    pub(super) flow: BodyFlow,
    pub(super) suspects: Vec<SuspectLines>,
}

/// Lines of a body that may be compiled wrong.
pub(super) struct SuspectLines {
    pub(super) slice: FlowSlice,
    /// Values with which the listed chain shows it.
    pub(super) values: Vec<u64>,
}

/// A suspect and where it is.
#[derive(Clone, Copy)]
pub(super) struct SuspectPlace<'f> {
    pub(super) file: usize,
    pub(super) body: &'f SuspectBody,
    pub(super) suspect: &'f SuspectLines,
}

/// Drawn rows of inputs of each suspect.
const ROWS: usize = 96;
/// The seed of the rows.
const SEED: u64 = 0;

/// The most lines between two that are listed one after the other.
const BETWEEN: usize = 2;
/// The most ways in which listed lines are found before one line.
const WAYS: usize = 8;

impl SuspectFile {
    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.bodies.iter().map(|body| body.suspects.len()).sum()
    }

    /// The same with the suspects of a module for a version of the engine.
    pub(super) fn filled(
        mut self,
        search: &WrongCodeSearch<'_>,
        module: &Module<'_>,
        environment: &Environment,
        version: Option<EngineVersion>,
    ) -> Self {
        let (Some(version), Ok(judge)) = (version, Judge::new(search.spec, environment)) else { return self };
        let known: Vec<(&Divergence, &KnownChain)> = search.divergences.chains(&version).collect();
        let spec = search.spec;
        let of_body = |body: &FunctionBody<'_>| {
            let mut ends = OperationEnds { known: &known, of: FxHashMap::default() };
            if !ends.any_in(&mut Walk::new(module, &spec.isa, body)) {
                return None;
            }
            let flow = BodyFlow::new(spec, module, body, &judge);
            let suspects = ends.suspects(&flow);
            (!suspects.is_empty()).then_some(SuspectBody { flow, suspects })
        };
        self.bodies = module.bodies.par_iter().filter_map(of_body).collect();
        self
    }
}

impl SuspectBody {
    /// The bytes of lines of the body.
    pub(super) fn at(&self, lines: &[usize]) -> Vec<Range<usize>> {
        lines.iter().map(|line| self.flow.at(*line)).collect()
    }
}

/// The chains that a line of each operation may end, by their positions: most lines have one of a few operations.
struct OperationEnds<'k, 'd> {
    known: &'k [(&'d Divergence, &'d KnownChain)],
    of: FxHashMap<String, Vec<usize>>,
}

impl OperationEnds<'_, '_> {
    fn of(&mut self, operation: &str) -> &[usize] {
        if !self.of.contains_key(operation) {
            let may_end = |(_, (_, chain)): &(usize, &(&Divergence, &KnownChain))| chain.may_end_with(operation);
            let found = self.known.iter().enumerate().filter(may_end).map(|(at, _)| at).collect();
            self.of.insert(operation.to_owned(), found);
        }
        self.of.get(operation).map_or(&[], Vec::as_slice)
    }

    /// True if a line of a body may end a chain.
    fn any_in(&mut self, walk: &mut Walk<'_, '_>) -> bool {
        let mut operation = String::new();
        while let Some(step) = walk.next_step() {
            let WalkStep::Instruction(line, _) = step else { continue };
            operation.clear();
            operation.push_str(line.opcode);
            line.modifiers.iter().for_each(|modifier| operation.push_str(modifier));
            if !self.of(&operation).is_empty() {
                return true;
            }
        }
        false
    }

    /// The suspects of a body, in the order of their last lines.
    fn suspects(&mut self, flow: &BodyFlow) -> Vec<SuspectLines> {
        let mut found: Vec<SuspectLines> = Vec::new();
        for line in 0..flow.count() {
            let Some(text) = flow.text(line) else { continue };
            let first = found.len();
            for at in self.of(operation(text)).to_vec() {
                let (_, chain) = self.known[at];
                for lines in ways(flow, chain, line).into_iter().flat_map(|way| with_constants(flow, way)) {
                    let Some(slice) = flow.slice(&lines) else { continue };
                    let values = chain.shows.rows().map(|rows| rows.rows.concat()).unwrap_or_default();
                    match found[first..].iter_mut().find(|known| known.slice.lines == slice.lines) {
                        Some(known) => known.values.extend(values),
                        None => found.push(SuspectLines { slice, values }),
                    }
                }
            }
        }
        found
    }
}

/// The opcode and modifiers of a line.
fn operation(line: &str) -> &str {
    let line = if line.starts_with('@') { line.split_once(' ').map_or("", |(_, rest)| rest) } else { line };
    line.split([' ', ';']).next().unwrap_or_default()
}

/// The ways in which lines flow to the last one of a listed chain, each with the lines between them.
fn ways(flow: &BodyFlow, chain: &KnownChain, end: usize) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    let last = chain.lines.len().saturating_sub(1);
    if flow.text(end).is_some_and(|text| chain.has_at(last, text)) {
        follow(flow, chain, (last, BETWEEN), &mut vec![end], &mut found);
    }
    found
}

/// Adds the ways that continue one before which so many listed lines are missing, and so many others may be.
fn follow(
    flow: &BodyFlow,
    chain: &KnownChain,
    (missing, between): (usize, usize),
    way: &mut Vec<usize>,
    found: &mut Vec<Vec<usize>>,
) {
    let (Some(next), Some(&first)) = (missing.checked_sub(1), way.last()) else {
        return found.push(way.clone());
    };
    for before in flow.before(first) {
        let Some(text) = flow.text(before).filter(|_| found.len() < WAYS) else { continue };
        way.push(before);
        if chain.has_at(next, text) {
            follow(flow, chain, (next, BETWEEN), way, found);
        }
        if between > 0 {
            follow(flow, chain, (missing, between - 1), way, found);
        }
        way.pop();
    }
}

/// Lines, and the same with the constants that they read: what is known of a value may be why it is wrong.
fn with_constants(flow: &BodyFlow, way: Vec<usize>) -> Vec<Vec<usize>> {
    let constants = way.iter().flat_map(|line| flow.before(*line)).filter(|line| flow.is_constant(*line));
    let mut all: Vec<usize> = way.iter().copied().chain(constants).collect();
    all.sort_unstable();
    all.dedup();
    if all.len() == way.len() { vec![way] } else { vec![way, all] }
}

/// Rows of inputs: the values with which listed chains are wrong, each in each input, and drawn ones.
pub(super) fn rows(chain: &Chain, values: &[u64]) -> ChainRows {
    let bits: Vec<u16> = chain.inputs.iter().map(|input| chain.registers[*input]).collect();
    let fitting = |value: u64, bits: u16| if bits < 64 { value & ((1 << bits) - 1) } else { value };
    let turned = |by: usize| -> Vec<u64> {
        let value = |(at, bits): (usize, &u16)| fitting(values[(at + by) % values.len()], *bits);
        bits.iter().enumerate().map(value).collect()
    };
    let alike = |value: &u64| -> Vec<u64> { bits.iter().map(|bits| fitting(*value, *bits)).collect() };
    let mut rows: Vec<Vec<u64>> = (0..values.len()).map(turned).chain(values.iter().map(alike)).collect();
    rows.sort_unstable();
    rows.dedup();
    rows.extend(ChainRows::drawn(chain, SEED, ROWS).rows);
    ChainRows { rows }
}
