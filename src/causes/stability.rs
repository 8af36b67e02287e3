//! Asks again before the search: an engine that gives different answers to the same question has no causes.

use std::collections::BTreeSet;

use super::finding::UnstableEngine;
use super::inquiry::Inquiry;
use super::open_group::{OpenGroup, Vanished};
use super::search::exact::Seen;
use crate::campaign::{Agreement, AskedExample, WordLine, wavering_examples};
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

    /// The line at a position.
    fn line(&self, at: usize) -> String {
        let word = || self.words.get(at - self.cases.len()).map(|(_, line)| line.line.clone());
        self.cases.get(at).map(|(_, case)| case.line()).or_else(word).unwrap_or_default()
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

/// The answers to some lines of each group, which were asked about twice.
pub(super) struct AnswersAgain {
    /// The lines of groups.
    asked: usize,
    /// The examples of the manual, which were asked about once.
    unexpected: usize,
    /// How many had two different answers.
    wavered: usize,
    /// How many came out otherwise than in the run at least once.
    changed: usize,
    /// The first of them.
    first: Option<String>,
    /// The examples of the manual that came out otherwise.
    examples: BTreeSet<(String, usize)>,
}

/// Asks about some lines of each group twice, and once about each example with an unexpected answer. Groups of which no line fails
/// both times have vanished, and nothing of them is searched.
pub(super) fn check(
    inquiry: &Inquiry<'_>,
    groups: &mut [OpenGroup<'_>],
    examples: &[AskedExample],
) -> Result<AnswersAgain, InternalError> {
    let mut answers = check_groups(inquiry, groups)?;
    let unexpected: Vec<&AskedExample> =
        examples.iter().filter(|example| example.agreement == Agreement::Unexpected).collect();
    let wavering = wavering_examples(inquiry.spec, inquiry.divergences, inquiry.subject, &unexpected)?;
    answers.unexpected = unexpected.len();
    // An interrupted engine answers nothing.
    if let (false, Some(first)) = (inquiry.stopped(), wavering.first()) {
        answers.first.get_or_insert_with(|| first.line(inquiry.spec).to_owned());
        answers.changed += wavering.len();
        answers.examples = wavering.into_iter().map(AskedExample::key).collect();
    }
    Ok(answers)
}

fn check_groups(inquiry: &Inquiry<'_>, groups: &mut [OpenGroup<'_>]) -> Result<AnswersAgain, InternalError> {
    let again = AskedAgain::of(groups);
    let (first, second) = (again.ask(inquiry, groups)?, again.ask(inquiry, groups)?);
    let of_group: Vec<usize> = again.groups().collect();
    let twice: Vec<(&Seen, &Seen)> = first.iter().zip(&second).collect();
    let fails = |seen: &Seen| *seen == Seen::Fails;
    let is_changed = |(first, second): &(&Seen, &Seen)| !fails(first) || !fails(second);
    // An interrupted engine answers nothing.
    let stopped = inquiry.stopped();
    let changed = if stopped { None } else { twice.iter().position(is_changed) };
    let answers = AnswersAgain {
        asked: of_group.len(),
        unexpected: 0,
        wavered: twice.iter().filter(|(first, second)| first != second).count(),
        changed: twice.iter().filter(|twice| !stopped && is_changed(twice)).count(),
        first: changed.map(|at| again.line(at)),
        examples: BTreeSet::new(),
    };
    let asked: BTreeSet<usize> = of_group.iter().copied().collect();
    let failing = of_group.iter().zip(&twice).filter(|(_, (first, second))| fails(first) && fails(second));
    let failed: BTreeSet<usize> = failing.map(|(at, _)| *at).collect();
    for at in asked.difference(&failed) {
        let group = &mut groups[*at];
        group.open.clear();
        group.words.clear();
        group.vanished = Some(Vanished::Passes);
    }
    Ok(answers)
}

impl AnswersAgain {
    /// The reason why no causes are searched for, if too many lines had two different answers.
    pub(super) fn without_causes(&self, engine: &str) -> Option<String> {
        let Self { asked, wavered, .. } = self;
        (*wavered >= FEWEST && wavered * 100 >= asked * CHANGED).then(|| {
            format!(
                "{engine} is unstable: {wavered} of {} gave different answers when asked about twice, so no \
                 cause was searched for",
                counted(*asked, "line")
            )
        })
    }

    /// The engine, if it answered otherwise than in the run; `groups` after the search.
    pub(super) fn unstable(self, engine: &str, groups: &[OpenGroup<'_>]) -> Option<UnstableEngine> {
        let nothing_holds = self.without_causes(engine).is_some();
        let vanished = groups.iter().filter(|group| nothing_holds || group.vanished.is_some_and(Vanished::is_unstable));
        let first_group = vanished.clone().next().map(OpenGroup::words_of);
        Some(UnstableEngine {
            engine: engine.to_owned(),
            groups: vanished.map(OpenGroup::key).collect(),
            examples: self.examples,
            lines: [self.asked + self.unexpected, self.changed],
            first: self.first.or(first_group)?,
        })
    }
}
