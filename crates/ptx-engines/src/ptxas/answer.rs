//! Asks one process about lines: writes its modules, and attributes its messages to lines.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use super::diagnostics::{self, Message, MessagePlace, STOP, Severity};
use super::mode::AskMode;
use super::writer::{BatchWriter, ModuleLines};
use super::{Arch, ProcessLimits, Ptxas};
use crate::child::End;
use crate::words::shown;
use crate::{Batch, Outcome};
use ptx_spec::environment::Version;
use ptx_spec::ptx::Context;

/// The signal that kills a process from outside, for example when the machine runs out of memory.
pub(super) const KILL: i32 = 9;
/// The first PTX version that supports separate compilation.
const SEPARATE_SINCE: Version = Version { major: 3, minor: 1 };

/// The complaints of a process about its lines, which are identified by position.
#[derive(Debug)]
pub(super) struct Complaints {
    /// How the process ended; `Exited(0)` if only our stop file caused an error.
    pub(super) end: End,
    /// Messages about a line, in order.
    pub(super) own: Vec<(usize, String)>,
    /// Lines that were not read, because they follow a fatal error in their module.
    pub(super) unseen: Vec<Range<usize>>,
    /// Modules without an answer, because of an error before their first line.
    pub(super) lost: Vec<(Range<usize>, String)>,
    /// Messages without a line.
    pub(super) loose: Vec<String>,
    /// The last line with a message; if the message was fatal, the end of its module.
    pub(super) reached: usize,
    /// The number of marks seen before the first missing one.
    pub(super) marks: usize,
    /// If code was generated: lines whose address size differs from the module's, by size in bits. One such line changes the
    /// size for the whole process, so the others may get other messages than they would alone.
    pub(super) other_address_sizes: BTreeMap<usize, BTreeSet<usize>>,
    /// The number of errors in the assembler's own macros, which name no line. `reached` and `marks` tell how far the
    /// pass came before the first one.
    pub(super) macro_errors: usize,
}

