//! Reports after the run: history, differences, and exports. No test needs a ptxas: `examples/judge.py` judges, once
//! as it is and once with a fault, and the reference model executes.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use ptx_conform::report::{HistoryLine, News, Report, ReportDiff, RunVerdict};
use serde_json::Value;

use crate::specs_of_suq;

mod junit_schema;

/// What the judge is to know of operands, so that it never errs: one kind of destination, and surfaces by name.
const OPERANDS: (&str, &str) = (r"[\w$%]+\s*,\s*\[\s*[\w$%]+\s*\]", r"%b32_\d+\s*,\s*\[\s*surface_\d+\s*\]");

/// The fault that is planted into the judge: it takes queries of later PTX versions.
const FAULT: (&str, &str) = ("if ptx < QUERIES[query]:", "if False:");

/// Runs the program in a directory; returns its exit code and what it prints.
pub(crate) fn tool(directory: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-conform"));
    let output = command.args(arguments).current_dir(directory).output().expect("the program starts");
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (output.status.code(), text.concat())
}

/// The beginning of the command of a run that only judges, and only checks.
pub(crate) const JUDGED: [&str; 9] =
    ["run", "suq", "--depth", "pairs", "--random", "200", "--no-execution", "--generate-code", "none"];

/// Writes two judges of `suq` to a directory: `right.py`, and `wrong.py` with a fault.
pub(crate) fn write_judges(directory: &Path) {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/judge.py");
    let right = std::fs::read_to_string(example).expect("the example");
    assert!(right.contains(FAULT.0) && right.contains(OPERANDS.0), "the example has changed");
    let right = right.replace(OPERANDS.0, OPERANDS.1);
    for (name, text) in [("right", right.clone()), ("wrong", right.replace(FAULT.0, FAULT.1))] {
        std::fs::write(directory.join(format!("{name}.py")), text).expect("it is written");
    }
}

/// Real reports: `right`, `wrong`, and `model`.
fn runs() -> &'static Path {
    static RUNS: OnceLock<tempfile::TempDir> = OnceLock::new();
    let make = || {
        let directory = tempfile::tempdir().expect("a directory");
        write_judges(directory.path());
        for name in ["right", "wrong"] {
            let engine = format!("exec:python3 {name}.py");
            let usual =
                [&JUDGED[..], &["--specs", specs_of_suq(), "--no-history", "--engine", engine.as_str()]].concat();
            let code = Some(i32::from(name == "wrong"));
            assert_eq!(tool(directory.path(), &[&usual[..], &["--name", name]].concat()).0, code);
        }
        let model =
            ["run", "suq", "--depth", "pairs", "--random", "200", "--no-history", "--engine", "model", "--cases", "40"];
        let model = [&model[..], &["--specs", specs_of_suq()]].concat();
        tool(directory.path(), &[&model[..], &["--name", "model"]].concat());
        directory
    };
    RUNS.get_or_init(make).path()
}

fn read(name: &str) -> Report {
    Report::read(&runs().join("reports").join(name).join("report.json")).unwrap_or_else(|why| panic!("{why}"))
}

fn json(report: &Report) -> String {
    report.json().expect("JSON")
}

#[test]
fn a_history_survives_broken_lines_and_many_writers() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("history.jsonl");
    assert_eq!(HistoryLine::read(&path), (Vec::new(), Vec::new()));
    let line = HistoryLine::new(&read("wrong"), "nightly");
    line.append(&path).expect("it is appended");
    let whole = std::fs::read_to_string(&path).expect("a text");
    // A half line, one that is no run, one of another format, and bytes that are no text.
    let broken = format!("{whole}[]\n{}\n\u{0}\n", r#"{"format":99}"#);
    std::fs::write(&path, [broken.as_bytes(), b"\xff\n", &whole.as_bytes()[..40]].concat()).expect("it is written");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..25).for_each(|_| line.append(&path).expect("it is appended")));
        }
    });
    let (lines, problems) = HistoryLine::read(&path);
    assert_eq!((lines.len(), problems.len()), (201, 5), "{problems:?}");
    assert!(lines.iter().all(|(_, known)| *known == line));
    assert!(problems[1].contains("line 3 is skipped: it has format 99"), "{problems:?}");
}

