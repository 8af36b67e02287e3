//! Engines: an engine has an identity and abilities. One that judges accepts or rejects lines in an
//! environment; one that executes returns the results of rows of inputs.
//!
//! Engines are hostile: they crash, hang and flood. Whatever they do ends as an [`Outcome`] or an
//! [`Answer`].

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::words::visible;
use ptx_exec::kernel_case::{KernelAnswer, KernelCase};
use ptx_exec::line_case::{Answer, LineCase};
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

/// The reason why a text is not an [`EngineId`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineIdError {
    /// It has no `@`.
    #[error("`{0}` is not an engine with its version: write `ptxas@13.5.37`")]
    Parts(String),
    /// The family has other characters than it may have.
    #[error("its name is `{0}`; a name has letters, digits, `-` and `_`")]
    Family(String),
    /// The version is not made of numbers.
    #[error("its version is `{0}`; write numbers with dots between them, such as 1.0")]
    Version(String),
}

impl EngineId {
    /// The engine of a family with a version.
    ///
    /// # Errors
    /// If the name or the version has other characters.
    pub fn new(family: &str, version: &str) -> Result<Self, EngineIdError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if family.is_empty() || !family.chars().all(plain) {
            return Err(EngineIdError::Family(visible(family).into_owned()));
        }
        if !is_version(version) {
            return Err(EngineIdError::Version(visible(version).into_owned()));
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

/// True if a text is numbers with dots between them.
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
    type Err = EngineIdError;

    fn from_str(text: &str) -> Result<Self, EngineIdError> {
        let (family, version) = text.split_once('@').ok_or_else(|| EngineIdError::Parts(text.to_owned()))?;
        Self::new(family, version)
    }
}

impl TryFrom<String> for EngineId {
    type Error = EngineIdError;

    fn try_from(text: String) -> Result<Self, EngineIdError> {
        text.parse()
    }
}

impl From<EngineId> for String {
    fn from(id: EngineId) -> Self {
        id.text
    }
}

/// How much of an assembler's work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Depth {
    /// Parse and check (`-arch compute_*`).
    Check,
    /// Generate code as well (`-arch sm_*`). Lines that pass the check can still fail or crash here.
    Generate,
}

/// Lines that are judged in one batch. Each is judged by itself, with the same declarations.
#[derive(Clone, Debug)]
pub struct Batch<'a> {
    /// PTX version, target and address size of the module.
    pub environment: Environment,
    /// The declarations that the lines need.
    pub scaffold: Scaffold,
    /// One statement each, or several if its results are stored after it, without line breaks.
    pub lines: Vec<&'a str>,
    /// True if most of the lines are invalid. No outcome depends on it, only how lines are best asked about together.
    pub mostly_invalid: bool,
}

/// A death of an engine that several lines cause only together, with as few of them as were found to do it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JointDeath {
    /// PTX version, target and address size of the modules.
    pub environment: Environment,
    /// The depth at which it was asked.
    pub depth: Depth,
    /// How it died: `signal 11`.
    pub how: String,
    /// The modules of the one process that died, in order.
    pub modules: Vec<DeadlyModule>,
    /// The command that shows it with the modules in the files `0.ptx`, `1.ptx`, ...
    pub command: String,
}

/// A module of a process that died.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct DeadlyModule {
    /// The lines that were asked about.
    pub lines: Vec<String>,
    /// The whole text.
    pub text: String,
}

impl DeadlyModule {
    /// The size of a set of modules: the number of their lines, then the bytes of these.
    pub fn size(modules: &[Self]) -> (usize, usize) {
        let lines = || modules.iter().flat_map(|module| &module.lines);
        (lines().count(), lines().map(String::len).sum())
    }
}

/// The outcome of one line, from an engine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// No complaint.
    Accepted,
    /// Rejected, with the engine's messages, one per line.
    Rejected(String),
    /// Not asked, with the reason.
    Skipped(String),
    /// The engine died on this line; says how (`signal 11`).
    Crashed(String),
    /// The engine did not answer within its time limit.
    TimedOut,
}

