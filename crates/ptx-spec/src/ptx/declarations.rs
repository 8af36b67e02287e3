//! Declarations: what the names of a line stand for.
//!
//! Reads the text that stands between a module's directives and a line: module-scope variables,
//! the header of the entry or function, registers and local variables.

use std::hash::Hasher;
use std::ops::Range;

use rustc_hash::FxHasher;

use super::{Bytes, Context};
use crate::spec::Isa;

/// What a name is made of, and a directive behind its dot.
static WORD: Bytes = Bytes::letters_digits_and(b"_$%");

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// A register: the position of its type in [`Isa::types`] (`None` for a type it does not
    /// list), and its lanes (1 for a scalar).
    Register(Option<usize>, u8),
    /// A variable with data: what an address that starts from it starts from (`global`, ...).
    Variable(&'static str),
    /// A `.surfref`: whether it is a parameter.
    Surface(bool),
    /// A `.texref`, `.samplerref` or anything else that is no data.
    Opaque,
}

/// The names that a line can use, and where it stands.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    /// Whether the line stands in an entry or a function; an entry where no header says.
    pub context: Context,
    names: Names<Symbol>,
    /// `.reg .b32 %r<9>;`: by prefix, the number of registers and what each is.
    families: Names<(u32, Symbol)>,
    /// The alignment of variables in bytes.
    alignments: Names<u32>,
}

/// A map by name that is cheap to make: one text of all names, and their places in it, sorted by
/// hash once all are in.
#[derive(Clone, Debug)]
struct Names<T> {
    text: String,
    entries: Vec<Entry<T>>,
}

#[derive(Clone, Debug)]
struct Entry<T> {
    hash: u64,
    name: Range<usize>,
    what: T,
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Self { text: String::new(), entries: Vec::new() }
    }
}

impl<T: Copy> Names<T> {
    fn hash(name: &str) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write(name.as_bytes());
        hasher.finish()
    }

    fn insert(&mut self, name: &str, what: T) {
        let start = self.text.len();
        self.text.push_str(name);
        self.entries.push(Entry { hash: Self::hash(name), name: start..self.text.len(), what });
    }

    fn sort(&mut self) {
        // Of two of a name the last counts: the order among equals stays.
        self.entries.sort_by_key(|entry| entry.hash);
    }

    /// What was inserted last under this name.
    fn get(&self, name: &str) -> Option<T> {
        if self.entries.is_empty() {
            return None;
        }
        let hash = Self::hash(name);
        let end = self.entries.partition_point(|entry| entry.hash <= hash);
        let same = self.entries[..end].iter().rev().take_while(|entry| entry.hash == hash);
        same.into_iter().find(|entry| self.text[entry.name.clone()] == *name).map(|entry| entry.what)
    }
}

/// Why declarations cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}, at `{near}` in the declarations")]
pub struct DeclarationError {
    message: &'static str,
    near: String,
}

impl Declarations {
    /// Reads declarations.
    ///
    /// # Errors
    /// What is no declaration, and where.
    pub fn parse(text: &str, isa: &Isa) -> Result<Self, DeclarationError> {
        let tokens = tokenize(text);
        let mut parser = Parser { isa, tokens: &tokens, at: 0, inside: false, declarations: Self::default() };
        // Few declarations need more room.
        parser.declarations.names.text.reserve(text.len().min(256) / 2);
        parser.declarations.names.entries.reserve(tokens.len().min(64) / 4);
        while parser.at < tokens.len() {
            parser.declaration()?;
        }
        parser.declarations.names.sort();
        parser.declarations.families.sort();
        parser.declarations.alignments.sort();
        Ok(parser.declarations)
    }

    /// What a name stands for: a declared one, one of a family (`%r3` of `%r<9>`), a component of
    /// a vector (`%v.x`) or a special register.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        if let Some(symbol) = self.whole(name) {
            return Some(symbol);
        }
        let (vector, component) = name.rsplit_once('.')?;
        let lane = ["x", "y", "z", "w"].iter().chain(&["r", "g", "b", "a"]).position(|&c| c == component)? % 4;
        match self.whole(vector)? {
            Symbol::Register(of, lanes) if lanes > 1 && usize::from(lanes) > lane => Some(Symbol::Register(of, 1)),
            _ => None,
        }
    }

    /// The alignment of a variable in bytes: what its declaration says, or the size of its type. PTX ISA
    /// `vectors`, `alignment`.
    pub fn alignment(&self, name: &str) -> Option<u32> {
        self.alignments.get(name)
    }

    /// What a name without a component stands for.
    fn whole(&self, name: &str) -> Option<Symbol> {
        if let Some(symbol) = self.names.get(name) {
            return Some(symbol);
        }
        if self.families.entries.is_empty() {
            return None;
        }
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &name[prefix.len()..];
        let canonical = !digits.is_empty() && (digits == "0" || !digits.starts_with('0'));
        if canonical
            && let Some((count, symbol)) = self.families.get(prefix)
            && digits.parse::<u32>().is_ok_and(|number| number < count)
        {
            return Some(symbol);
        }
        None
    }
}

