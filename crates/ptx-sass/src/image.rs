//! A cubin as the driver loads it: variables at their addresses, constant banks with these addresses.

use std::collections::BTreeMap;

use ptx_exec::object::{Component, Format, Surface};

use crate::cubin::{Cubin, EntryPoint, Relocation};
use crate::machine::{DEFAULT_DESCRIPTOR, LOCAL_WINDOW, SHARED_WINDOW, Thread};
use crate::position::ThreadPosition;
use crate::surface::BoundSurface;
use crate::target::MachineTarget;
use ptx_exec::value::{Memory, MemoryRegion};

/// Where global variables begin.
const GLOBALS: u64 = 0x7e00_0000_0000;
/// The size of a thread's local memory in bytes: its stack ends where it does.
const LOCAL: u32 = 0x4000;

/// Kinds of relocations.
mod kind {
    /// The address of a symbol, 64 bits.
    pub(super) const ADDRESS: u32 = 2;
    /// The handle of a surface, 32 bits.
    pub(super) const HANDLE: u32 = 52;
    /// The value of a symbol, as the immediate of an instruction.
    pub(super) const VALUE: u32 = 55;
    /// The lower half of the address of a symbol, as the immediate of an instruction.
    pub(super) const LOWER: u32 = 56;
    /// The upper half of it.
    pub(super) const UPPER: u32 = 57;
}

/// The handle of the surface of a row. Machine code uses its lower half.
pub const SURFACE_HANDLE: u64 = 0x5afe_0000_0000_0000 | SURFACE_HANDLE_LOW as u64;
/// The lower half of the handle.
const SURFACE_HANDLE_LOW: u32 = 3;
/// The driver's table that describes surfaces: where it is, and the size of an entry.
const TABLE: u64 = 0x7e80_0000_0000;
const TABLE_ENTRY: usize = 0x20;
/// Where its entries have the extents and the number of layers, in bytes.
const WIDTH: usize = 0;
const HEIGHT: usize = 4;
const DEPTH: usize = 8;
const LAYERS: usize = 0x1c;
/// Where they have the type and the order of the components.
const COMPONENT_TYPE: usize = 0xc;
const COMPONENT_ORDER: usize = 0x10;
/// Where they have the layout in memory, which is 0: as of arrays, not linear.
const MEMORY_LAYOUT: usize = 0x14;
/// The symbol that stands for the size of an entry.
const TABLE_ENTRY_SYMBOL: &str = ".nv.surfrefDescSize";

/// Where variables in constant memory begin among generic addresses.
const CONSTANTS: u64 = 0x7ec0_0000_0000;

/// A module that is loaded.
#[derive(Clone, Debug)]
pub struct Image {
    target: MachineTarget,
    /// Variables with global addresses.
    globals: Vec<MemoryRegion>,
    /// The contents of constant banks, by number; bank 0 is the entry's.
    banks: BTreeMap<usize, Vec<u8>>,
    /// The contents of the banks that entries have for themselves, by the index of the section.
    entry_banks: BTreeMap<usize, Vec<u8>>,
    /// The address of each section with variables.
    addresses: BTreeMap<usize, u64>,
    /// The sections that need something that is unknown.
    unknown: BTreeMap<usize, CannotLoad>,
}

/// A section that needs something that is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotLoad {
    /// A relocation of an unknown kind.
    #[error("the relocation {0} is unknown")]
    Relocation(u32),
    /// A relocation in a place that its section does not have, or of a symbol that is not loaded.
    #[error("a relocation has no place or no symbol")]
    NoSymbol,
}

impl Image {
    /// Places variables, and fills in their addresses, in the code of the cubin as well.
    pub fn load(cubin: &mut Cubin, target: MachineTarget) -> Self {
        let mut image = Self {
            target,
            globals: Vec::new(),
            banks: BTreeMap::new(),
            entry_banks: BTreeMap::new(),
            addresses: BTreeMap::new(),
            unknown: BTreeMap::new(),
        };
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
        for number in 0..cubin.sections.len() {
            let section = &cubin.sections[number];
            let is_code = section.name.starts_with(".text.");
            let bank = section.name.strip_prefix(".nv.constant").map(str::to_owned);
            if !is_code && bank.is_none() {
                continue;
            }
            let mut data = section.data.clone();
            for relocation in &section.relocations {
                if let Err(why) = image.relocate(cubin, relocation, &mut data) {
                    image.unknown.insert(number, why);
                }
            }
            match bank.map(|bank| bank.parse()) {
                None => cubin.sections[number].data = data,
                Some(Ok(bank)) => drop(image.banks.insert(bank, data)),
                Some(Err(_)) => drop(image.entry_banks.insert(number, data)),
            }
        }
        image
    }

