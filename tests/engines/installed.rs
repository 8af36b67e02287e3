//! The toolchains that tests run with: always the same two, whatever else is installed.

use ptx_conform::engine::toolchain::{self, Installed};

/// Those installed of two versions: the newest one that the specification was checked with, and one of CUDA 11.
pub(crate) fn tested() -> Vec<Installed> {
    ["13.5", "11.8"].into_iter().filter_map(|version| toolchain::find(version).ok()).collect()
}
