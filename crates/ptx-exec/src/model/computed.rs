//! Lines that only compute: their [`Computation`], with the registers of a case. PTX ISA `instruction-set`.

use smallvec::SmallVec;

use super::{Allowed, Effect, Ending, Expectation, Inferences, Lane, Operands, Semantics, Unmodelled, ValueSource};
use crate::semantics::{Computation, NumberType, READS_CARRY};
use crate::value::{ExpectedValue, low, sign_extend};
use ptx_spec::spec::Role;

struct Computed {
    computation: Computation,
    sources: SmallVec<[ValueSource; 4]>,
    lanes: SmallVec<[Lane; 2]>,
    outputs: usize,
    inferred: Inferences,
}

/// The semantics of a line that only computes.
pub(super) fn prepare<'a>(
    operands: &Operands<'_, 'a>,
    computation: Computation,
) -> Result<Box<dyn Semantics + 'a>, Unmodelled> {
    if computation.reads_carry() {
        return Err(Unmodelled(READS_CARRY.to_owned()));
    }
    let (mut sources, mut lanes, mut inferred) = (SmallVec::new(), SmallVec::new(), computation.inferred());
    for operand in operands.form.operands.iter().filter(|of| !of.left_out(operands.form, operands.values)) {
        match operand.role {
            Role::Source => {
                let found = operands.sources(&operand.name)?;
                for of in computation.sources().iter().skip(sources.len()).take(found.len()) {
                    inferred = inferred.and(operands.inferred_of_sources(&operand.name, of.size())?);
                }
                sources.extend(found);
            }
            Role::Destination => lanes.extend(operands.destination(&operand.name)?),
            _ => return Err(Unmodelled(format!("{} is neither read nor written", operand.name))),
        }
    }
    if (sources.len(), lanes.len()) != (computation.sources().len(), computation.results().len()) {
        return Err(Unmodelled("the line has other elements than its computation".to_owned()));
    }
    Ok(Box::new(Computed { computation, sources, lanes, outputs: operands.case.outputs.len(), inferred }))
}

impl Semantics for Computed {
    fn expect(&self, row: &[u128]) -> Expectation {
        let mut values = [0; Computation::SOURCES];
        let sources = &mut values[..self.sources.len()];
        sources.iter_mut().zip(&self.sources).for_each(|(value, source)| *value = source.of(row));
        let mut effect = Effect::of_registers(self.outputs);
        match self.computation.is_exact() {
            true => self.numbers(sources, &mut effect),
            false => self.floats(sources, &mut effect),
        }
        Expectation { allowed: Allowed::Only(Ending::Returns(effect)), inferred: self.inferred }
    }
}

impl Computed {
    /// The results of a line that computes exact numbers.
    #[inline]
    fn numbers(&self, sources: &[u128], effect: &mut Effect) {
        let mut results = [0; Computation::RESULTS];
        let results = &mut results[..self.lanes.len() + usize::from(self.computation.writes_carry())];
        let undefined = self.computation.compute(sources, results).err();
        for ((lane, of), result) in self.lanes.iter().zip(self.computation.results()).zip(results) {
            match undefined {
                Some(why) => effect.leave(lane, why),
                None => set(effect, lane, *of, *result),
            }
        }
    }

    /// The expectations of a line that computes floats, or with them.
    fn floats(&self, sources: &[u128], effect: &mut Effect) {
        let mut results = [ExpectedValue::exact(0); Computation::RESULTS];
        let results = &mut results[..self.lanes.len()];
        let undefined = self.computation.expect(sources, results);
        for ((lane, of), result) in self.lanes.iter().zip(self.computation.results()).zip(results) {
            match (undefined, result.only()) {
                (Err(why), _) => effect.leave(lane, why),
                (Ok(_), Some(bits)) => set(effect, lane, *of, bits),
                (Ok(why), None) => effect.expect_lane(lane, *result, why),
            }
        }
    }
}

/// Sets the register of a lane to a result of a type: a wider register gets the sign of a signed number.
#[inline]
fn set(effect: &mut Effect, lane: &Lane, of: NumberType, bits: u128) {
    match of.signed && of.elements == 1 && lane.bits > of.bits {
        true => effect.set_lane(lane, low(sign_extend(bits, of.bits).cast_unsigned(), lane.bits)),
        false => effect.set_lane(lane, bits),
    }
}
