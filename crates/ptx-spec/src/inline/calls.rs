//! Reads inline assembly that is written as a call: of Python, Julia and Rust.

use super::asm_statement::{
    AsmOperand, AsmStatement, AsmText, OperandKind, SkippedAsm, TemplateStyle, constraint_list,
};
use super::brackets::{closing, is_sign, split};
use super::joined::{CONSTRAINTS, RUN_TIME, joined};
use super::language::SourceLanguage;
use super::mapped_text::MappedText;
use super::source_token::{SourceToken, SourceTokenKind};
use super::strings::NamedStrings;

/// Parts of the names of functions of Python that take inline assembly, without underscores.
const FUNCTIONS: [&str; 2] = ["inlineasm", "inlineptx"];
/// The macro of Julia that takes inline assembly.
const MACRO: &str = "asmcall";
/// The macros of Rust that take inline assembly.
const MACROS: [&str; 3] = ["asm", "global_asm", "naked_asm"];
/// The registers of Rust for PTX, and their types.
const CLASSES: [(&str, &str); 3] = [("reg16", ".b16"), ("reg32", ".b32"), ("reg64", ".b64")];

/// An argument of a call.
struct CallArgument<'t> {
    /// Its name, if it is given one; empty if not.
    name: String,
    value: &'t [SourceToken],
}

/// The call with which the tokens begin, and how many of them it has.
pub(super) fn read(
    text: &MappedText,
    before: Option<&SourceToken>,
    tokens: &[SourceToken],
    strings: &NamedStrings,
    language: SourceLanguage,
) -> Option<(AsmStatement, usize)> {
    let name = tokens.first()?;
    let word = &text.text()[name.at.clone()];
    let defined = before.is_some_and(|before| matches!(&text.text()[before.at.clone()], "def" | "class" | "macro"));
    let known = match language {
        SourceLanguage::Julia => word == MACRO && is_sign(before, b'@'),
        _ => FUNCTIONS.iter().any(|function| word.to_ascii_lowercase().replace('_', "").contains(function)),
    };
    if !known || defined {
        return None;
    }
    let (arguments, close): (Vec<&[SourceToken]>, usize) = match is_sign(tokens.get(1), b'(') {
        true => {
            let close = 1 + closing(&tokens[1..])?;
            (split(&tokens[2..close], b','), close)
        }
        // `@asmcall "..." "..." Cvoid`
        false if language == SourceLanguage::Julia => {
            let strings = tokens[1..].iter().take_while(|token| matches!(token.kind, SourceTokenKind::Text(_))).count();
            (tokens[1..=strings].chunks(1).collect(), strings)
        }
        false => return None,
    };
    let named = |value: &'_ [SourceToken]| -> String {
        match value {
            [name, sign, next, ..] if is_sign(Some(sign), b'=') && !is_sign(Some(next), b'=') => {
                text.text()[name.at.clone()].to_owned()
            }
            _ => String::new(),
        }
    };
    let arguments = arguments.into_iter().map(|value| {
        let name = named(value);
        CallArgument { value: if name.is_empty() { value } else { &value[2..] }, name }
    });
    let at = text.file_range(name.at.start..tokens[close].at.end);
    Some((AsmStatement { at, read: of_arguments(text, arguments, strings)? }, close + 1))
}

