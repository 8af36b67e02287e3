//! The header of an entry or function. PTX ISA `kernel-and-function-directives`.

use super::SyntaxError;
use super::constant;
use super::declaration::{is_linkage, is_space};
use super::lexer::Lexer;

/// `.visible .entry name(parameters) .maxntid 32` or `.func (results) name(parameters)`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    /// True if the header is a function's, and not an entry's.
    pub function: bool,
    /// The name of the entry or function.
    pub name: &'a str,
    /// The text in parentheses before the name.
    pub results: &'a str,
    /// The text in parentheses after it.
    pub parameters: &'a str,
    /// All of it, without the `{` or `;` after it.
    pub text: &'a str,
    /// True if the header ends in a semicolon, and has no body.
    pub prototype: bool,
}

impl<'a> Header<'a> {
    /// Reads a header, which begins at `start`, after its `.entry` or `.func`. In a part of a module the text may end
    /// after it, where a body follows that the text does not have; in a file, that is a prototype.
    pub(super) fn read(
        lexer: &mut Lexer<'a>,
        start: usize,
        function: bool,
        (part, file): (bool, bool),
    ) -> Result<Self, SyntaxError> {
        lexer.blank();
        // `.func .attribute(.unified(1, 2)) name`
        while lexer.peek() == Some(b'.') {
            tuning(lexer)?;
            lexer.blank();
        }
        let results = parenthesized(lexer)?;
        let name = name(lexer);
        if name.is_empty() {
            return Err(lexer.error("expected the name of an entry or function"));
        }
        lexer.blank();
        let parameters = parenthesized(lexer)?;
        loop {
            let text = lexer.since(start).trim_end();
            lexer.blank();
            let header = |prototype| Self { function, name, results, parameters, text, prototype };
            match lexer.peek() {
                // A prototype needs no semicolon.
                Some(b'.') if ends(lexer, function) => return Ok(header(true)),
                None if file => return Ok(header(true)),
                Some(b'.') => tuning(lexer)?,
                Some(b'{') => return Ok(header(false)),
                Some(b';') => {
                    lexer.eat(b';');
                    return Ok(header(true));
                }
                None if part => return Ok(header(false)),
                _ => return Err(lexer.error("expected `{`")),
            }
        }
    }
}

/// Reads the name of an entry or function. It ends at a dot, as in `.entry k.maxntid 32`. Before parentheses the dots belong to
/// it, as in `.entry a.b ()`: that is a malformed name, which is read whole to be reported.
fn name<'a>(lexer: &mut Lexer<'a>) -> &'a str {
    let mut dotted = lexer.clone();
    let whole = dotted.name();
    dotted.blank();
    match dotted.peek() {
        Some(b'(') => {
            lexer.name();
            whole
        }
        _ => lexer.identifier(),
    }
}

/// True if the next directive is not part of a header.
fn ends(lexer: &Lexer<'_>, function: bool) -> bool {
    let word = lexer.clone().next().map_or("", |token| token.text);
    is_linkage(word)
        || is_space(word)
        || matches!(
            word,
            ".entry" | ".func" | ".file" | ".section" | ".alias" | ".version" | ".target" | ".address_size" | ".loc"
        )
        || function && word == ".pragma"
}

/// Reads parentheses, if they come next, and returns the text between them.
pub(super) fn parenthesized<'a>(lexer: &mut Lexer<'a>) -> Result<&'a str, SyntaxError> {
    if !lexer.eat(b'(') {
        return Ok("");
    }
    let inside = lexer.skip_until(|byte| byte == b';');
    if !lexer.eat(b')') {
        return Err(lexer.error("expected `)`"));
    }
    lexer.blank();
    Ok(inside)
}

/// Reads a directive between a name and its body: `.maxntid 32, 1, 1`, `.noreturn`, `.pragma "nounroll";`.
fn tuning(lexer: &mut Lexer<'_>) -> Result<(), SyntaxError> {
    match lexer.directive()? {
        ".pragma" => {
            lexer.skip_until(|byte| byte == b';');
            return if lexer.eat(b';') { Ok(()) } else { Err(lexer.error("expected `;`")) };
        }
        ".attribute" => {
            lexer.blank();
            return parenthesized(lexer).map(|_| ());
        }
        _ => {}
    }
    lexer.blank();
    while constant::starts(lexer) {
        let start = lexer.at();
        if constant::expression(lexer)?.is_none() {
            lexer.reset(start);
            return Err(lexer.error("expected a number"));
        }
        if !lexer.eat(b',') {
            break;
        }
        lexer.blank();
    }
    Ok(())
}
