//! Where wrong code or a crash happens: each installed build of the assembler is asked, for each target and level.

use std::collections::BTreeSet;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::blame::{BlameRow, BlameVerdict, Meaning, verdicts};
use crate::case::{CaseResult, InternalError, Stored, answers, outcomes};
use crate::divergences::Does;
use crate::engine::ptxas::{self, Ptxas};
use crate::engine::sass::{Configuration, MachineTarget, REJECTED, Sass};
use crate::engine::toolchain::{self, Installed};
use crate::engine::{Batch, Depth, Engine as _};
use crate::environment::{AddressSize, Environment, Target};
use crate::interpret::Interpreter;
use crate::kernel_case::{KernelAnswer, KernelCase, KernelResult};
use crate::line_case::{Answer, LineCase};
use crate::model::{self, RowVerdict};
use crate::plural::counted;
use crate::spec::{Isa, Spec};
use ptx_kernels::{ChainKernels, ChainRows, ChainText};

/// Where a finding happens, among the builds that were asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Borders {
    /// The builds that were asked, oldest first.
    pub asked: Vec<String>,
    /// Where it happens.
    pub shows: Vec<BorderGroup>,
    /// Where it cannot be told: the build does not have the PTX version or the target, or the code was not executed to its end.
    pub unknown: Vec<BorderGroup>,
}

/// Targets and levels with the same builds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BorderGroup {
    /// The targets and levels, such as `sm_90 -O3`; empty where only the build counts.
    pub configurations: Vec<String>,
    /// The ranges of builds, oldest first: `12.4.131 to 12.8.61`, `13.1.115`. Each build that was asked in a range is meant.
    pub builds: Vec<String>,
}

/// The behavior of one build, for a target and level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The build.
    pub build: String,
    /// The target and level; empty where only the build counts.
    pub configuration: String,
    /// True if it shows the finding, false if it does not; none if that cannot be told.
    pub shows: Option<bool>,
}

impl Borders {
    /// The borders between what builds do.
    pub fn new(sightings: &[Sighting]) -> Self {
        let mut asked: Vec<String> =
            sightings.iter().map(|of| of.build.clone()).collect::<BTreeSet<_>>().into_iter().collect();
        asked.sort_by_cached_key(|build| toolchain::numbers(build));
        let groups = |wanted: Option<bool>| {
            let mut groups: Vec<BorderGroup> = Vec::new();
            let mut done: BTreeSet<&str> = BTreeSet::new();
            for Sighting { configuration, .. } in sightings.iter().filter(|of| done.insert(&of.configuration)) {
                let is_it = |build: &String| {
                    let same = |of: &&Sighting| of.configuration == *configuration && of.build == *build;
                    sightings.iter().find(same).is_some_and(|of| of.shows == wanted)
                };
                let builds = ranges(&asked, is_it);
                let name = Some(configuration.clone()).filter(|name| !name.is_empty());
                match groups.iter_mut().find(|of| of.builds == builds) {
                    _ if builds.is_empty() => {}
                    Some(known) => known.configurations.extend(name),
                    None => groups.push(BorderGroup { configurations: name.into_iter().collect(), builds }),
                }
            }
            groups
        };
        let (shows, unknown) = (groups(Some(true)), groups(None));
        Self { asked, shows, unknown }
    }

    /// As lines for a terminal.
    pub fn words(&self) -> Vec<String> {
        let of = |how: &str, group: &BorderGroup| {
            let places = match group.configurations.join(", ") {
                none if none.is_empty() => none,
                places => format!(" for {places}"),
            };
            format!("{how}{}{places}", group.builds.join(", "))
        };
        let shows = self.shows.iter().map(|group| of("", group));
        let unknown = self.unknown.iter().map(|group| of("not told: ", group));
        let mut words: Vec<String> = shows.chain(unknown).collect();
        if self.shows.is_empty() {
            words.insert(0, "none of the builds that were asked".to_owned());
        }
        words.push(format!("asked: {}", counted(self.asked.len(), "build")));
        words
    }
}

