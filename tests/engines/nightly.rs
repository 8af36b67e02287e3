//! `.ci/nightly`: its exit code, its summary, and that it continues after a failure.
//!
//! Programs in `tests/nightly/` replace ptx-conform and cargo, so nothing is built or downloaded.
//! The one test that needs a ptxas is ignored if none is installed, unless PTX_CONFORM_REQUIRE_PTXAS is set.

use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use libtest_mimic::{Failed, Trial};
use ptx_conform::engine::toolchain;

pub(crate) fn trials() -> Vec<Trial> {
    let ignored = crate::installed::skipped_without("13.5");
    vec![
        Trial::test("the_run_determines_the_exit_code", the_run_determines_the_exit_code),
        Trial::test("a_missing_version_does_not_stop_the_night", a_missing_version_does_not_stop_the_night),
        Trial::test("without_any_version_nothing_is_judged", without_any_version_nothing_is_judged),
        Trial::test("installed_versions_are_found", installed_versions_are_found),
        Trial::test("a_quick_night_is_a_first_look_at_two_versions", a_quick_night_is_a_first_look_at_two_versions),
        Trial::test("a_finding_outweighs_a_missing_version", a_finding_outweighs_a_missing_version),
        Trial::test("a_red_night_says_how_to_repeat_it", a_red_night_says_how_to_repeat_it),
        Trial::test("a_night_can_be_done_in_parts", a_night_can_be_done_in_parts),
        Trial::test("the_report_is_exported", the_report_is_exported),
        Trial::test("every_night_has_a_seed_of_its_own", every_night_has_a_seed_of_its_own),
        Trial::test("an_old_report_is_deleted", an_old_report_is_deleted),
        Trial::test("fuzzing_determines_the_exit_code", fuzzing_determines_the_exit_code),
        Trial::test("borders_determine_the_exit_code", borders_determine_the_exit_code),
        Trial::test("long_tests_determine_the_exit_code", long_tests_determine_the_exit_code),
        Trial::test("long_tests_are_there", long_tests_are_there),
        Trial::test("impossible_fuzzing_is_reported", impossible_fuzzing_is_reported),
        Trial::test("a_wrong_option_is_rejected", a_wrong_option_is_rejected),
        Trial::test("the_real_binary_accepts_the_options", the_real_binary_accepts_the_options)
            .with_ignored_flag(ignored),
    ]
}

/// A finished night.
struct Night {
    code: Option<i32>,
    /// One line for each call of the replaced programs, then all that the night printed.
    words: String,
    directory: tempfile::TempDir,
}

impl Night {
    /// Runs a night with these options; the variables control the replaced programs.
    fn new(options: &[&str], variables: &[(&str, &str)]) -> Result<Self, Failed> {
        Self::in_directory(tempfile::tempdir()?, options, variables)
    }

    fn in_directory(
        directory: tempfile::TempDir,
        options: &[&str],
        variables: &[(&str, &str)],
    ) -> Result<Self, Failed> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let fakes = root.join("tests/nightly");
        let calls = directory.path().join("calls");
        let mut path = vec![fakes.clone()];
        path.extend(std::env::split_paths(&std::env::var_os("PATH").ok_or("a PATH")?));
        let mut command = Command::new(root.join(".ci/nightly"));
        command.arg("--reports").arg(directory.path()).args(options);
        command.env("PATH", std::env::join_paths(path)?).env("PTX_CONFORM", fakes.join("ptx-conform"));
        command.env("FAKE_CALLS", &calls).envs(variables.iter().copied());
        let output = command.output()?;
        let called = std::fs::read_to_string(calls).unwrap_or_default();
        let [stdout, stderr] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        Ok(Self { code: output.status.code(), words: format!("{called}{stdout}{stderr}"), directory })
    }

    fn ends_with(self, code: i32) -> Result<Self, Failed> {
        if self.code == Some(code) { Ok(self) } else { Err(format!("{:?}: {}", self.code, self.words).into()) }
    }

    fn says(self, part: &str) -> Result<Self, Failed> {
        if self.words.contains(part) { Ok(self) } else { Err(format!("`{part}` is missing: {}", self.words).into()) }
    }

    fn never_says(self, part: &str) -> Result<Self, Failed> {
        if self.words.contains(part) {
            Err(format!("`{part}` must not appear: {}", self.words).into())
        } else {
            Ok(self)
        }
    }

    /// Checks that the report's directory has the file.
    fn keeps(self, file: &str) -> Result<Self, Failed> {
        if self.directory.path().join("nightly").join(file).is_file() {
            Ok(self)
        } else {
            Err(format!("there is no {file}: {}", self.words).into())
        }
    }
}

