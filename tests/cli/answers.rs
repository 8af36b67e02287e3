//! Answers that are kept from run to run: what was asked once is not asked again, and what is not sure to be the same is.

use std::path::Path;
use std::process::Command;

use crate::ledger::files;
use crate::report::{JUDGED, write_judges};
use crate::specs_of_suq;

/// A judge that names its build, if `build.txt` names one, and notes each line that it is asked about.
struct Judge(tempfile::TempDir);

/// What comes before the loop of `examples/judge.py`: it notes lines, and names a build.
const NOTES: &str = r#"
import os


def noted(request):
    told = answer(request)
    if "judge" in request:
        with open("asked.txt", "a") as file:
            file.writelines(line + "\n" for line in request["judge"]["lines"])
    if "hello" in told and os.path.exists("build.txt"):
        told["hello"]["build"] = open("build.txt").read()
    return told


for message in sys.stdin:
"#;

impl Judge {
    fn new(build: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        write_judges(directory.path());
        for name in ["right.py", "wrong.py"] {
            let path = directory.path().join(name);
            let judge = std::fs::read_to_string(&path).expect("the judge");
            let judge = judge.replace("for message in sys.stdin:\n", NOTES).replace("dumps(answer(", "dumps(noted(");
            assert!(judge.contains("dumps(noted("), "the example has changed");
            std::fs::write(path, judge).expect("it is written");
        }
        let judge = Self(directory);
        judge.is_of_build(build);
        judge
    }

