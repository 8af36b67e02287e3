//! `atom`, and `red`, which returns nothing. PTX ISA `parallel-synchronization-and-communication-instructions-atom`.
//!
//! One thread sees no difference between orderings, scopes, caches and policies.

use super::memory::{Access, Accessed};
use super::{Effect, Expectation, Inferences, Lane, Operands, Semantics, Undefined, Unmodelled, ValueSource, Write};
use crate::object::Space;
use crate::semantics::{FloatOperation, Operation};
use crate::value::ExpectedValue;
use crate::value::FloatFormat;
use crate::value::low;
use crate::value::read;
use ptx_spec::spec::Kind;

struct Atomic<'a> {
    access: Access<'a>,
    operation: AtomicOperation,
    /// Where the old value of each lane goes, and the operation's inputs.
    lanes: Vec<(Option<Lane>, ValueSource)>,
    /// The size of a lane in bits.
    bits: u32,
    outputs: usize,
}

/// The operation whose result is stored instead of the old value.
enum AtomicOperation {
    /// The result of an operation on integers or bits.
    Bits {
        operation: Operation,
        signed: bool,
        /// The value that is stored if the comparison succeeds.
        other: ValueSource,
    },
    /// The results of an operation on floats, of which a lane has one or two.
    Floats {
        operation: FloatOperation,
        /// True if subnormal numbers in global memory are lost.
        flushes: bool,
    },
}

pub(super) fn prepare<'a>(operands: &Operands<'_, 'a>) -> Result<Box<dyn Semantics + 'a>, Unmodelled> {
    let (name, kind, bits) = operands.operand_type("b")?;
    let operation = Operation::named(operands.value("op"))?;
    let sources = operands.sources("b")?;
    let returns = operands.form.operands.iter().any(|operand| operand.name == "d");
    let lanes: Vec<Lane> = if returns { operands.destination("d")? } else { Vec::new() };
    let size = bits as usize / 8 * sources.len();
    let lanes = sources.into_iter().enumerate().map(|(at, source)| (lanes.get(at).copied(), source)).collect();
    let operation = match FloatFormat::of(name).filter(|_| operation != Operation::Exchange) {
        Some(format) => AtomicOperation::Floats {
            operation: FloatOperation::new(operation, format)?,
            flushes: name == ".f32" && operands.value("noftz") != ".noftz",
        },
        None => AtomicOperation::Bits {
            operation,
            signed: kind == Kind::Signed,
            other: match operation {
                Operation::CompareAndSwap => operands.source("c")?,
                _ => ValueSource::Immediate(0),
            },
        },
    };
    let access = Access::new(operands, "a", size)?;
    Ok(Box::new(Atomic { access, operation, lanes, bits, outputs: operands.case.outputs.len() }))
}

impl Atomic<'_> {
    /// The value that one lane stores in memory that held `old`.
    fn lane(
        &self,
        old: u128,
        new: u128,
        row: &[u128],
        place: Accessed<'_>,
    ) -> (ExpectedValue, Option<Undefined>, Inferences) {
        match &self.operation {
            AtomicOperation::Bits { operation, signed, other } => {
                let bits = operation.apply(old, [new, low(other.of(row), self.bits)], (self.bits, *signed));
                (ExpectedValue::exact(bits), None, Inferences::NONE)
            }
            AtomicOperation::Floats { operation, flushes } => {
                let flushes = *flushes && place.space() == Space::Global;
                let (value, why, lost) = operation.elements(self.bits, flushes, [old, new]);
                (value, why, Inferences::ATOMIC_FLUSH.when(lost))
            }
        }
    }
}

impl Semantics for Atomic<'_> {
    fn expect(&self, row: &[u128]) -> Expectation {
        let place = match self.access.of(row) {
            Ok(place) => place,
            Err(why) => return Expectation::any(why),
        };
        let mut effect = Effect::of_registers(self.outputs);
        let (mut value, mut inferred) = (ExpectedValue::exact(0), Inferences::NONE);
        let size = self.bits as usize / 8;
        for ((lane, source), shift) in self.lanes.iter().zip((0..).step_by(self.bits as usize)) {
            let old = read(place.data(), place.at + shift as usize / 8, size);
            let (left, why, by) = self.lane(old, low(source.of(row), self.bits), row, place);
            if let Some(output) = lane.and_then(|lane| lane.output) {
                effect.set(output, old);
            }
            value = value.joined(shift, &left);
            effect.undefined = effect.undefined.or(why);
            inferred = inferred.and(by);
        }
        effect.add_write(Write { object: place.object(), at: place.at, count: size * self.lanes.len(), value });
        Expectation::returned(effect).inferred(inferred)
    }
}
