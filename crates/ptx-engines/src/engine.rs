//! Engines: an engine has an identity, and abilities. One that judges accepts or rejects lines in an
//! environment; one that executes says what became of rows of inputs.
//!
//! Engines are hostile: they crash, hang and flood. Whatever they do ends as an [`Outcome`] or an
//! [`Answer`].

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::words::visible;
use ptx_exec::program::{Answer, Program};
use ptx_spec::environment::Environment;
use ptx_spec::ptx::Scaffold;

/// A family of engines and a version: `ptxas@13.5.37`. The family has letters, digits, `-` and `_`; the
/// version has numbers with dots between them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EngineId {
    text: String,
    /// The position of the `@`.
    at: usize,
}

impl EngineId {
    /// The engine of a family with a version.
    ///
    /// # Errors
    /// What is wrong with either.
    pub fn new(family: &str, version: &str) -> Result<Self, String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if family.is_empty() || !family.chars().all(plain) {
            return Err(format!("its name is `{}`; a name has letters, digits, `-` and `_`", visible(family)));
        }
        if !is_version(version) {
            let version = visible(version);
            return Err(format!("its version is `{version}`; write numbers with dots between them, such as 1.0"));
        }
        Ok(Self { text: format!("{family}@{version}"), at: family.len() })
    }

    /// `ptxas`
    pub fn family(&self) -> &str {
        &self.text[..self.at]
    }

    /// `13.5.37`
    pub fn version(&self) -> &str {
        &self.text[self.at + 1..]
    }

    /// `ptxas@13.5.37`
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Whether a text is numbers with dots between them.
fn is_version(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && text.split('.').all(|number| number.parse::<u32>().is_ok())
}

impl fmt::Display for EngineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for EngineId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (family, version) = text
            .split_once('@')
            .ok_or_else(|| format!("`{text}` is not an engine with its version: write `ptxas@13.5.37`"))?;
        Self::new(family, version)
    }
}

impl TryFrom<String> for EngineId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<EngineId> for String {
    fn from(id: EngineId) -> Self {
        id.text
    }
}

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
    /// The word for it: `accepted`, `rejected`, `skipped`, `crashed`, `timed out`.
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

/// An implementation of PTX: who it is, and what it is able to do.
pub trait Engine: Sync {
    /// Its family and version.
    fn id(&self) -> &EngineId;

    /// More about it for provenance: the device, the driver.
    fn details(&self) -> BTreeMap<String, String>;

    /// What it noticed so far that is not an outcome of one line or row, in words.
    fn notes(&self) -> Vec<String>;

    /// Why lines and rows went without an answer because the engine, or what it needs, failed, or because
    /// it answers otherwise when it is asked again; and how many. Where there are any, what it did answer
    /// does not show that it agrees.
    fn losses(&self) -> BTreeMap<String, u64>;

    /// The same engine as a judge of lines; `None` where it does not judge.
    fn as_judge(&self) -> Option<&dyn LineJudge>;

    /// The same engine as an executor of cases; `None` where it does not execute.
    fn as_executor(&self) -> Option<&dyn CaseExecutor>;
}

/// An engine that judges lines.
pub trait LineJudge: Engine {
    /// Whether it can judge lines of this environment.
    ///
    /// # Errors
    /// The reason why not, in words for the report.
    fn supports(&self, environment: &Environment, depth: Depth) -> Result<(), String>;

    /// One outcome for each line of the batch, in order.
    fn judge(&self, batch: &Batch<'_>, depth: Depth) -> Vec<Outcome>;

    /// What a user types to see with nothing but the engine what it does with a module in the file
    /// `x.ptx`; `None` where there is no such command. `separate`: the module needs separate
    /// compilation.
    fn command(&self, environment: &Environment, depth: Depth, separate: bool) -> Option<String>;

    /// The words that it may know as modifiers, with their dots, whether PTX has them or not: slots are
    /// tried with them. Empty where it does not say.
    fn words(&self) -> Vec<String>;
}

/// An engine that executes cases.
pub trait CaseExecutor: Engine {
    /// Whether it can execute lines of this environment.
    ///
    /// # Errors
    /// The reason why not, in words for the report.
    fn executes(&self, environment: &Environment) -> Result<(), String>;

    /// For each case, in order, one answer for each of its rows.
    fn execute(&self, cases: &[Program]) -> Vec<Vec<Answer>>;

    /// The cases that are all it can execute; `None` where it executes any.
    fn recorded(&self) -> Option<Vec<Program>>;

    /// Whether a row that traps costs a process, so that it should be asked about few of them.
    fn traps_cost(&self) -> bool;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_spelling() {
        let id: EngineId = "ptxas@13.5.37".parse().expect("an id");
        assert_eq!((id.family(), id.version(), id.to_string().as_str()), ("ptxas", "13.5.37", "ptxas@13.5.37"));
        assert_eq!(EngineId::new("ptxas", "13.5.37"), Ok(id));
        for bad in ["", "ptxas", "ptxas@", "@1.0", "ptxas@1.", "ptxas@1.x", "a b@1.0", "a@b@1.0", "a@+1.0"] {
            assert!(bad.parse::<EngineId>().is_err(), "{bad}");
        }
    }
}
