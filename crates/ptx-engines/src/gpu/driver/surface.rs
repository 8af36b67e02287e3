//! Surfaces: CUDA arrays, and the objects that name them.

use std::ffi::c_uint;
use std::ptr;

use cudarc::driver::sys;
use sys::CUarray_format as Ad;

use ptx_exec::object::{Component, Format, Geometry, Surface};
use ptx_spec::must::Must as _;

use super::{Device, DriverFault};

/// A surface's extents in bytes and rows, with data of that size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extents<'s> {
    surface: &'s Surface,
    pitch: usize,
    rows: usize,
    slices: usize,
}

impl<'s> Extents<'s> {
    /// The extents of a surface.
    ///
    /// # Errors
    /// If its sizes and its data do not fit.
    pub(crate) fn of(surface: &'s Surface) -> Result<Self, String> {
        let wide = |extent: u32| usize::try_from(extent).must("a host with a GPU has addresses of 64 bits");
        let pitch = wide(surface.width).saturating_mul(wide(surface.format.bytes()));
        let (rows, slices) = (wide(surface.rows()), wide(surface.slices()));
        // The arithmetic of surfaces uses 32 bits.
        let size = pitch.saturating_mul(rows).saturating_mul(slices);
        if pitch > wide(u32::MAX) || size != surface.data.len() {
            return Err(format!("the surface has {size} bytes, but its data has {}", surface.data.len()));
        }
        surface.check()?;
        Ok(Self { surface, pitch, rows, slices })
    }
}

/// An array with the contents of a surface, and an object that names it.
pub(crate) struct Array {
    device: &'static Device,
    array: sys::CUarray,
    object: Option<sys::CUsurfObject>,
    pitch: usize,
    rows: usize,
    slices: usize,
}

