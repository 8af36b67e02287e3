//! How many instructions are what, in words.

use std::fmt::Write as _;

use ptx_conform::check::Counts;

use ptx_conform::plural::counted;

/// How many unknown opcodes are named.
const NAMED: usize = 12;

/// Two lines on one file.
pub(in crate::cli) fn of_file(counts: &Counts) -> String {
    let mut text = format!("checked {}: {} valid", counted(counts.instructions, "instruction"), counts.valid);
    // Writing to a String cannot fail.
    let _ = write!(text, ", {} invalid", counts.invalid);
    if counts.tolerated > 0 {
        let _ = write!(text, ", {} forbidden by the manual but accepted by every known ptxas", counts.tolerated);
    }
    if counts.unknown() > 0 {
        let _ = write!(text, ", {} of unknown opcodes ({})", counts.unknown(), opcodes(counts));
    }
    if counts.unjudged > 0 {
        let _ = write!(text, ", {} not judged", counts.unjudged);
    }
    let _ = write!(text, "\n{}, {}", counted(counts.errors, "error"), counted(counts.warnings, "warning"));
    for (number, what) in [(counts.unread, "statement"), (counts.skipped, "directive")] {
        if number > 0 {
            let _ = write!(text, "; {} not read", counted(number, what));
        }
    }
    let (declarations, directives) =
        (counted(counts.declarations, "declaration"), counted(counts.directives, "directive"));
    let _ = writeln!(text, "; {declarations}, {directives}");
    text
}

/// The same on all files.
pub(super) fn total(files: usize, unreadable: usize, counts: &Counts) -> String {
    let lost = if unreadable > 0 { format!(" ({unreadable} of them cannot be read)") } else { String::new() };
    format!("in all {}{lost}: {}", counted(files, "file"), of_file(counts))
}

/// The unknown opcodes with their numbers, most frequent first.
fn opcodes(counts: &Counts) -> String {
    let mut sorted: Vec<(&str, u64)> = counts.unknown.iter().map(|(opcode, count)| (opcode.as_str(), *count)).collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let named: Vec<String> = sorted.iter().take(NAMED).map(|(opcode, count)| format!("{opcode} {count}")).collect();
    let more = sorted.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", {}", counted(more, "other opcode")) } else { String::new() };
    named.join(", ") + &more
}
