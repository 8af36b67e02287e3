//! From lines to operations of a thread: a row of the table for each instruction that does more than compute.

use std::sync::Arc;

use ptx_spec::spec::{Kind, Role};
use smallvec::SmallVec;

use super::code::{CodeAtomic, CodeCall, CodeOperation, CodeSource};
use super::line_operands::{LineOperands, mark_repeated};
use super::special::ThreadRegister;
use crate::semantics::{Computation, FloatOperation, Operation, Unmodelled};
use crate::value::FloatFormat;

/// The result of making an operation.
type DecodedLine = Result<CodeOperation, Unmodelled>;

/// Makes the operation of a line.
type Decode = fn(&LineOperands<'_, '_>) -> DecodedLine;

/// The instructions that do more than compute, by their names, without branches. Each is a page of the manual.
const TABLE: &[(&str, Decode)] = &[
    ("alloca", allocate),
    ("applypriority", nothing),
    ("atom", atomic),
    ("bar", barrier),
    ("bar.warp.sync", |_| Ok(CodeOperation::Barrier(None))),
    ("barrier", barrier),
    ("brkpt", |_| Ok(CodeOperation::Undefined("a breakpoint suspends the thread".to_owned()))),
    ("call", call),
    ("createpolicy", policy),
    ("cvta", cvta),
    ("discard", discard),
    ("exit", |_| Ok(CodeOperation::Exit)),
    ("fence", nothing),
    ("griddepcontrol", nothing),
    ("isspacep", isspacep),
    ("ld", load),
    ("ldu", load),
    ("membar", nothing),
    ("nanosleep", nothing),
    ("pmevent", nothing),
    ("prefetch", nothing),
    ("prefetchu", nothing),
    ("red", atomic),
    ("ret", |_| Ok(CodeOperation::Return)),
    ("st", store),
    ("stackrestore", |operands| Ok(CodeOperation::RestoreStack(operands.source("a")?))),
    ("stacksave", |operands| Ok(CodeOperation::Copy { from: CodeSource::Stack, to: operands.destination("d")? })),
    ("trap", |_| Ok(CodeOperation::Trap)),
];

/// The opcodes in the table, sorted.
pub(super) fn opcodes() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|(opcode, _)| *opcode)
}

/// The operation of a line of an instruction that does more than compute.
///
/// # Errors
/// If there is no semantics for it.
pub(super) fn decode(instruction: &str, operands: &LineOperands<'_, '_>) -> DecodedLine {
    let found = TABLE.iter().find(|(known, _)| *known == instruction);
    let (_, decode) = found.ok_or_else(|| Unmodelled(format!("there is no model of `{instruction}`")))?;
    decode(operands)
}

