//! Slices of whole modules: a line, the lines that computed what it reads, and the values that they had when the reference
//! executed the module. A slice is a chain, so it is compiled, compared and reduced as one, however large its module is.

use std::collections::BTreeMap;
use std::ops::Range;

use ptx_exec::interpret::{TracedRegister, TracedStep};
use ptx_spec::judge::Judge;
use ptx_spec::ptx::{Module, Walk};
use ptx_spec::spec::Spec;
use rustc_hash::FxHashMap;

use crate::chain::{Chain, SlotKind};
use crate::inputs::ChainRows;
use crate::slice_draft::{SliceDraft, SliceLine, SliceValue};
use crate::template::Template;

/// A chain of lines of a module, with values that its inputs had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleSlice {
    /// The chain. Its only outputs are what its last line writes.
    pub chain: Chain,
    /// The values of its inputs, each row from another time that the last line was executed.
    pub rows: ChainRows,
    /// The bytes of each of its lines in the module.
    pub lines: Vec<Range<usize>>,
}

/// The sizes of the slices that end at a line: few lines, as most wrong code takes, and more, as some does.
const SIZES: [usize; 3] = [2, 4, 8];
/// The times that a line is executed of which slices are made.
const TIMES: usize = 12;

/// The slices of a module along the steps that the reference executed, each once, in the order in which they end. Lines that chains
/// cannot have are inputs.
pub fn slices(spec: &Spec, text: &str, judge: &Judge<'_>, steps: &[TracedStep]) -> Vec<ModuleSlice> {
    let dependencies = Dependencies::new(templates(spec, text, judge), steps);
    let mut times: FxHashMap<usize, usize> = FxHashMap::default();
    let mut known: FxHashMap<Chain, usize> = FxHashMap::default();
    let mut found: Vec<ModuleSlice> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let count = times.entry(step.at.start).or_default();
        *count += 1;
        if *count > TIMES {
            continue;
        }
        for size in SIZES {
            let Some((slice, complete)) = dependencies.slice(at, size) else { break };
            for slice in observations(slice) {
                match known.get(&slice.chain) {
                    Some(&same) => {
                        let rows = &mut found[same].rows.rows;
                        rows.extend(slice.rows.rows.into_iter().filter(|row| !rows.contains(row)).collect::<Vec<_>>());
                    }
                    None => {
                        known.insert(slice.chain.clone(), found.len());
                        found.push(slice);
                    }
                }
            }
            if complete {
                break;
            }
        }
    }
    found
}

/// A slice, and if its last line writes several registers the same with one of them observed: what is not used may be compiled in
/// another way.
fn observations(slice: ModuleSlice) -> Vec<ModuleSlice> {
    let outputs = slice.chain.outputs.clone();
    let one = |output: &usize| {
        let mut alone = slice.clone();
        alone.chain.outputs = vec![*output];
        alone
    };
    let each: Vec<ModuleSlice> = if outputs.len() > 1 { outputs.iter().map(one).collect() } else { Vec::new() };
    std::iter::once(slice).chain(each).collect()
}

/// The templates of the lines of a module that chains can have, by their first bytes.
fn templates(spec: &Spec, text: &str, judge: &Judge<'_>) -> BTreeMap<usize, Template> {
    let module = Module::read(text, &spec.isa);
    let mut found = BTreeMap::new();
    Walk::instructions(&module, &spec.isa, |line, at, declarations| {
        let Some((instruction, reading)) = judge.read(line, declarations) else { return };
        let of = (&instruction.forms[reading.form], &reading.values[..]);
        if let Some(template) = Template::of_line(&spec.isa, of, &line.to_string(), declarations) {
            found.insert(at.start, template);
        }
    });
    found
}

/// The steps of a module, and which of them computed what each reads.
struct Dependencies<'t> {
    templates: BTreeMap<usize, Template>,
    steps: &'t [TracedStep],
    /// For each step, for each register that it reads (guard, sources, and under a guard what it writes), the step that wrote it.
    writers: Vec<Vec<Option<usize>>>,
}

