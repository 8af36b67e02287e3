//! Declarations, statement by statement, so that variables can be given contents.

use std::fmt::Write as _;

use ptx_spec::ptx::{self, Declaration, Declarator, Statements, split_component};

use crate::line_case::LineCase;
use crate::object::{Space, Variable};

/// The alignment of a variable with contents: that of the widest access.
const ALIGNMENT: u32 = 32;

/// A declaration with its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DeclaredNames<'a> {
    declaration: Declaration<'a>,
    pub(super) names: Vec<Declarator<'a>>,
}

/// Statements that end in semicolons.
///
/// # Errors
/// If something is not a declaration.
pub(super) fn statements(text: &str) -> Result<Vec<DeclaredNames<'_>>, String> {
    let mut read = Vec::new();
    let mut statements = Statements::of_part(text);
    loop {
        let start = statements.at();
        let error = |why: &str| format!("`{}` is not a declaration: {why}", one(&text[start..]));
        match statements.next_statement().map_err(|why| error(why.message))? {
            None => return Ok(read),
            Some(ptx::Statement::Declaration(declaration)) => read.push(statement(declaration)?),
            Some(_) => return Err(error("expected a register or a variable")),
        }
    }
}

/// Parameters: declarations of one name each, separated by commas.
///
/// # Errors
/// If something is not a parameter.
pub(super) fn parameters(text: &str) -> Result<Vec<DeclaredNames<'_>>, String> {
    let read = ptx::parameters(text).map_err(|why| format!("`{text}` are not parameters: {why}"))?;
    read.into_iter().map(statement).collect()
}

/// A text up to its first semicolon.
fn one(text: &str) -> &str {
    text.find(';').map_or(text, |end| &text[..=end]).trim()
}

fn statement(declaration: Declaration<'_>) -> Result<DeclaredNames<'_>, String> {
    let names: Result<Vec<_>, _> = declaration.declarators().collect();
    let directives = declaration.directives;
    let names = names.map_err(|why| format!("the names after `{directives}` cannot be read: {why}"))?;
    Ok(DeclaredNames { declaration, names })
}

/// The size of a type with data in bits.
fn bits(of_type: &str) -> Option<usize> {
    match of_type {
        ".b8" | ".u8" | ".s8" => Some(8),
        ".b16" | ".u16" | ".s16" | ".f16" | ".bf16" => Some(16),
        ".b32" | ".u32" | ".s32" | ".f32" | ".f16x2" | ".bf16x2" => Some(32),
        ".b64" | ".u64" | ".s64" | ".f64" => Some(64),
        ".b128" => Some(128),
        _ => None,
    }
}

/// True if a type has no data.
fn opaque(of_type: &str) -> bool {
    matches!(of_type, ".surfref" | ".texref" | ".samplerref")
}

impl<'a> DeclaredNames<'a> {
    /// `.global` or another directive that begins a declaration.
    pub(super) fn space(&self) -> &'a str {
        self.declaration.space
    }

    /// `.b8`
    pub(super) fn of_type(&self) -> &'a str {
        self.declaration.of_type
    }

    /// True if it declares surfaces, textures or samplers.
    pub(super) fn opaque(&self) -> bool {
        opaque(self.of_type())
    }

    /// True if it declares unified variables.
    pub(super) fn unified(&self) -> bool {
        self.declaration.unified
    }

    /// True if it declares this register: alone, as one of a family (`%r3` of `%r<9>`), or as the
    /// component of a vector (`%v.x`).
    pub(super) fn has_register(&self, register: &str) -> bool {
        let name = match split_component(register) {
            Some((vector, component)) if self.declaration.lanes > 1 => {
                let known = ["x", "y", "z", "w", "r", "g", "b", "a"].iter().position(|&known| known == component);
                if known.is_none_or(|at| at % 4 >= usize::from(self.declaration.lanes)) {
                    return false;
                }
                vector
            }
            None if self.declaration.lanes == 1 => register,
            _ => return false,
        };
        let is = |declared: &Declarator<'a>| match declared.family {
            None => declared.name == name,
            Some(count) => {
                let Some(number) = name.strip_prefix(declared.name) else { return false };
                let canonical = number == "0" || !number.starts_with('0') && number.bytes().all(|b| b.is_ascii_digit());
                canonical && number.parse::<u32>().is_ok_and(|number| number < count)
            }
        };
        self.space() == ".reg" && self.names.iter().any(is)
    }

    /// Its entry for this name.
    pub(super) fn find(&self, name: &str) -> Option<&Declarator<'a>> {
        self.names.iter().find(|declared| self.space() != ".reg" && declared.name == name)
    }

    /// The variable with this name, declared as an array of bytes.
    pub(super) fn bytes(&self, name: &str, size: usize) -> String {
        // Without an alignment of its own, it has the one that any access may need.
        let alignment = self.declaration.alignment.map_or(ALIGNMENT, |own| own.max(ALIGNMENT));
        format!("{} .align {alignment} .b8 {name}[{size}]", self.space())
    }

    /// The size in bytes of one of its variables.
    ///
    /// # Errors
    /// If the declaration does not say it.
    pub(super) fn size(&self, declared: &Declarator<'_>) -> Result<usize, String> {
        let element = bits(self.of_type()).map(|bits| bits / 8 * usize::from(self.declaration.lanes));
        let elements = declared.elements.and_then(|elements| usize::try_from(elements).ok());
        let size = element.zip(elements).and_then(|(element, elements)| element.checked_mul(elements));
        let size = size.filter(|&size| size > 0 && size < 1 << 16);
        size.ok_or_else(|| format!("`{}` has no size that can be passed", declared.name))
    }
}

