//! Calls and returns: arguments and results go from one frame to another. PTX ISA `control-flow-instructions-call`.

use smallvec::SmallVec;

use super::code::{CodeArgument, CodeCall, CodeDestination, CodeFormal, CodeOperation};
use super::register_bits::RegisterBits;
use super::stop::ThreadStop;
use super::thread::{Frame, InterpretedThread};
use super::windows;
use crate::object::Space;

/// The contents of a variable: its size, and its bytes 16 at a time.
type PassedBytes = (u64, SmallVec<[RegisterBits; 1]>);

/// A value or the contents of a variable on the way from one frame to another.
enum Passed {
    Memory(PassedBytes),
    Value(RegisterBits),
}

/// The most bytes that are moved at once.
const PIECE: usize = 16;
/// The alignment of a frame in local memory.
const FRAME_ALIGNMENT: u64 = 256;
/// The least distance from one frame to the next.
const FRAME_GAP: u64 = 64;

impl Frame {
    /// The frame around the first.
    pub(super) fn before(regions: usize) -> Self {
        let (local, open, fixed, stack) = (windows::FIRST, windows::FIRST, windows::FIRST, windows::FIRST);
        Self { body: 0, next: 0, registers: 0, regions, local, open, fixed, stack }
    }
}

fn mismatch(what: &str) -> ThreadStop {
    ThreadStop::Undefined(format!("the function that is called has other {what} than the call"))
}

