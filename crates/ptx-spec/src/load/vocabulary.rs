//! The modifiers of all instructions, from `vocabulary.yaml`, for trying words in slots.

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::spec::is_modifier;
use crate::yaml::{At, Error, Ordered, parse};

/// The name of the file.
pub(super) const FILE: &str = "vocabulary.yaml";

/// `specs/vocabulary.yaml`: every modifier of the manual.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "ptx-conform vocabulary")]
pub(super) struct RawVocabulary {
    /// The modifiers with their dots, by purpose; each appears once, and each list is sorted.
    pub(super) words: Ordered<Vec<At<String>>>,
}

/// Reads and checks the file; the words are sorted.
pub(super) fn read(name: &str, text: &str) -> Result<Vec<String>, Vec<Error>> {
    let raw: RawVocabulary = parse(name, text).map_err(|error| vec![error])?;
    let mut errors = Vec::new();
    let mut seen = FxHashSet::default();
    for (_, words) in &raw.words.0 {
        let mut last = "";
        for word in words {
            let mut error = |message: String| errors.push(Error::new(name, text, word.place, message));
            if !is_modifier(&word.value) {
                error(format!("`{}` is not a modifier: write it with its dot, as in `.v2`", word.value));
            } else if !seen.insert(&word.value) {
                error(format!("`{}` appears twice", word.value));
            } else if *last > *word.value {
                error(format!("`{}` comes after `{last}`: the words of a list must be sorted", word.value));
            }
            last = &word.value;
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut words: Vec<String> = seen.into_iter().cloned().collect();
    words.sort_unstable();
    Ok(words)
}
