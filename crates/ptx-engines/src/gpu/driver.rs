//! The CUDA driver: the one module that calls it.
//!
//! The library is loaded at run time. Its functions go into our own table, where a status is a plain
//! number: a newer driver may return a status that the bindings do not know, which their enum must never
//! hold. A missing function is an error message.
#![allow(unsafe_code, reason = "the CUDA driver is a C library")]

mod memory;
mod module;
mod surface;

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fmt;
use std::ptr;

use cudarc::driver::sys;
use ptx_spec::must::Must as _;

use super::NoDevice;

pub(super) use memory::{Buffer, GuardMarks};
pub(super) use module::{Function, LoadedModule, Parameters, Refused};
pub(super) use surface::{Array, Extents};

/// Tables of the driver's functions: a field for each symbol, and a function that finds them all.
macro_rules! tables {
    ($($(#[$about:meta])* $table:ident { $($symbol:ident($($argument:ty),*);)* })*) => {$(
        $(#[$about])*
        #[allow(non_snake_case, reason = "the driver's names")]
        struct $table { $($symbol: unsafe extern "C" fn($($argument),*) -> c_int,)* }

        impl $table {
            fn load() -> Result<Self, NoDevice> {
                // SAFETY: each type is that of the function in cuda.h, except for the status (an enum of
                // non-negative numbers there, of the size of an int) and enums that are passed by value
                // (numbers here).
                Ok(Self { $($symbol: unsafe { find(concat!(stringify!($symbol), "\0"))? },)* })
            }
        }
    )*};
}

tables! {
    /// The functions that any driver has.
    Basic {
        cuInit(c_uint);
        cuDriverGetVersion(*mut c_int);
    }
    /// The functions that are needed.
    Driver {
        cuGetErrorName(c_int, *mut *const c_char);
        cuDeviceGetCount(*mut c_int);
        cuDeviceGet(*mut sys::CUdevice, c_int);
        cuDeviceGetName(*mut c_char, c_int, sys::CUdevice);
        cuDeviceGetAttribute(*mut c_int, c_uint, sys::CUdevice);
        cuDevicePrimaryCtxRetain(*mut sys::CUcontext, sys::CUdevice);
        cuCtxSetCurrent(sys::CUcontext);
        cuCtxSynchronize();
        cuModuleLoadDataEx(*mut sys::CUmodule, *const c_void, c_uint, *mut sys::CUjit_option, *mut *mut c_void);
        cuModuleUnload(sys::CUmodule);
        cuModuleGetFunction(*mut sys::CUfunction, sys::CUmodule, *const c_char);
        cuLaunchKernel(sys::CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, sys::CUstream,
            *mut *mut c_void, *mut *mut c_void);
        cuMemAlloc_v2(*mut sys::CUdeviceptr, usize);
        cuMemFree_v2(sys::CUdeviceptr);
        cuMemHostAlloc(*mut *mut c_void, usize, c_uint);
        cuMemHostGetDevicePointer_v2(*mut sys::CUdeviceptr, *mut c_void, c_uint);
        cuMemFreeHost(*mut c_void);
        cuMemcpyHtoD_v2(sys::CUdeviceptr, *const c_void, usize);
        cuMemcpyDtoH_v2(*mut c_void, sys::CUdeviceptr, usize);
        cuMemcpy3D_v2(*const sys::CUDA_MEMCPY3D);
        cuArray3DCreate_v2(*mut sys::CUarray, *const sys::CUDA_ARRAY3D_DESCRIPTOR);
        cuArrayDestroy(sys::CUarray);
        cuSurfObjectCreate(*mut sys::CUsurfObject, *const sys::CUDA_RESOURCE_DESC);
        cuSurfObjectDestroy(sys::CUsurfObject);
    }
    /// Surface references, which are deprecated.
    References {
        cuModuleGetSurfRef(*mut sys::CUsurfref, sys::CUmodule, *const c_char);
        cuSurfRefSetArray(sys::CUsurfref, sys::CUarray, c_uint);
    }
    /// Address management, which puts an unmapped page after a buffer.
    Addresses {
        cuMemGetAllocationGranularity(*mut usize, *const sys::CUmemAllocationProp, c_uint);
        cuMemAddressReserve(*mut sys::CUdeviceptr, usize, usize, sys::CUdeviceptr, u64);
        cuMemAddressFree(sys::CUdeviceptr, usize);
        cuMemCreate(*mut sys::CUmemGenericAllocationHandle, usize, *const sys::CUmemAllocationProp, u64);
        cuMemRelease(sys::CUmemGenericAllocationHandle);
        cuMemMap(sys::CUdeviceptr, usize, usize, sys::CUmemGenericAllocationHandle, u64);
        cuMemUnmap(sys::CUdeviceptr, usize);
        cuMemSetAccess(sys::CUdeviceptr, usize, *const sys::CUmemAccessDesc, usize);
    }
}

/// The function with this name, which ends in NUL.
///
/// # Safety
/// `F` must be a type of function pointers that fits the function.
unsafe fn find<F: Copy>(symbol: &str) -> Result<F, NoDevice> {
    // SAFETY: the library was found by `present` before; the type is the caller's promise.
    let found = unsafe { sys::culib().get::<F>(symbol.as_bytes()) };
    let name = symbol.trim_end_matches('\0');
    found.map(|found| *found).map_err(|_| NoDevice::Function(name.to_owned()))
}

/// True if the driver's library can be loaded.
fn present() -> bool {
    // Looking for a library runs its initializers, and some bindings panic without a library.
    let looked = std::panic::catch_unwind(|| {
        // SAFETY: the CUDA driver's initializers have no conditions; a library of the same name is
        // trusted as the dynamic linker's path is.
        unsafe { sys::is_culib_present() }
    });
    looked.unwrap_or(false)
}

/// A status that is not success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverFault {
    /// The driver's number.
    pub(super) code: i32,
    name: String,
}

/// `CUDA_ERROR_LAUNCH_FAILED (719)`
impl fmt::Display for DriverFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.code)
    }
}

