//! Whether an engine answers at all: one that fails at everything it is asked is found out soon, and
//! asked no further.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::case::{Behavior, CaseResult};
use crate::engine::Outcome;
use crate::program::Answer;

/// Failures without anything else after which an engine is asked no further.
const ENOUGH: u64 = 24;
/// Cases that are asked about together until an engine has done anything but fail.
const FIRST: usize = 8;

/// What is known of an engine's answers so far.
#[derive(Debug, Default)]
pub(super) struct Health {
    /// Whether it has answered anything that is not a failure.
    answers: AtomicBool,
    failures: AtomicU64,
    /// Its words for the first failure.
    words: Mutex<Option<String>>,
}

impl Health {
    /// How many cases to ask about next; none where the engine is to be asked no further.
    pub(super) fn step(&self) -> Option<usize> {
        if self.answers.load(Ordering::Relaxed) {
            return Some(usize::MAX);
        }
        (self.failures.load(Ordering::Relaxed) < ENOUGH).then_some(FIRST)
    }

    /// Takes note of an answer.
    pub(super) fn note(&self, result: &CaseResult) {
        if self.answers.load(Ordering::Relaxed) {
            return;
        }
        let words = match &result.behavior {
            Behavior::Judged(Outcome::Crashed(how)) | Behavior::Executed(Answer::Failed(how)) => how.clone(),
            Behavior::Judged(Outcome::TimedOut) => Outcome::TimedOut.word().to_owned(),
            Behavior::Judged(Outcome::Skipped(_)) | Behavior::Executed(Answer::Skipped(_)) | Behavior::NotRun(_) => {
                return;
            }
            Behavior::Judged(_) | Behavior::Executed(_) => return self.answers.store(true, Ordering::Relaxed),
        };
        self.failures.fetch_add(1, Ordering::Relaxed);
        self.words.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(words);
    }

    /// The engine's own words, where it was asked no further.
    pub(super) fn gave_up(&self) -> Option<String> {
        if self.step().is_some() {
            return None;
        }
        self.words.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
