//! Declarations: the meaning of the names in a line.
//!
//! They come from the text between a module's directives and a line: module-scope variables, the header of the entry
//! or function, registers and local variables.

use std::borrow::Cow;
use std::sync::Arc;

use super::declaration::{Declaration, parameters};
use super::header::Header;
use super::name_table::{NameTable, hash};
use super::part::offset;
use super::signature::{self, CallSignature, Formal};
use super::{Context, Lexer, SyntaxError};
use crate::component::split_component;
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
    /// Another object: what an operand that names it is, such as `texref` or `label`.
    Object(&'static str),
    /// An array of surfaces, or anything else without data.
    Opaque,
}

/// The names that a line can use, and its context: those of one scope, and of the scopes around it.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    /// The kind of body that the line is in; without a header, it is an entry.
    pub context: Context,
    /// The options of the module's `.target`, separated by commas.
    pub options: String,
    /// The meaning of each name.
    names: NameTable<NameMeaning>,
    /// `.reg .b32 %r<9>;`: by prefix, the number of registers and their meaning.
    families: NameTable<(u32, Symbol)>,
    /// The arguments and results of functions and prototypes.
    callees: NameTable<Arc<CallSignature>>,
    /// The variables that can be arguments of calls.
    arguments: NameTable<Formal>,
    /// The scope around it, whose names it hides if it has the same.
    outer: Option<Arc<Declarations>>,
    /// The byte of the module at which names are used; none if all names can be.
    used_at: Option<usize>,
}

/// The meaning of a name, and where it begins.
#[derive(Clone, Copy, Debug)]
struct NameMeaning {
    symbol: Symbol,
    /// The alignment of a variable in bytes.
    alignment: Option<u32>,
    /// The byte of the module from which on the name can be used: 0 for names of a body, which are added when they are met.
    since: usize,
}

/// The reason why declarations cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}, at `{near}` in the declarations")]
pub struct DeclarationError {
    message: &'static str,
    near: String,
}

impl DeclarationError {
    pub(super) fn new(text: &str, error: &SyntaxError) -> Self {
        let near: Vec<&str> = Lexer::new(&text[error.at..]).take(4).map(|token| token.text).collect();
        let near = if near.is_empty() { "the end".to_owned() } else { near.join(" ") };
        Self { message: error.message, near }
    }
}

/// The kind of object that the label of an instruction is.
pub(super) const LABEL: &str = "label";
/// The kind of a variable in the space of parameters that a body declares.
const LOCAL_PARAMETER: &str = "local-parameter";

/// The kind of object that the label before a directive is.
pub(crate) fn labelled(directive: &str) -> Option<&'static str> {
    match directive {
        ".branchtargets" => Some("branch-targets"),
        signature::TARGETS => Some("call-targets"),
        signature::PROTOTYPE => Some("prototype"),
        _ => None,
    }
}

/// How deep blocks may be nested.
pub(super) const NESTING: usize = 1_000;

/// Where a name is declared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Statement,
    /// A statement of a text that stands before every line.
    Before,
    EntryParameter,
    FunctionParameter,
    ReturnParameter,
}

impl Declarations {
    /// Makes room for the names of a text.
    pub(super) fn reserve(&mut self, text: &str) {
        // Few declarations need more room.
        self.names.reserve((text.len() / 16).min(16), text.len().min(256) / 2);
    }

    /// An empty scope inside of another.
    pub(super) fn inside(outer: Arc<Self>) -> Self {
        Self { context: outer.context, options: outer.options.clone(), outer: Some(outer), ..Self::default() }
    }

    /// A scope with the names of a module that are declared before a byte of it.
    pub(crate) fn before(module: &Arc<Self>, at: usize) -> Self {
        Self { used_at: Some(at), ..Self::inside(Arc::clone(module)) }
    }

    /// Says at which byte of the module names are used: those that it declares later are not known there.
    pub(super) fn used_at(&mut self, at: usize) {
        self.used_at = Some(at);
    }

    /// Opens a scope in this one.
    pub(super) fn open(&mut self) {
        let outer = Arc::new(std::mem::take(self));
        *self = Self::inside(outer);
    }

    /// Closes this scope: it becomes the one around it, if there is one.
    pub(super) fn close(&mut self) {
        if let Some(outer) = self.outer.take() {
            // Nobody else holds a scope that was opened here.
            *self = Arc::try_unwrap(outer).unwrap_or_else(|outer| (*outer).clone());
        }
    }

