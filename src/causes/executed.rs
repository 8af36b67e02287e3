//! Instructions as they are executed, kept for as long as causes are searched for.

use std::collections::BTreeMap;

use crate::campaign::{EngineResult, GroupKey};
use crate::divergences::Does;
use crate::spec::{Form, Instruction, Spec};
use crate::state;

/// An instruction with the setups that its variants are executed in.
pub(super) struct ExecutedInstruction {
    /// With all axes: the last ones say which numbers there are.
    pub(super) rows: Instruction,
    /// Without those of numbers: its variants are points, which a row with any numbers is at.
    pub(super) points: Instruction,
}

impl ExecutedInstruction {
    /// The instructions of which rows failed, by their opcodes.
    pub(super) fn of_results(spec: &Spec, results: &[EngineResult]) -> BTreeMap<String, Self> {
        let of_rows = |key: &&GroupKey| key.mismatch.does == Does::Computes && !key.mismatch.listed;
        let keys = results.iter().flat_map(|result| result.tally.groups.keys()).filter(of_rows);
        let mut executed = BTreeMap::new();
        for instruction in keys.filter_map(|key| spec.instruction(&key.instruction)) {
            executed.entry(instruction.name.clone()).or_insert_with(|| Self {
                rows: state::executed(spec, instruction),
                points: state::without_numbers(spec, instruction),
            });
        }
        executed
    }

    /// The number of axes that a point has.
    pub(super) fn point_axes(&self, form: usize) -> usize {
        let form: &Form = &self.rows.forms[form];
        form.axes.len() - state::numbers(form)
    }
}
