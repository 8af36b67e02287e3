//! Bytes outside of ASCII. PTX ISA `source-format`.

use std::ops::Range;

use super::diagnostic::{Diagnostic, DiagnosticSeverity};
use crate::text::{Lexer, TokenKind};

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
    // What stands outside of comments and quoted texts cannot be read, and is said there.
    for (at, in_line_comment) in first_of_each(text) {
        let (severity, message) = match in_line_comment {
            true => (
                DiagnosticSeverity::Warning,
                "a character outside of ASCII in a comment, which ptxas refuses from 12.5 to 13.1",
            ),
            false => (DiagnosticSeverity::Error, "a character outside of ASCII: PTX is ASCII text"),
        };
        let end = at + text[at..].chars().next().map_or(1, char::len_utf8);
        found.push(Diagnostic::new(severity, "isa/ascii", at..end, message).with_page(PAGE));
    }
    found
}

/// The first character outside of ASCII in a comment that ends with its line, and the first in another comment or a quoted
/// text; true for the former.
fn first_of_each(text: &str) -> Vec<(usize, bool)> {
    let mut found: Vec<(usize, bool)> = Vec::new();
    let mut look = |part: Range<usize>, in_line_comment: bool| {
        if let Some(at) = text[part.clone()].find(|c: char| !c.is_ascii())
            && !found.iter().any(|(_, known)| *known == in_line_comment)
        {
            found.push((part.start + at, in_line_comment));
        }
    };
    let mut lexer = Lexer::new(text);
    let mut before = 0;
    loop {
        let token = lexer.next();
        let start = token.map_or(text.len(), |token| lexer.at() - token.text.len());
        comments(text, before..start, &mut look);
        let Some(token) = token else { return found };
        if token.kind == TokenKind::Text {
            look(start..lexer.at(), false);
        }
        before = lexer.at();
    }
}

/// Visits the comments between two tokens; true for those that end with their line.
fn comments(text: &str, between: Range<usize>, visit: &mut impl FnMut(Range<usize>, bool)) {
    let mut at = between.start;
    while let Some(start) = text[at..between.end].find('/').map(|slash| at + slash) {
        let rest = &text[start..between.end];
        let in_line = rest.starts_with("//");
        let closed = || rest.get(2..)?.find("*/").map(|end| end + 4);
        let length = if in_line { rest.find('\n') } else { closed() };
        at = length.map_or(between.end, |length| start + length);
        visit(start..at, in_line);
    }
}
