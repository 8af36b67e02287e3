//! The support matrix: from which PTX version and target on each instruction and modifier is available, by the manual and
//! as observed.
//!
//! By the manual, this is exact: the decision diagrams of the forms say in which environments a valid variant with some
//! modifiers exists. Engines are asked about a few lines of each feature in every environment that they take.

mod availability;
mod contrast;
mod csv;
mod features;
mod format;
mod observe;
mod pairs;
mod query;
mod regions;
mod table;
mod witness;
mod words;

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::campaign::{Progress, Subject};
use crate::case::InternalError;
use crate::divergences::{Divergences, EngineVersion};
use crate::engine::LineJudge;
use crate::spec::{Instruction, Spec};

pub use availability::{Availability, Requirement, TargetRange};
pub use contrast::{Contrast, ContrastedFeature, TargetPair, TargetsWith, contrast_schema};
pub use format::{
    AskedEngine, Deviation, Feature, FeatureLine, FeatureModifier, FeatureRule, Matrix, NeverValid, Observation,
    Standing,
};

pub use query::{MatrixQuery, QueryError};
pub use words::FeatureAnswer;

use features::Surveyed;
use observe::{EngineAsker, SurveyedLines};
use pairs::{Grid, ModulePair, PairSet};

/// A matrix in the making: what the manual says, and the lines to ask engines about.
#[derive(Debug)]
pub struct Survey<'s> {
    spec: &'s Spec,
    grid: Grid,
    /// The environments that engines are asked about.
    among: PairSet,
    surveyed: Vec<Surveyed<'s>>,
    lines: SurveyedLines<'s>,
    matrix: Matrix,
}

/// A part of what an engine is asked first: some environments.
#[derive(Clone, Debug)]
pub struct SurveyPart {
    questions: BTreeMap<ModulePair, Vec<usize>>,
    /// Its first and last environment, in words.
    pub words: String,
    /// The number of its lines in all environments.
    pub size: u64,
}

/// The answer to a query for one instruction, by positions in [`Matrix::features`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryAnswer {
    /// The features that were asked about; several if a modifier can be meant in several slots.
    pub exact: Vec<usize>,
    /// The instruction and the modifiers that were asked about, if these are not all.
    pub parts: Vec<usize>,
    /// Combinations that contain what was asked about.
    pub containing: Vec<usize>,
    /// If nothing has what was asked about, the position in [`Matrix::never`].
    pub never: Option<usize>,
}

