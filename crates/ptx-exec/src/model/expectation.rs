//! What may come of a row, and whether what came is among it.

use std::collections::BTreeMap;

use super::Lane;
use crate::execution::{Answer, Execution, Returned, Variable};

/// What may come of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// What is allowed.
    pub allowed: Allowed,
    /// What of it is inferred, and not promised by the manual.
    pub inferred: Inferences,
}

/// What is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "most are of the large one, and a box for each row costs more")]
pub enum Allowed {
    /// This, and nothing else.
    Only(Ending),
    /// One of these.
    OneOf(Box<[Ending]>),
    /// Anything at all.
    Any(Undefined),
}

/// How a line ends.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "most are of the large one, and a box for each row costs more")]
pub enum Ending {
    /// It ends the kernel.
    Traps,
    /// It leaves this behind.
    Returns(Effect),
}

/// What a line leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    registers: [Expected; Self::REGISTERS],
    count: u8,
    /// What it writes to an object.
    pub write: Option<Write>,
    /// What it writes beside that.
    rest: Option<Box<[Write]>>,
    /// Which of the floats that it writes first must be NaNs.
    pub nans: Nans,
    /// Why some bits of it may be anything, where they may.
    pub undefined: Option<Undefined>,
}

/// The bits of a register: those of `known` are these, the others may be anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// The bits.
    pub bits: u128,
    /// Which of them must be so.
    pub known: u128,
}

/// Floats that must be NaNs, whatever their payload: which of those that follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nans {
    /// The size of each in bytes: 2 or 4; 0 where there are none.
    pub size: u8,
    /// A bit mask, the first one lowest.
    pub which: u8,
}

impl Nans {
    /// Whether one of these bytes is of such a float that is none: its exponent is checked elsewhere, so
    /// it is an infinity. Returns the position of its first byte.
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
    /// The bytes, the first one lowest.
    pub bytes: Expected,
}

/// What the manual leaves undefined, unpredictable, or to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Undefined {
    /// A surface access that is not aligned to its own size.
    MisalignedCoordinate,
    /// A surface access that begins within a row and ends behind it.
    PartlyOutside,
    /// Components of a sample for which a formatted store has no source.
    MissingComponents,
    /// A formatted reduction on what is no integer of its size.
    ReducedFormat,
    /// A query of an extent that the surface does not have.
    AbsentExtent,
    /// A query of an enumeration of the source language.
    Enumeration,
    /// A load that is not aligned to its own size.
    MisalignedAddress,
    /// A load from outside of the variable.
    OutsideVariable,
    /// A load from an address at which nobody knows what lies.
    ImmediateAddress,
    /// What a NaN becomes in another format, or as the result of a sum.
    NanPayload,
    /// A register that stands for several lanes of a destination.
    DuplicateDestination,
    /// What the smaller or larger of a number and a NaN is.
    NanOperand,
    /// Which of two zeros is the smaller or larger one.
    SignOfZero,
}

