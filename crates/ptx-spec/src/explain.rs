//! The explanation of a broken rule: the parts of the text that break it, who says so, and the nearest valid line.

mod parts;
mod repair;
mod wording;

use std::ops::Range;

use crate::environment::Environment;
use crate::judge::{Judge, Reading};
use crate::spec::{Form, Instruction, Rule, RuleKind, Source};
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
        parts::parts(self.text, self.line, form, &self.reading.values, &form.rules[broken], self.declarations)
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

    /// The change that makes the line valid: the nearest one in one choice. None for a line that is too new for
    /// its environment, which is right elsewhere.
    pub fn instead(&self, broken: usize) -> Option<String> {
        repair::repair(self, broken)
    }

    /// The syntax line, where a rule is about all of it.
    pub fn syntax(&self, rule: &Rule) -> Option<String> {
        let of_all = ["operands", "unknown-modifier", "unknown-suffix", "modifier-order"];
        of_all.contains(&rule.name()).then(|| format!("syntax: {}", self.form().syntax))
    }
}