impl InterpretedThread<'_> {
    /// Makes the frame of a body. Its open parameter, if it has one, gets this many bytes.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn enter(&mut self, body: usize, open: Option<u64>) -> Result<(), ThreadStop> {
        let code = &self.bodies[body];
        let (registers, regions) = (self.registers.len(), self.memory.count());
        let start = self.frame.stack.next_multiple_of(FRAME_ALIGNMENT);
        let mut local = start;
        if let Some(bytes) = open {
            self.memory.add_undefined(in_local(start)?, bytes)?;
            local = start + bytes + FRAME_GAP;
        }
        local = local.next_multiple_of(code.alignment.max(FRAME_ALIGNMENT));
        let end = local.saturating_add(code.frame);
        self.frame = Frame { body, next: 0, registers, regions, local, open: start, fixed: end, stack: end };
        let slots = registers + code.slots;
        if slots as u64 * size_of::<RegisterBits>() as u64 > self.limits.memory {
            return Err(ThreadStop::Failed(format!("registers need more than {} bytes", self.limits.memory)));
        }
        self.registers.resize(slots, RegisterBits::UNDEFINED);
        for variable in &code.locals {
            self.memory.add_undefined(in_local(local + variable.offset)?, variable.size)?;
        }
        Ok(())
    }

    /// Calls a function.
    ///
    /// # Errors
    /// If the function or an argument is not what the call needs, or calls are nested too deep.
    pub(super) fn call(&mut self, call: &CodeCall) -> Result<(), ThreadStop> {
        let undefined = |why: &str| ThreadStop::Undefined(why.to_owned());
        let address = self.value(call.callee).address();
        let address = address.ok_or_else(|| undefined("the address of the function is undefined"))?;
        let at = windows::function_at(address).filter(|at| *at < self.bodies.len());
        let at = at.ok_or_else(|| ThreadStop::Undefined(format!("no function is at address 0x{address:x}")))?;
        if call.targets.as_ref().is_some_and(|targets| !targets.contains(&at)) {
            return Err(undefined("the function is not in the list of those that the call may reach"));
        }
        if self.frames.len() >= self.limits.depth {
            return Err(ThreadStop::Failed(format!("calls are nested more than {} deep", self.limits.depth)));
        }
        let code = &self.bodies[at];
        let opens = matches!(code.formals.last(), Some(CodeFormal::Open));
        let few = opens && call.arguments.len() + 1 == code.formals.len();
        if call.arguments.len() != code.formals.len() && !few || call.results.len() != code.returned.len() {
            return Err(mismatch("numbers of arguments or results"));
        }
        let mut passed: SmallVec<[Passed; 4]> = SmallVec::new();
        for argument in &call.arguments {
            passed.push(match argument {
                CodeArgument::Memory(offset, size) => Passed::Memory(self.bytes(self.frame.local + offset, *size)?),
                CodeArgument::Value(source) => Passed::Value(self.value(*source)),
            });
        }
        let open = match (opens, few, passed.last()) {
            (true, false, Some(Passed::Memory((size, _)))) => Some(*size),
            (true, ..) => Some(0),
            _ => None,
        };
        self.frames.push(self.frame);
        let entered = self.enter(at, open).and_then(|()| self.give(&code.formals, passed));
        if entered.is_err() {
            // What went wrong is reported with the line of the call.
            self.frame = self.frames.pop().unwrap_or(self.frame);
        }
        self.carry = RegisterBits::undefined(1);
        entered
    }

    /// Returns to the caller, which goes on after its call.
    ///
    /// # Errors
    /// If the results are not what the call needs.
    pub(super) fn leave(&mut self) -> Result<(), ThreadStop> {
        let code = &self.bodies[self.frame.body];
        let mut passed: SmallVec<[Passed; 4]> = SmallVec::new();
        for result in &code.returned {
            passed.push(match result {
                CodeFormal::Memory(offset, size) => Passed::Memory(self.bytes(self.frame.local + offset, *size)?),
                CodeFormal::Register(CodeDestination { slot: Some(slot), .. }) => {
                    Passed::Value(self.registers[self.frame.registers + *slot as usize])
                }
                _ => return Err(mismatch("results")),
            });
        }
        self.memory.truncate(self.frame.regions);
        self.registers.truncate(self.frame.registers);
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        self.frame = frame;
        self.carry = RegisterBits::undefined(1);
        let bodies = self.bodies;
        if let CodeOperation::Call(call) = &bodies[frame.body].lines[frame.next].operation {
            self.give(&call.results, passed)?;
        }
        self.frame.next += 1;
        Ok(())
    }

    /// Puts what was passed where this frame wants it.
    fn give(&mut self, to: &[CodeFormal], passed: SmallVec<[Passed; 4]>) -> Result<(), ThreadStop> {
        for (to, passed) in to.iter().zip(passed) {
            match (to, passed) {
                (CodeFormal::Memory(offset, size), Passed::Memory(bytes)) if *size == bytes.0 => {
                    self.put(self.frame.local + offset, &bytes)?;
                }
                (CodeFormal::Open, Passed::Memory(bytes)) => self.put(self.frame.open, &bytes)?,
                (CodeFormal::Register(to), Passed::Value(value)) => self.set(*to, value),
                // A variable as small as a register may be passed where a register is wanted, and the other way round.
                (CodeFormal::Memory(offset, size @ 1..=16), Passed::Value(value)) => {
                    self.put(self.frame.local + offset, &(*size, SmallVec::from_elem(value, 1)))?;
                }
                (CodeFormal::Register(to), Passed::Memory((size, pieces))) if size * 8 == u64::from(to.bits) => {
                    pieces.first().into_iter().for_each(|value| self.set(*to, *value));
                }
                _ => return Err(mismatch("parameters")),
            }
        }
        Ok(())
    }

    /// The contents of a variable in local memory.
    fn bytes(&mut self, address: u64, size: u64) -> Result<PassedBytes, ThreadStop> {
        let mut pieces = SmallVec::new();
        let mut at = in_local(address)?;
        let end = at + size;
        while at < end {
            let count = usize::try_from(end - at).map_or(PIECE, |left| left.min(PIECE));
            pieces.push(self.memory.load(at, count)?);
            at += count as u64;
        }
        Ok((size, pieces))
    }

    /// Gives a variable in local memory its contents.
    fn put(&mut self, address: u64, (size, pieces): &PassedBytes) -> Result<(), ThreadStop> {
        let mut at = in_local(address)?;
        let end = at + size;
        for piece in pieces {
            let count = usize::try_from(end - at).map_or(PIECE, |left| left.min(PIECE));
            self.memory.store(at, count, *piece)?;
            at += count as u64;
        }
        Ok(())
    }
}

/// The generic address of an address in local memory.
pub(super) fn in_local(address: u64) -> Result<u64, ThreadStop> {
    let found = windows::to_generic(Space::Local, address).filter(|_| address < windows::PARAMETERS);
    found.ok_or_else(|| ThreadStop::Failed("there is no room for more local memory".to_owned()))
}
