//! Constants in a line as bits. PTX ISA `constants`.

use super::Unmodelled;
use ptx_spec::ptx::Argument;
use ptx_spec::spec::Kind;

/// The bits of a constant that stands for a value of a type, if the line says which; none of what is no constant. A double is
/// converted to its type: PTX ISA `floating-point-constants`.
#[expect(clippy::cast_possible_truncation, reason = "rounding is wanted")]
pub(crate) fn immediate(argument: &Argument<'_>, of: Option<(Kind, u32)>) -> Option<u128> {
    match argument {
        // Of predicates, everything but zero is true. PTX ISA `predicate-constants`.
        Argument::Integer(value) if matches!(of, Some((Kind::Predicate, _))) => Some(u128::from(value.value() != 0)),
        // Numbers have 64 bits: what a negative one is in 128 is not described. PTX ISA `integer-constants`.
        Argument::Integer(value) if matches!(of, Some((_, 128))) && value.value() < 0 => None,
        Argument::Integer(value) => Some(value.value().cast_unsigned()),
        Argument::Double(bits) if of == Some((Kind::Float, 32)) => {
            Some(u128::from((f64::from_bits(*bits) as f32).to_bits()))
        }
        Argument::Float(bits) => Some(u128::from(*bits)),
        Argument::Double(bits) => Some(u128::from(*bits)),
        _ => None,
    }
}

/// The reason why an argument is not the constant of a value.
pub(crate) fn no_immediate(argument: &Argument<'_>) -> Unmodelled {
    Unmodelled(match argument {
        Argument::Integer(value) => format!("what the number {} is in 128 bits is not described", value.value()),
        _ => "a source is neither a register nor a constant".to_owned(),
    })
}
