//! One declaration: the directives of registers or variables, and their names.

use std::ops::Range;

use super::SyntaxError;
use super::constant::natural;
use super::lexer::Lexer;
use super::part::offset;

/// `.visible .global .align 8 .v4 .b32 a[2][3] = {...}, b`; all texts borrow from the text that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration<'a> {
    /// The part before the names.
    pub directives: &'a str,
    /// `.reg`, `.global`, ...
    pub space: &'a str,
    /// `.b32`, `.surfref`, ...
    pub of_type: &'a str,
    /// 2, 4 or 8 for a vector type, 1 otherwise.
    pub lanes: u8,
    /// The alignment by `.align`, in bytes; the largest if there are several.
    pub alignment: Option<u32>,
    /// True if the declaration has `.attribute(.unified(...))`.
    pub unified: bool,
    /// The names with what follows each, separated by commas.
    names: &'a str,
}

/// A name with what follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declarator<'a> {
    /// The name; `%r` of `%r<9>`.
    pub name: &'a str,
    /// All of it.
    pub text: &'a str,
    /// 9 of `%r<9>`
    pub family: Option<u32>,
    /// True if the variable is an array.
    pub array: bool,
    /// The number of elements: 1 if it is not an array, none if an array leaves it open.
    pub elements: Option<u64>,
}

/// The space that had banks.
const BANKED: &str = ".const";

/// True if a directive begins a declaration of registers or variables.
pub(super) fn is_space(directive: &str) -> bool {
    matches!(directive, ".reg" | ".global" | ".const" | ".shared" | ".local" | ".param" | ".tex" | ".sreg")
}

/// True if a directive says which other modules see a name.
pub(super) fn is_linkage(directive: &str) -> bool {
    matches!(directive, ".visible" | ".extern" | ".weak" | ".common")
}

/// True if a directive may stand before the space of a declaration, with an argument.
pub(super) fn precedes_space(directive: &str) -> bool {
    matches!(directive, ".align" | ".attribute")
}

/// Reads what follows such a directive.
pub(super) fn argument<'a>(lexer: &mut Lexer<'a>, directive: &str) -> Result<&'a str, SyntaxError> {
    lexer.blank();
    if directive == ".align" {
        return match lexer.number() {
            "" => Err(lexer.error("expected a number")),
            number => Ok(number),
        };
    }
    if !lexer.eat(b'(') {
        return Err(lexer.error("expected `(`"));
    }
    let attributes = lexer.skip_until(|byte| byte == b';');
    if lexer.eat(b')') { Ok(attributes) } else { Err(lexer.error("expected `)`")) }
}

impl<'a> Declaration<'a> {
    /// Reads a declaration from after its space, which begins at `start`, up to its semicolon.
    pub(super) fn read(lexer: &mut Lexer<'a>, start: usize, space: &'a str) -> Result<Self, SyntaxError> {
        let mut declaration = Self::directives(lexer, start, space)?;
        declaration.names = lexer.skip_until(|byte| byte == b';');
        if lexer.eat(b';') { Ok(declaration) } else { Err(lexer.error("expected `;`")) }
    }

    /// The directives up to the names: alignment, attributes, vector and type.
    fn directives(lexer: &mut Lexer<'a>, start: usize, space: &'a str) -> Result<Self, SyntaxError> {
        // `.const[2]`, a bank of constants, which PTX 2.2 removed.
        if space == BANKED && lexer.eat(b'[') {
            lexer.skip_until(|byte| byte == b';');
            if !lexer.eat(b']') {
                return Err(lexer.error("expected `]`"));
            }
        }
        let (directives, of_type) = ("", "");
        let mut read = Self { directives, space, of_type, lanes: 1, alignment: None, unified: false, names: "" };
        let mut pointer = false;
        let mut end;
        loop {
            end = lexer.at();
            lexer.blank();
            if lexer.peek() != Some(b'.') {
                break;
            }
            match lexer.directive()? {
                ".align" => {
                    let bytes = argument(lexer, ".align")?;
                    // After the type it aligns nothing, though some ptxas take it.
                    if pointer || !read.of_type.is_empty() {
                        continue;
                    }
                    read.alignment = read.alignment.max(natural(bytes).and_then(|bytes| bytes.try_into().ok()));
                }
                ".attribute" => {
                    let attributes = argument(lexer, ".attribute")?;
                    read.unified |= Lexer::new(attributes).any(|token| token.text == ".unified");
                }
                ".ptr" => pointer = true,
                // The type that a pointer points to is not the parameter's, nor is its alignment.
                _ if pointer => {}
                ".v2" => read.lanes = 2,
                ".v4" => read.lanes = 4,
                ".v8" => read.lanes = 8,
                of_type => read.of_type = of_type,
            }
        }
        read.directives = &lexer.text()[start..end];
        if read.of_type.is_empty() { Err(lexer.error("expected a type")) } else { Ok(read) }
    }

