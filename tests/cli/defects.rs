//! The table of known defects: what it says of the real list, and the example of its page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::transcript;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The table that a command prints, and its exit code.
fn table(arguments: &str) -> (Option<i32>, Value) {
    let arguments = transcript::arguments(&format!("defects --format json --specs specs {arguments}"));
    let output = transcript::run(root(), &arguments, Vec::new());
    (output.status.code(), serde_json::from_slice(&output.stdout).expect("JSON"))
}

fn rows(table: &Value) -> &[Value] {
    table["defects"].as_array().expect("a list of defects")
}

fn ids(table: &Value) -> BTreeSet<&str> {
    rows(table).iter().map(|row| row["id"].as_str().expect("an id")).collect()
}

/// The ids in specs/divergences, each with what it does and the family of its engine.
fn listed() -> BTreeMap<String, (String, String)> {
    let mut listed = BTreeMap::new();
    for file in std::fs::read_dir(root().join("specs/divergences")).expect("divergences") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("a readable file");
        let of: Value = serde_yaml::from_str(&text).expect("YAML");
        for entry in of["divergences"].as_array().expect("a list") {
            let word = |of: &Value| of.as_str().expect("a word").to_owned();
            listed.insert(word(&entry["id"]), (word(&of["engine"]), word(&entry["does"])));
        }
    }
    listed
}

#[test]
fn defects_are_the_listed_ones_each_with_its_page() {
    let (code, all) = table("");
    assert_eq!((code, rows(&all).len()), (Some(0), ids(&all).len()));
    let of_kind = |(engine, does): &(String, String)| match engine.as_str() {
        "sass" => does == "computes" || does == "crashes",
        "ptxas" => does == "crashes",
        _ => false,
    };
    let listed = listed();
    let expected: BTreeSet<&str> = listed.iter().filter(|(_, of)| of_kind(of)).map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids(&all), expected);
    for row in rows(&all) {
        let page = row["page"].as_str().unwrap_or_else(|| panic!("{}: no page of docs/defects names it", row["id"]));
        assert!(root().join(page).is_file(), "{page}");
        let is_chain = !row["lines"].is_null();
        assert_eq!(is_chain, row["reproduce"]["module"].is_string(), "{}", row["id"]);
        // An entry whose name says that it is a crash is none of wrong code.
        let id = row["id"].as_str().expect("an id");
        assert!(!id.ends_with("-crash") || row["kind"] == "crash", "{id}: say `defect: crash`");
    }
}

/// What is left out of the answer about a version is about other versions.
#[test]
fn a_version_has_the_defects_whose_bounds_include_it() {
    let (_, all) = table("");
    let minor =
        |text: &str| -> Vec<u32> { text.split('.').take(2).map(|part| part.parse().expect("a number")).collect() };
    for version in ["11.7.99", "12.4.99", "13.2.78", "13.5.37"] {
        let (code, some) = table(&format!("--version {version}"));
        assert_eq!((code, some["version"].as_str()), (Some(1), Some(version)));
        let includes = |row: &&Value| {
            let bound = |name: &str| row[name].as_str().map(minor);
            bound("from").is_none_or(|from| from <= minor(version)) && bound("to").is_none_or(|to| minor(version) <= to)
        };
        // Bounds of update releases are only compared up to the minor version here.
        let expected: BTreeSet<&str> =
            rows(&all).iter().filter(includes).map(|row| row["id"].as_str().expect("an id")).collect();
        assert!(ids(&some).is_subset(&expected), "{version}");
        let exact = |row: &&Value| {
            !["from", "to"].iter().any(|of| row[*of].as_str().is_some_and(|of| of.split('.').count() > 2))
        };
        let sure = rows(&all).iter().filter(includes).filter(exact).map(|row| row["id"].as_str().expect("an id"));
        assert!(sure.collect::<BTreeSet<_>>().is_subset(&ids(&some)), "{version}");
    }
}

/// The Python of docs/defects-in-builds.md does what the page says, with a ptxas that has the defect and one that does not.
#[test]
fn the_example_in_python_runs() {
    let page = std::fs::read_to_string(root().join("docs/defects-in-builds.md")).expect("the page");
    let (_, rest) = page.split_once("```python\n").expect("an example");
    let (example, _) = rest.split_once("```").expect("its end");
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("check.py"), example).expect("it is written");
    let binary = Path::new(env!("CARGO_BIN_EXE_ptx-conform")).parent().expect("its folder");
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    for (version, code, words) in [
        ("13.3.33", 1, "functions-of-a-source-that-is-named-twice"),
        ("13.5.37", 0, "other defects are listed"),
        ("13", 2, "is not a version of ptxas"),
    ] {
        let mut python = Command::new("python3");
        python.args(["check.py", version]).current_dir(directory.path()).env("PATH", &path).stdin(Stdio::null());
        let output = python.output().expect("python3 starts");
        let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text")).concat();
        assert!(output.status.code() == Some(code) && text.contains(words), "{version}: {text}");
    }
}
