//! Reads inline assembly of LLVM IR and MLIR.

use super::asm_statement::{AsmStatement, AsmText, SkippedAsm, TemplateStyle, constraint_list};
use super::joined::CONSTRAINTS;
use super::mapped_text::MappedText;
use super::source_token::{SourceToken, SourceTokenKind};

/// The words that begin it: of LLVM IR, of the dialect of LLVM, and of Triton.
const KEYWORDS: [&str; 3] = ["asm", "inline_asm", "elementwise_inline_asm"];
/// How many words and signs may stand before each of the two strings.
const BEFORE: usize = 8;

/// The assembly with which the tokens begin, and how many of them it has.
pub(super) fn read(text: &MappedText, tokens: &[SourceToken]) -> Option<(AsmStatement, usize)> {
    let keyword = tokens.first()?;
    if !KEYWORDS.contains(&&text.text()[keyword.at.clone()]) {
        return None;
    }
    let (template, first) = next_text(&tokens[1..])?;
    let constraints = next_text(&tokens[first + 2..]);
    let end = constraints.as_ref().map_or(first + 2, |(_, second)| first + second + 3);
    let list = constraints.and_then(|(list, _)| constraint_list(list.text()));
    let read = match list {
        None => Err(SkippedAsm::new(CONSTRAINTS, "")),
        Some(operands) => Ok(AsmText { template: template.clone(), style: TemplateStyle::Dollar, operands }),
    };
    let at = text.file_range(keyword.at.start..tokens[end - 1].at.end);
    Some((AsmStatement { at, read }, end))
}

/// The next string that stands near, and how many tokens are before it.
fn next_text(tokens: &[SourceToken]) -> Option<(&MappedText, usize)> {
    let near = tokens.iter().take(BEFORE).enumerate();
    near.into_iter().find_map(|(at, token)| match &token.kind {
        SourceTokenKind::Text(found) => Some((found, at)),
        _ => None,
    })
}
