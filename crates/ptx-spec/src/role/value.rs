//! Values: registers, vectors of them, immediates and sinks, in the roles `destination`, `source`,
//! `coordinate` and `policy`. PTX ISA `operand-type-information` and `vectors-as-operands`.

use std::fmt::Write as _;

use super::described::{RawOperand, RoleName, Width};
use super::element::element;
use super::extra::{first_axis, numbers_axis};
use super::fields::RawTypeOf;
use super::item::{GLOBAL, Item, number};
use super::reader::{Found, OperandReader, Position, ReadValue, Word};
use super::shape::{SCALAR, SlotSets, TUPLE, VECTOR, cell_set, lanes_of, of_register, shapes};
use super::special;
use crate::must::Must;
use crate::spec::words::{DOUBLE, FLOAT, INTEGER, NONE, OTHER, SINK, SPECIAL, in_words};
use crate::spec::{
    AllowedNumbers, Axis, Choice, Cube, Draft, Form, Kind, Operand, RegisterType, Role, TextFault, ValueSet,
};
use crate::text::{Argument, Symbol};
use crate::yaml::OneOrMany;

/// More lanes than this have no sinks that are a choice of their own.
const MOST_SINKS: usize = 8;
/// The components of a vector register.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// A register, a vector or an immediate: shape, type and sinks.
pub(super) fn axes(draft: &mut Draft<'_>, operand: &mut Operand, at: usize, raw: &RawOperand) {
    let shapes = shapes(draft, operand, at, raw);
    types(draft, operand, at, raw);
    shapes.add_rules(draft, operand);
    if raw.sinks {
        sinks(draft, operand, at, &shapes.claimed);
    }
    if let Some(first) = &raw.first {
        first_axis(draft, operand, at, &first.value);
    }
    if let Some(numbers) = &raw.value {
        operand.numbers = Some(numbers.value.0.clone());
        numbers_axis(draft, operand, at);
    }
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
    draft.constraint(&format!("{name}-type"), format!("`{name}` must be {}", claimed_words(axis)), vec![unlisted]);
    draft.constraint(
        &format!("{name}-register"),
        format!("the registers of `{name}` must suit the instruction's type"),
        mismatched,
    );
    draft.declarable(of_type);
    generated(draft, &name, of_type, operand.shape, raw.role);
    if accepts.iter().any(|value| value == SPECIAL) {
        special::axis(draft, operand, at, &instruction_types, raw.width == Width::Relaxed);
    }
}

