//! What is looked up for every line that is judged, prepared once for each form.

use rustc_hash::FxHashMap;

use crate::environment::{Target, Version};

use super::words::{NONE, OTHER, UNKNOWN_MODIFIER};
use super::{Axis, Choice, Cube, Form, Instruction, Isa, RuleKind, UNREAD, Writing};

/// Sets of cubes are taken in blocks: a loop over one has a known length, and fits into registers.
type Block = [u64; 8];

/// A set of cubes of a form, by their position; the loader refuses a form with more.
pub(crate) type Cubes = [Block; 2];

fn add(cubes: &mut [Block], cube: usize) {
    cubes[cube / 512][cube / 64 % 8] |= 1 << (cube % 64);
}

fn both(cubes: &Cubes, others: &Cubes) -> Cubes {
    std::array::from_fn(|block| std::array::from_fn(|word| cubes[block][word] & others[block][word]))
}

/// The tables of a form.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    /// How many words of [`Cubes`] the form needs.
    words: usize,
    /// How many blocks those are.
    blocks: usize,
    /// Sets of so many blocks. For each axis and each of its values, the cubes of the rules that do
    /// not contain it; behind them those that name the axis, which an unread axis takes out.
    kill: Vec<Block>,
    /// For each axis, where its sets begin in `kill`, and how many values it has.
    rows: Vec<(usize, usize)>,
    /// For each cube, its rule.
    pub(super) cube_rules: Vec<usize>,
    /// The cubes of the rules that a verdict can name.
    judged: Cubes,
    /// The cubes of what is undefined.
    undefined: Cubes,
    /// The cubes that name no axis which the operands choose.
    operandless: Cubes,
    /// The cubes of the rules that need a PTX version or a target.
    needs: Cubes,
    /// The cubes of those that need a PTX version.
    need_ptx: Cubes,
    /// The cubes of those that need a target.
    need_target: Cubes,
    /// The axes beside version and target that the cubes of needs name.
    needing: Vec<usize>,
    /// The values of a line of which nothing has been read.
    blank: Vec<u8>,
    /// The axes that are not chosen by the operands.
    plain: Vec<usize>,
    /// The axes that are.
    operand: Vec<usize>,
    /// For each axis of what stands in an operand, the value that each type of [`Isa::types`] is.
    types: Vec<Vec<u8>>,
    /// The values that stand for a type or variable that can only be declared from a PTX version and a
    /// target on: axis, value, and these two.
    needy: Vec<Needy>,
    /// The axis of the guard.
    guard: Option<usize>,
    /// The axis of the context.
    context: Option<usize>,
    /// The slots that must not be left empty, as a bit mask.
    mandatory: u64,
    /// For each modifier of the instruction, what it is here.
    modifiers: Vec<Modifier>,
    /// What each modifier is that the instruction does not know.
    unknown: Modifier,
    /// The rule that each [`Fault`] breaks, where a verdict can name it.
    faults: [Option<usize>; FAULTS.len()],
}

/// A value of an axis that needs a PTX version, a target, or both.
type Needy = (usize, u8, Option<Version>, Option<Target>);

/// What a modifier is to a form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Modifier {
    /// The slots that know it, in the order of the line.
    pub(crate) candidates: Vec<Candidate>,
    /// The same slots as a bit mask; a form has at most 64.
    slots: u64,
    /// The position of the writing with this modifier added; any unknown one is like another.
    pub(crate) extra: Option<usize>,
}

/// A slot that knows a modifier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// The position of the slot.
    pub(crate) slot: usize,
    /// The modifier's position on the slot's axis.
    pub(crate) value: u8,
    /// Whether the slot claims it, or has it as a probe.
    pub(crate) claimed: bool,
}

/// A fault of a text that is told without a value on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Modifiers in another order.
    Order,
    /// A modifier for which no slot is left.
    Duplicate,
    /// A modifier for which there is no slot.
    Unknown,
    /// Operands of which there are too many or too few, or with other brackets.
    Operands,
    /// A suffix that the form does not have there.
    Suffix,
    /// A guard that is no predicate.
    Guard,
    /// A special register where none can stand.
    Special,
    /// A special register that the PTX version or target does not have.
    SpecialSince,
    /// An offset out of range.
    Offset,
    /// An immediate address out of range.
    AbsoluteAddress,
    /// Elements of a vector that do not go together.
    MixedVector,
}

