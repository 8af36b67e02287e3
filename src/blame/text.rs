//! The answer as text for a terminal, and as JSON.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BlameRow, BlameVerdict, BlamedKernel, BorderedCause, Meaning};
use crate::engine::ListedInstruction;
use crate::kernel_case::{KernelCase, KernelResult};
use crate::plural::counted;

/// The meaning of a kernel with its launch, by the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BlameMeaning {
    /// The whole result is defined.
    Defined,
    /// Some bytes of the result may be anything.
    PartlyUndefined,
    /// The result depends on something that the manual leaves open.
    Undefined,
    /// A trap or a fault ends it.
    Traps,
    /// The reference does not execute it.
    Unknown,
}

/// The answer of `blame`, as JSON.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BlameReport {
    /// The entry that was launched.
    pub entry: String,
    /// The meaning of the kernel, by the reference.
    pub meaning: BlameMeaning,
    /// The reason if there is no result, with the line; the undefined bytes if there are any.
    pub why: String,
    /// The verdict on each engine.
    pub engines: Vec<BlameRow>,
    /// The causes of what is wrong.
    pub causes: Vec<BlamedLines>,
    /// True if the search was stopped before its end: there may be other causes.
    pub interrupted: bool,
}

/// Lines that are compiled wrong, and where.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BlamedLines {
    /// The lines of the kernel, by their numbers, each with its text.
    pub kernel: Vec<(usize, String)>,
    /// The listed divergence that they are; none if they are new.
    pub listed: Option<String>,
    /// A listed divergence whose lines are among those of a kernel that could not be reduced further, and may be why it is wrong.
    pub resembles: Option<String>,
    /// The reduced lines.
    pub reduced: Vec<String>,
    /// The values that show it, in words.
    pub values: String,
    /// The first engine that has it.
    pub engine: String,
    /// The command that compiles the module, in a file `x.ptx`.
    pub command: String,
    /// A whole module that shows it.
    pub module: String,
    /// The machine code of the entry, with what the reduced lines became marked; empty if there is none.
    pub code: Vec<ListedInstruction>,
    /// The verdict of each engine on that module.
    pub engines: Vec<BlameRow>,
}

impl BlameReport {
    /// Of an answer about a case.
    pub fn new(case: &KernelCase, blame: &BlamedKernel) -> Self {
        let (meaning, why) = meaning(case, &blame.meaning);
        let entry = case.launches.first().map(|launch| launch.entry.clone()).unwrap_or_default();
        let causes = blame.causes.iter().map(|cause| lines(case, cause)).collect();
        Self { entry, meaning, why, engines: blame.rows.clone(), causes, interrupted: blame.interrupted }
    }

    /// How many engines are wrong, or die.
    pub fn blamed(&self) -> usize {
        let is_bad = |row: &&BlameRow| matches!(row.verdict, BlameVerdict::Wrong | BlameVerdict::Crashes);
        self.engines.iter().filter(is_bad).count()
    }
}

fn lines(case: &KernelCase, of: &BorderedCause) -> BlamedLines {
    let text = &case.module;
    let number = |at: usize| 1 + text[..at].bytes().filter(|byte| *byte == b'\n').count();
    let kernel = of
        .cause
        .at
        .iter()
        .map(|at| (number(at.start), text[at.clone()].trim().trim_end_matches(';').to_owned()))
        .collect();
    BlamedLines {
        kernel,
        listed: of.cause.listed.clone(),
        resembles: of.cause.resembles.clone(),
        reduced: of.cause.lines.clone(),
        values: of.cause.values.clone(),
        engine: of.engine.clone(),
        command: of.command.clone(),
        module: of.cause.case.module.to_string(),
        code: of.code.clone(),
        engines: of.rows.clone(),
    }
}

