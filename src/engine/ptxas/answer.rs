//! One process asked about lines: the modules it is given, and its messages by line.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use super::diagnostics::{self, Message, file_name, function_name};
use super::process::End;
use super::{Arch, Ptxas};
use crate::engine::Batch;

/// A statement that is refused without ending the pass: its message shows how far the pass came.
const MARK: &str = "add 0;";
/// What the start of a module may be judged by instead of itself: a statement of our own. After a
/// fatal error, modifiers that were pending are added to the next file's first statement.
const ABSORBER: &str = "ret;";
/// A file that is no module.
const STOP: &str = "stop.ptx";

/// How lines are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Checked only; each module starts with a statement of our own.
    Check,
    /// The same in one module, with a mark before the first and behind every line.
    Marked,
    /// Code is generated, so that no statement of ours may get in the way.
    Generate,
}

/// What a process said about the lines it was asked about, which are known by position.
#[derive(Debug)]
pub(super) struct Answer {
    /// How it ended; an end that only our stop file caused is `Exited(0)`.
    pub(super) end: End,
    /// Messages on a line, in order.
    pub(super) own: Vec<(usize, String)>,
    /// Lines that were not looked at, behind a fatal error in their module.
    pub(super) unseen: Vec<Range<usize>>,
    /// Modules that an error in front of their first line leaves without an answer.
    pub(super) lost: Vec<(Range<usize>, String)>,
    /// Messages that belong to no line.
    pub(super) loose: Vec<String>,
    /// The last line with a message, or what stands behind the module that it was fatal to.
    pub(super) reached: usize,
    /// How many marks were seen, from the first without a gap.
    pub(super) marks: usize,
}

/// Asks one process about `lines` (indices into the batch), `chunk` of them a module.
pub(super) fn ask(
    ptxas: &Ptxas,
    batch: &Batch<'_>,
    arch: &Arch,
    directory: &Path,
    lines: &[usize],
    chunk: usize,
    manner: Manner,
) -> std::io::Result<Answer> {
    let mut text = Vec::new();
    let mut first = 0;
    let mut modules = 0;
    // Without lines the scaffold itself is asked about.
    let chunks = if lines.is_empty() { vec![lines] } else { lines.chunks(chunk.max(1)).collect() };
    let mut names = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        text.clear();
        if manner != Manner::Generate {
            text.push(ABSORBER);
        }
        if manner == Manner::Marked {
            text.push(MARK);
        }
        for &line in chunk {
            text.push(batch.lines[line]);
            if manner == Manner::Marked {
                text.push(MARK);
            }
        }
        let (module, start) = batch.scaffold.module(&batch.environment, &function_name(modules), &text);
        first = start;
        names.push(file_name(modules));
        std::fs::write(directory.join(file_name(modules)), module)?;
        modules += 1;
    }
    let mut arguments = vec!["-arch", &arch.value];
    if batch.scaffold.separate {
        arguments.push("--compile-only");
    }
    arguments.extend(names.iter().map(String::as_str));
    if arch.stopped {
        std::fs::write(directory.join(STOP), "stop\n")?;
        arguments.push(STOP);
    }
    arguments.extend(["-o", "/dev/null"]);
    ptxas.count(modules, lines.len());
    let (end, printed) = ptxas.run(directory, &arguments, lines.len())?;
    let layout = Layout { lines: lines.len(), chunk: chunk.max(1), first, manner };
    let mut answer = layout.read(end, diagnostics::parse(&printed));
    if arch.stopped && answer.is_silent() && end == End::Exited(255) {
        answer.end = End::Exited(0);
    }
    Ok(answer)
}

/// Where lines stand in the modules of one process.
struct Layout {
    lines: usize,
    chunk: usize,
    /// The line of the module's text on which its first statement stands.
    first: usize,
    manner: Manner,
}

/// What stands at a place in a module.
enum Place {
    Header,
    Absorber,
    Line(usize),
    Mark(usize),
    Trailer,
}

impl Layout {
    /// The positions of a module's lines.
    fn module(&self, file: usize) -> Range<usize> {
        let start = (file * self.chunk).min(self.lines);
        start..(start + self.chunk).min(self.lines)
    }

    fn place(&self, file: usize, line: usize) -> Place {
        let Some(mut statement) = line.checked_sub(self.first) else { return Place::Header };
        if self.manner != Manner::Generate {
            if statement == 0 {
                return Place::Absorber;
            }
            statement -= 1;
        }
        if self.manner == Manner::Marked {
            if statement % 2 == 0 {
                return Place::Mark(statement / 2);
            }
            statement /= 2;
        }
        let module = self.module(file);
        let position = module.start + statement;
        if position < module.end { Place::Line(position) } else { Place::Trailer }
    }

    fn read(&self, end: End, messages: Vec<Message>) -> Answer {
        let mut answer = Answer {
            end,
            own: Vec::new(),
            unseen: Vec::new(),
            lost: Vec::new(),
            loose: Vec::new(),
            reached: 0,
            marks: 0,
        };
        for Message { place, fatal, text } in messages {
            let Some((file, line)) = place else {
                answer.loose.push(text);
                continue;
            };
            let module = self.module(file);
            match self.place(file, line) {
                Place::Header => answer.lost.push((module, text)),
                // Behind another file its faults are that file's.
                Place::Absorber if file == 0 || fatal => answer.lost.push((module, text)),
                Place::Absorber => {}
                Place::Line(position) => {
                    answer.own.push((position, text));
                    answer.reached = answer.reached.max(position);
                    if fatal {
                        answer.unseen.push(position + 1..module.end);
                        answer.reached = answer.reached.max(module.end);
                    }
                }
                Place::Mark(position) if position == answer.marks && !fatal => answer.marks += 1,
                Place::Mark(_) => {}
                Place::Trailer if module.len() == 1 => answer.own.push((module.start, text)),
                Place::Trailer => answer.loose.push(text),
            }
        }
        answer
    }
}

impl Answer {
    /// Whether nothing was said against any line.
    pub(super) fn is_silent(&self) -> bool {
        self.own.is_empty() && self.lost.is_empty() && self.loose.is_empty()
    }
}

/// How a process ended that did not end by itself, in words; none where it did.
pub(super) fn death(ptxas: &Ptxas, end: End) -> Option<String> {
    match end {
        End::Exited(_) => None,
        End::Signal(signal) => Some(format!("signal {signal}")),
        End::Flooded => Some(format!("more than {} MiB of messages", ptxas.limits.output >> 20)),
        End::OutOfTime => Some("out of time".to_owned()),
    }
}

/// Texts as one: each once, in order, not more than a reader wants.
pub(super) fn join<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 8;
    let mut kept: Vec<&str> = Vec::new();
    for text in texts {
        if kept.len() == MOST {
            break;
        }
        if !kept.contains(&text) {
            kept.push(text);
        }
    }
    let mut joined = String::new();
    for text in kept {
        if !joined.is_empty() {
            joined.push('\n');
        }
        let _ = write!(joined, "{text}");
    }
    joined
}
