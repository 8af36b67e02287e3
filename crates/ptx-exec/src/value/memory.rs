//! Memory: regions of bytes with gaps between them, of which each bit may be undefined.

use super::Bits;

/// Bytes at consecutive addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryRegion {
    /// The address of the first.
    pub start: u64,
    /// Their values; undefined bits are 0.
    data: Vec<u8>,
    /// Which of their bits are defined.
    defined: Vec<u8>,
    /// True if they may be written.
    pub writable: bool,
}

impl MemoryRegion {
    /// Bytes with these contents.
    pub fn new(start: u64, data: Vec<u8>, writable: bool) -> Self {
        let defined = vec![0xff; data.len()];
        Self { start, data, defined, writable }
    }

    /// Bytes that nothing wrote yet.
    pub fn undefined(start: u64, size: usize) -> Self {
        Self { start, data: vec![0; size], defined: vec![0; size], writable: true }
    }

    /// The values; undefined bits are 0.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// Up to 8 bytes at a position, zero-extended; those that it does not have are undefined.
    pub fn peek(&self, at: usize, bytes: usize) -> Bits {
        read_bits(&self.data, &self.defined, at, bytes)
    }

    /// Writes defined bytes at a position, as far as it has them.
    pub fn poke(&mut self, at: usize, bytes: &[u8]) {
        for (at, byte) in (at..).zip(bytes) {
            if let (Some(to), Some(defined)) = (self.data.get_mut(at), self.defined.get_mut(at)) {
                (*to, *defined) = (*byte, 0xff);
            }
        }
    }

    /// The bits that are defined.
    pub fn defined(&self) -> &[u8] {
        &self.defined
    }

    /// Writes the low bytes of a value, at most 8, at a position that the region has.
    pub(crate) fn put(&mut self, at: usize, bytes: usize, value: Bits) {
        let mask = low(bytes);
        for (to, from) in [(&mut self.data, value.value()), (&mut self.defined, value.defined())] {
            let rest = &mut to[at..];
            if let Some(eight) = rest.first_chunk_mut() {
                *eight = (u64::from_le_bytes(*eight) & !mask | from & mask).to_le_bytes();
            } else {
                rest[..bytes].copy_from_slice(&from.to_le_bytes()[..bytes]);
            }
        }
    }
}

/// The reason why an access is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// No region has all its bytes.
    #[error("nothing is at address 0x{0:x}")]
    Nothing(u64),
    /// The address is not a multiple of the access's size.
    #[error("address 0x{0:x} is misaligned")]
    Misaligned(u64),
    /// The region may not be written.
    #[error("address 0x{0:x} may not be written")]
    ReadOnly(u64),
    /// A coordinate is outside of the surface.
    #[error("a coordinate is outside of the surface")]
    OutsideSurface,
    /// The handle is not that of a surface.
    #[error("0x{0:x} is not the handle of a surface")]
    NoSurface(u64),
}

/// Regions of bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    regions: Vec<MemoryRegion>,
    /// The region of the last access: the next is often in it.
    last: usize,
    /// The bytes that stores replaced, the newest last: a thread of the next launch needs it back, and a copy of all memory would
    /// take longer than most threads.
    replaced: Vec<Replaced>,
}

/// Bytes before a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Replaced {
    region: usize,
    at: usize,
    bytes: usize,
    before: Bits,
}

impl Memory {
    /// Adds a region, and returns its number. It must not overlap another.
    pub fn add(&mut self, region: MemoryRegion) -> usize {
        self.regions.push(region);
        self.regions.len() - 1
    }

    /// A region by its number.
    pub fn region(&self, number: usize) -> &MemoryRegion {
        &self.regions[number]
    }

    /// A region by its number, to give it other contents before a launch.
    pub fn region_mut(&mut self, number: usize) -> &mut MemoryRegion {
        &mut self.regions[number]
    }

    /// The number of the region of the last access.
    pub fn last(&self) -> Option<usize> {
        (self.last < self.regions.len()).then_some(self.last)
    }

    /// Forgets which region the last access was in.
    pub fn forget_last(&mut self) {
        self.last = usize::MAX;
    }

    /// True if there are stores to undo.
    pub fn is_changed(&self) -> bool {
        !self.replaced.is_empty()
    }

    /// Undoes all stores.
    pub fn undo(&mut self) {
        while let Some(Replaced { region, at, bytes, before }) = self.replaced.pop() {
            self.regions[region].put(at, bytes, before);
        }
    }

    /// Loads 1, 2, 4 or 8 bytes, zero-extended. `aligned`: the multiple of bytes that the address must be, a power
    /// of two.
    ///
    /// # Errors
    /// If the address is misaligned, or a byte is in no region.
    pub fn load(&mut self, address: u64, bytes: usize, aligned: u64) -> Result<Bits, Fault> {
        let (region, at) = self.find(address, bytes, aligned)?;
        Ok(self.regions[region].peek(at, bytes))
    }

