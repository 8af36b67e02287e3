//! `ptx-conform toolchain`: the versions of `ptxas` on this machine.

use std::fmt::Write as _;
use std::process::ExitCode;

use ptx_conform::engine::ptxas::Ptxas;
use ptx_conform::engine::toolchain::{self, Installed};

/// Install and list versions of ptxas.
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    #[command(subcommand)]
    command: ToolchainCommand,
}

#[derive(Debug, clap::Subcommand)]
enum ToolchainCommand {
    /// Download versions of ptxas, and of the disassembler of its machine code, from NVIDIA's Python packages into
    /// your cache directory.
    ///
    /// NVIDIA's licence is proprietary: use the binaries on this machine, and do not redistribute them.
    ///
    /// Example: ptx-conform toolchain install 13.5 11.8
    Install {
        /// Versions: `13.5` is the newest 13.5.*, `13.5.37` exactly that one.
        #[arg(required = true, value_name = "VERSION")]
        versions: Vec<String>,
    },
    /// List the versions of ptxas that were installed or found on this machine.
    ///
    /// Example: ptx-conform toolchain list
    List,
}

impl Opts {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            ToolchainCommand::Install { versions } => install(&versions),
            ToolchainCommand::List => list(),
        }
    }
}

fn install(versions: &[String]) -> anyhow::Result<ExitCode> {
    let mut failed = false;
    for version in versions {
        // If one version cannot be installed, the others still can.
        match toolchain::install(version) {
            Ok(installed) => {
                let Installed { version, path } = &installed;
                super::output::print(&format!("{version}  {}\n", path.display()))?;
                // Only the engine `sass` needs it.
                if let Err(error) = toolchain::install_disassembler(&installed) {
                    super::output::say(&format!("warning: the disassembler of {version} is missing: {error}"));
                }
            }
            Err(error) => {
                super::output::say(&format!("error: {error}"));
                failed = true;
            }
        }
    }
    Ok(if failed { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

fn list() -> anyhow::Result<ExitCode> {
    let installed = toolchain::installed();
    let all = toolchain::all();
    if all.is_empty() {
        return Err(toolchain::Error::None.into());
    }
    let mut text = format!("{:<11} {:<11} {:<10} path\n", "version", "newest PTX", "from");
    for toolchain in &all {
        let newest = match Ptxas::open(&toolchain.path) {
            Ok(ptxas) => ptxas.newest_ptx().to_string(),
            Err(error) => {
                super::output::say(&format!("warning: {error}"));
                "unusable".to_owned()
            }
        };
        let from = if installed.contains(toolchain) { "installed" } else { "found" };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{:<11} {newest:<11} {from:<10} {}", toolchain.version, toolchain.path.display());
    }
    super::output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
