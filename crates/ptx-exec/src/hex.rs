//! Bytes and bit patterns as hexadecimal text: JSON numbers are only exact up to 2^53, and a string of
//! bytes is easier to read than a list.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Two digits for each byte, the first byte first.
pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&text(bytes))
}

/// White space between the bytes is allowed.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    bytes(&Cow::<str>::deserialize(from)?).map_err(D::Error::custom)
}

fn text(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len() / 2);
    let mut high = None;
    for c in text.chars().filter(|c| !c.is_ascii_whitespace()) {
        let digit = c.to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let digit = digit.ok_or_else(|| format!("`{c}` is not a hexadecimal digit"))?;
        match high.take() {
            None => high = Some(digit),
            Some(high) => bytes.push(high << 4 | digit),
        }
    }
    match high {
        None => Ok(bytes),
        Some(_) => Err("a hexadecimal digit is missing: two make a byte".to_owned()),
    }
}

fn number(text: &str) -> Result<u128, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain
        .then(|| u128::from_str_radix(digits, 16).ok())
        .flatten()
        .ok_or_else(|| format!("`{text}` is not a hexadecimal number of up to 128 bits"))
}

/// A list of numbers.
pub(crate) struct Numbers<'a>(pub(crate) &'a [u128]);

impl Serialize for Numbers<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        struct Digits(u128);
        impl Serialize for Digits {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let mut text = String::with_capacity(32);
                // Writing to a String cannot fail.
                let _ = write!(text, "{:x}", self.0);
                to.serialize_str(&text)
            }
        }
        to.collect_seq(self.0.iter().map(|&number| Digits(number)))
    }
}

/// A list of numbers that was read.
pub(crate) struct Owned(pub(crate) Vec<u128>);

impl<'de> Deserialize<'de> for Owned {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let texts: Vec<Cow<'_, str>> = Vec::deserialize(from)?;
        let numbers: Result<Vec<u128>, String> = texts.iter().map(|text| number(text)).collect();
        numbers.map(Owned).map_err(D::Error::custom)
    }
}

/// Numbers as a field.
pub mod all {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// As a list of hexadecimal numbers.
    pub fn serialize<S: Serializer>(numbers: &[u128], to: S) -> Result<S::Ok, S::Error> {
        super::Numbers(numbers).serialize(to)
    }

    /// From a list of hexadecimal numbers.
    ///
    /// # Errors
    /// If one is not a hexadecimal number.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u128>, D::Error> {
        super::Owned::deserialize(from).map(|owned| owned.0)
    }
}

/// Bytes that may be absent.
pub(crate) mod maybe {
    use std::borrow::Cow;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(bytes: &Option<Vec<u8>>, to: S) -> Result<S::Ok, S::Error> {
        match bytes {
            Some(bytes) => super::serialize(bytes, to),
            None => to.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<u8>>, D::Error> {
        let text: Option<Cow<'_, str>> = Option::deserialize(from)?;
        text.map(|text| super::bytes(&text).map_err(D::Error::custom)).transpose()
    }
}

/// Bytes by name.
pub(crate) mod named {
    use std::borrow::Cow;
    use std::collections::BTreeMap;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(named: &BTreeMap<String, Vec<u8>>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(named.iter().map(|(name, bytes)| (name, super::text(bytes))))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Vec<u8>>, D::Error> {
        let texts: BTreeMap<String, Cow<'_, str>> = BTreeMap::deserialize(from)?;
        let named = texts.into_iter().map(|(name, text)| super::bytes(&text).map(|bytes| (name, bytes)));
        named.collect::<Result<_, String>>().map_err(D::Error::custom)
    }
}
