//! A form in the making: its axes, and the rules that they imply.

use super::{Axis, Choice, Cube, Isa, Rule, RuleKind, Slot, Source, ValueSet};
use crate::environment::Version;

/// The claimed values of a slot of a form.
#[derive(Clone, Debug)]
pub(crate) struct SlotClaims {
    pub(crate) name: String,
    pub(crate) optional: bool,
    pub(crate) literal: bool,
    /// Without `none`.
    pub(crate) values: Vec<String>,
}

/// Axes and rules of a form that is being built. Slots get theirs before operands.
pub(crate) struct Draft<'a> {
    pub(crate) isa: &'a Isa,
    /// The opcode.
    pub(crate) opcode: &'a str,
    /// The claims of each slot of the syntax line.
    pub(crate) claims: &'a [SlotClaims],
    /// The slots with their axes.
    pub(crate) slots: Vec<Slot>,
    pub(crate) axes: Vec<Axis>,
    pub(crate) rules: Vec<Rule>,
}

impl Draft<'_> {
    /// Adds an axis; the values for which `claimed` holds are claimed to be valid somewhere.
    pub(crate) fn axis(
        &mut self,
        name: &str,
        choice: Choice,
        values: Vec<String>,
        claimed: impl FnMut(&str) -> bool,
    ) -> usize {
        let mut axis = Axis::new(name, choice, values);
        axis.claimed = axis.select(claimed);
        self.axes.push(axis);
        self.axes.len() - 1
    }

    /// Adds a rule, unless it forbids nothing.
    pub(crate) fn rule(&mut self, kind: RuleKind, id: &str, says: impl Into<String>, forbids: Vec<Cube>) {
        let forbids: Vec<Cube> = forbids.into_iter().filter(|cube| !cube.is_empty()).collect();
        if forbids.is_empty() {
            return;
        }
        let id = if id.contains('/') { id.to_owned() } else { format!("{}/{id}", self.opcode) };
        let source = Source::Manual;
        self.rules.push(Rule { id, kind, source, section: None, says: says.into(), forbids });
    }

    /// Adds a rule that restricts the choices.
    pub(crate) fn constraint(&mut self, id: &str, says: impl Into<String>, forbids: Vec<Cube>) {
        self.rule(RuleKind::Constraint, id, says, forbids);
    }

    /// Adds a rule that every generated variant obeys.
    pub(crate) fn canonical(&mut self, id: &str, forbids: Vec<Cube>) {
        self.rule(RuleKind::Canonical, id, "keeps one spelling of each variant", forbids);
    }

    /// The axis with this name, which every form has.
    pub(crate) fn named(&self, axis: &str) -> usize {
        self.axes.iter().position(|a| a.name == axis).expect("every form has the axes of the environment")
    }

    /// The position of the slot with this name in the syntax line.
    pub(crate) fn slot(&self, name: &str) -> Option<usize> {
        self.claims.iter().position(|slot| slot.name == name)
    }

    /// The axis of the slot with this name.
    pub(crate) fn slot_axis(&self, name: &str) -> Option<usize> {
        self.slot(name).map(|slot| self.slots[slot].axis)
    }

    /// The version at a position of the `ptx` axis, which has the newest first.
    pub(crate) fn version(&self, at: usize) -> Version {
        self.isa.versions[self.isa.versions.len() - 1 - at]
    }

    /// Adds the rule that registers of some types, and some variables, need a version and target to be
    /// declared.
    pub(crate) fn declarable(&mut self, at: usize) {
        let axis = &self.axes[at];
        let (target, ptx) = (self.named("target"), self.named("ptx"));
        let types = self.isa.types.iter().map(|of| (&of.name, of.ptx, of.target));
        let variables = self.isa.variables.iter().map(|(name, ptx, target)| (name, *ptx, *target));
        let mut cubes = Vec::new();
        for (name, since, needed) in types.chain(variables) {
            let this = axis.select(|value| value == name);
            if let Some(since) = since {
                let before = ValueSet::of(self.isa.versions.len(), |at| self.version(at) < since);
                cubes.push(Cube::new([(ptx, before), (at, this)]));
            }
            if let Some(needed) = needed {
                let targets = &self.isa.targets;
                let unmet = ValueSet::of(targets.len(), |at| !needed.met_by(targets[targets.len() - 1 - at].0));
                cubes.push(Cube::new([(target, unmet), (at, this)]));
            }
        }
        let id = format!("{}-declared", self.axes[at].name);
        let says = "the PTX version and the target must have this kind of register or variable";
        self.rule(RuleKind::Given, &id, says, cubes);
    }
}
