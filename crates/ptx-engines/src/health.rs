//! The health of an engine: what it lost, what was noticed, and when it is given up.
//!
//! One that only fails is found out here, over all that it is asked: halving each request down to single lines would
//! take hours.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The failures of an engine so far.
#[derive(Debug, Default)]
pub struct Health(Mutex<HealthRecord>);

#[derive(Debug, Default)]
struct HealthRecord {
    /// True once it has answered.
    answers: bool,
    /// Failures since the last answer.
    failures: u32,
    /// All failures.
    failures_in_all: u32,
    /// True if it has answered since it was last found to hang on an item alone.
    answered_since: bool,
    /// The items on which it hangs alone.
    hangs: u32,
    /// Invalid answers since the last valid one.
    invalid: u32,
    /// Time that was lost waiting.
    hung: Duration,
    /// Time that its answers took.
    answering: Duration,
    /// The longest that an answered request took.
    slowest: Duration,
    given_up: Option<String>,
    /// The number of lines and rows without an answer, by reason.
    losses: BTreeMap<String, u64>,
    notes: Vec<String>,
    /// Failures on several lines or rows together that have no cause among them.
    unexplained: Vec<String>,
    /// How many there were.
    unexplained_times: u32,
}

/// The shortest time after which an engine that was fast before counts as hanging.
const QUICK: Duration = Duration::from_secs(1);
/// Different reasons for losses that are kept.
const REASONS: usize = 20;
/// The reason under which all others are counted.
const OTHER_REASONS: &str = "for further reasons";
/// Notes that are kept.
const NOTES: usize = 20;

impl Health {
    fn with<T>(&self, act: impl FnOnce(&mut HealthRecord) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// It answered within this time.
    pub fn answered(&self, time: Duration) {
        self.with(|record| {
            record.answers = true;
            record.failures = 0;
            record.answered_since = true;
            record.slowest = record.slowest.max(time);
            record.answering = record.answering.saturating_add(time);
        });
    }

    /// True once it has answered.
    pub fn answers(&self) -> bool {
        self.with(|record| record.answers)
    }

    /// Records a failure. The engine is abandoned after `most` failures without an answer in between.
    pub fn failed(&self, words: &str, most: u32) {
        self.with(|record| {
            record.failures += 1;
            if record.failures >= most {
                let words = format!("it failed {} times in a row, the last time: {words}", record.failures);
                record.given_up.get_or_insert(words);
            }
        });
    }

    /// Records a failure, and returns how many there were without an answer in between. The engine is abandoned after
    /// `most` in all.
    pub(crate) fn failed_again(&self, words: &str, most: u32) -> u32 {
        self.with(|record| {
            record.failures += 1;
            record.failures_in_all += 1;
            if record.failures_in_all >= most {
                let words = format!("it failed {} times in all, the last time: {words}", record.failures_in_all);
                record.given_up.get_or_insert(words);
            }
            record.failures
        })
    }

    /// It still answers: the failures so far were due to what it was asked.
    pub(crate) fn recovered(&self) {
        self.with(|record| record.failures = 0);
    }

    /// It hangs on an item alone, which is `new` or was known. If it answers others, the time that was lost in the search
    /// for it counts no longer. The engine is abandoned after `most` such items.
    pub(crate) fn hung_alone(&self, new: bool, most: u32) {
        self.with(|record| {
            if std::mem::take(&mut record.answered_since) {
                record.hung = Duration::ZERO;
            }
            record.hangs += u32::from(new);
            if record.hangs >= most {
                let words = format!("it did not answer about {} lines or rows, each asked alone", record.hangs);
                record.given_up.get_or_insert(words);
            }
        });
    }

    /// Records time lost waiting for it. The engine is abandoned once that is more than `patience` and what its answers
    /// took: the longer it works, the more of what it is asked may hang.
    pub(crate) fn hung(&self, time: Duration, patience: Duration) {
        self.with(|record| {
            record.hung += time;
            if record.hung > patience.saturating_add(record.answering) {
                let words = format!("it did not answer for {} s in total", record.hung.as_secs());
                record.given_up.get_or_insert(words);
            }
        });
    }

    /// Records a valid answer.
    pub(crate) fn valid(&self) {
        self.with(|record| record.invalid = 0);
    }

    /// Records an invalid answer, with the reason. The engine is abandoned after `most` consecutive invalid
    /// answers.
    pub(crate) fn invalid(&self, why: &str, most: u32) {
        self.with(|record| {
            record.invalid += 1;
            if record.invalid >= most {
                let words = format!("{} answers in a row were invalid, the last one: {why}", record.invalid);
                record.given_up.get_or_insert(words);
            }
        });
    }

    /// It is asked no more.
    pub fn give_up(&self, why: &str) {
        self.with(|record| {
            record.given_up.get_or_insert_with(|| why.to_owned());
        });
    }

    /// The reason why it is asked no more, if it is not.
    pub fn given_up(&self) -> Option<String> {
        self.with(|record| record.given_up.clone())
    }

    /// How long to wait when looking for what it hangs on, by how quick it was before.
    pub(crate) fn search_time(&self, most: Duration) -> Duration {
        self.with(|record| most.min(QUICK.max(record.slowest.saturating_mul(20))))
    }

    /// Lines or rows went without an answer.
    pub(crate) fn lost(&self, why: &str, count: usize) {
        self.with(|record| {
            let kept = record.losses.len() < REASONS || record.losses.contains_key(why);
            if count > 0 {
                let why = if kept { why } else { OTHER_REASONS };
                // A usize always fits.
                *record.losses.entry(why.to_owned()).or_default() += count as u64;
            }
        });
    }

    /// How many lines and rows went without an answer, by reason.
    pub(crate) fn losses(&self) -> BTreeMap<String, u64> {
        self.with(|record| record.losses.clone())
    }

    /// Records something that is not an outcome.
    pub(crate) fn note(&self, note: String) {
        self.with(|record| {
            if record.notes.len() < NOTES && !record.notes.contains(&note) {
                record.notes.push(note);
            }
        });
    }

    /// Records a failure on several lines or rows together, and on none of them alone. The engine is abandoned after `most`:
    /// each costs the whole search for a cause.
    pub(crate) fn unexplained(&self, note: String, most: u32) {
        self.with(|record| {
            record.unexplained_times += 1;
            if record.unexplained_times >= most {
                let words = format!("{most} of its failures have no cause, the last one: {note}");
                record.given_up.get_or_insert(words);
            }
            if record.unexplained.len() < NOTES && !record.unexplained.contains(&note) {
                record.unexplained.push(note);
            }
        });
    }

    /// The failures that have no cause.
    pub(crate) fn all_unexplained(&self) -> Vec<String> {
        self.with(|record| record.unexplained.clone())
    }

    /// The notes so far.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.with(|record| record.notes.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failures_in_a_row_count() {
        let health = Health::default();
        health.failed("it died", 3);
        health.failed("it died", 3);
        health.answered(Duration::ZERO);
        health.failed("it died", 3);
        health.failed("it died", 3);
        assert_eq!(health.given_up(), None);
        health.failed("it stopped", 3);
        assert_eq!(health.given_up().as_deref(), Some("it failed 3 times in a row, the last time: it stopped"));
        health.give_up("another reason");
        assert_eq!(health.given_up().as_deref(), Some("it failed 3 times in a row, the last time: it stopped"));
    }

