//! The YAML of what the manual promises of approximate results, as serde reads it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use crate::yaml::{At, OneOrMany, Ordered};

/// The promise of a page of the manual on the results of some lines of a form.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawAccuracy {
    /// The condition under which it applies: by default always.
    #[serde(default)]
    pub when: Ordered<OneOrMany<String>>,
    /// The anchor of the page that promises it, if it is not the form's own.
    pub manual: Option<String>,
    /// The cases; the first that fits the inputs counts, and where none does, any result is right.
    pub cases: At<Vec<At<RawAccuracyCase>>>,
    /// The reason, if no case has a bound.
    pub because: Option<String>,
}

/// Inputs, and exactly one of `result`, `ulp`, `relative` and `absolute`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawAccuracyCase {
    /// For an operand `b`, or its magnitude `|b|`, a class of numbers (`-Inf`, `-normal`, `+subnormal`, `-0.0`, `NaN`; without
    /// a sign, both) or an interval (`[-2pi, 2pi]`, `(0, Inf)`). All must hold; without any, all inputs fit.
    #[serde(default, rename = "for")]
    pub inputs: Ordered<At<NumberText>>,
    /// The result: a number, `NaN`, `signed-zero`, the bits of the only one, or the operand that it is.
    pub result: Option<At<NumberText>>,
    /// The largest error in units of the last place.
    pub ulp: Option<At<NumberText>>,
    /// The largest error in parts of the exact result.
    pub relative: Option<At<NumberText>>,
    /// The largest error as a number.
    pub absolute: Option<At<NumberText>>,
}

/// A number as the manual writes it (`2^-22.9`, `2pi`), or a word in its place.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct NumberText(pub String);

impl JsonSchema for NumberText {
    fn schema_name() -> Cow<'static, str> {
        "NumberText".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "type": ["string", "number"] })
    }
    fn inline_schema() -> bool {
        true
    }
}
