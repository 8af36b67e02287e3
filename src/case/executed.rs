//! Executed cases: their rows, executed by an engine and compared with the model.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::{Behavior, CaseResult, Expected, InternalError, answers};
use crate::engine::CaseExecutor;
use crate::line_case::{Answer, LineCase, Rows};
use crate::model::{self, Allowed, Ending, Expectation, RowVerdict};
use crate::must::Must as _;
use crate::setup::{self, NoSetup};
use crate::space::Values;
use crate::spec::{Form, Spec};

/// Programs per request to an engine.
const TOGETHER: usize = 128;

/// How many rows that can end their kernel may still be executed.
#[derive(Debug, Default)]
pub struct CostlyRows {
    /// Rows that must trap; unlimited if none.
    pub traps: Option<AtomicU64>,
    /// Rows that may do anything.
    pub undefined: AtomicU64,
}

/// A program, and which of the given rows it has.
#[derive(Debug)]
pub struct ProgramRows {
    /// The program.
    pub program: LineCase,
    /// For each of its rows, the position among those given, and its allowed effects.
    pub rows: Vec<(usize, Expectation)>,
}

/// Rows of a form to execute.
#[derive(Clone, Copy, Debug)]
pub struct RowQuestion<'a> {
    /// The form, with the axes of its setup.
    pub form: &'a Form,
    /// The choices of each row.
    pub rows: &'a [Values],
    /// How many of them may end their kernel.
    pub costly: &'a CostlyRows,
}

/// Executes rows of a form and returns one result for each, in order.
///
/// # Errors
/// If a generated text cannot be read.
pub fn execute(
    spec: &Spec,
    engine: &dyn CaseExecutor,
    form: &Form,
    rows: &[Values],
    costly: &CostlyRows,
) -> Result<Vec<CaseResult>, InternalError> {
    let results = execute_all(spec, engine, &[RowQuestion { form, rows, costly }])?;
    Ok(results.into_iter().flatten().collect())
}

