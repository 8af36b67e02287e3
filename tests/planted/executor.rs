//! A second executor, simple on purpose: it splits the text of the line, works on bytes, and shares nothing with the
//! library but the types of a program. It is right, or has one planted bug.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::BTreeMap;

use ptx_conform::line_case::{Answer, Holds, LineCase, Returned};
use ptx_conform::object::{Component, Format, Geometry, Space, Surface, Variable};

use crate::engine::StandIn;

/// A bug that can be planted.
pub(crate) struct Bug {
    /// The instruction, then a short name: `suld-y-clamps-to-top`.
    pub(crate) name: &'static str,
    /// What it does, in a sentence.
    pub(crate) says: &'static str,
    /// When it shows, in words.
    pub(crate) when: &'static str,
}

impl Bug {
    /// The instruction that has it.
    pub(crate) fn instruction(&self) -> &'static str {
        self.name.split('-').next().unwrap_or_default()
    }
}

const fn bug(name: &'static str, when: &'static str, says: &'static str) -> Bug {
    Bug { name, says, when }
}

/// Every bug that can be planted.
pub(crate) const BUGS: &[Bug] = &[
    // Where suld loads from.
    bug("suld-layer-last", "geom .a1d", "The tuple is read as x and layer."),
    bug("suld-layers-swapped", "geom .a2d, layer 0 or 1", "Layers 0 and 1 are taken for each other."),
    bug("suld-array-x-unsigned", "geom .a2d, clamp .clamp, x < 0", "A negative x goes to the right edge."),
    bug("suld-layer-signed", "geom .a1d, clamp .clamp, layer >= 2^31", "The layer is signed, so it goes to layer 0."),
    bug("suld-layer-one-too-many", "geom .a1d, layer = layers", "The layer after the last one is the last one."),
    bug("suld-y-clamps-to-top", "geom .2d, clamp .clamp, y > last", "y past the end goes to row 0."),
    bug("suld-x-clamps-to-left", "geom .1d, clamp .clamp, x > last", "x past the end goes to 0."),
    bug("suld-clamp-not-sized", "clamp .clamp, vec .v2, x > last", "x goes to the last lane, not to the last access."),
    bug("suld-z-ignored-by-zero", "geom .3d, clamp .zero, only z out of bounds", "Loads from the nearest slice."),
    bug("suld-z-clamps-to-front", "geom .3d, clamp .clamp, z > last", "z past the end goes to slice 0."),
    bug("suld-zero-loads-ones", "clamp .zero, dtype .b64, out of bounds", "Loads ones."),
    bug("suld-trap-missing-on-y", "geom .2d, clamp .trap, only y out of bounds", "Loads from the nearest row."),
    bug("suld-traps-at-last-x", "geom .a1d, clamp .trap, x = last", "Traps at the last x."),
    bug("suld-y-one-too-few", "geom .3d, clamp .zero, y = last", "The last row is out of bounds."),
    bug("suld-one-before-inside", "geom .1d, clamp .zero, x = -size", "The access before the first one is the first."),
    bug("suld-reads-next-row", "geom .2d, clamp .zero, x = row size, y not last", "Goes on in the next row."),
    bug("suld-x-scaled", "dtype .b16, vec none", "x counts elements of the type."),
    bug("suld-cs-first-row", "cop .cs, geom .2d", "y is taken for 0."),
    bug("suld-negative-immediate", "a negative immediate coordinate", "Its sign is lost."),
    bug("suld-vector-coordinates-swapped", "geom .2d, coordinates in a vector register", "x and y are swapped."),
    bug("suld-fourth-coordinate", "geom .3d, coordinates in a tuple", "z is the fourth coordinate."),
    // What suld makes of the bytes.
    bug("suld-last-lane-lost", "vec .v4, dtype .b16", "The last lane is 0."),
    bug("suld-lanes-reversed", "vec .v2, dtype .b64", "The lanes are reversed."),
    bug("suld-bytes-shuffled", "vec .v4, dtype .b8", "Lanes 1 and 2 are swapped."),
    bug("suld-b8-sign-extended", "dtype .b8, wider register", "The byte is sign-extended."),
    bug("suld-b16-doubled", "dtype .b16, register of 32 bits", "The value is in both halves."),
    bug("suld-b16-big-endian", "vec .v2, dtype .b16", "The bytes of each lane are swapped."),
    bug("suld-sink-shifts", "a sink before a lane", "A sink takes no lane, so later registers get the wrong ones."),
    bug("suld-not-guard-as-guard", "guard @!p", "The guard is not negated."),
    bug("suld-crashes", "geom .a2d, clamp .trap, y out of bounds", "The engine dies."),
    // sust.b
    bug("sust-zero-stores", "form b, geom .1d, clamp .zero, x > last", "Stores to the nearest position."),
    bug("sust-clamp-drops", "form b, geom .2d, clamp .clamp, y < 0", "Drops the store."),
    bug("sust-layer-wraps", "geom .a2d, clamp .clamp, layer >= layers", "The layer is taken modulo the layers."),
    bug(
        "sust-trap-missing-on-layer",
        "geom .a1d, clamp .trap, only the layer out of bounds",
        "Stores to the last layer.",
    ),
    bug("sust-lanes-swapped", "form b, vec .v2, ctype .b32", "The lanes are swapped."),
    bug("sust-byte-stored-as-half", "form b, ctype .b8, vec none", "The byte after it becomes 0."),
    bug("sust-halves-swapped", "form b, vec .v2, ctype .b64", "The 32-bit halves of each lane are swapped."),
    bug("sust-float-immediate-lost", "form b, c is a float immediate", "Stores 0."),
    bug("sust-integer-immediate-short", "form b, c is an integer immediate above 16 bits", "Keeps its low 16 bits."),
    bug("sust-wt-lost", "cop .wt", "Stores nothing."),
    bug("sust-guard-ignored", "guard @p, false", "Stores nevertheless."),
    // sust.p
    bug("sust-p-x-in-bytes", "form p, two channels", "x counts bytes."),
    bug("sust-p-last-row-lost", "form p, geom .2d, clamp .zero, y = last", "The last row is out of bounds."),
    bug("sust-alpha-lost", "form p, four channels of 8 bits, vec .v4", "The fourth component becomes 0."),
    bug("sust-bgra", "form p, unorm8x4", "The first and the third component are swapped."),
    bug("sust-unorm8-half-down", "unorm8, 0.5: the only tie", "Rounds ties down."),
    bug("sust-unorm16-truncates", "unorm16, x * 65535 is not an integer", "Rounds towards 0."),
    bug("sust-unorm-nan-one", "unorm, NaN", "NaN becomes 1."),
    bug("sust-snorm8-scale", "snorm8", "The scale is 128."),
    bug("sust-snorm16-lowest", "snorm16, x <= -1", "-1 becomes the lowest integer."),
    bug("sust-u8-wraps", "u8, above 255", "Keeps the low 8 bits."),
    bug("sust-s8-wraps", "s8, below -128", "Keeps the low 8 bits."),
    bug("sust-u16-saturates-low", "u16, above 0x7fff", "Saturates as if signed."),
    bug("sust-s16-from-unsigned", "s16, below 0", "The source is unsigned, so it becomes 0x7fff."),
    bug("sust-f16-truncates", "f16, inexact", "Rounds towards 0."),
    bug("sust-f16-denormals-flushed", "f16, below 2^-14", "Becomes 0."),
    bug("sust-f16-overflow-finite", "f16, from 65520 on", "Becomes 65504."),
    bug("sust-f16-nan-infinite", "f16, NaN", "NaN becomes an infinity."),
    bug("sust-f32-denormals-flushed", "f32, below 2^-126", "Becomes 0."),
    // sured
    bug("sured-min-u32-signed", "op .min, ctype .u32", "Compares as signed."),
    bug("sured-max-s32-unsigned", "op .max, ctype .s32", "Compares as unsigned."),
    bug("sured-min-u64-as-32", "op .min, ctype .u64", "Compares the low halves."),
    bug("sured-max-s64-unsigned", "op .max, ctype .s64", "Compares as unsigned."),
    bug("sured-and-as-or", "form b, op .and", "Does .or."),
    bug("sured-or-as-add", "op .or, operands with common bits", "Adds."),
    bug("sured-add-saturates", "form b, op .add, ctype .u32, overflow", "Saturates."),
    bug("sured-add-s32-saturates", "op .add, ctype .s32, overflow", "Saturates."),
    bug("sured-add-no-carry", "op .add, ctype .u64, carry", "The low half carries nothing into the high one."),
    bug("sured-p-unsigned", "form p, op .max, ctype .b32, signed format", "Compares as unsigned."),
    bug("sured-p-b64-signed", "form p, ctype .b64, unsigned format", "Compares as signed."),
    bug("sured-p-x-in-bytes", "form p, x > 0", "x counts bytes."),
    bug("sured-zero-ignores-y", "geom .2d, clamp .zero, only y out of bounds", "Reduces in the nearest row."),
    bug("sured-clamp-negative-to-right", "clamp .clamp, x < 0", "A negative x goes to the right edge."),
    bug("sured-trap-missing-on-z", "geom .3d, clamp .trap, only z out of bounds", "Reduces in the nearest slice."),
    bug("sured-min-stores-immediate", "op .min, c is an immediate", "Stores the immediate."),
    // suq
    bug("suq-width-in-bytes", "query .width, samples of more than a byte", "Counts bytes."),
    bug("suq-height-plus-one", "query .height, geometry 3d", "One too many."),
    bug("suq-height-of-1d-one", "query .height, geometry 1d", "1 instead of 0."),
    bug("suq-depth-of-layers", "query .depth, layered", "The number of layers."),
    bug("suq-array-size-minus-one", "query .array_size, geometry a2d", "The last layer instead of their number."),
    bug("suq-array-size-of-one", "query .array_size, not layered", "1 instead of 0."),
    bug("suq-order-of-two", "query .channel_order, two channels", "RA instead of RG."),
    bug("suq-snorm16-as-unorm", "query .channel_data_type, snorm16", "The type of unorm16."),
    bug("suq-half-as-float", "query .channel_data_type, f16", "The type of f32."),
    bug("suq-linear", "query .memory_layout, geometry 1d", "1 instead of 0."),
    // ld
    bug("ld-negative-offset-added", "negative offset", "Its sign is lost."),
    bug("ld-const-offset-ignored", "ss .const, offset after a variable", "The offset is taken for 0."),
    bug("ld-generic-shared-as-global", "ss none, address in shared memory", "Loads from the first global variable."),
    bug("ld-s8-zero-extended", "type .s8, wider register", "Zero-extends."),
    bug("ld-s16-short-extension", "type .s16, register of 64 bits", "Sign-extends to 32 bits only."),
    bug("ld-u16-as-s16", "type .u16, wider register", "Sign-extends."),
    bug("ld-b8-sign-extended", "type .b8, wider register", "Sign-extends."),
    bug("ld-u32-as-s32", "type .u32, wider register", "Sign-extends."),
    bug("ld-b128-halves", "type .b128", "The halves are swapped."),
    bug("ld-f64-words", "type .f64, ss .const", "The 32-bit words are swapped."),
    bug("ld-v8-last-lane", "vec .v8", "The last lane is the one before it."),
    bug("ld-v4-u16-reversed", "vec .v4, type .u16", "The lanes are reversed."),
    bug("ld-sink-shifts", "a sink before a lane", "A sink takes no lane, so later registers get the wrong ones."),
    bug("ld-vector-register-swapped", "vec .v2, d is a vector register", "The lanes are swapped."),
    bug("ld-evict-first-lanes", ".L1::evict_first, vec .v2", "The second lane is the first."),
    bug("ld-misaligned-masked", "ss .shared, misaligned", "Rounds the address down."),
    bug("ld-outside-zero", "ss .local, outside", "Loads 0."),
    bug("ld-traps-at-end", "ss .param, last element", "Traps."),
    bug("ld-not-guard-as-guard", "guard @!p", "The guard is not negated."),
    // add
    bug("add-sat-top-early", ".sat, above the largest", "Becomes one less than the largest."),
    bug("add-sat-bottom-wraps", ".sat, below the smallest", "Wraps."),
    bug("add-halves-carry", "type .u16x2", "The low half carries into the high one."),
    bug("add-s16x2-high-half", "type .s16x2", "The high half is that of a."),
    bug("add-u64-no-carry", "type .u64, carry", "The low half carries nothing into the high one."),
    bug("add-s16-saturates", "type .s16, overflow", "Saturates."),
    bug("add-immediate-negated", "b is an immediate", "Subtracts it."),
    bug("add-not-guard-as-guard", "guard @!p", "The guard is not negated."),
    // st
    bug("st-v2-swapped", "vec .v2, type .b16", "The lanes are swapped."),
    bug("st-byte-as-half", "type .b8", "The byte after it becomes 0."),
    bug("st-last-lane-lost", "vec .v4, type .u32", "The last lane is not stored."),
    bug("st-sink-zeroes", "a sink", "Stores 0 for a sink."),
    bug("st-f64-words", "type .f64, ss .shared", "The 32-bit words are swapped."),
    bug("st-release-beyond", ".release, ss .global", "The byte after the access becomes ff."),
    bug("st-high-half", "type .u16, register of 32 bits", "Stores the high half."),
    bug("st-wide-next", "vec .v8", "The fifth lane is the fourth."),
    bug("st-wt-lost", "cop .wt", "Stores nothing."),
    bug("st-local-first", "ss .local", "Stores to the first byte."),
    bug("st-guard-ignored", "guard @p, false", "Stores nevertheless."),
    // atom
    bug("atom-returns-new", "op .add, type .u32", "Returns what memory then holds."),
    bug("atom-min-unsigned", "op .min, type .s32", "Compares as unsigned."),
    bug("atom-max-u64-signed", "op .max, type .u64", "Compares as signed."),
    bug("atom-inc-late", "op .inc, old equal to b", "Counts on."),
    bug("atom-dec-wraps", "op .dec, old 0", "Becomes the largest number."),
    bug("atom-cas-always", "op .cas, type .b64", "Stores though they differ."),
    bug("atom-cas-low-byte", "op .cas, type .b16", "Compares the low bytes."),
    bug("atom-xor-as-or", "op .xor", "Does .or."),
    bug("atom-add-u64-short", "op .add, type .u64", "Adds the low halves."),
    bug("atom-exch-halves", "op .exch, type .b128", "Stores the 64-bit halves the other way round."),
    bug("atom-f16x2-low", "type .f16x2", "Adds the low half only."),
    bug("atom-f16-truncates", "type .f16, inexact", "Rounds towards 0."),
    bug("atom-sink-skips", "d is _", "Changes nothing."),
    bug("atom-v2-lane", "type .f32, vec .v2", "The second lane stays."),
    bug("atom-f64-flushed", "type .f64, subnormal", "Becomes 0."),
    bug("atom-shared-lost", "space .shared, op .and", "Changes nothing."),
];

