//! The lexer of PTX text: white space, comments, names, directives, numbers and texts.
//!
//! PTX ISA `syntax`. All readers of PTX use this one. It only borrows, and it never fails: its callers
//! report errors.

use super::SyntaxError;
use crate::component::is_blank;

/// A set of bytes with fast lookup.
pub(super) struct Bytes([bool; 256]);

impl Bytes {
    const fn letters_digits_and(more: &[u8]) -> Self {
        let mut bytes = [false; 256];
        let mut byte = u8::MAX;
        while byte > 0 {
            bytes[byte as usize] = byte.is_ascii_alphanumeric();
            byte -= 1;
        }
        let mut at = 0;
        while at < more.len() {
            bytes[more[at] as usize] = true;
            at += 1;
        }
        Self(bytes)
    }

    pub(super) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }
}

/// The bytes after the first one of a name.
static FOLLOWING: Bytes = Bytes::letters_digits_and(b"_$");
/// The bytes after the first one of a name in an operand, where `%v.x` is one name.
static COMPONENT: Bytes = Bytes::letters_digits_and(b"_$.");
/// The bytes of an opcode.
static OPCODE: Bytes = Bytes::letters_digits_and(b"_");
/// The bytes of a directive or modifier after its dot.
static DIRECTIVE: Bytes = Bytes::letters_digits_and(b"_:");
/// The bytes of a number, except its point and the sign of its exponent.
static NUMBER: Bytes = Bytes::letters_digits_and(b"_$");

/// True if a word is an identifier. PTX ISA `identifiers`.
pub(crate) fn is_identifier(word: &str) -> bool {
    let bytes = word.as_bytes();
    let Some((first, following)) = bytes.split_first() else { return false };
    let begins = first.is_ascii_alphabetic() || matches!(first, b'_' | b'$' | b'%') && !following.is_empty();
    begins && following.iter().all(|&byte| FOLLOWING.has(byte))
}

/// The kind of a [`Token`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// `%r1`, `ld`, `_`
    Word,
    /// `.global`, `.L1::evict_last`: a directive, a modifier, or the component of a vector.
    Directive,
    /// `0x1F`, `1.5e-3`
    Number,
    /// `"..."`
    Text,
    /// Any other character, alone.
    Sign,
}

/// A token of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The kind of the token.
    pub kind: TokenKind,
    /// The text of the token, which borrows from the text that was read.
    pub text: &'a str,
}

/// Reads a text from its start to its end.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// True if a comment was skipped.
    commented: bool,
    /// The first comment or quoted text without an end.
    unclosed: Option<SyntaxError>,
}

/// The tokens of a text; comments and white space are left out.
impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.blank();
        let start = self.at;
        // 0, which begins no token, at the end of the text.
        let second = self.bytes().get(start + 1).copied().unwrap_or_default();
        let kind = match self.peek()? {
            first if first.is_ascii_digit() => {
                self.number();
                TokenKind::Number
            }
            b'.' if DIRECTIVE.has(second) => {
                self.at += 1;
                self.take(&DIRECTIVE);
                TokenKind::Directive
            }
            // `@@DWARF`
            b'@' if second == b'@' => {
                self.at += 2;
                self.take(&FOLLOWING);
                TokenKind::Directive
            }
            b'%' if !FOLLOWING.has(second) => self.sign(),
            b'%' => self.word(),
            first if FOLLOWING.has(first) => self.word(),
            b'"' => {
                self.at += 1;
                self.skip_text();
                TokenKind::Text
            }
            _ => self.sign(),
        };
        Some(Token { kind, text: &self.text[start..self.at] })
    }
}