impl Outcome {
    /// The word for reports: `accepted`, `rejected`, `skipped`, `crashed`, `timed out`.
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

/// The reason why an engine does not answer. Callers must tell the two apart: an answer that nobody owes is no loss, and
/// an answer that is missing never counts as agreement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unable {
    /// It is not made for this: it owes no answer.
    #[error("{0}")]
    Unsupported(String),
    /// It, or something that it needs, failed: its answer is missing, and counted among [`Engine::losses`].
    #[error("{0}")]
    Broken(String),
}

/// An implementation of PTX: its identity and its abilities.
///
/// Only the identity is needed, and each ability that it has: [`LineJudge`], [`CaseExecutor`], [`KernelExecutor`].
///
/// ```
/// use ptx_engines::{Batch, Depth, Engine, EngineId, LineJudge, Outcome};
/// use ptx_spec::environment::{AddressSize, Environment};
/// use ptx_spec::ptx::Scaffold;
///
/// /// Accepts whatever ends with a semicolon.
/// struct Lenient {
///     id: EngineId,
/// }
///
/// impl Engine for Lenient {
///     fn id(&self) -> &EngineId {
///         &self.id
///     }
///
///     fn as_judge(&self) -> Option<&dyn LineJudge> {
///         Some(self)
///     }
/// }
///
/// impl LineJudge for Lenient {
///     fn judge(&self, batch: &Batch<'_>, _: Depth) -> Vec<Outcome> {
///         let outcome = |line: &&str| match line.ends_with(';') {
///             true => Outcome::Accepted,
///             false => Outcome::Rejected("expected `;`".to_owned()),
///         };
///         batch.lines.iter().map(outcome).collect()
///     }
/// }
///
/// let lenient = Lenient { id: "lenient@1.0".parse()? };
/// let environment = Environment { ptx: "9.0".parse()?, target: "sm_90".parse()?, address_size: AddressSize::Bits64 };
/// let scaffold = Scaffold::from_declarations(".reg .b32 %r<9>;");
/// let lines = vec!["bar.sync 0;", "bar.sync 0"];
/// let batch = Batch { environment, scaffold, lines, mostly_invalid: false };
/// let judge = lenient.as_judge().ok_or("it judges")?;
/// let outcomes = judge.judge(&batch, Depth::Check);
/// assert_eq!(outcomes.iter().map(Outcome::word).collect::<Vec<_>>(), ["accepted", "rejected"]);
/// assert!(lenient.as_executor().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Engine: Sync {
    /// Its family and version.
    fn id(&self) -> &EngineId;

    /// More about it for provenance: the device, the driver.
    fn details(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Notes on what happened so far that is not the outcome of a single line or row.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// How many lines and rows have no answer, by reason: the engine or something it needs failed, or it
    /// answers differently when asked again. If there are any, the other answers do not show that it
    /// agrees. An engine that cannot fail loses nothing.
    fn losses(&self) -> BTreeMap<String, u64> {
        BTreeMap::new()
    }

    /// Failures on several lines or rows together, and on none of them alone, whose cause was not found. If there are any,
    /// its answers do not show that it agrees: it may answer such questions in one way alone, and in another together.
    fn unexplained(&self) -> Vec<String> {
        Vec::new()
    }

    /// The engine as a judge of lines; `None` if it cannot judge.
    fn as_judge(&self) -> Option<&dyn LineJudge> {
        None
    }

    /// The engine as an executor of cases; `None` if it cannot execute.
    fn as_executor(&self) -> Option<&dyn CaseExecutor> {
        None
    }

    /// The engine as an executor of kernel cases; `None` if it cannot execute them.
    fn as_kernel_executor(&self) -> Option<&dyn KernelExecutor> {
        None
    }
}

/// An engine that executes kernel cases.
pub trait KernelExecutor: Engine {
    /// The answer to each case, in order.
    fn execute_kernels(&self, cases: &[KernelCase]) -> Vec<KernelAnswer>;
}

/// An engine that judges lines.
pub trait LineJudge: Engine {
    /// Checks that it can judge lines in this environment; by default it can in any.
    ///
    /// # Errors
    /// If it cannot; the reason is in words for the report.
    fn supports(&self, environment: &Environment, depth: Depth) -> Result<(), Unable> {
        let _ = (environment, depth);
        Ok(())
    }