/// The statement of a call; none if it has no argument that can be a text.
fn of_arguments<'t>(
    text: &MappedText,
    arguments: impl Iterator<Item = CallArgument<'t>>,
    strings: &NamedStrings,
) -> Option<Result<AsmText, SkippedAsm>> {
    let (mut template, mut constraints) = (None, None);
    for CallArgument { name, value } in arguments {
        let value = match is_sign(value.first(), b'(') && closing(value) == Some(value.len() - 1) {
            true => &value[1..value.len() - 1],
            false => value,
        };
        let word = |token: &SourceToken| &text.text()[token.at.clone()];
        let variable = matches!(value, [token] if strings.value(word(token), token.at.start).is_some());
        let begins = value.first().is_some_and(|token| matches!(token.kind, SourceTokenKind::Text(_)));
        let named = |of: &[&str]| of.iter().any(|part| name.contains(part));
        if !begins && !variable && !named(&["asm", "ptx", "constraint"]) {
            continue;
        }
        let read = match value {
            _ if begins || variable => joined(text, value, strings, ""),
            _ => Err(SkippedAsm::new(RUN_TIME, "")),
        };
        let list = read.as_ref().ok().and_then(|read| constraint_list(read.text()));
        if named(&["constraint"]) || name.is_empty() && list.is_some() && template.is_some() {
            constraints.get_or_insert(list.ok_or_else(|| SkippedAsm::new(CONSTRAINTS, "")));
        } else if name.is_empty() && list.is_some_and(|list| !list.is_empty()) {
            // The text was no string.
            template.get_or_insert(Err(SkippedAsm::new(RUN_TIME, "")));
        } else if name.is_empty() || named(&["asm", "ptx", "code"]) {
            template.get_or_insert(read);
        }
    }
    let template = template.unwrap_or_else(|| Err(SkippedAsm::new(RUN_TIME, "")));
    let constraints = constraints.unwrap_or_else(|| Err(SkippedAsm::new(CONSTRAINTS, "")));
    Some(template.and_then(|template| Ok(AsmText { template, style: TemplateStyle::Dollar, operands: constraints? })))
}

/// The macro call of Rust with which the tokens begin, and how many of them it has.
pub(super) fn of_rust(text: &MappedText, tokens: &[SourceToken]) -> Option<(AsmStatement, usize)> {
    let word = |token: &SourceToken| &text.text()[token.at.clone()];
    let called = MACROS.contains(&word(tokens.first()?)) && is_sign(tokens.get(1), b'!');
    if !called || !matches!(tokens.get(2)?.kind, SourceTokenKind::Sign(b'(' | b'{' | b'[')) {
        return None;
    }
    let close = 2 + closing(&tokens[2..])?;
    let at = text.file_range(tokens[0].at.start..tokens[close].at.end);
    let mut arguments: Vec<&[SourceToken]> = split(&tokens[3..close], b',');
    arguments.retain(|argument| !argument.is_empty());
    let is_text = |argument: &&&[SourceToken]| {
        argument.first().is_some_and(|token| matches!(token.kind, SourceTokenKind::Text(_)))
    };
    let texts = arguments.iter().take_while(is_text).count();
    let operands: Vec<AsmOperand> = arguments[texts..].iter().filter_map(|tokens| rust_operand(text, tokens)).collect();
    let lines: Vec<SourceToken> = arguments[..texts].iter().flat_map(|argument| argument.iter().cloned()).collect();
    let read = match texts {
        0 => Err(SkippedAsm::new(RUN_TIME, arguments.first().map_or("", |argument| word(&argument[0])))),
        _ => joined(text, &lines, &NamedStrings::default(), "\n"),
    };
    let read = read.map(|template| AsmText { template, style: TemplateStyle::Brace, operands });
    Some((AsmStatement { at, read }, close + 1))
}

/// An operand: `name = inout(reg32) x`; none if the argument is an option.
fn rust_operand(text: &MappedText, tokens: &[SourceToken]) -> Option<AsmOperand> {
    let word = |token: Option<&SourceToken>| token.map_or("", |token| &text.text()[token.at.clone()]);
    let (name, rest) = match is_sign(tokens.get(1), b'=') {
        true => (Some(word(tokens.first()).to_owned()), &tokens[2..]),
        false => (None, tokens),
    };
    let kind = match word(rest.first()) {
        "in" | "out" | "inout" | "lateout" | "inlateout" => {
            let class = word(rest.get(2));
            CLASSES
                .iter()
                .find(|(known, _)| *known == class)
                .map_or(OperandKind::Foreign, |(_, of)| OperandKind::Register(of))
        }
        "const" => {
            let number = (rest.len() == 2).then(|| word(rest.get(1)).to_owned());
            OperandKind::Constant(number.filter(|number| number.bytes().all(|byte| byte.is_ascii_digit())))
        }
        "sym" | "label" => OperandKind::Inserted,
        _ => return None,
    };
    Some(AsmOperand { name, kind })
}
