//! A feature of the support matrix as a row.

use serde::Serialize;

use crate::matrix::{Feature, FeatureAnswer, FeatureRule, Matrix};

/// A row of the support matrix.
#[derive(Debug, Serialize)]
pub(super) struct FeatureView<'r> {
    pub(super) name: &'r str,
    pub(super) instruction: &'r str,
    /// The slots of its modifiers; none for the instruction itself.
    slots: Vec<&'r str>,
    /// How many modifiers it combines.
    pub(super) modifiers: usize,
    pub(super) manual: String,
    because: Vec<&'r FeatureRule>,
    page: &'r str,
    line: &'r str,
    answers: Vec<FeatureAnswer>,
    /// True if some engine differs from the manual, or did not answer.
    differs: bool,
}

impl<'r> FeatureView<'r> {
    /// The features of a matrix.
    pub(super) fn all(matrix: &'r Matrix) -> Vec<Self> {
        matrix.features.iter().map(|feature| Self::new(feature, matrix)).collect()
    }

    fn new(feature: &'r Feature, matrix: &Matrix) -> Self {
        let answers = feature.answers(matrix);
        let mut because: Vec<&FeatureRule> = Vec::new();
        for rule in &feature.because {
            if !because.iter().any(|known| known.says == rule.says) {
                because.push(rule);
            }
        }
        Self {
            name: &feature.name,
            instruction: &feature.instruction,
            slots: feature.modifiers.iter().map(|of| of.slot.as_str()).collect(),
            modifiers: feature.modifiers.len(),
            manual: feature.manual.to_string(),
            because,
            page: &feature.page,
            line: feature.lines.first().map_or("", |of| of.line.as_str()),
            differs: answers.iter().any(|answer| !answer.standing.agrees()),
            answers,
        }
    }
}
