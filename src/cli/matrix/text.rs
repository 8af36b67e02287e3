//! The matrix for reading, in at most 100 columns.

use std::fmt::Write as _;

use ptx_conform::divergences::EngineVersion;
use ptx_conform::matrix::{AskedEngine, Feature, Matrix, Observation, QueryAnswer, Requirement, Standing};

use crate::cli::output::counted;

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
    for (engines, said) in groups(matrix, feature) {
        wrapped(text, &format!("  {engines}"), 26, &said);
    }
    text.push('\n');
}

/// What the rules behind a feature say, each sentence once, with their ids.
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
    for (engines, said) in groups(matrix, feature) {
        if ![AS_MANUAL, BEYOND].contains(&said.as_str()) {
            wrapped(text, &format!("    {engines}"), NAMES, &said);
        }
    }
}

const AS_MANUAL: &str = "as the manual";
const BEYOND: &str = "needs a later version than it takes, and accepts it nowhere";

/// What an engine was observed to do, compared with the manual.
pub(super) fn answer(observed: &Observation) -> String {
    let open: Vec<String> =
        observed.undecided.iter().map(|(why, count)| format!("{why} in {}", counted(*count, "environment"))).collect();
    let open = if open.is_empty() { String::new() } else { format!("; undecided: {}", open.join(", ")) };
    let listed = match (observed.divergences.as_slice(), observed.unlisted) {
        ([], _) => "no divergence lists it".to_owned(),
        (ids, 0) => format!("listed as {}", ids.join(", ")),
        (ids, _) => format!("partly listed as {}", ids.join(", ")),
    };
    match observed.verdict {
        Standing::Same => AS_MANUAL.to_owned(),
        Standing::Beyond => BEYOND.to_owned(),
        Standing::NotAsked => "not asked: it takes no environment".to_owned(),
        Standing::Undecided => format!("not decided{open}"),
        Standing::Never => format!("DIFFERS: never accepted ({listed})"),
        Standing::Differs => format!("DIFFERS: {} ({listed}){open}", differing(observed)),
    }
}

/// Where an engine has something, if that can be said in short; otherwise where it differs.
fn differing(observed: &Observation) -> String {
    if observed.accepts.ranges.is_empty() {
        return observed.accepts.to_string();
    }
    let places = |from: &[Requirement]| from.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
    let mut parts = Vec::new();
    for (deviation, word) in [(&observed.also, "also"), (&observed.not, "not")] {
        if !deviation.is_none() {
            let count = counted(deviation.environments, "environment");
            parts.push(format!("{word} in {count} from {}", places(&deviation.smallest)));
        }
    }
    parts.join("; ")
}

/// Neighbouring engines with the same answer.
fn groups(matrix: &Matrix, feature: &Feature) -> Vec<(String, String)> {
    let mut groups: Vec<(Vec<&str>, String)> = Vec::new();
    for (engine, observed) in matrix.engines.iter().zip(&feature.observed) {
        let said = answer(observed);
        match groups.last_mut().filter(|(engines, known)| *known == said && same_family(engines[0], &engine.id)) {
            Some((engines, _)) => engines.push(&engine.id),
            None => groups.push((vec![&engine.id], said)),
        }
    }
    groups.into_iter().map(|(engines, said)| (span(&engines), said)).collect()
}

fn same_family(a: &str, b: &str) -> bool {
    a.split('@').next() == b.split('@').next()
}

/// `ptxas 11.8 to 13.5`
fn span(engines: &[&str]) -> String {
    let version = |id: &str| EngineVersion::parse(id).map_or_else(|_| id.to_owned(), |version| version.short());
    let (first, last) = (engines.first().copied().unwrap_or_default(), engines.last().copied().unwrap_or_default());
    let family = first.split('@').next().unwrap_or_default();
    match engines.len() {
        1 => format!("{family} {}", version(first)),
        _ => format!("{family} {} to {}", version(first), version(last)),
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
fn wrapped(text: &mut String, name: &str, column: usize, what: &str) {
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