impl Undefined {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::MisalignedCoordinate,
        Self::PartlyOutside,
        Self::MissingComponents,
        Self::ReducedFormat,
        Self::AbsentExtent,
        Self::Enumeration,
        Self::MisalignedAddress,
        Self::OutsideVariable,
        Self::ImmediateAddress,
        Self::NanPayload,
        Self::DuplicateDestination,
        Self::NanOperand,
        Self::SignOfZero,
    ];

    /// Its name in reports.
    pub fn id(self) -> &'static str {
        match self {
            Self::MisalignedCoordinate => "misaligned-coordinate",
            Self::PartlyOutside => "partly-outside",
            Self::MissingComponents => "missing-components",
            Self::ReducedFormat => "reduced-format",
            Self::AbsentExtent => "absent-extent",
            Self::Enumeration => "enumeration",
            Self::MisalignedAddress => "misaligned-address",
            Self::OutsideVariable => "outside-variable",
            Self::ImmediateAddress => "immediate-address",
            Self::NanPayload => "nan-payload",
            Self::DuplicateDestination => "duplicate-destination",
            Self::NanOperand => "nan-operand",
            Self::SignOfZero => "sign-of-zero",
        }
    }

    /// Why nothing can be said, and the manual's page.
    pub fn says(self) -> &'static str {
        match self {
            Self::MisalignedCoordinate => {
                "an access that is not aligned to its own size may be rounded or fail (surface-instructions-suld)"
            }
            Self::PartlyOutside => {
                "an access that begins within a row and ends after it is not described (surface-instructions-suld)"
            }
            Self::MissingComponents => {
                "components without a source are written with an unpredictable value (surface-instructions-sust)"
            }
            Self::ReducedFormat => {
                "formatted reductions are described for integers of their own size (surface-instructions-sured)"
            }
            Self::AbsentExtent => {
                "querying an extent that the surface does not have is not described (surface-instructions-suq)"
            }
            Self::Enumeration => "the numeric values are defined by the source language (surface-instructions-suq)",
            Self::MisalignedAddress => {
                "an address that is not aligned to the access is undefined (addresses-as-operands)"
            }
            Self::OutsideVariable => {
                "the contents of memory outside a variable are not described (addresses-as-operands)"
            }
            Self::ImmediateAddress => "the assembler decides what is at an immediate address (addresses-as-operands)",
            Self::NanPayload => "the payload of a NaN is not described (surface-instructions-sust)",
            Self::DuplicateDestination => "the elements of a destination must be distinct (vectors-as-operands)",
            Self::NanOperand => {
                "the minimum or maximum of a number and a NaN is not described (parallel-synchronization-and-communication-instructions-atom)"
            }
            Self::SignOfZero => {
                "whether the minimum or maximum of two zeros is the negative one is not described (parallel-synchronization-and-communication-instructions-atom)"
            }
        }
    }
}

/// Something that the manual does not say, and that this model fills in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inference {
    /// Its name in reports.
    pub id: &'static str,
    /// What is taken to hold.
    pub says: &'static str,
    /// Why.
    pub because: &'static str,
}

/// All that is inferred. None of it has been measured yet.
pub const INFERENCES: &[Inference] = &[
    Inference {
        id: "layer-bounds",
        says: "A layer that does not exist is out of bounds, like a coordinate; clamping selects the last layer.",
        because: "The manual only mentions addresses; the code for sm_35 treats the layer as an unsigned coordinate.",
    },
    Inference {
        id: "unorm",
        says: "A float becomes an unsigned normalized integer by clamping to 0..1 (a NaN to 0), scaling, and rounding to nearest even.",
        because: "The manual does not describe conversions; graphics interfaces do this.",
    },
    Inference {
        id: "snorm",
        says: "A float becomes a signed normalized integer by clamping to -1..1 (a NaN to 0), scaling by the largest value, and rounding to nearest even.",
        because: "The manual does not describe conversions; graphics interfaces do this.",
    },
    Inference {
        id: "half",
        says: "A float becomes a half by rounding to nearest even; values that are too large become infinite, and a NaN stays a NaN.",
        because: "The manual does not describe conversions; this is the default of cvt.",
    },
    Inference {
        id: "saturation",
        says: "An integer that does not fit into a component becomes the nearest value that does.",
        because: "The manual does not describe conversions; graphics interfaces do this.",
    },
    Inference {
        id: "reduced-64-bit",
        says: "A formatted reduction of 64 bits treats a sample of two 32-bit components as one integer.",
        because: "The manual mentions 64-bit integers in samples, but no array has such components.",
    },
    Inference {
        id: "zero-extension",
        says: "A register wider than what a surface load writes is filled with zeros.",
        because: "The manual says this only for ld, st and cvt; the code that ptxas generates does it.",
    },
    Inference {
        id: "array-layout",
        says: "A CUDA array has no linear memory layout.",
        because: "The manual gives 1 for surfaces with a linear layout, but CUDA arrays are opaque.",
    },
    Inference {
        id: "wider-source",
        says: "A surface store or reduction uses the low bits of a wider register.",
        because: "The manual allows wider registers only for ld, st and cvt; every ptxas accepts them here.",
    },
    Inference {
        id: "immediate-truncation",
        says: "An integer immediate that does not fit is truncated to its low bits.",
        because: "The manual converts constants to the size of their use, but does not say how.",
    },
    Inference {
        id: "atomic-flush",
        says: "An atomic .f32 addition in global memory flushes subnormal inputs and results to zero, keeping the sign.",
        because: "The manual says this of the current implementation, not of the instruction.",
    },
];

