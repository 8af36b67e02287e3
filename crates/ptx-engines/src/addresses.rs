//! The same addresses in every process.
//!
//! Some deaths of `ptxas` depend on where its memory lies: the same text dies in about half of the runs. The system places
//! memory at random, so a report would not come out the same twice. So it is asked not to for what is started here.

use nix::sys::personality::{self, Persona};

/// Fixed addresses for the processes that this thread starts, until this value is dropped. (The system keeps it by thread,
/// and looks at it when another program is started.)
#[derive(Debug)]
pub(crate) struct FixedAddresses {
    /// The settings before; none if the system does not allow addresses to be fixed, as the default filters of some
    /// containers do not.
    before: Option<Persona>,
}

impl FixedAddresses {
    /// Fixes them, if the system allows it.
    pub(crate) fn new() -> Self {
        let fix = |now: Persona| personality::set(now | Persona::ADDR_NO_RANDOMIZE);
        Self { before: personality::get().and_then(fix).ok() }
    }

    /// True if they are.
    pub(crate) fn hold(&self) -> bool {
        self.before.is_some()
    }
}

impl Drop for FixedAddresses {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            // What could be set could be set before.
            let _ = personality::set(before);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// The address of the stack of a new process.
    fn stack() -> String {
        let output = Command::new("/bin/cat").arg("/proc/self/maps").output().expect("cat runs");
        let maps = String::from_utf8(output.stdout).expect("text");
        maps.lines().find(|line| line.ends_with("[stack]")).expect("it has a stack").to_owned()
    }

    #[test]
    fn processes_get_the_same_addresses() {
        let fixed = FixedAddresses::new();
        if !fixed.hold() {
            assert_eq!(std::env::var_os("PTX_CONFORM_REQUIRE_PTXAS"), None, "addresses cannot be fixed here");
            eprintln!("skipped: this system does not let addresses be fixed");
            return;
        }
        let first = stack();
        assert!((0..4).all(|_| stack() == first));
        drop(fixed);
        assert!((0..4).any(|_| stack() != first), "they are fixed for good");
    }
}
