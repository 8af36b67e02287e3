//! Declarations: the meaning of the names in a line.
//!
//! Reads the text between a module's directives and a line: module-scope variables, the header of the entry
//! or function, registers and local variables.

use super::declaration::{Declaration, parameters};
use super::header::Header;
use super::name_table::NameTable;
use super::statement::{Statement, Statements};
use super::{Context, Lexer, SyntaxError};
use crate::spec::Isa;

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// A register: the position of its type in [`Isa::types`] (`None` for a type it does not
    /// list), and its lanes (1 for a scalar).
    Register(Option<usize>, u8),
    /// A variable with data: its kind as the base of an address (`global`, ...).
    Variable(&'static str),
    /// A `.surfref`: whether it is a parameter.
    Surface(bool),
    /// A `.texref`, `.samplerref`, an array of surfaces, or anything else without data.
    Opaque,
}

/// The names that a line can use, and its context.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    /// Whether the line is in an entry or a function; without a header, it is in an entry.
    pub context: Context,
    /// The meaning of each name, and the alignment of a variable in bytes.
    names: NameTable<(Symbol, Option<u32>)>,
    /// `.reg .b32 %r<9>;`: by prefix, the number of registers and their meaning.
    families: NameTable<(u32, Symbol)>,
}

/// Why declarations cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}, at `{near}` in the declarations")]
pub struct DeclarationError {
    message: &'static str,
    near: String,
}

impl DeclarationError {
    fn new(text: &str, error: &SyntaxError) -> Self {
        let near: Vec<&str> =
            Lexer::new(text.get(error.at..).unwrap_or_default()).take(4).map(|token| token.text).collect();
        let near = if near.is_empty() { "the end".to_owned() } else { near.join(" ") };
        Self { message: error.message, near }
    }
}

impl Declarations {
    /// Reads declarations: the text between a module's directives and a line. Declarations in closed braces
    /// are dropped.
    ///
    /// # Errors
    /// If something is not a declaration; says what and where.
    pub fn parse(text: &str, isa: &Isa) -> Result<Self, DeclarationError> {
        let mut table = Self::default();
        // Few declarations need more room.
        table.names.reserve((text.len() / 16).min(16), text.len().min(256) / 2);
        table.add(text, isa)?;
        Ok(table)
    }

    /// Adds declarations in an inner scope, which hide others with the same name.
    ///
    /// # Errors
    /// As [`Declarations::parse`].
    pub fn with(&self, text: &str, isa: &Isa) -> Result<Self, DeclarationError> {
        let mut table = self.clone();
        table.add(text, isa)?;
        Ok(table)
    }

    fn add(&mut self, text: &str, isa: &Isa) -> Result<(), DeclarationError> {
        let mut collector = Collector { isa, table: self, scopes: Vec::new(), body: None };
        collector.text(text).map_err(|error| DeclarationError::new(text, &error))?;
        self.names.sort();
        self.families.sort();
        Ok(())
    }

    /// The meaning of a name: a declared one, one of a family (`%r3` of `%r<9>`), a component of a vector
    /// (`%v.x`) or a special register.
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

    /// The alignment of a variable in bytes, by its declaration or by the size of its type. PTX ISA
    /// `alignment`.
    pub fn alignment(&self, name: &str) -> Option<u32> {
        self.names.get(name)?.1
    }

