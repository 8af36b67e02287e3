//! What declarations declare, statement by statement, so that variables can be given contents.

use std::fmt::Write as _;

use crate::execution::{Execution, Space, Variable};

/// The alignment of a variable with contents: that of the widest access.
const ALIGNMENT: usize = 32;

/// A statement: directives, and the names that they are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement<'a> {
    /// `.global .align 32 .b8`
    directives: &'a str,
    /// `.global`, or what else says what the names are.
    pub(super) space: &'a str,
    /// `.b8`
    pub(super) of_type: &'a str,
    /// Of a vector type 2, 4 or 8, otherwise 1.
    lanes: usize,
    alignment: usize,
    /// What stands behind the directives, separated by commas.
    pub(super) names: Vec<Declared<'a>>,
}

/// A name and what stands behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared<'a> {
    /// `%r` of `%r<9>`
    pub(super) name: &'a str,
    /// All of it.
    text: &'a str,
    /// 9 of `%r<9>`
    family: Option<u32>,
    /// The elements of an array, 1 where it is none, nothing where that is left open.
    elements: Option<usize>,
}

/// Whether a byte can stand in a name.
pub(super) fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%')
}

/// A text with a space for each comment.
pub(super) fn without_comments(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        clean.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = match rest.as_bytes().get(1) {
            Some(b'/') => rest.find('\n'),
            Some(b'*') => rest.get(2..).and_then(|inside| inside.find("*/")).map(|end| end + 4),
            _ => {
                clean.push('/');
                rest = &rest[1..];
                continue;
            }
        };
        clean.push(' ');
        rest = end.map_or("", |end| &rest[end..]);
    }
    clean.push_str(rest);
    clean
}

/// Statements that end in semicolons.
///
/// # Errors
/// What is no declaration.
pub(super) fn statements(text: &str) -> Result<Vec<Statement<'_>>, String> {
    text.split(';').map(str::trim).filter(|part| !part.is_empty()).map(statement).collect()
}

/// Parameters: declarations of one name each, separated by commas.
///
/// # Errors
/// What is no parameter.
pub(super) fn parameters(text: &str) -> Result<Vec<Statement<'_>>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    split(text).map(|part| statement(part.trim())).collect()
}

/// The parts of a text between the commas that stand in no brackets.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    text.split(move |c: char| {
        depth += match c {
            '(' | '{' | '[' => 1,
            ')' | '}' | ']' => -1,
            _ => 0,
        };
        c == ',' && depth == 0
    })
}

fn statement(text: &str) -> Result<Statement<'_>, String> {
    let error = || format!("`{text}` is no declaration of a register or variable");
    let mut read = Statement { directives: "", space: "", of_type: "", lanes: 1, alignment: 0, names: Vec::new() };
    let mut rest = text;
    while rest.starts_with('.') {
        let end = rest[1..].bytes().position(|byte| !in_name(byte)).map_or(rest.len(), |end| end + 1);
        let directive = &rest[..end];
        rest = rest[end..].trim_start();
        match directive {
            ".visible" | ".extern" | ".weak" | ".common" => {}
            ".align" => {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                read.alignment = read.alignment.max(rest[..digits].parse().map_err(|_| error())?);
                rest = rest[digits..].trim_start();
            }
            ".attribute" => {
                let mut depth = 0_i32;
                let closes = |c: char| {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    depth == 0
                };
                let end = rest.find(closes).ok_or_else(error)?;
                rest = rest[end + 1..].trim_start();
            }
            ".v2" | ".v4" | ".v8" => read.lanes = directive[2..].parse().map_err(|_| error())?,
            _ if read.space.is_empty() => read.space = directive,
            _ if read.of_type.is_empty() && (bits(directive).is_some() || opaque(directive)) => {
                read.of_type = directive;
            }
            _ => {}
        }
    }
    read.directives = text[..text.len() - rest.len()].trim_end();
    read.names = split(rest).map(|name| declared(name.trim())).collect::<Option<_>>().ok_or_else(error)?;
    let known = [".reg", ".sreg", ".global", ".const", ".shared", ".local", ".param", ".tex"].contains(&read.space);
    if known && (!read.of_type.is_empty() || read.space == ".reg") { Ok(read) } else { Err(error()) }
}

fn declared(text: &str) -> Option<Declared<'_>> {
    let length = text.bytes().take_while(|&byte| in_name(byte)).count();
    let (name, rest) = text.split_at_checked(length).filter(|(name, _)| !name.is_empty())?;
    let rest = rest.trim_start();
    let mut read = Declared { name, text, family: None, elements: Some(1) };
    if let Some(count) = rest.strip_prefix('<') {
        read.family = Some(count.split('>').next()?.trim().parse().ok()?);
        return Some(read);
    }
    let dimensions = rest.split('=').next()?;
    for dimension in dimensions.split('[').skip(1) {
        let size = dimension.split(']').next()?.trim().parse().ok();
        read.elements = read.elements.zip(size).and_then(|(elements, size): (usize, usize)| elements.checked_mul(size));
    }
    Some(read)
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

/// Whether a type has no data that could be given.
fn opaque(of_type: &str) -> bool {
    matches!(of_type, ".surfref" | ".texref" | ".samplerref")
}

impl<'a> Statement<'a> {
    /// Whether it declares surfaces, textures or samplers.
    pub(super) fn opaque(&self) -> bool {
        opaque(self.of_type)
    }

    /// Whether it declares unified variables.
    pub(super) fn unified(&self) -> bool {
        self.directives.contains(".unified")
    }