    /// The position of its names in a text that it is a part of.
    pub(super) fn names_at(&self, text: &str) -> usize {
        offset(text, self.names)
    }

    /// Its names, each with what follows it.
    pub fn declarators(&self) -> Declarators<'a> {
        Declarators { lexer: Lexer::new(self.names), more: true }
    }
}

/// Reads the names of a declaration in order.
#[derive(Clone, Debug)]
pub struct Declarators<'a> {
    lexer: Lexer<'a>,
    more: bool,
}

impl<'a> Iterator for Declarators<'a> {
    type Item = Result<Declarator<'a>, SyntaxError>;

    fn next(&mut self) -> Option<Self::Item> {
        if !self.more {
            return None;
        }
        let read = self.read();
        self.more = read.is_ok() && self.lexer.eat(b',');
        if !self.more && read.is_ok() && self.lexer.peek().is_some() {
            return Some(Err(self.lexer.error("expected `;`")));
        }
        Some(read)
    }
}

impl<'a> Declarators<'a> {
    /// Where it stopped, in bytes of the names.
    fn read(&mut self) -> Result<Declarator<'a>, SyntaxError> {
        let lexer = &mut self.lexer;
        lexer.blank();
        let start = lexer.at();
        let name = lexer.name();
        if name.is_empty() || name.as_bytes()[0].is_ascii_digit() {
            lexer.reset(start);
            return Err(lexer.error("expected a name"));
        }
        let mut read = Declarator { name, text: "", family: None, array: false, elements: Some(1) };
        let mut end = lexer.at();
        lexer.blank();
        if lexer.eat(b'<') {
            lexer.blank();
            let count = natural(lexer.number()).and_then(|count| count.try_into().ok());
            read.family = Some(count.ok_or_else(|| lexer.error("expected a number"))?);
            lexer.blank();
            if !lexer.eat(b'>') {
                return Err(lexer.error("expected `>`"));
            }
            end = lexer.at();
            lexer.blank();
        }
        while lexer.eat(b'[') {
            read.array = true;
            let dimension = natural(lexer.skip_until(|byte| byte == b';').trim());
            read.elements =
                read.elements.zip(dimension).and_then(|(elements, dimension)| elements.checked_mul(dimension));
            if !lexer.eat(b']') {
                return Err(lexer.error("expected `]`"));
            }
            end = lexer.at();
            lexer.blank();
        }
        if lexer.eat(b'=') {
            lexer.skip_until(|byte| byte == b',');
            end = lexer.at();
        }
        read.text = lexer.text()[start..end].trim_end();
        Ok(read)
    }
}

/// Reads the parameters of a header: declarations of one name each, separated by commas.
///
/// # Errors
/// If something is not a parameter; says what and where.
pub fn parameters(text: &str) -> Result<Vec<Declaration<'_>>, SyntaxError> {
    let mut parameters = Vec::new();
    for at in parameter_texts(text) {
        parameters.push(Declaration::parameter(text, at)?);
    }
    Ok(parameters)
}

/// The bytes of each parameter of a list; one that is missing after a comma is empty.
pub(crate) fn parameter_texts(text: &str) -> Vec<Range<usize>> {
    let mut lexer = Lexer::new(text);
    let mut found = Vec::new();
    lexer.blank();
    if lexer.peek().is_none() {
        return found;
    }
    loop {
        lexer.blank();
        let start = lexer.at();
        lexer.skip_until(|byte| byte == b',');
        found.push(start..start + lexer.since(start).trim_end().len());
        if !lexer.eat(b',') {
            return found;
        }
    }
}

