//! What an operand is for. Each role has one file with all that it means here: the choices it has
//! (axes, probes and the rules they imply), how it is printed, and how it is read.
//!
//! What a role is fed with where a line is executed stands in `ptx-exec`, in `setup/`.

mod address;
mod item;
mod object;
mod print;
mod read;
pub mod setup;
mod value;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::spec::raw::{At, RawOperand};
use crate::spec::{Draft, Operand};

pub use address::{
    BASES, ENTRY, FUNCTION, OFFSET, REGISTER, UNIFIED, added, base_of_space, is_negative, is_parameter,
    is_parameter_space,
};
pub use item::Item;
pub use object::{OBJECT_KINDS, OBJECTS, SURFREF, SURFREF_PARAMETER};
pub use print::immediate_of_lane;
pub(crate) use print::{declare, print, store};
pub(crate) use read::{Found, read};
pub use value::{SHAPES, lanes_of};

/// The name of a role in the YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RoleName {
    /// A register or vector that is written.
    Destination,
    /// A value that is read.
    Source,
    /// Where in an object an access goes.
    Coordinate,
    /// A cache policy.
    Policy,
    /// An object, such as a surface: its variable, or a register that holds it.
    Object,
    /// An address in a state space.
    Address,
}

/// What an operand is for, with what its file says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// A register or vector that is written.
    Destination,
    /// A value that is read.
    Source,
    /// Where in an object an access goes.
    Coordinate {
        /// The operand that is the object, by its position in the form.
        of: usize,
        /// What the first dimension counts.
        unit: Unit,
    },
    /// A cache policy, which is made by an instruction, and does not change what a line computes.
    Policy,
    /// A surface.
    Surface {
        /// The axis of the modifier that names its geometry, where the line has one.
        geometry: Option<usize>,
        /// How much of it one access moves, where the line says so.
        size: Option<Size>,
    },
    /// An address in a state space.
    Address {
        /// The axis of the modifier that names the space, where the line has one.
        space: Option<usize>,
        /// How much one access moves, where the line says so.
        size: Option<Size>,
    },
}

impl Role {
    /// Whether it is a register or a vector of them, an immediate, or a sink.
    pub fn is_value(&self) -> bool {
        matches!(self, Self::Destination | Self::Source | Self::Coordinate { .. } | Self::Policy)
    }

    /// Whether it is an address.
    pub fn is_address(&self) -> bool {
        matches!(self, Self::Address { .. })
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Surface { .. })
    }
}

/// What the first coordinate of an object counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Samples.
    Samples,
}

/// The size of an access: a type, times the lanes of a vector modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The type.
    pub of: SizeOf,
    /// The axis of the vector modifier, where the form has one.
    pub lanes: Option<usize>,
}

/// The type that the size of an access follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeOf {
    /// The one on this axis.
    Axis(usize),
    /// One of this many bits.
    Bits(u16),
}

/// Parameters of roles, and which roles have each.
const PARAMETERS: [(&str, &[RoleName]); 11] = {
    use RoleName::{Address, Coordinate, Destination, Object, Policy, Source};
    [
        ("type", &[Destination, Source, Coordinate, Policy]),
        ("lanes", &[Destination, Source, Coordinate]),
        ("shapes", &[Destination, Source, Coordinate, Policy]),
        ("sinks", &[Destination, Source]),
        ("width", &[Destination, Source]),
        ("of", &[Object, Coordinate]),
        ("unit", &[Coordinate]),
        ("geometry", &[Object]),
        ("space", &[Address]),
        ("size", &[Object, Address]),
        ("made-by", &[Policy]),
    ]
};

/// A mistake in an operand: where it stands, what it is, and what to do about it.
pub(crate) type OperandMistake<'r> = (Option<&'r At<String>>, String, Option<String>);

/// What is wrong with the parameters of an operand.
pub(crate) fn check<'r>(raw: &'r RawOperand, operands: &[(&str, RoleName)], slots: &[&str]) -> Vec<OperandMistake<'r>> {
    let mut wrong = Vec::new();
    let given = [
        ("type", raw.matches.is_some()),
        ("lanes", raw.lanes.is_some()),
        ("shapes", raw.shapes.is_some()),
        ("sinks", raw.sinks),
        ("width", raw.width != crate::spec::raw::Width::default()),
        ("of", raw.of.is_some()),
        ("unit", raw.unit.is_some()),
        ("geometry", raw.geometry.is_some()),
        ("space", raw.space.is_some()),
        ("size", !raw.size.is_empty()),
        ("made-by", raw.made_by.is_some()),
    ];
    let has = |name: &str| PARAMETERS.iter().any(|(known, roles)| *known == name && roles.contains(&raw.role));
    for (name, _) in given.iter().filter(|(name, given)| *given && !has(name)) {
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
    let slot = raw.geometry.iter().chain(&raw.space).chain(raw.size.get(1));
    for of in slot.filter(|of| !slots.contains(&of.value.as_str())) {
        let near = crate::spec::nearest(&of.value, slots.iter().copied());
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

/// The role of an operand in a form with these operands, once its slots have axes.
pub(crate) fn resolve(draft: &Draft<'_>, raw: &RawOperand, operands: &[&str]) -> Role {
    let axis = |of: &Option<At<String>>| of.as_ref().and_then(|of| draft.slot_axis(&of.value));
    let size = || {
        let of = raw.size.first()?;
        let of = match draft.slot_axis(&of.value) {
            Some(axis) => SizeOf::Axis(axis),
            None => SizeOf::Bits(draft.isa.instruction_type(&of.value)?.bits),
        };
        Some(Size { of, lanes: raw.size.get(1).and_then(|lanes| draft.slot_axis(&lanes.value)) })
    };
    let operand = |of: &Option<At<String>>| {
        let of = of.as_ref().and_then(|of| operands.iter().position(|known| *known == of.value));
        of.unwrap_or_default()
    };
    match raw.role {
        RoleName::Destination => Role::Destination,
        RoleName::Source => Role::Source,
        RoleName::Coordinate => Role::Coordinate { of: operand(&raw.of), unit: raw.unit.unwrap_or(Unit::Bytes) },
        RoleName::Policy => Role::Policy,
        RoleName::Object => Role::Surface { geometry: axis(&raw.geometry), size: size() },
        RoleName::Address => Role::Address { space: axis(&raw.space), size: size() },
    }
}

/// Adds the axes of an operand, and the rules that they imply.
pub(crate) fn axes(draft: &mut Draft<'_>, raw: &RawOperand, mut operand: Operand, at: usize) -> Operand {
    operand.instruction_type = raw.matches.as_ref().map(|of| of.value.clone());
    match raw.role {
        RoleName::Destination | RoleName::Source | RoleName::Coordinate | RoleName::Policy => {
            value::axes(draft, &mut operand, at, raw);
        }
        RoleName::Object => object::axes(draft, &mut operand, at, raw),
        RoleName::Address => address::axes(draft, &mut operand, at, raw),
    }
    operand
}

/// The accepted values, then the probes among these.
fn ordered(accepts: &[String], all: Vec<String>) -> Vec<String> {
    let probes = all.into_iter().filter(|value| !accepts.contains(value));
    accepts.iter().cloned().chain(probes).collect()
}

fn accepted(raw: &RawOperand) -> Vec<String> {
    raw.accepts.iter().flatten().map(|value| value.value.clone()).collect()
}
