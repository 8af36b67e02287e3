//! Whether a binary can still be asked: what it lost, what was noticed, and when it is given up.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::engine::LossCount;

/// What is known of a binary's failures so far.
#[derive(Debug, Default)]
pub(super) struct Health {
    pub(super) losses: LossCount,
    notes: Mutex<Vec<String>>,
    /// Time lost with processes that did not end, and why it is asked no more.
    hangs: Mutex<(Duration, Option<String>)>,
}

/// Notes that are kept.
const NOTES: usize = 20;

impl Health {
    pub(super) fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn note(&self, note: String) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.len() < NOTES && !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// Why it is asked no more.
    pub(super) fn given_up(&self) -> Option<String> {
        self.hangs.lock().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    /// A process did not end within `time`. It is given up where it does not answer at all, or where
    /// more than `patience` was lost.
    pub(super) fn hung(&self, time: Duration, patience: Duration, answers: bool) {
        let mut hangs = self.hangs.lock().unwrap_or_else(PoisonError::into_inner);
        hangs.0 += time;
        let lost = hangs.0.as_secs();
        if !answers {
            hangs.1.get_or_insert_with(|| "it does not answer any more".to_owned());
        } else if hangs.0 > patience {
            hangs.1.get_or_insert_with(|| format!("it was given up after {lost} s in which it did not answer"));
        }
    }
}
