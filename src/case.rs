//! Cases: variants in their environments, and what an engine does with them.
//!
//! A case is asked about as text: its line is printed, read again and judged, and the same line
//! goes to the engine. Cases that can share a module are asked about together.

mod executed;
mod stored;

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::engine::{Batch, Depth, LineJudge, Outcome};
use crate::environment::Environment;
use crate::judge::{Judge, Reading};
use crate::ptx::{Context, Declarations, Item, Line, Printer, Scaffold, scaffold};
use crate::space::environment;
use crate::spec::{Form, Instruction, Spec};

pub use executed::{Asking, Costly, Tried, execute, execution_id, executions};
pub use stored::{Stored, StoredError};

/// A variant of a form of an instruction, its environment among its choices.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The instruction.
    pub instruction: &'a Instruction,
    /// The position of the form.
    pub form: usize,
    /// One value for each axis.
    pub values: &'a [u8],
}

/// What became of a case.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its line.
    pub line: String,
    /// How the line reads: the verdict comes from here.
    pub reading: Reading,
    /// What the engine did with it.
    pub outcome: Outcome,
}

/// A text of ours that we cannot read: a bug of this tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Confused(String);

impl Confused {
    pub(crate) fn new(what: String) -> Self {
        Self(what)
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
    pub fn environment(&self) -> Result<Environment, Confused> {
        let error = || Confused(format!("{} has no such choices: {:?}", self.form().id, self.values));
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
    pub fn module(&self, depth: Depth) -> Result<String, Confused> {
        let printer = Printer::new(self.form());
        let mut items = Vec::new();
        let mut line = String::new();
        printer.line(self.values, &mut line, |item| items.push(item));
        if depth == Depth::Generate {
            printer.stores(self.values, &mut line, |item| items.push(item));
        }
        Ok(scaffold(items, printer.context(self.values)).module(&self.environment()?, "k", &[&line]).0)
    }

    /// What cases of one module have in common: the environment, and the context of the lines. A
    /// `.unified` variable changes how a module is assembled.
    fn surroundings(&self, printer: &Printer<'_>) -> Surroundings {
        let form = self.form();
        let unified = |axis: usize| form.value(self.values, axis) == "unified";
        let unified = form.operands.iter().filter_map(|operand| operand.base).any(unified);
        let [size, target, ptx] = [0, 1, 2].map(|axis| self.values.get(axis).copied().unwrap_or_default());
        ([target, ptx, size], printer.context(self.values), unified)
    }
}

type Surroundings = ([u8; 3], Context, bool);

/// Asks an engine about cases, up to `batch` in a module: one answer for each, in order.
///
/// # Errors
/// Where a text of ours cannot be read.
pub fn ask(
    spec: &Spec,
    engine: &dyn LineJudge,
    depth: Depth,
    cases: &[Case<'_>],
    batch: usize,
) -> Result<Vec<Asked>, Confused> {
    let mut printers: BTreeMap<&str, Printer<'_>> = BTreeMap::new();
    let mut surroundings: BTreeMap<Surroundings, Vec<usize>> = BTreeMap::new();
    for (at, case) in cases.iter().enumerate() {
        let form = case.form();
        let printer = printers.entry(&form.id).or_insert_with(|| Printer::new(form));
        surroundings.entry(case.surroundings(printer)).or_default().push(at);
    }
    let together = Together { spec, engine, depth, cases, printers: &printers };
    let modules: Vec<(Context, &[usize])> = surroundings
        .iter()
        .flat_map(|((_, context, _), group)| group.chunks(batch.max(1)).map(|group| (*context, group)))
        .collect();
    let answered: Result<Vec<Vec<Asked>>, Confused> =
        modules.par_iter().map(|(context, group)| together.ask(group, *context)).collect();
    let mut answers: Vec<Option<Asked>> = vec![None; cases.len()];
    for ((_, group), answered) in modules.iter().zip(answered?) {
        group.iter().zip(answered).for_each(|(&at, asked)| answers[at] = Some(asked));
    }
    Ok(answers.into_iter().flatten().collect())
}

/// What the modules of one question have in common.
struct Together<'a> {
    spec: &'a Spec,
    engine: &'a dyn LineJudge,
    depth: Depth,
    cases: &'a [Case<'a>],
    printers: &'a BTreeMap<&'a str, Printer<'a>>,
}

impl Together<'_> {
    /// Asks about the cases at these positions in one module.
    fn ask(&self, group: &[usize], context: Context) -> Result<Vec<Asked>, Confused> {
        let mut items: FxHashSet<Item<'_>> = FxHashSet::default();
        let mut lines: Vec<String> = Vec::with_capacity(group.len());
        let mut texts: Vec<String> = Vec::new();
        for &at in group {
            let case = &self.cases[at];
            let printer = &self.printers[case.form().id.as_str()];
            let mut line = String::with_capacity(80);
            let mut declare = |item| {
                items.insert(item);
            };
            printer.line(case.values, &mut line, &mut declare);
            if self.depth == Depth::Generate {
                let mut text = line.clone();
                printer.stores(case.values, &mut text, &mut declare);
                texts.push(text);
            }
            lines.push(line);
        }
        let Some(&first) = group.first() else { return Ok(Vec::new()) };
        let environment = self.cases[first].environment()?;
        let scaffold = scaffold(items, context);
        let readings = read(self.spec, &environment, &scaffold, self.cases, group, &lines)?;
        let asked = if texts.is_empty() { &lines } else { &texts };
        let batch = Batch { environment, scaffold, lines: asked.iter().map(String::as_str).collect() };
        let outcomes = self.engine.judge(&batch, self.depth);
        let asked = lines.into_iter().zip(readings).zip(outcomes);
        Ok(asked.map(|((line, reading), outcome)| Asked { line, reading, outcome }).collect())
    }
}

/// Judges lines by their text.
fn read(
    spec: &Spec,
    environment: &Environment,
    scaffold: &Scaffold,
    cases: &[Case<'_>],
    group: &[usize],
    lines: &[String],
) -> Result<Vec<Reading>, Confused> {
    let declarations = Declarations::parse(&scaffold.declarations(), &spec.isa)
        .map_err(|error| Confused(format!("declarations of ours cannot be read: {error}")))?;
    let judge = Judge::new(spec, environment).map_err(|error| Confused(error.to_string()))?;
    let read = |(&at, line): (&usize, &String)| {
        let parsed = Line::parse(line).map_err(|error| Confused(format!("{line}: {error}")))?;
        Ok(judge.read_as(cases[at].instruction, &parsed, &declarations))
    };
    group.iter().zip(lines).map(read).collect()
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
