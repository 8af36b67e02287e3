//! Who can be suspected of a finding.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who may be at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Suspect {
    /// The engine.
    Engine,
    /// This specification.
    Specification,
    /// The manual, which is silent, or contradicts itself.
    Manual,
    /// The list of divergences.
    Divergences,
    /// The reference model.
    Model,
}

impl Suspect {
    /// The word of a report.
    pub fn word(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Specification => "specification",
            Self::Manual => "manual",
            Self::Divergences => "divergences",
            Self::Model => "model",
        }
    }
}

/// A suspect, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Blame {
    /// The suspect.
    pub suspect: Suspect,
    /// The reason for the suspicion.
    pub because: String,
}
