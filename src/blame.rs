//! Which builds of an assembler compile a kernel wrong, and which of its lines.
//!
//! The reference interpreter says what the text means; the machine code of each build, target and level is executed beside it. Where
//! it is wrong, the lines are searched for: slices of the kernel, with the values that the reference saw, are compiled as
//! [chains](ptx_kernels); if none of them is wrong by itself, the kernel is made as small as it can be.

mod cause;
mod launch;
mod shrink;
mod text;
mod verdict;

use ptx_kernels::Library;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::campaign::Progress;
use crate::case::InternalError;
use crate::divergences::Divergences;
use crate::engine::sass::Sass;
use crate::engine::{Engine as _, ListedInstruction};
use crate::interpret::{Interpreter, environment_of};
use crate::kernel_case::{KernelAnswer, KernelCase, KernelResult};
use crate::plural::counted;
use crate::ptx::Module;
use crate::spec::Spec;

pub use cause::BlamedCause;
use cause::CauseSearch;
pub use launch::{BufferContents, LaunchBuffer, LaunchFile, LaunchValue, entry_named};
pub use text::{BlameMeaning, BlameReport, BlamedLines, blame_text};
pub use verdict::{BlameVerdict, ExplainedVerdict};

/// The meaning of a kernel by the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The result; some of its bytes may be undefined.
    Result(KernelResult),
    /// No result: it depends on something that the manual leaves open; says on what, and where.
    Undefined(String),
    /// A trap or a fault ends it; says where.
    Traps(String),
    /// An unknown one: the interpreter has no semantics of a line, or a limit was reached.
    Unknown(String),
}

/// The verdict on one build, target and level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlameRow {
    /// The engine: `sass-sm_80-O0@13.5.37`.
    pub engine: String,
    /// The build of `ptxas`.
    pub version: String,
    /// The target that it compiles for.
    pub target: String,
    /// The level of optimization.
    pub level: u8,
    /// The verdict.
    pub verdict: BlameVerdict,
    /// The first wrong bytes, the message of the assembler, or what is not known; empty if it is right.
    pub why: String,
    /// Where the reference has no result: which one the machine code computes, `A`, `B` and so on. Those with the same letter compute
    /// the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

/// A cause, and where it happens.
#[derive(Clone, Debug)]
pub struct BorderedCause {
    /// The cause.
    pub cause: BlamedCause,
    /// The first engine that has it.
    pub engine: String,
    /// The command that compiles its module, which is in `x.ptx`.
    pub command: String,
    /// The machine code that this engine makes of its module, with what its lines became; empty if there is none.
    pub code: Vec<ListedInstruction>,
    /// The verdict of each engine on its module.
    pub rows: Vec<BlameRow>,
}

/// The answer to who is wrong.
#[derive(Clone, Debug)]
pub struct BlamedKernel {
    /// The meaning of the kernel.
    pub meaning: Meaning,
    /// The verdict of each engine, in the order in which they were given.
    pub rows: Vec<BlameRow>,
    /// The causes of what is wrong.
    pub causes: Vec<BorderedCause>,
    /// True if the search was stopped before its end.
    pub interrupted: bool,
}

/// The steps of threads from which slices are made.
const STEPS: usize = 200_000;
/// Engines that are asked at once: starting a disassembler takes as long as compiling for several.
const TOGETHER: usize = 72;
/// The reason where an interrupt came before an answer.
const INTERRUPTED: &str = "interrupted before its end";
/// The most causes that are searched for.
const CAUSES: usize = 6;