fn tokenize(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity((text.len() / 4).min(1 << 10));
    let mut at = 0;
    while let Some(&first) = bytes.get(at) {
        if first.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if first == b'/' && bytes.get(at + 1) == Some(&b'/') {
            at += text[at..].find('\n').unwrap_or(text.len() - at);
            continue;
        }
        if first == b'/' && bytes.get(at + 1) == Some(&b'*') {
            at = text[at + 2..].find("*/").map_or(text.len(), |end| at + end + 4);
            continue;
        }
        let start = at;
        at += usize::from(first == b'.');
        at += bytes[at..].iter().take_while(|&&byte| WORD.has(byte)).count();
        if at == start {
            at += text[start..].chars().next().map_or(1, char::len_utf8);
        }
        tokens.push(&text[start..at]);
    }
    tokens
}

struct Parser<'a> {
    isa: &'a Isa,
    tokens: &'a [&'a str],
    at: usize,
    /// Whether the header of an entry or function has been read.
    inside: bool,
    declarations: Declarations,
}

/// What a declaration declares, gathered from its directives.
#[derive(Clone, Default)]
struct Declared<'a> {
    alignment: Option<u32>,
    space: &'a str,
    of_type: &'a str,
    lanes: u8,
    unified: bool,
}

impl<'a> Parser<'a> {
    fn error(&self, message: &'static str) -> DeclarationError {
        let near = self.tokens[self.at.min(self.tokens.len())..].iter().take(4).copied().collect::<Vec<_>>().join(" ");
        DeclarationError { message, near: if near.is_empty() { "the end".to_owned() } else { near } }
    }

    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).copied().unwrap_or("")
    }

    fn next(&mut self) -> &'a str {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn declaration(&mut self) -> Result<(), DeclarationError> {
        match self.peek() {
            ";" | "{" | "}" => {
                self.at += 1;
                Ok(())
            }
            ".visible" | ".extern" | ".weak" | ".common" => {
                self.at += 1;
                Ok(())
            }
            ".entry" | ".func" => self.header(),
            ".reg" | ".global" | ".const" | ".shared" | ".local" | ".param" | ".tex" | ".sreg" => {
                let declared = self.directives()?;
                self.names(&declared, false)?;
                if self.eat(";") { Ok(()) } else { Err(self.error("`;` is expected")) }
            }
            _ => Err(self.error("a declaration is expected")),
        }
    }

    /// The directives before the names: space, alignment, attributes, vector and type.
    fn directives(&mut self) -> Result<Declared<'a>, DeclarationError> {
        let mut declared = Declared { space: self.next(), lanes: 1, ..Declared::default() };
        while self.peek().starts_with('.') {
            match self.next() {
                ".align" => declared.alignment = self.next().parse().ok(),
                ".attribute" => {
                    while !matches!(self.peek(), "" | ";") && !self.eat(")") {
                        declared.unified |= self.next() == ".unified";
                        if self.eat("(") && self.peek() != ".unified" {
                            self.skip_to_close();
                        }
                    }
                    // The outer bracket of `.attribute(.unified(1, 2))`.
                    self.eat(")");
                }
                ".ptr" => {}
                ".v2" => declared.lanes = 2,
                ".v4" => declared.lanes = 4,
                ".v8" => declared.lanes = 8,
                of_type => declared.of_type = of_type,
            }
        }
        if declared.of_type.is_empty() { Err(self.error("a type is expected")) } else { Ok(declared) }
    }

    fn skip_to_close(&mut self) {
        while !matches!(self.peek(), "" | ";") && !self.eat(")") {
            self.at += 1;
        }
    }

    /// The names of a declaration, separated by commas, with array sizes and initial values.
    fn names(&mut self, declared: &Declared<'a>, parameter: bool) -> Result<(), DeclarationError> {
        let symbol = self.symbol(declared, parameter);
        loop {
            let name = self.next();
            if name.is_empty() || !name.bytes().all(|byte| WORD.has(byte)) {
                self.at -= 1;
                return Err(self.error("a name is expected"));
            }
            if self.eat("<") {
                let count = self.next().parse().map_err(|_| self.error("a number is expected"))?;
                if !self.eat(">") {
                    return Err(self.error("`>` is expected"));
                }
                self.declarations.families.insert(name, (count, symbol));
            } else {
                self.declarations.names.insert(name, symbol);
            }
            if matches!(symbol, Symbol::Variable(_)) {
                let of = self.isa.register_type(declared.of_type);
                let natural = of.map(|of| u32::from(of.bits / 8) * u32::from(declared.lanes));
                let alignment = declared.alignment.or(natural);
                alignment.into_iter().for_each(|bytes| self.declarations.alignments.insert(name, bytes));
            }
            while self.eat("[") {
                while !matches!(self.peek(), "" | ";") && !self.eat("]") {
                    self.at += 1;
                }
            }
            if self.eat("=") {
                self.initializer();
            }
            // A comma between parameters ends this one.
            if parameter || !self.eat(",") {
                return Ok(());
            }
        }
    }

    fn initializer(&mut self) {
        let mut depth = 0_u32;
        loop {
            match self.peek() {
                "" | ";" => return,
                "," if depth == 0 => return,
                "{" | "(" => depth += 1,
                "}" | ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
    }

    fn symbol(&self, declared: &Declared<'_>, parameter: bool) -> Symbol {
        let entry = self.declarations.context == Context::Entry;
        match (declared.space, declared.of_type) {
            (".reg" | ".sreg", of) => {
                Symbol::Register(self.isa.types.iter().position(|t| t.name == of), declared.lanes)
            }
            (space, ".surfref") => Symbol::Surface(space == ".param"),
            (".tex", _) | (_, ".texref" | ".samplerref") => Symbol::Opaque,
            (".global", _) if declared.unified => Symbol::Variable("unified"),
            (".global", _) => Symbol::Variable("global"),
            (".const", _) => Symbol::Variable("const"),
            (".shared", _) => Symbol::Variable("shared"),
            (".local", _) => Symbol::Variable("local"),
            (_, _) if !parameter => Symbol::Variable("local-parameter"),
            (_, _) if entry => Symbol::Variable("entry-parameter"),
            (_, _) => Symbol::Variable("function-parameter"),
        }
    }

    /// `.entry name (parameters) .maxntid 1 {` or `.func (results) name (parameters) {`.
    fn header(&mut self) -> Result<(), DeclarationError> {
        if self.inside {
            return Err(self.error("a line stands in one entry or function"));
        }
        let function = self.next() == ".func";
        // A prototype ends in a semicolon: it declares a function, and nothing stands in it.
        let end = self.tokens[self.at..].iter().position(|&t| t == "{" || t == ";");
        let prototype = end.is_some_and(|end| self.tokens[self.at + end] == ";");
        if prototype {
            self.at += end.unwrap_or(0);
            return Ok(());
        }
        self.inside = true;
        self.declarations.context = if function { Context::Function } else { Context::Entry };
        while !matches!(self.peek(), "" | "{") {
            if self.eat("(") {
                while !self.eat(")") {
                    if self.peek().is_empty() {
                        return Err(self.error("`)` is expected"));
                    }
                    if !self.eat(",") {
                        let declared = self.parameter()?;
                        self.names(&declared, true)?;
                    }
                }
            } else {
                self.at += 1;
            }
        }
        Ok(())
    }

    /// `.param .u64 .ptr .global .align 8 p`: the space behind `.ptr` is not the parameter's.
    fn parameter(&mut self) -> Result<Declared<'a>, DeclarationError> {
        let start = self.at;
        if !matches!(self.peek(), ".param" | ".reg") {
            return Err(self.error("a parameter is expected"));
        }
        let first = self.directives()?;
        let directives = &self.tokens[start + 1..self.at.min(self.tokens.len())];
        match directives.iter().position(|&token| token == ".ptr") {
            None => Ok(first),
            Some(end) => {
                let types = directives[..end].iter().rev();
                let of_type = types.copied().find(|t| t.starts_with('.')).unwrap_or(first.of_type);
                Ok(Declared { of_type, ..first })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Spec;

    #[test]
    fn of_two_declarations_of_a_name_the_last_counts() {
        let spec = Spec::load(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs")))
            .expect("a sound specification");
        let symbol = |text: &str, name: &str| Declarations::parse(text, &spec.isa).expect(text).symbol(name);
        let register = |of: &str| {
            let of = spec.isa.types.iter().position(|known| known.name == of);
            Some(Symbol::Register(of, 1))
        };
        let text = ".reg .b32 a, b; .reg .f32 a; .reg .u8 %r<9>; .reg .u16 %r<3>, %r5;";
        for (name, of) in [("a", ".f32"), ("b", ".b32"), ("%r2", ".u16"), ("%r5", ".u16")] {
            assert_eq!(symbol(text, name), register(of), "{name}");
        }
        for name in ["c", "%r", "%r3", "%r02", ""] {
            assert_eq!(symbol(text, name), None, "{name}");
        }
        let many: String = (0..100).map(|at| format!(".reg .b32 a{at}; .reg .b64 a{};", at / 2)).collect();
        for (name, of) in [("a0", ".b64"), ("a49", ".b64"), ("a50", ".b32"), ("a99", ".b32")] {
            assert_eq!(symbol(&many, name), register(of), "{name}");
        }
    }
}
