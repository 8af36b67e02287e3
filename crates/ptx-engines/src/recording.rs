//! Recordings: what an engine did, kept with where it is from, and answered again without it.
//!
//! A recording is a file of JSON Lines: a header, then each case followed by its rows, and each
//! surroundings of judged lines followed by those. A row is the values of its inputs and what came
//! of it: `[["0","4"],["ff"]]`. Cases stand in the order of their ids, which are hashes of their
//! content, rows in the order of their values, so that one content has one text.

use std::collections::BTreeMap;
use std::fmt;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::{Batch, CaseExecutor, Depth, Engine, EngineId, LineJudge, Outcome};
use ptx_exec::execution::{Answer, Execution, Returned, Rows, hex};
use ptx_spec::environment::{AddressSize, Environment, Target, Version};

/// The version of the format.
const FORMAT: u32 = 1;

/// Where a recording is from.
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
    /// That of an engine, recorded by this tool.
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

/// What an engine did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    provenance: Provenance,
    /// By case, without rows: what came of the values of its inputs.
    cases: FxHashMap<Execution, BTreeMap<Vec<u128>, Answer>>,
    /// By surroundings: what became of lines.
    lines: BTreeMap<Surroundings, BTreeMap<String, Outcome>>,
}

/// Something in a recording that cannot be used, or not as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The number of the line, from 1; none where it does not come from a file.
    pub line: Option<usize>,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// What lines are judged in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Surroundings {
    ptx: Version,
    target: Target,
    address_size: u32,
    generate: bool,
    declarations: String,
}

impl Surroundings {
    fn new(environment: &Environment, depth: Depth, declarations: String) -> Self {
        Self {
            ptx: environment.ptx,
            target: environment.target,
            address_size: bits(environment.address_size),
            generate: depth == Depth::Generate,
            declarations,
        }
    }

    fn is_in(&self, environment: &Environment, depth: Depth) -> bool {
        let of = |other: &Environment| (other.ptx, other.target, bits(other.address_size));
        (self.ptx, self.target, self.address_size) == of(environment) && self.generate == (depth == Depth::Generate)
    }
}

fn bits(size: AddressSize) -> u32 {
    match size {
        AddressSize::Bits32 => 32,
        AddressSize::Bits64 => 64,
    }
}

/// The line before the rows of a case, or before judged lines.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Heading {
    Case(Execution),
    Judged(Surroundings),
}

/// A row and what came of it.
#[derive(Serialize, Deserialize)]
struct Row(#[serde(with = "hex::all")] Vec<u128>, Kept);

/// What came of a row: registers, where that is all.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Kept {
    Registers(#[serde(with = "hex::all")] Vec<u128>),
    Other(Other),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Other {
    /// The registers, and where the surface is not what it was.
    Changed {
        #[serde(with = "hex::all")]
        registers: Vec<u128>,
        surface: Vec<Change>,
    },
    Trapped(String),
    Skipped(String),
    Failed(String),
}

/// Bytes of the surface from this position on.
#[derive(Serialize, Deserialize)]
struct Change(usize, #[serde(with = "hex")] Vec<u8>);

/// A line and what became of it.
#[derive(Serialize, Deserialize)]
struct Line(String, Did);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Did {
    Accepted,
    Rejected(String),
    Skipped(String),
    Crashed(String),
    TimedOut,
}

impl From<Outcome> for Did {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Accepted => Self::Accepted,
            Outcome::Rejected(why) => Self::Rejected(why),
            Outcome::Skipped(why) => Self::Skipped(why),
            Outcome::Crashed(how) => Self::Crashed(how),
            Outcome::TimedOut => Self::TimedOut,
        }
    }
}

impl From<Did> for Outcome {
    fn from(did: Did) -> Self {
        match did {
            Did::Accepted => Self::Accepted,
            Did::Rejected(why) => Self::Rejected(why),
            Did::Skipped(why) => Self::Skipped(why),
            Did::Crashed(how) => Self::Crashed(how),
            Did::TimedOut => Self::TimedOut,
        }
    }
}

/// The case without rows.
fn bare(case: &Execution) -> Execution {
    case.with_rows(Rows::new(case.inputs.len()), Vec::new())
}

/// The stretches in which two texts of bytes of one length differ.
fn changes(before: &[u8], after: &[u8]) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for (at, (old, new)) in before.iter().zip(after).enumerate() {
        if old == new {
            continue;
        }
        match changes.last_mut().filter(|change| change.0 + change.1.len() == at) {
            Some(change) => change.1.push(*new),
            None => changes.push(Change(at, vec![*new])),
        }
    }
    changes
}

