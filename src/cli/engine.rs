//! `ptx-conform engine`: checks and serves engines that run as separate processes.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};

use ptx_conform::engine::external::{EngineLimits, check};
use ptx_conform::engine::ptxas::{self, Ptxas};
use ptx_conform::engine::{gpu, reference, toolchain};

/// Check your own engine, or serve a built-in one; docs/protocol.md describes the protocol.
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    #[command(subcommand)]
    command: EngineCommand,
}

#[derive(Debug, clap::Subcommand)]
enum EngineCommand {
    /// Test whether an engine speaks the protocol
    ///
    /// Each line of the output is one check: `ok`, `skip` (the engine does not announce the ability), or
    /// `FAIL` with what was sent, what the engine answered, and what was expected.
    ///
    /// Exit codes: 0 all checks passed, 1 some failed, 2 the engine cannot be started.
    ///
    /// Example: ptx-conform engine check 'exec:python3 examples/judge.py'
    #[command(verbatim_doc_comment)]
    Check {
        /// `exec:` and the command line that starts the engine; or `gpu`, `sass-gpu@VERSION`, or `model`.
        engine: String,
    },
    /// Run a built-in engine that speaks the protocol on standard input and output.
    Serve(Serve),
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        match self.command {
            EngineCommand::Check { engine } => checked(&engine, specs),
            EngineCommand::Serve(opts) => opts.run(specs),
        }
    }
}

/// The command line that starts a built-in engine with the same specification.
pub(crate) fn own(engine: &str, specs: Option<&Path>) -> anyhow::Result<String> {
    let program = std::env::current_exe()?;
    let mut words = vec![program.to_str().context("the path of this program is not text")?];
    if let Some(specs) = specs {
        words.extend(["--specs", specs.to_str().context("the path of the specification is not text")?]);
    }
    words.extend(["engine", "serve", engine]);
    Ok(shlex::try_join(words)?)
}

/// The name of the engine that executes the machine code of a `ptxas` on the GPU.
pub(crate) const ON_DEVICE: &str = "sass-gpu";

/// The command line that starts the engine which executes the machine code of a `ptxas` on the GPU.
pub(crate) fn own_on_device(assembler: &Path, specs: Option<&Path>) -> anyhow::Result<String> {
    let path = assembler.to_str().context("the path of the ptxas is not text")?;
    Ok(format!("{} --ptxas {}", own("gpu", specs)?, shlex::try_quote(path)?))
}

/// The limits of a built-in engine. A GPU may compile modules and restart after each trap, and has its own
/// limits for hanging launches.
pub(crate) fn limits(engine: &str) -> EngineLimits {
    match engine {
        "gpu" => {
            let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
            EngineLimits { start: minutes(2), request: minutes(10), patience: minutes(30), ..EngineLimits::default() }
        }
        _ => EngineLimits::default(),
    }
}

fn checked(engine: &str, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
    let (command, like) = match (engine.split_once(':'), engine.split_once('@')) {
        (Some(("exec", command)), _) => (command.to_owned(), engine),
        (_, Some((ON_DEVICE, version))) => (own_on_device(&toolchain::find(version)?.path, specs)?, "gpu"),
        _ if engine == "gpu" || engine == "model" => (own(engine, specs)?, engine),
        _ => bail!(
            "`{engine}` cannot be checked: write gpu, sass-gpu@VERSION, model, or exec: and the command line that starts the \
             engine"
        ),
    };
    let checks = check::check(&command, limits(like))?;
    let mut failed = false;
    for check in &checks {
        match &check.found {
            check::CheckOutcome::Ok => super::output::print(&format!("ok    {}\n", check.name))?,
            check::CheckOutcome::Skipped(why) => super::output::print(&format!("skip  {}: {why}\n", check.name))?,
            check::CheckOutcome::Wrong(what) => {
                failed = true;
                super::output::print(&format!("FAIL  {}: {what}\n", check.name))?;
            }
        }
    }
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

#[derive(Debug, clap::Args)]
struct Serve {
    #[command(subcommand)]
    engine: ServedEngine,
}

#[derive(Debug, clap::Subcommand)]
enum ServedEngine {
    /// The CUDA driver and a GPU.
    Gpu {
        /// Time limit of a launch.
        #[arg(long, value_name = "SECONDS", default_value_t = 30.0)]
        timeout: f64,
        /// Execute the machine code of this ptxas, as the engine `sass-gpu`, and judge nothing.
        #[arg(long, value_name = "PATH")]
        ptxas: Option<PathBuf>,
        /// Run as the process that calls the driver.
        #[arg(long, hide = true)]
        worker: bool,
    },
    /// The specification and the reference model.
    Model,
    /// A ptxas: it judges lines and executes nothing.
    Ptxas {
        /// Its version, such as 13.5, or its path; the newest found by default.
        version: Option<String>,
    },
}

impl Serve {
    fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        match self.engine {
            ServedEngine::Gpu { worker: true, .. } => gpu::work()?,
            ServedEngine::Gpu { timeout, ptxas, worker: false } => {
                let launch = Duration::try_from_secs_f64(timeout)?;
                let limits = gpu::LaunchLimits { launch, ..gpu::LaunchLimits::default() };
                let isa = super::load::load_isa(specs)?;
                let assembler = ptxas.map(|path| Ptxas::open(&path)).transpose()?;
                gpu::serve(&isa, io::stdin().lock(), io::stdout().lock(), limits, assembler.as_ref()).context("gpu")?;
            }
            ServedEngine::Model => {
                let spec = super::load::load_spec(specs)?;
                reference::serve(&spec, io::stdin().lock(), io::stdout().lock())?;
            }
            ServedEngine::Ptxas { version } => {
                let path = match version {
                    None => toolchain::discover(None)?,
                    Some(path) if path.contains(std::path::MAIN_SEPARATOR) => path.into(),
                    Some(version) => toolchain::find(&version)?.path,
                };
                let ptxas = Ptxas::open(&path)?;
                ptxas::serve(&ptxas, io::stdin().lock(), io::stdout().lock())?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
