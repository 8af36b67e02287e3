//! Which lines can be asked about together: one module holds many, but a line that is not
//! complete in itself swallows or changes its neighbours.

/// The company a line can be asked in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Company {
    /// A complete statement that declares nothing: a line of a module among others.
    Shared,
    /// Open at its end, or declares names: a module of its own, in a process with others.
    Module,
    /// Could declare something behind the function's end, reach into the next lines by comment,
    /// quote or line directive, or is several lines: a process of its own.
    Process,
}

/// The company that `line` can be asked in.
pub(super) fn company(line: &str) -> Company {
    let strange = |byte: u8| byte == b'"' || byte == b'#' || byte == b'\\' || (byte < b' ' && byte != b'\t');
    if line.bytes().any(strange) || line.contains("/*") || line.contains("//") {
        return Company::Process;
    }
    // A label's colon; statements that start with a dot are declarations and directives.
    let declares = line.contains(':') || line.split([';', '{', '}']).any(|s| s.trim_start().starts_with('.'));
    match nesting(line) {
        Nesting::Balanced if !declares && line.trim_end().ends_with(';') => Company::Shared,
        Nesting::EndsFunction if declares => Company::Process,
        _ => Company::Module,
    }
}

/// How the brackets of a line are nested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nesting {
    Balanced,
    /// Open at the end, or closed by the wrong bracket.
    Unbalanced,
    /// A `}` too many.
    EndsFunction,
}

fn nesting(line: &str) -> Nesting {
    let mut open = Vec::new();
    let mut wrong = false;
    for byte in line.bytes() {
        match byte {
            b'{' | b'(' | b'[' => open.push(byte),
            b'}' | b')' | b']' => match (open.pop(), byte) {
                (Some(b'{'), b'}') | (Some(b'('), b')') | (Some(b'['), b']') => {}
                (_, b'}') => return Nesting::EndsFunction,
                _ => wrong = true,
            },
            _ => {}
        }
    }
    if wrong || !open.is_empty() { Nesting::Unbalanced } else { Nesting::Balanced }
}

/// Whether what follows the line in the same function may never be reached, and is then deleted
/// before code is generated for it.
pub(super) fn leaves(line: &str) -> bool {
    line.split(';').any(|statement| {
        let name = statement.trim_start().split(|c: char| !c.is_ascii_alphanumeric()).next();
        matches!(name, Some("ret" | "exit" | "bra" | "brx" | "trap"))
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
        ] {
            assert_eq!(company(line), Company::Shared, "{line}");
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
        ] {
            assert_eq!(company(line), Company::Module, "{line}");
        }
    }

    #[test]
    fn what_reaches_out_has_a_process_of_its_own() {
        for line in
            ["} .entry x() {", "ret; } .global .b32 x; .entry x() {", "/* open", "ret; // x", "ret;\nret;", "# 1 \"x\""]
        {
            assert_eq!(company(line), Company::Process, "{line}");
        }
    }

    #[test]
    fn leaving_the_function_is_seen() {
        assert!(leaves("mov.b32 a, b; exit;") && leaves(" ret.uni;") && leaves("bra L;"));
        assert!(!leaves("@%p0 bra L;") && !leaves("brkpt;") && !leaves("st.b32 [ret], a;"));
    }
}
