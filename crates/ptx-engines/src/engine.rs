//! Engines: whatever judges or executes PTX. A judging engine accepts or rejects lines in an
//! environment; an executing one says what became of rows of inputs.
//!
//! Engines are hostile: they crash, hang and flood. Whatever they do ends as an [`Outcome`] or an
//! [`Answer`].

use ptx_exec::execution::{Answer, Execution};
use ptx_spec::environment::Environment;
use ptx_spec::ptx::Scaffold;

/// How far an assembler is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Depth {
    /// Parse and check (`-arch compute_*`).
    Check,
    /// Generate code as well (`-arch sm_*`), where what passed the check can still fail or crash.
    Generate,
}

/// Lines that are asked about together: each is judged by itself, in the same surroundings.
#[derive(Clone, Debug)]
pub struct Batch<'a> {
    /// PTX version, target and address size of the module.
    pub environment: Environment,
    /// The declarations that the lines need.
    pub scaffold: Scaffold,
    /// One statement each (several where results are stored behind it), without line breaks.
    pub lines: Vec<&'a str>,
}

/// What an engine did with one line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// No complaint.
    Accepted,
    /// Refused; the engine's own words, first message first, one a line.
    Rejected(String),
    /// Not asked, and why.
    Skipped(String),
    /// The engine died on this line, and how (`signal 11`).
    Crashed(String),
    /// The engine did not come back within its limit.
    TimedOut,
}

impl Outcome {
    /// The word of the design for it: `accepted`, `rejected`, `skipped`, `crashed`, `timed out`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected(_) => "rejected",
            Self::Skipped(_) => "skipped",
            Self::Crashed(_) => "crashed",
            Self::TimedOut => "timed out",
        }
    }
}

/// Something that judges lines, executes them, or both.
pub trait Engine: Sync {
    /// Family and version for the command line and the report: `ptxas@13.5.37`.
    fn name(&self) -> &str;

    /// Whether it can be asked to judge lines of this environment.
    ///
    /// # Errors
    /// The reason why not, in words for the report.
    fn supports(&self, environment: &Environment, depth: Depth) -> Result<(), String>;

    /// What a user types to see with nothing but the engine what it does with a module in the file
    /// `x.ptx`; `None` where there is no such command.
    fn command(&self, environment: &Environment, depth: Depth, separate: bool) -> Option<String> {
        let _ = (environment, depth, separate);
        None
    }

    /// One outcome for each line of the batch, in order.
    fn judge(&self, batch: &Batch<'_>, depth: Depth) -> Vec<Outcome>;

    /// What it noticed so far that is no outcome of one line or row, in words.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether it can be asked to execute lines of this environment.
    ///
    /// # Errors
    /// The reason why not, in words for the report.
    fn executes(&self, environment: &Environment) -> Result<(), String> {
        let _ = environment;
        Err(format!("{} does not execute", self.name()))
    }

    /// The cases that are all it can execute; none where it executes any.
    fn recorded(&self) -> Option<Vec<Execution>> {
        None
    }

    /// More about it for provenance: the device, the driver.
    fn details(&self) -> std::collections::BTreeMap<String, String> {
        std::collections::BTreeMap::new()
    }

    /// Whether a row that traps costs a process, so that few of them are to be asked about.
    fn traps_cost(&self) -> bool {
        false
    }

    /// For each case, in order, one answer for each of its rows.
    fn execute(&self, cases: &[Execution]) -> Vec<Vec<Answer>> {
        let skipped = || Answer::Skipped(format!("{} does not execute", self.name()));
        cases.iter().map(|case| case.rows.iter().map(|_| skipped()).collect()).collect()
    }
}
