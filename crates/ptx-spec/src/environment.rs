//! The environment a line is judged in: PTX version, target and address size.
//!
//! PTX ISA `ptx-module-directives`: `.version`, `.target` and `.address_size`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A PTX ISA version such as `8.10`, ordered by number and not by text: `8.10` comes after `8.9`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The number before the dot.
    pub major: u8,
    /// The number after the dot.
    pub minor: u8,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The reason why a text is not a version, target or address size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {expected}")]
pub struct ParseError {
    text: String,
    expected: &'static str,
}

impl ParseError {
    fn new(text: &str, expected: &'static str) -> Self {
        Self { text: text.to_owned(), expected }
    }
}

impl FromStr for Version {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let error = || ParseError::new(text, "a PTX version such as 8.5");
        let (major, minor) = text.split_once('.').ok_or_else(error)?;
        Ok(Self { major: digits(major).ok_or_else(error)?, minor: digits(minor).ok_or_else(error)? })
    }
}

/// A number of digits only: `parse` alone would also accept a sign.
fn digits<T: FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

/// The suffix of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suffix {
    /// `sm_90`: features that later targets keep.
    Plain,
    /// `sm_100f`: features of one family of targets.
    Family,
    /// `sm_90a`: features of exactly this target.
    Exact,
}

impl Suffix {
    fn letter(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Family => "f",
            Self::Exact => "a",
        }
    }
}

/// A `.target` architecture such as `sm_90a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// The architecture's number: 90 in `sm_90a`.
    pub sm: u16,
    /// The suffix after the number.
    pub suffix: Suffix,
}

impl Target {
    /// The part after `sm_` or `compute_`: `90a`.
    pub fn number(self) -> String {
        format!("{}{}", self.sm, self.suffix.letter())
    }

    /// The number by which the target's family goes: PTX 9.0 renamed sm_101 to sm_110.
    fn renamed(self) -> u16 {
        if self.sm == 101 { 110 } else { self.sm }
    }

    /// True if a feature that needs `self` may be used where the module's target is `other`.
    ///
    /// A plain target is met by every later one; a family target (`sm_100f`) by the family and exact
    /// targets of the same family (the same tens, from its number on); an exact target only by itself. PTX
    /// ISA `ptx-module-directives-target`.
    pub fn met_by(self, other: Self) -> bool {
        match self.suffix {
            Suffix::Plain => other.sm >= self.sm,
            Suffix::Family => {
                let (own, others) = (self.renamed(), other.renamed());
                other.suffix != Suffix::Plain && others >= own && others / 10 == own / 10
            }
            Suffix::Exact => other == self,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}{}", self.sm, self.suffix.letter())
    }
}

impl FromStr for Target {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let error = || ParseError::new(text, "a target such as sm_90 or sm_90a");
        let number = text.strip_prefix("sm_").ok_or_else(error)?;
        let (number, suffix) = match number.as_bytes().last() {
            Some(b'a') => (&number[..number.len() - 1], Suffix::Exact),
            Some(b'f') => (&number[..number.len() - 1], Suffix::Family),
            _ => (number, Suffix::Plain),
        };
        Ok(Self { sm: digits(number).ok_or_else(error)?, suffix })
    }
}

/// The size of an address in bits, 32 or 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum AddressSize {
    /// `.address_size 64`
    Bits64,
    /// `.address_size 32`, and every module older than the directive.
    Bits32,
}

impl AddressSize {
    /// The first PTX version that has the `.address_size` directive.
    pub const SINCE: Version = Version { major: 2, minor: 3 };

    /// The size in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Bits32 => 32,
            Self::Bits64 => 64,
        }
    }
}

impl fmt::Display for AddressSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.bits())
    }
}

impl FromStr for AddressSize {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        match text {
            "32" => Ok(Self::Bits32),
            "64" => Ok(Self::Bits64),
            _ => Err(ParseError::new(text, "an address size: 32 or 64")),
        }
    }
}

/// PTX version, target and address size: everything besides the text that a verdict depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Environment {
    /// `.version`
    pub ptx: Version,
    /// `.target`
    pub target: Target,
    /// `.address_size`
    pub address_size: AddressSize,
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX {}, {}, {} bit", self.ptx, self.target, self.address_size)
    }
}

/// Versions, targets and address sizes are text in every format; YAML would read 8.10 as 8.1.
macro_rules! serde_as_text {
    ($($type:ty),*) => {$(
        impl Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
            }
        }
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string" })
            }
        }
    )*};
}
serde_as_text!(Version, Target);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_number() {
        let parse = |text: &str| text.parse::<Version>().expect("a version");
        assert!(parse("8.10") > parse("8.9"));
        assert_eq!(parse("8.10").to_string(), "8.10");
        for bad in ["8", "8.", ".8", "+8.1", "8.x", "8.1.2", "", "300.0"] {
            assert!(bad.parse::<Version>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_target_is_met_by_later_ones_its_family_or_itself() {
        let parse = |text: &str| text.parse::<Target>().expect("a target");
        for (needed, given, met) in [
            ("sm_90", "sm_100", true),
            ("sm_90", "sm_90a", true),
            ("sm_90", "sm_89", false),
            ("sm_90a", "sm_90", false),
            ("sm_90a", "sm_100a", false),
            ("sm_100f", "sm_103f", true),
            ("sm_100f", "sm_103a", true),
            ("sm_100f", "sm_103", false),
            ("sm_100f", "sm_120f", false),
        ] {
            assert_eq!(parse(needed).met_by(parse(given)), met, "{needed} by {given}");
        }
    }
}
