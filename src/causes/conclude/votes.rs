//! Votes: what every engine does with the simplest case of each cause.

use super::merge::MergedCause;
use crate::case::{self, Case, CaseResult, InternalError, first_message};
use crate::causes::cause::Cause;
use crate::causes::finding::Vote;
use crate::causes::inquiry::Inquiry;
use crate::causes::rows::shown_row::ShownRow;
use crate::causes::search::exact::Seen;
use crate::divergences::Does;
use crate::engine::Depth;
use crate::model::RowVerdict;
use crate::must::Must as _;
use crate::space::{EnvironmentValues, Values, distance};

const TARGET: usize = EnvironmentValues::TARGET;
const PTX: usize = EnvironmentValues::PTX;

/// The answers of all engines to the simplest case of a cause, or to a similar one in an environment that they
/// accept.
pub(crate) struct Poll<'g, 's> {
    pub(crate) merged: &'g MergedCause<'s>,
    /// The cause whose simplest case is shown.
    pub(crate) shown: &'g Cause<'s>,
    /// By engine.
    pub(crate) answers: Vec<Option<CaseResult>>,
}

/// Asks every engine about every cause.
pub(crate) fn poll<'g, 's>(
    merged: &'g [MergedCause<'s>],
    inquiries: &[Inquiry<'_>],
) -> Result<Vec<Poll<'g, 's>>, InternalError> {
    let mut polls: Vec<Poll<'g, 's>> = merged
        .iter()
        .filter_map(|merged| {
            let shown = merged.causes.iter().min_by_key(|cause| simplicity(cause))?;
            Some(Poll { merged, shown, answers: Vec::new() })
        })
        .collect();
    for (engine, inquiry) in inquiries.iter().enumerate() {
        let mut answers: Vec<Option<CaseResult>> = vec![None; polls.len()];
        // After a stop, those engines vote that have shown the cause already.
        if inquiry.stopped() {
            polls.iter_mut().zip(answers).for_each(|(poll, answer)| poll.answers.push(answer));
            continue;
        }
        if inquiry.subject.judge.is_some() {
            ask_about_lines(inquiry, engine, &polls, &mut answers)?;
            ask_about_words(inquiry, &polls, &mut answers)?;
        }
        if inquiry.subject.executor.is_some() {
            for (poll, answer) in polls.iter().zip(&mut answers) {
                if let Some(rows) = &poll.shown.rows {
                    *answer = execute(inquiry, &rows.shown)?;
                }
            }
        }
        polls.iter_mut().zip(answers).for_each(|(poll, answer)| poll.answers.push(answer));
    }
    Ok(polls)
}

/// The simplest case is shown; among recorded ones, the one with the shortest line.
fn simplicity(cause: &Cause<'_>) -> impl Ord + use<> {
    let values = cause.fails.first().map(|values| (distance(values), values.clone()));
    let row = cause.rows.as_ref().map(|rows| &rows.shown.program.line);
    let line = row.or(cause.words.as_ref().map(|words| &words.shown.line));
    let line = line.map(|line| (line.len(), line.clone()));
    (values.is_none(), values, line)
}

