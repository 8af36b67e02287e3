//! `ld`. PTX ISA `data-movement-and-conversion-instructions-ld`.
//!
//! Signed integers are sign-extended, everything else is zero-extended: PTX ISA
//! `operand-size-exceeding-instruction-type-size`. One thread sees no difference between orderings, scopes,
//! caches, priorities, prefetches and policies: they do not change the value.

use super::memory::Access;
use super::{Effect, Expectation, Lane, Operands, Semantics, Unmodelled};
use crate::value::read;
use crate::value::{low, sign_extend};
use ptx_spec::spec::Kind;

struct Load<'a> {
    access: Access<'a>,
    lanes: Vec<Lane>,
    /// The size of a lane in bits.
    bits: u32,
    signed: bool,
    outputs: usize,
}

pub(super) fn prepare<'a>(operands: &Operands<'_, 'a>) -> Result<Box<dyn Semantics + 'a>, Unmodelled> {
    let (kind, bits) = operands.type_of(operands.value("type"))?;
    let lanes = operands.destination("d")?;
    let size = bits as usize / 8 * lanes.len();
    Ok(Box::new(Load {
        access: Access::new(operands, "a", size)?,
        lanes,
        bits,
        signed: kind == Kind::Signed,
        outputs: operands.case.outputs.len(),
    }))
}

impl Semantics for Load<'_> {
    fn expect(&self, row: &[u128]) -> Expectation {
        let place = match self.access.of(row) {
            Ok(place) => place,
            Err(why) => return Expectation::any(why),
        };
        let count = self.bits as usize / 8;
        let mut effect = Effect::of_registers(self.outputs);
        for (lane, at) in self.lanes.iter().zip((place.at..).step_by(count)) {
            let loaded = read(place.data(), at, count);
            // Signed integers are sign-extended, all others zero-extended.
            let extended = if self.signed { sign_extend(loaded, self.bits).cast_unsigned() } else { loaded };
            effect.set_lane(lane, low(extended, lane.bits));
        }
        Expectation::returned(effect)
    }
}
