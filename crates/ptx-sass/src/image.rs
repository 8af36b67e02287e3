//! A cubin as the driver loads it: variables at their addresses, constant banks with these addresses.

use std::collections::BTreeMap;

use crate::cubin::{Cubin, EntryPoint, Relocation};
use crate::machine::{LOCAL_WINDOW, SHARED_WINDOW, Thread};
use crate::memory::{Memory, MemoryRegion};

/// Where global variables begin.
const GLOBALS: u64 = 0x7e00_0000_0000;
/// The bytes of shared memory that the driver keeps for itself at the start of every block's.
const RESERVED_SHARED: usize = 0x400;
/// The size of a thread's local memory in bytes: its stack ends where it does.
const LOCAL: usize = 0x4000;

/// Kinds of relocations.
mod kind {
    /// The address of a symbol, 64 bits.
    pub(super) const ADDRESS: u32 = 2;
}

/// Places of bank 0 for one generation of machines, in bytes. The driver puts values there that kernels read.
#[derive(Clone, Copy, Debug)]
struct Bank0 {
    /// The number of threads of a block, along x, y and z.
    block: usize,
    /// Where the stack ends, in local memory.
    stack: usize,
    /// Where local memory begins among generic addresses, 64 bits.
    local: usize,
    /// The memory descriptor of accesses without a cache policy, 64 bits.
    descriptor: Option<usize>,
}

/// Of sm_90.
const SM_90: Bank0 = Bank0 { block: 0x0, stack: 0x28, local: 0x20, descriptor: Some(0x208) };

/// The value of the default memory descriptor: no kernel computes with it.
const DESCRIPTOR: u64 = 0x0dec_0dec_0dec_0dec;

/// A module that is loaded.
#[derive(Clone, Debug)]
pub struct Image {
    /// Variables with global addresses.
    globals: Vec<MemoryRegion>,
    /// The contents of constant banks, by number; bank 0 is the entry's.
    banks: BTreeMap<usize, Vec<u8>>,
    /// The address of each section with variables.
    addresses: BTreeMap<usize, u64>,
}

/// A cubin that needs something that is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotLoad {
    /// A relocation of an unknown kind.
    #[error("the relocation {0} of {1} is unknown")]
    Relocation(u32, String),
    /// A relocation in a place that its section does not have, or of a symbol that is not loaded.
    #[error("a relocation of {0} has no place or no symbol")]
    NoSymbol(String),
}

impl Image {
    /// Places variables, and fills in their addresses.
    ///
    /// # Errors
    /// If something would have to be filled in that is unknown.
    pub fn load(cubin: &Cubin) -> Result<Self, CannotLoad> {
        let mut image = Self { globals: Vec::new(), banks: BTreeMap::new(), addresses: BTreeMap::new() };
        let mut at = GLOBALS;
        for (number, section) in cubin.sections.iter().enumerate() {
            if matches!(section.name.as_str(), ".nv.global" | ".nv.global.init") {
                at = at.next_multiple_of(section.align.max(256));
                image.addresses.insert(number, at);
                image.globals.push(MemoryRegion::new(at, section.data.clone(), true));
                // A gap, so that an access past the end is a fault.
                at += section.data.len() as u64 + 0x1000;
            }
        }
        for section in &cubin.sections {
            let Some(bank) = section.name.strip_prefix(".nv.constant").and_then(|bank| bank.parse().ok()) else {
                continue;
            };
            let mut data = section.data.clone();
            for relocation in &section.relocations {
                image.relocate(cubin, &section.name, relocation, &mut data)?;
            }
            image.banks.insert(bank, data);
        }
        Ok(image)
    }

    fn relocate(&self, cubin: &Cubin, section: &str, of: &Relocation, data: &mut [u8]) -> Result<(), CannotLoad> {
        if of.kind != kind::ADDRESS {
            return Err(CannotLoad::Relocation(of.kind, section.to_owned()));
        }
        let missing = || CannotLoad::NoSymbol(section.to_owned());
        let symbol = cubin.symbols.get(of.symbol).ok_or_else(missing)?;
        let start = symbol.section.and_then(|section| self.addresses.get(&section)).ok_or_else(missing)?;
        let value = (start + symbol.value).wrapping_add(of.addend.cast_unsigned());
        let at = usize::try_from(of.offset).map_err(|_| missing())?;
        data.get_mut(at..at.saturating_add(8)).ok_or_else(missing)?.copy_from_slice(&value.to_le_bytes());
        Ok(())
    }

    /// A thread before its first instruction: variables have their initial values, shared and local memory are
    /// undefined, and the parameters are in bank 0.
    pub fn thread(&self, entry: &EntryPoint, parameters: &[Vec<u8>]) -> Thread {
        let mut thread = Thread::default();
        let mut memory = Memory::default();
        for region in &self.globals {
            memory.add(region.clone());
        }
        memory.add(MemoryRegion::undefined(SHARED_WINDOW + RESERVED_SHARED as u64, entry.shared));
        memory.add(MemoryRegion::undefined(LOCAL_WINDOW, LOCAL));
        thread.memory = memory;
        for (number, data) in &self.banks {
            if let Some(bank) = thread.banks.get_mut(*number) {
                bank.clone_from(data);
            }
        }
        let end = entry.parameters.last().map_or(0, |last| last.end);
        let mut bank = vec![0; entry.parameters_at + end];
        let mut put = |at: usize, bytes: &[u8]| {
            if let Some(place) = bank.get_mut(at..at + bytes.len()) {
                place.copy_from_slice(bytes);
            }
        };
        put(SM_90.block, &[1_u32, 1, 1].map(u32::to_le_bytes).concat());
        put(SM_90.stack, &u32::try_from(LOCAL).unwrap_or(0).to_le_bytes());
        put(SM_90.local, &LOCAL_WINDOW.to_le_bytes());
        if let Some(at) = SM_90.descriptor {
            put(at, &DESCRIPTOR.to_le_bytes());
        }
        for (place, bytes) in entry.parameters.iter().zip(parameters) {
            put(entry.parameters_at + place.start, &bytes[..bytes.len().min(place.len())]);
        }
        thread.banks[0] = bank;
        thread.start(usize::try_from(entry.start).unwrap_or(0) / crate::cubin::WORD_BYTES);
        thread
    }
}
