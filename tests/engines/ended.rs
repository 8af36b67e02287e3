//! Runs on a real `ptxas` that are ended from outside at any moment: they go on, and the report is the same to the byte.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};

use super::protocol::check;

pub(crate) fn trials() -> Vec<Trial> {
    let ignored = crate::installed::skipped_without("13.5");
    let ended = |signal: &'static str, times: u32| {
        let trial = Trial::test(format!("a_run_that_is_ended_goes_on::{signal}"), move || goes_on(signal, times));
        trial.with_ignored_flag(ignored)
    };
    vec![ended("KILL", 10), ended("TERM", 3), ended("HUP", 3)]
}

/// Lines, words, the matrix, rows and chains; asked anew each time.
const OPTIONS: &str =
    "run suq --depth pairs --engine ptxas@13.5 --random 100 --cases 20 --no-history --today 2026-11-28 --reports .";

fn tool(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-conform"));
    command.current_dir(folder).args(arguments.split(' ')).env("PTX_CONFORM_ANSWERS", "");
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The files of a report without its ledger.
fn files(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>, Failed> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(
                self::files(&path)?.into_iter().map(|(name, bytes)| (Path::new(name_of(&path)).join(name), bytes)),
            );
        } else if !name_of(&path).starts_with("ledger") {
            files.insert(PathBuf::from(name_of(&path)), std::fs::read(&path)?);
        }
    }
    Ok(files)
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn goes_on(signal: &str, times: u32) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let began = Instant::now();
    let whole = tool(folder, &format!("{OPTIONS} --name whole")).status()?;
    let took = began.elapsed();
    check(whole.code() == Some(0), format!("{whole}"))?;
    let expected = files(&folder.join("whole"))?;
    let mut gone_on = 0;
    for number in 0..times {
        let name = format!("ended-{number}");
        let mut run = tool(folder, &format!("{OPTIONS} --name {name}")).spawn()?;
        std::thread::sleep(took * (2 * number + 1) / (2 * times));
        // It may have ended by itself.
        Command::new("kill").arg(format!("-{signal}")).arg(run.id().to_string()).stderr(Stdio::null()).status()?;
        let told = Instant::now();
        let ended = run.wait()?;
        check(told.elapsed() < Duration::from_secs(20), format!("{signal} ends it after {:?}", told.elapsed()))?;
        // Before its ledger was there, it is no run.
        if ended.success() || !folder.join(&name).join("ledger.sqlite").exists() {
            continue;
        }
        let resumed = tool(folder, &format!("run --resume {name} --reports .")).status()?;
        check(resumed.code() == Some(0), format!("{name} was ended with {ended}, and goes on with {resumed}"))?;
        let found = files(&folder.join(&name))?;
        check(found == expected, format!("{name} was ended with {ended}: its report is another one"))?;
        gone_on += 1;
    }
    check(gone_on > 0, "no run was ended while it worked")
}
