//! Finds out soon whether an engine answers at all: until it has done anything but fail, it is asked about few cases
//! at a time, and no further once it has failed too often.

use std::time::Duration;

use crate::case::{Behavior, CaseResult};
use crate::engine::{Health, Outcome};
use crate::line_case::Answer;

/// The number of initial failures after which an engine is abandoned.
const ENOUGH: u32 = 24;
/// Cases per request until an engine has done anything but fail.
const FIRST: usize = 8;

/// The judgement that the first answers of an engine allow.
#[derive(Debug, Default)]
pub(super) struct FirstAnswers(Health);

impl FirstAnswers {
    /// How many cases to ask about next; none if the engine is abandoned.
    pub(super) fn step(&self) -> Option<usize> {
        match self.0.answers() {
            true => Some(usize::MAX),
            false => self.0.given_up().is_none().then_some(FIRST),
        }
    }

    /// Records an answer.
    pub(super) fn note(&self, result: &CaseResult) {
        if self.0.answers() {
            return;
        }
        match &result.behavior {
            Behavior::Judged(Outcome::Crashed(how)) | Behavior::Executed(Answer::Failed(how)) => {
                self.0.failed(how, ENOUGH);
            }
            Behavior::Judged(Outcome::TimedOut) => self.0.failed(Outcome::TimedOut.word(), ENOUGH),
            Behavior::Judged(Outcome::Skipped(_)) | Behavior::Executed(Answer::Skipped(_)) | Behavior::NotRun(_) => {}
            Behavior::Judged(_) | Behavior::Executed(_) => self.0.answered(Duration::ZERO),
        }
    }

    /// The reason why cases were not asked about, in words of a report.
    pub(super) fn not_asked(&self) -> String {
        let why = self.gave_up().unwrap_or_else(|| "it answered no more".to_owned());
        format!("not asked: {why}")
    }

    /// The reason why the engine was asked no further.
    pub(super) fn gave_up(&self) -> Option<String> {
        self.0.given_up().filter(|_| !self.0.answers())
    }
}
