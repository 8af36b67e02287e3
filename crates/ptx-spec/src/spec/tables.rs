//! Lookup tables for judging lines, prepared once for each form.

use super::fault::FAULTS;
use crate::environment::{Target, Version};

/// Sets of cubes are processed in blocks: a loop over a block has a known length, and fits into registers.
pub(super) type Block = [u64; 8];

/// A set of cubes of a form, by position; the loader rejects forms with more.
pub(crate) type Cubes = [Block; 2];

/// Adds a cube to a set.
pub(super) fn add(cubes: &mut [Block], cube: usize) {
    cubes[cube / 512][cube / 64 % 8] |= 1 << (cube % 64);
}

/// The cubes that are in both sets.
pub(super) fn both(cubes: &Cubes, others: &Cubes) -> Cubes {
    std::array::from_fn(|block| std::array::from_fn(|word| cubes[block][word] & others[block][word]))
}

/// The tables of a form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    /// How many words of [`Cubes`] the form needs.
    pub(super) words: usize,
    /// The number of blocks.
    pub(super) blocks: usize,
    /// Sets of this many blocks. For each axis and each of its values, the cubes of the rules that do not
    /// contain it; after them, the cubes that name the axis, which an unread axis removes.
    pub(super) kill: Vec<Block>,
    /// For each axis, the start of its sets in `kill`, and the number of its values.
    pub(super) rows: Vec<(usize, usize)>,
    /// For each cube, its rule.
    pub(super) cube_rules: Vec<usize>,
    /// The cubes of the rules that a verdict can name.
    pub(super) judged: Cubes,
    /// The cubes of undefined behaviour.
    pub(super) undefined: Cubes,
    /// The cubes that name no axis of the operands.
    pub(super) operandless: Cubes,
    /// The values of a line before anything is read.
    pub(super) blank: Vec<u8>,
    /// The axes that are not of operands.
    pub(super) plain: Vec<usize>,
    /// The axes of operands.
    pub(super) operand: Vec<usize>,
    /// For each axis of an operand's types, the value of each type of [`Isa::types`].
    pub(super) types: Vec<Vec<u8>>,
    /// The values of types and variables that need a PTX version and a target to be declared: axis, value,
    /// and these two.
    pub(super) needy: Vec<Needy>,
    /// The axis of the guard.
    pub(super) guard: Option<usize>,
    /// The axis of the context.
    pub(super) context: Option<usize>,
    /// The axis of the mode.
    pub(super) mode: Option<usize>,
    /// True if several slots know one modifier, so that the order of modifiers decides which slot has which.
    pub(super) shared: bool,
    /// The mandatory slots, as a bit mask.
    pub(super) mandatory: u64,
    /// The meaning of each modifier of the instruction in this form.
    pub(super) modifiers: Vec<FormModifier>,
    /// The meaning of modifiers that the instruction does not know.
    pub(super) unknown: FormModifier,
    /// The rule that each [`TextFault`] breaks, where a verdict can name it.
    pub(super) faults: [Option<usize>; FAULTS.len()],
}

/// A value of an axis that needs a PTX version, a target, or both.
pub(super) type Needy = (usize, u8, Option<Version>, Option<Target>);

/// The meaning of a modifier in a form.
#[derive(Clone, Debug, Default)]
pub(crate) struct FormModifier {
    /// The slots that know it, in the order of the line.
    pub(crate) candidates: Vec<Candidate>,
    /// The same slots as a bit mask; a form has at most 64.
    pub(super) slots: u64,
    /// The position of the writing with this modifier added; all unknown modifiers share one.
    pub(crate) extra: Option<usize>,
}

/// A slot that knows a modifier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// The position of the slot.
    pub(crate) slot: usize,
    /// The modifier's position on the slot's axis.
    pub(crate) value: u8,
    /// True if the value is a claimed one of the slot, rather than a probe.
    pub(crate) claimed: bool,
}

impl Tables {
    /// The start in `kill` of the cubes that do not contain this value of this axis; if it is unread, of
    /// those that name the axis.
    fn row(&self, axis: usize, value: usize) -> usize {
        let (start, values) = self.rows[axis];
        start + value.min(values) * self.blocks
    }

    /// The cubes that do not contain this value of this axis.
    pub(super) fn killed(&self, axis: usize, value: usize) -> &[u64] {
        &self.kill[self.row(axis, value)..][..self.blocks].as_flattened()[..self.words]
    }

    /// The part of the cubes that contains the values of these axes.
    pub(super) fn narrowed(&self, cubes: &Cubes, axes: impl Iterator<Item = usize> + Clone, values: &[u8]) -> Cubes {
        let mut left = *cubes;
        for (at, block) in left.iter_mut().enumerate().take(self.blocks) {
            for axis in axes.clone() {
                let killed = &self.kill[self.row(axis, usize::from(values[axis])) + at];
                block.iter_mut().zip(killed).for_each(|(word, killed)| *word &= !killed);
            }
        }
        left
    }
}
