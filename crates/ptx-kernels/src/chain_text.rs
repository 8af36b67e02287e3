//! Chains as text: what is stored, shown and executed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chain::Chain;

/// A chain as text: its registers are `%x0`, `%x1`, ...
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChainText {
    /// The type of each register: `pred`, `b16`, `b32` or `b64`.
    pub registers: Vec<RegisterKind>,
    /// The numbers of the registers that have a value before the first line.
    pub inputs: Vec<usize>,
    /// The lines, with labels and further declarations.
    pub lines: Vec<String>,
    /// The numbers of the registers that are observed after the last line.
    pub outputs: Vec<usize>,
}

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
}

impl ChainText {
    /// The error in it, if it names registers that it does not have.
    pub fn error(&self) -> Option<String> {
        let named = self.inputs.iter().chain(&self.outputs);
        let unknown = named.copied().find(|register| *register >= self.registers.len())?;
        Some(format!("there is no register %x{unknown}: it has {}", self.registers.len()))
    }
}

impl From<&Chain> for ChainText {
    fn from(chain: &Chain) -> Self {
        Self {
            registers: chain.registers.iter().map(|bits| RegisterKind::of(*bits)).collect(),
            inputs: chain.inputs.clone(),
            lines: chain.text().lines().map(str::to_owned).collect(),
            outputs: chain.outputs.clone(),
        }
    }
}
