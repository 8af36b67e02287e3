//! AtomicStep operations on memory. One thread sees an ordinary load and store.

use super::access::{AccessPlace, Window};
use super::convert::IntegerType;
use super::float::{self, AtomicOnFloats};
use super::shape::{DecodedStep, MachineShape, Unfit, effect, predicate, register, take};
use crate::instruction::{MachineOperand, Predicate, Register};
use crate::machine::{Halt, LOCAL_WINDOW, SHARED_WINDOW, Thread};
use ptx_exec::value::Bits;

/// The words of a value of up to 128 bits.
type Words = [Bits; 4];

/// An operation on integers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum IntegerOperation {
    Add,
    Minimum,
    Maximum,
    /// Up to the given number, and then 0.
    Increment,
    /// Down from the given number, and then it again.
    Decrement,
    /// The truth table of a bitwise operation.
    Bitwise(u8),
}

impl IntegerOperation {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "ADD" => Self::Add,
            "MIN" => Self::Minimum,
            "MAX" => Self::Maximum,
            "INC" => Self::Increment,
            "DEC" => Self::Decrement,
            "AND" => Self::Bitwise(0xc0),
            "OR" => Self::Bitwise(0xfc),
            "XOR" => Self::Bitwise(0x3c),
            _ => return None,
        })
    }

    /// The new value of integers of one or two words.
    pub(super) fn apply(self, kind: IntegerType, old: &Words, new: &Words) -> Words {
        let whole = |of: &Words| if kind.width == 32 { of[0] } else { of[0].joined(32, of[1]) };
        let (old, new) = (whole(old), whole(new));
        let value = match self {
            Self::Add => old.plus(new),
            Self::Bitwise(table) => Bits::table(table, old, new, Bits::ZERO),
            _ => match old.known(kind.width).zip(new.known(kind.width)) {
                None => Bits::UNDEFINED,
                Some((old, new)) => Bits::from(self.of_numbers(kind, old, new)),
            },
        };
        [value.zero_extended(32), value.shifted_right(32).zero_extended(32), Bits::ZERO, Bits::ZERO]
    }

    fn of_numbers(self, kind: IntegerType, old: u64, new: u64) -> u64 {
        let less = kind.value(new) < kind.value(old);
        match self {
            Self::Minimum if less => new,
            Self::Maximum if !less => new,
            Self::Increment if old >= new => 0,
            Self::Increment => old + 1,
            Self::Decrement if old == 0 || old > new => new,
            Self::Decrement => old - 1,
            _ => old,
        }
    }
}

/// An atomic operation.
#[derive(Clone, Copy)]
enum MemoryOperation {
    Exchange,
    /// If the value in memory is equal to the first source, the second one replaces it.
    Compare,
    /// The same, but the result is whether it did: a number, or for newer targets a predicate.
    CompareAndTell,
    /// Adds the number of active lanes.
    CountLanes,
    OnIntegers(IntegerOperation, IntegerType),
    OnFloats(AtomicOnFloats),
}

impl MemoryOperation {
    /// By its modifiers, with how many words it is on.
    fn of(modifiers: &[&str]) -> Result<(Self, u8), Unfit> {
        let size = |rest: &[&str]| match rest {
            [] => Ok(1),
            ["64"] => Ok(2),
            ["128"] => Ok(4),
            _ => Err(Unfit::MODIFIERS),
        };
        Ok(match modifiers {
            ["POPC", "INC", "32"] => (Self::CountLanes, 1),
            ["EXCH", rest @ ..] => (Self::Exchange, size(rest)?),
            ["CAS", rest @ ..] => (Self::Compare, size(rest)?),
            ["CAST", rest @ ..] => (Self::CompareAndTell, size(rest)?),
            [operation, rest @ ..] if let Some((operation, words)) = AtomicOnFloats::of(operation, rest) => {
                (Self::OnFloats(operation), words)
            }
            [operation, rest @ ..] => {
                let operation = IntegerOperation::named(operation).ok_or(Unfit::MODIFIERS)?;
                let (width, signed) = match rest {
                    [] => (32, false),
                    ["S32"] => (32, true),
                    ["64"] => (64, false),
                    ["S64"] => (64, true),
                    _ => return Err(Unfit::MODIFIERS),
                };
                (Self::OnIntegers(operation, IntegerType { width, signed }), if width == 64 { 2 } else { 1 })
            }
            [] => return Err(Unfit::MODIFIERS),
        })
    }

