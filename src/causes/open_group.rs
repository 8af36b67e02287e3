//! Groups of mismatches whose causes are searched for.

use std::collections::BTreeMap;

use super::rows::executed::ExecutedInstruction;
use super::search::exact::{Effort, Search};
use crate::campaign::{GroupKey, Mismatch, MismatchGroup, RecordedRow, WordLine};
use crate::divergences::Does;
use crate::engine::Depth;
use crate::plural::counted;
use crate::space::{Draw, EnvironmentValues, Values};
use crate::spec::{Form, Instruction, Spec};

/// The mismatches of one kind in one form of one engine.
pub(super) struct OpenGroup<'s> {
    pub(super) mismatch: Mismatch,
    pub(super) instruction: &'s Instruction,
    /// The instruction with its setups, if rows were executed.
    pub(super) executed: Option<&'s ExecutedInstruction>,
    pub(super) form: usize,
    /// The rule broken; none for valid lines.
    pub(super) rule: Option<usize>,
    pub(super) count: u64,
    /// Cases that failed and that no cause explains yet.
    pub(super) open: Vec<Values>,
    /// Rows that failed in a recording.
    pub(super) recorded: Vec<RecordedRow>,
    /// Lines with words that are not choices of the specification.
    pub(super) words: Vec<WordLine>,
    /// The reason why nothing was found.
    pub(super) vanished: Option<Vanished>,
    /// True if the run was stopped before the group's causes were searched to the end.
    pub(super) stopped: bool,
    /// True for lines with several faults, and without words: there is no space to search.
    pub(super) several: bool,
}

/// The reason why nothing is found in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vanished {
    /// No case failed again.
    Passes,
    /// No row failed when run alone.
    PassesAlone,
    /// Cases fail again, and no condition explains which.
    Unexplained,
    /// The engine stopped answering.
    Unanswered,
}

impl Vanished {
    /// The reason in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Passes => "not reproduced",
            Self::PassesAlone => "the rows that failed passed when run alone",
            Self::Unexplained => "no condition explains which rows fail",
            Self::Unanswered => "the engine stopped answering",
        }
    }

    /// True if the mismatches did not come out again.
    pub(super) fn is_unstable(self) -> bool {
        matches!(self, Self::Passes | Self::PassesAlone)
    }
}

impl<'s> OpenGroup<'s> {
    /// The group of a run's result; none if the specification does not have it.
    pub(super) fn new(
        spec: &'s Spec,
        executed: &'s BTreeMap<String, ExecutedInstruction>,
        key: &GroupKey,
        group: &MismatchGroup,
    ) -> Option<Self> {
        let instruction = spec.named(&key.instruction)?;
        let form = instruction.forms.iter().position(|form| form.id == key.form)?;
        let rules = &instruction.forms[form].rules;
        let position = |rule: &String| rules.iter().position(|known| known.id == *rule);
        let several = key.mismatch.rules.len() > 1;
        let rule = match key.mismatch.rules.first() {
            None => None,
            Some(_) if several && group.words.is_empty() => None,
            Some(rule) => Some(position(rule)?),
        };
        let sample = group.sample.iter().map(|sample| sample.values.clone()).filter(|values| !values.is_empty());
        let mut open: Vec<Values> = group.kept.values().cloned().chain(sample).collect();
        open.sort();
        open.dedup();
        if several && !group.words.is_empty() {
            open.clear();
        }
        Some(Self {
            mismatch: key.mismatch.clone(),
            instruction,
            executed: executed.get(&key.instruction),
            form,
            rule,
            count: group.count,
            open,
            recorded: group.recorded.clone(),
            words: group.words_by_module(),
            vanished: None,
            stopped: false,
            several: several && group.words.is_empty(),
        })
    }

    /// The key of the group in a run's result.
    pub(super) fn key(&self) -> GroupKey {
        let (instruction, form) = (self.instruction.name.clone(), self.form().id.clone());
        GroupKey { instruction, form, mismatch: self.mismatch.clone() }
    }

    pub(super) fn form(&self) -> &'s Form {
        &self.instruction.forms[self.form]
    }

    /// True for a group of executed rows.
    pub(super) fn is_of_rows(&self) -> bool {
        self.mismatch.does == Does::Computes
    }

    /// A description without a reason.
    pub(super) fn words_of(&self) -> String {
        describe_group(&self.form().id, self.mismatch.does, &self.mismatch.rules, self.count)
    }

    /// A description for the report, with the reason why there is no finding.
    pub(super) fn describe(&self, why: &str) -> String {
        describe(&self.form().id, &self.mismatch, self.count, why)
    }

    /// A description for the report, if its causes were not searched to the end.
    pub(super) fn describe_unsearched(&self) -> Option<String> {
        match () {
            () if self.stopped => Some(self.describe(STOPPED)),
            () if self.several && self.vanished.is_none() => Some(self.describe(SEVERAL_FAULTS)),
            () => None,
        }
    }

    /// A search for the causes of open cases, in the environment with most of them.
    pub(super) fn search(&self) -> Option<Search<'s>> {
        let mut environments: BTreeMap<EnvironmentValues, usize> = BTreeMap::new();
        for values in &self.open {
            *environments.entry(EnvironmentValues::of(values)).or_default() += 1;
        }
        let (&most, _) = environments.iter().rev().max_by_key(|(_, count)| **count)?;
        let seeds = self.open.iter().filter(|values| EnvironmentValues::of(values) == most).cloned().collect();
        let draw = Draw::named(&self.seed(), 0);
        Some(Search::new(self.instruction, self.form, self.rule, most, seeds, self.effort(), draw))
    }

    /// The seed of its search.
    fn seed(&self) -> String {
        let depth = if self.mismatch.depth == Depth::Generate { "generate" } else { "check" };
        let contradicts = self.mismatch.contradicts().unwrap_or_default();
        let rules = self.mismatch.rules.join(",");
        format!(
            "{}|{rules}|{depth}|{}|{contradicts}|{}",
            self.mismatch.does.word(),
            self.mismatch.message,
            self.form().id
        )
    }

    /// Each failing case costs a process if the assembler dies, or if code is generated, where one error
    /// ends it.
    fn effort(&self) -> Effort {
        if self.is_costly() { Effort::LEAN } else { Effort::FULL }
    }

    /// True if each failing case costs a process.
    pub(super) fn is_costly(&self) -> bool {
        self.mismatch.does == Does::Crashes || self.mismatch.depth == Depth::Generate
    }
}

/// The reason why a group has no finding, or not all of them, after a stop.
const STOPPED: &str = "the run was stopped before its causes were searched to the end";

/// The reason why groups of lines with several faults are not analysed.
pub(crate) const SEVERAL_FAULTS: &str = "its lines have several faults";

/// Mismatches of a form in words, and why no finding was made of them.
pub(super) fn describe(form: &str, mismatch: &Mismatch, count: u64, why: &str) -> String {
    format!("{}: {why}", describe_group(form, mismatch.does, &mismatch.rules, count))
}

/// Mismatches of a form in words.
pub(crate) fn describe_group(form: &str, does: Does, rules: &[String], count: u64) -> String {
    let of_rows = does == Does::Computes;
    let rules = match (of_rows, rules) {
        (true, _) => String::new(),
        (false, []) => "claimed valid: ".to_owned(),
        (false, rules) => format!("{}: ", rules.join(", ")),
    };
    let count = if of_rows { counted(count, "row") + " failed" } else { counted(count, "mismatch") };
    format!("{form}: {rules}{}, {count}", does.outcome())
}
