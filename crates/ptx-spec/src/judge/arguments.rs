//! Which argument of a line is which operand of its form.

use crate::spec::{Form, Pattern};
use crate::text::{Argument, Line};

/// The operands of a line of a form that are there by these choices, each with its argument and whether that is in
/// square brackets.
pub fn arguments<'l, 'a>(form: &Form, values: &[u8], line: &'l Line<'a>) -> Vec<(usize, &'l Argument<'a>, bool)> {
    let present = |at: &usize| !form.operands[*at].left_out(form, values);
    let mut texts = line.operands.iter();
    let mut found = Vec::new();
    for part in form.pattern.iter().filter(|part| part.operands().iter().any(present)) {
        let Some(text) = texts.next() else { break };
        match (part, &text.argument) {
            (Pattern::Bracket(inside), Argument::Bracket(elements))
            | (Pattern::Braces(inside), Argument::Tuple(elements)) => {
                let there = inside.iter().copied().filter(present);
                let bracketed = matches!(part, Pattern::Bracket(_));
                found.extend(there.zip(elements).map(|(at, element)| (at, element, bracketed)));
            }
            (Pattern::Bracket(inside) | Pattern::Braces(inside), element) => {
                found.extend(inside.first().map(|&at| (at, element, false)))
            }
            (Pattern::Pair(first, second), Argument::Pair(halves)) => {
                found.extend([(*first, &halves[0], false), (*second, &halves[1], false)]);
            }
            (Pattern::Operand(at) | Pattern::List(at) | Pattern::Pair(at, _), argument) => {
                found.push((*at, argument, false));
            }
        }
    }
    found
}