    /// How many sources it has.
    fn sources(self) -> usize {
        match self {
            Self::Compare | Self::CompareAndTell => 2,
            Self::CountLanes => 0,
            _ => 1,
        }
    }
}

/// Where the result goes.
#[derive(Clone, Copy)]
enum ResultPlace {
    Nowhere,
    Registers(Register),
    Predicate(Predicate),
}

/// An atomic operation with its operands.
struct AtomicStep {
    operation: MemoryOperation,
    /// How many words it is on.
    words: u8,
    address: AccessPlace,
    to: ResultPlace,
    sources: Vec<Register>,
}

impl AtomicStep {
    /// From the operands: the address, and the sources after it.
    fn of(shape: &MachineShape, window: Window, to: ResultPlace, operands: &[MachineOperand]) -> Result<Self, Unfit> {
        let mut rest = &shape.modifiers[..];
        let extended = take(&mut rest, |name| (name == "E").then_some(())).is_some();
        let (operation, words) = MemoryOperation::of(rest)?;
        let [address, sources @ ..] = operands else { return Err(Unfit::OPERANDS) };
        if sources.len() != operation.sources() {
            return Err(Unfit::OPERANDS);
        }
        let sources = sources.iter().map(register).collect::<Result<_, _>>()?;
        Ok(Self { operation, words, address: AccessPlace::of(address, window, extended)?, to, sources })
    }

    /// Does it at an address.
    fn apply(&self, thread: &mut Thread, at: u64) -> Result<(), Halt> {
        let mut old = [Bits::ZERO; 4];
        for part in 0..self.words {
            let aligned = if part == 0 { u64::from(self.words) * 4 } else { 4 };
            old[usize::from(part)] = thread.memory.load(at.wrapping_add(u64::from(part) * 4), 4, aligned)?;
        }
        let (new, result) = self.computed(thread, old)?;
        for part in 0..self.words {
            let value = new[usize::from(part)];
            thread.memory.store(at.wrapping_add(u64::from(part) * 4), 4, 4, value)?;
        }
        match self.to {
            ResultPlace::Nowhere => {}
            ResultPlace::Predicate(to) => thread.set_predicate(to, result[0]),
            ResultPlace::Registers(to) => {
                for part in 0..self.words {
                    thread.set(to, part, result[usize::from(part)]);
                }
            }
        }
        Ok(())
    }

    /// The new value in memory, and the result.
    fn computed(&self, thread: &Thread, old: Words) -> Result<(Words, Words), Halt> {
        let source = |at: usize| {
            let from = self.sources.get(at).copied().unwrap_or(Register::ZERO);
            [0, 1, 2, 3].map(|part| thread.half(from, part))
        };
        Ok(match self.operation {
            MemoryOperation::Exchange => (source(0), old),
            MemoryOperation::Compare | MemoryOperation::CompareAndTell => {
                let equal = equal(&old, &source(0), self.words).ok_or(Halt::Undefined("a comparison"))?;
                let tells = matches!(self.operation, MemoryOperation::CompareAndTell);
                // As wide as the value: `ptxas` compares both registers of 64 bits with 1.
                let told = [Bits::from(equal), Bits::ZERO, Bits::ZERO, Bits::ZERO];
                (if equal { source(1) } else { old }, if tells { told } else { old })
            }
            MemoryOperation::CountLanes => {
                ([old[0].plus(Bits::from(1_u32)).zero_extended(32), Bits::ZERO, Bits::ZERO, Bits::ZERO], old)
            }
            MemoryOperation::OnIntegers(operation, kind) => (operation.apply(kind, &old, &source(0)), old),
            MemoryOperation::OnFloats(operation) => (float::elementwise(operation, &old, &source(0)), old),
        })
    }
}

