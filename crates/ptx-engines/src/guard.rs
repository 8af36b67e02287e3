//! No child process outlives this program, however the program ends.
//!
//! A small shell reads from a pipe that only this program holds open, and learns which process groups run.
//! When the pipe closes, by a normal exit or by `kill -9`, it kills those that are left. Without `/bin/sh`,
//! only this program kills processes.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use rustix::process::Pid;

/// `+ N`: the process group N runs. `- N`: it ended.
const SCRIPT: &str = r#"trap '' HUP INT TERM
all=' '
while read -r what group; do
    case $what in
    +) all="$all$group " ;;
    -) case $all in *" $group "*) all="${all%% $group *} ${all#* $group }" ;; esac ;;
    esac
done
for group in $all; do kill -s KILL -- "-$group"; done"#;

static GUARD: OnceLock<Option<Mutex<ChildStdin>>> = OnceLock::new();

/// A process group that is killed when this program ends, at the latest.
#[derive(Debug)]
pub(crate) struct Guarded(Pid);

impl Guarded {
    pub(crate) fn new(group: Pid) -> Self {
        tell('+', group);
        Self(group)
    }

    /// The group.
    pub(crate) fn group(&self) -> Pid {
        self.0
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        tell('-', self.0);
    }
}

fn tell(what: char, group: Pid) {
    let guard = GUARD.get_or_init(|| start().map(Mutex::new));
    if let Some(guard) = guard {
        let mut guard = guard.lock().unwrap_or_else(PoisonError::into_inner);
        // Each message is one write, short enough for a pipe to take at once.
        let _ = guard.write_all(format!("{what} {}\n", group.as_raw_nonzero()).as_bytes());
    }
}

fn start() -> Option<ChildStdin> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", SCRIPT]).process_group(0).current_dir("/");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().ok()?.stdin.take()
}
