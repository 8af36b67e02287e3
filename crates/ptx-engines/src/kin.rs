//! What the processes that we start have started themselves, wherever it went.
//!
//! A process leaves its group with `setsid`, and its parent with a double fork. So each process that we start, and
//! whatever it starts, carries a mark in its environment; and this program is the *child subreaper* of all of them: one
//! whose parent ended becomes our child, where it is found at little cost. If this program is killed, the
//! [guard](crate::guard) looks for marks.
//!
//! A parent-death signal would be of no use: it comes when the *thread* that started a process ends, it is not inherited,
//! and only the child itself can ask for it.

use std::collections::BTreeSet;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use rustix::process::{Pid, Signal, WaitOptions};

/// The environment variable with the marks of a process, separated by commas: one mark for each program of ours that started it,
/// directly or not.
const VARIABLE: &str = "PTX_CONFORM_PROCESS";
/// How often orphans are looked for after one process: each may have started others before it was killed.
const ROUNDS: u32 = 100;
/// How long to wait for a killed orphan to end.
const GRACE: Duration = Duration::from_millis(500);

/// The processes of this program that are not over.
#[derive(Debug, Default)]
struct Processes {
    /// The processes that this program started and that have not ended.
    own: BTreeSet<i32>,
    /// Groups that were killed and have not been waited for completely.
    lingering: Vec<Pid>,
}

static PROCESSES: Mutex<Processes> = Mutex::new(Processes { own: BTreeSet::new(), lingering: Vec::new() });

fn processes<T>(act: impl FnOnce(&mut Processes) -> T) -> T {
    // Each change is one step, so it is whole even if a thread panicked.
    act(&mut PROCESSES.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The first half of the marks of this run. From its first use on, orphans become children of this program.
pub(crate) fn run_mark() -> &'static str {
    static RUN: OnceLock<String> = OnceLock::new();
    RUN.get_or_init(|| {
        let own = rustix::process::getpid();
        // A kernel without it leaves orphans to init: only the guard finds them then.
        let _ = rustix::process::set_child_subreaper(Some(own));
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        // As long for each process: what the environment holds moves what lies behind it.
        format!("{:010}-{:020}", own.as_raw_nonzero(), since.as_nanos())
    })
}

/// The mark of one process and of all that it starts.
#[derive(Debug)]
pub(crate) struct KinMark(String);

impl KinMark {
    /// Has the process that a command starts marked, and lead a group of its own.
    pub(crate) fn put(command: &mut Command) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mark = format!("{}.{:010}", run_mark(), NEXT.fetch_add(1, Ordering::Relaxed));
        let above = std::env::var(VARIABLE).map_or_else(|_| String::new(), |above| above + ",");
        command.env(VARIABLE, above + &mark).process_group(0);
        Self(mark)
    }

    /// True if the environment of a running process has this mark.
    fn is_of(&self, process: i32) -> bool {
        // One that has just ended, or that belongs to another user, has none that can be read.
        let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        let marks = environment.split(|&byte| byte == 0).find_map(|entry| {
            let value = entry.strip_prefix(VARIABLE.as_bytes())?.strip_prefix(b"=")?;
            Some(value.split(|&byte| byte == b','))
        });
        marks.is_some_and(|mut marks| marks.any(|mark| mark == self.0.as_bytes()))
    }

    /// Kills all that carry this mark. The process that it was put on was waited for, and its group was killed.
    pub(crate) fn end(&self, group: Pid) {
        processes(|processes| processes.own.remove(&group.as_raw_nonzero().get()));
        for _ in 0..ROUNDS {
            let marked: Vec<Pid> =
                orphans().into_iter().filter(|&pid| self.is_of(pid)).filter_map(Pid::from_raw).collect();
            if marked.is_empty() {
                break;
            }
            for pid in marked {
                // It is our child, so nothing else has its number until it was waited for.
                let _ = rustix::process::kill_process(pid, Signal::KILL);
                wait_for(pid);
            }
        }
        bury(group);
    }
}

/// Counts a process as one of our own, not as an orphan.
pub(crate) fn adopt(process: Pid) {
    processes(|processes| processes.own.insert(process.as_raw_nonzero().get()));
}

/// Children of this program that it did not start.
fn orphans() -> Vec<i32> {
    let own = rustix::process::getpid().as_raw_nonzero();
    let children = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
    let children = children.split_ascii_whitespace().filter_map(|pid| pid.parse().ok());
    processes(|processes| children.filter(|pid| !processes.own.contains(pid)).collect())
}

/// Waits for a killed child, which otherwise would keep its number.
fn wait_for(pid: Pid) {
    let mut waited = Duration::ZERO;
    let pause = Duration::from_millis(1);
    while let Ok(None) = rustix::process::waitpid(Some(pid), WaitOptions::NOHANG)
        && waited < GRACE
    {
        std::thread::sleep(pause);
        waited += pause;
    }
}

/// Waits for what has ended by now: what was killed with a group, and orphans that ended by themselves.
fn bury(group: Pid) {
    processes(|processes| {
        processes.lingering.push(group);
        let own = &processes.own;
        processes.lingering.retain(|&group| {
            // Its last process was waited for by another one, and the number was given again.
            if own.contains(&group.as_raw_nonzero().get()) {
                return false;
            }
            while let Ok(Some(_)) = rustix::process::waitpgid(group, WaitOptions::NOHANG) {}
            rustix::process::test_kill_process_group(group).is_ok()
        });
    });
    let session = rustix::process::getsid(None).ok();
    for pid in orphans().into_iter().filter_map(Pid::from_raw) {
        // Nothing is started here in a session of its own, so this takes no status from anyone who waits for it.
        let elsewhere = rustix::process::getsid(Some(pid)).is_ok_and(|of| Some(of) != session);
        if elsewhere {
            let _ = rustix::process::waitpid(Some(pid), WaitOptions::NOHANG);
        }
    }
}
