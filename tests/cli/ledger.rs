//! Ledgers: a run that was ended goes on, and the parts of a plan are united. The report is the same to the byte. No test needs
//! a ptxas: `examples/judge.py` judges, with a fault, so that there are causes to search for.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::Value;

use crate::report::{JUDGED, tool, write_judges};
use crate::specs_of_suq;

/// A directory with judges. The wrong one makes the file `hangs` and says no more at the request whose number is in HANG_AT.
fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    write_judges(directory.path());
    let wrong = directory.path().join("wrong.py");
    let judge = std::fs::read_to_string(&wrong).expect("the judge");
    let begins = "for message in sys.stdin:\n";
    let hangs = "import os, time\nfor number, message in enumerate(sys.stdin):\n    if str(number) == os.environ.get('HANG_AT'):\n        \
                 open('hangs', 'w').close()\n        time.sleep(1000)\n";
    assert!(judge.contains(begins), "the example has changed");
    std::fs::write(wrong, judge.replace(begins, hangs)).expect("it is written");
    directory
}

/// The command of a run with many small tasks on the wrong judge.
fn run<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let own = ["--specs", specs_of_suq(), "--no-history", "--engine", "exec:python3 wrong.py", "--today", "2026-11-28"];
    [&JUDGED[..], &own, &["--batch", "20"], more].concat()
}

/// The files of a report: their names and bytes.
pub(crate) fn files(directory: &Path, name: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    fn collect(root: &Path, folder: &Path, to: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                collect(root, &entry, to);
            } else if !entry.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ledger")) {
                let name = entry.strip_prefix(root).expect("below the root").to_owned();
                to.insert(name, std::fs::read(&entry).expect("a file"));
            }
        }
    }
    let (root, mut all) = (directory.join("reports").join(name), BTreeMap::new());
    collect(&root, &root, &mut all);
    all
}

/// The report of a run that nothing disturbed.
fn whole() -> &'static BTreeMap<PathBuf, Vec<u8>> {
    static WHOLE: OnceLock<BTreeMap<PathBuf, Vec<u8>>> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let directory = directory();
        let (code, text) = tool(directory.path(), &run(&["--name", "whole"]));
        assert_eq!(code, Some(1), "{text}");
        let files = files(directory.path(), "whole");
        assert!(files.contains_key(Path::new("report.json")) && files.contains_key(Path::new("index.html")));
        files
    })
}

fn assert_whole(directory: &Path, name: &str) {
    let found = files(directory, name);
    assert_eq!(found.keys().collect::<Vec<_>>(), whole().keys().collect::<Vec<_>>(), "{name}");
    for (path, bytes) in whole() {
        assert!(found[path] == *bytes, "{} of {name} differs", path.display());
    }
}

/// What `report show` says of a run: how many of its tasks are done, and how many there are.
fn tasks(directory: &Path, name: &str) -> [u64; 2] {
    let (_, text) = tool(directory, &["report", "show", &format!("reports/{name}"), "--json"]);
    let shown: Value = serde_json::from_str(&text).unwrap_or_else(|why| panic!("{why}: {text}"));
    let sum = |key: &str| -> u64 {
        shown["tasks"].as_array().expect("a list").iter().map(|of| of[key].as_u64().expect("a number")).sum()
    };
    [sum("done"), sum("tasks")]
}