/// The rule that each fault breaks, by its name.
const FAULTS: [(Fault, &str); 11] = [
    (Fault::Order, "modifier-order"),
    (Fault::Duplicate, "duplicate-modifier"),
    (Fault::Unknown, "unknown-modifier"),
    (Fault::Operands, "operands"),
    (Fault::Suffix, "unknown-suffix"),
    (Fault::Guard, "guard"),
    (Fault::Special, "special-register"),
    (Fault::SpecialSince, "special-register-since"),
    (Fault::Offset, "offset"),
    (Fault::AbsoluteAddress, "absolute-address"),
    (Fault::MixedVector, "mixed-vector"),
];

impl Tables {
    /// The tables of a form of an instruction with these modifiers.
    fn new(form: &Form, modifiers: &FxHashMap<String, usize>, isa: &Isa) -> Self {
        let cubes: Vec<(usize, &Cube)> = form
            .rules
            .iter()
            .enumerate()
            .flat_map(|(rule, r)| r.forbids.iter().map(move |cube| (rule, cube)))
            .collect();
        let words = cubes.len().div_ceil(64);
        let blocks = words.div_ceil(8);
        let mut tables = Self { words, blocks, ..Self::default() };
        for axis in &form.axes {
            tables.rows.push((tables.kill.len(), axis.values.len()));
            tables.kill.resize(tables.kill.len() + blocks * (axis.values.len() + 1), Block::default());
        }
        tables.axes(form, isa);
        for (at, (rule, cube)) in cubes.iter().enumerate() {
            for (axis, set) in cube.sets() {
                let (start, values) = tables.rows[*axis];
                let outside = |value: &usize| !u8::try_from(*value).is_ok_and(|value| set.contains(value));
                for value in (0..values).filter(outside).chain([values]) {
                    add(&mut tables.kill[start + value * blocks..], at);
                }
            }
            if !cube.sets().iter().any(|(axis, _)| tables.operand.contains(axis)) {
                add(&mut tables.operandless, at);
            }
            let kind = &form.rules[*rule].kind;
            match kind {
                RuleKind::Canonical => {}
                RuleKind::Undefined => add(&mut tables.undefined, at),
                _ => add(&mut tables.judged, at),
            }
            match kind {
                RuleKind::NeedsPtx(_) => add(&mut tables.need_ptx, at),
                RuleKind::NeedsTarget(_) => add(&mut tables.need_target, at),
                _ => continue,
            }
            add(&mut tables.needs, at);
            let elsewhere = |axis: &usize| !matches!(form.axes[*axis].choice, Choice::Ptx | Choice::Target);
            tables.needing.extend(cube.sets().iter().map(|(axis, _)| *axis).filter(elsewhere));
        }
        tables.needing.sort_unstable();
        tables.needing.dedup();
        tables.cube_rules = cubes.iter().map(|(rule, _)| *rule).collect();
        tables.modifiers(form, modifiers);
        let named = |name: &str| {
            let rule = form.rules.iter().position(|rule| rule.id.rsplit('/').next() == Some(name))?;
            (form.rules[rule].kind != RuleKind::Canonical).then_some(rule)
        };
        tables.faults = FAULTS.map(|(_, name)| named(name));
        tables
    }

    fn axes(&mut self, form: &Form, isa: &Isa) {
        self.guard = form.axis_of(Choice::Guard);
        self.context = form.axis_of(Choice::Context);
        self.blank = vec![UNREAD; form.axes.len()];
        self.blank[form.writing()] = 0;
        form.slots.iter().for_each(|slot| self.blank[slot.axis] = form.axes[slot.axis].none);
        self.types = vec![Vec::new(); form.axes.len()];
        for (at, axis) in form.axes.iter().enumerate() {
            let chosen_by_operand = match axis.choice {
                Choice::Type(_) => {
                    self.types[at] = isa.types.iter().map(|of| axis.position_or_other(&of.name)).collect();
                    true
                }
                Choice::Shape(_) | Choice::Sinks(_) | Choice::Base(_) | Choice::Offset(_) | Choice::Suffix(_) => true,
                _ => false,
            };
            if chosen_by_operand { self.operand.push(at) } else { self.plain.push(at) }
        }
        let types = isa.types.iter().map(|of| (&of.name, of.ptx, of.target));
        let variables = isa.variables.iter().map(|(name, ptx, target)| (name, *ptx, *target));
        let needy: Vec<_> =
            types.chain(variables).filter(|(_, ptx, target)| ptx.is_some() || target.is_some()).collect();
        for axis in form.operands.iter().flat_map(|operand| operand.of_type.iter().chain(&operand.base)).copied() {
            let on_axis =
                |&(name, ptx, target): &(&String, _, _)| Some((axis, form.axes[axis].position(name)?, ptx, target));
            self.needy.extend(needy.iter().filter_map(on_axis));
        }
    }

