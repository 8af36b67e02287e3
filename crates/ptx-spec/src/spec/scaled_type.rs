//! Types of operands that follow from a type of the instruction.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Isa, RegisterType};

/// How many bits a type has compared with another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// As many.
    #[default]
    Same,
    /// Twice as many.
    Twice,
    /// Half as many.
    Half,
}

/// A type, or that of a slot, and how many bits an operand has compared with it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScaledType {
    /// The slot, or the type.
    pub of: String,
    /// How many bits the operand has compared with that.
    pub bits: Scale,
}

impl ScaledType {
    /// The type of an operand where the instruction has this type.
    pub(crate) fn type_for<'i>(&self, isa: &'i Isa, name: &str) -> Option<&'i RegisterType> {
        let of = isa.instruction_type(name)?;
        let bits = match self.bits {
            Scale::Same => return Some(of),
            Scale::Twice => of.bits * 2,
            Scale::Half => of.bits / 2,
        };
        isa.types.iter().find(|other| other.bits == bits && other.kind == of.kind)
    }
}
