//! Which parts of a line break a rule.

use std::ops::Range;

use super::wording::label;
use crate::judge::arguments;
use crate::plural::counted;
use crate::spec::words::NONE;
use crate::spec::{Choice, Form, Pattern, Rule, RuleKind};
use crate::text::{Argument, Declarations, Line, OperandText, range};

/// A part of a line, in bytes, and what it is.
pub type Passage = (Range<usize>, String);

/// The parts of a line that make the choices for which a rule is broken.
pub(super) fn parts(
    text: &str,
    line: &Line<'_>,
    form: &Form,
    values: &[u8],
    rule: &Rule,
    known: &Declarations,
) -> Vec<Passage> {
    let faults = match rule.name() {
        "duplicate-modifier" => surplus(text, line, form, values),
        "unknown-modifier" => unknown(text, line, form),
        "modifier-order" => vec![(modifiers(text, line), "wrong order".to_owned())],
        "operands" => vec![(operands(text, line), fault_of_all(line, form))],
        "guard" => line.guard.iter().map(|(_, name)| (range(text, name), "not a predicate".to_owned())).collect(),
        _ if rule.forbids.is_empty() => vec![(operands(text, line), String::new())],
        _ => chosen(text, line, form, values, rule, known),
    };
    if faults.is_empty() { vec![(opcode(text, line), String::new())] } else { faults }
}

/// The parts of a text that is a line with these values, which break a rule; without a rule, those that make the
/// choices on these axes. Empty if the text is not a line.
pub fn passages(text: &str, form: &Form, values: &[u8], rule: Option<&Rule>, axes: &[usize]) -> Vec<Passage> {
    let Ok(line) = Line::parse(text) else { return Vec::new() };
    if let Some(rule) = rule {
        return parts(text, &line, form, values, rule, &Declarations::default());
    }
    let mut found: Vec<Passage> = Vec::new();
    for &axis in axes {
        let Some(range) = span(text, &line, form, values, axis).filter(|range| !range.is_empty()) else { continue };
        if !found.iter().any(|(known, _)| *known == range) {
            found.push((range, format!("{}: {}", form.axes[axis].name, form.value(values, axis))));
        }
    }
    found
}

/// The choices that one forbidden combination names.
fn chosen(text: &str, line: &Line<'_>, form: &Form, values: &[u8], rule: &Rule, known: &Declarations) -> Vec<Passage> {
    let broken = rule.forbids.iter().find(|cube| cube.contains(values));
    // The elements of one operand can differ, but the values describe only one of them: so all operands
    // that the rule names are shown.
    let axes: Vec<usize> = match broken {
        Some(cube) => cube.sets().iter().map(|(axis, _)| *axis).collect(),
        None => {
            let mut axes: Vec<usize> =
                rule.forbids.iter().flat_map(|cube| cube.sets()).map(|(axis, _)| *axis).collect();
            axes.retain(|axis| matches!(form.axes[*axis].choice, Choice::Type(_)));
            axes.sort_unstable();
            axes.dedup();
            axes
        }
    };
    let mut parts: Vec<Passage> = Vec::new();
    for axis in axes {
        let Some(span) = span(text, line, form, values, axis) else { continue };
        let label = match (broken, form.value(values, axis)) {
            (None, _) => format!("{}: one of these", form.axes[axis].name),
            (Some(_), NONE) if rule.name().ends_with("-required") => "missing here".to_owned(),
            (Some(_), _) => {
                let argument = form.axes[axis].choice.operand().and_then(|at| argument(form, values, line, at));
                label(form, values, axis, argument, known)
            }
        };
        match parts.iter_mut().find(|(known, _)| *known == span) {
            Some((_, labels)) => *labels = format!("{labels}, {label}"),
            None => parts.push((span, label)),
        }
    }
    if let (RuleKind::NeedsPtx(_) | RuleKind::NeedsTarget(_), [(_, label)]) = (&rule.kind, parts.as_mut_slice()) {
        *label = format!("this {}", rule.kind);
    }
    parts
}

/// The part of a line that makes the choice of an axis; `None` if no part does, as for the environment.
fn span(text: &str, line: &Line<'_>, form: &Form, values: &[u8], axis: usize) -> Option<Range<usize>> {
    match form.axes[axis].choice {
        Choice::Guard => line.guard.map(|(_, name)| range(text, name)),
        Choice::Modifier => {
            let value = form.value(values, axis);
            let found = line.modifiers.iter().find(|modifier| **modifier == value);
            let end = head(text, line).end;
            Some(found.map_or(end..end, |modifier| range(text, modifier)))
        }
        choice => {
            let at = choice.operand()?;
            Some(operand(text, line, form, values, at).unwrap_or_else(|| operands(text, line)))
        }
    }
}

