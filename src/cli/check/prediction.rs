//! Where an engine differs from the manual, by its known divergences.

use ptx_conform::check::{FileHeader, Remark};
use ptx_conform::divergences::{Divergences, Does, EngineVersion};
use ptx_conform::engine::ptxas::FAMILY;
use ptx_conform::engine::toolchain::numbers;
use ptx_conform::environment::{AddressSize, Target};
use ptx_conform::judge::Reading;
use ptx_conform::releases::{ReleaseBuild, ReleaseTable};
use ptx_conform::spec::Instruction;

/// A version of an engine, and what is known of it. It is not run.
pub(super) struct Prediction {
    name: String,
    engine: EngineVersion,
    divergences: Divergences,
    /// The newest build that the name is of, if it is a listed ptxas.
    build: Option<ReleaseBuild>,
}

/// The version in the name of an engine that is a ptxas.
fn assembler(name: &str) -> Option<&str> {
    let (family, version) = name.split_once('@')?;
    (family == FAMILY).then_some(version)
}

/// The sentence on a target for which an assembler generates no code.
fn of_target(target: Target, build: &ReleaseBuild) -> Option<String> {
    if build.refuses.contains(&target) {
        return Some(format!("rejects the whole file: it does not know {target}"));
    }
    if build.code.contains(&target) {
        return None;
    }
    let met = build.code.iter().find(|code| target.met_by(**code));
    Some(match met {
        Some(first) => format!("generates no code for {target}: compile the file with -arch {first} or higher"),
        None => format!("generates no code for {target}, nor for any target that runs it"),
    })
}

impl Prediction {
    /// The prediction for an engine, by its name on the command line.
    pub(super) fn new(name: &str, divergences: Divergences, releases: Option<ReleaseTable>) -> anyhow::Result<Self> {
        let engine = super::super::load::listed_engine(name, &divergences)?;
        let wanted = assembler(name).and_then(numbers);
        let is_named = |build: &ReleaseBuild| {
            let have = numbers(&build.ptxas);
            have.zip(wanted.as_ref()).is_some_and(|(have, wanted)| have.starts_with(wanted))
        };
        let mut builds = releases.into_iter().flat_map(|table| table.releases).flat_map(|release| release.builds);
        let build = builds.rfind(is_named);
        Ok(Self { name: name.to_owned(), engine, divergences, build })
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
        let (does, id) = match (expected.outcome, expected.divergence) {
            // Of what is invalid, that it happens only now and then is worth saying, too.
            (Does::Rejects, None) if !reading.valid() => {
                let foretold = self.divergences.foretell(&self.engine, instruction, reading);
                ("does not always reject this", foretold.divergence.filter(|_| foretold.outcome.is_none())?)
            }
            (_, None) => return None,
            (Does::Accepts, Some(id)) => ("accepts this nevertheless", id),
            (Does::Rejects, Some(id)) => ("rejects this, although it is valid", id),
            (Does::Crashes | Does::Computes, Some(id)) => ("crashes on this", id),
        };
        let because = self.divergences.all.iter().find(|known| known.id == id).map_or("", |known| &known.because);
        Some(format!("prediction: {} {does} (known divergence `{id}`): {because}", self.name))
    }

    /// The sentences on a file that the engine refuses as a whole, or for whose target it generates no code.
    pub(super) fn of_header(&self, header: &FileHeader) -> Vec<String> {
        let mut said = Vec::new();
        let newest = self.divergences.newest_ptx(&self.engine);
        if let Some(newest) = newest.filter(|newest| header.ptx.is_some_and(|ptx| ptx > *newest)) {
            said.push(format!("rejects the whole file: it reads PTX up to {newest}"));
        }
        let build = self.build.as_ref();
        if build.is_some_and(|build| !build.code_32_bit)
            && header.states_address_size
            && header.address_size == AddressSize::Bits32
        {
            said.push("generates no code for the file: `.address_size 32` is accepted and not compiled".to_owned());
        }
        let target = header.target.filter(|_| said.is_empty());
        if let (Some(target), Some(build)) = (target, build) {
            said.extend(of_target(target, build));
        }
        said.into_iter().map(|what| format!("prediction: {} {what}", self.name)).collect()
    }

    /// The version of ptxas that it is about; none if it is another engine.
    pub(super) fn assembler(&self) -> Option<&str> {
        assembler(&self.name)
    }

    /// The name of the engine.
    pub(super) fn engine(&self) -> &str {
        &self.name
    }
}
