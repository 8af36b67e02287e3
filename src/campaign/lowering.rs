//! What each modifier becomes in machine code: its simplest case is compared with the simplest case of the form that
//! is like it otherwise.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::executions::{ExecutedForm, ModifierPair};
use super::tasks::{PlannedTask, TaskKeeper, TaskResult, WatchedEngine};
use crate::case::InternalError;
use crate::engine::{CodeLister, Listing};
use crate::environment::Environment;
use crate::ledger::{TaskCounts, TaskKind};
use crate::line_case::LineCase;
use crate::setup;
use crate::space::{Diagram, Region, Slice, Values, environment_values};
use crate::spec::{Choice, Cube, Form, Spec, ValueSet};

/// The machine instructions that a modifier becomes.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LoweredModifier {
    /// The form.
    pub form: String,
    /// The slot.
    pub slot: String,
    /// The modifier.
    pub modifier: String,
    /// The line that has it.
    pub line: String,
    /// The line that it is compared with: it has another choice in the slot, and else only what that takes.
    pub other: String,
    /// Operations of the machine code for the line that the other does not have: `LDG.E.STRONG.SYS`.
    pub added: Vec<String>,
    /// Operations that only the other has.
    pub removed: Vec<String>,
}

impl TaskResult for Vec<LoweredModifier> {
    fn counts(&self) -> TaskCounts {
        TaskCounts { cases: self.len() as u64, ..TaskCounts::default() }
    }
}

/// The machine instructions that each modifier of instructions becomes on an engine.
///
/// # Errors
/// If a generated text cannot be read.
pub(super) fn lowered(
    spec: &Spec,
    engine: &dyn CodeLister,
    environment: &Environment,
    forms: &[ExecutedForm],
    (work, watched): (&TaskKeeper<'_>, WatchedEngine<'_>),
) -> Result<Vec<LoweredModifier>, InternalError> {
    let of_form = |of: &ExecutedForm| compared_lines(spec, of, environment);
    let all: Result<Vec<_>, InternalError> = forms.par_iter().map(of_form).collect();
    let all = all?.concat();
    // Many at once: what an engine starts for a question takes longer than the question.
    let task = |part: &[(LoweredModifier, [LineCase; 2])]| {
        let words = || part.first().map_or_else(String::new, |(first, _)| format!("from {}", first.form));
        let what = || {
            let lines = part.iter().flat_map(|(_, programs)| programs).map(|program| program.line.as_str());
            format!("{environment}\n{}", lines.collect::<Vec<_>>().join("\n"))
        };
        work.plan(watched.engine, TaskKind::Modifiers, part.len() as u64, words, what)
    };
    let tasks: Vec<PlannedTask> = all.chunks(TOGETHER).map(task).collect();
    let lowered = |(part, task)| work.result(task, watched, || compared(engine, part));
    let lowered: Vec<Option<Vec<LoweredModifier>>> = all.par_chunks(TOGETHER).zip(&tasks).map(lowered).collect();
    Ok(lowered.into_iter().flatten().flatten().collect())
}

/// The modifiers of a form in an environment, each with the two programs that are compared.
fn compared_lines(
    spec: &Spec,
    of: &ExecutedForm,
    environment: &Environment,
) -> Result<Vec<(LoweredModifier, [LineCase; 2])>, InternalError> {
    let form = of.form();
    let Some(environment) = environment_values(form, environment) else { return Ok(Vec::new()) };
    let diagram = Diagram::within(form, None, &environment);
    let pairs = of.modifiers.get((), &[&diagram], || pairs(spec, form, &diagram.all().below(&environment)));
    let program = |values: &Values| {
        let mut values = values.clone();
        environment.give_to(&mut values);
        setup::line_case(spec, form, &[&values])
    };
    let lowered = |ModifierPair { axis, with, other }: &ModifierPair| {
        let lowered = LoweredModifier {
            form: form.id.clone(),
            slot: form.axes[*axis].name.clone(),
            modifier: form.value(with, *axis).to_owned(),
            ..LoweredModifier::default()
        };
        Ok((lowered, [program(with)?, program(other)?]))
    };
    pairs.iter().map(lowered).collect()
}

