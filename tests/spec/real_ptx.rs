//! Files that compilers wrote (corpus/kernels/ptx/): none of their instructions is called invalid; and if one token,
//! declaration or directive of them is spoilt, the checker says what ptxas says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ptx_conform::check::{Checker, Counts, DiagnosticSeverity, Remark};
use ptx_conform::divergences::{Divergences, Does, EngineVersion};
use ptx_conform::engine::Depth;
use ptx_conform::judge::Reading;
use ptx_conform::spec::{Instruction, Spec};
use rayon::prelude::*;
use serde::Deserialize;

use crate::shipped::SPEC;

/// What the files, corpus/kernels/spoilt.jsonl and corpus/kernels/spoilt-declarations.jsonl were made with.
const ENGINE: &str = "ptxas@13.5";

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/kernels")
}

/// The stored files, by name.
fn files() -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(directory().join("ptx")).expect("the folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let read = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(&path).expect("a text"))
    };
    paths.map(read).collect()
}

/// The shipped specification, and what is known of the engine.
struct Known {
    spec: &'static Spec,
    divergences: Divergences,
    engine: EngineVersion,
}

impl Known {
    fn load() -> Self {
        let spec: &Spec = &SPEC;
        let divergences = Divergences::load(None, spec).expect("sound divergences");
        Self { spec, divergences, engine: EngineVersion::parse(ENGINE).expect("an engine") }
    }

    /// Checks a text. What the engine is known to take nevertheless is no error, nor, if that is wanted, what it is known
    /// to take sometimes.
    fn check(&self, text: &str, lenient: bool) -> Checked {
        let taken = |instruction: &Instruction, reading: &Reading| {
            let expected = self.divergences.expect(&self.engine, instruction, reading);
            let always = expected.divergence.filter(|_| expected.outcome == Does::Accepts);
            let sometimes =
                || self.divergences.sometimes(&self.engine, instruction, reading, Depth::Check, Does::Accepts);
            always.or_else(|| sometimes().filter(|_| lenient)).map(str::to_owned)
        };
        let refused = |instruction: &Instruction, reading: &Reading| {
            let expected = self.divergences.expect(&self.engine, instruction, reading);
            expected.divergence.filter(|_| expected.outcome != Does::Accepts).map(str::to_owned)
        };
        let (spec, remark, tolerated) = (self.spec, Some(&refused as &Remark<'_>), Some(&taken as &Remark<'_>));
        let file = Checker { spec, limit: SHOWN, remark, tolerated, sample: false }.check(text);
        let errors = file.diagnostics.iter().filter(|of| of.severity == DiagnosticSeverity::Error).map(|of| {
            let line = 1 + text[..of.at.start].matches('\n').count();
            format!("{line}: {} ({}: {})", text[of.at.clone()].trim(), of.rule, of.message)
        });
        Checked { errors: errors.collect(), counts: file.counts.clone(), incomplete: file.incomplete }
    }
}

/// What the checker says of a text.
struct Checked {
    /// Where the first errors are, and their words.
    errors: Vec<String>,
    counts: Counts,
    incomplete: bool,
}

impl Checked {
    /// How many instructions have no specification.
    fn unknown(&self) -> u64 {
        self.counts.unknown.values().sum()
    }
}

/// Instructions that the files have, at least.
const INSTRUCTIONS: u64 = 2_800;

/// Forms of the specification that the files have lines of, at least.
const FORMS: usize = 409;

/// Diagnostics of a file that a failing test shows.
const SHOWN: usize = 100;

#[test]
fn nothing_that_compilers_write_is_called_invalid() {
    let known = Known::load();
    let files = files();
    let results: Vec<(Vec<String>, BTreeSet<String>, u64)> = files
        .par_iter()
        .map(|(name, text)| {
            let file = known.check(text, true);
            let alarms = file.errors.into_iter().map(|error| format!("{name}:{error}")).collect();
            let incomplete = file.incomplete.then(|| format!("{name} is incomplete"));
            let unjudged = (file.counts.unjudged > 0).then(|| format!("{name} has instructions that are not judged"));
            let missing = file.counts.unknown.into_keys().chain(incomplete).chain(unjudged);
            (alarms, missing.collect(), file.counts.instructions)
        })
        .collect();
    let alarms: Vec<&str> = results.iter().flat_map(|(alarms, ..)| alarms).map(String::as_str).collect();
    assert!(alarms.is_empty(), "{}", alarms.join("\n"));
    let unknown: BTreeSet<&str> = results.iter().flat_map(|(_, unknown, _)| unknown).map(String::as_str).collect();
    assert!(unknown.is_empty(), "without a specification: {unknown:?}");
    let instructions: u64 = results.iter().map(|(.., instructions)| instructions).sum();
    assert!(instructions >= INSTRUCTIONS, "only {instructions} instructions: corpus/kernels/ptx has lost some");
    println!("{} files, {instructions} instructions, each with a specification", files.len());
}

