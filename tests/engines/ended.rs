//! Runs on a real `ptxas` that are ended from outside at any moment: they go on, and the report is the same to the byte.
//!
//! `PTX_CONFORM_ENDINGS=100` ends 100 of each kind while they work.

use std::collections::BTreeMap;
use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};
use ptx_conform::engine::toolchain;

use super::protocol::check;

/// The runs that a test ends while they work.
const RUNS: u32 = 2;
/// How often each of them may be tried: some end by themselves first, or before they have a ledger.
const TRIES: u32 = 8;
/// The golden ratio: its multiples are moments spread evenly over the time that a run takes, however many they are.
const GOLDEN: f64 = 0.618_033_988_749_895;
/// How long a run may go on after it was told to end.
const LONGEST: Duration = Duration::from_secs(20);
/// The version of the `ptxas` that judges.
const VERSION: &str = "13.5";

/// What ends a run.
#[derive(Clone, Copy, Debug)]
enum Ending {
    /// A signal, by its name.
    Signal(&'static str),
    /// The disk of the reports is full.
    FullDisk,
    /// The file of `ptxas` is replaced by one that dies.
    Replaced,
}

impl fmt::Display for Ending {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Self::Signal(name) => name,
            Self::FullDisk => "FULL",
            Self::Replaced => "REPLACED",
        })
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    let ignored = crate::installed::skipped_without(VERSION);
    let asked = std::env::var("PTX_CONFORM_ENDINGS").ok().and_then(|number| number.parse().ok());
    let ended = |(ending, runs): (Ending, u32)| {
        let runs = asked.unwrap_or(runs);
        let trial = Trial::test(format!("a_run_that_is_ended_goes_on::{ending}"), move || goes_on(ending, runs));
        trial.with_ignored_flag(ignored || matches!(ending, Ending::FullDisk) && !small_disks())
    };
    let endings = [
        (Ending::Signal("KILL"), 10),
        (Ending::Signal("TERM"), RUNS),
        (Ending::Signal("HUP"), RUNS),
        (Ending::FullDisk, RUNS),
        (Ending::Replaced, RUNS),
    ];
    endings.into_iter().map(ended).collect()
}

/// True if disks of a given size can be made here; otherwise standard error says so.
fn small_disks() -> bool {
    let made = Command::new("unshare").args(["-rm", "mount", "-t", "tmpfs", "-o", "size=64k", "none", "/mnt"]).output();
    let made = made.is_ok_and(|output| output.status.success());
    if !made {
        eprintln!(
            "no disk can be mounted here (`unshare -rm mount -t tmpfs none /mnt`): runs on a full disk are IGNORED"
        );
    }
    made
}

/// Lines, words, the matrix, rows and chains; asked anew each time.
const OPTIONS: &str =
    "run suq --depth pairs --ptxas ptxas --random 100 --cases 20 --no-history --today 2026-11-28 --reports reports";

fn tool(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-conform"));
    command.current_dir(folder).args(arguments.split(' ')).env("PTX_CONFORM_ANSWERS", "");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
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

/// The status of a command with what it printed.
fn shown(output: &Output) -> String {
    let texts = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    format!("{}\n{}", output.status, texts.concat())
}

fn goes_on(ending: Ending, runs: u32) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    std::fs::copy(toolchain::find(VERSION)?.path, folder.join("ptxas"))?;
    let began = Instant::now();
    let mut whole = tool(folder, &format!("{OPTIONS} --name whole")).spawn()?;
    wait_for_ledger(folder, "whole", &mut whole)?;
    let opened = began.elapsed();
    let whole = whole.wait_with_output()?;
    let mut worked = began.elapsed() - opened;
    check(whole.status.code() == Some(0), shown(&whole))?;
    let expected = files(&folder.join("reports/whole"))?;
    let mut gone_on = 0;
    for number in 1..=TRIES * runs {
        let (name, moment) = (format!("ended-{number}"), (f64::from(number) * GOLDEN).fract());
        let (ended, resumed) = match ending {
            Ending::FullDisk => on_small_disk(folder, &name, moment)?,
            _ => {
                let mut run = tool(folder, &format!("{OPTIONS} --name {name}")).spawn()?;
                if number % 5 == 1 {
                    std::thread::sleep(opened.mul_f64(moment));
                } else {
                    wait_for_ledger(folder, &name, &mut run)?;
                    std::thread::sleep(worked.mul_f64(moment));
                }
                (end(ending, folder, run)?, None)
            }
        };
        if ended.status.success() {
            // The machine is less busy than it was.
            worked = worked.mul_f64(0.9);
            continue;
        }
        // Before its ledger was there, it is no run.
        if !folder.join(format!("reports/{name}/ledger.sqlite")).exists() {
            continue;
        }
        let resumed = match resumed {
            Some(resumed) => resumed,
            None => tool(folder, &format!("run --resume {name} --reports reports")).output()?,
        };
        let what = || format!("{name} was ended with {}\nand goes on with {}", shown(&ended), shown(&resumed));
        check(resumed.status.code() == Some(0), what())?;
        let found = files(&folder.join("reports").join(&name))?;
        check(found == expected, format!("its report is another one: {}", what()))?;
        gone_on += 1;
        if gone_on == runs {
            break;
        }
    }
    eprintln!("{ending}: {gone_on} runs were ended while they worked, and all went on to the same bytes");
    check(gone_on == runs, format!("only {gone_on} of {runs} runs were ended while they worked"))
}

