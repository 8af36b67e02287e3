//! What a run found that earlier runs of the same kind did not, and the reverse.

use std::collections::{BTreeMap, BTreeSet};

use super::data::{EarlierRun, KnownFinding, News};
use super::history::HistoryLine;

impl News {
    /// Compares a run with the history before it: numbers of lines, and lines, oldest first. None if the history has no
    /// run like it.
    pub fn new(history: &[(usize, HistoryLine)], run: &HistoryLine) -> Option<Self> {
        let mut known: BTreeMap<&str, &KnownFinding> = BTreeMap::new();
        let mut first: BTreeMap<&str, EarlierRun> = BTreeMap::new();
        let mut since = None;
        // What the known findings were found in.
        let mut asked: BTreeSet<&str> = BTreeSet::new();
        for (number, line) in history.iter().filter(|(_, line)| line.is_like(run)) {
            let earlier = EarlierRun { date: line.date.clone(), line: *number, verdict: line.verdict };
            if line.complete && line.releases().is_superset(&asked) {
                known.clear();
                asked.clear();
            }
            asked.extend(line.releases());
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
        let complete = run.complete && run.releases().is_superset(&asked);
        let (vanished, unseen) = if complete { (missing, Vec::new()) } else { (Vec::new(), missing) };
        Some(Self {
            since: since?,
            appeared: now.iter().filter(|fingerprint| !known.contains_key(**fingerprint)).map(owned).collect(),
            as_before: now.iter().filter(|fingerprint| known.contains_key(**fingerprint)).map(owned).collect(),
            vanished,
            unseen,
            first_seen: now.iter().filter_map(|one| Some(((*one).to_owned(), first.remove(one)?))).collect(),
        })
    }
}
