//! `ptx-conform run`: the main job.

mod answers;
mod borders;
mod deeper;
mod exhaustive;
mod header;
mod matrix;
mod options;
mod progress;
mod resume;
mod shard;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};

use ptx_conform::campaign::{
    self, AskingStage, Asks, Campaign, EngineResult, KeptEngine, Options, Results, Shard, Stage, Subject,
};
use ptx_conform::case::InternalError;
use ptx_conform::causes;
use ptx_conform::divergences::{Date, Divergences};
use ptx_conform::engine::CaseExecutor;
use ptx_conform::ledger::{Ledger, LedgerError, RunHeader};
use ptx_conform::matrix::{Matrix, Survey};
use ptx_conform::must::Must as _;
use ptx_conform::releases::ReleaseTable;
use ptx_conform::report::{self, HistoryLine, News, PageSources, Report, ReportFolder, RunVerdict, SupportReport};
use ptx_conform::spec::Spec;

use answers::{AnswerOpts, RunAnswers};
use options::{DepthOption, GenerateOption, StrategyOption};
use resume::GoingOn;

/// The usual size below which a space is tested completely.
const LIMIT: u64 = 1_000_000;
/// The lines that are usually taken through code generation.
const CODE: &str = "sample";
/// The usual address size.
const ADDRESS_SIZE: &str = "64";
/// The usual seed.
const SEED: u64 = 0;
/// The usual number of lines of a batch.
const BATCH: usize = 10_000;

/// Generate cases, ask the engines, compare, and report
///
/// Example: ptx-conform run --engine ptxas@13.5 --engine ptxas@11.8 --name nightly
#[derive(Clone, Debug, clap::Args)]
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
    /// Run only one part of the plan: 2/8 is the second of eight. A part has a ledger and no report: `report merge` makes one report
    /// of all parts.
    #[arg(long, value_name = "N/M", default_value_t = Shard::WHOLE)]
    shard: Shard,
    /// Share the tasks among the parts by what they cost in this ledger of an earlier run. All parts need the same.
    #[arg(long, value_name = "LEDGER")]
    costs: Option<PathBuf>,
    #[command(flatten)]
    going: GoingOn,
    #[command(flatten)]
    answers: AnswerOpts,
    /// Do not ask every installed ptxas, for all targets and levels, about the wrong code and the crashes that the run finds.
    #[arg(long)]
    no_borders: bool,
    /// Print the planned lines as JSON Lines, and run nothing.
    #[arg(long)]
    plan: bool,
    /// Lines per batch.
    #[arg(long, value_name = "N", default_value_t = BATCH)]
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

/// Sets the number of threads, before anything is done in parallel: there is only one pool.
pub(super) fn use_threads(jobs: Option<usize>) -> anyhow::Result<()> {
    let Some(jobs) = jobs else { return Ok(()) };
    rayon::ThreadPoolBuilder::new().num_threads(jobs).build_global().context("the threads cannot be started")
}

pub(super) use progress::{interruptible, with_progress};
pub(super) use resume::LEDGER;

/// Concludes the run in a directory, and asks nothing that is a task of its plan.
pub(super) fn conclude(directory: &Path, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
    let kept = resume::options_of(directory)?;
    let name = directory.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let reports = directory.parent().map(Path::to_owned).unwrap_or_default();
    let whole = Opts { name, reports, ..kept };
    let asks = Asks::Nothing { parts: whole.going.parts.unwrap_or(1) };
    whole.start(specs, asks, true)
}

/// The sources that a run reads before it asks anything.
struct RunSources<'a> {
    spec: &'a Spec,
    divergences: &'a Divergences,
    releases: Option<&'a ReleaseTable>,
    specs: Option<&'a Path>,
}

/// The engines of a run.
struct RunEngines<'a> {
    opened: &'a [super::engines::Opened],
    /// How many of them were asked for; these judge.
    judging: usize,
    subjects: &'a [Subject<'a>],
    /// Their answers of earlier runs.
    answers: &'a RunAnswers,
    /// Engines that could not be opened, each with the reason.
    absent: Vec<(String, String)>,
}

