//! The names that a module declares outside of its bodies, and the module with others in their place.

use super::lexer::{Lexer, TokenKind, is_identifier};
use super::part::range;
use super::statement::{Statement, Statements};

/// The names that a module declares outside of its bodies: an assembler that is given several modules takes them for one
/// program, in which these are the names of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModuleNames {
    names: Vec<ModuleName>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ModuleName {
    name: String,
    /// True if it is declared with a number of names: `a<4>` is `a0` to `a3`.
    family: bool,
}

impl ModuleNames {
    /// The names in the text of a module. None if others might not mean the same in their place, or are not enough to part
    /// it from other modules: a statement cannot be read, a name is no identifier or may be one that PTX has already, or
    /// is an opcode too, or the module numbers a source file, and numbers are those of all modules as well.
    pub fn of(module: &str) -> Option<Self> {
        let mut names = Self::default();
        let mut opcodes: Vec<&str> = Vec::new();
        let mut statements = Statements::of_part(module);
        // The number of open braces.
        let mut depth = 0_usize;
        while let Some(statement) = statements.next_statement().ok()? {
            match statement {
                Statement::Open => depth += 1,
                Statement::Close => depth = depth.checked_sub(1)?,
                Statement::Declaration(declaration) if depth == 0 => {
                    for declarator in declaration.declarators() {
                        let declarator = declarator.ok()?;
                        names.push(declarator.name, declarator.family.is_some())?;
                    }
                }
                Statement::Header(header) => names.push(header.name, false)?,
                Statement::Directive(".section", text) => {
                    let mut last = "";
                    for token in Lexer::new(text) {
                        if token.text == ":" {
                            names.push(last, false)?;
                        }
                        last = token.text;
                    }
                }
                Statement::Directive(".file", _) => return None,
                Statement::Instruction(line) => opcodes.push(line.opcode),
                Statement::Label(_) | Statement::Directive(..) | Statement::Declaration(_) => {}
            }
        }
        let free = opcodes.iter().all(|opcode| names.stem(opcode).is_none());
        (depth == 0 && free).then_some(names)
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    fn push(&mut self, name: &str, family: bool) -> Option<()> {
        if !is_identifier(name) || name.starts_with('%') || name == "WARP_SZ" {
            return None;
        }
        self.names.push(ModuleName { name: name.to_owned(), family });
        Some(())
    }

    /// The declared part of a word that is one of the names: all of it, or `a` of `a3` if `a<4>` is declared.
    fn stem<'w>(&self, word: &'w str) -> Option<&'w str> {
        self.names.iter().find_map(|ModuleName { name, family }| {
            let (stem, rest) = word.split_at_checked(name.len())?;
            let member = *family && rest.bytes().all(|byte| byte.is_ascii_digit());
            (stem == name && (rest.is_empty() || member)).then_some(stem)
        })
    }

    /// The text with `suffix` after each of the names, which must be the last part of no other name.
    pub fn suffixed(&self, text: &str, suffix: &str) -> String {
        let mut to = String::with_capacity(text.len() + 4 * suffix.len());
        let mut copied = 0;
        for token in Lexer::new(text).filter(|token| token.kind == TokenKind::Word) {
            if let Some(stem) = self.stem(token.text) {
                let end = range(text, stem).end;
                to.extend([&text[copied..end], suffix]);
                copied = end;
            }
        }
        to.push_str(&text[copied..]);
        to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_use_of_a_name_of_the_module_is_another() {
        for (module, expected) in [
            (".global .b32 a = g, b[2]; .global .b32 g;", ".global .b32 a@ = g@, b@[2]; .global .b32 g@;"),
            (".func f; .func g { ret; } .alias f, g;", ".func f@; .func g@ { ret; } .alias f@, g@;"),
            (".entry k(.param .b32 x) { ld.param.b32 %r, [x]; }", ".entry k@(.param .b32 x) { ld.param.b32 %r, [x]; }"),
            (".global .b32 a<4>; .global .u64 b = a3;", ".global .b32 a@<4>; .global .u64 b@ = a@3;"),
            (".section .debug_str { K: .b8 1 }", ".section .debug_str { K@: .b8 1 }"),
            // Labels and variables of a body are its own, and what is not declared has no other name.
            (".entry k { .reg .b32 x; L: bra L; }", ".entry k@ { .reg .b32 x; L: bra L; }"),
            (".global .u64 a = nowhere;", ".global .u64 a@ = nowhere;"),
            (".pragma \"a\"; .global .b8 a;", ".pragma \"a\"; .global .b8 a@;"),
        ] {
            let names = ModuleNames::of(module).expect(module);
            assert_eq!(names.suffixed(module, "@"), expected);
        }
    }

    #[test]
    fn names_that_may_mean_something_already_have_no_others() {
        for module in [
            ".entry %tid { ret; }",
            ".global .b32 WARP_SZ;",
            ".global .b32 a.b;",
            ".func _ { ret; }",
            ".func ret { ret; }",
            ".global .b32 1a;",
            ".entry k { ret; ",
            ".entry k { ret; } }",
            ".file 1 \"a.cu\"",
            "nonsense",
        ] {
            assert_eq!(ModuleNames::of(module), None, "{module}");
        }
    }
}
