//! The fields of operands that have a notation of their own: types, lanes, numbers.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use crate::spec::{AllowedNumbers, Scale, ScaledType};
use crate::yaml::OneOrMany;

/// The type of an operand.
#[derive(Clone, Debug)]
pub enum RawTypeOf {
    /// A slot or a type, or the type of the same kind with twice or half its bits.
    Of(ScaledType),
    /// By a table.
    Table(SlotTable),
}

/// The lanes of an operand.
#[derive(Clone, Debug)]
pub enum RawLanes {
    /// By a vector slot: `isa.yaml` has the lanes of each of its values.
    Slot(String),
    /// By a table, with the number of lanes, or the shapes, in the last cell of a row.
    Table(SlotTable),
}

/// Something that follows from the values of slots.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlotTable {
    /// The slots.
    pub by: Vec<String>,
    /// For each combination a row: a value or several for each slot, and then what follows.
    pub rows: Vec<Vec<OneOrMany<String>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypeFields {
    of: Option<String>,
    bits: Option<Scale>,
    by: Option<Vec<String>>,
    rows: Option<Vec<Vec<OneOrMany<String>>>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NumberRange {
    /// The least.
    from: Option<i64>,
    /// The greatest.
    to: Option<i64>,
    /// The number that each is a multiple of.
    #[serde(default = "one")]
    multiple_of: i64,
    /// Numbers in the range up to which some lines allow it only: the axis says which of them a number is over.
    #[serde(default)]
    limits: Vec<i64>,
    /// Instead of a range, the numbers that are allowed of these multiples.
    #[serde(default)]
    only: Vec<i64>,
}

fn one() -> i64 {
    1
}

/// The numbers that an integer immediate may be, as the file has it.
#[derive(Clone, Debug)]
pub struct RawNumbers(pub AllowedNumbers);

/// A visitor of something that is a text, a list or a mapping.
macro_rules! read {
    ($type:ty, $expecting:literal, $($visit:tt)*) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                struct FieldVisitor;
                impl<'de> Visitor<'de> for FieldVisitor {
                    type Value = $type;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expecting)
                    }
                    $($visit)*
                }
                from.deserialize_any(FieldVisitor)
            }
        }
    };
}

read! { RawTypeOf, "a slot, a type, `{ of: slot, bits: twice }`, or `{ by: [slot], rows: [[value, type]] }`",
    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(RawTypeOf::Of(ScaledType { of: text.to_owned(), bits: Scale::Same }))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let fields = TypeFields::deserialize(MapAccessDeserializer::new(map))?;
        match (fields.of, fields.bits, fields.by, fields.rows) {
            (Some(of), Some(bits), None, None) => Ok(RawTypeOf::Of(ScaledType { of, bits })),
            (None, None, Some(by), Some(rows)) => Ok(RawTypeOf::Table(SlotTable { by, rows })),
            _ => Err(serde::de::Error::custom("expected either `of` and `bits`, or `by` and `rows`")),
        }
    }
}

read! { RawLanes, "a vector slot, or `{ by: [slot], rows: [[value, lanes]] }`",
    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(RawLanes::Slot(text.to_owned()))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        SlotTable::deserialize(MapAccessDeserializer::new(map)).map(RawLanes::Table)
    }
}

read! { RawNumbers, "numbers, `{ from: 0, to: 255, multiple_of: 1 }`, or `fraction`",
    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        match text {
            "fraction" => Ok(RawNumbers(AllowedNumbers::Fraction)),
            other => Err(E::custom(format!("`{other}` is no kind of numbers: write `fraction`"))),
        }
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(|listed| RawNumbers(AllowedNumbers::Listed(listed)))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let NumberRange { from, to, multiple_of, limits, only } = NumberRange::deserialize(MapAccessDeserializer::new(map))?;
        if multiple_of < 1 || from.zip(to).is_some_and(|(from, to)| from > to) {
            return Err(serde::de::Error::custom("a range must have numbers, and `multiple_of` must be at least 1"));
        }
        if !only.is_empty() {
            return Ok(RawNumbers(AllowedNumbers::Multiples { listed: only, of: multiple_of }));
        }
        Ok(RawNumbers(AllowedNumbers::Range { from, to, multiple: multiple_of, limits }))
    }
}

/// The schema of a field that is one of several.
fn either(schemas: &[Schema]) -> Schema {
    schemars::json_schema!({ "anyOf": schemas })
}

impl JsonSchema for RawTypeOf {
    fn schema_name() -> Cow<'static, str> {
        "TypeOf".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        either(&[
            generator.subschema_for::<String>(),
            generator.subschema_for::<ScaledType>(),
            generator.subschema_for::<SlotTable>(),
        ])
    }
}

impl JsonSchema for RawLanes {
    fn schema_name() -> Cow<'static, str> {
        "Lanes".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        either(&[generator.subschema_for::<String>(), generator.subschema_for::<SlotTable>()])
    }
}

impl JsonSchema for RawNumbers {
    fn schema_name() -> Cow<'static, str> {
        "Numbers".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let fraction = schemars::json_schema!({ "const": "fraction" });
        either(&[generator.subschema_for::<Vec<i64>>(), generator.subschema_for::<NumberRange>(), fraction])
    }
}
