//! The matrix for reading, in at most 100 columns.

use std::fmt::Write as _;

use ptx_conform::matrix::{AskedEngine, Feature, Matrix, QueryAnswer};

use ptx_conform::plural::counted;

/// The most columns.
const WIDTH: usize = 100;
/// Columns of names in lists.
const NAMES: usize = 36;

/// The text: of everything, or of what was asked.
pub(super) fn shown(matrix: &Matrix, answers: Option<&[QueryAnswer]>) -> String {
    let mut text = String::new();
    let list = |text: &mut String, title: &str, which: &[usize]| {
        if !which.is_empty() {
            let _ = writeln!(text, "{title}");
            which.iter().for_each(|&at| row(text, matrix, &matrix.features[at]));
            text.push('\n');
        }
    };
    let all: Vec<usize> = (0..matrix.features.len()).collect();
    match answers {
        None => list(&mut text, "by the manual", &all),
        Some(answers) => {
            for answer in answers {
                if let Some(never) = answer.never.map(|at| &matrix.never[at]) {
                    let _ = writeln!(text, "{}: no valid line has it", never.query);
                    never.because.iter().for_each(|why| wrapped(&mut text, "  by", 14, why));
                    text.push('\n');
                }
                answer.exact.iter().for_each(|&at| block(&mut text, matrix, &matrix.features[at]));
                list(&mut text, "its parts", &answer.parts);
                list(&mut text, "combinations with it that need more, or less, than their parts", &answer.containing);
            }
        }
    }
    for engine in &matrix.engines {
        let _ = writeln!(text, "{}", asked(engine));
    }
    text
}

/// Everything about a feature.
fn block(text: &mut String, matrix: &Matrix, feature: &Feature) {
    let _ = writeln!(text, "{}", feature.name);
    wrapped(text, "  manual", 14, &feature.manual.to_string());
    for (rules, says) in reasons(feature) {
        wrapped(text, "", 14, &format!("{says} ({rules})"));
    }
    wrapped(text, "", 14, &feature.page);
    for line in &feature.lines {
        let place = line.manual.from.first().filter(|_| feature.lines.len() > 1);
        let place = place.map(|place| format!("in {place}: ")).unwrap_or_default();
        wrapped(text, "  line", 14, &format!("{place}{}", line.line));
    }
    for answer in feature.answers(matrix) {
        wrapped(text, &format!("  {}", answer.engines), 26, &answer.says);
    }
    text.push('\n');
}

/// The rules behind a feature in words, each sentence once, with their ids.
fn reasons(feature: &Feature) -> Vec<(String, &str)> {
    let mut reasons: Vec<(String, &str)> = Vec::new();
    for because in &feature.because {
        match reasons.iter_mut().find(|(_, says)| *says == because.says) {
            Some((rules, _)) => {
                let _ = write!(rules, ", {}", because.rule);
            }
            None => reasons.push((because.rule.clone(), &because.says)),
        }
    }
    reasons
}

/// A feature in a list: the manual, and engines where they do not agree with it.
fn row(text: &mut String, matrix: &Matrix, feature: &Feature) {
    wrapped(text, &format!("  {}", feature.name), NAMES, &feature.manual.to_string());
    for answer in feature.answers(matrix).iter().filter(|answer| !answer.standing.agrees()) {
        wrapped(text, &format!("    {}", answer.engines), NAMES, &answer.says);
    }
}

fn asked(engine: &AskedEngine) -> String {
    let lost: Vec<String> = engine.unanswered.iter().map(|(why, count)| format!("{count} {why}")).collect();
    let lost = if lost.is_empty() { String::new() } else { format!("; without an answer: {}", lost.join(", ")) };
    format!(
        "{} was asked about {} in {} of {} environments up to PTX {}{lost}",
        engine.id,
        counted(engine.lines, "line"),
        engine.asked_environments,
        engine.environments,
        engine.newest_ptx
    )
}

/// Writes a text behind a name, from this column on; longer ones go on in further lines.
pub(super) fn wrapped(text: &mut String, name: &str, column: usize, what: &str) {
    let mut line = format!("{name:<column$}");
    if name.chars().count() >= column {
        let _ = writeln!(text, "{name}");
        line = " ".repeat(column);
    }
    let mut empty = true;
    for word in what.split(' ') {
        if !empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(text, "{}", line.trim_end());
            line = " ".repeat(column);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    let _ = writeln!(text, "{}", line.trim_end());
}
