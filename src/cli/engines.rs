//! Opens the engines that a command asks: those named on the command line, and those found on this machine.

mod parts;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use super::engine::{ON_DEVICE, limits, own, own_on_device};
use super::output::say;
use parts::EngineParts;
use ptx_conform::campaign::Subject;
use ptx_conform::engine::external::{EngineLimits, External};
use ptx_conform::engine::ptxas::Ptxas;
use ptx_conform::engine::recording::Recording;
use ptx_conform::engine::sass::{Configuration, Sass};
use ptx_conform::engine::toolchain as installed;
use ptx_conform::engine::{CaseExecutor, Depth, Engine};
use ptx_conform::environment::{Environment, Version};
use ptx_conform::must::Must as _;
use ptx_conform::spec::Isa;

/// Which engines to ask.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct EngineOpts {
    #[arg(long, value_name = "ENGINE", default_value = "ptxas", help = asked_help())]
    engine: Vec<String>,
    /// Path of a ptxas binary to use instead of those found. Can be given several times.
    #[arg(long, value_name = "PATH")]
    ptxas: Vec<PathBuf>,
}

/// A family of engines that can be named on the command line.
struct Family {
    /// The beginning of the names: the whole name if nothing follows.
    prefix: &'static str,
    /// The rest of the names, as the help writes it; empty if nothing does.
    follows: &'static str,
    /// The engines, in the words of the help.
    help: &'static str,
    /// True if they can execute.
    executes: bool,
    /// Opens the engines with a name, given what follows the prefix, and adds them.
    open: fn(&str, Option<&Path>, &mut Vec<Opened>) -> anyhow::Result<()>,
}

/// Every family; a name is of the one with the longest prefix.
const FAMILIES: &[Family] = &[
    Family {
        prefix: "ptxas",
        follows: "",
        help: "the newest version found",
        executes: false,
        open: |_, _, engines| add(engines, open_ptxas(&installed::discover(None)?)?),
    },
    Family {
        prefix: "ptxas@",
        follows: "VERSION",
        help: "that version, such as 13.5 or 13.5.37",
        executes: false,
        open: |version, _, engines| add(engines, open_ptxas(&installed::find(version)?.path)?),
    },
    Family {
        prefix: "ptxas@all",
        follows: "",
        help: "every version found",
        executes: false,
        open: |_, _, engines| add_all_ptxas(engines),
    },
    Family {
        prefix: "sass@",
        follows: "VERSION",
        help: "the machine code of that version for sm_90, interpreted",
        executes: true,
        open: |version, _, engines| add_named(engines, open_sass(Configuration::default(), version)?),
    },
    Family {
        prefix: "sass-",
        follows: "TARGET@VERSION",
        help: "for another target or level, such as `sass-sm_80@13.5`, `sass-O0@13.5`, `sass-sm_80-O0@13.5`",
        executes: true,
        open: |configured, _, engines| {
            let (family, version) = configured.split_once('@').unwrap_or((configured, ""));
            let configuration: Configuration = format!("sass-{family}").parse()?;
            add_named(engines, open_sass(configuration, version)?)
        },
    },
    Family {
        prefix: "sass-all@",
        follows: "VERSION",
        help: "for all of them",
        executes: true,
        open: |version, _, engines| {
            Configuration::all().try_for_each(|configuration| add(engines, open_sass(configuration, version)?))
        },
    },
    Family {
        prefix: "sass-gpu@",
        follows: "VERSION",
        help: "the machine code of that version, executed by the GPU of this machine",
        executes: true,
        open: |version, specs, engines| {
            let command = own_on_device(&installed::find(version)?.path, specs)?;
            add_named(engines, open_limited(&command, limits("gpu"))?)
        },
    },
    Family {
        prefix: "gpu",
        follows: "",
        help: "the GPU of this machine",
        executes: true,
        open: |_, specs, engines| add_named(engines, open_limited(&own("gpu", specs)?, limits("gpu"))?),
    },
    Family {
        prefix: "model",
        follows: "",
        help: "the specification and the reference model",
        executes: true,
        open: |_, specs, engines| add_named(engines, open_limited(&own("model", specs)?, limits("model"))?),
    },
    Family {
        prefix: "exec:",
        follows: "COMMAND",
        help: "a program that speaks the protocol of docs/protocol.md",
        executes: true,
        open: |command, _, engines| add_named(engines, open_limited(command, EngineLimits::default())?),
    },
    Family {
        prefix: "recording:",
        follows: "FILE",
        help: "recorded results",
        executes: true,
        open: |file, _, engines| add_named(engines, open_recording(Path::new(file))?),
    },
];

impl Family {
    /// Its names, as the help writes them: `ptxas@VERSION`.
    fn name(&self) -> String {
        format!("{}{}", self.prefix, self.follows)
    }

