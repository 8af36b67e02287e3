//! Operands as a file describes them: the parameters of each role, and what is wrong with them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fields::{RawLanes, RawNumbers, RawTypeOf};
use super::item::OBJECTS;
use crate::spec::Unit;
use crate::spec::words::IMMEDIATES;
use crate::yaml::{At, nearest};

/// The name of a role in the YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RoleName {
    /// A register or vector that is written.
    Destination,
    /// A value that is read.
    Source,
    /// The position of an access in an object.
    Coordinate,
    /// A cache policy.
    Policy,
    /// An object, such as a surface or a label: its name, or a register that holds it.
    Object,
    /// The arguments or results of a call, in parentheses.
    Arguments,
    /// An address in a state space.
    Address,
}

/// An operand. Its role determines which fields it has.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawOperand {
    /// Its role, which determines its choices.
    pub role: RoleName,
    /// The slot or type that its registers must suit.
    #[serde(rename = "type")]
    pub matches: Option<At<RawTypeOf>>,
    /// The number of lanes: a vector slot, or a table.
    pub lanes: Option<At<RawLanes>>,
    /// The valid shapes; by default all that `lanes` allows, or a scalar.
    pub shapes: Option<Vec<At<String>>>,
    /// The values accepted beside the types that suit `type`: register types, `immediates`, `special`, `sink`, ...
    pub accepts: Option<Vec<At<String>>>,
    /// The type of the first lane, where that may differ from the others: the index into an array of textures.
    pub first: Option<At<String>>,
    /// The numbers that an integer immediate may be.
    pub value: Option<At<RawNumbers>>,
    /// How many of the lower bits of an integer immediate count; all by default.
    pub bits: Option<u32>,
    /// The operand that it may not be above, where both are integer immediates.
    #[serde(rename = "at-most")]
    pub at_most: Option<At<String>>,
    /// True if the lanes may be `_`, which makes the pattern of sinks a choice.
    #[serde(default)]
    pub sinks: bool,
    /// The width of the registers against that of `type`.
    #[serde(default)]
    pub width: Width,
    /// The kind of an object; for a coordinate, the operand that is its object.
    pub of: Option<At<String>>,
    /// The unit that the first coordinate counts.
    pub unit: Option<Unit>,
    /// The slot that names the geometry of an object.
    pub geometry: Option<At<String>>,
    /// The slot that names the state space of an address.
    pub space: Option<At<String>>,
    /// How much one access moves: a type or a slot of types, and the vector slot if there is one.
    #[serde(default)]
    pub size: Vec<At<String>>,
    /// The instruction that makes a policy.
    #[serde(rename = "made-by")]
    pub made_by: Option<At<String>>,
}

/// The width of registers against that of the instruction's type. PTX ISA
/// `operand-size-exceeding-instruction-type-size`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Width {
    /// They have exactly its size.
    #[default]
    Exact,
    /// They may be wider.
    Relaxed,
}

impl RawOperand {
    /// The values that the operand is said to accept, whatever the type is.
    pub(super) fn accepted(&self) -> Vec<String> {
        self.accepts.iter().flatten().map(|value| value.value.clone()).filter(|value| value != IMMEDIATES).collect()
    }

    /// True if the operand may be an immediate that suits its type.
    pub(super) fn accepts_immediates(&self) -> bool {
        self.accepts.iter().flatten().any(|value| value.value == IMMEDIATES)
    }

    /// The values that the operand is said to accept, then all others as probes.
    pub(super) fn accepted_first(&self, all: Vec<String>) -> Vec<String> {
        let mut values = self.accepted();
        let probes: Vec<String> = all.into_iter().filter(|value| !values.contains(value)).collect();
        values.extend(probes);
        values
    }
}

/// The fields of operands, and the roles that have each.
const PARAMETERS: [(&str, &[RoleName]); 15] = {
    use RoleName::{Address, Coordinate, Destination, Object, Policy, Source};
    [
        ("type", &[Destination, Source, Coordinate, Policy]),
        ("lanes", &[Destination, Source, Coordinate]),
        ("shapes", &[Destination, Source, Coordinate, Policy]),
        ("sinks", &[Destination, Source]),
        ("width", &[Destination, Source]),
        ("value", &[Source, Coordinate, Policy]),
        ("bits", &[Source]),
        ("at-most", &[Source]),
        ("first", &[Source]),
        ("of", &[Object, Coordinate]),
        ("unit", &[Coordinate]),
        ("geometry", &[Object]),
        ("space", &[Address]),
        ("size", &[Object, Address]),
        ("made-by", &[Policy]),
    ]
};

