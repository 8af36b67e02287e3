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
        TextMeasure::EntryParameters => entry_parameters(lexer, context.isa),
        TextMeasure::FunctionParameters => function_parameters(lexer),
        TextMeasure::Results => results(lexer),
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
        [Some(_)] => "one",
        all if all.contains(&Some(0)) => "zero-inside",
        _ => "several",
    })
}

/// Reads parentheses; none if there are none.
fn parenthesized<'a>(lexer: &mut Lexer<'a>) -> Result<Option<&'a str>, SyntaxError> {
    lexer.blank();
    if !lexer.eat(b'(') {
        return Ok(None);
    }
    let inside = lexer.skip_until(|byte| byte == b';');
    if !lexer.eat(b')') {
        return Err(lexer.error("expected `)`"));
    }
    Ok(Some(inside))
}

fn is_blank(text: &str) -> bool {
    Lexer::new(text).next().is_none()
}

/// The parameters of a list; what is wrong with one of them is said where it is read itself.
fn listed(text: &str) -> Vec<Declaration<'_>> {
    parameters(text).unwrap_or_default()
}

fn entry_parameters(lexer: &mut Lexer<'_>, isa: &Isa) -> Result<&'static str, SyntaxError> {
    /// The most bytes that parameters may take, by the version.
    const LIMITS: [(u64, &str); 3] = [(256, "small"), (4352, "medium"), (32764, "large")];
    let Some(text) = parenthesized(lexer)? else { return Ok("none") };
    if is_blank(text) {
        return Ok("empty");
    }
    let mut bytes = 0_u64;
    for parameter in listed(text) {
        for (_, formal) in Formal::of(isa, &parameter).unwrap_or_default() {
            let alignment = formal.alignment.max(1);
            bytes = bytes.div_ceil(alignment).saturating_mul(alignment).saturating_add(formal.bytes.unwrap_or(0));
        }
    }
    Ok(LIMITS.iter().find(|(limit, _)| bytes <= *limit).map_or("too-large", |(_, word)| word))
}

/// True if a parameter is an array that is left open.
fn open(parameter: &Declaration<'_>) -> bool {
    parameter.declarators().flatten().any(|name| name.array && name.elements.is_none())
}

fn function_parameters(lexer: &mut Lexer<'_>) -> Result<&'static str, SyntaxError> {
    let Some(text) = parenthesized(lexer)? else { return Ok("none") };
    if is_blank(text) {
        return Ok("empty");
    }
    let all = listed(text);
    Ok(match all.split_last() {
        Some((_, before)) if before.iter().any(open) => "open-before-others",
        Some((last, _)) if open(last) => "open-last",
        _ => "listed",
    })
}

fn results(lexer: &mut Lexer<'_>) -> Result<&'static str, SyntaxError> {
    let Some(text) = parenthesized(lexer)? else { return Ok("none") };
    if is_blank(text) {
        return Ok("empty");
    }
    let all = listed(text);
    Ok(match all.as_slice() {
        all if all.iter().any(open) => "open",
        [] | [_] => "one",
        all if all.iter().all(|result| result.space == ".reg") => "several-in-registers",
        _ => "several-in-memory",
    })
}