impl Kept {
    fn of(case: &Execution, answer: &Answer) -> Self {
        Self::Other(match answer {
            Answer::Trapped(why) => Other::Trapped(why.clone()),
            Answer::Skipped(why) => Other::Skipped(why.clone()),
            Answer::Failed(why) => Other::Failed(why.clone()),
            Answer::Returned(Returned { registers, surface }) => match (&case.surface, surface) {
                (Some(before), Some(after)) => {
                    Other::Changed { registers: registers.clone(), surface: changes(&before.data, after) }
                }
                _ => return Self::Registers(registers.clone()),
            },
        })
    }

    fn answer(self, case: &Execution) -> Result<Answer, String> {
        let returned = match self {
            Self::Registers(registers) => Returned { registers, surface: None },
            Self::Other(Other::Changed { registers, surface }) => {
                let before = case.surface.as_ref().ok_or("a surface is changed, and the case has none")?;
                let mut after = before.data.clone();
                for Change(at, bytes) in surface {
                    let end = at.checked_add(bytes.len());
                    let place = end.and_then(|end| after.get_mut(at..end));
                    place.ok_or("a change lies beyond the surface")?.copy_from_slice(&bytes);
                }
                Returned { registers, surface: Some(after) }
            }
            Self::Other(Other::Trapped(why)) => return Ok(Answer::Trapped(why)),
            Self::Other(Other::Skipped(why)) => return Ok(Answer::Skipped(why)),
            Self::Other(Other::Failed(why)) => return Ok(Answer::Failed(why)),
        };
        case.check(&returned)?;
        Ok(Answer::Returned(returned))
    }
}

