//! Recordings: what an engine did, stored with its provenance, and answered again without the engine.
//!
//! A recording is a file of JSON Lines: a header, then each case followed by its rows, and each environment
//! with declarations followed by the lines judged in it. A row is the values of its inputs and its results:
//! `[["0","4"],["ff"]]`. Cases are ordered by id, which is a hash of their content, and rows by value, so
//! that equal contents have equal texts.

mod format;
mod read;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::{Batch, CaseExecutor, Depth, Engine, EngineId, LineJudge, Outcome, Unable};
use format::{Heading, LineEntry, RecordedModule, RowEntry, StoredAnswer};
use ptx_exec::line_case::{Answer, LineCase, Rows};
use ptx_spec::environment::{Environment, Version};
use ptx_spec::must::Must as _;

pub use read::RecordingProblem;

/// The version of the format.
const FORMAT: u32 = 1;

/// The provenance of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The version of the format of the file; 1.
    pub recording: u32,
    /// The engine and its version: `gpu@580.65`.
    pub engine: EngineId,
    /// More about it: the device, its compute capability, the driver.
    #[serde(default)]
    pub details: BTreeMap<String, String>,
    /// The day: `2027-06-30`.
    pub date: String,
    /// The tool that recorded it: `ptx-conform 0.1.0`.
    pub tool: String,
    /// The fingerprint of the specification that the cases came from.
    pub spec: String,
}

impl Provenance {
    /// The provenance of an engine that this tool records.
    pub fn new(engine: &EngineId, details: BTreeMap<String, String>, date: &str, spec: &str) -> Self {
        Self {
            recording: FORMAT,
            engine: engine.clone(),
            details,
            date: date.to_owned(),
            tool: format!("ptx-conform {}", env!("CARGO_PKG_VERSION")),
            spec: spec.to_owned(),
        }
    }
}

/// The results of an engine, as it gave them once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    provenance: Provenance,
    /// By case, without its rows: the answer to each row of inputs.
    cases: FxHashMap<LineCase, BTreeMap<Vec<u128>, Answer>>,
    /// By environment and declarations: the outcomes of lines.
    lines: BTreeMap<RecordedModule, BTreeMap<String, Outcome>>,
    /// The lines of its file that could not be used.
    unread: u64,
    /// The fault of the first of them.
    first_unread: Option<String>,
}

/// The case without rows.
fn bare(case: &LineCase) -> LineCase {
    case.with_rows(Rows::new(case.inputs.len()), Vec::new())
}

impl Recording {
    /// An empty one.
    pub fn new(provenance: Provenance) -> Self {
        Self { provenance, cases: FxHashMap::default(), lines: BTreeMap::new(), unread: 0, first_unread: None }
    }

    /// Where it is from.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// The newest PTX version that something was recorded for.
    pub fn newest_ptx(&self) -> Option<Version> {
        let cases = self.cases.keys().map(|case| case.ptx);
        cases.chain(self.lines.keys().map(|surroundings| surroundings.ptx)).max()
    }

    /// How many rows and lines it has.
    pub fn len(&self) -> usize {
        let rows: usize = self.cases.values().map(BTreeMap::len).sum();
        rows + self.lines.values().map(BTreeMap::len).sum::<usize>()
    }

    /// True if it has neither.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Stores the answers to the rows of a case, except skipped ones. A row that is already stored is not
    /// changed.
    ///
    /// # Errors
    /// The rows for which another answer is already stored: the engine does not always do the same.
    pub fn add(&mut self, case: &LineCase, answers: &[Answer]) -> Result<(), Vec<usize>> {
        if answers.iter().all(|answer| matches!(answer, Answer::Skipped(_))) {
            return Ok(());
        }
        let kept = self.cases.entry(bare(case)).or_default();
        let mut differ = Vec::new();
        for (at, (row, answer)) in case.rows.iter().zip(answers).enumerate() {
            if matches!(answer, Answer::Skipped(_)) {
                continue;
            }
            if kept.entry(row.to_vec()).or_insert_with(|| answer.clone()) != answer {
                differ.push(at);
            }
        }
        if differ.is_empty() { Ok(()) } else { Err(differ) }
    }

    /// Stores the outcomes of judged lines, in the way of [`Recording::add`].
    ///
    /// # Errors
    /// The lines for which another outcome is already stored.
    pub fn add_judged(&mut self, batch: &Batch<'_>, depth: Depth, outcomes: &[Outcome]) -> Result<(), Vec<usize>> {
        let surroundings = RecordedModule::new(&batch.environment, depth, batch.scaffold.declarations());
        let kept = self.lines.entry(surroundings).or_default();
        let mut differ = Vec::new();
        for (at, (line, outcome)) in batch.lines.iter().zip(outcomes).enumerate() {
            if kept.entry((*line).to_owned()).or_insert_with(|| outcome.clone()) != outcome {
                differ.push(at);
            }
        }
        if differ.is_empty() { Ok(()) } else { Err(differ) }
    }