    /// The meaning of a name without a component.
    fn whole(&self, name: &str) -> Option<Symbol> {
        if let Some((symbol, _)) = self.names.get(name) {
            return Some(symbol);
        }
        if self.families.is_empty() {
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

/// The declaration of a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Statement,
    EntryParameter,
    FunctionParameter,
    ReturnParameter,
}

/// Reads declarations into a table.
struct Collector<'a, 't> {
    isa: &'a Isa,
    table: &'t mut Declarations,
    /// For each open brace, the number of names and of families before it.
    scopes: Vec<(usize, usize)>,
    /// Whether the next brace opens the body of an entry or function, whose parameters are already
    /// in the table.
    body: Option<(usize, usize)>,
}

impl Collector<'_, '_> {
    fn text(&mut self, text: &str) -> Result<(), SyntaxError> {
        let mut statements = Statements::of_part(text);
        loop {
            let start = statements.at();
            let error = |message| Err(SyntaxError { message, at: start });
            let Some(statement) = statements.next_statement()? else { return Ok(()) };
            match statement {
                Statement::Declaration(declaration) => self.declare(&declaration, Origin::Statement, text)?,
                Statement::Header(header) => self.header(&header, text)?,
                Statement::Open => {
                    let outside = self.body.take().unwrap_or_else(|| self.sizes());
                    self.scopes.push(outside);
                }
                Statement::Close => {
                    if let Some((names, families)) = self.scopes.pop() {
                        self.table.names.truncate(names);
                        self.table.families.truncate(families);
                    }
                }
                Statement::Directive(..) | Statement::Label(_) => {}
                Statement::Instruction(_) => return error("expected a declaration"),
            }
        }
    }

    fn sizes(&self) -> (usize, usize) {
        (self.table.names.len(), self.table.families.len())
    }

    fn header(&mut self, header: &Header<'_>, text: &str) -> Result<(), SyntaxError> {
        // A prototype declares a function without a body.
        if header.prototype {
            return Ok(());
        }
        if !self.scopes.is_empty() || self.body.is_some() {
            let at = offset(text, header.text);
            return Err(SyntaxError { message: "an entry or function is inside another", at });
        }
        self.body = Some(self.sizes());
        let (context, origin) = match header.function {
            true => (Context::Function, Origin::FunctionParameter),
            false => (Context::Entry, Origin::EntryParameter),
        };
        self.table.context = context;
        for (part, origin) in [(header.results, Origin::ReturnParameter), (header.parameters, origin)] {
            let inside = |error: SyntaxError| SyntaxError { at: offset(text, part) + error.at, ..error };
            for parameter in parameters(part).map_err(inside)? {
                self.declare(&parameter, origin, text)?;
            }
        }
        Ok(())
    }

    fn declare(&mut self, declaration: &Declaration<'_>, origin: Origin, text: &str) -> Result<(), SyntaxError> {
        let symbol = self.symbol(declaration, origin);
        let at = offset(text, declaration.directives);
        let wrong = |message| Err(SyntaxError { message, at });
        if let Symbol::Register(Some(of), lanes) = symbol
            && u16::from(lanes) * self.isa.types[of].bits > 128
        {
            return wrong("a vector has at most 128 bits");
        }
        let of = self.isa.register_type(declaration.of_type);
        let natural = of.map(|of| u32::from(of.bits / 8) * u32::from(declaration.lanes));
        let alignment = declaration.alignment.or(natural);
        for name in declaration.declarators() {
            // The position is that of a name, which is part of the text.
            let name = name.map_err(|error| SyntaxError { at: at + declaration.directives.len(), ..error })?;
            if name.array && matches!(declaration.space, ".reg" | ".sreg") {
                return wrong("there are no arrays of registers");
            }
            match (name.family, symbol) {
                (Some(count), _) => self.table.families.insert(name.name, (count, symbol)),
                // An array of surfaces is not a surface, and cannot be indexed.
                (None, Symbol::Surface(_)) if name.array => self.table.names.insert(name.name, (Symbol::Opaque, None)),
                (None, _) => self.table.names.insert(name.name, (symbol, alignment)),
            }
        }
        Ok(())
    }

    fn symbol(&self, declaration: &Declaration<'_>, origin: Origin) -> Symbol {
        match (declaration.space, declaration.of_type) {
            (".reg" | ".sreg", of) => {
                Symbol::Register(self.isa.types.iter().position(|t| t.name == of), declaration.lanes)
            }
            (space, ".surfref") => Symbol::Surface(space == ".param"),
            (".tex", _) | (_, ".texref" | ".samplerref") => Symbol::Opaque,
            (".global", _) if declaration.unified => Symbol::Variable("unified"),
            (".global", _) => Symbol::Variable("global"),
            (".const", _) => Symbol::Variable("const"),
            (".shared", _) => Symbol::Variable("shared"),
            (".local", _) => Symbol::Variable("local"),
            _ => Symbol::Variable(match origin {
                Origin::Statement => "local-parameter",
                Origin::EntryParameter => "entry-parameter",
                Origin::FunctionParameter => "function-parameter",
                Origin::ReturnParameter => "return-parameter",
            }),
        }
    }
}

/// The position of a part of a text.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr().addr().saturating_sub(text.as_ptr().addr()).min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Spec;

    #[test]
    fn the_last_declaration_of_a_name_counts() {
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
