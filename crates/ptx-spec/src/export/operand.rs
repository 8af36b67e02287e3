//! Operands: what each is for, and how its type follows from the instruction's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::role::RoleName;
use crate::spec::{AllowedNumbers, Form, Operand, Role, Scale, Size, SizeOf, Unit};

/// An operand of a form. Its choices are the axes of the form that name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedOperand {
    /// Its name in the syntax line.
    pub name: String,
    /// The role, which says what it is for.
    pub role: RoleName,
    /// True if a line may lack it.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub optional: bool,
    /// True if the line may write what it names: it is a destination, or an object or address through which is written.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub written: bool,
    /// The type of the instruction that its registers must suit; none if it has no type, or a rule has a table of them.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub of_type: Option<ExportedOperandType>,
    /// The type that its first element may have where the others have `type`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_type: Option<String>,
    /// The kind of an object: `surface`, `label`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The slot with the geometry of a surface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geometry: Option<String>,
    /// The operand in which a coordinate is a position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position_in: Option<String>,
    /// The unit that the first part of a coordinate counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// The slot with the state space of an address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    /// How much one access moves at an address or in a surface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<ExportedSize>,
    /// The integers that an immediate may be; any without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<ExportedNumbers>,
    /// The operand that it may not be above, where both are integer immediates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<String>,
}

/// The type that the registers of an operand must suit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedOperandType {
    /// The slot that has the type, or a type, which begins with a dot.
    pub of: String,
    /// How many bits the type has compared with that one, which is of the same kind.
    pub bits: Scale,
}

/// How much an access moves: a type, times the lanes of a vector modifier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedSize {
    /// The slot that has the type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// The size in bits, if no slot has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits: Option<u16>,
    /// The slot of the vector modifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<String>,
}

/// The numbers that an immediate may be. The axis of the choice `number` tells their classes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedNumbers {
    /// These only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<i64>,
    /// The least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<i64>,
    /// The greatest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<i64>,
    /// The number that each is a multiple of, if that is not 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiple_of: Option<i64>,
    /// How many of its lower bits count, if those above do not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits: Option<u32>,
    /// True if it is a floating-point number above 0 and up to 1.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub fraction: bool,
}

impl ExportedOperand {
    pub(super) fn of(form: &Form, at: usize, operand: &Operand) -> Self {
        let slot = |axis: usize| form.axes[axis].name.clone();
        let scaled = |of: &crate::spec::ScaledType| ExportedOperandType { of: of.of.clone(), bits: of.bits };
        let mut exported = Self {
            name: operand.name.clone(),
            role: role(&operand.role),
            optional: operand.optional,
            written: operand.role == Role::Destination || form.writes.contains(&at),
            of_type: operand.instruction_type.as_ref().map(scaled),
            first_type: operand.first.as_ref().map(|(_, of)| of.clone()),
            object: None,
            geometry: None,
            position_in: None,
            unit: None,
            space: None,
            size: None,
            numbers: operand.numbers.as_ref().map(|allowed| ExportedNumbers { bits: operand.bits, ..numbers(allowed) }),
            at_most: operand.at_most.map(|of| form.operands[of].name.clone()),
        };
        match &operand.role {
            Role::Coordinate { of, unit } => {
                exported.position_in = Some(form.operands[*of].name.clone());
                exported.unit = Some(*unit);
            }
            Role::Surface { geometry, size: moved } => {
                exported.object = Some(crate::role::SURFACE.to_owned());
                exported.geometry = geometry.map(slot);
                exported.size = moved.map(|moved| size(form, moved));
            }
            Role::Object(kind) => exported.object = Some((*kind).to_owned()),
            Role::Address { space, size: moved } => {
                exported.space = space.map(slot);
                exported.size = moved.map(|moved| size(form, moved));
            }
            Role::Destination | Role::Source | Role::Policy | Role::Arguments => {}
        }
        exported
    }
}

fn role(role: &Role) -> RoleName {
    match role {
        Role::Destination => RoleName::Destination,
        Role::Source => RoleName::Source,
        Role::Coordinate { .. } => RoleName::Coordinate,
        Role::Policy => RoleName::Policy,
        Role::Surface { .. } | Role::Object(_) => RoleName::Object,
        Role::Arguments => RoleName::Arguments,
        Role::Address { .. } => RoleName::Address,
    }
}

fn size(form: &Form, size: Size) -> ExportedSize {
    let slot = |axis: usize| form.axes[axis].name.clone();
    let (of, bits) = match size.of {
        SizeOf::Axis(axis) => (Some(slot(axis)), None),
        SizeOf::Bits(bits) => (None, Some(bits)),
    };
    ExportedSize { of, bits, lanes: size.lanes.map(slot) }
}

fn numbers(allowed: &AllowedNumbers) -> ExportedNumbers {
    let none = ExportedNumbers::default();
    match allowed {
        AllowedNumbers::Range { from, to, multiple, .. } => {
            let multiple_of = Some(*multiple).filter(|multiple| *multiple != 1);
            ExportedNumbers { from: *from, to: *to, multiple_of, ..none }
        }
        AllowedNumbers::Fraction => ExportedNumbers { fraction: true, ..none },
        AllowedNumbers::Listed(only) | AllowedNumbers::Multiples { listed: only, .. } => {
            ExportedNumbers { only: only.clone(), ..none }
        }
    }
}
