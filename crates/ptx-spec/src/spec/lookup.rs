//! Lookups in the tables of a form: what the choices of a line break, need and leave undefined.

use super::fault::FAULTS;
use super::tables::{Cubes, FormModifier, both};
use super::{Form, Instruction, TextFault, UNREAD};
use crate::environment::{Target, Version};
use crate::must::Must;

/// All cubes, also those that a form does not have.
const ALL: Cubes = [[u64::MAX; 8]; 2];

impl Form {
    /// The rules that these choices break, ascending and without duplicates. Axes that are [`UNREAD`] break
    /// nothing.
    pub fn broken(&self, values: &[u8]) -> Vec<usize> {
        let mut broken = Vec::new();
        self.rules_of(&self.tables.narrowed(&ALL, 0..values.len(), values), &mut broken);
        broken
    }

    /// The rules that a verdict on these choices names, ascending and without duplicates.
    pub(crate) fn judged_rules(&self, values: &[u8]) -> Vec<usize> {
        let mut broken = Vec::new();
        self.rules_of(&self.tables.narrowed(&self.tables.judged, 0..values.len(), values), &mut broken);
        broken
    }

    /// The cubes of nameable rules that contain all choices except those of operands.
    pub(crate) fn judged(&self, values: &[u8]) -> Cubes {
        self.tables.narrowed(&self.tables.judged, self.tables.plain.iter().copied(), values)
    }

    /// The part of these cubes that contains the choices of the operands.
    pub(crate) fn judged_operands(&self, cubes: &Cubes, values: &[u8]) -> Cubes {
        self.tables.narrowed(cubes, self.tables.operand.iter().copied(), values)
    }

    /// The part of these cubes that is not about operands.
    pub(crate) fn operandless(&self, cubes: &Cubes) -> Cubes {
        both(cubes, &self.tables.operandless)
    }

    /// Adds the rules of these cubes, ascending and without duplicates.
    pub(crate) fn rules_of(&self, cubes: &Cubes, rules: &mut Vec<usize>) {
        for (at, &word) in cubes.as_flattened()[..self.tables.words].iter().enumerate() {
            let mut word = word;
            while word != 0 {
                let cube = at * 64 + usize::try_from(word.trailing_zeros()).must("a word has 64 bits");
                word &= word - 1;
                if let Some(&rule) = self.tables.cube_rules.get(cube)
                    && rules.last() != Some(&rule)
                {
                    rules.push(rule);
                }
            }
        }
    }

    /// The rules by which the manual leaves these choices undefined. Axes that are [`UNREAD`] do not count.
    pub fn undefined(&self, values: &[u8]) -> Vec<usize> {
        let mut rules = Vec::new();
        if self.tables.undefined == Cubes::default() {
            return rules;
        }
        self.rules_of(&self.tables.narrowed(&self.tables.undefined, 0..values.len(), values), &mut rules);
        rules
    }

    /// The PTX versions and targets that the declarations of these choices need.
    pub(crate) fn declared_needs(&self, values: &[u8]) -> impl Iterator<Item = (Option<Version>, Option<Target>)> {
        self.tables
            .needy
            .iter()
            .filter(|(axis, value, ..)| values[*axis] == *value)
            .map(|(.., ptx, target)| (*ptx, *target))
    }

    /// The values of a line before anything is read: no modifier, written as in the manual, and the rest
    /// [`UNREAD`].
    pub(crate) fn blank(&self) -> &[u8] {
        &self.tables.blank
    }

    /// The axis of the guard.
    pub(crate) fn guard(&self) -> Option<usize> {
        self.tables.guard
    }

    /// The axis of the context.
    pub(crate) fn context(&self) -> Option<usize> {
        self.tables.context
    }

    /// The axis of the mode.
    pub(crate) fn mode(&self) -> Option<usize> {
        self.tables.mode
    }

    /// True if several slots know one modifier.
    pub(crate) fn shares_modifiers(&self) -> bool {
        self.tables.shared
    }

