//! The statements of a whole file, including those that cannot be read.

use super::SyntaxError;
use super::lexer::{Lexer, TokenKind};
use super::statement::{Statement, Statements};

/// A statement of a file, or why there is none.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ReadStatement<'a> {
    /// Its first byte in the file.
    pub(super) start: usize,
    /// The byte after its last.
    pub(super) end: usize,
    pub(super) statement: Result<Statement<'a>, SyntaxError>,
}

/// Reads the statements of a file in order, and goes on after errors.
#[derive(Clone, Debug)]
pub(super) struct FileStatements<'a> {
    text: &'a str,
    statements: Statements<'a>,
}

impl<'a> FileStatements<'a> {
    /// The statements of a file from a position on.
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        Self { text, statements: Statements::of_file(text, at) }
    }

    /// The position of the next statement, in bytes.
    pub(super) fn at(&mut self) -> usize {
        self.statements.at()
    }

    /// The first comment or quoted text so far that has no end.
    pub(super) fn unclosed(&mut self) -> Option<&SyntaxError> {
        self.statements.lexer().unclosed()
    }
}

impl<'a> Iterator for FileStatements<'a> {
    type Item = ReadStatement<'a>;

    fn next(&mut self) -> Option<ReadStatement<'a>> {
        let start = self.statements.at();
        let statement = match self.statements.next_statement() {
            Ok(statement) => Ok(statement?),
            Err(error) => {
                let end = resume(self.text, start, error.at.max(start));
                self.statements.lexer().reset(end);
                Err(error)
            }
        };
        Some(ReadStatement { start, end: self.statements.end(), statement })
    }
}

/// Where reading goes on after an error at `at` in the statement at `start`: after the next semicolon, before the brace
/// that ends the block or opens a body, or at the next line that begins like a statement.
fn resume(text: &str, start: usize, at: usize) -> usize {
    let mut lexer = Lexer::new(text);
    lexer.reset(start);
    let directive = lexer.peek() == Some(b'.');
    let mut depth = 0_u32;
    let (mut first, mut assigned) = (true, false);
    loop {
        let end = lexer.at();
        lexer.blank();
        let here = lexer.at();
        let new_line = !first && text[end..here].contains('\n') && (depth == 0 || !directive);
        // The error may be noticed only after the first word of the next statement, which was taken for an operand.
        let noticed = here >= at || !text[here..at].contains('\n');
        if new_line && noticed && begins_statement(&lexer, depth) {
            return here;
        }
        let Some(token) = lexer.next() else { return text.len() };
        match token.text {
            ";" => return lexer.at(),
            "}" if depth == 0 && !first => return here,
            // A body; the braces of operands and of initial values belong to the statement.
            "{" if !first && directive && !assigned => return here,
            "=" => assigned = true,
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if first && matches!(token.text, "{" | "}") {
            return lexer.at();
        }
        first = false;
    }
}

/// True if the next tokens look like the beginning of a statement and not like the rest of one; `depth` is the number of
/// open brackets before them.
fn begins_statement(lexer: &Lexer<'_>, depth: u32) -> bool {
    let mut lexer = lexer.clone();
    let Some(first) = lexer.next() else { return false };
    match first.kind {
        TokenKind::Directive => true,
        TokenKind::Sign => matches!(first.text, "@" | "{" | "}"),
        TokenKind::Word if !first.text.starts_with('%') => match lexer.next() {
            None => false,
            Some(second) if second.text == ";" => depth == 0,
            Some(second) if second.kind == TokenKind::Sign => matches!(second.text, ":" | "(" | "{" | "["),
            Some(_) => true,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of the statements, those that cannot be read in angle brackets.
    fn texts(text: &str) -> Vec<String> {
        let of = |read: ReadStatement<'_>| {
            let text = text[read.start..read.end].trim_end();
            if read.statement.is_ok() { text.to_owned() } else { format!("<{text}>") }
        };
        FileStatements::new(text, 0).map(of).collect()
    }

    #[test]
    fn one_error_hides_no_other_statement() {
        for (text, expected) in [
            ("ret;; ret;", &["ret;", "<;>", "ret;"][..]),
            ("ret\n ld.u32 a, [b];", &["<ret>", "ld.u32 a, [b];"]),
            ("ret }", &["<ret>", "}"]),
            ("ld.v2.u32 {a b}, [c]; ret;", &["<ld.v2.u32 {a b}, [c];>", "ret;"]),
            ("ld a b\n{ ret; }", &["<ld a b>", "{", "ret;", "}"]),
            ("call (a, b;\nret;", &["<call (a, b;>", "ret;"]),
            ("call (a\n, b\n c;\nret;", &["<call (a\n, b\n c;>", "ret;"]),
            ("mov a, 089;\nL: @p bra L;", &["<mov a, 089;>", "L:", "@p bra L;"]),
            (".entry k(.param a) { ret; }", &[".entry k(.param a)", "{", "ret;", "}"]),
            (
                ".entry k(\n.param .b32 a\n.param .b32 b\n) foo {\nret; }",
                &["<.entry k(\n.param .b32 a\n.param .b32 b\n) foo>", "{", "ret;", "}"],
            ),
            (".entry k( { ret; }", &["<.entry k(>", "{", "ret;", "}"]),
            (".entry { ret; }", &["<.entry>", "{", "ret;", "}"]),
            (".globl .b32 x;\nret;", &["<.globl .b32 x;>", "ret;"]),
            (".global .b8 x[2] = {1, 2;\nret;", &["<.global .b8 x[2] = {1, 2;>", "ret;"]),
            ("\u{feff}ret;\nret;", &["<\u{feff}ret;>", "ret;"]),
            ("é ret;\nret;", &["<é ret;>", "ret;"]),
            ("ret", &["<ret>"]),
            ("}", &["}"]),
        ] {
            assert_eq!(texts(text), expected, "{text}");
        }
    }

    #[test]
    fn what_files_have_is_read() {
        let text = "# 1 \"a.cu\"\n#line 2 \"a.cu\"\n@@DWARF .byte 0x2b, 0x00\n.const[2] .b32 c[];\n\
            .visible .entry k(.param .u64 .ptr.global.align 16 p) .maxntid 32, 1, 1 .pragma \"a\", \"b;\"; .maxnreg 16\n{\n\
            .loc 1 15 3, function_name .debug_str+16, inlined_at 1 10 5\n.pragma \"nounroll\";\n}\n\
            .func .attribute(.unified(0xAB, 0xCD)) (.reg .b32 r) f() .noreturn .abi_preserve 8;\n\
            p : .callprototype ()_ (.param .b64 _);\n.section .debug_str\n{\nL:\n.b8 95 // }\n.b32 L+4, -1\n}";
        let read: Vec<ReadStatement<'_>> = FileStatements::new(text, 0).collect();
        for statement in &read {
            assert!(statement.statement.is_ok(), "{statement:?}: {}", &text[statement.start..]);
        }
        assert_eq!(read.len(), 13, "{read:#?}");
        let Ok(Statement::Header(header)) = &read[4].statement else { panic!("{:?}", read[4]) };
        assert!(header.name == "k" && !header.prototype && header.text.ends_with(".maxnreg 16"), "{header:?}");
    }

    #[test]
    fn what_is_never_closed_is_known() {
        for (text, at) in [("ret; /* ret;", 5), (".file 1 \"a\nret;", 8), ("ret; // \"", 0)] {
            let mut statements = FileStatements::new(text, 0);
            assert!(statements.by_ref().count() > 0);
            assert_eq!(statements.unclosed().map_or(0, |error| error.at), at, "{text}");
        }
    }
}
