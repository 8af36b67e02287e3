//! From lines to operations of a thread: a row of the table for each instruction that does more than compute.

use std::sync::Arc;

use ptx_spec::spec::{Kind, Role};
use smallvec::SmallVec;

use super::code::CodeOperation;
use super::line_operands::{LineOperands, mark_repeated};
use crate::semantics::{Computation, Unmodelled};

/// Makes the operation of a line.
type Decode = fn(&LineOperands<'_, '_>) -> Result<CodeOperation, Unmodelled>;

/// The instructions that do more than compute, by their names. Each is a page of the manual.
const TABLE: &[(&str, Decode)] = &[
    ("cvta", cvta),
    ("exit", |_| Ok(CodeOperation::Exit)),
    ("ld", load),
    ("ret", |_| Ok(CodeOperation::Return)),
    ("st", store),
];

/// The operation of a line of an instruction that does more than compute.
///
/// # Errors
/// If there is no semantics for it.
pub(super) fn decode(instruction: &str, operands: &LineOperands<'_, '_>) -> Result<CodeOperation, Unmodelled> {
    let found = TABLE.iter().find(|(known, _)| *known == instruction);
    let (_, decode) = found.ok_or_else(|| Unmodelled(format!("there is no model of `{instruction}`")))?;
    decode(operands)
}

/// The operation of a line that only computes.
///
/// # Errors
/// If an operand is nothing that can be read or written.
pub(super) fn compute(
    operands: &LineOperands<'_, '_>,
    computation: Arc<Computation>,
) -> Result<CodeOperation, Unmodelled> {
    let (mut sources, mut destinations) = (SmallVec::new(), SmallVec::new());
    for bound in &operands.bound {
        match &operands.form.operands[bound.operand] {
            operand if operand.role == Role::Source => sources.extend(operands.sources_of(bound)?),
            operand if operand.role == Role::Destination => destinations.extend(operands.destinations_of(bound)?),
            operand => return Err(Unmodelled(format!("{} is neither read nor written", operand.name))),
        }
    }
    if (sources.len(), destinations.len()) != (computation.sources().len(), computation.results().len()) {
        return Err(Unmodelled("the line has other elements than its computation".to_owned()));
    }
    mark_repeated(&mut destinations);
    Ok(CodeOperation::Compute { computation, sources, destinations })
}

/// The size of an element of an access in bytes, and whether it is signed.
fn element(operands: &LineOperands<'_, '_>) -> Result<(usize, bool), Unmodelled> {
    let (kind, bits) = operands.slot_type("type")?;
    Ok((bits as usize / 8, kind == Kind::Signed))
}

/// PTX ISA `data-movement-and-conversion-instructions-ld`. One thread sees no difference between orderings, scopes, caches,
/// priorities, prefetches and policies.
fn load(operands: &LineOperands<'_, '_>) -> Result<CodeOperation, Unmodelled> {
    let (bytes, signed) = element(operands)?;
    let address = operands.address("a", "ss")?;
    Ok(CodeOperation::Load { address, bytes, signed, destinations: operands.destinations("d")? })
}

/// PTX ISA `data-movement-and-conversion-instructions-st`.
fn store(operands: &LineOperands<'_, '_>) -> Result<CodeOperation, Unmodelled> {
    let (bytes, _) = element(operands)?;
    let address = operands.address("a", "ss")?;
    Ok(CodeOperation::Store { address, bytes, sources: operands.stored("b")?.into() })
}

/// PTX ISA `data-movement-and-conversion-instructions-cvta`.
fn cvta(operands: &LineOperands<'_, '_>) -> Result<CodeOperation, Unmodelled> {
    let to = operands.destination("p")?;
    let space = operands.space("space")?.ok_or_else(|| Unmodelled("the line names no space".to_owned()))?;
    let (operand, _) = operands.operand("a")?;
    Ok(match operand.role {
        Role::Source => CodeOperation::FromGeneric { space, from: operands.source("a")?, to },
        _ => CodeOperation::ToGeneric { address: operands.address("a", "space")?, to },
    })
}
