//! Keeps variants apart that two forms could both have.

use crate::spec::words::NONE;
use crate::spec::{Axis, Cube, Form, Pattern, Rule, RuleKind, Slot, Source, ValueSet};

/// What two forms could both have belongs to the earlier form.
pub(super) fn separate(forms: &mut [Form]) {
    for later in 1..forms.len() {
        let mut cubes = Vec::new();
        for earlier in 0..later {
            cubes.extend(covered(&forms[earlier], &forms[later]));
        }
        if !cubes.is_empty() {
            let id = format!("{}/belongs-to-an-earlier-form", forms[later].id);
            let says = "an earlier form has it".to_owned();
            let source = Source::Manual;
            let rule = Rule { id, kind: RuleKind::Canonical, source, section: None, says, forbids: cubes };
            forms[later].rules.push(rule);
        }
    }
}

/// The combinations of modifiers and operands of `later` that `earlier` has as well.
fn covered(earlier: &Form, later: &Form) -> Option<Cube> {
    let operands = shared_operands(earlier, later)?;
    let claims = |form: &Form, axis: usize| -> Vec<String> {
        let axis = &form.axes[axis];
        axis.claimed.iter().map(|v| axis.values[usize::from(v)].clone()).collect()
    };
    let possible = earlier.slots.iter().all(|slot| {
        slot.optional
            || claims(earlier, slot.axis).iter().any(|v| later.slots.iter().any(|s| claims(later, s.axis).contains(v)))
    });
    // A slot that both have alike does not distinguish them.
    let apart = |slot: &&Slot| {
        let name = &later.axes[slot.axis].name;
        let twin = earlier.slots.iter().find(|other| earlier.axes[other.axis].name == *name);
        twin.is_none_or(|twin| claims(earlier, twin.axis) != claims(later, slot.axis))
    };
    let sets = later.slots.iter().filter(apart).map(|slot| {
        let axis: &Axis = &later.axes[slot.axis];
        let keep = |value: &str| {
            (value == NONE && slot.optional)
                || (value != NONE && earlier.slots.iter().any(|s| claims(earlier, s.axis).iter().any(|v| v == value)))
        };
        (slot.axis, axis.select(keep).and(&axis.claimed))
    });
    let cube = Cube::new(sets.chain(operands));
    (possible && !cube.is_empty()).then_some(cube)
}

/// What the operands of `later` can be in `earlier` as well, as sets of the axes of `later`; none if the operands alone
/// tell the forms apart.
fn shared_operands(earlier: &Form, later: &Form) -> Option<Vec<(usize, ValueSet)>> {
    let mandatory = |form: &Form| {
        let needed = |part: &&Pattern| part.operands().iter().any(|&at| !form.operands[at].optional);
        (form.pattern.iter().filter(needed).count(), form.pattern.len())
    };
    let ((least, most), (later_least, later_most)) = (mandatory(earlier), mandatory(later));
    if least > later_most || later_least > most {
        return None;
    }
    // Where operands are optional, which of them is which depends on what they are.
    if least != most || later_least != later_most {
        return Some(Vec::new());
    }
    let mut sets = Vec::new();
    for (part, own) in earlier.pattern.iter().zip(&later.pattern) {
        let (theirs, ours) = (part.operands(), own.operands());
        let bracket = |part: &Pattern| matches!(part, Pattern::Bracket(_));
        if bracket(part) != bracket(own) || bracket(part) && theirs.len() != ours.len() {
            return None;
        }
        for (&their, &our) in theirs.iter().zip(&ours) {
            let (their, our) = (&earlier.operands[their], &later.operands[our]);
            let axes = [(their.shape, our.shape), (their.of_type, our.of_type)];
            // The type of an address says something about registers only.
            let axes = axes.into_iter().filter(|_| their.base.is_none() && our.base.is_none());
            for (their, our) in axes.filter_map(|(their, our)| Some((&earlier.axes[their?], our?))) {
                let claimed = |value: &str| their.position(value).is_some_and(|value| their.claimed.contains(value));
                let axis = &later.axes[our];
                sets.push((our, axis.select(claimed).and(&axis.claimed)));
            }
        }
    }
    Some(sets)
}