/// Waits until a run has a ledger, or has ended.
fn wait_for_ledger(folder: &Path, name: &str, run: &mut Child) -> Result<(), Failed> {
    let ledger = folder.join(format!("reports/{name}/ledger.sqlite"));
    while !ledger.exists() && run.try_wait()?.is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// Ends a run. It may have ended by itself.
fn end(ending: Ending, folder: &Path, run: Child) -> Result<Output, Failed> {
    let told = Instant::now();
    let (ptxas, aside) = (folder.join("ptxas"), folder.join("aside"));
    if let Ending::Signal(name) = ending {
        Command::new("kill").arg(format!("-{name}")).arg(run.id().to_string()).stderr(Stdio::null()).status()?;
    } else {
        let dies = folder.join("dies");
        std::fs::write(&dies, "#!/bin/sh\nkill -9 $$\n")?;
        std::fs::set_permissions(&dies, std::fs::metadata(&ptxas)?.permissions())?;
        std::fs::rename(&ptxas, &aside)?;
        std::fs::rename(&dies, &ptxas)?;
    }
    let ended = run.wait_with_output()?;
    check(told.elapsed() < LONGEST, format!("{ending} ends it after {:?}: {}", told.elapsed(), shown(&ended)))?;
    if matches!(ending, Ending::Replaced) {
        std::fs::rename(&aside, &ptxas)?;
    }
    Ok(ended)
}

/// Lets a run and its second part work on a disk of its own: it has room for a part of the report at first, and is then made larger.
const ON_SMALL_DISK: &str = r#"
    program=$1 name=$2 size=$3; shift 3
    mount -t tmpfs -o size="$size" none reports || exit 99
    "$program" "$@" --name "$name" >first.out 2>&1; first=$?
    test -e "reports/$name/ledger.sqlite" || exit "$first"
    mount -o remount,size=1g reports || exit 99
    "$program" run --resume "$name" --reports reports >second.out 2>&1; second=$?
    mkdir kept && cp -r "reports/$name" kept || exit 99
    echo "$second" >second.code
    exit "$first"
"#;

/// Runs on a disk that becomes full, and goes on with a larger one; the second output is that of what went on.
fn on_small_disk(folder: &Path, name: &str, share: f64) -> Result<(Output, Option<Output>), Failed> {
    let whole = sizes(&folder.join("reports/whole"))?;
    // In parts of a thousand.
    let size = whole * (share * 1000.0) as u64 / 1000;
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", ON_SMALL_DISK, "sh", env!("CARGO_BIN_EXE_ptx-conform"), name, &size.to_string()]);
    let status = command.args(OPTIONS.split(' ')).current_dir(folder).env("PTX_CONFORM_ANSWERS", "").status()?;
    check(status.code() != Some(99), "no disk can be mounted")?;
    let first = Output { status, stdout: std::fs::read(folder.join("first.out"))?, stderr: Vec::new() };
    let kept = folder.join("kept");
    if !kept.exists() {
        return Ok((first, None));
    }
    let code: i32 = std::fs::read_to_string(folder.join("second.code"))?.trim().parse()?;
    let second = std::fs::read(folder.join("second.out"))?;
    std::fs::rename(kept.join(name), folder.join("reports").join(name))?;
    std::fs::remove_dir(kept)?;
    Ok((first, Some(Output { status: ExitStatus::from_raw(code << 8), stdout: second, stderr: Vec::new() })))
}

/// The bytes of all files below a folder.
fn sizes(folder: &Path) -> Result<u64, Failed> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        bytes += if entry.path().is_dir() { sizes(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}
