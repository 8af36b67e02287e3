//! The divergences that a run exercised.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::campaign::{Problem, Results};
use crate::causes::ListedCase;
use crate::divergences::{Divergence, Divergences, Does};
use crate::engine::Depth;
use crate::spec::Instruction;

/// A divergence that the run exercised.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DivergenceReport {
    /// Its id.
    pub id: String,
    /// The family of engines that does it, or the engines of it that do.
    pub engines: Vec<String>,
    /// The versions that do it, in words; empty for all.
    pub versions: String,
    /// The behaviour that the divergence lists.
    pub does: Does,
    /// The rules that they do not enforce.
    pub rules: Vec<String>,
    /// The forms that it is about, among those of the run.
    pub forms: Vec<String>,
    /// When it happens, each combination as in its file; always if empty.
    pub when: Vec<String>,
    /// True if only some of the listed cases show it.
    pub sometimes: bool,
    /// True if code must be generated to see it.
    pub code_generation: bool,
    /// The reason that the divergence gives.
    pub because: String,
    /// The heading on the manual's page.
    pub section: Option<String>,
    /// A link to more.
    pub link: Option<String>,
    /// By engine: cases that behaved as listed, and cases that did not.
    pub counts: BTreeMap<String, [u64; 2]>,
    /// The simplest row that shows it, of the first engine that executes it.
    pub case: Option<ListedCase>,
    /// By engine: what is wrong with it.
    pub stale: BTreeMap<String, Problem>,
}

/// The divergences that some engine was asked about, or that need attention.
pub(super) fn met(
    divergences: &Divergences,
    instructions: &[&Instruction],
    results: &Results,
    mut cases: BTreeMap<String, ListedCase>,
) -> Vec<DivergenceReport> {
    let forms: Vec<String> = instructions.iter().flat_map(|of| &of.forms).map(|form| form.id.clone()).collect();
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
            engines: if divergence.engines.is_empty() {
                vec![divergence.engine.clone()]
            } else {
                divergence.engines.clone()
            },
            versions: divergence.version_words(),
            does: divergence.does,
            rules: divergence.rules.clone(),
            forms: forms.iter().filter(|form| divergence.cubes_in(form).next().is_some()).cloned().collect(),
            when: divergence.when.clone(),
            sometimes: divergence.sometimes,
            code_generation: divergence.depth == Depth::Generate,
            because: divergence.because.clone(),
            section: divergence.section.clone(),
            link: divergence.link.clone(),
            counts,
            case: cases.remove(&divergence.id),
            stale,
        }
    };
    let reports = divergences.all.iter().map(&mut report);
    reports.filter(|divergence| !divergence.counts.is_empty() || !divergence.stale.is_empty()).collect()
}
