//! Rules about what a text can say and no axis chooses: every form has them.

use crate::spec::{Rule, RuleKind, Source};

/// The rules, with no combinations that they forbid: the judge finds their breaches in the text.
pub(super) fn rules() -> impl Iterator<Item = Rule> {
    let manual = |id, section, says| (id, Source::Manual, Some(section), says);
    [
        manual("isa/guard", "Predicated Execution", "the guard is a predicate register"),
        (
            "isa/special-register",
            Source::Observed,
            None,
            "a special register is read: as a source in braces, as an address, or as the guard, and nowhere else",
        ),
        manual(
            "isa/special-register-since",
            "Special Registers",
            "a special register needs the PTX version and the target that brought it",
        ),
        manual("isa/offset", "Addresses as Operands", "an offset is a signed integer of 32 bits"),
        manual(
            "isa/absolute-address",
            "Addresses as Operands",
            "an immediate address is an unsigned integer of 32 bits",
        ),
        manual(
            "isa/mixed-vector",
            "Vectors as Operands",
            "the elements of a vector are of similar types: of one size, and no integer beside a floating-point number",
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
