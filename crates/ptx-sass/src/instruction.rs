//! Instructions, read from the text that NVIDIA's disassembler prints for a word.
//!
//! The text is that of `nvdisasm -json`: a predicate (`@!P0`), an opcode with its modifiers (`IMAD.WIDE.U32`), and the
//! operands (`R6,R11,0x4,c[0x0][0x210]`).

use std::borrow::Cow;
use std::fmt;

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MachineInstruction {
    /// The predicate that must be true for it to do anything.
    pub guard: Predicate,
    /// The opcode without modifiers: `IMAD`.
    pub opcode: String,
    /// The modifiers in order, without their dots: `WIDE`, `U32`.
    pub modifiers: Vec<String>,
    /// The operands, destinations first.
    pub operands: Vec<MachineOperand>,
}

/// A predicate or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Predicate {
    /// `P0` to `P6`, and 7 for `PT`, which is always true.
    pub index: u8,
    /// `UP0`
    pub uniform: bool,
    /// `!P0`
    pub negated: bool,
}

impl Predicate {
    /// `PT`
    pub const TRUE: Self = Self { index: 7, uniform: false, negated: false };
}

/// A register or its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Register {
    /// `R0` to `R254`, and 255 for `RZ`; `UR0` to `UR254`, of which older targets have 63, and 255 for `URZ`. Zero registers are always 0.
    pub index: u8,
    /// `UR4`
    pub uniform: bool,
    /// Two registers, the low half first: `R2.64`.
    pub wide: bool,
}

impl Register {
    /// `RZ`
    pub const ZERO: Self = Self { index: 255, uniform: false, wide: false };

    /// True if it is `RZ` or `URZ`.
    pub fn is_zero(self) -> bool {
        self.index == Self::ZERO.index
    }

    /// The register this many after it; zero registers have no others after them.
    #[inline]
    #[must_use]
    pub fn after(self, count: u8) -> Self {
        if self.is_zero() { self } else { Self { index: self.index.saturating_add(count), ..self } }
    }
}

/// The changes to the value of a source before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sign {
    /// `-R5`
    pub negated: bool,
    /// `~R5`
    pub inverted: bool,
    /// `|R5|`
    pub absolute: bool,
}

impl Sign {
    /// Nothing.
    pub const NONE: Self = Self { negated: false, inverted: false, absolute: false };
}

/// Which part of a register is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterPart {
    /// All of it: `R5`, `R5.H1_H0`
    Whole,
    /// The low half: `R5.H0`
    Low,
    /// The high half: `R5.H1`
    High,
    /// The low half twice: `R5.H0_H0`
    LowTwice,
    /// The high half twice: `R5.H1_H1`
    HighTwice,
    /// The highest bit: `R5.SIGN`
    Sign,
    /// It is one float of 32 bits among halves: `R5.F32`
    Single,
    /// Two registers are two floats of 32 bits, the low one first: `R4.F32x2.HI_LO`
    Singles,
    /// A byte, the lowest first: `R5.B1`
    Byte(u8),
    /// This many bits, the lowest ones: `R5.24`
    Bits(u8),
}

impl RegisterPart {
    /// By the text after the register.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "" | "H1_H0" => Self::Whole,
            "H0" => Self::Low,
            "H1" => Self::High,
            "H0_H0" => Self::LowTwice,
            "H1_H1" => Self::HighTwice,
            "SIGN" => Self::Sign,
            "F32" => Self::Single,
            "F32x2.HI_LO" => Self::Singles,
            "B0" => Self::Byte(0),
            "B1" => Self::Byte(1),
            "B2" => Self::Byte(2),
            "B3" => Self::Byte(3),
            digits => Self::Bits(digits.parse().ok().filter(|bits| *bits < 32)?),
        })
    }
}

/// An operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MachineOperand {
    /// A register, or a part of it.
    Register(Register, Sign, RegisterPart),
    /// A predicate.
    Predicate(Predicate),
    /// A number, `0x10` or `-0x10`, as two's complement.
    Integer(u64),
    /// A number that is printed as a float: its bits are in the instruction's word.
    Float,
    /// A place in a constant bank, `c[0x0][R4+0x210]`.
    Constant {
        /// The bank.
        bank: u8,
        /// The register that is added.
        base: Option<Register>,
        /// The offset in bytes.
        offset: i64,
        /// The changes to the value before it is used.
        sign: Sign,
    },
    /// A part of a word of a constant bank, `c[0x2][0x10].SIGN`, `c[0x0][0x180].H0_H0`.
    PartOfConstant {
        /// The bank.
        bank: u8,
        /// The offset of the word in bytes.
        offset: i64,
        /// The changes to the value before it is used.
        sign: Sign,
        /// Which part it is.
        part: RegisterPart,
    },
    /// An address in memory, `desc[UR4][R2.64+UR6+0x10]`.
    Address(MachineAddress),
    /// A special register, `SR_TID.X`.
    Special(String),
    /// A convergence barrier, `B0`.
    Barrier(u8),
    /// Anything else, as it is written.
    Other(String),
}

