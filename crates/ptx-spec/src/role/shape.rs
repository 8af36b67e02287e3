//! Shapes: how many lanes an operand has, and whether they are in braces. PTX ISA `vectors-as-operands`.

use super::described::RawOperand;
use super::fields::RawLanes;
use crate::plural::counted;
use crate::spec::words::{NONE, OTHER};
use crate::spec::{Choice, Cube, Draft, Operand, ValueSet};
use crate::yaml::OneOrMany;

/// One element, without braces.
pub(super) const SCALAR: &str = "scalar";
/// Elements in braces.
pub(super) const TUPLE: &str = "tuple";
/// A register of a vector type.
pub(super) const VECTOR: &str = "vector";
/// The shapes that every value operand is tried with: lanes in braces, or a variable of a vector type.
const SHAPES: [&str; 8] = [SCALAR, "tuple1", "tuple2", "tuple3", "tuple4", "tuple8", "vector2", "vector4"];
/// The most elements in braces.
const MOST_LANES: usize = 128;

/// The number of lanes of a shape.
pub fn lanes_of(shape: &str) -> usize {
    // A scalar, like an operand that is left out or is no value, ends in no number.
    shape.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap_or(1)
}

/// The words for a shape in a sentence.
pub(crate) fn shape_words(shape: &str) -> String {
    match (shape, lanes_of(shape)) {
        (SCALAR, _) => "one element without braces".to_owned(),
        (shape, lanes) if shape.starts_with(TUPLE) => format!("{} in braces", counted(lanes, "element")),
        (_, lanes) => format!("a variable of {lanes} elements"),
    }
}

/// The words for several shapes in a sentence.
fn words_of_shapes(shapes: &[String]) -> String {
    let lanes = |prefix: &str| -> Vec<String> {
        let of = shapes.iter().filter(|shape| shape.starts_with(prefix));
        of.map(|shape| lanes_of(shape).to_string()).collect()
    };
    let scalar = shapes.iter().any(|shape| shape == SCALAR).then(|| shape_words(SCALAR));
    let of = |words: &str, lanes: Vec<String>| {
        let unit = if lanes.as_slice() == ["1"] { "element" } else { "elements" };
        (!lanes.is_empty()).then(|| format!("{words} {} {unit}", lanes.join(" or ")))
    };
    let braces = of("in braces", lanes(TUPLE));
    let vector = of("a variable of", lanes(VECTOR));
    [scalar, braces, vector].into_iter().flatten().collect::<Vec<_>>().join("; or ")
}

/// True if a text is the name of a shape.
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

/// True if a cell of a table gives lanes.
pub(crate) fn is_lanes(text: &str) -> bool {
    shapes_of(text).iter().all(|shape| is_shape(shape))
}

/// Values of slots, by their axes.
pub(super) type SlotSets = Vec<(usize, ValueSet)>;

/// The shapes that go with values of slots.
type FittingShapes = (SlotSets, Vec<String>);

/// The shapes of an operand that has their axis.
pub(super) struct ClaimedShapes {
    pub(super) claimed: Vec<String>,
    /// The shapes that are not claimed.
    unlisted: Cube,
    /// The shapes that do not fit the other choices.
    mismatched: Vec<Cube>,
}

impl ClaimedShapes {
    /// Adds the rules about the shape, which are about an operand that is there.
    pub(super) fn add_rules(&self, draft: &mut Draft<'_>, operand: &Operand) {
        let name = &operand.name;
        let there =
            operand.of_type.filter(|_| operand.optional).map(|axis| (axis, draft.axes[axis].select(|v| v != NONE)));
        let of_present = |cube: &Cube| there.iter().fold(cube.clone(), |cube, (axis, set)| cube.with(*axis, *set));
        let says = format!("`{name}` must be {}", words_of_shapes(&self.claimed));
        draft.constraint(&format!("{name}-shape"), says, vec![of_present(&self.unlisted)]);
        let says = format!("`{name}` must have as many lanes as the other choices say");
        draft.constraint(&format!("{name}-lanes"), says, self.mismatched.iter().map(of_present).collect());
    }
}

/// The axis of shapes.
pub(super) fn shapes(draft: &mut Draft<'_>, operand: &mut Operand, at: usize, raw: &RawOperand) -> ClaimedShapes {
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
pub(super) fn cell_set(draft: &Draft<'_>, slot: &str, cell: &[String]) -> Option<Option<(usize, ValueSet)>> {
    let any = cell.iter().any(|value| value == "any");
    let Some(at) = draft.slot_axis(slot) else {
        return (any || cell.iter().any(|value| value == NONE)).then_some(None);
    };
    let axis = &draft.axes[at];
    let set = axis.select(|value| any || cell.iter().any(|cell| cell == value)).and(&axis.claimed);
    (!set.is_empty()).then_some(Some((at, set)))
}

/// The shape of a register with these lanes.
pub(super) fn of_register(lanes: u8) -> &'static str {
    match lanes {
        1 => SCALAR,
        2 => SHAPES[6],
        4 => SHAPES[7],
        _ => OTHER,
    }
}
