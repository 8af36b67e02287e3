//! The nearest valid line: what to change, and what that changes.

use super::ExplainedLine;
use super::parts::{head, unknown_modifiers};
use super::wording::accepted;
use crate::space::{Values, environment, twin};
use crate::spec::words::NONE;
use crate::spec::{Choice, Form, RuleKind, UNREAD};
use crate::text::{Line, range};
use crate::yaml::nearest;

/// How one choice of a line is changed. What is nearest to the line comes first: an edit of the modifiers may change what
/// the line means, and a module for another target is another module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineChange {
    /// The line is written as the syntax line has it: order, modifiers, operands.
    Writing,
    /// An operand is another.
    Operand,
    /// A modifier is left out.
    Dropped,
    /// A modifier is added.
    Added,
    /// A modifier takes the place of another.
    Replaced,
    /// The module is for another version or target.
    Environment,
}

impl LineChange {
    const NEAREST_FIRST: [Self; 6] =
        [Self::Writing, Self::Operand, Self::Dropped, Self::Added, Self::Replaced, Self::Environment];

    /// The change of an axis from one value to another.
    fn of(form: &Form, axis: usize, from: &[u8], to: &[u8]) -> Self {
        match form.axes[axis].choice {
            Choice::Writing => Self::Writing,
            choice if choice.is_of_environment() => Self::Environment,
            Choice::Modifier if form.value(to, axis) == NONE => Self::Dropped,
            Choice::Modifier if form.value(from, axis) == NONE => Self::Added,
            Choice::Modifier => Self::Replaced,
            _ => Self::Operand,
        }
    }
}

/// The change that makes a line valid; none if one change is not enough, and for a line that is too new for its environment:
/// it is right elsewhere.
pub(super) fn repair(case: &ExplainedLine<'_>, broken: usize) -> Option<String> {
    let rule = &case.form().rules[broken];
    if matches!(rule.kind, RuleKind::NeedsPtx(_) | RuleKind::NeedsTarget(_)) {
        return None;
    }
    let meant = if rule.name() == "unknown-modifier" { meant(case) } else { None };
    match meant {
        Some((modifier, Some(line))) => Some(format!("did you mean `{modifier}`? This is valid: `{line}`")),
        // That a valid line is near says more than that a word is.
        Some((modifier, None)) => change(case, broken).or_else(|| Some(format!("did you mean `{modifier}`?"))),
        None => change(case, broken),
    }
}

/// The nearest change of one choice that makes a line valid.
fn change(case: &ExplainedLine<'_>, broken: usize) -> Option<String> {
    let (form, values) = (case.form(), &case.reading.values);
    if values.contains(&UNREAD) {
        return None;
    }
    LineChange::NEAREST_FIRST.iter().find_map(|&change| {
        let changed = |to: &[u8]| (0..to.len()).find(|&axis| to[axis] != values[axis]);
        let is_such = |to: &[u8]| changed(to).is_some_and(|axis| LineChange::of(form, axis, values, to) == change);
        let twin = twin(form, values, broken, is_such)?;
        let axis = changed(&twin)?;
        let (before, after) = (form.value(values, axis), form.value(&twin, axis));
        let line = || rewritten(case, &twin);
        Some(match change {
            LineChange::Writing => format!("this is valid: `{}`", line()?),
            LineChange::Operand => format!("it is valid with {}", accepted(form, axis, after)),
            LineChange::Dropped => format!("this is valid, without `{before}`: `{}`", line()?),
            LineChange::Added => format!("this is valid, with `{after}`: `{}`", line()?),
            LineChange::Replaced => format!("this is valid, with `{after}` in place of `{before}`: `{}`", line()?),
            LineChange::Environment => format!("it is valid in {}", environment(form, &twin)),
        })
    })
}

/// The line with the modifiers of these values, if it is valid.
fn rewritten(case: &ExplainedLine<'_>, values: &Values) -> Option<String> {
    let form = case.form();
    let modifiers = form.slots.iter().map(|slot| form.value(values, slot.axis));
    let modifiers: String = modifiers.filter(|value| *value != NONE).collect();
    let head = head(case.text, case.line);
    let (before, after) = (&case.text[..head.start], &case.text[head.end..]);
    let better = format!("{before}{}{modifiers}{after}", form.opcode());
    let line = Line::parse(&better).ok()?;
    let is_valid = case.judge.read_as(case.instruction, &line, case.declarations).valid();
    is_valid.then(|| line.to_string())
}

/// The modifier that was meant by the first unknown one, with the line if it is valid so.
fn meant<'c>(case: &ExplainedLine<'c>) -> Option<(&'c str, Option<String>)> {
    let &unknown = unknown_modifiers(case.line, case.form()).first()?;
    let forms = std::iter::once(case.form()).chain(&case.instruction.forms);
    let values = forms.flat_map(|form| form.slots.iter().flat_map(|slot| form.axes[slot.axis].claimed_values()));
    let known: Vec<&str> = values.filter(|value| !case.line.modifiers.contains(value)).collect();
    let at = range(case.text, unknown);
    let before = case.line.modifiers.iter().map(|modifier| range(case.text, modifier)).find(|of| of.end == at.start);
    // `.L2.evict_first` is two words of one modifier.
    let joined = before.map(|before| before.start..at.end);
    let joined = joined.and_then(|at| {
        let same = |known: &&&str| letters(known).eq(letters(&case.text[at.clone()]));
        Some((*known.iter().find(same)?, at.clone()))
    });
    let (modifier, at) = joined.or_else(|| Some((nearest(unknown, known.iter().copied())?, at.clone())))?;
    let better = format!("{}{modifier}{}", &case.text[..at.start], &case.text[at.end..]);
    let line = Line::parse(&better).ok()?;
    let reading = case.judge.read_as(case.instruction, &line, case.declarations);
    Some((modifier, reading.valid().then(|| line.to_string())))
}

/// The letters and digits of a modifier, in lower case.
fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(char::is_ascii_alphanumeric).map(|of| of.to_ascii_lowercase())
}
