//! Effects of lines: registers, and bytes of objects.

use smallvec::SmallVec;

use super::{Lane, Undefined};
use crate::value::ExpectedValue;
use crate::value::read;

/// The effect of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Few lines write more than two registers, and a larger effect takes longer to move than a row to compute.
    registers: SmallVec<[ExpectedValue; 2]>,
    writes: SmallVec<[Write; 1]>,
    /// The reason why some of its bits are undefined, if any are.
    pub undefined: Option<Undefined>,
}

/// An object that a line can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// The surface of the case.
    Surface,
    /// A variable, by its position in the case.
    Variable(usize),
}

/// Bytes written to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// The object.
    pub object: Object,
    /// The position of the first byte in the data of the object.
    pub at: usize,
    /// How many there are: up to [`Self::MOST`].
    pub count: usize,
    /// The bytes as a little-endian number.
    pub value: ExpectedValue,
}

impl Effect {
    /// This many registers that hold 0; nothing written.
    #[inline]
    pub(super) fn of_registers(count: usize) -> Self {
        let registers = SmallVec::from_elem(ExpectedValue::exact(0), count);
        Self { registers, writes: SmallVec::new(), undefined: None }
    }

    /// No registers and no writes.
    #[inline]
    pub(super) fn nothing() -> Self {
        Self::of_registers(0)
    }

    /// No registers; one write.
    #[inline]
    pub(super) fn of_write(write: Write) -> Self {
        let mut effect = Self::nothing();
        effect.add_write(write);
        effect
    }

    /// Leaves the register of a lane undefined, for a reason.
    pub(super) fn leave(&mut self, lane: &Lane, why: Undefined) {
        let Some(output) = lane.output else { return };
        self.undefined = Some(why);
        self.registers[output] = ExpectedValue::anything(0, lane.bits);
    }

    /// Sets the register of a lane. A register that several lanes write may hold anything.
    #[inline]
    pub(super) fn set_lane(&mut self, lane: &Lane, bits: u128) {
        let Some(output) = lane.output else { return };
        if lane.shared {
            self.undefined = Some(Undefined::DuplicateDestination);
            self.registers[output] = ExpectedValue::anything(bits, lane.bits);
        } else {
            self.set(output, bits);
        }
    }

    /// Expects a value, of which some bits are left open, in the register of a lane.
    pub(super) fn expect_lane(&mut self, lane: &Lane, value: ExpectedValue, why: Option<Undefined>) {
        let Some(output) = lane.output else { return };
        if lane.shared {
            return self.set_lane(lane, value.example());
        }
        self.undefined = self.undefined.or(why);
        self.registers[output] = value;
    }

    /// Adds written bytes.
    #[inline]
    pub(super) fn add_write(&mut self, write: Write) {
        assert!(write.count <= Write::MOST, "{} bytes in one write", write.count);
        self.writes.push(write);
    }

    /// All writes.
    #[inline]
    pub fn written(&self) -> &[Write] {
        &self.writes
    }

    /// The writes to an object.
    pub fn written_to(&self, object: Object) -> impl Iterator<Item = &Write> {
        self.writes.iter().filter(move |write| write.object == object)
    }

    /// The position of the first wrong byte of an object, given its contents before and after.
    pub(super) fn differs(&self, object: Object, before: &[u8], after: &[u8]) -> Option<usize> {
        let wrong = self.written_to(object).filter_map(|write| write.first(write.value.wrong(write.number(after))));
        let wrong = wrong.min();
        if before == after {
            return wrong;
        }
        let changed = (0..before.len()).find(|&at| after[at] != before[at] && !self.writes_byte(object, at));
        wrong.into_iter().chain(changed).min()
    }

    /// The position of the first byte of an object that must be defined, but is not.
    pub(super) fn needs(&self, object: Object, after: &[u8], undefined: &[u8]) -> Option<usize> {
        let needed = |write: &Write| write.value.needed(write.number(after), write.number(undefined));
        let written = self.written_to(object).filter_map(|write| write.first(needed(write))).min();
        let kept = (0..undefined.len()).find(|&at| undefined[at] != 0 && !self.writes_byte(object, at));
        written.into_iter().chain(kept).min()
    }

    fn writes_byte(&self, object: Object, at: usize) -> bool {
        self.written_to(object).any(|write| write.bytes().contains(&at))
    }

