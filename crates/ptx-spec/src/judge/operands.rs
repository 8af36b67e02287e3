//! Which choices the operands of a line make.

use super::SpecialNeeds;
use crate::ptx::{Argument, Declarations, Integer, Line, Operand as Text, Symbol};
use crate::spec::{Fault, Form, Isa, Kind, Operand, Pattern, Role, Special, Writing};

/// What the operands say beside the values of their axes.
#[derive(Default)]
pub(super) struct Read {
    /// They do not fit the punctuation of the form; their axes are unread.
    pub(super) mismatched: bool,
    /// The writing with a suffix that only other forms have there.
    pub(super) foreign_suffix: Option<usize>,
    /// Further values of an axis: the types of elements that differ from the first.
    pub(super) more: Vec<(usize, u8)>,
    /// What is wrong that no axis tells.
    pub(super) faults: Vec<Fault>,
    /// What the special registers need.
    pub(super) specials: SpecialNeeds,
}

/// Reads the operands into their axes.
pub(super) fn read(
    isa: &Isa,
    form: &Form,
    line: &Line<'_>,
    declarations: &Declarations,
    values: &mut [u8],
) -> Read {
    let mut read = Read::default();
    if let Some((_, guard)) = line.guard {
        read.guard(isa, declarations, guard, values);
    }
    let mut texts = line.operands.iter();
    for part in &form.pattern {
        let text = texts.next();
        match (part, text) {
            (Pattern::Operand(at), None) if form.operands[*at].optional => {
                let operand = &form.operands[*at];
                operand.of_type.iter().chain(&operand.shape).for_each(|&axis| values[axis] = 0);
            }
            (Pattern::Operand(at), Some(text)) if !matches!(text.argument, Argument::Bracket(_)) => {
                let reader = Reader { isa, form, declarations, operand: &form.operands[*at] };
                reader.argument(&text.argument, false, values, &mut read);
            }
            (Pattern::Bracket(inside), Some(Text { argument: Argument::Bracket(elements), suffix, .. }))
                if inside.len() == elements.len() =>
            {
                for (&at, element) in inside.iter().zip(elements) {
                    let reader = Reader { isa, form, declarations, operand: &form.operands[at] };
                    reader.argument(element, true, values, &mut read);
                }
                read.suffix(form, inside.last().copied(), *suffix, values);
            }
            // `a[4]` is an address without brackets around it.
            (Pattern::Bracket(inside), Some(Text { argument: Argument::Element(name, index, value), suffix, .. }))
                if let [at] = inside[..]
                    && form.operands[at].role == Role::Address =>
            {
                let reader = Reader { isa, form, declarations, operand: &form.operands[at] };
                reader.array(name, *index, *value, values, &mut read);
                read.suffix(form, Some(at), *suffix, values);
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
        read.faults.clear();
    }
    read
}

impl Read {
    fn fault(&mut self, fault: Fault) {
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// The guard is a register or special register of one predicate.
    fn guard(&mut self, isa: &Isa, declarations: &Declarations, name: &str, values: &[u8]) {
        let predicate = match (declarations.symbol(name), isa.special(name)) {
            (Some(Symbol::Register(Some(of), 1)), _) => isa.types[of].kind == Kind::Predicate,
            (None, Some(special)) => {
                self.special(isa, special, values);
                isa.register_type(&special.of_type).is_some_and(|of| of.kind == Kind::Predicate)
            }
            _ => false,
        };
        if !predicate {
            self.fault(Fault::Guard);
        }
    }

    /// Whether the PTX version and target have a special register.
    fn special(&mut self, isa: &Isa, special: &Special, values: &[u8]) {
        self.specials.ptx = self.specials.ptx.max(special.ptx);
        self.specials.target = self.specials.target.max(special.target);
        // The axes of the environment have the newest first.
        let nth = |value: u8, count: usize| count.checked_sub(1 + usize::from(value));
        let ptx = nth(values[2], isa.versions.len()).map(|at| isa.versions[at]);
        let target = nth(values[1], isa.targets.len()).map(|at| isa.targets[at].0);
        let too_old = special.ptx.is_some_and(|since| ptx.is_none_or(|ptx| ptx < since));
        let lacking = special.target.is_some_and(|needed| !target.is_some_and(|target| needed.met_by(target)));
        if too_old || lacking {
            self.fault(Fault::SpecialSince);
        }
    }

    /// Reads a suffix.
    fn suffix(&mut self, form: &Form, operand: Option<usize>, suffix: Option<&str>, values: &mut [u8]) {
        let mut known = suffix.is_none();
        for (at, axis) in &form.suffixes {
            if Some(*at) == operand {
                let value = suffix.and_then(|suffix| form.axes[*axis].position(suffix));
                known |= value.is_some();
                values[*axis] = value.unwrap_or(0);
            }
        }
        if !known {
            let foreign = operand.zip(suffix).map(|(at, suffix)| Writing::Suffixed(at, suffix.to_owned()));
            self.foreign_suffix = foreign.and_then(|writing| form.writing_of(&writing));
            self.mismatched |= self.foreign_suffix.is_none();
        }
    }
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

/// Where a name stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// It is an operand.
    Operand,
    /// It is one of the operands in square brackets.
    Bracket,
    /// It is an element in braces.
    Element,
}

impl Reader<'_> {
    fn argument(&self, argument: &Argument<'_>, bracketed: bool, values: &mut [u8], read: &mut Read) {
        if self.operand.role == Role::Address {
            return self.address(argument, values, read);
        }
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
                self.set(self.operand.shape, Word(shape), values);
                if self.operand.shape.is_none() {
                    return self.set(self.operand.of_type, Word("other"), values);
                }
                self.elements(elements, values, read);
            }
            scalar => {
                let position = if bracketed { Position::Bracket } else { Position::Operand };
                let (of_type, lanes) = self.element(scalar, position, values, read);
                let shape = match lanes {
                    1 => "scalar",
                    2 => "vector2",
                    4 => "vector4",
                    _ => "other",
                };
                self.set(self.operand.shape, Word(shape), values);
                self.set(self.operand.sinks, Word("none"), values);
                let lone = lanes == 1 || self.operand.shape.is_some();
                self.set(self.operand.of_type, if lone { of_type } else { Word("other") }, values);
            }
        }
    }

    fn set(&self, axis: Option<usize>, value: What<'_>, values: &mut [u8]) {
        if let Some(axis) = axis {
            values[axis] = self.position(axis, value);
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
            let (of_type, lanes) = self.element(element, Position::Element, values, read);
            let of_type = if lanes == 1 { of_type } else { Word("other") };
            if let Some(axis) = self.operand.of_type {
                let value = self.position(axis, of_type);
                let more = (axis, value);
                if value != *first.get_or_insert(value) {
                    if !read.more.contains(&more) {
                        read.more.push(more);
                    }
                    self.mixed(element, &elements[..lane], read);
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

    /// Whether an element goes with those before it.
    fn mixed(&self, element: &Argument<'_>, before: &[Argument<'_>], read: &mut Read) {
        let Some(class) = self.class(element) else { return };
        let mut others = before.iter().filter_map(|element| self.class(element));
        if others.any(|other| !class.goes_with(other)) {
            read.fault(Fault::MixedVector);
        }
    }

    /// What an element is beside others; nothing where it is a fault by itself, or a sink.
    fn class(&self, element: &Argument<'_>) -> Option<Class> {
        match element {
            Argument::Integer(_) => Some(Class { bits: None, kind: Kind::Signed }),
            Argument::Float(_) | Argument::Double(_) => Some(Class { bits: None, kind: Kind::Float }),
            Argument::Name(name) => {
                let of = match self.declarations.symbol(name) {
                    Some(Symbol::Register(of, _)) => &self.isa.types[of?],
                    Some(_) => return None,
                    None => self.isa.register_type(&self.isa.special(name)?.of_type)?,
                };
                Some(Class { bits: Some(of.bits), kind: of.kind })
            }
            _ => None,
        }
    }

    /// What a scalar is on the axis of types, and how many lanes its register has.
    fn element<'e>(
        &'e self,
        argument: &Argument<'_>,
        position: Position,
        values: &[u8],
        read: &mut Read,
    ) -> (What<'e>, u8) {
        match argument {
            Argument::Integer(..) => (Word("integer"), 1),
            Argument::Float(..) => (Word("float"), 1),
            Argument::Double(..) => (Word("double"), 1),
            Argument::Sink => (Word("sink"), 1),
            // In square brackets a register is named as a whole.
            Argument::Name(name) if position == Position::Bracket && name.contains('.') => (Word("other"), 1),
            Argument::Name(name) => match self.declarations.symbol(name) {
                Some(Symbol::Register(Some(of), lanes)) => (Type(of), lanes),
                Some(Symbol::Variable(_)) => (Word("variable"), 1),
                Some(Symbol::Surface(false)) => (Word("surfref"), 1),
                Some(Symbol::Surface(true)) => (Word("surfref-parameter"), 1),
                Some(Symbol::Register(None, _) | Symbol::Opaque) => (Word("other"), 1),
                None => match self.isa.special(name) {
                    Some(special) => {
                        read.special(self.isa, special, values);
                        if position != Position::Element || self.operand.role != Role::Source {
                            read.fault(Fault::Special);
                        }
                        (Word(&special.of_type), special.lanes)
                    }
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

    fn address(&self, argument: &Argument<'_>, values: &mut [u8], read: &mut Read) {
        let (base, of_type, offset) = match argument {
            Argument::Integer(value) => {
                if u32::try_from(value.value()).is_err() {
                    read.fault(Fault::AbsoluteAddress);
                }
                ("integer", None, "none")
            }
            Argument::Name(name) => self.base(name, "none", values, read),
            Argument::Sum(name, value) => self.base(name, offset(*value, read), values, read),
            _ => ("other", None, "none"),
        };
        self.set_address((base, of_type, offset), values);
    }

    /// An element of an array: the array is a variable, the index an integer, a register or both.
    fn array(&self, name: &str, index: Option<&str>, value: Integer, values: &mut [u8], read: &mut Read) {
        let integer = |kind: Kind| matches!(kind, Kind::Bits | Kind::Unsigned | Kind::Signed);
        let indexed = index.is_none_or(|register| match self.declarations.symbol(register) {
            Some(Symbol::Register(Some(of), 1)) => !register.contains('.') && integer(self.isa.types[of].kind),
            _ => false,
        });
        let offset = offset(value, read);
        let address = match self.declarations.symbol(name) {
            Some(Symbol::Variable(base)) if indexed => (base, None, offset),
            _ => ("other", None, "none"),
        };
        self.set_address(address, values);
    }

    fn set_address(&self, (base, of_type, offset): (&str, Option<What<'_>>, &str), values: &mut [u8]) {
        self.set(self.operand.base, Word(base), values);
        self.set(self.operand.offset, Word(offset), values);
        self.operand.of_type.into_iter().for_each(|axis| {
            values[axis] = of_type.map_or(0, |of| self.position(axis, of));
        });
    }

    fn base<'v>(
        &'v self,
        name: &str,
        offset: &'v str,
        values: &[u8],
        read: &mut Read,
    ) -> (&'v str, Option<What<'v>>, &'v str) {
        match self.declarations.symbol(name) {
            // A component is no register by itself here.
            Some(Symbol::Register(Some(of), 1)) if !name.contains('.') => ("register", Some(Type(of)), offset),
            Some(Symbol::Variable(base)) => (base, None, offset),
            Some(_) => ("other", None, offset),
            None => match self.isa.special(name) {
                Some(special) if special.lanes == 1 && !name.contains('.') => {
                    read.special(self.isa, special, values);
                    ("register", Some(Word(&special.of_type)), offset)
                }
                _ => ("other", None, offset),
            },
        }
    }
}

/// What an offset is on its axis; one is a signed integer of 32 bits.
fn offset(value: Integer, read: &mut Read) -> &'static str {
    if i32::try_from(value.signed()).is_err() {
        read.fault(Fault::Offset);
    }
    if value.signed() < 0 { "negative" } else { "positive" }
}

/// What an element of a vector is beside others.
#[derive(Clone, Copy)]
struct Class {
    /// Its size; an immediate has any.
    bits: Option<u16>,
    kind: Kind,
}

impl Class {
    /// Whether two elements may stand in one vector: they are of one size, and bits go with
    /// anything, integers with integers, and any other kind with itself.
    fn goes_with(self, other: Self) -> bool {
        let integer = |kind: Kind| matches!(kind, Kind::Unsigned | Kind::Signed);
        let sizes = self.bits.zip(other.bits).is_none_or(|(one, other)| one == other);
        let bits = self.kind == Kind::Bits || other.kind == Kind::Bits;
        sizes && (bits || self.kind == other.kind || integer(self.kind) && integer(other.kind))
    }
}
