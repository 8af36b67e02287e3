//! Narrow bugs: each changes few answers of the right executor.
//!
//! A bug is data: a sentence that says what it does, a condition on the axes of executed forms that says when it shows,
//! and a function that changes the answer to one row.

use super::*;

/// One narrow bug.
pub(crate) struct NarrowBug {
    /// The instruction, then a short name: `suld-third-access`.
    pub(crate) name: &'static str,
    /// What it does, in a sentence.
    pub(crate) says: &'static str,
    /// The forms in which it can show; if empty, all of the instruction.
    pub(crate) forms: &'static [&'static str],
    /// When it can show: a condition as in a divergence. It shows nowhere else.
    pub(crate) when: &'static str,
    /// Changes the answer to a row.
    change: fn(&Row<'_>, &mut Answer),
}

impl NarrowBug {
    /// The instruction that has it.
    pub(crate) fn instruction(&self) -> &'static str {
        self.name.split('-').next().unwrap_or_default()
    }
}

/// The executor with one narrow bug.
pub(crate) struct Narrow {
    pub(crate) bug: &'static NarrowBug,
}

impl Narrow {
    /// The executor as an engine.
    pub(crate) fn engine(&self) -> StandIn<'_> {
        StandIn::new("narrow@1").executing(|case| self.answers(case))
    }

    fn answers(&self, case: &LineCase) -> Vec<Answer> {
        let right = Planted::right();
        let mut answers = right.answers(case);
        let Some(line) = Line::parse(&case.line) else { return answers };
        let mut before: Option<Answer> = None;
        for (row, answer) in case.rows.iter().zip(&mut answers) {
            let seen = Row { right: &right, case, line: &line, row, before: before.as_ref() };
            (self.bug.change)(&seen, answer);
            before = Some(answer.clone());
        }
        answers
    }
}

/// A row of a case.
struct Row<'a> {
    right: &'a Planted,
    case: &'a LineCase,
    line: &'a Line,
    row: &'a [u128],
    /// The answer to the row before it.
    before: Option<&'a Answer>,
}

impl Row<'_> {
    fn thread(&self) -> Thread<'_> {
        Thread::new(self.right, self.case, self.line, self.row)
    }

    /// Whether the line has all of these modifiers.
    fn has(&self, modifiers: &[&str]) -> bool {
        modifiers.iter().all(|modifier| self.line.has(modifier))
    }

    /// Whether the guard allows the line to be executed.
    fn runs(&self) -> bool {
        let Some((wanted, predicate)) = &self.line.guard else { return true };
        self.thread().read(predicate, 1).is_ok_and(|holds| (holds == 1) == *wanted)
    }

    fn formatted(&self) -> bool {
        self.line.has(".p")
    }

    fn surface(&self) -> Option<&Surface> {
        self.case.surface.as_ref()
    }

    /// Whether the format is among these, by their names.
    fn format(&self, known: &[&str]) -> bool {
        self.surface().is_some_and(|surface| known.contains(&surface.format.to_string().as_str()))
    }

    /// The two parts of the operand in brackets that has coordinates.
    fn brackets(&self) -> Option<(String, String)> {
        let at = usize::from(self.line.opcode == "suld");
        self.thread().access(self.line.operands.get(at)?).ok()
    }

    /// The layer, x, y and z; those that are missing are 0.
    fn coordinates(&self) -> [i64; 4] {
        let thread = self.thread();
        let Some((_, b)) = self.brackets() else { return [0; 4] };
        let mut read: Vec<u32> = thread.elements(&b, false).iter().filter_map(|e| thread.coordinate(e).ok()).collect();
        let layered = self.surface().is_some_and(|surface| surface.geometry.layered());
        let layer = if layered && !read.is_empty() { i64::from(read.remove(0)) } else { 0 };
        let dimensions = self.surface().map_or(0, |surface| surface.geometry.dimensions());
        let of = |at: u8| {
            let bits = read.get(usize::from(at)).copied().filter(|_| at < dimensions);
            bits.map_or(0, |bits| i64::from(bits.cast_signed()))
        };
        [layer, of(0), of(1), of(2)]
    }

    /// Whether the coordinates are in registers.
    fn in_registers(&self) -> bool {
        let first = self.brackets().and_then(|(_, b)| self.thread().elements(&b, false).into_iter().next());
        first.is_some_and(|element| immediate(&element).is_none())
    }

    fn layer(&self) -> i64 {
        self.coordinates()[0]
    }

    fn x(&self) -> i64 {
        self.coordinates()[1]
    }

    fn y(&self) -> i64 {
        self.coordinates()[2]
    }

    fn z(&self) -> i64 {
        self.coordinates()[3]
    }

    fn bits(&self) -> u32 {
        self.line.of_type().map_or(0, |(_, bits)| bits)
    }

    /// The bytes of an access.
    fn bytes(&self) -> usize {
        let lanes = if self.line.opcode == "sured" { 1 } else { self.line.lanes() };
        match self.surface() {
            Some(surface) if self.formatted() && self.line.opcode == "sust" => surface.format.bytes() as usize,
            _ => usize::try_from(self.bits() / 8).unwrap_or_default() * lanes,
        }
    }

    /// The last x at which an access lies within the row.
    fn last_x(&self) -> i64 {
        let Some(surface) = self.surface() else { return 0 };
        if self.formatted() {
            return i64::from(surface.width) - 1;
        }
        let size = i64::try_from(self.bytes().max(1)).unwrap_or(1);
        (i64::from(surface.row_bytes()) - 1) & !(size - 1)
    }

    /// The offset of the access in the data of the surface; `None` if it is dropped.
    fn place(&self) -> Option<usize> {
        if !self.runs() {
            return None;
        }
        let thread = self.thread();
        let (_, b) = self.brackets()?;
        let place = thread.place(self.surface()?, &b, self.bytes(), self.formatted()).ok()?;
        thread.settle(place).ok()?
    }

    /// Whether the access is within the bounds.
    fn inside(&self) -> bool {
        let Some((_, b)) = self.brackets() else { return false };
        let Some(surface) = self.surface() else { return false };
        let place = self.thread().place(surface, &b, self.bytes(), self.formatted());
        self.runs() && place.is_ok_and(|place| !place.outside)
    }

    /// The lanes of what is stored, or reduced with.
    fn data(&self) -> Vec<u128> {
        let Some(operand) = self.line.operands.get(1) else { return Vec::new() };
        self.thread().data(operand, self.bits()).unwrap_or_default()
    }

    /// What the surface holds where the access goes.
    fn old(&self) -> Option<u128> {
        let at = self.place()?;
        Some(little_endian(self.surface()?.data.get(at..at + self.bytes())?))
    }

    /// The right answer to the row with its inputs changed.
    fn with(&self, change: impl FnOnce(&mut LineCase, &mut Vec<u128>)) -> Answer {
        let (mut case, mut row) = (self.case.with_rows(Rows::new(self.row.len()), Vec::new()), self.row.to_vec());
        change(&mut case, &mut row);
        case.rows.push(&row);
        self.right.answers(&case).remove(0)
    }

    /// The right answer to the row with one coordinate changed: the layer, x, y or z by its letter.
    fn moved(&self, letter: char, to: i64) -> Answer {
        let layered = self.surface().is_some_and(|surface| surface.geometry.layered());
        let at = match letter {
            'l' => 0,
            'x' => usize::from(layered),
            'y' => usize::from(layered) + 1,
            _ => 2,
        };
        let Some((_, b)) = self.brackets() else { return self.with(|_, _| {}) };
        let Some(register) = self.thread().elements(&b, false).get(at).map(|name| component(name)) else {
            return self.with(|_, _| {});
        };
        let input = self.case.inputs.iter().position(|input| input.register == register);
        self.with(|_, row| {
            if let Some(input) = input {
                row[input] = mask(i128::from(to).cast_unsigned(), 32);
            }
        })
    }

    /// Whether the format has components of this kind and size: `f` `unorm` `snorm` `u` `s`.
    fn component(&self, kind: &str, bits: u8) -> bool {
        self.surface().is_some_and(|surface| match surface.format.component {
            Component::Float(size) => kind == "f" && size == bits,
            Component::Unorm(size) => kind == "unorm" && size == bits,
            Component::Snorm(size) => kind == "snorm" && size == bits,
            Component::Unsigned(size) => kind == "u" && size == bits,
            Component::Signed(size) => kind == "s" && size == bits,
        })
    }
}

