//! Problems of a text, and where they are.

use std::ops::Range;

use super::SyntaxError;
use super::lexer::Lexer;
use super::part::range;
use super::statement::UNKNOWN_DIRECTIVE;

/// Something in a text that is not as PTX wants it, and the bytes that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextProblem<'a> {
    /// The bytes of the text.
    pub at: Range<usize>,
    /// The bytes of the statement that it is in.
    pub statement: Range<usize>,
    /// The kind of the problem.
    pub kind: ProblemKind<'a>,
}

/// The kinds of [`TextProblem`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind<'a> {
    /// A statement that cannot be read, and why.
    Syntax(&'static str),
    /// A directive that PTX does not have, as far as is known.
    Directive(&'a str),
    /// A name that its scope has already.
    Twice(&'a str),
}

impl<'a> TextProblem<'a> {
    /// A statement of these bytes that cannot be read. Points at where that is noticed.
    pub(super) fn unread(text: &'a str, statement: Range<usize>, error: &SyntaxError) -> Self {
        let rest = &text[error.at..];
        if error.message == UNKNOWN_DIRECTIVE {
            let end =
                rest[1..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(rest.len(), |end| end + 1);
            let at = error.at..error.at + end;
            return Self { at, statement, kind: ProblemKind::Directive(&rest[..end]) };
        }
        // What is missing at the beginning of a line is missing at the end of the one before it.
        let start = statement.start.min(error.at);
        let last = Lexer::new(&text[start..error.at]).last();
        let end = last.map_or(error.at, |last| range(text, last.text).end);
        let (at, message) = match text[end..error.at].contains('\n') {
            true if error.message.starts_with("expected") => {
                (end - text[..end].chars().next_back().map_or(0, char::len_utf8), "expected `;` after this")
            }
            _ => (error.at, error.message),
        };
        let length = text[at..].chars().next().map_or(0, char::len_utf8);
        Self { at: at..at + length, statement, kind: ProblemKind::Syntax(message) }
    }

    /// A name that its scope has already.
    pub(super) fn twice(text: &str, name: &'a str) -> Self {
        let at = range(text, name);
        Self { statement: at.clone(), at, kind: ProblemKind::Twice(name) }
    }
}
