//! Splits source files into words, strings and signs.

use std::ops::Range;

use super::language::{Apostrophe, EscapeStyle, LexicalSyntax, SourceLanguage};
use super::mapped_text::MappedText;
use super::quoted::{Quotation, QuotedReader, continued};

/// A word, a string or a sign of a source file.
#[derive(Clone, Debug)]
pub(super) struct SourceToken {
    pub(super) kind: SourceTokenKind,
    /// Its bytes in the text that was read.
    pub(super) at: Range<usize>,
}

/// The kind of a [`SourceToken`].
#[derive(Clone, Debug)]
pub(super) enum SourceTokenKind {
    /// A name, a keyword or a number.
    Word,
    /// A string, by the text that it means.
    Text(MappedText),
    /// Any other sign.
    Sign(u8),
    /// A line for the preprocessor, other than a definition.
    Directive,
    /// The beginning of the definition of a macro.
    Define,
    /// The end of the definition of a macro.
    EndDefine,
}

/// The tokens of a source text.
pub(super) fn source_tokens(of: &MappedText, language: SourceLanguage) -> Vec<SourceToken> {
    let syntax = language.syntax();
    let mut reader =
        TokenReader { of, text: of.text(), syntax, at: 0, tokens: Vec::new(), defining: false, fresh: true };
    while reader.at < reader.text.len() {
        reader.step();
    }
    reader.end_definition();
    reader.tokens
}

struct TokenReader<'t> {
    of: &'t MappedText,
    text: &'t str,
    syntax: &'static LexicalSyntax,
    at: usize,
    tokens: Vec<SourceToken>,
    /// True inside the definition of a macro.
    defining: bool,
    /// True if nothing but blanks stands before this in the line.
    fresh: bool,
}

