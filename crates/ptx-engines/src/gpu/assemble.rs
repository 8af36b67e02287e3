//! Modules as binaries of an assembler, for the engine `sass-gpu`.

use std::io::Write as _;
use std::path::Path;

use tempfile::NamedTempFile;

use crate::Outcome;
use crate::no_code::NoCode;
use crate::ptxas::Ptxas;
use ptx_spec::environment::Target;

/// A binary in a temporary file.
pub(super) struct AssembledModule(NamedTempFile);

impl AssembledModule {
    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }
}

/// The module as a binary for a target. One with `one_entry` has less time.
///
/// # Errors
/// If there is no binary; says why.
pub(super) fn assemble(
    ptxas: &Ptxas,
    module: &str,
    target: Target,
    one_entry: bool,
) -> Result<AssembledModule, NoCode> {
    let code = ptxas.compile(module, &["-arch", &target.to_string()], one_entry).map_err(NoCode::from)?;
    let written = tempfile::Builder::new().prefix("ptx-conform-").suffix(".cubin").tempfile().and_then(|mut file| {
        file.write_all(&code)?;
        Ok(AssembledModule(file))
    });
    written.map_err(|error| NoCode::from(Outcome::Skipped(format!("the binary cannot be stored: {error}"))))
}