/// The ranges of builds that are one, in order.
fn ranges(builds: &[String], is_one: impl Fn(&String) -> bool) -> Vec<String> {
    let runs = builds.chunk_by(|build, next| is_one(build) == is_one(next));
    let range = |run: &[String]| match run {
        [first, .., last] if is_one(first) => Some(format!("{first} to {last}")),
        [only] if is_one(only) => Some(only.clone()),
        _ => None,
    };
    runs.filter_map(range).collect()
}

/// The builds that are asked where something happens.
pub struct BorderBuilds {
    assemblers: Vec<Ptxas>,
    machine_code: Vec<Sass>,
}

impl BorderBuilds {
    /// These builds, as assemblers, and with all targets and levels where they have a disassembler.
    ///
    /// # Errors
    /// If one cannot be started.
    pub fn open(builds: &[Installed]) -> Result<Self, ptxas::Error> {
        let assemblers = builds.iter().map(|build| Ptxas::open(&build.path)).collect::<Result<_, _>>()?;
        let mut machine_code = Vec::new();
        for build in builds {
            let Some(disassembler) = toolchain::disassembler(&build.path) else { continue };
            for configuration in Configuration::all() {
                machine_code.push(Sass::open(&build.path, &disassembler, toolchain::disassembled(), configuration)?);
            }
        }
        Ok(Self { assemblers, machine_code })
    }

    /// Where the machine code of a chain is wrong, or the assembler dies of it.
    pub fn of_chain(&self, spec: &Spec, chain: &ChainText, rows: &ChainRows) -> Borders {
        let Some((case, result)) = oldest_module(spec, chain, rows) else { return Borders::default() };
        let sighting = |row: BlameRow| Sighting {
            build: row.version,
            configuration: format!("{} -O{}", row.target, row.level),
            shows: match row.verdict {
                BlameVerdict::Wrong | BlameVerdict::Crashes => Some(true),
                BlameVerdict::Right => Some(false),
                BlameVerdict::Refused | BlameVerdict::Undefined | BlameVerdict::CannotTell => None,
            },
        };
        let sightings: Vec<Sighting> =
            verdicts(&self.machine_code, &case, &Meaning::Result(result)).into_iter().map(sighting).collect();
        Borders::new(&sightings)
    }

    /// Where the machine code of a line is wrong for its rows, or the assembler dies of it.
    pub fn of_rows(&self, spec: &Spec, of: &LineCase) -> Borders {
        let case = |environment: Environment| {
            let case = LineCase { ptx: environment.ptx, target: environment.target, ..of.clone() };
            let is_valid = model::prepare(spec, &case).is_ok();
            is_valid.then_some(case)
        };
        let Some(case) = oldest(&spec.isa).find_map(case) else { return Borders::default() };
        let Ok(prepared) = model::prepare(spec, &case) else { return Borders::default() };
        let shows = |engine: &Sass| {
            let answers = answers(engine, std::slice::from_ref(&case)).ok()?.pop()?;
            let each = prepared.all(&case.rows).zip(answers).map(|(expectation, answer)| {
                if matches!(&answer, Answer::Failed(how) if how.starts_with(REJECTED)) {
                    return None;
                }
                match CaseResult::of_row(&case, expectation, answer).row {
                    Some(RowVerdict::Differs(_)) => Some(true),
                    Some(RowVerdict::Agrees(_)) => Some(false),
                    Some(RowVerdict::Undecided(_) | RowVerdict::Skipped(_)) | None => None,
                }
            });
            let each: Vec<Option<bool>> = each.collect();
            each.iter().copied().find(|shows| *shows == Some(true)).unwrap_or_else(|| each.first().copied().flatten())
        };
        let sighting = |engine: &Sass| Sighting {
            build: engine.id().version().to_owned(),
            configuration: format!("{} -O{}", engine.configuration().target.name, engine.configuration().level()),
            shows: shows(engine),
        };
        Borders::new(&self.machine_code.par_iter().map(sighting).collect::<Vec<_>>())
    }