impl<'a> Declaration<'a> {
    /// Reads the parameter at these bytes of a text.
    ///
    /// # Errors
    /// If the text is not a parameter; says why and where.
    pub(crate) fn parameter(text: &'a str, at: Range<usize>) -> Result<Self, SyntaxError> {
        let mut lexer = Lexer::new(&text[..at.end]);
        lexer.reset(at.start);
        loop {
            lexer.blank();
            let start = lexer.at();
            let word = if lexer.peek() == Some(b'.') { lexer.directive()? } else { "" };
            match word {
                ".hidden" => {}
                word if precedes_space(word) => drop(argument(&mut lexer, word)?),
                ".param" | ".reg" => {
                    let mut parameter = Self::directives(&mut lexer, at.start, word)?;
                    parameter.names = lexer.skip_until(|_| false);
                    if parameter.names.trim().is_empty() {
                        return Err(lexer.error("expected a name"));
                    }
                    return Ok(parameter);
                }
                _ => return Err(SyntaxError { message: "expected a parameter", at: start }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::statement::{Statement, Statements};
    use super::*;

    fn declarations(text: &str) -> Result<Vec<Declaration<'_>>, SyntaxError> {
        let mut statements = Statements::of_part(text);
        let mut read = Vec::new();
        while let Some(statement) = statements.next_statement()? {
            match statement {
                Statement::Declaration(declaration) => read.push(declaration),
                other => panic!("{other:?} of {text}"),
            }
        }
        Ok(read)
    }

    #[test]
    fn declarations_are_split_into_parts() {
        let text = ".global .attribute(.unified(1, 2)) .align 8 .b8 u[64]; .visible .const .v4 .f32 c[2][3] = {0, 1}, \
            d /* ; */; .reg .b32 %r<9>, x; .extern .shared .b8 s[]; .global .surfref t; .param .u64 .ptr .global .align 8 p;";
        let read = declarations(text).expect("declarations");
        let found: Vec<_> = read.iter().map(|d| (d.space, d.of_type, d.lanes, d.alignment, d.unified)).collect();
        let expected = [
            (".global", ".b8", 1, Some(8), true),
            (".const", ".f32", 4, None, false),
            (".reg", ".b32", 1, None, false),
            (".shared", ".b8", 1, None, false),
            (".global", ".surfref", 1, None, false),
            (".param", ".u64", 1, None, false),
        ];
        assert_eq!(found, expected);
        assert_eq!(read[1].directives, ".visible .const .v4 .f32");
        let names = |at: usize| read[at].declarators().collect::<Result<Vec<_>, _>>().expect("names");
        let named = |name, text, family, array, elements| Declarator { name, text, family, array, elements };
        assert_eq!(
            names(1),
            [named("c", "c[2][3] = {0, 1}", None, true, Some(6)), named("d", "d", None, false, Some(1))]
        );
        assert_eq!(names(2), [named("%r", "%r<9>", Some(9), false, Some(1)), named("x", "x", None, false, Some(1))]);
        assert_eq!(names(3), [named("s", "s[]", None, true, None)]);
    }

    #[test]
    fn malformed_declarations_are_rejected() {
        for text in [".reg .b32 x", ".reg x;", ".global .attribute .b8 x;"] {
            assert!(declarations(text).is_err(), "{text}");
        }
        for text in [".reg .b32;", ".reg .b32 %r<x>;", ".reg .b32 a b;", ".reg .b32 9;", ".reg .b32 a,;"] {
            let read = declarations(text).expect(text);
            assert!(read[0].declarators().any(|name| name.is_err()), "{text}");
        }
        for text in [".param .b32 a,", ".param .b32", ".global .b32 a", "a"] {
            assert!(parameters(text).is_err(), "{text}");
        }
        assert_eq!(parameters(" "), Ok(Vec::new()));
    }
}
