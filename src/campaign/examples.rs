//! The manual's own examples, asked of an engine.

use super::homes::newest;
use super::options::Subject;
use crate::engine::{Batch, Depth, Outcome};
use crate::environment::Environment;
use crate::judge::{Judge, needs};
use crate::ptx::{Declarations, Line, Scaffold, uncommented};
use crate::spec::{Example, Instruction, Spec, Verdict};

/// What an example needs that an environment does not have.
fn needed(spec: &Spec, instruction: &Instruction, example: &Example, environment: &Environment) -> Option<String> {
    if example.spec != Verdict::Valid {
        return None;
    }
    let declarations = Declarations::parse(&example.declarations, &spec.isa).ok()?;
    let line = Line::parse(&example.line).ok()?;
    let reading = Judge::new(spec, environment).ok()?.read_as(instruction, &line, &declarations);
    let needs = needs(&spec.isa, &instruction.forms[reading.form], &reading)?;
    (!reading.valid()).then(|| format!("needs PTX {} and {}", needs.ptx, needs.target))
}

/// What an engine does with each example alone, in the newest environment that it accepts: instruction,
/// position, and outcome.
pub(super) fn examples(
    spec: &Spec,
    instructions: &[&Instruction],
    subject: &Subject<'_>,
) -> Vec<(String, usize, Outcome)> {
    let (Some(newest), Some(judge)) = (newest(spec, subject), subject.judge) else { return Vec::new() };
    let mut outcomes = Vec::new();
    for instruction in instructions {
        for (at, example) in instruction.examples.iter().enumerate() {
            let environment = Environment { target: example.target.unwrap_or(newest.target), ..newest };
            if let Some(needs) = needed(spec, instruction, example, &environment) {
                outcomes.push((instruction.name.clone(), at, Outcome::Skipped(needs)));
                continue;
            }
            let scaffold = Scaffold::from_declarations(&example.declarations);
            let line = uncommented(&example.line);
            let batch = Batch { environment, scaffold, lines: vec![line.trim()] };
            let outcome = judge.judge(&batch, Depth::Check).into_iter().next();
            outcomes.push((instruction.name.clone(), at, outcome.unwrap_or(Outcome::TimedOut)));
        }
    }
    outcomes
}
