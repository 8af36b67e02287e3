//! `st`. PTX ISA `data-movement-and-conversion-instructions-st`.
//!
//! One thread sees no difference between orderings, scopes, caches, priorities and policies.

use super::bytes::read;
use super::integer::low;
use super::memory::Access;
use super::{Effect, Expectation, ExpectedBits, Operands, Semantics, Unmodelled, ValueSource, Write};

/// The bytes that one [`Write`] can hold.
const MOST: usize = 16;

struct Store<'a> {
    access: Access<'a>,
    /// What each lane stores; a sink stores nothing.
    lanes: Vec<Option<ValueSource>>,
    /// The size of a lane in bits.
    bits: u32,
}

pub(super) fn prepare<'a>(operands: &Operands<'_, 'a>) -> Result<Box<dyn Semantics + 'a>, Unmodelled> {
    let (_, bits) = operands.type_of(operands.value("type"))?;
    let lanes = operands.written("b")?;
    let size = bits / 8 * u32::try_from(lanes.len()).unwrap_or(1);
    Ok(Box::new(Store { access: Access::new(operands, "a", size)?, lanes, bits }))
}

impl Semantics for Store<'_> {
    fn expect(&self, row: &[u128]) -> Expectation {
        let place = match self.access.of(row) {
            Ok(place) => place,
            Err(why) => return Expectation::any(why),
        };
        let mut effect = Effect::of_registers(0);
        let size = self.bits as usize / 8;
        for (lanes, at) in self.lanes.chunks(MOST / size).zip((place.at..).step_by(MOST)) {
            let mut bits = 0;
            for (lane, within) in lanes.iter().zip((0..).step_by(size)) {
                // At a sink's position, memory is unchanged.
                let old = || read(place.data(), at + within, self.bits / 8);
                bits |= lane.map_or_else(old, |lane| low(lane.of(row), self.bits)) << (8 * within);
            }
            let count = u8::try_from(size * lanes.len()).unwrap_or_default();
            effect.writes(Write { object: place.object(), at, count, bytes: ExpectedBits { bits, known: u128::MAX } });
        }
        Expectation::returned(effect)
    }
}