impl From<DriverFault> for String {
    fn from(fault: DriverFault) -> Self {
        fault.to_string()
    }
}

/// The driver's status for having no device.
const NONE: c_int = 100;
/// The driver's status for success.
const SUCCESS: c_int = 0;

impl DriverFault {
    /// True if it ended the kernel and the context: every further call returns it again.
    pub(super) fn sticky(&self) -> bool {
        matches!(self.code, 226 | 700 | 702 | 710 | 714..=719 | 721)
    }
}

/// The oldest supported driver, as `cuDriverGetVersion` returns it.
pub(super) const OLDEST: c_int = 11_070;

/// A device and the driver's functions.
pub(super) struct Device {
    driver: Driver,
    references: Option<References>,
    addresses: Option<Addresses>,
    device: sys::CUdevice,
    /// As `cuDriverGetVersion` returns it: 13000 for 13.0.
    pub(super) version: i32,
    /// Major times ten and minor: 90.
    pub(super) capability: u16,
    /// Its name.
    pub(super) name: String,
}

impl Device {
    /// The first device. It has no context yet.
    ///
    /// # Errors
    /// If something is missing; says what to do about it.
    pub(super) fn open() -> Result<Self, NoDevice> {
        if !present() {
            return Err(NoDevice::Library);
        }
        let basic = Basic::load()?;
        // SAFETY: it takes no pointers.
        match unsafe { (basic.cuInit)(0) } {
            SUCCESS => {}
            code => return Err(NoDevice::Status(code)),
        }
        let mut version = 0;
        // SAFETY: the pointer is that of a number which it writes.
        let status = unsafe { (basic.cuDriverGetVersion)(&raw mut version) };
        if status != SUCCESS || version < OLDEST {
            return Err(NoDevice::Old(version));
        }
        let driver = Driver::load()?;
        let mut device = Self {
            driver,
            references: References::load().ok(),
            addresses: None,
            device: 0,
            version,
            capability: 0,
            name: String::new(),
        };
        let mut count = 0;
        // SAFETY: the pointers are those of numbers which they write.
        device.check(unsafe { (device.driver.cuDeviceGetCount)(&raw mut count) })?;
        if count < 1 {
            return Err(NoDevice::Status(NONE));
        }
        let mut first = 0;
        // SAFETY: as above; there is a device 0.
        device.check(unsafe { (device.driver.cuDeviceGet)(&raw mut first, 0) })?;
        device.device = first;
        device.describe()?;
        Ok(device)
    }

    fn describe(&mut self) -> Result<(), DriverFault> {
        use sys::CUdevice_attribute as Attribute;
        let mut name = [0u8; 256];
        // SAFETY: the name is written into a buffer of the length given, less the NUL at its end.
        self.check(unsafe { (self.driver.cuDeviceGetName)(name.as_mut_ptr().cast(), 255, self.device) })?;
        let name = CStr::from_bytes_until_nul(&name).must("the last byte of the name was left NUL");
        self.name = name.to_string_lossy().into_owned();
        let major = self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        // A driver that reports a negative one names no target, so the device has none of those that are known.
        self.capability = u16::try_from(major.saturating_mul(10).saturating_add(minor)).unwrap_or(0);
        let mapped = self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED);
        if mapped.is_ok_and(|mapped| mapped != 0) {
            self.addresses = Addresses::load().ok();
        }
        Ok(())
    }

    fn attribute(&self, attribute: sys::CUdevice_attribute) -> Result<i32, DriverFault> {
        let mut value = 0;
        // The bindings' numbers are those of the driver.
        let number = attribute as c_uint;
        // SAFETY: the pointer is that of a number which it writes.
        self.check(unsafe { (self.driver.cuDeviceGetAttribute)(&raw mut value, number, self.device) })?;
        Ok(value)
    }

    /// Makes the device's primary context current in this thread.
    pub(super) fn enter(&self) -> Result<(), DriverFault> {
        let mut context = ptr::null_mut();
        // SAFETY: the pointer is that of a handle which it writes; the device is one.
        self.check(unsafe { (self.driver.cuDevicePrimaryCtxRetain)(&raw mut context, self.device) })?;
        // SAFETY: the context was just retained, and is never released.
        self.check(unsafe { (self.driver.cuCtxSetCurrent)(context) })
    }

    /// Waits for all launches.
    pub(super) fn synchronize(&self) -> Result<(), DriverFault> {
        // SAFETY: it takes nothing.
        self.check(unsafe { (self.driver.cuCtxSynchronize)() })
    }

    fn check(&self, code: c_int) -> Result<(), DriverFault> {
        if code == SUCCESS { Ok(()) } else { Err(self.fault(code)) }
    }

    fn fault(&self, code: c_int) -> DriverFault {
        let mut name = ptr::null();
        // SAFETY: the pointer is that of a pointer which it writes; any number may be asked about.
        let status = unsafe { (self.driver.cuGetErrorName)(code, &raw mut name) };
        let name = if status != SUCCESS || name.is_null() {
            "an unknown status".to_owned()
        } else {
            // SAFETY: the driver answers a constant text that ends in NUL.
            unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
        };
        DriverFault { code, name }
    }
}

/// `13.0` for 13000.
pub(super) fn dotted(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}