#[test]
fn a_run_that_was_killed_goes_on() {
    let directory = directory();
    let directory = directory.path();
    let mut halfway = 0;
    // The first request is the hello.
    for number in [1, 2, 10, 30, 60, 100, 150, 250] {
        let name = format!("killed-{number}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-conform"));
        let silent = command.args(run(&["--name", &name, "--jobs", "1"])).stdout(Stdio::null()).stderr(Stdio::null());
        let silent = silent.current_dir(directory).env("HANG_AT", number.to_string());
        let mut child = silent.spawn().expect("the program starts");
        let hangs = directory.join("hangs");
        let ended = loop {
            if child.try_wait().expect("a child").is_some() || hangs.exists() {
                break !hangs.exists();
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
        let _ = std::fs::remove_file(hangs);
        // Killed before its ledger was there, it is no run.
        if !directory.join("reports").join(&name).join("ledger.sqlite").exists() {
            continue;
        }
        if !ended {
            let (code, text) = tool(directory, &run(&["--name", &name]));
            let offers = text.contains("has a run that did not end") && text.contains(&format!("--resume {name}"));
            assert!(code == Some(2) && offers, "{text}");
            let [done, all] = tasks(directory, &name);
            halfway += usize::from(done > 0 && done < all);
        }
        let (code, text) = tool(directory, &["--specs", specs_of_suq(), "run", "--resume", &name]);
        assert_eq!(code, Some(1), "{text}");
        assert_whole(directory, &name);
    }
    assert!(halfway > 0, "no run was killed between two tasks");
}

#[test]
fn a_run_ends_when_its_time_is_over_and_goes_on() {
    let directory = directory();
    let directory = directory.path();
    let (code, text) = tool(directory, &run(&["--name", "short", "--for", "0s"]));
    assert!(code == Some(2) && text.contains("interrupted") && text.contains("run --resume short"), "{text}");
    let (code, text) = tool(directory, &["--specs", specs_of_suq(), "run", "--resume", "short"]);
    assert_eq!(code, Some(1), "{text}");
    assert_whole(directory, "short");
    let [done, all] = tasks(directory, "short");
    assert!(done == all && all > 10, "{done} of {all}");
}

#[test]
fn a_run_goes_on_only_as_it_began() {
    let directory = directory();
    let directory = directory.path();
    tool(directory, &run(&["--name", "short", "--for", "0s"]));
    let resumed = |more: &[&str]| {
        let (code, text) = tool(directory, &[&["--specs", specs_of_suq(), "run", "--resume", "short"], more].concat());
        assert_eq!(code, Some(2), "{text}");
        text
    };
    let text = resumed(&["--seed", "7"]);
    assert!(text.contains("cannot go on with") && text.contains("--seed 7"), "{text}");
    let text = resumed(&["--engine", "model"]);
    assert!(text.contains("cannot go on with `--engine model`"), "{text}");
    let judge = directory.join("wrong.py");
    let judge_text = std::fs::read_to_string(&judge).expect("the judge");
    std::fs::write(&judge, judge_text.clone() + "\n# another\n").expect("it is written");
    let text = resumed(&[]);
    assert!(text.contains("the engine suq-judge@1.0 differs"), "{text}");
    std::fs::write(&judge, judge_text).expect("it is written");
    let (code, text) = tool(directory, &["run", "--resume", "short"]);
    assert!(code == Some(2) && text.contains("the specification differs"), "{text}");
    let (code, text) = tool(directory, &["run", "--resume", "nothing"]);
    assert!(code == Some(2) && text.contains("no run has this name"), "{text}");
}

#[test]
fn a_ledger_that_cannot_be_read_is_replaced_only_on_demand() {
    let directory = directory();
    let ledger = directory.path().join("reports/old/ledger.sqlite");
    std::fs::create_dir_all(ledger.parent().expect("a folder")).expect("it is made");
    std::fs::write(&ledger, "of another time\n").expect("it is written");
    let (code, text) = tool(directory.path(), &run(&["--name", "old"]));
    assert!(code == Some(2) && text.contains("`--anew` would replace it: "), "{text}");
    assert_eq!(std::fs::read(&ledger).expect("a file"), b"of another time\n");
    let (code, text) = tool(directory.path(), &run(&["--name", "old", "--anew"]));
    assert_eq!(code, Some(1), "{text}");
    assert_whole(directory.path(), "old");
}

#[test]
fn the_parts_of_a_plan_are_the_whole() {
    let directory = directory();
    let directory = directory.path();
    for of in [1, 2, 5] {
        let part = |number: u64| format!("{of}-{number}");
        for number in 1..=of {
            let (code, text) = tool(directory, &run(&["--name", &part(number), "--shard", &format!("{number}/{of}")]));
            // A shard of one is the whole.
            assert_eq!(code, Some(if of == 1 { 1 } else { 0 }), "{text}");
        }
        let parts: Vec<String> = (1..=of).map(|number| format!("reports/{}", part(number))).collect();
        let merge = |parts: &[&String], into: &str| {
            let mut arguments = vec!["--specs", specs_of_suq(), "report", "merge"];
            arguments.extend(parts.iter().map(|part| part.as_str()));
            arguments.extend(["--into", into]);
            tool(directory, &arguments)
        };
        let mut orders: Vec<Vec<&String>> = vec![parts.iter().collect(), parts.iter().rev().collect()];
        // One part twice is taken once.
        orders[1].push(&parts[0]);
        for (at, order) in orders.iter().enumerate() {
            let name = format!("whole-{of}-{at}");
            let (code, text) = merge(order, &format!("reports/{name}"));
            assert_eq!(code, Some(1), "{text}");
            assert_whole(directory, &name);
        }
        if of > 1 {
            let (code, text) = merge(&orders[0][1..], "reports/lacking");
            assert!(code == Some(1) || code == Some(2), "{text}");
            assert!(text.contains(&format!("shard 1/{of} is missing")), "{text}");
            let (code, text) = if of == 2 {
                tool(directory, &["--specs", specs_of_suq(), "run", "--resume", "lacking"])
            } else {
                merge(&orders[0][..1], "reports/lacking")
            };
            assert_eq!(code, Some(1), "{text}");
            assert_whole(directory, "lacking");
            std::fs::remove_dir_all(directory.join("reports/lacking")).expect("it is removed");
        }
    }
}

#[test]
fn a_part_that_goes_on_does_its_own_tasks_only() {
    let directory = directory();
    let directory = directory.path();
    let (code, text) = tool(directory, &run(&["--name", "part", "--shard", "2/3", "--for", "0s"]));
    assert!(code == Some(2) && text.contains("run --resume part"), "{text}");
    let (code, text) = tool(directory, &["--specs", specs_of_suq(), "run", "--resume", "part"]);
    assert!(code == Some(0) && text.contains("shard 2/3: "), "{text}");
    let [done, all] = tasks(directory, "part");
    assert!(done > 0 && done == all && !directory.join("reports/part/report.json").exists(), "{done} of {all}");
    let (code, text) = tool(directory, &run(&["--name", "whole"]));
    let [of_all, _] = tasks(directory, "whole");
    assert!(code.is_some() && done < of_all, "{done} of {of_all}: {text}");
}

#[test]
fn what_cannot_be_united_is_named() {
    let directory = directory();
    let directory = directory.path();
    let make = |name: &str, more: &[&str]| {
        let arguments = [&run(&["--name", name, "--shard", "1/2", "--for", "0s"])[..], more].concat();
        tool(directory, &arguments);
    };
    make("one", &[]);
    make("seed", &["--seed", "3"]);
    std::fs::create_dir_all(directory.join("reports/text")).expect("a folder");
    std::fs::write(directory.join("reports/text/ledger.sqlite"), "no ledger").expect("it is written");
    for (other, why) in
        [("seed", "the options differs"), ("text", "is not the ledger of a run"), ("none", "does not exist")]
    {
        let other = format!("reports/{other}");
        let arguments = ["--specs", specs_of_suq(), "report", "merge", "reports/one", &other, "--into", "reports/all"];
        let (code, text) = tool(directory, &arguments);
        assert!(code == Some(2) && text.contains(why), "{text}");
        assert!(
            !directory.join("reports/all/ledger.new.sqlite").exists()
                && !directory.join("reports/all/ledger.sqlite").exists()
        );
    }
}
