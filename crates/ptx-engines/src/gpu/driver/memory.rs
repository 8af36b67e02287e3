//! Device memory with a guarded end, and host memory that the device marks.

use std::ffi::c_void;
use std::ptr;

use cudarc::driver::sys;

use super::{Addresses, Device, DriverFault};

/// Device memory for kernels.
///
/// It ends where the mapped addresses end, so that any access after it faults. If the driver cannot do
/// that, guard bytes before and after it show stray writes.
pub(crate) struct Buffer {
    device: &'static Device,
    at: sys::CUdeviceptr,
    bytes: usize,
    guard: Guard,
}

enum Guard {
    /// Reserved pages from `base` on; the first `mapped` bytes of them have memory.
    Unmapped { base: sys::CUdeviceptr, reserved: usize, mapped: usize, handle: sys::CUmemGenericAllocationHandle },
    /// An allocation with zones before and after the buffer.
    Zones { base: sys::CUdeviceptr },
}

/// The size of a zone, a multiple of the alignment of allocations, so that the buffer is aligned too.
const ZONE: usize = 256;
/// The contents of zones.
const ZONE_BYTE: u8 = 0xc5;

impl Buffer {
    /// A buffer of this many bytes, uninitialized.
    pub(crate) fn new(device: &'static Device, bytes: usize) -> Result<Self, DriverFault> {
        if let Some(addresses) = &device.addresses {
            return Self::mapped(device, addresses, bytes);
        }
        let mut base = 0;
        let size = bytes.saturating_add(2 * ZONE);
        // SAFETY: the pointer is that of an address which it writes.
        device.check(unsafe { (device.driver.cuMemAlloc_v2)(&raw mut base, size) })?;
        let buffer = Self { device, at: base + ZONE as u64, bytes, guard: Guard::Zones { base } };
        buffer.restore()?;
        Ok(buffer)
    }

