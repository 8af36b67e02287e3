//! Small modules in parts, as text: their directives, and their instructions with the text of their declarations.

use super::SyntaxError;
use super::header::Header;
use super::line::Line;
use super::statement::{Statement, Statements};
use crate::must::Must;

/// A module or part of one that can be read as a whole; all texts borrow from the text that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceText<'a> {
    /// The argument of `.version`.
    pub version: Option<&'a str>,
    /// The first name after `.target`.
    pub target: Option<&'a str>,
    /// The argument of `.address_size`.
    pub address_size: Option<&'a str>,
    /// The instructions in their order.
    pub instructions: Vec<Placed<'a>>,
    /// All scopes (braces) with their declarations; the first is the module's own.
    scopes: Vec<TextScope<'a>>,
}

/// An instruction, and its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed<'a> {
    /// The instruction.
    pub line: Line<'a>,
    /// Its text, up to its semicolon.
    pub text: &'a str,
    /// The first byte of it in the module.
    pub at: usize,
    /// Its scope.
    pub scope: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct TextScope<'a> {
    parent: Option<usize>,
    /// The entry or function whose body it is.
    header: Option<Header<'a>>,
    declarations: Vec<&'a str>,
}

impl<'a> SourceText<'a> {
    /// Reads a module.
    ///
    /// # Errors
    /// If something is not a statement; says what and where.
    pub fn parse(text: &'a str) -> Result<Self, SyntaxError> {
        let mut module = Self { scopes: vec![TextScope::default()], ..Self::default() };
        let mut statements = Statements::new(text);
        let (mut scope, mut header) = (0, None);
        loop {
            let at = statements.at();
            let Some(statement) = statements.next_statement()? else { return Ok(module) };
            let text = &text[at..statements.end()];
            match statement {
                Statement::Open => {
                    module.scopes.push(TextScope {
                        parent: Some(scope),
                        header: header.take(),
                        declarations: Vec::new(),
                    });
                    scope = module.scopes.len() - 1;
                }
                Statement::Close => {
                    scope = module.scopes[scope].parent.must("the reader refuses a brace that closes nothing")
                }
                Statement::Header(read) => header = (!read.prototype).then_some(read),
                Statement::Declaration(_) => module.scopes[scope].declarations.push(text),
                Statement::Directive(name, all) => module.directive(name, all),
                Statement::Label(_) => {}
                Statement::Instruction(line) => module.instructions.push(Placed { line, text, at, scope }),
            }
        }
    }

    fn directive(&mut self, name: &str, all: &'a str) {
        let after = || all[name.len()..].trim();
        match name {
            ".version" => self.version = Some(after()),
            ".target" => self.target = after().split(',').next().map(str::trim),
            ".address_size" => self.address_size = Some(after()),
            _ => {}
        }
    }

    /// The declarations for an instruction, as a text between the module's directives and the instruction.
    pub fn declarations(&self, instruction: &Placed<'a>) -> String {
        let mut inwards = Vec::new();
        let mut next = Some(instruction.scope);
        while let Some(scope) = next.and_then(|at| self.scopes.get(at)) {
            inwards.push(scope);
            next = scope.parent;
        }
        let mut text = String::new();
        for (depth, scope) in inwards.iter().rev().enumerate() {
            if let Some(header) = &scope.header {
                text.push_str(header.text);
            }
            if depth > 0 {
                text.push_str(" {\n");
            }
            for declaration in &scope.declarations {
                text.push_str(declaration);
                text.push('\n');
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_instructions_in_scopes() {
        let text = ".version 9.0 .target sm_90, debug\n.address_size 64 // ; {\n.file 1 \"a.cu\"\n\
            .extern .func (.param .b32 r) f(.param .b32 a);\n.visible .global .b32 g[2] = {1, 2};\n\
            .entry k(.param .u64 p) .maxntid 32, 1 {\n.reg .b32 %r<3>; .reg .pred p;\n\
            .loc 1 2 3, function_name $info, inlined_at 1 4 5\n\
            @p bra L; { .reg .f32 x; $t: mov.f32 x, 0f00000000; }\nL: ld.u32 %r1, [g+4]; ret; }\n\
            .func h() { .reg .b64 y; mov.b64 y, 1; }\n.section .debug { .b8 1 }";
        let module = SourceText::parse(text).expect("a module");
        assert_eq!((module.version, module.target, module.address_size), (Some("9.0"), Some("sm_90"), Some("64")));
        let texts: Vec<&str> = module.instructions.iter().map(|placed| placed.text).collect();
        assert_eq!(texts, ["@p bra L;", "mov.f32 x, 0f00000000;", "ld.u32 %r1, [g+4];", "ret;", "mov.b64 y, 1;"]);
        let declared = |at: usize| module.declarations(&module.instructions[at]).replace('\n', " ");
        let kernel = ".visible .global .b32 g[2] = {1, 2}; .entry k(.param .u64 p) .maxntid 32, 1 { .reg .b32 %r<3>; .reg .pred p; ";
        assert_eq!(declared(0), kernel);
        assert_eq!(declared(1), format!("{kernel} {{ .reg .f32 x; "));
        assert_eq!(declared(2), kernel);
        assert_eq!(declared(4), ".visible .global .b32 g[2] = {1, 2}; .func h() { .reg .b64 y; ");
        for placed in &module.instructions {
            assert!(text[placed.at..].starts_with(placed.text));
        }
    }

    #[test]
    fn malformed_modules_are_rejected_with_a_position() {
        for (text, at) in [("{ ret;", 6), ("ret; }", 5), (".pragma \"x\"", 11), ("L: M:", 5), (".entry {", 7)] {
            match SourceText::parse(text) {
                Err(error) => assert_eq!(error.at, at, "{text}: {error}"),
                Ok(module) => assert!(at == text.len() && module.instructions.is_empty(), "{text}"),
            }
        }
    }
}
