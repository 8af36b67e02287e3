//! Chains: a few statements, the registers that have a value before them, and those that are observed after them.

use std::fmt::Write as _;

use crate::memory::ChainMemory;
use crate::register_kind::RegisterKind;
use ptx_spec::must::Must as _;

/// Lines of PTX whose results feed the next, perhaps with a branch or a loop around some of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Chain {
    /// The size of each register in bits; 1 for a predicate. Its name is `%x` with its position.
    pub registers: Vec<u16>,
    /// The registers that have a value before the first statement.
    pub inputs: Vec<usize>,
    /// The statements, in order.
    pub statements: Vec<ChainStatement>,
    /// The registers that are observed after the last statement.
    pub outputs: Vec<usize>,
}

/// A statement of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ChainStatement {
    /// An instruction.
    Instruction(ChainInstruction),
    /// The statements up to the end are executed if a predicate is true, or false if it is `negated`.
    If {
        /// The register of the predicate.
        predicate: usize,
        /// True if what follows is executed where the predicate is false.
        negated: bool,
    },
    /// The statements up to the end are executed if those after the last `If` are not.
    Else,
    /// The statements up to the end are executed this many times.
    Loop {
        /// The number of times, at least 1.
        times: u8,
    },
    /// The end of the last `If`, `Else` or `Loop`.
    End,
}

/// An instruction: its text with holes for operands, and what is in them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChainInstruction {
    /// The parts of its text, in order.
    pub pieces: Vec<Piece>,
    /// The operand in each hole, in the order of the text.
    pub operands: Vec<ChainOperand>,
}

/// A part of the text of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Text that stays as it is.
    Text(String),
    /// A hole for an operand.
    Slot(SlotKind),
}

/// The kind of a hole in an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SlotKind {
    /// A predicate that decides whether the instruction does anything.
    Guard,
    /// A register that is read, of this many bits.
    Source(u16),
    /// A register that is written, of this many bits.
    Destination(u16),
    /// A number, of a type of this many bits.
    Constant(u16),
    /// The first of this many bytes of a memory.
    Place(ChainMemory, u16),
}

/// The operand in a hole.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ChainOperand {
    /// A register of the chain.
    Register(usize),
    /// The text of a number, or of a place in a memory.
    Constant(String),
}

impl ChainInstruction {
    /// Writes two registers of 64 bits to all of a memory.
    pub fn storing(memory: ChainMemory, registers: [usize; 2]) -> Self {
        Self::of_whole_memory(("st", memory), SlotKind::Source(64), registers)
    }

    /// Reads all of a memory into two registers of 64 bits.
    pub fn loading(memory: ChainMemory, registers: [usize; 2]) -> Self {
        Self::of_whole_memory(("ld", memory), SlotKind::Destination(64), registers)
    }

    fn of_whole_memory((opcode, memory): (&str, ChainMemory), kind: SlotKind, registers: [usize; 2]) -> Self {
        let text = |text: &str| Piece::Text(text.to_owned());
        let begin = Piece::Text(format!("{opcode}.{}.v2.b64 ", memory.space()));
        let pair = [text("{"), Piece::Slot(kind), text(", "), Piece::Slot(kind), text("}")];
        let address = [
            Piece::Text(format!("[{}+", memory.variable())),
            Piece::Slot(SlotKind::Place(memory, ChainMemory::BYTES)),
            text("]"),
        ];
        let [first, second] = registers.map(ChainOperand::Register);
        let start = ChainOperand::Constant("0".to_owned());
        let (parts, operands) = match kind {
            SlotKind::Destination(_) => ([&pair[..], &[text(", ")], &address].concat(), vec![first, second, start]),
            _ => ([&address[..], &[text(", ")], &pair].concat(), vec![start, first, second]),
        };
        Self { pieces: [&[begin][..], &parts, &[text(";")]].concat(), operands }
    }