    fn modifiers(&mut self, form: &Form, known: &FxHashMap<String, usize>) {
        let extra = |name: &str| {
            form.writings.iter().position(|writing| matches!(writing, Writing::Extra(extra) if extra == name))
        };
        let mandatory = form.slots.iter().enumerate().filter(|(_, slot)| !slot.optional);
        self.mandatory = mandatory.fold(0, |mask, (slot, _)| mask | 1 << slot);
        self.unknown.extra = extra(UNKNOWN_MODIFIER);
        self.modifiers = vec![self.unknown.clone(); known.len()];
        for (name, &at) in known {
            let modifier = &mut self.modifiers[at];
            modifier.extra = extra(name).or(self.unknown.extra);
            for (slot, axis) in form.slots.iter().map(|slot| &form.axes[slot.axis]).enumerate() {
                if let Some(value) = axis.position(name) {
                    modifier.slots |= 1 << slot;
                    modifier.candidates.push(Candidate { slot, value, claimed: axis.claimed.contains(value) });
                }
            }
        }
    }

    /// Where the cubes begin in `kill` that do not contain this value of this axis; for an unread
    /// one, those that name it.
    fn row(&self, axis: usize, value: usize) -> usize {
        let (start, values) = self.rows[axis];
        start + value.min(values) * self.blocks
    }

    /// The cubes that do not contain this value of this axis.
    pub(super) fn killed(&self, axis: usize, value: usize) -> &[u64] {
        &self.kill[self.row(axis, value)..][..self.blocks].as_flattened()[..self.words]
    }
}

/// All cubes, also those that a form does not have.
const ALL: Cubes = [[u64::MAX; 8]; 2];

impl Form {
    /// The rules that these choices break, ascending, each once. Axes that are [`UNREAD`] break
    /// nothing.
    pub fn broken(&self, values: &[u8]) -> Vec<usize> {
        let mut broken = Vec::new();
        self.rules_of(&self.narrowed(&ALL, 0..values.len(), values), &mut broken);
        broken
    }

    /// Of the rules that a verdict can name, the cubes that contain all choices but those of the
    /// operands.
    pub(crate) fn judged(&self, values: &[u8]) -> Cubes {
        self.narrowed(&self.tables.judged, self.tables.plain.iter().copied(), values)
    }

    /// Of cubes, those that contain the choices of the operands.
    pub(crate) fn judged_operands(&self, cubes: &Cubes, values: &[u8]) -> Cubes {
        self.narrowed(cubes, self.tables.operand.iter().copied(), values)
    }

    /// Of cubes, those that are not about the operands.
    pub(crate) fn operandless(&self, cubes: &Cubes) -> Cubes {
        both(cubes, &self.tables.operandless)
    }

    /// Of cubes, those that contain the values of these axes.
    fn narrowed(&self, cubes: &Cubes, axes: impl Iterator<Item = usize> + Clone, values: &[u8]) -> Cubes {
        let tables = &self.tables;
        let mut left = *cubes;
        for (at, block) in left.iter_mut().enumerate().take(tables.blocks) {
            for axis in axes.clone() {
                let killed = &tables.kill[tables.row(axis, usize::from(values[axis])) + at];
                block.iter_mut().zip(killed).for_each(|(word, killed)| *word &= !killed);
            }
        }
        left
    }

    /// Adds the rules of these cubes, ascending, each once.
    pub(crate) fn rules_of(&self, cubes: &Cubes, rules: &mut Vec<usize>) {
        for (at, &word) in cubes.as_flattened()[..self.tables.words].iter().enumerate() {
            let mut word = word;
            while word != 0 {
                let cube = at * 64 + usize::try_from(word.trailing_zeros()).unwrap_or(0);
                word &= word - 1;
                if let Some(&rule) = self.tables.cube_rules.get(cube)
                    && rules.last() != Some(&rule)
                {
                    rules.push(rule);
                }
            }
        }
    }

