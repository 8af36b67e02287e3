//! Where an engine differs from the manual, by its known divergences.

use ptx_conform::check::Remark;
use ptx_conform::divergences::{Divergences, Does, EngineVersion};
use ptx_conform::engine::ptxas::FAMILY;
use ptx_conform::environment::Version;
use ptx_conform::judge::Reading;
use ptx_conform::spec::Instruction;

/// A version of an engine, and what is known of it. It is not run.
pub(super) struct Prediction {
    name: String,
    engine: EngineVersion,
    divergences: Divergences,
}

impl Prediction {
    /// The prediction for an engine, by its name on the command line.
    pub(super) fn new(name: &str, divergences: Divergences) -> anyhow::Result<Self> {
        Ok(Self { name: name.to_owned(), engine: super::super::load::listed_engine(name, &divergences)?, divergences })
    }

    /// The remark on lines that it is known to treat differently from the manual.
    pub(super) fn remark(&self) -> Box<Remark<'_>> {
        Box::new(|instruction, reading| self.of(instruction, reading))
    }

    fn of(&self, instruction: &Instruction, reading: &Reading) -> Option<String> {
        // If the line is undefined, either outcome is right.
        if reading.valid() && reading.undefined(instruction).next().is_some() {
            return None;
        }
        let expected = self.divergences.expect(&self.engine, instruction, reading);
        let id = expected.divergence?;
        let because = self.divergences.all.iter().find(|known| known.id == id).map_or("", |known| &known.because);
        let does = match expected.outcome {
            Does::Accepts => "accepts this nevertheless",
            Does::Rejects => "rejects this, although it is valid",
            Does::Crashes | Does::Computes => "crashes on this",
        };
        Some(format!("prediction: {} {does} (known divergence `{id}`): {because}", self.name))
    }

    /// The sentence on a file whose PTX version the engine does not read.
    pub(super) fn of_version(&self, ptx: Option<Version>) -> Option<String> {
        let newest = self.divergences.newest_ptx(&self.engine)?;
        let too_new = ptx.is_some_and(|ptx| ptx > newest);
        too_new.then(|| format!("prediction: {} rejects the whole file: it reads PTX up to {newest}", self.name))
    }

    /// The version of ptxas that it is about; none if it is another engine.
    pub(super) fn assembler(&self) -> Option<&str> {
        let (family, version) = self.name.split_once('@')?;
        (family == FAMILY).then_some(version)
    }

    /// The name of the engine.
    pub(super) fn engine(&self) -> &str {
        &self.name
    }
}