    /// True if it writes all of a memory, whatever it held before.
    pub fn fills_memory(&self) -> bool {
        let registers: Vec<usize> = self.reads().collect();
        match (self.memory(), &registers[..]) {
            (Some(memory), [first, second]) => *self == Self::storing(memory, [*first, *second]),
            _ => false,
        }
    }

    /// True if it only reads memory, whatever part of it.
    pub fn observes_memory(&self) -> bool {
        self.memory().is_some() && self.reads().next().is_none() && self.numbers().next().is_none()
    }

    /// Its holes, with what is in them.
    pub fn slots(&self) -> impl Iterator<Item = (SlotKind, &ChainOperand)> {
        slots(&self.pieces).zip(&self.operands)
    }

    /// The registers in the holes for which `of` holds.
    pub fn registers(&self, of: impl Fn(SlotKind) -> bool) -> impl Iterator<Item = usize> {
        self.slots().filter_map(move |(kind, operand)| match operand {
            ChainOperand::Register(register) if of(kind) => Some(*register),
            _ => None,
        })
    }

    /// The registers that it reads.
    pub fn reads(&self) -> impl Iterator<Item = usize> {
        self.registers(|kind| matches!(kind, SlotKind::Source(_) | SlotKind::Guard))
    }

    /// The registers that it writes.
    pub fn writes(&self) -> impl Iterator<Item = usize> {
        self.registers(|kind| matches!(kind, SlotKind::Destination(_)))
    }

    /// The memory that it accesses.
    pub fn memory(&self) -> Option<ChainMemory> {
        memory_of(&self.pieces)
    }

    /// The first byte of the memory that it accesses.
    pub fn place(&self) -> Option<u16> {
        self.slots().find_map(|(kind, operand)| match (kind, operand) {
            (SlotKind::Place(..), ChainOperand::Constant(place)) => place.parse().ok(),
            _ => None,
        })
    }

    /// The numbers in its holes.
    pub fn numbers(&self) -> impl Iterator<Item = &String> {
        self.slots().filter_map(|(kind, operand)| match (kind, operand) {
            (SlotKind::Constant(_), ChainOperand::Constant(number)) => Some(number),
            _ => None,
        })
    }

    /// True if it has a guard.
    pub fn is_guarded(&self) -> bool {
        self.slots().any(|(kind, _)| kind == SlotKind::Guard)
    }

    /// Its text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut operands = self.operands.iter();
        for piece in &self.pieces {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Slot(_) => match operands.next().must("each hole has an operand") {
                    ChainOperand::Constant(number) => text.push_str(number),
                    ChainOperand::Register(register) => {
                        // Writing to a String cannot fail.
                        let _ = write!(text, "%x{register}");
                    }
                },
            }
        }
        text
    }
}

/// The kinds of the holes among the parts of an instruction, in order.
pub(crate) fn slots(pieces: &[Piece]) -> impl Iterator<Item = SlotKind> {
    pieces.iter().filter_map(|piece| match piece {
        Piece::Slot(kind) => Some(*kind),
        Piece::Text(_) => None,
    })
}

/// The memory that an instruction of these parts accesses.
pub(crate) fn memory_of(pieces: &[Piece]) -> Option<ChainMemory> {
    slots(pieces).find_map(|kind| match kind {
        SlotKind::Place(memory, _) => Some(memory),
        _ => None,
    })
}

/// The kind of a block that is open.
enum OpenBlock {
    If { end: usize, has_else: bool },
    Loop { begin: usize, times: u8 },
}

impl Chain {
    /// Its instructions, in order.
    pub fn instructions(&self) -> impl Iterator<Item = &ChainInstruction> {
        self.statements.iter().filter_map(|statement| match statement {
            ChainStatement::Instruction(instruction) => Some(instruction),
            _ => None,
        })
    }

