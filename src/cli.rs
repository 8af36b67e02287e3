//! The command line: one file and one `Opts` for each subcommand.
//!
//! What was asked for goes to stdout, everything else to stderr. Exit codes: 0 agreed, 1 a mismatch,
//! 2 could not judge.

mod engine;
mod execute;
mod explain;
mod generate;
mod judge;
mod minimize;
mod record;
mod replay;
mod run;
mod spec;
mod toolchain;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Parser;

use ptx_conform::campaign::Subject;
use ptx_conform::divergences::Divergences;
use ptx_conform::engine::external::{External, Limits};
use ptx_conform::engine::ptxas::Ptxas;
use ptx_conform::engine::recording::Recording;
use ptx_conform::engine::toolchain as installed;
use ptx_conform::engine::{CaseExecutor, Depth, Engine};
use ptx_conform::environment::{AddressSize, Environment, Suffix, Target, Version};
use ptx_conform::shipped;
use ptx_conform::spec::{Error, Instruction, Isa, Spec};

/// Holds implementations of NVIDIA PTX against a machine-readable specification.
#[derive(Debug, Parser)]
#[command(name = "ptx-conform", version, after_help = AFTER)]
struct Cli {
    /// Where the specification is [default: `specs/` here if it has an isa.yaml, else the one built in].
    #[arg(long, global = true, value_name = "DIR")]
    specs: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

const AFTER: &str = "\
Exit codes: 0 agreed, 1 a mismatch that is not listed, 2 could not judge.
Example: ptx-conform explain 'ld.global.v4.f64 {%fd1, %fd2, %fd3, %fd4}, [%rd1];'";

#[derive(Debug, clap::Subcommand)]
enum Command {
    Run(run::Opts),
    Judge(judge::Opts),
    Explain(explain::Opts),
    Generate(generate::Opts),
    Minimize(minimize::Opts),
    Replay(replay::Opts),
    Execute(execute::Opts),
    Record(record::Opts),
    Engine(engine::Opts),
    Toolchain(toolchain::Opts),
    Spec(spec::Opts),
}

pub(crate) fn main() -> ExitCode {
    let cli = Cli::parse();
    let specs = cli.specs.as_deref();
    let done = match cli.command {
        Command::Run(opts) => opts.run(specs),
        Command::Judge(opts) => opts.run(specs),
        Command::Explain(opts) => opts.run(specs),
        Command::Generate(opts) => opts.run(specs),
        Command::Minimize(opts) => opts.run(specs),
        Command::Replay(opts) => opts.run(specs),
        Command::Execute(opts) => opts.run(specs),
        Command::Record(opts) => opts.run(specs),
        Command::Toolchain(opts) => opts.run(),
        Command::Engine(opts) => opts.run(specs),
        Command::Spec(opts) => opts.run(specs),
    };
    match done {
        Ok(code) => code,
        // Whoever reads the output has seen enough.
        Err(error) if closed(&error) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::from(2)
        }
    }
}

fn closed(error: &anyhow::Error) -> bool {
    let kinds = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    kinds.into_iter().any(|kind| kind == io::ErrorKind::BrokenPipe)
}

/// Writes to stdout.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes a line to stderr. Where that is closed there is nobody to tell.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Whether colours are wanted on a stream.
pub(crate) fn color(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty())
}

/// The directory that the specification is read from; `None` for the one built in.
fn directory(specs: Option<&Path>) -> Option<PathBuf> {
    match specs {
        Some(specs) => Some(specs.to_owned()),
        None => {
            let here = Path::new("specs");
            here.join("isa.yaml").is_file().then(|| here.to_owned())
        }
    }
}

/// Reads the specification. All that is wrong with it is printed with the lines it is about.
pub(crate) fn load_spec(specs: Option<&Path>) -> anyhow::Result<Spec> {
    let spec = match directory(specs) {
        Some(directory) => Spec::load(&directory),
        None => shipped::spec(),
    };
    sound(spec, "specification")
}

/// Reads the known divergences that belong to a specification, as [`load_spec`] does.
pub(crate) fn load_divergences(specs: Option<&Path>, spec: &Spec) -> anyhow::Result<Divergences> {
    sound(Divergences::load(directory(specs).as_deref(), spec), "list of known divergences")
}

