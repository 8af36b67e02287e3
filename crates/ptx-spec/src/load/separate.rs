//! Keeps variants apart that two forms could both have.

use crate::spec::words::NONE;
use crate::spec::{Axis, Cube, Form, Rule, RuleKind, Slot, Source};

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

/// The combinations of modifiers of `later` that `earlier` has as well.
fn covered(earlier: &Form, later: &Form) -> Option<Cube> {
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
    let cube = Cube::new(sets);
    (possible && !cube.is_empty()).then_some(cube)
}
