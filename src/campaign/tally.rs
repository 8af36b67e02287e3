//! The results of one engine: counts, and mismatches in groups.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher as _;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::case::{CaseResult, InternalError};
use crate::divergences::{Divergence, Does};
use crate::engine::Depth;
use crate::environment::Environment;
use crate::judge::Reading;
use crate::line_case::LineCase;
use crate::model::Undefined;
use crate::ptx::Scaffold;
use crate::space::{EnvironmentValues, Values};

/// How an engine differed from what was expected. Mismatches that are equal in this may have one cause;
/// others never do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Mismatch {
    /// The engine's behaviour.
    pub does: Does,
    /// The rules broken; none for valid lines.
    pub rules: Vec<String>,
    /// The depth at which the engine was asked.
    pub depth: Depth,
    /// The engine's first message without quoted parts; for a row that could not be run, how it failed.
    pub message: String,
    /// The divergence that lists it, or that it contradicts.
    pub divergence: Option<String>,
    /// True if the divergence lists the mismatch.
    pub listed: bool,
}

impl Mismatch {
    /// The divergence that it contradicts: the engine follows the specification.
    pub fn contradicts(&self) -> Option<&str> {
        self.divergence.as_deref().filter(|_| !self.listed)
    }

    /// The words of a report for what the engine did.
    pub fn outcome(&self) -> &'static str {
        self.does.outcome()
    }
}

/// The properties that all mismatches of a group have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GroupKey {
    /// The instruction.
    pub instruction: String,
    /// The form.
    pub form: String,
    /// How they are mismatches.
    pub mismatch: Mismatch,
}

/// The simplest of the cases of a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Sample {
    /// Its choices; none if it was recorded.
    pub values: Values,
    /// Its line.
    pub line: String,
    /// A module with only this line; empty for a row.
    pub module: String,
    /// Where.
    pub environment: Environment,
    /// The engine's message; for a row, the difference.
    pub message: String,
    /// The command that shows it.
    pub command: String,
}

/// A recorded row that differs: it cannot be asked about again.
#[derive(Clone, Debug)]
pub struct RecordedRow {
    /// The program, with that row only.
    pub program: LineCase,
    /// The expected and the recorded result.
    pub result: CaseResult,
}

/// A line with a word in a slot, where the word is not a choice of the specification.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WordLine {
    /// The word.
    pub word: String,
    /// The form and the slot that it was tried in: `ld.weak level::cache_hint`.
    pub slot: String,
    /// The line.
    pub line: String,
    /// The text around the line.
    pub scaffold: Arc<Scaffold>,
    /// Where.
    pub environment: Environment,
    /// How the line reads.
    pub reading: Reading,
    /// The engine's message.
    pub message: String,
}

/// A group of mismatches.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MismatchGroup {
    /// How many.
    pub count: u64,
    /// The simplest.
    pub sample: Option<Sample>,
    /// Some of them, chosen by a hash, independent of the order of the answers.
    pub kept: BTreeMap<u64, Values>,
    /// Some of the recorded rows. No task has any: a recording is read again.
    #[serde(skip)]
    pub recorded: Vec<RecordedRow>,
    /// Some of the lines with words, chosen by a hash.
    pub words: BTreeMap<u64, WordLine>,
}

/// The number of cases of a group that are kept, of lines and of rows.
const KEPT: usize = 256;
const KEPT_ROWS: usize = 2000;
/// Lines with words that are kept of a group.
const KEPT_WORDS: usize = 5000;

impl MismatchGroup {
    /// Keeps the choices of a case of a kind of mismatch.
    pub(crate) fn keep(&mut self, values: Values, does: Does) {
        let most = if does == Does::Computes { KEPT_ROWS } else { KEPT };
        let hash = FxBuildHasher.hash_one(&values);
        if self.kept.len() >= most && self.kept.last_key_value().is_some_and(|(last, _)| *last < hash) {
            return;
        }
        self.kept.insert(hash, values);
        if self.kept.len() > most {
            self.kept.pop_last();
        }
    }

    /// Keeps a recorded row.
    pub(crate) fn keep_recorded(&mut self, row: RecordedRow) {
        if self.recorded.len() < KEPT_ROWS {
            self.recorded.push(row);
        }
    }

    /// Keeps a line with a word.
    pub(crate) fn keep_word(&mut self, word: WordLine) {
        self.words.insert(FxBuildHasher.hash_one((&word.slot, &word.line, word.environment)), word);
        if self.words.len() > KEPT_WORDS {
            self.words.pop_last();
        }
    }

