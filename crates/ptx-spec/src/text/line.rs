//! The syntax of one instruction: guard, opcode, modifiers, operands.

use std::fmt;

use super::SyntaxError;
use super::constant::{self, Constant};
use super::lexer::Lexer;

/// The maximum nesting of brackets; PTX nests two.
const NESTING: u32 = 8;

/// A parsed instruction; all texts borrow from the text that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<'a> {
    /// The guard: whether it is negated, and the predicate's name.
    pub guard: Option<(bool, &'a str)>,
    /// The opcode without modifiers.
    pub opcode: &'a str,
    /// The modifiers with their dots.
    pub modifiers: Vec<&'a str>,
    /// The operands.
    pub operands: Vec<OperandText<'a>>,
}

/// An operand with its suffix.
#[derive(Clone, Debug, PartialEq)]
pub struct OperandText<'a> {
    /// What it is.
    pub argument: Argument<'a>,
    /// A modifier after it, as in `[a].unified`.
    pub suffix: Option<&'a str>,
    /// Its text, to point at.
    pub text: &'a str,
}

/// The value of an integer constant expression: 64 bits, signed or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    bits: u64,
    signed: bool,
}

impl Integer {
    const ZERO: Self = Self { bits: 0, signed: true };

    /// The value.
    pub fn value(self) -> i128 {
        if self.signed { i128::from(self.bits.cast_signed()) } else { i128::from(self.bits) }
    }

    /// The same bits as a signed integer, for offsets of addresses.
    pub fn signed(self) -> i64 {
        self.bits.cast_signed()
    }
}

