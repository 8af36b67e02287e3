//! What each modifier becomes in the machine code of the engines that list it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::campaign::Results;

/// A modifier, and what it becomes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ModifierReport {
    /// The form.
    pub form: String,
    /// The slot.
    pub slot: String,
    /// The modifier.
    pub modifier: String,
    /// The simplest line that has it.
    pub line: String,
    /// The line that it is compared with.
    pub other: String,
    /// By engine.
    pub engines: BTreeMap<String, CodeChanges>,
}

/// How the machine code for two lines differs, as operations; if both lists are empty, no operation differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodeChanges {
    /// Machine instructions that only the line with the modifier has.
    pub added: Vec<String>,
    /// Machine instructions that only the line without the modifier has.
    pub removed: Vec<String>,
}

/// The modifiers, in the order of the specification.
pub(super) fn modifiers(results: &Results) -> Vec<ModifierReport> {
    let mut all: Vec<ModifierReport> = Vec::new();
    for engine in &results.engines {
        for lowered in &engine.lowered {
            let is = |known: &&mut ModifierReport| {
                (&known.form, &known.slot, &known.line, &known.other)
                    == (&lowered.form, &lowered.slot, &lowered.line, &lowered.other)
            };
            let changes = CodeChanges { added: lowered.added.clone(), removed: lowered.removed.clone() };
            if let Some(known) = all.iter_mut().find(is) {
                known.engines.insert(engine.name.clone(), changes);
                continue;
            }
            all.push(ModifierReport {
                form: lowered.form.clone(),
                slot: lowered.slot.clone(),
                modifier: lowered.modifier.clone(),
                line: lowered.line.clone(),
                other: lowered.other.clone(),
                engines: BTreeMap::from([(engine.name.clone(), changes)]),
            });
        }
    }
    all
}
