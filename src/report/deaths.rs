//! Lines that kill an engine only together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::campaign::{DeathGroup, Results};
use crate::engine::{DeadlyModule, Depth};

/// Lines of the same opcodes that kill an engine only together: each of them alone is judged.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DeathReport {
    /// The engine.
    pub engine: String,
    /// The death in a few words.
    pub title: String,
    /// The opcodes of the lines.
    pub opcodes: Vec<String>,
    /// True if this happened in code generation.
    pub code_generation: bool,
    /// How the engine died: `signal 11`.
    pub how: String,
    /// How many sets of lines do it.
    pub count: u64,
    /// The PTX version, target and address size of the shortest set.
    pub environment: String,
    /// The modules of the shortest set. One process that is given all of them dies.
    pub modules: Vec<DeadlyModule>,
    /// The command that shows it with the modules in the files `0.ptx`, `1.ptx`, ...
    pub command: String,
    /// The divergence that lists it.
    pub divergence: Option<String>,
}

impl DeathReport {
    fn new(group: &DeathGroup) -> Self {
        let example = &group.example;
        Self {
            engine: group.engine.clone(),
            title: group.words(),
            opcodes: group.opcodes.iter().cloned().collect(),
            code_generation: group.depth == Depth::Generate,
            how: group.how.clone(),
            count: group.count,
            environment: example.environment.to_string(),
            modules: example.modules.clone(),
            command: example.command.clone(),
            divergence: group.divergence.clone(),
        }
    }
}

pub(super) fn deaths(results: &Results) -> Vec<DeathReport> {
    results.deaths.iter().map(DeathReport::new).collect()
}
