//! What came of the rows of a program.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::hex;

/// What came of a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The line was executed.
    Returned(Returned),
    /// It ended the kernel; the engine's words.
    Trapped(String),
    /// It was not executed, and why.
    Skipped(String),
    /// The engine failed on it (it crashed, hung, or answered what is no answer), and how.
    Failed(String),
}

/// What a line that was executed leaves behind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Returned {
    /// What each output holds.
    #[serde(default, with = "hex::all")]
    pub registers: Vec<u128>,
    /// What the surface holds, where that is not what it held before.
    #[serde(default, with = "hex::maybe", skip_serializing_if = "Option::is_none")]
    pub surface: Option<Vec<u8>>,
    /// What variables hold, by their names, where that is not what they held before.
    #[serde(default, with = "hex::named", skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, Vec<u8>>,
}

impl Returned {
    /// These registers, and nothing else changed.
    pub fn registers(registers: &[u128]) -> Self {
        Self { registers: registers.to_vec(), ..Self::default() }
    }
}
