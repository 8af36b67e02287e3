//! Counts of chains of lines.

use std::collections::BTreeMap;

use ptx_kernels::{ChainCause, Reduced};

use crate::environment::Environment;

/// The answers of an engine to chains.
#[derive(Clone, Debug, Default)]
pub struct ChainTally {
    /// PTX version and target of the chains; none if none were drawn.
    pub environment: Option<Environment>,
    /// How many chains were drawn.
    pub chains: u64,
    /// How many rows each has.
    pub rows: usize,
    /// How many gave the results of the reference.
    pub agreed: u64,
    /// How many gave other results, or failed, as divergences list it: by the name of the divergence.
    pub listed: BTreeMap<String, u64>,
    /// How many gave other results, or failed, for another reason.
    pub failed: u64,
    /// How many of these were not reduced, so that their causes are unknown.
    pub not_reduced: u64,
    /// The chains whose causes were not searched for yet, and then those whose causes were not found.
    pub open: Vec<Reduced>,
    /// How many the reference does not define, by reason.
    pub undefined: BTreeMap<String, u64>,
    /// How many the engine did not execute, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// The causes of those that failed for another reason, those of most chains first.
    pub causes: Vec<ChainCause>,
}

impl ChainTally {
    /// How many the engine executed, so that its results were compared.
    pub fn compared(&self) -> u64 {
        self.agreed + self.failed + self.listed.values().sum::<u64>()
    }

    /// True if each chain that failed has a cause that a divergence lists.
    pub fn agreed(&self) -> bool {
        self.failed == 0
    }
}
