//! Cases whose kernels have the same text, so that they are compiled once: compiling is what takes long.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

use ptx_exec::kernel::Kernel;
use ptx_exec::line_case::LineCase;
use rustc_hash::FxHashMap;

use super::ModuleText;

/// The positions of cases that are compiled, each with those of the others that have its text.
pub(super) type SameTexts = BTreeMap<usize, Vec<usize>>;

/// The first case with each text, and the others with it. The text of a kernel has neither rows nor what a surface holds.
pub(super) fn same_texts(cases: &[LineCase]) -> SameTexts {
    let mut same = SameTexts::new();
    let mut first = FxHashMap::default();
    for (at, case) in cases.iter().enumerate() {
        let LineCase { ptx, target, declarations, line, surface, variables, inputs, outputs, writes, .. } = case;
        let text = (ptx, target, declarations, line, surface.is_some(), variables, inputs, outputs, writes);
        match first.entry(text) {
            Entry::Vacant(place) => {
                place.insert(at);
                same.insert(at, Vec::new());
            }
            Entry::Occupied(first) => same.entry(*first.get()).or_default().push(at),
        }
    }
    same
}

/// The kernel of a case, with its own rows, from the kernel that was compiled for the first case with its text.
pub(super) fn with_own_rows(
    case: &LineCase,
    write: ModuleText,
    compiled: &Result<Kernel, String>,
) -> Result<Kernel, String> {
    let compiled = compiled.as_ref().map_err(Clone::clone)?;
    // A kernel has the bytes of its rows, which only writing the case makes. Its entry is called as in the module that was
    // compiled, where it has another number than alone.
    let (_, mut alone) = write(&[case]);
    let own = alone.pop().unwrap_or_else(|| Err("it has no kernel".to_owned()))?;
    Ok(Kernel { entry: compiled.entry.clone(), ..own })
}
