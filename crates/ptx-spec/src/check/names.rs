//! The names that an instruction uses.

use crate::role::BASES;
use crate::spec::Isa;
use crate::text::{Declarations, Lexer, Line, Symbol, TokenKind};

/// The sign for a result that is not wanted, and the constant that every module has.
const PREDEFINED: [&str; 2] = ["_", "WARP_SZ"];

/// The names in the guard and the operands of a line, in their order.
pub(super) fn names<'l, 'a>(line: &'l Line<'a>) -> impl Iterator<Item = &'a str> + use<'l, 'a> {
    let guard = line.guard.map(|(_, name)| name);
    let operands = line.operands.iter().flat_map(|operand| Lexer::new(operand.text));
    let words = operands.filter(|token| token.kind == TokenKind::Word).map(|token| token.text);
    guard.into_iter().chain(words)
}

/// The names of a line, as far as they are known.
#[derive(Default)]
pub(super) struct KnownNames<'a> {
    /// The names that are neither declared nor special registers.
    pub(super) undeclared: Vec<&'a str>,
    /// True if a name is a register of a type, or a variable of a kind, that the specification does not have.
    pub(super) strange: bool,
}

impl<'a> KnownNames<'a> {
    pub(super) fn of(line: &Line<'a>, declarations: &Declarations, isa: &Isa) -> Self {
        let mut known = Self::default();
        for name in names(line) {
            match declarations.symbol(name) {
                Some(Symbol::Register(of, _)) => known.strange |= of.is_none(),
                Some(Symbol::Variable(kind)) => known.strange |= !BASES.contains(&kind),
                Some(_) => {}
                // A guard may be a component of a special register.
                None if PREDEFINED.contains(&name) || isa.special(name).is_some() => {}
                None if known.undeclared.contains(&name) => {}
                None => known.undeclared.push(name),
            }
        }
        known
    }
}
