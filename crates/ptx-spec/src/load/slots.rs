//! The modifier slots of a syntax line, and their claimed values.

use std::borrow::Borrow;

use super::notation::{ModifierName, NotedModifier, Syntax};
use super::raw::{RawForm, RawInstruction};
use crate::spec::SlotClaims;
use crate::spec::words::NONE;
use crate::yaml::At;

/// The slots of a syntax line with their claims.
///
/// # Errors
/// If no slot has all alternatives of the line.
pub(super) fn claims(instruction: &RawInstruction, form: &RawForm, syntax: &Syntax) -> Result<Vec<SlotClaims>, String> {
    let listed = |name: &str| {
        let named = |(key, _): &&(_, _)| -> bool {
            let key: &At<String> = key;
            key.value == name
        };
        let values = form.modifiers.0.iter().find(named).or_else(|| instruction.modifiers.0.iter().find(named));
        values.map(|(_, values)| values.iter().map(|value| value.value.clone()).collect::<Vec<_>>())
    };
    let claim = |modifier: &NotedModifier| {
        let (name, mut values, literal) = match &modifier.name {
            ModifierName::Word(name) => match listed(name) {
                Some(values) => (name.clone(), values, false),
                None => (name.clone(), vec![format!(".{name}")], true),
            },
            ModifierName::Listed(values) => {
                let holds = |(_, of): &&(_, Vec<At<String>>)| {
                    values.iter().all(|value| of.iter().any(|known| known.value == *value))
                };
                let (name, _) = instruction
                    .modifiers
                    .0
                    .iter()
                    .find(holds)
                    .ok_or_else(|| format!("no slot under `modifiers` has all of {}", values.join(", ")))?;
                (name.value.clone(), values.clone(), false)
            }
        };
        let optional = modifier.optional || values.iter().any(|value| value == NONE);
        values.retain(|value| value != NONE);
        Ok(SlotClaims { name, optional, literal, values })
    };
    let mut slots: Vec<SlotClaims> = syntax.modifiers.iter().map(claim).collect::<Result<_, String>>()?;
    // A literal may stand in a line several times.
    for at in 1..slots.len() {
        let (before, rest) = slots.split_at_mut(at);
        let earlier = before.iter().filter(|slot| slot.literal && slot.values == rest[0].values).count();
        if rest[0].literal && earlier > 0 {
            rest[0].name = format!("{}-{}", rest[0].name, earlier + 1);
        }
    }
    Ok(slots)
}

/// The values that a suffix may have: those of a slot, or itself.
pub(super) fn suffix_values(instruction: &RawInstruction, form: &RawForm, name: &str) -> Vec<String> {
    let mut slots = form.modifiers.0.iter().chain(&instruction.modifiers.0);
    match slots.find(|(key, _)| key.value == name) {
        Some((_, values)) => values.iter().map(|value| value.value.clone()).filter(|value| value != NONE).collect(),
        None => vec![format!(".{name}")],
    }
}

/// True if some line of these slots could also be read as a line of those.
pub(super) fn overlap(these: &[impl Borrow<SlotClaims>], those: &[impl Borrow<SlotClaims>]) -> bool {
    fn meets(slot: &SlotClaims, slots: &[impl Borrow<SlotClaims>]) -> bool {
        let shares = |other: &SlotClaims| other.values.iter().any(|value| slot.values.contains(value));
        slot.optional || slots.iter().any(|other| shares(other.borrow()))
    }
    these.iter().all(|slot| meets(slot.borrow(), those)) && those.iter().all(|slot| meets(slot.borrow(), these))
}

/// All slots except one.
pub(super) fn without(slots: &[impl Borrow<SlotClaims>], left_out: usize) -> Vec<&SlotClaims> {
    slots.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, slot)| slot.borrow()).collect()
}
