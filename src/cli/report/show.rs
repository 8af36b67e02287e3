//! `ptx-conform report show`: what is in the ledger of a run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;

use ptx_conform::engine::words::visible;
use ptx_conform::ledger::{Ledger, TaskState};
use ptx_conform::plural::counted;

use super::super::output;
use super::super::run::LEDGER;

/// Say what is in the ledger of a run: its tasks, what is done, what was skipped and why, for each engine
///
/// `docs/ledger.md` describes the file, which any program that reads SQLite can be asked about.
///
/// Exit codes: 0 all tasks are done, or all of its part, 1 some are left, 2 the ledger cannot be read.
///
/// Example: ptx-conform report show reports/latest
#[derive(Debug, clap::Args)]
pub(crate) struct Opts {
    /// The directory of a run, or its ledger.
    ledger: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The tasks of one kind of one engine.
#[derive(Clone, Debug, Default, Serialize)]
struct TaskSums {
    engine: String,
    kind: String,
    tasks: u64,
    done: u64,
    cases: u64,
    /// Mismatches that no divergence lists.
    mismatches: u64,
    milliseconds: u64,
    /// Cases without an answer, by reason.
    skipped: BTreeMap<String, u64>,
}

/// The tasks of one shard.
#[derive(Clone, Debug, Default, Serialize)]
struct ShardSums {
    shard: u64,
    tasks: u64,
    done: u64,
    milliseconds: u64,
}

/// Everything that is shown of a ledger.
#[derive(Debug, Serialize)]
struct LedgerSummary {
    options: String,
    day: String,
    concluded: bool,
    tasks: Vec<TaskSums>,
    shards: Vec<ShardSums>,
}

impl Opts {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let path = if self.ledger.is_dir() { self.ledger.join(LEDGER) } else { self.ledger };
        let ledger = Ledger::open(&path)?;
        let header = ledger.header()?;
        let tasks = ledger.tasks()?;
        let summary = LedgerSummary {
            options: header.options,
            day: header.day,
            concluded: ledger.is_concluded()?,
            tasks: by_kind(&tasks),
            shards: by_shard(&tasks),
        };
        output::print(&if self.json { serde_json::to_string_pretty(&summary)? + "\n" } else { summary.text() })?;
        let left = tasks.iter().any(|task| task.done.is_none());
        Ok(ExitCode::from(u8::from(left)))
    }
}

fn by_kind(tasks: &[TaskState]) -> Vec<TaskSums> {
    let mut sums: BTreeMap<(&str, &str), TaskSums> = BTreeMap::new();
    for task in tasks {
        let empty = || TaskSums { engine: task.engine.clone(), kind: task.kind.clone(), ..TaskSums::default() };
        let sum = sums.entry((&task.engine, &task.kind)).or_insert_with(empty);
        sum.tasks += 1;
        let Some((milliseconds, counts)) = &task.done else { continue };
        sum.done += 1;
        sum.cases += counts.cases;
        sum.mismatches += counts.mismatches;
        sum.milliseconds += milliseconds;
        counts.skipped.iter().for_each(|(why, count)| *sum.skipped.entry(why.clone()).or_default() += count);
    }
    sums.into_values().collect()
}

fn by_shard(tasks: &[TaskState]) -> Vec<ShardSums> {
    let mut sums: BTreeMap<u64, ShardSums> = BTreeMap::new();
    for task in tasks {
        let sum = sums.entry(task.shard).or_insert_with(|| ShardSums { shard: task.shard, ..ShardSums::default() });
        sum.tasks += 1;
        sum.done += u64::from(task.done.is_some());
        sum.milliseconds += task.done.as_ref().map_or(0, |(milliseconds, _)| *milliseconds);
    }
    sums.into_values().collect()
}

impl LedgerSummary {
    fn text(&self) -> String {
        let mut text = String::new();
        let state = if self.concluded { "concluded" } else { "not concluded" };
        let _ = writeln!(text, "run {} on {}, {state}", visible(&self.options), visible(&self.day));
        for of in &self.tasks {
            let seconds = of.milliseconds as f64 / 1000.0;
            let _ = writeln!(
                text,
                "{}: {}: {} of {} done, {}, {} not listed, {seconds:.1} s",
                visible(&of.engine),
                visible(&of.kind),
                of.done,
                counted(of.tasks, "task"),
                counted(of.cases, "case"),
                counted(of.mismatches, "mismatch"),
            );
            for (why, count) in &of.skipped {
                let _ = writeln!(text, "  {count} skipped: {}", visible(why));
            }
        }
        if self.shards.len() > 1 {
            for of in &self.shards {
                let seconds = of.milliseconds as f64 / 1000.0;
                let tasks = counted(of.tasks, "task");
                let _ = writeln!(text, "shard {}: {} of {tasks} done, {seconds:.1} s", of.shard, of.done);
            }
        }
        text
    }
}
