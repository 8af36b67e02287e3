//! `atom`. PTX ISA `parallel-synchronization-and-communication-instructions-atom`.
//!
//! One thread sees no difference between orderings, scopes, caches and policies.

use super::bytes::read;
use super::float::FloatFormat;
use super::integer::{Operation, low};
use super::memory::{Access, Accessed};
use super::{
    Effect, Expectation, ExpectedBits, Inferences, Lane, Operands, Semantics, Undefined, Unmodelled, ValueSource, Write,
};
use crate::object::Space;
use ptx_spec::spec::Kind;

struct Atomic<'a> {
    access: Access<'a>,
    operation: Operation,
    /// Where the old value of each lane goes, and the operation's inputs.
    lanes: Vec<(Option<Lane>, ValueSource)>,
    /// What is stored if the comparison succeeds.
    other: ValueSource,
    /// The size of a lane in bits.
    bits: u32,
    signed: bool,
    /// The format of floats; a lane has one or two.
    float: Option<FloatFormat>,
    /// Whether floats in global memory lose subnormal numbers.
    flushes: bool,
    outputs: usize,
}

pub(super) fn prepare<'a>(operands: &Operands<'_, 'a>) -> Result<Box<dyn Semantics + 'a>, Unmodelled> {
    let (name, kind, bits) = operands.operand_type("b")?;
    let operation = Operation::named(operands.value("op"))?;
    let sources = operands.sources("b")?;
    let lanes: Vec<Lane> = operands.destination("d")?;
    let size = bits / 8 * u32::try_from(sources.len()).unwrap_or(1);
    let other = if operation == Operation::CompareAndSwap { operands.source("c")? } else { ValueSource::Immediate(0) };
    let lanes = sources.into_iter().enumerate().map(|(at, source)| (lanes.get(at).copied(), source)).collect();
    let float = FloatFormat::of(name).filter(|_| operation != Operation::Exchange);
    let flushes = name == ".f32";
    let (signed, outputs) = (kind == Kind::Signed, operands.case.outputs.len());
    let access = Access::new(operands, "a", size)?;
    Ok(Box::new(Atomic { access, operation, lanes, other, bits, signed, float, flushes, outputs }))
}

impl Atomic<'_> {
    /// What one lane stores in memory that held `old`.
    fn lane(
        &self,
        old: u128,
        new: u128,
        row: &[u128],
        place: Accessed<'_>,
    ) -> (ExpectedBits, Option<Undefined>, Inferences) {
        let Some(format) = self.float else {
            let bits = self.operation.apply(old, [new, low(self.other.of(row), self.bits)], (self.bits, self.signed));
            return (ExpectedBits { bits, known: u128::MAX }, None, Inferences::NONE);
        };
        let flushed = |bits: u128| {
            if self.flushes && place.space() == Space::Global { format.flushed(bits) } else { bits }
        };
        let (mut all, mut undefined, mut lost) = (ExpectedBits::default(), None, false);
        for shift in (0..self.bits).step_by(format.bits() as usize) {
            let [old, new] = [old, new].map(|bits| low(bits >> shift, format.bits()));
            // The operation was checked when the line was prepared, so others cannot occur.
            let applied = format.apply(self.operation, flushed(old), flushed(new)).unwrap_or_default();
            let (ExpectedBits { bits, known }, why) = applied;
            lost |= [old, new, bits].into_iter().any(|bits| flushed(bits) != bits);
            all.bits |= low(flushed(bits), format.bits()) << shift;
            all.known |= low(known, format.bits()) << shift;
            undefined = undefined.or(why);
        }
        (all, undefined, Inferences::ATOMIC_FLUSH.when(lost))
    }
}

impl Semantics for Atomic<'_> {
    fn expect(&self, row: &[u128]) -> Expectation {
        let place = match self.access.of(row) {
            Ok(place) => place,
            Err(why) => return Expectation::any(why),
        };
        let mut effect = Effect::of_registers(self.outputs);
        let (mut bytes, mut inferred) = (ExpectedBits::default(), Inferences::NONE);
        let size = self.bits / 8;
        for ((lane, source), within) in self.lanes.iter().zip((0..).step_by(size as usize)) {
            let old = read(place.data(), place.at + within, size);
            let (left, why, by) = self.lane(old, low(source.of(row), self.bits), row, place);
            if let Some(output) = lane.and_then(|lane| lane.output) {
                effect.set(output, old);
            }
            bytes.bits |= left.bits << (8 * within);
            bytes.known |= low(left.known, self.bits) << (8 * within);
            effect.undefined = effect.undefined.or(why);
            inferred = inferred.and(by);
        }
        let count = u8::try_from(size as usize * self.lanes.len()).unwrap_or_default();
        effect.writes(Write { object: place.object(), at: place.at, count, bytes });
        Expectation::returned(effect).inferred(inferred)
    }
}
