//! Values: registers, vectors of them, immediates and sinks, in the roles `destination`, `source`,
//! `coordinate` and `policy`. PTX ISA `operand-type-information` and `vectors-as-operands`.

use std::fmt::Write as _;

use super::described::{RawOperand, RoleName, Width};
use super::element::element;
use super::fields::{RawLanes, RawTypeOf};
use super::item::{GLOBAL, Item, number};
use super::reader::{Found, OperandReader, Position, ReadValue, Word};
use super::special;
use crate::spec::words::{DOUBLE, FLOAT, INTEGER, NONE, OTHER, SINK, SPECIAL};
use crate::spec::{Choice, Cube, Draft, Form, Kind, Operand, RegisterType, TextFault, ValueSet};
use crate::text::{Argument, Symbol};
use crate::yaml::OneOrMany;

/// One element, without braces.
const SCALAR: &str = "scalar";
/// Elements in braces.
const TUPLE: &str = "tuple";
/// A register of a vector type.
const VECTOR: &str = "vector";
/// The shapes that every value operand is tried with: lanes in braces, or a variable of a vector type.
const SHAPES: [&str; 8] = [SCALAR, "tuple1", "tuple2", "tuple3", "tuple4", "tuple8", "vector2", "vector4"];
/// The most elements in braces.
const MOST_LANES: usize = 128;
/// More lanes than this have no sinks that are a choice of their own.
const MOST_SINKS: usize = 8;
/// The components of a vector register.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// The number of lanes of a shape.
pub fn lanes_of(shape: &str) -> usize {
    shape.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap_or(1)
}

/// Whether a text is the name of a shape.
pub(crate) fn is_shape(text: &str) -> bool {
    let lanes =
        |lanes: &str| lanes.parse().is_ok_and(|lanes| (1..=MOST_LANES).contains(&lanes)) && !lanes.starts_with('0');
    SHAPES.contains(&text) || text.strip_prefix(TUPLE).is_some_and(lanes)
}

/// The shapes that a number of lanes, or the name of a shape, stands for.
fn shapes_of(text: &str) -> Vec<String> {
    match text {
        "1" => vec![SCALAR.to_owned(), format!("{TUPLE}1")],
        "2" | "4" => vec![format!("{TUPLE}{text}"), format!("{VECTOR}{text}")],
        lanes if lanes.parse::<usize>().is_ok() => vec![format!("{TUPLE}{lanes}")],
        shape => vec![shape.to_owned()],
    }
}

/// What is wrong with a cell that gives lanes.
pub(crate) fn is_lanes(text: &str) -> bool {
    shapes_of(text).iter().all(|shape| is_shape(shape))
}

/// Values of slots, by their axes.
pub(super) type SlotSets = Vec<(usize, ValueSet)>;

/// The shapes that go with values of slots.
type FittingShapes = (SlotSets, Vec<String>);

/// A register, a vector or an immediate: shape, type and sinks.
pub(super) fn axes(draft: &mut Draft<'_>, operand: &mut Operand, at: usize, raw: &RawOperand) {
    let shapes = shapes(draft, operand, at, raw);
    types(draft, operand, at, raw);
    shapes.add_rules(draft, operand);
    if raw.sinks {
        sinks(draft, operand, at, &shapes.claimed);
    }
    if let Some(numbers) = &raw.value {
        operand.numbers = Some(numbers.value.0.clone());
        numbers_axis(draft, operand, at);
    }
}

/// The shapes of an operand that has their axis.
struct ClaimedShapes {
    claimed: Vec<String>,
    /// Those that are not claimed.
    unlisted: Cube,
    /// Those that do not fit the other choices.
    mismatched: Vec<Cube>,
}

impl ClaimedShapes {
    /// Adds the rules about the shape, which are about an operand that is there.
    fn add_rules(&self, draft: &mut Draft<'_>, operand: &Operand) {
        let name = &operand.name;
        let there =
            operand.of_type.filter(|_| operand.optional).map(|axis| (axis, draft.axes[axis].select(|v| v != NONE)));
        let of_present = |cube: &Cube| there.iter().fold(cube.clone(), |cube, (axis, set)| cube.with(*axis, *set));
        let says = format!("`{name}` must be {}", self.claimed.join(" or "));
        draft.constraint(&format!("{name}-shape"), says, vec![of_present(&self.unlisted)]);
        let says = format!("`{name}` must have as many lanes as the other choices say");
        draft.constraint(&format!("{name}-lanes"), says, self.mismatched.iter().map(of_present).collect());
    }
}

