//! The entries of a module, as one who launches them needs to know them.

use rustc_hash::FxHashMap;

use super::code::{CodeAddress, CodeBody, CodeOperation, CodeSource};
use super::read_module::InterpretedModule;
use crate::object::Space;
use ptx_spec::spec::Kind;

/// An entry, and what each of its parameters takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryDescription {
    /// Its name.
    pub name: String,
    /// Its parameters, in order.
    pub parameters: Vec<ParameterDescription>,
}

/// A parameter of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterDescription {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// The kind of its elements.
    pub kind: Kind,
    /// The size of an element in bits.
    pub bits: u32,
    /// True if the entry accesses memory at an address that it computes from it.
    pub is_address: bool,
}

impl InterpretedModule {
    /// Its entries, in order.
    pub(super) fn descriptions(&self) -> Vec<EntryDescription> {
        let entries = self.bodies.iter().zip(&self.entries).filter(|(_, is_entry)| **is_entry);
        entries.map(|(body, _)| EntryDescription::new(body)).collect()
    }
}

impl EntryDescription {
    fn new(body: &CodeBody) -> Self {
        let addresses = AddressFlow::of(body);
        let parameter = |(at, of): (usize, &super::code::EntryParameter)| ParameterDescription {
            name: of.name.clone(),
            size: of.size,
            kind: of.element.0,
            bits: of.element.1,
            is_address: addresses >> at.min(LAST) & 1 == 1,
        };
        Self { name: body.name.clone(), parameters: body.parameters.iter().enumerate().map(parameter).collect() }
    }
}

/// A set of parameters by their positions; those beyond the last share its bit.
type ParameterSet = u128;
const LAST: usize = 127;

/// Follows the values of parameters through registers.
#[derive(Default)]
struct AddressFlow {
    /// The parameters that each register depends on.
    slots: FxHashMap<u32, ParameterSet>,
    /// The parameters from which addresses are computed.
    addresses: ParameterSet,
}

/// Passes over a body: values go around loops.
const PASSES: usize = 4;

impl AddressFlow {
    fn of(body: &CodeBody) -> ParameterSet {
        let mut flow = Self::default();
        for _ in 0..PASSES {
            body.lines.iter().for_each(|line| flow.line(body, &line.operation));
        }
        flow.addresses
    }

    fn line(&mut self, body: &CodeBody, operation: &CodeOperation) {
        match operation {
            CodeOperation::Load { address, destinations, .. } => {
                self.accessed(address);
                if address.space == Some(Space::Param) {
                    let set = parameter(body, address);
                    destinations.iter().filter_map(|to| to.slot).for_each(|slot| self.add(slot, set));
                }
            }
            CodeOperation::Store { address, .. } | CodeOperation::Discard { address, .. } => self.accessed(address),
            CodeOperation::Atomic(atomic) => self.accessed(&atomic.address),
            CodeOperation::Compute { sources, destinations, .. } => {
                let set = sources.iter().fold(0, |set, source| set | self.set(*source));
                destinations.iter().filter_map(|to| to.slot).for_each(|slot| self.add(slot, set));
            }
            CodeOperation::ToGeneric { address, to } => {
                let set = self.set(address.base);
                to.slot.into_iter().for_each(|slot| self.add(slot, set));
            }
            CodeOperation::FromGeneric { from, to, .. } => {
                let set = self.set(*from);
                to.slot.into_iter().for_each(|slot| self.add(slot, set));
            }
            _ => {}
        }
    }

    fn set(&self, source: CodeSource) -> ParameterSet {
        match source {
            CodeSource::Register(slot) => self.slots.get(&slot).copied().unwrap_or_default(),
            _ => 0,
        }
    }

    fn add(&mut self, slot: u32, set: ParameterSet) {
        *self.slots.entry(slot).or_default() |= set;
    }

    fn accessed(&mut self, address: &CodeAddress) {
        self.addresses |= self.set(address.base);
    }
}

/// The parameter at an address.
fn parameter(body: &CodeBody, address: &CodeAddress) -> ParameterSet {
    let CodeSource::Immediate(base) = address.base else { return 0 };
    let at = u64::try_from(base).unwrap_or(u64::MAX).wrapping_add_signed(address.offset);
    let found = body.parameters.iter().position(|of| (of.address..of.address + of.size).contains(&at));
    found.map_or(0, |found| 1 << found.min(LAST))
}