/// Executes a kernel on engines and in the reference, and searches for the causes of what is wrong, until `progress` is stopped. `say`
/// gets a line before each search.
///
/// # Errors
/// If the search for a cause contradicts itself.
pub fn blame(
    spec: &Spec,
    divergences: &Divergences,
    engines: &[Sass],
    case: &KernelCase,
    progress: &Progress,
    say: &dyn Fn(&str),
) -> Result<BlamedKernel, InternalError> {
    let interpreter = Interpreter::new(spec);
    let (answer, steps) = interpreter.trace(case, STEPS);
    let meaning = match answer {
        KernelAnswer::Returned(result) => Meaning::Result(result),
        KernelAnswer::Undefined(why) => Meaning::Undefined(why),
        KernelAnswer::Trapped(why) => Meaning::Traps(why),
        KernelAnswer::Skipped(why) | KernelAnswer::Failed(why) => Meaning::Unknown(why),
    };
    let rows = verdicts_on(engines, &answers(engines, case, progress, say), case, &meaning);
    let mut found = BlamedKernel { rows, meaning, causes: Vec::new(), interrupted: false };
    let Ok(environment) = environment_of(&Module::read(&case.module, &spec.isa)) else { return Ok(found) };
    let undefined = match &found.meaning {
        Meaning::Result(result) => cause::undefined(result),
        _ => 0,
    };
    let search =
        CauseSearch { spec, divergences, interpreter: &interpreter, environment, case, steps: &steps, undefined };
    let is_bad = |row: &BlameRow| matches!(row.verdict, BlameVerdict::Wrong | BlameVerdict::Crashes);
    let mut open: Vec<usize> = (0..engines.len()).filter(|at| is_bad(&found.rows[*at])).collect();
    let mut known = None;
    while let Some(&at) = open.first() {
        if found.causes.len() >= CAUSES || progress.stopped() {
            break;
        }
        open.remove(0);
        say(&format!("searching for the cause in {}", found.rows[at].engine));
        let before = ExplainedVerdict { verdict: found.rows[at].verdict, why: found.rows[at].why.clone() };
        let mut causes = Vec::new();
        if before.verdict == BlameVerdict::Wrong {
            if known.is_none() {
                let library = Library::new(spec, environment, &[]).map_err(|why| InternalError(why.to_string()))?;
                known = Some((library, search.slices()?));
            }
            if let Some((library, slices)) = &known {
                causes = search.of_slices(&engines[at], library, slices)?;
            }
        }
        if causes.is_empty() {
            causes.push(search.of_kernel(&engines[at], &before));
        }
        // What an interrupted search has is no cause yet.
        for cause in causes.into_iter().filter(|_| !progress.stopped()) {
            let bordered = bordered(&interpreter, engines, at, cause);
            open.retain(|other| !is_bad(&bordered.rows[*other]));
            if !found.causes.iter().any(|known| known.cause.lines == bordered.cause.lines) {
                found.causes.push(bordered);
            }
        }
    }
    found.interrupted = progress.stopped();
    Ok(found)
}

/// The answers of engines to a case: of many at once, but not of all, so that an interrupt leaves some.
fn answers(engines: &[Sass], case: &KernelCase, progress: &Progress, say: &dyn Fn(&str)) -> Vec<KernelAnswer> {
    let mut answers = Vec::new();
    for part in engines.chunks(TOGETHER) {
        let now = match progress.stopped() {
            true => vec![KernelAnswer::Skipped(INTERRUPTED.to_owned()); part.len()],
            false => Sass::execute_on_all(&part.iter().collect::<Vec<_>>(), case),
        };
        // What an interrupted assembler or disassembler says is no answer.
        let settled = |answer| match answer {
            KernelAnswer::Skipped(_) if progress.stopped() => KernelAnswer::Skipped(INTERRUPTED.to_owned()),
            answer => answer,
        };
        answers.extend(now.into_iter().map(settled));
        if engines.len() > TOGETHER && !progress.stopped() {
            say(&format!("{} of {}", answers.len(), counted(engines.len(), "configuration")));
        }
    }
    answers
}

/// The verdict of each engine on a case with this meaning.
pub(crate) fn verdicts(engines: &[Sass], case: &KernelCase, meaning: &Meaning) -> Vec<BlameRow> {
    let answers = Sass::execute_on_all(&engines.iter().collect::<Vec<_>>(), case);
    verdicts_on(engines, &answers, case, meaning)
}

/// The verdicts on these answers.
fn verdicts_on(engines: &[Sass], answers: &[KernelAnswer], case: &KernelCase, meaning: &Meaning) -> Vec<BlameRow> {
    let results = distinct(answers, meaning);
    let of = |verdict: BlameVerdict, why: &str| ExplainedVerdict { verdict, why: why.to_owned() };
    let verdict = |answer: &KernelAnswer| match (meaning, answer) {
        (Meaning::Result(expected), answer) => ExplainedVerdict::new(case, expected, answer),
        // Whatever a text means, no assembler may die of it.
        (_, KernelAnswer::Failed(_)) => ExplainedVerdict::new(case, &KernelResult::default(), answer),
        (Meaning::Undefined(why), _) => of(BlameVerdict::Undefined, why),
        (Meaning::Traps(why) | Meaning::Unknown(why), _) => of(BlameVerdict::CannotTell, why),
    };
    let row = |(engine, answer): (&Sass, &KernelAnswer)| {
        let ExplainedVerdict { verdict, why } = verdict(answer);
        let configuration = engine.configuration();
        BlameRow {
            engine: engine.id().to_string(),
            version: engine.id().version().to_owned(),
            target: configuration.target.name.to_owned(),
            level: configuration.level(),
            verdict,
            why,
            result: matches!(answer, KernelAnswer::Returned(_))
                .then(|| results.iter().position(|of| *of == answer).map(letter))
                .flatten(),
        }
    };
    engines.iter().zip(answers).map(row).collect()
}

