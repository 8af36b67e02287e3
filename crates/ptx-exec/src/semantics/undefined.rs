//! Results that the manual leaves open.

/// A result that the manual leaves undefined, unpredictable, or to other documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Undefined {
    /// A surface access that is not aligned to its own size.
    MisalignedCoordinate,
    /// A surface access that begins within a row and ends after it.
    PartlyOutside,
    /// Components of a sample for which a formatted store has no source.
    MissingComponents,
    /// A formatted reduction on anything but an integer of its size.
    ReducedFormat,
    /// A query of an extent that the surface does not have.
    AbsentExtent,
    /// A query of an enumeration of the source language.
    Enumeration,
    /// A load that is not aligned to its own size.
    MisalignedAddress,
    /// A load from outside the variable.
    OutsideVariable,
    /// A load from an immediate address, whose contents are unknown.
    ImmediateAddress,
    /// The payload of a NaN that is converted, or that is the result of an operation.
    NanPayload,
    /// A register that is used for several lanes of a destination.
    DuplicateDestination,
    /// The minimum or maximum of a number and a NaN.
    NanOperand,
    /// The minimum or maximum of two zeros of different sign.
    SignOfZero,
    /// A quotient or remainder of a division by zero.
    DivisionByZero,
    /// A quotient that its type does not have.
    QuotientTooLarge,
    /// A search for a bit from a position that the mask does not have.
    FoundFromNowhere,
    /// The sign of the intermediate result of a video instruction.
    IntermediateSign,
}

impl Undefined {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::MisalignedCoordinate,
        Self::PartlyOutside,
        Self::MissingComponents,
        Self::ReducedFormat,
        Self::AbsentExtent,
        Self::Enumeration,
        Self::MisalignedAddress,
        Self::OutsideVariable,
        Self::ImmediateAddress,
        Self::NanPayload,
        Self::DuplicateDestination,
        Self::NanOperand,
        Self::SignOfZero,
        Self::DivisionByZero,
        Self::QuotientTooLarge,
        Self::FoundFromNowhere,
        Self::IntermediateSign,
    ];

    /// Its name in reports.
    pub fn id(self) -> &'static str {
        self.described().0
    }

    /// The reason why the result is undefined, and the manual's page.
    pub fn says(self) -> &'static str {
        self.described().1
    }

    /// Its name, and the reason.
    fn described(self) -> (&'static str, &'static str) {
        match self {
            Self::MisalignedCoordinate => (
                "misaligned-coordinate",
                "an access that is not aligned to its own size may be rounded or fail (surface-instructions-suld)",
            ),
            Self::PartlyOutside => (
                "partly-outside",
                "an access that begins within a row and ends after it is not described (surface-instructions-suld)",
            ),
            Self::MissingComponents => (
                "missing-components",
                "components without a source are written with an unpredictable value (surface-instructions-sust)",
            ),
            Self::ReducedFormat => (
                "reduced-format",
                "formatted reductions are described for integers of their own size (surface-instructions-sured)",
            ),
            Self::AbsentExtent => (
                "absent-extent",
                "querying an extent that the surface does not have is not described (surface-instructions-suq)",
            ),
            Self::Enumeration => {
                ("enumeration", "the numeric values are defined by the source language (surface-instructions-suq)")
            }
            Self::MisalignedAddress => (
                "misaligned-address",
                "an address that is not aligned to the access is undefined (addresses-as-operands)",
            ),
            Self::OutsideVariable => (
                "outside-variable",
                "the contents of memory outside a variable are not described (addresses-as-operands)",
            ),
            Self::ImmediateAddress => {
                ("immediate-address", "the assembler decides what is at an immediate address (addresses-as-operands)")
            }
            Self::NanPayload => ("nan-payload", "the payload of a NaN is not described (surface-instructions-sust)"),
            Self::DuplicateDestination => {
                ("duplicate-destination", "the elements of a destination must be distinct (vectors-as-operands)")
            }
            Self::NanOperand => (
                "nan-operand",
                "the minimum or maximum of a number and a NaN is not described (parallel-synchronization-and-communication-instructions-atom)",
            ),
            Self::SignOfZero => (
                "sign-of-zero",
                "whether the minimum or maximum of two zeros is the negative one is not described (parallel-synchronization-and-communication-instructions-atom)",
            ),
            Self::DivisionByZero => (
                "division-by-zero",
                "a division by zero yields an unspecified value (integer-arithmetic-instructions-div)",
            ),
            Self::QuotientTooLarge => (
                "quotient-too-large",
                "the smallest number divided by -1 is not described (integer-arithmetic-instructions-div)",
            ),
            Self::FoundFromNowhere => {
                ("found-from-nowhere", "a base above 31 is undefined (integer-arithmetic-instructions-fns)")
            }
            Self::IntermediateSign => (
                "intermediate-sign",
                "how an intermediate result that its type does not have enters the second operation is not clear (scalar-video-instructions)",
            ),
        }
    }
}
