//! `ptx-conform blame`: who compiles a kernel wrong.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, anyhow, bail};
use ptx_conform::blame::{self, BlameReport, BlameVerdict, LaunchFile, Meaning, blame_text, entry_named};
use ptx_conform::engine::sass::{Configuration, MachineTarget, Sass};
use ptx_conform::engine::toolchain::{self, Installed};
use ptx_conform::interpret::{Interpreter, environment_of};
use ptx_conform::ptx::Module;

/// Say which builds of ptxas compile a kernel wrong, which of its lines, and what to file
///
/// The reference interpreter says what the text means, for one launch; the machine code of every installed ptxas is executed
/// beside it. Without --launch, the kernel is launched with one thread and drawn inputs, as --init prints them.
///
/// Exit codes: 0 all machine code is right, 1 some is wrong, 2 it cannot be told: the kernel is undefined, some was not executed,
/// or every ptxas refuses the module.
///
/// Example: ptx-conform blame kernel.ptx --launch kernel.yaml --target sm_90
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Opts {
    /// File with the module.
    file: PathBuf,
    /// YAML file with the entry, the grid, and a value for each parameter; see docs/blame.md.
    #[arg(long, value_name = "FILE")]
    launch: Option<PathBuf>,
    /// Print a launch file for the kernel, to be filled in, and nothing else.
    #[arg(long)]
    init: bool,
    /// The entry, if the module has several and --launch names none.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Version of ptxas; every installed one by default. Can be given several times.
    #[arg(long, value_name = "VERSION")]
    version: Vec<String>,
    /// Target; by default the oldest and the newest that the module is made for, and sm_90. Can be given several times.
    #[arg(long, value_name = "TARGET")]
    target: Vec<String>,
    /// Level of optimization; 3 and 0 by default. Can be given several times.
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=3))]
    level: Vec<u8>,
    /// Compare with this module on the reference alone, with the same launch: another front end, or another level of it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["version", "target", "level", "format"])]
    against: Option<PathBuf>,
    /// Format of the answer.
    #[arg(long, value_enum, default_value_t = AnswerFormat::Text)]
    format: AnswerFormat,
}

/// A format of the answer.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum AnswerFormat {
    /// For a terminal.
    Text,
    /// See specs/schema/blame.json.
    Json,
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        let spec = super::load::load_spec(specs)?;
        let interpreter = Interpreter::new(&spec);
        let module = read(&self.file)?;
        let unread = |why: String| anyhow!("{}: {why}", self.file.display());
        let entries = interpreter.entries(&module).map_err(unread)?;
        let mut launch = match &self.launch {
            Some(file) => LaunchFile::read(&read(file)?)
                .map_err(|why| anyhow!("{} is not a launch file: {why}", file.display()))?,
            None => LaunchFile::assumed(entry_named(&entries, self.entry.as_deref()).map_err(unread)?),
        };
        launch.entry = launch.entry.or(self.entry.clone());
        if self.init {
            super::output::print(&serde_yaml::to_string(&launch).context("a launch can be written")?)?;
            return Ok(ExitCode::SUCCESS);
        }
        if self.launch.is_none() {
            super::output::say("note: no --launch: one thread and drawn inputs, as --init prints them");
        }
        let case = launch.case(&module, &entries).map_err(unread)?;
        if let Some(other) = &self.against {
            let other_module = read(other)?;
            let unread = |why: String| anyhow!("{}: {why}", other.display());
            let other_entries = interpreter.entries(&other_module).map_err(unread)?;
            let other_case = launch.case(&other_module, &other_entries).map_err(unread)?;
            let (text, code) = blame::against(&interpreter, &case, &other_case);
            super::output::print(&text)?;
            return Ok(ExitCode::from(code));
        }
        let divergences = super::load::load_divergences(specs, &spec)?;
        let engines = self.engines(&spec, &module)?;
        let progress = super::run::interruptible()?;
        let say = |what: &str| super::output::say(what);
        let found = blame::blame(&spec, &divergences, &engines, &case, &progress, &say)?;
        if engines.is_empty() && matches!(found.meaning, Meaning::Result(_)) {
            bail!("no ptxas was found; install some with `ptx-conform toolchain install 13.5 12.9 12.4`");
        }
        let report = BlameReport::new(&case, &found);
        match self.format {
            AnswerFormat::Text => super::output::print(&blame_text(&report))?,
            AnswerFormat::Json => super::output::print_json(&(serde_json::to_string_pretty(&report)? + "\n"))?,
        }
        // An assembler that refuses the module says nothing about it.
        let count = |verdict: BlameVerdict| report.engines.iter().filter(|row| row.verdict == verdict).count();
        let silent = count(BlameVerdict::CannotTell) + count(BlameVerdict::Undefined);
        Ok(match (report.blamed(), count(BlameVerdict::Right), silent) {
            _ if report.interrupted => ExitCode::from(2),
            (0, 1.., 0) => ExitCode::SUCCESS,
            (0, ..) => ExitCode::from(2),
            _ => ExitCode::from(1),
        })
    }

    /// The machine code to execute: each build for each target and level, the newest build first; none if no ptxas is here.
    fn engines(&self, spec: &ptx_conform::spec::Spec, module: &str) -> anyhow::Result<Vec<Sass>> {
        let builds: Vec<Installed> = match self.version.is_empty() {
            true => toolchain::all(),
            false => self.version.iter().map(|version| toolchain::find(version)).collect::<Result<_, _>>()?,
        };
        if builds.is_empty() {
            return Ok(Vec::new());
        }
        // Each once, in order, however they are named: ranges are of neighbours.
        let mut builds = toolchain::newest_first(builds);
        builds.dedup();
        let targets = self.targets(spec, module)?;
        let levels: &[u8] = if self.level.is_empty() { &[3, 0] } else { &self.level };
        let mut engines = Vec::new();
        for build in &builds {
            let Some(disassembler) = toolchain::disassembler(&build.path) else {
                bail!("no nvdisasm was found; `ptx-conform toolchain install` installs it with a ptxas");
            };
            for target in &targets {
                for level in levels {
                    let configuration = Configuration::new(*target, *level);
                    engines.push(Sass::open(&build.path, &disassembler, toolchain::disassembled(), configuration)?);
                }
            }
        }
        Ok(engines)
    }

    /// The targets to compile for.
    fn targets(&self, spec: &ptx_conform::spec::Spec, module: &str) -> anyhow::Result<Vec<MachineTarget>> {
        let known = MachineTarget::ALL.map(|target| target.name).join(", ");
        if !self.target.is_empty() {
            let named = |name: &String| {
                MachineTarget::named(name)
                    .with_context(|| format!("the machine code of `{name}` is not known; known are {known}"))
            };
            return self.target.iter().map(named).collect();
        }
        let environment = environment_of(&Module::read(module, &spec.isa)).map_err(|why| anyhow!(why))?;
        let number = |name: &str| {
            name.trim_start_matches("sm_").trim_end_matches(char::is_alphabetic).parse::<u32>().unwrap_or(0)
        };
        let least = number(&environment.target.to_string());
        let mut fitting: Vec<MachineTarget> =
            MachineTarget::ALL.into_iter().filter(|target| number(target.name) >= least).collect();
        if fitting.is_empty() {
            bail!("the module is made for {}, whose machine code is not known; known are {known}", environment.target);
        }
        let (first, last) = (fitting[0], fitting[fitting.len() - 1]);
        fitting.retain(|target| [first.name, MachineTarget::SM_90.name, last.name].contains(&target.name));
        Ok(fitting)
    }
}

fn read(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))
}
