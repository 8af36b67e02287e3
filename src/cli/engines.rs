//! Opens the engines that a command asks: those named on the command line, and those found on this machine.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use super::engine::{limits, own};
use super::output::say;
use ptx_conform::campaign::Subject;
use ptx_conform::engine::external::{EngineLimits, External};
use ptx_conform::engine::ptxas::Ptxas;
use ptx_conform::engine::recording::Recording;
use ptx_conform::engine::sass::{Configuration, Sass};
use ptx_conform::engine::toolchain as installed;
use ptx_conform::engine::{CaseExecutor, Depth, Engine};
use ptx_conform::environment::{Environment, Version};
use ptx_conform::spec::Isa;

/// Which engines to ask.
#[derive(Debug, clap::Args)]
pub(crate) struct EngineOpts {
    /// Engine to ask. `ptxas@13.5` or `ptxas@13.5.37`: that version; `ptxas@all`: every version found;
    /// `ptxas`: the newest version found; `sass@13.5`: the machine code of that version for sm_90, interpreted;
    /// `sass-sm_80@13.5`, `sass-O0@13.5`, `sass-sm_80-O0@13.5`: for another target or level; `sass-all@13.5`: for all;
    /// `exec:COMMAND`: a program that speaks the protocol of docs/protocol.md; `gpu`; `recording:FILE`: recorded
    /// results; `model`: the specification and the reference model. Can be given several times.
    #[arg(long, value_name = "ENGINE", default_value = "ptxas")]
    engine: Vec<String>,
    /// Path of a ptxas binary to use instead of those found. Can be given several times.
    #[arg(long, value_name = "PATH")]
    ptxas: Vec<PathBuf>,
}

/// An engine that can be asked.
pub(crate) struct Opened {
    /// The engine.
    pub(crate) engine: Box<dyn Engine>,
    /// Its newest PTX version; none if it accepts any.
    newest: Option<Version>,
    /// The file of a ptxas.
    assembler: Option<PathBuf>,
}

impl Opened {
    /// Whether it can judge lines in an environment.
    pub(crate) fn judges(&self, environment: &Environment, depth: Depth) -> bool {
        self.engine.as_judge().is_some_and(|judge| judge.supports(environment, depth).is_ok())
    }
}

impl EngineOpts {
    /// The engines given on the command line, each once, in order.
    pub(crate) fn open(&self, specs: Option<&Path>) -> anyhow::Result<Vec<Opened>> {
        let mut engines: Vec<Opened> = Vec::new();
        for path in &self.ptxas {
            add(&mut engines, open_ptxas(path)?);
        }
        // An explicit binary replaces the default engine, not engines that were asked for.
        let asked: &[String] = if self.ptxas.is_empty() || self.engine != ["ptxas"] { &self.engine } else { &[] };
        for name in asked {
            open_named(name, specs, &mut engines)?;
        }
        if engines.is_empty() {
            bail!("no ptxas was found; install one with `ptx-conform toolchain install 13.5`");
        }
        Ok(engines)
    }
}

/// Opens an engine by its name on the command line.
///
/// `specs` is the specification for the engine `model`.
pub(crate) fn open_named(name: &str, specs: Option<&Path>, engines: &mut Vec<Opened>) -> anyhow::Result<()> {
    if let Some(command) = name.strip_prefix("exec:") {
        return add_named(engines, open_external(command)?);
    }
    if let Some(file) = name.strip_prefix("recording:") {
        return add_named(engines, open_recording(Path::new(file))?);
    }
    match (name, name.strip_prefix("ptxas@")) {
        ("gpu" | "model", _) => return add_named(engines, open_limited(&own(name, specs)?, limits(name))?),
        ("ptxas@all", _) => add_all_ptxas(engines)?,
        ("ptxas", _) => add(engines, open_ptxas(&installed::discover(None)?)?),
        (_, Some(version)) => add(engines, open_ptxas(&installed::find(version)?.path)?),
        _ => match name.split_once('@') {
            Some(("sass-all", version)) => {
                for configuration in Configuration::all() {
                    add(engines, open_sass(configuration, version)?);
                }
            }
            Some((family, version)) if family.starts_with("sass") => {
                let configuration = family.parse().map_err(|why: String| anyhow::anyhow!(why))?;
                return add_named(engines, open_sass(configuration, version)?);
            }
            _ => bail!(
                "`{name}` is not an engine: write ptxas, ptxas@VERSION, ptxas@all, sass@VERSION, gpu, model, exec:COMMAND or recording:FILE"
            ),
        },
    }
    Ok(())
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
    let sass = Sass::open(assembler, &disassembler, installed::disassembled(), configuration)?;
    Ok(Opened { newest: Some(sass.newest_ptx()), assembler: None, engine: Box::new(sass) })
}