    /// The rest of a name after the prefix, if it is of this family.
    fn rest<'n>(&self, name: &'n str) -> Option<&'n str> {
        name.strip_prefix(self.prefix).filter(|rest| rest.is_empty() == self.follows.is_empty())
    }
}

/// The family of a name, and the rest of the name after the prefix.
fn family(name: &str) -> Option<(&'static Family, &str)> {
    let named = FAMILIES.iter().filter_map(|of| Some((of, of.rest(name)?)));
    named.max_by_key(|(of, _)| of.prefix.len())
}

/// The help of the option for engines that judge or execute.
fn asked_help() -> String {
    let families: Vec<String> = FAMILIES.iter().map(|of| format!("`{}`: {}", of.name(), of.help)).collect();
    format!("Engine to ask. {}. Can be given several times", families.join("; "))
}

/// The help of the option for engines that execute.
pub(super) fn executing_help() -> String {
    let names: Vec<String> = FAMILIES.iter().filter(|of| of.executes).map(|of| format!("`{}`", of.name())).collect();
    format!("Engine that executes: {}. Can be given several times", alternatives(&names))
}

/// `a, b or c`
fn alternatives(names: &[String]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// An engine that can be asked.
pub(crate) struct Opened {
    /// The engine.
    pub(crate) engine: Box<dyn Engine>,
    /// Its newest PTX version; none if it accepts any.
    newest: Option<Version>,
    /// The file of a ptxas.
    assembler: Option<PathBuf>,
    parts: EngineParts,
    repeats: Repeats,
    /// Engines that were asked for with it and cannot be used, each with the reason.
    lost: Vec<String>,
}

/// The condition under which an engine answers the same question in the same way.
enum Repeats {
    /// No condition: its answers may differ from one time to the next.
    Never,
    /// As long as its files are the same.
    WithItsFiles,
    /// As long as it names the same build.
    Build(String),
}

impl Opened {
    fn new(engine: impl Engine + 'static, newest: Option<Version>) -> Self {
        let (parts, repeats, lost) = (EngineParts::default(), Repeats::Never, Vec::new());
        Self { engine: Box::new(engine), newest, assembler: None, parts, repeats, lost }
    }

    fn made_of(self, parts: EngineParts, repeats: Repeats) -> Self {
        Self { parts, repeats, ..self }
    }

    /// A hash of everything that its answers depend on; none if they may differ each time it is asked.
    ///
    /// # Errors
    /// If one of its files cannot be read, or was replaced after it was opened.
    pub(crate) fn build(&self) -> anyhow::Result<Option<String>> {
        match &self.repeats {
            Repeats::Never => Ok(None),
            // A script is made of more than its file.
            Repeats::WithItsFiles if self.parts.are_binary() => self.fingerprint().map(Some),
            Repeats::WithItsFiles => Ok(None),
            Repeats::Build(build) => Ok(Some(blake3::hash(build.as_bytes()).to_hex().to_string())),
        }
    }

    /// A hash of what it is made of: with another one, its answers may be others.
    ///
    /// # Errors
    /// If one of its files cannot be read, or was replaced after it was opened.
    pub(crate) fn fingerprint(&self) -> anyhow::Result<String> {
        self.parts.hash()
    }

    /// True if it can judge lines in an environment.
    pub(crate) fn judges(&self, environment: &Environment, depth: Depth) -> bool {
        self.engine.as_judge().is_some_and(|judge| judge.supports(environment, depth).is_ok())
    }
}

impl EngineOpts {
    /// The engines to open by their names: an explicit binary replaces the default engine, not engines that were asked for.
    fn named(&self) -> &[String] {
        if self.ptxas.is_empty() || self.engine != ["ptxas"] { &self.engine } else { &[] }
    }

    /// The options that ask the same engines again.
    pub(super) fn arguments(&self) -> Vec<String> {
        let paths = self.ptxas.iter().flat_map(|path| ["--ptxas".to_owned(), path.display().to_string()]);
        let names = self.named().iter().flat_map(|name| ["--engine".to_owned(), name.clone()]);
        paths.chain(names).collect()
    }

    /// The engines given on the command line, each once, in order.
    pub(crate) fn open(&self, specs: Option<&Path>) -> anyhow::Result<Vec<Opened>> {
        let mut engines: Vec<Opened> = Vec::new();
        for path in &self.ptxas {
            add(&mut engines, open_ptxas(path)?)?;
        }
        for name in self.named() {
            open_named(name, specs, &mut engines)?;
        }
        if engines.is_empty() {
            bail!("no ptxas was found; install one with `ptx-conform toolchain install 13.5`");
        }
        Ok(engines)
    }
}

/// Opens the engines with a name on the command line.
///
/// `specs` is the specification for the engine `model`.
pub(crate) fn open_named(name: &str, specs: Option<&Path>, engines: &mut Vec<Opened>) -> anyhow::Result<()> {
    let Some((family, rest)) = family(name) else {
        let names: Vec<String> = FAMILIES.iter().map(Family::name).collect();
        bail!("`{name}` is not an engine: write {}", alternatives(&names));
    };
    (family.open)(rest, specs, engines)
}

/// The interpreter of the machine code of a version of `ptxas`.
fn open_sass(configuration: Configuration, version: &str) -> anyhow::Result<Opened> {
    open_sass_of(configuration, &installed::find(version)?.path)
}

/// The interpreter of the machine code of a `ptxas`.
fn open_sass_of(configuration: Configuration, assembler: &Path) -> anyhow::Result<Opened> {
    let Some(disassembler) = installed::disassembler(assembler) else {
        bail!("no nvdisasm was found; `ptx-conform toolchain install` installs it with a ptxas");
    };
    let parts = EngineParts::new([assembler.to_owned(), disassembler.clone()]);
    let sass = Sass::open(assembler, &disassembler, installed::disassembled(), configuration)?;
    let newest = sass.newest_ptx();
    Ok(Opened::new(sass, Some(newest)).made_of(parts, Repeats::WithItsFiles))
}

/// Adds the machine code of the newest `ptxas` that is asked, unless some machine code is asked for by name.
fn add_sass(engines: &mut Vec<Opened>) -> anyhow::Result<()> {
    let interprets = |family: &str| family.starts_with("sass") && family != ON_DEVICE;
    if engines.iter().any(|known| interprets(known.engine.id().family())) {
        return Ok(());
    }
    let newest = engines.iter().filter(|known| known.assembler.is_some()).max_by_key(|known| known.newest);
    let assembler = newest.and_then(|known| known.assembler.clone());
    if let Some(path) = assembler {
        add(engines, open_sass_of(Configuration::default(), &path)?)?;
    }
    Ok(())
}

/// Adds every `ptxas` found. One that cannot be used is warned about, and lost: those that can do not speak for it.
fn add_all_ptxas(engines: &mut Vec<Opened>) -> anyhow::Result<()> {
    let mut unusable = Vec::new();
    for found in installed::all() {
        match open_ptxas(&found.path) {
            Ok(opened) => add(engines, opened)?,
            Err(why) => {
                say(&format!("warning: ptxas {} is not used: {why:#}", found.version));
                unusable.push((found.version, why));
            }
        }
    }
    match (engines.last_mut(), unusable.pop()) {
        (None, Some((_, why))) => return Err(why),
        (Some(beside), last) => {
            let lost = |(version, why)| format!("ptxas {version} is not used: {why:#}");
            beside.lost.extend(unusable.into_iter().chain(last).map(lost));
        }
        (None, None) => {}
    }
    Ok(())
}

/// The directory of recordings.
const RECORDINGS: &str = "corpus/recordings";

/// Adds the executing engines that are available: the machine code of a `ptxas` that is asked, a GPU, and the recordings
/// of the repository. Returns the others, with the reasons.
pub(crate) fn add_executing(specs: Option<&Path>, engines: &mut Vec<Opened>) -> Vec<(String, String)> {
    let mut absent = Vec::new();
    if let Err(why) = add_sass(engines) {
        absent.push(("sass".to_owned(), format!("{why:#}")));
    }
    if !engines.iter().any(|known| ["gpu", ON_DEVICE].contains(&known.engine.id().family()))
        && let Err(why) = open_named("gpu", specs, engines)
    {
        // The reason is the message of the engine's process, if there is one.
        let why = format!("{why:#}");
        let said = why.lines().find_map(|line| line.strip_prefix("error: gpu: "));
        absent.push(("gpu".to_owned(), said.or(why.lines().next()).unwrap_or_default().to_owned()));
    }
    let found = std::fs::read_dir(RECORDINGS).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = found.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    if files.is_empty() {
        absent.push(("recordings".to_owned(), format!("there are none in {RECORDINGS}")));
    }
    for file in files {
        // Several recordings can be of one engine, which may be available itself.
        match open_recording(&file) {
            Ok(opened) => engines.push(opened),
            Err(why) => {
                let why = format!("{why:#}");
                let beside = engines.last_mut().must("a run has at least one engine that was asked for");
                // Its rows are compared with nothing.
                beside.lost.push(why.clone());
                absent.push((file.display().to_string(), why));
            }
        }
    }
    absent
}

/// Adds an engine, unless there is one with the same version.
fn add(engines: &mut Vec<Opened>, engine: Opened) -> anyhow::Result<()> {
    if !engines.iter().any(|known| known.engine.id() == engine.engine.id()) {
        engines.push(engine);
    }
    Ok(())
}

/// Adds an engine whose name must be unique.
fn add_named(engines: &mut Vec<Opened>, engine: Opened) -> anyhow::Result<()> {
    let id = engine.engine.id();
    if engines.iter().any(|known| known.engine.id() == id) {
        bail!("two engines call themselves {id}; their names must differ");
    }
    engines.push(engine);
    Ok(())
}

fn open_ptxas(path: &Path) -> anyhow::Result<Opened> {
    let parts = EngineParts::new([path.to_owned()]);
    let ptxas = Ptxas::open(path)?;
    let newest = ptxas.newest_ptx();
    let opened = Opened::new(ptxas, Some(newest)).made_of(parts, Repeats::WithItsFiles);
    Ok(Opened { assembler: Some(path.to_owned()), ..opened })
}

fn open_limited(command: &str, limits: EngineLimits) -> anyhow::Result<Opened> {
    let words = shlex::split(command).unwrap_or_else(|| vec![command.to_owned()]);
    let parts = EngineParts::new(words.into_iter().map(PathBuf::from));
    let external = External::with_limits(command, limits)?;
    let newest = external.newest_ptx();
    let repeats = external.about().build.clone().map_or(Repeats::Never, Repeats::Build);
    Ok(Opened::new(external, newest).made_of(parts, repeats))
}

fn open_recording(file: &Path) -> anyhow::Result<Opened> {
    let parts = EngineParts::new([file.to_owned()]);
    let text = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let (recording, problems) = match Recording::read(&text) {
        Ok(read) => read,
        Err(problem) => bail!("{}: {problem}", file.display()),
    };
    for problem in &problems {
        say(&format!("warning: {}: {problem}", file.display()));
    }
    let newest = recording.newest_ptx();
    Ok(Opened::new(recording, newest).made_of(parts, Repeats::Never))
}

/// Prints the notes of engines.
pub(crate) fn say_notes(engines: &[Opened]) {
    let all = |opened: &Opened| [opened.engine.notes(), opened.engine.unexplained()].concat();
    engines.iter().flat_map(all).for_each(|note| say(&format!("note: {note}")));
}

/// The reasons why questions went without an answer, in words: such a run does not show that they agree.
pub(crate) fn losses(engines: &[Opened]) -> Vec<String> {
    let unanswered = |(why, count)| format!("{count} without an answer: {why}");
    let of_engine =
        |of: &Opened| of.engine.losses().into_iter().map(unanswered).chain(of.lost.clone()).collect::<Vec<_>>();
    engines.iter().flat_map(of_engine).collect()
}

/// The engines that can judge.
pub(crate) fn subjects<'a>(engines: &'a [Opened], isa: &Isa) -> Vec<Subject<'a>> {
    let newest = |opened: &Opened| opened.newest.or(isa.versions.last().copied());
    let subject = |opened: &'a Opened| Some(Subject::judging(opened.engine.as_judge()?, newest(opened)?));
    engines.iter().filter_map(subject).collect()
}

