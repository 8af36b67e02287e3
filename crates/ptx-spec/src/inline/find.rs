//! Finds the statements of inline assembly of a source file.

use super::asm_statement::AsmStatement;
use super::calls;
use super::ir;
use super::language::SourceLanguage;
use super::mapped_text::MappedText;
use super::source_token::{SourceTokenKind, source_tokens};
use super::statements_of_c;
use super::strings::NamedStrings;

/// How deep strings with programs are looked into.
const NESTING: usize = 2;

/// The statements of a file, in order.
pub(super) fn statements(file: &str, language: SourceLanguage) -> Vec<AsmStatement> {
    let mut found = Vec::new();
    add(&MappedText::whole(file), language, 0, &mut found);
    found.sort_by_key(|statement| (statement.at.start, statement.at.end));
    found
}

fn add(text: &MappedText, language: SourceLanguage, depth: usize, found: &mut Vec<AsmStatement>) {
    let tokens = source_tokens(text, language);
    let strings = NamedStrings::of(text.text(), &tokens, language);
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let rest = &tokens[at..];
        let read = match (&token.kind, language) {
            (SourceTokenKind::Text(inner), _) => {
                if depth < NESTING {
                    nested(inner, depth, found);
                }
                None
            }
            (SourceTokenKind::Word, SourceLanguage::C) => statements_of_c::read(text, rest, &strings),
            (SourceTokenKind::Word, SourceLanguage::Rust) => calls::of_rust(text, rest),
            (SourceTokenKind::Word, SourceLanguage::Python | SourceLanguage::Julia) => {
                let before = at.checked_sub(1).and_then(|before| tokens.get(before));
                calls::read(text, before, rest, &strings, language)
            }
            (SourceTokenKind::Word, SourceLanguage::Llvm | SourceLanguage::Mlir) => ir::read(text, rest),
            _ => None,
        };
        match read {
            Some((statement, length)) => {
                found.push(statement);
                at += length.max(1);
            }
            None => at += 1,
        }
    }
}

/// Looks into a string: it may be a program that is compiled when this one runs.
fn nested(text: &MappedText, depth: usize, found: &mut Vec<AsmStatement>) {
    if !text.text().contains("asm") {
        return;
    }
    let ir = text.text().contains(" asm \"") || text.text().contains("asm sideeffect");
    add(text, if ir { SourceLanguage::Llvm } else { SourceLanguage::C }, depth + 1, found);
}
