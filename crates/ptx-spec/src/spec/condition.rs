//! Conditions: for each axis named, a set of values.

use super::words::NONE;
use super::{Axis, ValueSet};

/// One entry of a condition, its sets expanded.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The axis.
    pub axis: String,
    /// True if the values are excluded (by `not` before them).
    pub negated: bool,
    /// The values; `any` means all claimed ones except `none`.
    pub values: Vec<String>,
}

impl Entry {
    /// True if the entry holds for a value by its name.
    pub fn holds(&self, value: &str) -> bool {
        self.values.iter().any(|v| v == value || (v == "any" && value != NONE)) != self.negated
    }

    /// The values of an axis that it selects. Probes are included only if listed, so that they break no
    /// other rule than their own.
    pub fn select(&self, axis: &Axis) -> ValueSet {
        let set = axis.select(|value| self.holds(value));
        let open = self.negated || self.values.iter().any(|value| value == "any");
        if open { set.and(&axis.claimed) } else { set }
    }
}
