//! The axes of the environment, which every form begins with.

use crate::environment::AddressSize;
use crate::spec::words::NONE;
use crate::spec::{Choice, Cube, Draft, RuleKind, ValueSet};
use crate::yaml::At;

/// Adds the axes of the environment, and what holds between them.
pub(super) fn environment(draft: &mut Draft<'_>) {
    // Each begins with the newest value: the first value of an axis is the simplest choice, and there most is valid.
    let sizes = vec![AddressSize::Bits64.to_string(), AddressSize::Bits32.to_string()];
    let size = draft.axis("address_size", Choice::AddressSize, sizes, |_| true);
    let targets = draft.isa.targets.iter().rev().map(|(target, _)| target.to_string()).collect();
    let target = draft.axis("target", Choice::Target, targets, |_| true);
    let versions = draft.isa.versions.iter().rev().map(ToString::to_string).collect();
    let ptx = draft.axis("ptx", Choice::Ptx, versions, |_| true);
    let before = |since| ValueSet::of(draft.isa.versions.len(), |at| draft.version(at) < since);
    let newer: Vec<Cube> = (0..draft.isa.targets.len())
        .map(|at| {
            let (_, since) = draft.isa.targets[draft.isa.targets.len() - 1 - at];
            let this = ValueSet::of(draft.isa.targets.len(), |value| value == at);
            Cube::new([(target, this), (ptx, before(since))])
        })
        .collect();
    let wide = ValueSet::of(2, |value| value == 0);
    let unsized_wide = vec![Cube::new([(size, wide), (ptx, before(AddressSize::SINCE))])];
    draft.rule(RuleKind::Given, "isa/target-since", "a target needs the PTX version that introduced it", newer);
    let says = format!("`.address_size 64` needs PTX {}", AddressSize::SINCE);
    draft.rule(RuleKind::Given, "isa/address-size-since", says, unsized_wide);
}

/// Adds the axis of the options of `.target` that change how a form is read, if there are any.
pub(super) fn modes(draft: &mut Draft<'_>, modes: &[At<String>]) {
    if !modes.is_empty() {
        let values = [NONE.to_owned()].into_iter().chain(modes.iter().map(|mode| mode.value.clone())).collect();
        draft.axis("mode", Choice::Mode, values, |_| true);
    }
}
