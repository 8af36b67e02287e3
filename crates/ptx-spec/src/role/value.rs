//! Values: registers, vectors of them, immediates and sinks, in the roles `destination`, `source`,
//! `coordinate` and `policy`. PTX ISA `operand-type-information` and `vectors-as-operands`.

use std::fmt::Write as _;

use super::described::{RawOperand, RoleName, Width};
use super::element::element;
use super::item::{GLOBAL, Item};
use super::reader::{Found, OperandReader, Position, ReadValue, Word};
use crate::spec::words::{DOUBLE, FLOAT, INTEGER, NONE, OTHER, SINK};
use crate::spec::{Choice, Cube, Draft, Form, Kind, Operand, RegisterType, TextFault, ValueSet};
use crate::text::{Argument, Symbol};

/// One element, without braces.
const SCALAR: &str = "scalar";
/// Elements in braces.
const TUPLE: &str = "tuple";
/// A register of a vector type.
const VECTOR: &str = "vector";
/// The shapes of a value operand: lanes in braces, or a variable of a vector type.
pub const SHAPES: [&str; 8] = [SCALAR, "tuple1", "tuple2", "tuple3", "tuple4", "tuple8", "vector2", "vector4"];
/// The components of a vector register.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// The number of lanes of a shape.
pub fn lanes_of(shape: &str) -> usize {
    shape.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap_or(1)
}

/// A register, a vector or an immediate: shape, type and sinks.
pub(super) fn axes(draft: &mut Draft<'_>, operand: &mut Operand, at: usize, raw: &RawOperand) {
    let name = operand.name.clone();
    let vec = raw.lanes.as_ref().and_then(|slot| draft.slot(&slot.value));
    let fitting = |value: &str| draft.isa.shapes(value).to_vec();
    let claimed_shapes: Vec<String> = match (&raw.shapes, vec) {
        (Some(shapes), _) => shapes.iter().map(|shape| shape.value.clone()).collect(),
        (None, Some(vec)) => {
            let none = draft.claims[vec].optional.then(|| NONE.to_owned());
            none.iter().chain(&draft.claims[vec].values).flat_map(|value| fitting(value)).collect()
        }
        // In a form without the vector slot, operands are as without a vector modifier.
        (None, None) if raw.lanes.is_some() => fitting(NONE),
        (None, None) => vec![SCALAR.to_owned()],
    };
    let by_lanes: Vec<(u8, Vec<String>)> = match vec {
        Some(vec) => {
            let axis = &draft.axes[draft.slots[vec].axis];
            axis.claimed.iter().map(|value| (value, fitting(&axis.values[usize::from(value)]))).collect()
        }
        None => Vec::new(),
    };
    let shapes = SHAPES.iter().map(|&s| s.to_owned()).chain([OTHER.to_owned()]).collect();
    let shape = draft.axis(&format!("{name}.shape"), Choice::Shape(at), shapes, |s| {
        claimed_shapes.iter().any(|claimed| claimed == s)
    });
    operand.shape = Some(shape);
    let of = &draft.axes[shape];
    let unlisted = Cube::new([(shape, of.claimed.complement(of.values.len()))]);
    let mismatched: Vec<Cube> = by_lanes
        .iter()
        .map(|(value, shapes)| {
            let vec = draft.slots[vec.unwrap_or(0)].axis;
            let wrong = of.select(|s| !shapes.iter().any(|shape| shape == s)).and(&of.claimed);
            Cube::new([(vec, ValueSet::of(ValueSet::CAPACITY, |v| v == usize::from(*value))), (shape, wrong)])
        })
        .collect();
    let not_generated = Cube::new([(shape, of.select(|s| s == OTHER))]);
    draft.constraint(
        &format!("{name}-shape"),
        format!("`{name}` must be {}", claimed_shapes.join(" or ")),
        vec![unlisted],
    );
    draft.constraint(
        &format!("{name}-lanes"),
        format!("`{name}` must have as many lanes as the vector modifier says"),
        mismatched,
    );
    draft.canonical(&format!("{name}-shape-generated"), vec![not_generated]);
    types(draft, operand, at, raw);
    if raw.sinks {
        sinks(draft, operand, at, &claimed_shapes);
    }
}

