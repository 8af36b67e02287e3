//! `ld`. PTX ISA `data-movement-and-conversion-instructions-ld`.
//!
//! Signed integers are extended by their sign, all else by zeros: PTX ISA
//! `operand-size-exceeding-instruction-type-size`. One thread sees no difference between orderings, scopes, caches, priorities, prefetches and
//! policies: they do not change the value.

use super::operands::Address;
use super::surface::{low, read, sign_extend};
use super::{Effect, Expectation, Lane, Operands, Semantics, Undefined, Unmodelled};
use ptx_spec::spec::Kind;

struct Load<'a> {
    address: Address<'a>,
    lanes: Vec<Lane>,
    /// The size of a lane in bits.
    bits: u32,
    signed: bool,
    outputs: usize,
}

pub(super) fn prepare<'a>(operands: &Operands<'_, 'a>) -> Result<Box<dyn Semantics + 'a>, Unmodelled> {
    let (kind, bits) = operands.type_of(operands.value("type"))?;
    let lanes = operands.destination("d")?;
    Ok(Box::new(Load {
        address: operands.address("a")?,
        lanes,
        bits,
        signed: kind == Kind::Signed,
        outputs: operands.case.outputs.len(),
    }))
}

impl Semantics for Load<'_> {
    fn expect(&self, row: &[u128]) -> Expectation {
        let Some(data) = self.address.data else { return Expectation::any(Undefined::ImmediateAddress) };
        let count = self.bits / 8;
        let size = u64::from(count) * self.lanes.len() as u64;
        let added = u64::try_from(self.address.source.of(row) & u128::from(u64::MAX)).unwrap_or_default();
        let at = added.wrapping_add(self.address.offset.cast_unsigned());
        // Where a variable begins is known as far as its alignment goes.
        if at % size.max(1) != 0 || self.address.alignment < size {
            return Expectation::any(Undefined::MisalignedAddress);
        }
        let length = data.len() as u64;
        if at > length || length - at < size {
            return Expectation::any(Undefined::OutsideVariable);
        }
        let mut effect = Effect::of_registers(self.outputs);
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        for (lane, at) in self.lanes.iter().zip((at..).step_by(count as usize)) {
            let loaded = read(data, at, count);
            // Signed integers are extended by their sign, all others by zeros.
            let extended = if self.signed { sign_extend(loaded, self.bits).cast_unsigned() } else { loaded };
            effect.set_lane(lane, low(extended, lane.bits));
        }
        Expectation::returned(effect)
    }
}
