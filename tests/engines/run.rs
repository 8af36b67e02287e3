//! `ptx-conform run` as users start it: it agrees with ptxas as listed, is deterministic, and says why it cannot work.
//!
//! Tests that need a ptxas are ignored if none is installed, unless PTX_CONFORM_REQUIRE_PTXAS is set.

use std::path::Path;
use std::process::{Command, Output};

use libtest_mimic::{Failed, Trial};
use ptx_conform::campaign::{Generate, Options, Progress, Subject};
use ptx_conform::divergences::Divergences;
use ptx_conform::engine::ptxas::Ptxas;
use ptx_conform::engine::toolchain;

pub(crate) fn trials() -> Vec<Trial> {
    let ignored = crate::installed::skipped_without("13.5");
    let real = |name: &str, test: fn() -> Result<(), Failed>| Trial::test(name, test).with_ignored_flag(ignored);
    vec![
        real(
            "a_run_agrees_as_listed_and_does_not_depend_on_batches_and_threads",
            a_run_agrees_as_listed_and_does_not_depend_on_batches_and_threads,
        ),
        real(
            "a_thousand_mismatches_of_ten_causes_take_at_most_a_hundred_processes",
            a_thousand_mismatches_of_ten_causes_take_at_most_a_hundred_processes,
        ),
        Trial::test("a_finding_of_one_version_names_it_and_replays", a_finding_of_one_version_names_it_and_replays)
            .with_ignored_flag(ignored || crate::installed::skipped_without("11.8")),
        real("what_is_listed_shows_where_it_is_listed", what_is_listed_shows_where_it_is_listed),
        Trial::test("a_finding_says_which_builds_have_it", a_finding_says_which_builds_have_it)
            .with_ignored_flag(ignored || crate::installed::skipped_without("11.8")),
        real("what_was_not_asked_about_is_not_gone", what_was_not_asked_about_is_not_gone),
        real("lines_that_kill_only_together_are_a_finding", lines_that_kill_only_together_are_a_finding),
        real("expired_divergences_are_reported", expired_divergences_are_reported),
        real("stored_cases_behave_as_listed", stored_cases_behave_as_listed),
        Trial::test("a_missing_engine_is_named", a_missing_engine_is_named),
        Trial::test("a_program_that_is_not_ptxas_is_named", a_program_that_is_not_ptxas_is_named),
        Trial::test("an_unwritable_report_is_noticed_first", an_unwritable_report_is_noticed_first),
        Trial::test("an_engine_that_judges_nothing_is_not_a_success", an_engine_that_judges_nothing_is_not_a_success),
    ]
}

/// The file with the divergences that tests change.
const PTXAS: &str = "ptxas.yaml";
/// The file with the listed chains.
const CHAINS: &str = "sass-chains.yaml";
/// The engine of tests that do not name another, whatever else is installed.
const NEWEST: [&str; 2] = ["--engine", "ptxas@13.5"];

fn run(reports: &Path, arguments: &[&str]) -> Result<Output, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-conform"));
    // Every test asks by itself.
    command.arg("run").args(arguments).arg("--reports").arg(reports).env("PTX_CONFORM_ANSWERS", "");
    Ok(command.output()?)
}

fn report(reports: &Path, name: &str) -> Result<String, Failed> {
    Ok(std::fs::read_to_string(reports.join(name).join("report.json"))?)
}

fn check(condition: bool, message: impl Into<String>) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(Failed::from(message.into())) }
}