    /// The meaning of a name: a declared one, one of a family (`%r3` of `%r<9>`), or a component of a vector
    /// (`%v.x`).
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        if let Some(whole) = self.whole(name) {
            return Some(whole.symbol);
        }
        let (vector, component) = split_component(name)?;
        let lane = ["x", "y", "z", "w"].iter().chain(&["r", "g", "b", "a"]).position(|&c| c == component)? % 4;
        match self.whole(vector)?.symbol {
            Symbol::Register(of, lanes) if lanes > 1 && usize::from(lanes) > lane => Some(Symbol::Register(of, 1)),
            _ => None,
        }
    }

    /// The alignment of a variable in bytes, by its declaration or by the size of its type. PTX ISA
    /// `alignment`.
    pub fn alignment(&self, name: &str) -> Option<u32> {
        self.whole(name)?.alignment
    }

    /// The meaning of a name without a component.
    fn whole(&self, name: &str) -> Option<NameMeaning> {
        let (hash, mut member) = (hash(name), None);
        let mut next = Some(self);
        while let Some(scope) = next {
            let known = |meaning: &NameMeaning| self.used_at.is_none_or(|at| meaning.since < at || meaning.since == 0);
            if let Some(found) = scope.names.get(name, hash).filter(known) {
                return Some(found);
            }
            if !scope.families.is_empty() {
                let member = member.get_or_insert_with(|| Member::of(name));
                if let Some(symbol) = member.as_ref().and_then(|member| scope.family(member)) {
                    return Some(NameMeaning { symbol, alignment: None, since: 0 });
                }
            }
            next = scope.outer.as_deref();
        }
        None
    }

    /// The meaning of a name that is a member of a family of this scope.
    fn family(&self, member: &Member<'_>) -> Option<Symbol> {
        let (count, symbol) = self.families.get(member.prefix, member.hash)?;
        (member.number < count).then_some(symbol)
    }

    /// True if this scope, and not one around it, has a name.
    fn declares(&self, name: &str) -> bool {
        let family = || Member::of(name).and_then(|member| self.family(&member));
        self.names.get(name, hash(name)).is_some() || (!self.families.is_empty() && family().is_some())
    }

    /// True if a family of this size would have a member that this scope already declares by itself.
    fn has_member(&self, prefix: &str, count: u32) -> bool {
        let is_member = |name: &str| {
            let number = name.strip_prefix(prefix).filter(|rest| *rest == "0" || !rest.starts_with('0'));
            number.and_then(|number| number.parse::<u32>().ok()).is_some_and(|number| number < count)
        };
        self.names.names().any(is_member)
    }

    /// The names of this scope and those around it that have as many bytes as a name, or one more or less; of a family, the
    /// member with the number of the name. Some may be declared only later.
    pub(crate) fn similar<'n>(&'n self, name: &'n str) -> impl Iterator<Item = Cow<'n, str>> {
        let number = &name[name.trim_end_matches(|c: char| c.is_ascii_digit()).len()..];
        let declared = self.scopes().flat_map(|scope| scope.names.names());
        let families = self.scopes().flat_map(|scope| scope.families.names()).filter(|_| !number.is_empty());
        let members = families.map(move |prefix| Cow::Owned(format!("{prefix}{number}")));
        declared.map(Cow::Borrowed).chain(members).filter(|other| other.len().abs_diff(name.len()) <= 1)
    }

    /// The family that has a name's prefix but fewer members than its number demands: the prefix, and how many it has.
    pub(crate) fn smaller_family<'n>(&self, name: &'n str) -> Option<(&'n str, u32)> {
        let member = Member::of(name)?;
        let (count, _) = self.scopes().find_map(|scope| scope.families.get(member.prefix, member.hash))?;
        (member.number >= count).then_some((member.prefix, count))
    }

    /// How many scopes are around the one that declares a name, such as a register, by itself and not as a component; none if
    /// none of them does.
    pub fn depth(&self, name: &str) -> Option<usize> {
        let declaring = self.scopes().position(|scope| scope.declares(name))?;
        Some(self.scopes().skip(declaring + 1).count())
    }

    /// Adds a label, which is such an object; returns whether the scope has such a name already.
    ///
    /// A branch may lead forward, but a list or prototype is used only after its label, which stands at byte `at`.
    pub(super) fn label(&mut self, name: &str, object: &'static str, at: usize) -> bool {
        let twice = self.declares(name);
        self.add(name, Symbol::Object(object), None, if object == LABEL { 0 } else { at });
        twice
    }

    /// Adds a name, which can be used from where it is declared first.
    fn add(&mut self, name: &str, symbol: Symbol, alignment: Option<u32>, at: usize) {
        let since = self.names.get(name, hash(name)).map_or(at, |known| known.since);
        self.names.insert(name, NameMeaning { symbol, alignment, since });
    }

    /// Adds an entry or function whose header stands at byte `at`. If its parameters cannot be read, nothing is known of
    /// them.
    pub(super) fn function(&mut self, isa: &Isa, header: &Header<'_>, at: usize) {
        let object = if header.function { "function" } else { "entry" };
        self.add(header.name, Symbol::Object(object), None, at);
        if let (true, Ok(signature)) = (header.function, CallSignature::of_function(isa, header)) {
            self.callees.insert(header.name, Arc::new(signature));
        }
    }

    /// Adds what a directive after a label says of calls: a prototype, or the functions that they may reach, of which
    /// one stands for all.
    pub(super) fn callee(&mut self, isa: &Isa, label: &str, directive: &str, all: &str) {
        let signature = match directive {
            signature::PROTOTYPE => CallSignature::of_prototype(isa, all).ok().map(Arc::new),
            signature::TARGETS => signature::targets(all).find_map(|target| self.signature(target)),
            _ => None,
        };
        if let Some(signature) = signature {
            self.callees.insert(label, signature);
        }
    }

    /// The arguments and results of a function, a prototype or the functions of a list; none if they are not known.
    pub fn signature(&self, name: &str) -> Option<Arc<CallSignature>> {
        let hash = hash(name);
        self.scopes().find_map(|scope| scope.callees.get(name, hash))
    }

    /// True if a name is an entry's, and not a function's.
    pub(crate) fn is_entry(&self, name: &str) -> bool {
        self.symbol(name) == Some(Symbol::Object("entry"))
    }

    /// True if a name is a function's, and not an entry's.
    pub(crate) fn is_function(&self, name: &str) -> bool {
        self.symbol(name) == Some(Symbol::Object("function")) && self.signature(name).is_some()
    }

    /// A variable of a body in the space of parameters.
    pub fn argument(&self, name: &str) -> Option<Formal> {
        let hash = hash(name);
        self.scopes().find_map(|scope| scope.arguments.get(name, hash))
    }

    /// This scope and those around it.
    fn scopes(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |scope| scope.outer.as_deref())
    }

    /// Adds the parameters of the header of a body to its scope, which is this one. Returns the names that it has twice.
    ///
    /// # Errors
    /// If something is not a parameter; says what, and where in `text`, of which the header is a part.
    pub(super) fn parameters<'a>(
        &mut self,
        isa: &Isa,
        header: &Header<'a>,
        text: &str,
    ) -> Result<Vec<&'a str>, SyntaxError> {
        let mut twice = Vec::new();
        let (context, origin) = match header.function {
            true => (Context::Function, Origin::FunctionParameter),
            false => (Context::Entry, Origin::EntryParameter),
        };
        self.context = context;
        for (part, origin) in [(header.results, Origin::ReturnParameter), (header.parameters, origin)] {
            let inside = |error: SyntaxError| SyntaxError { at: offset(text, part) + error.at, ..error };
            for parameter in parameters(part).map_err(inside)? {
                twice.extend(self.declare(isa, &parameter, origin, text)?);
            }
        }
        Ok(twice)
    }

    /// Adds the names of a declaration. Returns those that the scope has already.
    ///
    /// # Errors
    /// If the declaration is malformed; says how, and where in `text`, of which it is a part.
    pub(super) fn declare<'a>(
        &mut self,
        isa: &Isa,
        declaration: &Declaration<'a>,
        origin: Origin,
        text: &str,
    ) -> Result<Vec<&'a str>, SyntaxError> {
        let symbol = symbol(isa, declaration, origin);
        let at = offset(text, declaration.directives);
        let wrong = |message| Err(SyntaxError { message, at });
        if let Symbol::Register(Some(of), lanes) = symbol
            && u16::from(lanes) * isa.types[of].bits > 128
        {
            return wrong("a vector has at most 128 bits");
        }
        let of = isa.register_type(declaration.of_type);
        let natural = of.map(|of| u32::from(of.bits / 8) * u32::from(declaration.lanes));
        let alignment = declaration.alignment.or(natural);
        if symbol == Symbol::Variable(LOCAL_PARAMETER) {
            let inside = |error: SyntaxError| SyntaxError { at: declaration.names_at(text) + error.at, ..error };
            for (name, argument) in Formal::of(isa, declaration).map_err(inside)? {
                self.arguments.insert(name, argument);
            }
        }
        let since = if self.outer.is_none() && origin != Origin::Before { at } else { 0 };
        let mut twice = Vec::new();
        for name in declaration.declarators() {
            let name = name.map_err(|error| SyntaxError { at: declaration.names_at(text) + error.at, ..error })?;
            if name.array && matches!(declaration.space, ".reg" | ".sreg") {
                return wrong("there are no arrays of registers");
            }
            let known = match name.family {
                Some(count) => {
                    self.families.get(name.name, hash(name.name)).is_some() || self.has_member(name.name, count)
                }
                None => self.declares(name.name),
            };
            if known {
                twice.push(name.name);
            }
            match (name.family, symbol) {
                (Some(count), _) => self.families.insert(name.name, (count, symbol)),
                // An array of surfaces is not a surface, and cannot be indexed.
                (None, Symbol::Surface(_) | Symbol::Object(_)) if name.array => {
                    self.add(name.name, Symbol::Opaque, None, since);
                }
                (None, _) => self.add(name.name, symbol, alignment, since),
            }
        }
        Ok(twice)
    }

    /// Only some names of this scope and those around it, for use without them.
    pub(crate) fn only<'n>(&self, names: impl Iterator<Item = &'n str>) -> Self {
        let mut few = Self { context: self.context, options: self.options.clone(), ..Self::default() };
        for name in names {
            if let Some(found) = self.whole(name) {
                few.names.insert(name, found);
            }
            self.signature(name).into_iter().for_each(|signature| few.callees.insert(name, signature));
            self.argument(name).into_iter().for_each(|argument| few.arguments.insert(name, argument));
        }
        few
    }
}

