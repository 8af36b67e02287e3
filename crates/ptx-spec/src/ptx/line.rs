//! The syntax of one instruction line, before any specification: guard, opcode, modifiers, operands.

use std::fmt;

use super::Bytes;

/// How deep brackets may be nested in brackets; PTX nests two.
const NESTING: u32 = 8;
/// What an opcode is made of.
static WORD: Bytes = Bytes::letters_digits_and(b"_");
/// What a name is made of, a component's too.
static NAME: Bytes = Bytes::letters_digits_and(b"_$%.");
/// What a modifier is made of behind its dot.
static MODIFIER: Bytes = Bytes::letters_digits_and(b"_:");
/// What a number is made of.
static NUMBER: Bytes = Bytes::letters_digits_and(b".");
/// The message where text follows the statement.
const SURPLUS: &str = "nothing but a comment may follow the `;`";

/// A line taken apart; everything is a part of the text it was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<'a> {
    /// The guard: whether it is negated, and the predicate's name.
    pub guard: Option<(bool, &'a str)>,
    /// The opcode without modifiers.
    pub opcode: &'a str,
    /// The modifiers with their dots.
    pub modifiers: Vec<&'a str>,
    /// The operands.
    pub operands: Vec<Operand<'a>>,
}

/// An operand with what is attached to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand<'a> {
    /// What it is.
    pub argument: Argument<'a>,
    /// A modifier behind it, as in `[a].unified`.
    pub suffix: Option<&'a str>,
    /// Its text, to point at.
    pub text: &'a str,
}

/// What can stand in an operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument<'a> {
    /// A register, a variable, a component (`%v.x`), or a name nobody declared.
    Name(&'a str),
    /// An integer immediate: whether it is negative, and its digits.
    Integer(bool, &'a str),
    /// A floating-point immediate of 32 bits, `0f3F800000`: whether a minus stands before it, and its
    /// text.
    Float(bool, &'a str),
    /// Any other floating-point immediate, which has 64 bits, in the same way.
    Double(bool, &'a str),
    /// `_`
    Sink,
    /// A name and an immediate added to it; whether the immediate is negative, and its digits.
    Sum(&'a str, bool, &'a str),
    /// Elements in braces.
    Tuple(Vec<Argument<'a>>),
    /// Elements in square brackets.
    Bracket(Vec<Argument<'a>>),
    /// Anything else.
    Other,
}

/// Why a text is no instruction line, and the byte at which that shows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SyntaxError {
    /// What is wrong.
    pub message: &'static str,
    /// The byte of the line.
    pub at: usize,
}

impl<'a> Line<'a> {
    /// Reads one line: `@p ld.global.u32 %r1, [%rd1+4];`, a comment may follow.
    ///
    /// # Errors
    /// What is no instruction at all: unbalanced brackets, nothing that could be an opcode, no
    /// semicolon at the end, text behind it.
    pub fn parse(text: &'a str) -> Result<Self, SyntaxError> {
        let mut cursor = Cursor { text, at: 0, depth: 0 };
        let (guard, opcode) = cursor.head()?;
        let mut modifiers = Vec::with_capacity(12);
        cursor.blank();
        while cursor.peek() == Some(b'.') {
            modifiers.push(cursor.modifier()?);
            cursor.blank();
        }
        let mut operands = Vec::with_capacity(4);
        if cursor.peek() != Some(b';') {
            loop {
                operands.push(cursor.operand()?);
                if !cursor.eat(b',') {
                    break;
                }
                cursor.blank();
            }
        }
        if !cursor.eat(b';') {
            return Err(cursor.error("`;` or `,` is expected"));
        }
        cursor.blank();
        match cursor.peek() {
            None => Ok(Self { guard, opcode, modifiers, operands }),
            Some(_) => Err(cursor.error(SURPLUS)),
        }
    }

    /// The opcode of a text that begins as a line does, whatever else is wrong with it.
    pub fn opcode_of(text: &'a str) -> Option<&'a str> {
        Cursor { text, at: 0, depth: 0 }.head().ok().map(|(_, opcode)| opcode)
    }
}

impl SyntaxError {
    /// Whether all that is wrong is that more than one statement stands there.
    pub fn surplus(&self) -> bool {
        self.message == SURPLUS
    }
}

/// In one spelling: single spaces where they separate, no comments, `;` at the end. Only what
/// [`Argument::Other`] is part of stays as it was written.
impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((negated, name)) = self.guard {
            write!(f, "@{}{name} ", if negated { "!" } else { "" })?;
        }
        f.write_str(self.opcode)?;
        self.modifiers.iter().try_for_each(|modifier| f.write_str(modifier))?;
        for (at, operand) in self.operands.iter().enumerate() {
            write!(f, "{}{operand}", if at == 0 { " " } else { ", " })?;
        }
        f.write_str(";")
    }
}

impl fmt::Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.argument.has_other() {
            let text = self.text.trim_end();
            f.write_str(text)?;
            // What follows shall not become a part of a comment at its end.
            if text.lines().last().is_some_and(|last| last.contains("//")) {
                f.write_str("\n")?;
            }
        } else {
            let mut cursor = Cursor { text: self.text, at: 0, depth: 0 };
            loop {
                cursor.blank();
                match cursor.take(|byte| !byte.is_ascii_whitespace() && byte != b',' && byte != b'/') {
                    "" if cursor.eat(b',') => f.write_str(", ")?,
                    "" => break,
                    word => f.write_str(word)?,
                }
            }
        }
        f.write_str(self.suffix.unwrap_or_default())
    }
}

impl Argument<'_> {
    /// Whether it is, or holds, something of which only the extent is known.
    fn has_other(&self) -> bool {
        match self {
            Self::Other => true,
            Self::Tuple(elements) | Self::Bracket(elements) => elements.iter().any(Self::has_other),
            _ => false,
        }
    }
}

