//! Tables: every combination of the modifiers of some slots, as features and as Markdown.

use super::features::Surveyed;
use super::pairs::{Grid, PairSet};
use super::query::MatrixQuery;
use super::regions::{FormClasses, FormDiagram, LEFT_OUT, Modifier, modifiers};
use super::words::answer;
use super::{Feature, Matrix, QueryError};
use crate::spec::{Instruction, Isa};
use crate::yaml::nearest;

impl<'s> MatrixQuery<'s> {
    /// Each combination of the modifiers of these slots that some valid line has, together with the modifiers of the query.
    ///
    /// # Errors
    /// If the query names no instruction, or the instruction has no such slot.
    pub(super) fn combinations(
        &self,
        isa: &Isa,
        grid: &Grid,
        slots: &[String],
    ) -> Result<Vec<Surveyed<'s>>, QueryError> {
        let Some(instruction) = self.named() else {
            return Err(QueryError::new(format!("`{}`: a table is of one instruction", self.text)));
        };
        let choices: Vec<Vec<Modifier>> =
            slots.iter().map(|slot| self.choices(instruction, slot)).collect::<Result<_, _>>()?;
        let diagrams = FormDiagram::of(instruction);
        let forms: Vec<FormClasses<'_>> = diagrams.iter().map(|form| form.classes(grid)).collect();
        let known = modifiers(instruction);
        let mut found = Vec::new();
        for fixed in self.meant(&known) {
            let before = found.len();
            extend(&forms, grid, &choices, &mut fixed.clone(), &mut found);
            // Of several meanings, the first that has lines is meant.
            if found.len() > before {
                break;
            }
        }
        let new = |(modifiers, region)| Surveyed::new(isa, instruction, &forms, modifiers, region, grid);
        Ok(found.into_iter().map(new).collect())
    }

    /// The modifiers of a slot, in the order of the forms, and leaving it out.
    fn choices(&self, instruction: &Instruction, slot: &str) -> Result<Vec<Modifier>, QueryError> {
        let mut values: Vec<&str> = Vec::new();
        let mut others: Vec<&str> = Vec::new();
        for form in &instruction.forms {
            for axis in form.slots.iter().map(|slot| &form.axes[slot.axis]) {
                match axis.name == slot {
                    true => values.extend(axis.claimed.iter().map(|value| axis.values[usize::from(value)].as_str())),
                    false => others.push(&axis.name),
                }
            }
        }
        if values.is_empty() {
            let near = nearest(slot, others);
            let meant = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err(QueryError::new(format!("`{}` has no slot `{slot}`{meant}", instruction.name)));
        }
        values.retain(|value| *value != LEFT_OUT);
        values.push(LEFT_OUT);
        let mut seen = std::collections::BTreeSet::new();
        values.retain(|value| seen.insert(*value));
        let modifier = |value: &str| Modifier { slots: vec![slot.to_owned()], value: value.to_owned() };
        Ok(values.into_iter().map(modifier).collect())
    }
}