/// An argument of an operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument<'a> {
    /// A register, a variable, a component (`%v.x`), or an undeclared name.
    Name(&'a str),
    /// An integer constant expression: `5`, `-0x1F`, `2*(WARP_SZ+1)`.
    Integer(Integer),
    /// The bits of a floating-point immediate of 32 bits, `0f3F800000`.
    Float(u32),
    /// The bits of any other floating-point constant expression, which has 64 bits.
    Double(u64),
    /// `_`
    Sink,
    /// A name and a constant added to it: `a+4`, `a+-4`.
    Sum(&'a str, Integer),
    /// An element of an array: `a[4]`, `a[reg]`, `a[reg+4]`, with the register and the constant.
    Element(&'a str, Option<&'a str>, Integer),
    /// Elements in braces.
    Tuple(Vec<Argument<'a>>),
    /// Elements in square brackets.
    Bracket(Vec<Argument<'a>>),
    /// Elements in parentheses; a constant in parentheses is that constant.
    List(Vec<Argument<'a>>),
    /// Two halves, `p|q`.
    Pair(Box<[Argument<'a>; 2]>),
    /// A name with a sign before it: `!p`, `-a`.
    Signed(char, &'a str),
    /// Anything else.
    Other,
}

impl<'a> Line<'a> {
    /// Reads the instruction at the current position, up to its semicolon.
    pub(super) fn read(lexer: &mut Lexer<'a>) -> Result<Self, SyntaxError> {
        let mut reader = LineReader { lexer, depth: 0 };
        let (guard, opcode) = reader.head()?;
        reader.body(guard, opcode)
    }

    /// Reads the rest of an instruction after its opcode.
    pub(super) fn after(lexer: &mut Lexer<'a>, opcode: &'a str) -> Result<Self, SyntaxError> {
        LineReader { lexer, depth: 0 }.body(None, opcode)
    }
}

/// Prints it in a canonical spelling: single spaces, no comments, `;` at the end. Only parts with
/// [`Argument::Other`] stay as they were written.
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

impl fmt::Display for OperandText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.argument.has_other() {
            let text = self.text.trim_ascii_end();
            f.write_str(text)?;
            // The text after it must not become part of a comment, or of a string without an end.
            if text.lines().last().is_some_and(|last| last.contains("//") || last.contains('"')) {
                f.write_str("\n")?;
            }
        } else {
            for token in Lexer::new(self.text) {
                // `5 % 3` has a remainder operator, and `5%3` a name; `%.x` stays together.
                let end = token.text.as_ptr().addr() + token.text.len() - self.text.as_ptr().addr();
                let apart =
                    self.text.get(end..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_whitespace()));
                match token.text {
                    "," => f.write_str(", ")?,
                    "%" if apart => f.write_str(" % ")?,
                    text => f.write_str(text)?,
                }
            }
        }
        f.write_str(self.suffix.unwrap_or_default())
    }
}

impl Argument<'_> {
    /// Whether it is or contains [`Argument::Other`].
    fn has_other(&self) -> bool {
        match self {
            Self::Other => true,
            Self::Tuple(elements) | Self::Bracket(elements) | Self::List(elements) => {
                elements.iter().any(Self::has_other)
            }
            Self::Pair(halves) => halves.iter().any(Self::has_other),
            _ => false,
        }
    }
}

impl From<Constant> for Argument<'_> {
    fn from(constant: Constant) -> Self {
        match constant {
            Constant::Signed(value) => Self::Integer(Integer { bits: value.cast_unsigned(), signed: true }),
            Constant::Unsigned(bits) => Self::Integer(Integer { bits, signed: false }),
            Constant::Double(value) => Self::Double(value.to_bits()),
            Constant::Single(bits) => Self::Float(bits),
        }
    }
}

/// A guard, and the opcode after it.
type Head<'a> = (Option<(bool, &'a str)>, &'a str);

/// Reads one instruction.
struct LineReader<'l, 'a> {
    lexer: &'l mut Lexer<'a>,
    /// The number of open brackets.
    depth: u32,
}

impl<'a> LineReader<'_, 'a> {
    /// Reads the guard and the opcode.
    fn head(&mut self) -> Result<Head<'a>, SyntaxError> {
        let lexer = &mut *self.lexer;
        let mut guard = None;
        if lexer.eat(b'@') {
            lexer.blank();
            let negated = lexer.eat(b'!');
            lexer.blank();
            let name = lexer.name();
            if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
                return Err(lexer.error("expected a predicate after `@`"));
            }
            lexer.blank();
            guard = Some((negated, name));
        }
        let opcode = lexer.opcode();
        match opcode.as_bytes().first() {
            Some(first) if !first.is_ascii_digit() => Ok((guard, opcode)),
            _ => Err(lexer.error("expected an opcode")),
        }
    }

    /// Reads modifiers and operands.
    fn body(&mut self, guard: Option<(bool, &'a str)>, opcode: &'a str) -> Result<Line<'a>, SyntaxError> {
        let mut modifiers = Vec::with_capacity(12);
        self.lexer.blank();
        while self.lexer.peek() == Some(b'.') {
            modifiers.push(self.lexer.directive()?);
            self.lexer.blank();
        }
        let mut operands = Vec::with_capacity(4);
        if self.lexer.peek() != Some(b';') {
            loop {
                operands.push(self.operand()?);
                if !self.lexer.eat(b',') {
                    break;
                }
                self.lexer.blank();
            }
        }
        if !self.lexer.eat(b';') {
            return Err(self.lexer.error("expected `;` or `,`"));
        }
        Ok(Line { guard, opcode, modifiers, operands })
    }

    fn operand(&mut self) -> Result<OperandText<'a>, SyntaxError> {
        let start = self.lexer.at();
        let argument = self.argument()?;
        let text = self.lexer.since(start);
        self.lexer.blank();
        let suffix = match (&argument, self.lexer.peek()) {
            (Argument::Bracket(_) | Argument::Element(..) | Argument::Tuple(_), Some(b'.')) => {
                Some(self.lexer.directive()?)
            }
            _ => None,
        };
        self.lexer.blank();
        Ok(OperandText { argument, suffix, text })
    }

    fn list(&mut self, close: u8) -> Result<Vec<Argument<'a>>, SyntaxError> {
        if self.depth == NESTING {
            return Err(self.lexer.error("brackets are nested too deep"));
        }
        self.depth += 1;
        self.lexer.eat(match close {
            b']' => b'[',
            b'}' => b'{',
            _ => b'(',
        });
        self.lexer.blank();
        let mut elements = Vec::with_capacity(if close == b'}' { 8 } else { 2 });
        // A call without arguments may have empty parentheses.
        if close == b')' && self.lexer.eat(close) {
            self.depth -= 1;
            return Ok(elements);
        }
        loop {
            elements.push(self.argument()?);
            self.lexer.blank();
            if self.lexer.eat(close) {
                self.depth -= 1;
                return Ok(elements);
            }
            if !self.lexer.eat(b',') {
                return Err(self.lexer.error("expected `,` or the closing bracket"));
            }
            self.lexer.blank();
        }
    }

    /// Reads an argument: one, or two with a `|` between them.
    fn argument(&mut self) -> Result<Argument<'a>, SyntaxError> {
        let start = self.lexer.at();
        let first = self.single()?;
        if !matches!(first, Argument::Name(_) | Argument::Sink | Argument::Tuple(_)) {
            return Ok(first);
        }
        let end = self.lexer.at();
        self.lexer.blank();
        if !self.lexer.eat(b'|') {
            self.lexer.reset(end);
            return Ok(first);
        }
        self.lexer.blank();
        match self.single() {
            Ok(second) => Ok(Argument::Pair(Box::new([first, second]))),
            Err(_) => {
                self.lexer.reset(start);
                self.other()
            }
        }
    }

    fn single(&mut self) -> Result<Argument<'a>, SyntaxError> {
        match self.lexer.peek() {
            Some(b'[') => self.list(b']').map(Argument::Bracket),
            Some(b'{') => self.list(b'}').map(Argument::Tuple),
            Some(b'(') => self.parentheses(),
            Some(b'!' | b'-') => match self.signed() {
                Some(signed) => Ok(signed),
                None => self.constant(),
            },
            _ if constant::starts(self.lexer) => self.constant(),
            _ => self.named(),
        }
    }

    /// Reads `(2*2)` as a constant, and `(a, b)` as a list.
    fn parentheses(&mut self) -> Result<Argument<'a>, SyntaxError> {
        let start = self.lexer.at();
        if let Ok(Some(value)) = constant::expression(self.lexer)
            && self.ends()
        {
            return Ok(value.into());
        }
        self.lexer.reset(start);
        match self.list(b')') {
            Ok(elements) if self.after_blank_ends() => Ok(Argument::List(elements)),
            _ => {
                self.lexer.reset(start);
                self.other()
            }
        }
    }

    /// Reads `!p` or `-a`; if something else comes next, returns none and reads nothing.
    fn signed(&mut self) -> Option<Argument<'a>> {
        let start = self.lexer.at();
        let sign = if self.lexer.eat(b'!') { '!' } else { '-' };
        if sign == '-' {
            self.lexer.eat(b'-');
        }
        self.lexer.blank();
        let name = self.lexer.name();
        let named = !name.is_empty() && name != "WARP_SZ" && !name.starts_with(|first: char| first.is_ascii_digit());
        if named && self.after_blank_ends() {
            return Some(Argument::Signed(sign, name));
        }
        self.lexer.reset(start);
        None
    }

    /// Whether an argument can end here, after white space, which is not read.
    fn after_blank_ends(&mut self) -> bool {
        let end = self.lexer.at();
        self.lexer.blank();
        let ends = self.ends();
        self.lexer.reset(end);
        ends
    }

    /// Reads a constant expression, or an `Other` argument if it contains a name.
    fn constant(&mut self) -> Result<Argument<'a>, SyntaxError> {
        let start = self.lexer.at();
        match constant::expression(self.lexer)? {
            Some(value) if self.ends() => Ok(value.into()),
            _ => {
                self.lexer.reset(start);
                self.other()
            }
        }
    }

    /// Whether an argument can end here.
    fn ends(&self) -> bool {
        matches!(self.lexer.peek(), None | Some(b',' | b']' | b'}' | b')' | b';'))
    }

    fn named(&mut self) -> Result<Argument<'a>, SyntaxError> {
        let start = self.lexer.at();
        let name = self.lexer.name();
        if name.is_empty() {
            return Err(self.lexer.error("expected an operand"));
        }
        if name == "_" {
            return Ok(Argument::Sink);
        }
        self.lexer.blank();
        if name == "WARP_SZ" {
            self.lexer.reset(start);
            return self.constant();
        }
        match self.lexer.peek() {
            Some(b'+') => self.sum(start, name),
            Some(b'[') => self.element(start, name),
            // `a-4` is not allowed: a negative constant is added, `a+-4`.
            Some(b'-' | b'(' | b'*') => self.other(),
            _ => Ok(Argument::Name(name)),
        }
    }

    /// The rest of `a+4` after the name.
    fn sum(&mut self, start: usize, name: &'a str) -> Result<Argument<'a>, SyntaxError> {
        self.lexer.eat(b'+');
        self.lexer.blank();
        if let Some(value) = constant::expression(self.lexer)?
            && let Argument::Integer(value) = value.into()
            && self.ends()
        {
            return Ok(Argument::Sum(name, value));
        }
        self.lexer.reset(start);
        self.other()
    }

    /// The rest of `a[reg+4]` after the name.
    fn element(&mut self, start: usize, name: &'a str) -> Result<Argument<'a>, SyntaxError> {
        self.lexer.eat(b'[');
        self.lexer.blank();
        let index = self.index()?;
        self.lexer.blank();
        let closed = self.lexer.eat(b']');
        let end = self.lexer.at();
        self.lexer.blank();
        let done = closed && (self.ends() || self.lexer.peek() == Some(b'.'));
        self.lexer.reset(end);
        match index {
            Argument::Integer(value) if done => Ok(Argument::Element(name, None, value)),
            Argument::Name(register) if done => Ok(Argument::Element(name, Some(register), Integer::ZERO)),
            Argument::Sum(register, value) if done => Ok(Argument::Element(name, Some(register), value)),
            _ => {
                self.lexer.reset(start);
                self.other()
            }
        }
    }

    /// An index: any argument; a constant may also be subtracted from a register.
    fn index(&mut self) -> Result<Argument<'a>, SyntaxError> {
        let start = self.lexer.at();
        let register = self.lexer.name();
        self.lexer.blank();
        if !register.is_empty()
            && self.lexer.peek() == Some(b'-')
            // `reg-4-1` is `reg+(-4-1)`: the sign belongs to the first constant.
            && let Some(value) = constant::expression(self.lexer)?
            && let Argument::Integer(value) = value.into()
        {
            return Ok(Argument::Sum(register, value));
        }
        self.lexer.reset(start);
        self.argument()
    }

    /// Anything else up to the next comma, closing bracket or semicolon.
    fn other(&mut self) -> Result<Argument<'a>, SyntaxError> {
        self.lexer.skip_until(|byte| matches!(byte, b',' | b';'));
        if self.ends() { Ok(Argument::Other) } else { Err(self.lexer.error("a bracket is not closed")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_into_parts() {
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
                Argument::Bracket(vec![Argument::Sum("%rd1", Integer { bits: 4_u64.wrapping_neg(), signed: true })]),
                Argument::Name("%pol")
            ]
        );
        assert_eq!(line.operands[1].suffix, Some(".unified"));
    }

    #[test]
    fn a_line_is_printed_in_one_spelling() {
        for (text, printed) in [
            // A comment after text that is not understood ends before the semicolon.
            ("ld -// why\n // more\n ;", "ld -// why\n // more\n;"),
            (
                "@ ! p /* c */ ld .global.u32\t%r1 ,[ a + - 4 ] .unified , 1 ; // d",
                "@!p ld.global.u32 %r1, [a+-4].unified, 1;",
            ),
            ("st.v2.b32[%rd1],{_,0f00000000// x\n};", "st.v2.b32 [%rd1], {_, 0f00000000};"),
            ("setp.eq.u32 p | q, a, ( b ), ! r;", "setp.eq.u32 p|q, a, (b), !r;"),
            ("x a |;", "x a |;"),
            ("ret ;", "ret;"),
            // A vertical tab is not a blank.
            ("x ++4\u{b} ;", "x ++4\u{b};"),
        ] {
            assert_eq!(Line::parse(text).expect(text).to_string(), printed);
        }
    }

    #[test]
    fn the_opcode_is_found_despite_errors_before_it() {
        for text in
            ["ld.x", "@1 ld", "@!!%p ld;", "_: ld.u32", "1: ld", "@%p L: ld", "{ $L: ld", ".loc 1 2 3 ld a", "} ld"]
        {
            assert_eq!(Line::opcode_of(text), Some("ld"), "{text}");
        }
        for text in ["", "@", "@!!", "(ld)", "%ld;", "5", "L:", ".ld"] {
            assert_eq!(Line::opcode_of(text), None, "{text}");
        }
    }

    #[test]
    fn elements_of_arrays_are_read() {
        fn argument(text: &str) -> Argument<'_> {
            Line::parse(text).expect(text).operands.remove(0).argument
        }
        let of = |value: i64| Integer { bits: value.cast_unsigned(), signed: true };
        for (text, register, value) in [
            ("x a[4];", None, 4),
            ("x a [ r ];", Some("r"), 0),
            ("x a[r+4*2];", Some("r"), 8),
            ("x a[r-4];", Some("r"), -4),
        ] {
            assert_eq!(argument(text), Argument::Element("a", register, of(value)), "{text}");
        }
        for text in ["x a[4][0];", "x a[4]+4;", "x a[r*4];", "x a[{r}];"] {
            assert_eq!(argument(text), Argument::Other, "{text}");
        }
    }

    #[test]
    fn text_around_a_line_is_read() {
        for text in ["L: $M: ret;", "{ { ret; } }", ".loc 1 2 3 ret;", ".pragma \"x;\"; ret; // ;", "L: { ret; } M:"] {
            assert_eq!(Line::parse(text).expect(text).to_string(), "ret;");
        }
        for text in ["ret; ret;", "{ .reg .b32 x; ret; }"] {
            assert!(Line::parse(text).expect_err(text).surplus(), "{text}");
        }
        for text in ["{ ret;", "ret; }", "ret;;", "_: ret;", "@p L: ret;", ".x; ret;", "suld.b. 1d a;"] {
            assert!(!Line::parse(text).expect_err(text).surplus(), "{text}");
        }
    }

    #[test]
    fn deep_nesting_is_refused() {
        let text = format!("ld {}", "[".repeat(1 << 20));
        assert_eq!(Line::parse(&text).expect_err("no line").message, "brackets are nested too deep");
    }

    #[test]
    fn malformed_lines_are_rejected_with_a_position() {
        for (text, at) in [("ld.u32 %r1, [%r2]", 17), ("ld.u32 %r1, [%r2;", 16), (".u32;", 0), ("ld.;", 3), ("", 0)] {
            assert_eq!(Line::parse(text).expect_err(text).at, at, "{text}");
        }
    }
}