/// The operation of a line that only computes.
///
/// # Errors
/// If an operand is nothing that can be read or written.
pub(super) fn compute(operands: &LineOperands<'_, '_>, computation: Arc<Computation>) -> DecodedLine {
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

/// An instruction that only concerns caches, times, tools, or the order that other threads see.
fn nothing(_: &LineOperands<'_, '_>) -> DecodedLine {
    Ok(CodeOperation::Nothing)
}

/// A policy is a number of which the manual says nothing, and which changes no value.
fn policy(operands: &LineOperands<'_, '_>) -> DecodedLine {
    let from = CodeSource::Special(ThreadRegister::Unknown);
    Ok(CodeOperation::Copy { from, to: operands.destination("cache-policy")? })
}

/// The size of an element of an access in bytes, and whether it is signed.
fn element(operands: &LineOperands<'_, '_>) -> Result<(usize, bool), Unmodelled> {
    let (kind, bits) = operands.slot_type("type")?;
    Ok((bits as usize / 8, kind == Kind::Signed))
}

/// PTX ISA `data-movement-and-conversion-instructions-ld`. One thread sees no difference between orderings, scopes, caches,
/// priorities, prefetches and policies.
fn load(operands: &LineOperands<'_, '_>) -> DecodedLine {
    let (bytes, signed) = element(operands)?;
    let address = operands.address("a", "ss")?;
    Ok(CodeOperation::Load { address, bytes, signed, destinations: operands.destinations("d")? })
}

/// PTX ISA `data-movement-and-conversion-instructions-st`.
fn store(operands: &LineOperands<'_, '_>) -> DecodedLine {
    let (bytes, _) = element(operands)?;
    let address = operands.address("a", "ss")?;
    Ok(CodeOperation::Store { address, bytes, sources: operands.stored("b")?.into() })
}

/// PTX ISA `data-movement-and-conversion-instructions-cvta`.
fn cvta(operands: &LineOperands<'_, '_>) -> DecodedLine {
    let to = operands.destination("p")?;
    let space = operands.space("space")?.ok_or_else(|| Unmodelled("the line names no space".to_owned()))?;
    let (operand, _) = operands.operand("a")?;
    Ok(match operand.role {
        Role::Source => CodeOperation::FromGeneric { space, from: operands.source("a")?, to },
        _ => CodeOperation::ToGeneric { address: operands.address("a", "space")?, to },
    })
}

/// PTX ISA `data-movement-and-conversion-instructions-isspacep`.
fn isspacep(operands: &LineOperands<'_, '_>) -> DecodedLine {
    let space = operands.space("space")?.ok_or_else(|| Unmodelled("the line names no space".to_owned()))?;
    Ok(CodeOperation::IsInSpace { space, from: operands.source("a")?, to: operands.destination("p")? })
}

/// PTX ISA `data-movement-and-conversion-instructions-discard`.
fn discard(operands: &LineOperands<'_, '_>) -> DecodedLine {
    let CodeSource::Immediate(size) = operands.source("size")? else {
        return Err(Unmodelled("the size is no number".to_owned()));
    };
    let bytes = usize::try_from(size).map_err(|_| Unmodelled("the size is too large".to_owned()))?;
    Ok(CodeOperation::Discard { address: operands.address("a", "ss")?, bytes })
}

/// PTX ISA `parallel-synchronization-and-communication-instructions-atom` and `-red`, on one operand.
fn atomic(operands: &LineOperands<'_, '_>) -> DecodedLine {
    let (kind, bits) = operands.slot_type("type")?;
    let operation = Operation::named(operands.value("op"))?;
    if !["", "none"].contains(&operands.value("vec")) {
        return Err(Unmodelled("there is no model of atomic operations on vectors".to_owned()));
    }
    let format = FloatFormat::of(operands.value("type")).filter(|_| operation != Operation::Exchange);
    let floats = match format {
        Some(format) => Some(FloatOperation::new(operation, format)?),
        None => None,
    };
    let other = match operation {
        Operation::CompareAndSwap => operands.source("c")?,
        _ => CodeSource::Immediate(0),
    };
    let old = if operands.has("d") { Some(operands.destination("d")?) } else { None };
    Ok(CodeOperation::Atomic(Box::new(CodeAtomic {
        operation,
        floats,
        flushes: match (operands.value("type"), operands.value("space")) {
            (".f32", ".global") => Some(true),
            (".f32", space) if !space.starts_with('.') => None,
            _ => Some(false),
        },
        address: operands.address("a", "space")?,
        of: (bits as usize / 8, kind == Kind::Signed),
        sources: [operands.source("b")?, other],
        old,
    })))
}

/// PTX ISA `stack-manipulation-instructions-alloca`.
fn allocate(operands: &LineOperands<'_, '_>) -> DecodedLine {
    let alignment = match operands.has("immAlign") {
        false => 8,
        true => match operands.source("immAlign")? {
            CodeSource::Immediate(alignment) => u64::try_from(alignment).unwrap_or(0),
            _ => 0,
        },
    };
    if !alignment.is_power_of_two() {
        return Err(Unmodelled("the alignment is no power of two".to_owned()));
    }
    Ok(CodeOperation::Allocate { to: operands.destination("ptr")?, size: operands.source("size")?, alignment })
}

/// PTX ISA `parallel-synchronization-and-communication-instructions-bar`. Of the predicate of the only thread, each reduction
/// is the predicate: as a count, 0 or 1.
fn barrier(operands: &LineOperands<'_, '_>) -> DecodedLine {
    let result = ["d", "p"].into_iter().find(|name| operands.has(name));
    let reduced = match result {
        Some(result) => Some((operands.source("c")?, operands.destination(result)?)),
        None => None,
    };
    Ok(CodeOperation::Barrier(reduced))
}

/// PTX ISA `control-flow-instructions-call`.
fn call(operands: &LineOperands<'_, '_>) -> DecodedLine {
    let callee = operands.callee()?;
    let targets = match operands.has("flist") {
        true => Some(operands.listed("flist")?),
        false => None,
    };
    let (arguments, results) = (operands.arguments("param-list")?, operands.results("ret-param")?);
    Ok(CodeOperation::Call(Box::new(CodeCall { callee, targets, arguments, results })))
}
