//! A thread: its registers, its frames, and what each operation does to them.

use std::collections::VecDeque;

use super::Limits;
use super::code::{CodeAddress, CodeBody, CodeDestination, CodeGuard, CodeOperation, CodeSource};
use super::regions::Regions;
use super::register_bits::RegisterBits;
use super::special::ThreadPlace;
use super::stop::ThreadStop;
use super::windows;
use crate::object::Space;
use crate::semantics::UnroundedProduct;

/// A thread. Its memory is that of the launch, with regions of its own above.
pub(super) struct InterpretedThread<'p> {
    /// The bodies of the module.
    pub(super) bodies: &'p [CodeBody],
    place: ThreadPlace,
    pub(super) memory: &'p mut Regions,
    pub(super) limits: Limits,
    /// The registers of all frames.
    pub(super) registers: Vec<RegisterBits>,
    pub(super) frame: Frame,
    /// The frames of the callers, the innermost last.
    pub(super) frames: Vec<Frame>,
    /// The carry that an instruction leaves for the next. PTX ISA `extended-precision-integer-arithmetic-instructions`.
    pub(super) carry: RegisterBits,
    /// The latest products that a sum may use without rounding.
    pub(super) products: VecDeque<UnroundedProduct>,
}

/// A call of a body that has not returned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The position of the body.
    pub(super) body: usize,
    /// The next instruction.
    pub(super) next: usize,
    /// The first of its registers.
    pub(super) registers: usize,
    /// How many regions there were before it.
    pub(super) regions: usize,
    /// Where its variables in local memory begin.
    pub(super) local: u64,
    /// Where the parameter is that is as large as its argument.
    pub(super) open: u64,
    /// The end of its variables.
    pub(super) fixed: u64,
    /// The stack pointer: where more memory can begin.
    pub(super) stack: u64,
}

/// How a thread goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Going {
    On,
    Ended,
}

