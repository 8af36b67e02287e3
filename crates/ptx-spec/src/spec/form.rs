//! Forms: the syntax lines of the manual, with every choice that they leave open.

use smallvec::{SmallVec, smallvec};

use super::condition::Entry;
use super::tables::Tables;
use super::words::NONE;
use super::{Accuracy, Axis, Choice, Cube, DirectiveTemplate, Operand, Rule, SetupRule};

/// One syntax line of the manual.
#[derive(Clone, Debug)]
pub struct Form {
    /// `instruction.id`, unique in the specification.
    pub id: String,
    /// The line, in the manual's notation.
    pub syntax: String,
    /// The anchor of its page in the manual.
    pub manual: String,
    /// Every choice: environment first, then guard, writing, modifiers and operands. Where the form is
    /// executed, the axes of the setup follow.
    pub axes: Vec<Axis>,
    /// The modifier slots in the order of the line.
    pub slots: Vec<Slot>,
    /// The operands in the order of the line.
    pub operands: Vec<Operand>,
    /// How the operands are punctuated.
    pub pattern: Vec<Pattern>,
    /// The axis of a suffix after an operand, by operand.
    pub suffixes: Vec<(usize, usize)>,
    /// The position of the writing axis.
    pub(crate) writing: usize,
    /// The meaning of each value of the writing axis.
    pub writings: Vec<Writing>,
    /// True if control does not go on after a line: `ret`.
    pub ends: bool,
    /// The rules that restrict it.
    pub rules: Vec<Rule>,
    /// The positions of the operands through which it may write: objects and addresses.
    pub writes: Vec<usize>,
    /// Combinations that are never executed.
    pub setup: Vec<SetupRule>,
    /// The promises of the manual on the results of approximate lines: each is about other lines.
    pub accuracies: Vec<Accuracy>,
    /// How many axes of the setup follow those of the variant.
    pub(crate) setup_axes: usize,
    /// How a directive is written; none for an instruction.
    pub template: Option<DirectiveTemplate>,
    /// The lookup tables for judging lines.
    pub(crate) tables: Tables,
}

impl Form {
    /// The axis with this name.
    pub fn axis(&self, name: &str) -> Option<usize> {
        self.axes.iter().position(|axis| axis.name == name)
    }

    /// The axis of this choice.
    pub fn axis_of(&self, choice: Choice) -> Option<usize> {
        self.axes.iter().position(|axis| axis.choice == choice)
    }

    /// The axis of the suffix after an operand.
    pub fn axis_of_suffix(&self, operand: &Operand) -> Option<usize> {
        let at = self.operands.iter().position(|known| known.name == operand.name)?;
        self.suffixes.iter().find(|(of, _)| *of == at).map(|(_, axis)| *axis)
    }

    /// The value of these choices on an axis, as text; empty if it was not read.
    pub fn value<'a>(&'a self, values: &[u8], axis: usize) -> &'a str {
        self.axes[axis].values.get(usize::from(values[axis])).map_or("", String::as_str)
    }

    /// The combination of a condition in this form; `None` if it never holds here. A slot that the form
    /// lacks is `none`.
    pub fn combination<'a>(&self, condition: impl IntoIterator<Item = &'a Entry>) -> Option<Cube> {
        let mut sets = Vec::new();
        for entry in condition {
            match self.axis(&entry.axis) {
                None if entry.holds(NONE) => {}
                None => return None,
                Some(axis) => sets.push((axis, entry.select(&self.axes[axis]))),
            }
        }
        let cube = Cube::new(sets);
        (!cube.is_empty()).then_some(cube)
    }

    /// The promises of the manual on the results of a line with these choices, one value for each axis; `None` if it is not
    /// approximate.
    pub fn accuracy(&self, values: &[u8]) -> Option<&Accuracy> {
        self.accuracies.iter().find(|accuracy| accuracy.when.contains(values))
    }

    /// Its page in the manual.
    pub fn page(&self) -> String {
        page(&self.manual)
    }

    /// True if the form begins with a mandatory modifier that is part of its opcode: `suld.b`, `mul.lo`.
    pub(crate) fn leads(&self) -> bool {
        self.slots.first().is_some_and(|slot| leads(self.opcode(), &self.axes[slot.axis].name, slot))
    }

    /// How many axes the variant has; those of the setup follow.
    pub fn variant_axes(&self) -> usize {
        self.axes.len() - self.setup_axes
    }

    /// The position of the writing axis. It comes before those of modifiers and operands: the faults of
    /// writing name many of these, and a diagram that met the writing last would have to remember them all.
    pub fn writing(&self) -> usize {
        self.writing
    }

    /// The opcode, with the modifiers that belong to the instruction's name.
    pub fn opcode(&self) -> &str {
        self.id.rsplit_once('.').map_or(self.id.as_str(), |(opcode, _)| opcode)
    }

    /// True if a line may lack several operands, so that of an invalid one it may be unclear which ones it has.
    pub fn has_unclear_operands(&self) -> bool {
        let second =
            |at: usize| self.pattern.iter().any(|part| matches!(part, Pattern::Pair(_, second) if *second == at));
        (0..self.operands.len()).filter(|&at| self.operands[at].optional && !second(at)).count() > 1
    }

    /// True if a rule is about how a line is written only.
    pub fn is_of_writing(&self, rule: &Rule) -> bool {
        rule.forbids.iter().all(|cube| cube.sets().iter().all(|(axis, _)| *axis == self.writing))
    }

    /// The position of a writing on the writing axis.
    pub(crate) fn writing_of(&self, writing: &Writing) -> Option<usize> {
        self.writings.iter().position(|known| known == writing)
    }

    /// The total number of combinations that the rules forbid.
    pub(crate) fn cubes(&self) -> usize {
        self.tables.cube_rules.len()
    }

    /// The rule of a cube.
    pub(crate) fn rule_of_cube(&self, cube: usize) -> usize {
        self.tables.cube_rules[cube]
    }

    /// The cubes that do not contain this value of this axis.
    pub(crate) fn killed(&self, axis: usize, value: usize) -> &[u64] {
        self.tables.killed(axis, value)
    }
}