    /// Stores the low 1, 2, 4 or 8 bytes of a value.
    ///
    /// # Errors
    /// If the address is misaligned, a byte is in no region, or the region may not be written.
    pub fn store(&mut self, address: u64, bytes: usize, aligned: u64, value: Bits) -> Result<(), Fault> {
        let (number, at) = self.find(address, bytes, aligned)?;
        let region = &mut self.regions[number];
        if !region.writable {
            return Err(Fault::ReadOnly(address));
        }
        self.replaced.push(Replaced { region: number, at, bytes, before: region.peek(at, bytes) });
        region.put(at, bytes, value);
        Ok(())
    }

    /// The region of an access, and the position in it.
    fn find(&mut self, address: u64, bytes: usize, aligned: u64) -> Result<(usize, usize), Fault> {
        // Not by division: an alignment is a power of two, and this is on the path of every access.
        if address & aligned.saturating_sub(1) != 0 {
            return Err(Fault::Misaligned(address));
        }
        let within = |region: &MemoryRegion| {
            let at = usize::try_from(address.checked_sub(region.start)?).ok()?;
            (at.checked_add(bytes)? <= region.data.len()).then_some(at)
        };
        if let Some(at) = self.regions.get(self.last).and_then(within) {
            return Ok((self.last, at));
        }
        let found = self.regions.iter().enumerate().find_map(|(number, region)| Some((number, within(region)?)));
        let (number, at) = found.ok_or(Fault::Nothing(address))?;
        self.last = number;
        Ok((number, at))
    }
}

/// Up to 8 bytes at a position, zero-extended; those that are not there are undefined.
#[inline]
pub fn read_bits(data: &[u8], defined: &[u8], at: usize, bytes: usize) -> Bits {
    let mask = low(bytes);
    let number = |of: &[u8]| {
        let rest = of.get(at..).unwrap_or_default();
        if let Some(eight) = rest.first_chunk() {
            return u64::from_le_bytes(*eight) & mask;
        }
        let mut wide = [0; 8];
        rest.iter().take(bytes).zip(&mut wide).for_each(|(byte, to)| *to = *byte);
        u64::from_le_bytes(wide)
    };
    Bits::new(number(data), number(defined) | !mask)
}

/// The bits of this many bytes.
fn low(bytes: usize) -> u64 {
    if bytes < 8 { (1 << (bytes * 8)) - 1 } else { u64::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_little_endian_and_remember_what_is_defined() {
        let mut memory = Memory::default();
        memory.add(MemoryRegion::new(0x1000, vec![1, 2, 3, 4, 5, 6, 7, 8], true));
        let scratch = memory.add(MemoryRegion::undefined(0x2000, 8));
        assert_eq!(memory.load(0x1002, 2, 2), Ok(Bits::from(0x0403_u64)));
        assert_eq!(memory.load(0x2000, 4, 4).map(|bits| bits.known(32)), Ok(None));
        assert_eq!(memory.store(0x2001, 1, 1, Bits::new(0xabc, 0xf0f)), Ok(()));
        assert_eq!(memory.load(0x2000, 4, 4), Ok(Bits::new(0x0c00, 0x0f00 | u64::MAX << 32)));
        assert_eq!(memory.region(scratch).defined().first_chunk(), Some(&[0, 0x0f, 0]));
    }

    #[test]
    fn stores_are_undone() {
        let mut memory = Memory::default();
        memory.add(MemoryRegion::new(0x1000, (1..=16).collect(), true));
        memory.add(MemoryRegion::undefined(0x2000, 8));
        let before = memory.regions.clone();
        for (address, bytes) in [(0x1000, 8), (0x1003, 1), (0x100c, 4), (0x2006, 2), (0x1002, 2)] {
            assert_eq!(memory.store(address, bytes, 1, Bits::new(0xabcd_ef01_2345_6789, 0xffff_0fff)), Ok(()));
        }
        assert_ne!(memory.regions, before);
        memory.undo();
        assert_eq!(memory.regions, before);
    }

    #[test]
    fn accesses_that_are_not_possible_are_faults() {
        let mut memory = Memory::default();
        memory.add(MemoryRegion::new(0x1000, vec![0; 8], false));
        assert_eq!(memory.load(0x1001, 4, 4), Err(Fault::Misaligned(0x1001)));
        assert_eq!(memory.load(0x1008, 1, 1), Err(Fault::Nothing(0x1008)));
        assert_eq!(memory.load(0x1006, 4, 2), Err(Fault::Nothing(0x1006)), "the end is outside");
        assert_eq!(memory.load(u64::MAX, 8, 1), Err(Fault::Nothing(u64::MAX)));
        assert_eq!(memory.store(0x1000, 4, 4, Bits::ZERO), Err(Fault::ReadOnly(0x1000)));
    }
}
