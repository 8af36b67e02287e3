//! `ptx-conform run`: the main job.

mod borders;
mod deeper;
mod exhaustive;

use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use indicatif::{ProgressBar, ProgressStyle};

use ptx_conform::campaign::{
    self, EngineResult, Generate, Options, Progress, Results, RunDepth, Shard, Stage, Strategy,
};
use ptx_conform::case::InternalError;
use ptx_conform::causes;
use ptx_conform::divergences::{Date, Divergences};
use ptx_conform::engine::CaseExecutor;
use ptx_conform::environment::{AddressSize, Environment};
use ptx_conform::matrix::{Matrix, Survey};
use ptx_conform::must::Must as _;
use ptx_conform::plural::counted;
use ptx_conform::releases::ReleaseTable;
use ptx_conform::report::{self, HistoryLine, News, PageSources, Report, ReportFolder, RunVerdict, SupportReport};
use ptx_conform::spec::{Instruction, Spec};

/// The usual size below which a space is tested completely.
const LIMIT: u64 = 1_000_000;
/// The lines that are usually taken through code generation.
const CODE: &str = "sample";
/// The usual address size.
const ADDRESS_SIZE: &str = "64";
/// The usual seed.
const SEED: u64 = 0;

/// Generate cases, ask the engines, compare, and report
///
/// Example: ptx-conform run --engine ptxas@13.5 --engine ptxas@11.8 --name nightly
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    /// Opcodes to test [default: all].
    instructions: Vec<String>,
    #[command(flatten)]
    engines: super::engines::EngineOpts,
    /// How deep to look. The options below change parts of it.
    #[arg(long, value_enum, default_value = "choices")]
    depth: DepthOption,
    /// How much of each space to test in the newest environment [default: by depth].
    #[arg(long, value_enum)]
    strategy: Option<StrategyOption>,
    /// Spaces with fewer variants than this are tested completely by `--strategy complete`.
    #[arg(long, value_name = "N", default_value_t = LIMIT)]
    limit: u64,
    /// Additional random valid variants of each form; for every hundred of them, each rule gets one
    /// random breach [default: by depth; `pairs`: 10000 of each instruction, shared by its forms].
    #[arg(long, value_name = "N")]
    random: Option<u64>,
    /// Which valid lines to take through code generation as well.
    #[arg(long, value_enum, default_value = CODE)]
    generate_code: GenerateOption,
    /// Do not test around the PTX versions and targets that introduce something.
    #[arg(long)]
    no_boundaries: bool,
    /// Do not make the support matrix (`--depth pairs`): from which PTX version and target on each engine accepts each
    /// modifier.
    #[arg(long)]
    no_matrix: bool,
    /// Do not try words in slots. With `--depth pairs` each slot is tried with every modifier of PTX, and with
    /// every modifier-like word in the engine's binary.
    #[arg(long)]
    no_vocabulary: bool,
    /// Test only this PTX version (with --target).
    #[arg(long, value_name = "VERSION", requires = "target")]
    ptx: Option<String>,
    /// Test only this target (with --ptx).
    #[arg(long, value_name = "TARGET", requires = "ptx")]
    target: Option<String>,
    /// Address size, with --ptx and --target.
    #[arg(long, value_name = "BITS", default_value = ADDRESS_SIZE)]
    address_size: String,
    /// Seed of all random draws.
    #[arg(long, value_name = "N", default_value_t = SEED)]
    seed: u64,
    /// Do not execute. By default every engine that can execute is used: those given by --engine, the machine code of
    /// the newest ptxas among them, a GPU if there is one, and the recordings in corpus/recordings/.
    #[arg(long)]
    no_execution: bool,
    /// The most cases to execute of each form, with each choice about as often [default: 48; `--depth pairs`: a covering array
    /// of all pairs of choices and three random cases for each of its cases, at most 300 of them as machine code]. Plain lines are
    /// executed beside them, of registers without a guard: each pair of types, and with `--depth pairs` each pair of modifiers.
    #[arg(long, value_name = "N")]
    cases: Option<usize>,
    /// Rows of inputs for each executed case [default: 16].
    #[arg(long, value_name = "N")]
    rows: Option<usize>,
    /// Chains of two to five lines whose results feed the next, to execute on each engine that executes kernels
    /// [default: 1024; `--depth pairs`: 32768; 0 if opcodes are named].
    #[arg(long, value_name = "N")]
    chains: Option<u64>,
    /// Execute lines whose only input is a register of up to 32 bits with every value of it, one line for each combination of
    /// modifiers or only this one (`--exhaustive=ex2.approx.ftz.f32`), and do nothing else. What is done is kept in
    /// `exhaustive.jsonl` beside the report: the same command goes on.
    #[arg(
        long,
        value_name = "OPCODE.MODIFIERS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with_all = ["plan", "no_execution", "shard"]
    )]
    exhaustive: Option<String>,
    /// The size of the largest inputs of --exhaustive in bits: 16 takes minutes for all lines, 32 for one.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..=32), requires = "exhaustive")]
    exhaustive_bits: u16,
    /// Run only one part of the plan: 2/8 is the second of eight. Together the parts are the whole plan.
    #[arg(long, value_name = "N/M", default_value_t = Shard::WHOLE)]
    shard: Shard,
    /// Do not ask every installed ptxas, for all targets and levels, about the wrong code and the crashes that the run finds.
    #[arg(long)]
    no_borders: bool,
    /// Print the planned lines as JSON Lines, and run nothing.
    #[arg(long)]
    plan: bool,
    /// Lines per batch.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    batch: usize,
    /// Number of threads, each with its own engine process [default: one per core].
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Also write the YAML that would list the new findings to `divergences.yaml`, next to the report.
    #[arg(long)]
    write_divergences: bool,
    /// Date used to check whether divergences have expired [default: today].
    #[arg(long, value_name = "YYYY-MM-DD")]
    today: Option<Date>,
    /// Name of the report, which is written to `reports/NAME/`.
    #[arg(long, value_name = "NAME", default_value = "latest")]
    name: String,
    /// Directory of all reports.
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,
    /// The history of runs, to which one line is added [default: `history.jsonl` in the directory of all reports].
    #[arg(long, value_name = "FILE", conflicts_with = "no_history")]
    history: Option<PathBuf>,
    /// Neither read the history of runs nor add to it.
    #[arg(long)]
    no_history: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum DepthOption {
    /// Only the listed divergences: those of the engine's version must show, and those of other versions must not.
    Listed,
    /// Each choice of each form, a few breaches of each rule, each PTX version and target that something needs, each
    /// listed divergence: a first answer.
    Choices,
    /// Each pair of choices, each choice in the breaches of each rule, 10,000 random lines of each instruction, all
    /// environments around requirements, every word in every slot, the support matrix, and five times the rows.
    Pairs,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum StrategyOption {
    /// Covering arrays of all choices, and four breaches of each rule.
    Choices,
    /// Covering arrays of all combinations of two choices.
    Pairs,
    /// Covering arrays of all combinations of three choices.
    Triples,
    /// All variants of spaces smaller than the limit, triples for the others.
    Complete,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum GenerateOption {
    /// No lines.
    None,
    /// Some lines, evenly spread.
    Sample,
    /// All lines.
    All,
}

/// Sets the number of threads, before anything is done in parallel: there is only one pool.
pub(super) fn use_threads(jobs: Option<usize>) -> anyhow::Result<()> {
    let Some(jobs) = jobs else { return Ok(()) };
    rayon::ThreadPoolBuilder::new().num_threads(jobs).build_global().context("the threads cannot be started")
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        use_threads(self.jobs)?;
        let spec = super::load::load_spec(specs)?;
        let divergences = super::load::load_divergences(specs, &spec)?;
        let releases = super::load::load_listed_releases(specs, &spec.isa)?;
        super::load::instructions(&spec, &self.instructions)?;
        let options = self.options(&spec)?;
        let directory = self.reports.join(folder(&self.name)?);
        // Checked before hours are spent on a report that cannot be written.
        let mut place = if self.plan { None } else { Some(self.prepare(&directory)?) };
        let mut engines = self.engines.open(specs)?;
        let judging = engines.len();
        let execution = !self.no_execution;
        let absent = if execution { super::engines::add_executing(specs, &mut engines) } else { Vec::new() };
        let subjects = super::engines::all_subjects(&engines, judging, &spec.isa, |executor| {
            execution && executes(&spec, executor)
        });
        if self.plan {
            return list(&spec, &subjects, &options);
        }
        if self.exhaustive.is_some() {
            return self.walk((&spec, &divergences), &subjects, &directory);
        }
        let (mut results, findings, matrix) = with_progress(|progress| {
            let mut results = campaign::run(&spec, &divergences, &subjects, &options, progress);
            results.absent.extend(absent);
            progress.begin(Stage::Causes);
            let find = || causes::find(&spec, &divergences, &subjects, &results, progress);
            let findings = InternalError::caught(find);
            let matrix = || self.matrix(&spec, &divergences, &subjects, &results, &options, progress);
            let matrix = InternalError::caught(matrix);
            progress.begin(Stage::Report);
            (results, findings, matrix)
        })?;
        results.notes = engines.iter().flat_map(|opened| opened.engine.notes()).collect();
        results.note_joint_deaths(&spec, &divergences, &subjects);
        results.lost = lost(&engines, judging, &results);
        // An error of ours in one of them loses nothing of what the run found before.
        let mut noted = |error: InternalError| results.internal_errors.push(error.to_string());
        let (findings, matrix) = (findings.map_err(&mut noted), matrix.map_err(&mut noted));
        let (findings, matrix) = (findings.unwrap_or_default(), matrix.unwrap_or_default());
        let mut report = Report::new(&spec, &divergences, &options, &results, findings);
        report.date = self.today.as_ref().map(ToString::to_string);
        report.deeper = self.deeper(&spec, &options, &results, specs);
        report.support = matrix.as_ref().map(SupportReport::new);
        if !self.no_borders && report.verdict != RunVerdict::Interrupted {
            borders::add(&spec, &mut report);
        }
        report.settle();
        let place = place.as_mut().must("only a plan has no folder");
        let written = self.write(&mut report, (&spec, &divergences), (matrix.as_ref(), releases.as_ref()), place);
        // Printed even if the report cannot be written: hours may have been spent on it.
        super::output::print(&report.text())?;
        written?;
        super::output::print(&format!("report: {}\n", directory.join("index.html").display()))?;
        Ok(self.exit_code(&spec, report.verdict))
    }

    fn exit_code(&self, spec: &Spec, verdict: RunVerdict) -> ExitCode {
        match verdict {
            // An instruction whose file has errors was not asked about.
            RunVerdict::Agreed if self.instructions.is_empty() && !spec.left_out.is_empty() => ExitCode::from(2),
            RunVerdict::Agreed => ExitCode::SUCCESS,
            RunVerdict::Disagreed => ExitCode::from(1),
            RunVerdict::CouldNotJudge | RunVerdict::Interrupted | RunVerdict::InternalError => ExitCode::from(2),
        }
    }

    /// Compares a report with the history, writes everything about it, and adds it to the history.
    fn write(
        &self,
        report: &mut Report,
        (spec, divergences): (&Spec, &Divergences),
        (matrix, releases): (Option<&Matrix>, Option<&ReleaseTable>),
        place: &mut ReportFolder,
    ) -> anyhow::Result<()> {
        let history = self.history();
        let line = HistoryLine::new(report, &self.name);
        let earlier = history.as_deref().map(read_history).unwrap_or_default();
        report.news = News::new(&earlier, &line);
        let mut runs: Vec<HistoryLine> = earlier.into_iter().map(|(_, line)| line).collect();
        runs.push(line);
        let sources = PageSources { spec, divergences, history: &runs, matrix, releases };
        let proposed = self.write_divergences.then(|| ("divergences.yaml".to_owned(), report.proposed()));
        let path = place.path().display().to_string();
        report.write(&sources, place, proposed.into_iter().collect()).with_context(|| {
            format!("the report cannot be written to {path}; make room or choose another with --reports")
        })?;
        if let (Some(path), Some(line)) = (&history, runs.last()) {
            line.append(path).with_context(|| format!("{} cannot be written", path.display()))?;
        }
        Ok(())
    }

    /// Makes the folder of the report, and keeps other runs from it.
    fn prepare(&self, directory: &Path) -> anyhow::Result<ReportFolder> {
        let help = || format!("{} cannot be used; choose another with --name or --reports", directory.display());
        let mut place = ReportFolder::lock(directory).with_context(help)?;
        if self.exhaustive.is_none() {
            place.begin().with_context(help)?;
        }
        if let Some(path) = self.history() {
            let help = || format!("{} cannot be written to; choose another file with --history", path.display());
            report::open_history(&path).map(drop).with_context(help)?;
        }
        Ok(place)
    }

    /// The file of the history; none if it is not wanted.
    fn history(&self) -> Option<PathBuf> {
        let usual = || self.reports.join("history.jsonl");
        (!self.no_history).then(|| self.history.clone().unwrap_or_else(usual))
    }

    /// The support matrix of the run's instructions, as the engines have it that judged; none if it is not wanted.
    fn matrix(
        &self,
        spec: &Spec,
        divergences: &Divergences,
        subjects: &[campaign::Subject<'_>],
        results: &Results,
        options: &Options,
        progress: &Progress,
    ) -> Result<Option<Matrix>, InternalError> {
        // Only one shard makes it, and a run in one environment cannot.
        if self.no_matrix || !options.depth.budget().matrix || self.ptx.is_some() || self.shard.number != 1 {
            return Ok(None);
        }
        let instructions = spec.instructions.iter();
        let named = |of: &&Instruction| self.instructions.is_empty() || self.instructions.contains(&of.name);
        progress.begin(Stage::Matrix);
        let mut survey = Survey::by_manual(spec, &instructions.filter(named).collect::<Vec<_>>());
        for subject in subjects.iter().filter(|subject| results.judges(subject)) {
            survey.observe(divergences, subject, progress)?;
        }
        Ok(Some(survey.into_matrix()))
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
        let depth = match self.depth {
            DepthOption::Listed => RunDepth::Listed,
            DepthOption::Choices => RunDepth::Choices,
            DepthOption::Pairs => RunDepth::Pairs,
        };
        let budget = depth.budget();
        Ok(Options {
            instructions: self.instructions.clone(),
            depth,
            strategy: match self.strategy {
                None => budget.strategy,
                Some(StrategyOption::Choices) => Strategy::Choices,
                Some(StrategyOption::Pairs) => Strategy::Pairs,
                Some(StrategyOption::Triples) => Strategy::Triples,
                Some(StrategyOption::Complete) => Strategy::Complete,
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
            cases: self.cases.or(budget.cases),
            rows: self.rows.unwrap_or(budget.rows).max(1),
            chains: self.chains,
            batch: self.batch.max(1),
            today: Some(self.today.clone().unwrap_or_else(|| Date::of(std::time::SystemTime::now()))),
            environment,
            vocabulary: budget.vocabulary && !self.no_vocabulary,
            modifiers: true,
            shard: self.shard,
        })
    }
}

/// True if an engine can execute anything of the specification.
fn executes(spec: &Spec, engine: &dyn CaseExecutor) -> bool {
    engine.recorded().is_some() || campaign::executing_environment(spec, engine).is_ok()
}

/// Prints the tasks of a plan, one per line.
fn list(spec: &Spec, subjects: &[campaign::Subject<'_>], options: &Options) -> anyhow::Result<ExitCode> {
    for subject in subjects.iter().filter(|subject| subject.judge.is_some()) {
        for task in campaign::plan(spec, subject, options) {
            let Some(instruction) = spec.named(&task.instruction) else { continue };
            super::output::print(&format!("{}\n", task.describe(instruction)))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The name of a report, if it is the name of a directory and not a longer path.
fn folder(name: &str) -> anyhow::Result<&str> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(part)), None) if part == name && !name.chars().any(char::is_control) => Ok(name),
        _ => bail!(
            "`{name}` is not a report name: it must not contain `/` or control characters; choose the directory with --reports"
        ),
    }
}

/// The questions without an answer, and those of the first `judging` engines that judged nothing.
fn lost(engines: &[super::engines::Opened], judging: usize, results: &Results) -> Vec<String> {
    let silent = |opened: &&super::engines::Opened| {
        let id = opened.engine.id().as_str();
        results.engines.iter().filter(|of| of.name == id).map(EngineResult::judged).sum::<u64>() == 0
    };
    let nothing = engines[..judging].iter().filter(silent);
    let nothing = nothing.map(|opened| report::judged_nothing(opened.engine.id().as_str()));
    let unexplained = engines.iter().flat_map(|opened| opened.engine.unexplained());
    let silent = results.engines.iter().flat_map(EngineResult::silent);
    nothing.chain(super::engines::losses(engines)).chain(unexplained).chain(silent).collect()
}

/// The runs of a history, with the numbers of their lines.
fn read_history(path: &Path) -> Vec<(usize, HistoryLine)> {
    let (history, problems) = HistoryLine::read(path);
    problems.iter().for_each(|problem| super::output::say(&format!("warning: {problem}")));
    history
}

/// Says so often where a run without a terminal stands.
const HALF_A_MINUTE: Duration = Duration::from_secs(30);

/// A progress that an interrupt stops.
pub(super) fn interruptible() -> anyhow::Result<std::sync::Arc<Progress>> {
    let progress = std::sync::Arc::new(Progress::default());
    let told = std::sync::Arc::clone(&progress);
    ctrlc::set_handler(move || {
        // The second interrupt ends the run at once.
        if told.stop.swap(true, Ordering::Relaxed) {
            std::process::exit(2);
        }
        ptx_conform::engine::interrupt();
        eprintln!("interrupted: finishing what is running; interrupt again to stop immediately");
    })
    .context("interrupts cannot be caught")?;
    Ok(progress)
}

/// Runs with a progress bar on standard error; if that is not a terminal, with a line every half minute. An interrupt ends
/// the run early, and what was done until then is reported.
pub(super) fn with_progress<T>(work: impl FnOnce(&Progress) -> T) -> anyhow::Result<T> {
    let progress = interruptible()?;
    let bar = ProgressBar::new(0);
    bar.set_style(ProgressStyle::with_template("{elapsed_precise} {bar:40} {pos}/{len} batches {msg}")?);
    let done = std::sync::atomic::AtomicBool::new(false);
    let started = Instant::now();
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut next = HALF_A_MINUTE;
            while !done.load(Ordering::Relaxed) {
                let [planned, batches, cases] =
                    [&progress.planned, &progress.done, &progress.cases].map(|of| of.load(Ordering::Relaxed));
                bar.set_length(planned);
                bar.set_position(batches);
                bar.set_message(format!("{}, {}", counted(cases, "case"), progress.stage()));
                if bar.is_hidden() && started.elapsed() >= next {
                    next += HALF_A_MINUTE;
                    let (seconds, stage) = (started.elapsed().as_secs(), progress.stage());
                    super::output::say(&format!(
                        "after {seconds} s: {stage}; {batches} of {planned} batches, {}",
                        counted(cases, "case")
                    ));
                }
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        // Set even if the work panics, so that the scope ends.
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
