//! The registers and predicates of a thread.

use crate::instruction::{Predicate, Register};
use ptx_exec::value::Bits;

/// Where a result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// A register.
    Register(Register),
    /// A predicate; its negation does not matter.
    Predicate(Predicate),
}

/// The values of registers and predicates; zero registers stay 0 and true predicates stay 1.
#[derive(Clone, Debug)]
pub(crate) struct Registers {
    /// 32 bits each; their upper bits are 0.
    registers: [Bits; 256],
    /// Uniform registers, of the same kind.
    uniform: [Bits; 256],
    /// Predicates, in the lowest bit.
    predicates: [Bits; 8],
    /// Uniform predicates.
    uniform_predicates: [Bits; 8],
    /// The registers below this one may have been written: few of them are.
    used: usize,
    /// The same of uniform registers.
    used_uniform: usize,
}

impl Default for Registers {
    fn default() -> Self {
        let mut registers = Self {
            registers: [Bits::ZERO; 256],
            uniform: [Bits::ZERO; 256],
            predicates: [Bits::ZERO; 8],
            uniform_predicates: [Bits::ZERO; 8],
            used: 255,
            used_uniform: 255,
        };
        registers.clear();
        registers
    }
}

impl Registers {
    /// Forgets all values.
    pub(crate) fn clear(&mut self) {
        let undefined = Bits::UNDEFINED.zero_extended(32);
        self.registers[..self.used].fill(undefined);
        self.used = 0;
        self.uniform[..self.used_uniform].fill(undefined);
        self.used_uniform = 0;
        self.predicates = [Bits::UNDEFINED.zero_extended(1); 8];
        self.predicates[7] = Bits::from(true);
        self.uniform_predicates = self.predicates;
    }

    /// Takes the values of others.
    pub(crate) fn copy_from(&mut self, from: &Self) {
        let (used, used_uniform) = (self.used.max(from.used), self.used_uniform.max(from.used_uniform));
        self.registers[..used].copy_from_slice(&from.registers[..used]);
        self.uniform[..used_uniform].copy_from_slice(&from.uniform[..used_uniform]);
        (self.predicates, self.uniform_predicates) = (from.predicates, from.uniform_predicates);
        (self.used, self.used_uniform) = (from.used, from.used_uniform);
    }

    /// The value of one register.
    #[inline]
    pub(crate) fn get(&self, register: Register) -> Bits {
        let index = usize::from(register.index);
        if register.uniform { self.uniform[index] } else { self.registers[index] }
    }

    /// The value of a predicate in the lowest bit, as if it were not negated.
    #[inline]
    pub(crate) fn predicate(&self, predicate: Predicate) -> Bits {
        let of = if predicate.uniform { &self.uniform_predicates } else { &self.predicates };
        of[usize::from(predicate.index & 7)]
    }

    /// Writes 32 bits, or one to a predicate.
    #[inline]
    pub(crate) fn write(&mut self, to: Destination, value: Bits) {
        match to {
            Destination::Register(Register { index, uniform: true, .. }) if index < 255 => {
                self.uniform[usize::from(index)] = value;
                self.used_uniform = self.used_uniform.max(usize::from(index) + 1);
            }
            Destination::Register(Register { index, uniform: false, .. }) if index < 255 => {
                self.registers[usize::from(index)] = value;
                self.used = self.used.max(usize::from(index) + 1);
            }
            Destination::Predicate(Predicate { index, uniform, .. }) if index < 7 => {
                let of = if uniform { &mut self.uniform_predicates } else { &mut self.predicates };
                of[usize::from(index)] = value;
            }
            _ => {}
        }
    }
}