/// The kind of a meaning, and its reason.
fn meaning(case: &KernelCase, of: &Meaning) -> (BlameMeaning, String) {
    match of {
        Meaning::Result(result) => match undefined(case, result) {
            Some(why) => (BlameMeaning::PartlyUndefined, why),
            None => (BlameMeaning::Defined, String::new()),
        },
        Meaning::Undefined(why) => (BlameMeaning::Undefined, why.clone()),
        Meaning::Traps(why) => (BlameMeaning::Traps, why.clone()),
        Meaning::Unknown(why) => (BlameMeaning::Unknown, why.clone()),
    }
}

/// The first undefined byte of each buffer that has some.
fn undefined(case: &KernelCase, result: &KernelResult) -> Option<String> {
    let of = |name: &String, bits: &Vec<u8>| {
        let first = bits.iter().position(|bits| *bits != 0)?;
        let count = bits.iter().filter(|bits| **bits != 0).count();
        Some(format!("{} of `{name}`, from byte {first} on", counted(count, "byte")))
    };
    let known = case.buffers.iter().filter_map(|buffer| of(&buffer.name, result.undefined.get(&buffer.name)?));
    let all: Vec<String> = known.collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// The answer for a terminal.
pub fn blame_text(report: &BlameReport) -> String {
    let mut text = String::new();
    let (entry, why) = (&report.entry, &report.why);
    // Writing to a String cannot fail.
    let _ = match report.meaning {
        BlameMeaning::Defined => {
            writeln!(text, "`{entry}` has one meaning for these inputs, and this is what machine code makes of it:\n")
        }
        BlameMeaning::PartlyUndefined => writeln!(
            text,
            "`{entry}` leaves a part of its result undefined, which may be anything: {why}\nThe rest, as machine code:\n"
        ),
        BlameMeaning::Undefined => writeln!(
            text,
            "The result of `{entry}` is undefined for these inputs, so no assembler can be wrong:\n  {why}\n"
        ),
        BlameMeaning::Traps => writeln!(text, "`{entry}` ends in a trap or a fault by its own text:\n  {why}\n"),
        BlameMeaning::Unknown => writeln!(text, "It is not known what `{entry}` means:\n  {why}\n"),
    };
    if report.meaning != BlameMeaning::Undefined || report.blamed() > 0 {
        table(&mut text, &report.engines);
        reasons(&mut text, &report.engines);
        results(&mut text, &report.engines);
    }
    if report.interrupted {
        text.push_str("interrupted: this is what was known by then\n");
    } else if !report.engines.is_empty() && report.engines.iter().all(|row| row.verdict == BlameVerdict::Right) {
        text.push_str(ALL_RIGHT);
    }
    for cause in &report.causes {
        text.push_str(&cause_text(cause));
    }
    text
}

/// The builds as rows, targets and levels as columns; builds with the same verdicts, one after the other, are one row.
fn table(text: &mut String, rows: &[BlameRow]) {
    let mut columns: Vec<(&str, u8)> = Vec::new();
    let mut builds: Vec<(&str, Vec<&BlameRow>)> = Vec::new();
    for row in rows {
        let column = (row.target.as_str(), row.level);
        if !columns.contains(&column) {
            columns.push(column);
        }
        match builds.iter_mut().find(|(version, _)| *version == row.version) {
            Some((_, rows)) => rows.push(row),
            None => builds.push((&row.version, vec![row])),
        }
    }
    let verdicts = |rows: &[&BlameRow]| -> Vec<String> {
        let of = |column: &(&str, u8)| rows.iter().find(|row| (row.target.as_str(), row.level) == *column);
        let word = |row: &&BlameRow| match &row.result {
            Some(result) => format!("{} {result}", row.verdict.word()),
            None => row.verdict.word().to_owned(),
        };
        columns.iter().map(|column| of(column).map(word).unwrap_or_default()).collect()
    };
    let mut groups: Vec<(Vec<&str>, Vec<String>)> = Vec::new();
    for (version, rows) in &builds {
        let of_build = verdicts(rows);
        match groups.last_mut() {
            Some((versions, known)) if *known == of_build => versions.push(version),
            _ => groups.push((vec![version], of_build)),
        }
    }
    let name = |versions: &[&str]| match versions {
        [only] => (*only).to_owned(),
        [newest, .., oldest] => format!("{oldest} to {newest} ({} builds)", versions.len()),
        [] => String::new(),
    };
    let width = groups.iter().map(|(versions, _)| name(versions).len()).max().unwrap_or(0).max("ptxas".len());
    let _ = write!(text, "{:width$}", "ptxas");
    for (target, level) in &columns {
        let _ = write!(text, "  {:>11}", format!("{target} -O{level}"));
    }
    text.push('\n');
    for (versions, verdicts) in &groups {
        let _ = write!(text, "{:width$}", name(versions));
        verdicts.iter().for_each(|verdict| {
            let _ = write!(text, "  {verdict:>11}");
        });
        text.push('\n');
    }
    text.push('\n');
}

/// The sentence where nothing is wrong.
const ALL_RIGHT: &str = "All are right: this is what the text computes. If it should compute something else, look at the front end \
                         (--against compares two modules), other inputs, and other targets: docs/blame.md, \"If all are right\".\n";

/// The different results of machine code, where the reference has none.
fn results(text: &mut String, rows: &[BlameRow]) {
    let mut known: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in rows {
        let Some(result) = &row.result else { continue };
        match known.iter_mut().find(|(of, _)| of == result) {
            Some((_, engines)) => engines.push(&row.engine),
            None => known.push((result, vec![&row.engine])),
        }
    }
    let _ = match known.len() {
        0 => return,
        1 => writeln!(text, "All machine code that was executed computes the same; whether it is right is not known."),
        many => writeln!(
            text,
            "Machine code computes {many} different results: some of it is wrong, or the kernel is undefined."
        ),
    };
    for (result, engines) in known.iter().filter(|_| known.len() > 1) {
        let _ = writeln!(text, "  {result}: {}", engines.join(", "));
    }
}

/// The different reasons of verdicts, each once with the first engine.
fn reasons(text: &mut String, rows: &[BlameRow]) {
    let mut said: Vec<(BlameVerdict, &str)> = Vec::new();
    for row in rows.iter().filter(|row| !row.why.is_empty()) {
        if said.contains(&(row.verdict, &row.why)) {
            continue;
        }
        said.push((row.verdict, &row.why));
        let _ = writeln!(text, "{}: {}: {}", row.engine, row.verdict.word(), row.why);
    }
}

/// A cause as a text that can be sent: the lines, the module, the command, and the builds.
fn cause_text(of: &BlamedLines) -> String {
    let mut text = String::new();
    let _ = match (&of.listed, &of.resembles) {
        (Some(id), _) => writeln!(text, "\nCause: known as `{id}` (docs/defects)"),
        (None, Some(id)) => writeln!(text, "\nCause: not known; this kernel has the lines of `{id}`, which may be why"),
        (None, None) => writeln!(text, "\nCause: not listed yet"),
    };
    if of.kernel.len() <= MOST_LINES {
        for (number, line) in &of.kernel {
            let _ = writeln!(text, "  line {number:<5} {line};");
        }
    }
    if !of.values.is_empty() {
        let _ = writeln!(text, "reduced:");
        of.reduced.iter().for_each(|line| {
            let _ = writeln!(text, "  {line}");
        });
        let _ = writeln!(text, "  {}", of.values);
    }
    let _ = writeln!(text, "\n{}, and this is the module:\n", of.command);
    of.module.lines().for_each(|line| {
        let _ = writeln!(text, "    {line}");
    });
    if (1..=MOST_CODE).contains(&of.code.len()) {
        let _ = writeln!(text, "\nmachine code of {}, and what these lines became (nvdisasm -c):\n", of.engine);
        of.code.iter().for_each(|line| {
            let _ = writeln!(text, "  {} {}", if line.marked { '>' } else { ' ' }, line.text);
        });
    }
    text.push('\n');
    table(&mut text, &of.engines);
    text
}

/// The most instructions of machine code that are shown.
const MOST_CODE: usize = 100;
/// The most lines of a kernel that are shown; the module has all of them.
const MOST_LINES: usize = 12;
