//! The differences for a terminal.

use super::{Changed, ReportDiff};
use crate::engine::words::visible;

/// Columns.
const WIDTH: usize = 100;
/// Entries of a list that are shown.
const ENTRIES: usize = 20;
/// Of numbers alone.
const NUMBERS: usize = 5;

pub(super) fn render(diff: &ReportDiff) -> String {
    let mut lines: Vec<String> = Vec::new();
    if !diff.setting.is_empty() {
        lines.push("the runs were not asked the same:".to_owned());
        lines.extend(changes(&diff.setting, ENTRIES));
        lines.push(String::new());
    }
    for section in &diff.sections {
        for (words, facts) in
            [(&section.appeared_words, &section.appeared), (&section.vanished_words, &section.vanished)]
        {
            if !facts.is_empty() {
                lines.push(format!("{}: {} {words}", section.section, facts.len()));
                lines.extend(facts.iter().take(ENTRIES).map(|fact| entry(fact)));
                lines.extend(more(facts.len(), ENTRIES));
            }
        }
        if !section.changed.is_empty() {
            lines.push(format!("{}: {} changed", section.section, section.changed.len()));
            lines.extend(changes(&section.changed, ENTRIES));
        }
    }
    for section in diff.sections.iter().filter(|section| !section.numbers.is_empty()) {
        lines.push(format!("{}: {} with other numbers only", section.section, section.numbers.len()));
        lines.extend(changes(&section.numbers, NUMBERS));
    }
    lines.push(if diff.matters { "the reports differ" } else { "nothing differs that matters" }.to_owned());
    lines.join("\n") + "\n"
}

/// The number of facts beyond those that are shown, in words.
fn more(count: usize, most: usize) -> Option<String> {
    (count > most).then(|| format!("  and {} more: --json lists all", count - most))
}

fn changes(changes: &[Changed], most: usize) -> Vec<String> {
    let shown = changes.iter().take(most).flat_map(|change| {
        let both = format!("{}: {} -> {}", change.what, change.a, change.b);
        if both.chars().count() + 2 <= WIDTH && !both.contains('\n') {
            vec![entry(&both)]
        } else {
            vec![entry(&change.what), entry(&format!("  a: {}", change.a)), entry(&format!("  b: {}", change.b))]
        }
    });
    shown.chain(more(changes.len(), most)).collect()
}

/// One line of limited width.
fn entry(text: &str) -> String {
    let text = visible(text).replace(['\n', '\t'], " ");
    let count = text.chars().count();
    if count + 2 <= WIDTH {
        return format!("  {text}");
    }
    let kept: String = text.chars().take(WIDTH - 5).collect();
    format!("  {kept}...")
}
