//! Chains as text: what is stored, shown and executed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chain::Chain;
use crate::register_kind::RegisterKind;

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
