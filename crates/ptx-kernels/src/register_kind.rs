//! The types of the registers of chains.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The type of a register of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RegisterKind {
    /// A predicate.
    Pred,
    /// 16 bits.
    B16,
    /// 32 bits.
    B32,
    /// 64 bits.
    B64,
}

impl RegisterKind {
    /// The kind of registers of this many bits; 1 for a predicate.
    pub fn of(bits: u16) -> Self {
        match bits {
            1 => Self::Pred,
            16 => Self::B16,
            32 => Self::B32,
            _ => Self::B64,
        }
    }

    /// The name of the type, without its dot.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pred => "pred",
            Self::B16 => "b16",
            Self::B32 => "b32",
            Self::B64 => "b64",
        }
    }

    /// The declarations of registers of these kinds: `%x0`, `%x1`, ...
    pub fn declarations(kinds: impl Iterator<Item = Self>) -> String {
        kinds.enumerate().map(|(at, kind)| format!(".reg .{} %x{at};\n", kind.name())).collect()
    }
}
