//! Rules: the combinations of choices that a form forbids.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;

use super::Cube;
use super::condition::Entry;
use crate::environment::{Target, Version};

/// A named constraint over the axes of a form.
#[derive(Clone, Debug)]
pub struct Rule {
    /// `instruction/rule`, or `isa/rule` for rules about every module.
    pub id: String,
    /// The kind of the rule.
    pub kind: RuleKind,
    /// The source of the rule: the manual, or observation.
    pub source: Source,
    /// The heading on the manual's page.
    pub section: Option<String>,
    /// The sentence that the rule is.
    pub says: String,
    /// The combinations that the rule forbids.
    pub forbids: Vec<Cube>,
}

impl Rule {
    /// The part of its id after the instruction.
    pub fn name(&self) -> &str {
        self.id.rsplit_once('/').map_or(self.id.as_str(), |(_, name)| name)
    }
}

/// The kind of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// It keeps the space free of duplicates and of variants that cannot be written or declared: generated
    /// variants always obey it, and no verdict names it.
    Canonical,
    /// Generated variants always obey it, because they cannot break it; verdicts on other texts name it.
    Given,
    /// It restricts the choices.
    Constraint,
    /// The manual says that the behaviour is undefined: such a line is valid, an implementation may accept
    /// or reject it, and it is never generated.
    Undefined,
    /// It needs a PTX version.
    NeedsPtx(Version),
    /// It needs a target that meets one of these.
    NeedsTarget(Vec<Target>),
}

impl RuleKind {
    /// True if variants are made to break such a rule.
    pub fn breakable(&self) -> bool {
        !matches!(self, Self::Canonical | Self::Given | Self::Undefined)
    }
}

impl fmt::Display for RuleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Canonical => f.write_str("canonical"),
            Self::Given => f.write_str("given"),
            Self::Constraint => f.write_str("constraint"),
            Self::Undefined => f.write_str("undefined"),
            Self::NeedsPtx(version) => write!(f, "needs PTX {version}"),
            Self::NeedsTarget(targets) => {
                let names: Vec<String> = targets.iter().map(Target::to_string).collect();
                write!(f, "needs {}", names.join(" or "))
            }
        }
    }
}

/// Where a rule comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The manual states it.
    Manual,
    /// The manual is silent, and every implementation examined does it.
    Observed,
}

/// Combinations of choices, of the variant and of its setup, that are never executed.
#[derive(Clone, Debug)]
pub struct SetupRule {
    /// Conditions, each of which excludes the variants for which it holds. An axis that the form lacks is
    /// `none`.
    pub never: Vec<Vec<Entry>>,
    /// The reason for the rule.
    pub because: String,
}
