//! Instructions: forms that share an opcode, with the notes and examples of their page.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Form;
use super::form::page;
use crate::environment::{Target, Version};

/// One instruction: a file of the specification.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The opcode.
    pub name: String,
    /// What it does.
    pub summary: String,
    /// The anchor of its page in the manual.
    pub manual: String,
    /// The edition of the manual that it was read against.
    pub read: Version,
    /// Its forms.
    pub forms: Vec<Form>,
    /// Modifiers with which a line is not one of its forms, but of a page that is not described.
    pub elsewhere: Vec<String>,
    /// What of the manual is no rule.
    pub notes: Vec<Note>,
    /// The manual's examples.
    pub examples: Vec<Example>,
    /// The named sets of values that conditions write as `$name`: its own, and those of `isa.yaml`.
    pub sets: BTreeMap<String, Vec<String>>,
    /// The modifiers that the forms know, and the position of each among them.
    pub(crate) modifiers: FxHashMap<String, usize>,
}

impl Instruction {
    /// Its page in the manual; a form may have another.
    pub fn page(&self) -> String {
        page(&self.manual)
    }
}

/// A sentence of the manual that became no rule, or a contradiction in it.
#[derive(Clone, Debug)]
pub struct Note {
    /// The heading under which it stands.
    pub section: String,
    /// What the manual says there.
    pub says: String,
    /// Why it is no rule, or how the contradiction was settled.
    pub because: String,
}

/// A line of the manual's own examples.
#[derive(Clone, Debug)]
pub struct Example {
    /// The line as it stands there.
    pub line: String,
    /// What the manual leaves undeclared.
    pub declarations: String,
    /// What this specification says of it.
    pub spec: Verdict,
    /// The rules it breaks, where it is invalid.
    pub rules: Vec<String>,
    /// Why, where the specification contradicts the manual's example.
    pub why: Option<String>,
    /// The target it is judged for.
    pub target: Option<Target>,
}

/// The verdict on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It keeps every rule.
    Valid,
    /// It breaks some.
    Invalid,
    /// No specification covers its opcode.
    Unknown,
}