/// Executes the rows of all questions, and returns for each question one result for each of its rows, in order. Rows of a
/// form that differ only in the choices of a row share a program, and programs of all forms share requests: what an engine
/// starts for a request may take longer than the request.
///
/// # Errors
/// If a generated text cannot be read.
pub fn execute_all(
    spec: &Spec,
    engine: &dyn CaseExecutor,
    questions: &[RowQuestion<'_>],
) -> Result<Vec<Vec<CaseResult>>, InternalError> {
    let of_question = |(number, of): (usize, &RowQuestion<'_>)| {
        groups(of.form, of.rows).into_iter().map(move |group| (number, group)).collect::<Vec<_>>()
    };
    let groups: Vec<(usize, Vec<usize>)> = questions.iter().enumerate().flat_map(of_question).collect();
    let answered: Vec<Vec<PlacedResult>> = groups
        .par_chunks(TOGETHER)
        .map(|groups| execute_groups(spec, engine, questions, groups))
        .collect::<Result<_, InternalError>>()?;
    let mut results: Vec<Vec<PlacedResult>> = questions.iter().map(|_| Vec::new()).collect();
    answered.into_iter().flatten().for_each(|placed| results[placed.question].push(placed));
    let in_order = |mut placed: Vec<PlacedResult>| {
        placed.sort_by_key(|placed| placed.row);
        placed.into_iter().map(|placed| placed.result).collect()
    };
    Ok(results.into_iter().map(in_order).collect())
}

/// A result, and the row of a question that it belongs to.
struct PlacedResult {
    question: usize,
    row: usize,
    result: CaseResult,
}

/// Executes groups of rows that share a program, each of a question, in one request.
fn execute_groups(
    spec: &Spec,
    engine: &dyn CaseExecutor,
    questions: &[RowQuestion<'_>],
    groups: &[(usize, Vec<usize>)],
) -> Result<Vec<PlacedResult>, InternalError> {
    let (mut results, mut asked, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    for (question, group) in groups {
        let question = *question;
        let RowQuestion { form, rows, costly } = questions[question];
        let (programs, not_run) = programs(spec, form, rows, std::slice::from_ref(group), costly)?;
        results.extend(not_run.into_iter().map(|(row, result)| PlacedResult { question, row, result }));
        for ProgramRows { program, rows } in programs {
            asked.push(program);
            expected.push((question, rows));
        }
    }
    let answers = answers(engine, &asked)?;
    for ((program, (question, rows)), answers) in asked.iter().zip(expected).zip(answers) {
        for ((row, expectation), answer) in rows.into_iter().zip(answers) {
            results.push(PlacedResult { question, row, result: CaseResult::of_row(program, expectation, answer) });
        }
    }
    Ok(results)
}

impl CaseResult {
    /// A row that was executed, compared with the model.
    pub fn of_row(program: &LineCase, expectation: Expectation, answer: Answer) -> Self {
        let verdict = expectation.check(program, &answer);
        Self { expected: Expected::Expectation(expectation), behavior: Behavior::Executed(answer), row: Some(verdict) }
    }

    /// How far the worst register of the result is from the middle between its bounds, if some have any.
    pub(crate) fn bound_used(&self) -> Option<u16> {
        let (Expected::Expectation(expectation), Behavior::Executed(Answer::Returned(returned))) =
            (&self.expected, &self.behavior)
        else {
            return None;
        };
        let Allowed::Only(Ending::Returns(effect)) = &expectation.allowed else { return None };
        let registers = effect.registers().iter().zip(&returned.registers);
        registers.filter_map(|(value, actual)| value.bound_used(*actual)).max()
    }

    fn not_run(expectation: Expectation, verdict: RowVerdict, why: &str) -> Self {
        Self {
            expected: Expected::Expectation(expectation),
            behavior: Behavior::NotRun(why.to_owned()),
            row: Some(verdict),
        }
    }
}

/// The programs of rows, without costly rows beyond the limit.
///
/// # Errors
/// If a generated text cannot be read.
pub fn executions(
    spec: &Spec,
    form: &Form,
    rows: &[Values],
    costly: &CostlyRows,
) -> Result<Vec<ProgramRows>, InternalError> {
    programs(spec, form, rows, &groups(form, rows), costly).map(|(programs, _)| programs)
}

/// The positions of rows that can share a program.
fn groups(form: &Form, rows: &[Values]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<Values, Vec<usize>> = BTreeMap::new();
    for (at, values) in rows.iter().enumerate() {
        groups.entry(setup::common(form, values)).or_default().push(at);
    }
    groups.into_values().collect()
}

/// The programs, and the rows that are not run with their positions.
type Programs = (Vec<ProgramRows>, Vec<(usize, CaseResult)>);

fn programs(
    spec: &Spec,
    form: &Form,
    rows: &[Values],
    groups: &[Vec<usize>],
    costly: &CostlyRows,
) -> Result<Programs, InternalError> {
    let mut not_run = Vec::new();
    let mut programs: Vec<ProgramRows> = Vec::new();
    for group in groups {
        let of: Vec<&[u8]> = group.iter().map(|&at| rows[at].as_slice()).collect();
        let mut program = setup::line_case(spec, form, &of)?;
        let expectations = row_expectations(spec, &program)?;
        let mut kept = Rows::new(program.rows.width());
        let mut of_kept = Vec::new();
        for ((&at, expectation), row) in group.iter().zip(expectations).zip(program.rows.iter()) {
            if let Some((verdict, why)) = costly.refuse(&expectation) {
                not_run.push((at, CaseResult::not_run(expectation, verdict, why)));
                continue;
            }
            if expectation.may_trap() {
                program.own_launches.push(kept.len());
            }
            kept.push(row);
            of_kept.push((at, expectation));
        }
        program.rows = kept;
        if !of_kept.is_empty() {
            programs.push(ProgramRows { program, rows: of_kept });
        }
    }
    Ok((programs, not_run))
}

impl CostlyRows {
    /// The same number of rows, counted apart.
    pub(crate) fn as_now(&self) -> Self {
        let left = |of: &AtomicU64| AtomicU64::new(of.load(Ordering::Relaxed));
        Self { traps: self.traps.as_ref().map(left), undefined: left(&self.undefined) }
    }

    /// Sets the numbers back: what was admitted since was not executed.
    pub(crate) fn set_back(&self, before: &Self) {
        let set = |of: &AtomicU64, before: &AtomicU64| of.store(before.load(Ordering::Relaxed), Ordering::Relaxed);
        self.traps.iter().zip(&before.traps).for_each(|(of, before)| set(of, before));
        set(&self.undefined, &before.undefined);
    }

    /// The reason why a row is not run, and its verdict.
    fn refuse(&self, expectation: &Expectation) -> Option<(RowVerdict, &'static str)> {
        const TRAPS: &str = "it must trap, and enough such rows were run";
        let less = |left: u64| left.checked_sub(1);
        let take = |of: &AtomicU64| of.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok();
        match expectation.allowed {
            _ if !expectation.may_trap() => None,
            model::Allowed::Any(why) => {
                (!take(&self.undefined)).then_some((RowVerdict::Undecided(why), "it may do anything"))
            }
            _ if self.traps.as_ref().is_none_or(take) => None,
            _ => Some((RowVerdict::Skipped(TRAPS.to_owned()), TRAPS)),
        }
    }
}

/// The expectation of each row.
///
/// # Errors
/// If the model cannot read the program.
pub fn row_expectations(spec: &Spec, program: &LineCase) -> Result<Vec<Expectation>, InternalError> {
    let prepared = model::prepare(spec, program).map_err(|why| NoSetup::of(program, &why))?;
    Ok(prepared.all(&program.rows).collect())
}

/// The id of an executed case: a hash of its content.
pub fn execution_id(program: &LineCase) -> String {
    let text = serde_json::to_string(program).must("the keys of all maps of a case are text");
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}
