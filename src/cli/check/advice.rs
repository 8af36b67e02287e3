//! The smallest header of a file, in words.

use ptx_conform::check::{CheckedFile, Demand, HeaderStatement, SmallestHeader, smallest_header};
use ptx_conform::judge::needs_in_words;
use ptx_conform::spec::Spec;

use super::super::place::Lines;
use ptx_conform::plural::counted;

/// How many lines are named that are valid nowhere.
const NAMED: usize = 5;
/// How much of a line is shown, in characters.
const SHOWN: usize = 100;

/// The smallest header of a file, line by line.
pub(super) fn advice(spec: &Spec, name: &str, lines: &Lines<'_>, checked: &CheckedFile<'_>) -> Vec<String> {
    let place = |of: &HeaderStatement<'_, '_>| {
        let place = lines.place(of.start());
        format!("{name}:{}:{}: `{}`", place.line, place.column, short(of.text()))
    };
    let mut said = Vec::new();
    match smallest_header(spec, checked) {
        SmallestHeader::Found { ptx, ptx_demand, target, target_demand } => {
            said.push(format!("smallest header: .version {ptx}, .target {target}"));
            said.push(match ptx_demand {
                Demand::Statement(of) => format!("  .version {ptx} is demanded by {}", place(&of)),
                Demand::Target => format!("  .version {ptx} is demanded by .target {target}, which came with it"),
                Demand::First => format!("  .version {ptx} is the oldest"),
            });
            said.push(match target_demand {
                Demand::Statement(of) => format!("  .target {target} is demanded by {}", place(&of)),
                Demand::Target | Demand::First => format!("  .target {target} is the oldest"),
            });
        }
        SmallestHeader::Nowhere(nowhere) => {
            said.push("smallest header: there is none, since statements are valid under no header:".to_owned());
            said.extend(nowhere.iter().take(NAMED).map(|line| format!("  {}", place(line))));
            if nowhere.len() > NAMED {
                said.push(format!("  and statements of {}", counted(nowhere.len() - NAMED, "more kind")));
            }
        }
        SmallestHeader::Conflict(conflict) => {
            said.push(
                "smallest header: there is none, since these statements are not valid under the same:".to_owned(),
            );
            said.extend(conflict.iter().map(|line| match line.needs(&spec.isa).as_slice() {
                [] => format!("  {}", place(line)),
                needs => format!("  {} needs {}", place(line), needs_in_words(needs)),
            }));
        }
    }
    let others = checked.counts.misspelt + checked.counts.unknown() + checked.counts.unjudged;
    let others = counted(others, "instruction");
    said.push(format!("  not considered: {others} of unknown opcodes or not judged"));
    said
}

/// The beginning of a text, on one line.
fn short(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &words[..end]),
        None => words,
    }
}