/// A guard, and the opcode behind it.
type Head<'a> = (Option<(bool, &'a str)>, &'a str);

struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// How many brackets are open.
    depth: u32,
}

impl<'a> Cursor<'a> {
    fn error(&self, message: &'static str) -> SyntaxError {
        SyntaxError { message, at: self.at }
    }

    /// Reads the guard and the opcode.
    fn head(&mut self) -> Result<Head<'a>, SyntaxError> {
        self.blank();
        let mut guard = None;
        if self.eat(b'@') {
            self.blank();
            let negated = self.eat(b'!');
            self.blank();
            let name = self.name();
            if name.is_empty() {
                return Err(self.error("a predicate is expected behind `@`"));
            }
            self.blank();
            guard = Some((negated, name));
        }
        let opcode = self.word();
        match opcode.as_bytes().first() {
            Some(first) if !first.is_ascii_digit() => Ok((guard, opcode)),
            _ => Err(self.error("an opcode is expected")),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Skips white space and comments, of which there are none at most places.
    fn blank(&mut self) {
        if self.peek().is_some_and(|byte| byte.is_ascii_whitespace() || byte == b'/') {
            self.skip();
        }
    }

    fn skip(&mut self) {
        while let Some(byte) = self.peek() {
            if byte.is_ascii_whitespace() {
                self.at += 1;
            } else if byte != b'/' {
                break;
            } else if self.text[self.at..].starts_with("//") {
                self.at = self.text[self.at..].find('\n').map_or(self.text.len(), |end| self.at + end);
            } else if self.text[self.at..].starts_with("/*") {
                let end = self.text[self.at + 2..].find("*/");
                self.at = end.map_or(self.text.len(), |end| self.at + end + 4);
            } else {
                break;
            }
        }
    }

    fn take_of(&mut self, bytes: &Bytes) -> &'a str {
        self.take(|byte| bytes.has(byte))
    }

    fn take(&mut self, keep: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        self.at += self.text.as_bytes()[start..].iter().take_while(|&&byte| keep(byte)).count();
        &self.text[start..self.at]
    }

