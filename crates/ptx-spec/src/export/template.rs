//! Templates: how directives are written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::spec::{DirectivePart, DirectivePlace, DirectiveTemplate, Form, PartRead, PatternToken, TextMeasure};

/// How a directive is written. `syntax` of the form has its parts in order: `{part}` is a part, `[{a} {b}]*` parts in any
/// order, `({a}),+` a list with commas, and anything else a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedTemplate {
    /// Where such directives stand.
    pub place: DirectivePlace,
    /// The words one of which tells such a directive; none if its place alone does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub begins: Vec<String>,
    /// The parts. Each is an axis of the form.
    pub parts: Vec<ExportedPart>,
    /// The text around a generated directive, in which `<here>` stands for it.
    pub around: String,
    /// Declarations by name, of which a generated directive has those that it names before it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub objects: BTreeMap<String, String>,
}

/// A part of a directive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedPart {
    /// Its axis.
    pub axis: String,
    /// The noun for the part, with its article: `an alignment`.
    pub is: String,
    /// The measure that finds its value, where patterns cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<TextMeasure>,
    /// The text of each value.
    pub texts: BTreeMap<String, ExportedText>,
}

/// The text of a value of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedText {
    /// The text that is generated for it.
    pub sample: String,
    /// The tokens that it is read from; `<class>` is any token of a class. None of a part with a measure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Vec<String>>,
}

impl ExportedTemplate {
    pub(super) fn of(form: &Form, template: &DirectiveTemplate) -> Self {
        Self {
            place: template.place,
            begins: template.begins.clone(),
            parts: template.parts.iter().map(|part| ExportedPart::of(form, part)).collect(),
            around: template.around.clone(),
            objects: template.objects.iter().cloned().collect(),
        }
    }
}

impl ExportedPart {
    fn of(form: &Form, part: &DirectivePart) -> Self {
        let axis = &form.axes[part.axis];
        let (measure, patterns) = match &part.read {
            PartRead::Measured(measure) => (Some(*measure), None),
            PartRead::Patterns(patterns) => (None, Some(patterns.all())),
        };
        let text = |at: usize| ExportedText {
            sample: part.texts[at].clone(),
            tokens: patterns.map(|patterns| patterns[at].iter().map(token).collect()),
        };
        let texts = axis.values.iter().enumerate().map(|(at, value)| (value.clone(), text(at)));
        Self { axis: axis.name.clone(), is: part.is.clone(), measure, texts: texts.collect() }
    }
}

fn token(token: &PatternToken) -> String {
    match token {
        PatternToken::Token(text) => text.clone(),
        PatternToken::Class(class) => format!("<{}>", class.name()),
        PatternToken::Quoted(inside) => format!("\"{}\"", inside.iter().map(self::token).collect::<Vec<_>>().join(" ")),
    }
}
