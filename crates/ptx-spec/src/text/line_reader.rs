//! Reads one instruction: guard, opcode, modifiers, operands.

use super::SyntaxError;
use super::constant;
use super::lexer::Lexer;
use super::line::{Argument, Integer, Line, OperandText};

/// The maximum nesting of brackets; PTX nests two.
const NESTING: u32 = 8;

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

    /// True if an argument can end here, after white space, which is not read.
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
                if let Some(pair) = self.number_and_name() {
                    return Ok(pair);
                }
                self.lexer.reset(start);
                self.other()
            }
        }
    }

    /// Reads `1|%p`, which is not a constant expression.
    fn number_and_name(&mut self) -> Option<Argument<'a>> {
        let value = self.lexer.number().parse().ok()?;
        self.lexer.blank();
        if !self.lexer.eat(b'|') {
            return None;
        }
        self.lexer.blank();
        let name = self.lexer.name();
        let named =
            !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit()) && self.after_blank_ends();
        let number = Argument::Integer(Integer { bits: value, signed: true });
        let second = if name == "_" { Argument::Sink } else { Argument::Name(name) };
        named.then(|| Argument::Pair(Box::new([number, second])))
    }

    /// True if an argument can end here.
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
