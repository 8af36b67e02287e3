//! Rules about faults that no axis expresses.

use crate::spec::{Rule, RuleKind, Source};

/// The rules of every form. They forbid no combinations; the judge finds their breaches in the text.
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
    .map(|(id, source, section, says)| rule(id.to_owned(), source, section, says))
}

/// The rules of a form that names what is called.
pub(super) fn of_calls(opcode: &str) -> impl Iterator<Item = Rule> {
    let section = Some("Function Declarations and Definitions");
    let says = [
        ("argument-count", "a call must have as many results and arguments as what is called"),
        ("argument-type", "a result or argument must have the type, size and alignment of what is called"),
    ];
    says.into_iter().map(move |(id, says)| rule(format!("{opcode}/{id}"), Source::Manual, section, says))
}

fn rule(id: String, source: Source, section: Option<&str>, says: &str) -> Rule {
    let section = section.map(str::to_owned);
    Rule { id, kind: RuleKind::Given, source, section, says: says.to_owned(), forbids: Vec::new() }
}