/// The axis of shapes.
fn shapes(draft: &mut Draft<'_>, operand: &mut Operand, at: usize, raw: &RawOperand) -> ClaimedShapes {
    let name = operand.name.clone();
    let fitting: Vec<FittingShapes> = match raw.lanes.as_ref().map(|lanes| &lanes.value) {
        Some(RawLanes::Slot(slot)) => by_slot(draft, slot),
        Some(RawLanes::Table(table)) => {
            let fitting = |row: &Vec<OneOrMany<String>>| {
                let (lanes, cells) = row.split_last()?;
                let sets = table.by.iter().zip(cells).map(|(slot, cell)| cell_set(draft, slot, &cell.0));
                let sets: Vec<_> = sets.collect::<Option<_>>()?;
                let shapes = lanes.0.iter().flat_map(|lanes| shapes_of(lanes)).collect();
                Some((sets.into_iter().flatten().collect(), shapes))
            };
            table.rows.iter().filter_map(fitting).collect()
        }
        None => Vec::new(),
    };
    let claimed: Vec<String> = match (&raw.shapes, operand.elements) {
        (Some(shapes), _) => shapes.iter().map(|shape| shape.value.clone()).collect(),
        (None, Some(elements)) => vec![format!("{TUPLE}{elements}")],
        (None, None) if raw.lanes.is_some() => fitting.iter().flat_map(|(_, shapes)| shapes.clone()).collect(),
        (None, None) => vec![SCALAR.to_owned()],
    };
    let mut values: Vec<String> = SHAPES.iter().map(|&s| s.to_owned()).collect();
    values.extend(claimed.clone());
    values.push(OTHER.to_owned());
    let mut seen = std::collections::BTreeSet::new();
    values.retain(|value| seen.insert(value.clone()));
    let shape =
        draft.axis(&format!("{name}.shape"), Choice::Shape(at), values, |s| claimed.iter().any(|claimed| claimed == s));
    operand.shape = Some(shape);
    let of = &draft.axes[shape];
    let unlisted = Cube::new([(shape, of.claimed.complement(of.values.len()))]);
    let mismatched = |(sets, shapes): &FittingShapes| {
        let wrong = of.select(|s| !shapes.iter().any(|shape| shape == s)).and(&of.claimed);
        Cube::new(sets.iter().copied().chain([(shape, wrong)]))
    };
    let mismatched: Vec<Cube> = fitting.iter().map(mismatched).collect();
    let not_generated = Cube::new([(shape, of.select(|s| s == OTHER))]);
    draft.canonical(&format!("{name}-shape-generated"), vec![not_generated]);
    ClaimedShapes { claimed, unlisted, mismatched }
}

/// The shapes that fit each value of a vector slot.
fn by_slot(draft: &Draft<'_>, slot: &str) -> Vec<FittingShapes> {
    let Some(vec) = draft.slot(slot) else {
        // In a form without the vector slot, operands are as without a vector modifier.
        return vec![(Vec::new(), draft.isa.shapes(NONE).to_vec())];
    };
    let at = draft.slots[vec].axis;
    let axis = &draft.axes[at];
    let fitting = |value: u8| {
        let only = ValueSet::of(ValueSet::CAPACITY, |v| v == usize::from(value));
        (vec![(at, only)], draft.isa.shapes(&axis.values[usize::from(value)]).to_vec())
    };
    let mut values: Vec<u8> = axis.claimed.iter().collect();
    // Without a modifier first.
    values.sort_by_key(|value| axis.values[usize::from(*value)] != NONE);
    values.into_iter().map(fitting).collect()
}

/// The values of a slot in a row of a table; none if the form has no such line, and an empty set of conditions if it lacks
/// the slot.
fn cell_set(draft: &Draft<'_>, slot: &str, cell: &[String]) -> Option<Option<(usize, ValueSet)>> {
    let any = cell.iter().any(|value| value == "any");
    let Some(at) = draft.slot_axis(slot) else {
        return (any || cell.iter().any(|value| value == NONE)).then_some(None);
    };
    let axis = &draft.axes[at];
    let set = axis.select(|value| any || cell.iter().any(|cell| cell == value)).and(&axis.claimed);
    (!set.is_empty()).then_some(Some((at, set)))
}

/// The instruction types that an operand must suit, each with the values of slots for which it must; without any for a type
/// that the operand has in every line.
fn instruction_types<'i>(draft: &Draft<'i>, raw: &RawOperand) -> Vec<(SlotSets, &'i RegisterType)> {
    let isa = draft.isa;
    match raw.matches.as_ref().map(|of| &of.value) {
        None => Vec::new(),
        Some(RawTypeOf::Table(table)) => {
            let typed = |row: &Vec<OneOrMany<String>>| {
                let (of, cells) = row.split_last()?;
                let sets = table.by.iter().zip(cells).map(|(slot, cell)| cell_set(draft, slot, &cell.0));
                let sets: Vec<_> = sets.collect::<Option<_>>()?;
                Some((sets.into_iter().flatten().collect(), isa.instruction_type(of.0.first()?)?))
            };
            table.rows.iter().filter_map(typed).collect()
        }
        Some(RawTypeOf::Of(scaled)) => match draft.slot_axis(&scaled.of) {
            None => scaled.type_for(isa, &scaled.of).map(|of| (Vec::new(), of)).into_iter().collect(),
            Some(axis) => {
                let of = &draft.axes[axis];
                let typed = |at: u8| {
                    let only = ValueSet::of(ValueSet::CAPACITY, |value| value == usize::from(at));
                    Some((vec![(axis, only)], scaled.type_for(isa, &of.values[usize::from(at)])?))
                };
                of.claimed.iter().filter_map(typed).collect()
            }
        },
    }
}

