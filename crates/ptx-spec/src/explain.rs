//! The explanation of a broken rule: the parts of the text that break it, who says so, and the nearest valid line.

mod parts;

use std::ops::Range;

use crate::environment::Environment;
use crate::judge::{Judge, Reading};
use crate::print::print_variant;
use crate::space::{Values, environment, twin};
use crate::spec::{Choice, Form, Instruction, Rule, RuleKind, Source, UNREAD};
use crate::text::{Declarations, Line};

pub use parts::{Passage, passages};

/// A line, and everything known about it.
#[derive(Clone, Copy, Debug)]
pub struct ExplainedLine<'a> {
    /// The text that it was read from.
    pub text: &'a str,
    /// The line.
    pub line: &'a Line<'a>,
    /// The judge of its environment.
    pub judge: &'a Judge<'a>,
    /// The names that it can use.
    pub declarations: &'a Declarations,
    /// Where it is judged.
    pub environment: Environment,
    /// The instruction that it is a line of.
    pub instruction: &'a Instruction,
    /// The form that explains it best, and the rules that it breaks.
    pub reading: &'a Reading,
}

impl<'a> ExplainedLine<'a> {
    /// The form that it is a line of.
    pub fn form(&self) -> &'a Form {
        &self.instruction.forms[self.reading.form]
    }

    /// The parts of the text that break a rule, by its position in the form.
    pub fn parts(&self, broken: usize) -> Vec<Passage> {
        let form = self.form();
        parts::parts(self.text, self.line, form, &self.reading.values, &form.rules[broken])
    }

    /// The bytes of the opcode with its modifiers.
    pub fn head(&self) -> Range<usize> {
        parts::head(self.text, self.line)
    }

    /// The need of a rule about versions or targets, and the environment that the line has.
    pub fn needs(&self, rule: &Rule) -> Option<String> {
        let needs = matches!(rule.kind, RuleKind::NeedsPtx(_) | RuleKind::NeedsTarget(_));
        needs.then(|| format!("it {}; judged in {}", rule.kind, self.environment))
    }

    /// Where a rule comes from.
    pub fn source(&self, rule: &Rule) -> String {
        let form = self.form();
        match (rule.source, &rule.section) {
            (Source::Manual, Some(section)) => format!("the manual, under `{section}`: {}", form.page()),
            (Source::Manual, None) => format!("the manual, syntax of `{}`: {}", form.id, form.page()),
            (Source::Observed, _) => {
                "observed: the manual is silent; every implementation examined does this".to_owned()
            }
        }
    }

    /// A valid line that differs in one choice; none for a line that is too new for its environment, which is right
    /// elsewhere.
    pub fn instead(&self, broken: usize) -> Option<String> {
        let (form, values) = (self.form(), &self.reading.values);
        if values.contains(&UNREAD)
            || matches!(form.rules[broken].kind, RuleKind::NeedsPtx(_) | RuleKind::NeedsTarget(_))
        {
            return None;
        }
        let twin = twin(form, values, broken, |_| true)?;
        let changed = (0..twin.len()).find(|&axis| twin[axis] != values[axis])?;
        let axis = &form.axes[changed];
        match axis.choice {
            choice if choice.is_of_environment() => Some(format!("it is valid in {}", environment(form, &twin))),
            Choice::Modifier | Choice::Writing => {
                let better = self.rewritten(&twin)?;
                Some(format!("this is valid: `{better}`"))
            }
            _ => {
                let (better, _) = print_variant(form, &twin);
                Some(format!("this is valid, with {} {}: `{better}`", axis.name, form.value(&twin, changed)))
            }
        }
    }

    /// The line with the modifiers of these values, if it is valid.
    fn rewritten(&self, values: &Values) -> Option<String> {
        let form = self.form();
        let modifiers = form.slots.iter().map(|slot| form.value(values, slot.axis));
        let modifiers: String = modifiers.filter(|value| *value != "none").collect();
        let head = self.head();
        let (before, after) = (&self.text[..head.start], &self.text[head.end..]);
        let better = format!("{before}{}{modifiers}{after}", form.opcode());
        let line = Line::parse(&better).ok()?;
        let valid = self.judge.read_as(self.instruction, &line, self.declarations).valid();
        valid.then(|| line.to_string())
    }
}
