//! Modules, their entries, and launches.

use std::ffi::{CString, c_uint, c_void};
use std::ptr;
use std::rc::Rc;

use cudarc::driver::sys;
use sys::CUjit_option as Jit;

use super::{Array, Device, DriverFault};

/// A loaded module. It is unloaded when neither it nor any of its functions is in use.
#[derive(Clone)]
pub(crate) struct LoadedModule(Rc<Loaded>);

struct Loaded {
    device: &'static Device,
    module: sys::CUmodule,
}

/// An entry of a module.
pub(crate) struct Function {
    module: LoadedModule,
    function: sys::CUfunction,
}

/// The reason why a module is not loaded.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    /// The status.
    pub(crate) fault: DriverFault,
    /// The text that the compiler in the driver printed.
    pub(crate) log: String,
}

/// How many bytes of the compiler's messages are kept.
const LOG: usize = 256 << 10;

impl LoadedModule {
    /// Loads PTX text, through the compiler in the driver, or a binary.
    pub(crate) fn load(device: &'static Device, image: &[u8]) -> Result<Self, Refused> {
        // PTX ends in NUL; after a binary it does no harm.
        let image = [image, &[0]].concat();
        let mut log = vec![0u8; LOG];
        let mut options = [Jit::CU_JIT_ERROR_LOG_BUFFER, Jit::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        // Numbers are stored in the pointer slots themselves.
        let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), ptr::without_provenance_mut(LOG - 1)];
        let mut module = ptr::null_mut();
        // SAFETY: the image ends in NUL; there are two options, each with its value; the log has the length
        // given, and a NUL after it; all of them outlive the call.
        let status = unsafe {
            (device.driver.cuModuleLoadDataEx)(
                &raw mut module,
                image.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        match device.check(status) {
            Ok(()) => Ok(Self(Rc::new(Loaded { device, module }))),
            Err(fault) => {
                let end = log.iter().position(|&byte| byte == 0).unwrap_or(LOG);
                Err(Refused { fault, log: String::from_utf8_lossy(&log[..end]).into_owned() })
            }
        }
    }

    /// The entry with this name.
    pub(crate) fn function(&self, name: &str) -> Result<Function, String> {
        let Loaded { device, module } = *self.0;
        let text = CString::new(name).map_err(|_| format!("`{name}` is not the name of an entry"))?;
        let mut function = ptr::null_mut();
        // SAFETY: the pointer is that of a handle which it writes, the name ends in NUL.
        let status = unsafe { (device.driver.cuModuleGetFunction)(&raw mut function, module, text.as_ptr()) };
        device.check(status).map_err(|fault| format!("the module's entry `{name}`: {fault}"))?;
        Ok(Function { module: self.clone(), function })
    }

    /// Binds a `.surfref` variable to a surface, which must live until it is bound to another one.
    pub(crate) fn bind(&self, variable: &str, surface: &Array) -> Result<(), String> {
        let Loaded { device, module } = *self.0;
        let references = device.references.as_ref().ok_or("the CUDA driver no longer has surface references")?;
        let name = CString::new(variable).map_err(|_| format!("`{variable}` is not the name of a variable"))?;
        let mut reference = ptr::null_mut();
        // SAFETY: the pointer is that of a handle which the first writes, the name ends in NUL; the
        // array is alive.
        let bound = unsafe {
            device
                .check((references.cuModuleGetSurfRef)(&raw mut reference, module, name.as_ptr()))
                .and_then(|()| device.check((references.cuSurfRefSetArray)(reference, surface.array(), 0)))
        };
        bound.map_err(|fault| format!("the surface of `{variable}`: {fault}"))
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: it was loaded, nobody has a function of it any more, and the caller waited for every
        // launch. A dead context refuses, which does no harm.
        unsafe { (self.device.driver.cuModuleUnload)(self.module) };
    }
}

/// The parameters of an entry, as a launch takes them.
///
/// Only the entry knows how large they are. The driver reads at most what an entry can have, so that many
/// bytes are readable after each parameter, and that many parameters exist.
pub(crate) struct Parameters {
    values: Vec<Vec<u8>>,
    rest: Vec<u8>,
}

/// The most bytes of parameters that an entry can have. PTX ISA `kernel-function-parameters`.
const MOST: usize = 32_764;

impl Parameters {
    /// Parameters with these bytes.
    pub(crate) fn new(values: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let padded = values.into_iter().map(|mut value| {
            value.resize(value.len() + MOST, 0);
            value
        });
        Self { values: padded.collect(), rest: vec![0; MOST] }
    }

    /// Changes the first bytes of a parameter.
    pub(crate) fn set(&mut self, at: usize, bytes: &[u8]) {
        if let Some(place) = self.values.get_mut(at).and_then(|value| value.get_mut(..bytes.len())) {
            place.copy_from_slice(bytes);
        }
    }
}

impl Function {
    /// Launches a grid of blocks of threads.
    pub(crate) fn launch(
        &self,
        blocks: [u32; 3],
        threads: [u32; 3],
        parameters: &mut Parameters,
    ) -> Result<(), DriverFault> {
        let device = self.module.0.device;
        let mut values: Vec<*mut c_void> =
            parameters.values.iter_mut().map(|value| value.as_mut_ptr().cast()).collect();
        let count = values.len();
        // A parameter has at least one byte.
        values.resize(count + MOST, parameters.rest.as_mut_ptr().cast());
        let ([width, height, depth], [x, y, z]): ([c_uint; 3], [c_uint; 3]) = (blocks, threads);
        // SAFETY: the function is that of a module that is loaded; the driver copies the parameters before
        // it returns, and can read as many and as much as an entry can have. The kernel may write outside
        // its buffers on the device, which is why this process has nothing to lose.
        device.check(unsafe {
            (device.driver.cuLaunchKernel)(
                self.function,
                width,
                height,
                depth,
                x,
                y,
                z,
                0,
                ptr::null_mut(),
                values.as_mut_ptr(),
                ptr::null_mut(),
            )
        })
    }
}
