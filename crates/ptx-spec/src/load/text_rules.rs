//! Rules about faults that no axis expresses. Every form has them.

use crate::spec::{Rule, RuleKind, Source};

/// These rules forbid no combinations; the judge finds their breaches in the text.
pub(super) fn rules() -> impl Iterator<Item = Rule> {
    let manual = |id, section, says| (id, Source::Manual, Some(section), says);
    [
        manual("isa/guard", "Predicated Execution", "the guard must be a predicate register"),
        (
            "isa/special-register",
            Source::Observed,
            None,
            "a special register cannot be a source in braces, an address, or the guard",
        ),
        manual(
            "isa/special-register-since",
            "Special Registers",
            "a special register needs the PTX version and the target that introduced it",
        ),
        manual("isa/offset", "Addresses as Operands", "an offset must be a signed 32-bit integer"),
        manual(
            "isa/absolute-address",
            "Addresses as Operands",
            "an immediate address must be an unsigned 32-bit integer",
        ),
        manual(
            "isa/mixed-vector",
            "Vectors as Operands",
            "the elements of a vector must be similar: all of one size, and no integers together with floating-point numbers",
        ),
    ]
    .into_iter()
    .map(|(id, source, section, says)| Rule {
        id: id.to_owned(),
        kind: RuleKind::Given,
        source,
        section: section.map(str::to_owned),
        says: says.to_owned(),
        forbids: Vec::new(),
    })
}