    /// The cases in the order of their ids.
    fn sorted(&self) -> Vec<(&LineCase, &BTreeMap<Vec<u128>, Answer>)> {
        let mut cases: Vec<_> = self.cases.iter().collect();
        cases.sort_by_cached_key(|(case, _)| id(case));
        cases
    }

    /// The recorded cases, to be executed again. Rows that trapped or that the engine failed on are to be
    /// executed alone.
    pub fn cases(&self) -> Vec<LineCase> {
        let case = |(case, kept): (&LineCase, &BTreeMap<Vec<u128>, Answer>)| {
            let mut rows = Rows::new(case.inputs.len());
            kept.keys().for_each(|row| rows.push(row));
            let fatal = |answer: &Answer| matches!(answer, Answer::Trapped(_) | Answer::Failed(_));
            let alone = kept.values().enumerate().filter(|(_, answer)| fatal(answer)).map(|(at, _)| at).collect();
            case.with_rows(rows, alone)
        };
        self.sorted().into_iter().map(case).collect()
    }

    /// The text of its file.
    pub fn write(&self) -> String {
        let mut text = String::new();
        let mut put = |line: Result<String, serde_json::Error>| {
            text.push_str(&line.must("the keys of all maps of a recording are text"));
            text.push('\n');
        };
        put(serde_json::to_string(&self.provenance));
        for (case, rows) in self.sorted() {
            put(serde_json::to_string(&Heading::Case(Box::new(case.clone()))));
            for (row, answer) in rows {
                put(serde_json::to_string(&RowEntry(row.clone(), StoredAnswer::of(case, answer))));
            }
        }
        for (surroundings, lines) in &self.lines {
            put(serde_json::to_string(&Heading::Judged(surroundings.clone())));
            for (line, outcome) in lines {
                put(serde_json::to_string(&LineEntry(line.clone(), outcome.clone().into())));
            }
        }
        text
    }
}

/// The hash of a case's content.
fn id(case: &LineCase) -> String {
    let text = serde_json::to_string(case).must("the keys of all maps of a case are text");
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

const ABSENT: &str = "not in the recording";

impl Engine for Recording {
    /// The id of the recorded engine: its divergences apply to its recording too.
    fn id(&self) -> &EngineId {
        &self.provenance.engine
    }

    fn details(&self) -> BTreeMap<String, String> {
        self.provenance.details.clone()
    }

    /// The lines of its file that could not be used: what they recorded is not compared with anything.
    fn losses(&self) -> BTreeMap<String, u64> {
        let lost = |first: &String| {
            let why = format!("lines of the recording of {} cannot be used, the first: {first}", self.id());
            (why, self.unread)
        };
        self.first_unread.iter().map(lost).collect()
    }

    fn as_judge(&self) -> Option<&dyn LineJudge> {
        (!self.lines.is_empty()).then_some(self)
    }

    fn as_executor(&self) -> Option<&dyn CaseExecutor> {
        (!self.cases.is_empty()).then_some(self)
    }
}

impl LineJudge for Recording {
    fn supports(&self, environment: &Environment, depth: Depth) -> Result<(), Unable> {
        let known = self.lines.keys().any(|surroundings| surroundings.is_in(environment, depth));
        let why = || Unable::Unsupported(format!("no line judged in {environment} is in the recording"));
        known.then_some(()).ok_or_else(why)
    }

    fn judge(&self, batch: &Batch<'_>, depth: Depth) -> Vec<Outcome> {
        let surroundings = RecordedModule::new(&batch.environment, depth, batch.scaffold.declarations());
        let kept = self.lines.get(&surroundings);
        let find = |line: &&str| kept.and_then(|kept| kept.get(*line)).cloned();
        let absent = || Outcome::Skipped(ABSENT.to_owned());
        batch.lines.iter().map(|line| find(line).unwrap_or_else(absent)).collect()
    }
}

impl CaseExecutor for Recording {
    fn executes(&self, environment: &Environment) -> Result<(), Unable> {
        let known = self.cases.keys().any(|case| case.environment() == *environment);
        let why = || Unable::Unsupported(format!("no case executed in {environment} is in the recording"));
        known.then_some(()).ok_or_else(why)
    }

    fn recorded(&self) -> Option<Vec<LineCase>> {
        Some(self.cases())
    }

    fn execute(&self, cases: &[LineCase]) -> Vec<Vec<Answer>> {
        let absent = || Answer::Skipped(ABSENT.to_owned());
        let answers = |case: &LineCase| {
            let kept = self.cases.get(&bare(case));
            let find = |row: &[u128]| kept.and_then(|kept| kept.get(row)).cloned();
            case.rows.iter().map(|row| find(row).unwrap_or_else(absent)).collect()
        };
        cases.iter().map(answers).collect()
    }
}