impl<'t> Dependencies<'t> {
    fn new(templates: BTreeMap<usize, Template>, steps: &'t [TracedStep]) -> Self {
        let mut last: FxHashMap<usize, (usize, TracedRegister)> = FxHashMap::default();
        let mut carry = None;
        let mut writers = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            // What did more than to compute may have written it since.
            let writer = |of: &TracedRegister| last.get(&of.number).filter(|(_, known)| known == of).map(|(at, _)| *at);
            let mut of_step: Vec<Option<usize>> = read(step).map(writer).collect();
            let template = templates.get(&step.at.start);
            if template.is_some_and(|template| template.reads_carry) {
                of_step.push(carry);
            }
            writers.push(of_step);
            let fits = template.filter(|template| fits(template, step));
            match fits {
                Some(template) if template.writes_carry => carry = Some(at),
                None => carry = None,
                Some(_) => {}
            }
            for to in &step.destinations {
                last.insert(to.number, (at, *to));
            }
        }
        Self { templates, steps, writers }
    }

    /// The template of a step, if a chain can have it.
    fn template(&self, at: usize) -> Option<&Template> {
        self.templates.get(&self.steps[at].at.start).filter(|template| fits(template, &self.steps[at]))
    }

    /// The slice of at most this many lines that ends with a step, and true if nothing but inputs is before it.
    fn slice(&self, end: usize, size: usize) -> Option<(ModuleSlice, bool)> {
        let mut lines = vec![end];
        self.template(end)?;
        loop {
            let written = |at: &usize| self.writers[*at].iter().flatten().copied().collect::<Vec<_>>();
            let open = lines.iter().flat_map(written).filter(|at| !lines.contains(at) && self.template(*at).is_some());
            // The latest first: what is near is compiled together.
            let Some(next) = open.max() else { return Some((self.chain(lines)?, true)) };
            let needs_carry = lines
                .iter()
                .any(|at| self.template(*at).is_some_and(|of| of.reads_carry) && self.carry(*at) == Some(next));
            if lines.len() >= size && !needs_carry {
                return Some((self.chain(lines)?, false));
            }
            lines.push(next);
        }
    }

    /// The step whose carry a step reads.
    fn carry(&self, at: usize) -> Option<usize> {
        self.writers[at].last().copied().flatten()
    }

    fn chain(&self, mut lines: Vec<usize>) -> Option<ModuleSlice> {
        lines.sort_unstable();
        let mut draft = SliceDraft::default();
        for &at in &lines {
            let template = self.template(at)?;
            if template.reads_carry && !self.carry(at).is_some_and(|carry| lines.contains(&carry)) {
                return None;
            }
            let inside = |of: &Option<usize>| of.filter(|writer| lines.contains(writer));
            let writers: Vec<Option<usize>> = self.writers[at].iter().map(inside).collect();
            draft.add(&self.line(at, template, &writers))?;
        }
        let SliceDraft { mut chain, inputs, last, .. } = draft;
        chain.outputs = last;
        chain.outputs.dedup();
        let row: Option<Vec<u64>> = inputs.iter().map(|of| u64::try_from(of.value).ok()).collect();
        let lines = lines.into_iter().map(|at| self.steps[at].at.clone()).collect();
        Some(ModuleSlice { chain, rows: ChainRows { rows: vec![row?] }, lines })
    }

    /// A step as a line of a slice. `writers` has the step of the slice that wrote each register that it reads.
    fn line<'l>(&self, at: usize, template: &'l Template, writers: &[Option<usize>]) -> SliceLine<'l, HeldValue> {
        let step = &self.steps[at];
        let held = |(of, writer): (&TracedRegister, &Option<usize>)| HeldValue {
            writer: *writer,
            register: of.number,
            value: of.value,
        };
        let mut read = read(step).zip(writers).map(held);
        SliceLine {
            template,
            guard: step.guard.and_then(|_| read.next()),
            sources: read.by_ref().take(step.sources.len()).collect(),
            before: read.collect(),
            written: step.destinations.iter().map(|to| held((to, &Some(at)))).collect(),
        }
    }
}

/// The registers that a step reads: its guard, its sources, and under a guard what it writes.
fn read(step: &TracedStep) -> impl Iterator<Item = &TracedRegister> {
    let kept = if step.guard.is_some() { &step.before[..] } else { &[] };
    step.guard.iter().chain(&step.sources).chain(kept)
}

/// True if the holes of a template are the registers of a step.
fn fits(template: &Template, step: &TracedStep) -> bool {
    let count = |of: fn(&SlotKind) -> bool| template.slots().filter(of).count();
    count(|kind| matches!(kind, SlotKind::Source(_))) == step.sources.len()
        && count(|kind| matches!(kind, SlotKind::Destination(_))) == step.destinations.len()
        && count(|kind| matches!(kind, SlotKind::Guard)) == usize::from(step.guard.is_some())
        && read(step).all(|of| of.undefined & SIZE == 0)
}

/// The bits that registers of chains can have.
const SIZE: u128 = u64::MAX as u128;

/// A value that a register of the module had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct HeldValue {
    /// The step of the slice that wrote it; none for what was there before.
    writer: Option<usize>,
    register: usize,
    value: u128,
}

impl SliceValue for HeldValue {
    fn is_computed(&self) -> bool {
        self.writer.is_some()
    }
}