fn the_run_determines_the_exit_code() -> Result<(), Failed> {
    // What the summary says of a run is what its report says.
    let (agreed, stale) =
        ("agreed: 0 new and 7 known groups", "disagreed: 0 new and 7 known groups; 1 divergence is gone");
    for (run, said, night, row) in [
        ("0", agreed, 0, format!("green       run: 2 of 2 versions; {agreed}")),
        ("1", stale, 1, format!("RED         run: {stale}")),
        ("2", "", 2, "NOT JUDGED  run: it ended with 2".to_owned()),
        ("101", "", 2, "NOT JUDGED  run: it ended with 101".to_owned()),
    ] {
        Night::new(&["--versions", "13.5 11.8", "--no-fuzz"], &[("FAKE_RUN", run), ("FAKE_SAID", said)])?
            .ends_with(night)?
            .says(&row)?
            .says("run --depth pairs --seed")?
            .never_says("new disagreements")?
            .says("--engine ptxas@13.5.1 --engine sass-all@13.5.1 --engine ptxas@11.8.1")?;
    }
    Ok(())
}

fn a_missing_version_does_not_stop_the_night() -> Result<(), Failed> {
    Night::new(&["--versions", "13.5,12.9,11.8", "--no-fuzz"], &[("FAKE_MISSING", "12.9")])?
        .ends_with(2)?
        .says("NOT JUDGED  ptxas 12.9: it cannot be installed")?
        .says("--engine ptxas@13.5.1 --engine sass-all@13.5.1 --engine ptxas@11.8.1")?
        .says("green       run: 2 of 3 versions")
        .map(drop)
}

fn without_any_version_nothing_is_judged() -> Result<(), Failed> {
    Night::new(&["--versions", "13.5 11.8", "--no-fuzz"], &[("FAKE_MISSING", "13.5 11.8")])?
        .ends_with(2)?
        .says("NOT JUDGED  run")?
        .never_says("run --depth")
        .map(drop)
}

fn installed_versions_are_found() -> Result<(), Failed> {
    Night::new(&["--versions", "12.0 13.5.37", "--no-fuzz", "--no-install"], &[])?
        .ends_with(0)?
        .says("--engine ptxas@12.0.140 --engine ptxas@13.5.37")?
        .never_says("toolchain install")?;
    // 2.0 must not match 12.0, and 13.5.3 must not match 13.5.37.
    Night::new(&["--versions", "2.0 13.5.3 13.5", "--no-fuzz", "--no-install"], &[])?
        .ends_with(2)?
        .says("NOT JUDGED  ptxas 2.0: it is not on this machine")?
        .says("NOT JUDGED  ptxas 13.5.3:")?
        .says("green       run: 1 of 3 versions")
        .map(drop)
}

fn a_quick_night_is_a_first_look_at_two_versions() -> Result<(), Failed> {
    Night::new(&["--quick", "--no-fuzz"], &[])?
        .ends_with(0)?
        .says("run --depth choices --seed ")?
        .says("--engine ptxas@13.5.1 --engine ptxas@11.8.1 --today")?;
    Night::new(&["--versions", "12.9", "--quick", "--no-fuzz"], &[])?.says("--engine ptxas@12.9.1 --today").map(drop)
}