/// The executor.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Planted {
    bug: Option<&'static str>,
}

impl Planted {
    /// The executor without a bug.
    pub(crate) fn right() -> Self {
        Self::default()
    }

    /// The executor with the bug of this name.
    pub(crate) fn with(name: &str) -> Self {
        let bug = BUGS.iter().find(|bug| bug.name == name);
        Self { bug: Some(bug.unwrap_or_else(|| panic!("no bug is called `{name}`")).name) }
    }

    /// The executor as an engine.
    pub(crate) fn engine(self) -> StandIn<'static> {
        StandIn::new("planted@1").executing(move |case| self.answers(case))
    }

    /// One answer for each row.
    pub(crate) fn answers(&self, case: &LineCase) -> Vec<Answer> {
        let Some(line) = Line::parse(&case.line) else {
            return case.rows.iter().map(|_| Answer::Skipped("the line cannot be read".to_owned())).collect();
        };
        case.rows.iter().map(|row| Thread::new(self, case, &line, row).run()).collect()
    }

    fn has(&self, name: &str) -> bool {
        self.bug == Some(name)
    }
}

/// The parts of a statement.
struct Line {
    /// Whether the predicate must be true, and its register.
    guard: Option<(bool, String)>,
    opcode: String,
    /// With their dots.
    modifiers: Vec<String>,
    operands: Vec<String>,
}

impl Line {
    fn parse(text: &str) -> Option<Self> {
        let text = without_comments(text);
        let mut rest = text.trim().trim_end_matches(';').trim();
        let mut guard = None;
        if let Some(after) = rest.strip_prefix('@') {
            let after = after.trim_start();
            let wanted = !after.starts_with('!');
            let after = after.trim_start_matches('!').trim_start();
            let end = after.find(char::is_whitespace)?;
            guard = Some((wanted, after[..end].to_owned()));
            rest = after[end..].trim_start();
        }
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
        let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
        let opcode = rest[..end].to_owned();
        rest = rest[end..].trim_start();
        let mut modifiers = Vec::new();
        while let Some(after) = rest.strip_prefix('.') {
            let end = after.find(|c| !word(c)).unwrap_or(after.len());
            modifiers.push(format!(".{}", &after[..end]));
            rest = after[end..].trim_start();
        }
        Some(Self { guard, opcode, modifiers, operands: split(rest) })
    }

