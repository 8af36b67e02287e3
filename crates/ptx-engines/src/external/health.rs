//! Whether an engine is still worth asking. One that fails at everything is found out here, over all
//! requests: halving each of them down to single lines would take hours.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::EngineLimits;
use super::process::Fault;

/// What is known of an engine's failures so far.
#[derive(Debug, Default)]
pub(super) struct Health(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Failed requests since the last one that was answered.
    failures: u32,
    /// Answers since the last valid one that are not valid.
    invalid: u32,
    /// Time that was lost waiting.
    hung: Duration,
    /// The longest that an answered request took.
    slowest: Duration,
    given_up: Option<String>,
}

/// The shortest time after which an engine that was quick before is taken to hang.
const QUICK: Duration = Duration::from_secs(1);

impl Health {
    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Why the engine is asked no more.
    pub(super) fn given_up(&self) -> Option<String> {
        self.with(|state| state.given_up.clone())
    }

    /// A request was answered.
    pub(super) fn answered(&self, time: Duration) {
        self.with(|state| {
            state.failures = 0;
            state.slowest = state.slowest.max(time);
        });
    }

    /// A request was not answered.
    pub(super) fn failed(&self, fault: &Fault, time: Duration, limits: &EngineLimits) {
        self.with(|state| {
            state.failures += 1;
            if *fault == Fault::Hung {
                state.hung += time;
            }
            let (words, seconds) = (fault.words(), state.hung.as_secs());
            if state.failures >= limits.failures {
                let times = state.failures;
                state
                    .given_up
                    .get_or_insert_with(|| format!("it failed {times} times in a row, the last time: {words}"));
            } else if state.hung > limits.patience {
                state.given_up.get_or_insert_with(|| format!("it did not answer for {seconds} s in total"));
            }
        });
    }

    /// An answer came that is valid, or is not and why.
    pub(super) fn checked(&self, answer: Result<(), &str>, limits: &EngineLimits) {
        self.with(|state| match answer {
            Ok(()) => state.invalid = 0,
            Err(why) => {
                state.invalid += 1;
                if state.invalid >= limits.invalid {
                    let times = state.invalid;
                    let words = || format!("{times} answers in a row were invalid, the last one: {why}");
                    state.given_up.get_or_insert_with(words);
                }
            }
        });
    }

    /// How long to wait when looking for what an engine hangs on, by how quick it was before.
    pub(super) fn search_time(&self, most: Duration) -> Duration {
        self.with(|state| most.min(QUICK.max(state.slowest.saturating_mul(20))))
    }
}
