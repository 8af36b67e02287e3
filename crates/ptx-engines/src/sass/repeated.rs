//! Compiling the same text again gives the same machine code.

use std::collections::BTreeSet;
use std::hash::{Hash as _, Hasher as _};

use ptx_sass::cubin::Cubin;
use rustc_hash::FxHasher;

/// Of modules with several kernels, one in this many is compiled again: compiling is what takes long.
const SAMPLE: u64 = 8;

/// Decides if a module is compiled again. A kernel alone always is: so a finding remains when it is minimized.
pub(super) fn is_repeated(text: &str, kernels: usize) -> bool {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    // The upper bits depend on all of the text.
    kernels == 1 || (hasher.finish() >> 32).is_multiple_of(SAMPLE)
}

/// The sections of code, by their index, that are not the same the second time.
pub(super) fn unrepeated(first: &Cubin, second: &Cubin) -> BTreeSet<usize> {
    let is_same = |at: usize| {
        let (of, again) = (&first.sections[at], second.section(&first.sections[at].name));
        again.is_some_and(|again| (&of.data, &of.relocations) == (&again.data, &again.relocations))
    };
    first.code().map(|(at, _)| at).filter(|at| !is_same(*at)).collect()
}