    fn has(&self, modifier: &str) -> bool {
        self.modifiers.iter().any(|one| one == modifier)
    }

    /// The modifier among these that the line has.
    fn one_of<'m>(&self, modifiers: &[&'m str]) -> Option<&'m str> {
        modifiers.iter().copied().find(|modifier| self.has(modifier))
    }

    /// The number of lanes.
    fn lanes(&self) -> usize {
        match self.one_of(&[".v2", ".v4", ".v8"]) {
            Some(".v2") => 2,
            Some(".v4") => 4,
            Some(_) => 8,
            None => 1,
        }
    }

    /// The letter and the size in bits of the type: `.s16` is `s` and 16.
    fn of_type(&self) -> Option<(char, u32)> {
        self.modifiers.iter().rev().find_map(|modifier| {
            let letter = modifier.chars().nth(1)?;
            let bits: u32 = modifier.get(2..)?.parse().ok()?;
            ("busf".contains(letter) && [8, 16, 32, 64, 128].contains(&bits)).then_some((letter, bits))
        })
    }
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        kept.push_str(&rest[..at]);
        kept.push(' ');
        let after = &rest[at + 2..];
        let (end, long) = if rest[at..].starts_with("//") { ("\n", 1) } else { ("*/", 2) };
        rest = after.find(end).map_or("", |end| &after[end + long..]);
    }
    kept + rest
}

/// Splits at commas outside of braces and brackets.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// The text between the first pair of brackets or braces; without a pair, the whole text.
fn inside(text: &str, open: char, close: char) -> &str {
    match (text.find(open), text.rfind(close)) {
        (Some(start), Some(end)) if start < end => text[start + 1..end].trim(),
        _ => text.trim(),
    }
}

/// Whether an immediate is a float of 64 bits.
fn is_double(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("0d") || text.starts_with("0D") || text.contains('.')
}

/// The bits of a float of 64 bits as one of 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "rounding is wanted")]
fn as_float(bits: u128) -> u128 {
    let double = f64::from_bits(u64::try_from(bits).unwrap_or_default());
    u128::from((double as f32).to_bits())
}

/// The bits of an immediate: of integers in two's complement, of floats as they are.
fn immediate(text: &str) -> Option<u128> {
    let text = text.trim();
    if let Some(digits) = text.strip_prefix("0f").or(text.strip_prefix("0F")) {
        return u32::from_str_radix(digits, 16).ok().map(u128::from);
    }
    if let Some(digits) = text.strip_prefix("0d").or(text.strip_prefix("0D")) {
        return u64::from_str_radix(digits, 16).ok().map(u128::from);
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits.trim_start()),
        None => (false, text),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if digits.contains('.') {
        return text.parse().ok().map(|number: f64| u128::from(number.to_bits()));
    }
    let digits = digits.trim_end_matches(['U', 'u']).to_ascii_lowercase();
    let number = if let Some(digits) = digits.strip_prefix("0x") {
        u64::from_str_radix(digits, 16)
    } else if let Some(digits) = digits.strip_prefix("0b") {
        u64::from_str_radix(digits, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(&digits, 8)
    } else {
        digits.parse()
    };
    let number = u128::from(number.ok()?);
    Some(if negative { number.wrapping_neg() } else { number })
}

/// `%v.r` is `%v.x`.
fn component(name: &str) -> String {
    for (colour, letter) in [(".r", ".x"), (".g", ".y"), (".b", ".z"), (".a", ".w")] {
        if let Some(vector) = name.strip_suffix(colour) {
            return format!("{vector}{letter}");
        }
    }
    name.to_owned()
}

fn mask(value: u128, bits: u32) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

/// A value with this many bits as a signed number.
fn signed(value: u128, bits: u32) -> i128 {
    let shift = 128 - bits;
    (mask(value, bits) << shift).cast_signed() >> shift
}

fn extended(value: u128, bits: u32, to: u16) -> u128 {
    mask(signed(value, bits).cast_unsigned(), to.into())
}

fn little_endian(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte))
}

fn to_bytes(value: u128, bytes: usize) -> Vec<u8> {
    value.to_le_bytes()[..bytes].to_vec()
}

fn skipped<T>(why: &str) -> Result<T, Answer> {
    Err(Answer::Skipped(why.to_owned()))
}

fn trapped<T>(why: &str) -> Result<T, Answer> {
    Err(Answer::Trapped(why.to_owned()))
}

/// An address: the variable, and the offset from its start.
struct Address<'a> {
    variable: &'a Variable,
    generic: bool,
    offset: i64,
}

/// A position in the surface.
struct Place {
    outside: bool,
    /// The offset of the nearest position within the surface.
    nearest: usize,
}

/// The execution of one row.
struct Thread<'a> {
    planted: &'a Planted,
    case: &'a LineCase,
    line: &'a Line,
    row: &'a [u128],
    registers: Vec<u128>,
    data: Vec<u8>,
    /// The contents of the variables that were written, by position.
    memory: BTreeMap<usize, Vec<u8>>,
}

impl<'a> Thread<'a> {
    fn new(planted: &'a Planted, case: &'a LineCase, line: &'a Line, row: &'a [u128]) -> Self {
        // A register that is also an input keeps its value if it is not written.
        let before = case.outputs.iter().map(|output| {
            let input = case.inputs.iter().position(|input| input.register == output.register);
            input.and_then(|at| row.get(at).copied()).unwrap_or(0)
        });
        let data = case.surface.as_ref().map(|surface| surface.data.clone()).unwrap_or_default();
        Self { planted, case, line, row, registers: before.collect(), data, memory: BTreeMap::new() }
    }

    fn run(mut self) -> Answer {
        if let Err(ended) = self.execute() {
            return ended;
        }
        let before = self.case.surface.as_ref().map(|surface| &surface.data);
        let surface = before.filter(|before| **before != self.data).is_some().then_some(self.data);
        let changed = |(at, bytes): (usize, Vec<u8>)| {
            let variable = &self.case.variables[at];
            (variable.data != bytes).then(|| (variable.name.clone(), bytes))
        };
        let variables = self.memory.into_iter().filter_map(changed).collect();
        Answer::Returned(Returned { registers: self.registers, surface, variables, undefined: None })
    }

    fn bug(&self, name: &str) -> bool {
        self.planted.has(name)
    }

    fn execute(&mut self) -> Result<(), Answer> {
        if let Some((wanted, predicate)) = &self.line.guard {
            let holds = self.read(predicate, 1)? == 1;
            let plain = self.bug("suld-not-guard-as-guard") && self.line.opcode == "suld"
                || self.bug("ld-not-guard-as-guard") && self.line.opcode == "ld"
                || self.bug("add-not-guard-as-guard") && self.line.opcode == "add";
            let wanted = *wanted || plain;
            let opcode = self.line.opcode.as_str();
            let ignored = wanted && (self.bug("sust-guard-ignored") && opcode == "sust")
                || wanted && self.bug("st-guard-ignored") && opcode == "st";
            if holds != wanted && !ignored {
                return Ok(());
            }
        }
        match self.line.opcode.as_str() {
            "suld" => self.suld(),
            "sust" => self.sust(),
            "sured" => self.sured(),
            "suq" => self.suq(),
            "ld" => self.ld(),
            "add" => self.add(),
            "st" => self.st(),
            "atom" => self.atom(),
            _ => skipped("another instruction"),
        }
    }

    // Operands.

