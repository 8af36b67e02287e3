//! What an engine that fails may cost: processes, time and memory. It is found out on which lines it fails, and only an
//! engine that keeps failing is given up.

use std::path::Path;
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};
use ptx_conform::engine::external::{EngineLimits, External};
use ptx_conform::engine::{Depth, Engine as _, LineJudge as _, Outcome};

use super::protocol::{batch, check, limits, lost, python, same};

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for fault in ["leaves-a-session", "hangs-beside-a-session"] {
        trials.push(Trial::test(format!("what_leaves_its_group_is_ended::{fault}"), move || leaves(fault)));
    }
    for fault in ["eats", "lets-a-child-eat"] {
        trials.push(Trial::test(format!("memory_is_limited::{fault}"), move || eats(fault)));
    }
    for (name, test) in [
        ("one_guilty_line_is_found_by_halving", halving as fn() -> Result<(), Failed>),
        ("lines_that_are_known_to_fail_are_asked_alone", known),
        ("an_engine_that_dies_on_many_lines_is_not_abandoned", dies_on_many),
        ("an_engine_that_dies_of_everything_is_abandoned", dies_of_everything),
        ("an_engine_that_fails_too_often_is_abandoned", too_often),
        ("an_engine_that_starts_no_more_is_abandoned", starts_no_more),
        ("lines_that_hang_do_not_cost_the_others", hangs_on_six),
        ("an_engine_that_hangs_on_many_lines_is_abandoned", hangs_on_many),
    ] {
        trials.push(Trial::test(name, test));
    }
    trials
}

/// An engine with a fault, and the file to which its processes add their numbers.
struct Faulty {
    engine: External,
    folder: tempfile::TempDir,
}

impl Faulty {
    fn open(fault: &str, limits: EngineLimits) -> Result<Self, Failed> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("processes");
        let command = python("tests/protocol/hostile.py", &format!("{fault} '{}'", file.display()));
        Ok(Self { engine: External::with_limits(&command, limits)?, folder })
    }

    /// The numbers of its processes so far, and of what they left behind.
    fn processes(&self) -> Result<Vec<String>, Failed> {
        let numbers = std::fs::read_to_string(self.folder.path().join("processes"))?;
        Ok(numbers.lines().map(str::to_owned).collect())
    }

    /// Lines of which those at `guilty` are guilty; each must be blamed, and the others accepted.
    fn judge(&self, many: usize, guilty: &[usize]) -> Result<(), Failed> {
        let lines: Vec<String> =
            (0..many).map(|at| format!("{} {at};", if guilty.contains(&at) { "guilty" } else { "plain" })).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        for (at, outcome) in self.engine.judge(&batch(&lines), Depth::Check).iter().enumerate() {
            let blamed = matches!(outcome, Outcome::Crashed(_) | Outcome::TimedOut);
            let right = if guilty.contains(&at) { blamed } else { *outcome == Outcome::Accepted };
            check(right, format!("{at} of {many}: {outcome:?}"))?;
        }
        Ok(())
    }
}