/// The different results that machine code has where the reference has none, in the order of the engines.
fn distinct<'a>(answers: &'a [KernelAnswer], meaning: &Meaning) -> Vec<&'a KernelAnswer> {
    let mut found: Vec<&KernelAnswer> = Vec::new();
    if matches!(meaning, Meaning::Unknown(_)) {
        for answer in answers.iter().filter(|answer| matches!(answer, KernelAnswer::Returned(_))) {
            if !found.contains(&answer) {
                found.push(answer);
            }
        }
    }
    found
}

/// The name of the result at a position: `A`, `B` and so on, after `Z` numbers.
fn letter(at: usize) -> String {
    let of_alphabet = u8::try_from(at).ok().filter(|at| *at < 26).map(|at| char::from(b'A' + at).to_string());
    of_alphabet.unwrap_or_else(|| (at + 1).to_string())
}

/// A cause that one engine has, and the verdicts of all on it.
fn bordered(interpreter: &Interpreter<'_>, engines: &[Sass], at: usize, cause: BlamedCause) -> BorderedCause {
    let meaning = match interpreter.execute(&cause.case) {
        KernelAnswer::Returned(result) => Meaning::Result(result),
        // A module on which an assembler dies needs no result.
        _ => Meaning::Unknown("only that the assembler dies of it is known".to_owned()),
    };
    let rows = verdicts(engines, &cause.case, &meaning);
    let wanted = |line: &str| cause.lines.iter().any(|of| of.trim() == line.trim());
    let numbered = cause.case.module.lines().enumerate().filter(|(_, line)| wanted(line));
    let lines: Vec<usize> = numbered.map(|(at, _)| at + 1).collect();
    let entry = cause.case.launches.first().map_or("", |launch| launch.entry.as_str());
    let code = engines[at].marked_code(&cause.case.module, entry, &lines).unwrap_or_default();
    let options = engines[at].configuration().options().join(" ");
    let command = format!("ptxas {options} x.ptx -o x.cubin");
    BorderedCause { cause, engine: engines[at].id().to_string(), command, code, rows }
}

/// Compares what two modules compute by their texts with the same launch: in words, and as exit code, 0 the same, 1 something
/// else, 2 it cannot be told.
pub fn against(interpreter: &Interpreter<'_>, case: &KernelCase, other: &KernelCase) -> (String, u8) {
    match [interpreter.execute(case), interpreter.execute(other)] {
        [KernelAnswer::Returned(expected), answer @ KernelAnswer::Returned(_)] => {
            let ExplainedVerdict { verdict, why } = ExplainedVerdict::new(case, &expected, &answer);
            match verdict {
                BlameVerdict::Right => {
                    ("both texts compute the same: what differs is made of them later\n".to_owned(), 0)
                }
                _ => (format!("the texts compute different results, so no assembler is to blame: {why}\n"), 1),
            }
        }
        [first, second] => {
            let why = |which: &str, answer: &KernelAnswer| match answer {
                KernelAnswer::Returned(_) => String::new(),
                KernelAnswer::Undefined(why) => format!("the {which} is undefined: {why}\n"),
                KernelAnswer::Trapped(why) => format!("the {which} ends in a trap or a fault: {why}\n"),
                KernelAnswer::Skipped(why) | KernelAnswer::Failed(why) => {
                    format!("the {which} is not executed: {why}\n")
                }
            };
            (why("first", &first) + &why("second", &second), 2)
        }
    }
}

/// The JSON Schema of a [`BlameReport`].
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(BlameReport).to_value()
}

/// The JSON Schema of a [`LaunchFile`].
pub fn launch_schema() -> serde_json::Value {
    schemars::schema_for!(LaunchFile).to_value()
}
