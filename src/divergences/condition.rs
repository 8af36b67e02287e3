//! Conditions by name: for each axis that matters, the names of its values.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The values of an axis, or all but these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisValues {
    /// True if the values are excluded.
    pub not: bool,
    /// The values.
    pub values: Vec<String>,
}

/// For each axis that matters, its values: a combination of choices by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition(pub Vec<(String, AxisValues)>);

impl AxisValues {
    /// The shorter list of the values `inside` and those `outside`, sorted; `not` is used only if
    /// `negatable`.
    pub(crate) fn shortest(
        inside: &BTreeSet<String>,
        outside: &BTreeSet<String>,
        order: &[&String],
        negatable: bool,
    ) -> Self {
        let not = negatable && !outside.is_empty() && outside.len() < inside.len();
        let chosen = if not { outside } else { inside };
        let mut values: Vec<String> = Vec::new();
        for value in order {
            if chosen.contains(*value) && !values.contains(value) {
                values.push((*value).clone());
            }
        }
        Self { not, values }
    }
}

impl Condition {
    /// True if it names nothing, so that it always holds.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for AxisValues {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.not.then_some("not").into_iter().chain(self.values.iter().map(String::as_str)))
    }
}

impl Serialize for Condition {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(axis, values)| (axis, values)))
    }
}

impl<'de> Deserialize<'de> for AxisValues {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut values: Vec<String> = Vec::deserialize(from)?;
        let not = values.first().is_some_and(|first| first == "not");
        if not {
            values.remove(0);
        }
        Ok(Self { not, values })
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Condition;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from choices to their values")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Condition, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Condition(entries))
            }
        }
        from.deserialize_map(InOrder)
    }
}

impl JsonSchema for Condition {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Condition".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        // The values of each axis; all but these if the first is `not`.
        BTreeMap::<String, Vec<String>>::json_schema(generator)
    }
}

/// Prints it as in YAML.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{ ")?;
        for (at, (axis, values)) in self.0.iter().enumerate() {
            let words: Vec<String> = values.values.iter().map(|value| scalar(value)).collect();
            write!(f, "{}{axis}: ", if at == 0 { "" } else { ", " })?;
            match (values.not, words.as_slice()) {
                (false, [one]) => f.write_str(one)?,
                (not, words) => write!(f, "[{}{}]", if not { "not, " } else { "" }, words.join(", "))?,
            }
        }
        f.write_str(" }")
    }
}

/// A text, quoted if YAML would read it differently.
fn scalar(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    // So does a word that is a number after a dot: an infinity, or none.
    let number = text.starts_with(|c: char| c.is_ascii_digit()) || text.trim_start_matches('.').parse::<f64>().is_ok();
    // YAML 1.1 has more words for true and false than those that are read as the text that they are.
    let boolean = ["y", "n", "yes", "no", "on", "off", "null"].contains(&text.to_ascii_lowercase().as_str());
    let plain = !number && !boolean && text.chars().all(plain) && !text.is_empty();
    if plain { text.to_owned() } else { format!("\"{text}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_yaml_reads_otherwise_are_quoted() {
        let only = |value: &str| AxisValues { not: false, values: vec![value.to_owned()] };
        let condition = Condition(vec![("effect".to_owned(), only("off")), ("predicate".to_owned(), only("true"))]);
        assert_eq!(condition.to_string(), "{ effect: \"off\", predicate: true }");
        let numbers = ["nan", "inf"].map(|word| format!(".{word}"));
        for word in &numbers {
            assert_eq!(Condition(vec![("type".to_owned(), only(word))]).to_string(), format!("{{ type: \"{word}\" }}"));
        }
    }
}