fn words(output: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Surfaces agree as listed, and neither a second run nor other batches and threads change a byte of the report.
fn a_run_agrees_as_listed_and_does_not_depend_on_batches_and_threads() -> Result<(), Failed> {
    let reports = tempfile::tempdir()?;
    let few = ["suq", "sust", "--random", "200", "--cases", "6"];
    for (name, how) in [("a", &[][..]), ("b", &[]), ("c", &["--batch", "97", "--jobs", "1"])] {
        let output = run(reports.path(), &[&few[..], how, &["--name", name], &NEWEST].concat())?;
        check(output.status.code() == Some(0), words(&output))?;
    }
    let first = report(reports.path(), "a")?;
    check(first == report(reports.path(), "b")?, "two runs differ")?;
    check(first == report(reports.path(), "c")?, "the report depends on batches or threads")
}

/// Each listed divergence is asked about by lines and rows of its own if no others show it, and a few that come out right
/// are no proof that it is gone.
fn what_was_not_asked_about_is_not_gone() -> Result<(), Failed> {
    let reports = tempfile::tempdir()?;
    let narrow = ["--no-boundaries", "--no-vocabulary", "--no-matrix"];
    let lines = [&["rcp", "--depth", "pairs", "--random", "200", "--no-execution"], &narrow[..], &NEWEST].concat();
    let mut few =
        vec!["ld", "--depth", "pairs", "--cases", "1", "--rows", "1", "--random", "1", "--engine", "sass@13.5"];
    few.extend(narrow);
    for arguments in [lines, few] {
        let output = run(reports.path(), &arguments)?;
        let said = words(&output);
        check(output.status.code() == Some(0) && !said.contains("remove"), said)?;
    }
    Ok(())
}

/// The real ptxas, behind a script that dies if one process is given both of these lines.
fn lines_that_kill_only_together_are_a_finding() -> Result<(), Failed> {
    const LINES: [&str; 2] = ["not.b32 %u32_0, %u32_8;", "not.b32 %u32_0, %s32_8;"];
    let reports = tempfile::tempdir()?;
    let script = reports.path().join("ptxas");
    let ptxas = toolchain::find("13.5")?;
    let text = format!(
        "#!/bin/sh\nfor a; do case \"$a\" in [0-9]*.ptx) files=\"$files $a\";; esac; done\n[ \"$files\" ] && \
         grep -qxF '{}' $files && grep -qxF '{}' $files && kill -SEGV $$\nexec {} \"$@\"\n",
        LINES[0],
        LINES[1],
        ptxas.path.display()
    );
    std::fs::write(&script, text)?;
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let shallow = [
        "not",
        "--no-matrix",
        "--no-execution",
        "--no-vocabulary",
        "--no-boundaries",
        "--depth",
        "pairs",
        "--random",
        "0",
    ];
    let script = script.display().to_string();
    let output = run(reports.path(), &[&shallow[..], &["--generate-code", "none", "--ptxas", &script]].concat())?;
    check(output.status.code() == Some(1), words(&output))?;
    let report: serde_json::Value = serde_json::from_str(&report(reports.path(), "latest")?)?;
    let deaths = report["deaths"].as_array().ok_or("deaths")?;
    check(deaths.len() == 1 && deaths[0]["divergence"].is_null(), format!("{deaths:?}"))?;
    let modules = deaths[0]["modules"].as_array().ok_or("modules")?;
    let lines: Vec<&str> = modules
        .iter()
        .filter_map(|module| module["lines"].as_array())
        .flatten()
        .filter_map(|line| line.as_str())
        .collect();
    check(
        lines.iter().copied().collect::<std::collections::BTreeSet<_>>() == LINES.into() && lines.len() == 2,
        format!("{lines:?}"),
    )?;
    // Nothing else differs, and the text shows both.
    check(report["findings"].as_array().is_some_and(Vec::is_empty), words(&output))?;
    check(LINES.iter().all(|line| words(&output).contains(line)), words(&output))?;
    let page = std::fs::read_to_string(reports.path().join("latest/run.html"))?;
    check(page.contains("kill it only together"), "run.html shows nothing")
}

fn a_missing_engine_is_named() -> Result<(), Failed> {
    let reports = tempfile::tempdir()?;
    for (engine, part) in [
        ("ptxas@1.1", "toolchain install 1.1"),
        ("gpu@x", "is not an engine"),
        ("ptxas@", "is not an engine: write ptxas, ptxas@VERSION"),
    ] {
        let output = run(reports.path(), &["--engine", engine])?;
        check(output.status.code() == Some(2) && words(&output).contains(part), words(&output))?;
    }
    let output = run(reports.path(), &["--ptxas", "/no/such/ptxas"])?;
    check(output.status.code() == Some(2) && words(&output).contains("/no/such/ptxas"), words(&output))
}

fn a_program_that_is_not_ptxas_is_named() -> Result<(), Failed> {
    let reports = tempfile::tempdir()?;
    let output = run(reports.path(), &["--ptxas", "/bin/echo"])?;
    check(output.status.code() == Some(2) && words(&output).contains("/bin/echo"), words(&output))
}

fn an_unwritable_report_is_noticed_first() -> Result<(), Failed> {
    let reports = tempfile::tempdir()?;
    let file = reports.path().join("file");
    std::fs::write(&file, "")?;
    let output = run(&file, &["--ptxas", "/no/such/ptxas"])?;
    check(output.status.code() == Some(2) && words(&output).contains("cannot be used; choose another"), words(&output))
}

/// The shipped divergences of ptxas without those with these ids.
fn divergences_without(file: &str, ids: &[&str]) -> Result<String, Failed> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/divergences").join(file);
    let text = std::fs::read_to_string(path)?;
    let entries: Vec<&str> = text.split("\n  - id: ").collect();
    let kept = |entry: &&&str| !ids.iter().any(|id| entry.lines().next() == Some(*id));
    check(entries.iter().filter(|entry| !kept(entry)).count() == ids.len(), format!("{ids:?} are not all listed"))?;
    Ok(entries.iter().filter(kept).copied().collect::<Vec<_>>().join("\n  - id: "))
}

