//! Answers to the rows of a line case.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::hex;

/// The answer to a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The line was executed.
    Returned(Returned),
    /// It ended the kernel; the engine's message.
    Trapped(String),
    /// It was not executed; says why.
    Skipped(String),
    /// The engine failed on it (crashed, hung, or gave an invalid answer); says how.
    Failed(String),
}

/// The results of an executed line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Returned {
    /// The value of each output.
    #[serde(default, with = "hex::all")]
    pub registers: Vec<u128>,
    /// The contents of the surface, if they changed.
    #[serde(default, with = "hex::maybe", skip_serializing_if = "Option::is_none")]
    pub surface: Option<Vec<u8>>,
    /// The contents of the variables that changed, by name.
    #[serde(default, with = "hex::named", skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, Vec<u8>>,
    /// The bits of the results that are undefined, because they depend on what nothing wrote; absent if there are none,
    /// or the engine cannot know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Box<UndefinedBits>>,
}

/// Undefined bits of results: masks with a 1 for each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UndefinedBits {
    /// Of each output; absent if there are none.
    #[serde(default, with = "hex::all", skip_serializing_if = "Vec::is_empty")]
    pub registers: Vec<u128>,
    /// Of the surface, if it has any.
    #[serde(default, with = "hex::maybe", skip_serializing_if = "Option::is_none")]
    pub surface: Option<Vec<u8>>,
    /// Of the variables that have any, by name.
    #[serde(default, with = "hex::named", skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, Vec<u8>>,
}

impl Returned {
    /// A result with these registers, and nothing else changed.
    pub fn registers(registers: &[u128]) -> Self {
        Self { registers: registers.to_vec(), ..Self::default() }
    }
}
