//! The reasons why there is no GPU to ask, or why it can be asked no more.

use super::driver::{DriverFault, OLDEST, dotted};

/// The reason why there is no device.
#[derive(Debug, thiserror::Error)]
pub enum NoDevice {
    /// The driver's library is not there.
    #[error("no CUDA driver: libcuda.so.1 is not found; install the driver of an NVIDIA GPU")]
    Library,
    /// The driver lacks a function.
    #[error("the CUDA driver lacks {0}: install a newer driver")]
    Function(String),
    /// The driver panics.
    #[error("the CUDA driver does not answer")]
    Silent,
    /// The driver does not start; has its status.
    #[error("{}", advice(*.0))]
    Status(i32),
    /// The driver is too old; has its CUDA version: 11060 for 11.6.
    #[error("the CUDA driver is too old (CUDA {}): install a driver for CUDA {} or newer", dotted(*.0), dotted(OLDEST))]
    Old(i32),
    /// A function of the driver fails.
    #[error("{0}")]
    Fault(DriverFault),
    /// The device has no context.
    #[error("the device cannot create a context: {0}")]
    Context(DriverFault),
}

impl From<DriverFault> for NoDevice {
    fn from(fault: DriverFault) -> Self {
        Self::Fault(fault)
    }
}

/// A message for a status of `cuInit` that says what to do.
fn advice(status: i32) -> String {
    match status {
        34 => "libcuda.so is a toolkit's stub (CUDA_ERROR_STUB_LIBRARY): remove its directory from LD_LIBRARY_PATH"
            .to_owned(),
        100 => "the CUDA driver finds no device (CUDA_ERROR_NO_DEVICE): check nvidia-smi and CUDA_VISIBLE_DEVICES"
            .to_owned(),
        803 => "the CUDA library and the kernel module are of different drivers \
            (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH): restart the machine or reinstall the driver"
            .to_owned(),
        999 => "the CUDA driver does not start (CUDA_ERROR_UNKNOWN): check nvidia-smi".to_owned(),
        _ => format!("the CUDA driver does not start (status {status}): check nvidia-smi"),
    }
}

/// The reason why the server cannot answer a request.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GpuError {
    /// No worker can be started.
    #[error("no worker can be started: {0}")]
    Start(#[source] std::io::Error),
    /// The worker found no device, or the driver refuses the module; in the worker's words.
    #[error("{0}")]
    Worker(String),
    /// The worker answered something else.
    #[error("the worker sent {0} while it looked for a device")]
    Sent(String),
    /// The worker ended.
    #[error("the worker died while it looked for a device: {0}")]
    Died(String),
    /// The worker was killed.
    #[error("the driver did not return while the worker looked for a device")]
    Hung,
    /// A request comes before `hello`.
    #[error("there is no device yet")]
    NoDevice,
    /// The worker answered something else to a line.
    #[error("the worker answered {0} to a line")]
    LineAnswer(String),
    /// The driver died.
    #[error("the driver died on line {line}: {how}")]
    LineDeath {
        /// The number of the line, from 0.
        line: usize,
        /// How it died.
        how: String,
    },
    /// The driver was killed on the line with this number.
    #[error("the driver did not return from line {0}")]
    LineHung(usize),
    /// A request to execute has no text.
    #[error("the request has kernels but no module")]
    NoModule,
    /// A module to launch does not name its target.
    #[error("the module has no `.target`")]
    NoTarget,
    /// The assembler makes no binary of a module with several cases.
    #[error("the module has no binary: {0}")]
    Assembler(String),
    /// The driver does not have what the module needs; in the worker's words.
    #[error("{0}")]
    Unsupported(String),
    /// The worker cannot load the module.
    #[error("the module cannot be loaded: {0}")]
    Load(String),
    /// A case is not of the request.
    #[error("there is no such case")]
    NoCase,
}
