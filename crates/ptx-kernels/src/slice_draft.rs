//! Chains that are made of lines of a module, one line after the other.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::chain::{Chain, ChainInstruction, ChainOperand, ChainStatement, SlotKind};
use crate::template::Template;

/// A value in a register of a module, as far as a slice tells them apart.
pub(crate) trait SliceValue: Copy + Eq + Hash {
    /// True if a line of the slice computes it: otherwise it is an input.
    fn is_computed(&self) -> bool;
}

/// A line of a module that becomes one of a slice, with the values in its registers.
pub(crate) struct SliceLine<'l, V> {
    pub(crate) template: &'l Template,
    pub(crate) guard: Option<V>,
    /// In the order of the line.
    pub(crate) sources: Vec<V>,
    /// The values of the destinations before the line, which a guard may keep.
    pub(crate) before: Vec<V>,
    /// The values of the destinations after it.
    pub(crate) written: Vec<V>,
}

/// A slice of which lines are still added.
pub(crate) struct SliceDraft<V> {
    pub(crate) chain: Chain,
    /// The value in each input of the chain.
    pub(crate) inputs: Vec<V>,
    /// The registers that the last line writes.
    pub(crate) last: Vec<usize>,
    /// The register of each value.
    held: FxHashMap<V, usize>,
    /// The value that each register has at last.
    values: Vec<Option<V>>,
}

impl<V> Default for SliceDraft<V> {
    fn default() -> Self {
        let (chain, inputs, last) = (Chain::default(), Vec::new(), Vec::new());
        Self { chain, inputs, last, held: FxHashMap::default(), values: Vec::new() }
    }
}

impl<V: SliceValue> SliceDraft<V> {
    /// Adds a line. None if it does not fit its template.
    pub(crate) fn add(&mut self, line: &SliceLine<'_, V>) -> Option<()> {
        let template = line.template;
        let guard = match &line.guard {
            Some(guard) => Some(self.read(*guard, 1)?),
            None => None,
        };
        let of_kind = |wanted: fn(&SlotKind) -> bool| template.slots().filter(wanted).filter_map(size);
        let mut sources = Vec::new();
        for (source, bits) in line.sources.iter().zip(of_kind(|kind| matches!(kind, SlotKind::Source(_)))) {
            sources.push(self.read(*source, bits)?);
        }
        let mut destinations = Vec::new();
        for (at, bits) in of_kind(|kind| matches!(kind, SlotKind::Destination(_))).enumerate() {
            destinations.push(match guard {
                Some(_) => self.read(*line.before.get(at)?, bits)?,
                None => self.new_register(bits),
            });
        }
        for (value, register) in line.written.iter().zip(&destinations) {
            self.hold(*value, *register);
        }
        let mut registers = (sources.into_iter(), destinations.iter().copied());
        let operand = |(kind, number): (SlotKind, &Option<String>)| match kind {
            SlotKind::Guard => guard.map(ChainOperand::Register),
            SlotKind::Source(_) => registers.0.next().map(ChainOperand::Register),
            SlotKind::Destination(_) => registers.1.next().map(ChainOperand::Register),
            SlotKind::Constant(_) => number.clone().map(ChainOperand::Constant),
            SlotKind::Place(..) => Some(ChainOperand::Constant("0".to_owned())),
        };
        let operands: Option<Vec<ChainOperand>> = template.slots().zip(&template.numbers).map(operand).collect();
        let instruction = ChainInstruction { pieces: template.pieces.clone(), operands: operands? };
        self.chain.statements.push(ChainStatement::Instruction(instruction));
        self.last = destinations;
        Some(())
    }

    /// The register that still holds a value after the last line.
    pub(crate) fn at_last(&self, value: &V) -> Option<usize> {
        self.held.get(value).copied().filter(|register| self.values.get(*register) == Some(&Some(*value)))
    }

    /// The name of each register of the chain, by the value that it has at last.
    pub(crate) fn named(&self, name: impl Fn(&V) -> String) -> Vec<String> {
        self.values.iter().map(|value| value.as_ref().map(&name).unwrap_or_default()).collect()
    }

    /// The register that holds what a line of the slice computed, or an input.
    fn read(&mut self, value: V, bits: u16) -> Option<usize> {
        if let Some(&register) = self.held.get(&value) {
            return (self.chain.registers[register] == bits).then_some(register);
        }
        if value.is_computed() {
            return None;
        }
        let register = self.new_register(bits);
        self.chain.inputs.push(register);
        self.inputs.push(value);
        self.hold(value, register);
        Some(register)
    }

    fn hold(&mut self, value: V, register: usize) {
        self.held.insert(value, register);
        self.values[register] = Some(value);
    }

    fn new_register(&mut self, bits: u16) -> usize {
        self.chain.registers.push(bits);
        self.values.push(None);
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
