//! The statements of a module or a part of it.

use super::SyntaxError;
use super::declaration::{self, Declaration};
use super::header::Header;
use super::lexer::{Lexer, TokenKind};
use super::line::Line;

/// The error message if text follows the instruction.
pub(super) const SURPLUS: &str = "nothing but a comment may follow the `;`";
/// The beginning of a line of debugging information.
const DWARF: &str = "@@DWARF";
/// The error message for a directive that PTX does not have.
pub(super) const UNKNOWN_DIRECTIVE: &str = "this is not a directive of PTX";

/// One statement; all texts borrow from the text that was read.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement<'a> {
    /// `name:`
    Label(&'a str),
    /// `{`
    Open,
    /// `}`
    Close,
    /// Any other directive: its name, and all of its text.
    Directive(&'a str, &'a str),
    /// Registers or variables.
    Declaration(Declaration<'a>),
    /// The header of an entry or function.
    Header(Header<'a>),
    /// An instruction.
    Instruction(Line<'a>),
}

/// Reads statements in order.
#[derive(Clone, Debug)]
pub struct Statements<'a> {
    lexer: Lexer<'a>,
    /// The number of open braces.
    open: usize,
    /// True if braces need not be balanced, because the text is a part of a module.
    part: bool,
    /// True if the text is a whole file: line markers of a preprocessor and old debugging directives may be in it.
    file: bool,
}

impl<'a> Statements<'a> {
    /// The statements of a text whose braces are balanced.
    pub fn new(text: &'a str) -> Self {
        Self { lexer: Lexer::new(text), open: 0, part: false, file: false }
    }

    /// The statements of a part of a module, in which braces may be open at the end.
    pub fn of_part(text: &'a str) -> Self {
        Self { part: true, ..Self::new(text) }
    }

    /// The statements of a whole file from a position on. Braces need not be balanced, but each semicolon must end a
    /// statement.
    pub(super) fn of_file(text: &'a str, at: usize) -> Self {
        let mut statements = Self { part: true, file: true, ..Self::new(text) };
        statements.lexer.reset(at);
        statements
    }

    /// The reader of the text.
    pub(super) fn lexer(&mut self) -> &mut Lexer<'a> {
        &mut self.lexer
    }

    /// The position of the next statement, in bytes.
    pub fn at(&mut self) -> usize {
        self.lexer.blank();
        self.lexer.at()
    }

    /// The end of the last statement, in bytes.
    pub fn end(&self) -> usize {
        self.lexer.at()
    }

    fn error(&self, message: &'static str) -> SyntaxError {
        self.lexer.error(message)
    }

    /// Reads the next statement; none at the end of the text.
    ///
    /// # Errors
    /// If something is not a statement; says what and where.
    pub fn next_statement(&mut self) -> Result<Option<Statement<'a>>, SyntaxError> {
        self.lexer.blank();
        while self.part && !self.file && self.lexer.eat(b';') {
            self.lexer.blank();
        }
        let start = self.lexer.at();
        match self.lexer.peek() {
            Some(b'#' | b'@' | b';')
                if self.file
                    && let Some(read) = self.of_files(start)? =>
            {
                Ok(Some(read))
            }
            None if self.open > 0 && !self.part => Err(self.error("a brace is not closed")),
            None => Ok(None),
            Some(b'{') => {
                self.lexer.eat(b'{');
                self.open += 1;
                Ok(Some(Statement::Open))
            }
            Some(b'}') if self.open == 0 && !self.part => Err(self.error("a closing brace has no opening one")),
            Some(b'}') => {
                self.lexer.eat(b'}');
                self.open = self.open.saturating_sub(1);
                Ok(Some(Statement::Close))
            }
            Some(b'.') => self.directive(start).map(Some),
            Some(b'@') => Line::read(&mut self.lexer).map(|line| Some(Statement::Instruction(line))),
            Some(_) => self.named().map(Some),
        }
    }

    /// A statement that only whole files have: `# 12 "a.cu"`, `@@DWARF .byte 0`. `None` for any other.
    fn of_files(&mut self, start: usize) -> Result<Option<Statement<'a>>, SyntaxError> {
        if self.lexer.eat(b';') {
            return Err(SyntaxError { message: "there is no instruction before this `;`", at: start });
        }
        let rest = self.lexer.rest();
        let marker = rest.strip_prefix('#').map(|rest| rest.trim_start_matches([' ', '\t']));
        let name = match marker {
            Some(marker) if marker.starts_with("line") || marker.starts_with(|c: char| c.is_ascii_digit()) => "#",
            Some(_) => return Err(self.error("a preprocessor directive: run the C preprocessor first")),
            None if rest.starts_with(DWARF) => return self.dwarf(start).map(Some),
            None => return Ok(None),
        };
        self.lexer.skip_line();
        Ok(Some(Statement::Directive(name, self.lexer.since(start))))
    }

    /// `@@DWARF .section .debug_info, "", @progbits`, `@@DWARF .byte 0x2b, 0x00`
    fn dwarf(&mut self, start: usize) -> Result<Statement<'a>, SyntaxError> {
        self.lexer.reset(start + DWARF.len());
        self.lexer.blank();
        if self.lexer.peek() != Some(b'.') {
            return Err(self.error("expected .section, .byte, .4byte or .quad"));
        }
        self.lexer.directive()?;
        loop {
            self.lexer.blank();
            self.lexer.eat(b'@');
            match self.lexer.next() {
                Some(token) if token.kind != TokenKind::Sign => {}
                _ => return Err(self.error("expected a number or a label")),
            }
            let end = self.lexer.at();
            self.lexer.blank();
            if !self.lexer.eat(b',') {
                self.lexer.reset(end);
                return Ok(Statement::Directive(DWARF, self.lexer.since(start)));
            }
        }
    }

    /// A label or an instruction without a guard.
    fn named(&mut self) -> Result<Statement<'a>, SyntaxError> {
        let start = self.lexer.at();
        let opcode = self.lexer.opcode();
        let sound = opcode.as_bytes().first().is_some_and(|first| !first.is_ascii_digit());
        if sound && self.lexer.peek() == Some(b'.') {
            return Line::after(&mut self.lexer, opcode).map(Statement::Instruction);
        }
        self.lexer.reset(start);
        if let Some(label) = self.label() {
            return Ok(Statement::Label(label));
        }
        Line::read(&mut self.lexer).map(Statement::Instruction)
    }

    /// Reads `name:`; if something else comes next, returns none and reads nothing.
    fn label(&mut self) -> Option<&'a str> {
        let start = self.lexer.at();
        let name = self.lexer.name();
        let sound = !name.contains('.') && !name.starts_with(|first: char| first.is_ascii_digit());
        let whole = !matches!(name, "" | "_" | "$" | "%");
        self.lexer.blank();
        let colon = self.lexer.peek() == Some(b':') && self.lexer.peek_second() != Some(b':');
        if sound && whole && colon {
            self.lexer.eat(b':');
            return Some(name);
        }
        self.lexer.reset(start);
        None
    }

    fn directive(&mut self, start: usize) -> Result<Statement<'a>, SyntaxError> {
        let mut name = self.lexer.directive()?;
        while declaration::is_linkage(name) || declaration::precedes_space(name) {
            if declaration::precedes_space(name) {
                declaration::argument(&mut self.lexer, name)?;
            }
            self.lexer.blank();
            if self.lexer.peek() != Some(b'.') {
                return Err(self.error("expected a declaration"));
            }
            name = self.lexer.directive()?;
        }
        if declaration::is_space(name) {
            return Declaration::read(&mut self.lexer, start, name).map(Statement::Declaration);
        }
        match name {
            ".entry" | ".func" => {
                Header::read(&mut self.lexer, start, name == ".func", (self.part, self.file)).map(Statement::Header)
            }
            // These end without a semicolon.
            ".version" | ".address_size" => {
                self.lexer.blank();
                self.lexer.number();
                Ok(Statement::Directive(name, self.lexer.since(start)))
            }
            ".target" | ".file" | ".loc" => self.unterminated(start, name),
            ".section" => {
                self.lexer.skip_until(|byte| byte == b'{');
                self.lexer.eat(b'{');
                self.lexer.skip_until(|_| false);
                if !self.lexer.eat(b'}') {
                    return Err(self.error("a brace is not closed"));
                }
                Ok(Statement::Directive(name, self.lexer.since(start)))
            }
            ".pragma" | ".alias" | ".branchtargets" | ".calltargets" | ".callprototype" => {
                self.lexer.skip_until(|byte| byte == b';');
                if !self.lexer.eat(b';') {
                    return Err(self.error("expected `;`"));
                }
                Ok(Statement::Directive(name, self.lexer.since(start)))
            }
            _ => Err(SyntaxError { message: UNKNOWN_DIRECTIVE, at: self.lexer.at() - name.len() }),
        }
    }

    /// `.target sm_90, debug`, `.file 1 "a.cu", 2, 3`, `.loc 1 2 3, function_name $f, inlined_at 1 2 3`
    fn unterminated(&mut self, start: usize, name: &'a str) -> Result<Statement<'a>, SyntaxError> {
        let mut end = self.lexer.at();
        if name == ".target" {
            self.lexer.blank();
            self.lexer.identifier();
            end = self.lexer.at();
        } else {
            end = self.numbers_and_texts(end);
        }
        loop {
            self.lexer.reset(end);
            self.lexer.blank();
            if !self.lexer.eat(b',') {
                break;
            }
            self.lexer.blank();
            self.lexer.identifier();
            end = self.lexer.at();
            self.lexer.blank();
            // `function_name $label+4`, `function_name .debug_str+4`
            let label = |byte: u8| matches!(byte, b'.' | b'$' | b'_' | b'%') || byte.is_ascii_alphabetic();
            if name == ".loc" && self.lexer.peek().is_some_and(label) {
                match self.lexer.peek() {
                    Some(b'.') => drop(self.lexer.directive()?),
                    _ => drop(self.lexer.name()),
                }
                end = self.lexer.at();
                self.lexer.blank();
                if self.lexer.eat_sign("+") {
                    self.lexer.number();
                    end = self.lexer.at();
                }
            }
            end = self.numbers_and_texts(end);
        }
        self.lexer.reset(end);
        Ok(Statement::Directive(name, self.lexer.since(start)))
    }

    /// Reads numbers and quoted strings; returns the end of the last one, or `end` if none follows.
    fn numbers_and_texts(&mut self, mut end: usize) -> usize {
        loop {
            self.lexer.reset(end);
            self.lexer.blank();
            match self.lexer.peek() {
                Some(b'"') => drop(self.lexer.next()),
                Some(byte) if byte.is_ascii_digit() => drop(self.lexer.number()),
                _ => return end,
            }
            end = self.lexer.at();
        }
    }

    /// The opcode of the first instruction, even if the labels and the guard before it cannot be read.
    fn first_opcode(mut self) -> Option<&'a str> {
        loop {
            self.lexer.blank();
            match self.lexer.peek()? {
                b'.' => drop(self.next_statement().ok()?),
                b'@' => {
                    self.lexer.eat(b'@');
                    while self.lexer.find(|token| token.text != "!")?.kind == TokenKind::Sign {}
                }
                _ => {
                    let token = self.lexer.next()?;
                    self.lexer.blank();
                    let named = matches!(token.kind, TokenKind::Word | TokenKind::Number);
                    if named && !self.lexer.eat(b':') {
                        return token.text.starts_with(|first: char| first.is_ascii_alphabetic()).then_some(token.text);
                    }
                    if !named && !matches!(token.text, "{" | "}" | ";") {
                        return None;
                    }
                }
            }
        }
    }
}

impl<'a> Line<'a> {
    /// Reads one instruction: `@p ld.global.u32 %r1, [%rd1+4];`. Labels, braces, comments, `.loc` and
    /// `.pragma` may surround it.
    ///
    /// # Errors
    /// If the text is not an instruction: unbalanced brackets, no opcode, a malformed number, no semicolon
    /// at the end, or another statement.
    pub fn parse(text: &'a str) -> Result<Self, SyntaxError> {
        let mut statements = Statements::new(text);
        let mut found = None;
        loop {
            let before = statements.at();
            match statements.next_statement()? {
                Some(Statement::Instruction(line)) if found.is_none() => found = Some(line),
                Some(Statement::Instruction(_) | Statement::Declaration(_) | Statement::Header(_)) => {
                    return Err(SyntaxError { message: SURPLUS, at: before });
                }
                Some(_) => {}
                None => return found.ok_or_else(|| statements.error("expected an opcode")),
            }
        }
    }

    /// The opcode of the first instruction of a text, even if the rest cannot be read.
    pub fn opcode_of(text: &'a str) -> Option<&'a str> {
        Statements::new(text).first_opcode()
    }
}
