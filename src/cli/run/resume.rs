//! Runs that go on: the ledger of a run, and the options that it began with.

use std::path::{Component, Path};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Parser;

use super::super::output::say;
use super::Opts;
use super::progress::duration;
use ptx_conform::campaign::Shard;
use ptx_conform::divergences::Date;
use ptx_conform::ledger::{Ledger, LedgerError, RunHeader, TaskCosts, remove};
use ptx_conform::report::{Report, RunVerdict};

/// The file of the ledger in the directory of a report.
pub(in crate::cli) const LEDGER: &str = "ledger.sqlite";

/// How a run goes on, and when it stops.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct GoingOn {
    /// Go on with the run of this name that did not end. Its options are those that it began with.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["name", "plan", "exhaustive"])]
    pub(super) resume: Option<String>,
    /// Stop after this time, such as `30m`, at the end of the tasks that are running; `--resume` goes on.
    #[arg(long = "for", value_name = "TIME", value_parser = duration, conflicts_with_all = ["plan", "exhaustive"])]
    pub(super) time: Option<Duration>,
    /// Start anew, even if there is a run of this name that did not end.
    #[arg(long, conflicts_with = "resume")]
    pub(super) anew: bool,
    /// The day on which the run began that goes on.
    #[arg(skip)]
    pub(super) day: Option<Date>,
    /// The number of parts of the plan whose ledgers are united.
    #[arg(skip)]
    pub(super) parts: Option<u64>,
}

/// The options of a run as a command line of their own.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct CommandLine {
    #[command(flatten)]
    opts: Opts,
}

/// The options with these arguments.
fn parsed(arguments: &[String]) -> anyhow::Result<Opts> {
    let parsed = CommandLine::try_parse_from(arguments);
    Ok(parsed.context("the ledger has options that this program does not know")?.opts)
}

/// The options that the run with a name began with; how it is run may be said anew.
///
/// # Errors
/// If there is no such run, or other options are given.
pub(super) fn kept_options(given: &Opts, name: &str) -> anyhow::Result<Opts> {
    let directory = given.reports.join(folder(name)?);
    let kept = options_of(&directory)?;
    let (usual, none) = (parsed(&[])?, TaskCosts::default());
    let texts = |opts: &Opts| [opts.settings(&none), opts.engines.arguments().join(" "), opts.shard.to_string()];
    for ((given, kept), usual) in texts(given).into_iter().zip(texts(&kept)).zip(texts(&usual)) {
        if given != usual && given != kept {
            bail!("the run {name} began with `{kept}`, and cannot go on with `{given}`; leave the options out");
        }
    }
    let going = GoingOn { time: given.going.time, ..kept.going.clone() };
    let (jobs, answers) = (given.jobs, given.answers.clone());
    Ok(Opts { name: name.to_owned(), jobs, answers, reports: given.reports.clone(), going, ..kept })
}

/// The options that the run in a directory began with.
pub(in crate::cli) fn options_of(directory: &Path) -> anyhow::Result<Opts> {
    let header = Ledger::open(&directory.join(LEDGER))?.header()?;
    let day = header.day.parse().ok();
    let shard = match header.shard {
        0 => Shard::WHOLE,
        number => Shard { number, of: header.parts },
    };
    let going = GoingOn { day, parts: Some(header.parts), ..GoingOn::default() };
    Ok(Opts { shard, going, ..parsed(&header.arguments)? })
}

/// The name of a report, if it is the name of a directory and not a longer path.
pub(super) fn folder(name: &str) -> anyhow::Result<&str> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(part)), None) if part == name && !name.chars().any(char::is_control) => Ok(name),
        _ => bail!(
            "`{name}` is not a report name: it must not contain `/` or control characters; choose the directory with --reports"
        ),
    }
}

/// The ledger of a run that goes on.
///
/// # Errors
/// If it is of another run; what differs is named.
pub(super) fn open(directory: &Path, header: &RunHeader) -> anyhow::Result<Ledger> {
    let ledger = Ledger::open(&directory.join(LEDGER))?;
    if let Some(difference) = ledger.header()?.differences(header).first() {
        bail!("the run cannot go on: {difference}; start it anew under another name");
    }
    Ok(ledger)
}

/// The ledger of a new run. That of a run that ended is replaced.
///
/// # Errors
/// If there is one of a run that did not end.
pub(super) fn begin(directory: &Path, header: &RunHeader, anew: bool) -> anyhow::Result<Ledger> {
    let path = directory.join(LEDGER);
    if path.exists() {
        match Ledger::open(&path).and_then(|earlier| earlier.unfinished()) {
            Ok(Some([done, tasks])) if !anew => {
                let name = directory.file_name().unwrap_or_default().display();
                bail!(
                    "{} has a run that did not end, with {done} of {tasks} tasks done: go on with `--resume {name}`, start anew with \
                     `--anew`, or choose another name with --name",
                    directory.display()
                );
            }
            Ok(_) => {}
            Err(why @ LedgerError::InUse(_)) => return Err(why.into()),
            // One that cannot be read is of no use to anyone.
            Err(_) if anew => {}
            Err(why) => return Err(why).context("an earlier run has this name, and `--anew` would replace it"),
        }
        remove(&path).with_context(|| format!("{} cannot be removed", path.display()))?;
    }
    Ok(Ledger::create(&path, header)?)
}

/// Marks the run as ended, or says how it goes on.
pub(super) fn end(ledger: &Ledger, report: &Report, name: &str) -> anyhow::Result<()> {
    let tasks = ledger.tasks()?;
    let left = tasks.iter().filter(|task| task.done.is_none()).count();
    if report.verdict == RunVerdict::Interrupted || left > 0 {
        say(&format!("{left} of {} tasks are left: go on with `ptx-conform run --resume {name}`", tasks.len()));
        return Ok(());
    }
    Ok(ledger.conclude()?)
}