    /// Whether it declares this register: alone, as one of a family (`%r3` of `%r<9>`), or as the
    /// component of a vector (`%v.x`).
    pub(super) fn has_register(&self, register: &str) -> bool {
        let name = match register.rsplit_once('.') {
            Some((vector, component)) if self.lanes > 1 => {
                let known = ["x", "y", "z", "w", "r", "g", "b", "a"].iter().position(|&known| known == component);
                if known.is_none_or(|at| at % 4 >= self.lanes) {
                    return false;
                }
                vector
            }
            None if self.lanes == 1 => register,
            _ => return false,
        };
        let is = |declared: &Declared<'a>| match declared.family {
            None => declared.name == name,
            Some(count) => {
                let number = name.strip_prefix(declared.name).unwrap_or_default();
                let canonical = number == "0" || !number.starts_with('0') && number.bytes().all(|b| b.is_ascii_digit());
                canonical && number.parse::<u32>().is_ok_and(|number| number < count)
            }
        };
        self.space == ".reg" && self.names.iter().any(is)
    }

    /// What it declares under this name.
    pub(super) fn find(&self, name: &str) -> Option<&Declared<'a>> {
        self.names.iter().find(|declared| self.space != ".reg" && declared.name == name)
    }

    /// The variable of this name as so many bytes.
    pub(super) fn bytes(&self, name: &str, size: usize) -> String {
        format!("{} .align {} .b8 {name}[{size}]", self.space, self.alignment.max(ALIGNMENT))
    }

    /// How many bytes a variable of it has.
    ///
    /// # Errors
    /// Where that is not said.
    pub(super) fn size(&self, declared: &Declared<'_>) -> Result<usize, String> {
        let element = bits(self.of_type).map(|bits| bits / 8 * self.lanes);
        let size = element.zip(declared.elements).and_then(|(element, elements)| element.checked_mul(elements));
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

/// The statements with the contents of the case's variables: as initial values where that can be,
/// as so many bytes elsewhere.
///
/// # Errors
/// Where a variable is not what the case says.
pub(super) fn with_contents(statements: &[Statement<'_>], case: &Execution) -> Result<String, String> {
    let mut text = String::new();
    for statement in statements {
        let contents = |declared: &Declared<'_>| {
            let known = statement.space != ".reg";
            known.then(|| case.variable(declared.name)).flatten()
        };
        let rest: Vec<&str> = statement.names.iter().filter(|d| contents(d).is_none()).map(|d| d.text).collect();
        if !rest.is_empty() {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{} {};", statement.directives, rest.join(", "));
        }
        for variable in statement.names.iter().filter_map(contents) {
            check(statement, variable)?;
            let declaration = statement.bytes(&variable.name, variable.data.len());
            let _ = match variable.space {
                Space::Global | Space::Const => {
                    // What is visible may be changed from outside: its loads are not computed in advance.
                    writeln!(text, ".visible {declaration} = {};", initial(&variable.data))
                }
                _ => writeln!(text, "{declaration};"),
            };
        }
    }
    Ok(text)
}

/// Whether a variable is what its declaration says.
///
/// # Errors
/// Where it is not.
pub(super) fn check(statement: &Statement<'_>, variable: &Variable) -> Result<(), String> {
    let name = &variable.name;
    if statement.unified() {
        return Err(format!("`{name}` is unified: it belongs to no one module, and cannot be given contents"));
    }
    if statement.space != space(variable) {
        return Err(format!("`{name}` is declared in {}, and has contents in {}", statement.space, space(variable)));
    }
    match variable.data.len() {
        0 => Err(format!("`{name}` has no bytes")),
        size if size >= 1 << 16 => Err(format!("`{name}` has more bytes than a module can say")),
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
    fn statements_are_taken_apart() {
        let text = ".global .attribute(.unified(1, 2)) .align 8 .b8 u[64]; .visible .const .v4 .f32 c[2][3] = {0, 1}, d; \
            .reg .b32 %r<9>, x; .reg .v2 .u16 %v; .extern .shared .b8 s[]; .global .surfref t";
        let read = statements(text).expect("declarations");
        let spaces: Vec<_> = read.iter().map(|s| (s.space, s.of_type, s.names.len())).collect();
        let should = [
            (".global", ".b8", 1),
            (".const", ".f32", 2),
            (".reg", ".b32", 2),
            (".reg", ".u16", 1),
            (".shared", ".b8", 1),
            (".global", ".surfref", 1),
        ];
        assert_eq!(spaces, should);
        assert!(read[0].unified() && read[0].alignment == 8);
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
        for text in ["add.u32 a, b, c", ".align .b8 x", ".reg .b32", ".attribute(.b8 x", ".global x", "é", ".b8 x"] {
            assert!(statements(text).is_err(), "{text}");
        }
    }

    #[test]
    fn parameters_are_taken_apart() {
        let read = parameters(".param .u64 .ptr .global .align 8 p, .param .align 32 .b8 q[64]").expect("parameters");
        assert_eq!(read.iter().map(|p| p.size(&p.names[0])).collect::<Vec<_>>(), [Ok(8), Ok(64)]);
        assert_eq!(parameters(" "), Ok(Vec::new()));
        assert!(parameters(".param .b32 a,").is_err());
    }

    #[test]
    fn comments_are_left_out() {
        for (text, clean) in [("a // b\nc", "a  \nc"), ("a/* ; */b / c", "a b / c"), ("a /*/ b", "a  "), ("a//", "a ")]
        {
            assert_eq!(without_comments(text), clean, "{text}");
        }
    }
}
