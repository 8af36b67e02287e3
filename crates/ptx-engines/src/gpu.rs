//! `gpu`: the CUDA driver and a GPU, in child processes that speak the engine protocol.
//!
//! There are three processes: the asking one; the server, which speaks the protocol and never calls the
//! driver; and a worker, which calls the driver. A trap kills the worker, because its context is dead and
//! no reset is reliable. The server then starts another worker and continues with the next row.
//!
//! The driver is loaded at run time: without one this builds and runs, and says what is missing.

mod about;
mod assemble;
mod crew;
mod driver;
mod error;
mod launches;
mod messages;
mod server;
mod worker;

use std::io;
use std::time::Duration;

use ptx_spec::spec::Isa;

use crate::protocol::About;

pub use driver::DriverFault;
pub use error::NoDevice;
pub use server::serve;

/// Time limits after which a process is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchLimits {
    /// A launch.
    pub launch: Duration,
    /// Anything else: finding the device, loading a module, judging a line.
    pub other: Duration,
}

impl Default for LaunchLimits {
    /// Half a minute for a launch, two minutes for anything else.
    fn default() -> Self {
        Self { launch: Duration::from_secs(30), other: Duration::from_secs(120) }
    }
}

/// The answer of the engine to `hello` on this machine. This calls the driver in this process.
///
/// # Errors
/// If something is missing; says what to do about it.
pub fn probe(isa: &Isa) -> Result<About, NoDevice> {
    // The bindings panic if a symbol is missing.
    let device = std::panic::catch_unwind(driver::Device::open).unwrap_or(Err(NoDevice::Silent));
    device.map(|device| about::DeviceFacts::of(&device).about(isa, None))
}

/// Carries out the server's orders on stdin until that ends, then exits the process.
///
/// # Errors
/// If the server's orders cannot be understood, or it cannot be reached.
pub fn work() -> io::Result<()> {
    worker::work()
}
