//! Bytes outside of ASCII. PTX ISA `source-format`.

use super::diagnostic::{Diagnostic, DiagnosticSeverity};
use crate::text::Lexer;

/// The page that says which characters a module has.
const PAGE: &str = "source-format";

/// The characters of a text outside of ASCII: each kind of place once, since where there is one such character there are many.
pub(super) fn check<'a>(text: &str) -> Vec<Diagnostic<'a>> {
    let mut found = Vec::new();
    if text.is_ascii() && !text.contains('\0') {
        return found;
    }
    if let Some(at) = text.find('\0') {
        let rest = text[at..].trim_matches(|c: char| c.is_ascii_whitespace() || matches!(c, '\0' | '\u{1a}'));
        let (severity, message) = match rest.is_empty() {
            true => (DiagnosticSeverity::Warning, "a NUL character at the end, which ptxas refuses from 13.0 on"),
            false => (DiagnosticSeverity::Error, "a NUL character: PTX is ASCII text"),
        };
        found.push(Diagnostic::new(severity, "isa/ascii", at..at + 1, message).with_page(PAGE));
    }
    let mut seen = [false; 2];
    for (at, character) in text.char_indices().filter(|(_, character)| !character.is_ascii()) {
        // What stands outside of comments and quoted texts cannot be read, and is said there.
        let Some(in_line_comment) = in_comment_or_text(text, at) else { continue };
        if std::mem::replace(&mut seen[usize::from(in_line_comment)], true) {
            continue;
        }
        let (severity, message) = match in_line_comment {
            true => (
                DiagnosticSeverity::Warning,
                "a character outside of ASCII in a comment, which ptxas refuses from 12.5 to 13.1",
            ),
            false => (DiagnosticSeverity::Error, "a character outside of ASCII: PTX is ASCII text"),
        };
        let end = at + character.len_utf8();
        found.push(Diagnostic::new(severity, "isa/ascii", at..end, message).with_page(PAGE));
        if seen == [true; 2] {
            break;
        }
    }
    found
}

/// True if a byte is in a comment that ends with its line; none if it is neither in a comment nor in a quoted text.
fn in_comment_or_text(text: &str, at: usize) -> Option<bool> {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    // Only what a line begins with is looked at: a quoted text ends with its line.
    let mut lexer = Lexer::new(&text[line..]);
    let target = at - line;
    loop {
        let before = lexer.at();
        let Some(token) = lexer.next() else {
            return comment(&text[line + before..at]);
        };
        let start = lexer.at() - token.text.len();
        if start > target {
            return comment(&text[line + before..at]);
        }
        if lexer.at() > target {
            return if token.text.starts_with('"') { Some(false) } else { open_comment(text, line) };
        }
    }
}

/// The kind of the comment that a text is in at its end.
fn comment(text: &str) -> Option<bool> {
    let line = text.rfind("//");
    let block = text.rfind("/*");
    match (line, block) {
        (Some(line), Some(block)) => Some(line < block),
        (Some(_), None) => Some(true),
        (None, Some(_)) => Some(false),
        (None, None) => None,
    }
}

/// False if a line begins within a comment of several lines; none if it does not.
fn open_comment(text: &str, line: usize) -> Option<bool> {
    let before = &text[..line];
    let open = before.rfind("/*")?;
    (!before[open..].contains("*/")).then_some(false)
}
