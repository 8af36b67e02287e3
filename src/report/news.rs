//! What a run found that earlier runs of the same kind did not, and the reverse.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HistoryLine, KnownFinding, RunVerdict};

/// How the findings of a run compare with those of earlier runs like it: see [`HistoryLine::is_like`].
///
/// A run that did not judge everything says nothing of findings that it lacks: they count as known until a complete run
/// lacks them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct News {
    /// The last run like it.
    pub since: EarlierRun,
    /// Fingerprints of the findings that were not known.
    pub appeared: Vec<String>,
    /// Fingerprints of the findings that were known.
    pub as_before: Vec<String>,
    /// Findings that were known and are gone.
    pub vanished: Vec<KnownFinding>,
    /// Findings that were known and not seen, where this run did not judge everything: they may still be there.
    pub unseen: Vec<KnownFinding>,
    /// By fingerprint: the first run like this one that had the finding. This run's own are not here.
    pub first_seen: BTreeMap<String, EarlierRun>,
}

/// An earlier run, as a line of the history.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct EarlierRun {
    /// Its day, if it was given.
    pub date: Option<String>,
    /// The number of its line in the history, from 1.
    pub line: usize,
    /// Its result.
    pub verdict: RunVerdict,
}

impl News {
    /// Compares a run with the history before it: numbers of lines, and lines, oldest first. None if the history has no
    /// run like it.
    pub fn new(history: &[(usize, HistoryLine)], run: &HistoryLine) -> Option<Self> {
        let mut known: BTreeMap<&str, &KnownFinding> = BTreeMap::new();
        let mut first: BTreeMap<&str, EarlierRun> = BTreeMap::new();
        let mut since = None;
        for (number, line) in history.iter().filter(|(_, line)| line.is_like(run)) {
            let earlier = EarlierRun { date: line.date.clone(), line: *number, verdict: line.verdict };
            if line.complete {
                known.clear();
            }
            for finding in &line.findings {
                known.insert(&finding.fingerprint, finding);
                first.entry(&finding.fingerprint).or_insert_with(|| earlier.clone());
            }
            since = Some(earlier);
        }
        let now: BTreeSet<&str> = run.findings.iter().map(|finding| finding.fingerprint.as_str()).collect();
        let owned = |fingerprint: &&str| (*fingerprint).to_owned();
        let missing = known.iter().filter(|(fingerprint, _)| !now.contains(*fingerprint));
        let missing: Vec<KnownFinding> = missing.map(|(_, finding)| (*finding).clone()).collect();
        let (vanished, unseen) = if run.complete { (missing, Vec::new()) } else { (Vec::new(), missing) };
        Some(Self {
            since: since?,
            appeared: now.iter().filter(|fingerprint| !known.contains_key(**fingerprint)).map(owned).collect(),
            as_before: now.iter().filter(|fingerprint| known.contains_key(**fingerprint)).map(owned).collect(),
            vanished,
            unseen,
            first_seen: now.iter().filter_map(|one| Some(((*one).to_owned(), first.remove(one)?))).collect(),
        })
    }

    /// One sentence for a report.
    pub fn words(&self) -> String {
        let count = self.appeared.len();
        let counted = if count == 1 { "1 new finding".to_owned() } else { format!("{count} new findings") };
        let (gone, before) = (self.vanished.len(), self.as_before.len());
        let unseen = match self.unseen.len() {
            0 => String::new(),
            unseen => format!("; {unseen} not seen again, but this run did not judge everything"),
        };
        format!("since the last run ({}): {counted}, {gone} gone, {before} as before{unseen}", self.since.words())
    }

    /// Since when a finding of the run is known, in words: `2026-11-20`, or that it is new.
    pub fn known_since(&self, fingerprint: &str) -> String {
        let Some(first) = self.first_seen.get(fingerprint) else { return "this run".to_owned() };
        let again = self.appeared.iter().any(|new| new == fingerprint);
        format!("{}{}", first.place(), if again { ", gone meanwhile" } else { "" })
    }
}

impl EarlierRun {
    /// Its day; without one, its line in the history.
    pub fn place(&self) -> String {
        self.date.clone().unwrap_or_else(|| format!("line {} of the history", self.line))
    }

    /// The same, and its result if it judged not everything.
    pub fn words(&self) -> String {
        match self.verdict {
            RunVerdict::Agreed | RunVerdict::Disagreed => self.place(),
            verdict => format!("{}, {}", self.place(), verdict.words()),
        }
    }
}
