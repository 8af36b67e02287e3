//! Compiles what the manual promises of the results of approximate instructions.

use rustc_hash::FxHashSet;

use super::conditions::RuleConditions;
use super::raw::RawForm;
use super::raw_accuracy::{NumberText, RawAccuracy, RawAccuracyCase};
use super::sources::Sources;
use crate::spec::{
    Accuracy, AccuracyCase, Cube, ErrorBound, FloatClass, Form, InputRange, NumberSet, Promise, Role, SpecialResult,
};
use crate::yaml::{At, Error, nearest};

/// Adds the promises to every form.
pub(super) fn add(sources: &Sources<'_>, forms: &mut [Form]) -> Result<(), Vec<Error>> {
    let mut errors = Vec::new();
    let mut all: Vec<Vec<Accuracy>> = Vec::new();
    for (at, raw) in sources.raw.forms.iter().enumerate() {
        let compiler = Compiler { sources, forms, form: &forms[at], raw };
        all.push(compiler.accuracies(&mut errors));
    }
    for (form, accuracies) in forms.iter_mut().zip(all) {
        form.accuracies = accuracies;
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// A form, for which promises are compiled.
struct Compiler<'a> {
    sources: &'a Sources<'a>,
    forms: &'a [Form],
    form: &'a Form,
    raw: &'a RawForm,
}

impl Compiler<'_> {
    /// The promises of the form that are sound.
    fn accuracies(&self, errors: &mut Vec<Error>) -> Vec<Accuracy> {
        let file = self.sources.file;
        let mut accuracies: Vec<Accuracy> = Vec::new();
        for raw in &self.raw.accuracy {
            let Some(when) = self.when(raw, errors) else { continue };
            if accuracies.iter().any(|earlier| overlap(&earlier.when, &when)) {
                let message = format!("two promises of `{}` are about the same lines", self.raw.id.value);
                let help = "a `when` tells which lines each is about";
                errors.push(file.at(&raw.cases, message).help(help));
            }
            let before = errors.len();
            let cases = self.cases(&raw.cases.value, errors);
            let bounded = cases.iter().any(|case| matches!(case.promise, Promise::Within(_)));
            if raw.cases.value.is_empty() {
                errors.push(file.at(&raw.cases, "`cases` is empty"));
            } else if errors.len() == before && bounded == raw.because.is_some() {
                let message = match bounded {
                    true => "`because` is only for cases without a bound",
                    false => "no case has a bound: `because` must say why",
                };
                errors.push(file.at(&raw.cases, message));
            }
            let manual = raw.manual.as_ref().unwrap_or(&self.form.manual).clone();
            accuracies.push(Accuracy { manual, when, cases, because: raw.because.clone() });
        }
        accuracies
    }

    /// The condition of a promise in the form.
    fn when(&self, raw: &RawAccuracy, errors: &mut Vec<Error>) -> Option<Cube> {
        let conditions = RuleConditions { sources: self.sources, file: self.sources.file, forms: self.forms };
        let wrong = conditions.check(&raw.when, &mut FxHashSet::default());
        if !wrong.is_empty() {
            errors.extend(wrong);
            return None;
        }
        let when = self.form.combination(&conditions.entries(&raw.when));
        if when.is_none() {
            let message = format!("no line of `{}` meets this `when`", self.raw.id.value);
            let place = raw.when.0.first().map_or(raw.cases.place, |(axis, _)| axis.place);
            errors.push(self.sources.file.error(place, message));
        }
        when
    }

    /// The cases that are sound.
    fn cases(&self, raw: &[At<RawAccuracyCase>], errors: &mut Vec<Error>) -> Vec<AccuracyCase> {
        let mut cases: Vec<AccuracyCase> = Vec::new();
        for case in raw {
            if cases.iter().any(|earlier| earlier.inputs.is_empty()) {
                let error = self.sources.file.at(case, "an earlier case fits all inputs");
                errors.push(error.help("the first case that fits counts: move the one without `for` to the end"));
            }
            let inputs = case.value.inputs.0.iter().map(|(operand, numbers)| self.input(operand, numbers));
            let inputs: Vec<Result<InputRange, Error>> = inputs.collect();
            let promise = self.promise(case);
            let wrong = inputs.iter().filter_map(|input| input.as_ref().err()).chain(promise.as_ref().err());
            errors.extend(wrong.cloned());
            if let (Ok(inputs), Ok(promise)) = (inputs.into_iter().collect(), promise) {
                cases.push(AccuracyCase { inputs, promise });
            }
        }
        cases
    }

    /// Where the number of one operand must be.
    fn input(&self, key: &At<String>, text: &At<NumberText>) -> Result<InputRange, Error> {
        let name = key.value.strip_prefix('|').and_then(|name| name.strip_suffix('|'));
        let magnitude = name.is_some();
        let operand = self.source(name.unwrap_or(&key.value)).ok_or_else(|| {
            let known = self.form.operands.iter().filter(|operand| operand.role == Role::Source);
            let known = known.map(|operand| operand.name.as_str());
            let error = self.sources.file.at(key, format!("`{}` is not an operand with the role `source`", key.value));
            match nearest(&key.value, known.clone()) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help(format!("there are {}", known.collect::<Vec<_>>().join(" "))),
            }
        })?;
        let numbers = number_set(&text.value.0).map_err(|why| self.sources.file.at(text, why))?;
        let below_zero = match numbers {
            NumberSet::Class { negative, .. } => negative.is_some(),
            NumberSet::Interval { from, .. } => from < 0.0,
        };
        if magnitude && below_zero {
            return Err(self.sources.file.at(text, "a magnitude has no sign"));
        }
        Ok(InputRange { operand, magnitude, numbers })
    }

    /// The position of a source operand.
    fn source(&self, name: &str) -> Option<usize> {
        self.form.operands.iter().position(|operand| operand.name == name && operand.role == Role::Source)
    }

    /// The promise of a case.
    fn promise(&self, case: &At<RawAccuracyCase>) -> Result<Promise, Error> {
        let file = self.sources.file;
        let RawAccuracyCase { result, ulp, relative, absolute, .. } = &case.value;
        let bound = |text: &At<NumberText>, of: fn(f64) -> ErrorBound| match number(&text.value.0) {
            Some(bound) if bound > 0.0 && bound.is_finite() => Ok(Promise::Within(of(bound))),
            _ => Err(file.at(text, format!("`{}` is not a bound: {NUMBERS}", text.value.0))),
        };
        match (result, ulp, relative, absolute) {
            (Some(text), None, None, None) => self.result(text).map(Promise::Exactly),
            (None, Some(text), None, None) => bound(text, ErrorBound::Ulp),
            (None, None, Some(text), None) => bound(text, ErrorBound::Relative),
            (None, None, None, Some(text)) => bound(text, ErrorBound::Absolute),
            _ => Err(file.at(case, "a case must have exactly one of `result`, `ulp`, `relative` and `absolute`")),
        }
    }

    /// The result that a case gives.
    fn result(&self, text: &At<NumberText>) -> Result<SpecialResult, Error> {
        let word = text.value.0.as_str();
        let bits = || u64::from_str_radix(word.strip_prefix("0x")?, 16).ok().map(SpecialResult::Bits);
        let found = match word {
            "NaN" => Some(SpecialResult::Nan),
            "signed-zero" => Some(SpecialResult::SignedZero),
            _ => bits()
                .or_else(|| self.source(word).map(SpecialResult::Operand))
                .or_else(|| number(word).map(SpecialResult::Number)),
        };
        found.ok_or_else(|| {
            let error = self.sources.file.at(text, format!("`{word}` is not a result"));
            error.help("write a number, -Inf, +Inf, NaN, signed-zero, bits such as 0x7fffffff, or the name of a source")
        })
    }
}