fn types(draft: &mut Draft<'_>, operand: &mut Operand, at: usize, raw: &RawOperand) {
    let name = operand.name.clone();
    let accepts = raw.accepted();
    let slot = raw.matches.as_ref().and_then(|of| draft.slot(&of.value));
    // The instruction types the operand must suit: those of a slot, or a literal one.
    let instruction_types: Vec<&RegisterType> = match (&raw.matches, slot) {
        (_, Some(slot)) => draft.claims[slot].values.iter().filter_map(|v| draft.isa.instruction_type(v)).collect(),
        (Some(literal), None) => draft.isa.instruction_type(&literal.value).into_iter().collect(),
        (None, None) => Vec::new(),
    };
    let suiting = |value: &str, of: &RegisterType| {
        accepts.iter().any(|v| v == value)
            || draft.isa.register_type(value).is_some_and(|reg| draft.isa.suits(reg, of, raw.width == Width::Relaxed))
    };
    let claimed =
        |value: &str| accepts.iter().any(|v| v == value) || instruction_types.iter().any(|of| suiting(value, of));
    let mut values = if operand.optional { vec![NONE.to_owned()] } else { Vec::new() };
    let pseudo: &[&str] = match raw.role {
        RoleName::Destination => &[INTEGER, SINK, OTHER],
        _ => &[INTEGER, FLOAT, DOUBLE, SINK, OTHER],
    };
    let rest = draft.isa.types.iter().map(|t| t.name.clone()).chain(pseudo.iter().map(|&p| p.to_owned()));
    let rest: Vec<String> = rest.collect();
    values.extend(accepts.iter().filter(|v| !values.contains(v)).cloned().collect::<Vec<_>>());
    values.extend(rest.iter().filter(|v| claimed(v) && !accepts.contains(v)).cloned());
    values.extend(rest.iter().filter(|v| !claimed(v)).cloned());
    let per_type: Vec<(String, Vec<String>)> = instruction_types
        .iter()
        .map(|of| (of.name.clone(), values.iter().filter(|v| suiting(v, of)).cloned().collect()))
        .collect();
    let is_claimed: Vec<bool> = values.iter().map(|v| claimed(v) || (operand.optional && v == NONE)).collect();
    let of_type = draft.axis(&format!("{name}.type"), Choice::Type(at), values, |_| false);
    operand.of_type = Some(of_type);
    let axis = &mut draft.axes[of_type];
    axis.claimed = ValueSet::of(axis.values.len(), |value| is_claimed[value]);
    let axis = &draft.axes[of_type];
    let unlisted = Cube::new([(of_type, axis.claimed.complement(axis.values.len()))]);
    let mismatched: Vec<Cube> = per_type
        .iter()
        .filter_map(|(instruction, suiting)| {
            let wrong = axis.select(|v| v != NONE && !suiting.iter().any(|s| s == v)).and(&axis.claimed);
            let when = slot.map(|slot| {
                let axis = draft.slots[slot].axis;
                (axis, draft.axes[axis].select(|value| value == instruction))
            });
            (slot.is_some()).then(|| Cube::new(when.into_iter().chain([(of_type, wrong)])))
        })
        .collect();
    draft.constraint(&format!("{name}-type"), format!("`{name}` must have a type that it accepts"), vec![unlisted]);
    draft.constraint(
        &format!("{name}-register"),
        format!("the registers of `{name}` must suit the instruction's type"),
        mismatched,
    );
    draft.declarable(of_type);
    generated(draft, &name, of_type, operand.shape, raw.role);
}

/// Forbids variants that cannot be declared or are not generated; they can still be read.
pub(super) fn generated(draft: &mut Draft<'_>, name: &str, of_type: usize, shape: Option<usize>, role: RoleName) {
    let axis = &draft.axes[of_type];
    let mut cubes = vec![Cube::new([(of_type, axis.select(|v| v == OTHER))])];
    if let Some(shape) = shape {
        let shapes = &draft.axes[shape];
        let immediates = role != RoleName::Destination;
        let in_lanes = |v: &str| v.starts_with('.') || (immediates && [INTEGER, FLOAT, DOUBLE].contains(&v));
        let alone = axis.select(|v| !in_lanes(v));
        cubes.push(Cube::new([(of_type, alone), (shape, shapes.select(|s| s != SCALAR))]));
        let fits = |v: &str, lanes: u16| {
            let of = draft.isa.register_type(v);
            of.is_some_and(|of| of.bits * lanes <= 128 && of.bits < 128 && of.kind != Kind::Predicate)
        };
        for lanes in [2, 4] {
            let vector = format!("{VECTOR}{lanes}");
            let unfit = axis.select(|v| !fits(v, lanes));
            cubes.push(Cube::new([(of_type, unfit), (shape, shapes.select(|s| s == vector))]));
        }
    }
    draft.canonical(&format!("{name}-type-generated"), cubes);
}

