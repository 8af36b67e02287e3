//! Where combinations of an instruction's modifiers are valid by the manual: exactly, from the diagrams of its forms.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::pairs::{Grid, PairSet};
use crate::must::Must as _;
use crate::space::{ClassSet, Diagram, EnvironmentClasses, EnvironmentValues, environment};
use crate::spec::{Form, Instruction, is_modifier, pattern_matches};

/// The value of a slot that is left out.
pub(super) const LEFT_OUT: &str = "none";

/// A modifier of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Modifier {
    /// The slots that it stands in. Forms give a modifier slots of different names; it is one modifier all the same,
    /// unless some form has it in two of them.
    pub(super) slots: Vec<String>,
    /// The modifier with its dot; [`LEFT_OUT`] for none of them.
    pub(super) value: String,
}

impl Modifier {
    /// Its axis and value in a form; `None` if the form does not claim it.
    fn choice(&self, form: &Form) -> Option<(usize, u8)> {
        form.slots.iter().find_map(|slot| {
            let axis = &form.axes[slot.axis];
            let value = axis.position(&self.value).filter(|value| axis.claimed.contains(*value))?;
            self.slots.contains(&axis.name).then_some((slot.axis, value))
        })
    }

    /// True if the modifier is, or stands for, this word or these words.
    pub(super) fn is_written(&self, words: &str) -> bool {
        self.value == words || pattern_matches(&self.value, words)
    }

    /// The choice that a form must make for the modifier: `None` if it cannot, nothing if it has no such slot and the
    /// slot is left out.
    pub(super) fn in_form(&self, form: &Form) -> Option<Option<(usize, u8)>> {
        let has_slot = form.slots.iter().any(|slot| self.slots.contains(&form.axes[slot.axis].name));
        if self.value == LEFT_OUT && !has_slot { Some(None) } else { self.choice(form).map(Some) }
    }
}

/// The modifiers of an instruction, in the order of its forms and their slots.
pub(super) fn modifiers(instruction: &Instruction) -> Vec<Modifier> {
    let mut order: Vec<&str> = Vec::new();
    let mut slots: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut twice: BTreeMap<&str, bool> = BTreeMap::new();
    for form in &instruction.forms {
        let mut seen: Vec<&str> = Vec::new();
        for axis in form.slots.iter().map(|slot| &form.axes[slot.axis]) {
            for value in axis.claimed.iter().map(|value| axis.values[usize::from(value)].as_str()) {
                // A part of a directive has values that are no words of PTX.
                if value == LEFT_OUT || form.template.is_some() && !is_modifier(value) {
                    continue;
                }
                let known = slots.entry(value).or_insert_with(|| {
                    order.push(value);
                    Vec::new()
                });
                if !known.contains(&axis.name) {
                    known.push(axis.name.clone());
                }
                *twice.entry(value).or_default() |= seen.contains(&value);
                seen.push(value);
            }
        }
    }
    let modifier = |value: &str| {
        let all = slots[value].clone();
        let of = |slots: Vec<String>| Modifier { slots, value: value.to_owned() };
        if twice[value] { all.into_iter().map(|slot| of(vec![slot])).collect() } else { vec![of(all)] }
    };
    order.into_iter().flat_map(modifier).collect()
}

/// A form with its valid variants.
#[derive(Debug)]
pub(super) struct FormDiagram<'a> {
    /// The position in the instruction.
    pub(super) at: usize,
    pub(super) form: &'a Form,
    pub(super) diagram: Diagram,
}

impl<'a> FormDiagram<'a> {
    pub(super) fn of(instruction: &'a Instruction) -> Vec<Self> {
        let forms: Vec<(usize, &Form)> = instruction.forms.iter().enumerate().collect();
        forms.into_par_iter().map(|(at, form)| Self { at, form, diagram: Diagram::valid(form) }).collect()
    }

