//! `ptx-conform run`: the main job.

use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context as _, bail};
use indicatif::{ProgressBar, ProgressStyle};

use ptx_conform::divergence::Date;
use ptx_conform::engine::CaseExecutor;
use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::finding;
use ptx_conform::report::Report;
use ptx_conform::run::{self, Generate, Options, Progress, Results, Strategy};
use ptx_conform::spec::Spec;

/// Generate cases, ask the engines, compare, report.
///
/// Example: ptx-conform run --engine ptxas@13.5 --engine ptxas@11.8 --name nightly
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    /// Opcodes to test [default: all of the specification].
    instructions: Vec<String>,
    #[command(flatten)]
    engines: super::EngineOpts,
    /// How much of each space is tested in the newest environment.
    #[arg(long, value_enum, default_value = "pairs")]
    strategy: StrategyOption,
    /// The size below which `--strategy complete` tests a space completely.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    limit: u64,
    /// Random valid variants of each form beside that, and for each hundred of them one random
    /// breach of each rule.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    random: u64,
    /// Which claimed-valid lines are taken through code generation as well.
    #[arg(long, value_enum, default_value = "sample")]
    generate_code: GenerateOption,
    /// Leave out the boundaries of PTX versions and targets.
    #[arg(long)]
    no_boundaries: bool,
    /// Try no words in slots. Otherwise each slot is tried with every modifier of PTX, and with the
    /// modifier-like words that the engine's binary contains.
    #[arg(long)]
    no_vocabulary: bool,
    /// Test in this PTX version only (with --target).
    #[arg(long, value_name = "VERSION", requires = "target")]
    ptx: Option<String>,
    /// Test for this target only (with --ptx).
    #[arg(long, value_name = "TARGET", requires = "ptx")]
    target: Option<String>,
    /// The address size, with --ptx and --target.
    #[arg(long, value_name = "BITS", default_value = "64")]
    address_size: String,
    /// What random draws start from.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Execute nothing. Otherwise all engines that can do: those asked for, a GPU where there is one, and
    /// the recordings in corpus/recordings/.
    #[arg(long)]
    no_execution: bool,
    /// Cases of each form that are executed [default: every combination of two choices, and as many drawn
    /// ones].
    #[arg(long, value_name = "N")]
    cases: Option<usize>,
    /// Rows of inputs of each case that is executed.
    #[arg(long, value_name = "N", default_value_t = 16)]
    rows: usize,
    /// Lines asked about together.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    batch: usize,
    /// Threads, each with an engine process [default: one per core].
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Write the YAML that would list the new findings to `divergences.yaml` beside the report, for
    /// review.
    #[arg(long)]
    write_divergences: bool,
    /// The day that divergences are held against which expire [default: today].
    #[arg(long, value_name = "YYYY-MM-DD")]
    today: Option<Date>,
    /// The report's name: it is written to `reports/NAME/`.
    #[arg(long, value_name = "NAME", default_value = "latest")]
    name: String,
    /// Where reports are written.
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum StrategyOption {
    /// Covering arrays of all combinations of two choices.
    Pairs,
    /// Covering arrays of all combinations of three choices.
    Triples,
    /// Every variant where there are fewer than the limit, else triples.
    Complete,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum GenerateOption {
    /// None.
    None,
    /// Some, evenly spread.
    Sample,
    /// All.
    All,
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        let spec = super::load_spec(specs)?;
        let divergences = super::load_divergences(specs, &spec)?;
        super::instructions(&spec, &self.instructions)?;
        let options = self.options(&spec)?;
        let directory = self.reports.join(folder(&self.name)?);
        // Before hours are spent: a report that cannot be written is of no use.
        prepare(&directory)?;
        let mut engines = self.engines.open(specs)?;
        let judging = engines.len();
        let absent = if self.no_execution { Vec::new() } else { super::add_executing(specs, &mut engines) };
        if let Some(jobs) = self.jobs {
            rayon::ThreadPoolBuilder::new()
                .num_threads(jobs)
                .build_global()
                .context("the threads cannot be started")?;
        }
        let subjects = super::subjects(&engines[..judging], &spec.isa);
        let executing: Vec<&dyn CaseExecutor> = engines
            .iter()
            .filter_map(|opened| opened.engine.as_executor())
            .filter(|engine| executes(&spec, *engine))
            .collect();
        let executing = if self.no_execution { Vec::new() } else { executing };
        let (mut results, findings, executed) = with_progress(|progress| {
            let mut results = run::run(&spec, &divergences, &subjects, &options, progress);
            let findings = finding::find(&spec, &divergences, &subjects, &results, progress);
            run::execute(&spec, &divergences, &executing, &options, progress, &mut results);
            results.absent.extend(absent);
            let executed = finding::find_executed(&spec, &divergences, &executing, &results, progress);
            (results, findings, executed)
        })?;
        super::say_notes(&engines);
        results.lost = lost(&engines[..judging], &results);
        results.lost.extend(super::losses(&engines));
        let report = Report::new(&spec, &divergences, &options, &results, findings?, executed?);
        report.write(&directory).with_context(|| format!("the report cannot be written to {}", directory.display()))?;
        report.write_cases(&directory.join("cases")).context("the cases of the findings cannot be written")?;
        if self.write_divergences {
            let path = directory.join("divergences.yaml");
            std::fs::write(&path, report.proposed())
                .with_context(|| format!("{} cannot be written", path.display()))?;
        }
        super::print(&report.text())?;
        super::print(&format!("report: {}\n", directory.join("index.html").display()))?;
        Ok(match () {
            () if results.interrupted || results.judged() == 0 || report.confused() => ExitCode::from(2),
            () if !results.agreed() => ExitCode::from(1),
            () if !results.lost.is_empty() => ExitCode::from(2),
            () => ExitCode::SUCCESS,
        })
    }

    fn options(&self, spec: &Spec) -> anyhow::Result<Options> {
        let environment = match (&self.ptx, &self.target) {
            (Some(ptx), Some(target)) => {
                let environment = Environment {
                    ptx: ptx.parse()?,
                    target: target.parse()?,
                    address_size: self.address_size.parse::<AddressSize>()?,
                };
                ptx_conform::judge::Judge::new(spec, &environment)?;
                Some(environment)
            }
            _ => None,
        };
        Ok(Options {
            instructions: self.instructions.clone(),
            strategy: match self.strategy {
                StrategyOption::Pairs => Strategy::Pairs,
                StrategyOption::Triples => Strategy::Triples,
                StrategyOption::Complete => Strategy::Complete,
            },
            limit: u128::from(self.limit),
            random: self.random,
            boundaries: !self.no_boundaries,
            generate: match self.generate_code {
                GenerateOption::None => Generate::Nothing,
                GenerateOption::Sample => Generate::Sample,
                GenerateOption::All => Generate::Everything,
            },
            seed: self.seed,
            cases: self.cases.unwrap_or(usize::MAX),
            rows: self.rows.max(1),
            batch: self.batch.max(1),
            today: Some(self.today.clone().unwrap_or_else(|| Date::of(std::time::SystemTime::now()))),
            environment,
            vocabulary: !self.no_vocabulary,
        })
    }
}