/// A set of [`INFERENCES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Inferences(u32);

impl Inferences {
    pub(super) const NONE: Self = Self(0);
    pub(super) const LAYER_BOUNDS: Self = Self(1);
    pub(super) const UNORM: Self = Self(1 << 1);
    pub(super) const SNORM: Self = Self(1 << 2);
    pub(super) const HALF: Self = Self(1 << 3);
    pub(super) const SATURATION: Self = Self(1 << 4);
    pub(super) const REDUCED_64_BIT: Self = Self(1 << 5);
    pub(super) const ZERO_EXTENSION: Self = Self(1 << 6);
    pub(super) const ARRAY_LAYOUT: Self = Self(1 << 7);
    pub(super) const WIDER_SOURCE: Self = Self(1 << 8);
    pub(super) const IMMEDIATE_TRUNCATION: Self = Self(1 << 9);
    pub(super) const ATOMIC_FLUSH: Self = Self(1 << 10);

    /// This set where it holds, else none.
    pub(super) fn when(self, holds: bool) -> Self {
        if holds { self } else { Self::NONE }
    }

    /// Both sets together.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those in it.
    pub fn iter(self) -> impl Iterator<Item = &'static Inference> {
        INFERENCES.iter().enumerate().filter(move |(at, _)| self.0 >> at & 1 == 1).map(|(_, inference)| inference)
    }
}

/// Whether what came of a row is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is; some of it may have been undefined.
    Agrees(Option<Undefined>),
    /// It is not.
    Differs(Difference),
    /// Anything would have been.
    Undecided(Undefined),
    /// There is no answer, and why.
    Skipped(String),
}

/// In what an answer differs from what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Difference {
    /// It returned where it must trap.
    Returned,
    /// It trapped where it must not.
    Trapped,
    /// A register, by its position in the outputs, holds something else.
    Register(usize),
    /// The surface holds something else, first at this byte.
    Surface(usize),
    /// A variable, by its position in the case, holds something else, first at this byte.
    Variable(usize, usize),
    /// It is no answer to the question, or none at all; the words of what went wrong.
    Failed(String),
}

impl Effect {
    /// Registers that a line can write.
    pub const REGISTERS: usize = 8;

