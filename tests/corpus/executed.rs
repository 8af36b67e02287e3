//! The executed cases of `corpus/executed/`. Each case is checked with the reference model
//! (`suld::last-row::model`), and its line must be valid (`suld::last-row::valid`).

use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use ptx_conform::judge::Judge;
use ptx_conform::model::{self, Allowed};
use ptx_conform::ptx::{Declarations, Line};
use ptx_conform::spec::Spec;

use crate::cases::{self, Case, Expected};

pub(crate) fn trials(spec: &Arc<Spec>) -> anyhow::Result<Vec<Trial>> {
    let mut trials = Vec::new();
    for case in cases::all(spec)? {
        let (case, spec) = (Arc::new(case), Arc::clone(spec));
        let title = format!("{}::{}", case.instruction, case.name);
        let (of_model, with) = (Arc::clone(&case), Arc::clone(&spec));
        trials.push(Trial::test(format!("{title}::model"), move || check_model(&with, &of_model)));
        trials.push(Trial::test(format!("{title}::valid"), move || check_line(&spec, &case)));
    }
    Ok(trials)
}

/// The model must allow each expected answer. A case must not expect a particular answer where the model allows any.
fn check_model(spec: &Spec, case: &Case) -> Result<(), Failed> {
    let program = &case.program;
    let undefined = case.expected.iter().all(|expected| matches!(expected, Expected::Undefined(_)));
    let prepared = match model::prepare(spec, program) {
        Ok(prepared) => prepared,
        // A case whose rows are all undefined need not say what its line writes.
        Err(_) if undefined => return Ok(()),
        Err(why) => return Err(why.into()),
    };
    for (at, (expected, expectation)) in case.expected.iter().zip(prepared.all(&program.rows)).enumerate() {
        let allowed = matches!(expectation.allowed, Allowed::Any(_));
        let wrong = match expected {
            Expected::Undefined(_) => expectation.inferred.is_empty() && !allowed && !masked(&expectation),
            _ if allowed => !case.inferred,
            expected => {
                expected.check(&expectation.example(program), program).map_err(|why| format!("row {at}: {why}"))?;
                false
            }
        };
        if wrong {
            return Err(format!("row {at} of `{}`: {expected:?}, the model has {expectation:?}", program.line).into());
        }
    }
    Ok(())
}

/// Whether some of the expected bits are undefined.
fn masked(expectation: &model::Expectation) -> bool {
    matches!(&expectation.allowed, Allowed::Only(model::Ending::Returns(effect)) if effect.undefined.is_some())
}

/// The line must belong to the instruction, and be valid in the environment of the case.
fn check_line(spec: &Spec, case: &Case) -> Result<(), Failed> {
    let program = &case.program;
    let judge = Judge::new(spec, &program.environment())?;
    let declarations = Declarations::parse(&program.declarations, &spec.isa)?;
    match judge.read(&Line::parse(&program.line)?, &declarations) {
        Some((instruction, reading)) if instruction.name == case.instruction && reading.valid() => Ok(()),
        Some((instruction, reading)) => {
            let rules: Vec<_> = reading.rules(instruction).map(|rule| rule.id.clone()).collect();
            Err(format!("`{}` is a line of {} and breaks {rules:?}", program.line, instruction.name).into())
        }
        None => Err(format!("`{}` is not a line of {}", program.line, case.instruction).into()),
    }
}
