//! The arguments and results of a call, in parentheses. PTX ISA `control-flow-instructions-call`.

use std::sync::Arc;

use super::described::RawOperand;
use super::item::{CALLEES, LOCAL_PARAMETER, PARAMETER};
use super::reader::{Found, OperandReader, Position, ReadValue, Word};
use super::value;
use crate::spec::words::{DOUBLE, FLOAT, INTEGER, NONE, OTHER, SINK};
use crate::spec::{Choice, Cube, Draft, Form, Isa, Kind, Operand, Pattern, Role, TextFault};
use crate::text::{Argument, CallSignature, Declarations, Formal, OperandText, Symbol};

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
                // A vector register is passed whole.
                (what, _) if matches!(scalar, Argument::Name(_)) => what,
                _ => Word(OTHER),
            },
        }
    }
}

/// True if an operand is what is called, or says what that takes and returns.
pub(crate) fn is_called(operand: &Operand) -> bool {
    matches!(operand.role, Role::Object(kind) if CALLEES.contains(&kind))
}

/// Compares the results and arguments of a call with those of what it names, if these are known. The operands fit the
/// form.
pub(crate) fn compare(isa: &Isa, form: &Form, texts: &[OperandText<'_>], known: &Declarations, found: &mut Found) {
    let entry = |(part, text): (&Pattern, &OperandText<'_>)| is_entry(form, part, text, known);
    if form.pattern.iter().zip(texts).any(entry) {
        found.fault(TextFault::CallTarget);
    }
    let Some(signature) = form.pattern.iter().zip(texts).find_map(|(part, text)| called(form, part, text, known))
    else {
        return;
    };
    let (mut results, mut arguments) = (&[][..], &[][..]);
    for (at, (part, text)) in form.pattern.iter().zip(texts).enumerate() {
        let elements = match (part, &text.argument) {
            (Pattern::List(_), Argument::List(elements)) => elements.as_slice(),
            (Pattern::List(_), other) => std::slice::from_ref(other),
            _ => continue,
        };
        // What comes before the function is what it returns.
        *if at == 0 { &mut results } else { &mut arguments } = elements;
    }
    if results.len() != signature.results.len() || !signature.takes(arguments.len()) {
        found.fault(TextFault::ArgumentCount);
    }
    let pairs = signature.results.iter().zip(results).chain(signature.parameters.iter().zip(arguments));
    if pairs.into_iter().any(|(formal, argument)| !fits(isa, formal, argument, known)) {
        found.fault(TextFault::ArgumentType);
    }
}

/// True if a part of a call names an entry as what is called.
fn is_entry(form: &Form, part: &Pattern, text: &OperandText<'_>, known: &Declarations) -> bool {
    let called = part.operands().into_iter().any(|at| is_called(&form.operands[at]));
    matches!(text.argument, Argument::Name(name) if called && known.is_entry(name))
}

/// The arguments and results of the function, list or prototype that a part of a call names.
fn called(form: &Form, part: &Pattern, text: &OperandText<'_>, known: &Declarations) -> Option<Arc<CallSignature>> {
    let called = part.operands().into_iter().any(|at| is_called(&form.operands[at]));
    match text.argument {
        Argument::Name(name) if called && matches!(known.symbol(name)?, Symbol::Object(_)) => known.signature(name),
        _ => None,
    }
}

/// True if an argument or result may be where a function has this one: a register or variable of a similar type and the
/// same size. What else may be there, the axis says.
fn fits(isa: &Isa, formal: &Formal, argument: &Argument<'_>, known: &Declarations) -> bool {
    let name = match argument {
        Argument::Name(name) => name,
        Argument::Sink => return true,
        other => return !formal.array && suits_number(isa, formal, other),
    };
    match known.symbol(name) {
        Some(Symbol::Register(of, 1)) => !formal.array && similar(isa, formal.of, of),
        Some(Symbol::Variable(_)) => {
            let Some(passed) = known.argument(name) else { return true };
            let aligned = !formal.memory || formal.alignment == passed.alignment;
            let sized = formal.bytes.is_none_or(|bytes| passed.bytes == Some(bytes));
            aligned
                && formal.array == passed.array
                && if formal.array { sized } else { similar(isa, formal.of, passed.of) }
        }
        _ => true,
    }
}

/// True if an immediate may be passed where a function has this: integers do not stand for floats, nor floats for integers.
fn suits_number(isa: &Isa, formal: &Formal, argument: &Argument<'_>) -> bool {
    let Some(kind) = formal.of.map(|of| isa.types[of].kind) else { return true };
    match argument {
        Argument::Integer(_) => kind != Kind::Float,
        Argument::Float(_) | Argument::Double(_) => !matches!(kind, Kind::Unsigned | Kind::Signed),
        _ => true,
    }
}

/// True if one type can be passed as another. Types that are not listed, and values packed into one register, are only
/// compared by their size.
fn similar(isa: &Isa, formal: Option<usize>, passed: Option<usize>) -> bool {
    let Some((formal, passed)) = formal.zip(passed) else { return true };
    let (formal, passed) = (&isa.types[formal], &isa.types[passed]);
    let packed = formal.kind == Kind::Packed || passed.kind == Kind::Packed;
    formal.bits == passed.bits && (packed || isa.suits(passed, formal, false))
}