    /// So many registers that hold 0; nothing written.
    pub(super) fn of_registers(count: usize) -> Self {
        let zero = Expected { bits: 0, known: u128::MAX };
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

    /// No registers; this written.
    pub(super) fn of_write(write: Option<Write>) -> Self {
        Self { write, ..Self::of_registers(0) }
    }

    /// Sets the register of a lane; one that several lanes write may hold anything.
    pub(super) fn set_lane(&mut self, lane: &Lane, bits: u128) {
        let Some(output) = lane.output else { return };
        if lane.shared {
            self.undefined = Some(Undefined::DuplicateDestination);
            return self.expect(output, Expected { bits, known: 0 });
        }
        self.set(output, bits);
    }

    /// Adds bytes that are written.
    pub(super) fn writes(&mut self, write: Write) {
        if self.write.is_none() {
            self.write = Some(write);
            return;
        }
        let rest = self.rest.take().map(Vec::from).unwrap_or_default();
        self.rest = Some(rest.into_iter().chain([write]).collect());
    }

    /// All that is written.
    pub fn written(&self) -> impl Iterator<Item = &Write> {
        self.write.iter().chain(self.rest.iter().flatten())
    }

    /// The position of the first byte that must not be so in what an object held and then holds.
    fn differs(&self, object: Object, before: &[u8], after: &[u8]) -> Option<usize> {
        if before == after && !self.written().any(|write| write.object == object) {
            return None;
        }
        let differs = (0..before.len()).find(|&at| {
            let byte = self.written().filter(|write| write.object == object).find_map(|write| write.byte(at));
            let (bits, known) = byte.unwrap_or((before[at], u8::MAX));
            (after[at] ^ bits) & known != 0
        });
        differs.or_else(|| {
            let write = self.write.filter(|write| write.object == object)?;
            Some(write.at + self.nans.missing(after.get(write.at..)?)?)
        })
    }

    /// What an object holds where it held this before; what may be anything is 0.
    fn applied(&self, object: Object, before: &[u8]) -> Option<Vec<u8>> {
        let mut after = before.to_vec();
        self.written().filter(|write| write.object == object).for_each(|write| write.apply(&mut after));
        (after != before).then_some(after)
    }

    /// Sets a register.
    pub(super) fn set(&mut self, register: usize, bits: u128) {
        self.expect(register, Expected { bits, known: u128::MAX });
    }

    pub(super) fn expect(&mut self, register: usize, expected: Expected) {
        if let Some(known) = self.registers.get_mut(register) {
            *known = expected;
        }
    }

    /// The registers, in the order of the case's outputs.
    pub fn registers(&self) -> &[Expected] {
        self.registers.get(..usize::from(self.count)).unwrap_or_default()
    }
}

impl Expected {
    /// Whether these bits are allowed.
    pub fn allows(self, bits: u128) -> bool {
        (bits ^ self.bits) & self.known == 0
    }
}

impl Write {
    /// What a byte of the object must be, and which of its bits; none where it is not written.
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

impl Expectation {
    pub(super) fn any(why: Undefined) -> Self {
        Self { allowed: Allowed::Any(why), inferred: Inferences::NONE }
    }

    pub(super) fn returned(effect: Effect) -> Self {
        Self { allowed: Allowed::Only(Ending::Returns(effect)), inferred: Inferences::NONE }
    }

    /// One of several endings.
    pub fn one_of(endings: impl IntoIterator<Item = Ending>) -> Self {
        Self { allowed: Allowed::OneOf(endings.into_iter().collect()), inferred: Inferences::NONE }
    }

    pub(super) fn traps() -> Self {
        Self { allowed: Allowed::Only(Ending::Traps), inferred: Inferences::NONE }
    }

    pub(super) fn inferred(mut self, inferred: Inferences) -> Self {
        self.inferred = self.inferred.and(inferred);
        self
    }

    /// Whether the row may end its kernel.
    pub fn may_trap(&self) -> bool {
        match &self.allowed {
            Allowed::Only(ending) => *ending == Ending::Traps,
            Allowed::OneOf(endings) => endings.contains(&Ending::Traps),
            Allowed::Any(why) => !matches!(why, Undefined::AbsentExtent | Undefined::Enumeration),
        }
    }

    /// Holds an answer against it.
    pub fn check(&self, case: &Execution, answer: &Answer) -> Verdict {
        match answer {
            Answer::Skipped(why) => return Verdict::Skipped(why.clone()),
            Answer::Failed(how) => return Verdict::Differs(Difference::Failed(how.clone())),
            Answer::Returned(_) | Answer::Trapped(_) => {}
        }
        match &self.allowed {
            Allowed::Any(why) => Verdict::Undecided(*why),
            Allowed::Only(ending) => ending.check(case, answer),
            Allowed::OneOf(endings) => {
                let mut verdicts = endings.iter().map(|ending| ending.check(case, answer));
                let first = verdicts.next().unwrap_or(Verdict::Agrees(None));
                let agrees = |verdict: &Verdict| !matches!(verdict, Verdict::Differs(_));
                if agrees(&first) { first } else { verdicts.find(agrees).unwrap_or(first) }
            }
        }
    }

