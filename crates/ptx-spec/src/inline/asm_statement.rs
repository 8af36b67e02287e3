//! Statements of inline assembly, as they were found.

use std::ops::Range;

use super::mapped_text::MappedText;

/// A statement of inline assembly in a source file.
#[derive(Clone, Debug)]
pub(super) struct AsmStatement {
    /// Its bytes in the file.
    pub(super) at: Range<usize>,
    /// Its text with its operands, or the reason why it is not read.
    pub(super) read: Result<AsmText, SkippedAsm>,
}

/// The reason why a statement is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SkippedAsm {
    /// The reason, in words that many statements share.
    pub(super) because: &'static str,
    /// The part of it that is to blame; may be empty.
    pub(super) what: String,
}

impl SkippedAsm {
    pub(super) fn new(because: &'static str, what: impl Into<String>) -> Self {
        Self { because, what: what.into() }
    }
}

/// The text of a statement as it is written, and its operands.
#[derive(Clone, Debug)]
pub(super) struct AsmText {
    /// The text before its operands are put into it.
    pub(super) template: MappedText,
    pub(super) style: TemplateStyle,
    pub(super) operands: Vec<AsmOperand>,
}

/// How a text names its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TemplateStyle {
    /// `%0`, `%[name]`, and `%%` for a percent sign.
    Percent,
    /// `$0`, `${0}`, and `$$` for a dollar sign.
    Dollar,
    /// `{0}`, `{name}`, `{}`, and `{{` for a brace.
    Brace,
}

/// An operand of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AsmOperand {
    pub(super) name: Option<String>,
    pub(super) kind: OperandKind,
}

/// The kind of an operand in PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OperandKind {
    /// A register of this type.
    Register(&'static str),
    /// A register as wide as an address.
    Pointer,
    /// A constant, with its text if that is known.
    Constant(Option<String>),
    /// A text that becomes part of the statement.
    Inserted,
    /// Something of another machine.
    Foreign,
}

/// The operand that constraints demand; `before` are those before it.
pub(super) fn constrained(constraint: &str, value: Option<String>, before: &[AsmOperand]) -> OperandKind {
    let letters = constraint.trim().trim_start_matches(['=', '+', '&', '%', ' ']);
    if let Ok(number) = letters.parse::<usize>() {
        return before.get(number).map_or(OperandKind::Foreign, |operand| operand.kind.clone());
    }
    OperandKind::Register(match letters {
        "b" => ".pred",
        "c" | "h" => ".b16",
        "r" => ".b32",
        "l" | "N" => ".b64",
        "q" => ".b128",
        "f" => ".f32",
        "d" => ".f64",
        "n" | "i" | "in" | "ni" => return OperandKind::Constant(value),
        "C" => return OperandKind::Inserted,
        // One of several: a register takes all of them.
        "rn" | "nr" | "ri" | "ir" => ".b32",
        "ln" | "nl" | "li" | "il" => ".b64",
        _ => return OperandKind::Foreign,
    })
}

/// The operands of a list of constraints such as `=r,r,~{memory}`; none if it is no such list.
pub(super) fn constraint_list(list: &str) -> Option<Vec<AsmOperand>> {
    let mut operands = Vec::new();
    if list.trim().is_empty() {
        return Some(operands);
    }
    for constraint in list.split(',').map(str::trim) {
        if constraint.starts_with("~{") && constraint.ends_with('}') {
            continue;
        }
        let letters = constraint.trim_start_matches(['=', '+', '&', '*']);
        let register = letters.starts_with('{') && letters.ends_with('}');
        let short =
            !letters.is_empty() && letters.len() <= 3 && letters.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !register && !short {
            return None;
        }
        let kind = constrained(constraint, None, &operands);
        operands.push(AsmOperand { name: None, kind });
    }
    Some(operands)
}
