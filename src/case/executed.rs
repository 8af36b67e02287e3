//! Executed cases: their rows, executed by an engine and compared with the model.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::{Behavior, CaseResult, Expected, InternalError};
use crate::engine::CaseExecutor;
use crate::line_case::{Answer, LineCase, Rows};
use crate::model::{self, Expectation, RowVerdict};
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

/// Executes rows and returns one result for each, in order. Rows that differ only in the choices of a row
/// share a program.
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
    let results: Result<Vec<Vec<(usize, CaseResult)>>, InternalError> = groups(form, rows)
        .par_chunks(TOGETHER)
        .map(|groups| {
            let (programs, mut results) = programs(spec, form, rows, groups, costly)?;
            let (programs, expected): (Vec<LineCase>, Vec<_>) =
                programs.into_iter().map(|planned| (planned.program, planned.rows)).unzip();
            let mut answers = engine.execute(&programs).into_iter();
            for (program, rows) in programs.iter().zip(expected) {
                let mut answers = answers.next().unwrap_or_default().into_iter();
                for (at, expectation) in rows {
                    let answer = answers.next().unwrap_or_else(|| Answer::Failed("there is no answer".to_owned()));
                    results.push((at, CaseResult::of_row(program, expectation, answer)));
                }
            }
            Ok(results)
        })
        .collect();
    let mut results: Vec<(usize, CaseResult)> = results?.into_iter().flatten().collect();
    results.sort_by_key(|(at, _)| *at);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

impl CaseResult {
    /// A row that was executed, compared with the model.
    pub fn of_row(program: &LineCase, expectation: Expectation, answer: Answer) -> Self {
        let verdict = expectation.check(program, &answer);
        Self { expected: Expected::Expectation(expectation), behavior: Behavior::Executed(answer), row: Some(verdict) }
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
