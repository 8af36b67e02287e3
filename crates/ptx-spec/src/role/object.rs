//! Objects: surfaces, textures, labels, functions, by their name or by a register that holds a handle or an address.
//! PTX ISA `texture-sampler-and-surface-types`, `labels-and-function-names-as-operands`.

use super::arguments::is_called;
use super::described::RawOperand;
use super::item::{CALLEES, ENTRY_OBJECT, FUNCTION_OBJECT, Item, PARAMETER, Signature, words_of};
use super::reader::{Found, OperandReader, Position, Word};
use super::value;
use crate::spec::words::{DOUBLE, FLOAT, INTEGER, NONE, OTHER, SINK, VARIABLE};
use crate::spec::{Choice, Cube, Draft, Form, Operand, Pattern};
use crate::text::Argument;

/// The axis of an object operand: what it is.
pub(super) fn axes(draft: &mut Draft<'_>, operand: &mut Operand, at: usize, raw: &RawOperand) {
    let accepts = raw.accepted();
    let kind = raw.of.as_ref().map_or("", |of| of.value.as_str());
    let names = words_of(kind).chain([VARIABLE, INTEGER, OTHER]).map(str::to_owned);
    let types = draft.isa.types.iter().map(|t| t.name.clone());
    let mut values = raw.accepted_first(types.chain(names).collect());
    if operand.optional {
        values.insert(0, NONE.to_owned());
    }
    let name = operand.name.clone();
    let of_type =
        draft.axis(&format!("{name}.type"), Choice::Type(at), values, |v| v == NONE || accepts.iter().any(|a| a == v));
    operand.of_type = Some(of_type);
    let axis = &draft.axes[of_type];
    let unlisted = Cube::new([(of_type, axis.claimed.complement(axis.values.len()))]);
    draft.constraint(&format!("{name}-type"), format!("`{name}` must be {}", accepts.join(" or ")), vec![unlisted]);
    draft.declarable(of_type);
    value::generated(draft, &name, of_type, None, raw.role);
}

/// Appends an object; what is called has the results and arguments of the line.
pub(super) fn print<'a>(form: &'a Form, values: &[u8], at: usize, to: &mut String, uses: &mut impl FnMut(Item<'a>)) {
    let of_type = form.operands[at].of_type.map_or("", |axis| form.value(values, axis));
    let Some(kind) = CALLEES.into_iter().find(|kind| *kind == of_type) else {
        return value::print(form, values, at, to, uses);
    };
    let (first, others) = form.pattern.split_first().map_or((None, &[][..]), |(first, others)| (Some(first), others));
    let result = first.and_then(|part| formal(form, values, part));
    let parameter = others.iter().find_map(|part| formal(form, values, part));
    let callee = Item::Callee(kind, Signature { result, parameter });
    callee.write(to);
    uses(callee);
}

/// The formal parameter that the elements of a list fit.
fn formal<'a>(form: &'a Form, values: &[u8], part: &Pattern) -> Option<&'a str> {
    let Pattern::List(at) = part else { return None };
    match form.value(values, form.operands[*at].of_type?) {
        NONE => None,
        FLOAT => Some(".f32"),
        DOUBLE => Some(".f64"),
        INTEGER | SINK | OTHER => Some(".b32"),
        PARAMETER => Some(PARAMETER),
        of => Some(of),
    }
}

impl OperandReader<'_> {
    /// Reads an object into its axis: a scalar, whatever it is.
    pub(super) fn object(&self, argument: &Argument<'_>, position: Position, values: &mut [u8], found: &mut Found) {
        let (what, lanes) = match argument {
            Argument::Tuple(_) | Argument::Bracket(_) => (Word(OTHER), 1),
            scalar => match self.element(scalar, position, values, found) {
                // That an entry is not called is a rule of its own.
                (Word(ENTRY_OBJECT), lanes) if is_called(self.operand) => (Word(FUNCTION_OBJECT), lanes),
                read => read,
            },
        };
        self.operand.of_type.into_iter().for_each(|axis| {
            values[axis] = self.on_axis(axis, if lanes == 1 { what } else { Word(OTHER) });
        });
    }
}
