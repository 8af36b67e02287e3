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
    /// Elements of a vector that are not similar, beside each other.
    MixedVector,
    /// Elements of a vector that are not similar, with others between them, or a predicate beside bits.
    DistantVector,
    /// A sink among lanes that may be none.
    OddSink,
    /// A number among lanes that may be none.
    OddImmediate,
    /// A register that does not suit, among lanes of which one is of bits.
    OddRegister,
    /// A special register as an address.
    SpecialAddress,
    /// A predicate with a sign that the syntax line does not have.
    NegatedPredicate,
    /// A register and a number as a source.
    RegisterSum,
    /// The address of a variable as a source that takes none.
    VariableSource,
    /// The address of a parameter of a call as a source.
    ParameterAddress,
    /// A component that a vector does not have.
    Component,
    /// A number that is no fraction.
    Fraction,
    /// A number above the one that limits it.
    AboveLimit,
    /// White space inside of an opcode.
    Blank,
    /// Arguments or results that are not as many as the callee has.
    ArgumentCount,
    /// An entry in place of a function that is called.
    CallTarget,
    /// An argument or result of another type, size or alignment than the callee has.
    ArgumentType,
}

/// The name of the rule that each fault breaks.
pub(super) const FAULTS: [(TextFault, &str); 27] = [
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
    (TextFault::DistantVector, "mixed-lanes"),
    (TextFault::OddSink, "odd-sink"),
    (TextFault::OddImmediate, "odd-immediate"),
    (TextFault::OddRegister, "odd-register"),
    (TextFault::SpecialAddress, "special-register-as-an-address"),
    (TextFault::NegatedPredicate, "negated-predicate"),
    (TextFault::RegisterSum, "register-and-number"),
    (TextFault::VariableSource, "address-as-a-source"),
    (TextFault::ParameterAddress, "parameter-address"),
    (TextFault::Component, "component"),
    (TextFault::Fraction, "fraction-range"),
    (TextFault::AboveLimit, "limit"),
    (TextFault::Blank, "blank-in-an-opcode"),
    (TextFault::CallTarget, "call-target"),
    (TextFault::ArgumentCount, "argument-count"),
    (TextFault::ArgumentType, "argument-type"),
];
