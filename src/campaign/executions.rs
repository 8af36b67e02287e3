//! The forms that engines execute. What takes long to compute about them is computed once, and shared by all engines: those of
//! one run differ in the environment, and most forms have the same variants in most environments.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use crate::model;
use crate::setup;
use crate::space::{Diagram, EnvironmentValues, Values};
use crate::spec::{Form, Instruction, Spec};

/// The forms of a run that can be executed.
pub(super) struct Executions<'a> {
    spec: &'a Spec,
    instructions: Vec<&'a Instruction>,
    forms: OnceLock<Vec<ExecutedForm>>,
}

impl<'a> Executions<'a> {
    pub(super) fn new(spec: &'a Spec, instructions: &[&'a Instruction]) -> Self {
        let modelled = instructions.iter().copied().filter(|instruction| model::models(&instruction.name));
        Self { spec, instructions: modelled.collect(), forms: OnceLock::new() }
    }

    /// The forms, in the order of the specification.
    pub(super) fn forms(&self) -> &[ExecutedForm] {
        let of_instruction = |instruction: &&Instruction| {
            let executed = Arc::new(setup::executed(self.spec, instruction));
            let points = Arc::new(setup::without_numbers(self.spec, instruction));
            let form = |at: usize| ExecutedForm {
                executed: Arc::clone(&executed),
                points: Arc::clone(&points),
                at,
                without_semantics: setup::without_semantics(&self.spec.isa, &executed.forms[at]),
                first_rows: ByVariants::default(),
                modifiers: ByVariants::default(),
            };
            (0..executed.forms.len()).map(form).collect::<Vec<_>>()
        };
        self.forms.get_or_init(|| {
            let forms: Vec<Vec<ExecutedForm>> = self.instructions.par_iter().map(of_instruction).collect();
            forms.into_iter().flatten().collect()
        })
    }
}

/// A form with its setups.
pub(super) struct ExecutedForm {
    /// The instruction with the axes of its setup.
    pub(super) executed: Arc<Instruction>,
    /// The same without the axes of numbers.
    points: Arc<Instruction>,
    /// The position of the form in both.
    pub(super) at: usize,
    /// The reasons why some of its lines are never executed.
    pub(super) without_semantics: BTreeSet<String>,
    /// The first rows of its programs, by how many are wanted.
    pub(super) first_rows: ByVariants<usize, FirstRows>,
    /// The variants by which its modifiers are compared.
    pub(super) modifiers: ByVariants<(), Vec<ModifierPair>>,
}

impl ExecutedForm {
    /// The form.
    pub(super) fn form(&self) -> &Form {
        &self.executed.forms[self.at]
    }

    /// The form without the axes of numbers.
    pub(super) fn points(&self) -> &Form {
        &self.points.forms[self.at]
    }
}

/// The first row of each program of a form.
pub(super) struct FirstRows {
    pub(super) rows: Vec<Values>,
    /// The position of the first plain one.
    pub(super) plain_from: usize,
}

/// A variant with a modifier, and one without it that is as like it as possible.
pub(super) struct ModifierPair {
    /// The axis of the modifier.
    pub(super) axis: usize,
    pub(super) with: Values,
    pub(super) other: Values,
}

/// Values that depend on a key and on the variants that a form has in an environment, but not on the environment itself.
pub(super) struct ByVariants<K, T>(Mutex<Vec<SharedValue<K, T>>>);

struct SharedValue<K, T> {
    key: K,
    /// Hashes of the diagrams that it depends on.
    variants: Vec<[u8; 32]>,
    value: Arc<T>,
}

impl<K, T> Default for ByVariants<K, T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: PartialEq, T> ByVariants<K, T> {
    /// How many values it has.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The value for a key and for diagrams within one environment. It is made if it is not known.
    pub(super) fn get(&self, key: K, diagrams: &[&Diagram], make: impl FnOnce() -> T) -> Arc<T> {
        let hashes = diagrams.iter().map(|diagram| diagram.hash_after(EnvironmentValues::AXES));
        let Some(variants) = hashes.collect::<Option<Vec<_>>>() else { return Arc::new(make()) };
        // A value is added whole or not at all, so a panic of another thread left nothing half done.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = known.iter().find(|of| of.key == key && of.variants == variants) {
            return Arc::clone(&shared.value);
        }
        let value = Arc::new(make());
        known.push(SharedValue { key, variants, value: Arc::clone(&value) });
        value
    }
}