/// True if a process runs: one that was killed and not waited for does not.
fn runs(process: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(process).join("stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

/// Waits until none of these processes runs.
fn end(processes: &[String]) -> Result<(), Failed> {
    let deadline = Instant::now() + Duration::from_secs(20);
    while let Some(process) = processes.iter().find(|process| runs(process)) {
        check(Instant::now() < deadline, format!("{process} still runs"))?;
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

fn leaves(fault: &str) -> Result<(), Failed> {
    let request = Duration::from_millis(if fault.starts_with("hangs") { 500 } else { 5000 });
    let faulty = Faulty::open(fault, EngineLimits { request, ..limits() })?;
    faulty.judge(4, &[2])?;
    let processes = faulty.processes()?;
    // Each process that failed left another one behind.
    check(processes.len() > 4, format!("{processes:?}"))?;
    let Faulty { engine, .. } = faulty;
    drop(engine);
    end(&processes)
}

fn eats(fault: &str) -> Result<(), Failed> {
    let (request, memory) = (Duration::from_secs(60), 200 << 20);
    let faulty = Faulty::open(fault, EngineLimits { request, memory, ..limits() })?;
    let outcomes = faulty.engine.judge(&batch(&["a;", "guilty;", "b;"]), Depth::Check);
    let why = Outcome::Crashed("it used more than 200 MiB of memory".to_owned());
    same(&outcomes, &vec![Outcome::Accepted, why, Outcome::Accepted])?;
    let processes = faulty.processes()?;
    drop(faulty);
    end(&processes)
}

/// The engine starts again once for each halving, once for the line alone, and once in a new process.
fn halving() -> Result<(), Failed> {
    for many in [1_usize, 2, 64, 100, 2048] {
        for at in [0, many / 2, many - 1] {
            let faulty = Faulty::open("dies", limits())?;
            faulty.judge(many, &[at])?;
            let again = faulty.processes()?.len() - 1;
            let halvings = many.next_power_of_two().ilog2();
            check(
                again <= usize::try_from(halvings)? + 2,
                format!("{at} of {many}: it was started {again} times again"),
            )?;
        }
    }
    Ok(())
}

/// Asked again about the same lines, each that failed alone costs one process, and the others none. After three times, none
/// costs a process.
fn known() -> Result<(), Failed> {
    let faulty = Faulty::open("dies", limits())?;
    let guilty = [3, 77, 78, 199];
    faulty.judge(200, &guilty)?;
    for most in [guilty.len() + 1, guilty.len() + 1, 1, 0] {
        let before = faulty.processes()?.len();
        faulty.judge(200, &guilty)?;
        let more = faulty.processes()?.len() - before;
        check(more <= most, format!("{more} more processes, {most} expected"))?;
    }
    Ok(())
}

/// Many failures in a row are no reason to abandon an engine that still answers what it answered before.
fn dies_on_many() -> Result<(), Failed> {
    let faulty = Faulty::open("dies", EngineLimits { failures: 4, faults: 1000, ..limits() })?;
    let guilty: Vec<usize> = (40..60).collect();
    faulty.judge(100, &guilty)?;
    same(&lost(&faulty.engine), &0)
}

fn dies_of_everything() -> Result<(), Failed> {
    let faulty = Faulty::open("dies", EngineLimits { failures: 8, ..limits() })?;
    let outcomes = faulty.engine.judge(&batch(&["guilty;"; 500]), Depth::Check);
    let skipped = |outcome: &Outcome| {
        let why = "hostile@1.0 was abandoned: it failed 8 times in a row, the last time: signal 11";
        matches!(outcome, Outcome::Skipped(said) if said == why)
    };
    let many = outcomes.iter().filter(|outcome| skipped(outcome)).count();
    // The first eight failures halve the batch; none is of a line that had failed alone for long.
    check(many > 490, format!("{many} of {outcomes:?}"))?;
    same(&lost(&faulty.engine), &u64::try_from(many)?)?;
    check(faulty.processes()?.len() <= 10, "many processes")
}

fn too_often() -> Result<(), Failed> {
    let faulty = Faulty::open("dies", EngineLimits { failures_in_all: 30, ..limits() })?;
    let lines: Vec<&str> = (0..400).map(|at| if at % 20 == 0 { "guilty;" } else { "plain;" }).collect();
    let outcomes = faulty.engine.judge(&batch(&lines), Depth::Check);
    let why = "it failed 30 times in all";
    let skipped = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Skipped(said) if said.contains(why)));
    let many = skipped.count();
    check(many > 300, format!("{many} of {outcomes:?}"))?;
    same(&lost(&faulty.engine), &u64::try_from(many)?)
}

/// It starts once. Each later batch tries again, but not for ever.
fn starts_no_more() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let starts = folder.path().join("starts");
    let hostile = python("tests/protocol/hostile.py", "dies");
    let script = format!("echo >> {0}; [ $(wc -l < {0}) = 1 ] && exec {hostile}", starts.display());
    let engine = External::with_limits(&format!("sh -c \"{script}\""), EngineLimits { failures: 6, ..limits() })?;
    for _ in 0..20 {
        engine.judge(&batch(&["guilty;", "plain;"]), Depth::Check);
    }
    let starts = std::fs::read_to_string(starts)?.len();
    check(starts <= 13, format!("{starts} starts"))?;
    check(lost(&engine) >= 39, format!("{:?}", engine.losses()))
}

/// The time that found a line on which it hangs does not count against the others, and such a line is not asked for ever.
fn hangs_on_six() -> Result<(), Failed> {
    let (request, patience) = (Duration::from_millis(300), Duration::from_secs(6));
    let faulty = Faulty::open("hangs", EngineLimits { request, patience, ..limits() })?;
    let guilty = [1, 5, 6, 20, 33, 39];
    for _ in 0..2 {
        faulty.judge(40, &guilty)?;
    }
    let before = faulty.processes()?.len();
    faulty.judge(40, &guilty)?;
    check(faulty.processes()?.len() <= before + 1, "what hung twice was asked again")?;
    same(&lost(&faulty.engine), &0)
}

fn hangs_on_many() -> Result<(), Failed> {
    let request = Duration::from_millis(200);
    let faulty = Faulty::open("hangs", EngineLimits { request, hangs: 3, ..limits() })?;
    let lines: Vec<String> =
        (0..64).map(|at| format!("{} {at};", if at % 8 == 0 { "guilty" } else { "plain" })).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let outcomes = faulty.engine.judge(&batch(&lines), Depth::Check);
    let why = "it did not answer about 3 lines or rows, each asked alone";
    check(
        outcomes.iter().any(|outcome| matches!(outcome, Outcome::Skipped(said) if said.contains(why))),
        format!("{outcomes:?}"),
    )?;
    check(lost(&faulty.engine) > 30, format!("{:?}", faulty.engine.losses()))
}
