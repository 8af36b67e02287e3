//! Slices of whole modules: a line, the lines that computed what it reads, and the values that they had when the reference
//! executed the module. A slice is a chain, so it is compiled, compared and reduced as one, however large its module is.

use std::collections::BTreeMap;
use std::ops::Range;

use ptx_exec::interpret::{TracedRegister, TracedStep};
use ptx_spec::judge::Judge;
use ptx_spec::ptx::{Module, Walk};
use ptx_spec::spec::Spec;
use rustc_hash::FxHashMap;

use crate::chain::{Chain, ChainInstruction, ChainOperand, ChainStatement, SlotKind};
use crate::inputs::ChainRows;
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
            let (step, template) = (&self.steps[at], self.template(at)?);
            if template.reads_carry && !self.carry(at).is_some_and(|carry| lines.contains(&carry)) {
                return None;
            }
            let inside = |of: &Option<usize>| of.filter(|writer| lines.contains(writer));
            let writers: Vec<Option<usize>> = self.writers[at].iter().map(inside).collect();
            draft.add((at, step), template, &writers)?;
        }
        let SliceDraft { mut chain, row, outputs, .. } = draft;
        chain.outputs = outputs;
        let lines = lines.into_iter().map(|at| self.steps[at].at.clone()).collect();
        Some(ModuleSlice { chain, rows: ChainRows { rows: vec![row] }, lines })
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

/// A slice of which lines are still added.
#[derive(Default)]
struct SliceDraft {
    chain: Chain,
    row: Vec<u64>,
    /// The registers that the last line wrote.
    outputs: Vec<usize>,
    /// The register that has what a step wrote to a register of the module; no step for what was there before.
    held: FxHashMap<(Option<usize>, usize, u128), usize>,
}

impl SliceDraft {
    /// Adds a line. `writers` has the line of the slice that wrote each register that it reads.
    fn add(&mut self, (at, step): (usize, &TracedStep), template: &Template, writers: &[Option<usize>]) -> Option<()> {
        let mut writers = writers.iter();
        let guard = match &step.guard {
            Some(guard) => Some(self.register(guard, *writers.next()?, 1)?),
            None => None,
        };
        let of_kind = |wanted: fn(&SlotKind) -> bool| template.slots().filter(wanted).filter_map(size);
        let mut sources = Vec::new();
        for (source, bits) in step.sources.iter().zip(of_kind(|kind| matches!(kind, SlotKind::Source(_)))) {
            sources.push(self.register(source, *writers.next()?, bits)?);
        }
        let mut destinations = Vec::new();
        for (to, bits) in step.before.iter().zip(of_kind(|kind| matches!(kind, SlotKind::Destination(_)))) {
            destinations.push(match guard {
                Some(_) => self.register(to, *writers.next()?, bits)?,
                None => self.new_register(bits),
            });
        }
        for (to, register) in step.destinations.iter().zip(&destinations) {
            self.held.insert((Some(at), to.number, to.value), *register);
        }
        let mut registers = (sources.into_iter(), destinations.iter().copied());
        let operand = |(kind, number): (SlotKind, &Option<String>)| match kind {
            SlotKind::Guard => guard.map(ChainOperand::Register),
            SlotKind::Source(_) => registers.0.next().map(ChainOperand::Register),
            SlotKind::Destination(_) => registers.1.next().map(ChainOperand::Register),
            SlotKind::Constant(_) => number.clone().map(ChainOperand::Constant),
            SlotKind::Place(..) => None,
        };
        let operands: Option<Vec<ChainOperand>> = template.slots().zip(&template.numbers).map(operand).collect();
        let instruction = ChainInstruction { pieces: template.pieces.clone(), operands: operands? };
        self.chain.statements.push(ChainStatement::Instruction(instruction));
        self.outputs = destinations;
        self.outputs.dedup();
        Some(())
    }

    /// The register that holds what a line of the slice wrote, or an input.
    fn register(&mut self, of: &TracedRegister, writer: Option<usize>, bits: u16) -> Option<usize> {
        let key = (writer, of.number, of.value);
        if let Some(&register) = self.held.get(&key) {
            return (self.chain.registers[register] == bits).then_some(register);
        }
        if writer.is_some() {
            return None;
        }
        let register = self.new_register(bits);
        self.chain.inputs.push(register);
        self.row.push(u64::try_from(of.value).ok()?);
        self.held.insert(key, register);
        Some(register)
    }

    fn new_register(&mut self, bits: u16) -> usize {
        self.chain.registers.push(bits);
        self.chain.registers.len() - 1
    }
}

/// The size of the register in a hole.
fn size(kind: SlotKind) -> Option<u16> {
    match kind {
        SlotKind::Guard => Some(1),
        SlotKind::Source(bits) | SlotKind::Destination(bits) => Some(bits),
        SlotKind::Constant(_) | SlotKind::Place(..) => None,
    }
}