/// Changes the register of a lane, as a function of what it holds.
fn lane(row: &Row<'_>, answer: &mut Answer, lane: usize, change: impl FnOnce(u128) -> u128) {
    let Answer::Returned(returned) = answer else { return };
    let Some(operand) = row.line.operands.first() else { return };
    let Some(name) = row.thread().elements(operand, true).get(lane).map(|name| component(name)) else { return };
    let Some(at) = row.case.outputs.iter().position(|output| output.register == name) else { return };
    let bits = row.case.outputs[at].bits.into();
    returned.registers[at] = mask(change(returned.registers[at]), bits);
}

/// What the register of a lane holds.
fn held(row: &Row<'_>, answer: &Answer, lane: usize) -> Option<u128> {
    let Answer::Returned(returned) = answer else { return None };
    let name = component(row.thread().elements(row.line.operands.first()?, true).get(lane)?);
    let at = row.case.outputs.iter().position(|output| output.register == name)?;
    returned.registers.get(at).copied()
}

/// Changes what the surface holds afterwards.
fn after(row: &Row<'_>, answer: &mut Answer, change: impl FnOnce(&mut [u8])) {
    let (Answer::Returned(returned), Some(surface)) = (answer, row.surface()) else { return };
    let mut bytes = returned.surface.take().unwrap_or_else(|| surface.data.clone());
    change(&mut bytes);
    returned.surface = (bytes != surface.data).then_some(bytes);
}

/// Changes bytes from a position on, as far as they exist.
fn put(bytes: &mut [u8], at: usize, new: &[u8]) {
    for (next, &byte) in new.iter().enumerate() {
        if let Some(place) = bytes.get_mut(at + next) {
            *place = byte;
        }
    }
}

/// Changes what is stored in the components of a sample whose sources meet a condition.
fn converted(row: &Row<'_>, answer: &mut Answer, of: impl Fn(u32) -> bool, change: impl Fn(u32) -> u32) {
    let (Some(at), Some(surface)) = (row.place(), row.surface()) else { return };
    let each = usize::from(surface.format.component.bits() / 8);
    let sources: Vec<u32> = row.data().iter().map(|&bits| u32::try_from(bits).unwrap_or_default()).collect();
    let channels = usize::from(surface.format.channels);
    after(row, answer, |bytes| {
        for (channel, _) in sources.iter().enumerate().take(channels).filter(|(_, source)| of(**source)) {
            let at = at + channel * each;
            let Some(old) = bytes.get(at..at + each).map(little_endian) else { continue };
            let new = change(u32::try_from(old).unwrap_or_default());
            put(bytes, at, &to_bytes(new.into(), each));
        }
    });
}

/// Whether 32 bits are a float between these two, both included.
fn between(bits: u32, low: f32, high: f32) -> bool {
    (low..=high).contains(&f32::from_bits(bits))
}

/// Changes the result of a reduction.
fn reduced(row: &Row<'_>, answer: &mut Answer, new: u128) {
    let Some(at) = row.place() else { return };
    let size = row.bytes();
    after(row, answer, |bytes| put(bytes, at, &to_bytes(new, size)));
}

