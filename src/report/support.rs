//! The support matrix in short: how many features an engine has as the manual says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::matrix::{Matrix, Standing};
use crate::plural::counted;

/// How the engines of a run compare with the manual in its support matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SupportReport {
    /// Features of the matrix.
    pub features: usize,
    /// Features of an engine that it has as the manual says; each engine counts.
    pub same: usize,
    /// Features that the engine has otherwise, all as divergences list.
    pub listed: usize,
    /// Features that the engine has otherwise without a divergence: each feature and engine.
    pub unlisted: Vec<String>,
    /// Features for which answers are missing: a time-out, or a line that was not judged.
    pub undecided: usize,
    /// Features that the engine was not asked about: it takes none of their environments.
    pub not_asked: usize,
}

impl SupportReport {
    /// The matrix in short.
    pub fn new(matrix: &Matrix) -> Self {
        let features = matrix.features.len();
        let mut support = Self { features, same: 0, listed: 0, unlisted: Vec::new(), undecided: 0, not_asked: 0 };
        for feature in &matrix.features {
            for observed in &feature.observed {
                match observed.verdict {
                    _ if observed.unlisted > 0 => {
                        support.unlisted.push(format!("{}, {}", feature.name, observed.engine));
                    }
                    _ if !observed.undecided.is_empty() => support.undecided += 1,
                    Standing::Same | Standing::Beyond => support.same += 1,
                    Standing::Differs | Standing::Never => support.listed += 1,
                    Standing::Undecided => support.undecided += 1,
                    Standing::NotAsked => support.not_asked += 1,
                }
            }
        }
        support
    }

    /// How many answers are missing, if any are.
    pub(super) fn missing(&self) -> Option<String> {
        (self.undecided > 0).then(|| format!("{} of an engine without an answer", counted(self.undecided, "feature")))
    }

    /// One line for a terminal.
    pub(super) fn words(&self) -> String {
        let some = |count: usize, words: &str| if count > 0 { format!(", {count} {words}") } else { String::new() };
        format!(
            "support matrix: {}; {} as the manual, {} as listed{}{}; new differences: {}",
            counted(self.features, "feature"),
            counted(self.same, "answer"),
            self.listed,
            some(self.undecided, "without an answer"),
            some(self.not_asked, "not asked for"),
            self.unlisted.len()
        )
    }
}
