//! YAML files of the specification: values with the place they were read from, and errors that show it.

mod error;
mod nearest;
mod values;

use serde::de::DeserializeOwned;

use crate::must::Must;

pub use error::Error;
pub use nearest::{near, nearest};
pub use values::{At, FilePosition, OneOrMany, Ordered};

/// Reads YAML. Keeps the YAML reader's message, but replaces its snippet.
pub fn parse<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, Error> {
    let said = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    if !text.lines().any(said) {
        return Err(Error::new(name, "", FilePosition::default(), "the file is empty"));
    }
    serde_yaml::from_str(text).map_err(|error| {
        let number = |n: u64| usize::try_from(n).must("a place is in a text, which fits into memory");
        let place = error.location().map_or(FilePosition::default(), |at| FilePosition {
            line: number(at.line()),
            column: number(at.column()),
        });
        let message = error.without_snippet().to_string();
        let message = message.split(" at line ").next().unwrap_or(&message).trim_end_matches([',', ' ']);
        // The YAML reader's advice is for programmers.
        let (message, _) = message.split_once(", set DuplicateKeyPolicy").unwrap_or((message, ""));
        let error = Error::new(name, text, place, message);
        match meant(message) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        }
    })
}

/// The word nearest to the unknown one, if the YAML reader's message lists the known ones.
fn meant(message: &str) -> Option<&str> {
    let (unknown, known) = message.strip_prefix("unknown ")?.split_once("`, expected one of ")?;
    let (_, word) = unknown.split_once('`')?;
    nearest(word, known.split(", "))
}
