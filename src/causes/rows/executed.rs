//! Instructions with their setups, for the search for causes.

use std::collections::BTreeMap;

use crate::campaign::{EngineResult, GroupKey};
use crate::divergences::Does;
use crate::setup;
use crate::spec::{Form, Instruction, Spec};

/// An instruction with the setups that its variants are executed in.
pub(crate) struct ExecutedInstruction {
    /// With all axes; the last ones are those of numbers.
    pub(crate) rows: Instruction,
    /// Without the axes of numbers, so that its variants are points.
    pub(crate) points: Instruction,
}

impl ExecutedInstruction {
    /// The instructions with failed rows, by opcode.
    pub(crate) fn of_results(spec: &Spec, results: &[EngineResult]) -> BTreeMap<String, Self> {
        let of_rows = |key: &&GroupKey| key.mismatch.does == Does::Computes && !key.mismatch.listed;
        let keys = results.iter().flat_map(|result| result.tally.groups.keys()).filter(of_rows);
        let mut executed = BTreeMap::new();
        for instruction in keys.filter_map(|key| spec.instruction(&key.instruction)) {
            executed.entry(instruction.name.clone()).or_insert_with(|| Self {
                rows: setup::executed(spec, instruction),
                points: setup::without_numbers(spec, instruction),
            });
        }
        executed
    }

    /// The number of axes that a point has.
    pub(crate) fn point_axes(&self, form: usize) -> usize {
        let form: &Form = &self.rows.forms[form];
        form.axes.len() - setup::numbers(form)
    }
}