/// The axis of what the operand is: register types, immediates and whatever else it accepts.
fn types(draft: &mut Draft<'_>, operand: &mut Operand, at: usize, raw: &RawOperand) {
    let name = operand.name.clone();
    let accepts = raw.accepted();
    let instruction_types = instruction_types(draft, raw);
    let suiting = |value: &str, of: &RegisterType| {
        accepts.iter().any(|v| v == value)
            || raw.accepts_immediates() && draft.isa.immediate(value, of)
            || draft.isa.register_type(value).is_some_and(|reg| draft.isa.suits(reg, of, raw.width == Width::Relaxed))
    };
    let claimed =
        |value: &str| accepts.iter().any(|v| v == value) || instruction_types.iter().any(|(_, of)| suiting(value, of));
    let mut values = if operand.optional { vec![NONE.to_owned()] } else { Vec::new() };
    let pseudo: &[&str] = match raw.role {
        RoleName::Destination => &[INTEGER, SINK, OTHER],
        _ => &[INTEGER, FLOAT, DOUBLE, SINK, OTHER],
    };
    let rest = draft.isa.types.iter().map(|t| t.name.clone()).chain(pseudo.iter().map(|&p| p.to_owned()));
    let rest: Vec<String> = rest.collect();
    let late = |value: &String| value == SPECIAL;
    values.extend(accepts.iter().filter(|v| !values.contains(v) && !late(v)).cloned().collect::<Vec<_>>());
    values.extend(rest.iter().filter(|v| claimed(v) && !accepts.contains(v)).cloned());
    values.extend(accepts.iter().filter(|v| late(v)).cloned());
    values.extend(rest.iter().filter(|v| !claimed(v)).cloned());
    let per_type: Vec<(SlotSets, Vec<String>)> = instruction_types
        .iter()
        .map(|(when, of)| (when.clone(), values.iter().filter(|v| suiting(v, of)).cloned().collect()))
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
        .filter(|(when, _)| !when.is_empty())
        .map(|(when, suiting)| {
            let wrong = axis.select(|v| v != NONE && !suiting.iter().any(|s| s == v)).and(&axis.claimed);
            Cube::new(when.iter().copied().chain([(of_type, wrong)]))
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
    if accepts.iter().any(|value| value == SPECIAL) {
        special::axis(draft, operand, at, &instruction_types);
    }
}

/// The axis of the number that an immediate is.
fn numbers_axis(draft: &mut Draft<'_>, operand: &mut Operand, at: usize) {
    let (Some(numbers), Some(of_type)) = (&operand.numbers, operand.of_type) else { return };
    let name = &operand.name;
    let values = numbers.values().into_iter().map(|(value, _)| value).collect();
    let axis = draft.axis(&format!("{name}.value"), Choice::Number(at), values, |value| numbers.claims(value));
    let (of, types) = (&draft.axes[axis], &draft.axes[of_type]);
    let wrong = Cube::new([(axis, of.claimed.complement(of.values.len()))]);
    let mut canonical = vec![
        Cube::new([(of_type, types.select(|value| value == INTEGER)), (axis, of.select(|value| value == NONE))]),
        Cube::new([(of_type, types.select(|value| value != INTEGER)), (axis, of.select(|value| value != NONE))]),
    ];
    // Numbers in braces have no choices of their own.
    if let Some(shape) = operand.shape {
        let shapes = &draft.axes[shape];
        let integer = (of_type, types.select(|value| value == INTEGER));
        canonical.push(Cube::new([integer, (shape, shapes.select(|value| value != SCALAR))]));
    }
    draft.constraint(
        &format!("{name}-value"),
        format!("an immediate `{name}` must be {}", numbers.says()),
        vec![wrong],
    );
    draft.canonical(&format!("{name}-value-generated"), canonical);
    operand.number = Some(axis);
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
    let tuples = claimed_shapes.iter().filter(|s| s.starts_with(TUPLE)).map(|s| lanes_of(s));
    let widest = tuples.filter(|lanes| *lanes <= MOST_SINKS).max().unwrap_or(1);
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
    let cubes = shapes.values.iter().map(|of| {
        let lanes = if of.starts_with(TUPLE) && lanes_of(of) <= MOST_SINKS { lanes_of(of) } else { 0 };
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
    let PrintedValue { of_type, shape, sinks } = PrintedValue::of(form, values, at);
    let operand = &form.operands[at];
    if let Some(special) = operand.special.map(|axis| form.value(values, axis)).filter(|name| *name != NONE) {
        return to.push_str(special);
    }
    if let Some((axis, numbers)) = operand.number.zip(operand.numbers.as_ref())
        && of_type == INTEGER
    {
        let number = numbers.values().get(usize::from(values[axis])).map_or(0, |(_, number)| *number);
        return to.push_str(&number.to_string());
    }
    if let Some(lanes) = shape.strip_prefix(VECTOR) {
        let register = Item::Register(of_type, lanes.parse().unwrap_or(1), number(at, 0));
        register.write(to);
        return uses(register);
    }
    let Some(lanes) = shape.strip_prefix(TUPLE).and_then(|lanes| lanes.parse::<u16>().ok()) else {
        return element(of_type, (at, 0), to, uses);
    };
    to.push('{');
    for lane in 0..lanes {
        if lane > 0 {
            to.push_str(", ");
        }
        if sinks >> lane.min(127) & 1 == 1 {
            to.push('_');
        } else {
            element(of_type, (at, lane), to, uses);
        }
    }
    to.push('}');
}

/// The parts of an operand of a variant.
struct PrintedValue<'a> {
    of_type: &'a str,
    shape: &'a str,
    /// A bit for each lane that is a sink.
    sinks: u128,
}

impl<'a> PrintedValue<'a> {
    fn of(form: &'a Form, values: &[u8], at: usize) -> Self {
        let operand = &form.operands[at];
        Self {
            of_type: operand.of_type.map_or("", |axis| form.value(values, axis)),
            shape: operand.shape.map_or(SCALAR, |axis| form.value(values, axis)),
            sinks: operand.sinks.map_or(0, |axis| u128::from(values[axis])),
        }
    }
}

/// Appends statements that store each register of a destination.
pub(super) fn store<'a>(form: &'a Form, values: &[u8], at: usize, to: &mut String, uses: &mut impl FnMut(Item<'a>)) {
    let PrintedValue { of_type, shape, sinks } = PrintedValue::of(form, values, at);
    let lanes = u16::try_from(lanes_of(shape)).unwrap_or(1);
    let stored = match of_type {
        ".pred" | SINK | NONE => return,
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
            Item::Register(of_type, u8::try_from(lanes).unwrap_or(1), number(at, 0)).write(to);
            let _ = write!(to, ".{}", COMPONENTS[usize::from(lane) % 4]);
        } else {
            Item::Register(of_type, 1, number(at, lane)).write(to);
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
        set(self.operand.number, Word(NONE), values);
        set(self.operand.special, Word(NONE), values);
        match argument {
            Argument::Tuple(elements) => {
                set(self.operand.shape, Word(&format!("{TUPLE}{}", elements.len())), values);
                self.elements(elements, values, found);
            }
            scalar => {
                let (of_type, lanes) = self.element(scalar, position, values, found);
                set(self.operand.shape, Word(of_register(lanes)), values);
                set(self.operand.sinks, Word(NONE), values);
                set(self.operand.of_type, of_type, values);
                if let (Some((axis, numbers)), Argument::Integer(number)) =
                    (self.operand.number.zip(self.operand.numbers.as_ref()), scalar)
                {
                    values[axis] = self.on_axis(axis, Word(&numbers.value(number.value())));
                }
                if let (Some(axis), Argument::Name(name)) = (self.operand.special, scalar)
                    && self.declarations.symbol(name).is_none()
                    && self.isa.special(name).is_some()
                {
                    values[axis] = self.on_axis(axis, Word(&special::canonical(name)));
                    set(self.operand.shape, Word(SCALAR), values);
                    set(self.operand.of_type, Word(SPECIAL), values);
                }
            }
        }
    }

    fn elements(&self, elements: &[Argument<'_>], values: &mut [u8], found: &mut Found) {
        let mut mask = 0_usize;
        let mut first = None;
        for (lane, element) in elements.iter().enumerate() {
            if *element == Argument::Sink && self.operand.sinks.is_some() {
                // The sinks of longer tuples are no choice.
                if elements.len() <= MOST_SINKS {
                    mask |= 1 << lane;
                }
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

/// The shape of a register with these lanes.
fn of_register(lanes: u8) -> &'static str {
    match lanes {
        1 => SCALAR,
        2 => SHAPES[6],
        4 => SHAPES[7],
        _ => OTHER,
    }
}
