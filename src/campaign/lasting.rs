//! Answers of an engine that other runs have asked for: what is taken from them, and whether they are the same when asked again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::answers::{AnswerKey, KeptAnswers};
use crate::engine::{Listing, Outcome, is_lasting_failure};
use crate::kernel_case::KernelAnswer;
use crate::line_case::Answer;

/// An answer that can be kept.
pub(super) trait KeptAnswer: Serialize + DeserializeOwned {
    /// False if it says more about the moment at which the engine was asked than about the engine.
    fn is_lasting(&self) -> bool;
}

impl KeptAnswer for Outcome {
    fn is_lasting(&self) -> bool {
        !matches!(self, Self::TimedOut)
    }
}

impl KeptAnswer for Vec<Answer> {
    fn is_lasting(&self) -> bool {
        !self.iter().any(|of| matches!(of, Answer::Failed(why) if !is_lasting_failure(why)))
    }
}

impl KeptAnswer for KernelAnswer {
    fn is_lasting(&self) -> bool {
        !matches!(self, Self::Failed(why) if !is_lasting_failure(why))
    }
}

/// The operations of a listing, which its JSON leaves out, beside it.
pub(super) type WholeListing = Option<(Listing, Vec<String>)>;

impl KeptAnswer for WholeListing {
    fn is_lasting(&self) -> bool {
        self.is_some()
    }
}

/// The answers of an engine that are kept from run to run.
#[derive(Debug)]
pub struct LastingAnswers {
    store: Arc<KeptAnswers>,
    /// A hash of everything that its answers depend on.
    engine: String,
    /// The share of known questions that is asked again, from 0 to 1.
    again: f64,
    seed: u64,
    taken: AtomicU64,
    asked_again: AtomicU64,
}

/// The knowledge of a question.
pub(super) enum KnownAnswer<A> {
    /// The answer.
    Taken(A),
    /// The answer is known, and is asked for again.
    Doubted(A),
    Unknown,
}

impl LastingAnswers {
    /// The answers of an engine: `engine` is a hash of what they depend on, and `again` the share of known questions that is
    /// drawn to be asked again.
    pub fn new(store: Arc<KeptAnswers>, engine: String, again: f64, seed: u64) -> Self {
        Self { store, engine, again, seed, taken: AtomicU64::new(0), asked_again: AtomicU64::new(0) }
    }

    /// How many answers were taken from earlier runs, and how many known questions were asked again.
    pub fn counts(&self) -> (u64, u64) {
        (self.taken.load(Ordering::Relaxed), self.asked_again.load(Ordering::Relaxed))
    }

    /// The key of a question.
    fn key(&self, question: &[u8; 32]) -> AnswerKey {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.engine.as_bytes()).update(question);
        *hasher.finalize().as_bytes()
    }

    /// True if a known question is asked again.
    fn is_drawn(&self, key: &AnswerKey) -> bool {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.seed.to_le_bytes()).update(key);
        let mut drawn = [0; 4];
        hasher.finalize_xof().fill(&mut drawn);
        f64::from(u32::from_le_bytes(drawn)) < self.again * f64::from(u32::MAX)
    }

    /// The knowledge of each question.
    pub(super) fn known<A: KeptAnswer>(&self, questions: &[[u8; 32]]) -> Vec<KnownAnswer<A>> {
        let keys: Vec<AnswerKey> = questions.iter().map(|question| self.key(question)).collect();
        let stored = self.store.read(&keys);
        let known =
            |(key, text): (&AnswerKey, Option<String>)| match text.and_then(|text| serde_json::from_str(&text).ok()) {
                None => KnownAnswer::Unknown,
                Some(answer) if self.is_drawn(key) => {
                    self.asked_again.fetch_add(1, Ordering::Relaxed);
                    KnownAnswer::Doubted(answer)
                }
                Some(answer) => {
                    self.taken.fetch_add(1, Ordering::Relaxed);
                    KnownAnswer::Taken(answer)
                }
            };
        keys.iter().zip(stored).map(known).collect()
    }

    /// Keeps answers to questions: their JSON.
    pub(super) fn keep(&self, answers: Vec<([u8; 32], String)>) {
        let answers: Vec<(AnswerKey, String)> =
            answers.into_iter().map(|(question, text)| (self.key(&question), text)).collect();
        self.store.keep(&answers);
    }
}
