//! Judging: from a line of text and its declarations to the rules it breaks.
//!
//! The verdict on a case always comes from here, from its text, and never from what a generator
//! meant.

mod assign;
mod operands;

use crate::environment::{Environment, Target, Version};
use crate::ptx::{Context, Declarations, Line};
use crate::space::{Values, environment_values};
use crate::spec::{Choice, Fault, Form, Instruction, Isa, Rule, RuleKind, Spec, UNREAD};

/// A line read as a line of one form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The position of the form in the instruction.
    pub form: usize,
    /// The choice on each axis; [`UNREAD`] where the text does not say.
    pub values: Values,
    /// The rules it breaks, ascending by their position in the form.
    pub broken: Vec<usize>,
}

impl Reading {
    /// Whether no rule is broken.
    pub fn valid(&self) -> bool {
        self.broken.is_empty()
    }

    /// The broken rules themselves.
    pub fn rules<'a>(&'a self, instruction: &'a Instruction) -> impl Iterator<Item = &'a Rule> {
        let form = &instruction.forms[self.form];
        self.broken.iter().map(|&rule| &form.rules[rule])
    }
}

/// The PTX version and target that a line needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Needs {
    /// The first PTX version in which it can be valid.
    pub ptx: Version,
    /// The first target for which it can be valid.
    pub target: Target,
}

/// Reads lines of one environment.
#[derive(Clone, Debug)]
pub struct Judge<'a> {
    spec: &'a Spec,
    /// The values of the environment axes, which come first in every form.
    environment: [u8; 3],
}

/// The specification does not know the PTX version or the target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not in the specification: see `versions` and `targets` in specs/isa.yaml")]
pub struct UnknownEnvironment(Environment);

impl<'a> Judge<'a> {
    /// A judge for one environment.
    ///
    /// # Errors
    /// Where the specification does not list the PTX version or the target.
    pub fn new(spec: &'a Spec, environment: &Environment) -> Result<Self, UnknownEnvironment> {
        let form = spec.instructions.first().and_then(|instruction| instruction.forms.first());
        let values = form.and_then(|form| environment_values(form, environment));
        Ok(Self { spec, environment: values.ok_or(UnknownEnvironment(*environment))? })
    }

    /// Reads a line; `None` where no specification covers its opcode.
    pub fn read(&self, line: &Line<'_>, declarations: &Declarations) -> Option<(&'a Instruction, Reading)> {
        let instruction = self.spec.instruction(line.opcode)?;
        Some((instruction, self.read_as(instruction, line, declarations)))
    }

    /// Reads a line as one of this instruction: as a line of the form that explains it best, which
    /// is the one with the fewest broken rules, then with the most modifiers of its own, then the
    /// first.
    pub fn read_as(&self, instruction: &Instruction, line: &Line<'_>, declarations: &Declarations) -> Reading {
        let mut best: Option<(usize, usize, Reading)> = None;
        for (at, form) in instruction.forms.iter().enumerate() {
            let best_yet = best.as_ref().map(|(faults, matched, _)| (*faults, *matched));
            let Some((reading, matched)) = self.read_form(at, form, line, declarations, best_yet) else { continue };
            if reading.valid() {
                return reading;
            }
            let faults = reading.broken.len();
            let better = match &best {
                None => true,
                Some((least, most, _)) => faults < *least || (faults == *least && matched > *most),
            };
            if better {
                best = Some((faults, matched, reading));
            }
        }
        let none = Reading { form: 0, values: Vec::new(), broken: Vec::new() };
        best.map_or(none, |(_, _, reading)| reading)
    }

    /// Reads a line as one of a form: the reading, and how well its modifiers fit. `None` where it
    /// cannot be a better one than a reading with so many broken rules that fits so well.
    fn read_form(
        &self,
        at: usize,
        form: &Form,
        line: &Line<'_>,
        declarations: &Declarations,
        best: Option<(usize, usize)>,
    ) -> Option<(Reading, usize)> {
        let mut values = vec![UNREAD; form.axes.len()];
        values[..3].copy_from_slice(&self.environment);
        if let Some(guard) = form.axis_of(Choice::Guard) {
            values[guard] = match line.guard {
                None => 0,
                Some((negated, _)) => 1 + u8::from(negated),
            };
        }
        if let Some(context) = form.axis_of(Choice::Context) {
            values[context] = u8::from(declarations.context == Context::Function);
        }
        let assigned = assign::assign(form, &line.modifiers, &mut values);
        if let Some((faults, matched)) = best {
            let better = |least: usize| least < faults || (least == faults && assigned.matched > matched);
            // Each slot that must not be left empty has a rule that says so.
            let empty = |slot: &&crate::spec::Slot| !slot.optional && values[slot.axis] == form.none(slot.axis);
            if !better(form.slots.iter().filter(empty).count()) {
                return None;
            }
            // What the modifiers alone break is broken whatever the operands are.
            let mut broken = form.broken(&values);
            broken.extend(assigned.faults.iter().filter_map(|&fault| form.fault(fault)));
            broken.retain(|&rule| form.rules[rule].kind != RuleKind::Canonical);
            broken.sort_unstable();
            broken.dedup();
            if !better(broken.len()) {
                return None;
            }
        }
        let read = operands::read(self.isa(), form, &line.operands, declarations, &mut values);
        let mut broken = form.broken(&values);
        // Elements of several types: each must suit.
        for (axis, value) in &read.more {
            let kept = std::mem::replace(&mut values[*axis], *value);
            broken.extend(form.broken(&values));
            values[*axis] = kept;
        }
        let operands = read.mismatched.then_some(Fault::Operands);
        broken.extend(assigned.faults.iter().copied().chain(operands).filter_map(|fault| form.fault(fault)));
        broken.retain(|&rule| form.rules[rule].kind != RuleKind::Canonical);
        broken.sort_unstable();
        broken.dedup();
        Some((Reading { form: at, values, broken }, assigned.matched))
    }

    fn isa(&self) -> &Isa {
        &self.spec.isa
    }
}

/// What a reading's choices need, whatever environment they were read in: the highest version and
/// target that any rule asks of them. Without a need it is the first version and target.
pub fn needs(isa: &Isa, form: &Form, values: &[u8]) -> Option<Needs> {
    let (mut target, _) = *isa.targets.first()?;
    let mut ptx = *isa.versions.first()?;
    let applies = |rule: &Rule, choice: Choice| {
        rule.forbids.iter().any(|cube| {
            let others = cube.sets().iter().filter(|(axis, _)| form.axes[*axis].choice != choice);
            others.clone().all(|(axis, set)| values[*axis] != UNREAD && set.contains(values[*axis]))
        })
    };
    for rule in &form.rules {
        match &rule.kind {
            RuleKind::NeedsPtx(since) if applies(rule, Choice::Ptx) => ptx = ptx.max(*since),
            RuleKind::NeedsTarget(targets) if applies(rule, Choice::Target) => {
                target = target.max(*targets.iter().min()?);
            }
            _ => {}
        }
    }
    for operand in &form.operands {
        let name = operand.of_type.map(|axis| form.value(values, axis));
        let of =
            isa.types.iter().find(|of| (of.ptx.is_some() || of.target.is_some()) && Some(of.name.as_str()) == name);
        ptx = of.and_then(|of| of.ptx).map_or(ptx, |since| ptx.max(since));
        target = of.and_then(|of| of.target).map_or(target, |since| target.max(since));
    }
    let brought = isa.targets.iter().find(|(known, _)| *known == target).map(|(_, since)| *since);
    Some(Needs { ptx: brought.map_or(ptx, |since| ptx.max(since)), target })
}
