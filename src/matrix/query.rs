//! Queries: an instruction, some of its modifiers in any order, or modifiers alone.

use rayon::prelude::*;

use super::features::{Surveyed, of_instruction};
use super::pairs::{Grid, PairSet};
use super::regions::{FormClasses, FormDiagram, LEFT_OUT, Modifier, modifiers};
use crate::space::Diagram;
use crate::spec::{Choice, Cube, Form, Instruction, Isa, RuleKind, Spec, ValueSet};
use crate::yaml::nearest;

/// A user's question about features: `add`, `add.f32x2`, `.L2::evict_last`.
#[derive(Clone, Debug)]
pub struct MatrixQuery<'s> {
    /// As it was asked.
    pub text: String,
    /// The instructions that it is about, in the order of the specification.
    instructions: Vec<&'s Instruction>,
    /// The modifiers, each with its dot.
    words: Vec<String>,
    /// True if the query names the instruction.
    named: bool,
}

/// A query that cannot be answered: what is wrong, and what may be meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct QueryError(String);

impl QueryError {
    pub(super) fn new(says: String) -> Self {
        Self(says)
    }
}

/// Features that answer a query for one instruction.
pub(super) struct FoundFeatures<'s> {
    /// The features that were asked about; several if a modifier can be meant in several slots.
    pub(super) exact: Vec<Surveyed<'s>>,
    /// The instruction, and its modifiers that were asked about.
    pub(super) parts: Vec<Surveyed<'s>>,
    /// Combinations that contain what was asked about.
    pub(super) containing: Vec<Surveyed<'s>>,
    /// If nothing has what was asked about: which rules forbid it, or why else.
    pub(super) never: Vec<String>,
}

impl<'s> MatrixQuery<'s> {
    /// Reads a query.
    ///
    /// # Errors
    /// If there is no such instruction, or if it has no such modifier.
    pub fn read(spec: &'s Spec, text: &str) -> Result<Self, QueryError> {
        let mut parts = text.trim().split('.');
        let opcode = parts.next().unwrap_or_default();
        let words: Vec<String> = parts.map(|word| format!(".{word}")).collect();
        if opcode.is_empty() {
            return Self::of_modifiers(spec, text, words);
        }
        let all: Vec<&str> = words.iter().map(String::as_str).collect();
        let Some(instruction) = spec.instruction_of(opcode, &all).or_else(|| spec.directive(opcode)) else {
            let names = spec.all().map(|instruction| instruction.name.as_str());
            let known = spec.instructions.iter().any(|of| of.name.split('.').next() == Some(opcode));
            let near: Vec<&str> = match known {
                true => names.filter(|name| name.split('.').next() == Some(opcode)).collect(),
                false => nearest(opcode, names).into_iter().collect(),
            };
            let meant =
                if near.is_empty() { String::new() } else { format!("; did you mean `{}`?", near.join("` or `")) };
            return Err(QueryError(format!("`{text}`: `{opcode}` has no specification{meant}")));
        };
        if let Some(word) = instruction.elsewhere_in(&all) {
            return Err(QueryError(format!("`{text}`: {}", instruction.is_another_with(word))));
        }
        let in_name = instruction.name.split('.').count() - 1;
        let words = words[in_name.min(words.len())..].to_vec();
        let query = Self { text: text.trim().to_owned(), instructions: vec![instruction], words, named: true };
        let known = modifiers(instruction);
        if let Some(word) = unknown(&query.words, &known) {
            let near = nearest(word, known.iter().map(|modifier| modifier.value.as_str()));
            let meant = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err(QueryError(format!("`{text}`: `{}` has no modifier `{word}`{meant}", instruction.name)));
        }
        Ok(query)
    }