    /// An answer that is allowed.
    pub fn example(&self, case: &Execution) -> Answer {
        let ending = match &self.allowed {
            Allowed::Only(ending) => Some(ending),
            Allowed::OneOf(endings) => endings.first(),
            Allowed::Any(_) => None,
        };
        let Some(ending) = ending else {
            return Answer::Returned(Returned { registers: vec![0; case.outputs.len()], ..Returned::default() });
        };
        let Ending::Returns(effect) = ending else { return Answer::Trapped("out of bounds".to_owned()) };
        let surface = case.surface.as_ref().and_then(|surface| effect.applied(Object::Surface, &surface.data));
        let registers = effect.registers().iter().map(|register| register.bits).collect();
        let variable = |(at, variable): (usize, &Variable)| {
            effect.applied(Object::Variable(at), &variable.data).map(|after| (variable.name.clone(), after))
        };
        let variables = if effect.write.is_none() {
            BTreeMap::new()
        } else {
            case.variables.iter().enumerate().filter_map(variable).collect()
        };
        Answer::Returned(Returned { registers, surface, variables })
    }
}

impl Ending {
    fn check(&self, case: &Execution, answer: &Answer) -> Verdict {
        let (effect, returned) = match (self, answer) {
            (Self::Traps, Answer::Returned(_)) => return Verdict::Differs(Difference::Returned),
            (Self::Traps, _) => return Verdict::Agrees(None),
            (Self::Returns(effect), Answer::Returned(returned)) => (effect, returned),
            (Self::Returns(_), _) => return Verdict::Differs(Difference::Trapped),
        };
        if returned.registers.len() != effect.registers().len() {
            let counts = (returned.registers.len(), effect.registers().len());
            let words = format!("{} registers were returned, but the line writes {}", counts.0, counts.1);
            return Verdict::Differs(Difference::Failed(words));
        }
        let mut both = effect.registers().iter().zip(&returned.registers);
        if let Some(register) = both.position(|(expected, bits)| !expected.allows(*bits)) {
            return Verdict::Differs(Difference::Register(register));
        }
        let before: &[u8] = case.surface.as_ref().map_or(&[], |surface| &surface.data);
        let after = returned.surface.as_deref().unwrap_or(before);
        if after.len() != before.len() {
            let words = format!("a surface of {} bytes was returned with {}", before.len(), after.len());
            return Verdict::Differs(Difference::Failed(words));
        }
        if let Some(at) = effect.differs(Object::Surface, before, after) {
            return Verdict::Differs(Difference::Surface(at));
        }
        for (position, variable) in case.variables.iter().enumerate() {
            let after = returned.variables.get(&variable.name).unwrap_or(&variable.data);
            if after.len() != variable.data.len() {
                let words =
                    format!("`{}` of {} bytes was returned with {}", variable.name, variable.data.len(), after.len());
                return Verdict::Differs(Difference::Failed(words));
            }
            if let Some(at) = effect.differs(Object::Variable(position), &variable.data, after) {
                return Verdict::Differs(Difference::Variable(position, at));
            }
        }
        Verdict::Agrees(effect.undefined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_infinity_is_no_nan() {
        let bytes = Expected { bits: 0x7e00_7e00, known: 0x7c00_7c00 };
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
        let bytes = Expected { bits: 0, known: 0 };
        let mut single = Effect::of_write(Some(Write { object: Object::Surface, at: 0, count: 4, bytes }));
        single.nans = Nans { size: 4, which: 1 };
        assert_eq!(single.differs(Object::Surface, &[0; 4], &[0x00, 0x00, 0x80, 0x7f]), Some(0));
        assert_eq!(single.differs(Object::Surface, &[0; 4], &[0x01, 0x00, 0x80, 0x7f]), None);
    }
}
