//! Memory as the threads of a launch see it: regions at generic addresses.

use super::register_bits::RegisterBits;
use super::stop::ThreadStop;
use super::trace::{AccessKind, RegionTrace};
use crate::value::{Fault, MemoryRegion};

/// Regions in the order of their addresses. What is added last is removed first.
pub(super) struct Regions {
    regions: Vec<MemoryRegion>,
    /// How many bytes there are, and may be.
    bytes: u64,
    limit: u64,
    /// The region of the last access: the next is often in it.
    last: usize,
    /// The thread that accesses them, if there are several: its number, which is not 0.
    thread: Option<u32>,
    /// The accesses to each of the regions that threads have in common, the first ones.
    traces: Vec<RegionTrace>,
}

impl Regions {
    /// No regions yet; all together may take up to this many bytes.
    pub(super) fn new(limit: u64) -> Self {
        Self { regions: Vec::new(), bytes: 0, limit, last: 0, thread: None, traces: Vec::new() }
    }

    /// Adds a region above all others.
    ///
    /// # Errors
    /// If there are too many bytes.
    pub(super) fn add(&mut self, region: MemoryRegion) -> Result<(), ThreadStop> {
        debug_assert!(self.regions.last().is_none_or(|last| last.start + last.data().len() as u64 <= region.start));
        self.allow(region.data().len() as u64)?;
        self.bytes += region.data().len() as u64;
        self.regions.push(region);
        Ok(())
    }

    /// Adds a region of this many undefined bytes above all others.
    ///
    /// # Errors
    /// If there are too many bytes.
    pub(super) fn add_undefined(&mut self, start: u64, bytes: u64) -> Result<(), ThreadStop> {
        self.allow(bytes)?;
        let bytes = usize::try_from(bytes).map_err(|why| ThreadStop::Failed(why.to_string()))?;
        self.add(MemoryRegion::undefined(start, bytes))
    }

    /// Refuses more bytes than there may be.
    fn allow(&self, more: u64) -> Result<(), ThreadStop> {
        match self.bytes.checked_add(more).is_some_and(|bytes| bytes <= self.limit) {
            true => Ok(()),
            false => Err(ThreadStop::Failed(format!("more than {} bytes of memory are needed", self.limit))),
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

    /// Several threads come, which have all regions so far in common: their accesses are traced.
    pub(super) fn trace_all(&mut self) {
        self.traces = vec![RegionTrace::default(); self.regions.len()];
    }

    /// No accesses are traced any more.
    pub(super) fn trace_none(&mut self) {
        (self.traces, self.thread) = (Vec::new(), None);
    }

    /// The number of the thread whose accesses come next.
    pub(super) fn set_thread(&mut self, thread: u32) {
        self.thread = Some(thread).filter(|_| !self.traces.is_empty());
    }

    /// Makes the contents of a region undefined, for a block that comes.
    pub(super) fn forget(&mut self, position: usize) {
        if let Some(trace) = self.traces.get_mut(position) {
            *trace = RegionTrace::default();
        }
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
    /// If a byte is in no region, or if what it holds depends on the order of threads.
    #[inline]
    pub(super) fn load(&mut self, address: u64, bytes: usize) -> Result<RegisterBits, ThreadStop> {
        let (region, at) = self.find(address, bytes)?;
        if self.thread.is_some() {
            self.note(region, (at, bytes), AccessKind::Load)?;
        }
        Ok(read(&self.regions[region], at, bytes))
    }

    /// Stores the low bytes of a value, at most 16.
    ///
    /// # Errors
    /// If a byte is in no region, if the region may not be written, or if what it will hold depends on the order of threads.
    #[inline]
    pub(super) fn store(&mut self, address: u64, bytes: usize, value: RegisterBits) -> Result<(), ThreadStop> {
        let (region, at) = self.writable(address, bytes)?;
        if self.thread.is_some() {
            self.note(region, (at, bytes), AccessKind::Store)?;
        }
        write(&mut self.regions[region], at, bytes, value);
        Ok(())
    }

    /// Replaces bytes by what `left` makes of them, and returns what they were. `kind` is [`AccessKind::Reduction`] if nobody
    /// asks for that.
    ///
    /// # Errors
    /// As [`Self::store`].
    pub(super) fn replace(
        &mut self,
        address: u64,
        bytes: usize,
        kind: AccessKind,
        left: impl FnOnce(RegisterBits) -> RegisterBits,
    ) -> Result<RegisterBits, ThreadStop> {
        let (region, at) = self.writable(address, bytes)?;
        if self.thread.is_some() {
            self.note(region, (at, bytes), kind)?;
        }
        let old = read(&self.regions[region], at, bytes);
        write(&mut self.regions[region], at, bytes, left(old));
        Ok(old)
    }

    /// Notes an access of one of several threads. What follows the traced regions is its own.
    #[cold]
    fn note(&mut self, region: usize, (at, bytes): (usize, usize), kind: AccessKind) -> Result<(), ThreadStop> {
        match (self.traces.get_mut(region), self.thread) {
            (Some(trace), Some(thread)) => trace.note(at..at + bytes, thread, kind),
            _ => Ok(()),
        }
    }

    /// As [`Self::find`], of a region that may be written.
    #[inline]
    fn writable(&mut self, address: u64, bytes: usize) -> Result<(usize, usize), ThreadStop> {
        let (region, at) = self.find(address, bytes)?;
        match self.regions[region].writable {
            true => Ok((region, at)),
            false => Err(impossible(Fault::ReadOnly(address))),
        }
    }

    /// The region of an access, and the position in it.
    ///
    /// # Errors
    /// If a byte is in no region.
    #[inline]
    fn find(&mut self, address: u64, bytes: usize) -> Result<(usize, usize), ThreadStop> {
        if let Some(at) = self.regions.get(self.last).and_then(|region| within(region, address, bytes)) {
            return Ok((self.last, at));
        }
        let after = self.regions.partition_point(|region| region.start <= address);
        let number = after.checked_sub(1).ok_or_else(|| impossible(Fault::Nothing(address)))?;
        let at = within(&self.regions[number], address, bytes);
        let at = at.ok_or_else(|| impossible(Fault::Nothing(address)))?;
        self.last = number;
        Ok((number, at))
    }
}

/// The end of a thread whose access hits nothing that it may: the manual does not describe what happens.
#[cold]
fn impossible(why: Fault) -> ThreadStop {
    ThreadStop::Undefined(why.to_string())
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
