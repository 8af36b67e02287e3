//! The divergences that a run exercised.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::campaign::{Problem, Results};
use crate::causes::ListedCase;
use crate::divergences::{Divergence, Divergences};

/// A divergence that the run exercised.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DivergenceReport {
    /// Its id.
    pub id: String,
    /// Why it is listed.
    pub because: String,
    /// The manual's heading.
    pub section: Option<String>,
    /// Where more is written about it.
    pub link: Option<String>,
    /// Whether every case that it is about shows it: it happens not only sometimes.
    #[serde(default)]
    pub steady: bool,
    /// By engine: cases that behaved as listed, and cases that did not.
    pub counts: BTreeMap<String, [u64; 2]>,
    /// The simplest row that shows it, for each engine that executes.
    pub cases: Vec<ListedCase>,
    /// By engine: what is wrong with it.
    pub stale: BTreeMap<String, Problem>,
}

/// The divergences that some engine was asked about, or that need attention.
pub(super) fn met(
    divergences: &Divergences,
    results: &Results,
    mut cases: BTreeMap<String, Vec<ListedCase>>,
) -> Vec<DivergenceReport> {
    let mut report = |divergence: &Divergence| {
        let mut counts: BTreeMap<String, [u64; 2]> = BTreeMap::new();
        let mut stale = BTreeMap::new();
        for engine in &results.engines {
            if let Some(split) = engine.tally.listed.get(&divergence.id) {
                let sum = counts.entry(engine.name.clone()).or_default();
                *sum = [sum[0] + split.did, sum[1] + split.did_not];
            }
            let own = engine.stale.iter().filter(|stale| stale.id == divergence.id);
            stale.extend(own.map(|stale| (engine.name.clone(), stale.problem)));
        }
        DivergenceReport {
            id: divergence.id.clone(),
            because: divergence.because.clone(),
            section: divergence.section.clone(),
            link: divergence.link.clone(),
            steady: !divergence.sometimes,
            counts,
            cases: cases.remove(&divergence.id).unwrap_or_default(),
            stale,
        }
    };
    let reports = divergences.all.iter().map(&mut report);
    reports.filter(|divergence| !divergence.counts.is_empty() || !divergence.stale.is_empty()).collect()
}