/// The modifiers with what each becomes, by the code of a program with it and of one without it.
fn compared(engine: &dyn CodeLister, part: &[(LoweredModifier, [LineCase; 2])]) -> Vec<LoweredModifier> {
    let programs: Vec<LineCase> = part.iter().flat_map(|(_, programs)| programs).cloned().collect();
    let listings = engine.listings(&programs);
    let compared = part.iter().zip(listings.chunks(2)).filter_map(|((lowered, programs), listings)| {
        let ([with, other], [Some(code), Some(others)]) = (programs, listings) else { return None };
        let (code, others) = (operations(code), operations(others));
        let difference = |a: &BTreeSet<&str>, b| a.difference(b).map(|operation| (*operation).to_owned()).collect();
        Some(LoweredModifier {
            line: with.line.clone(),
            other: other.line.clone(),
            added: difference(&code, &others),
            removed: difference(&others, &code),
            ..lowered.clone()
        })
    });
    compared.collect()
}

/// Modifiers that an engine is asked about together.
const TOGETHER: usize = 64;

/// The name of the choice of an empty slot.
const NO_MODIFIER: &str = "none";

/// A pair for each modifier of a form that a region has.
fn pairs(spec: &Spec, form: &Form, region: &Region<'_>) -> Vec<ModifierPair> {
    let simplest = |cube: &Cube| Slice::new(region, cube).simplest();
    let slots = form.axes.iter().enumerate().filter(|(_, axis)| axis.choice == Choice::Modifier);
    let mut pairs = Vec::new();
    for (axis, of) in slots {
        let only =
            |at: usize, value: u8| (at, ValueSet::of(form.axes[at].values.len(), |known| known == usize::from(value)));
        let modifiers = (0..=u8::MAX).zip(&of.values).filter(|(_, name)| *name != NO_MODIFIER);
        for (value, _) in modifiers {
            let Some(with) = with_inputs(spec, form, Cube::new([only(axis, value)]), &simplest) else { continue };
            // All other choices stay, if there is such a variant; otherwise the modifiers that need this one go with it.
            let same = |kept: &dyn Fn(usize) -> bool| {
                let kept = with.iter().enumerate().filter(|(at, _)| *at != axis && kept(*at));
                let others = ValueSet::of(of.values.len(), |known| known != usize::from(value));
                simplest(&Cube::new(kept.map(|(at, value)| only(at, *value)).chain([(axis, others)])))
            };
            let modifier = |at: usize| form.axes[at].choice == Choice::Modifier;
            let other = same(&|_| true).or_else(|| same(&|at| !modifier(at))).or_else(|| same(&|_| false));
            pairs.extend(other.map(|other| ModifierPair { axis, with, other }));
        }
    }
    pairs
}

/// The simplest variant of a cube whose operands are registers where they can be: constants are computed with when the
/// code is generated.
fn with_inputs(spec: &Spec, form: &Form, cube: Cube, simplest: &dyn Fn(&Cube) -> Option<Values>) -> Option<Values> {
    let inputs = |values: &Values| setup::line_case(spec, form, &[values]).map_or(0, |program| program.inputs.len());
    let (mut cube, mut best) = (cube.clone(), simplest(&cube)?);
    for (axis, of) in form.axes.iter().enumerate().filter(|(_, axis)| matches!(axis.choice, Choice::Type(_))) {
        let narrowed =
            (0..of.values.len()).map(|at| cube.clone().with(axis, ValueSet::of(of.values.len(), |of| of == at)));
        let mut candidates = narrowed.filter_map(|cube| Some((simplest(&cube)?, cube)));
        if let Some((values, narrowed)) = candidates.find(|(values, _)| inputs(values) > inputs(&best)) {
            (cube, best) = (narrowed, values);
        }
    }
    Some(best)
}

/// The operations of the machine code for the line.
fn operations(listing: &Listing) -> BTreeSet<&str> {
    listing.code.iter().filter(|of| of.marked).map(|of| of.operation.as_str()).collect()
}
