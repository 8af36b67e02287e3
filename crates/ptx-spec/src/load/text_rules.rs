//! Rules about faults that no axis expresses.

use crate::spec::{Rule, RuleKind, Source};

/// The rules of every form. They forbid no combinations; the judge finds their breaches in the text.
pub(super) fn rules() -> impl Iterator<Item = Rule> {
    RULES.iter().map(|(id, section, says)| {
        let source = if section.is_some() { Source::Manual } else { Source::Observed };
        rule((*id).to_owned(), source, *section, says)
    })
}

/// The rules: the name, the manual's section where it states the rule, and the sentence.
const RULES: &[(&str, Option<&str>, &str)] = &[
    ("isa/guard", Some("Predicated Execution"), "the guard must be a predicate register"),
    ("isa/special-register", None, "a special register cannot be a source in braces or the guard"),
    (
        "isa/special-register-as-an-address",
        Some("Special Registers"),
        "a special register is read with mov or cvt, and is no address",
    ),
    (
        "isa/special-register-since",
        Some("Special Registers"),
        "a special register needs the PTX version and the target that introduced it",
    ),
    ("isa/offset", Some("Addresses as Operands"), "an offset must be a signed 32-bit integer"),
    ("isa/absolute-address", Some("Addresses as Operands"), "an immediate address must be an unsigned 32-bit integer"),
    (
        "isa/mixed-vector",
        Some("Vectors as Operands"),
        "the elements of a vector must be similar: all of one size, and no integers together with floating-point numbers",
    ),
    (
        "isa/mixed-lanes",
        Some("Vectors as Operands"),
        "the elements of a vector must be similar, also where bits are between or beside them",
    ),
    ("isa/odd-sink", Some("Vectors as Operands"), "only an operand that may have sinks has one among its elements"),
    (
        "isa/odd-immediate",
        Some("Vectors as Operands"),
        "a number among the elements of a vector must be one that the operand accepts",
    ),
    (
        "isa/odd-register",
        Some("Vectors as Operands"),
        "each element of a vector must suit the instruction's type, also beside one of bits",
    ),
    ("isa/negated-predicate", Some("Syntax"), "only a predicate that the syntax line has with {!} may be negated"),
    (
        "isa/register-and-number",
        Some("Operands"),
        "a register with a number added to it is an address, and no source by itself",
    ),
    (
        "isa/address-as-a-source",
        Some("Addresses as Operands"),
        "the address of a variable is read with mov, and is no other source",
    ),
    ("isa/parameter-address", None, "a parameter of a call has no address that can be read"),
    ("isa/blank-in-an-opcode", None, "the modifiers that are part of the opcode follow it without white space"),
    ("isa/component", Some("Vectors"), "a component must be one that the vector has"),
];

/// The rules of a form that names what is called.
pub(super) fn of_calls(opcode: &str) -> impl Iterator<Item = Rule> {
    let section = Some("Function Declarations and Definitions");
    let says = [
        ("call-target", "what is called must be a function, and no entry"),
        ("argument-count", "a call must have as many results and arguments as what is called"),
        ("argument-type", "a result or argument must have the type, size and alignment of what is called"),
    ];
    says.into_iter().map(move |(id, says)| rule(format!("{opcode}/{id}"), Source::Manual, section, says))
}

/// The rule of a form with an operand that is a fraction.
pub(super) fn of_fractions(opcode: &str) -> Rule {
    let says = "a fraction must be above 0.0 and not above 1.0";
    rule(format!("{opcode}/fraction-range"), Source::Manual, Some("Description"), says)
}

/// The rule of a form with an operand that may not be above another one.
pub(super) fn of_limits(opcode: &str, operand: &str, limit: &str) -> Rule {
    let says = format!("`{operand}` must not be above `{limit}`");
    rule(format!("{opcode}/limit"), Source::Manual, Some("Description"), &says)
}

fn rule(id: String, source: Source, section: Option<&str>, says: &str) -> Rule {
    let section = section.map(str::to_owned);
    Rule { id, kind: RuleKind::Given, source, section, says: says.to_owned(), forbids: Vec::new() }
}
