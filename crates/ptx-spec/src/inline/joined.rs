//! The text of strings that stand side by side.

use super::asm_statement::SkippedAsm;
use super::mapped_text::MappedText;
use super::quoted::HOLE;
use super::source_token::{SourceToken, SourceTokenKind};
use super::strings::NamedStrings;

/// The text of tokens that are strings, one after the other.
///
/// # Errors
/// If it is not known what they are; says why.
pub(super) fn joined(
    text: &MappedText,
    tokens: &[SourceToken],
    strings: &NamedStrings,
    separator: &str,
) -> Result<MappedText, SkippedAsm> {
    let mut all = MappedText::default();
    for (number, token) in tokens.iter().enumerate() {
        let word = &text.text()[token.at.clone()];
        let file = text.file_range(token.at.clone());
        if number > 0 && !separator.is_empty() {
            all.push(separator, file.start..file.start);
        }
        match &token.kind {
            SourceTokenKind::Text(part) => all.append(part),
            SourceTokenKind::Directive => return Err(SkippedAsm::new(CONDITIONS, word.trim())),
            SourceTokenKind::Word => match strings.value(word, token.at.start) {
                // Problems in the value of a macro are shown where the value is written.
                Some(value) => all.append(value),
                None => return Err(SkippedAsm::new(MACRO, word)),
            },
            _ => return Err(SkippedAsm::new(RUN_TIME, word)),
        }
    }
    match all.text().contains(HOLE) {
        true => Err(SkippedAsm::new(RUN_TIME, "")),
        false => Ok(all),
    }
}

/// The reasons why a statement is not read.
pub(super) const CONDITIONS: &str = "directives of the preprocessor stand inside of it";
pub(super) const MACRO: &str = "a name in it is no string that this file defines once";
pub(super) const RUN_TIME: &str = "its text is put together by the program";
pub(super) const CONSTRAINTS: &str = "its constraints cannot be read";