/// An address in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct MachineAddress {
    /// The register with the memory descriptor, of 64 bits.
    pub descriptor: Option<Register>,
    /// The registers that are added; `R2.64` has 64 bits, `R2.U32` is zero-extended.
    pub bases: [Option<Register>; 2],
    /// True if one of them is printed without its width, as the registers of 64-bit addresses are by some opcodes.
    pub bare: bool,
    /// The offset in bytes.
    pub offset: i64,
}

/// A text that is not an instruction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` cannot be read as an operand")]
pub struct BadOperand(String);

impl MachineInstruction {
    /// Reads what the disassembler prints: the predicate with its `@` or nothing, the opcode with its modifiers, and
    /// the operands, separated by commas.
    ///
    /// # Errors
    /// If the predicate or an operand is incomplete. Operands of an unknown kind are [`MachineOperand::Other`].
    pub fn parse(predicate: &str, opcode: &str, operands: &str) -> Result<Self, BadOperand> {
        let guard = match predicate.strip_prefix('@') {
            None => Predicate::TRUE,
            Some(text) => predicate_named(text).ok_or_else(|| BadOperand(predicate.to_owned()))?,
        };
        let (opcode, modifiers) = opcode.split_once('.').unwrap_or((opcode, ""));
        let modifiers = modifiers.split('.').filter(|modifier| !modifier.is_empty()).map(str::to_owned).collect();
        // For sm_80, the disassembler prints `R12desc,[UR6][R4.64]`.
        let operands = operands.replace("desc,[", ",desc[");
        let operands = split(&operands).into_iter().map(operand).collect::<Result<_, _>>()?;
        Ok(Self { guard, opcode: opcode.to_owned(), modifiers, operands })
    }

    /// True if it has a modifier.
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers.iter().any(|known| known == modifier)
    }
}

/// As the disassembler prints the opcode: `IMAD.WIDE.U32`.
impl fmt::Display for MachineInstruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.opcode)?;
        self.modifiers.iter().try_for_each(|modifier| write!(f, ".{modifier}"))
    }
}

