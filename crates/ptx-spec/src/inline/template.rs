//! Puts operands into the text of a statement.

use std::ops::Range;

use super::asm_statement::{AsmOperand, AsmText, OperandKind, TemplateStyle};
use super::mapped_text::MappedText;

/// A reference to an operand that a statement does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MissingOperand {
    /// The reference as it is written.
    pub(super) written: String,
    /// Its bytes in the file.
    pub(super) at: Range<usize>,
}

/// A part of a text with operands.
enum TemplatePart {
    /// Text that stays: its length in bytes.
    Kept(usize),
    /// Text that another takes the place of, and its length in bytes.
    Instead(&'static str, usize),
    /// A reference to an operand: its number, and the length of the reference in bytes.
    Operand(Option<usize>, usize),
}

/// The name of an operand that is a register.
pub(super) fn register_name(style: TemplateStyle, number: usize) -> String {
    let sign = if style == TemplateStyle::Dollar { '$' } else { '%' };
    format!("{sign}{number}")
}

/// The text with its operands, where those that are constants have these values, and the references to none.
pub(super) fn filled(of: &AsmText, constants: &[String]) -> (MappedText, Vec<MissingOperand>) {
    let template = of.template.text();
    let (mut all, mut missing) = (MappedText::default(), Vec::new());
    let (mut at, mut next) = (0, 0);
    while at < template.len() {
        let (text, length) = match part(of, &template[at..], &mut next) {
            TemplatePart::Kept(length) => {
                all.push_part(&of.template, at..at + length);
                at += length;
                continue;
            }
            TemplatePart::Instead(text, length) => (text.to_owned(), length),
            TemplatePart::Operand(number, length) => {
                let operand = number.and_then(|number| Some((number, of.operands.get(number)?)));
                let name = |number| register_name(of.style, number);
                let text = match operand {
                    Some((number, operand)) if operand.kind == OperandKind::Constant(None) => {
                        constants.get(number).cloned().unwrap_or_default()
                    }
                    Some((number, operand)) => match &operand.kind {
                        OperandKind::Constant(Some(value)) => value.clone(),
                        _ => name(number),
                    },
                    None => {
                        let written = template[at..at + length].to_owned();
                        missing.push(MissingOperand {
                            written: written.clone(),
                            at: of.template.file_range(at..at + length),
                        });
                        written
                    }
                };
                (text, length)
            }
        };
        all.push(&text, of.template.file_range(at..at + length));
        at += length;
    }
    (all, missing)
}

/// The part with which a text begins. `next` is the operand of the next `{}`.
fn part(of: &AsmText, rest: &str, next: &mut usize) -> TemplatePart {
    let kept = || TemplatePart::Kept(rest.chars().next().map_or(1, char::len_utf8));
    let named = |name: &str| match name.parse() {
        Ok(number) => Some(number),
        Err(_) => of.operands.iter().position(|operand| operand.name.as_deref() == Some(name)),
    };
    let sign = match of.style {
        TemplateStyle::Percent => '%',
        TemplateStyle::Dollar => '$',
        TemplateStyle::Brace => {
            return match rest.as_bytes()[0] {
                b'{' if rest.starts_with("{{") => TemplatePart::Instead("{", 2),
                b'}' if rest.starts_with("}}") => TemplatePart::Instead("}", 2),
                b'{' => match rest.find('}') {
                    Some(end) => {
                        let name = rest[1..end].split(':').next().unwrap_or_default();
                        let number =
                            if name.is_empty() { Some(std::mem::replace(next, *next + 1)) } else { named(name) };
                        TemplatePart::Operand(number, end + 1)
                    }
                    None => kept(),
                },
                _ => kept(),
            };
        }
    };
    let Some(after) = rest.strip_prefix(sign) else { return kept() };
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    let bracketed = |open: char, close: char| {
        let inside = after.strip_prefix(open)?;
        inside.find(close).map(|end| (&inside[..end], end + 3))
    };
    let bracket = if sign == '%' { bracketed('[', ']') } else { bracketed('{', '}') };
    match bracket {
        // A number that differs from statement to statement.
        Some((name, length)) if name.starts_with(':') => TemplatePart::Instead("0", length),
        Some((name, length)) => TemplatePart::Operand(named(name.split(':').next().unwrap_or_default()), length),
        None if after.starts_with(sign) => TemplatePart::Instead(if sign == '%' { "%" } else { "$" }, 2),
        None if sign == '%' && after.starts_with('=') => TemplatePart::Instead("0", 2),
        // Without operands, a statement of C stays as it is.
        None if digits > 0 && (sign == '$' || !of.operands.is_empty()) => {
            TemplatePart::Operand(after[..digits].parse().ok(), 1 + digits)
        }
        None => kept(),
    }
}

/// The operands that a text without constraints refers to, as registers: first those with numbers, then those with names.
pub(super) fn referenced(text: &str, style: TemplateStyle) -> Vec<AsmOperand> {
    let (sign, brackets) = match style {
        TemplateStyle::Percent => ('%', ('[', ']')),
        TemplateStyle::Dollar => ('$', ('{', '}')),
        TemplateStyle::Brace => ('{', ('{', '}')),
    };
    let (mut numbers, mut next, mut names) = (0, 0, Vec::new());
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(sign) {
        rest = after;
        if let Some(doubled) = after.strip_prefix(sign) {
            rest = doubled;
            continue;
        }
        let inside = match style {
            TemplateStyle::Brace => after.split_once(brackets.1).map(|(inside, _)| inside),
            _ => {
                after.strip_prefix(brackets.0).and_then(|after| after.split_once(brackets.1)).map(|(inside, _)| inside)
            }
        };
        let digits = &after[..after.bytes().take_while(u8::is_ascii_digit).count()];
        let name = match inside {
            Some(inside) => inside.split(':').next().unwrap_or_default(),
            None if digits.is_empty() => continue,
            None => digits,
        };
        let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        match name.parse::<usize>() {
            Ok(number) if number < OPERANDS => numbers = numbers.max(number + 1),
            _ if name.is_empty() && style == TemplateStyle::Brace => {
                next += 1;
                numbers = numbers.max(next);
            }
            _ if is_word && !name.is_empty() && !names.contains(&name) => names.push(name),
            _ => {}
        }
    }
    let kind = OperandKind::Register(".b32");
    let numbered = (0..numbers).map(|_| None);
    let all = numbered.chain(names.into_iter().map(|name| Some(name.to_owned())));
    all.map(|name| AsmOperand { name, kind: kind.clone() }).collect()
}

/// More operands than any statement has.
const OPERANDS: usize = 1_000;
