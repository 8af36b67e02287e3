//! What functions and prototypes take and return. PTX ISA `function-declarations-and-definitions`.

use super::SyntaxError;
use super::declaration::{Declaration, parameters};
use super::header::{Header, parenthesized};
use super::lexer::Lexer;
use crate::spec::Isa;

/// The directive that declares a prototype.
pub(super) const PROTOTYPE: &str = ".callprototype";
/// The directive that lists the functions that a call may reach.
pub(super) const TARGETS: &str = ".calltargets";

/// The results and parameters of a function or prototype.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSignature {
    /// The formal results.
    pub results: Vec<Formal>,
    /// The formal arguments.
    pub parameters: Vec<Formal>,
}

/// A result or parameter, or a variable that is passed as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formal {
    /// True if it is in the space of parameters, and not a register.
    pub memory: bool,
    /// The position of its type in [`Isa::types`]; none of one that is not listed there.
    pub of: Option<usize>,
    /// True if it is an array.
    pub array: bool,
    /// Its size in bytes; none if an array leaves it open.
    pub bytes: Option<u64>,
    /// Its alignment in bytes.
    pub alignment: u64,
}

impl CallSignature {
    /// The signature of a function with this header.
    ///
    /// # Errors
    /// If something is not a parameter; says what.
    pub(super) fn of_function(isa: &Isa, header: &Header<'_>) -> Result<Self, SyntaxError> {
        Ok(Self { results: formals(isa, header.results)?, parameters: formals(isa, header.parameters)? })
    }

    /// The signature of an entry or function; none if its parameters cannot be read.
    pub(crate) fn of_header(isa: &Isa, header: &Header<'_>) -> Option<Self> {
        Self::of_function(isa, header).ok()
    }

    /// The signature of a prototype: `.callprototype (.param .b32 _) _ (.param .b64 _);`
    ///
    /// # Errors
    /// If something is not a parameter; says what.
    pub(super) fn of_prototype(isa: &Isa, directive: &str) -> Result<Self, SyntaxError> {
        let mut lexer = Lexer::new(directive);
        lexer.directive()?;
        lexer.blank();
        let results = parenthesized(&mut lexer)?;
        lexer.name();
        lexer.blank();
        let taken = parenthesized(&mut lexer)?;
        Ok(Self { results: formals(isa, results)?, parameters: formals(isa, taken)? })
    }

    /// True if a call may have this many arguments. Those for an open array at the end are as many as the call likes.
    pub(crate) fn takes(&self, arguments: usize) -> bool {
        match self.parameters.split_last() {
            Some((last, others)) if last.array && last.bytes.is_none() => arguments >= others.len(),
            _ => arguments == self.parameters.len(),
        }
    }
}

impl Formal {
    /// The variables of a declaration, each with its name.
    pub(crate) fn of<'a>(isa: &Isa, declaration: &Declaration<'a>) -> Result<Vec<(&'a str, Self)>, SyntaxError> {
        let of = isa.types.iter().position(|known| known.name == declaration.of_type);
        let unit = of.map_or(0, |of| u64::from(isa.types[of].bits / 8) * u64::from(declaration.lanes));
        let named = declaration.declarators().map(|name| {
            let name = name?;
            let formal = Self {
                memory: declaration.space != ".reg",
                of: of.filter(|_| declaration.lanes == 1),
                array: name.array,
                bytes: name.elements.and_then(|elements| elements.checked_mul(unit)),
                alignment: unit.max(declaration.alignment.map_or(0, u64::from)),
            };
            Ok((name.name, formal))
        });
        named.collect()
    }
}

fn formals(isa: &Isa, text: &str) -> Result<Vec<Formal>, SyntaxError> {
    let mut all = Vec::new();
    for declaration in parameters(text)? {
        all.extend(Formal::of(isa, &declaration)?.into_iter().map(|(_, formal)| formal));
    }
    Ok(all)
}

/// The names that a directive lists: `.calltargets f, g;`
pub(super) fn targets(directive: &str) -> impl Iterator<Item = &str> {
    directive.trim_start_matches(TARGETS).trim_end_matches(';').split(',').map(str::trim)
}