impl<'a> Lexer<'a> {
    /// A reader at the start of a text.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0, commented: false, unclosed: None }
    }

    /// True if a comment was skipped so far.
    pub fn commented(&self) -> bool {
        self.commented
    }

    /// True if a comment or quoted text so far has no end.
    pub fn is_unclosed(&self) -> bool {
        self.unclosed.is_some()
    }

    /// The first comment or quoted text so far that has no end.
    pub(super) fn unclosed(&self) -> Option<&SyntaxError> {
        self.unclosed.as_ref()
    }

    fn word(&mut self) -> TokenKind {
        self.at += 1;
        self.take(&FOLLOWING);
        TokenKind::Word
    }

    fn sign(&mut self) -> TokenKind {
        self.at += self.rest().chars().next().map_or(1, char::len_utf8);
        TokenKind::Sign
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// The whole text.
    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Its position in bytes.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Goes to another position.
    pub(crate) fn reset(&mut self, at: usize) {
        self.at = at;
    }

    /// The rest of the text.
    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The text from a position up to the current one.
    pub(crate) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    pub(crate) fn error(&self, message: &'static str) -> SyntaxError {
        SyntaxError { message, at: self.at }
    }

    /// The next byte.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }

    /// The byte after the next.
    pub(crate) fn peek_second(&self) -> Option<u8> {
        self.bytes().get(self.at + 1).copied()
    }

    /// Reads this byte, if it is the next.
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Reads this sign and the white space after it, if it is the next.
    pub(super) fn eat_sign(&mut self, sign: &str) -> bool {
        let found = self.bytes()[self.at..].starts_with(sign.as_bytes());
        if found {
            self.at += sign.len();
            self.blank();
        }
        found
    }

    /// The text before the position.
    pub(crate) fn before(&self) -> &'a str {
        &self.text[..self.at]
    }

    /// Skips white space and comments, of which most positions have none.
    pub(crate) fn blank(&mut self) {
        if self.peek().is_some_and(|byte| is_blank(byte) || byte == b'/') {
            self.skip_blank();
        }
    }

    fn skip_blank(&mut self) {
        loop {
            self.at += self.bytes()[self.at..].iter().take_while(|&&byte| is_blank(byte)).count();
            if self.peek() != Some(b'/') {
                return;
            }
            let rest = self.rest();
            if rest.starts_with("//") {
                self.commented = true;
                self.skip_line();
            } else if let Some(comment) = rest.strip_prefix("/*") {
                self.commented = true;
                let end = comment.find("*/");
                if end.is_none() {
                    self.leave_unclosed("a comment is not closed", self.at);
                }
                self.at += end.map_or(rest.len(), |end| end + 4);
            } else {
                return;
            }
        }
    }

    fn take(&mut self, bytes: &Bytes) -> &'a str {
        let start = self.at;
        self.at += self.bytes()[start..].iter().take_while(|&&byte| bytes.has(byte)).count();
        self.since(start)
    }

    /// Reads an opcode; returns an empty text if nothing like one follows.
    pub(super) fn opcode(&mut self) -> &'a str {
        self.take(&OPCODE)
    }

    /// Reads a name with its component, if any; returns an empty text if no name follows. Blanks may stand before a component.
    pub(crate) fn name(&mut self) -> &'a str {
        let start = self.at;
        if self.identifier().is_empty() {
            return "";
        }
        self.take(&COMPONENT);
        if self.peek().is_some_and(|byte| is_blank(byte) || byte == b'/') {
            self.late_component();
        }
        self.since(start)
    }

    /// Reads a name, which ends at a dot; returns an empty text if no name follows.
    pub(super) fn identifier(&mut self) -> &'a str {
        let start = self.at;
        match self.peek() {
            Some(b'%') => self.at += 1,
            Some(first) if FOLLOWING.has(first) => {}
            _ => return "",
        }
        self.take(&FOLLOWING);
        self.since(start)
    }

    /// Reads the component of a vector after blanks, if one comes next: `%ntid .x`
    fn late_component(&mut self) {
        let end = self.at;
        self.blank();
        let rest = &self.bytes()[self.at..];
        let component = rest.len() > 1 && rest[0] == b'.' && b"xyzwrgba".contains(&rest[1]);
        if component && !rest.get(2).is_some_and(|&byte| DIRECTIVE.has(byte)) {
            self.at += 2;
        } else {
            self.at = end;
        }
    }

    /// Reads a directive or modifier at its dot.
    ///
    /// # Errors
    /// If nothing follows the dot.
    pub(super) fn directive(&mut self) -> Result<&'a str, SyntaxError> {
        let start = self.at;
        self.at += 1;
        match self.take(&DIRECTIVE) {
            "" => Err(self.error("expected a modifier after `.`")),
            _ => Ok(self.since(start)),
        }
    }

    /// Reads a number at its first digit or point.
    pub(super) fn number(&mut self) -> &'a str {
        let start = self.at;
        self.take(&NUMBER);
        // `32.unified` is a number and a directive, `5.` and `5.e3` are numbers.
        let more = |byte: u8| !(byte.is_ascii_alphabetic() || byte == b'_') || matches!(byte, b'e' | b'E');
        if self.peek() == Some(b'.') && self.peek_second().is_none_or(more) {
            self.at += 1;
            self.take(&NUMBER);
        }
        let text = self.since(start);
        // `1.5e-3`; an `e` among hexadecimal digits is not an exponent.
        let hexadecimal = text.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic) && text.starts_with('0');
        let exponent = text.ends_with(['e', 'E']) && (!hexadecimal || text.len() == 2);
        if exponent && matches!(self.peek(), Some(b'-' | b'+')) {
            self.at += 1;
            self.take(&NUMBER);
        }
        self.since(start)
    }

    /// Skips the rest of a quoted text.
    fn skip_text(&mut self) {
        let rest = self.rest();
        let end = rest.find(['"', '\n']);
        let closed = end.is_some_and(|end| rest.as_bytes()[end] == b'"');
        if !closed {
            self.leave_unclosed("a quoted text is not closed", self.at.saturating_sub(1));
        }
        self.at += end.map_or(rest.len(), |end| end + usize::from(closed));
    }

    fn leave_unclosed(&mut self, message: &'static str, at: usize) {
        self.unclosed.get_or_insert(SyntaxError { message, at });
    }

    /// Skips the rest of the line, without its end.
    pub(super) fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    /// Skips tokens up to a sign for which `stop` holds outside brackets, and returns what was skipped. It
    /// also stops at the end of the text, before an unmatched closing bracket, and before an opening bracket that
    /// is still open at a semicolon or the end of the text.
    pub(crate) fn skip_until(&mut self, stop: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        let mut depth = 0_u32;
        let mut opened = start;
        loop {
            self.blank();
            let byte = match self.peek() {
                None | Some(b';') if depth > 0 => {
                    self.at = opened;
                    break;
                }
                None => break,
                Some(byte) => byte,
            };
            if depth == 0 && stop(byte) {
                break;
            }
            match byte {
                b'(' | b'[' | b'{' => {
                    if depth == 0 {
                        opened = self.at;
                    }
                    depth += 1;
                }
                b')' | b']' | b'}' => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => break,
                },
                b'"' => {
                    self.at += 1;
                    self.skip_text();
                    continue;
                }
                // No sign is inside of a word, and most bytes are in one.
                byte if FOLLOWING.has(byte) => {
                    self.take(&FOLLOWING);
                    continue;
                }
                _ => {}
            }
            self.at += 1;
            while !self.text.is_char_boundary(self.at) {
                self.at += 1;
            }
        }
        self.since(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_into_tokens() {
        use TokenKind::{Directive, Number, Sign, Text, Word};
        let text =
            "L: @!%p ld.L1::evict_last {%v.x, _}, [a+-0x1F]; // ;\n/* } */ .file 1 \"a;b\" 1.5e-3 5%3 é 5.unified";
        let mut lexer = Lexer::new(text);
        let tokens: Vec<(TokenKind, &str)> = lexer.by_ref().map(|token| (token.kind, token.text)).collect();
        let expected = [
            (Word, "L"),
            (Sign, ":"),
            (Sign, "@"),
            (Sign, "!"),
            (Word, "%p"),
            (Word, "ld"),
            (Directive, ".L1::evict_last"),
            (Sign, "{"),
            (Word, "%v"),
            (Directive, ".x"),
            (Sign, ","),
            (Word, "_"),
            (Sign, "}"),
            (Sign, ","),
            (Sign, "["),
            (Word, "a"),
            (Sign, "+"),
            (Sign, "-"),
            (Number, "0x1F"),
            (Sign, "]"),
            (Sign, ";"),
            (Directive, ".file"),
            (Number, "1"),
            (Text, "\"a;b\""),
            (Number, "1.5e-3"),
            (Number, "5"),
            (Word, "%3"),
            (Sign, "é"),
            (Number, "5"),
            (Directive, ".unified"),
        ];
        assert_eq!(tokens, expected);
        assert!(lexer.commented());
    }

    #[test]
    fn unterminated_tokens_end_with_the_text() {
        for text in ["/* open", "\"open", "// open", "."] {
            assert!(Lexer::new(text).count() <= 1, "{text}");
        }
    }
}
