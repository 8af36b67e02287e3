//! Whole domains: lines whose only input is a register of up to 32 bits, with every value of it. What is done is kept in a file,
//! so that a walk that was stopped goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::options::Progress;
use super::rows::refusals;
use crate::case::{self, InternalError};
use crate::divergences::{Divergences, EngineVersion};
use crate::engine::CaseExecutor;
use crate::environment::Environment;
use crate::line_case::{Answer, Holds, LineCase, Returned, Rows};
use crate::model::{self, Expectation, Prepared, RowVerdict};
use crate::setup;
use crate::space::{Diagram, environment_values};
use crate::spec::{Choice, Cube, Form, Instruction, Spec, ValueSet};

/// Inputs that are noted at once.
const PART: u64 = 1 << 20;
/// Inputs that are executed at once as rows.
const ROWS: usize = 1 << 16;
/// Ranges of inputs with wrong results that are kept of a part, and of a line.
const RANGES: usize = 16;
/// The version of the file's format.
const FORMAT: u32 = 1;

/// The subject of a walk: it goes on only with the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct WalkHeader {
    /// The version of the format.
    exhaustive: u32,
    /// The fingerprint of the specification.
    specification: String,
    /// PTX version and target of the lines.
    environment: String,
}

/// The results of some consecutive inputs of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct WalkedPart {
    /// The engine.
    engine: String,
    /// The line.
    line: String,
    /// The first input.
    at: u64,
    /// The results.
    #[serde(flatten)]
    counts: WalkCounts,
}

/// Counts of inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WalkCounts {
    /// How many were executed.
    pub inputs: u64,
    /// How many of these have a result that is allowed.
    pub agreed: u64,
    /// How many may have any result.
    pub undecided: u64,
    /// How many have another result.
    pub failed: u64,
    /// The divergence that lists the line, if one does and some have another result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed: Option<String>,
    /// The reason why some have no result, if one has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// The first ranges of inputs with another result, ascending: the first and the last one of each.
    pub ranges: Vec<[u64; 2]>,
    /// The first of these results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<FailedInput>,
}

/// A wrong result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedInput {
    /// The input.
    pub input: u64,
    /// An allowed result, and the other one, as text.
    pub expected: String,
    /// See `expected`.
    pub actual: String,
}

/// A line that is walked on an engine.
#[derive(Clone, Debug)]
pub struct WalkedLine {
    /// The engine.
    pub engine: String,
    /// The line.
    pub line: String,
    /// How many inputs it has.
    pub domain: u64,
    /// The results so far.
    pub counts: WalkCounts,
}

/// The reason why a walk cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The file is about something else.
    #[error("it was begun with another specification or environment; use another --name, or remove the file")]
    Other,
    /// The line of the file with this number is not what a walk writes.
    #[error("its line {0} is not one of a walk; use another --name, or remove the file")]
    Line(usize),
    /// A fault of this program, such as a generated text that cannot be read.
    #[error(transparent)]
    Internal(#[from] InternalError),
}

impl WalkCounts {
    /// Adds those of the inputs after these.
    fn add(&mut self, next: &Self) {
        self.inputs += next.inputs;
        self.agreed += next.agreed;
        self.undecided += next.undecided;
        self.failed += next.failed;
        self.listed = self.listed.take().or_else(|| next.listed.clone());
        self.skipped = self.skipped.take().or_else(|| next.skipped.clone());
        self.first = self.first.take().or_else(|| next.first.clone());
        for range in &next.ranges {
            self.add_range(*range);
        }
    }

    fn add_range(&mut self, [first, last]: [u64; 2]) {
        let count = self.ranges.len();
        match self.ranges.last_mut() {
            Some(before) if before[1] + 1 == first => before[1] = last,
            _ if count < RANGES => self.ranges.push([first, last]),
            _ => {}
        }
    }
}

/// A line to walk.
struct OpenWalk<'e> {
    engine: &'e dyn CaseExecutor,
    version: Option<EngineVersion>,
    case: LineCase,
    bits: u16,
}

