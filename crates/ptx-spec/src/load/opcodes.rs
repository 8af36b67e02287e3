//! Pages that describe several opcodes: one file, from which each gets its instruction.

use super::raw::{RawExample, RawInstruction};
use crate::text::Line;

/// The instruction of each opcode of a file. The syntax lines are those of the first one; an example belongs to the opcode
/// that it begins with, and one of any other opcode to the first.
pub(super) fn each(raw: &RawInstruction) -> Vec<RawInstruction> {
    let first = &raw.instruction.value;
    let is_of = |example: &RawExample, name: &str| name.split('.').next() == Line::opcode_of(&example.line.value);
    let another = |example: &RawExample| raw.also.iter().any(|name| is_of(example, &name.value));
    let mut all = vec![raw.clone()];
    all[0].examples.lines.retain(|example| !another(example));
    for name in &raw.also {
        let mut other = raw.clone();
        other.instruction.value.clone_from(&name.value);
        for form in &mut other.forms {
            if let Some(rest) = form.syntax.value.strip_prefix(first.as_str()) {
                form.syntax.value = format!("{}{rest}", name.value);
            }
        }
        for example in &mut other.examples.lines {
            for rule in &mut example.rules {
                if let Some(rest) = rule.value.strip_prefix(first.as_str()).filter(|rest| rest.starts_with('/')) {
                    rule.value = format!("{}{rest}", name.value);
                }
            }
        }
        other.examples.lines.retain(|example| is_of(example, &name.value));
        all.push(other);
    }
    all
}