/// A mistake in an operand: its position, a message, and what to do about it.
pub(crate) type OperandMistake<'r> = (Option<&'r At<String>>, String, Option<String>);

/// The fields of an operand beside its role, and whether each is given.
fn given(raw: &RawOperand) -> [(&'static str, bool); 15] {
    [
        ("type", raw.matches.is_some()),
        ("lanes", raw.lanes.is_some()),
        ("shapes", raw.shapes.is_some()),
        ("sinks", raw.sinks),
        ("width", raw.width != Width::default()),
        ("value", raw.value.is_some()),
        ("bits", raw.bits.is_some()),
        ("at-most", raw.at_most.is_some()),
        ("first", raw.first.is_some()),
        ("of", raw.of.is_some()),
        ("unit", raw.unit.is_some()),
        ("geometry", raw.geometry.is_some()),
        ("space", raw.space.is_some()),
        ("size", !raw.size.is_empty()),
        ("made-by", raw.made_by.is_some()),
    ]
}

/// Checks what is said of the numbers that an operand may be.
fn check_numbers<'r>(raw: &'r RawOperand, operands: &[(&str, RoleName)]) -> Vec<OperandMistake<'r>> {
    let mut wrong = Vec::new();
    if raw.bits.is_some_and(|bits| !(1..=64).contains(&bits)) {
        wrong.push((None, "a number has 1 to 64 bits".to_owned(), None));
    }
    for of in raw.at_most.iter().filter(|of| !operands.contains(&(of.value.as_str(), RoleName::Source))) {
        wrong.push((Some(of), format!("`{}` is not an operand with the role `source`", of.value), None));
    }
    wrong
}

/// Checks the fields of an operand.
pub(crate) fn check<'r>(raw: &'r RawOperand, operands: &[(&str, RoleName)], slots: &[&str]) -> Vec<OperandMistake<'r>> {
    let mut wrong = Vec::new();
    let has = |name: &str| PARAMETERS.iter().any(|(known, roles)| *known == name && roles.contains(&raw.role));
    for (name, _) in given(raw).iter().filter(|(name, given)| *given && !has(name)) {
        wrong.push((None, format!("an operand of this role has no field `{name}`"), None));
    }
    match (raw.role, &raw.of) {
        (RoleName::Object, None) => {
            wrong.push((
                None,
                "an object must say what it is, by `of`".to_owned(),
                Some(format!("of: {}", OBJECTS.join(" or "))),
            ));
        }
        (RoleName::Object, Some(of)) if !OBJECTS.contains(&of.value.as_str()) => {
            let help = format!("objects are {}", OBJECTS.join(", "));
            wrong.push((Some(of), format!("`{}` is not an object", of.value), Some(help)));
        }
        (RoleName::Coordinate, None) => {
            wrong.push((
                None,
                "a coordinate must say which operand it belongs to, by `of`".to_owned(),
                Some("of: a".to_owned()),
            ));
        }
        (RoleName::Coordinate, Some(of)) if !operands.contains(&(of.value.as_str(), RoleName::Object)) => {
            wrong.push((Some(of), format!("`{}` is not an operand with the role `object`", of.value), None));
        }
        _ => {}
    }
    wrong.extend(check_numbers(raw, operands));
    let slot = raw.geometry.iter().chain(&raw.space).chain(raw.size.get(1));
    for of in slot.filter(|of| !slots.contains(&of.value.as_str())) {
        let near = nearest(&of.value, slots.iter().copied());
        wrong.push((
            Some(of),
            format!("`{}` is not a slot", of.value),
            near.map(|near| format!("did you mean `{near}`?")),
        ));
    }
    if raw.size.len() > 2 {
        wrong.push((raw.size.last(), "a size is a type, optionally followed by a vector modifier".to_owned(), None));
    }
    wrong
}
