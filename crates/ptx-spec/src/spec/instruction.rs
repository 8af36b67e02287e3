//! Instructions: forms that share an opcode, with the notes and examples of their page.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Form;
use super::form::page;
use super::pattern::ModifierPattern;
use crate::environment::{Target, Version};

/// One instruction: a file of the specification.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The opcode, with the modifiers that tell it from other instructions of the opcode: `cvt.pack`.
    pub name: String,
    /// The modifiers of the name, with their dots.
    pub(crate) prefix: Vec<String>,
    /// The sentence that says what the instruction does.
    pub summary: String,
    /// The anchor of its page in the manual.
    pub manual: String,
    /// The edition of the manual that the file was checked against.
    pub read: Version,
    /// Its forms.
    pub forms: Vec<Form>,
    /// Modifiers of lines that belong to a page without a description; with a `*` at the end, all that begin so.
    pub elsewhere: Vec<String>,
    /// Sentences of the manual that are not rules.
    pub notes: Vec<Note>,
    /// The manual's examples.
    pub examples: Vec<Example>,
    /// The named sets of values that conditions write as `$name`: its own, and those of `isa.yaml`.
    pub sets: BTreeMap<String, Vec<String>>,
    /// The modifiers that the forms know, and the position of each among them.
    pub(crate) modifiers: FxHashMap<String, usize>,
    /// The modifiers that consist of several words, each with its dot: `.xorsign.abs`.
    pub(crate) joined: Vec<Vec<String>>,
    /// The modifiers that stand for many words: `.b{0-7}{0-7}`.
    pub(crate) patterns: Vec<ModifierPattern>,
}

impl Instruction {
    /// True if it is a directive: its forms are written in modules of their own, not in a body.
    pub fn is_directive(&self) -> bool {
        self.forms.iter().any(|form| form.template.is_some())
    }

    /// True if a modifier belongs to a page without a description.
    pub fn is_elsewhere(&self, modifier: &str) -> bool {
        self.elsewhere.iter().any(|word| stands_for(word, modifier))
    }

    /// The first modifier of a line that makes it one of a page without a description.
    pub fn elsewhere_in<'l>(&self, modifiers: &[&'l str]) -> Option<&'l str> {
        modifiers.iter().copied().find(|modifier| self.is_elsewhere(modifier))
    }

    /// The reason why a line of this opcode with such a modifier is not judged.
    pub fn is_another_with(&self, modifier: &str) -> String {
        format!("`{}` with `{modifier}` is another instruction, which the specification does not have", self.name)
    }

    /// True if these modifiers of a line begin with the modifiers of the instruction's name.
    pub(crate) fn begins(&self, modifiers: &[&str]) -> bool {
        self.prefix.len() <= modifiers.len()
            && self.prefix.iter().zip(modifiers).all(|(word, modifier)| word == modifier)
    }

    /// Its page in the manual; a form may have another.
    pub fn page(&self) -> String {
        page(&self.manual)
    }
}

/// A sentence of the manual that is not a rule, or a contradiction in the manual.
#[derive(Clone, Debug)]
pub struct Note {
    /// The heading on the manual's page.
    pub section: String,
    /// The sentence of the manual.
    pub says: String,
    /// The reason why the sentence is not a rule, or how the contradiction was resolved.
    pub because: String,
}

/// A line of the manual's own examples.
#[derive(Clone, Debug)]
pub struct Example {
    /// The line as the manual has it.
    pub line: String,
    /// Declarations that the manual omits.
    pub declarations: String,
    /// This specification's verdict on it.
    pub spec: Verdict,
    /// The rules it breaks, if it is invalid.
    pub rules: Vec<String>,
    /// The reason, if the specification contradicts the manual's example.
    pub why: Option<String>,
    /// True if the example is valid, but the specification cannot say so yet.
    pub gap: bool,
    /// The target it is judged for.
    pub target: Option<Target>,
}

/// The verdict on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It breaks no rule.
    Valid,
    /// It breaks some.
    Invalid,
    /// No specification covers its opcode.
    Unknown,
}

/// True if a word of a list is this modifier, or ends in `*` and begins like it.
pub(crate) fn stands_for(word: &str, modifier: &str) -> bool {
    word.strip_suffix('*').map_or(word == modifier, |start| modifier.starts_with(start))
}