/// True if a line can be in both combinations.
fn overlap(one: &Cube, other: &Cube) -> bool {
    !Cube::new(one.sets().iter().chain(other.sets()).copied()).is_empty()
}

/// How numbers are written, for messages.
const NUMBERS: &str = "write it as 2, 0.5, 2^-22.9 or 2pi";

/// The numbers that a text names: a class or an interval.
fn number_set(text: &str) -> Result<NumberSet, String> {
    let (negative, name) = match text.split_at_checked(1) {
        Some(("-", name)) => (Some(true), name),
        Some(("+", name)) => (Some(false), name),
        _ => (None, text),
    };
    let class = match name {
        "Inf" => FloatClass::Infinite,
        "normal" => FloatClass::Normal,
        "subnormal" => FloatClass::Subnormal,
        "0.0" => FloatClass::Zero,
        "NaN" if negative.is_none() => FloatClass::Nan,
        _ => {
            return interval(text).ok_or_else(|| {
                format!("`{text}` is neither a class such as -normal nor an interval such as (0, 2pi]")
            });
        }
    };
    Ok(NumberSet::Class { class, negative })
}

/// An interval that is not empty, in the manual's notation: `[a, b]` has its ends, `(a, b)` does not.
fn interval(text: &str) -> Option<NumberSet> {
    let has_from = text.starts_with('[');
    let has_to = text.ends_with(']');
    let (from, to) = text.strip_prefix(['[', '('])?.strip_suffix([']', ')'])?.split_once(',')?;
    let (from, to) = (number(from.trim())?, number(to.trim())?);
    (from < to).then_some(NumberSet::Interval { from, has_from, to, has_to })
}

/// The number that a text is: decimal, a power of two, or a multiple of pi; infinite ones have a name.
fn number(text: &str) -> Option<f64> {
    if let Some(positive) = text.strip_prefix('-') {
        return magnitude(positive).map(|number| -number);
    }
    magnitude(text.strip_prefix('+').unwrap_or(text))
}

/// The number that a text without a sign is.
fn magnitude(text: &str) -> Option<f64> {
    if text == "Inf" {
        return Some(f64::INFINITY);
    }
    if let Some(exponent) = text.strip_prefix("2^") {
        return decimal(exponent.strip_prefix('-').unwrap_or(exponent))
            .map(|size| if exponent.starts_with('-') { (-size).exp2() } else { size.exp2() });
    }
    match text.strip_suffix("pi") {
        Some("") => Some(std::f64::consts::PI),
        Some(factor) => decimal(factor).map(|factor| factor * std::f64::consts::PI),
        None => decimal(text),
    }
}

/// A decimal number without sign and exponent.
fn decimal(text: &str) -> Option<f64> {
    let plain = text.starts_with(|first: char| first.is_ascii_digit())
        && text.chars().all(|digit| digit.is_ascii_digit() || digit == '.');
    plain.then(|| text.parse().ok())?
}
