//! Cases whose kernels have the same text, so that they are compiled once: compiling is what takes long.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

use ptx_exec::kernel::Kernel;
use ptx_exec::line_case::LineCase;
use rustc_hash::FxHashMap;

use super::ModuleText;

/// The positions of cases that are compiled, each with those of its twins.
pub(super) type Twins = BTreeMap<usize, Vec<usize>>;

/// The cases of which no other has the same text. What a surface holds is not part of it, nor are rows.
pub(super) fn twins(cases: &[LineCase]) -> Twins {
    let mut twins = Twins::new();
    let mut first = FxHashMap::default();
    for (at, case) in cases.iter().enumerate() {
        let LineCase { ptx, target, declarations, line, surface, variables, inputs, outputs, writes, .. } = case;
        let text = (ptx, target, declarations, line, surface.is_some(), variables, inputs, outputs, writes);
        match first.entry(text) {
            Entry::Vacant(place) => {
                place.insert(at);
                twins.insert(at, Vec::new());
            }
            Entry::Occupied(first) => twins.entry(*first.get()).or_default().push(at),
        }
    }
    twins
}

/// The kernel of a case, with its own rows, from that of its twin.
pub(super) fn as_twin(case: &LineCase, write: ModuleText, twin: &Result<Kernel, String>) -> Result<Kernel, String> {
    let twin = twin.as_ref().map_err(Clone::clone)?;
    let (_, mut alone) = write(&[case]);
    let own = alone.pop().unwrap_or_else(|| Err("it has no kernel".to_owned()))?;
    Ok(Kernel { entry: twin.entry.clone(), ..own })
}
