//! Executes programs for a recording, and hands out each with its answers.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::options::{Options, Progress};
use super::programs::{ProgramPlan, costly};
use super::rows::environment;
use crate::case;
use crate::engine::CaseExecutor;
use crate::environment::Environment;
use crate::line_case::{Answer, LineCase};
use crate::model;
use crate::setup;
use crate::spec::{Form, Instruction, Spec};

/// Rows of a form that are recorded although they may do anything.
const UNDEFINED: u64 = 12;

/// A form whose programs are executed.
struct RecordedForm<'a> {
    executed: &'a Arc<Instruction>,
    /// Its position in the instruction.
    at: usize,
    /// The form without numbers.
    points: &'a Form,
}

/// Programs, each with the answers to its rows.
type AnsweredPrograms = Vec<(LineCase, Vec<Answer>)>;

/// Executes programs of each form, and hands out each with its answers. Some undefined rows are executed as
/// well.
///
/// # Errors
/// If the engine takes no environment of the specification, or a generated text cannot be read.
pub fn record(
    spec: &Spec,
    engine: &dyn CaseExecutor,
    options: &Options,
    progress: &Progress,
    each: &mut dyn FnMut(&LineCase, &[Answer]),
) -> Result<(), String> {
    let environment = match options.environment {
        Some(environment) => environment,
        None => environment(spec, engine)?,
    };
    let instructions: Vec<_> =
        super::named(spec, options).into_iter().filter(|known| model::models(&known.name)).collect();
    let executed: Vec<_> = instructions
        .iter()
        .map(|instruction| (Arc::new(setup::executed(spec, instruction)), setup::without_numbers(spec, instruction)))
        .collect();
    let forms: Vec<RecordedForm<'_>> = executed
        .iter()
        .flat_map(|(executed, points)| {
            points.forms.iter().enumerate().map(move |(at, points)| RecordedForm { executed, at, points })
        })
        .collect();
    let of_form = |of: &RecordedForm<'_>| answered(spec, engine, options, progress, &environment, of);
    let answered: Vec<Result<AnsweredPrograms, String>> = forms.par_iter().map(of_form).collect();
    for programs in answered {
        for (program, answers) in programs? {
            each(&program, &answers);
        }
    }
    Ok(())
}

/// The programs of a form, with their answers; those before it was stopped.
fn answered(
    spec: &Spec,
    engine: &dyn CaseExecutor,
    options: &Options,
    progress: &Progress,
    environment: &Environment,
    of: &RecordedForm<'_>,
) -> Result<AnsweredPrograms, String> {
    let mut answered = Vec::new();
    let plan = ProgramPlan::new(of.executed, of.at, of.points, environment, options, engine);
    let Some(plan) = plan else { return Ok(answered) };
    let costly = costly(engine, UNDEFINED);
    for task in plan.tasks(&of.executed.name, environment) {
        if progress.stopped() {
            break;
        }
        progress.planned.fetch_add(1, Ordering::Relaxed);
        let rows = plan.rows(&task);
        let programs = case::executions(spec, plan.form(), &rows, &costly).map_err(|why| why.to_string())?;
        let programs: Vec<LineCase> = programs.into_iter().map(|planned| planned.program).collect();
        let answers = case::answers(engine, &programs).map_err(|why| why.to_string())?;
        answered.extend(programs.into_iter().zip(answers));
        progress.done.fetch_add(1, Ordering::Relaxed);
        progress.cases.fetch_add(rows.len() as u64, Ordering::Relaxed);
    }
    Ok(answered)
}
