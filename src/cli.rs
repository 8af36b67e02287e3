//! The command line: one file and one `Opts` for each subcommand.
//!
//! Results go to stdout, everything else to stderr. Exit codes: 0 all agreed, 1 a mismatch, 2 something
//! could not be judged.

mod engine;
mod engines;
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

use anyhow::bail;
use clap::Parser;

use ptx_conform::divergences::Divergences;
use ptx_conform::environment::{AddressSize, Environment, Suffix, Target, Version};
use ptx_conform::shipped;
use ptx_conform::spec::{Error, Instruction, Isa, Spec};

pub(crate) use engines::{EngineOpts, Opened, add_executing, all_subjects, losses, open_named, say_notes, subjects};

/// Test implementations of NVIDIA PTX against a machine-readable specification.
#[derive(Debug, Parser)]
#[command(name = "ptx-conform", version, after_help = AFTER)]
struct Cli {
    /// Directory of the specification [default: `specs/` if it has an isa.yaml, otherwise the built-in one].
    #[arg(long, global = true, value_name = "DIR")]
    specs: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

const AFTER: &str = "\
Exit codes: 0 all agreed, 1 new mismatches, 2 something could not be judged.
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
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::from(2)
        }
    }
}

/// Writes to stdout. A closed pipe is not an error: the reader may have seen enough.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// For commands that only write: they succeed if the reader closes the pipe.
pub(crate) fn until_closed(written: io::Result<()>) -> anyhow::Result<ExitCode> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Writes a line to stderr. Errors are ignored: there is nowhere else to report them.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Whether to use colours on a stream.
pub(crate) fn color(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty())
}

/// The directory of the specification; `None` for the built-in one.
fn directory(specs: Option<&Path>) -> Option<PathBuf> {
    match specs {
        Some(specs) => Some(specs.to_owned()),
        None => {
            let here = Path::new("specs");
            here.join("isa.yaml").is_file().then(|| here.to_owned())
        }
    }
}

/// Reads the specification. Prints every error with the line it is about.
pub(crate) fn load_spec(specs: Option<&Path>) -> anyhow::Result<Spec> {
    let spec = match directory(specs) {
        Some(directory) => Spec::load(&directory),
        None => shipped::spec(),
    };
    sound(spec, "specification")
}

/// Reads the known divergences of a specification, in the way of [`load_spec`].
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

/// The instructions with these opcodes, in this order; all of them if the list is empty.
pub(crate) fn instructions<'s>(spec: &'s Spec, names: &[String]) -> anyhow::Result<Vec<&'s Instruction>> {
    if names.is_empty() {
        return Ok(spec.instructions.iter().collect());
    }
    let find = |name: &String| match spec.instruction(name) {
        Some(instruction) => Ok(instruction),
        None => {
            let known: Vec<&str> = spec.instructions.iter().map(|i| i.name.as_str()).collect();
            bail!("`{name}` has no specification; the instructions are {}", known.join(", "))
        }
    };
    names.iter().map(find).collect()
}

/// The environment of a module, as far as it was given.
#[derive(Debug, clap::Args)]
pub(crate) struct EnvironmentOpts {
    /// PTX version [default: the newest].
    #[arg(long, value_name = "VERSION")]
    ptx: Option<Version>,
    /// Target [default: the newest plain target of the PTX version].
    #[arg(long, value_name = "TARGET")]
    target: Option<Target>,
    /// Address size, 32 or 64 [default: 64 if the PTX version has it].
    #[arg(long, value_name = "BITS")]
    address_size: Option<AddressSize>,
}

impl EnvironmentOpts {
    /// The environment; whatever was not given is the newest.
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
