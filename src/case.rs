//! Test cases, their expected results, and what an engine did with them.
//!
//! A case is a variant in its environment. A case of a plain form is a printed line to judge; a case of an
//! executed form also has a setup and a row. Cases that can share a module or a program go to the engine
//! together.

mod counted;
mod executed;
mod judged;
mod stored;

use crate::engine::{Depth, LineJudge, Outcome};
use crate::environment::Environment;
use crate::judge::Reading;
use crate::line_case::Answer;
use crate::model::{Difference, Expectation, RowVerdict, Undefined};
use crate::ptx::{Printer, scaffold_of};
use crate::setup::NoSetup;
use crate::space::environment;
use crate::spec::{Form, Instruction};

pub use counted::{answers, outcomes, outcomes_of_all};
pub use executed::{
    CostlyRows, ProgramRows, RowQuestion, execute, execute_all, execution_id, executions, row_expectations,
};
pub use judged::ask;
pub use stored::{DirectiveLine, Stored, StoredError};

/// A variant of a form. Its choices include the environment, and, for an executed instruction, the setup
/// and the row.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The instruction.
    pub instruction: &'a Instruction,
    /// The position of the form.
    pub form: usize,
    /// One value for each axis.
    pub values: &'a [u8],
}

/// The expected result of a case, by the specification and the model.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "most are of the large one, and a box for each row costs more")]
pub enum Expected {
    /// The reading of the line: its verdict, and the rules that it breaks.
    Verdict(Reading),
    /// The effects that the row may have.
    Expectation(Expectation),
}

/// The behavior of an engine on a case.
#[derive(Clone, Debug)]
pub enum Behavior {
    /// Its outcome for the line.
    Judged(Outcome),
    /// Its answer to the row.
    Executed(Answer),
    /// It was not asked; says why.
    NotRun(String),
}

/// The expected result of a case, and what an engine did with it.
#[derive(Clone, Debug)]
pub struct CaseResult {
    /// The expected result.
    pub expected: Expected,
    /// The behavior of the engine.
    pub behavior: Behavior,
    /// For a row: whether what the engine did is allowed.
    pub row: Option<RowVerdict>,
}

/// A contradiction within this tool, which is a bug.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
#[error("{0}")]
pub struct InternalError(pub String);

impl InternalError {
    /// The result of the work, unless it panics. A mistake in one task ends that task and turns the run into one that cannot
    /// conclude; it loses nothing of what other tasks found. Where the panic happened stands on standard error.
    ///
    /// # Errors
    /// If the work fails or panics; the error of a panic is its message.
    pub fn caught<T>(work: impl FnOnce() -> Result<T, Self>) -> Result<T, Self> {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|payload| {
            let literal = || payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = payload.downcast_ref::<String>().cloned().or_else(literal);
            Err(Self(text.unwrap_or_else(|| "a panic without a message".to_owned())))
        })
    }
}

impl From<NoSetup> for InternalError {
    fn from(error: NoSetup) -> Self {
        Self(error.to_string())
    }
}

impl CaseResult {
    /// The reading of a line; none for a row.
    pub fn reading(&self) -> Option<&Reading> {
        match &self.expected {
            Expected::Verdict(reading) => Some(reading),
            Expected::Expectation(_) => None,
        }
    }

    /// The allowed effects of a row; none for a line that was only judged.
    pub fn expectation(&self) -> Option<&Expectation> {
        match &self.expected {
            Expected::Verdict(_) => None,
            Expected::Expectation(expectation) => Some(expectation),
        }
    }

    /// The engine's outcome for a line; none for a row.
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.behavior {
            Behavior::Judged(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// The engine's answer to a row; none for a line.
    pub fn answer(&self) -> Option<&Answer> {
        match &self.behavior {
            Behavior::Executed(answer) => Some(answer),
            _ => None,
        }
    }

    /// How a row differs from what is allowed.
    pub fn difference(&self) -> Option<&Difference> {
        match &self.row {
            Some(RowVerdict::Differs(difference)) => Some(difference),
            _ => None,
        }
    }

    /// The reason why some or all of the row's effect is undefined, if it is.
    pub fn undefined(&self) -> Option<Undefined> {
        match &self.row {
            Some(RowVerdict::Undecided(why)) => Some(*why),
            Some(RowVerdict::Agrees(why)) => *why,
            _ => None,
        }
    }

    /// The engine's message, or the kind of difference of a row: mismatches with the same message may have
    /// the same cause. Quoted parts are left out, because names differ from line to line.
    pub fn message(&self) -> String {
        match (&self.behavior, &self.row) {
            (Behavior::Judged(outcome), _) => without_quotes(&first_message(outcome)),
            (_, Some(RowVerdict::Differs(Difference::Failed(how)))) => {
                let first = without_quotes(how.lines().next().unwrap_or_default());
                first.chars().filter(|c| !c.is_ascii_digit()).collect()
            }
            _ => String::new(),
        }
    }
}

impl<'a> Case<'a> {
    /// The form.
    pub fn form(&self) -> &'a Form {
        &self.instruction.forms[self.form]
    }

    /// PTX version, target and address size.
    pub fn environment(&self) -> Environment {
        environment(self.form(), self.values)
    }

    /// Its line.
    pub fn line(&self) -> String {
        let mut line = String::with_capacity(80);
        Printer::new(self.form()).line(self.values, &mut line, |_| {});
        line
    }

    /// A module with only this case, and the number (from 1) of its text line; every destination is stored if code is
    /// generated.
    pub fn module(&self, depth: Depth) -> (String, usize) {
        let printer = Printer::new(self.form());
        let mut items = Vec::new();
        let mut line = String::new();
        printer.line(self.values, &mut line, |item| items.push(item));
        if depth == Depth::Generate {
            printer.stores(self.values, &mut line, |item| items.push(item));
        }
        scaffold_of(self.form(), self.values, items).module(&self.environment(), "k", &[&line])
    }
}

/// The id of a case: a hash of its module.
pub fn id(module: &str) -> String {
    blake3::hash(module.as_bytes()).to_hex()[..16].to_owned()
}

/// The command that shows what an engine does with a module in the file `x.ptx`; empty if no command does.
pub fn command(engine: &dyn LineJudge, module: &str, environment: &Environment, depth: Depth) -> String {
    engine.command(environment, depth, module.contains(".unified(")).unwrap_or_default()
}

/// The first message of an outcome.
pub(crate) fn first_message(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Accepted => String::new(),
        Outcome::TimedOut => outcome.word().to_owned(),
        Outcome::Rejected(text) | Outcome::Skipped(text) | Outcome::Crashed(text) => {
            text.lines().next().unwrap_or_default().to_owned()
        }
    }
}

/// A message without what it quotes: names differ from line to line.
fn without_quotes(message: &str) -> String {
    let parts = message.split('\'').enumerate();
    parts.map(|(at, part)| if at % 2 == 0 { part } else { "'…'" }).collect()
}
