//! Makes the tables of the forms of an instruction.

use rustc_hash::FxHashMap;

use super::fault::FAULTS;
use super::pattern::ModifierPattern;
use super::tables::{Block, Candidate, Tables, add};
use super::words::{NONE, UNKNOWN_MODIFIER};
use super::{Choice, Cube, Form, Instruction, Isa, RuleKind, UNREAD, Writing};

impl Instruction {
    /// Prepares the tables.
    pub(crate) fn index(&mut self, isa: &Isa) {
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
        let words = |name: &String| name.split_inclusive('.').count() - 1;
        let split = |name: &String| name[1..].split('.').map(|word| format!(".{word}")).collect::<Vec<_>>();
        let mut names: Vec<&String> = modifiers.keys().collect();
        // Of two that begin alike, the longer one.
        names.sort_unstable_by_key(|name| (std::cmp::Reverse(words(name)), *name));
        self.joined = names.iter().filter(|name| words(name) > 1).map(|name| split(name)).collect();
        self.patterns = names.iter().filter_map(|name| ModifierPattern::parse(name).ok()?).collect();
        self.modifiers = modifiers;
    }
}

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
            match form.rules[*rule].kind {
                RuleKind::Canonical => {}
                RuleKind::Undefined => add(&mut tables.undefined, at),
                _ => add(&mut tables.judged, at),
            }
        }
        tables.cube_rules = cubes.iter().map(|(rule, _)| *rule).collect();
        tables.modifiers(form, modifiers);
        let named = |name: &str| {
            let has = |id: &str| id.strip_suffix(name).is_some_and(|before| before.ends_with('/'));
            let rule = form.rules.iter().position(|rule| has(&rule.id))?;
            (form.rules[rule].kind != RuleKind::Canonical).then_some(rule)
        };
        tables.faults = FAULTS.map(|(_, name)| named(name));
        tables
    }

    fn axes(&mut self, form: &Form, isa: &Isa) {
        self.guard = form.axis_of(Choice::Guard);
        self.context = form.axis_of(Choice::Context);
        self.mode = form.axis_of(Choice::Mode);
        self.blank = vec![UNREAD; form.axes.len()];
        self.blank[form.writing()] = 0;
        form.slots.iter().for_each(|slot| self.blank[slot.axis] = form.axes[slot.axis].none);
        self.types = vec![Vec::new(); form.axes.len()];
        for (at, axis) in form.axes.iter().enumerate() {
            if matches!(axis.choice, Choice::Type(_)) {
                self.types[at] = isa.types.iter().map(|of| axis.position_or_other(&of.name)).collect();
            }
            if axis.choice.operand().is_some() { self.operand.push(at) } else { self.plain.push(at) }
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
            self.shared |= modifier.candidates.len() > 1;
        }
    }
}
