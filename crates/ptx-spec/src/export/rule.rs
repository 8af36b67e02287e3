//! Rules as the combinations that they forbid, by name.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::{Target, Version};
use crate::spec::{Cube, Form, Rule, RuleKind, Source};

/// A named constraint on the choices of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedRule {
    /// `instruction/rule`, or `isa/rule` for rules of every module.
    pub id: String,
    /// The kind, which says whether a line that breaks it is invalid.
    pub kind: ExportedRuleKind,
    /// The rule in words.
    pub says: String,
    /// The source: the manual, or what every implementation examined does where the manual is silent.
    pub source: Source,
    /// The heading on the manual's page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The PTX version that is needed, of the kind `needs-ptx`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_ptx: Option<Version>,
    /// The targets one of which is enough, of the kind `needs-target`; `meets` of each target of `isa` tells which meet it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs_target: Vec<Target>,
    /// The combinations that break it. A rule without any is about the text, and no choice breaks it.
    ///
    /// Of a rule that needs something, each combination also names the versions or targets that do not have it; the other
    /// axes tell when it is needed.
    pub forbids: Vec<ExportedCombination>,
}

/// A combination of choices: for each axis the values of which one is chosen; an axis that is not named may have any value.
pub type ExportedCombination = BTreeMap<String, Vec<String>>;

/// The kind of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExportedRuleKind {
    /// It leaves out what would be generated twice, or cannot be written or declared. A line that breaks it is not invalid.
    Canonical,
    /// A line that breaks it is invalid, but belongs to another form or cannot be generated.
    Given,
    /// A line that breaks it is invalid.
    Constraint,
    /// The manual leaves undefined what a line that matches it does; the line is valid.
    Undefined,
    /// A line that breaks it needs a later PTX version.
    NeedsPtx,
    /// A line that breaks it needs another target.
    NeedsTarget,
}

impl ExportedRule {
    pub(super) fn of(form: &Form, rule: &Rule) -> Self {
        let (kind, needs_ptx, needs_target) = match &rule.kind {
            RuleKind::Canonical => (ExportedRuleKind::Canonical, None, Vec::new()),
            RuleKind::Given => (ExportedRuleKind::Given, None, Vec::new()),
            RuleKind::Constraint => (ExportedRuleKind::Constraint, None, Vec::new()),
            RuleKind::Undefined => (ExportedRuleKind::Undefined, None, Vec::new()),
            RuleKind::NeedsPtx(version) => (ExportedRuleKind::NeedsPtx, Some(*version), Vec::new()),
            RuleKind::NeedsTarget(targets) => (ExportedRuleKind::NeedsTarget, None, targets.clone()),
        };
        Self {
            id: rule.id.clone(),
            kind,
            says: rule.says.clone(),
            source: rule.source,
            section: rule.section.clone(),
            needs_ptx,
            needs_target,
            forbids: rule.forbids.iter().map(|cube| combination(form, cube)).collect(),
        }
    }
}

pub(super) fn combination(form: &Form, cube: &Cube) -> ExportedCombination {
    let named = |(axis, set): &(usize, crate::spec::ValueSet)| {
        let axis = &form.axes[*axis];
        (axis.name.clone(), set.iter().filter_map(|value| axis.values.get(usize::from(value)).cloned()).collect())
    };
    cube.sets().iter().map(named).collect()
}