impl<'p> InterpretedThread<'p> {
    /// A thread before the first instruction of an entry.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(
        bodies: &'p [CodeBody],
        entry: usize,
        place: ThreadPlace,
        memory: &'p mut Regions,
        limits: Limits,
    ) -> Result<Self, ThreadStop> {
        let (frame, carry) = (Frame::before(memory.count()), RegisterBits::undefined(1));
        let (registers, frames) = (Vec::new(), Vec::new());
        let mut thread =
            Self { bodies, place, memory, limits, registers, frame, frames, carry, products: VecDeque::new() };
        thread.enter(entry, None)?;
        Ok(thread)
    }

    /// The instruction that comes next.
    pub(super) fn at(&self) -> (usize, usize) {
        (self.frame.body, self.frame.next)
    }

    /// Executes the next instruction.
    ///
    /// # Errors
    /// If the thread cannot go on; the frame then still is at the instruction.
    #[inline]
    pub(super) fn step(&mut self) -> Result<Going, ThreadStop> {
        let bodies = self.bodies;
        let line = &bodies[self.frame.body].lines[self.frame.next];
        if let Some(guard) = line.guard {
            match self.holds(guard) {
                Some(true) => {}
                Some(false) => {
                    self.frame.next += 1;
                    return Ok(Going::On);
                }
                None => return self.maybe(&line.operation),
            }
        }
        self.operation(&line.operation)
    }

    /// The value of a guard; none if it is undefined.
    #[inline]
    fn holds(&self, guard: CodeGuard) -> Option<bool> {
        let predicate = self.registers[self.frame.registers + guard.slot as usize];
        predicate.known(1).map(|bit| (bit == 1) != guard.negated)
    }

    /// Executes an operation whose guard is undefined: what it writes is defined where it makes no difference.
    fn maybe(&mut self, operation: &CodeOperation) -> Result<Going, ThreadStop> {
        let undefined = || ThreadStop::Undefined("the guard is undefined".to_owned());
        let written = operation.only_writes().ok_or_else(undefined)?;
        let slots = || written.iter().filter_map(|to| to.slot).map(|slot| slot as usize);
        let before: Vec<RegisterBits> = slots().map(|slot| self.registers[self.frame.registers + slot]).collect();
        let carry = self.carry;
        let going = self.operation(operation)?;
        for (slot, before) in slots().zip(before) {
            let register = &mut self.registers[self.frame.registers + slot];
            *register = register.agreed(before);
        }
        self.carry = self.carry.agreed(carry);
        Ok(going)
    }

    #[inline]
    fn operation(&mut self, operation: &CodeOperation) -> Result<Going, ThreadStop> {
        match operation {
            CodeOperation::Compute { computation, sources, destinations } => {
                self.compute(computation, sources, destinations);
            }
            CodeOperation::Load { address, bytes, signed, destinations } => {
                self.load(address, *bytes, *signed, destinations)?;
            }
            CodeOperation::Store { address, bytes, sources } => self.store(address, *bytes, sources)?,
            CodeOperation::ToGeneric { address, to } => {
                let generic = self.in_space(address).and_then(|(space, address)| match space {
                    Some(space) => windows::to_generic(space, address),
                    None => Some(address),
                });
                self.set(*to, generic.map_or(RegisterBits::UNDEFINED, RegisterBits::from));
            }
            CodeOperation::FromGeneric { space, from, to } => {
                let found = self.value(*from).address().and_then(|address| windows::from_generic(*space, address));
                self.set(*to, found.map_or(RegisterBits::UNDEFINED, RegisterBits::from));
            }
            CodeOperation::Branch(target) => {
                self.frame.next = *target;
                return Ok(Going::On);
            }
            CodeOperation::Switch { index, targets } => {
                self.frame.next = self.switch(*index, targets)?;
                return Ok(Going::On);
            }
            CodeOperation::Call(call) => {
                self.call(call)?;
                return Ok(Going::On);
            }
            CodeOperation::Return if self.frames.is_empty() => return Ok(Going::Ended),
            CodeOperation::Return => {
                self.leave()?;
                return Ok(Going::On);
            }
            CodeOperation::Exit => return Ok(Going::Ended),
            CodeOperation::Nothing => {}
            other => self.other(other)?,
        }
        self.frame.next += 1;
        Ok(Going::On)
    }

    /// Executes what is rare, and goes on to the next instruction.
    fn other(&mut self, operation: &CodeOperation) -> Result<(), ThreadStop> {
        match operation {
            CodeOperation::Trap => return Err(ThreadStop::Trapped("the thread traps".to_owned())),
            CodeOperation::Atomic(atomic) => self.atomic(atomic)?,
            CodeOperation::Discard { address, bytes } => self.discard(address, *bytes)?,
            CodeOperation::Copy { from, to } => self.set(*to, self.value(*from)),
            CodeOperation::IsInSpace { space, from, to } => {
                let found = self.value(*from).address().map(|address| windows::is_in(*space, address));
                self.set(*to, found.map_or(RegisterBits::undefined(1), |found| u128::from(found).into()));
            }
            CodeOperation::Allocate { to, size, alignment } => self.allocate(*to, *size, *alignment)?,
            CodeOperation::RestoreStack(from) => self.restore_stack(*from)?,
            CodeOperation::Barrier(reduced) => self.barrier(*reduced)?,
            CodeOperation::Undefined(rule) => {
                return Err(ThreadStop::Undefined(format!("the manual leaves the line undefined: {rule}")));
            }
            CodeOperation::Unmodelled(why) => return Err(ThreadStop::Skipped(why.clone())),
            _ => return Err(ThreadStop::Skipped("there is no model of the line".to_owned())),
        }
        Ok(())
    }

    /// The instruction of a list that comes next. PTX ISA `control-flow-instructions-brx-idx`.
    fn switch(&self, index: CodeSource, targets: &[usize]) -> Result<usize, ThreadStop> {
        let index =
            self.value(index).known(32).ok_or_else(|| ThreadStop::Undefined("the index is undefined".to_owned()))?;
        let target = usize::try_from(index).ok().and_then(|index| targets.get(index));
        target.copied().ok_or_else(|| {
            ThreadStop::Undefined(format!("the index {index} is beyond the list of {} labels", targets.len()))
        })
    }

    /// A barrier of a block with a single thread.
    fn barrier(&mut self, reduced: Option<(CodeSource, CodeDestination)>) -> Result<(), ThreadStop> {
        if self.place.threads != [1; 3] {
            return Err(ThreadStop::Skipped("barriers of several threads are not executed".to_owned()));
        }
        if let Some((from, to)) = reduced {
            self.set(to, self.value(from));
        }
        Ok(())
    }

    /// The value of a source.
    #[inline]
    pub(super) fn value(&self, source: CodeSource) -> RegisterBits {
        match source {
            CodeSource::Register(slot) => self.registers[self.frame.registers + slot as usize],
            CodeSource::Inverted(slot) => self.registers[self.frame.registers + slot as usize].inverted(1),
            CodeSource::Immediate(bits) => bits.into(),
            CodeSource::Special(register) => register.value(&self.place),
            CodeSource::Local(offset) => self.frame.local.wrapping_add(offset).into(),
            CodeSource::Open => self.frame.open.into(),
            CodeSource::Stack => self.frame.stack.into(),
        }
    }

    /// Writes a register.
    #[inline]
    pub(super) fn set(&mut self, to: CodeDestination, value: RegisterBits) {
        let Some(slot) = to.slot else { return };
        let value = if to.twice { RegisterBits::undefined(to.bits) } else { value.zero_extended(to.bits) };
        self.registers[self.frame.registers + slot as usize] = value;
    }

    /// An address, and its space; none if it is undefined.
    pub(super) fn in_space(&self, address: &CodeAddress) -> Option<(Option<Space>, u64)> {
        let base = self.value(address.base).address()?;
        Some((address.space, base.wrapping_add_signed(address.offset)))
    }

    /// The generic address of an access of this many bytes.
    ///
    /// # Errors
    /// If it is undefined, misaligned, or not in its space.
    #[inline]
    pub(super) fn accessed(&self, address: &CodeAddress, bytes: usize) -> Result<u64, ThreadStop> {
        let undefined = |why: String| ThreadStop::Undefined(why);
        let (space, address) =
            self.in_space(address).ok_or_else(|| undefined("the address is undefined".to_owned()))?;
        if address & (bytes as u64).saturating_sub(1) != 0 {
            return Err(undefined(format!("address 0x{address:x} is misaligned for {bytes} bytes")));
        }
        match space {
            None => Ok(address),
            Some(space) => windows::to_generic(space, address)
                .ok_or_else(|| undefined(format!("address 0x{address:x} is outside of its state space"))),
        }
    }

    fn load(
        &mut self,
        address: &CodeAddress,
        bytes: usize,
        signed: bool,
        destinations: &[CodeDestination],
    ) -> Result<(), ThreadStop> {
        let mut at = self.accessed(address, bytes * destinations.len())?;
        // The base may be one of the destinations, so it is read before any is written, above.
        for to in destinations {
            let loaded = self.memory.load(at, bytes)?;
            let bits = bytes as u32 * 8;
            self.set(*to, if signed { loaded.sign_extended(bits, to.bits.max(bits)) } else { loaded });
            at += bytes as u64;
        }
        Ok(())
    }

    fn store(&mut self, address: &CodeAddress, bytes: usize, sources: &[Option<CodeSource>]) -> Result<(), ThreadStop> {
        let mut at = self.accessed(address, bytes * sources.len())?;
        for source in sources {
            if let Some(source) = source {
                let value = self.value(*source);
                self.memory.store(at, bytes, value)?;
            }
            at += bytes as u64;
        }
        Ok(())
    }
}