fn a_finding_outweighs_a_missing_version() -> Result<(), Failed> {
    Night::new(&["--versions", "13.5 12.9", "--no-fuzz"], &[("FAKE_MISSING", "12.9"), ("FAKE_RUN", "1")])?
        .ends_with(1)?
        .says("NOT JUDGED  ptxas 12.9")?
        .says("RED         run")
        .map(drop)
}

fn a_red_night_says_how_to_repeat_it() -> Result<(), Failed> {
    let versions = ["--versions", "13.5", "--machine-code", "none"];
    let options = [&versions[..], &["--no-fuzz", "--seed", "7", "--", "suld", "--random", "50"]].concat();
    let night = Night::new(&options, &[("FAKE_RUN", "1")])?.ends_with(1)?.keeps("summary.txt")?;
    let summary = std::fs::read_to_string(night.directory.path().join("nightly/summary.txt"))?;
    for part in [
        "nightly: red; seed 7, commit ",
        "again: cargo run --release -- run --depth pairs --seed 7 --name nightly --engine ptxas@13.5.1 suld --random 50\n",
    ] {
        if !summary.contains(part) {
            return Err(format!("`{part}` is missing: {summary}").into());
        }
    }
    Ok(())
}

fn a_night_can_be_done_in_parts() -> Result<(), Failed> {
    let part = |code: &str| {
        let options = ["--versions", "13.5", "--seed", "7", "--shard", "2/8", "--today", "2026-11-28"];
        Night::new(&options, &[("FAKE_RUN", code)])?
            .says("run --depth pairs --seed 7 --name shard-2 --engine ptxas@13.5.1 --engine sass-all@13.5.1 --shard 2/8 --today 2026-11-28")?
            .says("SKIPPED     borders: by --shard")?
            .says("SKIPPED     long tests: by --shard")?
            .says("SKIPPED     fuzz: by --shard")?
            .never_says("run --depth listed")?
            .never_says("NOT JUDGED  export")
    };
    part("0")?.ends_with(0)?.says("green       run: part 2/8; 1 of 1 versions")?;
    part("2")?.ends_with(2)?.says("NOT JUDGED  run: it ended with 2")?;
    // The merge stands for the run, and everything else is done.
    let merged = |code: &str| {
        let options = ["--versions", "13.5", "--no-fuzz", "--merge", "/parts"];
        Night::new(&options, &[("FAKE_RUN", code), ("FAKE_SAID", "what is said")])?
            .says("report merge /parts/shard-*/ledger.sqlite --into ")?
            .never_says("\nrun --depth pairs")?
            .says("run --depth listed")?
            .says("green       execute all_mutants_are_found")
    };
    merged("0")?.ends_with(0)?.says("green       run: 1 of 1 versions; what is said")?.keeps("junit.xml")?;
    merged("1")?.ends_with(1)?.says("RED         run: what is said")?;
    // A part is missing, say.
    merged("2")?.ends_with(2)?.says("NOT JUDGED  run")?;
    Ok(())
}

fn the_report_is_exported() -> Result<(), Failed> {
    let options = ["--versions", "13.5", "--no-fuzz"];
    for run in ["0", "1"] {
        Night::new(&options, &[("FAKE_RUN", run)])?
            .says(" --today 20")?
            .keeps("summary.md")?
            .keeps("junit.xml")?
            .never_says("there is no junit.xml")?;
    }
    Night::new(&options, &[("FAKE_EXPORT", "junit")])?
        .ends_with(2)?
        .says("NOT JUDGED  export: there is no junit.xml")?
        .keeps("summary.md")?;
    // Without a report there is nothing to export, and the run has said why.
    Night::new(&options, &[("FAKE_RUN", "2")])?.ends_with(2)?.never_says("report export").map(drop)
}

fn every_night_has_a_seed_of_its_own() -> Result<(), Failed> {
    let today = || -> Result<u64, Failed> { Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() / 86400) };
    let before = today()?;
    let night = Night::new(&["--versions", "13.5", "--no-fuzz"], &[])?.ends_with(0)?;
    // The date may have changed meanwhile.
    if night.words.contains(&format!("run --depth pairs --seed {before} ")) {
        return Ok(());
    }
    night.says(&format!("run --depth pairs --seed {} ", today()?)).map(drop)
}

