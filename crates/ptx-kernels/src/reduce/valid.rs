//! Candidates in their usual form, and which of them count.

use ptx_spec::must::Must as _;
use ptx_spec::ptx::Declarations;

use super::Reduced;
use crate::chain::Chain;
use crate::inputs::ChainRows;
use crate::library::Library;
use crate::memory::ChainMemory;

/// The chain in its usual form, with only the inputs that it names, if it is another one and valid.
pub(super) fn valid(
    library: &Library<'_>,
    before: &Reduced,
    chain: &Chain,
    rows: &ChainRows,
) -> Option<(Chain, ChainRows)> {
    let named: Vec<(usize, usize)> = chain.inputs.iter().copied().enumerate().collect();
    let renumbered = chain.renumbered();
    if renumbered.outputs.is_empty() || renumbered.instructions().next().is_none() {
        return None;
    }
    // What nothing wrote to a memory would only confuse whoever reads the chain.
    let mut first = ChainMemory::ALL
        .into_iter()
        .filter_map(|memory| renumbered.instructions().find(|of| of.memory() == Some(memory)));
    if first.any(|access| access.writes().next().is_some()) {
        return None;
    }
    // Which inputs are left, and in which order.
    let mut marked = chain.clone();
    marked.inputs.clear();
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (position, register) in named {
        marked.inputs = vec![register];
        if let [now] = marked.renumbered().inputs[..] {
            order.push((now, position));
        }
    }
    order.sort_unstable();
    let rows = rows.rows.iter().map(|row| order.iter().map(|(_, position)| row[*position]).collect()).collect();
    let rows = ChainRows { rows };
    if renumbered == before.chain && rows == before.rows {
        return None;
    }
    let declarations = Declarations::parse(&renumbered.declarations(), &library.spec().isa);
    let declarations = declarations.must("the declarations of a chain are those of its registers");
    let is_valid = renumbered.instructions().all(|of| library.valid(&of.text(), &declarations).is_some());
    (is_valid && library.has_its_carry(&renumbered)).then_some((renumbered, rows))
}
