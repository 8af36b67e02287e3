//! Modules as binaries, made once by `ptxas` where each worker would compile them.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use wait_timeout::ChildExt as _;

use ptx_spec::environment::Target;

/// A binary in a directory of its own, which goes with it.
pub(super) struct Binary {
    path: PathBuf,
    _directory: TempDir,
}

/// What the assembler may take.
const LIMIT: Duration = Duration::from_secs(120);

impl Binary {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// The module as a binary for a target.
///
/// # Errors
/// Why there is none.
pub(super) fn assemble(ptxas: &Path, module: &str, target: Target) -> Result<Binary, String> {
    let words = |error: std::io::Error| error.to_string();
    let directory = tempfile::Builder::new().prefix("ptx-conform-").tempdir().map_err(words)?;
    let file = |name: &str| directory.path().join(name);
    let (path, printed) = (file("x.cubin"), file("output"));
    std::fs::write(file("x.ptx"), module).map_err(words)?;
    let sink = File::create(&printed).map_err(words)?;
    let mut command = Command::new(ptxas);
    command.args(["-arch", &target.to_string(), "x.ptx", "-o", "x.cubin"]).current_dir(directory.path());
    command.stdin(Stdio::null()).stdout(sink.try_clone().map_err(words)?).stderr(sink);
    let mut child = command.spawn().map_err(|error| format!("{}: {error}", ptxas.display()))?;
    let status = child.wait_timeout(LIMIT).map_err(words)?;
    let Some(status) = status else {
        // It may have ended meanwhile; it is waited for in any case.
        let _ = child.kill();
        let _ = child.wait();
        return Err("timed out".to_owned());
    };
    if !status.success() || !path.is_file() {
        let printed = std::fs::read(&printed).unwrap_or_default();
        let printed = String::from_utf8_lossy(&printed);
        let first = printed.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        return Err(format!("{status}: {first}"));
    }
    Ok(Binary { path, _directory: directory })
}