impl RunEngines<'_> {
    /// The results of all tasks.
    fn ask(&self, run: &Campaign<'_>, ledger: &Ledger, survey: Option<&Survey<'_>>) -> Results {
        let preparations = survey.map(|survey| matrix::preparations(run, ledger, survey, self));
        let kept = self.answers.keeping(self.subjects, AskingStage::Tasks, ledger, run.progress);
        let subjects: Vec<Subject<'_>> = kept.iter().map(KeptEngine::subject).collect();
        let mut results = run.ask(&subjects, &preparations.unwrap_or_default());
        let failed = kept.into_iter().filter_map(KeptEngine::into_failure).next();
        results.ledger_failure = results.ledger_failure.take().or(failed.map(|why| why.to_string()));
        results
    }
}

impl Opts {
    pub(crate) fn run(self, specs: Option<&Path>) -> anyhow::Result<ExitCode> {
        let (opts, resumed) = match &self.going.resume {
            Some(name) => (resume::kept_options(&self, name)?, true),
            None => (self, false),
        };
        // Also a part that goes on does its own tasks only, and is not concluded.
        let asks = if opts.shard == Shard::WHOLE { Asks::Everything } else { Asks::Shard(opts.shard) };
        opts.start(specs, asks, resumed)
    }

    /// Runs; `resumed`: with the ledger that is there.
    fn start(self, specs: Option<&Path>, asks: Asks, resumed: bool) -> anyhow::Result<ExitCode> {
        use_threads(self.jobs)?;
        let progress = progress::interruptible()?;
        let spec = super::load::load_spec(specs)?;
        let divergences = super::load::load_divergences(specs, &spec)?;
        let releases = super::load::load_listed_releases(specs, &spec.isa)?;
        let sources = RunSources { spec: &spec, divergences: &divergences, releases: releases.as_ref(), specs };
        super::load::instructions(&spec, &self.instructions)?;
        let options = self.options(&spec)?;
        let directory = self.directory()?;
        // Checked before hours are spent on a report that cannot be written.
        let place = if self.plan { None } else { Some(self.prepare(&directory)?) };
        let mut engines = self.engines.open(specs)?;
        let judging = engines.len();
        let execution = !self.no_execution;
        let absent = if execution { super::engines::add_executing(specs, &mut engines) } else { Vec::new() };
        progress::check_uninterrupted(&progress)?;
        let subjects = super::engines::all_subjects(&engines, judging, &spec.isa, |executor| {
            execution && executes(&spec, executor)
        });
        if self.plan {
            return list(&spec, &subjects, &options);
        }
        if self.exhaustive.is_some() {
            return self.walk((&spec, &divergences), &subjects, &directory, &progress);
        }
        let costs = self.costs()?;
        let mut header = self.header(&sources, &options, &engines, &costs)?;
        header.parts = self.going.parts.unwrap_or(header.parts);
        let ledger = self.ledger(&directory, &header, resumed)?;
        let run = Campaign {
            spec: &spec,
            divergences: &divergences,
            options: &options,
            progress: &progress,
            ledger: Some(&ledger),
            asks,
            costs: &costs,
        };
        progress::limit(&progress, self.going.time);
        let answers = self.answers.of_engines(&engines, self.seed)?;
        let engines = RunEngines { opened: &engines, judging, subjects: &subjects, answers: &answers, absent };
        let survey = self.survey(&run);
        let done = match asks {
            Asks::Shard(shard) => {
                let results = progress::shown(&progress, || engines.ask(&run, &ledger, survey.as_ref()))?;
                shard::conclude(&results, &ledger, shard, engines.opened, &directory)
            }
            Asks::Everything | Asks::Nothing { .. } => {
                let place = &mut place.must("only a plan has no folder");
                self.whole(&run, &ledger, &sources, &engines, (survey, place))
            }
        };
        answers.say();
        done
    }

    /// The ledger of a run that goes on, or of a new one.
    fn ledger(&self, directory: &Path, header: &RunHeader, resumed: bool) -> anyhow::Result<Ledger> {
        if resumed { resume::open(directory, header) } else { resume::begin(directory, header, self.going.anew) }
    }