/// The position of an operand of the form in the line.
fn operand(text: &str, line: &Line<'_>, form: &Form, values: &[u8], at: usize) -> Option<Range<usize>> {
    let argument = argument(form, values, line, at)?;
    let whole = line.operands.iter().find(|written| std::ptr::eq(&written.argument, argument));
    match whole {
        Some(written) => Some(range(text, written.text.trim_end())),
        None => extent(text, argument),
    }
}

/// The argument of an operand of the form.
fn argument<'l, 'a>(form: &Form, values: &[u8], line: &'l Line<'a>, at: usize) -> Option<&'l Argument<'a>> {
    Some(arguments(form, values, line).into_iter().find(|bound| bound.operand == at)?.argument)
}

/// The fault of the operands as a whole: their number, or how they are enclosed.
fn fault_of_all(line: &Line<'_>, form: &Form) -> String {
    let in_parentheses = |operand: &&OperandText<'_>| matches!(operand.argument, Argument::List(_));
    let is_optional = |part: &&Pattern| part.operands().iter().all(|&at| form.operands[at].optional);
    let (has, most) = (line.operands.len(), form.pattern.len());
    let least = most - form.pattern.iter().filter(is_optional).count();
    let wanted = if least == most { most.to_string() } else { format!("{least} to {most}") };
    match line.operands.iter().find(in_parentheses) {
        _ if !(least..=most).contains(&has) => format!("{}; the syntax line has {wanted}", counted(has, "operand")),
        Some(of) => format!("`{}` is in parentheses", of.text.trim()),
        None => "the syntax line has other brackets or braces".to_owned(),
    }
}

/// From the first to the last name in an argument.
fn extent(text: &str, argument: &Argument<'_>) -> Option<Range<usize>> {
    match argument {
        Argument::Name(name) | Argument::Sum(name, ..) | Argument::Element(name, ..) | Argument::Signed(_, name) => {
            Some(range(text, name))
        }
        Argument::Tuple(elements) | Argument::Bracket(elements) | Argument::List(elements) => {
            let mut extents = elements.iter().filter_map(|element| extent(text, element));
            let first = extents.next()?;
            Some(extents.fold(first, |all, next| all.start..next.end))
        }
        _ => None,
    }
}

/// Modifiers that no slot of the form takes.
fn unknown(text: &str, line: &Line<'_>, form: &Form) -> Vec<Passage> {
    let unknown = unknown_modifiers(line, form).into_iter();
    unknown.map(|modifier| (range(text, modifier), "not in the syntax line".to_owned())).collect()
}

/// The modifiers that no slot of the form takes.
pub(super) fn unknown_modifiers<'a>(line: &Line<'a>, form: &Form) -> Vec<&'a str> {
    unnamed(line, form).filter(|modifier| !known(form, modifier)).copied().collect()
}

/// The modifiers that are no part of the instruction's name.
fn unnamed<'l, 'a>(line: &'l Line<'a>, form: &Form) -> impl Iterator<Item = &'l &'a str> {
    line.modifiers.iter().skip(form.opcode().matches('.').count())
}

fn known(form: &Form, modifier: &str) -> bool {
    form.slots.iter().any(|slot| form.axes[slot.axis].position(modifier).is_some())
}

/// Modifiers for which no slot is left.
fn surplus(text: &str, line: &Line<'_>, form: &Form, values: &[u8]) -> Vec<Passage> {
    let mut left: Vec<&str> = form.slots.iter().map(|slot| form.value(values, slot.axis)).collect();
    let mut parts = Vec::new();
    for modifier in unnamed(line, form) {
        match left.iter().position(|value| value == modifier) {
            Some(at) => drop(left.swap_remove(at)),
            None if known(form, modifier) => parts.push((range(text, modifier), "its slot is already used".to_owned())),
            None => {}
        }
    }
    parts
}

fn opcode(text: &str, line: &Line<'_>) -> Range<usize> {
    range(text, line.opcode)
}

/// The opcode with its modifiers.
pub(super) fn head(text: &str, line: &Line<'_>) -> Range<usize> {
    let opcode = opcode(text, line);
    let end = line.modifiers.last().map_or(opcode.end, |modifier| range(text, modifier).end);
    opcode.start..end
}

fn modifiers(text: &str, line: &Line<'_>) -> Range<usize> {
    opcode(text, line).end..head(text, line).end
}

/// All operands; for a line without operands, the end of the modifiers.
fn operands(text: &str, line: &Line<'_>) -> Range<usize> {
    let end = head(text, line).end;
    match (line.operands.first(), line.operands.last()) {
        (Some(first), Some(last)) => range(text, first.text).start..range(text, last.text.trim_end()).end,
        _ => end..end,
    }
}
