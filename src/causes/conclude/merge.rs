//! Merges causes of several forms, rules and engines.

use crate::causes::cause::{Cause, Conditions};

/// Causes that were merged.
pub(crate) struct MergedCause<'s> {
    pub(crate) conditions: Conditions,
    pub(crate) causes: Vec<Cause<'s>>,
}

/// Merges what is one cause in several forms, rules and engines.
pub(crate) fn merge(causes: Vec<Cause<'_>>) -> Vec<MergedCause<'_>> {
    let mut groups: Vec<MergedCause<'_>> = Vec::new();
    for cause in causes {
        let found = groups.iter_mut().find_map(|group| group.with(&cause).map(|conditions| (group, conditions)));
        match found {
            Some((group, conditions)) => {
                group.conditions = conditions;
                group.causes.push(cause);
            }
            None => groups.push(MergedCause { conditions: cause.named(), causes: vec![cause] }),
        }
    }
    groups
}

impl MergedCause<'_> {
    /// The conditions that hold for all its causes and this one; `None` if this is another cause.
    fn with(&self, cause: &Cause<'_>) -> Option<Conditions> {
        // The condition of recorded rows is unknown: rows of one form that differ in the same way are one
        // cause.
        if let Some(kind) = cause.recorded_kind() {
            let same = |known: &Cause<'_>| {
                known.recorded_kind() == Some(kind) && known.form().id == cause.form().id && known.is_kind(cause)
            };
            return self.causes.iter().all(same).then(|| self.conditions.clone());
        }
        if self.causes.iter().any(|known| known.recorded_kind().is_some()) {
            return None;
        }
        let words = |of: &Cause<'_>| of.words.as_ref().map(|words| words.words.clone());
        if self.causes.iter().any(|known| words(known) != words(cause)) {
            return None;
        }
        if cause.words.is_some() {
            let same = |known: &Cause<'_>| known.is_kind_of_words(cause);
            return self.causes.iter().all(same).then(|| self.conditions.clone());
        }
        let alike = |known: &Cause<'_>| known.is_kind(cause) && known.shows_where(cause);
        if !self.causes.iter().all(alike) {
            return None;
        }
        let own = cause.named();
        let mut joint = self.conditions.clone();
        // Values that only one of the rules can have make no common condition.
        let joinable = joint.keys().eq(own.keys()) && self.causes.iter().all(|known| known.same_rules(cause));
        own.iter().for_each(|(axis, values)| joint.entry(axis.clone()).or_default().extend(values.iter().cloned()));
        let mut candidates = vec![self.conditions.clone(), own];
        candidates.extend(joinable.then_some(joint));
        let holds = |conditions: &Conditions| self.causes.iter().chain([cause]).all(|cause| cause.is_same(conditions));
        candidates.into_iter().find(holds)
    }
}
