//! Which modifier of a line stands in which slot of a form.

use crate::spec::{Fault, Form, Writing};

/// How the modifiers of a line fit a form.
pub(super) struct Assigned {
    /// How many of them stand in a slot that claims them.
    pub(super) matched: usize,
    /// Faults beyond the one that the writing axis tells.
    pub(super) faults: Vec<Fault>,
}

/// Puts each modifier into a slot, and sets the axes of the slots and of the writing.
///
/// A modifier takes the first free slot that claims it, behind the one before it if possible; then
/// the first that knows it as a probe. What finds none is a duplicate where a slot has it, and
/// unknown otherwise.
pub(super) fn assign(form: &Form, modifiers: &[&str], values: &mut [u8]) -> Assigned {
    for slot in &form.slots {
        values[slot.axis] = form.none(slot.axis);
    }
    let mut taken = [false; 64];
    let mut assigned = Assigned { matched: 0, faults: Vec::new() };
    let mut sequence = [0_usize; 64];
    let mut placed = 0;
    let mut next = 0;
    let mut writings: Vec<usize> = Vec::new();
    for &modifier in modifiers {
        let candidates = form.slots_of(modifier);
        let free = |c: &&crate::spec::Candidate| c.slot < taken.len() && !taken[c.slot];
        let claims = |c: &&crate::spec::Candidate| free(c) && c.claimed;
        let found = candidates
            .iter()
            .find(|c| claims(c) && c.slot >= next)
            .or_else(|| candidates.iter().find(claims))
            .or_else(|| candidates.iter().find(|c| free(c) && c.slot >= next))
            .or_else(|| candidates.iter().find(free));
        match found {
            Some(candidate) => {
                taken[candidate.slot] = true;
                values[form.slots[candidate.slot].axis] = candidate.value;
                let telling = form.slots[candidate.slot].telling;
                assigned.matched += usize::from(candidate.claimed) + usize::from(candidate.claimed && telling);
                next = next.max(candidate.slot + 1);
                if placed < sequence.len() {
                    sequence[placed] = candidate.slot;
                    placed += 1;
                }
            }
            None => {
                let writing = match candidates.first() {
                    Some(candidate) => form.writing_of(&Writing::Duplicate(candidate.slot)),
                    None => form.extra(modifier),
                };
                writings.extend(writing);
            }
        }
    }
    writings.extend(order(form, &sequence[..placed]));
    let axis = form.writing();
    values[axis] = 0;
    // The axis tells of one fault; of the others only the rules are named.
    if let Some((&first, more)) = writings.split_first() {
        values[axis] = u8::try_from(first).unwrap_or(0);
        assigned.faults.extend(more.iter().filter_map(|&writing| match form.writings[writing] {
            Writing::Duplicate(_) => Some(Fault::Duplicate),
            Writing::Extra(_) => Some(Fault::Unknown),
            Writing::Moved(_) | Writing::Reordered => Some(Fault::Order),
            _ => None,
        }));
    }
    assigned
}

/// The writing of modifiers in this order of slots, where it is not that of the syntax line.
fn order(form: &Form, sequence: &[usize]) -> Option<usize> {
    if sequence.is_sorted() {
        return None;
    }
    let (last, before) = sequence.split_last()?;
    if before.is_sorted() {
        return form.writing_of(&Writing::Moved(*last));
    }
    form.writing_of(&Writing::Reordered)
}
