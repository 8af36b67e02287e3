//! Causes of lines with words that are not choices of the specification: words that an engine treats alike
//! in the same slots have one.
//!
//! There is no space of such lines to search. Only the lines that the run tried are known.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Cause, CauseWords};
use crate::causes::open_group::OpenGroup;
use crate::must::Must;
use crate::space::{Diagram, environment_values};

/// The slots of a word, by the position of the group.
type WordSlots<'g> = BTreeSet<(usize, &'g str)>;

/// The causes of the lines with words of the engine at a position.
pub(crate) fn causes<'s>(engine: usize, groups: &[OpenGroup<'s>]) -> Vec<Cause<'s>> {
    let mut slots: BTreeMap<(&str, &str), WordSlots<'_>> = BTreeMap::new();
    for (at, group) in groups.iter().enumerate() {
        for line in &group.words {
            slots.entry((&group.instruction.name, &line.word)).or_default().insert((at, &line.slot));
        }
    }
    let mut alike: BTreeMap<WordSlots<'_>, Vec<&str>> = BTreeMap::new();
    for ((_, word), slots) in slots {
        alike.entry(slots).or_default().push(word);
    }
    let mut domains: BTreeMap<&str, Arc<Diagram>> = BTreeMap::new();
    let mut causes = Vec::new();
    for (slots, words) in &alike {
        let at: BTreeSet<usize> = slots.iter().map(|(at, _)| *at).collect();
        for group in at.into_iter().map(|at| &groups[at]) {
            let lines = group.words.iter().filter(|line| words.contains(&line.word.as_str()));
            let Some(shown) = lines.clone().min_by_key(|line| (line.line.len(), &line.line)) else { continue };
            let form = group.form();
            let environment = environment_values(form, &shown.environment);
            let environment = environment.must("its line was judged in this environment");
            let domain = domains.entry(&form.id);
            let domain = domain.or_insert_with(|| Arc::new(Diagram::within(form, None, &environment)));
            let words = CauseWords {
                words: words.iter().map(|&word| word.to_owned()).collect(),
                slots: lines.map(|line| line.slot.clone()).collect(),
                shown: shown.clone(),
            };
            causes.push(Cause::of_words(engine, group, Arc::clone(domain), environment, words));
        }
    }
    causes
}