impl OpenWalk<'_> {
    fn domain(&self) -> u64 {
        1 << self.bits
    }

    /// The results of the inputs from one on.
    fn part(&self, spec: &Spec, divergences: &Divergences, at: u64) -> Result<WalkCounts, InternalError> {
        let prepared = model::prepare(spec, &self.case).map_err(|why| InternalError(why.to_string()))?;
        let check = WalkCheck { walk: self, prepared: &prepared, divergences };
        let inputs = at..self.domain().min(at + PART);
        let (mut counts, mut others) = (WalkCounts::default(), Vec::new());
        let has_function = self.engine.function(&self.case, &mut |function| {
            for input in inputs.clone() {
                match function(input).map(u128::from) {
                    Some(output) => check.output(input, output, &mut counts),
                    None => others.push(input),
                }
            }
        });
        if !has_function {
            others = inputs.collect();
        }
        for inputs in others.chunks(ROWS) {
            check.rows(inputs, &mut counts)?;
        }
        counts.ranges.sort_unstable();
        Ok(counts)
    }
}

/// The check of results of a line.
struct WalkCheck<'c> {
    walk: &'c OpenWalk<'c>,
    prepared: &'c Prepared<'c>,
    divergences: &'c Divergences,
}

impl WalkCheck<'_> {
    /// Counts the output of an input.
    fn output(&self, input: u64, output: u128, counts: &mut WalkCounts) {
        let expectation = self.prepared.expect(&[input.into()]);
        if expectation.allows(output) {
            counts.inputs += 1;
            counts.agreed += 1;
        } else {
            self.answer(input, &expectation, &Answer::Returned(Returned::registers(&[output])), counts);
        }
    }

    /// Executes some inputs, ascending, as rows, and counts their results.
    fn rows(&self, inputs: &[u64], counts: &mut WalkCounts) -> Result<(), InternalError> {
        let mut rows = Rows::new(1);
        inputs.iter().for_each(|input| rows.push(&[u128::from(*input)]));
        let case = [LineCase { rows, ..self.walk.case.clone() }];
        let answers = case::answers(self.walk.engine, &case)?.concat();
        for ((input, expectation), answer) in inputs.iter().zip(self.prepared.all(&case[0].rows)).zip(&answers) {
            self.answer(*input, &expectation, answer, counts);
        }
        Ok(())
    }

    /// Counts the answer to an input.
    fn answer(&self, input: u64, expectation: &Expectation, answer: &Answer, counts: &mut WalkCounts) {
        let OpenWalk { case, version, .. } = self.walk;
        match expectation.check(case, answer) {
            RowVerdict::Agrees(_) => counts.agreed += 1,
            RowVerdict::Undecided(_) => counts.undecided += 1,
            RowVerdict::Skipped(why) => {
                counts.skipped.get_or_insert(why);
                return;
            }
            RowVerdict::Differs(difference) => {
                counts.failed += 1;
                let (version, form, choices) = (version.as_ref(), self.prepared.form(), self.prepared.choices());
                let refused = refusals(self.divergences, version, Some(&difference), form, choices);
                let listed = refused.chain(self.divergences.computes_line(version, form, choices)).next();
                counts.listed = counts.listed.take().or_else(|| Some(listed?.id.clone()));
                counts.add_range([input, input]);
                let text = |answer: &Answer| shown(answer, case.outputs[0].bits);
                counts.first.get_or_insert_with(|| FailedInput {
                    input,
                    expected: text(&expectation.example(case)),
                    actual: text(answer),
                });
            }
        }
        counts.inputs += 1;
    }
}

/// The first register of an answer, or what happened instead.
fn shown(answer: &Answer, bits: u16) -> String {
    match answer {
        Answer::Returned(returned) => {
            let digits = usize::from(bits.div_ceil(4));
            returned.registers.first().map_or_else(String::new, |value| format!("{value:0digits$x}"))
        }
        Answer::Trapped(why) => format!("a trap: {why}"),
        Answer::Failed(why) => format!("a failure: {why}"),
        Answer::Skipped(why) => format!("nothing: {why}"),
    }
}

