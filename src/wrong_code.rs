//! Lines of files that a build of `ptxas` compiles to wrong machine code, without executing the files.
//!
//! Lines that flow into each other like those of a listed divergence are suspects. A pattern of opcodes says too much, so suspects are
//! compiled: each becomes a [chain](ptx_kernels) by itself, with any values before it, whose machine code is executed beside the
//! reference. Those that differ are cut to the fewest lines that still do.

mod group;
mod narrow;
mod suspects;
mod words;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use rayon::prelude::*;

use crate::divergences::{Divergences, EngineVersion};
use crate::engine::sass::{Configuration, MachineTarget};
use crate::engine::toolchain::{self, Installed};
use crate::environment::{AddressSize, Environment, Target, Version};
use crate::interpret::Interpreter;
use crate::ptx::Module;
use crate::spec::Spec;

use group::SuspectGroup;
use suspects::SuspectFile;

/// Lines of a file that a build compiles wrong, or on which it dies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongLines {
    /// The bytes of each line, in the order of the file; the last one has the wrong result.
    pub at: Vec<Range<usize>>,
    /// The build, target and level: `ptxas 13.5.37 -arch sm_90 -O3`.
    pub command: String,
    /// The version of the build.
    pub version: String,
    /// True if the build dies on them.
    pub dies: bool,
    /// The values with which they are wrong, in words.
    pub values: String,
    /// The divergence that lists them.
    pub listed: Option<ListedWrong>,
}

/// A divergence that lists wrong lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedWrong {
    /// Its name.
    pub id: String,
    /// The reason, in words.
    pub because: String,
    /// The page about it.
    pub page: Option<String>,
}

/// The wrong lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchedFile {
    /// In the order of their last lines.
    pub found: Vec<WrongLines>,
    /// How many suspects were executed.
    pub tried: usize,
    /// How many suspects were not executed, for each reason.
    pub untried: BTreeMap<String, usize>,
}

/// Searches files for lines that a version of `ptxas` compiles wrong.
pub struct WrongCodeSearch<'s> {
    spec: &'s Spec,
    divergences: &'s Divergences,
    interpreter: Interpreter<'s>,
    /// The version that was asked for.
    version: String,
    /// The build and a disassembler, or why there is none.
    build: Result<SearchBuild, String>,
}

/// A build and a disassembler.
struct SearchBuild {
    assembler: Installed,
    disassembler: PathBuf,
}

impl<'s> WrongCodeSearch<'s> {
    /// The search for a version of `ptxas`, such as `13.5`. Without that build nothing is found, but suspects are counted.
    pub fn new(spec: &'s Spec, divergences: &'s Divergences, version: &str) -> Self {
        let build = toolchain::find(version).map_err(|why| missing(version, &why)).and_then(|assembler| {
            let why = || format!("there is no nvdisasm; run `ptx-conform toolchain install {version}`");
            let disassembler = toolchain::disassembler(&assembler.path).ok_or_else(why)?;
            Ok(SearchBuild { assembler, disassembler })
        });
        Self { spec, divergences, interpreter: Interpreter::new(spec), version: version.to_owned(), build }
    }

    /// The wrong lines of each of some texts. Suspects of all of them share modules.
    pub fn of(&self, texts: &[&str]) -> Vec<SearchedFile> {
        let suspects: Vec<SuspectFile> = texts.par_iter().map(|text| self.suspects(text)).collect();
        let mut found: Vec<SearchedFile> = vec![SearchedFile::default(); texts.len()];
        let mut groups: BTreeMap<(u16, String), SuspectGroup<'_>> = BTreeMap::new();
        for (file, of) in suspects.iter().enumerate().filter(|(_, of)| of.count() > 0) {
            let Some(place) = of.place else {
                *found[file].untried.entry(of.why_not.clone()).or_default() += of.count();
                continue;
            };
            let key = (place.environment.target.sm, place.environment.ptx.to_string());
            groups.entry(key).or_insert_with(|| SuspectGroup::new(place)).add(file, of);
        }
        for group in groups.into_values() {
            match &self.build {
                Ok(build) => group.ask(self, build, &mut found),
                Err(why) => group.leave(why, &mut found),
            }
        }
        found.iter_mut().for_each(SearchedFile::sort);
        found
    }

    fn suspects(&self, text: &str) -> SuspectFile {
        let module = Module::read(text, &self.spec.isa);
        let mut why_not = String::new();
        let place = self.place(&module).map_err(|why| why_not = why).ok();
        // What machine code is not known for is looked at as if it were for another target, to be counted.
        let Some(assumed) = place.or_else(|| self.assumed()) else { return SuspectFile::default() };
        let family = Configuration::new(assumed.machine, LEVEL).to_string();
        let version = self.build.as_ref().map_or(&self.version, |build| &build.assembler.version);
        let known = EngineVersion::parse(&format!("{family}@{version}"));
        SuspectFile { place, why_not, ..SuspectFile::default() }.filled(self, &module, &assumed.environment, known.ok())
    }

    /// Where the lines of a module are executed: in the machine code of its target, or of the next newer one that is known.
    ///
    /// # Errors
    /// If there is none; says why.
    fn place(&self, module: &Module<'_>) -> Result<SearchPlace, String> {
        let [ptx] = module.versions.as_slice() else { return Err("the file has no `.version`, or several".to_owned()) };
        let ptx = ptx.argument.parse().map_err(|why| format!("`.version {}`: {why}", ptx.argument))?;
        let named = |word: &str| word.trim().replace("compute_", "sm_").parse::<Target>().ok();
        let words = module.targets.iter().flat_map(|target| target.argument.split(','));
        let target = words.filter_map(named).max().ok_or("the file has no `.target` that is known")?;
        let why = || format!("machine code for {target} and newer targets is not known");
        let fits = |machine: &MachineTarget| named(machine.name).is_some_and(|machine| machine.sm >= target.sm);
        let machine = MachineTarget::ALL.into_iter().find(fits).ok_or_else(why)?;
        self.on(machine, ptx).ok_or_else(why)
    }

    /// A machine, with a PTX version that has it.
    fn on(&self, machine: MachineTarget, ptx: Version) -> Option<SearchPlace> {
        let target: Target = machine.name.parse().ok()?;
        let (_, since) = self.spec.isa.targets.iter().find(|(known, _)| *known == target)?;
        let environment = Environment { ptx: ptx.max(*since), target, address_size: AddressSize::Bits64 };
        Some(SearchPlace { machine, environment })
    }

    fn assumed(&self) -> Option<SearchPlace> {
        self.on(MachineTarget::SM_90, *self.spec.isa.versions.last()?)
    }
}

/// The reason why there is no build.
fn missing(version: &str, why: &toolchain::Error) -> String {
    match why {
        toolchain::Error::NoSuch { .. } | toolchain::Error::None => {
            format!("ptxas {version} is not on this machine; run `ptx-conform toolchain install {version}`")
        }
        other => other.to_string(),
    }
}

/// The machine code in which the lines of a file are executed.
#[derive(Clone, Copy)]
struct SearchPlace {
    machine: MachineTarget,
    environment: Environment,
}

/// The level of optimization: the default, at which listed lines are wrong.
const LEVEL: u8 = 3;

impl SearchedFile {
    /// Orders what was found; of lines that end alike, the fewest are kept.
    fn sort(&mut self) {
        self.found.sort_by_key(|of| (of.at.last().map(|at| at.start), of.at.len(), of.at.first().map(|at| at.start)));
        self.found.dedup_by(|next, kept| next.at.last() == kept.at.last());
    }
}
