//! Which argument of a line is which operand of its form.

use crate::spec::{Form, Pattern};
use crate::text::{Argument, Declarations, Line, Symbol};

/// The argument of a line for an operand of its form.
#[derive(Clone, Copy, Debug)]
pub struct BoundArgument<'l, 'a> {
    /// The operand, by its position in the form.
    pub operand: usize,
    /// Its argument.
    pub argument: &'l Argument<'a>,
    /// True if the argument stands in square brackets.
    pub bracketed: bool,
}

/// An element of an argument: one of several in braces or parentheses, a component of a vector register, or all of it.
#[derive(Clone, Copy, Debug)]
pub struct BoundElement<'l, 'a> {
    /// The argument, or the one of its elements.
    pub argument: &'l Argument<'a>,
    /// The component, if the argument is a vector register that stands for all of them.
    component: Option<&'static str>,
}

/// The operands of a line of a form that are there by these choices, each with its argument.
pub fn arguments<'l, 'a>(form: &Form, values: &[u8], line: &'l Line<'a>) -> Vec<BoundArgument<'l, 'a>> {
    matched(form, |at| !form.operands[at].left_out(form, values), line)
}

/// The operands of a line whose choices are not known, each with its argument: as if none were left out.
pub fn assumed_arguments<'l, 'a>(form: &Form, line: &'l Line<'a>) -> Vec<BoundArgument<'l, 'a>> {
    matched(form, |_| true, line)
}

fn matched<'l, 'a>(form: &Form, present: impl Fn(usize) -> bool, line: &'l Line<'a>) -> Vec<BoundArgument<'l, 'a>> {
    let present = |at: &usize| present(*at);
    let bound =
        |operand: usize, argument: &'l Argument<'a>, bracketed: bool| BoundArgument { operand, argument, bracketed };
    let mut texts = line.operands.iter();
    let mut found = Vec::new();
    for part in form.pattern.iter().filter(|part| part.operands().iter().any(present)) {
        let Some(text) = texts.next() else { break };
        match (part, &text.argument) {
            (Pattern::Bracket(inside), Argument::Bracket(elements))
            | (Pattern::Braces(inside), Argument::Tuple(elements)) => {
                let there = inside.iter().copied().filter(present);
                let bracketed = matches!(part, Pattern::Bracket(_));
                found.extend(there.zip(elements).map(|(at, element)| bound(at, element, bracketed)));
            }
            (Pattern::Bracket(inside) | Pattern::Braces(inside), element) => {
                found.extend(inside.first().map(|&at| bound(at, element, false)))
            }
            (Pattern::Pair(first, second), Argument::Pair(halves)) => {
                found.extend([bound(*first, &halves[0], false), bound(*second, &halves[1], false)]);
            }
            (Pattern::Operand(at) | Pattern::List(at) | Pattern::Pair(at, _), argument) => {
                found.push(bound(*at, argument, false));
            }
        }
    }
    found
}

impl<'l, 'a> BoundArgument<'l, 'a> {
    /// Its elements, in order: a vector register that is not in braces has one for each component.
    pub fn elements(&self, declarations: &Declarations) -> Vec<BoundElement<'l, 'a>> {
        let arguments = match self.argument {
            Argument::Tuple(elements) | Argument::List(elements) => elements.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut found = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let lanes = match argument {
                Argument::Name(name) => match declarations.symbol(name) {
                    Some(Symbol::Register(_, lanes)) => lanes,
                    _ => 1,
                },
                _ => 1,
            };
            match lanes {
                0 | 1 => found.push(BoundElement { argument, component: None }),
                // Vector registers have two or four components.
                lanes => found.extend(
                    ["x", "y", "z", "w"]
                        .into_iter()
                        .take(lanes.into())
                        .map(|component| BoundElement { argument, component: Some(component) }),
                ),
            }
        }
        found
    }
}

impl BoundElement<'_, '_> {
    /// The name in it, a register or what an address starts from: without the sign before it, and with the component.
    pub fn name(&self) -> Option<String> {
        let name = match self.argument {
            Argument::Name(name) | Argument::Sum(name, ..) | Argument::Signed(_, name) => name,
            _ => return None,
        };
        Some(self.component.map_or_else(|| (*name).to_owned(), |component| format!("{name}.{component}")))
    }
}
