//! Which choices the operands of a line make.

use crate::ptx::{Argument, Declarations, Operand as Text, Symbol};
use crate::spec::{Form, Isa, Operand, Pattern, Role, Writing};

/// What the operands say beside the values of their axes.
#[derive(Default)]
pub(super) struct Read {
    /// They do not fit the punctuation of the form; their axes are unread.
    pub(super) mismatched: bool,
    /// The writing with a suffix that only other forms have there.
    pub(super) foreign_suffix: Option<usize>,
    /// Further values of an axis: the types of elements that differ from the first.
    pub(super) more: Vec<(usize, u8)>,
}

/// Reads the operands into their axes.
pub(super) fn read(
    isa: &Isa,
    form: &Form,
    operands: &[Text<'_>],
    declarations: &Declarations,
    values: &mut [u8],
) -> Read {
    let mut read = Read::default();
    let mut texts = operands.iter();
    for part in &form.pattern {
        let text = texts.next();
        match (part, text) {
            (Pattern::Operand(at), None) if form.operands[*at].optional => {
                let operand = &form.operands[*at];
                operand.of_type.iter().chain(&operand.shape).for_each(|&axis| values[axis] = 0);
            }
            (Pattern::Operand(at), Some(text)) if !matches!(text.argument, Argument::Bracket(_)) => {
                let reader = Reader { isa, form, declarations, operand: &form.operands[*at] };
                reader.argument(&text.argument, values, &mut read);
            }
            (Pattern::Bracket(inside), Some(Text { argument: Argument::Bracket(elements), suffix, .. }))
                if inside.len() == elements.len() =>
            {
                for (&at, element) in inside.iter().zip(elements) {
                    let reader = Reader { isa, form, declarations, operand: &form.operands[at] };
                    reader.argument(element, values, &mut read);
                }
                let operand = inside.last().copied();
                if !self::suffix(form, operand, *suffix, values) {
                    let foreign = operand.zip(*suffix).map(|(at, suffix)| Writing::Suffixed(at, suffix.to_owned()));
                    read.foreign_suffix = foreign.and_then(|writing| form.writing_of(&writing));
                    read.mismatched |= read.foreign_suffix.is_none();
                }
            }
            _ => read.mismatched = true,
        }
    }
    read.mismatched |= texts.next().is_some();
    if read.mismatched {
        // What stands where is a guess then: no rule about operands is judged.
        let axes = form.operands.iter().flat_map(|o| [o.shape, o.of_type, o.sinks, o.base, o.offset]);
        axes.flatten().for_each(|axis| values[axis] = crate::spec::UNREAD);
        form.suffixes.iter().for_each(|(_, axis)| values[*axis] = crate::spec::UNREAD);
        read.more.clear();
    }
    read
}

/// Reads a suffix; `false` where the form has none of that name there.
fn suffix(form: &Form, operand: Option<usize>, suffix: Option<&str>, values: &mut [u8]) -> bool {
    let mut known = suffix.is_none();
    for (at, axis) in &form.suffixes {
        if Some(*at) == operand {
            let value = suffix.and_then(|suffix| form.axes[*axis].position(suffix));
            known |= value.is_some();
            values[*axis] = value.unwrap_or(0);
        }
    }
    known
}

/// What stands in an operand: a value of an axis, as it is called there or as a type of the ISA,
/// by its position.
#[derive(Clone, Copy)]
enum What<'a> {
    Word(&'a str),
    Type(usize),
}
use What::{Type, Word};

struct Reader<'a> {
    isa: &'a Isa,
    form: &'a Form,
    declarations: &'a Declarations,
    operand: &'a Operand,
}