    /// Does all tasks, and concludes.
    fn whole(
        &self,
        run: &Campaign<'_>,
        ledger: &Ledger,
        sources: &RunSources<'_>,
        engines: &RunEngines<'_>,
        (survey, place): (Option<Survey<'_>>, &mut ReportFolder),
    ) -> anyhow::Result<ExitCode> {
        let progress = run.progress;
        let kept = engines.answers.keeping(engines.subjects, AskingStage::Conclusion, ledger, progress);
        let subjects: Vec<Subject<'_>> = kept.iter().map(KeptEngine::subject).collect();
        let (mut results, findings, matrix) = progress::shown(progress, || {
            let asked = engines.ask(run, ledger, survey.as_ref());
            let mut results = run.conclude(&subjects, asked);
            results.absent.extend_from_slice(&engines.absent);
            progress.begin(Stage::Causes);
            let find = || causes::find(run.spec, run.divergences, &subjects, &results, progress);
            let findings = InternalError::caught(find);
            let matrix = || matrix::observed(survey, run, &subjects, &results);
            let matrix = InternalError::caught(matrix);
            progress.begin(Stage::Report);
            (results, findings, matrix)
        })?;
        let written = ledger.flush();
        let remarks = note_engines(run, ledger, (engines.opened, engines.judging), engines.subjects, &mut results);
        let failures = kept.into_iter().filter_map(KeptEngine::into_failure).chain(written.err()).chain(remarks.err());
        let failures = failures.map(|why| why.to_string());
        let failure = results.ledger_failure.take().into_iter().chain(failures).next();
        // An error of ours in one of them loses nothing of what the run found before.
        let mut noted = |error: InternalError| results.internal_errors.push(error.to_string());
        let (findings, matrix) = (findings.map_err(&mut noted), matrix.map_err(&mut noted));
        let (findings, matrix) = (findings.unwrap_or_default(), matrix.unwrap_or_default());
        let mut report = Report::new(run.spec, run.divergences, run.options, &mut results, findings);
        report.date = self.today.as_ref().map(ToString::to_string);
        report.deeper = self.deeper(run.spec, run.options, &results, sources.specs);
        report.support = matrix.as_ref().map(SupportReport::new);
        if !self.no_borders && report.verdict != RunVerdict::Interrupted {
            borders::add(run.spec, &mut report);
        }
        report.settle();
        if let Some(why) = failure {
            super::output::print(&report.text())?;
            place.abandon();
            bail!("{why}; make room, and go on with `ptx-conform run --resume {}`", self.name);
        }
        let written = self.write(&mut report, sources, matrix.as_ref(), place);
        // Printed even if the report cannot be written: hours may have been spent on it.
        super::output::print(&report.text())?;
        written?;
        super::output::print(&format!("report: {}\n", place.path().join("index.html").display()))?;
        resume::end(ledger, &report, &self.name)?;
        Ok(self.exit_code(run.spec, report.verdict))
    }

    /// The directory of the report.
    fn directory(&self) -> anyhow::Result<PathBuf> {
        Ok(self.reports.join(resume::folder(&self.name)?))
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
        sources: &RunSources<'_>,
        matrix: Option<&Matrix>,
        place: &mut ReportFolder,
    ) -> anyhow::Result<()> {
        let RunSources { spec, divergences, releases, .. } = *sources;
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
            format!("the report cannot be written to {path}; make room, and go on with `run --resume {}`", self.name)
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
        // A part has no report.
        if self.exhaustive.is_none() && self.shard == Shard::WHOLE {
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

/// Adds what engines said and lost to the results, and the tasks that are missing.
///
/// # Errors
/// If the ledger, with what they said in earlier processes, cannot be read.
fn note_engines(
    run: &Campaign<'_>,
    ledger: &Ledger,
    (opened, judging): (&[super::engines::Opened], usize),
    subjects: &[Subject<'_>],
    results: &mut Results,
) -> Result<(), LedgerError> {
    results.lost = lost(opened, judging, results);
    for of in opened {
        results.notes.extend(campaign::all_notes(&*of.engine, Some(ledger))?);
        results.lost.extend(answers::changes(of.engine.id().as_str(), ledger)?);
    }
    results.note_joint_deaths(run.spec, run.divergences, subjects, Some(ledger))?;
    if matches!(run.asks, Asks::Nothing { .. }) {
        results.lost.extend(shard::missing(ledger)?);
    }
    Ok(())
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
