//! Which choices the operands of a line make.

use crate::ptx::{Argument, Declarations, Operand as Text, Symbol};
use crate::spec::{Form, Isa, Operand, Pattern, Role};

/// What the operands say beside the values of their axes.
#[derive(Default)]
pub(super) struct Read {
    /// They do not fit the punctuation of the form; their axes are unread.
    pub(super) mismatched: bool,
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
                read.mismatched |= !self::suffix(form, inside.last().copied(), *suffix, values);
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
        let mut set = |axis: Option<usize>, value: &str| {
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
                set(self.operand.shape, shape);
                if self.operand.shape.is_none() {
                    return set(self.operand.of_type, "other");
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
                set(self.operand.shape, shape);
                set(self.operand.sinks, "none");
                let lone = lanes == 1 || self.operand.shape.is_some();
                set(self.operand.of_type, if lone { of_type } else { "other" });
            }
        }
    }

    fn elements(&self, elements: &[Argument<'_>], values: &mut [u8], read: &mut Read) {
        let mut mask = 0_usize;
        let mut types: Vec<u8> = Vec::with_capacity(elements.len());
        for (lane, element) in elements.iter().enumerate() {
            if *element == Argument::Sink && self.operand.sinks.is_some() {
                // Beyond eight lanes the shape is wrong, whatever stands in them.
                mask |= 1 << lane.min(8);
                continue;
            }
            let (of_type, lanes) = self.element(element);
            let of_type = if lanes == 1 { of_type } else { "other" };
            if let Some(axis) = self.operand.of_type {
                let value = self.position(axis, of_type);
                if !types.contains(&value) {
                    types.push(value);
                }
            }
        }
        if let Some(axis) = self.operand.sinks {
            let last = self.form.axes[axis].values.len() - 1;
            values[axis] = u8::try_from(mask.min(last)).unwrap_or(0);
        }
        let Some(axis) = self.operand.of_type else { return };
        match types.split_first() {
            Some((&first, more)) => {
                values[axis] = first;
                read.more.extend(more.iter().map(|&value| (axis, value)));
            }
            // Sinks alone have no type.
            None => values[axis] = self.position(axis, "sink"),
        }
    }

    /// What a scalar is on the axis of types, and how many lanes its register has.
    fn element(&self, argument: &Argument<'_>) -> (&str, u8) {
        match argument {
            Argument::Integer => ("integer", 1),
            Argument::Float => ("float", 1),
            Argument::Double => ("double", 1),
            Argument::Sink => ("sink", 1),
            Argument::Name(name) => match self.declarations.symbol(name) {
                Some(Symbol::Register(Some(of), lanes)) => (self.isa.types[of].name.as_str(), lanes),
                Some(Symbol::Variable(_)) => ("variable", 1),
                Some(Symbol::Surface(false)) => ("surfref", 1),
                Some(Symbol::Surface(true)) => ("surfref-parameter", 1),
                Some(Symbol::Register(None, _) | Symbol::Opaque) | None => match self.isa.special(name) {
                    Some(of) => (of, 1),
                    None => ("other", 1),
                },
            },
            _ => ("other", 1),
        }
    }

    fn position(&self, axis: usize, value: &str) -> u8 {
        let axis = &self.form.axes[axis];
        axis.position(value).or_else(|| axis.position("other")).unwrap_or(crate::spec::UNREAD)
    }

    fn address(&self, argument: &Argument<'_>, values: &mut [u8]) {
        let (base, of_type, offset) = match argument {
            Argument::Integer => ("integer", None, "none"),
            Argument::Name(name) => self.base(name, "none"),
            Argument::Sum(name, false) => self.base(name, "positive"),
            Argument::Sum(name, true) => self.base(name, "negative"),
            _ => ("other", None, "none"),
        };
        let operand = self.operand;
        operand.base.into_iter().for_each(|axis| values[axis] = self.position(axis, base));
        operand.offset.into_iter().for_each(|axis| values[axis] = self.position(axis, offset));
        operand.of_type.into_iter().for_each(|axis| {
            values[axis] = of_type.map_or(0, |of| self.position(axis, of));
        });
    }

    fn base<'v>(&'v self, name: &str, offset: &'v str) -> (&'v str, Option<&'v str>, &'v str) {
        match self.declarations.symbol(name) {
            Some(Symbol::Register(Some(of), 1)) => ("register", Some(self.isa.types[of].name.as_str()), offset),
            Some(Symbol::Variable(base)) => (base, None, offset),
            _ => match self.isa.special(name) {
                Some(of) => ("register", Some(of), offset),
                None => ("other", None, offset),
            },
        }
    }
}
