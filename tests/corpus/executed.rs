//! The executed cases of `corpus/executed/`. Each case is checked with the reference model
//! (`suld::last-row::model`), and its line must be valid (`suld::last-row::valid`). No row may state what the model
//! leaves undefined.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use ptx_conform::judge::Judge;
use ptx_conform::line_case::Answer;
use ptx_conform::model::{self, Allowed, Effect, Ending, Expectation, ExpectedValue, Object, Write};
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
    let spec = Arc::clone(spec);
    trials.push(Trial::test("no_row_states_undefined_bits", move || no_row_states_undefined_bits(&spec)));
    Ok(trials)
}

/// A row that states an example of an undefined register is refused: the rows of the corpus that are undefined, made to
/// state what the model has for an example.
fn no_row_states_undefined_bits(spec: &Spec) -> Result<(), Failed> {
    let mut tried = 0;
    for mut case in cases::all(spec)? {
        let Ok(prepared) = model::prepare(spec, &case.program) else { continue };
        for (at, expectation) in prepared.all(&case.program.rows).enumerate() {
            let Answer::Returned(example) = expectation.example(&case.program) else { continue };
            let vague = |effect: &Effect| effect.registers().iter().any(|register| register.only().is_none());
            if !effects(&expectation.allowed).any(vague) {
                continue;
            }
            let registers = example.registers.iter().map(|register| *register..=*register).collect();
            let none = BTreeMap::new();
            case.expected[at] = Expected::Returned { registers, surface: None, variables: none, never: Vec::new() };
            if check_model(spec, &case).is_ok() {
                return Err(format!("{}::{}: row {at} states undefined bits", case.instruction, case.name).into());
            }
            tried += 1;
            break;
        }
    }
    if tried == 0 { Err("no row has an undefined register".into()) } else { Ok(()) }
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
                effects(&expectation.allowed).any(|effect| overstates(expected, effect, case))
            }
        };
        if wrong {
            return Err(format!("row {at} of `{}`: {expected:?}, the model has {expectation:?}", program.line).into());
        }
    }
    Ok(())
}

/// Whether some of the expected bits are undefined.
fn masked(expectation: &Expectation) -> bool {
    matches!(&expectation.allowed, Allowed::Only(Ending::Returns(effect)) if effect.undefined.is_some())
}

/// The allowed effects.
fn effects(allowed: &Allowed) -> impl Iterator<Item = &Effect> {
    let endings = match allowed {
        Allowed::Only(ending) => std::slice::from_ref(ending),
        Allowed::OneOf(endings) => endings,
        Allowed::Any(_) => &[],
    };
    endings.iter().filter_map(|ending| match ending {
        Ending::Returns(effect) => Some(effect),
        Ending::Traps => None,
    })
}

/// True if a row states a register or a byte of which the effect leaves bits undefined.
fn overstates(expected: &Expected, effect: &Effect, case: &Case) -> bool {
    let Expected::Returned { registers, surface, variables, .. } = expected else { return false };
    let stated = |write: &Write, at: usize| match write.object {
        Object::Surface => surface.as_ref().is_some_and(|bytes| bytes[at].is_some()),
        Object::Variable(position) => {
            variables.get(&case.program.variables[position].name).is_some_and(|bytes| bytes[at].is_some())
        }
    };
    let loose = |write: &Write| {
        write.bytes().zip(write.value.fixed().to_le_bytes()).any(|(at, fixed)| fixed != 0xff && stated(write, at))
    };
    let mut stated_registers = effect.registers().iter().zip(registers);
    stated_registers.any(|(allowed, stated)| !states(allowed, stated)) || effect.written().iter().any(loose)
}

/// True if a row states just what is allowed: one number, or all from the least to the most.
fn states(allowed: &ExpectedValue, stated: &RangeInclusive<u128>) -> bool {
    let is_allowed = |number: u128| allowed.wrong(number) == 0;
    let (least, most) = (*stated.start(), *stated.end());
    let ends = || is_allowed(least) && is_allowed(most) && !is_allowed(least - 1) && !is_allowed(most + 1);
    if least == most { allowed.only() == Some(least) } else { ends() }
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