    /// The contents of an object after the effect, given those before; undefined bits as in the example.
    pub(super) fn applied(&self, object: Object, before: &[u8]) -> Option<Vec<u8>> {
        let mut after = before.to_vec();
        for write in self.written_to(object) {
            after[write.bytes()].copy_from_slice(&write.value.example().to_le_bytes()[..write.count]);
        }
        (after != before).then_some(after)
    }

    /// Sets a register.
    #[inline]
    pub(super) fn set(&mut self, register: usize, bits: u128) {
        self.registers[register] = ExpectedValue::exact(bits);
    }

    /// The registers, in the order of the case's outputs.
    pub fn registers(&self) -> &[ExpectedValue] {
        &self.registers
    }
}

impl Write {
    /// The bytes that one write can have.
    pub const MOST: usize = 16;

    /// The positions of its bytes in the object.
    pub fn bytes(&self) -> std::ops::Range<usize> {
        self.at..self.at + self.count
    }

    /// The number that an object with this data has where it writes.
    pub fn number(&self, data: &[u8]) -> u128 {
        read(data, self.at, self.count)
    }

    /// The position in the object of the first byte that has one of these bits of the number.
    fn first(&self, bits: u128) -> Option<usize> {
        (bits != 0).then(|| self.at + bits.trailing_zeros() as usize / 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::FloatFormat;

    fn write(at: usize, count: usize, value: ExpectedValue) -> Write {
        Write { object: Object::Surface, at, count, value }
    }

    #[test]
    fn an_infinity_is_not_a_nan_in_memory() {
        let nan = ExpectedValue::nan(0x7e00, FloatFormat::F16);
        let effect = Effect::of_write(write(2, 4, nan.joined(16, &nan)));
        for (after, differs) in [
            ([0, 0, 0x00, 0x7e, 0x00, 0x7e, 0, 0], None),
            ([0, 0, 0x01, 0xfc, 0xff, 0x7f, 0, 0], None),
            ([0, 0, 0x00, 0x7e, 0x00, 0x7c, 0, 0], Some(4)),
            ([0, 0, 0x00, 0xfc, 0x00, 0x7e, 0, 0], Some(2)),
            ([0, 0, 0x00, 0x3c, 0x00, 0x7e, 0, 0], Some(3)),
            ([0, 1, 0x00, 0x7e, 0x00, 0x7c, 0, 0], Some(1)),
        ] {
            assert_eq!(effect.differs(Object::Surface, &[0; 8], &after), differs, "{after:x?}");
        }
        let single = Effect::of_write(write(0, 4, ExpectedValue::nan(0x7fc0_0000, FloatFormat::F32)));
        assert_eq!(single.differs(Object::Surface, &[0; 4], &[0x00, 0x00, 0x80, 0x7f]), Some(0));
        assert_eq!(single.differs(Object::Surface, &[0; 4], &[0x01, 0x00, 0x80, 0x7f]), None);
    }

    #[test]
    fn every_write_is_compared() {
        let mut effect = Effect::of_write(write(0, 2, ExpectedValue::exact(0x0201)));
        effect.add_write(write(4, 2, ExpectedValue::nan(0x7fc0, FloatFormat::BF16)));
        assert_eq!(effect.differs(Object::Surface, &[9; 6], &[1, 2, 9, 9, 0x80, 0x3f]), Some(5));
        assert_eq!(effect.differs(Object::Surface, &[9; 6], &[1, 2, 9, 9, 0x80, 0x7f]), Some(4));
        assert_eq!(effect.differs(Object::Surface, &[9; 6], &[1, 2, 9, 9, 0x81, 0xff]), None);
        assert_eq!(effect.differs(Object::Surface, &[9; 6], &[1, 2, 0, 9, 0x81, 0xff]), Some(2));
        assert_eq!(effect.differs(Object::Surface, &[9; 6], &[9; 6]), Some(0), "nothing was written");
        let applied = effect.applied(Object::Surface, &[9; 6]).expect("it writes");
        assert_eq!(effect.differs(Object::Surface, &[9; 6], &applied), None);
        assert_eq!(effect.needs(Object::Surface, &applied, &[0, 0, 1, 0, 0, 0]), Some(2), "it must stay");
        assert_eq!(effect.needs(Object::Surface, &applied, &[0, 0, 0, 0, 0x3f, 0x80]), None);
        assert_eq!(effect.needs(Object::Surface, &applied, &[0, 0, 0, 0, 0x40, 0]), Some(4));
    }
}