    /// The kept lines with words; those that share a module follow one another.
    pub(crate) fn words_by_module(&self) -> Vec<WordLine> {
        let mut words: Vec<&WordLine> = self.words.values().collect();
        words.sort_by_key(|word| (word.environment, &word.scaffold, &word.slot, &word.line));
        words.into_iter().cloned().collect()
    }

    /// Adopts a sample if it is simpler than the current one.
    pub(crate) fn offer(&mut self, sample: Sample) {
        if self.sample.as_ref().is_none_or(|known| simplicity(&sample) < simplicity(known)) {
            self.sample = Some(sample);
        }
    }

    /// True if a case with these choices is simpler than the sample.
    pub(crate) fn is_simpler(&self, values: &[u8]) -> bool {
        self.sample.as_ref().is_none_or(|known| known.values.is_empty() || choices(values) < choices(&known.values))
    }

    fn merge(&mut self, other: Self, does: Does) {
        self.count += other.count;
        other.kept.into_values().for_each(|values| self.keep(values, does));
        other.recorded.into_iter().for_each(|row| self.keep_recorded(row));
        other.words.into_values().for_each(|word| self.keep_word(word));
        if let Some(sample) = other.sample {
            self.offer(sample);
        }
    }
}

/// The choices of a variant in the order in which samples are compared: the line's, then the environment's.
type LineFirst<'a> = (&'a [u8], EnvironmentValues);

/// The key by which the simplest sample is found: samples without choices come last, by their lines.
fn simplicity(sample: &Sample) -> (bool, Option<LineFirst<'_>>, usize, &str) {
    (sample.values.is_empty(), choices(&sample.values), sample.line.len(), &sample.line)
}

/// The key for finding the simplest variant: the environment decides last. A line without choices has none.
fn choices(values: &[u8]) -> Option<LineFirst<'_>> {
    let (environment, line) = (!values.is_empty()).then(|| EnvironmentValues::split(values))?;
    Some((line, environment))
}

/// Cases with one claim: how many were tried, and in how many the engine agreed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Cases judged.
    pub cases: u64,
    /// Cases in which engine and specification agree.
    pub agreed: u64,
}

/// How many cases behaved as listed or expected, and how many did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// Cases that did as listed.
    pub did: u64,
    /// Cases that did not.
    pub did_not: u64,
}

impl Split {
    /// Adds one.
    pub(crate) fn note(&mut self, did: bool) {
        if did { self.did += 1 } else { self.did_not += 1 }
    }

    fn merge(&mut self, other: Self) {
        self.did += other.did;
        self.did_not += other.did_not;
    }
}

/// The results of the rows of one form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowCount {
    /// Its opcode.
    pub instruction: String,
    /// The number of variants with setups; 0 for recorded rows.
    pub space: u128,
    /// The reasons why some lines of the form are never executed: the model lacks them.
    pub without_semantics: BTreeSet<String>,
    /// Rows that were tried.
    pub rows: u64,
    /// Rows that passed.
    pub passed: u64,
    /// Rows that failed, and that no divergence lists.
    pub failed: u64,
    /// The number of rows tried when the first one failed.
    pub first_failure: Option<u64>,
    /// How far the worst approximation that passed is from the middle between its bounds: [`ExpectedValue::bound_used`].
    ///
    /// [`ExpectedValue::bound_used`]: crate::model::ExpectedValue::bound_used
    pub bound_used: Option<u16>,
}

/// Questions that an engine skipped, by what it was asked to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unanswered {
    /// To judge valid lines.
    pub valid: u64,
    /// To judge lines that break a rule.
    pub breaches: u64,
    /// To execute rows.
    pub rows: u64,
}

/// The results of one engine.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// By form: cases claimed valid.
    pub valid: BTreeMap<String, Count>,
    /// By form: cases that were taken through code generation.
    pub code: BTreeMap<String, Count>,
    /// By form and rule: cases that break it alone.
    pub breaches: BTreeMap<(String, String), Count>,
    /// By form: rows that were executed.
    pub rows: BTreeMap<String, RowCount>,
    /// Rows that are partly or completely undefined, by reason and form: how many were run (`did`), and how
    /// many were not.
    pub undefined: BTreeMap<(Undefined, String), Split>,
    /// Rows that depend on an inference, by its name and the form: how many passed and how many failed.
    pub inferred: BTreeMap<(Cow<'static, str>, String), Split>,
    /// Lines that were not judged, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Rows that were not executed, by reason.
    pub skipped_rows: BTreeMap<String, u64>,
    /// The questions that the engine skipped.
    pub unanswered: Unanswered,
    /// The mismatches.
    pub groups: BTreeMap<GroupKey, MismatchGroup>,
    /// Listed divergences by id: cases that did as listed, and cases that did not.
    pub listed: BTreeMap<String, Split>,
    /// Variants that the judge reads differently from what was generated: bugs of this tool.
    pub internal_errors: BTreeSet<String>,
}

