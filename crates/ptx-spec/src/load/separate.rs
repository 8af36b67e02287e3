//! Keeps variants apart that two forms could both have.

use std::collections::BTreeSet;

use crate::spec::words::NONE;
use crate::spec::{Axis, Cube, Form, Pattern, Rule, RuleKind, Slot, Source, ValueSet};

/// Gives the lines that two forms could both have to the earlier form, and leaves out of a form the probes that are
/// lines of another one.
pub(super) fn separate(forms: &mut [Form]) {
    for at in 0..forms.len() {
        let others = (0..forms.len()).filter(|other| *other != at);
        let cubes: Vec<Cube> = others.flat_map(|other| probes_elsewhere(&forms[at], &forms[other])).collect();
        add(forms, at, "probes-of-another-form", "another form has it", cubes);
    }
    for later in 1..forms.len() {
        let mut cubes = Vec::new();
        for earlier in 0..later {
            cubes.extend(covered(&forms[earlier], &forms[later]));
        }
        add(forms, later, "belongs-to-an-earlier-form", "an earlier form has it", cubes);
    }
}

/// Adds a rule that generated variants of a form obey, unless it forbids nothing.
fn add(forms: &mut [Form], at: usize, id: &str, says: &str, forbids: Vec<Cube>) {
    if !forbids.is_empty() {
        let id = format!("{}/{id}", forms[at].id);
        let (kind, source) = (RuleKind::Canonical, Source::Manual);
        forms[at].rules.push(Rule { id, kind, source, section: None, says: says.to_owned(), forbids });
    }
}

/// The combinations with a shape or a type of an operand that the form never has, where another form has all of it.
fn probes_elsewhere(form: &Form, other: &Form) -> Vec<Cube> {
    let Some(operands) = operands_in(other, form, false) else { return Vec::new() };
    let Some(modifiers) = modifiers_in(other, form) else { return Vec::new() };
    let unclaimed = |&(axis, set): &(usize, ValueSet)| {
        let of = &form.axes[axis];
        let cube = Cube::new(modifiers.iter().chain(&operands).copied());
        cube.with(axis, set.and(&of.claimed.complement(of.values.len())))
    };
    operands.iter().map(unclaimed).filter(|cube| !cube.is_empty()).collect()
}

/// The combinations of modifiers and operands of `later` that `earlier` has as well.
fn covered(earlier: &Form, later: &Form) -> Option<Cube> {
    let operands = operands_in(earlier, later, true)?;
    let cube = Cube::new(modifiers_in(earlier, later)?.into_iter().chain(operands));
    (!cube.is_empty()).then_some(cube)
}

/// The modifiers of `later` that `earlier` can have as well, as sets of the axes of `later`; none if the modifiers tell
/// the forms apart.
fn modifiers_in(earlier: &Form, later: &Form) -> Option<Vec<(usize, ValueSet)>> {
    let possible = {
        let all = claims_of_all(later.slots.iter(), later);
        earlier.slots.iter().all(|slot| slot.optional || claims(earlier, slot.axis).any(|value| all.contains(value)))
    };
    // A slot that both have alike does not distinguish them.
    let apart = |slot: &&Slot| {
        let name = &later.axes[slot.axis].name;
        let twin = earlier.slots.iter().find(|other| earlier.axes[other.axis].name == *name);
        twin.is_none_or(|twin| !claims(earlier, twin.axis).eq(claims(later, slot.axis)))
    };
    let claimed = claims_of_all(earlier.slots.iter(), earlier);
    let sets = later.slots.iter().filter(apart).map(|slot| {
        let axis: &Axis = &later.axes[slot.axis];
        let keep = |value: &str| if value == NONE { slot.optional } else { claimed.contains(value) };
        (slot.axis, axis.select(keep).and(&axis.claimed))
    });
    let mut sets: Vec<(usize, ValueSet)> = sets.collect();
    // Where slots share values, as the types of a conversion, the order tells forms apart.
    let mandatory =
        |form: &Form| form.slots.iter().filter(|slot| !slot.optional).map(|slot| slot.axis).collect::<Vec<_>>();
    let (theirs, ours) = (mandatory(earlier), mandatory(later));
    let [loose, loose_later] =
        [earlier, later].map(|form| claims_of_all(form.slots.iter().filter(|slot| slot.optional), form));
    let strict =
        |axis: &usize| claims(later, *axis).all(|value| !loose.contains(value) && !loose_later.contains(value));
    if theirs.len() == ours.len() && ours.iter().all(strict) {
        for (&their, &our) in theirs.iter().zip(&ours) {
            let known: BTreeSet<&str> = claims(earlier, their).collect();
            let axis = &later.axes[our];
            sets.push((our, axis.select(|value| known.contains(value)).and(&axis.claimed)));
        }
    }
    (possible && sets.iter().all(|(_, set)| !set.is_empty())).then_some(sets)
}

/// The values that the form claims for an axis.
fn claims(form: &Form, axis: usize) -> impl Iterator<Item = &str> {
    let axis = &form.axes[axis];
    axis.claimed.iter().map(|value| axis.values[usize::from(value)].as_str())
}

/// The values that a form claims for any of these slots.
fn claims_of_all<'f>(slots: impl Iterator<Item = &'f Slot>, form: &'f Form) -> BTreeSet<&'f str> {
    slots.flat_map(|slot| claims(form, slot.axis)).collect()
}

/// The operands of `later` that `earlier` can have as well, as sets of the axes of `later`, of which only the claimed
/// values count if `claimed_only`; none if the operands alone tell the forms apart.
fn operands_in(earlier: &Form, later: &Form, claimed_only: bool) -> Option<Vec<(usize, ValueSet)>> {
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
        let list = |part: &Pattern| matches!(part, Pattern::List(_));
        if bracket(part) != bracket(own) || list(part) != list(own) || bracket(part) && theirs.len() != ours.len() {
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
                let set = axis.select(claimed);
                sets.push((our, if claimed_only { set.and(&axis.claimed) } else { set }));
            }
        }
    }
    Some(sets)
}