impl Reader<'_> {
    fn argument(&self, argument: &Argument<'_>, values: &mut [u8], read: &mut Read) {
        if self.operand.role == Role::Address {
            return self.address(argument, values);
        }
        let mut set = |axis: Option<usize>, value: What<'_>| {
            if let Some(axis) = axis {
                values[axis] = self.position(axis, value);
            }
        };
        match argument {
            Argument::Tuple(elements) => {
                let shape = match elements.len() {
                    1 => "tuple1",
                    2 => "tuple2",
                    3 => "tuple3",
                    4 => "tuple4",
                    8 => "tuple8",
                    _ => "other",
                };
                set(self.operand.shape, Word(shape));
                if self.operand.shape.is_none() {
                    return set(self.operand.of_type, Word("other"));
                }
                self.elements(elements, values, read);
            }
            scalar => {
                let (of_type, lanes) = self.element(scalar);
                let shape = match lanes {
                    1 => "scalar",
                    2 => "vector2",
                    4 => "vector4",
                    _ => "other",
                };
                set(self.operand.shape, Word(shape));
                set(self.operand.sinks, Word("none"));
                let lone = lanes == 1 || self.operand.shape.is_some();
                set(self.operand.of_type, if lone { of_type } else { Word("other") });
            }
        }
    }

    fn elements(&self, elements: &[Argument<'_>], values: &mut [u8], read: &mut Read) {
        let mut mask = 0_usize;
        let mut first = None;
        for (lane, element) in elements.iter().enumerate() {
            if *element == Argument::Sink && self.operand.sinks.is_some() {
                // Beyond eight lanes the shape is wrong, whatever stands in them.
                mask |= 1 << lane.min(8);
                continue;
            }
            let (of_type, lanes) = self.element(element);
            let of_type = if lanes == 1 { of_type } else { Word("other") };
            if let Some(axis) = self.operand.of_type {
                let value = self.position(axis, of_type);
                let more = (axis, value);
                if value != *first.get_or_insert(value) && !read.more.contains(&more) {
                    read.more.push(more);
                }
            }
        }
        if let Some(axis) = self.operand.sinks {
            let last = self.form.axes[axis].values.len() - 1;
            values[axis] = u8::try_from(mask.min(last)).unwrap_or(0);
        }
        let Some(axis) = self.operand.of_type else { return };
        // Sinks alone have no type.
        values[axis] = first.unwrap_or_else(|| self.position(axis, Word("sink")));
    }

    /// What a scalar is on the axis of types, and how many lanes its register has.
    fn element(&self, argument: &Argument<'_>) -> (What<'_>, u8) {
        match argument {
            Argument::Integer(..) => (Word("integer"), 1),
            Argument::Float(..) => (Word("float"), 1),
            Argument::Double(..) => (Word("double"), 1),
            Argument::Sink => (Word("sink"), 1),
            Argument::Name(name) => match self.declarations.symbol(name) {
                Some(Symbol::Register(Some(of), lanes)) => (Type(of), lanes),
                Some(Symbol::Variable(_)) => (Word("variable"), 1),
                Some(Symbol::Surface(false)) => (Word("surfref"), 1),
                Some(Symbol::Surface(true)) => (Word("surfref-parameter"), 1),
                Some(Symbol::Register(None, _) | Symbol::Opaque) | None => match self.isa.special(name) {
                    Some(of) => (Word(of), 1),
                    None => (Word("other"), 1),
                },
            },
            _ => (Word("other"), 1),
        }
    }

    fn position(&self, axis: usize, what: What<'_>) -> u8 {
        match what {
            Word(word) => self.form.axes[axis].position_or_other(word),
            Type(of) => self.form.type_value(axis, of),
        }
    }

    fn address(&self, argument: &Argument<'_>, values: &mut [u8]) {
        let (base, of_type, offset) = match argument {
            Argument::Integer(..) => ("integer", None, "none"),
            Argument::Name(name) => self.base(name, "none"),
            Argument::Sum(name, false, _) => self.base(name, "positive"),
            Argument::Sum(name, true, _) => self.base(name, "negative"),
            _ => ("other", None, "none"),
        };
        let operand = self.operand;
        operand.base.into_iter().for_each(|axis| values[axis] = self.position(axis, Word(base)));
        operand.offset.into_iter().for_each(|axis| values[axis] = self.position(axis, Word(offset)));
        operand.of_type.into_iter().for_each(|axis| {
            values[axis] = of_type.map_or(0, |of| self.position(axis, of));
        });
    }

    fn base<'v>(&'v self, name: &str, offset: &'v str) -> (&'v str, Option<What<'v>>, &'v str) {
        match self.declarations.symbol(name) {
            Some(Symbol::Register(Some(of), 1)) => ("register", Some(Type(of)), offset),
            Some(Symbol::Variable(base)) => (base, None, offset),
            _ => match self.isa.special(name) {
                Some(of) => ("register", Some(Word(of)), offset),
                None => ("other", None, offset),
            },
        }
    }
}