/// The words for the values that an operand can have: a register, a number, `_`.
fn claimed_words(axis: &Axis) -> String {
    /// More types are not told apart by reading them.
    const MOST_TYPES: usize = 4;
    let (types, others): (Vec<&str>, Vec<&str>) = axis.claimed_values().partition(|value| value.starts_with('.'));
    let register = match types.as_slice() {
        [] => None,
        types if types.len() <= MOST_TYPES => Some(format!("a {} register", types.join(" or "))),
        _ => Some("a register of a type that it accepts".to_owned()),
    };
    register.into_iter().chain(others.into_iter().map(|of| in_words(of).to_owned())).collect::<Vec<_>>().join(", or ")
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
    // An operand without tuples is a single lane, which can be a sink.
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
    let shape = operand.shape.must("an operand with sinks has shapes, added before them");
    let shapes = &draft.axes[shape];
    let cubes = shapes.values.iter().map(|of| {
        let lanes = if of.starts_with(TUPLE) && lanes_of(of) <= MOST_SINKS { lanes_of(of) } else { 0 };
        // Only patterns with one sink or one register are generated: sinks alone have no type, and other
        // patterns would make up most of the space and show nothing more.
        let other = ValueSet::of(masks, |mask| {
            let count = usize::try_from(mask.count_ones()).must("a mask has few bits");
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
    if let Some(lanes) = shape.strip_prefix(VECTOR) {
        let register = Item::Register(of_type, lanes.parse().must("a shape ends in its lanes"), number(at, 0));
        register.write(to);
        return uses(register);
    }
    let number = operand.number.zip(operand.numbers.as_ref()).filter(|_| of_type == INTEGER);
    let number = number.map(|(axis, numbers)| numbers.values()[usize::from(values[axis])].1.to_string());
    let mut print_lane = |lane: u16, of_type: &'a str, to: &mut String| match &number {
        Some(number) => to.push_str(number),
        None => element(of_type, (at, lane), to, uses),
    };
    let Some(lanes) = shape.strip_prefix(TUPLE).and_then(|lanes| lanes.parse::<u16>().ok()) else {
        return print_lane(0, of_type, to);
    };
    to.push('{');
    for lane in 0..lanes {
        if lane > 0 {
            to.push_str(", ");
        }
        let own = operand.first.as_ref().filter(|(axis, _)| lane == 0 && values[*axis] == 1);
        match own {
            Some((_, first)) => print_lane(lane, first, to),
            None if sinks >> lane.min(127) & 1 == 1 => to.push('_'),
            None => print_lane(lane, of_type, to),
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
    let lanes = u16::try_from(lanes_of(shape)).must("a shape has at most 128 lanes");
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
            Item::Register(
                of_type,
                u8::try_from(lanes).must("a vector register has at most four lanes"),
                number(at, 0),
            )
            .write(to);
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
        if let Some((axis, _)) = &self.operand.first {
            values[*axis] = 0;
        }
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
                    values[axis] = self.on_axis(axis, Word(&numbers.value(self.operand.counted_bits(number.value()))));
                }
                if self.operand.numbers == Some(AllowedNumbers::Fraction) && !is_fraction(scalar) {
                    found.fault(TextFault::Fraction);
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

    /// True if the first element has the type that only the first may have, and the second another one.
    fn first_of_its_own(&self, elements: &[Argument<'_>]) -> bool {
        let (Some((_, of)), [first, second, ..]) = (&self.operand.first, elements) else { return false };
        let Some(of) = self.isa.instruction_type(of) else { return false };
        let suits = |element: &Argument<'_>| match element {
            Argument::Integer(_) => true,
            Argument::Name(name) => match self.declarations.symbol(name) {
                Some(Symbol::Register(Some(register), 1)) => self.isa.suits(&self.isa.types[register], of, false),
                _ => false,
            },
            _ => false,
        };
        suits(first) && !suits(second)
    }

    fn elements(&self, elements: &[Argument<'_>], values: &mut [u8], found: &mut Found) {
        let mut mask = 0_usize;
        let shapes = self.operand.shape.map(|axis| &self.form.axes[axis]);
        let long = elements.len() > MOST_SINKS
            && shapes.is_some_and(|shapes| shapes.position(&format!("{TUPLE}{}", elements.len())).is_some());
        let own = self.first_of_its_own(elements);
        if let Some((axis, _)) = &self.operand.first {
            values[*axis] = u8::from(own);
        }
        let mut lanes: Vec<(u8, Option<TextFault>)> = Vec::new();
        let written = self.operand.role == Role::Destination;
        for (lane, element) in elements.iter().enumerate().skip(usize::from(own)) {
            if *element == Argument::Sink && self.operand.sinks.is_some() {
                // The sinks of long tuples are no choice; of tuples longer than any here the shape is wrong anyway.
                if !long {
                    mask |= 1 << lane.min(MOST_SINKS);
                }
                continue;
            }
            let (of_type, count) = self.element(element, Position::Element, values, found);
            let of_type = if count == 1 { of_type } else { Word(OTHER) };
            if let Some(axis) = self.operand.of_type {
                lanes.push((self.on_axis(axis, of_type), lane_fault(element, written)));
            }
            if let Some(fault) = self.mixed(element, &elements[usize::from(own)..lane]) {
                found.fault(fault);
            }
        }
        if let Some(axis) = self.operand.sinks {
            let last = self.form.axes[axis].values.len() - 1;
            values[axis] = u8::try_from(mask.min(last)).must("an axis has at most 255 values");
        }
        let Some(axis) = self.operand.of_type else { return };
        // Sinks alone have no type.
        values[axis] = self.of_all(axis, &lanes, found).unwrap_or_else(|| self.on_axis(axis, Word(SINK)));
        self.numbers(elements, self.form.value(values, axis) == INTEGER, values, found);
    }

    /// The value of the axis of types that stands for all lanes, with which the others are compared: bits, then any
    /// register, then the first.
    fn of_all(&self, axis: usize, lanes: &[(u8, Option<TextFault>)], found: &mut Found) -> Option<u8> {
        let kind = |value: u8| {
            let name = self.form.axes[axis].values.get(usize::from(value))?;
            self.isa.register_type(name).map(|of| of.kind)
        };
        let rank = |(value, fault): &&(u8, Option<TextFault>)| match kind(*value) {
            Some(Kind::Bits) => 0,
            Some(_) if *fault == Some(TextFault::OddRegister) => 1,
            _ => 2,
        };
        // The first of those that are as good.
        let (all, _) = *lanes.iter().min_by_key(rank)?;
        let bits = kind(all) == Some(Kind::Bits);
        for &(value, fault) in lanes.iter().filter(|(value, _)| *value != all) {
            // Only registers are taken for registers.
            let register = bits && kind(value).is_some();
            match fault.filter(|fault| register || *fault != TextFault::OddRegister) {
                None if found.more.contains(&(axis, value)) => {}
                None => found.more.push((axis, value)),
                Some(fault) if found.lanes.contains(&(axis, value, fault)) => {}
                Some(fault) => found.lanes.push((axis, value, fault)),
            }
        }
        Some(all)
    }
}

/// False for a number that is not above 0 and up to 1.
fn is_fraction(argument: &Argument<'_>) -> bool {
    let number = match argument {
        Argument::Float(bits) => f32::from_bits(*bits),
        // A fraction is of type .f32: 1.00000001 is 1.0.
        Argument::Double(bits) => f64::from_bits(*bits) as f32,
        _ => return true,
    };
    number > 0.0 && number <= 1.0
}

/// The fault of a lane that breaks a rule which the others do not break; none if the rule itself says it: a number is
/// never written, and a sink never read.
fn lane_fault(element: &Argument<'_>, written: bool) -> Option<TextFault> {
    match element {
        Argument::Sink => written.then_some(TextFault::OddSink),
        Argument::Integer(_) | Argument::Float(_) | Argument::Double(_) => {
            (!written).then_some(TextFault::OddImmediate)
        }
        Argument::Name(_) => Some(TextFault::OddRegister),
        _ => None,
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
    /// True if two elements may be in one vector: they must have the same size; bits go with anything,
    /// integers with integers, and any other kind with itself.
    fn goes_with(self, other: Self) -> bool {
        let integer = |kind: Kind| matches!(kind, Kind::Unsigned | Kind::Signed);
        let sizes = self.bits.zip(other.bits).is_none_or(|(one, other)| one == other);
        let bits = self.kind == Kind::Bits || other.kind == Kind::Bits;
        sizes && (bits || self.kind == other.kind || integer(self.kind) && integer(other.kind))
    }

    /// True if one of them is a predicate and the other one 32 bits.
    fn is_predicate_beside_bits(self, other: Self) -> bool {
        let (kinds, sizes) = ([self.kind, other.kind], [self.bits, other.bits]);
        kinds.contains(&Kind::Predicate) && kinds.contains(&Kind::Bits) && sizes.contains(&Some(32))
    }
}

impl OperandReader<'_> {
    /// The fault of an element that does not match those before it; one beside it that it does not match is the worse.
    fn mixed(&self, element: &Argument<'_>, before: &[Argument<'_>]) -> Option<TextFault> {
        let class = self.class(element)?;
        // Sinks are beside nothing.
        let beside = before.iter().rev().find_map(|element| self.class(element));
        if beside.is_some_and(|other| !class.goes_with(other) && !class.is_predicate_beside_bits(other)) {
            return Some(TextFault::MixedVector);
        }
        let mut others = before.iter().filter_map(|element| self.class(element));
        others.any(|other| !class.goes_with(other)).then_some(TextFault::DistantVector)
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
