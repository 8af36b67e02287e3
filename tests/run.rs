//! `ptx-conform run`, as its users start it: green, deterministic, and clear where it cannot work.
//!
//! Tests that need a ptxas are ignored where there is none, unless PTX_CONFORM_REQUIRE_PTXAS is set.

use std::path::Path;
use std::process::{Command, ExitCode, Output};

use libtest_mimic::{Arguments, Failed, Trial};
use ptx_conform::engine::toolchain;

fn main() -> ExitCode {
    let absent = toolchain::discover(None).is_err();
    if absent {
        eprintln!(
            "no ptxas here: the tests that need one are IGNORED (`ptx-conform toolchain install 13.5` fetches it)"
        );
    }
    let ignored = absent && std::env::var_os("PTX_CONFORM_REQUIRE_PTXAS").is_none();
    let real = |name: &str, test: fn() -> Result<(), Failed>| Trial::test(name, test).with_ignored_flag(ignored);
    let trials = vec![
        real("the_same_run_twice_gives_the_same_bytes", the_same_run_twice_gives_the_same_bytes),
        real("batches_and_threads_do_not_show", batches_and_threads_do_not_show),
        real("surface_instructions_agree_as_listed", surface_instructions_agree_as_listed),
        Trial::test("a_missing_engine_is_named", a_missing_engine_is_named),
        Trial::test("an_engine_that_is_no_ptxas_is_named", an_engine_that_is_no_ptxas_is_named),
        Trial::test(
            "a_report_that_cannot_be_written_is_found_out_first",
            a_report_that_cannot_be_written_is_found_out_first,
        ),
        Trial::test("an_engine_that_judges_nothing_is_no_success", an_engine_that_judges_nothing_is_no_success),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn run(reports: &Path, arguments: &[&str]) -> Result<Output, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-conform"));
    command.arg("run").args(arguments).arg("--reports").arg(reports);
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

fn the_same_run_twice_gives_the_same_bytes() -> Result<(), Failed> {
    let reports = tempfile::tempdir()?;
    run(reports.path(), &["suq", "suld", "--random", "500", "--name", "a"])?;
    run(reports.path(), &["suq", "suld", "--random", "500", "--name", "b"])?;
    check(report(reports.path(), "a")? == report(reports.path(), "b")?, "two runs differ")
}

fn batches_and_threads_do_not_show() -> Result<(), Failed> {
    let reports = tempfile::tempdir()?;
    run(reports.path(), &["suq", "sust", "--random", "500", "--no-boundaries", "--name", "a"])?;
    run(
        reports.path(),
        &["suq", "sust", "--random", "500", "--no-boundaries", "--name", "b", "--batch", "97", "--jobs", "1"],
    )?;
    check(report(reports.path(), "a")? == report(reports.path(), "b")?, "batches or threads show in the report")
}

fn surface_instructions_agree_as_listed() -> Result<(), Failed> {
    let reports = tempfile::tempdir()?;
    let output = run(reports.path(), &["suld", "sust", "suq", "--random", "1000"])?;
    check(output.status.code() == Some(0), words(&output))
}

fn a_missing_engine_is_named() -> Result<(), Failed> {
    let reports = tempfile::tempdir()?;
    for (engine, part) in [("ptxas@1.1", "toolchain install 1.1"), ("gpu@x", "is not an engine")] {
        let output = run(reports.path(), &["--engine", engine])?;
        check(output.status.code() == Some(2) && words(&output).contains(part), words(&output))?;
    }
    let output = run(reports.path(), &["--ptxas", "/no/such/ptxas"])?;
    check(output.status.code() == Some(2) && words(&output).contains("/no/such/ptxas"), words(&output))
}

fn an_engine_that_is_no_ptxas_is_named() -> Result<(), Failed> {
    let reports = tempfile::tempdir()?;
    let output = run(reports.path(), &["--ptxas", "/bin/echo"])?;
    check(output.status.code() == Some(2) && words(&output).contains("/bin/echo"), words(&output))
}

fn a_report_that_cannot_be_written_is_found_out_first() -> Result<(), Failed> {
    let reports = tempfile::tempdir()?;
    let file = reports.path().join("file");
    std::fs::write(&file, "")?;
    let output = run(&file, &["--ptxas", "/no/such/ptxas"])?;
    check(output.status.code() == Some(2) && words(&output).contains("cannot be written"), words(&output))
}

/// A program that names itself as ptxas does and rejects every `-arch`.
fn an_engine_that_judges_nothing_is_no_success() -> Result<(), Failed> {
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
