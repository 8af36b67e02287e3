//! Operations on what memory holds.

use super::code::{CodeAddress, CodeAtomic};
use super::register_bits::RegisterBits;
use super::stop::ThreadStop;
use super::thread::InterpretedThread;
use super::trace::AccessKind;
use crate::semantics::Operation;

/// The result of an operation on floats. What of it depends on whether subnormal numbers are flushed is undefined.
fn float_result(atomic: &CodeAtomic, bits: u32, operands: [RegisterBits; 2]) -> RegisterBits {
    let known = operands.iter().all(|of| of.known(bits).is_some());
    let Some(floats) = atomic.floats.filter(|_| known) else { return RegisterBits::undefined(bits) };
    let numbers = operands.map(|of| of.value);
    let (value, ..) = floats.elements(bits, atomic.flushes == Some(true), numbers);
    let (flushed, ..) = floats.elements(bits, atomic.flushes != Some(false), numbers);
    let same = !(value.example() ^ flushed.example());
    RegisterBits::new(value.example(), value.known() & flushed.known() & same)
}

impl InterpretedThread<'_> {
    /// Replaces what memory holds by the result of an operation on it. What depends on an undefined bit is undefined as a whole.
    ///
    /// # Errors
    /// If the access is not possible.
    pub(super) fn atomic(&mut self, atomic: &CodeAtomic) -> Result<(), ThreadStop> {
        let (bytes, signed) = atomic.of;
        let bits = bytes as u32 * 8;
        let at = self.accessed(&atomic.address, bytes)?;
        let [new, other] = atomic.sources.map(|source| self.value(source).zero_extended(bits));
        let left = |old: RegisterBits| match atomic.operation {
            Operation::Exchange => new,
            _ if atomic.floats.is_some() => float_result(atomic, bits, [old, new]),
            operation if [old, new, other].iter().all(|of| of.known(bits).is_some()) => {
                operation.apply(old.value, [new.value, other.value], (bits, signed)).into()
            }
            _ => RegisterBits::undefined(bits),
        };
        let wanted = atomic.old.filter(|to| to.slot.is_some());
        let kind = if wanted.is_some() { AccessKind::Store } else { AccessKind::Reduction(atomic.operation) };
        let old = self.memory.replace(at, bytes, kind, left)?;
        wanted.into_iter().for_each(|to| self.set(to, old));
        Ok(())
    }

    /// Makes bytes undefined.
    ///
    /// # Errors
    /// If the access is not possible.
    pub(super) fn discard(&mut self, address: &CodeAddress, bytes: usize) -> Result<(), ThreadStop> {
        let at = self.accessed(address, bytes)?;
        for at in (at..).take(bytes) {
            let nothing = RegisterBits::undefined(8);
            self.memory.store(at, 1, nothing)?;
        }
        Ok(())
    }
}
