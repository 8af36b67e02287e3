//! The toolchains that tests run with: always the same two, whatever else is installed.

use ptx_conform::engine::toolchain::{self, Installed};

/// Those installed of two versions: the newest one that the specification was checked with, and one of CUDA 11.
pub(crate) fn tested() -> Vec<Installed> {
    ["13.5", "11.8"].into_iter().filter_map(|version| toolchain::find(version).ok()).collect()
}

/// True if a test must not be skipped for want of a ptxas (PTX_CONFORM_REQUIRE_PTXAS=1): it fails instead.
pub(crate) fn required() -> bool {
    std::env::var_os("PTX_CONFORM_REQUIRE_PTXAS").is_some_and(|value| value == "1")
}

/// True if tests that need this version of ptxas are skipped, which standard error says.
pub(crate) fn skipped_without(version: &str) -> bool {
    let absent = toolchain::find(version).is_err();
    if absent {
        eprintln!(
            "no ptxas {version} here: the tests that need it are IGNORED (`ptx-conform toolchain install {version}` fetches it)"
        );
    }
    absent && !required()
}