impl Recording {
    /// An empty one.
    pub fn new(provenance: Provenance) -> Self {
        Self { provenance, cases: FxHashMap::default(), lines: BTreeMap::new() }
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

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keeps what came of the rows of a case, but for those that were skipped. A row that is kept
    /// already stays as it is.
    ///
    /// # Errors
    /// The rows of which something else is kept: the engine does not always do the same.
    pub fn add(&mut self, case: &Execution, answers: &[Answer]) -> Result<(), Vec<usize>> {
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

    /// Keeps what became of judged lines, as [`Recording::add`] does.
    ///
    /// # Errors
    /// The lines of which something else is kept.
    pub fn add_judged(&mut self, batch: &Batch<'_>, depth: Depth, outcomes: &[Outcome]) -> Result<(), Vec<usize>> {
        let surroundings = Surroundings::new(&batch.environment, depth, batch.scaffold.declarations());
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
    fn sorted(&self) -> Vec<(&Execution, &BTreeMap<Vec<u128>, Answer>)> {
        let mut cases: Vec<_> = self.cases.iter().collect();
        cases.sort_by_cached_key(|(case, _)| id(case));
        cases
    }

    /// What was recorded, to be executed again. Rows that trapped or that the engine failed on are
    /// to be executed alone.
    pub fn cases(&self) -> Vec<Execution> {
        let case = |(case, kept): (&Execution, &BTreeMap<Vec<u128>, Answer>)| {
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
            // None of this has maps with keys that are no text, so it can be written.
            text.push_str(&line.unwrap_or_default());
            text.push('\n');
        };
        put(serde_json::to_string(&self.provenance));
        for (case, rows) in self.sorted() {
            put(serde_json::to_string(&Heading::Case(case.clone())));
            for (row, answer) in rows {
                put(serde_json::to_string(&Row(row.clone(), Kept::of(case, answer))));
            }
        }
        for (surroundings, lines) in &self.lines {
            put(serde_json::to_string(&Heading::Judged(surroundings.clone())));
            for (line, outcome) in lines {
                put(serde_json::to_string(&Line(line.clone(), outcome.clone().into())));
            }
        }
        text
    }

    /// Reads the text of a file, and says what of it cannot be used.
    ///
    /// # Errors
    /// Where the first line is no header of a recording of this format.
    pub fn read(text: &str) -> Result<(Self, Vec<Problem>), Problem> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let (at, header) = lines.next().unwrap_or((1, ""));
        let wrong = |message: String| Problem { line: Some(at), message };
        let provenance: Provenance = serde_json::from_str(header)
            .map_err(|error| wrong(format!("this is no header of a recording: {error}")))?;
        if provenance.recording != FORMAT {
            let found = provenance.recording;
            return Err(wrong(format!("this is a recording of format {found}; format {FORMAT} is read")));
        }
        let mut reader = Reader { recording: Self::new(provenance), problems: Vec::new(), under: None };
        for (at, line) in lines {
            if let Err(message) = reader.line(at, line) {
                reader.problems.push(Problem { line: Some(at), message });
            }
        }
        reader.close();
        Ok((reader.recording, reader.problems))
    }
}

/// The hash of a case's content.
fn id(case: &Execution) -> String {
    let text = serde_json::to_string(case).unwrap_or_default();
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

/// What the lines that are read belong to.
enum Under {
    Case(Box<Execution>),
    Judged(Surroundings),
    /// To a heading that could not be read: its line, and how many follow it.
    Unread(usize, usize),
}

struct Reader {
    recording: Recording,
    problems: Vec<Problem>,
    under: Option<Under>,
}

impl Reader {
    fn line(&mut self, at: usize, line: &str) -> Result<(), String> {
        if line.starts_with('{') {
            self.close();
            self.under = Some(Under::Unread(at, 0));
            let heading = serde_json::from_str(line).map_err(|error| format!("this case cannot be read: {error}"))?;
            self.under = Some(match heading {
                Heading::Case(case) => {
                    let case = bare(&case);
                    case.surface.as_ref().map_or(Ok(()), |surface| surface.check())?;
                    self.recording.cases.entry(case.clone()).or_default();
                    Under::Case(Box::new(case))
                }
                Heading::Judged(surroundings) => Under::Judged(surroundings),
            });
            return Ok(());
        }
        match &mut self.under {
            None => Err("this stands before the first case".to_owned()),
            Some(Under::Unread(_, rows)) => {
                *rows += 1;
                Ok(())
            }
            Some(Under::Case(case)) => {
                let Row(row, kept) =
                    serde_json::from_str(line).map_err(|error| format!("this row cannot be read: {error}"))?;
                if row.len() != case.inputs.len() {
                    return Err(format!("this row has {} values, the case {} inputs", row.len(), case.inputs.len()));
                }
                let answer = kept.answer(case)?;
                let mut rows = Rows::new(row.len());
                rows.push(&row);
                let added = self.recording.add(&case.with_rows(rows, Vec::new()), &[answer]);
                added.map_err(|_| "this row stands there already, with another answer".to_owned())
            }
            Some(Under::Judged(surroundings)) => {
                let Line(line, did) =
                    serde_json::from_str(line).map_err(|error| format!("this line cannot be read: {error}"))?;
                let outcome = Outcome::from(did);
                let kept = self.recording.lines.entry(surroundings.clone()).or_default();
                if *kept.entry(line).or_insert_with(|| outcome.clone()) == outcome {
                    Ok(())
                } else {
                    Err("this line stands there already, with another outcome".to_owned())
                }
            }
        }
    }

    /// Says what was lost with a heading that could not be read.
    fn close(&mut self) {
        if let Some(Under::Unread(line, rows @ 1..)) = self.under.take() {
            let message = format!("{rows} rows are lost with what stands above them");
            self.problems.push(Problem { line: Some(line), message });
        }
    }
}

const ABSENT: &str = "not in the recording";

impl Engine for Recording {
    /// That of the engine that was recorded: what is known of it holds for its recording.
    fn id(&self) -> &EngineId {
        &self.provenance.engine
    }

    fn details(&self) -> BTreeMap<String, String> {
        self.provenance.details.clone()
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    fn losses(&self) -> BTreeMap<String, u64> {
        BTreeMap::new()
    }

    fn as_judge(&self) -> Option<&dyn LineJudge> {
        (!self.lines.is_empty()).then_some(self)
    }

    fn as_executor(&self) -> Option<&dyn CaseExecutor> {
        (!self.cases.is_empty()).then_some(self)
    }
}

impl LineJudge for Recording {
    fn supports(&self, environment: &Environment, depth: Depth) -> Result<(), String> {
        let known = self.lines.keys().any(|surroundings| surroundings.is_in(environment, depth));
        if known { Ok(()) } else { Err(format!("no line judged in {environment} is in the recording")) }
    }

    fn judge(&self, batch: &Batch<'_>, depth: Depth) -> Vec<Outcome> {
        let surroundings = Surroundings::new(&batch.environment, depth, batch.scaffold.declarations());
        let kept = self.lines.get(&surroundings);
        let find = |line: &&str| kept.and_then(|kept| kept.get(*line)).cloned();
        let absent = || Outcome::Skipped(ABSENT.to_owned());
        batch.lines.iter().map(|line| find(line).unwrap_or_else(absent)).collect()
    }

    fn command(&self, _: &Environment, _: Depth, _: bool) -> Option<String> {
        None
    }
}

impl CaseExecutor for Recording {
    fn executes(&self, environment: &Environment) -> Result<(), String> {
        let known = self.cases.keys().any(|case| case.environment() == *environment);
        if known { Ok(()) } else { Err(format!("no case executed in {environment} is in the recording")) }
    }

    fn recorded(&self) -> Option<Vec<Execution>> {
        Some(self.cases())
    }

    fn traps_cost(&self) -> bool {
        false
    }

    fn execute(&self, cases: &[Execution]) -> Vec<Vec<Answer>> {
        let absent = || Answer::Skipped(ABSENT.to_owned());
        let answers = |case: &Execution| {
            let kept = self.cases.get(&bare(case));
            let find = |row: &[u128]| kept.and_then(|kept| kept.get(row)).cloned();
            case.rows.iter().map(|row| find(row).unwrap_or_else(absent)).collect()
        };
        cases.iter().map(answers).collect()
    }
}
