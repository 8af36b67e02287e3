//! Objects: surfaces, textures, labels, functions, by their name or by a register that holds a handle or an address.
//! PTX ISA `texture-sampler-and-surface-types`, `labels-and-function-names-as-operands`.

use super::described::RawOperand;
use super::item::{FUNCTION_OBJECT, Item, words_of};
use super::reader::{Found, OperandReader, Position, Word};
use super::value;
use crate::spec::words::{INTEGER, NONE, OTHER, VARIABLE};
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

/// Appends an object; a function has the results and arguments of the line.
pub(super) fn print<'a>(
    kind: &str,
    form: &'a Form,
    values: &[u8],
    at: usize,
    to: &mut String,
    uses: &mut impl FnMut(Item<'a>),
) {
    let of_type = form.operands[at].of_type.map_or("", |axis| form.value(values, axis));
    if of_type != FUNCTION_OBJECT {
        return value::print(form, values, at, to, uses);
    }
    let own = form.pattern.iter().position(|part| part.plain() == Some(at)).unwrap_or(0);
    let list = |parts: &[Pattern]| kind == FUNCTION_OBJECT && parts.iter().any(|part| matches!(part, Pattern::List(_)));
    let function = Item::Function(list(&form.pattern[..own]), list(&form.pattern[own..]));
    function.write(to);
    uses(function);
}

impl OperandReader<'_> {
    /// Reads an object into its axis: a scalar, whatever it is.
    pub(super) fn object(&self, argument: &Argument<'_>, position: Position, values: &mut [u8], found: &mut Found) {
        let (what, lanes) = match argument {
            Argument::Tuple(_) | Argument::Bracket(_) => (Word(OTHER), 1),
            scalar => self.element(scalar, position, values, found),
        };
        self.operand.of_type.into_iter().for_each(|axis| {
            values[axis] = self.on_axis(axis, if lanes == 1 { what } else { Word(OTHER) });
        });
    }
}