    fn operand(&self, at: usize) -> Result<&'a str, Answer> {
        let line = self.line;
        line.operands.get(at).map_or_else(|| skipped("an operand is missing"), |operand| Ok(operand.as_str()))
    }

    /// The elements of a tuple or vector register; any other operand is its own element.
    fn elements(&self, operand: &str, written: bool) -> Vec<String> {
        if operand.starts_with('{') {
            return split(inside(operand, '{', '}'));
        }
        let known = |name: &String| {
            if written {
                self.case.outputs.iter().any(|output| output.register == *name)
            } else {
                self.case.inputs.iter().any(|input| input.register == *name)
            }
        };
        let components: Vec<_> = ["x", "y", "z", "w"].iter().map(|letter| format!("{operand}.{letter}")).collect();
        match components.iter().rposition(known) {
            Some(last) => components[..=last].to_vec(),
            None => vec![operand.to_owned()],
        }
    }

    /// The bits of a register or an immediate.
    fn read(&self, operand: &str, bits: u32) -> Result<u128, Answer> {
        if let Some(value) = immediate(operand) {
            let value = if self.line.has(".f32") && is_double(operand) { as_float(value) } else { value };
            return Ok(mask(value, bits));
        }
        match self.input(operand) {
            Some((Holds::Bits, value)) => Ok(mask(value, bits)),
            Some(_) => skipped("an address as data"),
            None => skipped("a register without a value"),
        }
    }

    fn input(&self, register: &str) -> Option<(&'a Holds, u128)> {
        let name = component(register);
        let at = self.case.inputs.iter().position(|input| input.register == name)?;
        Some((&self.case.inputs[at].holds, self.row.get(at).copied()?))
    }

    /// The size of a register that is written.
    fn width(&self, register: &str) -> Result<u16, Answer> {
        let name = component(register);
        let output = self.case.outputs.iter().find(|output| output.register == name);
        output.map_or_else(|| skipped("a register that is not among the outputs"), |output| Ok(output.bits))
    }

    fn write(&mut self, register: &str, value: u128) {
        let name = component(register);
        if let Some(at) = self.case.outputs.iter().position(|output| output.register == name) {
            self.registers[at] = mask(value, self.case.outputs[at].bits.into());
        }
    }

    // Surfaces.

    /// The surface that `a` names: a variable, or a register with a handle.
    fn surface(&self, a: &str) -> Result<&'a Surface, Answer> {
        if self.input(a).is_some_and(|(holds, _)| *holds != Holds::Surface) {
            return skipped("a register without a surface");
        }
        self.case.surface.as_ref().map_or_else(|| skipped("no surface"), Ok)
    }

    /// Splits `[a, b]`.
    fn access(&self, operand: &str) -> Result<(String, String), Answer> {
        match split(inside(operand, '[', ']')).as_slice() {
            [a, b] => Ok((a.clone(), b.clone())),
            _ => skipped("no coordinates"),
        }
    }

    fn coordinate(&self, text: &str) -> Result<u32, Answer> {
        let lost = self.bug("suld-negative-immediate") && self.line.opcode == "suld" && immediate(text).is_some();
        let value = self.read(if lost { text.trim_start_matches('-') } else { text }, 32)?;
        Ok(u32::try_from(value).unwrap_or_default())
    }

    /// The position of an access with this many bytes; `samples` says whether x counts samples.
    fn place(&self, surface: &Surface, b: &str, bytes: usize, samples: bool) -> Result<Place, Answer> {
        let (line, opcode) = (self.line, self.line.opcode.as_str());
        let (suld, sust, sured) = (opcode == "suld", opcode == "sust", opcode == "sured");
        let geometry = match line.one_of(&[".1d", ".2d", ".3d", ".a1d", ".a2d"]) {
            Some(".1d") => Geometry::D1,
            Some(".2d") => Geometry::D2,
            Some(".3d") => Geometry::D3,
            Some(".a1d") => Geometry::A1d,
            Some(".a2d") => Geometry::A2d,
            _ => return skipped("no geometry"),
        };
        if geometry != surface.geometry {
            return skipped("a surface of another geometry");
        }
        let [zero, clamp, trap] = [".zero", ".clamp", ".trap"].map(|mode| line.has(mode));
        let size = i64::try_from(bytes).unwrap_or(i64::MAX);
        let sample = i64::from(surface.format.bytes());
        let row = i64::from(surface.row_bytes());

        // The order of the tuple.
        let mut elements = self.elements(b, false);
        if suld && self.bug("suld-vector-coordinates-swapped") && geometry == Geometry::D2 && !b.starts_with('{') {
            elements.reverse();
        }
        if suld && self.bug("suld-layer-last") && geometry == Geometry::A1d {
            elements.reverse();
        }
        if suld && self.bug("suld-fourth-coordinate") && geometry == Geometry::D3 && b.starts_with('{') {
            elements.swap(2, 3);
        }
        let needed = usize::from(geometry.dimensions()) + usize::from(geometry.layered());
        if elements.len() < needed {
            return skipped("too few coordinates");
        }
        let mut read = Vec::new();
        for element in &elements[..needed] {
            read.push(self.coordinate(element)?);
        }
        let layer = if geometry.layered() { i64::from(read.remove(0)) } else { 0 };
        let number = |at: usize| read.get(at).map_or(0, |&bits| i64::from(bits.cast_signed()));
        let (mut x, mut y, z) = (number(0), number(1), number(2));
        let mut layer = layer;

        // The last position of each.
        let mut last_x = if samples { i64::from(surface.width) - 1 } else { (row / size - 1).max(0) * size };
        let last_y = i64::from(surface.rows()) - 1;
        let last_z = i64::from(surface.depth.max(1)) - 1;
        let last_layer = i64::from(surface.layers.max(1)) - 1;

        // Bugs in the coordinates.
        if suld && self.bug("suld-x-scaled") && line.has(".b16") && line.lanes() == 1 {
            x *= 2;
        }
        if suld && self.bug("suld-cs-first-row") && line.has(".cs") && geometry == Geometry::D2 {
            y = 0;
        }
        if suld && self.bug("suld-layers-swapped") && geometry == Geometry::A2d && (0..2).contains(&layer) {
            layer ^= 1;
        }
        if suld && self.bug("suld-array-x-unsigned") && geometry == Geometry::A2d && clamp && x < 0 {
            x += 1 << 32;
        }
        if suld && self.bug("suld-layer-signed") && geometry == Geometry::A1d && clamp && layer >= 1 << 31 {
            layer -= 1 << 32;
        }
        if suld && self.bug("suld-layer-one-too-many") && geometry == Geometry::A1d && layer == last_layer + 1 {
            layer = last_layer;
        }
        if suld && self.bug("suld-one-before-inside") && geometry == Geometry::D1 && zero && x == -size {
            x = 0;
        }
        if sust && self.bug("sust-layer-wraps") && geometry == Geometry::A2d && clamp {
            layer %= last_layer + 1;
        }
        if sured && self.bug("sured-clamp-negative-to-right") && clamp && x < 0 {
            x += 1 << 32;
        }
        if suld && self.bug("suld-clamp-not-sized") && clamp && line.lanes() == 2 && x > last_x {
            last_x += size / 2;
        }
        if suld
            && self.bug("suld-reads-next-row")
            && geometry == Geometry::D2
            && zero
            && x == row
            && y < last_y
            && y >= 0
        {
            (x, y) = (0, y + 1);
        }

        let [at_x, at_y, at_z, at_layer] =
            [(x, last_x), (y, last_y), (z, last_z), (layer, last_layer)].map(|(at, last)| at.clamp(0, last));
        let [mut out_x, mut out_y, mut out_z, mut out_layer] = [at_x != x, at_y != y, at_z != z, at_layer != layer];
        let (mut at_x, mut at_y, mut at_z) = (at_x, at_y, at_z);

        // Bugs in the bounds.
        if suld && self.bug("suld-y-clamps-to-top") && geometry == Geometry::D2 && clamp && y > last_y {
            at_y = 0;
        }
        if suld && self.bug("suld-x-clamps-to-left") && geometry == Geometry::D1 && clamp && x > last_x {
            at_x = 0;
        }
        if suld && self.bug("suld-z-clamps-to-front") && clamp && z > last_z {
            at_z = 0;
        }
        if suld && self.bug("suld-z-ignored-by-zero") && zero || sured && self.bug("sured-trap-missing-on-z") && trap {
            out_z = false;
        }
        if suld && self.bug("suld-trap-missing-on-y") && geometry == Geometry::D2 && trap
            || sured && self.bug("sured-zero-ignores-y") && geometry == Geometry::D2 && zero
        {
            out_y = false;
        }
        if sust && self.bug("sust-trap-missing-on-layer") && geometry == Geometry::A1d && trap {
            out_layer = false;
        }
        if suld && self.bug("suld-traps-at-last-x") && geometry == Geometry::A1d && trap && x == last_x {
            out_x = true;
        }
        if suld && self.bug("suld-y-one-too-few") && geometry == Geometry::D3 && zero && y == last_y {
            out_y = true;
        }
        if sust && self.bug("sust-p-last-row-lost") && samples && geometry == Geometry::D2 && zero && y == last_y {
            out_y = true;
        }
        if sust && self.bug("sust-zero-stores") && !samples && geometry == Geometry::D1 && zero && x > last_x {
            out_x = false;
        }
        if suld && self.bug("suld-crashes") && geometry == Geometry::A2d && trap && out_y {
            return Err(Answer::Failed("signal 11".to_owned()));
        }
        if sust && self.bug("sust-clamp-drops") && !samples && geometry == Geometry::D2 && clamp && y < 0 {
            return Ok(Place { outside: true, nearest: usize::MAX });
        }

        let bytes_alone = sust && self.bug("sust-p-x-in-bytes") && surface.format.channels == 2
            || sured && self.bug("sured-p-x-in-bytes");
        let byte = if samples && !bytes_alone { at_x * sample } else { at_x };
        let nearest = byte + row * (at_y + (last_y + 1) * (at_z + at_layer));
        let nearest = usize::try_from(nearest).unwrap_or(usize::MAX);
        Ok(Place { outside: out_x || out_y || out_z || out_layer, nearest })
    }

    /// The offset of an access; `None` if it is dropped.
    fn settle(&self, place: Place) -> Result<Option<usize>, Answer> {
        match (place.outside, self.line.one_of(&[".trap", ".clamp", ".zero"])) {
            (_, None) => skipped("no clamp mode"),
            (false, _) | (true, Some(".clamp")) => Ok(Some(place.nearest)),
            (true, Some(".trap")) => trapped("out of bounds"),
            (true, Some(_)) => Ok(None),
        }
    }

    /// Bytes of the surface; 0 beyond its end.
    fn load(&self, at: usize, bytes: usize) -> Vec<u8> {
        let byte = |at: usize| self.data.get(at).copied().unwrap_or(0);
        (0..bytes).map(|next| byte(at.saturating_add(next))).collect()
    }

    /// Changes bytes of the surface; nothing beyond its end.
    fn store(&mut self, at: usize, bytes: &[u8]) {
        for (next, &byte) in bytes.iter().enumerate() {
            if let Some(place) = self.data.get_mut(at.saturating_add(next)) {
                *place = byte;
            }
        }
    }

    fn suld(&mut self) -> Result<(), Answer> {
        let (line, lanes) = (self.line, self.line.lanes());
        let Some((_, bits)) = line.of_type() else { return skipped("no type") };
        let each = usize::try_from(bits / 8).unwrap_or_default();
        let (a, b) = self.access(self.operand(1)?)?;
        let surface = self.surface(&a)?;
        let place = self.place(surface, &b, each * lanes, false)?;
        let bytes = match self.settle(place)? {
            Some(at) => self.load(at, each * lanes),
            None if self.bug("suld-zero-loads-ones") && bits == 64 => vec![0xff; each * lanes],
            None => vec![0; each * lanes],
        };
        let mut values: Vec<u128> = bytes.chunks(each).map(little_endian).collect();
        if self.bug("suld-last-lane-lost") && lanes == 4 && bits == 16 {
            values[3] = 0;
        }
        if self.bug("suld-lanes-reversed") && lanes == 2 && bits == 64 {
            values.reverse();
        }
        if self.bug("suld-bytes-shuffled") && lanes == 4 && bits == 8 {
            values.swap(1, 2);
        }
        if self.bug("suld-b16-big-endian") && lanes == 2 && bits == 16 {
            values.iter_mut().for_each(|value| *value = mask(*value << 8 | *value >> 8, 16));
        }
        let shifts = self.bug("suld-sink-shifts");
        self.deliver(&values, shifts, |thread, value, width| {
            if thread.bug("suld-b8-sign-extended") && bits == 8 {
                extended(value, 8, width)
            } else if thread.bug("suld-b16-doubled") && bits == 16 && width == 32 {
                value << 16 | value
            } else {
                value
            }
        })
    }

    /// Writes lanes to the registers of the first operand, ascending.
    fn deliver(
        &mut self,
        values: &[u128],
        shifts: bool,
        widen: impl Fn(&Self, u128, u16) -> u128,
    ) -> Result<(), Answer> {
        let mut registers = self.elements(self.operand(0)?, true);
        if registers.len() != values.len() {
            return skipped("another number of lanes");
        }
        if shifts {
            registers.retain(|register| register != "_");
        }
        for (register, &value) in registers.iter().zip(values).filter(|(register, _)| *register != "_") {
            let wide = widen(self, value, self.width(register)?);
            self.write(register, wide);
        }
        Ok(())
    }

    /// The lanes of an operand that is read.
    fn data(&self, operand: &str, bits: u32) -> Result<Vec<u128>, Answer> {
        self.elements(operand, false).iter().map(|element| self.read(element, bits)).collect()
    }

    fn sust(&mut self) -> Result<(), Answer> {
        let (line, lanes) = (self.line, self.line.lanes());
        let Some((_, bits)) = line.of_type() else { return skipped("no type") };
        let each = usize::try_from(bits / 8).unwrap_or_default();
        let (a, b) = self.access(self.operand(0)?)?;
        let surface = self.surface(&a)?;
        let c = self.operand(1)?;
        let mut values = self.data(c, bits)?;
        if values.len() != lanes {
            return skipped("another number of lanes");
        }
        let formatted = line.has(".p");
        let bytes = if formatted {
            self.sample(surface.format, &values)
        } else {
            let float = ["0f", "0F", "0d", "0D"].iter().any(|prefix| c.starts_with(prefix));
            if self.bug("sust-float-immediate-lost") && float {
                values = vec![0; lanes];
            }
            if self.bug("sust-integer-immediate-short") && immediate(c).is_some() && !float {
                values = values.iter().map(|&value| mask(value, 16)).collect();
            }
            if self.bug("sust-lanes-swapped") && lanes == 2 && bits == 32 {
                values.reverse();
            }
            if self.bug("sust-halves-swapped") && lanes == 2 && bits == 64 {
                values = values.iter().map(|&value| mask(value << 32 | value >> 32, 64)).collect();
            }
            values.iter().flat_map(|&value| to_bytes(value, each)).collect()
        };
        let place = self.place(surface, &b, bytes.len(), formatted)?;
        let Some(at) = self.settle(place)? else { return Ok(()) };
        if self.bug("sust-wt-lost") && line.has(".wt") {
            return Ok(());
        }
        self.store(at, &bytes);
        if self.bug("sust-byte-stored-as-half") && !formatted && bits == 8 && lanes == 1 {
            self.store(at.saturating_add(1), &[0]);
        }
        Ok(())
    }

    /// A sample from 32-bit components; missing ones are 0.
    fn sample(&self, format: Format, lanes: &[u128]) -> Vec<u8> {
        let channels = usize::from(format.channels);
        let each = usize::from(format.component.bits() / 8);
        let mut components: Vec<u32> = (0..channels)
            .map(|channel| lanes.get(channel).map_or(0, |&bits| u32::try_from(mask(bits, 32)).unwrap_or_default()))
            .map(|bits| self.convert(format.component, bits))
            .collect();
        if self.bug("sust-alpha-lost") && channels == 4 && each == 1 && lanes.len() == 4 {
            components[3] = 0;
        }
        if self.bug("sust-bgra") && format.to_string() == "unorm8x4" {
            components.swap(0, 2);
        }
        components.iter().flat_map(|&component| to_bytes(component.into(), each)).collect()
    }

    /// A component from 32 bits, which are a float or an integer, depending on the format.
    fn convert(&self, component: Component, bits: u32) -> u32 {
        let number = f64::from(f32::from_bits(bits));
        match component {
            Component::Unsigned(size) => {
                let most = u32::MAX >> (32 - u32::from(size));
                if self.bug("sust-u8-wraps") && size == 8 {
                    bits & most
                } else if self.bug("sust-u16-saturates-low") && size == 16 {
                    bits.min(most >> 1)
                } else {
                    bits.min(most)
                }
            }
            Component::Signed(size) => {
                let most = i32::MAX >> (32 - u32::from(size));
                let value = bits.cast_signed();
                if self.bug("sust-s8-wraps") && size == 8 && value < 0 {
                    bits
                } else if self.bug("sust-s16-from-unsigned") && size == 16 && value < 0 {
                    most.cast_unsigned()
                } else {
                    value.clamp(-most - 1, most).cast_unsigned()
                }
            }
            Component::Unorm(size) => {
                if number.is_nan() {
                    return if self.bug("sust-unorm-nan-one") { u32::MAX } else { 0 };
                }
                let scaled = number.clamp(0.0, 1.0) * (f64::from(1_u32 << size) - 1.0);
                if self.bug("sust-unorm8-half-down") && size == 8 {
                    (scaled - 0.5).ceil() as u32
                } else if self.bug("sust-unorm16-truncates") && size == 16 {
                    scaled.floor() as u32
                } else {
                    scaled.round_ties_even() as u32
                }
            }
            Component::Snorm(size) => {
                if number.is_nan() {
                    return 0;
                }
                let most = f64::from(1_u32 << (size - 1)) - 1.0;
                let scaled = if self.bug("sust-snorm8-scale") && size == 8 {
                    (number.clamp(-1.0, 1.0) * 128.0).min(most)
                } else if self.bug("sust-snorm16-lowest") && size == 16 && number <= -1.0 {
                    -most - 1.0
                } else {
                    number.clamp(-1.0, 1.0) * most
                };
                (scaled.round_ties_even() as i32).cast_unsigned()
            }
            Component::Float(16) => u32::from(self.half(bits)),
            Component::Float(_) => {
                if self.bug("sust-f32-denormals-flushed") && bits & 0x7f80_0000 == 0 {
                    bits & 0x8000_0000
                } else {
                    bits
                }
            }
        }
    }

    /// A 32-bit float as a 16-bit one, rounded to nearest even.
    fn half(&self, bits: u32) -> u16 {
        let sign = bits >> 16 & 0x8000;
        let size = bits & 0x7fff_ffff;
        let truncates = self.bug("sust-f16-truncates");
        let rounded = |value: u32, shift: u32| {
            let (kept, lost, middle) = (value >> shift, value & ((1 << shift) - 1), 1 << (shift - 1));
            let up = !truncates && (lost > middle || lost == middle && kept & 1 == 1);
            kept + u32::from(up)
        };
        let half = if size > 0x7f80_0000 {
            // Set the quiet bit, and keep the upper bits of the payload.
            if self.bug("sust-f16-nan-infinite") { 0x7c00 } else { 0x7e00 | size >> 13 & 0x1ff }
        } else if size >= 0x4780_0000 {
            if self.bug("sust-f16-overflow-finite") && size < 0x7f80_0000 { 0x7bff } else { 0x7c00 }
        } else if size >= 0x3880_0000 {
            let normal = rounded(size - 0x3800_0000, 13);
            if self.bug("sust-f16-overflow-finite") { normal.min(0x7bff) } else { normal }
        } else if self.bug("sust-f16-denormals-flushed") || size < 0x3300_0000 {
            0
        } else {
            // In units of 2^-24.
            rounded(size & 0x007f_ffff | 0x0080_0000, 126 - (size >> 23))
        };
        u16::try_from(sign | half).unwrap_or_default()
    }

    fn sured(&mut self) -> Result<(), Answer> {
        let line = self.line;
        let Some((letter, bits)) = line.of_type() else { return skipped("no type") };
        let Some(op) = line.one_of(&[".add", ".min", ".max", ".and", ".or"]) else { return skipped("no operation") };
        let bytes = usize::try_from(bits / 8).unwrap_or_default();
        let (a, b) = self.access(self.operand(0)?)?;
        let surface = self.surface(&a)?;
        let c = self.operand(1)?;
        let operand = self.read(self.elements(c, false).first().map_or(c, |first| first), bits)?;
        let formatted = line.has(".p");
        let place = self.place(surface, &b, bytes, formatted)?;
        let Some(at) = self.settle(place)? else { return Ok(()) };
        let old = little_endian(&self.load(at, bytes));

        let by_format = matches!(surface.format.component, Component::Signed(_));
        let mut is_signed = if formatted { by_format } else { letter == 's' };
        if self.bug("sured-min-u32-signed") && op == ".min" && line.has(".u32")
            || self.bug("sured-p-b64-signed") && formatted && bits == 64
        {
            is_signed = true;
        }
        if self.bug("sured-max-s32-unsigned") && op == ".max" && line.has(".s32")
            || self.bug("sured-max-s64-unsigned") && op == ".max" && line.has(".s64")
            || self.bug("sured-p-unsigned") && formatted && op == ".max" && bits == 32
        {
            is_signed = false;
        }
        let compared = |value: u128| {
            if self.bug("sured-min-u64-as-32") && op == ".min" && line.has(".u64") {
                signed(mask(value, 32), 64)
            } else if is_signed {
                signed(value, bits)
            } else {
                value.cast_signed()
            }
        };
        let least = if compared(operand) < compared(old) { operand } else { old };
        let most = if compared(operand) > compared(old) { operand } else { old };
        let new = match op {
            ".add" if self.bug("sured-add-saturates") && !formatted && line.has(".u32") => {
                (old + operand).min(u32::MAX.into())
            }
            ".add" if self.bug("sured-add-s32-saturates") && line.has(".s32") => {
                let sum = signed(old, 32) + signed(operand, 32);
                sum.clamp(i32::MIN.into(), i32::MAX.into()).cast_unsigned()
            }
            ".add" if self.bug("sured-add-no-carry") && line.has(".u64") => {
                mask(old + operand, 32) | ((old >> 32) + (operand >> 32)) << 32
            }
            ".add" => old + operand,
            ".min" if self.bug("sured-min-stores-immediate") && immediate(c).is_some() => operand,
            ".min" => least,
            ".max" => most,
            ".and" if self.bug("sured-and-as-or") && !formatted => old | operand,
            ".and" => old & operand,
            _ if self.bug("sured-or-as-add") => old + operand,
            _ => old | operand,
        };
        self.store(at, &to_bytes(new, bytes));
        Ok(())
    }

    fn suq(&mut self) -> Result<(), Answer> {
        let line = self.line;
        let surface = self.surface(inside(self.operand(1)?, '[', ']'))?;
        let Format { component, channels } = surface.format;
        let (geometry, layered) = (surface.geometry, surface.geometry.layered());
        let Some(query) = line.modifiers.first() else { return skipped("no query") };
        let value = match query.as_str() {
            ".width" if self.bug("suq-width-in-bytes") => surface.row_bytes(),
            ".width" => surface.width,
            ".height" if self.bug("suq-height-plus-one") && geometry == Geometry::D3 => surface.height + 1,
            ".height" if self.bug("suq-height-of-1d-one") && geometry == Geometry::D1 => 1,
            ".height" => surface.height,
            ".depth" if self.bug("suq-depth-of-layers") && layered => surface.layers,
            ".depth" => surface.depth,
            ".channel_data_type" => match component {
                Component::Snorm(8) => 0x10d0,
                Component::Snorm(_) if self.bug("suq-snorm16-as-unorm") => 0x10d3,
                Component::Snorm(_) => 0x10d1,
                Component::Unorm(8) => 0x10d2,
                Component::Unorm(_) => 0x10d3,
                Component::Signed(8) => 0x10d7,
                Component::Signed(16) => 0x10d8,
                Component::Signed(_) => 0x10d9,
                Component::Unsigned(8) => 0x10da,
                Component::Unsigned(16) => 0x10db,
                Component::Unsigned(_) => 0x10dc,
                Component::Float(16) if !self.bug("suq-half-as-float") => 0x10dd,
                Component::Float(_) => 0x10de,
            },
            ".channel_order" => match channels {
                1 => 0x10b0,
                2 if self.bug("suq-order-of-two") => 0x10b3,
                2 => 0x10b2,
                _ => 0x10b5,
            },
            ".array_size" if self.bug("suq-array-size-minus-one") && geometry == Geometry::A2d => surface.layers - 1,
            ".array_size" if self.bug("suq-array-size-of-one") && !layered => 1,
            ".array_size" => surface.layers,
            ".memory_layout" => u32::from(self.bug("suq-linear") && geometry == Geometry::D1),
            _ => return skipped("another query"),
        };
        self.deliver(&[value.into()], false, |_, value, _| value)
    }

    // Loads.

    /// The address given by `base+offset` in the space of the line.
    fn address(&self, text: &str, space: Option<Space>) -> Result<Address<'a>, Answer> {
        let at = text.find('+').or(text.rfind('-').filter(|&at| at > 0)).unwrap_or(text.len());
        let (base, offset) = (text[..at].trim(), text[at..].trim_start_matches('+').trim());
        let offset = if offset.is_empty() { Some(0) } else { immediate(offset) };
        let Some(offset) = offset else { return skipped("an offset that is not a number") };
        let mut offset = i64::try_from(signed(offset, 64)).unwrap_or_default();
        if self.bug("ld-negative-offset-added") && offset < 0 {
            offset = -offset;
        }
        if let Some((holds, value)) = self.input(base) {
            let Holds::Address { of, generic } = holds else { return skipped("a register without an address") };
            let Some(variable) = self.case.variable(of) else { return skipped("an unknown variable") };
            let plus = i64::try_from(signed(value, 64)).unwrap_or_default();
            return Ok(Address { variable, generic: *generic, offset: plus.wrapping_add(offset) });
        }
        if self.bug("ld-const-offset-ignored") && space == Some(Space::Const) {
            offset = 0;
        }
        match self.case.variable(base) {
            Some(variable) => Ok(Address { variable, generic: space.is_none(), offset }),
            None => skipped("an address without a variable"),
        }
    }

    fn ld(&mut self) -> Result<(), Answer> {
        let (line, lanes) = (self.line, self.line.lanes());
        let Some((letter, bits)) = line.of_type() else { return skipped("no type") };
        let space = line.modifiers.iter().find_map(|modifier| match modifier.split(':').next()? {
            ".global" => Some(Space::Global),
            ".const" => Some(Space::Const),
            ".shared" => Some(Space::Shared),
            ".local" => Some(Space::Local),
            ".param" => Some(Space::Param),
            _ => None,
        });
        let each = usize::try_from(bits / 8).unwrap_or_default();
        let total = i64::try_from(each * lanes).unwrap_or_default();
        let Address { mut variable, generic, mut offset } = self.address(inside(self.operand(1)?, '[', ']'), space)?;
        // Generic addresses of global memory equal those in global memory.
        if space.is_some_and(|space| space != variable.space || generic && space != Space::Global)
            || space.is_none() && !generic && variable.space != Space::Global
        {
            return skipped("an address of another state space");
        }
        if self.bug("ld-generic-shared-as-global") && space.is_none() && variable.space == Space::Shared {
            let global = self.case.variables.iter().find(|variable| variable.space == Space::Global);
            variable = global.unwrap_or(variable);
        }
        if self.bug("ld-misaligned-masked") && space == Some(Space::Shared) {
            offset -= offset.rem_euclid(total);
        }
        if offset.rem_euclid(total) != 0 {
            return trapped("misaligned");
        }
        let length = i64::try_from(variable.data.len()).unwrap_or(i64::MAX);
        let fits = offset >= 0 && offset <= length - total;
        let mut bytes = vec![0; each * lanes];
        if fits {
            let start = usize::try_from(offset).unwrap_or_default();
            bytes = variable.data[start..start + each * lanes].to_vec();
        } else if !(self.bug("ld-outside-zero") && space == Some(Space::Local)) {
            return trapped("outside");
        }
        if self.bug("ld-traps-at-end") && space == Some(Space::Param) && offset + total == length {
            return trapped("outside");
        }
        let mut values: Vec<u128> = bytes.chunks(each).map(little_endian).collect();
        if self.bug("ld-b128-halves") && bits == 128 {
            values.iter_mut().for_each(|value| *value = value.rotate_left(64));
        }
        if self.bug("ld-f64-words") && letter == 'f' && bits == 64 && space == Some(Space::Const) {
            values.iter_mut().for_each(|value| *value = mask(*value << 32 | *value >> 32, 64));
        }
        if self.bug("ld-v8-last-lane") && lanes == 8 {
            values[7] = values[6];
        }
        if self.bug("ld-v4-u16-reversed") && lanes == 4 && letter == 'u' && bits == 16 {
            values.reverse();
        }
        if self.bug("ld-vector-register-swapped") && lanes == 2 && !self.operand(0)?.starts_with('{') {
            values.reverse();
        }
        if self.bug("ld-evict-first-lanes") && lanes == 2 && line.has(".L1::evict_first") {
            values[1] = values[0];
        }
        let shifts = self.bug("ld-sink-shifts");
        self.deliver(&values, shifts, |thread, value, width| {
            let mut sign = letter == 's';
            if thread.bug("ld-s8-zero-extended") && bits == 8 {
                sign = false;
            }
            if thread.bug("ld-u16-as-s16") && letter == 'u' && bits == 16
                || thread.bug("ld-b8-sign-extended") && letter == 'b' && bits == 8
                || thread.bug("ld-u32-as-s32") && letter == 'u' && bits == 32
            {
                sign = true;
            }
            let width = if thread.bug("ld-s16-short-extension") && bits == 16 { width.min(32) } else { width };
            if sign { extended(value, bits, width) } else { value }
        })
    }

    // Sums.

    fn add(&mut self) -> Result<(), Answer> {
        let of = self.line.one_of(&[".u16", ".u32", ".u64", ".s16", ".s32", ".s64", ".u16x2", ".s16x2"]);
        let Some(of) = of else { return skipped("no type") };
        let width = if of.ends_with("x2") { 32 } else { of[2..].parse().unwrap_or_default() };
        let a = self.read(self.operand(1)?, width)?;
        let text = self.operand(2)?;
        let mut b = self.read(text, width)?;
        if self.bug("add-immediate-negated") && immediate(text).is_some() {
            b = mask(b.wrapping_neg(), width);
        }
        let sum = match of {
            ".u16x2" if self.bug("add-halves-carry") => mask(a + b, 32),
            ".s16x2" if self.bug("add-s16x2-high-half") => a & 0xffff_0000 | mask(a + b, 16),
            ".u16x2" | ".s16x2" => mask((a >> 16) + (b >> 16), 16) << 16 | mask(a + b, 16),
            ".s32" if self.line.has(".sat") => {
                let sum = signed(a, 32) + signed(b, 32);
                let most = if self.bug("add-sat-top-early") { 0x7fff_fffe } else { 0x7fff_ffff };
                if sum > 0x7fff_ffff {
                    most
                } else if sum < -0x8000_0000 && !self.bug("add-sat-bottom-wraps") {
                    0x8000_0000
                } else {
                    mask(sum.cast_unsigned(), 32)
                }
            }
            ".u64" if self.bug("add-u64-no-carry") => mask((a >> 32) + (b >> 32), 32) << 32 | mask(a + b, 32),
            ".s16" if self.bug("add-s16-saturates") => {
                mask((signed(a, 16) + signed(b, 16)).clamp(-0x8000, 0x7fff).cast_unsigned(), 16)
            }
            _ => mask(a + b, width),
        };
        let to = self.operand(0)?;
        self.write(to, sum);
        Ok(())
    }

    // Memory.

    /// The position of the variable, and the offset of the `total` bytes at the address in brackets.
    fn memory(&self, operand: &str, total: usize) -> Result<(usize, usize), Answer> {
        let space = self.line.one_of(&[".global", ".shared", ".shared::cta", ".shared::cluster", ".local", ".param"]);
        let generic = space.is_none().then_some(()).map_or(Some(Space::Global), |()| None);
        let Address { variable, offset, .. } = self.address(inside(operand, '[', ']'), generic)?;
        let at = self.case.variables.iter().position(|known| known.name == variable.name).unwrap_or_default();
        let total = i64::try_from(total).unwrap_or_default();
        let length = i64::try_from(variable.data.len()).unwrap_or_default();
        if offset.rem_euclid(total) != 0 {
            return trapped("misaligned");
        }
        if offset < 0 || offset > length - total {
            return trapped("outside");
        }
        Ok((at, usize::try_from(offset).unwrap_or_default()))
    }

    /// The bytes of a variable that can be written.
    fn bytes(&mut self, variable: usize) -> &mut Vec<u8> {
        let before = &self.case.variables[variable].data;
        self.memory.entry(variable).or_insert_with(|| before.clone())
    }

    fn st(&mut self) -> Result<(), Answer> {
        let line = self.line;
        let Some((letter, bits)) = line.of_type() else { return skipped("no type") };
        let each = usize::try_from(bits / 8).unwrap_or_default();
        let source = self.operand(1)?;
        let mut lanes = Vec::new();
        for element in self.elements(source, false) {
            if element == "_" {
                lanes.push(self.bug("st-sink-zeroes").then_some(0));
                continue;
            }
            let high = self.bug("st-high-half") && letter == 'u' && bits == 16 && self.wide(&element);
            let value = self.read(&element, 128)?;
            lanes.push(Some(mask(if high { value >> 16 } else { value }, bits)));
        }
        if self.bug("st-v2-swapped") && lanes.len() == 2 && letter == 'b' && bits == 16 {
            lanes.swap(0, 1);
        }
        if self.bug("st-last-lane-lost") && lanes.len() == 4 && letter == 'u' && bits == 32 {
            lanes[3] = None;
        }
        if self.bug("st-wide-next") && lanes.len() == 8 {
            lanes[4] = lanes[3];
        }
        if self.bug("st-f64-words") && letter == 'f' && bits == 64 && line.has(".shared") {
            lanes.iter_mut().flatten().for_each(|lane| *lane = mask(*lane << 32 | *lane >> 32, 64));
        }
        let (variable, mut at) = self.memory(self.operand(0)?, each * lanes.len())?;
        if self.bug("st-wt-lost") && line.has(".wt") {
            return Ok(());
        }
        if self.bug("st-local-first") && line.has(".local") {
            at = 0;
        }
        let after = at + each * lanes.len();
        let (byte, release) = (self.bug("st-byte-as-half"), self.bug("st-release-beyond"));
        let memory = self.bytes(variable);
        for (lane, value) in lanes.iter().enumerate() {
            let Some(value) = value else { continue };
            memory[at + lane * each..][..each].copy_from_slice(&to_bytes(*value, each));
        }
        if byte && bits == 8 && after < memory.len() {
            memory[after] = 0;
        }
        if release && line.has(".release") && line.has(".global") && after < memory.len() {
            memory[after] = 0xff;
        }
        Ok(())
    }

    /// Whether an input has 32 bits or more.
    fn wide(&self, register: &str) -> bool {
        self.case.inputs.iter().any(|input| input.register == component(register) && input.bits >= 32)
    }

    fn atom(&mut self) -> Result<(), Answer> {
        let line = self.line;
        let types = [
            ".f16x2", ".bf16x2", ".f16", ".bf16", ".f32", ".f64", ".b16", ".b32", ".b64", ".b128", ".u32", ".u64",
            ".s32", ".s64",
        ];
        let operations = [".add", ".min", ".max", ".and", ".or", ".xor", ".inc", ".dec", ".exch", ".cas"];
        let (Some(of), Some(operation)) = (line.one_of(&types), line.one_of(&operations)) else {
            return skipped("no type or operation");
        };
        let bits = match of {
            ".f16x2" | ".bf16x2" => 32,
            ".bf16" => 16,
            of => of[2..].parse().unwrap_or_default(),
        };
        let each = usize::try_from(bits / 8).unwrap_or_default();
        let sources = self.elements(self.operand(2)?, false);
        let (variable, at) = self.memory(self.operand(1)?, each * sources.len())?;
        let space = self.case.variables[variable].space;
        let destination = self.operand(0)?;
        let targets = self.elements(destination, true);
        for (lane, source) in sources.iter().enumerate() {
            let place = at + lane * each;
            let old = little_endian(&self.bytes(variable)[place..place + each]);
            let new = self.read(source, bits)?;
            let other = if operation == ".cas" { self.read(self.operand(3)?, bits)? } else { 0 };
            let mut held = self.held(operation, of, bits, [old, new, other], space);
            let lost = self.bug("atom-sink-skips") && destination == "_"
                || self.bug("atom-v2-lane") && of == ".f32" && sources.len() == 2 && lane == 1
                || self.bug("atom-shared-lost") && line.has(".shared") && operation == ".and";
            if lost {
                held = old;
            }
            self.bytes(variable)[place..place + each].copy_from_slice(&to_bytes(held, each));
            let renewed = self.bug("atom-returns-new") && operation == ".add" && of == ".u32";
            if let Some(target) = targets.get(lane).filter(|target| *target != "_") {
                self.write(target, if renewed { held } else { old });
            }
        }
        Ok(())
    }

    /// The new value in memory.
    fn held(&self, operation: &str, of: &str, bits: u32, [old, new, other]: [u128; 3], space: Space) -> u128 {
        let largest = mask(u128::MAX, bits);
        let (a, b) = match of {
            ".s32" if self.bug("atom-min-unsigned") && operation == ".min" => (old.cast_signed(), new.cast_signed()),
            ".u64" if self.bug("atom-max-u64-signed") && operation == ".max" => (signed(old, 64), signed(new, 64)),
            ".s32" | ".s64" => (signed(old, bits), signed(new, bits)),
            _ => (old.cast_signed(), new.cast_signed()),
        };
        if of.contains('f') && operation != ".exch" {
            return self.floats(operation, of, [old, new], space);
        }
        match operation {
            ".add" if self.bug("atom-add-u64-short") && of == ".u64" => old >> 32 << 32 | mask(old + new, 32),
            ".add" => mask(old + new, bits),
            ".min" => {
                if a <= b {
                    old
                } else {
                    new
                }
            }
            ".max" => {
                if a >= b {
                    old
                } else {
                    new
                }
            }
            ".and" => old & new,
            ".or" => old | new,
            ".xor" if self.bug("atom-xor-as-or") => old | new,
            ".xor" => old ^ new,
            ".inc" if self.bug("atom-inc-late") && old == new => mask(old + 1, bits),
            ".inc" => {
                if old >= new {
                    0
                } else {
                    old + 1
                }
            }
            ".dec" if self.bug("atom-dec-wraps") && old == 0 => largest,
            ".dec" => {
                if old == 0 || old > new {
                    new
                } else {
                    old - 1
                }
            }
            ".exch" if self.bug("atom-exch-halves") && bits == 128 => new.rotate_left(64),
            ".exch" => new,
            _ => {
                let same = match of {
                    ".b64" if self.bug("atom-cas-always") => true,
                    ".b16" if self.bug("atom-cas-low-byte") => mask(old, 8) == mask(new, 8),
                    _ => old == new,
                };
                if same { other } else { old }
            }
        }
    }

    fn floats(&self, operation: &str, of: &str, [old, new]: [u128; 2], space: Space) -> u128 {
        match of {
            ".f64" => {
                let value = |bits: u128| f64::from_bits(u64::try_from(bits).unwrap_or_default());
                let sum = value(old) + value(new);
                let flushed = self.bug("atom-f64-flushed") && sum.is_subnormal();
                if flushed { 0 } else { sum.to_bits().into() }
            }
            ".f32" => {
                let flush = |value: f32| {
                    let gone = space == Space::Global && value.is_subnormal();
                    if gone { 0.0_f32.copysign(value) } else { value }
                };
                let value = |bits: u128| flush(f32::from_bits(u32::try_from(bits).unwrap_or_default()));
                flush(value(old) + value(new)).to_bits().into()
            }
            ".f16x2" | ".bf16x2" => {
                let single = &of[..of.len() - 2];
                let low = self.floats(operation, single, [mask(old, 16), mask(new, 16)], space);
                let high = self.floats(operation, single, [old >> 16, new >> 16], space);
                let kept = self.bug("atom-f16x2-low") && of == ".f16x2";
                (if kept { old >> 16 } else { high }) << 16 | low
            }
            _ => self.sum_of_halves(operation, of == ".bf16", [old, new]),
        }
    }

    /// The result for 16-bit floats, which have a mantissa of ten bits or, if `brain`, of seven.
    fn sum_of_halves(&self, operation: &str, brain: bool, [old, new]: [u128; 2]) -> u128 {
        let infinity: u128 = if brain { 0x7f80 } else { 0x7c00 };
        let value = |bits: u128| -> f64 {
            let number = |bits: u128| -> f64 {
                let bits = u32::try_from(bits).unwrap_or_default();
                if brain {
                    return f32::from_bits(bits << 16).into();
                }
                let (exponent, fraction) = (bits >> 10, f64::from(bits & 0x3ff));
                match exponent {
                    0 => fraction / 16_777_216.0,
                    31 if fraction == 0.0 => f64::INFINITY,
                    31 => f64::NAN,
                    _ => (1024.0 + fraction) / 1024.0 * 2.0_f64.powi(i32::try_from(exponent).unwrap_or_default() - 15),
                }
            };
            let magnitude = number(bits & 0x7fff);
            if bits & 0x8000 == 0 { magnitude } else { -magnitude }
        };
        let (a, b) = (value(old), value(new));
        match operation {
            ".min" => return if a <= b { old } else { new },
            ".max" => return if a >= b { old } else { new },
            _ => {}
        }
        let sum = a + b;
        if sum.is_nan() {
            return infinity | 0x20;
        }
        // Find the largest number not above the sum, then take it or the next one, whichever is nearer.
        let (mut low, mut high) = (0, infinity + 1);
        while high - low > 1 {
            let middle = u128::midpoint(low, high);
            if value(middle) <= sum.abs() { low = middle } else { high = middle }
        }
        let mut nearest = low;
        if low < infinity {
            // From half a unit beyond the largest number, the result is infinite.
            let step = if low + 1 == infinity { value(low) - value(low - 1) } else { value(low + 1) - value(low) };
            let beyond = sum.abs() - value(low);
            let up = beyond > step / 2.0 || beyond == step / 2.0 && low % 2 == 1;
            if up && (brain || !self.bug("atom-f16-truncates")) {
                nearest = low + 1;
            }
        }
        if sum.is_sign_negative() { nearest | 0x8000 } else { nearest }
    }
}