/// Asks one process about these modules, which has this time beside that for each line.
///
/// # Errors
/// If the assembler or its files cannot be used, or the assembler no longer answers.
pub(super) fn ask(
    ptxas: &Ptxas,
    writer: &BatchWriter<'_>,
    arch: &Arch,
    modules: &[ModuleLines<'_>],
    mode: AskMode,
    time: Duration,
) -> io::Result<Complaints> {
    let (names, starts) = writer.write(modules, mode)?;
    let arguments = arguments(writer.first(), arch, &names, mode);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let layout = Layout::new(modules, &starts, mode);
    ptxas.binary.count(names.len(), layout.lines);
    let (end, printed) = run(ptxas, writer.first(), arch, (writer.path(), &arguments), layout.lines, time)?;
    let read = if mode == AskMode::Check { diagnostics::errors } else { diagnostics::warnings_and_errors };
    let mut complaints = layout.read(end, read(&printed));
    if complaints.loose.iter().any(|text| text == "Memory allocation failure") {
        complaints.end = End::OutOfMemory;
    }
    if arch.stopped && complaints.is_silent() && end == End::Exited(255) {
        complaints.end = End::Exited(0);
    }
    Ok(complaints)
}

/// The arguments for modules with these names.
pub(super) fn arguments(batch: &Batch<'_>, arch: &Arch, names: &[String], mode: AskMode) -> Vec<String> {
    let mut arguments = vec!["-arch".to_owned(), arch.value.clone()];
    // A function that nothing calls is deleted before code is generated, unless another module may call it.
    let uncalled = arch.generates() && mode == AskMode::Generate && batch.scaffold.context == Context::Function;
    if batch.scaffold.separate || uncalled && batch.environment.ptx >= SEPARATE_SINCE {
        arguments.push("--compile-only".to_owned());
    }
    arguments.extend_from_slice(names);
    arguments.extend(arch.stopped.then(|| STOP.to_owned()));
    arguments.extend(["-o", "/dev/null"].map(str::to_owned));
    arguments
}

/// The number of deaths in a row after which the assembler is asked about an empty module.
const DEATHS: u32 = 24;

/// Runs the assembler, unless it is abandoned. If it does not end, or died often in a row, it is asked about an empty
/// module; if it does not answer that either, it is abandoned.
pub(super) fn run(
    ptxas: &Ptxas,
    batch: &Batch<'_>,
    arch: &Arch,
    (directory, arguments): (&Path, &[&str]),
    lines: usize,
    time: Duration,
) -> io::Result<(End, Vec<u8>)> {
    let given_up = || {
        let in_code = || ptxas.code_health.given_up().filter(|_| arch.generates());
        let why = ptxas.health.given_up().or_else(|| Some(format!("in code generation, {}", in_code()?)));
        why.map_or(Ok(()), |why| Err(io::Error::other(why)))
    };
    given_up()?;
    if arch.stopped {
        std::fs::write(directory.join(STOP), "stop\n")?;
    }
    let started = Instant::now();
    let (end, printed) = ptxas.binary.run_within(time, directory, arguments, lines)?;
    let waited = started.elapsed();
    let doubtful = match death(&ptxas.binary.limits, end) {
        // Deaths alone are no reason to abandon it, however many there are.
        Some(how) => ptxas.health.failed_again(&how, u32::MAX).is_multiple_of(DEATHS) || end == End::OutOfTime,
        None => {
            ptxas.health.answered(waited);
            if arch.generates() {
                ptxas.code_health.answered(waited);
            }
            false
        }
    };
    if doubtful && ptxas.try_arch(batch.environment.target, arch).is_err() {
        ptxas.health.give_up("it no longer answers");
        given_up()?;
    }
    if end == End::OutOfTime {
        ptxas.health_of(arch).hung(waited, ptxas.binary.limits.patience);
    }
    Ok((end, printed))
}

/// The positions of lines in the modules of one process.
struct Layout {
    lines: usize,
    modules: Vec<ModuleSpan>,
    mode: AskMode,
}

/// The positions of a module's lines, and the text line of its first statement.
struct ModuleSpan {
    lines: Range<usize>,
    first: usize,
}

/// A part of a module.
enum ModulePart {
    Header,
    Absorber,
    Line(usize),
    Mark(usize),
    Trailer,
}

impl Layout {
    fn new(modules: &[ModuleLines<'_>], starts: &[usize], mode: AskMode) -> Self {
        let mut lines = 0;
        let span = |(module, &first): (&ModuleLines<'_>, &usize)| {
            let start = lines;
            lines += module.lines.len();
            ModuleSpan { lines: start..lines, first }
        };
        let modules = modules.iter().zip(starts).map(span).collect();
        Self { lines, modules, mode }
    }

    fn spot(&self, module: &ModuleSpan, line: usize) -> ModulePart {
        let Some(mut statement) = line.checked_sub(module.first) else { return ModulePart::Header };
        if self.mode != AskMode::Generate {
            if statement == 0 {
                return ModulePart::Absorber;
            }
            statement -= 1;
        }
        if self.mode == AskMode::Marked {
            if statement % 2 == 0 {
                return ModulePart::Mark(statement / 2);
            }
            statement /= 2;
        }
        let position = module.lines.start + statement;
        if position < module.lines.end { ModulePart::Line(position) } else { ModulePart::Trailer }
    }

    fn read(&self, end: End, messages: Vec<Message>) -> Complaints {
        let mut answer = Complaints {
            end,
            own: Vec::new(),
            unseen: Vec::new(),
            lost: Vec::new(),
            loose: Vec::new(),
            reached: 0,
            marks: 0,
            other_address_sizes: BTreeMap::new(),
            macro_errors: 0,
        };
        for message in messages {
            let warning = message.severity == Severity::Warning;
            match message.place {
                MessagePlace::AddressSize { bits, line } => {
                    // Code is generated for one module per process.
                    if let Some(ModulePart::Line(position)) = self.modules.first().map(|only| self.spot(only, line)) {
                        answer.other_address_sizes.entry(bits).or_default().insert(position);
                    }
                }
                MessagePlace::Unknown | MessagePlace::Elsewhere if warning => {}
                MessagePlace::Unknown => answer.loose.push(message.text),
                MessagePlace::Elsewhere if self.mode == AskMode::Spaced && answer.marks < self.lines => {
                    answer.own.push((answer.marks, message.text));
                    answer.macro_errors += 1;
                }
                MessagePlace::Elsewhere => {
                    answer.loose.push(message.text);
                    answer.macro_errors += 1;
                }
                // Our own module after each line.
                MessagePlace::At(file, _) if self.mode == AskMode::Spaced && file % 2 == 1 => {
                    answer.marks = answer.marks.max(file.div_ceil(2));
                }
                MessagePlace::At(file, line) => {
                    let file = if self.mode == AskMode::Spaced { file / 2 } else { file };
                    match self.modules.get(file) {
                        Some(module) => self.place(&mut answer, (file, module), line, message),
                        None if warning => {}
                        None => answer.loose.push(message.text),
                    }
                }
            }
        }
        if self.mode == AskMode::Spaced && answer.marks < self.lines && matches!(end, End::Exited(_)) {
            // If a mark is missing, errors without a position cannot be attributed.
            answer.own.clear();
            answer.unseen.clear();
            answer.lost.clear();
        }
        answer
    }

    fn place(&self, answer: &mut Complaints, (file, module): (usize, &ModuleSpan), line: usize, message: Message) {
        let Message { severity, text, .. } = message;
        let fatal = severity == Severity::Fatal;
        let lines = module.lines.clone();
        match self.spot(module, line) {
            ModulePart::Mark(position) => {
                let next = position == answer.marks && answer.macro_errors == 0;
                if next && severity == Severity::Warning {
                    answer.marks += 1;
                }
            }
            _ if severity == Severity::Warning => {}
            ModulePart::Header => answer.lost.push((lines, text)),
            // After another file, an error here is caused by that file.
            ModulePart::Absorber if file == 0 || fatal => answer.lost.push((lines, text)),
            ModulePart::Absorber => {}
            ModulePart::Line(position) => {
                answer.own.push((position, text));
                if answer.macro_errors == 0 {
                    answer.reached = answer.reached.max(if fatal { lines.end } else { position });
                }
                if fatal {
                    answer.unseen.push(position + 1..lines.end);
                }
            }
            // What an error in a macro leaves pending spoils the next macro of another file, and shows behind its line.
            ModulePart::Trailer if lines.len() == 1 && file > 0 && !answer.has_own(lines.start) => {
                answer.lost.push((lines, text));
            }
            ModulePart::Trailer if lines.len() == 1 => answer.own.push((lines.start, text)),
            ModulePart::Trailer => answer.loose.push(text),
        }
    }
}

impl Complaints {
    /// True if there is a message about a line.
    fn has_own(&self, line: usize) -> bool {
        self.own.iter().any(|(position, _)| *position == line)
    }

    /// True if there was no complaint.
    pub(super) fn is_silent(&self) -> bool {
        self.own.is_empty() && self.lost.is_empty() && self.loose.is_empty()
    }
}

/// Describes the end of a process that did not finish; `None` if it did.
pub(super) fn death(limits: &ProcessLimits, end: End) -> Option<String> {
    match end {
        End::Exited(_) => None,
        End::Interrupted => Some("interrupted".to_owned()),
        End::Signal(signal) => Some(format!("signal {signal}")),
        End::Flooded => Some(format!("more than {} MiB of messages", limits.output >> 20)),
        End::OutOfTime => Some("out of time".to_owned()),
        End::OutOfMemory => Some(
            limits
                .address_space
                .map_or("out of memory".to_owned(), |bytes| format!("out of memory: it may use {} MiB", bytes >> 20)),
        ),
    }
}

/// The outcome of a line with this message. An internal error is a crash, not a verdict.
pub(super) fn refusal(said: String) -> Outcome {
    if said.contains("Internal compiler error") { Outcome::Crashed(said) } else { Outcome::Rejected(said) }
}

/// Joins the messages of one rejection: each once, in order, and only the first few.
///
/// An undeclared name is reported at the end of a pass, which a syntax error in any other line prevents. That message
/// is left out if there are others, so that the result does not depend on the other lines of the process.
pub(super) fn join<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 8;
    const UNDECLARED: &str = "Unknown symbol '";
    let (undeclared, others): (Vec<&str>, Vec<&str>) = texts.into_iter().partition(|text| text.starts_with(UNDECLARED));
    let mut kept: Vec<&str> = Vec::new();
    for text in if others.is_empty() { undeclared } else { others } {
        if kept.len() < MOST && !kept.contains(&text) {
            kept.push(text);
        }
    }
    shown(kept.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_behind_a_line_may_be_of_the_file_before() {
        let span = |at: usize| ModuleSpan { lines: at..at + 1, first: 7 };
        let layout = Layout { lines: 3, modules: (0..3).map(span).collect(), mode: AskMode::Check };
        let at = |file, line, text: &str| Message {
            place: MessagePlace::At(file, line),
            severity: Severity::Fatal,
            text: text.to_owned(),
        };
        let messages = vec![at(0, 8, "mov"), at(1, 9, "near 'ret'"), at(2, 8, "syntax"), at(2, 9, "near 'ret'")];
        let answer = layout.read(End::Exited(255), messages);
        assert_eq!(answer.lost, [(1..2, "near 'ret'".to_owned())]);
        assert_eq!(answer.own.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [0, 2, 2]);
    }

    #[test]
    fn joined_messages_are_few_and_independent_of_other_lines() {
        assert_eq!(join(["b", "a", "b", "Unknown symbol 'x'"]), "b\na");
        assert_eq!(join(["Unknown symbol 'x'", "Unknown symbol 'y'"]), "Unknown symbol 'x'\nUnknown symbol 'y'");
        assert_eq!(join(["1", "2", "3", "4", "5", "6", "7", "8", "9"]).lines().count(), 8);
        assert_eq!(join([]), "");
    }
}