    fn is_of_build(&self, build: &str) {
        std::fs::write(self.path().join("build.txt"), build).expect("it is written");
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// From now on it judges as the one with the fault does.
    fn errs(&self) {
        std::fs::copy(self.path().join("wrong.py"), self.path().join("right.py")).expect("a copy");
    }

    fn tool(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-conform"));
        let command = command.current_dir(self.path()).env("PTX_CONFORM_ANSWERS", "answers");
        let output = command.args(arguments).output().expect("the program starts");
        let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        (output.status.code(), text.concat())
    }

    /// A run on it; returns the exit code, what is said, and the number of lines that it was asked about.
    fn run(&self, more: &[&str]) -> (Option<i32>, String, usize) {
        self.run_of(specs_of_suq(), more)
    }

    /// The same, with this specification.
    fn run_of(&self, specs: &str, more: &[&str]) -> (Option<i32>, String, usize) {
        let own = ["--specs", specs, "--no-history", "--engine", "exec:python3 right.py"];
        let asked = self.path().join("asked.txt");
        let _ = std::fs::remove_file(&asked);
        let (code, text) =
            self.tool(&[&JUDGED[..], &own, &["--today", "2026-11-28", "--anew", "--jobs", "1"], more].concat());
        let lines = std::fs::read_to_string(asked).map_or(0, |asked| asked.lines().count());
        (code, text, lines)
    }
}

#[test]
fn a_second_run_asks_nothing() {
    for errs in [false, true] {
        let judge = Judge::new("one");
        if errs {
            judge.errs();
        }
        let code = Some(i32::from(errs));
        let (first, text, lines) = judge.run(&["--name", "first"]);
        assert!(first == code && lines > 1000, "{lines} lines: {text}");
        let (second, text, lines) = judge.run(&["--name", "second"]);
        assert!(second == code && lines == 0, "{lines} lines: {text}");
        assert!(text.contains(" kept answers; `--ask-again 1` asks again"), "{text}");
        assert!(files(judge.path(), "first") == files(judge.path(), "second"), "the reports differ");
        // Parts take from it as well,
        let (part, text, lines) = judge.run(&["--name", "part", "--shard", "1/2"]);
        // but for the first few of a task, which are asked about apart.
        assert!(part == Some(0) && lines < 20, "{lines} lines: {text}");
        let (_, text, lines) = judge.run(&["--no-answers"]);
        assert!(lines > 1000 && !text.contains("earlier"), "{lines} lines: {text}");
    }
}

#[test]
fn a_run_asks_what_no_run_has_asked() {
    let judge = Judge::new("one");
    let (_, _, all) = judge.run(&[]);
    let (_, text, more) = judge.run(&["--seed", "1"]);
    assert!(0 < more && more < all, "{more} of {all}: {text}");
    // Another build of the engine is another engine.
    judge.is_of_build("two");
    let (_, text, lines) = judge.run(&[]);
    assert!(lines == all && !text.contains("earlier"), "{lines} of {all}: {text}");
}

#[test]
fn an_engine_that_names_no_build_is_asked_each_time() {
    let judge = Judge::new("");
    std::fs::remove_file(judge.path().join("build.txt")).expect("it is removed");
    let (_, _, all) = judge.run(&[]);
    let (_, text, lines) = judge.run(&[]);
    assert!(lines == all && !text.contains("earlier"), "{lines} of {all}: {text}");
    assert!(!judge.path().join("answers").exists(), "nothing is kept");
}

#[test]
fn an_answer_that_changed_is_reported() {
    let judge = Judge::new("one");
    let (code, text, all) = judge.run(&[]);
    assert_eq!(code, Some(0), "{text}");
    // A tenth, drawn by the seed: the same each time.
    let (code, text, lines) = judge.run(&["--ask-again", "0.1"]);
    assert!(code == Some(0) && all / 20 < lines && lines < all / 5, "{lines} of {all}: {text}");
    assert_eq!(judge.run(&["--ask-again", "0.1"]).2, lines);
    judge.errs();
    // Nobody asks: the judge says that it is the same.
    assert_eq!(judge.run(&[]).0, Some(0));
    let (code, text, lines) = judge.run(&["--ask-again", "1"]);
    // What it does now is a disagreement.
    assert!(code == Some(1) && lines >= all, "{lines} of {all}: {text}");
    assert!(
        text.contains("could not judge: suq-judge@1.0 answered ") && text.contains("otherwise than in an earlier run"),
        "{text}"
    );
    let report = std::fs::read_to_string(judge.path().join("reports/latest/report.txt")).expect("a report");
    assert!(report.contains("otherwise than in an earlier run"), "{report}");
    for wrong in ["2", "-1", "half", "NaN"] {
        let (code, text) = judge.tool(&["run", "--ask-again", wrong]);
        assert!(code == Some(2) && text.contains("is not a share") || text.contains("unexpected argument"), "{text}");
    }
}

#[test]
fn what_is_damaged_is_asked_again() {
    let judge = Judge::new("one");
    let (_, _, all) = judge.run(&[]);
    let (code, text) = judge.tool(&["answers", "list"]);
    assert!(code == Some(0) && text.contains("this build") && text.contains(" answers, "), "{text}");
    let folder = judge.path().join("answers");
    let file = std::fs::read_dir(&folder).expect("the folder").next().expect("a file").expect("an entry").path();
    // Half of the file.
    let length = std::fs::metadata(&file).expect("the file").len();
    std::fs::OpenOptions::new().write(true).open(&file).expect("the file").set_len(length / 2).expect("it is cut");
    let (code, text, lines) = judge.run(&["--name", "damaged"]);
    assert!(code == Some(0) && lines > 0 && text.contains("kept answers cannot be used"), "{lines} of {all}: {text}");
    let (code, text) = judge.tool(&["answers", "prune", "--all"]);
    assert!(code == Some(0) && text.contains("removed: "), "{text}");
    assert_eq!(std::fs::read_dir(&folder).expect("the folder").count(), 0);
    let (_, _, lines) = judge.run(&["--name", "whole"]);
    assert_eq!(lines, all);
    assert!(files(judge.path(), "damaged") == files(judge.path(), "whole"), "the reports differ");
}

/// A divergence that never shows, so that it is asked about by lines of its own.
const NEVER: &str = "
engine: suq-judge
divergences:
  - id: never
    instructions: [suq]
    does: accepts
    rules: [channel-queries-ptx]
    sometimes: true
    because: It never does.
    section: Semantics
";

#[test]
fn a_merge_asks_nothing_that_a_part_asked() {
    let judge = Judge::new("");
    std::fs::remove_file(judge.path().join("build.txt")).expect("it is removed");
    std::fs::create_dir_all(judge.path().join("specs/divergences")).expect("a folder");
    for name in ["isa.yaml", "suq.yaml"] {
        std::fs::copy(Path::new(specs_of_suq()).join(name), judge.path().join("specs").join(name)).expect("a copy");
    }
    std::fs::write(judge.path().join("specs/divergences/suq-judge.yaml"), NEVER).expect("it is written");
    for (part, name) in [("1/2", "one"), ("2/2", "two")] {
        let (code, text, lines) = judge.run_of("specs", &["--shard", part, "--name", name]);
        assert!(code == Some(0) && lines > 100 && text.contains("ledger: "), "{lines} lines: {text}");
    }
    let asked = judge.path().join("asked.txt");
    std::fs::remove_file(&asked).expect("the parts asked");
    let merge = ["--specs", "specs", "report", "merge", "reports/one", "reports/two", "--into", "reports/whole"];
    let (code, text) = judge.tool(&merge);
    assert!(code == Some(0) && !asked.exists(), "{text}");
    assert!(text.contains("support matrix: 9 features"), "{text}");
    assert!(text.contains("not with the lines that were asked about: never"), "{text}");
    // A part alone says nothing of what the other was to ask.
    let alone = ["one", "two"].map(|part| {
        let arguments =
            ["--specs", "specs", "report", "merge", &format!("reports/{part}"), "--into", "reports/lacking"];
        let (code, text) = judge.tool(&arguments);
        assert!(code == Some(2) && !text.contains("remove"), "{text}");
        std::fs::remove_dir_all(judge.path().join("reports/lacking")).expect("it is removed");
        text.contains("the task that asks about it is not done: never")
    });
    assert_eq!(alone.iter().filter(|not_done| **not_done).count(), 1, "{alone:?}");
}
