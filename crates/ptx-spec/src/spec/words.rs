//! Names of values that all instructions share.

/// A modifier that no instruction has.
pub const UNKNOWN_MODIFIER: &str = ".bogus";
/// The value of a slot or operand that is left out, and of an operand without sinks.
pub const NONE: &str = "none";
/// Anything in an operand that is not one of the other values.
pub const OTHER: &str = "other";
/// An integer immediate.
pub const INTEGER: &str = "integer";
/// A floating-point immediate of 32 bits, `0f3F800000`.
pub const FLOAT: &str = "float";
/// A floating-point immediate of 64 bits: any except `0f...`.
pub const DOUBLE: &str = "double";
/// A `_` in place of a whole operand.
pub const SINK: &str = "sink";
/// A variable with data, by its name: its address.
pub const VARIABLE: &str = "variable";
/// A special register.
pub const SPECIAL: &str = "special";
/// In a file: the immediates that suit the type.
pub const IMMEDIATES: &str = "immediates";

/// Values for operands that are neither register types nor objects.
pub const PSEUDO: [&str; 6] = [INTEGER, FLOAT, DOUBLE, SINK, VARIABLE, SPECIAL];

/// The words for a value of an operand in a sentence; a register type as it is.
pub(crate) fn in_words(value: &str) -> &str {
    match value {
        INTEGER => "an integer",
        FLOAT => "a number of 32 bits (0f...)",
        DOUBLE => "a floating-point number",
        SINK => "`_`",
        VARIABLE => "a variable",
        SPECIAL => "a special register",
        of => of,
    }
}

/// True if a text could be a modifier of PTX: `.v2`, `.L2::cache_hint`, `.128x256b`, `.sp::2:4`.
pub fn is_modifier(text: &str) -> bool {
    let Some(word) = text.strip_prefix('.') else { return false };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let ratio = |part: &str| part.split_once(':').is_some_and(|(of, to)| digits(of) && digits(to));
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let part = |part: &str| plain(part) || ratio(part);
    word.split('.').flat_map(|word| word.split("::")).all(part) && word.bytes().any(|b| b.is_ascii_alphabetic())
}