fn ask_about_lines(
    inquiry: &Inquiry<'_>,
    engine: usize,
    polls: &[Poll<'_, '_>],
    answers: &mut [Option<CaseResult>],
) -> Result<(), InternalError> {
    for depth in [Depth::Check, Depth::Generate] {
        let mut rows: Vec<(usize, &Cause<'_>, Values)> = Vec::new();
        let of_depth = |poll: &Poll<'_, '_>| poll.shown.rows.is_none() && poll.shown.mismatch.depth == depth;
        for (at, poll) in polls.iter().enumerate().filter(|(_, poll)| of_depth(poll)) {
            // If the cause was found in this engine, its own simplest variant is asked about.
            let own = poll.merged.causes.iter().find(|cause| cause.engine == engine);
            let cause = if poll.shown.engine == engine { poll.shown } else { own.unwrap_or(poll.shown) };
            rows.extend(inquiry.adapted(cause).map(|values| (at, cause, values)));
        }
        let cases: Vec<Case<'_>> = rows.iter().map(|(_, cause, values)| cause.case(values)).collect();
        for ((at, ..), result) in rows.iter().zip(inquiry.ask(depth, &cases)?) {
            answers[*at] = Some(result);
        }
    }
    Ok(())
}

fn ask_about_words(
    inquiry: &Inquiry<'_>,
    polls: &[Poll<'_, '_>],
    answers: &mut [Option<CaseResult>],
) -> Result<(), InternalError> {
    for (poll, answer) in polls.iter().zip(answers) {
        let Some(words) = &poll.shown.words else { continue };
        if let Some(line) = inquiry.adapted_word(&words.shown, poll.shown.instruction) {
            *answer = inquiry.ask_words(&[&line])?.pop();
        }
    }
    Ok(())
}

/// The result of an engine for a row; none if it cannot be asked.
fn execute(inquiry: &Inquiry<'_>, shown: &ShownRow) -> Result<Option<CaseResult>, InternalError> {
    let Some(executor) = inquiry.subject.executor else { return Ok(None) };
    // A recording is asked about its rows, whatever their environment.
    if executor.executes(&shown.program.environment()).is_err() && executor.recorded().is_none() {
        return Ok(None);
    }
    let mut program = shown.program.clone();
    let expectation = shown.result.expectation().must("the result of a row has an expectation").clone();
    if expectation.may_trap() {
        program.own_launches = vec![0];
    }
    let answers = case::answers(executor, std::slice::from_ref(&program))?;
    let answer = answers.into_iter().flatten().next().must("the row of a cause is the only one of its program");
    Ok(Some(CaseResult::of_row(&shown.program, expectation, answer)))
}

impl Inquiry<'_> {
    /// The simplest variant of a cause, in its environment or a nearby one that the engine accepts.
    fn adapted(&self, cause: &Cause<'_>) -> Option<Values> {
        let values = cause.fails.first()?;
        let form = cause.form();
        let fits = |values: &Values| {
            form.broken(values).iter().copied().eq(cause.rule) && self.supports(form, values, &cause.mismatch)
        };
        let with = |axis: usize| {
            (0..=u8::MAX).take(form.axes[axis].values.len()).map(move |value| {
                let mut other = values.clone();
                other[axis] = value;
                other
            })
        };
        if fits(values) {
            return Some(values.clone());
        }
        let both = with(PTX).flat_map(|values| {
            (0..=u8::MAX).take(form.axes[TARGET].values.len()).map(move |target| {
                let mut other = values.clone();
                other[TARGET] = target;
                other
            })
        });
        with(PTX).chain(with(TARGET)).chain(both).find(|other| cause.extent.contains(other) && fits(other))
    }
}

impl Poll<'_, '_> {
    /// The vote of an engine; none if it could not be asked.
    pub(crate) fn vote(&self, engine: usize, inquiry: &Inquiry<'_>) -> Option<Vote> {
        let own = self.merged.causes.iter().any(|cause| cause.engine == engine);
        if own {
            return Some(Vote::Shows);
        }
        let result = self.answers.get(engine)?.as_ref()?;
        if let Some(verdict) = &result.row {
            return match verdict {
                RowVerdict::Agrees(_) => Some(Vote::DoesNot),
                RowVerdict::Differs(_) => Some(Vote::Shows),
                RowVerdict::Undecided(_) | RowVerdict::Skipped(_) => None,
            };
        }
        let cause = self.shown;
        let outcome = result.outcome()?;
        Some(match inquiry.seen(&cause.mismatch, cause.instruction, result) {
            Seen::Fails => Vote::Shows,
            Seen::Passes => Vote::DoesNot,
            // Different messages for the same behaviour are the same vote.
            Seen::Masked if Does::of(outcome) == Some(cause.mismatch.does) => Vote::Shows,
            Seen::Masked => Vote::Other(format!("{}: {}", outcome.word(), first_message(outcome))),
        })
    }
}
