//! The arguments and results of a call, in parentheses. PTX ISA `control-flow-instructions-call`.

use super::described::RawOperand;
use super::item::{LOCAL_PARAMETER, PARAMETER};
use super::reader::{Found, OperandReader, Position, ReadValue, Word};
use super::value;
use crate::spec::words::{DOUBLE, FLOAT, INTEGER, NONE, OTHER, SINK};
use crate::spec::{Choice, Cube, Draft, Operand};
use crate::text::{Argument, Symbol};

/// The axis of an operand that is a list: what its elements are, of which one is generated.
pub(super) fn axes(draft: &mut Draft<'_>, operand: &mut Operand, at: usize, raw: &RawOperand) {
    let accepts = raw.accepted();
    let pseudo = [PARAMETER, INTEGER, FLOAT, DOUBLE, SINK, OTHER].map(str::to_owned);
    let types = draft.isa.types.iter().map(|t| t.name.clone());
    let mut values = raw.accepted_first(types.chain(pseudo).collect());
    if operand.optional {
        values.insert(0, NONE.to_owned());
    }
    let name = operand.name.clone();
    let of_type =
        draft.axis(&format!("{name}.type"), Choice::Type(at), values, |v| v == NONE || accepts.iter().any(|a| a == v));
    operand.of_type = Some(of_type);
    let axis = &draft.axes[of_type];
    let unlisted = Cube::new([(of_type, axis.claimed.complement(axis.values.len()))]);
    let says = format!("each element of `{name}` must be {}", accepts.join(" or "));
    draft.constraint(&format!("{name}-type"), says, vec![unlisted]);
    draft.declarable(of_type);
    value::generated(draft, &name, of_type, None, raw.role);
}

impl OperandReader<'_> {
    /// Reads a list into its axis: what its first element is, and those of the others that are something else.
    pub(super) fn arguments(&self, argument: &Argument<'_>, values: &mut [u8], found: &mut Found) {
        let Some(axis) = self.operand.of_type else { return };
        let elements = match argument {
            Argument::List(elements) => elements.as_slice(),
            other => std::slice::from_ref(other),
        };
        let mut first = None;
        for element in elements {
            let value = self.on_axis(axis, self.listed(element, values, found));
            if value != *first.get_or_insert(value) && !found.more.contains(&(axis, value)) {
                found.more.push((axis, value));
            }
        }
        // Empty parentheses are as good as any list of what is accepted, and as any other if nothing is.
        let accepted = || self.form.axes[axis].claimed.iter().next();
        values[axis] = first.or_else(accepted).unwrap_or(0);
    }

    /// The meaning of an element of a list.
    fn listed(&self, element: &Argument<'_>, values: &[u8], found: &mut Found) -> ReadValue<'_> {
        if let Argument::Name(name) = element
            && let Some(Symbol::Variable(base)) = self.declarations.symbol(name)
        {
            // A formal parameter of the caller is no argument: PTX ISA `function-declarations-and-definitions`.
            return Word(if base == LOCAL_PARAMETER { PARAMETER } else { OTHER });
        }
        match element {
            Argument::Tuple(_) | Argument::Bracket(_) | Argument::List(_) | Argument::Pair(_) => Word(OTHER),
            scalar => match self.element(scalar, Position::Operand, values, found) {
                (what, 1) => what,
                _ => Word(OTHER),
            },
        }
    }
}
