//! A part of a plan: what it did, and what the whole still lacks.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use super::super::engines::{Opened, losses};
use super::super::output::{print, say};
use super::answers::changes;
use ptx_conform::campaign::{Results, Shard};
use ptx_conform::ledger::{Ledger, LedgerError};
use ptx_conform::plural::counted;

/// Says what a part did. It is a success if all its tasks are done, whatever came of them.
pub(super) fn conclude(
    results: &Results,
    ledger: &Ledger,
    shard: Shard,
    engines: &[Opened],
    directory: &Path,
) -> anyhow::Result<ExitCode> {
    ledger.flush()?;
    let tasks = ledger.tasks()?;
    let done: Vec<_> = tasks.iter().filter_map(|task| task.done.as_ref()).collect();
    let cases: u64 = done.iter().map(|(_, counts)| counts.cases).sum();
    let mismatches: u64 = done.iter().map(|(_, counts)| counts.mismatches).sum();
    let mut changed = Vec::new();
    for of in engines {
        changed.extend(changes(of.engine.id().as_str(), ledger)?);
    }
    for why in results.ledger_failure.iter().cloned().chain(losses(engines)).chain(changed) {
        say(&format!("warning: {why}"));
    }
    print(&format!(
        "shard {shard}: {} of {} done, {}, {} not listed\nledger: {}\n",
        done.len(),
        counted(tasks.len(), "task"),
        counted(cases, "case"),
        counted(mismatches, "mismatch"),
        ledger.path().display()
    ))?;
    if done.len() == tasks.len() && !results.interrupted {
        ledger.conclude()?;
        return Ok(ExitCode::SUCCESS);
    }
    let name = directory.file_name().unwrap_or_default().display();
    say(&format!("go on with `ptx-conform run --resume {name}`"));
    Ok(ExitCode::from(2))
}

/// The tasks that no ledger has, in words: by shard.
pub(super) fn missing(ledger: &Ledger) -> Result<Vec<String>, LedgerError> {
    let of = ledger.header()?.parts;
    let mut shards: BTreeMap<u64, (usize, usize)> = BTreeMap::new();
    for task in ledger.tasks()? {
        let (left, all) = shards.entry(task.shard).or_default();
        *all += 1;
        *left += usize::from(task.done.is_none());
    }
    let words = |(shard, (left, all)): (u64, (usize, usize))| match left {
        0 => None,
        _ if left == all => Some(format!("shard {shard}/{of} is missing")),
        _ => Some(format!("{left} of {} of shard {shard}/{of} are missing", counted(all, "task"))),
    };
    Ok(shards.into_iter().filter_map(words).collect())
}