#[test]
fn the_files_have_lines_of_many_forms() {
    let known = Known::load();
    let files = files();
    let checker = Checker { spec: known.spec, limit: 0, remark: None, tolerated: None, sample: true };
    let read = |text: &String| {
        let lines = checker.check(text).samples;
        lines.iter().map(|line| line.instruction.forms[line.reading.form].id.clone()).collect::<BTreeSet<String>>()
    };
    let forms: BTreeSet<String> = files.par_iter().flat_map_iter(|(_, text)| read(text)).collect();
    println!("{} files with lines of {} forms", files.len(), forms.len());
    assert!(forms.len() >= FORMS, "lines of only {} forms: corpus/kernels/subset.py has lost some", forms.len());
}

/// A line of corpus/kernels/spoilt.jsonl, or of corpus/kernels/spoilt-declarations.jsonl.
#[derive(Deserialize)]
struct Spoilt {
    file: String,
    /// From 1.
    line: usize,
    /// What stands in the file from there on: one line, or several.
    original: String,
    spoilt: String,
    kind: String,
    accepted: bool,
    message: String,
}

impl Spoilt {
    /// The file with another text for the lines.
    fn text_with(&self, original: &str, line: &str) -> String {
        let before: usize = original.split_inclusive('\n').take(self.line - 1).map(str::len).sum();
        assert!(original[before..].starts_with(&self.original), "{} has changed: run the scripts again", self.file);
        format!("{}{line}{}", &original[..before], &original[before + self.original.len()..])
    }
}

/// What the checker says of a spoilt file, against what ptxas said.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    Agrees,
    /// The line has no specification, before or after.
    Unknown,
    Missed(String),
    FalseAlarm(String),
}

#[test]
fn spoilt_files_are_diagnosed_as_ptxas_does() {
    are_diagnosed("spoilt.jsonl", Differing { missed: 0, alarms: 0 });
}

#[test]
fn spoilt_declarations_are_diagnosed_as_ptxas_does() {
    are_diagnosed("spoilt-declarations.jsonl", Differing { missed: 0, alarms: 2 });
}

/// On how many spoilings of a file the checker and ptxas differ, at most.
struct Differing {
    missed: usize,
    alarms: usize,
}

/// Compares the checker with ptxas on a file of spoilings.
fn are_diagnosed(name: &str, known_to_differ: Differing) {
    let known = Known::load();
    let files = files();
    let spoilt = std::fs::read_to_string(directory().join(name)).expect("the spoilings");
    let spoilt: Vec<Spoilt> = spoilt.lines().map(|line| serde_json::from_str(line).expect("a spoiling")).collect();
    let unknown_before: BTreeMap<&String, u64> =
        files.par_iter().map(|(name, text)| (name, known.check(text, true).unknown())).collect();
    let answer = |case: &Spoilt| {
        let text = case.text_with(&files[&case.file], &case.spoilt);
        let file = known.check(&text, case.accepted);
        let words = || format!("{}:{}: {} [{}] {}", case.file, case.line, case.spoilt.trim(), case.kind, case.message);
        let unknown = || {
            let without = known.check(&case.text_with(&files[&case.file], ""), true).unknown();
            file.unknown() > without || unknown_before[&case.file] > without
        };
        let said = file.counts.errors > 0 || (file.counts.remarked > 0 && !case.accepted);
        match (said, case.accepted) {
            (true, true) => Answer::FalseAlarm(format!("{}: {}", words(), file.errors.join("; "))),
            (false, false) if unknown() => Answer::Unknown,
            (false, false) => Answer::Missed(words()),
            _ => Answer::Agrees,
        }
    };
    let mut answers: Vec<Answer> = spoilt.par_iter().map(answer).collect();
    answers.sort();
    let of = |wanted: fn(&Answer) -> Option<&str>| answers.iter().filter_map(wanted).collect::<Vec<&str>>();
    let missed = of(|answer| if let Answer::Missed(words) = answer { Some(words) } else { None });
    let alarms = of(|answer| if let Answer::FalseAlarm(words) = answer { Some(words) } else { None });
    let unknown = answers.iter().filter(|answer| **answer == Answer::Unknown).count();
    let rejected = spoilt.iter().filter(|case| !case.accepted).count() - unknown;
    println!("{} spoilt files; {unknown} of opcodes without a specification", spoilt.len());
    println!(
        "{} of {rejected} that ptxas rejects are reported; missed:\n{}",
        rejected - missed.len(),
        missed.join("\n")
    );
    assert!(alarms.len() <= known_to_differ.alarms, "{} false alarms:\n{}", alarms.len(), alarms.join("\n"));
    assert!(missed.len() <= known_to_differ.missed, "{} are missed", missed.len());
}
