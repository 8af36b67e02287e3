//! Asks again before the search: an engine that gives different answers to the same question has no causes.

use std::collections::BTreeSet;

use super::inquiry::Inquiry;
use super::open_group::OpenGroup;
use super::search::exact::Seen;
use crate::campaign::WordLine;
use crate::case::{Case, InternalError};
use crate::engine::Depth;
use crate::plural::counted;

/// Cases of each group that are asked about again.
const AGAIN: usize = 4;
/// The percentage of cases whose answers may change before an engine counts as unstable.
const CHANGED: usize = 5;
/// The fewest changed cases for a conclusion.
const FEWEST: usize = 3;

/// The lines of groups that are asked about twice, each with the position of its group.
#[derive(Default)]
struct AskedAgain<'g> {
    cases: Vec<(usize, Case<'g>)>,
    words: Vec<(usize, &'g WordLine)>,
}

impl<'g> AskedAgain<'g> {
    /// Some of each group.
    fn of(groups: &'g [OpenGroup<'_>]) -> Self {
        let mut again = Self::default();
        for (at, group) in groups.iter().enumerate().filter(|(_, group)| !group.is_of_rows()) {
            // Where each failing case costs a process, the search itself has to do; words are not searched.
            if !group.is_costly() {
                let case = |values| Case { instruction: group.instruction, form: group.form, values };
                again.cases.extend(some(&group.open).map(|values| (at, case(values))));
            }
            again.words.extend(some(&group.words).map(|line| (at, line)));
        }
        again
    }

    fn groups(&self) -> impl Iterator<Item = usize> {
        self.cases.iter().map(|(at, _)| *at).chain(self.words.iter().map(|(at, _)| *at))
    }

    /// The meaning of the engine's answer to each.
    fn ask(&self, inquiry: &Inquiry<'_>, groups: &[OpenGroup<'_>]) -> Result<Vec<Seen>, InternalError> {
        let cases: Vec<Case<'_>> = self.cases.iter().map(|(_, case)| *case).collect();
        let words: Vec<&WordLine> = self.words.iter().map(|(_, line)| *line).collect();
        let mut results = inquiry.ask(Depth::Check, &cases)?;
        results.extend(inquiry.ask_words(&words)?);
        let seen = |(at, result)| {
            let group: &OpenGroup<'_> = &groups[at];
            inquiry.seen(&group.mismatch, group.instruction, result)
        };
        Ok(self.groups().zip(&results).map(seen).collect())
    }
}

/// A few, evenly spread.
fn some<T>(all: &[T]) -> impl Iterator<Item = &T> {
    all.iter().step_by(all.len().div_ceil(AGAIN).max(1))
}

/// Asks about some lines of each group twice. Groups that fail neither time are removed from the search. If
/// too many lines change between the two times, returns a message that says so, and nothing is searched.
pub(super) fn check(inquiry: &Inquiry<'_>, groups: &mut [OpenGroup<'_>]) -> Result<Option<String>, InternalError> {
    let again = AskedAgain::of(groups);
    let (first, second) = (again.ask(inquiry, groups)?, again.ask(inquiry, groups)?);
    let of_group: Vec<usize> = again.groups().collect();
    let changed = first.iter().zip(&second).filter(|(first, second)| first != second).count();
    let asked = of_group.len();
    if changed >= FEWEST && changed * 100 >= asked * CHANGED {
        let name = inquiry.name();
        return Ok(Some(format!(
            "{name} is unstable: {changed} of {} gave different answers when asked about twice, so no \
             cause was searched for",
            counted(asked, "line")
        )));
    }
    let asked: BTreeSet<usize> = of_group.iter().copied().collect();
    let failing = of_group.iter().zip(&first).chain(of_group.iter().zip(&second));
    let failed: BTreeSet<usize> = failing.filter(|(_, seen)| **seen == Seen::Fails).map(|(at, _)| *at).collect();
    for at in asked.difference(&failed) {
        let group = &mut groups[*at];
        group.open.clear();
        group.words.clear();
        group.vanished = Some("not reproduced");
    }
    Ok(None)
}
