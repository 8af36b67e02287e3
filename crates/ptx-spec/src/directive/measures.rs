//! Measures: what patterns cannot say of a text.

use super::measured::MeasureContext;
use super::{initial, items};
use crate::spec::{Isa, TextMeasure};
use crate::text::{Declaration, Formal, Lexer, SyntaxError, natural, parameters};

/// Reads a part by a measure.
pub(super) fn measure(
    how: TextMeasure,
    lexer: &mut Lexer<'_>,
    context: MeasureContext<'_, '_>,
) -> Result<&'static str, SyntaxError> {
    match how {
        TextMeasure::Dimensions => dimensions(lexer, context.dimensions),
        TextMeasure::Initial => initial::initial(lexer, &context),
        TextMeasure::EntryParameters => listed(lexer, |all| entry_parameters(all, context.isa)),
        TextMeasure::FunctionParameters => listed(lexer, function_parameters),
        TextMeasure::Results => listed(lexer, results),
        TextMeasure::Items => items::items(lexer),
    }
}

fn dimensions(lexer: &mut Lexer<'_>, found: &mut Vec<Option<u64>>) -> Result<&'static str, SyntaxError> {
    found.clear();
    loop {
        lexer.blank();
        if !lexer.eat(b'[') {
            break;
        }
        lexer.blank();
        if lexer.peek() == Some(b']') {
            if !found.is_empty() {
                return Err(lexer.error("only the first dimension may be left open"));
            }
            found.push(None);
        } else {
            let at = lexer.at();
            let token = lexer.next().map_or("", |token| token.text);
            let Some(extent) = natural(token) else {
                return Err(SyntaxError { message: "expected a number of elements", at });
            };
            found.push(Some(extent));
            lexer.blank();
        }
        if !lexer.eat(b']') {
            return Err(lexer.error("expected `]`"));
        }
    }
    Ok(match found.as_slice() {
        [] => "none",
        [None] => "open",
        [None, rest @ ..] if rest.iter().all(|extent| *extent != Some(0)) => "open-several",
        [Some(0), rest @ ..] if rest.iter().all(|extent| *extent != Some(0)) => "zero",
        all if all.iter().flatten().any(|extent| *extent > u64::from(u32::MAX)) => "large",
        [Some(_)] => "one",
        all if all.contains(&Some(0)) => "zero-inside",
        _ => "several",
    })
}

/// Reads a list in parentheses, if there is one, and measures what is in it. What is wrong with one of the declarations is
/// said where it is read itself.
fn listed(
    lexer: &mut Lexer<'_>,
    measure: impl FnOnce(&[Declaration<'_>]) -> &'static str,
) -> Result<&'static str, SyntaxError> {
    lexer.blank();
    if !lexer.eat(b'(') {
        return Ok("none");
    }
    let inside = lexer.skip_until(|byte| byte == b';');
    if !lexer.eat(b')') {
        return Err(lexer.error("expected `)`"));
    }
    if Lexer::new(inside).next().is_none() {
        return Ok("empty");
    }
    Ok(measure(&parameters(inside).unwrap_or_default()))
}

fn entry_parameters(all: &[Declaration<'_>], isa: &Isa) -> &'static str {
    /// The most bytes that parameters may take, by the version.
    const LIMITS: [(u64, &str); 3] = [(256, "small"), (4352, "medium"), (32764, "large")];
    let mut bytes = 0_u64;
    for parameter in all {
        for (_, formal) in Formal::of(isa, parameter).unwrap_or_default() {
            let alignment = formal.alignment.max(1);
            bytes = bytes.div_ceil(alignment).saturating_mul(alignment).saturating_add(formal.bytes.unwrap_or(0));
        }
    }
    LIMITS.iter().find(|(limit, _)| bytes <= *limit).map_or("too-large", |(_, word)| word)
}

/// True if a parameter is an array that is left open.
fn open(parameter: &Declaration<'_>) -> bool {
    parameter.declarators().flatten().any(|name| name.array && name.elements.is_none())
}

/// True if a parameter is an array of no elements, which is as good as left open.
fn has_no_elements(parameter: &Declaration<'_>) -> bool {
    parameter.declarators().flatten().any(|name| name.array && name.elements == Some(0))
}

fn function_parameters(all: &[Declaration<'_>]) -> &'static str {
    match all.split_last() {
        Some((_, before)) if before.iter().any(|of| open(of) || has_no_elements(of)) => "open-before-others",
        Some((last, _)) if open(last) => "open-last",
        _ => "listed",
    }
}

fn results(all: &[Declaration<'_>]) -> &'static str {
    match all {
        all if all.iter().any(open) => "open",
        [] | [_] => "one",
        all if all.iter().all(|result| result.space == ".reg") => "several-in-registers",
        _ => "several-in-memory",
    }
}
