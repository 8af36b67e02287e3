//! Memory as the threads of a launch see it: regions at generic addresses.

use super::register_bits::RegisterBits;
use super::stop::Stop;
use crate::value::{Fault, MemoryRegion};

/// Regions in the order of their addresses. What is added last is removed first.
pub(super) struct Regions {
    regions: Vec<MemoryRegion>,
    /// How many bytes there are, and may be.
    bytes: u64,
    limit: u64,
    /// The region of the last access: the next is often in it.
    last: usize,
}

impl Regions {
    /// No regions, which may get so many bytes.
    pub(super) fn new(limit: u64) -> Self {
        Self { regions: Vec::new(), bytes: 0, limit, last: 0 }
    }

    /// Adds a region above all others.
    ///
    /// # Errors
    /// If there are too many bytes.
    pub(super) fn add(&mut self, region: MemoryRegion) -> Result<(), Stop> {
        debug_assert!(self.regions.last().is_none_or(|last| last.start + last.data().len() as u64 <= region.start));
        self.allow(region.data().len() as u64)?;
        self.bytes += region.data().len() as u64;
        self.regions.push(region);
        Ok(())
    }

    /// Adds a region of so many undefined bytes above all others.
    ///
    /// # Errors
    /// If there are too many bytes.
    pub(super) fn add_undefined(&mut self, start: u64, bytes: u64) -> Result<(), Stop> {
        self.allow(bytes)?;
        let bytes = usize::try_from(bytes).map_err(|why| Stop::Failed(why.to_string()))?;
        self.add(MemoryRegion::undefined(start, bytes))
    }

    /// Refuses more bytes than there may be.
    fn allow(&self, more: u64) -> Result<(), Stop> {
        match self.bytes.checked_add(more).is_some_and(|bytes| bytes <= self.limit) {
            true => Ok(()),
            false => Err(Stop::Failed(format!("more than {} bytes of memory are needed", self.limit))),
        }
    }

    /// How many regions there are.
    pub(super) fn count(&self) -> usize {
        self.regions.len()
    }

    /// Removes all regions but the first.
    pub(super) fn truncate(&mut self, count: usize) {
        for removed in self.regions.drain(count..) {
            self.bytes -= removed.data().len() as u64;
        }
    }

    /// Removes the regions that begin at an address or after it.
    pub(super) fn remove_from(&mut self, address: u64) {
        self.truncate(self.regions.partition_point(|region| region.start < address));
    }

    /// Makes the contents of a region undefined.
    pub(super) fn forget(&mut self, position: usize) {
        if let Some(region) = self.regions.get_mut(position) {
            *region = MemoryRegion::undefined(region.start, region.data().len());
        }
    }

    /// All regions, in order.
    pub(super) fn all(&self) -> &[MemoryRegion] {
        &self.regions
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
    fn find(&mut self, address: u64, bytes: usize) -> Result<(usize, usize), Fault> {
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
fn write(region: &mut MemoryRegion, at: usize, bytes: usize, value: RegisterBits) {
    let [below, above] = value.halves();
    region.put(at, bytes.min(8), below);
    if bytes > 8 {
        region.put(at + 8, bytes - 8, above);
    }
}