impl<'s> Survey<'s> {
    /// The manual's statements about instructions: each of them, its modifiers, and the combinations of two and three
    /// modifiers that need more than their parts.
    pub fn by_manual(spec: &'s Spec, instructions: &[&'s Instruction]) -> Self {
        let grid = Grid::new(&spec.isa);
        let of_each: Vec<Vec<Surveyed<'s>>> = instructions
            .par_iter()
            .map(|instruction| features::of_instruction(&spec.isa, instruction, &grid))
            .collect();
        Self::new(spec, grid, of_each.into_iter().flatten().collect())
    }

    /// The manual's statements about the features of queries, with an answer for each query and instruction.
    pub fn by_queries(spec: &'s Spec, queries: &[MatrixQuery<'s>]) -> (Self, Vec<QueryAnswer>) {
        let grid = Grid::new(&spec.isa);
        let (mut surveyed, mut never, mut answers) = (Vec::new(), Vec::new(), Vec::new());
        for query in queries {
            for found in query.find(&spec.isa, &grid) {
                let mut add = |features: Vec<Surveyed<'s>>| {
                    let first = surveyed.len();
                    surveyed.extend(features);
                    (first..surveyed.len()).collect()
                };
                let mut answer = QueryAnswer {
                    exact: add(found.exact),
                    parts: add(found.parts),
                    containing: add(found.containing),
                    never: None,
                };
                if !found.never.is_empty() {
                    answer.never = Some(never.len());
                    never.push(NeverValid { query: query.text.clone(), because: found.never });
                }
                answers.push(answer);
            }
        }
        let mut survey = Self::new(spec, grid, surveyed);
        survey.matrix.never = never;
        (survey, answers)
    }

    /// The manual's statements about each combination of the modifiers of some slots, with those of the query.
    ///
    /// # Errors
    /// If the query does not name an instruction, or it has no such slot.
    pub fn by_slots(spec: &'s Spec, query: &MatrixQuery<'s>, slots: &[String]) -> Result<Self, QueryError> {
        let grid = Grid::new(&spec.isa);
        let surveyed = query.combinations(&spec.isa, &grid, slots)?;
        Ok(Self::new(spec, grid, surveyed))
    }

    fn new(spec: &'s Spec, grid: Grid, surveyed: Vec<Surveyed<'s>>) -> Self {
        let matrix = Matrix {
            version: 1,
            tool: format!("ptx-conform {}", env!("CARGO_PKG_VERSION")),
            specification: spec.fingerprint.clone(),
            engines: Vec::new(),
            features: surveyed.par_iter().map(|surveyed| surveyed.feature(&grid)).collect(),
            never: Vec::new(),
        };
        let (among, lines) = (grid.all(), SurveyedLines::of(&surveyed));
        Self { spec, grid, among, surveyed, lines, matrix }
    }

    fn asker<'a>(
        &'a self,
        divergences: &'a Divergences,
        (subject, judge): (&'a Subject<'a>, &'a dyn LineJudge),
        progress: &'a Progress,
    ) -> EngineAsker<'a> {
        let version = EngineVersion::of(judge.id());
        let (spec, grid, among, lines) = (self.spec, &self.grid, &self.among, &self.lines);
        EngineAsker { spec, divergences, subject, judge, version, grid, among, lines, progress }
    }

    /// The questions that an engine is asked whatever it answers, in parts; none if it does not judge.
    pub fn parts(&self, divergences: &Divergences, subject: &Subject<'_>, progress: &Progress) -> Vec<SurveyPart> {
        let Some(judge) = subject.judge else { return Vec::new() };
        self.asker(divergences, (subject, judge), progress).parts()
    }

    /// Asks a part. Whoever keeps the answers has them when the engine is observed.
    ///
    /// # Errors
    /// If a generated text cannot be read, or is not read as it was meant.
    pub fn ask(
        &self,
        part: &SurveyPart,
        divergences: &Divergences,
        subject: &Subject<'_>,
        progress: &Progress,
    ) -> Result<(), InternalError> {
        let Some(judge) = subject.judge else { return Ok(()) };
        self.asker(divergences, (subject, judge), progress).ask_part(part)
    }

    /// Asks an engine that judges about the lines of all features, and adds what it did; nothing if it does not judge.
    ///
    /// Each line is asked about wherever the manual begins or ceases to have one of the lines, with the environments next
    /// to that, and in the oldest and the newest PTX version of each target. Where an answer is not as the manual says, the
    /// line is asked about in all versions of the target.
    ///
    /// # Errors
    /// If a generated text cannot be read, or is not read as it was meant.
    pub fn observe(
        &mut self,
        divergences: &Divergences,
        subject: &Subject<'_>,
        progress: &Progress,
    ) -> Result<(), InternalError> {
        let Some(judge) = subject.judge else { return Ok(()) };
        let (engine, observations) = self.asker(divergences, (subject, judge), progress).ask(&self.surveyed)?;
        self.matrix.engines.push(engine);
        for (feature, observation) in self.matrix.features.iter_mut().zip(observations) {
            feature.observed.push(observation);
        }
        Ok(())
    }

    /// The matrix as it is now.
    pub fn matrix(&self) -> &Matrix {
        &self.matrix
    }

    /// The matrix.
    pub fn into_matrix(self) -> Matrix {
        self.matrix
    }
}

/// The JSON Schema of a matrix.
pub fn schema() -> serde_json::Value {
    serde_json::Value::from(schemars::schema_for!(Matrix))
}
