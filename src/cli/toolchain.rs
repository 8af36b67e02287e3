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
    /// `all` are all that are published, from 11.7 on, newest first: each is an error line if it cannot be installed, and
    /// the others are. A disassembler of its own has each release from 13.2 on; older ones share the newest.
    ///
    /// NVIDIA's licence is proprietary: use the binaries on this machine, and do not redistribute them.
    ///
    /// Exit codes: 0 all installed, 2 one could not be installed.
    ///
    /// Example: ptx-conform toolchain install 13.5 11.8
    Install {
        /// Versions: `13.5.37` is exactly that one, `13.5` the newest 13.5.*, `13` the newest 13.*, and `all` every one,
        /// update releases too.
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

/// The word for every version that is published.
const ALL: &str = "all";

fn install(requests: &[String]) -> anyhow::Result<ExitCode> {
    let mut versions: Vec<String> = Vec::new();
    for request in requests {
        match request.as_str() {
            ALL => versions.extend(toolchain::published()?),
            _ => versions.push(request.clone()),
        }
    }
    let mut failed = false;
    for (number, version) in versions.iter().enumerate() {
        if versions.len() > 1 {
            super::output::say(&format!("{} of {}: {version}", number + 1, versions.len()));
        }
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
                let which = if versions.len() > 1 { format!("{version}: ") } else { String::new() };
                super::output::say(&format!("error: {which}{error}"));
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
