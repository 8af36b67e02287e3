//! Reads `asm` statements of C and what is derived from it.

use super::asm_statement::{AsmOperand, AsmStatement, AsmText, OperandKind, SkippedAsm, TemplateStyle, constrained};
use super::brackets::{closing, is_sign, split};
use super::joined::{CONDITIONS, CONSTRAINTS, joined};
use super::mapped_text::MappedText;
use super::source_token::{SourceToken, SourceTokenKind};
use super::strings::NamedStrings;

/// The words that begin a statement.
const KEYWORDS: [&str; 3] = ["asm", "__asm", "__asm__"];
/// How many words may stand between `asm` and its parenthesis.
const QUALIFIERS: usize = 3;

/// The statement with which the tokens begin, and how many of them it has.
pub(super) fn read(text: &MappedText, tokens: &[SourceToken], strings: &NamedStrings) -> Option<(AsmStatement, usize)> {
    let word = |token: &SourceToken| &text.text()[token.at.clone()];
    if !KEYWORDS.contains(&word(tokens.first()?)) {
        return None;
    }
    let qualifiers = tokens[1..].iter().take_while(|token| matches!(token.kind, SourceTokenKind::Word)).count();
    let open = 1 + qualifiers;
    if qualifiers > QUALIFIERS || !is_sign(tokens.get(open), b'(') {
        return None;
    }
    let close = open + closing(&tokens[open..])?;
    let inside = &tokens[open + 1..close];
    let at = text.file_range(tokens[0].at.start..tokens[close].at.end);
    Some((AsmStatement { at, read: inner(text, inside, strings) }, close + 1))
}

fn inner(text: &MappedText, inside: &[SourceToken], strings: &NamedStrings) -> Result<AsmText, SkippedAsm> {
    let directive = inside.iter().find(|token| matches!(token.kind, SourceTokenKind::Directive));
    if let Some(directive) = directive {
        return Err(SkippedAsm::new(CONDITIONS, text.text()[directive.at.clone()].trim()));
    }
    let mut sections = split(inside, b':').into_iter();
    let template = joined(text, sections.next().unwrap_or_default(), strings, "")?;
    let mut operands = Vec::new();
    for section in sections.by_ref().take(2).filter(|section| !section.is_empty()) {
        for written in split(section, b',') {
            let operand = operand(text, written, strings, &operands)?;
            operands.push(operand);
        }
    }
    // A register of another machine is named as one that is changed.
    for clobbered in sections.take(1).flat_map(|section| section.iter()) {
        if let SourceTokenKind::Text(name) = &clobbered.kind
            && name.text() != "memory"
            && name.text() != "volatile"
        {
            operands.push(AsmOperand { name: None, kind: OperandKind::Foreign });
        }
    }
    Ok(AsmText { template, style: TemplateStyle::Percent, operands })
}

/// One operand: `[name] "=r"(value)`.
fn operand(
    text: &MappedText,
    written: &[SourceToken],
    strings: &NamedStrings,
    before: &[AsmOperand],
) -> Result<AsmOperand, SkippedAsm> {
    let shown = |tokens: &[SourceToken]| match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => text.text()[first.at.start..last.at.end].to_owned(),
        _ => String::new(),
    };
    let unread = || SkippedAsm::new(CONSTRAINTS, shown(written));
    let (name, rest) = match is_sign(written.first(), b'[') {
        true => (Some(shown(written.get(1..2).unwrap_or_default())), written.get(3..).unwrap_or_default()),
        false => (None, written),
    };
    let value = rest.iter().position(|token| matches!(token.kind, SourceTokenKind::Sign(_))).ok_or_else(unread)?;
    if value == 0 || !is_sign(rest.get(value), b'(') {
        return Err(unread());
    }
    if pointer(text, &rest[..value], strings) {
        return Ok(AsmOperand { name, kind: OperandKind::Pointer });
    }
    let constraint = joined(text, &rest[..value], strings, "")?;
    let inside = rest.get(value + 1..rest.len().saturating_sub(1)).unwrap_or_default();
    let value = Some(shown(inside)).filter(|value| is_number(value));
    Ok(AsmOperand { name, kind: constrained(constraint.text(), value, before) })
}

/// True if a constraint is a macro for a pointer: a register of 64 bits here and of 32 bits there.
fn pointer(text: &MappedText, constraint: &[SourceToken], strings: &NamedStrings) -> bool {
    let [SourceToken { kind: SourceTokenKind::Word, at }] = constraint else { return false };
    let has = |letter: &str| strings.all(&text.text()[at.clone()]).any(|value| value == letter);
    has("l") && has("r") && strings.all(&text.text()[at.clone()]).all(|value| matches!(value, "l" | "r"))
}

/// True for a number without letters of its type.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let all = |text: &str, is: fn(&u8) -> bool| !text.is_empty() && text.as_bytes().iter().all(is);
    all(digits, u8::is_ascii_digit) || hexadecimal.is_some_and(|digits| all(digits, u8::is_ascii_hexdigit))
}
