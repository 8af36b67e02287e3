//! No child process and no scratch folder outlives this program, however the program ends.
//!
//! A small shell reads from a pipe that only this program holds open, and learns which process groups run and where the
//! scratch folder is. When the pipe closes, by a normal exit or by `kill -9`, it kills the groups that are left, then what
//! left its group but still has a mark of this run in its environment, and removes the folder. Without `/bin/sh`, only
//! this program does so.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use rustix::process::Pid;

use crate::kin::run_mark;

/// `+ N`: the process group N runs. `- N`: it ended. `= F`: F is a scratch folder. The argument is the mark of the run. A
/// process that is killed may have started another one before, so marks are looked for until there are none. (The status
/// of `grep` says nothing: processes end while it reads.)
const SCRIPT: &str = r#"trap '' HUP INT TERM
all=' ' mark=$1
shift
while read -r what which; do
    case $what in
    +) all="$all$which " ;;
    -) case $all in *" $which "*) all="${all%% $which *} ${all#* $which }" ;; esac ;;
    =) set -- "$@" "$which" ;;
    esac
done
for group in $all; do kill -s KILL -- "-$group"; done
rounds=0
while [ $rounds -lt 200 ]; do
    found=$(grep -lsF -e "$mark" /proc/[0-9]*/environ)
    [ -n "$found" ] || break
    for file in $found; do
        file=${file#/proc/}
        kill -s KILL "${file%/environ}"
    done
    rounds=$((rounds + 1))
done
for folder; do
    case $folder in */ptx-conform-*) rm -rf -- "$folder" ;; esac
done"#;

static GUARD: OnceLock<Option<Mutex<ChildStdin>>> = OnceLock::new();

/// A process group that is killed when this program ends, at the latest.
#[derive(Debug)]
pub(crate) struct Guarded(Pid);

impl Guarded {
    pub(crate) fn new(group: Pid) -> Self {
        tell('+', &group.as_raw_nonzero().to_string());
        Self(group)
    }

    /// The group.
    pub(crate) fn group(&self) -> Pid {
        self.0
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        tell('-', &self.0.as_raw_nonzero().to_string());
    }
}

/// Has this scratch folder removed when this program ends, at the latest.
pub(crate) fn clears(folder: &Path) {
    // A name that a line of text cannot carry is left to the next start.
    if let Some(name) = folder.to_str().filter(|name| !name.contains('\n') && *name == name.trim()) {
        tell('=', name);
    }
}

/// Starts the guard, unless it runs. It must before anything else is started: what is not announced yet is found by its mark.
pub(crate) fn begin() {
    GUARD.get_or_init(|| start().map(Mutex::new));
}

fn tell(what: char, which: &str) {
    begin();
    if let Some(Some(guard)) = GUARD.get() {
        let mut guard = guard.lock().unwrap_or_else(PoisonError::into_inner);
        // Each message is one write, short enough for a pipe to take at once.
        let _ = guard.write_all(format!("{what} {which}\n").as_bytes());
    }
}

fn start() -> Option<ChildStdin> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", SCRIPT, "guard", run_mark()]).process_group(0).current_dir("/");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().ok()?.stdin.take()
}