fn an_old_report_is_deleted() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let [old, other] = ["nightly/old.txt", "other/old.txt"].map(|file| directory.path().join(file));
    for file in [&old, &other] {
        std::fs::create_dir(file.parent().ok_or("a directory")?)?;
        std::fs::write(file, "")?;
    }
    let _night = Night::in_directory(directory, &["--versions", "13.5", "--no-fuzz"], &[])?.ends_with(0)?;
    let kept = [old.exists(), other.exists()];
    if kept == [false, true] { Ok(()) } else { Err(format!("{kept:?}").into()) }
}

fn fuzzing_determines_the_exit_code() -> Result<(), Failed> {
    let fuzz = |what: &str| {
        let night = Night::new(&["--versions", "13.5", "--seed", "0", "--fuzz-seconds", "3"], &[("FAKE_FUZZ", what)])?;
        // The second target is fuzzed, whatever happens to the first.
        night.says("fuzz run --sanitizer none second -- -max_total_time=3 ")?.says("green       fuzz second: 3 s")
    };
    fuzz("")?.ends_with(0)?.says("green       fuzz first: 3 s")?.says("-seed=1 ")?;
    fuzz("crash")?
        .ends_with(1)?
        .says("RED         fuzz first: crash-1")?
        .says("again: cargo +nightly fuzz run --sanitizer none first /")?
        .keeps("fuzz/first/crash-1")?;
    fuzz("slow")?.ends_with(1)?.says("RED         fuzz first: timeout-1")?.keeps("fuzz/first/timeout-1")?;
    // A time-out that does not happen again is reported, but is not red.
    fuzz("slow once")?.ends_with(0)?.says("SKIPPED     fuzz first: ended early by timeout-1")?;
    fuzz("broken")?.ends_with(2)?.says("NOT JUDGED  fuzz first: it ended with 1")?;
    Ok(())
}

fn borders_determine_the_exit_code() -> Result<(), Failed> {
    let night = |options: &[&str], code: &str| {
        Night::new(&[&["--versions", "13.5", "--no-fuzz", "--no-tests"], options].concat(), &[("FAKE_BORDERS", code)])
    };
    // Every build on this machine is asked, whatever versions are.
    night(&[], "0")?
        .ends_with(0)?
        .says("toolchain install all")?
        .says("run --depth listed --engine ptxas@12.0.76 --engine sass-all@12.0.76 --no-history --today")?
        .says("green       borders of ptxas 12.0.140: what is listed")?;
    night(&[], "1")?
        .ends_with(1)?
        .says("RED         borders of ptxas 13.5.37: what is listed")?
        .says("again: cargo run --release -- run --depth listed --engine ptxas@13.5.37 --engine sass-all@13.5.37")?;
    night(&[], "2")?.ends_with(2)?.says("NOT JUDGED  borders of ptxas 13.5.37")?;
    night(&["--no-borders"], "1")?.ends_with(0)?.says("SKIPPED     borders: by --no-borders")?;
    Ok(())
}

