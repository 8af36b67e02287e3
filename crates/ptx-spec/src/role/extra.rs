//! Choices of some operands only: the number that an immediate is, and a first lane with a type of its own.

use super::reader::{Found, OperandReader, Word};
use super::shape::{SCALAR, TUPLE, lanes_of};
use crate::spec::words::{INTEGER, NONE};
use crate::spec::{AllowedNumbers, Choice, Cube, Draft, Operand, ValueSet};
use crate::text::Argument;

/// The values of the axis of the first lane: it has the type of the others, or its own.
const FIRSTS: [&str; 2] = ["same", "own"];

/// The axis of whether the first lane has a type of its own, which only registers in braces can have.
pub(super) fn first_axis(draft: &mut Draft<'_>, operand: &mut Operand, at: usize, first: &str) {
    let (Some(shape), Some(of_type)) = (operand.shape, operand.of_type) else { return };
    let values = FIRSTS.map(str::to_owned).to_vec();
    let axis = draft.axis(&format!("{}.first", operand.name), Choice::First(at), values, |_| true);
    let (shapes, types) = (&draft.axes[shape], &draft.axes[of_type]);
    let own = (axis, ValueSet::of(2, |value| value == 1));
    let alike = |value: &str| {
        let (one, other) = (draft.isa.register_type(value), draft.isa.instruction_type(first));
        one.zip(other).is_none_or(|(one, other)| draft.isa.suits(one, other, false))
    };
    let cubes = vec![
        Cube::new([(shape, shapes.select(|value| !value.starts_with(TUPLE) || lanes_of(value) < 2)), own]),
        Cube::new([(of_type, types.select(alike)), own]),
    ];
    draft.canonical(&format!("{}-first-generated", operand.name), cubes);
    operand.first = Some((axis, first.to_owned()));
}

/// The axis of the number that an immediate is.
pub(super) fn numbers_axis(draft: &mut Draft<'_>, operand: &mut Operand, at: usize) {
    let (Some(numbers), Some(of_type)) = (&operand.numbers, operand.of_type) else { return };
    if *numbers == AllowedNumbers::Fraction {
        return;
    }
    let name = &operand.name;
    let values = numbers.values().into_iter().map(|(value, _)| value).collect();
    let axis = draft.axis(&format!("{name}.value"), Choice::Number(at), values, |value| numbers.claims(value));
    let (of, types) = (&draft.axes[axis], &draft.axes[of_type]);
    let wrong = Cube::new([(axis, of.claimed.complement(of.values.len()))]);
    let mut canonical = vec![
        Cube::new([(of_type, types.select(|value| value == INTEGER)), (axis, of.select(|value| value == NONE))]),
        Cube::new([(of_type, types.select(|value| value != INTEGER)), (axis, of.select(|value| value != NONE))]),
    ];
    // Numbers are in braces only where these may be.
    if let Some(shape) = operand.shape {
        let shapes = &draft.axes[shape];
        let integer = (of_type, types.select(|value| value == INTEGER));
        let wrong = shapes.claimed.complement(shapes.values.len());
        canonical.push(Cube::new([integer, (shape, wrong.and(&shapes.select(|value| value != SCALAR)))]));
    }
    draft.constraint(
        &format!("{name}-value"),
        format!("an immediate `{name}` must be {}", numbers.says()),
        vec![wrong],
    );
    draft.canonical(&format!("{name}-value-generated"), canonical);
    operand.number = Some(axis);
}

impl OperandReader<'_> {
    /// Reads the numbers in braces: each must be one that the operand may be. Beside registers they are no choice.
    pub(super) fn numbers(&self, elements: &[Argument<'_>], alone: bool, values: &mut [u8], found: &mut Found) {
        let Some((axis, allowed)) = self.operand.number.zip(self.operand.numbers.as_ref()) else { return };
        let numbers = elements.iter().filter_map(|element| match element {
            Argument::Integer(number) => Some(allowed.value(self.operand.counted_bits(number.value()))),
            _ => None,
        });
        let mut numbers = numbers.map(|number| self.on_axis(axis, Word(&number)));
        if alone && let Some(first) = numbers.next() {
            values[axis] = first;
        }
        for number in numbers {
            if number != values[axis] && !found.more.contains(&(axis, number)) {
                found.more.push((axis, number));
            }
        }
    }
}
