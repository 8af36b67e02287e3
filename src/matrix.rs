//! The support matrix: from which PTX version and target on each instruction and modifier is available, by the manual and
//! as observed.
//!
//! By the manual, this is exact: the decision diagrams of the forms say in which environments a valid variant with some
//! modifiers exists. Engines are asked about a few lines of each feature in every environment that they take.

mod availability;
mod features;
mod format;
mod observe;
mod pairs;
mod regions;
mod witness;

use rayon::prelude::*;

use crate::campaign::{Progress, Subject};
use crate::case::InternalError;
use crate::divergences::{Divergences, EngineVersion};
use crate::spec::{Instruction, Spec};

pub use availability::{Availability, Requirement, TargetRange};
pub use format::{
    AskedEngine, Deviation, Feature, FeatureLine, FeatureModifier, FeatureRule, Matrix, Observation, Standing,
};

use features::Surveyed;
use observe::EngineAsker;
use pairs::Grid;

/// A matrix in the making: what the manual says, and the lines to ask engines about.
#[derive(Debug)]
pub struct Survey<'s> {
    spec: &'s Spec,
    grid: Grid,
    surveyed: Vec<Surveyed<'s>>,
    matrix: Matrix,
}

impl<'s> Survey<'s> {
    /// What the manual says about these instructions: each of them, its modifiers, and the combinations of two and three
    /// modifiers that need more than their parts.
    pub fn by_manual(spec: &'s Spec, instructions: &[&'s Instruction]) -> Self {
        let grid = Grid::new(&spec.isa);
        let of_each: Vec<Vec<Surveyed<'s>>> =
            instructions.par_iter().map(|instruction| features::of_instruction(instruction, &grid)).collect();
        let surveyed: Vec<Surveyed<'s>> = of_each.into_iter().flatten().collect();
        let matrix = Matrix {
            version: 1,
            tool: format!("ptx-conform {}", env!("CARGO_PKG_VERSION")),
            specification: spec.fingerprint.clone(),
            engines: Vec::new(),
            features: surveyed.iter().map(|surveyed| surveyed.feature(&grid)).collect(),
        };
        Self { spec, grid, surveyed, matrix }
    }

    /// Asks an engine that judges about the lines of all features, and adds what it did; nothing if it does not judge.
    ///
    /// # Errors
    /// If a generated text cannot be read.
    pub fn observe(
        &mut self,
        divergences: &Divergences,
        subject: &Subject<'_>,
        progress: &Progress,
    ) -> Result<(), InternalError> {
        let Some(judge) = subject.judge else { return Ok(()) };
        let version = EngineVersion::of(judge.id());
        let asker =
            EngineAsker { spec: self.spec, divergences, subject, judge, version, grid: &self.grid, progress };
        let (engine, observations) = asker.ask(&self.surveyed)?;
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