/// True if all bits are equal, as far as that is defined.
fn equal(a: &Words, b: &Words, count: u8) -> Option<bool> {
    let pairs = || a.iter().zip(b).take(count.into());
    if pairs().any(|(a, b)| a.defined() & b.defined() & (a.value() ^ b.value()) != 0) {
        return Some(false);
    }
    pairs().all(|(a, b)| a.known(32).is_some() && b.known(32).is_some()).then_some(true)
}

/// `ATOMG.E.ADD.STRONG.GPU PT, R2, desc[UR4][R2.64], R15`, `ATOM.E.ADD.F32.FTZ.RN.STRONG.GPU P0, R0, [R4], R7`. A
/// predicate says whether it was done: in shared and local memory it is not, unless there is `PT`.
pub(super) fn generic(shape: &MachineShape) -> DecodedStep {
    let [done, to, rest @ ..] = shape.operands else { return Err(Unfit::OPERANDS) };
    let (done, to) = (predicate(done)?, register(to)?);
    let atomic = AtomicStep::of(shape, Window::Generic, ResultPlace::Registers(to), rest)?;
    effect(move |thread| {
        let at = atomic.address.get(thread)?;
        if done.index < 7 {
            let elsewhere = [SHARED_WINDOW, LOCAL_WINDOW].iter().any(|window| at >> 24 == window >> 24);
            thread.set_predicate(done, Bits::from(!elsewhere));
            if elsewhere {
                (0..atomic.words).for_each(|part| thread.set(to, part, Bits::UNDEFINED));
                return Ok(());
            }
        }
        atomic.apply(thread, at)
    })
}

/// `RED.E.ADD.STRONG.GPU [R8], R11`: without a result.
pub(super) fn reduce(shape: &MachineShape) -> DecodedStep {
    run(AtomicStep::of(shape, Window::Generic, ResultPlace::Nowhere, shape.operands)?)
}

/// `ATOMS.ADD R15, [R12+UR4], R13`, `ATOMS.POPC.INC.32 RZ, [UR4]`, `ATOMS.CAST.SPIN P0, [R2], R4, R5`
pub(super) fn shared(shape: &MachineShape) -> DecodedStep {
    let [to, rest @ ..] = shape.operands else { return Err(Unfit::OPERANDS) };
    let is_told = shape.modifiers.contains(&"CAST");
    let to = match to {
        MachineOperand::Predicate(to) if is_told => ResultPlace::Predicate(*to),
        to => ResultPlace::Registers(register(to)?),
    };
    run(AtomicStep::of(shape, Window::At(SHARED_WINDOW), to, rest)?)
}

fn run(atomic: AtomicStep) -> DecodedStep {
    effect(move |thread| {
        let at = atomic.address.get(thread)?;
        atomic.apply(thread, at)
    })
}

/// `QSPC.E.S P0, RZ, [R4]`: whether an address is in shared memory; `.D`: in that of another block.
pub(super) fn query_space(shape: &MachineShape) -> DecodedStep {
    let asks_for_own = match shape.modifiers[..] {
        ["E", "S"] => true,
        ["E", "D"] => false,
        _ => return Err(Unfit::MODIFIERS),
    };
    let [to, nowhere, address] = shape.operands()?;
    let (to, address) = (predicate(to)?, AccessPlace::of(address, Window::Generic, true)?);
    if !register(nowhere)?.is_zero() {
        return Err(Unfit::because("it has a result in a register"));
    }
    effect(move |thread| {
        let at = address.get(thread)?;
        thread.set_predicate(to, Bits::from(asks_for_own && at >> 24 == SHARED_WINDOW >> 24));
        Ok(())
    })
}
