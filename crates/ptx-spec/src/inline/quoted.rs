//! Reads strings of source files: the text that they mean, with the place of each of its bytes.

use super::language::{EscapeStyle, LexicalSyntax};
use super::mapped_text::MappedText;

/// Stands in a text for what is only known when the program runs.
pub(super) const HOLE: char = '\u{fffc}';

/// How a string is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quotation {
    pub(super) syntax: &'static LexicalSyntax,
    /// True if it has no escapes.
    pub(super) raw: bool,
    /// True if `{x}` in it is a hole.
    pub(super) formatted: bool,
    /// True if `$x` in it is a hole.
    pub(super) interpolated: bool,
}

/// Reads one string.
pub(super) struct QuotedReader<'t> {
    of: &'t MappedText,
    text: &'t str,
    at: usize,
    quotation: Quotation,
    read: MappedText,
}

impl<'t> QuotedReader<'t> {
    /// A reader of the string whose quotation marks begin at this byte.
    pub(super) fn new(of: &'t MappedText, at: usize, quotation: Quotation) -> Self {
        Self { of, text: of.text(), at, quotation, read: MappedText::default() }
    }

    /// The text that the string means, and the byte after it.
    pub(super) fn read(mut self) -> (MappedText, usize) {
        let rest = &self.text[self.at..];
        let syntax = self.quotation.syntax;
        let raw_without_quotes = match syntax.escapes {
            _ if !self.quotation.raw || syntax.triple => None,
            // R"x( )x"
            EscapeStyle::Letters => rest[1..].find('(').map(|at| (at + 2, format!("){}\"", &rest[1..=at]))),
            // r#" "#
            _ => rest.find('"').map(|hashes| (hashes + 1, format!("\"{}", "#".repeat(hashes)))),
        };
        if let Some((start, close)) = raw_without_quotes {
            let start = self.at + start;
            let end = self.text[start..].find(&close).map_or(self.text.len(), |length| start + length);
            self.read.push_part(self.of, start..end);
            return (self.read, (end + close.len()).min(self.text.len()));
        }
        let quote = &rest[..1];
        let triple = quote.repeat(3);
        let long = syntax.triple && rest.starts_with(&triple);
        let close = if long { triple.as_str() } else { quote };
        self.at += close.len();
        while self.at < self.text.len() {
            let rest = &self.text[self.at..];
            if rest.starts_with(close) {
                return (self.read, self.at + close.len());
            }
            // A string without an end ends with its line.
            if rest.starts_with('\n') && !long && syntax.escapes == EscapeStyle::Letters && !self.quotation.interpolated
            {
                break;
            }
            self.step(rest);
        }
        (self.read, self.at.min(self.text.len()))
    }

    fn step(&mut self, rest: &str) {
        match rest.as_bytes()[0] {
            b'\\' if self.quotation.raw => {
                // It does not end the string before a quotation mark, and stays.
                let next = rest[1..].chars().next().map_or(0, char::len_utf8);
                self.keep(1 + next);
            }
            b'\\' => self.escape(rest),
            b'{' if self.quotation.formatted && rest.starts_with("{{") => self.put("{", 2),
            b'}' if self.quotation.formatted && rest.starts_with("}}") => self.put("}", 2),
            b'{' if self.quotation.formatted => self.hole(balanced(rest, b'{', b'}')),
            b'$' if self.quotation.interpolated => {
                let after = &rest[1..];
                let name = after.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(after.len());
                match after.starts_with('(') {
                    true => self.hole(1 + balanced(after, b'(', b')')),
                    false => self.hole(1 + name),
                }
            }
            _ => self.keep(rest.chars().next().map_or(1, char::len_utf8)),
        }
    }

    fn keep(&mut self, length: usize) {
        self.read.push_part(self.of, self.at..self.at + length);
        self.at += length;
    }

    /// Adds a text for this many bytes.
    fn put(&mut self, text: &str, length: usize) {
        let end = (self.at + length).min(self.text.len());
        self.read.push(text, self.of.file_range(self.at..end));
        self.at = end;
    }

    fn hole(&mut self, length: usize) {
        self.put(HOLE.encode_utf8(&mut [0; 4]), length);
    }

    fn escape(&mut self, rest: &str) {
        let style = self.quotation.syntax.escapes;
        let digits = |from: usize, most: usize, radix: u32| {
            let end = from + rest[from..].chars().take(most).take_while(|c| c.is_digit(radix)).count();
            let code = u32::from_str_radix(&rest[from..end], radix).ok()?;
            Some((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), end))
        };
        let put = |this: &mut Self, (c, length): (char, usize)| this.put(c.encode_utf8(&mut [0; 4]), length);
        if style == EscapeStyle::Hexadecimal
            && let Some(decoded) = digits(1, 2, 16).filter(|(_, end)| *end == 3)
        {
            return put(self, decoded);
        }
        let Some(letter) = rest[1..].chars().next() else { return self.keep(1) };
        let decoded = match letter {
            'n' => ('\n', 2),
            't' => ('\t', 2),
            'r' => ('\r', 2),
            'a' | 'b' | 'f' | 'v' => (' ', 2),
            '\n' | '\r' => {
                let line = 1 + continued(rest).saturating_sub(1);
                let blanks = rest[line..].len() - rest[line..].trim_start().len();
                let trimmed = style == EscapeStyle::LettersTrimmed;
                return self.put("", line + if trimmed { blanks } else { 0 });
            }
            'x' => digits(2, 2, 16).unwrap_or(('x', 2)),
            'u' if rest[2..].starts_with('{') => match digits(3, 6, 16) {
                Some((c, end)) => (c, end + 1),
                None => ('u', 2),
            },
            'u' => digits(2, 4, 16).unwrap_or(('u', 2)),
            '0'..='7' => digits(1, 3, 8).unwrap_or((letter, 2)),
            '"' | '\'' | '\\' | '?' | '$' => (letter, 2),
            // An unknown escape stands for itself.
            _ => return self.keep(1 + letter.len_utf8()),
        };
        put(self, decoded);
    }
}

/// The length of a text in brackets with its brackets.
fn balanced(text: &str, open: u8, close: u8) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        if byte == open {
            depth += 1;
        } else if byte == close {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at + 1;
            }
        }
    }
    text.len()
}

/// The length of a backslash and the line end behind it; 0 if the text does not begin with them.
pub(super) fn continued(text: &str) -> usize {
    let bytes = text.as_bytes();
    match (bytes.get(1), bytes.get(2)) {
        (Some(b'\n'), _) => 2,
        (Some(b'\r'), Some(b'\n')) => 3,
        _ => 0,
    }
}