    /// The rules that need a PTX version or a target where these choices are made, whatever the
    /// version or the target is. A rule can come several times.
    pub(crate) fn needed(&self, values: &[u8]) -> Vec<usize> {
        let tables = &self.tables;
        let left = self.narrowed(&tables.needs, tables.needing.iter().copied(), values);
        if left == Cubes::default() {
            return Vec::new();
        }
        let mut rules = Vec::with_capacity(8);
        for (needs, free) in [(&tables.need_ptx, Choice::Ptx), (&tables.need_target, Choice::Target)] {
            let fixed = (0..3).filter(|&axis| self.axes[axis].choice != free);
            self.rules_of(&self.narrowed(&both(&left, needs), fixed, values), &mut rules);
        }
        rules
    }

    /// The rules by which the manual leaves these choices undefined. Axes that are [`UNREAD`] leave
    /// nothing so.
    pub fn undefined(&self, values: &[u8]) -> Vec<usize> {
        let mut rules = Vec::new();
        if self.tables.undefined == Cubes::default() {
            return rules;
        }
        self.rules_of(&self.narrowed(&self.tables.undefined, 0..values.len(), values), &mut rules);
        rules
    }

    /// What the declarations of these choices need: for each that needs any, a PTX version and a
    /// target.
    pub(crate) fn declared_needs(&self, values: &[u8]) -> impl Iterator<Item = (Option<Version>, Option<Target>)> {
        self.tables
            .needy
            .iter()
            .filter(|(axis, value, ..)| values[*axis] == *value)
            .map(|(.., ptx, target)| (*ptx, *target))
    }

    /// The values of a line of which nothing has been read: no modifier, written as in the manual,
    /// and the rest [`UNREAD`].
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

    /// What one of the instruction's modifiers is here; `None` is any other.
    pub(crate) fn modifier(&self, modifier: Option<usize>) -> &Modifier {
        modifier.and_then(|modifier| self.tables.modifiers.get(modifier)).unwrap_or(&self.tables.unknown)
    }

    /// How many rules a line with these modifiers breaks at least: one for each slot that is left
    /// empty and must not be, and one where there is no slot for a modifier.
    pub(crate) fn least_broken(&self, modifiers: &[Option<usize>]) -> usize {
        let mut known = 0;
        let mut unknown = false;
        for modifier in modifiers {
            let slots = self.modifier(*modifier).slots;
            known |= slots;
            unknown |= slots == 0;
        }
        let empty = (self.tables.mandatory & !known).count_ones();
        usize::try_from(empty).unwrap_or(0) + usize::from(unknown && self.fault(Fault::Unknown).is_some())
    }

    /// The value on an axis of types of a type, by its position in [`Isa::types`].
    pub(crate) fn type_value(&self, axis: usize, of: usize) -> u8 {
        self.tables.types[axis].get(of).copied().unwrap_or(UNREAD)
    }

    /// The rule that a fault breaks.
    pub(crate) fn fault(&self, fault: Fault) -> Option<usize> {
        let at = FAULTS.iter().position(|(known, _)| *known == fault)?;
        self.tables.faults[at]
    }
}

impl Axis {
    /// The position of a value, or of what stands for any other; [`UNREAD`] where nothing does.
    pub(crate) fn position_or_other(&self, value: &str) -> u8 {
        self.position(value).or_else(|| self.position(OTHER)).unwrap_or(UNREAD)
    }
}

impl Instruction {
    /// Prepares the tables.
    pub(super) fn index(&mut self, isa: &Isa) {
        let mut modifiers = FxHashMap::default();
        for form in &self.forms {
            let in_slots = form.slots.iter().flat_map(|slot| &form.axes[slot.axis].values);
            let extra = form.writings.iter().filter_map(|writing| match writing {
                Writing::Extra(modifier) => Some(modifier),
                _ => None,
            });
            for name in in_slots.chain(extra).filter(|name| *name != NONE) {
                let next = modifiers.len();
                modifiers.entry(name.clone()).or_insert(next);
            }
        }
        self.forms.iter_mut().for_each(|form| form.tables = Tables::new(form, &modifiers, isa));
        self.modifiers = modifiers;
    }

    /// The position of a modifier among those that the forms know.
    pub(crate) fn modifier(&self, name: &str) -> Option<usize> {
        self.modifiers.get(name).copied()
    }
}