    /// The text of its statements, a line each, after the declarations of the memory that they access. Labels and counters of
    /// loops are named so that they are unique in a block.
    pub fn text(&self) -> String {
        let mut text = self.declarations_of_memory();
        let mut open: Vec<OpenBlock> = Vec::new();
        for (at, statement) in self.statements.iter().enumerate() {
            // Writing to a String cannot fail.
            let _ = match statement {
                ChainStatement::Instruction(instruction) => writeln!(text, "{}", instruction.text()),
                ChainStatement::If { predicate, negated } => {
                    open.push(OpenBlock::If { end: at, has_else: false });
                    let sign = if *negated { "" } else { "!" };
                    writeln!(text, "@{sign}%x{predicate} bra L{at};")
                }
                ChainStatement::Else => match open.last_mut() {
                    Some(OpenBlock::If { end, has_else }) => {
                        *has_else = true;
                        writeln!(text, "bra.uni M{end};\nL{end}:")
                    }
                    _ => Ok(()),
                },
                ChainStatement::Loop { times } => {
                    open.push(OpenBlock::Loop { begin: at, times: *times });
                    writeln!(text, ".reg .b32 %i{at};\n.reg .pred %q{at};\nmov.u32 %i{at}, 0;\nL{at}:")
                }
                ChainStatement::End => match open.pop() {
                    Some(OpenBlock::If { end, has_else }) => {
                        writeln!(text, "{}{end}:", if has_else { "M" } else { "L" })
                    }
                    Some(OpenBlock::Loop { begin, times }) => writeln!(
                        text,
                        "add.u32 %i{begin}, %i{begin}, 1;\nsetp.lt.u32 %q{begin}, %i{begin}, {times};\n@%q{begin} bra L{begin};"
                    ),
                    None => Ok(()),
                },
            };
        }
        text
    }

    /// The declarations of its registers and of the memory that it accesses.
    pub fn declarations(&self) -> String {
        let registers = RegisterKind::declarations(self.registers.iter().map(|bits| RegisterKind::of(*bits)));
        registers + &self.declarations_of_memory()
    }

    fn declarations_of_memory(&self) -> String {
        let accessed = |memory: &ChainMemory| self.instructions().any(|of| of.memory() == Some(*memory));
        ChainMemory::ALL.into_iter().filter(accessed).map(ChainMemory::declaration).collect()
    }

    /// The same chain without registers that nothing names, and with the others in the order in which they are named.
    #[must_use]
    pub fn renumbered(&self) -> Self {
        let mut order: Vec<usize> = Vec::new();
        let mut number = |register: usize| match order.iter().position(|known| *known == register) {
            Some(at) => at,
            None => {
                order.push(register);
                order.len() - 1
            }
        };
        let mut chain = self.clone();
        for statement in &mut chain.statements {
            match statement {
                ChainStatement::Instruction(instruction) => {
                    // Sources first, so that the chain begins with its inputs.
                    for register in instruction.reads().collect::<Vec<_>>() {
                        number(register);
                    }
                    for operand in &mut instruction.operands {
                        if let ChainOperand::Register(register) = operand {
                            *register = number(*register);
                        }
                    }
                }
                ChainStatement::If { predicate, .. } => *predicate = number(*predicate),
                _ => {}
            }
        }
        chain.outputs.iter_mut().for_each(|register| *register = number(*register));
        chain.inputs.retain(|register| order.contains(register));
        for register in &mut chain.inputs {
            *register = order.iter().position(|known| known == register).unwrap_or_default();
        }
        chain.inputs.sort_unstable();
        chain.registers = order.iter().map(|register| self.registers[*register]).collect();
        chain
    }

    /// A short name for what the chain is: the same for chains that differ only in the names of registers.
    pub fn fingerprint(&self) -> String {
        let chain = self.renumbered();
        let outputs: Vec<String> = chain.outputs.iter().map(ToString::to_string).collect();
        let text = format!("{}{}[{}]", chain.declarations(), chain.text(), outputs.join(", "));
        let hash = blake3::hash(text.as_bytes());
        hash.to_hex().as_str().chars().take(12).collect()
    }
}
