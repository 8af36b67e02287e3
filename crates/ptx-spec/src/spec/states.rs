//! Forms with further axes behind those of the variant: the state that it is executed in.
//!
//! What holds for variants then holds for variants in a state: they are counted, drawn, covered,
//! minimized, and explained by combinations of choices.

use super::{Axis, Choice, Cube, Form, Instruction, Isa, Rule, RuleKind, Source, ValueSet};

/// An axis in the making: its name and its values, the simplest first.
pub type StateAxis = (&'static str, Vec<String>);

impl Instruction {
    /// The instruction with states, for the forms that have any: `axes` names the axes of a form, and
    /// `forbid` the combinations that are none, once the axes are there.
    pub fn with_states(
        &self,
        isa: &Isa,
        axes: impl Fn(&Form) -> Vec<StateAxis>,
        forbid: impl Fn(&Form) -> Vec<Cube>,
    ) -> Self {
        let mut with = self.clone();
        for form in &mut with.forms {
            for (name, values) in axes(form) {
                let mut axis = Axis::new(name, Choice::State, values);
                axis.claimed = ValueSet::of(axis.values.len(), |_| true);
                form.axes.push(axis);
                form.states += 1;
            }
            let forbids: Vec<Cube> = forbid(form).into_iter().filter(|cube| !cube.is_empty()).collect();
            form.rules.push(Rule {
                id: format!("{}/no-such-state", self.name),
                kind: RuleKind::Canonical,
                source: Source::Observed,
                section: None,
                says: "Each state stands once, and is one that can be made.".to_owned(),
                forbids,
            });
        }
        with.index(isa);
        with
    }
}

impl Form {
    /// How many axes the variant has; those of the state stand behind.
    pub(crate) fn variant_axes(&self) -> usize {
        self.axes.len() - self.states
    }
}