    /// A query of modifiers alone.
    fn of_modifiers(spec: &'s Spec, text: &str, words: Vec<String>) -> Result<Self, QueryError> {
        let all: Vec<(&Instruction, Vec<Modifier>)> =
            spec.all().map(|instruction| (instruction, modifiers(instruction))).collect();
        let has_all = |(_, known): &&(&'s Instruction, Vec<Modifier>)| unknown(&words, known).is_none();
        let instructions: Vec<&Instruction> = all.iter().filter(has_all).map(|(instruction, _)| *instruction).collect();
        if !instructions.is_empty() && !words.is_empty() {
            return Ok(Self { text: text.trim().to_owned(), instructions, words, named: false });
        }
        let values = || all.iter().flat_map(|(_, known)| known.iter().map(|modifier| modifier.value.as_str()));
        let strange =
            words.iter().find(|word| all.iter().all(|(_, known)| unknown(&[(*word).clone()], known).is_some()));
        Err(QueryError(match strange {
            Some(word) => {
                let meant = nearest(word, values()).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                format!("`{text}`: no instruction has the modifier `{word}`{meant}")
            }
            None if words.is_empty() => {
                "a query is an instruction, such as `add.f32x2`, or a modifier, such as `.f32x2`".to_owned()
            }
            None => format!("`{text}`: no instruction has all of these modifiers"),
        }))
    }

    /// The instruction that it names.
    pub(super) fn named(&self) -> Option<&'s Instruction> {
        self.instructions.first().copied().filter(|_| self.named)
    }

    /// The ways to read its words as modifiers of its instruction.
    pub(super) fn meant<'m>(&self, known: &'m [Modifier]) -> Vec<Vec<&'m Modifier>> {
        let modifiers = |meaning: Vec<usize>| meaning.into_iter().map(|at| &known[at]).collect();
        meanings(&self.words, known).into_iter().map(modifiers).collect()
    }

    /// The features that answer it, one entry for each instruction.
    pub(super) fn find(&self, isa: &Isa, grid: &Grid) -> Vec<FoundFeatures<'s>> {
        let find = |instruction: &&'s Instruction| self.find_in(isa, instruction, grid);
        self.instructions.par_iter().map(find).collect()
    }

    fn find_in(&self, isa: &Isa, instruction: &'s Instruction, grid: &Grid) -> FoundFeatures<'s> {
        let diagrams = FormDiagram::of(instruction);
        let forms: Vec<FormClasses<'_>> = diagrams.iter().map(|form| form.classes(grid)).collect();
        let known = modifiers(instruction);
        let meanings = meanings(&self.words, &known);
        let region =
            |modifiers: &[&Modifier]| forms.iter().fold(grid.none(), |all, form| all.or(&form.region(modifiers, grid)));
        let mut exact: Vec<(Vec<&Modifier>, PairSet, bool)> = Vec::new();
        for meaning in &meanings {
            let modifiers: Vec<&Modifier> = meaning.iter().map(|&at| &known[at]).collect();
            let in_order = forms.iter().any(|form| is_in_order(form.form, &modifiers));
            let region = region(&modifiers);
            if !region.is_empty() {
                exact.push((modifiers, region, in_order));
            }
        }
        // Another order is meant only if that of the words has no line, and a part of a line only if they are no whole one.
        prefer(&mut exact, |(.., in_order)| *in_order);
        prefer(&mut exact, |(modifiers, ..)| forms.iter().any(|form| has_nothing_else(form, modifiers, grid)));
        let never = if exact.is_empty() { why_never(&forms, &known, &meanings) } else { Vec::new() };
        let mut all = of_instruction(isa, instruction, grid);
        let mut found = FoundFeatures { exact: Vec::new(), parts: Vec::new(), containing: Vec::new(), never };
        let asked: Vec<Vec<&Modifier>> = match exact.is_empty() {
            true => meanings.iter().map(|meaning| meaning.iter().map(|&at| &known[at]).collect()).collect(),
            false => exact.iter().map(|(modifiers, ..)| modifiers.clone()).collect(),
        };
        for (modifiers, region, _) in exact {
            let listed = all.iter().position(|of| of.is(&modifiers));
            let new = || Surveyed::new(isa, instruction, &forms, modifiers.clone(), region.clone(), grid);
            found.exact.push(listed.map_or_else(new, |at| all.remove(at)));
        }
        super::features::tell_apart(&mut found.exact);
        if !self.named {
            return found;
        }
        for of in all {
            let is_part = of.has_at_most_one() && asked.iter().any(|modifiers| of.is_within(modifiers));
            let contains = !found.never.is_empty() || !asked.iter().any(|modifiers| of.contains(modifiers));
            match (is_part && !self.words.is_empty(), contains) {
                (true, _) => found.parts.push(of),
                (false, false) => found.containing.push(of),
                (false, true) => {}
            }
        }
        found
    }
}

