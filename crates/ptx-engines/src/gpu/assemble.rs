//! Modules as binaries, made once by `ptxas` so that not every worker has to compile them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use crate::child::{self, Allowance, End};
use crate::words::visible;
use ptx_spec::environment::Target;

/// A binary in its own temporary directory.
pub(super) struct AssembledModule {
    path: PathBuf,
    _directory: TempDir,
}

/// The most that the assembler may use.
const ALLOWANCE: Allowance = Allowance { time: Duration::from_secs(120), output: 64 << 20, address_space: None };

impl AssembledModule {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// The module as a binary for a target.
///
/// # Errors
/// If the module cannot be assembled; says why.
pub(super) fn assemble(ptxas: &Path, module: &str, target: Target) -> Result<AssembledModule, String> {
    let words = |error: std::io::Error| error.to_string();
    let directory = tempfile::Builder::new().prefix("ptx-conform-").tempdir().map_err(words)?;
    let file = |name: &str| directory.path().join(name);
    let path = file("x.cubin");
    std::fs::write(file("x.ptx"), module).map_err(words)?;
    let mut command = Command::new(ptxas);
    command.args(["-arch", &target.to_string(), "x.ptx", "-o", "x.cubin"]).current_dir(directory.path());
    let run = child::run(command, &file("output"), &ALLOWANCE);
    let (end, printed) = run.map_err(|error| format!("{}: {error}", ptxas.display()))?;
    let printed = String::from_utf8_lossy(&printed);
    let first = printed.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    match end {
        End::Exited(0) if path.is_file() => {}
        End::Exited(status) => return Err(format!("it ended with status {status}: {}", visible(first))),
        End::Signal(signal) => return Err(format!("signal {signal}")),
        End::Flooded | End::OutOfMemory => return Err("it used too much memory or output".to_owned()),
        End::OutOfTime | End::Interrupted => return Err("timed out".to_owned()),
    }
    Ok(AssembledModule { path, _directory: directory })
}