/// A copy of the specification with other divergences.
fn specs_with(file: &str, divergences: &str) -> Result<tempfile::TempDir, Failed> {
    let copy = tempfile::tempdir()?;
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs");
    std::fs::create_dir(copy.path().join("divergences"))?;
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        if let (true, Some(name)) = (path.is_file(), path.file_name()) {
            std::fs::copy(&path, copy.path().join(name))?;
        }
    }
    std::fs::write(copy.path().join("divergences").join(file), divergences)?;
    Ok(copy)
}

const TEN: [&str; 10] = [
    "any-order",
    "clamp-modes-on-sm_1x",
    "surplus-coordinates",
    "missing-coordinates",
    "undocumented-geometry-4d",
    "loads-of-surplus-lanes",
    "stores-of-surplus-lanes",
    "formatted-stores-with-cache-operation",
    "formatted-stores-to-arrays",
    "formatted-stores-to-2d-arrays",
];

fn a_thousand_mismatches_of_ten_causes_take_at_most_a_hundred_processes() -> Result<(), Failed> {
    let spec = ptx_conform::shipped::spec().map_err(|errors| errors[0].render(false))?;
    let text = divergences_without(PTXAS, &TEN)?;
    let divergences = Divergences::from_texts(&[("ptxas.yaml".to_owned(), text)], &spec);
    let divergences = divergences.map_err(|errors| errors[0].render(false))?;
    let ptxas = Ptxas::open(&toolchain::find("13.5")?.path)?;
    let subjects = [Subject::judging(&ptxas, ptxas.newest_ptx())];
    let options = Options {
        instructions: ["suld", "sust", "sured", "suq"].map(str::to_owned).to_vec(),
        random: Some(2_000),
        generate: Generate::Nothing,
        // Words make lines with several faults, which are not analysed.
        vocabulary: false,
        ..Options::default()
    };
    let progress = Progress::default();
    let results = ptx_conform::campaign::run(&spec, &divergences, &subjects, &options, &progress);
    let before = ptxas.stats().processes;
    let findings = ptx_conform::causes::find(&spec, &divergences, &subjects, &results, &progress)?;
    let processes = ptxas.stats().processes - before;
    let summary = format!("{} mismatches, {} findings, {processes} processes", results.unlisted(), findings.all.len());
    println!("{summary}");
    let left: Vec<&String> = findings.not_reproduced.iter().chain(&findings.not_analysed).collect();
    check(results.unlisted() >= 1_000 && left.is_empty(), format!("{summary}; not analysed: {left:#?}"))?;
    check((5..=11).contains(&findings.all.len()) && processes <= 100, summary)
}

