//! `ptx-conform engine`: for authors of engines.

use std::process::ExitCode;

use anyhow::bail;

use ptx_conform::engine::external::{Limits, check, no_kernels};

/// Engines of your own; docs/protocol.md says how to write one.
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Test whether an engine speaks the protocol
    ///
    /// Each line of the output is something that an engine has to do: `ok`, `skip` (it does not say
    /// that it can), or `FAIL` with what was sent, what came, and what should be.
    ///
    /// Exit codes: 0 it does all of it, 1 it does not, 2 it cannot be started.
    ///
    /// Example: ptx-conform engine check 'exec:python3 examples/judge.py'
    #[command(verbatim_doc_comment)]
    Check {
        /// `exec:` and the command line that starts it.
        engine: String,
    },
}

impl Opts {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            Command::Check { engine } => checked(&engine),
        }
    }
}

fn checked(engine: &str) -> anyhow::Result<ExitCode> {
    let Some(command) = engine.strip_prefix("exec:") else {
        bail!("`{engine}` is no engine that can be checked: write exec: and the command line that starts it");
    };
    let checks = check::check(command, Limits::default(), no_kernels)?;
    let mut failed = false;
    for check in &checks {
        match &check.found {
            check::Found::Ok => super::print(&format!("ok    {}\n", check.name))?,
            check::Found::Skipped(why) => super::print(&format!("skip  {}: {why}\n", check.name))?,
            check::Found::Wrong(what) => {
                failed = true;
                super::print(&format!("FAIL  {}: {what}\n", check.name))?;
            }
        }
    }
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}