/// The direction in which a surface is copied.
enum Way<'d> {
    In(&'d [u8]),
    Out(&'d mut [u8]),
}

impl Array {
    /// A new array with the contents of the surface.
    pub(crate) fn new(device: &'static Device, extents: Extents<'_>) -> Result<Self, DriverFault> {
        let Extents { surface, pitch, rows, slices } = extents;
        let wide = |extent: u32| usize::try_from(extent).must("a host with a GPU has addresses of 64 bits");
        let layered = surface.geometry.layered();
        let descriptor = sys::CUDA_ARRAY3D_DESCRIPTOR {
            Width: wide(surface.width),
            Height: if surface.geometry.dimensions() >= 2 { wide(surface.height) } else { 0 },
            Depth: if layered || surface.geometry == Geometry::D3 { slices } else { 0 },
            Format: format(surface.format),
            NumChannels: c_uint::from(surface.format.channels),
            Flags: sys::CUDA_ARRAY3D_SURFACE_LDST | if layered { sys::CUDA_ARRAY3D_LAYERED } else { 0 },
        };
        let mut array = ptr::null_mut();
        // SAFETY: the pointers are those of a handle which it writes and of a descriptor.
        device.check(unsafe { (device.driver.cuArray3DCreate_v2)(&raw mut array, &raw const descriptor) })?;
        let mut copy = Self { device, array, object: None, pitch, rows, slices };
        copy.copy(Way::In(&surface.data))?;
        let resource = sys::CUDA_RESOURCE_DESC {
            resType: sys::CUresourcetype::CU_RESOURCE_TYPE_ARRAY,
            // The widest member of the union comes first, so that all bytes are set.
            res: {
                let mut union = sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1 { reserved: Reserved { reserved: [0; 32] } };
                union.array = sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 { hArray: array };
                union
            },
            flags: 0,
        };
        let mut object = 0;
        // SAFETY: the pointers are those of a handle which it writes and of a description of an array
        // that is alive.
        device.check(unsafe { (device.driver.cuSurfObjectCreate)(&raw mut object, &raw const resource) })?;
        copy.object = Some(object);
        Ok(copy)
    }

    /// The handle that names it.
    pub(crate) fn handle(&self) -> u64 {
        self.object.must("an array is made with its surface object")
    }

    /// Its contents.
    pub(crate) fn read(&self) -> Result<Vec<u8>, DriverFault> {
        let mut data = vec![0; self.pitch * self.rows * self.slices];
        self.copy(Way::Out(&mut data))?;
        Ok(data)
    }

    pub(super) fn array(&self) -> sys::CUarray {
        self.array
    }

    fn copy(&self, way: Way<'_>) -> Result<(), DriverFault> {
        use sys::CUmemorytype::{CU_MEMORYTYPE_ARRAY as ARRAY, CU_MEMORYTYPE_HOST as HOST};
        let (array, none) = (self.array, ptr::null_mut());
        let (src, dst, from, to) = match way {
            Way::In(data) => (HOST, ARRAY, data.as_ptr(), ptr::null_mut()),
            Way::Out(data) => (ARRAY, HOST, ptr::null(), data.as_mut_ptr()),
        };
        let inward = src == HOST;
        let (pitch, height) = (self.pitch, self.rows);
        let copy = sys::CUDA_MEMCPY3D {
            srcXInBytes: 0,
            srcY: 0,
            srcZ: 0,
            srcLOD: 0,
            srcMemoryType: src,
            srcHost: from.cast(),
            srcDevice: 0,
            srcArray: if inward { ptr::null_mut() } else { array },
            reserved0: none,
            srcPitch: if inward { pitch } else { 0 },
            srcHeight: if inward { height } else { 0 },
            dstXInBytes: 0,
            dstY: 0,
            dstZ: 0,
            dstLOD: 0,
            dstMemoryType: dst,
            dstHost: to.cast(),
            dstDevice: 0,
            dstArray: if inward { array } else { ptr::null_mut() },
            reserved1: none,
            dstPitch: if inward { 0 } else { pitch },
            dstHeight: if inward { 0 } else { height },
            WidthInBytes: pitch,
            Height: height,
            Depth: self.slices,
        };
        // SAFETY: the host memory has pitch times rows times slices bytes: `Extents` checked what is copied
        // in, `read` makes what is copied out. The array has the same extents.
        self.device.check(unsafe { (self.device.driver.cuMemcpy3D_v2)(&raw const copy) })
    }
}

type Reserved = sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5;

impl Drop for Array {
    fn drop(&mut self) {
        // SAFETY: these are what `new` made, the object first as it names the array; the caller
        // waited for every launch. A dead context refuses, which does no harm.
        unsafe {
            if let Some(object) = self.object {
                (self.device.driver.cuSurfObjectDestroy)(object);
            }
            (self.device.driver.cuArrayDestroy)(self.array);
        }
    }
}

/// The driver's constant for a format. Those of normalised integers include the number of channels.
fn format(format: Format) -> Ad {
    use Component::{Float, Signed, Snorm, Unorm, Unsigned};
    match (format.component, format.channels) {
        (Unsigned(8), _) => Ad::CU_AD_FORMAT_UNSIGNED_INT8,
        (Unsigned(16), _) => Ad::CU_AD_FORMAT_UNSIGNED_INT16,
        (Unsigned(_), _) => Ad::CU_AD_FORMAT_UNSIGNED_INT32,
        (Signed(8), _) => Ad::CU_AD_FORMAT_SIGNED_INT8,
        (Signed(16), _) => Ad::CU_AD_FORMAT_SIGNED_INT16,
        (Signed(_), _) => Ad::CU_AD_FORMAT_SIGNED_INT32,
        (Float(16), _) => Ad::CU_AD_FORMAT_HALF,
        (Float(_), _) => Ad::CU_AD_FORMAT_FLOAT,
        (Unorm(8), 1) => Ad::CU_AD_FORMAT_UNORM_INT8X1,
        (Unorm(8), 2) => Ad::CU_AD_FORMAT_UNORM_INT8X2,
        (Unorm(8), _) => Ad::CU_AD_FORMAT_UNORM_INT8X4,
        (Unorm(_), 1) => Ad::CU_AD_FORMAT_UNORM_INT16X1,
        (Unorm(_), 2) => Ad::CU_AD_FORMAT_UNORM_INT16X2,
        (Unorm(_), _) => Ad::CU_AD_FORMAT_UNORM_INT16X4,
        (Snorm(8), 1) => Ad::CU_AD_FORMAT_SNORM_INT8X1,
        (Snorm(8), 2) => Ad::CU_AD_FORMAT_SNORM_INT8X2,
        (Snorm(8), _) => Ad::CU_AD_FORMAT_SNORM_INT8X4,
        (Snorm(_), 1) => Ad::CU_AD_FORMAT_SNORM_INT16X1,
        (Snorm(_), 2) => Ad::CU_AD_FORMAT_SNORM_INT16X2,
        (Snorm(_), _) => Ad::CU_AD_FORMAT_SNORM_INT16X4,
    }
}