fn a_finding_of_one_version_names_it_and_replays() -> Result<(), Failed> {
    let reports = tempfile::tempdir()?;
    let specs = specs_with(PTXAS, &divergences_without(PTXAS, &["stores-of-eight-lanes"])?)?;
    let specs = specs.path().to_str().ok_or("a path in UTF-8")?;
    let both = ["--engine", "ptxas@13.5", "--engine", "ptxas@11.8"];
    let options = ["sust", "--depth", "pairs", "--random", "0", "--no-boundaries", "--no-vocabulary", "--no-matrix"];
    let further = ["--no-execution", "--generate-code", "none", "--write-divergences", "--specs", specs];
    let output = run(reports.path(), &[&options[..], &further, &both].concat())?;
    let text = words(&output);
    check(output.status.code() == Some(1) && text.matches("\nfinding ").count() == 1, &*text)?;
    check(text.contains("in ptxas 13.5, not 11.8") && text.contains("from: \"13.5\""), &*text)?;
    let proposed = std::fs::read_to_string(reports.path().join("latest/divergences.yaml"))?;
    check(proposed.contains("does: accepts"), proposed)?;
    // The stored case reproduces the finding; a listed case can be minimized as well.
    let cases = reports.path().join("latest/cases");
    let tool = |arguments: &[&std::ffi::OsStr]| -> Result<Output, Failed> {
        Ok(Command::new(env!("CARGO_BIN_EXE_ptx-conform")).args(arguments).output()?)
    };
    let engine = ["--engine", "ptxas@13.5"].map(std::ffi::OsStr::new);
    let replayed =
        tool(&["replay".as_ref(), cases.as_os_str(), engine[0], engine[1], "--specs".as_ref(), specs.as_ref()])?;
    check(replayed.status.code() == Some(1) && words(&replayed).contains("UNEXPECTED"), words(&replayed))?;
    let replayed = tool(&["replay".as_ref(), cases.as_os_str(), engine[0], engine[1]])?;
    check(replayed.status.code() == Some(0) && words(&replayed).contains("listed as"), words(&replayed))?;
    let file = std::fs::read_dir(&cases)?.next().ok_or("a case")??.path();
    let minimized = tool(&["minimize".as_ref(), file.as_os_str(), engine[0], engine[1]])?;
    check(
        minimized.status.code() == Some(1) && words(&minimized).contains("accepts lines that break vec-value"),
        words(&minimized),
    )?;
    // An engine that cannot be asked does not count as agreeing.
    let older = tool(&["minimize".as_ref(), file.as_os_str(), engine[0], "ptxas@11.8".as_ref()])?;
    check(
        older.status.code() == Some(2) && words(&older).contains("none of the engines judges lines in PTX 9.5"),
        words(&older),
    )?;
    // A case that cannot be read does not stop the others.
    let broken = std::fs::read_to_string(&file)?.replace(".target sm_", ".target sm_9");
    std::fs::write(cases.join("a-broken-one.ptx"), broken.lines().skip(1).collect::<Vec<_>>().join("\n"))?;
    let replayed = tool(&["replay".as_ref(), cases.as_os_str(), engine[0], engine[1]])?;
    check(replayed.status.code() == Some(2) && words(&replayed).contains("listed as"), words(&replayed))
}

/// Chains and rows of the machine code, from both sides.
fn what_is_listed_shows_where_it_is_listed() -> Result<(), Failed> {
    let reports = tempfile::tempdir()?;
    let output = run(reports.path(), &["--depth", "listed", "--engine", "sass@13.5"])?;
    let text = words(&output);
    check(output.status.code() == Some(0) && text.contains("\nagreed: 0 new and "), &*text)?;
    // An entry that says it ended with an older version does not agree.
    let chains = divergences_without(CHAINS, &[])?;
    let ended = "  - id: selections-by-a-negated-number\n    to: \"13.4\"\n";
    let specs = specs_with(CHAINS, &chains.replace("  - id: selections-by-a-negated-number\n", ended))?;
    let specs = specs.path().to_str().ok_or("a path in UTF-8")?;
    let output = run(reports.path(), &["--depth", "listed", "--engine", "sass@13.5", "--specs", specs])?;
    let text = words(&output);
    let wider =
        "divergence selections-by-a-negated-number happens here too: widen its `from`, `to` or `engines` (sass@13.5";
    check(output.status.code() == Some(1) && text.contains(wider), text)
}

