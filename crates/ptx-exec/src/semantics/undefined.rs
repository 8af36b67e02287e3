//! Results that the manual leaves open.

use ptx_spec::must::Must as _;

/// A result that the manual leaves undefined, unpredictable, or to other documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
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
    /// A number in a format that has neither negative ones nor ones as small.
    UnsignedFormat,
    /// A number that is rounded by random bits where more are cut off than there are.
    RandomBits,
    /// An approximation of which the manual promises nothing.
    NoBound,
}

/// Each result that is left open: its name in reports, and the reason with the manual's page.
#[rustfmt::skip]
const REASONS: [(Undefined, &str, &str); 20] = [
    (Undefined::MisalignedCoordinate, "misaligned-coordinate", "an access that is not aligned to its own size may be rounded or fail (surface-instructions-suld)"),
    (Undefined::PartlyOutside, "partly-outside", "an access that begins within a row and ends after it is not described (surface-instructions-suld)"),
    (Undefined::MissingComponents, "missing-components", "components without a source are written with an unpredictable value (surface-instructions-sust)"),
    (Undefined::ReducedFormat, "reduced-format", "formatted reductions are described for integers of their own size (surface-instructions-sured)"),
    (Undefined::AbsentExtent, "absent-extent", "querying an extent that the surface does not have is not described (surface-instructions-suq)"),
    (Undefined::Enumeration, "enumeration", "the numeric values are defined by the source language (surface-instructions-suq)"),
    (Undefined::MisalignedAddress, "misaligned-address", "an address that is not aligned to the access is undefined (addresses-as-operands)"),
    (Undefined::OutsideVariable, "outside-variable", "the contents of memory outside a variable are not described (addresses-as-operands)"),
    (Undefined::ImmediateAddress, "immediate-address", "the assembler decides what is at an immediate address (addresses-as-operands)"),
    (Undefined::NanPayload, "nan-payload", "the payload of a NaN is not described (surface-instructions-sust)"),
    (Undefined::DuplicateDestination, "duplicate-destination", "the elements of a destination must be distinct (vectors-as-operands)"),
    (Undefined::NanOperand, "nan-operand", "the minimum or maximum of a number and a NaN is not described (parallel-synchronization-and-communication-instructions-atom)"),
    (Undefined::SignOfZero, "sign-of-zero", "whether the minimum or maximum of two zeros is the negative one is not described (parallel-synchronization-and-communication-instructions-atom)"),
    (Undefined::DivisionByZero, "division-by-zero", "a division by zero yields an unspecified value (integer-arithmetic-instructions-div)"),
    (Undefined::QuotientTooLarge, "quotient-too-large", "the smallest number divided by -1 is not described (integer-arithmetic-instructions-div)"),
    (Undefined::FoundFromNowhere, "found-from-nowhere", "a base above 31 is undefined, and the magnitude of the smallest offset does not fit (integer-arithmetic-instructions-fns)"),
    (Undefined::IntermediateSign, "intermediate-sign", "how an intermediate result that its type does not have enters the second operation is not clear (scalar-video-instructions)"),
    (Undefined::UnsignedFormat, "unsigned-format", "what a number is that is negative, or less than the smallest one, in a format without them is not described (data-movement-and-conversion-instructions-cvt)"),
    (Undefined::RandomBits, "random-bits", "how random bits round a subnormal or too large result is not described (data-movement-and-conversion-instructions-cvt)"),
    (Undefined::NoBound, "no-bound", "the manual does not bound the error of the approximation for such inputs (floating-point-instructions)"),
];

impl Undefined {
    /// All of them.
    pub const ALL: [Self; REASONS.len()] = {
        let (mut all, mut at) = ([Self::MisalignedCoordinate; REASONS.len()], 0);
        while at < all.len() {
            all[at] = REASONS[at].0;
            at += 1;
        }
        all
    };

    /// Its name in reports.
    pub fn id(self) -> &'static str {
        self.reason().1
    }

    /// The reason why the result is undefined, and the manual's page.
    pub fn says(self) -> &'static str {
        self.reason().2
    }

    fn reason(self) -> &'static (Self, &'static str, &'static str) {
        REASONS.iter().find(|(of, ..)| *of == self).must("each result that is left open has a reason")
    }
}