/// Each run by its findings, and `?` if it did not judge everything; then what is new in the last one.
#[test]
fn news_compares_with_the_runs_before() {
    let line = |name: &str, findings: &str| {
        let mut line = HistoryLine::new(&read("wrong"), name);
        let template = line.findings[0].clone();
        line.complete = !findings.ends_with('?');
        let known = findings.trim_end_matches('?').chars();
        line.findings = known
            .map(|of| {
                let mut known = template.clone();
                known.fingerprint = of.to_string();
                known
            })
            .collect();
        line
    };
    for (history, run, expected) in [
        (&[][..], "ab", None),
        (&["a"], "ab", Some(("b", "a", "", ""))),
        (&["ab"], "b", Some(("", "b", "a", ""))),
        // A run that judged not everything makes nothing vanish, neither in it nor after it.
        (&["ab"], "b?", Some(("", "b", "", "a"))),
        (&["ab", "?"], "ab", Some(("", "ab", "", ""))),
        (&["ab", "c?"], "c", Some(("", "c", "ab", ""))),
        (&["ab", ""], "a", Some(("a", "", "", ""))),
    ] {
        let lines: Vec<(usize, HistoryLine)> =
            history.iter().enumerate().map(|(at, findings)| (at + 1, line("n", findings))).collect();
        let news = News::new(&lines, &line("n", run));
        let names = |list: &[ptx_conform::report::KnownFinding]| -> String {
            list.iter().map(|known| known.fingerprint.as_str()).collect()
        };
        let found = news
            .as_ref()
            .map(|news| (news.appeared.concat(), news.as_before.concat(), names(&news.vanished), names(&news.unseen)));
        let expected = expected.map(|(a, b, c, d)| (a.to_owned(), b.to_owned(), c.to_owned(), d.to_owned()));
        assert_eq!(found, expected, "{history:?} {run}");
        if history == ["ab", ""] {
            assert_eq!(
                news.map(|news| news.known_since("a")).as_deref(),
                Some("line 1 of the history, gone meanwhile")
            );
        }
        // A finding may be one of a release that was not asked.
        let mut before = line("n", "abc");
        before.engines[0].name = "suq-judge@0.9".to_owned();
        before.engines.push(line("n", "").engines[0].clone());
        let news = News::new(&[(1, before)], &line("n", "a")).expect("news");
        assert_eq!((news.vanished.len(), names(&news.unseen).as_str()), (0, "bc"));
        // Runs of other names, instructions or engines are other runs.
        let mut other = line("n", "");
        other.engines[0].name = "other@1.0".to_owned();
        assert_eq!(News::new(&[(1, line("other", "")), (2, other)], &line("n", run)), None);
    }
}

#[test]
fn a_run_says_what_is_new() {
    let directory = tempfile::tempdir().expect("a directory");
    for name in ["right.py", "wrong.py"] {
        std::fs::copy(runs().join(name), directory.path().join(name)).expect("it is copied");
    }
    let run = |day: &str, options: &[&str]| {
        let usual = [&JUDGED[..], &["--engine", "exec:python3 judge.py", "--today", day], options].concat();
        tool(directory.path(), &usual).1
    };
    let engine = |name: &str| {
        std::fs::copy(directory.path().join(name), directory.path().join("judge.py")).expect("it is copied");
    };
    engine("right.py");
    assert!(!run("2026-11-20", &[]).contains("since the last run"));
    engine("wrong.py");
    assert!(
        run("2026-11-21", &[]).contains("\nsince the last run (2026-11-20): 3 new findings, 0 gone, 0 as before\n")
    );
    let again = run("2026-11-22", &[]);
    assert!(again.contains("\nsince the last run (2026-11-21): 0 new findings, 0 gone, 3 as before\n"), "{again}");
    assert!(again.contains("\n  known    since 2026-11-21\n"), "{again}");
    assert!(!run("2026-11-23", &["--no-history"]).contains("since the last run"));
    assert!(!run("2026-11-23", &["--history", "elsewhere.jsonl"]).contains("since the last run"));
    engine("right.py");
    assert!(
        run("2026-11-23", &[]).contains("\nsince the last run (2026-11-22): 0 new findings, 3 gone, 0 as before\n")
    );
    assert_eq!(HistoryLine::read(&directory.path().join("reports/history.jsonl")).0.len(), 4);
    assert_eq!(HistoryLine::read(&directory.path().join("elsewhere.jsonl")).0.len(), 1);
}