impl<'t> TokenReader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn push(&mut self, kind: SourceTokenKind, length: usize) {
        self.tokens.push(SourceToken { kind, at: self.at..self.at + length });
        self.at += length;
        self.fresh = false;
    }

    fn step(&mut self) {
        let rest = self.rest();
        let byte = rest.as_bytes()[0];
        match byte {
            b'\n' => {
                self.end_definition();
                self.fresh = true;
                self.at += 1;
            }
            b'\\' if self.syntax.preprocessor && continued(rest) > 0 => self.at += continued(rest),
            _ if byte.is_ascii_whitespace() => self.at += 1,
            _ if self.comment() => {}
            b'#' if self.syntax.preprocessor && self.fresh && !self.defining => self.directive(),
            b'"' => self.string("", 0),
            b'\'' => self.apostrophe(),
            _ if byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 => self.word(),
            _ => self.push(SourceTokenKind::Sign(byte), 1),
        }
    }

    fn end_definition(&mut self) {
        if std::mem::take(&mut self.defining) {
            self.tokens.push(SourceToken { kind: SourceTokenKind::EndDefine, at: self.at..self.at });
        }
    }

    /// Skips a comment, if one begins here.
    fn comment(&mut self) -> bool {
        let rest = self.rest();
        if let Some((open, close)) = self.syntax.block_comment.filter(|(open, _)| rest.starts_with(open)) {
            let (mut depth, mut at) = (1, open.len());
            while depth > 0 && at < rest.len() {
                let here = &rest.as_bytes()[at..];
                if here.starts_with(close.as_bytes()) {
                    depth -= 1;
                    at += close.len();
                } else if self.syntax.nested && here.starts_with(open.as_bytes()) {
                    depth += 1;
                    at += open.len();
                } else {
                    at += 1;
                }
            }
            self.at += rest.ceil_char_boundary(at);
            return true;
        }
        if !self.syntax.line_comments.iter().any(|start| rest.starts_with(start)) {
            return false;
        }
        let mut end = rest.find('\n').unwrap_or(rest.len());
        // A comment in a macro goes on in the next line, as the macro does.
        while self.syntax.preprocessor && rest[..end].trim_end_matches('\r').ends_with('\\') && end < rest.len() {
            end = rest[end + 1..].find('\n').map_or(rest.len(), |next| end + 1 + next);
        }
        self.at += end;
        true
    }

    /// The length of the line that begins here, with the lines in which it goes on.
    fn line(&self) -> usize {
        let rest = self.rest();
        let mut end = rest.find('\n').unwrap_or(rest.len());
        while end < rest.len() && rest[..end].trim_end_matches('\r').ends_with('\\') {
            end = rest[end + 1..].find('\n').map_or(rest.len(), |next| end + 1 + next);
        }
        end
    }

    fn directive(&mut self) {
        let line = &self.rest()[..self.line()];
        let words = line[1..].trim_start();
        let name = words.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        if name == "define" {
            let length = line.len() - words.len() + name.len();
            self.defining = true;
            return self.push(SourceTokenKind::Define, length);
        }
        let length = line.len();
        let never = name == "if" && words[name.len()..].split("//").next().is_some_and(|rest| rest.trim() == "0");
        self.push(SourceTokenKind::Directive, length);
        if never {
            self.never();
        }
    }

    /// Skips what follows `#if 0`, up to the directive that ends it.
    fn never(&mut self) {
        let mut depth = 0;
        while self.at < self.text.len() {
            let length = self.line();
            let line = self.rest()[..length].trim();
            if let Some(directive) = line.strip_prefix('#').map(str::trim_start) {
                if directive.starts_with("if") {
                    depth += 1;
                } else if depth == 0 && (directive.starts_with("el") || directive.starts_with("endif")) {
                    self.fresh = true;
                    self.at += self.rest().len() - self.rest().trim_start().len();
                    return;
                } else if directive.starts_with("endif") {
                    depth -= 1;
                }
            }
            self.at = (self.at + length + 1).min(self.text.len());
        }
    }

    /// Reads a string after its prefix, of which it reads this many bytes as well.
    fn string(&mut self, prefix: &str, before: usize) {
        let syntax = self.syntax;
        let letters = |of: &[&str]| of.contains(&prefix);
        let strange = syntax.interpolated && !prefix.is_empty();
        let (raw, formatted) = (letters(syntax.raw) || strange, letters(syntax.formatted));
        let python_raw = formatted && prefix.contains(['r', 'R']);
        let quotation =
            Quotation { syntax, raw: raw || python_raw, formatted, interpolated: syntax.interpolated && !raw };
        let (text, end) = QuotedReader::new(self.of, self.at + before, quotation).read();
        let length = end - self.at;
        self.push(SourceTokenKind::Text(text), length.max(1));
    }

    fn apostrophe(&mut self) {
        let rest = self.rest();
        let character = || match rest.strip_prefix("'\\") {
            Some(escaped) => escaped.char_indices().skip(1).find(|(_, c)| *c == '\'' || *c == '\n'),
            None => rest.char_indices().skip(2).take(1).find(|(_, c)| *c == '\''),
        };
        match self.syntax.apostrophe {
            Apostrophe::Quote => self.string("", 0),
            Apostrophe::Sign => self.push(SourceTokenKind::Sign(b'\''), 1),
            Apostrophe::Maybe => match character() {
                Some((at, '\'')) => {
                    let length = if rest.starts_with("'\\") { at + 3 } else { at + 1 };
                    self.push(SourceTokenKind::Word, length);
                }
                _ => self.push(SourceTokenKind::Sign(b'\''), 1),
            },
            Apostrophe::Character => {
                let bytes = rest.as_bytes();
                let mut at = 1;
                while at < bytes.len() && !matches!(bytes[at], b'\'' | b'\n') {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
                let length = rest.ceil_char_boundary((at + 1).min(rest.len()));
                self.push(SourceTokenKind::Word, length);
            }
        }
    }

    fn word(&mut self) {
        let rest = self.rest();
        let number = rest.as_bytes()[0].is_ascii_digit();
        let part = |at: usize, c: char| {
            let separator = c == '\'' && self.syntax.preprocessor;
            let next = || rest[at + 1..].starts_with(|c: char| c.is_ascii_alphanumeric());
            c.is_alphanumeric() || c == '_' || !c.is_ascii() || number && (separator && next() || c == '.' && next())
        };
        let end = rest.char_indices().find(|(at, c)| !part(*at, *c)).map_or(rest.len(), |(at, _)| at);
        let (word, after) = rest.split_at(end);
        let syntax = self.syntax;
        let quote = after.starts_with('"') || after.starts_with('\'') && syntax.apostrophe == Apostrophe::Quote;
        let known = [syntax.raw, syntax.formatted, syntax.plain].iter().any(|of| of.contains(&word));
        let hashes = after.trim_start_matches('#').starts_with('"') && syntax.escapes == EscapeStyle::LettersTrimmed;
        match () {
            () if !number && quote && (known || syntax.interpolated) => self.string(word, end),
            () if hashes && syntax.raw.contains(&word) => self.string(word, end),
            () => self.push(SourceTokenKind::Word, end),
        }
    }
}