impl Tally {
    /// How many lines were judged.
    pub fn cases(&self) -> u64 {
        let counts = self.valid.values().chain(self.code.values()).chain(self.breaches.values());
        counts.map(|count| count.cases).sum()
    }

    /// How many rows were executed and compared.
    pub fn judged_rows(&self) -> u64 {
        let listed: u64 = self.groups.iter().filter(|(key, _)| key.is_listed_row()).map(|(_, group)| group.count).sum();
        listed + self.rows.values().map(|rows| rows.passed + rows.failed).sum::<u64>()
    }

    /// How many rows failed that no divergence lists.
    pub fn failed_rows(&self) -> u64 {
        self.rows.values().map(|rows| rows.failed).sum()
    }

    /// How many cases are mismatches that no divergence lists.
    pub fn unlisted(&self) -> u64 {
        self.groups.iter().filter(|(key, _)| !key.mismatch.listed).map(|(_, group)| group.count).sum()
    }

    /// Adds another tally.
    pub fn merge(&mut self, other: Self) {
        fn add<K: Ord>(to: &mut BTreeMap<K, Count>, from: BTreeMap<K, Count>) {
            for (key, count) in from {
                let sum = to.entry(key).or_default();
                sum.cases += count.cases;
                sum.agreed += count.agreed;
            }
        }
        fn add_split<K: Ord>(to: &mut BTreeMap<K, Split>, from: BTreeMap<K, Split>) {
            from.into_iter().for_each(|(key, split)| to.entry(key).or_default().merge(split));
        }
        fn add_number(to: &mut BTreeMap<String, u64>, from: BTreeMap<String, u64>) {
            from.into_iter().for_each(|(key, count)| *to.entry(key).or_default() += count);
        }
        add(&mut self.valid, other.valid);
        add(&mut self.code, other.code);
        add(&mut self.breaches, other.breaches);
        add_split(&mut self.undefined, other.undefined);
        add_split(&mut self.inferred, other.inferred);
        add_split(&mut self.listed, other.listed);
        add_number(&mut self.skipped, other.skipped);
        add_number(&mut self.skipped_rows, other.skipped_rows);
        self.unanswered.valid += other.unanswered.valid;
        self.unanswered.breaches += other.unanswered.breaches;
        self.unanswered.rows += other.unanswered.rows;
        for (form, rows) in other.rows {
            self.rows.entry(form).or_default().merge(rows);
        }
        for (key, group) in other.groups {
            let does = key.mismatch.does;
            self.groups.entry(key).or_default().merge(group, does);
        }
        other.internal_errors.into_iter().for_each(|error| self.note_internal_error(error));
    }

    /// The tally of a task that ended with an internal error.
    pub(super) fn of_error(error: InternalError) -> Self {
        let mut tally = Self::default();
        tally.note_internal_error(error.0);
        tally
    }

    /// The result of a part of the work, or none if it ended with an internal error, which is recorded.
    pub(super) fn ok_or_note<T>(&mut self, result: Result<T, InternalError>) -> Option<T> {
        result.map_err(|error| self.note_internal_error(error.0)).ok()
    }

    /// The evidence about a divergence: its cases that did as listed, and its cases that did not.
    pub(super) fn met(&self, divergence: &Divergence) -> Split {
        self.listed.get(&divergence.id).copied().unwrap_or_default()
    }

    /// Records an internal error; the first few in the order of their texts are kept.
    pub(crate) fn note_internal_error(&mut self, error: String) {
        self.internal_errors.insert(error);
        while self.internal_errors.len() > 20 {
            self.internal_errors.pop_last();
        }
    }
}

impl GroupKey {
    fn is_listed_row(&self) -> bool {
        self.mismatch.listed && self.mismatch.does == Does::Computes
    }
}

impl RowCount {
    fn merge(&mut self, other: Self) {
        let before = self.rows;
        self.instruction = other.instruction;
        self.space = self.space.max(other.space);
        self.without_semantics.extend(other.without_semantics);
        self.rows += other.rows;
        self.passed += other.passed;
        self.failed += other.failed;
        self.first_failure = self.first_failure.or(other.first_failure.map(|first| before + first));
        self.bound_used = self.bound_used.max(other.bound_used);
    }
}