/// All engines that are asked anything: those that can execute; the first `judging` of them judge as well.
pub(crate) fn all_subjects<'a>(
    engines: &'a [Opened],
    judging: usize,
    isa: &Isa,
    executes: impl Fn(&dyn CaseExecutor) -> bool,
) -> Vec<Subject<'a>> {
    let subject = |(at, opened): (usize, &'a Opened)| {
        Some(Subject {
            judge: if at < judging { opened.engine.as_judge() } else { None },
            executor: opened.engine.as_executor().filter(|executor| executes(*executor)),
            newest: opened.newest.or(isa.versions.last().copied())?,
        })
    };
    engines.iter().enumerate().filter_map(subject).filter(|subject| subject.id().is_some()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_of_one_family() {
        for (name, of, rest) in [
            ("ptxas", "ptxas", ""),
            ("ptxas@13.5", "ptxas@VERSION", "13.5"),
            ("ptxas@all", "ptxas@all", ""),
            ("sass@13.5", "sass@VERSION", "13.5"),
            ("sass-sm_80-O0@13.5", "sass-TARGET@VERSION", "sm_80-O0@13.5"),
            ("sass-all@13.5", "sass-all@VERSION", "13.5"),
            ("exec:gpu", "exec:COMMAND", "gpu"),
        ] {
            let found = family(name).map(|(family, rest)| (family.name(), rest));
            assert_eq!(found, Some((of.to_owned(), rest)), "{name}");
        }
        for name in ["", "ptx", "ptxas@", "ptxass", "gpux", "model@1", "exec:", "sass", "sassy@13.5"] {
            assert!(family(name).is_none(), "{name}");
        }
    }
}
