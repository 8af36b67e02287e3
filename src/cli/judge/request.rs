//! Requests: one JSON object on each line.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Visitor};

use ptx_conform::environment::{AddressSize, Environment, Target, Version};

/// Text that is borrowed from the input if it has no escapes; `null` is empty.
#[derive(Default)]
pub(super) struct Text<'a>(pub(super) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Borrowed;
        impl<'de> Visitor<'de> for Borrowed {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text")
            }
            fn visit_borrowed_str<E: serde::de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
            fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed("")))
            }
        }
        from.deserialize_any(Borrowed)
    }
}

#[derive(Deserialize)]
pub(super) struct JudgeRequestLine<'a> {
    #[serde(borrow)]
    pub(super) line: Text<'a>,
    #[serde(borrow)]
    ptx: Text<'a>,
    #[serde(borrow)]
    target: Text<'a>,
    #[serde(borrow, default)]
    pub(super) declarations: Text<'a>,
    #[serde(default)]
    address_size: Option<u64>,
}

impl<'a> JudgeRequestLine<'a> {
    /// Reads a line of the input.
    pub(super) fn parse(line: &'a [u8]) -> Result<Self, String> {
        const SHAPE: &str =
            r#"each input line is one object: {"line": "...", "ptx": "9.0", "target": "sm_90", "declarations": "..."}"#;
        // Serde would accept a list as an object.
        if !line.trim_ascii_start().starts_with(b"{") {
            return Err(SHAPE.to_owned());
        }
        // Input that is valid text as a whole need not be checked string by string.
        let request = match str::from_utf8(line) {
            Ok(text) => serde_json::from_str(text),
            Err(_) => serde_json::from_slice(line),
        };
        request.map_err(|error: serde_json::Error| {
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or(&message);
            format!("{message}, at column {}; {SHAPE}", error.column())
        })
    }

    /// The environment that the line is judged in.
    pub(super) fn environment(&self) -> Result<Environment, String> {
        let ptx: Version = self.ptx.0.parse().map_err(|error| format!("{error}"))?;
        let target: Target = self.target.0.parse().map_err(|error| format!("{error}"))?;
        let address_size = match self.address_size {
            None | Some(64) => AddressSize::Bits64,
            Some(32) => AddressSize::Bits32,
            Some(other) => return Err(format!("`address_size` is {other}; it must be 32 or 64")),
        };
        Ok(Environment { ptx, target, address_size })
    }
}
