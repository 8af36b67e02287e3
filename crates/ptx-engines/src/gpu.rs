//! `gpu`: the driver and a GPU, in processes of its own, behind the engine protocol.
//!
//! Three processes: whoever asks; the server, which speaks the protocol and never calls the driver;
//! and a worker, which does, and which a trap kills: the context that a kernel ended is dead, and no
//! reset is to be relied on. The server then starts another worker and goes on with the next row.
//!
//! The driver is loaded at run time: without one this builds and runs, and says what is missing.

mod about;
mod assemble;
mod crew;
mod driver;
mod messages;
mod server;
mod worker;

use std::io::{self, BufRead, Write};
use std::time::Duration;

use ptx_spec::spec::Isa;

use crate::protocol::About;

/// How long things may take before the process that does them is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchLimits {
    /// A launch.
    pub launch: Duration,
    /// Anything else: to find the device, to load a module, to judge a line.
    pub other: Duration,
}

impl Default for LaunchLimits {
    /// Half a minute, and two minutes.
    fn default() -> Self {
        Self { launch: Duration::from_secs(30), other: Duration::from_secs(120) }
    }
}

/// What the engine would say of itself on this machine. This asks the driver, in this process.
///
/// # Errors
/// What is missing, and what to do about it.
pub fn probe(isa: &Isa) -> Result<About, String> {
    // The bindings panic where they do not find what they look for.
    let device = std::panic::catch_unwind(driver::Device::open);
    let device = device.unwrap_or_else(|_| Err("the CUDA driver does not answer".to_owned()));
    device.map(|device| about::DeviceFacts::of(&device).about(isa)).map_err(|missing| format!("gpu: {missing}"))
}

/// Speaks the engine protocol until `input` ends. The program that runs must be `ptx-conform`: the
/// workers are processes of it.
///
/// # Errors
/// Where there is no device, or the conversation cannot go on: why.
pub fn serve(isa: &Isa, input: impl BufRead, output: impl Write, limits: LaunchLimits) -> Result<(), String> {
    server::serve(isa, input, output, limits).map_err(|why| format!("gpu: {why}"))
}

/// Does what a server says on stdin, until that ends; then the process ends.
///
/// # Errors
/// Where the server cannot be understood or reached.
pub fn work() -> io::Result<()> {
    worker::work()
}