#[test]
fn a_diff_says_what_appeared_vanished_or_changed() {
    let (right, wrong) = (read("right"), read("wrong"));
    let same = ReportDiff::new(&wrong, &wrong);
    assert!(!same.matters && same.sections.is_empty() && same.setting.is_empty());
    let diff = ReportDiff::new(&right, &wrong);
    let text = diff.text();
    let first: Vec<&str> = text.lines().take(3).collect();
    assert!(diff.matters && first[0] == "verdict: 1 changed" && first[2] == "findings: 3 new", "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    // A rule that is not tested any more.
    let mut less = wrong.clone();
    let rule = less.rules.iter_mut().find(|rule| !rule.tested.is_empty()).expect("a tested rule");
    rule.tested.clear();
    let diff = ReportDiff::new(&wrong, &less);
    assert!(diff.matters && diff.text().contains("rules broken alone: 1 no longer tested\n"), "{}", diff.text());
    // Numbers, seeds and specifications alone do not matter.
    let mut other = wrong.clone();
    other.options.seed = 7;
    other.specification = "another".to_owned();
    other.engines[0].cases += 1;
    other.groups[0].counts.values_mut().for_each(|count| *count += 1);
    let diff = ReportDiff::new(&wrong, &other);
    let text = diff.text();
    assert!(!diff.matters && text.starts_with("the runs were not asked the same:\n"), "{text}");
    assert!(text.contains("  seed: 0 -> 7\n") && text.ends_with("nothing differs that matters\n"), "{text}");
}

#[test]
fn the_exit_code_of_a_diff_says_whether_anything_matters() {
    for (a, b, code) in [("wrong", "wrong", 0), ("right", "wrong", 1), ("right", "nothing", 2)] {
        let [a, b] = [a, b].map(|name| format!("reports/{name}"));
        for options in [&[][..], &["--json"]] {
            let (found, text) = tool(runs(), &[&["report", "diff", &a, &b], options].concat());
            assert_eq!(found, Some(code), "{text}");
        }
    }
}

/// Text that would break out of XML, Markdown, HTML and terminals.
const EVIL: &str =
    "]]></failure>&\"'<script> `x` | a |\n# b @user #1 https://x.y \u{1b}[31m\u{0}\u{202e}\u{fffe}\u{7f}";

/// The report with hostile texts wherever an engine has a say.
fn hostile() -> Report {
    fn spoil(value: &mut Value, key: &str) {
        match value {
            Value::String(text)
                if ["message", "title", "line", "did", "because", "versions", "command"].contains(&key) =>
            {
                *text = if key == "message" { EVIL.repeat(20_000) } else { EVIL.to_owned() };
            }
            Value::Array(list) => list.iter_mut().for_each(|entry| spoil(entry, key)),
            Value::Object(map) => map.iter_mut().for_each(|(key, entry)| spoil(entry, key)),
            _ => {}
        }
    }
    let mut value: Value = serde_json::from_str(&json(&read("wrong"))).expect("JSON");
    spoil(&mut value, "");
    let mut report: Report = serde_json::from_value(value).expect("a report");
    report.lost = vec![EVIL.to_owned(); 30];
    report.not_reproduced = vec![EVIL.to_owned()];
    report.engines[0].skipped.insert(EVIL.to_owned(), 3);
    report
}

fn acts(c: char) -> bool {
    (c.is_control() && c != '\n') || matches!(c, '\u{202e}' | '\u{fffe}')
}

#[test]
fn junit_keeps_to_the_schema() {
    let mut gave_up = read("wrong");
    gave_up.engines[0].gave_up = Some(EVIL.to_owned());
    for report in [read("right"), read("wrong"), read("model"), hostile(), gave_up] {
        let text = report.junit().expect("XML");
        assert!(!text.chars().any(acts) && text.len() < 1 << 20);
        let sums = junit_schema::check(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
        // Red whenever the run is.
        assert_eq!(sums.failures + sums.errors > 0, report.verdict != RunVerdict::Agreed || !report.lost.is_empty());
        assert_eq!(text, report.junit().expect("XML"));
    }
}

#[test]
fn junit_names_do_not_depend_on_results() {
    let names = |report: &Report| junit_schema::check(&report.junit().expect("XML")).expect("sound").names;
    assert_eq!(names(&read("right")), names(&read("wrong")));
}

#[test]
fn junit_shows_findings_with_their_rules() {
    let report = read("wrong");
    let text = report.junit().expect("XML");
    let finding = &report.findings[0];
    assert!(text.contains(&format!("<failure message=\"{} ", finding.fingerprint)), "{text}");
    assert!(text.contains(&finding.case.id) && text.contains("see it: "), "{text}");
}

/// The support matrix is part of the verdict, and of what every export says about it.
#[test]
fn what_the_matrix_says_settles_the_verdict() {
    let about = |unlisted: &[&str], undecided: usize| {
        let mut report = read("right");
        assert_eq!(report.verdict, RunVerdict::Agreed);
        let support = report.support.as_mut().expect("the run made the matrix");
        support.unlisted = unlisted.iter().map(|name| (*name).to_owned()).collect();
        support.undecided = undecided;
        report.settle();
        let junit = report.junit().expect("XML");
        let sums = junit_schema::check(&junit).unwrap_or_else(|why| panic!("{why}\n{junit}"));
        (report.verdict, [sums.failures, sums.errors], junit, report.markdown(), report.text())
    };
    let (verdict, sums, ..) = about(&[], 0);
    assert_eq!((verdict, sums), (RunVerdict::Agreed, [0, 0]));
    let (verdict, sums, junit, markdown, text) = about(&["suq.width, judge"], 0);
    assert_eq!((verdict, sums), (RunVerdict::Disagreed, [2, 0]));
    assert!(junit.contains("suq.width, judge") && markdown.contains("suq.width, judge"), "{junit}{markdown}");
    assert!(text.contains("no divergence lists it: suq.width, judge"), "{text}");
    let (verdict, sums, junit, markdown, text) = about(&[], 3);
    assert_eq!((verdict, sums), (RunVerdict::CouldNotJudge, [0, 2]));
    for shown in [junit, markdown] {
        assert!(shown.contains("3 features of an engine without an answer"), "{shown}");
    }
    // What was found counts more than what is missing.
    let (verdict, sums, ..) = about(&["suq.width, judge"], 3);
    assert_eq!((verdict, sums), (RunVerdict::Disagreed, [2, 0]));
    assert!(text.contains("3 without an answer"), "{text}");
}

#[test]
fn markdown_is_short_and_without_foreign_markup() {
    let mut report = hostile();
    let finding = report.findings[0].clone();
    report.findings = (0..2_000)
        .map(|at| {
            let mut one = finding.clone();
            one.fingerprint = format!("{at:012}");
            one
        })
        .collect();
    report.absent = Vec::new();
    let text = report.markdown();
    assert!(text.len() <= 60_000 && text.starts_with("# ptx-conform: disagreed\n"), "{}", text.len());
    assert!(text.contains(" more, listed in `report.json`.") && text.contains("| engine |"), "{text}");
    for evil in ["<script", "@user", " #1", "https://", "\n# b"] {
        assert!(!text.contains(evil), "{evil} is in {text}");
    }
    assert!(!text.chars().any(acts));
    // Every row of a table has the cells of its heading.
    for row in text.lines().filter(|line| line.starts_with("| `0000")) {
        assert_eq!(row.matches('|').count(), 6, "{row}");
    }
}

#[test]
fn exports_are_written_where_they_are_wanted() {
    let (code, text) = tool(runs(), &["report", "export", "reports/wrong", "--format", "sarif"]);
    let log: Value = serde_json::from_str(&text).expect("JSON");
    let result = &log["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    let file = runs().join("reports/wrong").join(place["artifactLocation"]["uri"].as_str().expect("a file"));
    let case = std::fs::read_to_string(file).expect("the case is there");
    let number = |name: &str| place["region"][name].as_u64().expect("a number") as usize;
    let line: Vec<char> = case.lines().nth(number("startLine") - 1).expect("a line").chars().collect();
    let marked: String = line[number("startColumn") - 1..number("endColumn") - 1].iter().collect();
    assert!(
        code == Some(0)
            && ["memory_layout", "array_size", "channel_data_type"].iter().any(|query| marked == format!(".{query}")),
        "{text}"
    );
    assert_eq!(
        (&result["level"], &result["ruleId"]),
        (&Value::from("warning"), &result["partialFingerprints"]["ptxConformFinding/v1"])
    );
    let out = runs().join("wrong.md");
    let (code, text) = tool(
        runs(),
        &["report", "export", "reports/wrong/report.json", "--format", "markdown", "--output", "wrong.md"],
    );
    assert_eq!((code, text.as_str()), (Some(0), ""));
    assert_eq!(std::fs::read_to_string(out).expect("it is written"), read("wrong").markdown());
    assert_eq!(tool(runs(), &["report", "export", "reports", "--format", "junit"]).0, Some(2));
}

#[test]
fn sarif_shows_hostile_text() {
    let path = runs().join("hostile.json");
    std::fs::write(&path, json(&hostile())).expect("it is written");
    let (code, text) = tool(runs(), &["report", "export", "hostile.json", "--format", "sarif"]);
    assert!(code == Some(0) && text.len() < 1 << 20 && !text.contains("\\u001b") && !text.contains('\u{202e}'));
    let log: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], Value::from(false));
}
