//! Executes programs for a recording, and hands out each with its answers.

use std::sync::atomic::Ordering;

use super::options::{Options, Progress};
use super::programs::{ProgramPlan, costly};
use super::rows::environment;
use crate::case;
use crate::engine::CaseExecutor;
use crate::line_case::{Answer, LineCase};
use crate::model;
use crate::setup;
use crate::spec::Spec;

/// Rows of a form that are recorded although they may do anything.
const UNDEFINED: u64 = 12;

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
    for instruction in super::named(spec, options).into_iter().filter(|known| model::models(&known.name)) {
        let executed = setup::executed(spec, instruction);
        let points = setup::without_numbers(spec, instruction);
        for (at, form) in executed.forms.iter().enumerate() {
            let Some(plan) = ProgramPlan::new(form, &points.forms[at], &environment, options, engine) else { continue };
            let costly = costly(engine, UNDEFINED);
            for task in plan.tasks(&instruction.name, &environment) {
                if progress.stopped() {
                    return Ok(());
                }
                progress.planned.fetch_add(1, Ordering::Relaxed);
                let rows = plan.rows(&task);
                let programs = case::executions(spec, form, &rows, &costly).map_err(|why| why.to_string())?;
                let programs: Vec<LineCase> = programs.into_iter().map(|planned| planned.program).collect();
                let answers = case::answers(engine, &programs).map_err(|why| why.to_string())?;
                for (program, answers) in programs.iter().zip(answers) {
                    each(program, &answers);
                }
                progress.done.fetch_add(1, Ordering::Relaxed);
                progress.cases.fetch_add(rows.len() as u64, Ordering::Relaxed);
            }
        }
    }
    Ok(())
}