/// The first word that none of the modifiers is, alone or with its neighbours.
fn unknown<'w>(words: &'w [String], known: &[Modifier]) -> Option<&'w str> {
    let covered = |at: usize| known.iter().any(|modifier| matching(modifier, words).any(|range| range.contains(&at)));
    (0..words.len()).find(|&at| !covered(at)).map(|at| words[at].as_str())
}

/// Where a modifier, which may be several words, stands among others.
fn matching(modifier: &Modifier, words: &[String]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let count = if modifier.value.contains('{') { 1 } else { modifier.value.matches('.').count() };
    let stands = move |at: usize| {
        let range = at..at + count;
        let matches = words.get(range.clone()).is_some_and(|words| modifier.is_written(&words.concat()));
        matches.then_some(range)
    };
    (0..words.len()).filter_map(stands)
}

/// The ways to read words as modifiers, each by the positions of the modifiers in the order of the words.
fn meanings(words: &[String], known: &[Modifier]) -> Vec<Vec<usize>> {
    if words.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, modifier) in known.iter().enumerate() {
        let Some(first) = matching(modifier, words).find(|range| range.start == 0) else { continue };
        for mut rest in meanings(&words[first.end..], known) {
            if !rest.contains(&at) {
                rest.insert(0, at);
                all.push(rest);
            }
        }
    }
    all
}

/// Keeps those that are preferred, if there are any.
fn prefer<T>(all: &mut Vec<T>, preferred: impl Fn(&T) -> bool) {
    if all.iter().any(&preferred) {
        all.retain(preferred);
    }
}

/// True if some line of a form has these modifiers and no other.
fn has_nothing_else(form: &FormClasses<'_>, modifiers: &[&Modifier], grid: &Grid) -> bool {
    let chosen: Option<Vec<_>> = modifiers.iter().map(|modifier| modifier.in_form(form.form)).collect();
    let Some(chosen) = chosen else { return false };
    let is_chosen = |axis: usize| chosen.iter().flatten().any(|(other, _)| *other == axis);
    let left_out = |axis: usize| {
        let slots = vec![form.form.axes[axis].name.clone()];
        Modifier { slots, value: LEFT_OUT.to_owned() }
    };
    let open = form.form.slots.iter().map(|slot| slot.axis).filter(|&axis| !is_chosen(axis));
    let others: Vec<Modifier> = open.map(left_out).collect();
    let all: Vec<&Modifier> = modifiers.iter().copied().chain(&others).collect();
    !form.region(&all, grid).is_empty()
}

/// True if the slots of these modifiers are in this order in a form.
fn is_in_order(form: &Form, modifiers: &[&Modifier]) -> bool {
    let axes: Option<Vec<Option<usize>>> =
        modifiers.iter().map(|of| of.in_form(form).map(|choice| choice.map(|(axis, _)| axis))).collect();
    axes.is_some_and(|axes| axes.is_sorted())
}

/// The reasons why no variant has a combination: the rules each of which alone forbids some variant with it in the
/// newest PTX version; or that no form has all of its modifiers.
fn why_never(forms: &[FormClasses<'_>], known: &[Modifier], meanings: &[Vec<usize>]) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    for form in forms.iter().map(|form| form.form) {
        for meaning in meanings {
            let choices: Option<Vec<_>> = meaning.iter().map(|&at| known[at].in_form(form)).collect();
            let Some(choices) = choices else { continue };
            let newest = form.axis_of(Choice::Ptx).map(|axis| (axis, 0));
            let fixed = choices.into_iter().flatten().chain(newest);
            let only = |(axis, value): (usize, u8)| (axis, ValueSet::only(value));
            let cube = Cube::new(fixed.map(only));
            for (at, rule) in form.rules.iter().enumerate() {
                let constrains = matches!(rule.kind, RuleKind::Constraint | RuleKind::Given);
                if constrains && Diagram::inside(form, Some(at), &cube).count() > 0 {
                    let section = rule.section.as_ref().map(|of| format!(" (section {of})")).unwrap_or_default();
                    reasons.push(format!("{}: {}{section}", rule.id, rule.says));
                }
            }
        }
    }
    reasons.sort();
    reasons.dedup();
    if reasons.is_empty() {
        reasons.push("no form has all of these modifiers, or several rules forbid them together".to_owned());
    }
    reasons
}
