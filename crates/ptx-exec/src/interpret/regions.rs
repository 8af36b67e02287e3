//! Memory as the threads of a launch see it: regions at generic addresses.

use super::register_bits::RegisterBits;
use crate::value::{Fault, MemoryRegion};

/// Regions in the order of their addresses. What is added last is removed first.
#[derive(Default)]
pub(super) struct Regions {
    regions: Vec<MemoryRegion>,
    /// The region of the last access: the next is often in it.
    last: usize,
}

impl Regions {
    /// Adds a region above all others.
    pub(super) fn add(&mut self, region: MemoryRegion) {
        debug_assert!(self.regions.last().is_none_or(|last| last.start + last.data().len() as u64 <= region.start));
        self.regions.push(region);
    }

    /// How many regions there are.
    pub(super) fn count(&self) -> usize {
        self.regions.len()
    }

    /// Removes all regions but the first.
    pub(super) fn truncate(&mut self, count: usize) {
        self.regions.truncate(count);
    }

    /// All regions, in order.
    pub(super) fn all(&self) -> &[MemoryRegion] {
        &self.regions
    }

    /// A region by its position.
    pub(super) fn get_mut(&mut self, position: usize) -> Option<&mut MemoryRegion> {
        self.regions.get_mut(position)
    }

    /// Loads up to 16 bytes.
    ///
    /// # Errors
    /// If a byte is in no region.
    #[inline]
    pub(super) fn load(&mut self, address: u64, bytes: usize) -> Result<RegisterBits, Fault> {
        let (region, at) = self.find(address, bytes)?;
        Ok(read(&self.regions[region], at, bytes))
    }

    /// Stores the low bytes of a value, at most 16.
    ///
    /// # Errors
    /// If a byte is in no region, or the region may not be written.
    #[inline]
    pub(super) fn store(&mut self, address: u64, bytes: usize, value: RegisterBits) -> Result<(), Fault> {
        let (region, at) = self.find(address, bytes)?;
        let region = &mut self.regions[region];
        if !region.writable {
            return Err(Fault::ReadOnly(address));
        }
        write(region, at, bytes, value);
        Ok(())
    }

    /// The region of an access, and the position in it.
    ///
    /// # Errors
    /// If a byte is in no region.
    #[inline]
    pub(super) fn find(&mut self, address: u64, bytes: usize) -> Result<(usize, usize), Fault> {
        if let Some(at) = self.regions.get(self.last).and_then(|region| within(region, address, bytes)) {
            return Ok((self.last, at));
        }
        let after = self.regions.partition_point(|region| region.start <= address);
        let number = after.checked_sub(1).ok_or(Fault::Nothing(address))?;
        let at = within(&self.regions[number], address, bytes).ok_or(Fault::Nothing(address))?;
        self.last = number;
        Ok((number, at))
    }
}

/// The position of an access in a region, if the region has all its bytes.
#[inline]
fn within(region: &MemoryRegion, address: u64, bytes: usize) -> Option<usize> {
    let at = usize::try_from(address.checked_sub(region.start)?).ok()?;
    (at.checked_add(bytes)? <= region.data().len()).then_some(at)
}

/// Up to 16 bytes that a region has.
#[inline]
fn read(region: &MemoryRegion, at: usize, bytes: usize) -> RegisterBits {
    let below = region.peek(at, bytes.min(8));
    let above = match bytes {
        ..=8 => 0_u64.into(),
        _ => region.peek(at + 8, bytes - 8),
    };
    RegisterBits::joined(below, above)
}

/// Writes up to 16 bytes that a region has.
#[inline]
pub(super) fn write(region: &mut MemoryRegion, at: usize, bytes: usize, value: RegisterBits) {
    let [below, above] = value.halves();
    region.put(at, bytes.min(8), below);
    if bytes > 8 {
        region.put(at + 8, bytes - 8, above);
    }
}
