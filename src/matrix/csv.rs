//! The matrix as a table for spreadsheets: RFC 4180, one row for each feature.

use super::words::answer;
use super::{Feature, Matrix};

/// The columns before those of the engines.
const COLUMNS: [&str; 10] =
    ["feature", "instruction", "modifiers", "available", "ptx", "target", "gone", "rules", "page", "line"];

impl Matrix {
    /// A table for spreadsheets: RFC 4180, with a header row, and one row for each feature.
    pub fn csv(&self) -> String {
        let engines = self.engines.iter().map(|engine| engine.id.clone());
        let mut table = row(COLUMNS.into_iter().map(str::to_owned).chain(engines));
        for feature in &self.features {
            table += &row(cells(feature).into_iter().chain(feature.observed.iter().map(answer)));
        }
        table
    }
}

fn cells(feature: &Feature) -> [String; 10] {
    let first = feature.manual.from.first();
    let modifiers = feature.modifiers.iter().map(|of| format!("{}={}", of.slot, of.modifier));
    let rules = feature.because.iter().map(|because| because.rule.clone());
    let gone = feature.manual.gone.iter().map(ToString::to_string);
    let list = |words: Vec<String>| words.join("; ");
    [
        feature.name.clone(),
        feature.instruction.clone(),
        list(modifiers.collect()),
        feature.manual.to_string(),
        first.map(|of| of.ptx.to_string()).unwrap_or_default(),
        first.map(|of| of.target.to_string()).unwrap_or_default(),
        list(gone.collect()),
        list(rules.collect()),
        feature.page.clone(),
        feature.lines.first().map(|of| of.line.clone()).unwrap_or_default(),
    ]
}

pub(super) fn row(cells: impl Iterator<Item = String>) -> String {
    format!("{}\r\n", cells.map(|text| cell(&text)).collect::<Vec<_>>().join(","))
}

/// A cell: quoted where that is needed, and never a formula.
fn cell(text: &str) -> String {
    let text = if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text.to_owned() };
    let plain = !text.contains([',', '"', '\r', '\n']);
    if plain { text } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn cells_are_quoted_and_never_formulas() {
        assert_eq!(cell("PTX 8.6"), "PTX 8.6");
        assert_eq!(cell("a, \"b\""), "\"a, \"\"b\"\"\"");
        assert_eq!(cell("@p add, 1"), "\"'@p add, 1\"");
        assert_eq!(cell("=1+1"), "'=1+1");
    }
}