    pub(super) fn classes(&self, grid: &Grid) -> FormClasses<'_> {
        let classes = self.diagram.environment_classes();
        let pairs = |members: &Vec<EnvironmentValues>| {
            let mut pairs = grid.none();
            let environments = members.iter().map(|member| environment(self.form, member));
            environments.filter_map(|of| grid.pair(of.ptx, of.target)).for_each(|pair| pairs.insert(pair));
            pairs
        };
        let pairs = classes.members().iter().map(pairs).collect();
        let last = self.form.slots.iter().map(|slot| slot.axis).max().unwrap_or_default();
        FormClasses { at: self.at, form: self.form, classes, pairs, last }
    }
}

/// A form, its environments in classes, and the pairs of a version and a target of each class.
#[derive(Debug)]
pub(super) struct FormClasses<'a> {
    /// The position in the instruction.
    pub(super) at: usize,
    pub(super) form: &'a Form,
    pub(super) classes: EnvironmentClasses<'a>,
    pub(super) pairs: Vec<PairSet>,
    /// The last axis of a slot.
    last: usize,
}

impl FormClasses<'_> {
    /// The pairs of some classes.
    fn pairs_of(&self, classes: &ClassSet, grid: &Grid) -> PairSet {
        let members = self.pairs.iter().enumerate().filter(|(class, _)| classes[class / 64] >> (class % 64) & 1 == 1);
        members.fold(grid.none(), |all, (_, pairs)| all.or(pairs))
    }

    /// Where some variant has all of these modifiers.
    pub(super) fn region(&self, modifiers: &[&Modifier], grid: &Grid) -> PairSet {
        let choices: Option<Vec<Option<(usize, u8)>>> = modifiers.iter().map(|of| of.in_form(self.form)).collect();
        let Some(choices) = choices else { return grid.none() };
        let mut given: Vec<(usize, u8)> = choices.into_iter().flatten().collect();
        given.sort_unstable();
        if given.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return grid.none();
        }
        match given.last() {
            None => self.pairs.iter().fold(grid.none(), |all, pairs| all.or(pairs)),
            Some(&(axis, value)) => {
                let found = self.classes.occurring(&given, axis);
                found[axis].get(usize::from(value)).map_or(grid.none(), |classes| self.pairs_of(classes, grid))
            }
        }
    }
}

/// The number of the empty set in a table, which is the least.
const NOWHERE: usize = 0;

/// Sets of pairs by number, each once: many combinations have the same.
#[derive(Debug)]
pub(super) struct RegionTable<'g> {
    grid: &'g Grid,
    sets: Vec<PairSet>,
    numbers: FxHashMap<PairSet, usize>,
    unions: FxHashMap<(usize, usize), usize>,
    intersections: FxHashMap<(usize, usize), usize>,
}

impl<'g> RegionTable<'g> {
    fn new(grid: &'g Grid) -> Self {
        let (numbers, unions) = (FxHashMap::default(), FxHashMap::default());
        let mut table = Self { grid, sets: Vec::new(), numbers, unions, intersections: FxHashMap::default() };
        table.number(grid.none());
        table
    }

    /// The number of a set; the empty one has [`NOWHERE`].
    fn number(&mut self, set: PairSet) -> usize {
        if let Some(&known) = self.numbers.get(&set) {
            return known;
        }
        self.numbers.insert(set.clone(), self.sets.len());
        self.sets.push(set);
        self.sets.len() - 1
    }

    fn union(&mut self, a: usize, b: usize) -> usize {
        let key = (a.min(b), a.max(b));
        if a == b || key.0 == NOWHERE {
            return key.1;
        }
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let number = self.number(self.sets[a].or(&self.sets[b]));
        self.unions.insert(key, number);
        number
    }

    fn intersection(&mut self, a: usize, b: usize) -> usize {
        let key = (a.min(b), a.max(b));
        if a == b || key.0 == NOWHERE {
            return key.0;
        }
        if let Some(&known) = self.intersections.get(&key) {
            return known;
        }
        let number = self.number(self.sets[a].and(&self.sets[b]));
        self.intersections.insert(key, number);
        number
    }

