//! What the choices of a line are called in a sentence.

use crate::role::shape_words;
use crate::spec::words::{NONE, OTHER, in_words};
use crate::spec::{Choice, Form};
use crate::text::{Argument, Declarations, Symbol};

/// The label of the part of a line that makes the choice of an axis: `.sem: .relaxed`, `no .scope`, `d: 3 elements in braces`.
pub(super) fn label(
    form: &Form,
    values: &[u8],
    axis: usize,
    argument: Option<&Argument<'_>>,
    known: &Declarations,
) -> String {
    let (choice, value) = (form.axes[axis].choice, form.value(values, axis));
    let name = match choice.operand() {
        Some(at) => form.operands[at].name.as_str(),
        None => form.axes[axis].name.as_str(),
    };
    match (choice, value) {
        (Choice::Modifier, NONE) => format!("no .{name}"),
        (_, NONE) => format!("no {name}"),
        (_, OTHER) => format!("{name}: {}", argument.map_or("of another kind".to_owned(), |of| kind(of, known))),
        (Choice::Shape(_), shape) => format!("{name}: {}", shape_words(shape)),
        (Choice::Type(_), of) => format!("{name}: {}", in_words(of)),
        (_, value) => format!("{name}: {value}"),
    }
}

/// The kind of an argument, in words.
fn kind(argument: &Argument<'_>, known: &Declarations) -> String {
    let what = match argument {
        Argument::Name(name) | Argument::Signed(_, name) => return kind_of_name(name, known),
        Argument::Integer(_) | Argument::Float(_) | Argument::Double(_) => "a number",
        Argument::Sink => "`_`",
        Argument::Sum(..) => "a sum",
        Argument::Element(..) => "an element of an array",
        Argument::Tuple(_) => "elements in braces",
        Argument::Bracket(_) => "an address in brackets",
        Argument::List(_) => "something in parentheses",
        Argument::Pair(_) => "a pair",
        Argument::Other => "of another kind",
    };
    what.to_owned()
}

/// The kind of what a name stands for, in words.
fn kind_of_name(name: &str, known: &Declarations) -> String {
    match known.symbol(name) {
        None => "of another kind".to_owned(),
        Some(Symbol::Register(_, 1)) => "a register".to_owned(),
        Some(Symbol::Register(_, lanes)) => format!("a vector of {lanes} elements"),
        Some(Symbol::Variable(space)) => format!("the name of a variable ({})", space.replace('-', " ")),
        Some(Symbol::Surface(_)) => "a surface".to_owned(),
        Some(Symbol::Object(what)) => format!("the name of a {}", what.replace('-', " ")),
        Some(Symbol::Opaque) => "the name of an object without data".to_owned(),
    }
}

/// A value of an operand that makes a line valid.
pub(super) fn accepted(form: &Form, axis: usize, value: &str) -> String {
    let choice = form.axes[axis].choice;
    let Some(operand) = choice.operand().map(|at| form.operands[at].name.as_str()) else {
        return format!("{} {value}", form.axes[axis].name);
    };
    match (choice, value) {
        (Choice::Type(_) | Choice::Shape(_), NONE) => format!("no `{operand}`"),
        (Choice::Type(_), of) if of.starts_with('.') => format!("a {of} register as `{operand}`"),
        (Choice::Type(_), of) => format!("{} as `{operand}`", in_words(of)),
        (Choice::Shape(_), shape) => format!("{} as `{operand}`", shape_words(shape)),
        (Choice::Number(_), number) => format!("{number} as `{operand}`"),
        _ => format!("{} {value}", form.axes[axis].name),
    }
}
