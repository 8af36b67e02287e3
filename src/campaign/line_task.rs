//! Tasks about lines: one task of the plan, or the variants of several.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::ask::LineQuestion;
use super::plan::{Purpose, Task};
use crate::ledger::TaskKind;
use crate::plural::counted;
use crate::spec::Instruction;

/// A task about lines.
pub(super) enum LineTask<'a> {
    /// One of the plan, whose variants are made when they are asked about, with a hash of all that it asks.
    Alone(&'a Instruction, Task, blake3::Hash),
    /// Variants of several.
    Packed(LineQuestion<'a>),
}

impl<'a> LineTask<'a> {
    fn purpose(&self) -> Purpose {
        match self {
            Self::Alone(_, task, _) => task.purpose,
            Self::Packed(question) => question.purpose,
        }
    }

    /// True if its lines are directives.
    fn of_directives(&self) -> bool {
        match self {
            Self::Alone(instruction, ..) => instruction.is_directive(),
            Self::Packed(question) => question.variants().next().is_some_and(|(of, _)| of.is_directive()),
        }
    }

    /// Its kind in a ledger.
    pub(super) fn kind(&self) -> TaskKind {
        match self.purpose() {
            Purpose::Check if self.of_directives() => TaskKind::Directives,
            Purpose::Check => TaskKind::Check,
            Purpose::Code => TaskKind::Code,
        }
    }

    /// The number of its variants, or more.
    pub(super) fn size(&self) -> u64 {
        match self {
            Self::Alone(_, task, _) => task.size() as u64,
            Self::Packed(question) => question.variants().count() as u64,
        }
    }

    /// The task in a few words: its instructions.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Alone(instruction, task, _) => format!("{} in {}", instruction.name, task.environment),
            Self::Packed(question) => {
                let names: BTreeSet<&str> =
                    question.variants().map(|(instruction, _)| instruction.name.as_str()).collect();
                let first: Vec<&str> = names.iter().copied().take(3).collect();
                match names.len() - first.len() {
                    0 => first.join(", "),
                    more => format!("{} and {}", first.join(", "), counted(more, "other")),
                }
            }
        }
    }

    /// All that it asks: tasks with the same text ask the same.
    pub(super) fn what(&self) -> String {
        match self {
            Self::Alone(_, _, hash) => hash.to_string(),
            Self::Packed(question) => {
                let mut text = String::new();
                for part in &question.parts {
                    let _ = write!(text, "\n{}", part.environment);
                    for (instruction, variant) in &part.variants {
                        let _ = write!(text, "\n{} {}", instruction.forms[variant.form].id, variant.loose);
                        let _ = variant.meant.map_or(Ok(()), |rule| write!(text, " {rule}"));
                        let _ = variant.values.iter().try_for_each(|value| write!(text, " {value}"));
                    }
                }
                text
            }
        }
    }

    /// The question.
    pub(super) fn into_question(self) -> LineQuestion<'a> {
        match self {
            Self::Alone(instruction, task, _) => LineQuestion::new(instruction, task),
            Self::Packed(question) => question,
        }
    }
}