    fn word(&mut self) -> &'a str {
        self.take_of(&WORD)
    }

    fn name(&mut self) -> &'a str {
        self.take_of(&NAME)
    }

    fn modifier(&mut self) -> Result<&'a str, SyntaxError> {
        let start = self.at;
        self.at += 1;
        let word = self.take_of(&MODIFIER);
        if word.is_empty() {
            return Err(self.error("a modifier is expected behind `.`"));
        }
        Ok(&self.text[start..self.at])
    }

    fn operand(&mut self) -> Result<Operand<'a>, SyntaxError> {
        let start = self.at;
        let argument = self.argument()?;
        let end = self.at;
        self.blank();
        let suffix = match (&argument, self.peek()) {
            (Argument::Bracket(_), Some(b'.')) => Some(self.modifier()?),
            _ => None,
        };
        self.blank();
        Ok(Operand { argument, suffix, text: &self.text[start..end] })
    }

    fn list(&mut self, close: u8) -> Result<Vec<Argument<'a>>, SyntaxError> {
        if self.depth == NESTING {
            return Err(self.error("brackets are nested too deep"));
        }
        self.depth += 1;
        self.at += 1;
        self.blank();
        let mut elements = Vec::with_capacity(8);
        loop {
            elements.push(self.argument()?);
            self.blank();
            if self.eat(close) {
                self.depth -= 1;
                return Ok(elements);
            }
            if !self.eat(b',') {
                return Err(self.error("`,` or the closing bracket is expected"));
            }
            self.blank();
        }
    }

    fn argument(&mut self) -> Result<Argument<'a>, SyntaxError> {
        match self.peek() {
            Some(b'[') => self.list(b']').map(Argument::Bracket),
            Some(b'{') => self.list(b'}').map(Argument::Tuple),
            Some(sign @ (b'-' | b'+')) => {
                self.at += 1;
                self.blank();
                self.number(sign == b'-')
            }
            Some(b'!' | b'~' | b'(') => self.other(),
            Some(byte) if byte.is_ascii_digit() => self.number(false),
            _ => self.named(),
        }
    }

    /// A number, and whether a minus stands before it.
    fn number(&mut self, negative: bool) -> Result<Argument<'a>, SyntaxError> {
        let text = self.take_of(&NUMBER);
        let bytes = text.as_bytes();
        let Some(first) = bytes.first() else {
            return self.other();
        };
        let hex = matches!(bytes.get(1), Some(b'x' | b'X')) && *first == b'0';
        let bits = |letters: [u8; 2]| bytes.get(1).is_some_and(|b| letters.contains(b)) && *first == b'0';
        let decimal = !hex && bytes.iter().any(|b| matches!(b, b'.' | b'e' | b'E'));
        Ok(match () {
            () if bits([b'f', b'F']) => Argument::Float(negative, text),
            () if bits([b'd', b'D']) || decimal => Argument::Double(negative, text),
            () => Argument::Integer(negative, text),
        })
    }

    fn named(&mut self) -> Result<Argument<'a>, SyntaxError> {
        let name = self.name();
        if name.is_empty() {
            return Err(self.error("an operand is expected"));
        }
        if name == "_" {
            return Ok(Argument::Sink);
        }
        self.blank();
        match self.peek() {
            Some(b'+') => {
                self.at += 1;
                self.blank();
                let negated = self.eat(b'-');
                self.blank();
                match self.peek() {
                    Some(byte) if byte.is_ascii_digit() => match self.number(false)? {
                        Argument::Integer(_, digits) => Ok(Argument::Sum(name, negated, digits)),
                        _ => Ok(Argument::Other),
                    },
                    _ => self.other(),
                }
            }
            // `a-4` is none: a negative immediate is added, `a+-4`.
            Some(b'-' | b'|' | b'[' | b'(' | b'*') => self.other(),
            _ => Ok(Argument::Name(name)),
        }
    }

    /// Whatever else stands up to the next comma, closing bracket or semicolon.
    fn other(&mut self) -> Result<Argument<'a>, SyntaxError> {
        let mut depth = 0_u32;
        while let Some(byte) = self.peek() {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth > 0 => depth -= 1,
                b',' | b']' | b'}' | b')' if depth == 0 => break,
                b';' => break,
                _ => {}
            }
            self.at += 1;
            while !self.text.is_char_boundary(self.at) {
                self.at += 1;
            }
        }
        if depth > 0 { Err(self.error("a bracket is not closed")) } else { Ok(Argument::Other) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_taken_apart() {
        let line = Line::parse("@!%p ld.global.L1::evict_last.v2.f32 {%f1, _}, [%rd1+-4].unified, %pol; // why")
            .expect("a line");
        assert_eq!(line.guard, Some((true, "%p")));
        assert_eq!(line.opcode, "ld");
        assert_eq!(line.modifiers, [".global", ".L1::evict_last", ".v2", ".f32"]);
        let arguments: Vec<_> = line.operands.iter().map(|operand| operand.argument.clone()).collect();
        assert_eq!(
            arguments,
            [
                Argument::Tuple(vec![Argument::Name("%f1"), Argument::Sink]),
                Argument::Bracket(vec![Argument::Sum("%rd1", true, "4")]),
                Argument::Name("%pol")
            ]
        );
        assert_eq!(line.operands[1].suffix, Some(".unified"));
    }

    #[test]
    fn a_line_is_printed_in_one_spelling() {
        for (text, printed) in [
            // A comment behind what is not understood ends before the semicolon.
            ("ld -// why\n // more\n ;", "ld -// why\n // more\n;"),
            (
                "@ ! p /* c */ ld .global.u32\t%r1 ,[ a + - 4 ] .unified , 1 ; // d",
                "@!p ld.global.u32 %r1, [a+-4].unified, 1;",
            ),
            ("st.v2.b32[%rd1],{_,0f00000000// x\n};", "st.v2.b32 [%rd1], {_, 0f00000000};"),
            ("setp.eq.u32 p | q, a, ( b );", "setp.eq.u32 p | q, a, ( b );"),
            ("ret ;", "ret;"),
        ] {
            assert_eq!(Line::parse(text).expect(text).to_string(), printed);
        }
    }

    #[test]
    fn deep_nesting_is_refused() {
        let text = format!("ld {}", "[".repeat(1 << 20));
        assert_eq!(Line::parse(&text).expect_err("no line").message, "brackets are nested too deep");
    }

    #[test]
    fn what_is_no_line_says_where() {
        for (text, at) in [("ld.u32 %r1, [%r2]", 17), ("ld.u32 %r1, [%r2;", 16), (".u32;", 0), ("ld.;", 3), ("", 0)] {
            assert_eq!(Line::parse(text).expect_err(text).at, at, "{text}");
        }
    }
}