/// The lines of an instruction whose only input is a register of up to 32 bits, one for each combination of modifiers.
fn lines(spec: &Spec, instruction: &Instruction, environment: &Environment) -> Vec<(u16, LineCase)> {
    let executed = setup::executed(spec, instruction);
    let mut found: BTreeMap<String, (u16, LineCase)> = BTreeMap::new();
    for form in &executed.forms {
        let Some(choices) = environment_values(form, environment) else { continue };
        let mut cubes = vec![Cube::default().at(&choices)];
        for (at, axis) in form.axes.iter().enumerate() {
            cubes = match axis.choice {
                Choice::Guard => cubes.into_iter().map(|cube| cube.with(at, ValueSet::only(0))).collect(),
                Choice::Modifier => {
                    let each =
                        |cube: Cube| axis.claimed.iter().map(move |value| cube.clone().with(at, ValueSet::only(value)));
                    let possible = |cube: &Cube| Diagram::inside(form, None, cube).count() > 0;
                    cubes.into_iter().flat_map(each).filter(possible).collect()
                }
                _ => cubes,
            };
        }
        for case in cubes.iter().filter_map(|cube| first(spec, form, cube)) {
            let [input] = &case.inputs[..] else { continue };
            if input.bits <= 32 && input.holds == Holds::Bits && case.variables.is_empty() && case.surface.is_none() {
                found.insert(case.line.clone(), (input.bits, case));
            }
        }
    }
    found.into_values().collect()
}

/// The simplest line of a form with some choices that has an input.
fn first(spec: &Spec, form: &Form, cube: &Cube) -> Option<LineCase> {
    let diagram = Diagram::inside(form, None, cube);
    let values = diagram.all().unrank(0)?;
    setup::line_case(spec, form, &[&values]).ok()
}

/// A walk over whole domains.
#[derive(Clone, Copy, Debug)]
pub struct DomainWalk<'a> {
    /// The specification of the lines.
    pub spec: &'a Spec,
    /// The divergences of engines that are known.
    pub divergences: &'a Divergences,
    /// The instructions of the lines.
    pub instructions: &'a [&'a Instruction],
    /// The opcode with modifiers of the lines, if not all are walked: `cvt.rn.f16.f32`.
    pub only: Option<&'a str>,
    /// The size of the largest inputs in bits, at most 32.
    pub most_bits: u16,
    /// The file that keeps what is done.
    pub file: &'a Path,
}