fn sinks(draft: &mut Draft<'_>, operand: &mut Operand, at: usize, claimed_shapes: &[String]) {
    let widest = claimed_shapes.iter().filter(|s| s.starts_with(TUPLE)).map(|s| lanes_of(s)).max().unwrap_or(1);
    // The position of a value is its bit mask; all eight lanes would not leave room for UNREAD.
    let masks = (1_usize << widest).min(ValueSet::CAPACITY - 1);
    let label = |mask: usize| {
        let lanes: Vec<String> = (0..widest).filter(|lane| mask >> lane & 1 == 1).map(|l| l.to_string()).collect();
        if mask == 0 { NONE.to_owned() } else { lanes.join("+") }
    };
    let name = format!("{}.sinks", operand.name);
    let sinks = draft.axis(&name, Choice::Sinks(at), (0..masks).map(label).collect(), |_| true);
    operand.sinks = Some(sinks);
    let shape = operand.shape.unwrap_or_default();
    let shapes = &draft.axes[shape];
    let cubes = SHAPES.iter().map(|&of| {
        let lanes = if of.starts_with(TUPLE) { lanes_of(of) } else { 0 };
        // Only patterns with one sink or one register are generated: sinks alone have no type, and other
        // patterns would make up most of the space and show nothing more.
        let other = ValueSet::of(masks, |mask| {
            let count = usize::try_from(mask.count_ones()).unwrap_or(0);
            mask > 0 && (mask >= 1 << lanes || count == lanes || (count != 1 && count + 1 != lanes))
        });
        Cube::new([(shape, shapes.select(|s| s == of)), (sinks, other)])
    });
    let cubes = cubes.collect();
    draft.canonical(&format!("{name}-fit"), cubes);
}

/// Appends a value: one element, or a tuple of them.
pub(super) fn print<'a>(form: &'a Form, values: &[u8], at: usize, to: &mut String, uses: &mut impl FnMut(Item<'a>)) {
    let PrintedValue { of_type, shape, sinks, number } = PrintedValue::of(form, values, at);
    if let Some(lanes) = shape.strip_prefix(VECTOR) {
        let register = Item::Register(of_type, lanes.parse().unwrap_or(1), number);
        register.write(to);
        return uses(register);
    }
    let Some(lanes) = shape.strip_prefix(TUPLE).and_then(|lanes| lanes.parse::<u8>().ok()) else {
        return element(of_type, number, to, uses);
    };
    to.push('{');
    for lane in 0..lanes {
        if lane > 0 {
            to.push_str(", ");
        }
        if sinks >> lane & 1 == 1 {
            to.push('_');
        } else {
            element(of_type, number + lane, to, uses);
        }
    }
    to.push('}');
}

/// The parts of an operand of a variant.
struct PrintedValue<'a> {
    of_type: &'a str,
    shape: &'a str,
    sinks: usize,
    /// The number of its first register.
    number: u8,
}

impl<'a> PrintedValue<'a> {
    fn of(form: &'a Form, values: &[u8], at: usize) -> Self {
        let operand = &form.operands[at];
        Self {
            of_type: operand.of_type.map_or("", |axis| form.value(values, axis)),
            shape: operand.shape.map_or(SCALAR, |axis| form.value(values, axis)),
            sinks: operand.sinks.map_or(0, |axis| usize::from(values[axis])),
            number: Item::first(at),
        }
    }
}

/// Appends statements that store each register of a destination.
pub(super) fn store<'a>(form: &'a Form, values: &[u8], at: usize, to: &mut String, uses: &mut impl FnMut(Item<'a>)) {
    let PrintedValue { of_type, shape, sinks, number } = PrintedValue::of(form, values, at);
    let lanes = u8::try_from(lanes_of(shape)).unwrap_or(1);
    let stored = match of_type {
        ".pred" | SINK => return,
        // Stores have no 16-bit float types.
        ".f16" | ".bf16" => ".b16",
        ".f16x2" | ".bf16x2" => ".b32",
        other => other,
    };
    let to_variable = Item::Variable(GLOBAL);
    uses(to_variable);
    for lane in (0..lanes).filter(|lane| sinks >> lane & 1 == 0) {
        let _ = write!(to, " st.global{stored} [{}], ", to_variable.name());
        if shape.starts_with(VECTOR) {
            Item::Register(of_type, lanes, number).write(to);
            let _ = write!(to, ".{}", COMPONENTS[usize::from(lane) % 4]);
        } else {
            Item::Register(of_type, 1, number + lane).write(to);
        }
        to.push(';');
    }
}