/// The space in which a variable with contents is declared.
fn space(variable: &Variable) -> &'static str {
    match variable.space {
        Space::Global => ".global",
        Space::Const => ".const",
        Space::Shared => ".shared",
        Space::Local => ".local",
        Space::Param => ".param",
    }
}

/// The statements with the contents of the case's variables: as initial values if possible, and otherwise
/// as arrays of bytes.
///
/// # Errors
/// If a variable does not match the case.
pub(super) fn with_contents(statements: &[DeclaredNames<'_>], case: &LineCase) -> Result<String, String> {
    let mut text = String::new();
    for statement in statements {
        let contents = |declared: &Declarator<'_>| {
            let known = statement.space() != ".reg";
            known.then(|| case.variable(declared.name)).flatten()
        };
        let rest: Vec<&str> = statement.names.iter().filter(|d| contents(d).is_none()).map(|d| d.text).collect();
        if !rest.is_empty() {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{} {};", statement.declaration.directives, rest.join(", "));
        }
        for variable in statement.names.iter().filter_map(contents) {
            check(statement, variable)?;
            let declaration = statement.bytes(&variable.name, variable.data.len());
            let _ = match variable.space {
                Space::Global | Space::Const => {
                    // A visible variable may be changed from outside, so its loads are not computed at
                    // compile time.
                    writeln!(text, ".visible {declaration} = {};", initial(&variable.data))
                }
                _ => writeln!(text, "{declaration};"),
            };
        }
    }
    Ok(text)
}

/// Checks that a variable matches its declaration.
///
/// # Errors
/// If it does not.
pub(super) fn check(statement: &DeclaredNames<'_>, variable: &Variable) -> Result<(), String> {
    let name = &variable.name;
    if statement.unified() {
        return Err(format!("`{name}` is unified: a single module cannot define its contents"));
    }
    if statement.space() != space(variable) {
        return Err(format!("`{name}` is declared in {}, but has contents in {}", statement.space(), space(variable)));
    }
    match variable.data.len() {
        0 => Err(format!("`{name}` has no bytes")),
        size if size >= 1 << 16 => Err(format!("`{name}` is too large for a module")),
        _ => Ok(()),
    }
}

/// `{1, 2}`
pub(super) fn initial(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 5 + 2);
    for (at, byte) in bytes.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = write!(text, "{}{byte}", if at == 0 { "{" } else { ", " });
    }
    text.push('}');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_split_into_parts() {
        let text = ".global .attribute(.unified(1, 2)) .align 8 .b8 u[64]; .visible .const .v4 .f32 c[2][3] = {0, 1}, d; \
            .reg .b32 %r<9>, x; .reg .v2 .u16 %v; .extern .shared .b8 s[]; .global .surfref t;";
        let read = statements(text).expect("declarations");
        let spaces: Vec<_> = read.iter().map(|s| (s.space(), s.of_type(), s.names.len())).collect();
        let expected = [
            (".global", ".b8", 1),
            (".const", ".f32", 2),
            (".reg", ".b32", 2),
            (".reg", ".u16", 1),
            (".shared", ".b8", 1),
            (".global", ".surfref", 1),
        ];
        assert_eq!(spaces, expected);
        assert!(read[0].unified() && read[0].declaration.alignment == Some(8));
        assert_eq!(read[1].size(&read[1].names[0]), Ok(96));
        assert!(read[4].size(&read[4].names[0]).is_err() && read[5].opaque());
        for (register, is) in
            [("%r0", true), ("%r8", true), ("%r9", false), ("%r08", false), ("x", true), ("x.x", false)]
        {
            assert_eq!(read[2].has_register(register), is, "{register}");
        }
        for (register, is) in [("%v.x", true), ("%v.g", true), ("%v.z", false), ("%v", false)] {
            assert_eq!(read[3].has_register(register), is, "{register}");
        }
        for text in
            ["add.u32 a, b, c;", ".align .b8 x;", ".reg .b32;", ".global x;", "é", ".b8 x;", "L:", "{", ".reg .b32 a"]
        {
            assert!(statements(text).is_err(), "{text}");
        }
    }

    #[test]
    fn parameters_are_split_into_parts() {
        let read = parameters(".param .u64 .ptr .global .align 8 p, .param .align 32 .b8 q[64]").expect("parameters");
        assert_eq!(read.iter().map(|p| p.size(&p.names[0])).collect::<Vec<_>>(), [Ok(8), Ok(64)]);
        assert_eq!(parameters(" "), Ok(Vec::new()));
        assert!(parameters(".param .b32 a,").is_err());
    }
}
