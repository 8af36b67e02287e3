//! Faults of a text that no value of an axis says.

/// A fault of a text that is found without a value on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextFault {
    /// Modifiers in another order.
    Order,
    /// A modifier for which no slot is left.
    Duplicate,
    /// A modifier for which there is no slot.
    Unknown,
    /// Too many or too few operands, or wrong brackets.
    Operands,
    /// A suffix that the form does not have there.
    Suffix,
    /// A guard that is not a predicate.
    Guard,
    /// A special register where none is allowed.
    Special,
    /// A special register that the PTX version or target does not have.
    SpecialSince,
    /// An offset out of range.
    Offset,
    /// An immediate address out of range.
    AbsoluteAddress,
    /// Elements of a vector that are not similar.
    MixedVector,
    /// Arguments or results that are not as many as the callee has.
    ArgumentCount,
    /// An argument or result of another type, size or alignment than the callee has.
    ArgumentType,
}

/// The name of the rule that each fault breaks.
pub(super) const FAULTS: [(TextFault, &str); 13] = [
    (TextFault::Order, "modifier-order"),
    (TextFault::Duplicate, "duplicate-modifier"),
    (TextFault::Unknown, "unknown-modifier"),
    (TextFault::Operands, "operands"),
    (TextFault::Suffix, "unknown-suffix"),
    (TextFault::Guard, "guard"),
    (TextFault::Special, "special-register"),
    (TextFault::SpecialSince, "special-register-since"),
    (TextFault::Offset, "offset"),
    (TextFault::AbsoluteAddress, "absolute-address"),
    (TextFault::MixedVector, "mixed-vector"),
    (TextFault::ArgumentCount, "argument-count"),
    (TextFault::ArgumentType, "argument-type"),
];
