//! Executes programs for a recording, and hands out each with its answers.

use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::executions::{ExecutedForm, Executions};
use super::options::{Options, Progress};
use super::programs::{ProgramPlan, costly};
use super::rows::environment;
use crate::case;
use crate::engine::CaseExecutor;
use crate::environment::Environment;
use crate::line_case::{Answer, LineCase};
use crate::spec::Spec;

/// Rows of a form that are recorded although they may do anything.
const UNDEFINED: u64 = 12;

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
    let executions = Executions::new(spec, &super::named(spec, options));
    let of_form = |of: &ExecutedForm| answered(spec, engine, options, progress, &environment, of);
    let answered: Vec<Result<AnsweredPrograms, String>> = executions.forms().par_iter().map(of_form).collect();
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
    of: &ExecutedForm,
) -> Result<AnsweredPrograms, String> {
    let mut answered = Vec::new();
    let plan = ProgramPlan::new(of, environment, options, engine);
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