fn long_tests_determine_the_exit_code() -> Result<(), Failed> {
    let tested = |what: &str, versions: &str| {
        Night::new(&["--versions", versions, "--machine-code", "none", "--no-fuzz"], &[("FAKE_TEST", what)])
    };
    tested("", "13.5")?
        .ends_with(0)?
        .says("test --locked --release --test execute all_mutants_are_found -- --ignored\n")?
        .says("green       execute all_mutants_are_found: every mutant")?
        .says("green       engines all_wrong_code_is_noticed: ")?
        .keeps("tests/execute-all_mutants_are_found.txt")?;
    tested("fails", "13.5")?
        .ends_with(1)?
        .says("RED         execute all_mutants_are_found: it failed; see ")?
        .says("again: cargo test --locked --release --test execute all_mutants_are_found -- --ignored\n")?
        // The others run nevertheless.
        .says("RED         engines other_wrong_code_has_one_cause")?;
    // A test that cannot be built, or that was renamed, is not green.
    for what in ["is not built", "is not there"] {
        tested(what, "13.5")?.ends_with(2)?.says("NOT JUDGED  execute all_mutants_are_found: no test ran")?;
    }
    // What a test cannot do here is not green.
    tested("cannot", "13.5")?
        .ends_with(0)?
        .says("SKIPPED     engines all_wrong_code_is_noticed: something is not here")?;
    tested("fails", "11.8")?
        .says("RED         execute all_mutants_are_found")?
        .says("SKIPPED     engines all_wrong_code_is_noticed: ptxas 13.5 is not asked")?
        .never_says("\ntest --locked --release --test engines")?;
    for (option, said) in [("--no-tests", "by --no-tests"), ("--quick", "by --quick")] {
        Night::new(&["--versions", "13.5", "--no-fuzz", option], &[("FAKE_TEST", "fails")])?
            .ends_with(0)?
            .says(&format!("SKIPPED     long tests: {said}"))?
            .never_says("--ignored")?;
    }
    Ok(())
}

/// Each long test is a test with this name in this program, so that a renamed one is noticed by day.
fn long_tests_are_there() -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = std::fs::read_to_string(root.join(".ci/nightly"))?;
    let table = script.split_once("long_tests=(\n").and_then(|(_, rest)| rest.split_once("\n)")).ok_or("the table")?.0;
    for row in table.lines() {
        let mut words = row.trim().trim_matches('"').split(' ');
        let (program, test) = words.next().zip(words.next()).ok_or("a program and a test")?;
        let mut files = std::fs::read_dir(root.join("tests").join(program))?;
        let has = |path: &Path| {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            [format!("fn {test}()"), format!("\"{test}\"")].iter().any(|name| text.contains(name))
        };
        if !files.any(|file| file.is_ok_and(|file| has(&file.path()))) {
            return Err(format!("tests/{program} has no test {test}").into());
        }
    }
    Ok(())
}

fn impossible_fuzzing_is_reported() -> Result<(), Failed> {
    let absent = [("FAKE_FUZZ", "absent")];
    Night::new(&["--versions", "13.5"], &absent)?.ends_with(0)?.says("SKIPPED     fuzz: there is no cargo-fuzz")?;
    Night::new(&["--versions", "13.5", "--require-fuzz"], &absent)?.ends_with(2)?.says("NOT JUDGED  fuzz")?;
    Ok(())
}

fn a_wrong_option_is_rejected() -> Result<(), Failed> {
    for (options, part) in [
        (&["--fuz"][..], "there is no option --fuz"),
        (&["--seed"], "--seed needs a value"),
        (&["--seed", "x"], "--seed is a number"),
        (&["--fuzz-seconds", "0"], "--fuzz-seconds is a number above 0"),
        (&["--shard", "8"], "--shard is K/N"),
        (&["--shard", "1/8", "--merge", "parts"], "it is one or the other"),
        (&["--versions", " "], "--versions names none"),
        (&["--versions", "13.5", "--machine-code", "13.5,12.9"], "--machine-code names 12.9, but --versions does not"),
    ] {
        Night::new(options, &[])?.ends_with(2)?.says(part)?.never_says("toolchain install")?;
    }
    Ok(())
}

/// Uses the real binary and a real ptxas, to check that the script's options exist.
fn the_real_binary_accepts_the_options() -> Result<(), Failed> {
    let version = &toolchain::find("13.5")?.version;
    let options = ["--versions", version, "--no-install", "--no-fuzz", "--quick", "--", "suq"];
    Night::new(&options, &[("PTX_CONFORM", env!("CARGO_BIN_EXE_ptx-conform"))])?
        .ends_with(0)?
        .says("green       ptxas versions: all 1")?
        .says("green       run: 1 of 1 versions; agreed: 0 new and ")?
        .keeps("report.json")?
        .keeps("junit.xml")?
        .keeps("summary.md")?
        .keeps("../history.jsonl")?
        .keeps("summary.txt")
        .map(drop)
}