/// A name as a member of a family: `%r3` of `%r<9>`.
struct Member<'n> {
    prefix: &'n str,
    hash: u64,
    number: u32,
}

impl<'n> Member<'n> {
    /// The parts of a name that ends in a number; `None` if it ends in none. Leading zeros don't count, as every ptxas has it.
    fn of(name: &'n str) -> Option<Self> {
        let count = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (prefix, digits) = name.split_at(name.len() - count);
        let number = digits.parse().ok()?;
        Some(Self { prefix, hash: hash(prefix), number })
    }
}

fn symbol(isa: &Isa, declaration: &Declaration<'_>, origin: Origin) -> Symbol {
    match (declaration.space, declaration.of_type) {
        (".reg" | ".sreg", of) => Symbol::Register(isa.types.iter().position(|t| t.name == of), declaration.lanes),
        (space, ".surfref") => Symbol::Surface(space == ".param"),
        (".param", ".texref") => Symbol::Object("texref-parameter"),
        (".param", ".samplerref") => Symbol::Object("samplerref-parameter"),
        (".tex", _) => Symbol::Object("tex-variable"),
        (_, ".texref") => Symbol::Object("texref"),
        (_, ".samplerref") => Symbol::Object("samplerref"),
        (".global", _) if declaration.unified => Symbol::Variable("unified"),
        (".global", _) => Symbol::Variable("global"),
        (".const", _) => Symbol::Variable("const"),
        (".shared", _) => Symbol::Variable("shared"),
        (".local", _) => Symbol::Variable("local"),
        _ => Symbol::Variable(match origin {
            Origin::Statement | Origin::Before => LOCAL_PARAMETER,
            Origin::EntryParameter => "entry-parameter",
            Origin::FunctionParameter => "function-parameter",
            Origin::ReturnParameter => "return-parameter",
        }),
    }
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
        for (name, of) in [("a", ".f32"), ("b", ".b32"), ("%r2", ".u16"), ("%r02", ".u16"), ("%r5", ".u16")] {
            assert_eq!(symbol(text, name), register(of), "{name}");
        }
        for name in ["c", "%r", "%r3", "%r03", ""] {
            assert_eq!(symbol(text, name), None, "{name}");
        }
        let many: String = (0..100).map(|at| format!(".reg .b32 a{at}; .reg .b64 a{};", at / 2)).collect();
        for (name, of) in [("a0", ".b64"), ("a49", ".b64"), ("a50", ".b32"), ("a99", ".b32")] {
            assert_eq!(symbol(&many, name), register(of), "{name}");
        }
    }
}
