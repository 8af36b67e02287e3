//! Which installed toolchains tests run with.

use ptx_conform::engine::toolchain::{self, Installed};

/// The newest version of each major one.
pub(crate) fn newest_of_each_major() -> Vec<Installed> {
    let major = |toolchain: &Installed| toolchain.version.split('.').next().map(str::to_owned);
    let mut toolchains = toolchain::all();
    toolchains.dedup_by_key(|toolchain| major(toolchain));
    toolchains
}
