//! Effects of lines: registers, and bytes of objects.

use super::{Lane, Undefined};

/// The effect of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    registers: [ExpectedBits; Self::REGISTERS],
    count: u8,
    /// What it writes to an object.
    pub write: Option<Write>,
    /// Further writes.
    rest: Option<Box<[Write]>>,
    /// Which of the floats in the first write must be NaNs.
    pub nans: Nans,
    /// Why some of its bits are undefined, if any are.
    pub undefined: Option<Undefined>,
}

/// The bits of a register: those in `known` are defined, the others may be anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExpectedBits {
    /// The bits.
    pub bits: u128,
    /// Which of them are defined.
    pub known: u128,
}

/// Floats that must be NaNs with any payload, among consecutive floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nans {
    /// The size of each in bytes: 2 or 4; 0 without NaNs.
    pub size: u8,
    /// A bit mask; the lowest bit is the first float.
    pub which: u8,
}

impl Nans {
    /// Finds a float that must be a NaN but is an infinity; exponents are checked elsewhere. Returns the
    /// position of its first byte.
    pub(crate) fn missing(self, bytes: &[u8]) -> Option<usize> {
        let fraction = if self.size == 2 { 0x3ff } else { 0x7f_ffff };
        (0..8_usize).filter(|at| self.which >> at & 1 == 1).map(|at| at * usize::from(self.size)).find(|&start| {
            let float = bytes.iter().skip(start).take(usize::from(self.size)).rev();
            float.fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte)) & fraction == 0
        })
    }
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
    /// How many there are: up to 16.
    pub count: u8,
    /// The bytes as a little-endian number.
    pub bytes: ExpectedBits,
}

impl Effect {
    /// Registers that a line can write.
    pub const REGISTERS: usize = 8;

    /// This many registers that hold 0; nothing written.
    pub(super) fn of_registers(count: usize) -> Self {
        let zero = ExpectedBits { bits: 0, known: u128::MAX };
        let count = u8::try_from(count.min(Self::REGISTERS)).unwrap_or_default();
        Self {
            registers: [zero; Self::REGISTERS],
            count,
            write: None,
            rest: None,
            nans: Nans::default(),
            undefined: None,
        }
    }

    /// No registers; one write.
    pub(super) fn of_write(write: Option<Write>) -> Self {
        Self { write, ..Self::of_registers(0) }
    }

    /// Sets the register of a lane. A register that several lanes write may hold anything.
    pub(super) fn set_lane(&mut self, lane: &Lane, bits: u128) {
        let Some(output) = lane.output else { return };
        if lane.shared {
            self.undefined = Some(Undefined::DuplicateDestination);
            return self.expect(output, ExpectedBits { bits, known: 0 });
        }
        self.set(output, bits);
    }

    /// Adds written bytes.
    pub(super) fn writes(&mut self, write: Write) {
        if self.write.is_none() {
            self.write = Some(write);
            return;
        }
        let rest = self.rest.take().map(Vec::from).unwrap_or_default();
        self.rest = Some(rest.into_iter().chain([write]).collect());
    }

    /// All writes.
    pub fn written(&self) -> impl Iterator<Item = &Write> {
        self.write.iter().chain(self.rest.iter().flatten())
    }

    /// The expected value of a byte of an object, and which of its bits are defined; none if it is not written.
    pub(super) fn byte(&self, object: Object, at: usize) -> Option<(u8, u8)> {
        self.written().filter(|write| write.object == object).find_map(|write| write.byte(at))
    }

    /// The position of the first wrong byte of an object, given its contents before and after.
    pub(super) fn differs(&self, object: Object, before: &[u8], after: &[u8]) -> Option<usize> {
        if before == after && !self.written().any(|write| write.object == object) {
            return None;
        }
        let differs = (0..before.len()).find(|&at| {
            let (bits, known) = self.byte(object, at).unwrap_or((before[at], u8::MAX));
            (after[at] ^ bits) & known != 0
        });
        differs.or_else(|| {
            let write = self.write.filter(|write| write.object == object)?;
            Some(write.at + self.nans.missing(after.get(write.at..)?)?)
        })
    }

    /// The contents of an object after the effect, given those before; undefined bits are 0.
    pub(super) fn applied(&self, object: Object, before: &[u8]) -> Option<Vec<u8>> {
        let mut after = before.to_vec();
        self.written().filter(|write| write.object == object).for_each(|write| write.apply(&mut after));
        (after != before).then_some(after)
    }

    /// Sets a register.
    pub(super) fn set(&mut self, register: usize, bits: u128) {
        self.expect(register, ExpectedBits { bits, known: u128::MAX });
    }

    pub(super) fn expect(&mut self, register: usize, expected: ExpectedBits) {
        if let Some(known) = self.registers.get_mut(register) {
            *known = expected;
        }
    }

    /// The registers, in the order of the case's outputs.
    pub fn registers(&self) -> &[ExpectedBits] {
        self.registers.get(..usize::from(self.count)).unwrap_or_default()
    }
}

impl ExpectedBits {
    /// Whether these bits are allowed.
    pub fn allows(self, bits: u128) -> bool {
        (bits ^ self.bits) & self.known == 0
    }
}

impl Write {
    /// The expected value of a byte of the object, and which of its bits are defined; none if it is not
    /// written.
    pub fn byte(&self, at: usize) -> Option<(u8, u8)> {
        let within = at.checked_sub(self.at).filter(|within| *within < usize::from(self.count))?;
        let byte = |word: u128| word.to_le_bytes()[within % 16];
        Some((byte(self.bytes.bits), byte(self.bytes.known)))
    }

    fn apply(&self, data: &mut [u8]) {
        let bytes = self.bytes.bits.to_le_bytes();
        for (byte, at) in bytes.iter().take(usize::from(self.count)).zip(self.at..) {
            if let Some(place) = data.get_mut(at) {
                *place = *byte;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_infinity_is_not_a_nan() {
        let bytes = ExpectedBits { bits: 0x7e00_7e00, known: 0x7c00_7c00 };
        let mut effect = Effect::of_write(Some(Write { object: Object::Surface, at: 2, count: 4, bytes }));
        effect.nans = Nans { size: 2, which: 0b11 };
        for (after, differs) in [
            ([0, 0, 0x00, 0x7e, 0x00, 0x7e, 0, 0], None),
            ([0, 0, 0x01, 0xfc, 0xff, 0x7f, 0, 0], None),
            ([0, 0, 0x00, 0x7e, 0x00, 0x7c, 0, 0], Some(4)),
            ([0, 0, 0x00, 0xfc, 0x00, 0x7e, 0, 0], Some(2)),
            ([0, 0, 0x00, 0x3c, 0x00, 0x7e, 0, 0], Some(3)),
        ] {
            assert_eq!(effect.differs(Object::Surface, &[0; 8], &after), differs, "{after:x?}");
        }
        let bytes = ExpectedBits { bits: 0, known: 0 };
        let mut single = Effect::of_write(Some(Write { object: Object::Surface, at: 0, count: 4, bytes }));
        single.nans = Nans { size: 4, which: 1 };
        assert_eq!(single.differs(Object::Surface, &[0; 4], &[0x00, 0x00, 0x80, 0x7f]), Some(0));
        assert_eq!(single.differs(Object::Surface, &[0; 4], &[0x01, 0x00, 0x80, 0x7f]), None);
    }
}