/// Adds the combinations that go on from some modifiers.
fn extend<'m>(
    forms: &[FormClasses<'_>],
    grid: &Grid,
    slots: &'m [Vec<Modifier>],
    chosen: &mut Vec<&'m Modifier>,
    found: &mut Vec<(Vec<&'m Modifier>, PairSet)>,
) {
    let region = forms.iter().fold(grid.none(), |all, form| all.or(&form.region(chosen, grid)));
    match slots.split_first() {
        _ if region.is_empty() => {}
        None => found.push((chosen.clone(), region)),
        Some((slot, rest)) => {
            for modifier in slot {
                chosen.push(modifier);
                extend(forms, grid, rest, chosen, found);
                chosen.pop();
            }
        }
    }
}

/// A row of a table: the combinations of these modifiers, a list for each slot, all have the same cells.
struct TableRow {
    modifiers: Vec<Vec<String>>,
    cells: Vec<String>,
}

impl Matrix {
    /// The features as a table in Markdown, with a column for each of these slots, one for the manual and one for each
    /// engine. Combinations with the same answers are in one row if they are all the combinations of some modifiers of each
    /// slot. Without slots, each feature has a row.
    pub fn markdown(&self, slots: &[String]) -> String {
        let engines = self.engines.iter().map(|engine| engine.id.clone());
        let names = if slots.is_empty() { vec!["feature".to_owned()] } else { slots.to_vec() };
        let header: Vec<String> = names.into_iter().chain(["manual".to_owned()]).chain(engines).collect();
        let mut table = line(&header);
        table += &line(&vec!["---".to_owned(); header.len()]);
        for row in joined(self.features.iter().map(|feature| row(feature, slots)).collect()) {
            let modifiers = row.modifiers.iter().map(|values| listed(values));
            table += &line(&modifiers.chain(row.cells.iter().cloned()).collect::<Vec<_>>());
        }
        table
    }
}

fn row(feature: &Feature, slots: &[String]) -> TableRow {
    let in_slot = |slot: &String| {
        let found = feature.modifiers.iter().find(|of| of.slot == *slot);
        vec![found.map_or(LEFT_OUT, |of| &of.modifier).to_owned()]
    };
    let modifiers =
        if slots.is_empty() { vec![vec![feature.name.clone()]] } else { slots.iter().map(in_slot).collect() };
    let observed = feature.observed.iter().map(answer);
    TableRow { modifiers, cells: std::iter::once(feature.manual.to_string()).chain(observed).collect() }
}

/// Joins rows with the same cells that differ in one slot, the last slot first, until none are left.
fn joined(mut rows: Vec<TableRow>) -> Vec<TableRow> {
    let slots = rows.first().map_or(0, |row| row.modifiers.len());
    loop {
        let before = rows.len();
        for slot in (0..slots).rev() {
            let mut kept: Vec<TableRow> = Vec::new();
            for row in rows {
                let alike = |other: &&mut TableRow| {
                    let differ = |at: usize| at != slot && other.modifiers[at] != row.modifiers[at];
                    other.cells == row.cells && !(0..slots).any(differ)
                };
                match kept.iter_mut().find(alike) {
                    Some(other) => other.modifiers[slot].extend(row.modifiers[slot].iter().cloned()),
                    None => kept.push(row),
                }
            }
            rows = kept;
        }
        if rows.len() == before {
            return rows;
        }
    }
}

/// The fewest values of a run that are not all written.
const RUN: usize = 5;

/// Modifiers one after the other; of those that count up evenly, the first two and the last:
/// `.m64n8k16 .m64n16k16 to .m64n256k16`.
fn listed(values: &[String]) -> String {
    let mut words: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < values.len() {
        let step = values.get(at + 1).and_then(|next| step(&values[at], next));
        let goes_on = |pair: &&[String]| step.is_some() && self::step(&pair[0], &pair[1]) == step;
        let run = 1 + values[at..].windows(2).take_while(goes_on).count();
        match run >= RUN {
            true => {
                words.extend([values[at].as_str(), &values[at + 1], "to", &values[at + run - 1]]);
                at += run;
            }
            false => {
                words.push(&values[at]);
                at += 1;
            }
        }
    }
    words.join(" ")
}

/// If two texts differ in one number only: where it is, and by how much it grows.
fn step(a: &str, b: &str) -> Option<(usize, u64)> {
    let parts = |text: &str| -> Vec<String> {
        let mut parts: Vec<String> = Vec::new();
        for c in text.chars() {
            match parts
                .last_mut()
                .filter(|part| part.ends_with(|last: char| last.is_ascii_digit()) == c.is_ascii_digit())
            {
                Some(part) => part.push(c),
                None => parts.push(c.to_string()),
            }
        }
        parts
    };
    let (a, b) = (parts(a), parts(b));
    let differing: Vec<usize> = (0..a.len().max(b.len())).filter(|&at| a.get(at) != b.get(at)).collect();
    let [at] = differing[..] else { return None };
    let (from, to): (u64, u64) = (a.get(at)?.parse().ok()?, b.get(at)?.parse().ok()?);
    to.checked_sub(from).filter(|step| *step > 0).map(|step| (at, step))
}

fn line(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|text| text.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn runs_are_short() {
        let shown = |text: &str| listed(&text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(shown(".n8k16 .n16k16 .n24k16 .n32k16 .n40k16"), ".n8k16 .n16k16 to .n40k16");
        assert_eq!(shown(".n8 .n16 .n24 .n32 .n48 .n64 .n80 .n96 .n112"), ".n8 .n16 .n24 .n32 .n48 to .n112");
        assert_eq!(shown(".x1 .x2 .x4 .x8 .x16"), ".x1 .x2 .x4 .x8 .x16");
        assert_eq!(shown(".u8 .s8 none"), ".u8 .s8 none");
    }
}
