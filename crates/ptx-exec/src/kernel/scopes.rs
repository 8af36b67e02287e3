//! The declarations of a case by scope: whether all that the case names is declared, and can be had.

use super::declared::{DeclaredNames, check};
use super::launch::Bound;
use crate::line_case::{LineCase, SURFACE};
use ptx_spec::ptx::{Argument, Context, Line};

/// The scope of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatementScope {
    Module,
    Header,
    Body,
}

/// A case, and its declarations.
pub(super) struct Scopes<'a> {
    pub(super) case: &'a LineCase,
    /// True if its line is in an entry or a function.
    pub(super) context: Context,
    /// The outermost first.
    pub(super) declared: [(StatementScope, &'a [DeclaredNames<'a>]); 3],
}

impl<'a> Scopes<'a> {
    /// The innermost statement that declares a variable.
    pub(super) fn declaration(&self, name: &str) -> Option<(StatementScope, &'a DeclaredNames<'a>)> {
        let mut all = self.declared.iter().flat_map(|(scope, statements)| statements.iter().map(|one| (*scope, one)));
        all.rfind(|(_, statement)| statement.find(name).is_some())
    }

    /// Checks that everything that the case names is declared and can be set up.
    pub(super) fn check(&self, line: &Line<'_>) -> Result<(), String> {
        let [_, (_, header), (_, body)] = self.declared;
        let mut named = Vec::new();
        line.operands.iter().for_each(|operand| collect(&operand.argument, &mut named));
        if let Some((name, _)) = named.iter().find(|(name, negative)| *negative && self.declaration(name).is_some()) {
            return Err(format!("the address is before `{name}`"));
        }
        let inputs = self.case.inputs.iter().map(|input| &input.register);
        for register in inputs.chain(self.case.outputs.iter().map(|output| &output.register)) {
            if !body.iter().any(|statement| statement.has_register(register)) {
                return Err(format!("`{register}` is not a declared register"));
            }
        }
        for variable in &self.case.variables {
            let (_, statement) = self
                .declaration(&variable.name)
                .ok_or_else(|| format!("`{}` is not a declared variable", variable.name))?;
            check(statement, variable)?;
        }
        for parameter in header {
            let name = parameter.names.first().map_or("", |declared| declared.name);
            if parameter.opaque() {
                return Err(format!("the parameter `{name}` is a `{}`, which no driver can bind", parameter.of_type()));
            }
            if parameter.space() != ".param" {
                return Err(format!("the parameter `{name}` is not a `.param`"));
            }
        }
        Ok(())
    }

    /// How the line accesses the surface.
    pub(super) fn surface(&self, line: &Line<'_>, handle_at: Option<usize>) -> Result<Option<Bound>, String> {
        let mut named = Vec::new();
        line.operands.iter().for_each(|operand| collect(&operand.argument, &mut named));
        let surfref = |(name, _): &(&str, bool)| {
            self.declaration(name)
                .is_some_and(|(scope, of)| scope == StatementScope::Module && of.of_type() == ".surfref")
        };
        let variable = named.into_iter().find(surfref).map(|(name, _)| name.to_owned());
        if handle_at.is_none() && variable.is_none() {
            return Ok(None);
        }
        if self.case.surface.is_none() {
            return Err("the line names a surface, but the case has none".to_owned());
        }
        Ok(Some(Bound { private: self.case.may_write(SURFACE), handle_at, variable }))
    }
}

/// The names in an operand, and whether its offset is negative.
fn collect<'a>(argument: &Argument<'a>, to: &mut Vec<(&'a str, bool)>) {
    match argument {
        Argument::Name(name) => to.push((name, false)),
        Argument::Sum(name, offset) => to.push((name, offset.signed() < 0)),
        Argument::Element(name, register, _) => {
            to.push((name, false));
            to.extend(register.map(|register| (register, false)));
        }
        Argument::Tuple(elements) | Argument::Bracket(elements) => {
            elements.iter().for_each(|element| collect(element, to));
        }
        _ => {}
    }
}
