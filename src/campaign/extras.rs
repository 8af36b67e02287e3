//! Lines with one modifier too many, where it is one that another form of the instruction has: such a modifier may be
//! taken with one value of another one only, which a covering array need not have beside it.

use super::plan::FormSpace;
use crate::space::{Slice, Values};
use crate::spec::{Cube, Form, Instruction, ValueSet, Writing};

/// For each such modifier, the simplest variant of a space that has it, and those that differ from that in one other
/// modifier.
pub(super) fn with_modifiers_of_other_forms(instruction: &Instruction, form: &Form, space: &FormSpace) -> Vec<Values> {
    let region = space.region();
    let axis = form.writing();
    let mut variants = Vec::new();
    for (at, writing) in (0..=u8::MAX).zip(&form.writings) {
        if !space.diagram.has(axis, at)
            || !matches!(writing, Writing::Extra(modifier) if is_claimed(instruction, modifier))
        {
            continue;
        }
        let cube = Cube::new([(axis, ValueSet::of(form.writings.len(), |value| value == usize::from(at)))]);
        let Some(simplest) = Slice::new(&region, &cube).simplest() else { continue };
        for slot in &form.slots {
            for value in form.axes[slot.axis].claimed.iter().filter(|value| *value != simplest[slot.axis]) {
                let mut other = simplest.clone();
                other[slot.axis] = value;
                if space.diagram.contains(&other) {
                    variants.push(other);
                }
            }
        }
        variants.push(simplest);
    }
    variants
}

/// True if a form of the instruction claims a modifier.
fn is_claimed(instruction: &Instruction, modifier: &str) -> bool {
    let claims = |form: &Form| {
        form.slots.iter().any(|slot| {
            let axis = &form.axes[slot.axis];
            axis.claimed.iter().any(|value| axis.values[usize::from(value)] == modifier)
        })
    };
    instruction.forms.iter().any(claims)
}