    /// One outcome for each line of the batch, in order.
    fn judge(&self, batch: &Batch<'_>, depth: Depth) -> Vec<Outcome>;

    /// For each batch, one outcome for each of its lines, as [`Self::judge`] gives them. An engine that starts a process
    /// for each batch may ask about several at once.
    fn judge_all(&self, batches: &[Batch<'_>], depth: Depth) -> Vec<Vec<Outcome>> {
        batches.iter().map(|batch| self.judge(batch, depth)).collect()
    }

    /// The command that shows a user what the engine does with a module in the file `x.ptx`; `None` if no command
    /// does. `separate`: the module needs separate compilation.
    fn command(&self, environment: &Environment, depth: Depth, separate: bool) -> Option<String> {
        let _ = (environment, depth, separate);
        None
    }

    /// The deaths so far that several lines cause only together, sorted; an engine that cannot tell has none.
    fn joint_deaths(&self) -> Vec<JointDeath> {
        Vec::new()
    }

    /// The words that it may know as modifiers, with their dots, whether PTX has them or not: slots are
    /// tried with them. Empty if unknown.
    fn words(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The code that an engine makes of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Listing {
    /// The PTX module that it compiles.
    pub ptx: Vec<ListedLine>,
    /// The machine code.
    pub code: Vec<ListedInstruction>,
    /// The command that compiles the module in the file `x.ptx`.
    pub command: String,
}

/// A line of PTX.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListedLine {
    /// The text.
    pub text: String,
    /// True for the line under test.
    pub marked: bool,
}

impl ListedLine {
    /// The lines of a module; the one under test is marked.
    pub fn of_module(module: &str, line: &str) -> Vec<Self> {
        module.lines().map(|text| Self { text: text.to_owned(), marked: text == line }).collect()
    }
}

/// An instruction of machine code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListedInstruction {
    /// Address, guard, operation and operands.
    pub text: String,
    /// The opcode with its modifiers, and whether it accesses memory with a cache policy.
    #[serde(skip)]
    pub operation: String,
    /// True if it is executed for the line under test.
    pub marked: bool,
}

/// An engine that executes cases.
pub trait CaseExecutor: Engine {
    /// Checks that it can execute lines in this environment; by default it can in any.
    ///
    /// # Errors
    /// If it cannot; the reason is in words for the report.
    fn executes(&self, environment: &Environment) -> Result<(), Unable> {
        let _ = environment;
        Ok(())
    }

    /// For each case, in order, one answer for each of its rows.
    fn execute(&self, cases: &[LineCase]) -> Vec<Vec<Answer>>;

    /// Calls `act` with the function of a case, if it can compute that faster than row by row; returns false if it cannot. The function
    /// is that of the line alone: the rows of the case do not matter, but there must be one.
    fn function(&self, case: &LineCase, act: &mut dyn FnMut(&mut LineFunction<'_>)) -> bool {
        let _ = (case, act);
        false
    }

    /// The only cases that it can execute; `None` if it can execute any.
    fn recorded(&self) -> Option<Vec<LineCase>> {
        None
    }

    /// True if a row that traps costs a process, so that few of them should be run.
    fn traps_cost(&self) -> bool {
        false
    }

    /// How many cases of each form a run executes, unless its options set another number.
    fn usual_cases(&self) -> usize {
        usize::MAX
    }

    /// The limits of its answers, for the report.
    fn limits(&self) -> &'static [&'static str] {
        &[]
    }

    /// The engine as one that shows its machine code; `None` if it cannot.
    fn as_lister(&self) -> Option<&dyn CodeLister> {
        None
    }
}

/// From the only input of a line, of up to 32 bits, to its only output, of up to 64. It has no value for an input of which anything but a
/// defined output comes.
pub type LineFunction<'a> = dyn FnMut(u64) -> Option<u64> + 'a;

/// An engine that shows the machine code of cases.
pub trait CodeLister: CaseExecutor {
    /// The listing of each case, whose first row it executes; `None` for a case without machine code.
    fn listings(&self, cases: &[LineCase]) -> Vec<Option<Listing>>;

    /// The listing of one case.
    fn listing(&self, case: &LineCase) -> Option<Listing> {
        self.listings(std::slice::from_ref(case)).pop().flatten()
    }

    /// The smallest module that gives the first row of a case the same answer, with its machine code if the engine can
    /// compile it.
    fn smallest(&self, case: &LineCase) -> Option<Listing>;
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