/// Whether an engine executes anything of the specification.
fn executes(spec: &Spec, engine: &dyn CaseExecutor) -> bool {
    engine.recorded().is_some() || run::executing_environment(spec, engine).is_ok()
}

/// The name of a report as that of a folder in the directory of reports, and of nothing else.
fn folder(name: &str) -> anyhow::Result<&str> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(part)), None) if part == name => Ok(name),
        _ => bail!("`{name}` is not a name for a report: write one without `/`; --reports says where it is written"),
    }
}

/// Engines that were asked for and judged nothing, and why as far as they say.
fn lost(engines: &[super::Opened], results: &Results) -> Vec<String> {
    let silent = |opened: &&super::Opened| {
        let id = opened.engine.id().as_str();
        let lines: u64 = results.engines.iter().filter(|of| of.name == id).map(|of| of.tally.cases()).sum();
        let rows: u64 = results.executed.iter().filter(|of| of.name == id).map(|of| of.judged()).sum();
        lines + rows == 0
    };
    engines.iter().filter(silent).map(|opened| format!("{} judged nothing", opened.engine.id())).collect()
}

fn prepare(directory: &Path) -> anyhow::Result<()> {
    let help = || format!("{} cannot be written to; choose another place with --reports", directory.display());
    std::fs::create_dir_all(directory).with_context(help)?;
    tempfile::tempfile_in(directory).map(drop).with_context(help)
}

/// Runs with a progress bar on standard error (none where that is no terminal), and with interrupts
/// ending the run early: what was done until then is reported.
pub(super) fn with_progress<T>(work: impl FnOnce(&Progress) -> T) -> anyhow::Result<T> {
    let progress = std::sync::Arc::new(Progress::default());
    let told = std::sync::Arc::clone(&progress);
    ctrlc::set_handler(move || {
        // The second time the user means it.
        if told.stop.swap(true, Ordering::Relaxed) {
            std::process::exit(2);
        }
        ptx_conform::engine::interrupt();
        eprintln!("interrupted: finishing what is under way; again to stop at once");
    })
    .context("interrupts cannot be caught")?;
    let bar = ProgressBar::new(0);
    bar.set_style(ProgressStyle::with_template("{elapsed_precise} {bar:40} {pos}/{len} batches {msg}")?);
    let done = std::sync::atomic::AtomicBool::new(false);
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                bar.set_length(progress.planned.load(Ordering::Relaxed));
                bar.set_position(progress.done.load(Ordering::Relaxed));
                bar.set_message(format!("{} cases", progress.cases.load(Ordering::Relaxed)));
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        // Set even where the work panics, so that the scope ends.
        let _done = SetOnDrop(&done);
        work(&progress)
    });
    bar.finish_and_clear();
    Ok(result)
}

struct SetOnDrop<'a>(&'a std::sync::atomic::AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