/// Executes the row on the surface that the row before it left.
fn kept(row: &Row<'_>, answer: &mut Answer) {
    let Some(Answer::Returned(Returned { surface: Some(left), .. })) = row.before else { return };
    let again = row.with(|case, _| {
        if let Some(surface) = &mut case.surface {
            surface.data.clone_from(left);
        }
    });
    let Answer::Returned(mut returned) = again else { return };
    // Bytes that differ from the initial contents have changed.
    let Some(surface) = row.surface() else { return };
    let bytes = returned.surface.take().unwrap_or_else(|| left.clone());
    returned.surface = (bytes != surface.data).then_some(bytes);
    *answer = Answer::Returned(returned);
}

/// The space of the addressed variable, and the offset of the access from its start.
fn address(row: &Row<'_>) -> Option<(Space, i64)> {
    let space = row.line.modifiers.iter().find_map(|modifier| match modifier.split(':').next()? {
        ".global" => Some(Space::Global),
        ".const" => Some(Space::Const),
        ".shared" => Some(Space::Shared),
        ".local" => Some(Space::Local),
        ".param" => Some(Space::Param),
        _ => None,
    });
    let thread = row.thread();
    let text = inside(row.line.operands.get(1)?, '[', ']').split(',').next()?.trim().to_owned();
    let address = thread.address(&text, space).ok()?;
    Some((address.variable.space, address.offset))
}

/// Whether the load is executed and returns.
fn loads(row: &Row<'_>, answer: &Answer) -> bool {
    row.runs() && matches!(answer, Answer::Returned(_))
}

/// The largest number with this many bits.
fn ones(bits: u32) -> u128 {
    mask(u128::MAX, bits)
}

const fn narrow_bug(
    name: &'static str,
    forms: &'static [&'static str],
    when: &'static str,
    says: &'static str,
    change: fn(&Row<'_>, &mut Answer),
) -> NarrowBug {
    NarrowBug { name, says, forms, when, change }
}