impl DomainWalk<'_> {
    /// The opcodes with modifiers that its instructions have lines of in an environment, whether it walks them or not.
    pub fn possible(&self, environment: &Environment) -> BTreeSet<String> {
        let lines = self.instructions.iter().flat_map(|instruction| lines(self.spec, instruction, environment));
        lines.map(|(_, case)| opcode(&case.line).to_owned()).collect()
    }

    /// Walks on engines, each in the newest environment that it executes.
    ///
    /// # Errors
    /// If the file belongs to another walk or cannot be written, or a generated text cannot be read.
    pub fn run(
        &self,
        engines: &[(&dyn CaseExecutor, Environment)],
        progress: &Progress,
    ) -> Result<Vec<WalkedLine>, WalkError> {
        let DomainWalk { spec, divergences, instructions, only, most_bits, file } = *self;
        let environments: BTreeSet<String> = engines.iter().map(|(_, environment)| environment.to_string()).collect();
        let header = WalkHeader {
            exhaustive: FORMAT,
            specification: spec.fingerprint.clone(),
            environment: environments.into_iter().collect::<Vec<_>>().join(", "),
        };
        let mut done = Done::open(file, &header)?;
        let mut walks: Vec<OpenWalk<'_>> = Vec::new();
        for (engine, environment) in engines {
            let lines = instructions.iter().flat_map(|instruction| lines(spec, instruction, environment));
            let wanted = |(bits, case): &(u16, LineCase)| {
                *bits <= most_bits && only.is_none_or(|only| opcode(&case.line) == only)
            };
            let version = || EngineVersion::of(engine.id());
            walks.extend(lines.filter(wanted).map(|(bits, case)| OpenWalk {
                engine: *engine,
                version: version(),
                case,
                bits,
            }));
        }
        walks.sort_by_key(|walk| walk.bits);
        let parts = walks.iter().flat_map(|walk| (0..walk.domain()).step_by(PART as usize).map(move |at| (walk, at)));
        let name = |walk: &OpenWalk<'_>| (walk.engine.id().to_string(), walk.case.line.clone());
        let open: Vec<_> = parts.filter(|(walk, at)| !done.has(&name(walk), *at)).collect();
        progress.planned.fetch_add(open.len() as u64, std::sync::atomic::Ordering::Relaxed);
        let noted = Mutex::new(&mut done);
        open.par_iter().try_for_each(|(walk, at)| -> Result<(), WalkError> {
            if progress.stopped() {
                return Ok(());
            }
            let counts = walk.part(spec, divergences, *at)?;
            // The answers of an interrupted engine are not results.
            if progress.stopped() {
                return Ok(());
            }
            progress.done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            progress.cases.fetch_add(counts.inputs, std::sync::atomic::Ordering::Relaxed);
            let (engine, line) = name(walk);
            noted.lock().unwrap_or_else(PoisonError::into_inner).note(WalkedPart { engine, line, at: *at, counts })?;
            Ok(())
        })?;
        let all = walks.iter().map(|walk| {
            let (engine, line) = name(walk);
            let mut counts = WalkCounts::default();
            done.parts(&(engine.clone(), line.clone())).for_each(|part| counts.add(part));
            WalkedLine { engine, line, domain: walk.domain(), counts }
        });
        Ok(all.collect())
    }
}

/// The opcode of a line, with modifiers.
fn opcode(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or(line)
}

/// The parts that are done, and the file with a line for each.
struct Done {
    file: File,
    parts: BTreeMap<(String, String), BTreeMap<u64, WalkCounts>>,
}

impl Done {
    fn open(path: &Path, header: &WalkHeader) -> Result<Self, WalkError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(why) if why.kind() == io::ErrorKind::NotFound => String::new(),
            Err(why) => return Err(why.into()),
        };
        // The last line may be half written.
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.set_len(whole as u64)?;
        io::Seek::seek(&mut file, io::SeekFrom::End(0))?;
        let mut done = Self { file, parts: BTreeMap::new() };
        let mut lines = text[..whole].lines().enumerate();
        match lines.next() {
            None => done.write(&serde_json::to_string(header).map_err(io::Error::from)?)?,
            Some((_, first)) => match serde_json::from_str::<WalkHeader>(first) {
                Ok(known) if known == *header => {}
                Ok(_) => return Err(WalkError::Other),
                Err(_) => return Err(WalkError::Line(1)),
            },
        }
        for (at, line) in lines {
            let part: WalkedPart = serde_json::from_str(line).map_err(|_| WalkError::Line(at + 1))?;
            done.keep(part);
        }
        Ok(done)
    }

    fn keep(&mut self, part: WalkedPart) {
        self.parts.entry((part.engine, part.line)).or_default().insert(part.at, part.counts);
    }

    /// True if each input of a part has a result.
    fn has(&self, name: &(String, String), at: u64) -> bool {
        let part = self.parts.get(name).and_then(|parts| parts.get(&at));
        part.is_some_and(|counts| counts.skipped.is_none())
    }

    fn parts(&self, name: &(String, String)) -> impl Iterator<Item = &WalkCounts> {
        self.parts.get(name).into_iter().flat_map(BTreeMap::values)
    }

    fn note(&mut self, part: WalkedPart) -> io::Result<()> {
        self.write(&serde_json::to_string(&part)?)?;
        self.keep(part);
        Ok(())
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        self.file.write_all(format!("{line}\n").as_bytes())?;
        self.file.sync_data()
    }
}