    /// True if everything that an entry needs is known; all constant banks count.
    ///
    /// # Errors
    /// The first that is not known.
    pub fn check(&self, cubin: &Cubin, entry: &EntryPoint) -> Result<(), CannotLoad> {
        let needs = |number: usize| {
            let shared = cubin.sections.get(number).and_then(|section| section.name.strip_prefix(".nv.constant"));
            let shared = shared.is_some_and(|bank| bank.bytes().all(|byte| byte.is_ascii_digit()));
            number == entry.section || entry.constants.iter().any(|(_, own)| *own == number) || shared
        };
        let unknown = self.unknown.iter().find(|(number, _)| needs(**number));
        unknown.map_or(Ok(()), |(_, why)| Err(why.clone()))
    }

    fn relocate(&self, cubin: &Cubin, of: &Relocation, data: &mut [u8]) -> Result<(), CannotLoad> {
        let symbol = cubin.symbols.get(of.symbol).ok_or(CannotLoad::NoSymbol)?;
        let at = usize::try_from(of.offset).map_err(|_| CannotLoad::NoSymbol)?;
        // The immediate of an instruction is in the bits 32 to 63 of its word.
        let immediate = at.saturating_add(4);
        let address = || {
            let start = symbol.section.and_then(|section| self.addresses.get(&section)).ok_or(CannotLoad::NoSymbol)?;
            let in_place = || match of.kind {
                kind::ADDRESS => data.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)),
                _ => data.get(immediate..)?.first_chunk().map(|bytes| u64::from(u32::from_le_bytes(*bytes))),
            };
            let addend = of.addend.map(i64::cast_unsigned).or_else(in_place).ok_or(CannotLoad::NoSymbol)?;
            Ok((start + symbol.value).wrapping_add(addend).to_le_bytes())
        };
        let (at, bytes) = match of.kind {
            kind::ADDRESS => (at, address()?.to_vec()),
            kind::HANDLE => (at, SURFACE_HANDLE.to_le_bytes()[..4].to_vec()),
            kind::VALUE if symbol.name == TABLE_ENTRY_SYMBOL => {
                (immediate, (TABLE_ENTRY as u32).to_le_bytes().to_vec())
            }
            kind::LOWER => (immediate, address()?[..4].to_vec()),
            kind::UPPER => (immediate, address()?[4..].to_vec()),
            kind => return Err(CannotLoad::Relocation(kind)),
        };
        let place = data.get_mut(at..at.saturating_add(bytes.len())).ok_or(CannotLoad::NoSymbol)?;
        place.copy_from_slice(&bytes);
        Ok(())
    }

    /// Binds the surface of a thread: its handle is [`SURFACE_HANDLE`], and the driver's table describes it.
    pub fn bind(thread: &mut Thread, surface: &Surface) {
        let (of_type, order) = enumerated(surface.format);
        let mut entry =
            MemoryRegion::undefined(TABLE + u64::from(SURFACE_HANDLE_LOW) * TABLE_ENTRY as u64, TABLE_ENTRY);
        entry.writable = false;
        for (at, number) in [
            (WIDTH, surface.width),
            (HEIGHT, surface.height),
            (DEPTH, surface.depth),
            (LAYERS, surface.layers),
            (COMPONENT_TYPE, of_type),
            (COMPONENT_ORDER, order),
            (MEMORY_LAYOUT, 0),
        ] {
            entry.poke(at, &number.to_le_bytes());
        }
        thread.memory.add(entry);
        thread.surface = Some(BoundSurface::new(SURFACE_HANDLE_LOW, surface.clone()));
    }

    /// A thread before its first instruction: variables have their initial values, shared and local memory are
    /// undefined, and the parameters are in bank 0.
    pub fn thread(&self, entry: &EntryPoint, parameters: &[Vec<u8>]) -> Thread {
        let mut thread = Thread::default();
        let mut memory = Memory::default();
        for region in &self.globals {
            memory.add(region.clone());
        }
        memory.add(self.shared(entry));
        memory.add(MemoryRegion::undefined(LOCAL_WINDOW, LOCAL as usize));
        thread.memory = memory;
        for (number, data) in &self.banks {
            if *number == 3 {
                thread.memory.add(MemoryRegion::new(CONSTANTS, data.clone(), false));
            }
            if let Some(bank) = thread.banks.get_mut(*number) {
                *bank = MemoryRegion::new(0, data.clone(), false);
            }
        }
        for (number, section) in &entry.constants {
            if let (Some(bank), Some(data)) = (thread.banks.get_mut(*number), self.entry_banks.get(section)) {
                *bank = MemoryRegion::new(0, data.clone(), false);
            }
        }
        thread.banks[0] = self.bank_0(entry, parameters);
        thread.start(entry.start / crate::cubin::WORD_BYTES);
        thread
    }

    /// Takes a thread to another position of its launch, before its first instruction.
    pub fn place(&self, thread: &mut Thread, position: ThreadPosition) {
        let sizes = [position.threads, position.blocks].concat();
        thread.banks[0]
            .poke(self.target.bank_0.block, &sizes.iter().flat_map(|size| size.to_le_bytes()).collect::<Vec<_>>());
        thread.position = position;
    }

    /// The number of regions with global variables, which are the first of a thread's memory; those of shared and local memory
    /// follow.
    pub fn globals(&self) -> usize {
        self.globals.len()
    }

    /// Bank 0: what the driver puts in, and the parameters. All else is undefined.
    fn bank_0(&self, entry: &EntryPoint, parameters: &[Vec<u8>]) -> MemoryRegion {
        let end = entry.parameters_at + entry.parameters.last().map_or(0, |last| last.end);
        let own = entry.constants.iter().find(|(number, _)| *number == 0);
        let own = own.and_then(|(_, section)| self.entry_banks.get(section)).map_or(&[][..], Vec::as_slice);
        let mut bank = MemoryRegion::undefined(0, end.max(own.len()));
        // After the parameters, the compiler has constants of its own.
        // Most have none, and their section ends with the parameters.
        bank.poke(end, own.get(end..).unwrap_or_default());
        let places = &self.target.bank_0;
        bank.poke(places.block, &[1_u32; 6].map(u32::to_le_bytes).concat());
        bank.poke(places.stack, &LOCAL.to_le_bytes());
        bank.poke(places.table, &TABLE.to_le_bytes());
        bank.poke(places.constants, &CONSTANTS.to_le_bytes());
        bank.poke(places.local, &LOCAL_WINDOW.to_le_bytes());
        for (at, value) in [(places.shared, SHARED_WINDOW), (places.descriptor, DEFAULT_DESCRIPTOR)] {
            at.into_iter().for_each(|at| bank.poke(at, &value.to_le_bytes()));
        }
        for (place, bytes) in entry.parameters.iter().zip(parameters) {
            bank.poke(entry.parameters_at + place.start, &bytes[..bytes.len().min(place.len())]);
        }
        bank
    }

    /// Shared memory at its start: variables are undefined. What is after them is not, because smaller atomic
    /// operations read and write whole words.
    fn shared(&self, entry: &EntryPoint) -> MemoryRegion {
        let reserved = self.target.reserved_shared;
        let variables = entry.shared.saturating_sub(reserved);
        let size = variables.next_multiple_of(16);
        let mut region = MemoryRegion::undefined(SHARED_WINDOW + reserved as u64, size);
        region.poke(variables, &vec![0; size - variables]);
        region
    }
}

/// The numbers of OpenCL for the type of a component, and for the order of the components.
fn enumerated(format: Format) -> (u32, u32) {
    let of_type = match format.component {
        Component::Snorm(8) => 0x10d0,
        Component::Snorm(_) => 0x10d1,
        Component::Unorm(8) => 0x10d2,
        Component::Unorm(_) => 0x10d3,
        Component::Signed(8) => 0x10d7,
        Component::Signed(16) => 0x10d8,
        Component::Signed(_) => 0x10d9,
        Component::Unsigned(8) => 0x10da,
        Component::Unsigned(16) => 0x10db,
        Component::Unsigned(_) => 0x10dc,
        Component::Float(16) => 0x10dd,
        Component::Float(_) => 0x10de,
    };
    let order = match format.channels {
        1 => 0x10b0,
        2 => 0x10b2,
        _ => 0x10b5,
    };
    (of_type, order)
}
