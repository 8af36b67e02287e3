//! Which batches share processes: those that are asked about with the same arguments.

use std::collections::BTreeMap;

use super::{Ptxas, rounds};
use crate::{Batch, Depth, LineJudge as _, Outcome};
use ptx_spec::environment::AddressSize;
use ptx_spec::ptx::Scaffold;

/// The properties that batches share if their lines are asked about together: the `-arch` and whether a file with an
/// error must stop code generation, whether they are assembled separately, the options of `.target`, which hold for all
/// later modules of a process, the address size, whether lines declare names of the module, and whether most are invalid.
type ProcessTraits<'a> = (String, bool, bool, &'a str, AddressSize, bool, bool);

/// One outcome for each line of each batch. Only checks share processes: one that generates code takes one module.
pub(super) fn judge_all(ptxas: &Ptxas, batches: &[Batch<'_>], depth: Depth) -> Vec<Vec<Outcome>> {
    let mut together: BTreeMap<ProcessTraits<'_>, Vec<usize>> = BTreeMap::new();
    let mut outcomes: Vec<Vec<Outcome>> = vec![Vec::new(); batches.len()];
    for (at, batch) in batches.iter().enumerate() {
        let environment = &batch.environment;
        let arch = ptxas.supports(environment, depth).and_then(|()| ptxas.arch(environment.target, depth));
        match arch {
            Ok(arch) if depth == Depth::Check => {
                let Scaffold { options, separate, alone, .. } = &batch.scaffold;
                let (size, invalid) = (environment.address_size, batch.mostly_invalid);
                let common = (arch.value, arch.stopped, *separate, options.as_str(), size, *alone, invalid);
                together.entry(common).or_default().push(at);
            }
            _ => outcomes[at] = ptxas.judge(batch, depth),
        }
    }
    for positions in together.into_values() {
        let some: Vec<&Batch<'_>> = positions.iter().map(|&at| &batches[at]).collect();
        for (at, judged) in positions.into_iter().zip(rounds::judge(ptxas, &some, depth)) {
            outcomes[at] = judged;
        }
    }
    outcomes
}