    #[test]
    fn lost_time_adds_up() {
        let health = Health::default();
        let second = Duration::from_secs(1);
        health.hung(second, second);
        assert_eq!(health.given_up(), None);
        health.answered(Duration::ZERO);
        health.hung(second, second);
        assert_eq!(health.given_up().as_deref(), Some("it did not answer for 2 s in total"));
    }

    #[test]
    fn one_that_answers_may_hang_for_as_long() {
        let health = Health::default();
        let second = Duration::from_secs(1);
        for _ in 0..9 {
            health.answered(second);
            health.hung(second, second);
        }
        assert_eq!(health.given_up(), None);
        health.hung(second, second);
        assert_eq!(health.given_up(), None);
        health.hung(second, second);
        assert_eq!(health.given_up().as_deref(), Some("it did not answer for 11 s in total"));
    }

    #[test]
    fn time_that_found_what_hangs_is_not_lost() {
        let health = Health::default();
        let second = Duration::from_secs(1);
        for at in 0..3 {
            health.answered(Duration::ZERO);
            health.hung(second, second);
            assert_eq!(health.given_up(), None, "{at}");
            health.hung_alone(true, 4);
        }
        health.answered(Duration::ZERO);
        health.hung_alone(false, 4);
        assert_eq!(health.given_up(), None);
        health.hung_alone(true, 4);
        let why = "it did not answer about 4 lines or rows, each asked alone";
        assert_eq!(health.given_up().as_deref(), Some(why));
        // One that answers nothing in between has its time counted.
        let health = Health::default();
        health.hung(second, second);
        health.hung_alone(true, 4);
        health.hung(second, second);
        assert_eq!(health.given_up().as_deref(), Some("it did not answer for 2 s in total"));
    }

    #[test]
    fn failures_are_counted_in_all() {
        let health = Health::default();
        assert_eq!([health.failed_again("it died", 4), health.failed_again("it died", 4)], [1, 2]);
        health.recovered();
        assert_eq!(health.failed_again("it died", 4), 1);
        health.answered(Duration::ZERO);
        assert_eq!(health.given_up(), None);
        assert_eq!(health.failed_again("it stopped", 4), 1);
        assert_eq!(health.given_up().as_deref(), Some("it failed 4 times in all, the last time: it stopped"));
    }

    #[test]
    fn every_loss_is_counted() {
        let health = Health::default();
        (0..100).for_each(|number| health.lost(&format!("reason {number}"), 2));
        assert_eq!((health.losses().values().sum::<u64>(), health.losses().len()), (200, REASONS + 1));
    }

    #[test]
    fn only_invalid_answers_in_a_row_count() {
        let health = Health::default();
        health.invalid("too wide", 2);
        health.valid();
        health.invalid("too wide", 2);
        assert_eq!(health.given_up(), None);
        health.invalid("too wide", 2);
        assert!(health.given_up().is_some_and(|why| why.starts_with("2 answers in a row were invalid")));
    }
}