/// Adds the machine code of the newest `ptxas` that is asked, unless some machine code is asked for by name.
fn add_sass(engines: &mut Vec<Opened>) -> anyhow::Result<()> {
    if engines.iter().any(|known| known.engine.id().family().starts_with("sass")) {
        return Ok(());
    }
    let newest = engines.iter().filter(|known| known.assembler.is_some()).max_by_key(|known| known.newest);
    let assembler = newest.and_then(|known| known.assembler.clone());
    if let Some(path) = assembler {
        add(engines, open_sass_of(Configuration::default(), &path)?);
    }
    Ok(())
}

/// Adds every `ptxas` found; warns about those that cannot be used.
fn add_all_ptxas(engines: &mut Vec<Opened>) -> anyhow::Result<()> {
    let mut broken = None;
    for found in installed::all() {
        match open_ptxas(&found.path) {
            Ok(opened) => add(engines, opened),
            Err(why) => {
                say(&format!("warning: ptxas {} is not used: {why:#}", found.version));
                broken = Some(why);
            }
        }
    }
    match broken {
        Some(why) if engines.is_empty() => Err(why),
        _ => Ok(()),
    }
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
    if !engines.iter().any(|known| known.engine.id().family() == "gpu")
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
            Err(why) => absent.push((file.display().to_string(), format!("{why:#}"))),
        }
    }
    absent
}

/// Adds an engine, unless there is one with the same version.
fn add(engines: &mut Vec<Opened>, engine: Opened) {
    if !engines.iter().any(|known| known.engine.id() == engine.engine.id()) {
        engines.push(engine);
    }
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
    let ptxas = Ptxas::open(path)?;
    Ok(Opened { newest: Some(ptxas.newest_ptx()), assembler: Some(path.to_owned()), engine: Box::new(ptxas) })
}

fn open_external(command: &str) -> anyhow::Result<Opened> {
    open_limited(command, EngineLimits::default())
}

fn open_limited(command: &str, limits: EngineLimits) -> anyhow::Result<Opened> {
    let external = External::with_limits(command, limits)?;
    Ok(Opened { newest: external.newest_ptx(), assembler: None, engine: Box::new(external) })
}

fn open_recording(file: &Path) -> anyhow::Result<Opened> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let (recording, problems) = match Recording::read(&text) {
        Ok(read) => read,
        Err(problem) => bail!("{}: {problem}", file.display()),
    };
    for problem in &problems {
        say(&format!("warning: {}: {problem}", file.display()));
    }
    Ok(Opened { newest: recording.newest_ptx(), assembler: None, engine: Box::new(recording) })
}

/// Prints the notes of engines.
pub(crate) fn say_notes(engines: &[Opened]) {
    engines.iter().flat_map(|opened| opened.engine.notes()).for_each(|note| say(&format!("note: {note}")));
}

/// Why engines left questions unanswered, in words: such a run does not show that they agree.
pub(crate) fn losses(engines: &[Opened]) -> Vec<String> {
    let of_engine = |opened: &Opened| opened.engine.losses().into_iter();
    engines.iter().flat_map(of_engine).map(|(why, count)| format!("{count} without an answer: {why}")).collect()
}

/// The engines that can judge.
pub(crate) fn subjects<'a>(engines: &'a [Opened], isa: &Isa) -> Vec<Subject<'a>> {
    let newest = |opened: &Opened| opened.newest.or(isa.versions.last().copied());
    let subject = |opened: &'a Opened| Some(Subject::judging(opened.engine.as_judge()?, newest(opened)?));
    engines.iter().filter_map(subject).collect()
}

/// All engines that can execute; the first `judging` of them judge as well.
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
    engines.iter().enumerate().filter_map(subject).collect()
}
