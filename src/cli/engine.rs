//! `ptx-conform engine`: engines in processes of their own.

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use ptx_conform::engine::gpu;

/// Engines in processes of their own.
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Be an engine: speak the engine protocol on stdin and stdout.
    #[command(hide = true)]
    Serve(Serve),
}

impl Opts {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            Command::Serve(opts) => opts.run(),
        }
    }
}

#[derive(Debug, clap::Args)]
struct Serve {
    #[command(subcommand)]
    engine: Served,
}

#[derive(Debug, clap::Subcommand)]
enum Served {
    /// The CUDA driver and a GPU.
    Gpu {
        /// Seconds that a launch may take.
        #[arg(long, value_name = "SECONDS", default_value_t = 30.0)]
        timeout: f64,
        /// Be the process that calls the driver.
        #[arg(long, hide = true)]
        worker: bool,
    },
}

impl Serve {
    fn run(self) -> anyhow::Result<ExitCode> {
        match self.engine {
            Served::Gpu { worker: true, .. } => gpu::work()?,
            Served::Gpu { timeout, worker: false } => {
                let launch = Duration::try_from_secs_f64(timeout)?;
                let limits = gpu::Limits { launch, ..gpu::Limits::default() };
                gpu::serve(io::stdin().lock(), io::stdout().lock(), limits).map_err(anyhow::Error::msg)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