/// Every narrow bug.
pub(crate) const NARROW_BUGS: &[NarrowBug] = &[
    // suld: positions.
    narrow_bug(
        "suld-third-access",
        &[],
        "{ geom: .2d, dtype: .b32, vec: none, x: inside }",
        "Bit 0 is flipped in the third access of a row.",
        |row, answer| {
            if row.has(&[".2d", ".b32"]) && row.line.lanes() == 1 && row.inside() && row.x() == 8 && row.last_x() > 8 {
                lane(row, answer, 0, |value| value ^ 1);
            }
        },
    ),
    narrow_bug(
        "suld-x-of-16-bits",
        &[],
        "{ x: far-after }",
        "x loses its bits above 16 if it is positive.",
        |row, answer| {
            if row.runs() && row.x() > 0xffff {
                *answer = row.moved('x', row.x() & 0xffff);
            }
        },
    ),
    narrow_bug(
        "suld-y-of-16-bits",
        &[],
        "{ geom: .3d, y: far-after }",
        "y loses its bits above 16 if it is positive.",
        |row, answer| {
            if row.has(&[".3d"]) && row.runs() && row.y() > 0xffff {
                *answer = row.moved('y', row.y() & 0xffff);
            }
        },
    ),
    narrow_bug(
        "suld-layer-of-8-bits",
        &[],
        "{ geom: .a2d, layer: [far-after, negative] }",
        "The layer loses its bits above 8.",
        |row, answer| {
            if row.has(&[".a2d"]) && row.runs() && row.layer() > 0xff {
                *answer = row.moved('l', row.layer() & 0xff);
            }
        },
    ),
    narrow_bug(
        "suld-far-inside",
        &[],
        "{ x: [inside, last] }",
        "Bit 0 is flipped from x = 512 on, within the surface.",
        |row, answer| {
            if row.inside() && row.x() >= 512 {
                lane(row, answer, 0, |value| value ^ 1);
            }
        },
    ),
    narrow_bug(
        "suld-edge-of-b64",
        &[],
        "{ geom: .2d, clamp: .clamp, vec: none, dtype: .b64, x: [after, far-after] }",
        "The top bit is flipped if x is clamped to the right edge.",
        |row, answer| {
            if row.has(&[".2d", ".clamp", ".b64"])
                && row.line.lanes() == 1
                && row.place().is_some()
                && row.x() > row.last_x() + 7
            {
                lane(row, answer, 0, |value| value ^ 1 << 63);
            }
        },
    ),
    narrow_bug(
        "suld-corner-past-the-end",
        &[],
        "{ geom: .3d, clamp: .clamp, y: [after, far-after], z: [after, far-after] }",
        "y becomes 0 if y and z are both past the end.",
        |row, answer| {
            let Some(surface) = row.surface() else { return };
            if row.has(&[".3d", ".clamp"])
                && row.runs()
                && row.y() >= surface.height.into()
                && row.z() >= surface.depth.into()
            {
                *answer = row.moved('y', 0);
            }
        },
    ),
    narrow_bug(
        "suld-past-last-layer",
        &[],
        "{ geom: .a2d, clamp: .zero, layer: after }",
        "The layer after the last one is the last one.",
        |row, answer| {
            let Some(surface) = row.surface() else { return };
            if row.has(&[".a2d", ".zero"]) && row.runs() && row.layer() == i64::from(surface.layers) {
                *answer = row.moved('l', row.layer() - 1);
            }
        },
    ),
    narrow_bug(
        "suld-cv-middle-layer",
        &[],
        "{ cop: .cv, geom: .a1d, surface.layers: \"3\", layer: inside }",
        "The middle one of three layers is taken for the first.",
        |row, answer| {
            let Some(surface) = row.surface() else { return };
            if row.has(&[".cv", ".a1d"]) && row.runs() && surface.layers == 3 && row.layer() == 1 {
                *answer = row.moved('l', 0);
            }
        },
    ),
    narrow_bug(
        "suld-before-in-last-row",
        &[],
        "{ geom: .2d, clamp: .trap, x: before, y: last }",
        "Returns 0 if x is just before the start of the last row.",
        |row, answer| {
            let Some(surface) = row.surface() else { return };
            let last = row.y() > 0 && row.y() == i64::from(surface.height) - 1;
            if row.has(&[".2d", ".trap"]) && row.runs() && last && row.x() < 0 && row.x() > -100 {
                *answer = Answer::Returned(Returned {
                    registers: vec![0; row.case.outputs.len()],
                    surface: None,
                    ..Returned::default()
                });
            }
        },
    ),
    // suld: lanes and values.
    narrow_bug(
        "suld-third-byte",
        &[],
        "{ vec: .v4, dtype: .b8 }",
        "The third lane loses its top bit.",
        |row, answer| {
            if row.has(&[".v4", ".b8"]) && row.place().is_some() {
                lane(row, answer, 2, |value| value & !0x80);
            }
        },
    ),
    narrow_bug(
        "suld-ca-halves",
        &[],
        "{ cop: .ca, vec: .v2, dtype: .b16 }",
        "The second lane is the first one.",
        |row, answer| {
            if row.has(&[".ca", ".v2", ".b16"])
                && let Some(first) = held(row, answer, 0)
                && row.place().is_some()
            {
                lane(row, answer, 1, |_| first);
            }
        },
    ),
    narrow_bug("suld-byte-of-ones", &[], "{ dtype: .b8, vec: none }", "0xff becomes 0xfe.", |row, answer| {
        if row.has(&[".b8"]) && row.line.lanes() == 1 && row.place().is_some() && held(row, answer, 0) == Some(0xff) {
            lane(row, answer, 0, |_| 0xfe);
        }
    }),
    narrow_bug("suld-b32-into-s64", &[], "{ dtype: .b32, d.type: .s64 }", "Sign-extends.", |row, answer| {
        if row.has(&[".b32"]) && row.place().is_some() && row.line.operands[0].contains("s64_") {
            for at in 0..row.line.lanes() {
                lane(row, answer, at, |value| if value >> 31 & 1 == 1 { value | 0xffff_ffff << 32 } else { value });
            }
        }
    }),
    narrow_bug(
        "suld-zero-word",
        &[],
        "{ dtype: .b32, vec: .v4 }",
        "A word of 0 in the last lane becomes -0.",
        |row, answer| {
            if row.has(&[".b32", ".v4"]) && row.place().is_some() && held(row, answer, 3) == Some(0) {
                lane(row, answer, 3, |_| 0x8000_0000);
            }
        },
    ),
    narrow_bug(
        "suld-last-word-of-sample",
        &[],
        "{ vec: .v4, dtype: .b32, surface.format: f32x4 }",
        "The last lane is the one before it.",
        |row, answer| {
            if row.has(&[".b32", ".v4"])
                && row.format(&["f32x4"])
                && row.place().is_some()
                && let Some(third) = held(row, answer, 2)
            {
                lane(row, answer, 3, |_| third);
            }
        },
    ),
    // sust.b: where it stores.
    narrow_bug(
        "sust-x-of-16-bits",
        &["b"],
        "{ x: far-after }",
        "x loses its bits above 16 if it is positive.",
        |row, answer| {
            if !row.formatted() && !row.has(&[".a1d"]) && !row.has(&[".a2d"]) && row.runs() && row.x() > 0xffff {
                *answer = row.moved('x', row.x() & 0xffff);
            }
        },
    ),
    narrow_bug(
        "sust-array-far-inside",
        &["b-array"],
        "{ geom: .a1d, x: [inside, last] }",
        "Drops stores from x = 64 on.",
        |row, answer| {
            if row.has(&[".a1d"]) && row.inside() && row.x() >= 64 {
                after(row, answer, |bytes| bytes.clone_from_slice(&row.surface().expect("it has one").data));
            }
        },
    ),
    narrow_bug(
        "sust-cg-far-before",
        &["b"],
        "{ cop: .cg, clamp: .clamp, x: far-before }",
        "Drops the store.",
        |row, answer| {
            if row.has(&[".b", ".cg", ".clamp"]) && !row.has(&[".a1d"]) && !row.has(&[".a2d"]) && row.x() < -1000 {
                after(row, answer, |bytes| bytes.clone_from_slice(&row.surface().expect("it has one").data));
            }
        },
    ),
    narrow_bug(
        "sust-far-before-in-depth",
        &["b"],
        "{ geom: .3d, clamp: .trap, z: far-before }",
        "Drops the store instead of trapping.",
        |row, answer| {
            if row.has(&[".b", ".3d", ".trap"]) && row.runs() && row.z() < -1000 {
                *answer = Answer::Returned(Returned { registers: Vec::new(), surface: None, ..Returned::default() });
            }
        },
    ),
    narrow_bug(
        "sust-last-of-three-layers",
        &["b-array"],
        "{ geom: .a2d, surface.layers: \"3\", layer: last, y: first }",
        "The first row of the last of three layers is that of the first layer.",
        |row, answer| {
            let Some(surface) = row.surface() else { return };
            if row.has(&[".b", ".a2d"]) && row.runs() && surface.layers == 3 && row.layer() == 2 && row.y() == 0 {
                *answer = row.moved('l', 0);
            }
        },
    ),
    narrow_bug(
        "sust-surface-is-kept",
        &["b", "b-array"],
        "",
        "The surface keeps its contents from the row before.",
        |row, answer| {
            if !row.formatted() {
                kept(row, answer);
            }
        },
    ),
    narrow_bug(
        "sust-surface-is-kept-in-3d",
        &["b"],
        "{ geom: .3d, cop: .wt }",
        "The surface keeps its contents from the row before.",
        |row, answer| {
            if row.has(&[".b", ".3d", ".wt"]) {
                kept(row, answer);
            }
        },
    ),
    // sust.b: what it stores.
    narrow_bug(
        "sust-copies-beyond",
        &["b", "b-array"],
        "{ ctype: .b64, vec: none }",
        "The four bytes after the access become 0.",
        |row, answer| {
            if row.has(&[".b", ".b64"])
                && row.line.lanes() == 1
                && let Some(at) = row.place()
            {
                after(row, answer, |bytes| put(bytes, at + 8, &[0; 4]));
            }
        },
    ),
    narrow_bug(
        "sust-copies-a-byte-beyond",
        &["b"],
        "{ geom: .1d, ctype: .b32, vec: .v2 }",
        "The byte after the access becomes the one before it.",
        |row, answer| {
            if row.has(&[".b", ".1d", ".b32", ".v2"])
                && let Some(at) = row.place()
            {
                after(row, answer, |bytes| {
                    let last = bytes.get(at + 7).copied().unwrap_or_default();
                    put(bytes, at + 8, &[last]);
                });
            }
        },
    ),
    narrow_bug(
        "sust-clears-before",
        &["b", "b-array"],
        "{ cop: .cs, ctype: .b8, vec: none, x: [not, first] }",
        "The byte before the access becomes 0.",
        |row, answer| {
            if row.has(&[".b", ".cs", ".b8"])
                && row.line.lanes() == 1
                && row.x() > 0
                && let Some(at) = row.place()
                && at > 0
            {
                after(row, answer, |bytes| put(bytes, at - 1, &[0]));
            }
        },
    ),
    narrow_bug(
        "sust-spills-into-next-row",
        &["b"],
        "{ geom: .2d, ctype: .b16, x: last }",
        "The first byte of the next row becomes 0xee if the last position of a row is stored to.",
        |row, answer| {
            if row.has(&[".b", ".2d", ".b16"])
                && row.inside()
                && row.x() > 0
                && row.x() == row.last_x()
                && let Some(at) = row.place()
            {
                after(row, answer, |bytes| put(bytes, at + row.bytes(), &[0xee]));
            }
        },
    ),
    narrow_bug(
        "sust-double-immediate",
        &["b"],
        "{ c.type: double }",
        "The high half of the immediate is lost.",
        |row, answer| {
            let double = row.line.operands.get(1).is_some_and(|c| c.starts_with("0d"));
            if row.has(&[".b"])
                && !row.has(&[".a1d"])
                && !row.has(&[".a2d"])
                && double
                && let Some(at) = row.place()
            {
                after(row, answer, |bytes| put(bytes, at + 4, &[0; 4]));
            }
        },
    ),
    narrow_bug(
        "sust-half-of-u32",
        &["b"],
        "{ ctype: .b16, c.type: .u32, vec: none }",
        "Stores the upper half of the register.",
        |row, answer| {
            let wide = row.line.operands[1].contains("u32_");
            if row.has(&[".b", ".b16"])
                && !row.has(&[".a1d"])
                && !row.has(&[".a2d"])
                && row.line.lanes() == 1
                && wide
                && let Some(at) = row.place()
            {
                let high = row.row.last().copied().unwrap_or_default() >> 16;
                after(row, answer, |bytes| put(bytes, at, &to_bytes(high, 2)));
            }
        },
    ),
    narrow_bug(
        "sust-sign-of-second-lane",
        &["b", "b-array"],
        "{ ctype: .b64, vec: .v2 }",
        "The second lane loses its top bit.",
        |row, answer| {
            if row.has(&[".b", ".b64", ".v2"])
                && let Some(at) = row.place()
            {
                after(row, answer, |bytes| {
                    let top = bytes.get(at + 15).copied().unwrap_or_default();
                    put(bytes, at + 15, &[top & 0x7f]);
                });
            }
        },
    ),
    // sust.p: conversions of one value.
    narrow_bug(
        "sust-half-infinity",
        &["p"],
        "{ surface.format: [f16, f16x2, f16x4] }",
        "+Inf becomes the largest half.",
        |row, answer| {
            if row.formatted() && row.component("f", 16) {
                converted(row, answer, |bits| bits == 0x7f80_0000, |_| 0x7bff);
            }
        },
    ),
    narrow_bug(
        "sust-half-of-nan",
        &["p"],
        "{ surface.format: [f16, f16x2, f16x4] }",
        "A NaN becomes an infinity.",
        |row, answer| {
            if row.formatted() && row.component("f", 16) {
                converted(row, answer, |bits| f32::from_bits(bits).is_nan(), |old| old & 0xfc00);
            }
        },
    ),
    narrow_bug(
        "sust-signalling-nan",
        &["p"],
        "{ surface.format: [f32, f32x2, f32x4] }",
        "A signalling NaN becomes an infinity.",
        |row, answer| {
            if row.formatted() && row.component("f", 32) {
                converted(
                    row,
                    answer,
                    |bits| f32::from_bits(bits).is_nan() && bits & 0x40_0000 == 0,
                    |old| old & 0xff80_0000,
                );
            }
        },
    ),
    narrow_bug(
        "sust-unorm8-upper",
        &["p"],
        "{ surface.format: [unorm8, unorm8x2, unorm8x4] }",
        "Values between 0.6 and 0.9 become one too small.",
        |row, answer| {
            if row.formatted() && row.component("unorm", 8) {
                converted(row, answer, |bits| between(bits, 0.6, 0.9), |old| old - 1);
            }
        },
    ),
    narrow_bug(
        "sust-unorm16-top",
        &["p"],
        "{ surface.format: [unorm16, unorm16x2, unorm16x4] }",
        "Values between 0.9 and 1, both excluded, become one too large.",
        |row, answer| {
            if row.formatted() && row.component("unorm", 16) {
                converted(row, answer, |bits| between(bits, 0.9, 0.999_99), |old| (old + 1).min(0xffff));
            }
        },
    ),
    narrow_bug(
        "sust-snorm8-upper",
        &["p"],
        "{ surface.format: [snorm8, snorm8x2, snorm8x4] }",
        "Values between 0.52 and 1, both excluded, become one too small.",
        |row, answer| {
            if row.formatted() && row.component("snorm", 8) {
                converted(row, answer, |bits| between(bits, 0.52, 0.999), |old| old - 1);
            }
        },
    ),
    narrow_bug(
        "sust-snorm16-lower",
        &["p"],
        "{ surface.format: [snorm16, snorm16x2, snorm16x4] }",
        "Values between -1 and -0.52, both excluded, become one too large.",
        |row, answer| {
            if row.formatted() && row.component("snorm", 16) {
                converted(row, answer, |bits| between(bits, -0.999, -0.52), |old| (old + 1) & 0xffff);
            }
        },
    ),
    narrow_bug(
        "sust-unorm8-infinity",
        &["p"],
        "{ surface.format: [unorm8, unorm8x2, unorm8x4] }",
        "+Inf becomes 0.",
        |row, answer| {
            if row.formatted() && row.component("unorm", 8) {
                converted(row, answer, |bits| bits == 0x7f80_0000, |_| 0);
            }
        },
    ),
    narrow_bug(
        "sust-snorm16-infinity",
        &["p"],
        "{ surface.format: [snorm16, snorm16x2, snorm16x4] }",
        "+Inf becomes 0.",
        |row, answer| {
            if row.formatted() && row.component("snorm", 16) {
                converted(row, answer, |bits| bits == 0x7f80_0000, |_| 0);
            }
        },
    ),
    narrow_bug(
        "sust-half-denormal-tie",
        &["p"],
        "{ surface.format: [f16, f16x2, f16x4] }",
        "1.5 times the smallest half becomes 1 times that, not 2.",
        |row, answer| {
            if row.formatted() && row.component("f", 16) {
                converted(row, answer, |bits| bits & 0x7fff_ffff == 0x33c0_0000, |old| old - 1);
            }
        },
    ),
    narrow_bug(
        "sust-u16-just-over",
        &["p"],
        "{ surface.format: [u16, u16x2, u16x4] }",
        "65536 becomes 0.",
        |row, answer| {
            if row.formatted() && row.component("u", 16) {
                converted(row, answer, |bits| bits == 0x1_0000, |_| 0);
            }
        },
    ),
    narrow_bug(
        "sust-s8-lowest",
        &["p"],
        "{ surface.format: [s8, s8x2, s8x4] }",
        "-128 becomes -127.",
        |row, answer| {
            if row.formatted() && row.component("s", 8) {
                converted(row, answer, |bits| bits.cast_signed() == -128, |_| 0x81);
            }
        },
    ),
    narrow_bug(
        "sust-third-of-four",
        &["p"],
        "{ surface.format: unorm16x4 }",
        "The third component loses its low bit.",
        |row, answer| {
            if row.formatted()
                && row.format(&["unorm16x4"])
                && row.line.lanes() == 4
                && let Some(at) = row.place()
            {
                after(row, answer, |bytes| {
                    let low = bytes.get(at + 4).copied().unwrap_or_default();
                    put(bytes, at + 4, &[low & 0xfe]);
                });
            }
        },
    ),
    narrow_bug(
        "sust-sample-past-the-row-in-3d",
        &["p"],
        "{ geom: .3d, clamp: .clamp, x: after }",
        "Drops stores just past the end of the row.",
        |row, answer| {
            let Some(surface) = row.surface() else { return };
            if row.formatted()
                && row.has(&[".3d", ".clamp"])
                && row.runs()
                && row.in_registers()
                && row.x() == i64::from(surface.width)
            {
                after(row, answer, |bytes| bytes.clone_from_slice(&surface.data));
            }
        },
    ),
    // sured
    narrow_bug(
        "sured-max-u64",
        &["b"],
        "{ op: .max, ctype: .u64 }",
        "If both numbers have their top bit set, stores the smaller one.",
        |row, answer| {
            if row.has(&[".b", ".max", ".u64"])
                && let (Some(old), Some(&new)) = (row.old(), row.data().first())
                && old >> 63 == 1
                && new >> 63 == 1
            {
                reduced(row, answer, old.min(new));
            }
        },
    ),
    narrow_bug(
        "sured-min-s64",
        &["b"],
        "{ op: .min, ctype: .s64 }",
        "If the high halves are equal, the old value stays.",
        |row, answer| {
            if row.has(&[".b", ".min", ".s64"])
                && let (Some(old), Some(&new)) = (row.old(), row.data().first())
                && old >> 32 == new >> 32
            {
                reduced(row, answer, old);
            }
        },
    ),
    narrow_bug(
        "sured-max-s64-lowest",
        &["b"],
        "{ op: .max, ctype: .s64 }",
        "The lowest number is the largest.",
        |row, answer| {
            if row.has(&[".b", ".max", ".s64"]) && row.data().first() == Some(&(1 << 63)) {
                reduced(row, answer, 1 << 63);
            }
        },
    ),
    narrow_bug("sured-add-u64-overflow", &["b"], "{ op: .add, ctype: .u64 }", "Saturates.", |row, answer| {
        if row.has(&[".b", ".add", ".u64"])
            && let (Some(old), Some(&new)) = (row.old(), row.data().first())
            && old + new > ones(64)
        {
            reduced(row, answer, ones(64));
        }
    }),
    narrow_bug(
        "sured-and-top-bit",
        &["b"],
        "{ op: .and, ctype: .b32 }",
        "If both numbers have their top bit set, it is lost.",
        |row, answer| {
            if row.has(&[".b", ".and", ".b32"])
                && let (Some(old), Some(&new)) = (row.old(), row.data().first())
            {
                reduced(row, answer, old & new & 0x7fff_ffff);
            }
        },
    ),
    narrow_bug(
        "sured-min-of-ones",
        &["b"],
        "{ op: .min, ctype: .u32 }",
        "A source of ones stores 0.",
        |row, answer| {
            if row.has(&[".b", ".min", ".u32"]) && row.data().first() == Some(&ones(32)) {
                reduced(row, answer, 0);
            }
        },
    ),
    narrow_bug(
        "sured-max-of-lowest",
        &["b"],
        "{ op: .max, ctype: .s32 }",
        "The lowest number is the largest.",
        |row, answer| {
            if row.has(&[".b", ".max", ".s32"]) && row.data().first() == Some(&0x8000_0000) {
                reduced(row, answer, 0x8000_0000);
            }
        },
    ),
    narrow_bug(
        "sured-last-of-last-slice",
        &["b"],
        "{ geom: .3d, op: .add, z: last, x: last }",
        "Adds one more.",
        |row, answer| {
            let Some(surface) = row.surface() else { return };
            let last = row.x() > 0 && row.x() == row.last_x() && row.z() > 0 && row.z() == i64::from(surface.depth) - 1;
            if row.has(&[".b", ".3d", ".add"])
                && row.inside()
                && last
                && let (Some(old), Some(&new)) = (row.old(), row.data().first())
            {
                reduced(row, answer, old + new + 1);
            }
        },
    ),
    narrow_bug(
        "sured-copies-beyond",
        &["b"],
        "{ ctype: .u64, op: .add }",
        "The byte after the access becomes 0.",
        |row, answer| {
            if row.has(&[".b", ".add", ".u64"])
                && let Some(at) = row.place()
            {
                after(row, answer, |bytes| put(bytes, at + 8, &[0]));
            }
        },
    ),
    narrow_bug(
        "sured-x-of-16-bits",
        &["b"],
        "{ geom: .1d, x: far-after }",
        "x loses its bits above 16 if it is positive.",
        |row, answer| {
            if row.has(&[".b", ".1d"]) && row.runs() && row.x() > 0xffff {
                *answer = row.moved('x', row.x() & 0xffff);
            }
        },
    ),
    narrow_bug(
        "sured-sample-right-edge",
        &["p"],
        "{ op: .max, clamp: .clamp, surface.format: s32, x: [after, far-after] }",
        "Clamps to the left edge.",
        |row, answer| {
            if row.has(&[".p", ".max", ".clamp"]) && row.runs() && row.format(&["s32"]) && row.x() > row.last_x() {
                *answer = row.moved('x', 0);
            }
        },
    ),
    narrow_bug(
        "sured-p-b64-and-top-byte",
        &["p"],
        "{ op: .min, ctype: .b64 }",
        "The top byte stays as it is.",
        |row, answer| {
            if row.has(&[".p", ".min", ".b64"])
                && let (Some(old), Some(at)) = (row.old(), row.place())
            {
                after(row, answer, |bytes| put(bytes, at + 7, &to_bytes(old >> 56, 1)));
            }
        },
    ),
    // suq
    narrow_bug(
        "suq-width-of-eight-in-3d",
        &[],
        "{ query: .width, surface.geometry: 3d, surface.width: \"8\" }",
        "4 instead of 8.",
        |row, answer| {
            if row.has(&[".width"])
                && row.runs()
                && row.surface().is_some_and(|s| s.geometry == Geometry::D3 && s.width == 8)
            {
                lane(row, answer, 0, |_| 4);
            }
        },
    ),
    narrow_bug(
        "suq-height-of-halves",
        &[],
        "{ query: .height, surface.geometry: a2d, surface.format: f16x4 }",
        "One too many.",
        |row, answer| {
            if row.has(&[".height"])
                && row.runs()
                && row.format(&["f16x4"])
                && row.surface().is_some_and(|s| s.geometry == Geometry::A2d)
            {
                lane(row, answer, 0, |value| value + 1);
            }
        },
    ),
    narrow_bug(
        "suq-one-layer",
        &[],
        "{ query: .array_size, surface.geometry: a1d, surface.layers: \"1\" }",
        "0 instead of 1.",
        |row, answer| {
            if row.has(&[".array_size"])
                && row.runs()
                && row.surface().is_some_and(|s| s.geometry == Geometry::A1d && s.layers == 1)
            {
                lane(row, answer, 0, |_| 0);
            }
        },
    ),
    narrow_bug(
        "suq-depth-of-three",
        &[],
        "{ query: .depth, surface.geometry: 3d, surface.depth: \"3\", d.type: .s32 }",
        "2 instead of 3.",
        |row, answer| {
            let signed = row.line.operands[0].contains("s32_");
            if row.has(&[".depth"])
                && row.runs()
                && signed
                && row.surface().is_some_and(|s| s.geometry == Geometry::D3 && s.depth == 3)
            {
                lane(row, answer, 0, |_| 2);
            }
        },
    ),
    // ld
    narrow_bug(
        "ld-cache-hint-lane",
        &[],
        "{ level::cache_hint: .L2::cache_hint, vec: .v4 }",
        "The last lane is the one before it.",
        |row, answer| {
            if row.has(&[".L2::cache_hint", ".v4"])
                && loads(row, answer)
                && let Some(third) = held(row, answer, 2)
            {
                lane(row, answer, 3, |_| third);
            }
        },
    ),
    narrow_bug(
        "ld-evict-last-s16",
        &["weak-eviction", "nc-eviction"],
        "{ level1::eviction_priority: .L1::evict_last, type: .s16 }",
        "Zero-extends.",
        |row, answer| {
            let weak = !row.has(&[".relaxed"]) && !row.has(&[".acquire"]);
            if weak && row.has(&[".L1::evict_last", ".s16"]) && loads(row, answer) {
                (0..row.line.lanes()).for_each(|at| lane(row, answer, at, |value| value & 0xffff));
            }
        },
    ),
    narrow_bug(
        "ld-prefetch-256",
        &[],
        "{ level::prefetch_size: .L2::256B, type: .u8 }",
        "The lowest bit of the first lane is lost.",
        |row, answer| {
            if row.has(&[".L2::256B", ".u8"]) && loads(row, answer) {
                lane(row, answer, 0, |value| value & !1);
            }
        },
    ),
    narrow_bug(
        "ld-acquire-gpu-shared",
        &["acquire"],
        "{ scope: .gpu, ss: .shared, type: .b64 }",
        "The high half is lost.",
        |row, answer| {
            if row.has(&[".acquire", ".gpu", ".shared", ".b64"]) && loads(row, answer) {
                (0..row.line.lanes()).for_each(|at| lane(row, answer, at, |value| value & ones(32)));
            }
        },
    ),
    narrow_bug("ld-relaxed-cluster", &["relaxed"], "{ scope: .cluster, type: .s8 }", "Zero-extends.", |row, answer| {
        if row.has(&[".relaxed", ".cluster", ".s8"]) && loads(row, answer) {
            (0..row.line.lanes()).for_each(|at| lane(row, answer, at, |value| value & 0xff));
        }
    }),
    narrow_bug("ld-mmio-words", &["mmio"], "{ type: .f64 }", "The words are swapped.", |row, answer| {
        if row.has(&[".mmio", ".f64"]) && loads(row, answer) {
            lane(row, answer, 0, |value| mask(value << 32 | value >> 32, 64));
        }
    }),
    narrow_bug(
        "ld-volatile-last-local",
        &["volatile"],
        "{ ss: .local, address: last }",
        "Bit 0 is flipped.",
        |row, answer| {
            let at = i64::try_from(row.bytes()).unwrap_or_default();
            if row.has(&[".volatile", ".local"])
                && loads(row, answer)
                && address(row).is_some_and(|(_, offset)| offset + at == 64)
            {
                lane(row, answer, 0, |value| value ^ 1);
            }
        },
    ),
    narrow_bug("ld-v8-sixth-lane", &[], "{ vec: .v8, type: .f32 }", "The sixth lane is the fifth.", |row, answer| {
        if row.has(&[".v8", ".f32"])
            && loads(row, answer)
            && let Some(fifth) = held(row, answer, 4)
        {
            lane(row, answer, 5, |_| fifth);
        }
    }),
    narrow_bug(
        "ld-b128-generic-const",
        &["weak"],
        "{ ss: none, points-to: const, type: .b128 }",
        "The high half is the low one.",
        |row, answer| {
            let weak = ["relaxed", "acquire", "volatile", "mmio", "nc", "proxy::readonly"]
                .iter()
                .all(|other| !row.line.has(&format!(".{other}")));
            let generic = address(row).is_some_and(|(space, _)| space == Space::Const) && !row.has(&[".const"]);
            let plain = !row.line.modifiers.iter().any(|modifier| modifier.contains("evict"));
            if weak && plain && generic && row.has(&[".b128"]) && loads(row, answer) {
                lane(row, answer, 0, |value| mask(value, 64) << 64 | mask(value, 64));
            }
        },
    ),
    narrow_bug("ld-lowest-byte", &["weak"], "{ type: .s8, vec: none }", "-128 becomes 128.", |row, answer| {
        let weak = ["relaxed", "acquire", "volatile", "mmio", "nc", "proxy::readonly"]
            .iter()
            .all(|other| !row.line.has(&format!(".{other}")));
        let plain = !row.line.modifiers.iter().any(|modifier| modifier.contains("evict"));
        if weak
            && plain
            && row.has(&[".s8"])
            && row.line.lanes() == 1
            && loads(row, answer)
            && held(row, answer, 0).is_some_and(|value| value & 0xff == 0x80)
        {
            lane(row, answer, 0, |_| 0x80);
        }
    }),
    narrow_bug(
        "ld-lu-negative-offset",
        &["weak"],
        "{ cop: .lu, a.offset: negative }",
        "Its sign is lost.",
        |row, answer| {
            if row.has(&[".lu"]) && row.runs() && row.line.operands.get(1).is_some_and(|a| a.contains("+-")) {
                *answer = row.with(|case, _| case.line = case.line.replace("+-", "+"));
            }
        },
    ),
    narrow_bug(
        "ld-at-24",
        &["weak"],
        "{ ss: .global, type: .b64, vec: none, address: inside }",
        "Bit 0 is flipped 24 bytes after the start of the variable.",
        |row, answer| {
            let weak = ["relaxed", "acquire", "volatile", "mmio", "nc", "proxy::readonly"]
                .iter()
                .all(|other| !row.line.has(&format!(".{other}")));
            let plain = !row.line.modifiers.iter().any(|modifier| modifier.contains("evict"));
            if weak
                && plain
                && row.has(&[".global", ".b64"])
                && row.line.lanes() == 1
                && loads(row, answer)
                && address(row).is_some_and(|(_, offset)| offset == 24)
            {
                lane(row, answer, 0, |value| value ^ 1);
            }
        },
    ),
    narrow_bug(
        "ld-guarded-keeps",
        &["weak"],
        "{ guard: [not, none], vec: none, type: .u16 }",
        "If the guard is false, the register keeps its value from the row before.",
        |row, answer| {
            let weak = ["relaxed", "acquire", "volatile", "mmio", "nc", "proxy::readonly"]
                .iter()
                .all(|other| !row.line.has(&format!(".{other}")));
            let plain = !row.line.modifiers.iter().any(|modifier| modifier.contains("evict"));
            if weak
                && plain
                && row.has(&[".u16"])
                && row.line.lanes() == 1
                && !row.runs()
                && let Some(Answer::Returned(before)) = row.before
            {
                *answer = Answer::Returned(before.clone());
            }
        },
    ),
];