fn sound<T>(loaded: Result<T, Vec<Error>>, what: &str) -> anyhow::Result<T> {
    match loaded {
        Ok(loaded) => Ok(loaded),
        Err(errors) => {
            for error in &errors {
                say(&format!("{}\n", error.render(color(&io::stderr()))));
            }
            bail!("{} in the {what}", counted(errors.len(), "error"))
        }
    }
}

/// `1 error`, `2 errors`
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The instructions of these opcodes in this order; all where none is named.
pub(crate) fn instructions<'s>(spec: &'s Spec, names: &[String]) -> anyhow::Result<Vec<&'s Instruction>> {
    if names.is_empty() {
        return Ok(spec.instructions.iter().collect());
    }
    let find = |name: &String| match spec.instruction(name) {
        Some(instruction) => Ok(instruction),
        None => {
            let known: Vec<&str> = spec.instructions.iter().map(|i| i.name.as_str()).collect();
            bail!("there is no specification of `{name}`; there are {}", known.join(", "))
        }
    };
    names.iter().map(find).collect()
}

/// The environment of a module, as far as it is given.
#[derive(Debug, clap::Args)]
pub(crate) struct EnvironmentOpts {
    /// The PTX version [default: the newest].
    #[arg(long, value_name = "VERSION")]
    ptx: Option<Version>,
    /// The target [default: the newest plain one of the PTX version].
    #[arg(long, value_name = "TARGET")]
    target: Option<Target>,
    /// The address size, 32 or 64 [default: 64, where the PTX version has it].
    #[arg(long, value_name = "BITS")]
    address_size: Option<AddressSize>,
}

impl EnvironmentOpts {
    /// The environment, with the newest of what is not given.
    pub(crate) fn resolve(&self, isa: &Isa) -> anyhow::Result<Environment> {
        let (Some(&newest), Some(&(first, _))) = (isa.versions.last(), isa.targets.first()) else {
            bail!("isa.yaml has no version or no target");
        };
        let ptx = self.ptx.unwrap_or(newest);
        if !isa.versions.contains(&ptx) {
            bail!("PTX {ptx} is not in isa.yaml, whose newest version is {newest}");
        }
        let plain = |(target, since): &&(Target, Version)| target.suffix == Suffix::Plain && *since <= ptx;
        let target = self.target.or_else(|| isa.targets.iter().rfind(plain).map(|(target, _)| *target));
        let target = target.unwrap_or(first);
        if !isa.targets.iter().any(|(known, _)| *known == target) {
            let known: Vec<String> = isa.targets.iter().map(|(target, _)| target.to_string()).collect();
            bail!("{target} is not in isa.yaml, which has {}", known.join(" "));
        }
        let widest = if ptx < AddressSize::SINCE { AddressSize::Bits32 } else { AddressSize::Bits64 };
        Ok(Environment { ptx, target, address_size: self.address_size.unwrap_or(widest) })
    }
}

/// Which engines are asked.
#[derive(Debug, clap::Args)]
pub(crate) struct EngineOpts {
    /// An engine: `ptxas@13.5`, `ptxas@13.5.37`, `ptxas@all` for every one found, `ptxas` for the
    /// newest found; `exec:COMMAND` for a program that speaks the protocol of docs/protocol.md;
    /// `gpu`; `recording:FILE` for what an engine did earlier; `model`. Can be given several times.
    #[arg(long, value_name = "ENGINE", default_value = "ptxas")]
    engine: Vec<String>,
    /// A ptxas binary, in place of those found.
    #[arg(long, value_name = "PATH")]
    ptxas: Vec<PathBuf>,
}

/// An engine that can be asked.
pub(crate) struct Opened {
    /// The engine.
    pub(crate) engine: Box<dyn Engine>,
    /// Its newest PTX version; none where it takes any.
    newest: Option<Version>,
}

impl Opened {
    /// Whether it judges lines of an environment.
    pub(crate) fn judges(&self, environment: &Environment, depth: Depth) -> bool {
        self.engine.as_judge().is_some_and(|judge| judge.supports(environment, depth).is_ok())
    }
}