impl OperandReader<'_> {
    /// Reads a value into its axes.
    pub(super) fn value(&self, argument: &Argument<'_>, position: Position, values: &mut [u8], found: &mut Found) {
        let set = |axis: Option<usize>, value: ReadValue<'_>, values: &mut [u8]| {
            if let Some(axis) = axis {
                values[axis] = self.on_axis(axis, value);
            }
        };
        match argument {
            Argument::Tuple(elements) => {
                set(self.operand.shape, Word(shape(TUPLES, elements.len())), values);
                self.elements(elements, values, found);
            }
            scalar => {
                let (of_type, lanes) = self.element(scalar, position, values, found);
                set(self.operand.shape, Word(shape(REGISTERS, usize::from(lanes))), values);
                set(self.operand.sinks, Word(NONE), values);
                set(self.operand.of_type, of_type, values);
            }
        }
    }

    fn elements(&self, elements: &[Argument<'_>], values: &mut [u8], found: &mut Found) {
        let mut mask = 0_usize;
        let mut first = None;
        for (lane, element) in elements.iter().enumerate() {
            if *element == Argument::Sink && self.operand.sinks.is_some() {
                // Beyond eight lanes the shape is wrong anyway.
                mask |= 1 << lane.min(8);
                continue;
            }
            let (of_type, lanes) = self.element(element, Position::Element, values, found);
            let of_type = if lanes == 1 { of_type } else { Word(OTHER) };
            if let Some(axis) = self.operand.of_type {
                let value = self.on_axis(axis, of_type);
                let another = (axis, value);
                if value != *first.get_or_insert(value) {
                    if !found.more.contains(&another) {
                        found.more.push(another);
                    }
                    if self.mixed(element, &elements[..lane]) {
                        found.fault(TextFault::MixedVector);
                    }
                }
            }
        }
        if let Some(axis) = self.operand.sinks {
            let last = self.form.axes[axis].values.len() - 1;
            values[axis] = u8::try_from(mask.min(last)).unwrap_or(0);
        }
        let Some(axis) = self.operand.of_type else { return };
        // Sinks alone have no type.
        values[axis] = first.unwrap_or_else(|| self.on_axis(axis, Word(SINK)));
    }
}

/// The kind of an element of a vector, for comparing it with others.
#[derive(Clone, Copy)]
struct ElementClass {
    /// Its size; an immediate has any.
    bits: Option<u16>,
    kind: Kind,
}

impl ElementClass {
    /// Whether two elements may be in one vector: they must have the same size; bits go with anything,
    /// integers with integers, and any other kind with itself.
    fn goes_with(self, other: Self) -> bool {
        let integer = |kind: Kind| matches!(kind, Kind::Unsigned | Kind::Signed);
        let sizes = self.bits.zip(other.bits).is_none_or(|(one, other)| one == other);
        let bits = self.kind == Kind::Bits || other.kind == Kind::Bits;
        sizes && (bits || self.kind == other.kind || integer(self.kind) && integer(other.kind))
    }
}

impl OperandReader<'_> {
    /// Whether an element does not match those before it.
    fn mixed(&self, element: &Argument<'_>, before: &[Argument<'_>]) -> bool {
        let Some(class) = self.class(element) else { return false };
        before.iter().filter_map(|element| self.class(element)).any(|other| !class.goes_with(other))
    }

    /// The kind of an element; none if it is a fault by itself, or a sink.
    fn class(&self, element: &Argument<'_>) -> Option<ElementClass> {
        match element {
            Argument::Integer(_) => Some(ElementClass { bits: None, kind: Kind::Signed }),
            Argument::Float(_) | Argument::Double(_) => Some(ElementClass { bits: None, kind: Kind::Float }),
            Argument::Name(name) => {
                let of = match self.declarations.symbol(name) {
                    Some(Symbol::Register(of, _)) => &self.isa.types[of?],
                    Some(_) => return None,
                    None => self.isa.register_type(&self.isa.special(name)?.of_type)?,
                };
                Some(ElementClass { bits: Some(of.bits), kind: of.kind })
            }
            _ => None,
        }
    }
}

/// The shapes of tuples, by the number of their lanes.
const TUPLES: &[(usize, &str)] = &[(1, SHAPES[1]), (2, SHAPES[2]), (3, SHAPES[3]), (4, SHAPES[4]), (8, SHAPES[5])];
/// The shapes of single registers, by the lanes of their type.
const REGISTERS: &[(usize, &str)] = &[(1, SCALAR), (2, SHAPES[6]), (4, SHAPES[7])];

/// The shape with these lanes.
fn shape(shapes: &[(usize, &'static str)], lanes: usize) -> &'static str {
    shapes.iter().find(|(of, _)| *of == lanes).map_or(OTHER, |(_, shape)| *shape)
}
