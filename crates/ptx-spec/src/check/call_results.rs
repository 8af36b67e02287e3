//! Loads of what a call returns. PTX ISA `function-declarations-and-definitions`.

use rustc_hash::FxHashSet;

use super::environments::JudgedEnvironment;
use super::names::names;
use crate::role::{FUNCTION_PARAMETER, is_called};
use crate::spec::{Form, Isa, Pattern, Role};
use crate::text::{Declaration, Declarations, Lexer, Line, TokenKind};

/// The variables of a body that a call has returned so far, in the order of the text: so every ptxas has it.
#[derive(Default)]
pub(super) struct CallResults<'a> {
    returned: FxHashSet<&'a str>,
}

impl<'a> CallResults<'a> {
    /// Adds a declaration: no call has returned its variables.
    pub(super) fn declare(&mut self, declaration: &Declaration<'a>) {
        if !self.returned.is_empty() {
            declaration.declarators().flatten().for_each(|of| {
                self.returned.remove(of.name);
            });
        }
    }

    /// Adds a line. Returns the variable that it loads without a call before it.
    pub(super) fn follow(&mut self, form: &Form, line: &Line<'a>, known: &Declarations) -> Option<&'a str> {
        if let Some(Pattern::List(_)) = form.pattern.first() {
            let called = |part: &Pattern| part.operands().into_iter().any(|at| is_called(&form.operands[at]));
            if let (true, Some(results)) = (form.pattern.iter().any(called), line.operands.first()) {
                let words = Lexer::new(results.text).filter(|token| token.kind == TokenKind::Word);
                self.returned.extend(words.map(|token| token.text));
            }
            return None;
        }
        let has = |role: fn(&Role) -> bool| form.operands.iter().any(|operand| role(&operand.role));
        let loads = has(|role| matches!(role, Role::Address { .. })) && has(|role| matches!(role, Role::Destination));
        if !loads {
            return None;
        }
        let of_calls = |name: &&str| known.argument(name).is_some_and(|formal| formal.memory);
        names(line).find(|name| of_calls(name) && !self.returned.contains(name))
    }
}

/// True if functions have parameters in memory in an environment.
pub(super) fn are_known(isa: &Isa, judged: &JudgedEnvironment<'_>) -> bool {
    let mut variables = isa.variables.iter();
    let needs = variables.find(|(name, ..)| name == FUNCTION_PARAMETER);
    needs.and_then(|(_, _, target)| *target).is_some_and(|target| target.met_by(judged.environment.target))
}
