//! Which lines can share a module or a process. A line that is not complete in itself would swallow or change its
//! neighbours.

use ptx_spec::ptx::{Lexer, Token, TokenKind};

/// The things that a line can share with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharing {
    /// A module: the line is a complete statement and declares nothing.
    Module,
    /// A process, but not a module: the line is open at its end, declares names, or has a text in quotes.
    Process,
    /// Nothing: the line may declare something after the function's end, affect later lines by a comment, an open quote or
    /// a line directive, numbers a source file for all modules, or consists of several lines.
    Nothing,
}

/// The most that `line` can share with others.
pub(super) fn sharing(line: &str) -> Sharing {
    let strange = |byte: u8| matches!(byte, b'#' | b'\\') || (byte < b' ' && byte != b'\t');
    if line.bytes().any(strange) {
        return Sharing::Nothing;
    }
    let mut lexer = Lexer::new(line);
    let mut nesting = Nesting::default();
    // Whether it contains a label, a declaration or a directive.
    let mut declares = false;
    let mut quotes = false;
    let mut numbers_file = false;
    let mut starts = true;
    let mut last = "";
    for Token { kind, text } in lexer.by_ref() {
        declares |= text == ":" || starts && kind == TokenKind::Directive;
        quotes |= kind == TokenKind::Text;
        numbers_file |= text == ".file";
        starts = matches!(text, ";" | "{" | "}");
        nesting.push(text);
        last = text;
    }
    match nesting {
        _ if lexer.commented() || lexer.is_unclosed() || numbers_file => Sharing::Nothing,
        Nesting { ends_function: true, .. } if declares => Sharing::Nothing,
        nesting if nesting.balanced() && !declares && !quotes && last == ";" => Sharing::Module,
        _ => Sharing::Process,
    }
}

/// How the brackets of a line are nested.
#[derive(Default)]
struct Nesting<'a> {
    open: Vec<&'a str>,
    /// True if a bracket is closed by one of another kind.
    wrong: bool,
    /// True if there is a `}` too many.
    ends_function: bool,
}

impl<'a> Nesting<'a> {
    fn push(&mut self, token: &'a str) {
        let opening = match token {
            "{" | "(" | "[" => return self.open.push(token),
            "}" => "{",
            ")" => "(",
            "]" => "[",
            _ => return,
        };
        if self.open.pop() != Some(opening) {
            self.wrong = true;
            self.ends_function |= opening == "{";
        }
    }

    fn balanced(&self) -> bool {
        self.open.is_empty() && !self.wrong
    }
}

/// True if the line may leave the function, so that later statements would be deleted before code is generated.
pub(super) fn may_leave(line: &str) -> bool {
    let mut starts = true;
    Lexer::new(line).any(|token| {
        let opcode = std::mem::replace(&mut starts, token.text == ";");
        opcode && matches!(token.text, "ret" | "exit" | "bra" | "brx" | "trap")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_statements_share_a_module() {
        for line in [
            "add.u32 %r0, %r1, %r2;",
            "@%p0 ld.v2.b32 {%r0, %r1}, [g+4]; st.b32 [%p], %r0; ",
            "suld.b.1d.b32.trap _, [s, {5}];",
            "call (%r0), f, (%r1);",
            "ld.global.L1::evict_last.L2::128B.b32 %r0, [g];",
            "ld.param::entry.b32 %r0, [p];",
            "ld.b32 %r0, [g+(1 / 2)];",
        ] {
            assert_eq!(sharing(line), Sharing::Module, "{line}");
        }
    }

    #[test]
    fn incomplete_lines_and_declarations_have_a_module_of_their_own() {
        for line in [
            "",
            "add.u32 %r0, %r1, %r2",
            "ld.b32 %r0, [g;",
            "ld.b32 %r0, g];",
            "mov.b32 {%r0, %r1;",
            "L: ret;",
            ".reg .b32 x;",
            "ret; .reg .b32 x;",
            "{ .reg .b32 x; }",
            "}",
            "mov.b32 (};",
            "mov.b32 %r0, %r1};",
            ".pragma \"nounroll\";",
        ] {
            assert_eq!(sharing(line), Sharing::Process, "{line}");
        }
    }

    #[test]
    fn lines_that_affect_others_have_a_process_of_their_own() {
        for line in [
            ".pragma \"nounroll;",
            ".file 1 \"a.cu\"",
            "ret; \"",
            "} .entry x() {",
            "ret; } .global .b32 x; .entry x() {",
            "/* open",
            "ret; // x",
            "ret;\nret;",
            "# 1 \"x\"",
        ] {
            assert_eq!(sharing(line), Sharing::Nothing, "{line}");
        }
    }

    #[test]
    fn leaving_the_function_is_noticed() {
        assert!(may_leave("mov.b32 a, b; exit;") && may_leave(" ret.uni;") && may_leave("bra L;"));
        assert!(!may_leave("@%p0 bra L;") && !may_leave("brkpt;") && !may_leave("st.b32 [ret], a;"));
    }
}
