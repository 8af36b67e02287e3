//! A word of machine code as text.

use ptx_sass::instruction::MachineInstruction;
use ptx_sass::opcode::{Step, Unknown};

/// A word of machine code, as the disassembler prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedWord {
    /// The word.
    pub word: u128,
    /// The address that the word had then: targets of branches depend on it.
    pub at: u64,
    /// `@!P0`, or empty.
    pub predicate: String,
    /// `IMAD.WIDE.U32`
    pub opcode: String,
    /// `R6,R11,0x4,R6`
    pub operands: String,
}

impl PrintedWord {
    /// A word that the disassembler does not know: no opcode has this name.
    pub(super) fn unknown(word: u128) -> Self {
        Self { word, at: 0, predicate: String::new(), opcode: format!("0x{word:032x}"), operands: String::new() }
    }

    /// The instruction, at a position of its section, in code that waits with barriers or not.
    ///
    /// # Errors
    /// If it is unknown, or no instruction.
    pub(super) fn step(&self, at: usize, waits: bool) -> Result<Step, Unknown> {
        if self.word == 0 {
            return Err(Unknown::Zeros);
        }
        if self.opcode.is_empty() {
            return Err(Unknown::Unprinted);
        }
        let instruction = MachineInstruction::parse(&self.predicate, &self.opcode, &self.operands)?;
        let mut step = Step::new(&instruction, at, self.word, self.at)?;
        if !waits {
            step.arrival = None;
        }
        Ok(step)
    }
}