/// Splits at commas outside brackets, and between a register and a bracket: releases before 13.5 leave out that comma.
fn split(operands: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, c) in operands.char_indices() {
        match c {
            '[' if depth == 0 && register(operands[start..at].trim()).is_some() => {
                parts.push(operands[start..at].trim());
                (start, depth) = (at, 1);
            }
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(operands[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = operands[start..].trim();
    if !last.is_empty() || !parts.is_empty() {
        parts.push(last);
    }
    parts
}

fn operand(text: &str) -> Result<MachineOperand, BadOperand> {
    let bad = || BadOperand(text.to_owned());
    if text.is_empty() {
        return Err(bad());
    }
    if let Some(predicate) = predicate_named(text) {
        return Ok(MachineOperand::Predicate(predicate));
    }
    if text.starts_with("SR_") || text == "SRZ" {
        return Ok(MachineOperand::Special(text.to_owned()));
    }
    if let Some(barrier) = text.strip_prefix('B').and_then(|rest| rest.parse().ok()) {
        return Ok(MachineOperand::Barrier(barrier));
    }
    if let Some(value) = integer(text) {
        return Ok(MachineOperand::Integer(value.cast_unsigned()));
    }
    if text.parse::<f64>().is_ok() || matches!(text, "+INF" | "-INF" | "+QNAN" | "-QNAN" | "+SNAN" | "-SNAN") {
        return Ok(MachineOperand::Float);
    }
    let (sign, inner) = signed(text);
    let inner = &*inner;
    if let Some(rest) = inner.strip_prefix("c[") {
        let (rest, part) = match rest.rsplit_once("].") {
            Some((before, part)) => (&rest[..=before.len()], RegisterPart::named(part).ok_or_else(bad)?),
            None => (rest, RegisterPart::Whole),
        };
        return constant(rest, sign).and_then(|operand| part_of_constant(operand, part)).ok_or_else(bad);
    }
    if inner.starts_with("desc[") || inner.starts_with('[') {
        return address(inner).map(MachineOperand::Address).ok_or_else(bad);
    }
    let register = register(inner).and_then(|(register, part)| Some((register, RegisterPart::named(part)?)));
    Ok(match register {
        Some((register, part)) => MachineOperand::Register(register, sign, part),
        None => MachineOperand::Other(text.to_owned()),
    })
}

/// The changes to a source, and the source.
fn signed(text: &str) -> (Sign, Cow<'_, str>) {
    let mut sign = Sign::NONE;
    // A hint, which stands after the bars of an absolute value.
    let mut inner = text.strip_suffix(".reuse").unwrap_or(text);
    if let Some(rest) = inner.strip_prefix('-') {
        (sign.negated, inner) = (true, rest);
    } else if let Some(rest) = inner.strip_prefix('~') {
        (sign.inverted, inner) = (true, rest);
    }
    // `|R2|`, `|R2|.H0_H0`: which part of the register it is stands after the bars.
    match inner.strip_prefix('|').and_then(|rest| rest.split_once('|')) {
        Some((inside, "")) => (Sign { absolute: true, ..sign }, inside.into()),
        Some((inside, part)) if part.starts_with('.') => {
            (Sign { absolute: true, ..sign }, format!("{inside}{part}").into())
        }
        _ => (sign, inner.into()),
    }
}

/// `P0`, `!UPT`
fn predicate_named(text: &str) -> Option<Predicate> {
    let (negated, name) = text.strip_prefix('!').map_or((false, text), |name| (true, name));
    let (uniform, name) = name.strip_prefix('U').map_or((false, name), |name| (true, name));
    let index = match name.strip_prefix('P')? {
        "T" => 7,
        digits => digits.parse().ok().filter(|index| *index < 7)?,
    };
    Some(Predicate { index, uniform, negated })
}

/// A register, and the text after it that is neither a width nor a hint.
fn register(text: &str) -> Option<(Register, &str)> {
    let (name, mut rest) = text.split_once('.').unwrap_or((text, ""));
    let (uniform, name) = name.strip_prefix('U').map_or((false, name), |name| (true, name));
    let index = match name.strip_prefix('R')? {
        "Z" => Register::ZERO.index,
        digits => digits.parse().ok().filter(|index| *index < Register::ZERO.index)?,
    };
    let mut wide = false;
    loop {
        let (word, behind) = rest.split_once('.').unwrap_or((rest, ""));
        match word {
            "64" => wide = true,
            // The operand collector keeps the value: a hint.
            "reuse" => {}
            _ => return Some((Register { index, uniform, wide }, rest)),
        }
        rest = behind;
    }
}

/// `0x10`, `-0x10`, `+-0x10`, decimal as well.
fn integer(text: &str) -> Option<i64> {
    let text = text.strip_prefix('+').unwrap_or(text);
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let value = match digits.strip_prefix("0x") {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok()?,
        None => return None,
    };
    let value = value.cast_signed();
    Some(if negative { value.wrapping_neg() } else { value })
}

/// `0x0][R4+0x210]`, after `c[`.
fn constant(text: &str, sign: Sign) -> Option<MachineOperand> {
    let (bank, rest) = text.split_once("][")?;
    let bank = u8::try_from(integer(bank)?).ok()?;
    let mut found = MachineAddress::default();
    terms(rest.strip_suffix(']')?, &mut found)?;
    let [base, None] = found.bases else { return None };
    Some(MachineOperand::Constant { bank, base, offset: found.offset, sign })
}

fn part_of_constant(operand: MachineOperand, part: RegisterPart) -> Option<MachineOperand> {
    match operand {
        operand if part == RegisterPart::Whole => Some(operand),
        MachineOperand::Constant { bank, base: None, offset, sign } => {
            Some(MachineOperand::PartOfConstant { bank, offset, sign, part })
        }
        _ => None,
    }
}

/// `desc[UR4][R2.64+0x10]`, `[R2]`
fn address(text: &str) -> Option<MachineAddress> {
    let mut found = MachineAddress::default();
    let mut inner = text;
    if let Some(rest) = text.strip_prefix("desc[") {
        let (descriptor, rest) = rest.split_once(']')?;
        found.descriptor = Some(register(descriptor)?.0);
        inner = rest;
    }
    terms(inner.strip_prefix('[')?.strip_suffix(']')?, &mut found)?;
    Some(found)
}

/// The terms of a sum: registers and one number.
fn terms(text: &str, to: &mut MachineAddress) -> Option<()> {
    for term in text.split('+').filter(|term| !term.is_empty()) {
        match integer(term) {
            Some(offset) => to.offset = to.offset.wrapping_add(offset),
            None => {
                let (base, part) = register(term)?;
                to.bare |= !base.uniform && !base.wide && part.is_empty();
                match part {
                    "" | "U32" => *to.bases.iter_mut().find(|place| place.is_none())? = Some(base),
                    _ => return None,
                }
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operands(text: &str) -> Vec<MachineOperand> {
        MachineInstruction::parse("", "MOV", text).expect("operands").operands
    }

    fn plain(index: u8) -> MachineOperand {
        MachineOperand::Register(Register { index, uniform: false, wide: false }, Sign::NONE, RegisterPart::Whole)
    }

    #[test]
    fn an_instruction_has_a_guard_modifiers_and_operands() {
        let read = MachineInstruction::parse("@!P0", "IMAD.WIDE.U32", "R6,R11.reuse,0x4,c[0x0][0x210]")
            .expect("an instruction");
        assert_eq!(read.guard, Predicate { index: 0, uniform: false, negated: true });
        assert_eq!(read.to_string(), "IMAD.WIDE.U32");
        assert!(read.has("WIDE") && !read.has("HI"));
        let bank = MachineOperand::Constant { bank: 0, base: None, offset: 0x210, sign: Sign::NONE };
        assert_eq!(read.operands, [plain(6), plain(11), MachineOperand::Integer(4), bank]);
        let without_comma = |text| MachineInstruction::parse("", "LD", text).expect("an instruction").operands;
        assert_eq!(without_comma("PT,R12[R10+-0x20],R4"), without_comma("PT,R12,[R10+-0x20],R4"));
        assert_eq!(MachineInstruction::parse("", "EXIT", "").expect("an instruction").operands, []);
    }

    #[test]
    fn sources_are_negated_and_in_parts() {
        let sign = |negated, inverted, absolute| Sign { negated, inverted, absolute };
        let register =
            |index, sign, part| MachineOperand::Register(Register { index, uniform: false, wide: false }, sign, part);
        assert_eq!(
            operands("-RZ,~R3,-|R4|,R5.H0_H0,1,-INF,5.9604644775390625e-08"),
            [
                register(255, sign(true, false, false), RegisterPart::Whole),
                register(3, sign(false, true, false), RegisterPart::Whole),
                register(4, sign(true, false, true), RegisterPart::Whole),
                register(5, Sign::NONE, RegisterPart::LowTwice),
                MachineOperand::Float,
                MachineOperand::Float,
                MachineOperand::Float,
            ]
        );
    }

    #[test]
    fn addresses_are_sums() {
        let register = |index, uniform, wide| Register { index, uniform, wide };
        let descriptor = Some(register(4, true, false));
        let bases = [Some(register(2, false, true)), None];
        assert_eq!(
            operands("desc[UR4][R2.64+-0x20],[R0+UR4+0x20],[UR5],c[0x3][R0+0x2],c[0x0][RZ]"),
            [
                MachineOperand::Address(MachineAddress { descriptor, bases, bare: false, offset: -0x20 }),
                MachineOperand::Address(MachineAddress {
                    descriptor: None,
                    bases: [Some(register(0, false, false)), Some(register(4, true, false))],
                    bare: true,
                    offset: 0x20
                }),
                MachineOperand::Address(MachineAddress {
                    descriptor: None,
                    bases: [Some(register(5, true, false)), None],
                    bare: false,
                    offset: 0
                }),
                MachineOperand::Constant {
                    bank: 3,
                    base: Some(register(0, false, false)),
                    offset: 2,
                    sign: Sign::NONE
                },
                MachineOperand::Constant { bank: 0, base: Some(Register::ZERO), offset: 0, sign: Sign::NONE },
            ]
        );
    }

    #[test]
    fn predicates_barriers_and_special_registers_are_known_by_their_names() {
        let predicate = |index, uniform, negated| MachineOperand::Predicate(Predicate { index, uniform, negated });
        assert_eq!(
            operands("P0,!PT,UP3,B1,SR_TID.X,SRZ,TEX_HEADER_DIMENSION"),
            [
                predicate(0, false, false),
                predicate(7, false, true),
                predicate(3, true, false),
                MachineOperand::Barrier(1),
                MachineOperand::Special("SR_TID.X".to_owned()),
                MachineOperand::Special("SRZ".to_owned()),
                MachineOperand::Other("TEX_HEADER_DIMENSION".to_owned()),
            ]
        );
        assert!(MachineInstruction::parse("@P9", "EXIT", "").is_err());
        assert!(MachineInstruction::parse("", "MOV", "R1,").is_err());
        assert!(MachineInstruction::parse("", "LDC", "R1,c[0x0][").is_err());
    }
}
