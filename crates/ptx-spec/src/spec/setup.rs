//! Executed forms: forms with further axes for the setup, after those of the variant.
//!
//! So variants with setups are handled like variants: counted, drawn, covered, minimized, and explained by
//! combinations of choices.

use super::{Axis, Choice, Cube, Form, Instruction, Isa, Rule, RuleKind, Source, ValueSet};

/// A new axis: its name, and its values, the simplest first.
pub type SetupAxis = (String, Vec<String>);

impl Instruction {
    /// The instruction with setups: `axes` names the axes of a form, and `forbid` the combinations that are
    /// never executed, once the axes are there.
    pub fn with_setup(
        &self,
        isa: &Isa,
        axes: impl Fn(&Form) -> Vec<SetupAxis>,
        forbid: impl Fn(&Form) -> Vec<Cube>,
    ) -> Self {
        let mut with = self.with_setup_axes(axes);
        for form in &mut with.forms {
            let forbids: Vec<Cube> = forbid(form).into_iter().filter(|cube| !cube.is_empty()).collect();
            form.rules.push(Rule {
                id: format!("{}/never-executed", self.name),
                kind: RuleKind::Canonical,
                source: Source::Observed,
                section: None,
                says: "Each setup is written in one way, and can be made.".to_owned(),
                forbids,
            });
        }
        with.index(isa);
        with
    }

    /// The instruction with the axes of setups alone: enough to resolve conditions on them, but not to judge or to draw.
    pub fn with_setup_axes(&self, axes: impl Fn(&Form) -> Vec<SetupAxis>) -> Self {
        let mut with = self.clone();
        for form in &mut with.forms {
            for (name, values) in axes(form) {
                let mut axis = Axis::new(&name, Choice::Setup, values);
                axis.claimed = ValueSet::of(axis.values.len(), |_| true);
                form.axes.push(axis);
                form.setup_axes += 1;
            }
        }
        with
    }
}
