//! What a text of inline assembly is: PTX or not, a whole module or a part of a body.

use crate::spec::{Instruction, Spec};
use crate::text::{Lexer, Line, uncommented};

/// The kind of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    /// Nothing but blanks and comments.
    Empty,
    /// Text for another machine.
    Foreign,
    /// Braces that do not close, or close nothing.
    Unbalanced,
    /// Statements of the body of a function.
    Body,
    /// Functions.
    Functions,
    /// A whole module.
    Module,
}

/// The words that begin functions.
const FUNCTIONS: [&str; 2] = [".entry", ".func"];
/// The word that begins a module.
const VERSION: &str = ".version";

impl TextKind {
    /// The kind of a text whose operands are in their places.
    pub(super) fn of(text: &str, spec: &Spec) -> Self {
        let text = uncommented(text);
        if text.trim().is_empty() {
            return Self::Empty;
        }
        let foreign = !text.split([';', '{', '}', '\n']).any(|statement| is_ptx(statement, spec));
        let (mut depth, mut outside, mut module) = (0_i64, false, false);
        for token in Lexer::new(&text) {
            match token.text {
                "{" => depth += 1,
                "}" if depth == 0 => return Self::Unbalanced,
                "}" => depth -= 1,
                VERSION => module = true,
                word => outside |= depth == 0 && FUNCTIONS.contains(&word),
            }
        }
        match () {
            () if depth > 0 => Self::Unbalanced,
            () if foreign => Self::Foreign,
            () if module => Self::Module,
            () if outside => Self::Functions,
            () => Self::Body,
        }
    }
}

/// True if a statement begins with an opcode of PTX and modifiers or a guard, or has a type of PTX: no other assembler writes
/// them so.
fn is_ptx(statement: &str, spec: &Spec) -> bool {
    let typed = || {
        statement.split('.').skip(1).any(|word| {
            let end = word.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(word.len());
            spec.isa.types.iter().any(|of| of.name.strip_prefix('.') == Some(&word[..end]))
        })
    };
    let Some(opcode) = Line::opcode_of(statement) else { return typed() };
    let known = spec.has_opcode(opcode);
    let (before, after) = statement.split_once(opcode).unwrap_or_default();
    let alone = || after.trim().is_empty() && spec.instruction(opcode).is_some_and(bare);
    known && (after.starts_with('.') || before.contains('@') || alone()) || typed()
}

/// True if an instruction has a form without operands.
fn bare(instruction: &Instruction) -> bool {
    instruction.forms.iter().any(|form| form.pattern.is_empty())
}
