//! `st`. PTX ISA `data-movement-and-conversion-instructions-st`.
//!
//! One thread sees no difference between orderings, scopes, caches, priorities and policies.

use super::memory::Access;
use super::{Effect, Expectation, Operands, Semantics, Unmodelled, ValueSource, Write};
use crate::value::ExpectedValue;
use crate::value::low;
use crate::value::read;

struct Store<'a> {
    access: Access<'a>,
    /// The source that each lane stores; a sink stores nothing.
    lanes: Vec<Option<ValueSource>>,
    /// The size of a lane in bits.
    bits: u32,
}

pub(super) fn prepare<'a>(operands: &Operands<'_, 'a>) -> Result<Box<dyn Semantics + 'a>, Unmodelled> {
    let (_, bits) = operands.type_of(operands.value("type"))?;
    let lanes = operands.written("b")?;
    let size = bits as usize / 8 * lanes.len();
    Ok(Box::new(Store { access: Access::new(operands, "a", size)?, lanes, bits }))
}

impl Semantics for Store<'_> {
    fn expect(&self, row: &[u128]) -> Expectation {
        let place = match self.access.of(row) {
            Ok(place) => place,
            Err(why) => return Expectation::any(why),
        };
        let mut effect = Effect::nothing();
        let size = self.bits as usize / 8;
        for (lanes, at) in self.lanes.chunks(Write::MOST / size).zip((place.at..).step_by(Write::MOST)) {
            let mut bits = 0;
            for (lane, within) in lanes.iter().zip((0..).step_by(size)) {
                // At a sink's position, memory is unchanged.
                let old = || read(place.data(), at + within, size);
                bits |= lane.map_or_else(old, |lane| low(lane.of(row), self.bits)) << (8 * within);
            }
            let (count, value) = (size * lanes.len(), ExpectedValue::exact(bits));
            effect.add_write(Write { object: place.object(), at, count, value });
        }
        Expectation::returned(effect)
    }
}
