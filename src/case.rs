//! Test cases, what is expected of them, and what an engine did with them.
//!
//! A case is a variant in its environment. One of a plain form is a printed line that is judged; one of
//! an executed form has a setup and a row as well. Cases that can share a module or a program are asked
//! about together.

mod executed;
mod judged;
mod stored;

use crate::engine::{Depth, LineJudge, Outcome};
use crate::environment::Environment;
use crate::judge::Reading;
use crate::model::{Difference, Expectation, RowVerdict, Undefined};
use crate::program::Answer;
use crate::ptx::{Printer, scaffold};
use crate::setup::NoSetup;
use crate::space::environment;
use crate::spec::{Form, Instruction};

pub use executed::{CostlyRows, ProgramRows, execute, execution_id, executions, row_expectations};
pub use judged::ask;
pub use stored::{Stored, StoredError};

/// A variant of a form of an instruction, its environment among its choices; its setup and its row are
/// among them where the instruction is an executed one.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The instruction.
    pub instruction: &'a Instruction,
    /// The position of the form.
    pub form: usize,
    /// One value for each axis.
    pub values: &'a [u8],
}

/// What is expected of a case, by the specification and the model.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "most are of the large one, and a box for each row costs more")]
pub enum Expected {
    /// How the line reads: the verdict, and the rules that it breaks.
    Verdict(Reading),
    /// What the row may leave behind.
    Expectation(Expectation),
}

/// What an engine did with a case.
#[derive(Clone, Debug)]
pub enum Behavior {
    /// How it judged the line.
    Judged(Outcome),
    /// What became of the row.
    Executed(Answer),
    /// It was not asked, and why.
    NotRun(String),
}

/// What is expected of a case, and what an engine did with it.
#[derive(Clone, Debug)]
pub struct CaseResult {
    /// What is expected.
    pub expected: Expected,
    /// What the engine did.
    pub behavior: Behavior,
    /// Of a row: whether what the engine did is allowed.
    pub row: Option<RowVerdict>,
}

/// Something that contradicts itself: a bug of this tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InternalError(pub String);

impl From<NoSetup> for InternalError {
    fn from(error: NoSetup) -> Self {
        Self(error.to_string())
    }
}

impl CaseResult {
    /// How a line reads; none of a row.
    pub fn reading(&self) -> Option<&Reading> {
        match &self.expected {
            Expected::Verdict(reading) => Some(reading),
            Expected::Expectation(_) => None,
        }
    }

    /// What a row may leave behind; none of a line that was judged only.
    pub fn expectation(&self) -> Option<&Expectation> {
        match &self.expected {
            Expected::Verdict(_) => None,
            Expected::Expectation(expectation) => Some(expectation),
        }
    }

    /// How the engine judged a line; none of a row.
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.behavior {
            Behavior::Judged(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// What became of a row; none of a line.
    pub fn answer(&self) -> Option<&Answer> {
        match &self.behavior {
            Behavior::Executed(answer) => Some(answer),
            _ => None,
        }
    }

    /// In what a row differs from what is allowed.
    pub fn difference(&self) -> Option<&Difference> {
        match &self.row {
            Some(RowVerdict::Differs(difference)) => Some(difference),
            _ => None,
        }
    }

    /// Why some or all of what a row leaves behind may be anything.
    pub fn undefined(&self) -> Option<Undefined> {
        match &self.row {
            Some(RowVerdict::Undecided(why)) => Some(*why),
            Some(RowVerdict::Agrees(why)) => *why,
            _ => None,
        }
    }

    /// The engine's own words, or in what kind of way a row differs: mismatches with the same words may
    /// have the same cause. What they quote is left out, as names differ from line to line.
    pub fn message(&self) -> String {
        match (&self.behavior, &self.row) {
            (Behavior::Judged(outcome), _) => without_quotes(&first_message(outcome)),
            (_, Some(RowVerdict::Differs(Difference::Failed(how)))) => {
                how.lines().next().unwrap_or_default().chars().filter(|c| !c.is_ascii_digit()).collect()
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
    ///
    /// # Errors
    /// Where the choices are of another form.
    pub fn environment(&self) -> Result<Environment, InternalError> {
        let error = || InternalError(format!("{} has no such choices: {:?}", self.form().id, self.values));
        environment(self.form(), self.values).ok_or_else(error)
    }

    /// Its line.
    pub fn line(&self) -> String {
        let mut line = String::with_capacity(80);
        Printer::new(self.form()).line(self.values, &mut line, |_| {});
        line
    }

    /// A module of it alone; every destination is stored where code is generated.
    ///
    /// # Errors
    /// As [`Case::environment`].
    pub fn module(&self, depth: Depth) -> Result<String, InternalError> {
        let printer = Printer::new(self.form());
        let mut items = Vec::new();
        let mut line = String::new();
        printer.line(self.values, &mut line, |item| items.push(item));
        if depth == Depth::Generate {
            printer.stores(self.values, &mut line, |item| items.push(item));
        }
        Ok(scaffold(items, printer.context(self.values)).module(&self.environment()?, "k", &[&line]).0)
    }
}

/// What a case is known by: a hash of its module, whatever made it.
pub fn id(module: &str) -> String {
    blake3::hash(module.as_bytes()).to_hex()[..16].to_owned()
}

/// The command that shows what an engine does with a module in the file `x.ptx`; empty where there is
/// none.
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