    fn mapped(device: &'static Device, addresses: &Addresses, bytes: usize) -> Result<Self, DriverFault> {
        let location =
            sys::CUmemLocation { type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: device.device };
        let properties = sys::CUmemAllocationProp {
            type_: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            requestedHandleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            location,
            win32HandleMetaData: ptr::null_mut(),
            allocFlags: sys::CUmemAllocationProp_st__bindgen_ty_1 {
                compressionType: 0,
                gpuDirectRDMACapable: 0,
                usage: 0,
                reserved: [0; 4],
            },
        };
        let access =
            sys::CUmemAccessDesc { location, flags: sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
        let mut granule = 0;
        // SAFETY: the pointers are those of a number which it writes and of properties with every
        // field set; 0 asks for the smallest granularity.
        let status = unsafe { (addresses.cuMemGetAllocationGranularity)(&raw mut granule, &raw const properties, 0) };
        device.check(status)?;
        let granule = granule.max(1);
        let mapped = bytes.max(1).saturating_add(granule - 1) / granule * granule;
        let reserved = mapped.saturating_add(granule);
        let (mut base, mut handle) = (0, 0);
        // SAFETY: the pointers are those of an address and a handle which they write; what is mapped is
        // what was reserved and created, and each is released if a later one fails.
        unsafe {
            device.check((addresses.cuMemAddressReserve)(&raw mut base, reserved, 0, 0, 0))?;
            let created = device.check((addresses.cuMemCreate)(&raw mut handle, mapped, &raw const properties, 0));
            if let Err(fault) = created {
                (addresses.cuMemAddressFree)(base, reserved);
                return Err(fault);
            }
            if let Err(fault) = device.check((addresses.cuMemMap)(base, mapped, 0, handle, 0)) {
                (addresses.cuMemRelease)(handle);
                (addresses.cuMemAddressFree)(base, reserved);
                return Err(fault);
            }
        }
        let at = base + (mapped - bytes) as u64;
        let buffer = Self { device, at, bytes, guard: Guard::Unmapped { base, reserved, mapped, handle } };
        // SAFETY: the range was just mapped, the pointer is that of one description.
        device.check(unsafe { (addresses.cuMemSetAccess)(base, mapped, &raw const access, 1) })?;
        Ok(buffer)
    }

    /// The address of its first byte.
    pub(crate) fn address(&self) -> u64 {
        self.at
    }

    /// Writes to it; bytes that do not fit are not written.
    pub(crate) fn write(&self, at: usize, data: &[u8]) -> Result<(), DriverFault> {
        let data = &data[..data.len().min(self.bytes.saturating_sub(at))];
        self.copy_in(self.at + at as u64, data)
    }

    /// Reads from it, up to its end.
    pub(crate) fn read(&self, at: usize, bytes: usize) -> Result<Vec<u8>, DriverFault> {
        let bytes = bytes.min(self.bytes.saturating_sub(at));
        self.copy_out(self.at + at as u64, bytes)
    }

    /// True if the zones are unchanged, as far as that can be checked.
    pub(crate) fn intact(&self) -> Result<bool, DriverFault> {
        match self.guard {
            Guard::Unmapped { .. } => Ok(true),
            Guard::Zones { base } => {
                let mut zones = self.copy_out(base, ZONE)?;
                zones.extend(self.copy_out(self.at + self.bytes as u64, ZONE)?);
                Ok(zones.iter().all(|&byte| byte == ZONE_BYTE))
            }
        }
    }

    /// Refills the zones.
    pub(crate) fn restore(&self) -> Result<(), DriverFault> {
        match self.guard {
            Guard::Unmapped { .. } => Ok(()),
            Guard::Zones { base } => {
                self.copy_in(base, &[ZONE_BYTE; ZONE])?;
                self.copy_in(self.at + self.bytes as u64, &[ZONE_BYTE; ZONE])
            }
        }
    }

    fn copy_in(&self, to: sys::CUdeviceptr, data: &[u8]) -> Result<(), DriverFault> {
        if data.is_empty() {
            return Ok(());
        }
        // SAFETY: the callers keep within the allocation; the source is a slice of that length.
        self.device.check(unsafe { (self.device.driver.cuMemcpyHtoD_v2)(to, data.as_ptr().cast(), data.len()) })
    }

    fn copy_out(&self, from: sys::CUdeviceptr, bytes: usize) -> Result<Vec<u8>, DriverFault> {
        let mut data = vec![0; bytes];
        if bytes > 0 {
            // SAFETY: the callers keep within the allocation; the destination has that length.
            let status = unsafe { (self.device.driver.cuMemcpyDtoH_v2)(data.as_mut_ptr().cast(), from, bytes) };
            self.device.check(status)?;
        }
        Ok(data)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: these are what `new` made, and nobody has them any more; the caller waited for
        // every launch. A dead context refuses, which does no harm.
        unsafe {
            match (&self.guard, &self.device.addresses) {
                (Guard::Unmapped { base, reserved, mapped, handle }, Some(addresses)) => {
                    (addresses.cuMemUnmap)(*base, *mapped);
                    (addresses.cuMemRelease)(*handle);
                    (addresses.cuMemAddressFree)(*base, *reserved);
                }
                (Guard::Zones { base }, _) => {
                    (self.device.driver.cuMemFree_v2)(*base);
                }
                (Guard::Unmapped { .. }, None) => {}
            }
        }
    }
}

/// Numbers in host memory that the device can write. They remain readable after a fault.
pub(crate) struct GuardMarks {
    device: &'static Device,
    host: *mut u32,
    at: sys::CUdeviceptr,
    count: usize,
}

impl GuardMarks {
    /// This many marks, all 0.
    pub(crate) fn new(device: &'static Device, count: usize) -> Result<Self, DriverFault> {
        let (mut host, mut at): (*mut c_void, _) = (ptr::null_mut(), 0);
        let bytes = count.max(1).saturating_mul(size_of::<u32>());
        let flags = sys::CU_MEMHOSTALLOC_DEVICEMAP | sys::CU_MEMHOSTALLOC_PORTABLE;
        // SAFETY: the pointer is that of a pointer which it writes.
        device.check(unsafe { (device.driver.cuMemHostAlloc)(&raw mut host, bytes, flags) })?;
        let mut marks = Self { device, host: host.cast(), at: 0, count };
        // SAFETY: the pointer is that of an address which it writes; the memory was just allocated.
        device.check(unsafe { (device.driver.cuMemHostGetDevicePointer_v2)(&raw mut at, host, 0) })?;
        marks.at = at;
        marks.clear(0, count);
        Ok(marks)
    }

    /// Their address for the device.
    pub(crate) fn address(&self) -> u64 {
        self.at
    }

    /// Sets a range of them to 0.
    pub(crate) fn clear(&mut self, first: usize, count: usize) {
        for index in first..first.saturating_add(count).min(self.count) {
            // SAFETY: the memory is page-aligned and has this many numbers; the device may write it too, so
            // each access is volatile.
            unsafe { self.host.add(index).write_volatile(0) };
        }
    }

    /// The current values of a range of them.
    pub(crate) fn read(&self, first: usize, count: usize) -> Vec<u32> {
        let range = first..first.saturating_add(count).min(self.count);
        // SAFETY: as in `clear`.
        range.map(|index| unsafe { self.host.add(index).read_volatile() }).collect()
    }
}

impl Drop for GuardMarks {
    fn drop(&mut self) {
        // SAFETY: it is what `new` allocated, and the caller waited for every launch.
        unsafe { (self.device.driver.cuMemFreeHost)(self.host.cast()) };
    }
}