/// Each installed build is asked, for all targets and levels; two are installed where this run looks.
fn a_finding_says_which_builds_have_it() -> Result<(), Failed> {
    let [reports, cache] = [tempfile::tempdir()?, tempfile::tempdir()?];
    let mut builds = Vec::new();
    for version in ["13.5", "11.8"] {
        let build = toolchain::find(version)?;
        let folder = build.path.parent().ok_or("a folder")?;
        std::fs::create_dir_all(cache.path().join("ptxas"))?;
        std::os::unix::fs::symlink(folder, cache.path().join("ptxas").join(&build.version))?;
        builds.push(build.version);
    }
    let specs = specs_with(CHAINS, &divergences_without(CHAINS, &["shifts-of-16-bits-by-large-constants"])?)?;
    let specs = specs.path().to_str().ok_or("a path in UTF-8")?;
    let output = Command::new(env!("CARGO_BIN_EXE_ptx-conform"))
        .args(["run", "shl", "--engine", "sass@13.5", "--chains", "256", "--cases", "1", "--rows", "1"])
        .args(["--no-history", "--specs", specs, "--reports"])
        .arg(reports.path())
        .env("PTX_CONFORM_CACHE", cache.path())
        .env("PTX_CONFORM_ANSWERS", "")
        .env_remove("CUDA_HOME")
        .env_remove("CUDA_PATH")
        .output()?;
    let text = words(&output);
    let [newest, oldest] = &builds[..] else { return Err("two builds".into()) };
    let older = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90"].map(|target| format!("{target} -O3, {target} -O0"));
    for line in [
        format!("  builds   {oldest} to {newest} for {}\n", older.join(", ")),
        format!("  builds   {newest} for sm_100 -O3, sm_100 -O0, sm_120 -O3, sm_120 -O0\n"),
        format!("  builds   not told: {oldest} for sm_100 -O3, sm_100 -O0, sm_120 -O3, sm_120 -O0\n"),
        "  builds   asked: 2 builds\n".to_owned(),
    ] {
        check(text.contains(&line), format!("`{line}` is missing: {text}"))?;
    }
    check(report(reports.path(), "latest")?.contains("\"borders\""), "the report has no borders")
}

fn stored_cases_behave_as_listed() -> Result<(), Failed> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/findings");
    let output = Command::new(env!("CARGO_BIN_EXE_ptx-conform")).arg("replay").arg(cases).args(NEWEST).output()?;
    check(output.status.code() == Some(0), words(&output))
}

fn expired_divergences_are_reported() -> Result<(), Failed> {
    let reports = tempfile::tempdir()?;
    let text = divergences_without(PTXAS, &[])?;
    let text = text.replace("  - id: any-order\n", "  - id: any-order\n    expires: 2027-06-30\n");
    let specs = specs_with(PTXAS, &text)?;
    let specs = specs.path().to_str().ok_or("a path in UTF-8")?;
    for (today, code) in [("2027-06-30", 0), ("2027-07-01", 1)] {
        let output = run(
            reports.path(),
            &["suq", "--random", "100", "--no-execution", "--specs", specs, "--today", today, NEWEST[0], NEWEST[1]],
        )?;
        check(output.status.code() == Some(code), words(&output))?;
        check(words(&output).contains("any-order has expired") == (code == 1), words(&output))?;
    }
    Ok(())
}

/// The engine is a program that identifies itself as ptxas and rejects every `-arch`.
fn an_engine_that_judges_nothing_is_not_a_success() -> Result<(), Failed> {
    let reports = tempfile::tempdir()?;
    let fake = reports.path().join("ptxas");
    let script = "#!/bin/sh\ncase \"$*\" in *--version*) echo 'Cuda compilation tools, release 13.5, V13.5.37';; *) echo \"ptxas fatal   : current version is '9.5'\" >&2; exit 255;; esac\n";
    std::fs::write(&fake, script)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755))?;
    }
    let path = fake.to_str().ok_or("a path in UTF-8")?;
    let output = run(reports.path(), &["suq", "--ptxas", path])?;
    check(output.status.code() == Some(2), words(&output))
}
