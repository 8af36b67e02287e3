//! Numbers that limit each other: one operand may not be above another one.

use super::reader::Found;
use crate::spec::{Form, Operand, Pattern, TextFault};
use crate::text::{Argument, OperandText};

/// Compares the integer immediates of operands with those that they may not be above. The operands fit the form.
pub(crate) fn compare_numbers(form: &Form, texts: &[OperandText<'_>], found: &mut Found) {
    let number = |at: usize| {
        let alone = |part: &Pattern| matches!(part, Pattern::Operand(of) if *of == at);
        let text = form.pattern.iter().zip(texts).find(|(part, _)| alone(part))?.1;
        match &text.argument {
            Argument::Integer(number) => Some(form.operands[at].counted_bits(number.value())),
            _ => None,
        }
    };
    let is_above = |(at, operand): (usize, &Operand)| {
        let limit = operand.at_most.and_then(number);
        number(at).zip(limit).is_some_and(|(number, limit)| number > limit)
    };
    if form.operands.iter().enumerate().any(is_above) {
        found.fault(TextFault::AboveLimit);
    }
}