    /// The meaning of one of the instruction's modifiers in this form; `None` is any other.
    pub(crate) fn modifier(&self, modifier: Option<usize>) -> &FormModifier {
        modifier.and_then(|modifier| self.tables.modifiers.get(modifier)).unwrap_or(&self.tables.unknown)
    }

    /// The fewest rules that a line with these modifiers breaks: one for each mandatory slot that is empty,
    /// and one if a modifier has no slot.
    pub(crate) fn least_broken(&self, modifiers: &[Option<usize>]) -> usize {
        let mut known = 0;
        let mut unknown = false;
        for modifier in modifiers {
            let slots = self.modifier(*modifier).slots;
            known |= slots;
            unknown |= slots == 0;
        }
        let empty = (self.tables.mandatory & !known).count_ones();
        usize::try_from(empty).must("a form has at most 64 slots")
            + usize::from(unknown && self.fault(TextFault::Unknown).is_some())
    }

    /// The value of a type on an axis of types; the type is given by its position in [`Isa::types`].
    pub(crate) fn type_value(&self, axis: usize, of: usize) -> u8 {
        self.tables.types[axis].get(of).copied().unwrap_or(UNREAD)
    }

    /// The rule that a fault breaks.
    pub(crate) fn fault(&self, fault: TextFault) -> Option<usize> {
        let at = FAULTS.iter().position(|(known, _)| *known == fault)?;
        self.tables.faults[at]
    }
}

impl Instruction {
    /// The position of each of a line's modifiers among those that the forms know; without those of the instruction's
    /// name, and with the words of one that consists of several together.
    pub(crate) fn positions(&self, modifiers: &[&str]) -> Vec<Option<usize>> {
        self.adjacent(self.unnamed(modifiers))
    }

    /// The same if the words of one that consists of several are all there, but apart: it is where the first of them is.
    pub(crate) fn positions_apart(&self, modifiers: &[&str]) -> Option<Vec<Option<usize>>> {
        let rest = self.unnamed(modifiers);
        let words = self.joined.iter().find(|words| are_apart(words, rest))?;
        let first = rest.iter().position(|word| words.iter().any(|of| of == word))?;
        let others = |part: &[&str]| self.adjacent(&without(words, part));
        let mut positions = others(&rest[..first]);
        positions.push(self.modifiers.get(&words.concat()).copied());
        positions.extend(others(&rest[first..]));
        Some(positions)
    }

    /// The modifiers of a line that are not part of the instruction's name.
    fn unnamed<'m, 'w>(&self, modifiers: &'m [&'w str]) -> &'m [&'w str] {
        if self.begins(modifiers) { &modifiers[self.prefix.len()..] } else { modifiers }
    }

    /// The position of each of these modifiers.
    fn adjacent(&self, mut rest: &[&str]) -> Vec<Option<usize>> {
        let mut positions = Vec::with_capacity(rest.len());
        while let Some(first) = rest.first() {
            let joined =
                self.joined.iter().find(|words| rest.len() >= words.len() && words.iter().eq(&rest[..words.len()]));
            match joined {
                Some(words) => positions.push(self.modifiers.get(&words.concat()).copied()),
                None => positions.push(self.modifier(first)),
            }
            rest = &rest[joined.map_or(1, Vec::len)..];
        }
        positions
    }

    fn modifier(&self, name: &str) -> Option<usize> {
        let pattern =
            || self.patterns.iter().find(|pattern| pattern.matches(name)).map(|pattern| pattern.name.as_str());
        self.modifiers.get(name).or_else(|| self.modifiers.get(pattern()?)).copied()
    }
}

/// True if all these words are among the modifiers, each once, but not one after the other.
fn are_apart(words: &[String], modifiers: &[&str]) -> bool {
    let once = |word: &String| modifiers.iter().filter(|modifier| *modifier == word).count() == 1;
    words.iter().all(once) && !modifiers.windows(words.len()).any(|window| words.iter().eq(window))
}

/// The modifiers that are none of these words.
fn without<'m>(words: &[String], modifiers: &[&'m str]) -> Vec<&'m str> {
    modifiers.iter().copied().filter(|modifier| !words.iter().any(|word| word == modifier)).collect()
}
