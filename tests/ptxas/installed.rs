//! Which installed toolchains tests run with: always the same two, whatever else is installed.

use ptx_conform::engine::toolchain::{self, Installed};

/// The newest version that the specification was checked with, and one of CUDA 11; as far as they are
/// installed.
pub(crate) fn tested() -> Vec<Installed> {
    ["13.5", "11.8"].into_iter().filter_map(|version| toolchain::find(version).ok()).collect()
}
