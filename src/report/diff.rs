//! The differences between two reports.
//!
//! A report is read as sections, each a list of facts by name. A fact has a state, and numbers. What appeared, vanished or
//! has another state matters; other numbers alone do not.

mod facts;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::data::Report;

/// The differences between two reports, `a` and `b`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportDiff {
    /// True if anything appeared, vanished or changed besides numbers and options of the runs.
    pub matters: bool,
    /// The options of the runs that differ.
    pub setting: Vec<Changed>,
    /// The sections in which anything differs, the most important first.
    pub sections: Vec<DiffSection>,
}

/// The differences in one kind of facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffSection {
    /// The kind of facts, as a heading.
    pub section: String,
    /// The words for facts that only `b` has.
    pub appeared_words: String,
    /// The facts that only `b` has.
    pub appeared: Vec<String>,
    /// The words for facts that only `a` has.
    pub vanished_words: String,
    /// The facts that only `a` has.
    pub vanished: Vec<String>,
    /// Facts of both with different states.
    pub changed: Vec<Changed>,
    /// Facts of both with the same state and different numbers: this alone does not matter.
    pub numbers: Vec<Changed>,
}

/// A fact that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Changed {
    /// Its name.
    pub what: String,
    /// In `a`.
    pub a: String,
    /// In `b`.
    pub b: String,
}

/// The facts of a section, by name.
pub(super) type Facts = BTreeMap<String, Fact>;

/// A fact of a report.
#[derive(Clone, Debug, Default)]
pub(super) struct Fact {
    /// The part of the fact whose change matters.
    pub(super) state: String,
    /// The numbers of the fact, whose change alone does not matter.
    pub(super) numbers: String,
}

impl ReportDiff {
    /// Compares two reports.
    pub fn new(a: &Report, b: &Report) -> Self {
        let setting = changed(&facts::setting(a), &facts::setting(b), |fact| &fact.state);
        let sections = facts::SECTIONS.iter().map(|(section, words, of)| {
            let (ours, theirs) = (of(a), of(b));
            let only = |these: &Facts, others: &Facts| {
                let absent = these.iter().filter(|(what, _)| !others.contains_key(*what));
                absent.map(|(what, fact)| fact.named(what)).collect::<Vec<_>>()
            };
            let changed_states = changed(&ours, &theirs, |fact| &fact.state);
            let known: BTreeSet<&str> = changed_states.iter().map(|change| change.what.as_str()).collect();
            let mut numbers = changed(&ours, &theirs, |fact| &fact.numbers);
            numbers.retain(|change| !known.contains(change.what.as_str()));
            DiffSection {
                section: (*section).to_owned(),
                appeared_words: words[0].to_owned(),
                appeared: only(&theirs, &ours),
                vanished_words: words[1].to_owned(),
                vanished: only(&ours, &theirs),
                changed: changed_states,
                numbers,
            }
        });
        let sections: Vec<DiffSection> = sections.filter(|section| !section.is_empty()).collect();
        Self { matters: sections.iter().any(DiffSection::matters), setting, sections }
    }

    /// As JSON, indented.
    ///
    /// # Errors
    /// None in practice: the data has no maps.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|json| json + "\n")
    }

    /// As text of at most 100 columns; long lists end with a count.
    pub fn text(&self) -> String {
        text::render(self)
    }
}

impl DiffSection {
    /// True if more than numbers differs.
    pub fn matters(&self) -> bool {
        !(self.appeared.is_empty() && self.vanished.is_empty() && self.changed.is_empty())
    }

    fn is_empty(&self) -> bool {
        !self.matters() && self.numbers.is_empty()
    }
}

impl Fact {
    fn named(&self, what: &str) -> String {
        let said: Vec<&str> = [what, &self.state, &self.numbers].into_iter().filter(|part| !part.is_empty()).collect();
        said.join(": ")
    }
}

/// The facts of both that differ in a respect.
fn changed(a: &Facts, b: &Facts, respect: impl Fn(&Fact) -> &String) -> Vec<Changed> {
    let both = a.iter().filter_map(|(what, ours)| Some((what, respect(ours), respect(b.get(what)?))));
    let differ = both.filter(|(_, ours, theirs)| ours != theirs);
    differ.map(|(what, a, b)| Changed { what: what.clone(), a: a.clone(), b: b.clone() }).collect()
}