    /// Which builds die of a line. Older ones are asked with their newest PTX version.
    pub fn of_line(&self, of: &Stored) -> Borders {
        let shows = |assembler: &Ptxas| -> Result<Option<bool>, InternalError> {
            let environment = Environment { ptx: of.environment.ptx.min(assembler.newest_ptx()), ..of.environment };
            let line = match of.depth {
                Depth::Generate => format!("{} {}", of.line, of.rest),
                Depth::Check => of.line.clone(),
            };
            let lines = vec![line.as_str()];
            let batch = Batch { environment, scaffold: of.scaffold.clone(), lines, mostly_invalid: false };
            let outcome = outcomes(assembler, &batch, of.depth)?.pop();
            Ok(outcome.as_ref().and_then(Does::of).map(|does| does == Does::Crashes))
        };
        let sighting = |assembler: &Ptxas| Sighting {
            build: assembler.version().to_owned(),
            configuration: String::new(),
            // What has no outcome cannot be told.
            shows: shows(assembler).unwrap_or_default(),
        };
        Borders::new(&self.assemblers.par_iter().map(sighting).collect::<Vec<_>>())
    }
}

/// A module with a chain for the oldest PTX version and target that have its lines, and the result of the reference; none if it has none.
pub fn oldest_module(spec: &Spec, chain: &ChainText, rows: &ChainRows) -> Option<(KernelCase, KernelResult)> {
    let interpreter = Interpreter::new(spec);
    oldest(&spec.isa).find_map(|environment| {
        let case = ChainKernels::new(&environment, &[&[(chain, rows)]]).cases.into_iter().next()?;
        match interpreter.execute(&case) {
            KernelAnswer::Returned(result) => Some((case, result)),
            _ => None,
        }
    })
}

/// The environments of machine code, the oldest target first, for each the oldest PTX version first: what is written in the first
/// that has it is accepted by most builds, for most targets.
fn oldest(isa: &Isa) -> impl Iterator<Item = Environment> + '_ {
    let targets = MachineTarget::ALL.into_iter().filter_map(|of| of.name.parse::<Target>().ok());
    targets.flat_map(|target| {
        let since = isa.targets.iter().find(|(of, _)| *of == target).map(|(_, since)| *since);
        let versions = isa.versions.iter().copied().filter(move |ptx| since.is_some_and(|since| *ptx >= since));
        versions.map(move |ptx| Environment { ptx, target, address_size: AddressSize::Bits64 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_are_ranges_with_holes() {
        let sighting = |build: &str, configuration: &str, shows| Sighting {
            build: build.to_owned(),
            configuration: configuration.to_owned(),
            shows,
        };
        let mut all = Vec::new();
        for (build, high, low) in [
            ("13.1.115", Some(true), Some(false)),
            ("13.1.80", Some(false), Some(false)),
            ("12.9.86", Some(true), Some(false)),
            ("12.10.1", Some(true), Some(true)),
            ("11.8.89", None, Some(false)),
        ] {
            all.push(sighting(build, "sm_90 -O3", high));
            all.push(sighting(build, "sm_80 -O3", high));
            all.push(sighting(build, "sm_90 -O0", low));
        }
        let words = [
            "12.9.86 to 12.10.1, 13.1.115 for sm_90 -O3, sm_80 -O3",
            "12.10.1 for sm_90 -O0",
            "not told: 11.8.89 for sm_90 -O3, sm_80 -O3",
            "asked: 5 builds",
        ];
        assert_eq!(Borders::new(&all).words(), words);
        let none = Borders::new(&[sighting("13.5.37", "", Some(false))]);
        assert_eq!(none.words(), ["none of the builds that were asked", "asked: 1 build"]);
    }
}
