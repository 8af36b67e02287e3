//! Decoded bodies: instructions whose operands are slots of a frame.

use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

use super::special::ThreadRegister;
use crate::object::Space;
use crate::semantics::{Computation, FloatOperation, Operation};
use ptx_spec::spec::Kind;

/// The body of an entry or function.
#[derive(Default)]
pub(super) struct CodeBody {
    /// The name of the entry or function.
    pub(super) name: String,
    /// The instructions, in order.
    pub(super) lines: Vec<CodeLine>,
    /// How many registers there are.
    pub(super) slots: usize,
    /// The variables of a frame in local memory, in the order of their offsets.
    pub(super) locals: Vec<LocalVariable>,
    /// The size of a frame in local memory.
    pub(super) frame: u64,
    /// The alignment of its beginning.
    pub(super) alignment: u64,
    /// The parameters of an entry.
    pub(super) parameters: Vec<EntryParameter>,
    /// The parameters of a function.
    pub(super) formals: Vec<CodeFormal>,
    /// The results of a function.
    pub(super) returned: Vec<CodeFormal>,
}

/// A parameter or result of a function, in its own frame.
#[derive(Clone, Copy, Debug)]
pub(super) enum CodeFormal {
    /// A variable: its offset and its size in bytes.
    Memory(u64, u64),
    /// A variable that is as large as its argument.
    Open,
    /// A register.
    Register(CodeDestination),
}

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum CodeArgument {
    /// A variable of the frame: its offset and its size in bytes.
    Memory(u64, u64),
    /// A value.
    Value(CodeSource),
}

/// A call.
#[derive(Clone, Debug)]
pub(super) struct CodeCall {
    /// The address of the function.
    pub(super) callee: CodeSource,
    /// The functions that it may be, by their positions; any if they are not listed.
    pub(super) targets: Option<Vec<usize>>,
    /// The arguments.
    pub(super) arguments: Vec<CodeArgument>,
    /// The places of the results.
    pub(super) results: Vec<CodeFormal>,
}

/// An atomic operation.
#[derive(Clone, Debug)]
pub(super) struct CodeAtomic {
    /// The operation.
    pub(super) operation: Operation,
    /// The operation, if it is on floats.
    pub(super) floats: Option<FloatOperation>,
    /// True if it flushes subnormal numbers, which depends on where the address is if there is none here.
    pub(super) flushes: Option<bool>,
    /// The address.
    pub(super) address: CodeAddress,
    /// The size of the operands in bytes, and whether they are signed.
    pub(super) of: (usize, bool),
    /// The value, and the one that is stored if a comparison succeeds.
    pub(super) sources: [CodeSource; 2],
    /// The register for the old value.
    pub(super) old: Option<CodeDestination>,
}

/// A variable of a frame in local memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalVariable {
    /// Its distance from the beginning of the frame.
    pub(super) offset: u64,
    /// Its size in bytes.
    pub(super) size: u64,
}

/// A parameter of an entry.
#[derive(Clone, Debug)]
pub(super) struct EntryParameter {
    /// Its name.
    pub(super) name: String,
    /// Its address in the space of parameters.
    pub(super) address: u64,
    /// Its size in bytes.
    pub(super) size: u64,
    /// The kind and the size in bits of an element.
    pub(super) element: (Kind, u32),
}

/// An instruction.
pub(super) struct CodeLine {
    /// The predicate that decides whether it is executed.
    pub(super) guard: Option<CodeGuard>,
    /// The operation.
    pub(super) operation: CodeOperation,
    /// Its bytes in the module.
    pub(super) at: Range<usize>,
}

/// A guard.
#[derive(Clone, Copy, Debug)]
pub(super) struct CodeGuard {
    /// The predicate.
    pub(super) slot: u32,
    /// True if the predicate must be false.
    pub(super) negated: bool,
}

/// A value that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodeSource {
    /// A register.
    Register(u32),
    /// A predicate, inverted.
    Inverted(u32),
    /// The line itself.
    Immediate(u128),
    /// A register that tells where the thread is.
    Special(ThreadRegister),
    /// The address of a variable of the frame, by its offset.
    Local(u64),
    /// The address of the parameter that is as large as its argument.
    Open,
    /// The stack pointer.
    Stack,
}

/// A register that is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct CodeDestination {
    /// The register; none for a sink.
    pub(super) slot: Option<u32>,
    /// Its size in bits.
    pub(super) bits: u32,
    /// True if another element of the destination is the same register.
    pub(super) twice: bool,
}

/// An address.
#[derive(Clone, Copy, Debug)]
pub(super) struct CodeAddress {
    /// The state space; none of a generic address.
    pub(super) space: Option<Space>,
    /// The base.
    pub(super) base: CodeSource,
    /// The distance from it.
    pub(super) offset: i64,
}

/// The registers and values of an instruction.
pub(super) type CodeSources = SmallVec<[CodeSource; 4]>;
/// The registers that an instruction writes.
pub(super) type CodeDestinations = SmallVec<[CodeDestination; 2]>;

/// An operation of a thread.
pub(super) enum CodeOperation {
    /// Results that depend on sources only.
    Compute { computation: Arc<Computation>, sources: CodeSources, destinations: CodeDestinations },
    /// Loads elements, each of this many bytes.
    Load { address: CodeAddress, bytes: usize, signed: bool, destinations: CodeDestinations },
    /// Stores elements, each of this many bytes; a sink stores nothing.
    Store { address: CodeAddress, bytes: usize, sources: SmallVec<[Option<CodeSource>; 2]> },
    /// The generic address of an address in a space.
    ToGeneric { address: CodeAddress, to: CodeDestination },
    /// The address in a space of a generic one.
    FromGeneric { space: Space, from: CodeSource, to: CodeDestination },
    /// On to another instruction.
    Branch(usize),
    /// On to one of several instructions.
    Switch { index: CodeSource, targets: Vec<usize> },
    /// On to a function.
    Call(Box<CodeCall>),
    /// Back to the caller; the end of the thread in an entry.
    Return,
    /// The end of the thread.
    Exit,
    /// The end of everything.
    Trap,
    /// An operation on the contents of memory, whose result replaces them.
    Atomic(Box<CodeAtomic>),
    /// Bytes that lose their contents.
    Discard { address: CodeAddress, bytes: usize },
    /// A value, in a register.
    Copy { from: CodeSource, to: CodeDestination },
    /// A predicate: a generic address is in a space.
    IsInSpace { space: Space, from: CodeSource, to: CodeDestination },
    /// New memory on the stack.
    Allocate { to: CodeDestination, size: CodeSource, alignment: u64 },
    /// Another stack pointer.
    RestoreStack(CodeSource),
    /// Waiting for the other threads of the block; what a reduction of their predicates yields.
    Barrier(Option<(CodeSource, CodeDestination)>),
    /// Nothing that a thread notices.
    Nothing,
    /// A line that the manual leaves undefined; says why.
    Undefined(String),
    /// A line without semantics; says why.
    Unmodelled(String),
}

impl CodeOperation {
    /// The registers that it writes and does nothing else: what an undefined guard leaves open.
    pub(super) fn only_writes(&self) -> Option<&[CodeDestination]> {
        match self {
            Self::Compute { destinations, .. } => Some(destinations),
            Self::ToGeneric { to, .. }
            | Self::FromGeneric { to, .. }
            | Self::Copy { to, .. }
            | Self::IsInSpace { to, .. } => Some(std::slice::from_ref(to)),
            Self::Nothing => Some(&[]),
            _ => None,
        }
    }
}
