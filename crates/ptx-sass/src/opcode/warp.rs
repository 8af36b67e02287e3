//! Operations of several lanes together. One lane is there.

use super::shape::{DecodedStep, MachineShape, Unfit, effect, predicate, register};
use super::source::MachineSource;
use crate::machine::Halt;
use ptx_exec::value::Bits;

/// `VOTEU.ANY UR4, UPT, PT`: the lanes whose source is true, and whether there is any; `VOTEU.ALL UP0, P0`.
pub(super) fn vote(shape: &MachineShape) -> DecodedStep {
    let ["ANY" | "ALL"] = shape.modifiers[..] else { return Err(Unfit::MODIFIERS) };
    let (to, decided, source) = match shape.operands {
        [to, decided, source] => (Some(register(to)?), predicate(decided)?, predicate(source)?),
        [decided, source] => (None, predicate(decided)?, predicate(source)?),
        _ => return Err(Unfit::OPERANDS),
    };
    effect(move |thread| {
        let value = thread.predicate(source);
        thread.set_predicate(decided, value);
        if let Some(to) = to {
            let lane = thread.position.lane();
            thread.set(to, 0, value.shifted_left(lane));
        }
        Ok(())
    })
}

/// `REDUX.OR UR8, R10`: the value of the only lane.
pub(super) fn of_one_lane(shape: &MachineShape) -> DecodedStep {
    let ([], [to, from]) = (&shape.modifiers[..], shape.operands()?) else { return Err(Unfit::MODIFIERS) };
    let (to, from) = (register(to)?, MachineSource::plain(from, 32)?);
    effect(move |thread| {
        let value = from.get(thread)?;
        thread.set(to, 0, value);
        Ok(())
    })
}

/// `R2UR UR9, R15`, `R2UR P1, UR6, R0`, `R2UR.OR P1, UR7, R9`: the value of the first lane, and whether another lane has
/// another value, or with `.OR` had one before.
pub(super) fn to_uniform(shape: &MachineShape) -> DecodedStep {
    let accumulates = match shape.modifiers[..] {
        [] => false,
        ["OR"] => true,
        _ => return Err(Unfit::MODIFIERS),
    };
    let (results, rest) = shape.split(0);
    let ([] | [_], [to, from]) = (&results[..], rest) else { return Err(Unfit::OPERANDS) };
    let (to, from) = (register(to)?, MachineSource::plain(from, 32)?);
    let differs = results.first().copied().filter(|_| !accumulates);
    effect(move |thread| {
        let value = from.get(thread)?;
        if let Some(differs) = differs {
            thread.set_predicate(differs, Bits::from(false));
        }
        thread.set(to, 0, value);
        Ok(())
    })
}

/// How `SHFL` finds the lane that it reads.
#[derive(Clone, Copy)]
enum LaneChoice {
    Index,
    Up,
    Down,
    Exclusive,
}

impl LaneChoice {
    /// The lane that is read, and whether it is in the segment; if not, it is the own one.
    fn find(self, own: u32, number: u32, bounds: u32) -> (u32, bool) {
        let (clamp, segment) = (bounds & 31, bounds >> 8 & 31);
        let last = own & segment | clamp & !segment;
        let (found, inside) = match self {
            Self::Index => {
                let found = own & segment | number & !segment;
                (found, found <= last)
            }
            Self::Up => (own.wrapping_sub(number), own.checked_sub(number).is_some_and(|found| found >= last)),
            Self::Down => (own + number, own + number <= last),
            Self::Exclusive => (own ^ number, own ^ number <= last),
        };
        (if inside { found } else { own }, inside)
    }
}

/// `SHFL.IDX PT, R8, R7, 0x1f, 0x1f`: the value of another lane, and whether that is in range; otherwise its own. The other lane is
/// not there: its value is undefined.
pub(super) fn shuffle(shape: &MachineShape) -> DecodedStep {
    let lane = match shape.modifiers[..] {
        ["IDX"] => LaneChoice::Index,
        ["UP"] => LaneChoice::Up,
        ["DOWN"] => LaneChoice::Down,
        ["BFLY"] => LaneChoice::Exclusive,
        _ => return Err(Unfit::MODIFIERS),
    };
    let [inside, to, from, number, bounds] = shape.operands()?;
    let (is_inside, to, from) = (predicate(inside)?, register(to)?, MachineSource::plain(from, 32)?);
    let (number, bounds) = (MachineSource::plain(number, 32)?, MachineSource::plain(bounds, 32)?);
    effect(move |thread| {
        let known = |value: Bits| value.word().ok_or(Halt::Undefined("the number of a lane"));
        let (number, bounds) = (known(number.get(thread)?)? & 31, known(bounds.get(thread)?)?);
        let own = thread.position.lane();
        let (found, inside) = lane.find(own, number, bounds);
        let value = if found == own { from.get(thread)? } else { Bits::UNDEFINED };
        thread.set_predicate(is_inside, Bits::from(inside));
        thread.set(to, 0, value);
        Ok(())
    })
}

/// `MATCH.ANY R0, R2`: the lanes that have the same value.
pub(super) fn lanes_alike(shape: &MachineShape) -> DecodedStep {
    let (["ANY"], [to, from]) = (&shape.modifiers[..], shape.operands()?) else { return Err(Unfit::MODIFIERS) };
    let (to, _) = (register(to)?, MachineSource::plain(from, 32)?);
    effect(move |thread| {
        let lane = Bits::from(1_u32 << thread.position.lane());
        thread.set(to, 0, lane);
        Ok(())
    })
}
