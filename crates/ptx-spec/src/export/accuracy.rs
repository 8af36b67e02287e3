//! What the manual promises of approximate results, by name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rule::{ExportedCombination, combination};
use crate::spec::{
    Accuracy, AccuracyCase, ErrorBound, FloatClass, Form, InputRange, NumberSet, Promise, SpecialResult, manual_page,
};

/// The promise of a page of the manual on the results of some lines of a form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedAccuracy {
    /// The address of the page that promises it.
    pub page: String,
    /// The lines that it is about.
    pub when: ExportedCombination,
    /// The cases; the first that fits the inputs counts, and where none does, the manual promises nothing.
    pub cases: Vec<ExportedAccuracyCase>,
    /// The reason, if no case has a bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

/// Inputs, and the promise on their result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedAccuracyCase {
    /// Where the numbers of operands must be. With `.ftz`, a subnormal number is flushed before. Without any, all inputs fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<ExportedInputRange>,
    /// The promise.
    pub promise: ExportedPromise,
}

/// Where the number of an operand must be: in a class or in an interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedInputRange {
    /// The operand.
    pub operand: String,
    /// True if its magnitude must be there, whatever its sign.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub magnitude: bool,
    /// A class of numbers, with a sign if only one counts: `-Inf`, `+normal`, `subnormal`, `-0.0`, `NaN`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The lower end of an interval; infinite if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// The upper end of an interval; infinite if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
    /// True if the lower end is in the interval.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub has_from: bool,
    /// True if the upper end is in the interval.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub has_to: bool,
}

/// The promise of the manual on a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExportedPromise {
    /// Its distance from the exact one in units of the last place, at most.
    Ulp(f64),
    /// Its distance from the exact one in parts of that, at most.
    Relative(f64),
    /// Its distance from the exact one, at most.
    Absolute(f64),
    /// It is this number: `-0.0`, `+Inf`, `+1.0`.
    Number(String),
    /// It is a NaN, any one.
    Nan,
    /// It has these bits, in hexadecimal.
    Bits(String),
    /// It is a zero with the sign of the exact one.
    SignedZero,
    /// It is this operand.
    Operand(String),
}

impl ExportedAccuracy {
    pub(super) fn of(form: &Form, accuracy: &Accuracy) -> Self {
        Self {
            page: manual_page(&accuracy.manual),
            when: combination(form, &accuracy.when),
            cases: accuracy.cases.iter().map(|case| ExportedAccuracyCase::of(form, case)).collect(),
            because: accuracy.because.clone(),
        }
    }
}

impl ExportedAccuracyCase {
    fn of(form: &Form, case: &AccuracyCase) -> Self {
        let promise = match case.promise {
            Promise::Within(ErrorBound::Ulp(bound)) => ExportedPromise::Ulp(bound),
            Promise::Within(ErrorBound::Relative(bound)) => ExportedPromise::Relative(bound),
            Promise::Within(ErrorBound::Absolute(bound)) => ExportedPromise::Absolute(bound),
            Promise::Exactly(SpecialResult::Number(number)) => ExportedPromise::Number(signed(number)),
            Promise::Exactly(SpecialResult::Nan) => ExportedPromise::Nan,
            Promise::Exactly(SpecialResult::Bits(bits)) => ExportedPromise::Bits(format!("{bits:#x}")),
            Promise::Exactly(SpecialResult::SignedZero) => ExportedPromise::SignedZero,
            Promise::Exactly(SpecialResult::Operand(at)) => ExportedPromise::Operand(form.operands[at].name.clone()),
        };
        Self { inputs: case.inputs.iter().map(|input| ExportedInputRange::of(form, input)).collect(), promise }
    }
}

impl ExportedInputRange {
    fn of(form: &Form, input: &InputRange) -> Self {
        let operand = form.operands[input.operand].name.clone();
        let mut exported = Self {
            operand,
            magnitude: input.magnitude,
            class: None,
            from: None,
            to: None,
            has_from: false,
            has_to: false,
        };
        match input.numbers {
            NumberSet::Class { class, negative } => exported.class = Some(class_name(class, negative)),
            NumberSet::Interval { from, has_from, to, has_to } => {
                // JSON has no infinite numbers.
                exported.from = from.is_finite().then_some(from);
                exported.to = to.is_finite().then_some(to);
                (exported.has_from, exported.has_to) = (has_from, has_to);
            }
        }
        exported
    }
}

/// A number as the tables of the manual write it.
fn signed(number: f64) -> String {
    match number {
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        number => format!("{number:+?}"),
    }
}

/// The name of a class of numbers in the tables of the manual.
fn class_name(class: FloatClass, negative: Option<bool>) -> String {
    let sign = match negative {
        Some(true) => "-",
        Some(false) => "+",
        None => "",
    };
    let name = match class {
        FloatClass::Infinite => "Inf",
        FloatClass::Normal => "normal",
        FloatClass::Subnormal => "subnormal",
        FloatClass::Zero => "0.0",
        FloatClass::Nan => "NaN",
    };
    format!("{sign}{name}")
}
