//! The YAML of a directive, as serde reads it. `docs/specification.md` describes each field.

use schemars::JsonSchema;
use serde::Deserialize;

use super::raw::{Combinations, RawNote, RawRule};
use crate::environment::Version;
use crate::spec::{DirectivePlace, HERE, TextMeasure};
use crate::yaml::{At, Ordered};

/// `specs/directives/<name>.yaml`: a directive, or a kind of declaration.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "ptx-conform directive")]
pub struct RawDirective {
    /// The name, which is also the file's name.
    pub directive: At<String>,
    /// The purpose of the directive, in one line.
    pub summary: String,
    /// The anchor of its page in the manual.
    pub manual: String,
    /// The edition of the manual that the file was checked against.
    pub read: At<Version>,
    /// The forms: where such directives stand, and how they are written.
    pub forms: Vec<RawDirectiveForm>,
    /// The parts that the forms name.
    pub parts: Ordered<RawPart>,
    /// Declarations by name: a generated directive that names one has it before it.
    #[serde(default)]
    pub objects: Ordered<String>,
    /// Named sets of values, used in conditions as `$name`.
    #[serde(default)]
    pub sets: Ordered<Vec<At<String>>>,
    /// Combinations that cannot be written, or that are read as others: none is generated.
    pub unwritten: Option<Combinations>,
    /// The constraints on the choices.
    #[serde(default)]
    pub rules: Vec<RawRule>,
    /// Sentences of the manual that are not rules here, with the reason; contradictions in the manual.
    #[serde(default)]
    pub notes: Vec<RawNote>,
}

/// A way to write a directive.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawDirectiveForm {
    /// A short name, unique in the file.
    pub id: At<String>,
    /// Where such directives stand.
    pub place: DirectivePlace,
    /// The words that they begin with, after their linkage. Without any, all texts of the place are of this form.
    #[serde(default)]
    pub begins: Vec<At<String>>,
    /// How they are written: `{part}`, `[{part} {part}]*` for parts in any order, `({part}),+` for a list, and tokens.
    pub syntax: At<String>,
    /// The text around a generated directive: `<here>` stands for it.
    #[serde(default = "here")]
    pub around: At<String>,
    /// The anchor of the form's own page, if it is not the directive's.
    pub manual: Option<String>,
    /// The options of `.target` that change what is valid.
    #[serde(default)]
    pub modes: Vec<At<String>>,
    /// Parts that differ in this form.
    #[serde(default)]
    pub parts: Ordered<RawPart>,
}

fn here() -> At<String> {
    At { value: HERE.to_owned(), place: Default::default() }
}

/// A part of a directive.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawPart {
    /// The noun for it, with its article: `a type`.
    pub is: String,
    /// Values that are their own text, simplest first; `none` has none.
    #[serde(default)]
    pub values: Vec<At<String>>,
    /// Values with their texts, after the others. In a text, `<class>` stands for any token of a class, and `<class:sample>` says
    /// what is written for it.
    #[serde(default)]
    pub texts: Ordered<String>,
    /// The measure that reads it, if the texts are only samples.
    pub measure: Option<TextMeasure>,
    /// Values that are never valid, which are generated to test that.
    #[serde(default)]
    pub probes: Vec<At<String>>,
    /// The sentence of the rule that forbids the probes, if a list of the other values does not say it.
    pub says: Option<String>,
}