impl EngineOpts {
    /// The engines asked for, each once, in the order given.
    pub(crate) fn open(&self) -> anyhow::Result<Vec<Opened>> {
        let mut engines: Vec<Opened> = Vec::new();
        for path in &self.ptxas {
            add(&mut engines, open_ptxas(path)?);
        }
        // An explicit binary replaces the default engine, not engines that were asked for.
        let asked: &[String] = if self.ptxas.is_empty() || self.engine != ["ptxas"] { &self.engine } else { &[] };
        for name in asked {
            open_named(name, &mut engines)?;
        }
        if engines.is_empty() {
            bail!("no ptxas was found; `ptx-conform toolchain install 13.5` fetches one");
        }
        Ok(engines)
    }
}

/// Opens what an engine's name on the command line means.
pub(crate) fn open_named(name: &str, engines: &mut Vec<Opened>) -> anyhow::Result<()> {
    if let Some(command) = name.strip_prefix("exec:") {
        return add_named(engines, open_external(command)?);
    }
    if let Some(file) = name.strip_prefix("recording:") {
        return add_named(engines, open_recording(Path::new(file))?);
    }
    match name.split_once('@').unwrap_or((name, "")) {
        ("gpu" | "model", "") => return add_named(engines, open_limited(&engine::own(name)?, engine::limits(name))?),
        ("ptxas", "all") => {
            for found in installed::all() {
                add(engines, open_ptxas(&found.path)?);
            }
        }
        ("ptxas", "") => add(engines, open_ptxas(&installed::discover(None)?)?),
        ("ptxas", version) => add(engines, open_ptxas(&installed::find(version)?.path)?),
        _ => bail!(
            "`{name}` is not an engine: write ptxas, ptxas@VERSION, ptxas@all, gpu, model, exec:COMMAND or recording:FILE"
        ),
    }
    Ok(())
}

/// Where recordings are looked for.
const RECORDINGS: &str = "corpus/recordings";

/// Adds the executing engines that are at hand, a GPU and the recordings of the repository; says of
/// the others why they are not.
pub(crate) fn add_executing(engines: &mut Vec<Opened>) -> Vec<(String, String)> {
    let mut absent = Vec::new();
    if !engines.iter().any(|known| known.engine.id().family() == "gpu")
        && let Err(why) = open_named("gpu", engines)
    {
        // What the process of the engine said is the reason, where it said anything.
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
        // Several may be of one engine, which may be at hand as well.
        match open_recording(&file) {
            Ok(opened) => engines.push(opened),
            Err(why) => absent.push((file.display().to_string(), format!("{why:#}"))),
        }
    }
    absent
}

/// Adds an engine that is not there yet: of two of a version one is enough.
fn add(engines: &mut Vec<Opened>, engine: Opened) {
    if !engines.iter().any(|known| known.engine.id() == engine.engine.id()) {
        engines.push(engine);
    }
}

/// Adds an engine whose name must be its own.
fn add_named(engines: &mut Vec<Opened>, engine: Opened) -> anyhow::Result<()> {
    let id = engine.engine.id();
    if engines.iter().any(|known| known.engine.id() == id) {
        bail!("two engines call themselves {id}; they could not be told apart");
    }
    engines.push(engine);
    Ok(())
}

fn open_ptxas(path: &Path) -> anyhow::Result<Opened> {
    let ptxas = Ptxas::open(path)?;
    Ok(Opened { newest: Some(ptxas.newest_ptx()), engine: Box::new(ptxas) })
}

fn open_external(command: &str) -> anyhow::Result<Opened> {
    open_limited(command, Limits::default())
}

fn open_limited(command: &str, limits: Limits) -> anyhow::Result<Opened> {
    let external = External::with_limits(command, limits)?;
    Ok(Opened { newest: external.newest_ptx(), engine: Box::new(external) })
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
    Ok(Opened { newest: recording.newest_ptx(), engine: Box::new(recording) })
}

/// Says what engines noticed that is no outcome.
pub(crate) fn say_notes(engines: &[Opened]) {
    engines.iter().flat_map(|opened| opened.engine.notes()).for_each(|note| say(&format!("note: {note}")));
}

/// The engines that are asked to judge.
pub(crate) fn subjects<'a>(engines: &'a [Opened], isa: &Isa) -> Vec<Subject<'a>> {
    let newest = |opened: &Opened| opened.newest.or(isa.versions.last().copied());
    let subject = |opened: &'a Opened| Some(Subject::judging(opened.engine.as_judge()?, newest(opened)?));
    engines.iter().filter_map(subject).collect()
}

/// The engines that are asked to execute, and the first ones to judge as well.
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