    /// The set with a number.
    pub(super) fn set(&self, number: usize) -> &PairSet {
        &self.sets[number]
    }
}

/// A combination of modifiers, by their positions, ascending.
type ModifierCombination = Vec<usize>;

/// The regions of an instruction's combinations of up to three modifiers; those without any are not in it.
pub(super) struct ModifierRegions<'g> {
    table: RegionTable<'g>,
    regions: BTreeMap<ModifierCombination, usize>,
}

impl<'g> ModifierRegions<'g> {
    pub(super) fn new(forms: &[FormClasses<'_>], modifiers: &[Modifier], grid: &'g Grid) -> Self {
        let mut all = Self { table: RegionTable::new(grid), regions: BTreeMap::new() };
        for form in forms {
            let mut numbers = FxHashMap::default();
            let mut choices: Vec<(usize, u8, usize)> = modifiers
                .iter()
                .enumerate()
                .filter_map(|(at, modifier)| modifier.choice(form.form).map(|(axis, value)| (axis, value, at)))
                .collect();
            choices.sort_unstable();
            let whole = form.pairs.iter().fold(grid.none(), |all, pairs| all.or(pairs));
            let whole = all.table.number(whole);
            all.add(Vec::new(), whole);
            all.extend(form, &choices, &mut Vec::new(), &mut numbers);
        }
        all
    }

    /// Adds the combinations of a form that continue one of it, with later slots.
    fn extend(
        &mut self,
        form: &FormClasses<'_>,
        choices: &[(usize, u8, usize)],
        given: &mut Vec<(usize, u8, usize)>,
        numbers: &mut FxHashMap<ClassSet, usize>,
    ) {
        let fixed: Vec<(usize, u8)> = given.iter().map(|&(axis, value, _)| (axis, value)).collect();
        let found = form.classes.occurring(&fixed, form.last);
        let after = given.last().map(|(axis, ..)| *axis);
        for &choice in choices.iter().filter(|(axis, ..)| after.is_none_or(|after| *axis > after)) {
            let (axis, value, _) = choice;
            let Some(classes) = found[axis].get(usize::from(value)) else { continue };
            let number = match numbers.get(classes) {
                Some(&number) => number,
                None => {
                    let number = self.table.number(form.pairs_of(classes, self.table.grid));
                    numbers.insert(classes.clone(), number);
                    number
                }
            };
            if number == NOWHERE {
                continue;
            }
            given.push(choice);
            let mut combination: ModifierCombination = given.iter().map(|(.., at)| *at).collect();
            combination.sort_unstable();
            self.add(combination, number);
            if given.len() < MOST {
                self.extend(form, choices, given, numbers);
            }
            given.pop();
        }
    }

    fn add(&mut self, combination: ModifierCombination, number: usize) {
        let known = self.regions.entry(combination).or_insert(NOWHERE);
        *known = self.table.union(*known, number);
    }

    /// The combinations worth a line: the instruction itself, its modifiers, and those that need more than their parts.
    pub(super) fn notable(&mut self) -> Vec<(ModifierCombination, PairSet)> {
        let mut notable = Vec::new();
        for (combination, &number) in &self.regions {
            let parts = (0..combination.len()).map(|left_out| {
                let mut part = combination.clone();
                part.remove(left_out);
                *self.regions.get(&part).must("a form that has a combination has its parts")
            });
            let of_parts = parts.reduce(|a, b| self.table.intersection(a, b));
            if combination.len() < 2 || of_parts != Some(number) {
                notable.push((combination.clone(), self.table.set(number).clone()));
            }
        }
        notable.sort_by_key(|(combination, _)| combination.len());
        notable
    }
}

/// The most modifiers of a combination that is looked at.
const MOST: usize = 3;
