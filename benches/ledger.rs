//! The cost of keeping results in a ledger, compared with a file that is synchronized with the disk after each of them.
//!
//! `cargo bench --bench ledger`

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use ptx_conform::ledger::{Ledger, RunHeader, TaskCounts, TaskKind, TaskName, TaskRow};

/// Results that are kept, each in a transaction of its own.
const RESULTS: u64 = 2000;
/// The characters of a result: the mean of a default run.
const CHARACTERS: usize = 5400;
/// Tasks of a plan.
const PLANNED: u64 = 200_000;

fn main() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder in the target directory");
    let result = "x".repeat(CHARACTERS);
    let file = synchronized_file(&folder.path().join("file"), &result);
    let ledger = open(&folder.path().join("kept.sqlite"));
    let kept = kept(&ledger, &result);
    let read = read(&ledger, &result);
    let planned = planned(&open(&folder.path().join("planned.sqlite")));
    let each = |time: Duration, of: u64| time.as_secs_f64() * 1e6 / of as f64;
    println!("a result of {CHARACTERS} characters:");
    println!("  written to a file and synchronized  {:8.1} us", each(file, RESULTS));
    println!("  kept in a ledger                    {:8.1} us", each(kept, RESULTS));
    println!("  read from a ledger                  {:8.1} us", each(read, RESULTS));
    println!("a planned task, with its name         {:8.1} us", each(planned, PLANNED));
    println!("ledger : file                         {:8.2}", kept.as_secs_f64() / file.as_secs_f64());
}

fn open(path: &Path) -> Ledger {
    let header = RunHeader { parts: 1, ..RunHeader::default() };
    Ledger::create(path, &header).expect("a new ledger")
}

/// The time to write results to a file, each to the disk.
fn synchronized_file(path: &Path, result: &str) -> Duration {
    let mut file = File::create(path).expect("a new file");
    let started = Instant::now();
    for _ in 0..RESULTS {
        file.write_all(result.as_bytes()).expect("room on the disk");
        file.sync_data().expect("a disk");
    }
    started.elapsed()
}

/// A task of the plan.
fn plan(ledger: &Ledger, number: u64) -> TaskName {
    let (engine, kind, what) = ("model", TaskKind::Check, format!("task {number}"));
    let name = TaskName::of(engine, kind, &what);
    let row = TaskRow { name, number, shard: 1, engine: engine.to_owned(), kind, what, size: 1000 };
    ledger.plan(row).expect("room on the disk");
    name
}

/// The time to plan tasks and keep a result of each.
fn kept(ledger: &Ledger, result: &str) -> Duration {
    let started = Instant::now();
    for number in 0..RESULTS {
        let name = plan(ledger, number);
        ledger.keep(&name, &result, &TaskCounts::default(), Duration::ZERO, &[]).expect("room on the disk");
    }
    started.elapsed()
}

/// The time to read each result.
fn read(ledger: &Ledger, result: &str) -> Duration {
    let tasks = ledger.tasks().expect("a ledger");
    let started = Instant::now();
    for task in tasks {
        let found: Option<String> = ledger.result(&task.name).expect("a ledger");
        assert_eq!(found.as_deref(), Some(result), "what was kept is what is read");
    }
    started.elapsed()
}

/// The time to plan tasks.
fn planned(ledger: &Ledger) -> Duration {
    let started = Instant::now();
    for number in 0..PLANNED {
        plan(ledger, number);
    }
    ledger.flush().expect("room on the disk");
    started.elapsed()
}
