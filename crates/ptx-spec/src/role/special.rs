//! Special registers as operands. PTX ISA `special-registers`.

use super::shape::SlotSets;
use crate::component::split_component;
use crate::spec::words::{NONE, OTHER, SPECIAL};
use crate::spec::{Choice, Cube, Draft, Operand, RegisterType, RuleKind, ValueSet};

/// The axis of which special register an operand is, with the rules that the register has the right type, and that the
/// PTX version and the target have it.
pub(super) fn axis(
    draft: &mut Draft<'_>,
    operand: &mut Operand,
    at: usize,
    instruction_types: &[(SlotSets, &RegisterType)],
    relaxed: bool,
) {
    let Some(of_type) = operand.of_type else { return };
    let name = operand.name.clone();
    let mut names: Vec<&String> = draft.isa.specials.keys().filter(|name| canonical(name) == name.as_str()).collect();
    // The first components first: they are what everybody reads.
    names.sort_unstable_by_key(|name| (!name.ends_with(".x"), *name));
    let values: Vec<String> =
        [NONE.to_owned()].into_iter().chain(names.into_iter().cloned()).chain([OTHER.to_owned()]).collect();
    let axis = draft.axis(&format!("{name}.special"), Choice::Special(at), values, |value| value != OTHER);
    let (of, types, isa) = (&draft.axes[axis], &draft.axes[of_type], draft.isa);
    let is_special = (of_type, types.select(|value| value == SPECIAL));
    let not_generated =
        |value: &str| isa.specials.get(value).map_or(value == NONE || value == OTHER, |of| of.of_directive);
    let canonical = vec![
        Cube::new([is_special, (axis, of.select(not_generated))]),
        Cube::new([(of_type, types.select(|value| value != SPECIAL)), (axis, of.select(|value| value != NONE))]),
    ];
    let unsuited = |(when, instruction): &(SlotSets, &RegisterType)| {
        let suits = |special: &str| {
            let special = isa.specials.get(special);
            let suits = |of: &String| isa.register_type(of).is_some_and(|of| isa.suits(of, instruction, relaxed));
            special.is_none_or(|special| {
                special.lanes == 1 && [&special.of_type].into_iter().chain(&special.also).any(suits)
            })
        };
        let wrong = of.select(|special| special != NONE && !suits(special));
        Cube::new(when.iter().copied().chain([(axis, wrong)]))
    };
    let unsuited = instruction_types.iter().map(unsuited).collect();
    let since = since(draft, axis);
    draft.canonical(&format!("{name}-special-generated"), canonical);
    draft.constraint(&format!("{name}-special"), format!("a special register `{name}` must suit the type"), unsuited);
    let says = "a special register needs the PTX version and the target that introduced it";
    draft.rule(RuleKind::Constraint, &format!("{name}-special-since"), says, since);
    operand.special = Some(axis);
}

/// The combinations of a special register and a version or target that does not have it.
fn since(draft: &Draft<'_>, axis: usize) -> Vec<Cube> {
    let (target, ptx) = (draft.named("target"), draft.named("ptx"));
    let isa = draft.isa;
    let of = &draft.axes[axis];
    let mut needs: Vec<_> = isa.specials.values().map(|special| (special.ptx, special.target)).collect();
    needs.sort_unstable();
    needs.dedup();
    let mut cubes = Vec::new();
    for (since, needed) in needs {
        let these = of.select(|value| {
            isa.specials.get(value).is_some_and(|special| (special.ptx, special.target) == (since, needed))
        });
        if let Some(since) = since {
            let before = ValueSet::of(isa.versions.len(), |at| draft.version(at) < since);
            cubes.push(Cube::new([(ptx, before), (axis, these)]));
        }
        if let Some(needed) = needed {
            let targets = &isa.targets;
            let unmet = ValueSet::of(targets.len(), |at| !needed.met_by(targets[targets.len() - 1 - at].0));
            cubes.push(Cube::new([(target, unmet), (axis, these)]));
        }
    }
    cubes
}

/// The name of a special register: a component by its first letters, `%tid.x` for `%tid.r`.
pub(super) fn canonical(name: &str) -> String {
    let Some((vector, component)) = split_component(name) else { return name.to_owned() };
    let component = match component {
        "r" => "x",
        "g" => "y",
        "b" => "z",
        "a" => "w",
        other => other,
    };
    format!("{vector}.{component}")
}