/// Slots whose modifiers are part of the opcode, although there are several: each with its opcode.
const LEADING: [(&str, &str); 8] = [
    ("mul", "part"),
    ("mad", "part"),
    ("madc", "part"),
    ("mul24", "mode"),
    ("mad24", "mode"),
    ("dp2a", "mode"),
    ("setmaxnreg", "action"),
    ("tcgen05", "wait_operation"),
];

/// True if the modifier of the first slot of a form, which has this name, is part of the opcode.
pub(crate) fn leads(opcode: &str, name: &str, first: &Slot) -> bool {
    !first.optional && (first.telling || LEADING.contains(&(opcode, name)))
}

/// The manual's page with this anchor.
pub(crate) fn page(anchor: &str) -> String {
    format!("https://docs.nvidia.com/cuda/parallel-thread-execution/#{anchor}")
}

/// A modifier slot of a form.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Its axis.
    pub axis: usize,
    /// True if a line may lack the slot's modifier.
    pub optional: bool,
    /// True if the slot is a literal of the syntax line that no slot of another form has, so that it tells which
    /// form was meant.
    pub telling: bool,
}

/// A part of the operands: how they are punctuated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// An operand, by its position in the form.
    Operand(usize),
    /// Operands in square brackets.
    Bracket(Vec<usize>),
    /// Two operands with a `|` between them; without the second there is no `|`.
    Pair(usize, usize),
    /// Operands in braces, each of which is described by itself.
    Braces(Vec<usize>),
    /// Arguments in parentheses, which are one operand.
    List(usize),
}

impl Pattern {
    /// Its operands.
    pub fn operands(&self) -> SmallVec<[usize; 2]> {
        match self {
            Self::Operand(operand) | Self::List(operand) => smallvec![*operand],
            Self::Bracket(operands) | Self::Braces(operands) => SmallVec::from_slice(operands),
            Self::Pair(first, second) => smallvec![*first, *second],
        }
    }
}

/// How a line of a form can be written: the meaning of each value of [`Choice::Writing`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Writing {
    /// As in the manual.
    Plain,
    /// With the modifier of this slot moved after all others; for the modifier that a form begins with,
    /// anywhere but in front.
    Moved(usize),
    /// In some other order.
    Reordered,
    /// In some other order, in which modifiers of one kind have changed places, such as two types.
    ReorderedAlike,
    /// In some other order, in which the modifier that comes first in the syntax line does not.
    ReorderedFront,
    /// With the modifier of this slot written twice.
    Duplicate(usize),
    /// With a modifier at the end for which the form has no slot.
    Extra(String),
    /// Without this operand.
    Without(usize),
    /// With one more register at the end.
    ExtraOperand,
    /// Without the brackets around operands.
    Unbracketed,
    /// Without the brackets around this operand and those after it in the same brackets; other operands have theirs.
    UnbracketedOne(usize),
    /// With a suffix after this operand that only other forms have there.
    Suffixed(usize, String),
}

impl Writing {
    /// True if the brackets around these operands are missing.
    pub(crate) fn unbrackets(&self, operands: &[usize]) -> bool {
        match self {
            Self::Unbracketed => true,
            Self::UnbracketedOne(first) => operands.first() == Some(first),
            _ => false,
        }
    }
}
