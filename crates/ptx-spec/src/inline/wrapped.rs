//! A statement of inline assembly as a module.

use std::ops::Range;

use super::asm_statement::{AsmText, OperandKind};
use super::mapped_text::MappedText;
use super::ptx_text::TextKind;
use super::template::register_name;
use crate::environment::{AddressSize, Environment};

/// A module around a statement, and how much of it is not of the statement.
#[derive(Debug)]
pub(super) struct WrappedText {
    pub(super) module: MappedText,
    /// How many declarations are not of the statement.
    pub(super) declarations: u64,
    /// How many directives are not of the statement.
    pub(super) directives: u64,
}

/// A module for an environment with a text that has its operands. What is added to it stands for the bytes `at`.
pub(super) fn wrapped(
    of: &AsmText,
    filled: &MappedText,
    kind: TextKind,
    environment: &Environment,
    at: Range<usize>,
) -> WrappedText {
    let mut module = MappedText::default();
    let (mut declarations, mut directives) = (0, 0);
    let start = at.start..at.start;
    if kind != TextKind::Module {
        let Environment { ptx, target, address_size } = environment;
        let header = format!(".version {ptx}\n.target {target}\n.address_size {address_size}\n");
        module.push(&header, start.clone());
        directives += 3;
    }
    if kind == TextKind::Body {
        module.push(".func inline_assembly()\n{\n", start.clone());
        directives += 1;
        for (number, operand) in of.operands.iter().enumerate() {
            let register = match operand.kind {
                OperandKind::Register(kind) => Some(kind),
                OperandKind::Pointer => Some(match environment.address_size {
                    AddressSize::Bits32 => ".b32",
                    AddressSize::Bits64 => ".b64",
                }),
                _ => None,
            };
            if let Some(kind) = register {
                module.push(&format!(".reg {kind} {};\n", register_name(of.style, number)), start.clone());
                declarations += 1;
            }
        }
    }
    module.append(filled);
    if kind == TextKind::Body {
        // A comment at the end of the text ends before the brace.
        module.push("\n}\n", at.end..at.end);
    }
    WrappedText { module, declarations, directives }
}
