//! `.ci/slurm`: a real Slurm of one node does a run in parts.

use std::path::Path;
use std::process::Command;

use libtest_mimic::{Failed, Trial};

pub(crate) fn trials() -> Vec<Trial> {
    let array = Trial::test("a_slurm_array_gives_the_bytes_of_one_run", a_slurm_array_gives_the_bytes_of_one_run);
    // Minutes, and packages are installed: the nightly asks for it.
    vec![array.with_ignored_flag(true)]
}

fn a_slurm_array_gives_the_bytes_of_one_run() -> Result<(), Failed> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/slurm");
    let status = Command::new(script).env("PTX_CONFORM", env!("CARGO_BIN_EXE_ptx-conform")).status()?;
    match status.code() {
        // 77: the script has said why Slurm is not here, and the nightly passes that on.
        Some(0 | 77) => Ok(()),
        code => Err(format!("the script ended with {code:?}; what it said is above").into()),
    }
}
